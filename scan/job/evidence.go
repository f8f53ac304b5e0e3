package job

import (
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
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/internal/evidence"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// evidenceLines lists, as rows of an audit, the lines that an evidence folder may show: violations,
// fetches of robots.txt by crawlers, and the answers to other clients that fetched it.
type evidenceLines struct {
	*listing
	config *audit.Config
	logs   *auditLogs
	format string // given for all logs; "" if detected for each
	// accused are the operators with violations; the fetches of their crawlers are shown. Violations come only
	// from the final pass, which runs on one goroutine.
	accused map[string]bool
}

const (
	// maxAccused bounds accused, because clients may name any number of crawlers. The fetches of others remain
	// anonymous answers, which inform nobody.
	maxAccused = 1 << 16
	// These replace an operator: for lines that are always shown, and for those that name columns.
	anyOperator, columnNames = "", "#"
)

// addTo makes an audit of logs give its lines to l too.
func (l *evidenceLines) addTo(c *audit.Config, logs *auditLogs) {
	if l == nil {
		return
	}
	rows := &Rows{Appender: func() func([]byte, *audit.Event, string) []byte { return l.append }}
	l.listing, l.config, l.logs, l.accused = newListing(rows, c, logs), c, logs, map[string]bool{}
	c.OnlyViolations, c.Judged, c.Answered = false, both(l, c.Judged), l
}

// Close frees the memory and removes the temporary file.
func (l *evidenceLines) Close() error {
	if l == nil {
		return nil
	}
	return l.listing.Close()
}

// append appends the part of a request that the folder may show. Impostors and fetches with a header that
// names crawlers of several operators count as others, and so do agents that robots.txt does not bind. A
// truncated line cannot be judged again.
func (l *evidenceLines) append(rows []byte, j *audit.Event, _ string) []byte {
	operator, log := "?"+strings.ToLower(report.InASCII(j.Name)), l.logs.list[j.Input]
	of := evidence.Lines{File: "lines-unknown", Format: cmp.Or(l.format, log.format.Name()),
		Origins: l.origins(log.site), Only: log.host != ""}
	if p := j.Crawler; p != nil {
		operator, of.File, of.Crawler = "="+p.Operator, "lines-"+p.Name, p.Name
	}
	isFetch := string(j.Method) == "GET" && bytes.HasSuffix(j.Target, []byte("/robots.txt")) && robotsTxt().Match(j.Target)
	switch {
	case j.Verdict == report.Violation && j.IsOf(&l.config.Only):
		l.accused[operator] = l.accused[operator] || len(l.accused) < maxAccused
		if !j.Cut {
			rows = appendLine(rows, anyOperator, of, string(j.Line), string(j.Address))
		}
	case j.Name == "" || j.Identity == report.SpoofedIdentity || j.Ambiguous ||
		j.Crawler != nil && j.Crawler.Exempt != "":
		operator = anyOperator
	case (isFetch || j.Verdict == report.RobotsFetch) && !j.Cut:
		rows = appendLine(rows, operator, of, string(j.Line), string(j.Address))
	}
	if !isFetch || !j.HasTime { // an answer without a time proves nothing
		return rows
	}
	size, columns := strconv.FormatInt(j.Size, 10)+" ", "$body_bytes_sent "
	switch j.Size {
	case format.NoSizes:
		size, columns = "", ""
	case -1:
		size = "- "
	}
	of = evidence.Lines{File: "answers", Origins: l.origins(j.Site),
		Format: `[$time_iso8601] "$request" $status ` + columns + `"$http_user_agent"`}
	return appendLine(rows, operator, of, fmt.Sprintf(`[%s] "GET /robots.txt HTTP/1.1" %03d %s"-"`,
		time.Unix(0, j.Time).UTC().Format(time.RFC3339), j.Status, size), "")
}

// robotsTxt is the target of a request for /robots.txt as nearly all clients write it.
var robotsTxt = lazy.Regexp(`^([^/]*://[^/]*)?/robots\.txt$`)

// appendLine appends a line for a file; File is the beginning of the file's name. The operator decides
// whether it is shown: lines are if it is accused, answers if it is not.
func appendLine(rows []byte, operator string, of evidence.Lines, line, address string) []byte {
	file, _ := json.Marshal(report.Texts(of, report.ToUTF8)) // which has no errors
	return appendKeys(rows, operator, string(file), line, address)
}

func appendKeys(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = appendKey(b, text)
	}
	return b
}

