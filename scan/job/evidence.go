package job

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/internal/evidence"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// evidenceLines keeps the lines that a folder of evidence may need: the violations and fetches of
// robots.txt of crawlers, and what other clients were told who asked for it. It sorts them by the
// files of the folder, perhaps on disk.
type evidenceLines struct {
	logs    *auditLogs
	format  string        // of all logs; "" if that of each was found
	only    report.Choice // whose violations are shown
	sorted  *spill.Sorter
	writers []*spill.Writer // of the final pass, and of each worker
	// accused are the operators of violations, whose crawlers' fetches are shown. Only the final pass, on
	// one goroutine, has violations.
	accused map[string]bool

	mu       sync.Mutex  // of what follows
	headings [][]heading // of each log, where its columns change
	left     int         // bytes that there may be of them
	err      error       // the first
}

// heading is a line that names the columns of those after it.
type heading struct {
	at   int64 // its number
	text string
}

const (
	// maxAccused bounds accused, because clients may name any number of crawlers. The fetches of others stay
	// anonymous answers, which informs nobody.
	maxAccused  = 1 << 16
	maxHeadings = 4 << 20 // bounds headings, in bytes
)

// addTo has an audit of logs give its lines to l too, and takes memory for them from that of the
// audit. It does nothing for nil, as do the other methods that an audit calls.
func (l *evidenceLines) addTo(c *audit.Config, logs *auditLogs) {
	if l == nil {
		return
	}
	share := c.Memory / 4
	l.logs, l.only, l.accused = logs, c.Only, map[string]bool{}
	l.headings, l.left = make([][]heading, len(logs.list)), maxHeadings
	l.sorted = spill.New(spill.Options{Memory: share, Dir: c.TempDir, Compress: true})
	for range c.Workers + 1 {
		l.writers = append(l.writers, l.sorted.Writer())
	}
	c.Memory, c.OnlyViolations = c.Memory-share, false
	c.Judged, c.Answered = both(l, c.Judged), l
}

// Close frees the memory and removes the temporary file.
func (l *evidenceLines) Close() error {
	if l == nil || l.sorted == nil {
		return nil
	}
	return l.sorted.Close()
}

// Add gets what is judged, and the answers to others. Impostors and fetches with a header that names
// crawlers of several operators are others, and so are agents that robots.txt does not bind. A line
// that was cut cannot be judged again.
func (l *evidenceLines) Add(j *audit.Event) error {
	operator, crawler, log := "?"+strings.ToLower(report.InASCII(j.Name)), "", l.logs.list[j.Input]
	if j.Crawler != nil {
		operator, crawler = j.Crawler.Operator, j.Crawler.Name
	}
	add := func(operator string) {
		if !j.Cut {
			l.add(j, crawler, alike("lines", log.site, log.host != "", cmp.Or(l.format, log.format.Name())),
				fmt.Sprintf("%08x%016x", j.Input, j.Number), operator, string(j.Address), string(j.Line))
		}
	}
	isFetch := string(j.Method) == "GET" && bytes.HasSuffix(j.Target, []byte("/robots.txt")) && robotsTxt().Match(j.Target)
	switch {
	case j.Verdict == report.Violation && j.IsOf(&l.only):
		l.accused[operator] = l.accused[operator] || len(l.accused) < maxAccused
		add("")
	case j.Name == "" || j.Identity == report.SpoofedIdentity || j.Ambiguous ||
		j.Crawler != nil && j.Crawler.Exempt != "":
		operator = ""
	case isFetch || j.Verdict == report.RobotsFetch:
		add(operator)
	}
	if !isFetch || !j.HasTime { // without its time an answer says nothing
		return nil
	}
	size, of := strconv.FormatInt(j.Size, 10)+" ", `[$time_iso8601] "$request" $status $body_bytes_sent "$http_user_agent"`
	switch j.Size {
	case format.NoSizes:
		size, of = "", `[$time_iso8601] "$request" $status "$http_user_agent"`
	case -1:
		size = "- "
	}
	text := fmt.Sprintf(`[%s] "GET /robots.txt HTTP/1.1" %03d %s"-"`, time.Unix(0, j.Time).UTC().Format(time.RFC3339),
		j.Status, size)
	l.add(j, "", alike("answers", j.Site, false, of), text, operator, "", text) // in the order of time
	return nil
}

// alike describes lines that can be in one file: where the requests went that do not say it, whether lines
// of other hosts are left out, and the format.
func alike(what string, at policy.Site, only bool, format string) string {
	return fmt.Sprintf("%s %x %x %t %s", what, at.First, at.N, only, format)
}

