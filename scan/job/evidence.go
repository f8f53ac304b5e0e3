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
	"strings"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/basis"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// evidenceLines keeps the lines that a folder of evidence may need: the violations and fetches of
// robots.txt of crawlers, and what other clients were told who asked for it. It sorts them by the
// files of the folder, perhaps on disk.
type evidenceLines struct {
	logs    *auditLogs
	alike   []int         // for each log, the first that is read as it is
	only    report.Choice // whose violations are shown
	sorted  *spill.Sorter
	writers []*spill.Writer // of the final pass, and of each worker
	// accused are the operators of violations, whose crawlers' fetches are shown. Only the final pass, on
	// one goroutine, has violations.
	accused map[string]bool
	failed  sync.Once
	err     error // the first
}

// maxAccused bounds accused, because clients may name any number of crawlers. The fetches of others stay
// anonymous answers, which informs nobody.
const maxAccused = 1 << 16

// addTo has an audit of logs give its lines to l too, and takes memory for them from that of the
// audit. It does nothing for nil, as do the other methods that an audit calls.
func (l *evidenceLines) addTo(c *audit.Config, logs *auditLogs) {
	if l == nil {
		return
	}
	share := c.Memory / 4
	l.logs, l.only, l.accused = logs, c.Only, map[string]bool{}
	for _, log := range logs.list {
		l.alike = append(l.alike, slices.IndexFunc(logs.list, func(x *auditLog) bool {
			return x.site == log.site && x.format.Name() == log.format.Name() && (x.host == "") == (log.host == "") &&
				bytes.Equal(x.format.Header(), log.format.Header())
		}))
	}
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
	operator, crawler := "?"+strings.ToLower(report.InASCII(j.Name)), ""
	if j.Crawler != nil {
		operator, crawler = j.Crawler.Operator, j.Crawler.Name
	}
	add := func(operator string) {
		if !j.Cut {
			l.add(j, crawler, fmt.Sprintf("lines %08x", l.alike[j.Input]), fmt.Sprintf("%08x%016x", j.Input, j.Number), operator,
				string(j.Address), string(j.Line))
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
	n, size := 0, fmt.Sprintf("%d ", j.Size)
	switch j.Size {
	case format.NoSizes:
		n, size = 1, ""
	case -1:
		size = "- "
	}
	text := fmt.Sprintf(`[%s] "GET /robots.txt HTTP/1.1" %03d %s"-"`, time.Unix(0, j.Time).UTC().Format(time.RFC3339),
		j.Status, size)
	l.add(j, "", fmt.Sprintf("answers %x %x %x", n, j.Site.First, j.Site.N), text, operator, "", text) // in the order of time
	return nil
}

// robotsTxt is the target of a request for /robots.txt itself, as nearly all write it.
var robotsTxt = lazy.Regexp(`^([^/]*://[^/]*)?/robots\.txt$`)

// The formats of answers, which have neither addresses nor names: of logs with sizes, and of others.
var answerFormats = [...]string{`[$time_iso8601] "$request" $status $body_bytes_sent "$http_user_agent"`,
	`[$time_iso8601] "$request" $status "$http_user_agent"`}

// add adds a line with its crawler, what else its file is of, its place in that, the operator by whom it
// is known if it is shown, if any (lines are if it is accused, answers if it is not), and the address.
func (l *evidenceLines) add(j *audit.Event, fields ...string) {
	record := make([]byte, 0, 512)
	for _, x := range fields {
		record = appendKey(record, x)
	}
	for range j.N {
		l.fail(l.writers[j.Worker+1].Add(record))
	}
}

func (l *evidenceLines) fail(err error) {
	if err != nil {
		l.failed.Do(func() { l.err = err })
	}
}

// checkHeaders refuses a log whose columns change: its lines would need the header before each.
func (l *evidenceLines) checkHeaders(log *auditLog, chunk []byte) {
	if l == nil {
		return
	}
	for _, line := range log.format.HeaderLines(chunk) {
		if !bytes.Equal(line, log.format.Header()) {
			l.fail(fmt.Errorf("%s changes its columns within the file, which evidence cannot show: divide it there", log.Name))
		}
	}
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
	format string // of all logs; "" if that of each was found
}

// writeLines writes the files of lines, and finds the names of the addresses in them.
func (w *evidenceWriter) writeLines(known *crawler.HostNames) error {
	for _, x := range w.writers {
		w.fail(x.Flush())
	}
	var f, last [6]string // as add has them
	names, out := map[string]bool{}, bufio.NewWriterSize(nil, 1<<20)
	for r, err := range w.sorted.All() {
		for i, rest := 0, r.Data; err == nil && i < len(f); i++ {
			f[i], rest = cutKey(rest)
		}
		if err == nil && f[3] != "" && w.accused[f[3]] != strings.HasPrefix(f[1], "lines") {
			continue
		}
		if err == nil && (f[0] != last[0] || f[1] != last[1]) {
			err = w.begin(out, f[0], f[1])
		}
		if err = cmp.Or(err, w.err); err != nil {
			return err
		}
		for range r.N {
			_, _ = out.WriteString(f[5] + "\n") // Flush returns its error
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
	return cmp.Or(w.err, out.Flush())
}

// begin begins a file of lines.
func (w *evidenceWriter) begin(out *bufio.Writer, crawler, of string) error {
	x, site, stem, header, n := evidence.Lines{Crawler: crawler, Origins: []string{}}, policy.Site{}, "answers", "", 0
	if got, _ := fmt.Sscanf(of, "answers %x %x %x", &n, &site.First, &site.N); got > 0 {
		x.Format = answerFormats[n]
	} else if _, err := fmt.Sscanf(of, "lines %x", &n); err != nil {
		return err
	} else {
		log := w.logs.list[n]
		x.Format, x.Only = cmp.Or(w.format, log.format.Name()), log.host != ""
		stem, site, header = "lines-"+cmp.Or(crawler, "unknown"), log.site, string(log.format.Header())
	}
	x.File = evidence.Name(stem, ".log", func(name string) bool {
		return slices.ContainsFunc(w.details.Lines, func(x evidence.Lines) bool { return x.File == name })
	})
	for _, o := range w.side.config.Policy.Origins()[site.First:][:site.N] {
		x.Origins = append(x.Origins, o.String())
	}
	w.details.Lines = append(w.details.Lines, x)
	err := out.Flush()
	if out.Reset(evidence.File{Folder: w.Folder, Name: x.File}); header != "" {
		_, _ = out.WriteString(header + "\n")
	}
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
		if err == nil {
			_, err = evidence.File{Folder: w.Folder, Name: name}.Write(text)
		}
	}
	if err != nil {
		return "", err
	}
	sums, _, err := evidence.SumsOf(ctx, w.Path(""))
	if err == nil {
		_, err = evidence.File{Folder: w.Folder, Name: evidence.SumsFile}.Write(sums.Manifest())
	}
	if err != nil {
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
	isOurs := func(entries []fs.DirEntry) bool {
		names := map[string]bool{}
		for _, e := range entries {
			names[e.Name()] = true
		}
		return names[evidence.SumsFile] && names[evidence.DetailsFile]
	}
	switch err := disk.CheckFolder(o.Evidence, "evidence", o.Force, isOurs); {
	case errors.Is(err, disk.ErrOccupied):
		return usageError("option Evidence: %w", err)
	case err != nil:
		return inputError(err)
	}
	names := slices.Clone(inputs.names)
	for _, out := range o.outputs() {
		names = append(names, out.name)
	}
	dir, err := filepath.Abs(o.Evidence)
	for _, name := range names {
		path, failed := filepath.Abs(name)
		if err = cmp.Or(err, failed); name != "" && strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return usageError("option Evidence %s would replace %s, which is in it", o.Evidence, name)
		}
	}
	if err = cmp.Or(err, disk.CheckWritable(filepath.Dir(dir))); err != nil {
		return inputError(writing(o.Evidence, err))
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

// Verified is the result of Verify, in sentences. Their texts have the bytes of the folder: see
// report.Printable.
type Verified struct {
	// Checked is what was checked and holds, and what that does not show. Failed is what does not hold.
	Checked, Failed []string
}

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
	c, made, err := auditFolder(ctx, sums, o)
	if _, isOurs := errors.AsType[*Error](err); isOurs || ctx.Err() != nil {
		return err
	}
	if err != nil {
		v.Failed = []string{fmt.Sprintf("the folder does not say how its lines were judged: %v", err)}
		return nil
	}
	v.Failed = sums.Differ(made, " is not what an audit of the folder's lines gives",
		" is one file more than evidence has")
	v.Checked = []string{
		fmt.Sprintf("All %s have the SHA-256 that %s states. Its own SHA-256 is %s.",
			english.Plural(int64(len(sums)), "file"), evidence.SumsFile, evidence.SumOf(manifest)),
		fmt.Sprintf("An audit of the folder's lines finds %s by %s, and gives the same report and letters.",
			english.Plural(c.report.Totals.Verdicts[report.Violation], "violation"), english.Plural(c.letters, "crawler")),
		"Not checked, since no folder shows it: that the lines are from the logs, that no other line clears the " +
			"requests, and what " + evidence.DetailsFile + " states about the audit and the logs.",
	}
	if len(v.Failed) > 0 {
		v.Checked = nil
	}
	return nil
}

// auditFolder audits the lines of a folder with these files, which is trusted no more than the files and
// options of an audit. It returns the sums that its files should have.
func auditFolder(ctx context.Context, sums evidence.Sums, o VerifyOptions) (*folderAudit, evidence.Sums, error) {
	open := basis.Open(func(name string) (io.ReadCloser, error) {
		if sums[name] == "" {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return disk.Open(filepath.Join(o.Dir, filepath.FromSlash(name)))
	})
	text, err := open.Read(evidence.DetailsFile)
	memory := newBudget(o.Memory)
	c := &folderAudit{budget: memory, workers: memory.workers(o.Workers), word: o.Messages.Word}
	if err = cmp.Or(err, json.Unmarshal(text, &c.details)); err != nil {
		return nil, nil, err
	}
	c.details = report.Texts(c.details, report.FromUTF8)
	made, d := evidence.Sums{}, &c.details
	for _, x := range d.Lines {
		if made[x.File] != "" || sums[x.File] == "" {
			return nil, nil, fmt.Errorf("%s is not there, or counted twice", x.File)
		}
		made[x.File] = sums[x.File]
	}
	switch {
	case d.Schema != evidence.Schema:
		return nil, nil, inputError(fmt.Errorf("%s: the folder is of another version of this program: its form is %q, and "+
			"this program reads %s only", o.Dir, d.Schema, evidence.Schema))
	case strings.EqualFold(d.TimeZone, "local"):
		return nil, nil, errors.New("its time zone is that of another machine")
	}
	if text, err = open.Read(evidence.Basis); err != nil {
		return nil, nil, err
	}
	b, err := basis.Unpack(text, open)
	if err != nil {
		return nil, nil, err
	}
	if b.Names != "" {
		c.names, err = open.Read(basis.NamesFile)
	}
	if err == nil {
		c.side, err = restored(b, open, d.TimeZone, memory)
	}
	if err != nil {
		return nil, nil, err
	}
	files, err := c.files(ctx, o.Dir)
	for name, text := range files {
		made[name] = evidence.SumOf(text)
	}
	return c, made, err
}