// origins returns the origins of a site as texts.
func (l *evidenceLines) origins(at policy.Site) []string {
	list := []string{}
	for _, o := range l.config.Policy.Origins()[at.First:][:at.N] {
		list = append(list, o.String())
	}
	return list
}

// addColumns lists where the columns change in a chunk of a log; before is the number of lines before it.
func (l *evidenceLines) addColumns(worker, input int, lines int64, chunk []byte) {
	if l == nil {
		return
	}
	f := l.logs.list[input].format
	add := func(number int64, names []byte) { // write returns its errors
		_ = l.writers[worker+1].add(input, number, appendKeys(nil, columnNames, "", string(names), ""))
	}
	if lines == 0 {
		add(0, f.Header())
	}
	for n, names := range f.HeaderLines(chunk) {
		add(lines+1+n, names)
	}
}

// linesWriter writes rows of evidenceLines, which come whole and in order, to the files of a folder.
type linesWriter struct {
	folder  *disk.Folder
	accused map[string]bool
	known   *crawler.HostNames
	names   map[string]bool       // rows of the file of host names
	files   map[string]*linesFile // by their descriptions
	taken   map[string]bool       // their names
	columns string                // of the lines still to come
	held    int                   // bytes of their texts
}

// linesFile is a file of lines that are still to be written. columns are those of its last line.
type linesFile struct {
	evidence.Lines
	columns string
	text    []byte
}

// maxHeld is how many bytes of files are held in memory. There may be more files than can be open.
const maxHeld = 4 << 20

func (w *linesWriter) Write(rows []byte) (int, error) {
	n, f := len(rows), [4]string{}
	for len(rows) > 0 {
		for i := range f {
			f[i], rows = cutKey(rows)
		}
		if f[0] == columnNames {
			w.columns = f[2]
			continue
		}
		if isLine := strings.HasPrefix(f[1], `{"file":"lines-`); f[0] != anyOperator && w.accused[f[0]] != isLine {
			continue
		} else if err := w.add(f[1], f[2], isLine); err != nil {
			return 0, err
		}
		addr, list := w.known.Of(f[3])
		for _, name := range list {
			w.names[fmt.Sprintf("%s\t%s\ttrue\n", addr, name)] = true
		}
	}
	return n, nil
}

// add adds a line to a file. Files of answers have their own columns.
func (w *linesWriter) add(description, line string, hasColumns bool) error {
	f := w.files[description]
	if f == nil {
		f = &linesFile{}
		if err := json.Unmarshal([]byte(description), &f.Lines); err != nil {
			return err
		}
		f.Lines = report.Texts(f.Lines, report.FromUTF8)
		f.File = evidence.Name(f.File, ".log", w.taken)
		w.files[description] = f
	}
	before := len(f.text)
	if hasColumns && w.columns != f.columns {
		f.columns, f.text = w.columns, append(append(f.text, w.columns...), '\n')
	}
	f.text = append(append(f.text, line...), '\n')
	if w.held += len(f.text) - before; w.held < maxHeld {
		return nil
	}
	return w.flush(false)
}

// flush writes the held lines; with last set, to the disk for all files.
func (w *linesWriter) flush(last bool) (err error) {
	for _, f := range w.files {
		if last || len(f.text) > 0 {
			err = cmp.Or(err, w.folder.Append(f.File, f.text, 0o600, last))
			f.text = f.text[:0]
		}
	}
	w.held = 0
	return err
}