// robotsTxt is the target of a request for /robots.txt itself, as nearly all write it.
var robotsTxt = lazy.Regexp(`^([^/]*://[^/]*)?/robots\.txt$`)

// add adds a line with its crawler, its kind, its place in the file, the operator by whom it is known if it is
// shown, if any (lines are if it is accused, answers if it is not), and the address.
func (l *evidenceLines) add(j *audit.Event, fields ...string) {
	record := make([]byte, 0, 512)
	for _, x := range fields {
		record = appendKey(record, x)
	}
	for range j.N {
		if err := l.writers[j.Worker+1].Add(record); err != nil {
			l.fail(err)
		}
	}
}

func (l *evidenceLines) fail(err error) {
	l.mu.Lock()
	l.err = cmp.Or(l.err, err)
	l.mu.Unlock()
}

// addHeadings keeps where the columns change in a chunk of a log: at has the header that is in force before it.
func (l *evidenceLines) addHeadings(input int, at beginning, chunk []byte) {
	if l == nil {
		return
	}
	for n, line := range l.logs.list[input].format.HeaderLines(chunk) {
		if bytes.Equal(line, at.header) {
			continue
		}
		l.mu.Lock()
		if l.left -= len(line); l.left >= 0 {
			l.headings[input] = append(l.headings[input], heading{at.lines + 1 + n, string(line)})
		} else {
			l.err = cmp.Or(l.err, fmt.Errorf("%s changes its columns too often for evidence", l.logs.list[input].Name))
		}
		l.mu.Unlock()
		at.header = line
	}
}

// headerAt returns the header that is in force at the place of a line, as add has it; "" if none is.
func (l *evidenceLines) headerAt(place string) string {
	if strings.HasPrefix(place, "[") { // an answer
		return ""
	}
	input, _ := strconv.ParseInt(place[:8], 16, 64)
	number, _ := strconv.ParseInt(place[8:], 16, 64)
	list := l.headings[input]
	after, _ := slices.BinarySearchFunc(list, number, func(h heading, at int64) int { return cmp.Compare(h.at, at) })
	if after == 0 {
		return ""
	}
	return list[after-1].text
}

// folderAudit audits the lines of a folder of evidence, when it is made and when it is verified.
type folderAudit struct {
	side    *loadedBasis
	details evidence.Details
	names   []byte // the file of names of addresses
	budget  *budget
	workers int
	word    func(string) string // as in Messages
	report  *report.Report      // of the lines
	letters int64
}

// files audits the lines of a folder, and returns all of its other files but the manifest: what the lines
// are judged by, and what follows from that.
func (c *folderAudit) files(ctx context.Context, dir string) (map[string][]byte, error) {
	if err := c.audit(ctx, dir); err != nil {
		return nil, err
	}
	b := c.side.basis
	p, err := b.Packed()
	if err == nil {
		err = p.Add(b, c.side.list, c.names)
	}
	files, robots := p.Files, b.FilesOf()
	for i := range c.report.Crawlers {
		info := &c.report.Crawlers[i]
		if err != nil || info.Verdicts[report.Violation] == 0 {
			continue
		}
		l := evidence.Letter{Report: c.report, Crawler: info, MadeBy: c.details.MadeBy, Robots: robots}
		known := ""
		if p := c.side.config.Crawlers.ByName(info.Crawler); p != nil && info.Operator == p.Operator {
			known = p.Name
		}
		for _, x := range c.details.Lines {
			if x.Crawler == known && strings.HasPrefix(x.File, "lines-") {
				l.Lines = append(l.Lines, x.File)
			}
		}
		var text string
		text, err = l.Text()
		name := evidence.Name("letter-"+info.Crawler, ".txt", func(name string) bool { return files[name] != nil })
		files[name], c.letters = []byte(text), c.letters+1
	}
	for name, v := range map[string]any{evidence.Basis: p.Basis,
		evidence.DetailsFile: report.Texts(c.details, report.ToUTF8),
		evidence.ReportFile:  c.report.Rewrite(report.ToUTF8)} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = cmp.Or(err, e.Encode(v))
		files[name] = text.Bytes()
	}
	return files, err
}

// audit audits the lines of a folder.
func (c *folderAudit) audit(ctx context.Context, dir string) error {
	side, d, logs := *c.side, &c.details, &auditLogs{}
	side.config.KeepAddresses, side.config.Proxied, side.config.Cut, side.config.Only =
		len(d.LookedUp) > 0, &d.Proxied, &d.AddressesCut, report.Choice{}
	for _, x := range d.Lines {
		log, err := c.open(ctx, x, filepath.Join(dir, x.File))
		if err != nil {
			return fmt.Errorf("%s: %w", x.File, err)
		}
		logs.list = append(logs.list, log)
	}
	o := &auditPlan{budget: c.budget, workers: c.workers, AuditOptions: AuditOptions{
		LogOptions: LogOptions{TimeZone: d.TimeZone}, Results: Results{Program: d.Program, Command: d.Command, By: "day",
			Messages: Messages{Word: c.word}}}}
	a, err := o.read(ctx, &side, logs, nil)
	if err != nil {
		return err
	}
	defer a.run.Close()
	for _, client := range d.LookedUp {
		p := side.config.Crawlers.ByName(client.Crawler)
		if p == nil {
			return fmt.Errorf("a client is of %q, which no profile is of", client.Crawler)
		}
		a.run.Verify(crawler.Pair{Profile: p, Addr: client.Address})
	}
	result, err := a.finish(ctx, nil)
	if err != nil {
		return err
	}
	for _, in := range result.Inputs {
		if in.Error != "" {
			return errors.New(in.Error)
		}
	}
	c.report = result.Report
	c.report.Partial = c.report.Partial || d.Partial
	return nil
}

// open opens a file of lines.
func (c *folderAudit) open(ctx context.Context, x evidence.Lines, path string) (*auditLog, error) {
	log := &auditLog{}
	f, err := formatOfText(x.Format)
	if err == nil && f == nil {
		err = fmt.Errorf("the format %q is none", x.Format)
	}
	if err == nil {
		log.Input, err = source.NewFile(path)
	}
	if err != nil {
		return nil, err
	}
	if log.Name, log.Hash = x.File, true; x.Only {
		log.host = x.File
	}
	if _, err = log.open(ctx, f, c.side.zone); err == nil {
		log.site, err = siteOfOrigins(x.Origins, c.side.config.Policy)
	}
	log.skewed = log.zoneless && c.details.TimeZone == ""
	return log, err
}

// evidenceWriter makes a folder of the lines of logs.
type evidenceWriter struct {
	*disk.Folder
	*evidenceLines
	*folderAudit
	file *disk.File // the last one of lines
	out  *bufio.Writer
}

// put writes a file.
func (w *evidenceWriter) put(name string, content []byte) error {
	f, err := w.Create(name, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

// writeLines writes the files of lines, and finds the names of the addresses in them.
func (w *evidenceWriter) writeLines(known *crawler.HostNames) error {
	for _, x := range w.writers {
		w.fail(x.Flush())
	}
	for _, list := range w.headings {
		slices.SortFunc(list, func(x, y heading) int { return cmp.Compare(x.at, y.at) })
	}
	var f, last [6]string // as add has them
	names, header := map[string]bool{}, ""
	for r, err := range w.sorted.All() {
		for i, rest := 0, r.Data; err == nil && i < len(f); i++ {
			f[i], rest = cutKey(rest)
		}
		if err == nil && f[3] != "" && w.accused[f[3]] != strings.HasPrefix(f[1], "lines") {
			continue
		}
		if err == nil && (f[0] != last[0] || f[1] != last[1]) {
			err, header = w.begin(f[0], f[1]), ""
		}
		if err = cmp.Or(err, w.err); err != nil {
			return errors.Join(err, w.end())
		}
		if now := w.headerAt(f[2]); now != header {
			_, _ = w.out.WriteString(now + "\n") // end returns the errors
			header = now
		}
		for range r.N {
			_, _ = w.out.WriteString(f[5] + "\n")
		}
		addr, list := known.Of(f[4])
		for _, name := range list {
			names[fmt.Sprintf("%s\t%s\ttrue\n", addr, name)] = true
		}
		last = f
	}
	if known != nil {
		w.names = []byte("# address, name, confirmed\n" + strings.Join(slices.Sorted(maps.Keys(names)), ""))
	}
	return cmp.Or(w.err, w.end())
}

// begin begins a file of lines of a kind, and ends the last one.
func (w *evidenceWriter) begin(crawler, kind string) error {
	x, at, what := evidence.Lines{Crawler: crawler, Origins: []string{}}, policy.Site{}, ""
	_, err := fmt.Sscanf(kind, "%s %x %x %t", &what, &at.First, &at.N, &x.Only)
	if err = cmp.Or(err, w.end()); err != nil {
		return err
	}
	if x.Format = strings.SplitN(kind, " ", 5)[4]; what == "lines" {
		what += "-" + cmp.Or(crawler, "unknown")
	}
	x.File = evidence.Name(what, ".log", func(name string) bool {
		return slices.ContainsFunc(w.details.Lines, func(x evidence.Lines) bool { return x.File == name })
	})
	for _, o := range w.side.config.Policy.Origins()[at.First:][:at.N] {
		x.Origins = append(x.Origins, o.String())
	}
	w.details.Lines = append(w.details.Lines, x)
	if w.file, err = w.Create(x.File, 0o600); err == nil {
		w.out = bufio.NewWriterSize(w.file, 1<<20)
	}
	return err
}

// end ends the last file of lines, if any.
func (w *evidenceWriter) end() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.out.Flush(), w.file.Sync(), w.file.Close())
	w.file = nil
	return err
}