// folderAudit audits the lines of an evidence folder, both when it is made and when it is verified.
type folderAudit struct {
	side    *loadedBasis
	details evidence.Details
	names   []byte // the file of host names
	budget  *budget
	workers int
	word    func(string) string // as in Messages
	report  *report.Report      // of the lines
	letters int64
}

// files audits the lines of a folder, and returns all of its other files but the manifest: what the lines
// are judged by, and the results.
func (c *folderAudit) files(ctx context.Context, dir string) (map[string][]byte, error) {
	if err := c.audit(ctx, dir); err != nil {
		return nil, err
	}
	b := c.side.basis
	p, err := b.Packed()
	if err = cmp.Or(err, p.Add(b, c.side.list, c.names)); err != nil {
		return nil, err
	}
	letters, robots := map[string]bool{}, b.FilesOf()
	for i := range c.report.Crawlers {
		info := &c.report.Crawlers[i]
		if info.Verdicts[report.Violation] == 0 {
			continue
		}
		known := c.side.config.Crawlers.ByName(info.Crawler)
		isKnown := known != nil && known.Operator == info.Operator
		l := evidence.Letter{Report: c.report, Crawler: info, MadeBy: c.details.MadeBy, Robots: robots}
		for _, x := range c.details.Lines {
			if strings.HasPrefix(x.File, "lines-") && (x.Crawler == "" && !isKnown || isKnown && x.Crawler == known.Name) {
				l.Lines = append(l.Lines, x.File)
			}
		}
		if p.Files[evidence.Name("letter-"+info.Crawler, ".txt", letters)], err = l.Text(); err != nil {
			return nil, err
		}
	}
	c.letters = int64(len(letters))
	for name, v := range map[string]any{evidence.Basis: p.Basis,
		evidence.DetailsFile: report.Texts(c.details, report.ToUTF8),
		evidence.ReportFile:  c.report.Rewrite(report.ToUTF8)} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = cmp.Or(err, e.Encode(v))
		p.Files[name] = text.Bytes()
	}
	return p.Files, err
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
	p := &auditPlan{Results: Results{Program: d.Program, Command: d.Command, By: "day", Messages: Messages{Word: c.word}},
		budget: c.budget, workers: c.workers, loaded: &side, logs: logs, timeZone: d.TimeZone}
	a, err := p.read(ctx)
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
	f, err := formatOfText(x.Format)
	if err == nil && f == nil {
		err = fmt.Errorf("the format %q is none", x.Format)
	}
	if err != nil {
		return nil, err
	}
	log := &auditLog{}
	if log.Input, err = source.NewFile(path); err != nil {
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

// write makes the folder, and returns the SHA-256 of its manifest.
func (c *folderAudit) write(ctx context.Context, dir string, lines *evidenceLines) (sum string, err error) {
	folder, err := disk.NewFolder(dir, 0o700)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.Discard())
		}
	}()
	w := &linesWriter{folder: folder, accused: lines.accused, known: c.side.identity.Names, names: map[string]bool{},
		files: map[string]*linesFile{}, taken: map[string]bool{}}
	lines.rows.To = w
	if err := cmp.Or(lines.listing.write(ctx), w.flush(true), lines.Close()); err != nil { // its memory goes to the audit
		return "", err
	}
	for _, f := range slices.SortedFunc(maps.Values(w.files), func(x, y *linesFile) int {
		return cmp.Compare(x.File, y.File)
	}) {
		c.details.Lines = append(c.details.Lines, f.Lines)
	}
	if w.known != nil {
		c.names = []byte("# address, name, confirmed\n" + strings.Join(slices.Sorted(maps.Keys(w.names)), ""))
	}
	files, err := c.files(ctx, folder.Path(""))
	for name, text := range files {
		err = cmp.Or(err, folder.Append(name, text, 0o600, true))
	}
	if err != nil {
		return "", err
	}
	sums, _, err := evidence.SumsOf(ctx, folder.Path(""))
	if err = cmp.Or(err, folder.Append(evidence.SumsFile, sums.Manifest(), 0o600, true)); err != nil {
		return "", err
	}
	return evidence.SumOf(sums.Manifest()), folder.Commit()
}