// write makes the folder, and returns the SHA-256 of its manifest.
func (w *evidenceWriter) write(ctx context.Context, dir string, known *crawler.HostNames) (sum string, err error) {
	if w.Folder, err = disk.NewFolder(dir, 0o700); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Discard())
		}
	}()
	w.sorted.StopAt(ctx)
	if err := errors.Join(w.writeLines(known), w.evidenceLines.Close()); err != nil { // their memory is for the audit
		return "", err
	}
	files, err := w.files(ctx, w.Path(""))
	for name, text := range files {
		err = cmp.Or(err, w.put(name, text))
	}
	if err != nil {
		return "", err
	}
	sums, _, err := evidence.SumsOf(ctx, w.Path(""))
	if err = cmp.Or(err, w.put(evidence.SumsFile, sums.Manifest())); err != nil {
		return "", err
	}
	return evidence.SumOf(sums.Manifest()), w.Commit()
}

// errNoEvidence is the error of an audit that was interrupted before there was a folder.
var errNoEvidence = errors.New("interrupted: there is no folder of evidence")

// writeEvidence makes the folder of an audit. err is the audit's own error. An audit that was interrupted
// has no evidence: the lines that it has not read could clear what it has found.
func (o *auditPlan) writeEvidence(ctx context.Context, w *evidenceWriter, err error) error {
	if failed, ok := errors.AsType[*Error](err); ok && failed.Kind == Interrupted {
		o.Messages.warn("%v", errNoEvidence)
		return err
	}
	sum, unwritten := w.write(ctx, o.Evidence, w.side.identity.Names)
	switch {
	case unwritten != nil && ctx.Err() != nil:
		return &Error{Interrupted, errNoEvidence}
	case unwritten != nil:
		return inputError(errors.Join(err, writing(o.Evidence, unwritten)))
	}
	if n := w.details.Violations - w.report.Totals.Verdicts[report.Violation]; n > 0 {
		o.Messages.warn("%s has not the evidence of %s more: their lines cannot be judged without the rest of the logs",
			o.Evidence, english.Plural(n, "violation"))
	}
	o.Messages.warn("%s has the evidence of the violations by %s; the SHA-256 of its manifest is %s", o.Evidence,
		english.Plural(w.letters, "crawler"), sum)
	return err
}

// checkEvidence refuses a folder of evidence that cannot be made, or that holds what the job reads or
// writes.
func (o *auditPlan) checkEvidence(inputs inputFiles) error {
	if o.Evidence == "" {
		return nil
	}
	err := disk.CheckFolder(o.Evidence, "evidence", o.Force, func(entries []fs.DirEntry) bool {
		has := func(name string) bool {
			return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
		}
		return has(evidence.SumsFile) && has(evidence.DetailsFile)
	})
	if errors.Is(err, disk.ErrOccupied) {
		return usageError("option Evidence: %w", err)
	}
	dir, failed := filepath.Abs(o.Evidence)
	err = cmp.Or(err, failed)
	for _, out := range o.outputs() {
		inputs.names = append(slices.Clip(inputs.names), out.name)
	}
	for _, name := range inputs.names {
		path, _ := filepath.Abs(name)
		if err == nil && name != "" && strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return usageError("option Evidence %s would replace %s, which is in it", o.Evidence, name)
		}
	}
	if err == nil {
		err = writing(o.Evidence, disk.CheckWritable(filepath.Dir(dir)))
	}
	if err != nil {
		return inputError(err)
	}
	return nil
}

// VerifyOptions say which folder of evidence Verify checks. Memory, Workers and Messages are as in
// AuditOptions.
type VerifyOptions struct {
	Dir      string
	Memory   int64
	Workers  int
	Messages Messages
}

// Verified is the result of Verify, in sentences: what was checked and holds, and what that does not show, or
// what does not hold. Their texts have the bytes of the folder: see report.Printable.
type Verified struct{ Checked, Failed []string }

// Verify checks a folder of evidence: its files have the hashes of its manifest, and an audit of its
// lines, by what is in it, gives its report and letters. An error is of type *Error: what keeps it from
// being checked.
func Verify(ctx context.Context, o VerifyOptions) (*Verified, error) {
	v := &Verified{}
	err := v.check(ctx, o)
	if ctx.Err() != nil {
		return nil, &Error{Interrupted, errors.New("interrupted: not all was checked")}
	}
	if _, known := errors.AsType[*Error](err); err != nil && !known {
		err = inputError(err)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (v *Verified) check(ctx context.Context, o VerifyOptions) error {
	sums, others, err := evidence.SumsOf(ctx, o.Dir)
	if err != nil {
		return err
	}
	if sums[evidence.SumsFile] == "" || sums[evidence.DetailsFile] == "" {
		v.Failed = []string{fmt.Sprintf("%s has no %s and %s: it is no folder of evidence", o.Dir, evidence.SumsFile,
			evidence.DetailsFile)}
		return nil
	}
	manifest, err := disk.ReadLimited(filepath.Join(o.Dir, evidence.SumsFile), maxListFile)
	if err != nil {
		return err
	}
	delete(sums, evidence.SumsFile)
	if v.Failed = append(others, sums.Differ(evidence.Stated(manifest), " does not have the SHA-256 that "+
		evidence.SumsFile+" states", " is not in "+evidence.SumsFile)...); len(v.Failed) > 0 {
		return nil
	}
	c := &folderAudit{budget: newBudget(o.Memory), word: o.Messages.Word}
	c.workers = c.budget.workers(o.Workers)
	made, err := c.again(ctx, sums, o.Dir)
	_, isOurs := errors.AsType[*Error](err)
	_, isLimit := errors.AsType[disk.LimitError](err)
	switch {
	case isOurs || isLimit || ctx.Err() != nil:
		return err
	case err != nil:
		v.Failed = []string{fmt.Sprintf("the folder does not say how its lines were judged: %v", err)}
		return nil
	}
	if v.Failed = sums.Differ(made, " is not what an audit of the folder's lines gives",
		" is one file more than evidence has"); len(v.Failed) > 0 {
		return nil
	}
	v.Checked = []string{
		fmt.Sprintf("All %s have the SHA-256 that %s states. Its own SHA-256 is %s.",
			english.Plural(int64(len(sums)), "file"), evidence.SumsFile, evidence.SumOf(manifest)),
		fmt.Sprintf("An audit of the folder's lines finds %s by %s, and gives the same report and letters.",
			english.Plural(c.report.Totals.Verdicts[report.Violation], "violation"), english.Plural(c.letters, "crawler")),
		"Not checked, since no folder shows it: that the lines are from the logs, that no other line clears the " +
			"requests, and what " + evidence.DetailsFile + " states about the audit and the logs.",
	}
	return nil
}

// again audits the lines of a folder with these files, which is trusted no more than the files and
// options of an audit. It returns the sums that its files should have.
func (c *folderAudit) again(ctx context.Context, sums evidence.Sums, dir string) (evidence.Sums, error) {
	open := basis.Open(func(name string) (io.ReadCloser, error) {
		if sums[name] == "" {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return disk.Open(filepath.Join(dir, filepath.FromSlash(name)))
	})
	text, err := open.Read(evidence.DetailsFile)
	if err = cmp.Or(err, json.Unmarshal(text, &c.details)); err != nil {
		return nil, err
	}
	c.details = report.Texts(c.details, report.FromUTF8)
	made, d := evidence.Sums{}, &c.details
	switch {
	case d.Schema != evidence.Schema:
		return nil, inputError(fmt.Errorf("%s: the folder is of another version of this program: its form is %q, and "+
			"this program reads %s only", dir, d.Schema, evidence.Schema))
	case strings.EqualFold(d.TimeZone, "local"):
		return nil, errors.New("its time zone is that of another machine")
	}
	for _, x := range d.Lines {
		if made[x.File] != "" || sums[x.File] == "" {
			return nil, fmt.Errorf("%s is not there, or counted twice", x.File)
		}
		made[x.File] = sums[x.File]
	}
	text, err = open.Read(evidence.Basis)
	if err != nil {
		return nil, err
	}
	b, err := basis.Unpack(text, open)
	if err == nil && b.Names != "" {
		c.names, err = open.Read(basis.NamesFile)
	}
	if err == nil {
		c.side, err = restored(b, open, d.TimeZone, c.budget)
	}
	if err != nil {
		return nil, err
	}
	files, err := c.files(ctx, dir)
	for name, text := range files {
		made[name] = evidence.SumOf(text)
	}
	return made, err
}