// errNoEvidence is the error of an audit that was interrupted before it had a folder.
var errNoEvidence = errors.New("interrupted: there is no folder of evidence")

// writeEvidence makes the folder of an audit with a report. err is the audit's own error. An interrupted
// audit has no evidence: the lines that it has not read could refute what it has found.
func (p *auditPlan) writeEvidence(ctx context.Context, a *auditRun, r *report.Report, err error) error {
	if failed, ok := errors.AsType[*Error](err); ok && failed.Kind == Interrupted {
		p.Messages.warn("%v", errNoEvidence)
		return err
	}
	c := &folderAudit{side: p.loaded, budget: p.budget, workers: p.workers, word: p.Messages.Word,
		details: evidence.Details{Schema: evidence.Schema, Program: p.Program, Command: p.Command, MadeBy: p.madeBy,
			Partial: r.Partial, Proxied: r.Proxied, AddressesCut: r.IPv4Cut, Violations: r.Totals.Verdicts[report.Violation],
			TimeZone: p.timeZone, Lines: []evidence.Lines{}, LookedUp: []evidence.Client{}, Logs: r.Inputs}}
	for _, pair := range a.verified {
		c.details.LookedUp = append(c.details.LookedUp,
			evidence.Client{Crawler: pair.Profile.Name, Address: pair.Addr})
	}
	sum, unwritten := "", errors.Join(a.run.Close(), a.rows.Close()) // their memory goes to the lines of the folder
	if unwritten == nil {
		sum, unwritten = c.write(ctx, p.folder, a.evidence)
	}
	switch {
	case unwritten != nil && ctx.Err() != nil:
		return &Error{Interrupted, errNoEvidence}
	case unwritten != nil:
		return inputError(errors.Join(err, disk.Writing(p.folder, unwritten)))
	}
	if n := c.details.Violations - c.report.Totals.Verdicts[report.Violation]; n > 0 {
		p.Messages.warn("%s has not the evidence of %s more: their lines cannot be judged without the rest of the logs",
			p.folder, english.Plural(n, "violation"))
	}
	p.Messages.warn("%s has the evidence of the violations by %s; the SHA-256 of its manifest is %s", p.folder,
		english.Plural(c.letters, "crawler"), sum)
	return err
}

// checkEvidence refuses an evidence folder that cannot be made, or that contains an input or output of
// the job.
func (o *planner) checkEvidence(inputs disk.Inputs) error {
	if o.Evidence == "" {
		return nil
	}
	err := disk.CheckFolder(o.Evidence, "evidence", o.Force, func(entries []fs.DirEntry) bool {
		has := map[string]bool{}
		for _, e := range entries {
			has[e.Name()] = true
		}
		return has[evidence.SumsFile] && has[evidence.DetailsFile]
	})
	names := inputs.Names
	for _, out := range o.outputs() {
		names = append(slices.Clip(names), out.Name)
	}
	if err = checkFolder("option Evidence", o.Evidence, names, err); err != nil {
		return err
	}
	if err = disk.Writing(o.Evidence, disk.CheckWritable(filepath.Dir(filepath.Clean(o.Evidence)))); err != nil {
		return inputError(err)
	}
	return nil
}

// VerifyOptions name the evidence folder that Verify checks. Memory, Workers and Messages are as in
// AuditOptions.
type VerifyOptions struct {
	Dir      string
	Memory   int64
	Workers  int
	Messages Messages
}

// Verified is the result of Verify, in sentences: what was checked and holds, with its limits, or
// what does not hold. The texts contain raw bytes of the folder: see report.Printable.
type Verified struct{ Checked, Failed []string }

// Verify checks an evidence folder: its files have the hashes of its manifest, and an audit of its
// lines by its own policy gives its report and letters. An error, of type *Error, says why it could
// not be checked.
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

// again audits the lines of a folder with these files, which are trusted no more than the files and
// options of an audit. It returns the expected sums of its files.
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
	if text, err = open.Read(evidence.Basis); err != nil {
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
