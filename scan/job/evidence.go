package job

import (
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

// An evidence row has the operator whose violations make the folder show the line, the description of its file,
// the line, and the address. These replace an operator: of what is always shown, and of lines that name columns.
const anyOperator, columnNames = "", "#"

// addEvidenceTo makes an audit of logs list the lines that an evidence folder may show, if one is wanted.
func (p *auditPlan) addEvidenceTo(c *audit.Config) *listing {
	if p.folder == "" {
		return nil
	}
	l := newListing(&Rows{Appender: func() func([]byte, *audit.Event, string) []byte {
		return func(rows []byte, e *audit.Event, _ string) []byte { return p.appendEvidence(rows, e, &c.Only) }
	}}, c, p.logs)
	c.OnlyViolations, c.Judged, c.Answered = false, both(l, c.Judged), l
	return l
}

// operatorOf returns the operator of a crawler, in a row. Unknown crawlers are their own.
func operatorOf(crawler, operator string, isKnown bool) string {
	if isKnown {
		return "=" + operator
	}
	return "?" + strings.ToLower(crawler)
}

// appendEvidence appends the part of a request that a folder may show: a violation, a fetch of robots.txt by a crawler,
// or the answer to a fetch by anybody else: also by impostors, with a header that names crawlers of several operators,
// or by agents that robots.txt does not bind. A truncated line cannot be judged again.
func (p *auditPlan) appendEvidence(rows []byte, e *audit.Event, only *report.Choice) []byte {
	crawler, operator, _ := e.Named()
	operator, log := operatorOf(crawler, operator, e.Crawler != nil), p.logs.list[e.Input]
	of := evidence.Lines{File: "lines-unknown", Format: cmp.Or(p.format, log.format.Name()),
		Origins: originTexts(p.loaded.config.Policy, log.site), Only: log.host != ""}
	if e.Crawler != nil {
		of.File, of.Crawler = "lines-"+crawler, crawler
	}
	isFetch := string(e.Method) == "GET" && e.Verdict != report.Violation && robotsTxt().Match(e.Target)
	switch {
	case e.Verdict == report.Violation && e.IsOf(only) && !e.Cut:
		return appendRow(rows, anyOperator, of, e.Line, e.Address)
	case e.Name == "" || e.Identity == report.SpoofedIdentity || e.Ambiguous || e.Crawler != nil && e.Crawler.Exempt != "":
		operator = anyOperator
	case (isFetch || e.Verdict == report.RobotsFetch) && !e.Cut:
		rows = appendRow(rows, operator, of, e.Line, e.Address)
	}
	if !isFetch || !e.HasTime { // an answer without a time proves nothing
		return rows
	}
	size, columns := strconv.FormatInt(e.Size, 10)+" ", "$body_bytes_sent "
	switch e.Size {
	case format.NoSizes:
		size, columns = "", ""
	case -1:
		size = "- "
	}
	of = evidence.Lines{File: answers, Origins: originTexts(p.loaded.config.Policy, e.Site),
		Format: `[$time_iso8601] "$request" $status ` + columns + `"$http_user_agent"`}
	return appendRow(rows, operator, of, fmt.Appendf(nil, `[%s] "GET /robots.txt HTTP/1.1" %03d %s"-"`,
		time.Unix(0, e.Time).UTC().Format(time.RFC3339), e.Status, size), nil)
}

// robotsTxt is the target of a request for /robots.txt as nearly all clients write it.
var robotsTxt = lazy.Regexp(`^([^/]*://[^/]*)?/robots\.txt$`)

// answers begins the names of files of answers: the rows of operators without violations.
const answers = "answers"

func appendRow(rows []byte, operator string, of evidence.Lines, line, address []byte) []byte {
	file, _ := json.Marshal(of.Rewrite(report.ToUTF8)) // which has no errors
	for _, text := range []string{operator, string(file), string(line), string(address)} {
		rows = appendKey(rows, text)
	}
	return rows
}

// originTexts returns the origins of a site.
func originTexts(p *policy.Policy, at policy.Site) []string {
	list := []string{}
	for _, o := range p.Origins()[at.First:][:at.N] {
		list = append(list, o.String())
	}
	return list
}

// addColumns lists where the columns change in a chunk of a log; lines is the number of lines before it.
func (l *auditLogs) addColumns(worker, input int, lines int64, chunk []byte) {
	if l.evidence == nil {
		return
	}
	add := func(number int64, names []byte) { // listing.write returns its errors
		row := appendRow(nil, columnNames, evidence.Lines{}, names, nil)
		_ = l.evidence.writers[worker+1].add(input, number, row)
	}
	if lines == 0 {
		add(0, l.list[input].format.Header())
	}
	for n, names := range l.list[input].format.HeaderLines(chunk) {
		add(lines+1+n, names)
	}
}

// linesWriter writes evidence rows, which come whole and in order, to the files of a folder.
type linesWriter struct {
	to       *disk.Folder
	accused  map[string]bool // operators with violations
	known    *crawler.HostNames
	resolved map[string]string     // the names of addresses that were looked up
	names    map[string]bool       // rows of the file of host names
	files    map[string]*linesFile // by their descriptions
	taken    map[string]*linesFile // the same by their names
	columns  string                // of the lines still to come
}

// linesFile is a file of lines. columns are the columns of its last line, and text is still to be written.
type linesFile struct {
	evidence.Lines
	columns string
	text    []byte
}

// Write implements io.Writer.
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
		isLine := !strings.HasPrefix(f[1], `{"file":"`+answers)
		if f[0] != anyOperator && w.accused[f[0]] != isLine {
			continue
		}
		file, err := w.file(f[1])
		if err != nil {
			return 0, err
		}
		if isLine && w.columns != file.columns {
			file.columns, file.text = w.columns, append(append(file.text, w.columns...), '\n')
		}
		file.text = append(append(file.text, f[2]...), '\n')
		_, names := w.known.Of(f[3])
		for _, name := range append(slices.Clip(names), w.resolved[f[3]]) {
			if name != "" {
				w.names[fmt.Sprintf("%s\t%s\ttrue\n", f[3], name)] = true
			}
		}
	}
	return n, w.flush(false)
}

// file returns the file of a description.
func (w *linesWriter) file(description string) (*linesFile, error) {
	f := w.files[description]
	if f == nil {
		f = &linesFile{}
		if err := json.Unmarshal([]byte(description), &f.Lines); err != nil {
			return nil, err
		}
		f.Lines = f.Lines.Rewrite(report.FromUTF8)
		f.File = evidence.Name(f.File, ".log", w.taken)
		w.files[description], w.taken[f.File] = f, f
	}
	return f, nil
}

// flush writes the texts of all files, which may be too many to keep open. With last set they go to the disk.
func (w *linesWriter) flush(last bool) (err error) {
	for _, f := range w.files {
		if last || len(f.text) > 0 {
			err = cmp.Or(err, w.to.Append(f.File, f.text, 0o600, last))
			f.text = f.text[:0]
		}
	}
	return err
}

// folderAudit audits the lines of an evidence folder by its own files, both when it is made and when it is verified.
type folderAudit struct {
	auditPlan // with the budget, the workers and the words of messages
	evidence.Details
	dir                 string
	sums                evidence.Sums // of the files in it
	used                evidence.Sums // of those that were used
	violations, letters int64         // found
}

// results audits the lines of the folder, which is trusted no more than the files and options of an audit. It returns
// the files that this gives: the report and the letters.
func (c *folderAudit) results(ctx context.Context) (map[string][]byte, error) {
	err := c.load()
	if err != nil {
		return nil, err
	}
	r, err := c.audit(ctx)
	if err != nil {
		return nil, err
	}
	files, robots := map[string][]byte{}, c.loaded.basis.FilesOf()
	for i, info := range r.Crawlers {
		if info.Verdicts[report.Violation] == 0 {
			continue
		}
		l := evidence.Letter{Report: r, Crawler: &r.Crawlers[i], MadeBy: c.MadeBy, Robots: robots}
		for _, x := range c.Lines {
			if strings.HasPrefix(x.File, "lines-") &&
				(x.Crawler == info.Crawler || x.Crawler == "" && info.Category == report.Unknown) {
				l.Lines = append(l.Lines, x.File)
			}
		}
		if err = l.AddTo(files); err != nil {
			return nil, err
		}
	}
	c.violations, c.letters = r.Totals.Verdicts[report.Violation], int64(len(files))
	files[evidence.ReportFile], err = evidence.JSON(r.Rewrite(report.ToUTF8))
	return files, err
}

// load reads what the lines are judged by.
func (c *folderAudit) load() error {
	open := basis.Open(func(name string) (io.ReadCloser, error) {
		if c.used[name] = c.sums[name]; !c.sums.Has(name) {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return disk.OpenRegular(filepath.Join(c.dir, filepath.FromSlash(name)))
	})
	text, err := open.Read(evidence.DetailsFile)
	if err = cmp.Or(err, json.Unmarshal(text, &c.Details)); err != nil {
		return err
	}
	c.Details = c.Details.Rewrite(report.FromUTF8)
	if c.Schema != evidence.Schema {
		return inputError(fmt.Errorf("%s: the folder was made by another version of this program: its form is %q, and "+
			"this program reads %s only", c.dir, c.Schema, evidence.Schema))
	}
	for _, x := range c.Lines {
		if c.used[x.File] != "" || !c.sums.Has(x.File) {
			return fmt.Errorf("%s is not there, or counted twice", x.File)
		}
		c.used[x.File] = c.sums[x.File]
	}
	if text, err = open.Read(evidence.Basis); err != nil {
		return err
	}
	b, err := basis.Unpack(text, open)
	if err == nil {
		c.loaded, err = restored(b, open, c.Details.TimeZone, c.budget)
	}
	return err
}

// audit audits the lines.
func (c *folderAudit) audit(ctx context.Context) (*report.Report, error) {
	c.loaded.config.Proxied, c.loaded.config.Cut = &c.Proxied, &c.AddressesCut
	p := auditPlan{budget: c.budget, workers: c.workers, loaded: c.loaded, logs: &auditLogs{partial: c.Partial},
		timeZone: c.Details.TimeZone, Results: Results{Program: c.Details.Program, Command: c.Details.Command, By: "day",
			Messages: Messages{Word: c.Messages.Word}}}
	for _, x := range c.Lines {
		log, err := c.open(ctx, x)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.File, err)
		}
		p.logs.list = append(p.logs.list, log)
	}
	a, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	defer a.run.Close()
	result, err := a.finish(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, in := range result.Inputs {
		if in.Error != "" {
			return nil, errors.New(in.Error)
		}
	}
	return result.Report, nil
}

// open opens a file of lines.
func (c *folderAudit) open(ctx context.Context, x evidence.Lines) (log *auditLog, err error) {
	f, err := formatOfText(cmp.Or(x.Format, "none")) // which is refused
	if err != nil {
		return nil, err
	}
	log = &auditLog{}
	if log.Input, err = source.NewFile(filepath.Join(c.dir, x.File)); err != nil {
		return nil, err
	}
	if log.Name, log.Hash = x.File, true; x.Only {
		log.host = x.File
	}
	if _, err = log.open(ctx, f, c.loaded.zone); err == nil {
		log.site, err = siteOfOrigins(x.Origins, c.loaded.config.Policy)
	}
	log.skewed = log.zoneless && c.Details.TimeZone == ""
	return log, err
}

// write makes the folder with the lines of an audit, and returns the SHA-256 of its manifest.
func (c *folderAudit) write(ctx context.Context, a *auditRun, r *report.Report) (sum string, err error) {
	folder, err := disk.NewFolder(c.folder, 0o700)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.Discard())
		}
	}()
	w := &linesWriter{to: folder, accused: map[string]bool{}, known: c.loaded.identity.Names, resolved: a.resolved,
		names: map[string]bool{}, files: map[string]*linesFile{}, taken: map[string]*linesFile{}}
	for _, x := range r.Crawlers {
		if x.Verdicts[report.Violation] > 0 {
			w.accused[operatorOf(x.Crawler, x.Operator, x.Category != report.Unknown)] = true
		}
	}
	a.evidence.rows.To = w
	err = cmp.Or(a.evidence.write(ctx), w.flush(true), a.evidence.Close()) // its memory goes to the audit of the lines
	for _, name := range slices.Sorted(maps.Keys(w.taken)) {
		c.Lines = append(c.Lines, w.taken[name].Lines)
	}
	put := func(files map[string][]byte, failed error) {
		for name, text := range files {
			failed = cmp.Or(err, failed, folder.Append(name, text, 0o600, true))
		}
		if err = cmp.Or(err, failed); err == nil {
			c.sums, err = evidence.SumsOf(ctx, folder.Path(""))
		}
	}
	put(c.judgedBy(w.names))
	if c.dir, c.budget = folder.Path(""), newBudget(c.budget.memory); err == nil {
		put(c.results(ctx))
	}
	manifest := c.sums.Manifest()
	put(map[string][]byte{evidence.SumsFile: manifest}, nil)
	if err != nil {
		return "", err
	}
	return evidence.SumOf(manifest), folder.Commit()
}

// judgedBy returns the files that results reads, but the lines.
func (c *folderAudit) judgedBy(names map[string]bool) (map[string][]byte, error) {
	b, list := *c.loaded.basis, []byte(nil)
	if b.Names != "" || len(names) > 0 {
		b.Names = cmp.Or(b.Names, basis.NamesFile)
		list = []byte("# address, name, confirmed\n" + strings.Join(slices.Sorted(maps.Keys(names)), ""))
	}
	p, err := b.Packed()
	if err = cmp.Or(err, p.Add(&b, c.loaded.list, list)); err != nil {
		return nil, err
	}
	if p.Files[evidence.Basis], err = evidence.JSON(p.Basis); err != nil {
		return nil, err
	}
	p.Files[evidence.DetailsFile], err = evidence.JSON(c.Details.Rewrite(report.ToUTF8))
	return p.Files, err
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
	c := &folderAudit{auditPlan: *p, used: evidence.Sums{}, Details: evidence.Details{Schema: evidence.Schema,
		Program: p.Program, Command: p.Command, MadeBy: p.madeBy, Partial: r.Partial,
		Proxied: r.Proxied, AddressesCut: r.IPv4Cut, Violations: r.Totals.Verdicts[report.Violation], TimeZone: p.timeZone,
		Lines: []evidence.Lines{}, Logs: r.Inputs}}
	sum, unwritten := "", errors.Join(a.run.Close(), a.rows.Close()) // their memory goes to the lines of the folder
	if unwritten == nil {
		sum, unwritten = c.write(ctx, a, r)
	}
	switch {
	case unwritten != nil && ctx.Err() != nil:
		return &Error{Interrupted, errNoEvidence}
	case unwritten != nil:
		return inputError(errors.Join(err, disk.Writing(p.folder, unwritten)))
	case c.Violations > c.violations:
		p.Messages.warn("%s has not the evidence of %s more: their lines cannot be judged without the rest of the logs",
			p.folder, english.Plural(c.Violations-c.violations, "violation"))
	}
	p.Messages.warn("%s has the evidence of the violations by %s; the SHA-256 of its manifest is %s", p.folder,
		english.Plural(c.letters, "crawler"), sum)
	return err
}

// checkEvidence refuses an evidence folder that cannot be made, or that contains an input or output of
// the job.
func (o *AuditOptions) checkEvidence(inputs disk.Inputs) error {
	if o.Evidence == "" {
		return nil
	}
	err := disk.CheckFolder(o.Evidence, "evidence", o.Force, func(entries []fs.DirEntry) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == evidence.DetailsFile })
	})
	names := slices.Clip(inputs.Names)
	for _, out := range o.outputs() {
		names = append(names, out.Name)
	}
	if err = checkFolder("option Evidence", o.Evidence, names, err); err != nil {
		return err
	}
	if err = disk.CheckWritable(filepath.Dir(filepath.Clean(o.Evidence))); err != nil {
		return inputError(disk.Writing(o.Evidence, err))
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
	_, isOurs := errors.AsType[*Error](err)
	switch {
	case ctx.Err() != nil:
		return nil, &Error{Interrupted, errors.New("interrupted: not all was checked")}
	case err != nil && !isOurs:
		return nil, inputError(err)
	}
	return v, err
}

func (v *Verified) check(ctx context.Context, o VerifyOptions) error {
	sums, err := evidence.SumsOf(ctx, o.Dir)
	if err == nil && !(sums.Has(evidence.SumsFile) && sums.Has(evidence.DetailsFile)) {
		v.Failed = []string{fmt.Sprintf("%s has no %s and %s: it is no folder of evidence", o.Dir, evidence.SumsFile,
			evidence.DetailsFile)}
		return nil
	}
	manifest, failed := disk.ReadLimited(filepath.Join(o.Dir, evidence.SumsFile), maxListFile)
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	delete(sums, evidence.SumsFile)
	if v.Failed = sums.Differ(evidence.Stated(manifest), " does not have the SHA-256 that "+evidence.SumsFile+" states",
		" is not in "+evidence.SumsFile); len(v.Failed) > 0 {
		return nil
	}
	c := &folderAudit{auditPlan: auditPlan{budget: newBudget(o.Memory), Results: Results{Messages: o.Messages}},
		dir: o.Dir, sums: sums, used: evidence.Sums{}}
	c.workers = c.budget.workers(o.Workers)
	files, err := c.results(ctx)
	_, isOurs := errors.AsType[*Error](err)
	_, isLimit := errors.AsType[disk.LimitError](err)
	switch {
	case isOurs || isLimit || ctx.Err() != nil:
		return err
	case err != nil:
		v.Failed = []string{fmt.Sprintf("the folder does not say how its lines were judged: %v", err)}
		return nil
	}
	for name, text := range files {
		c.used[name] = evidence.SumOf(text)
	}
	if v.Failed = sums.Differ(c.used, " is not what an audit of the folder's lines gives",
		" is one file more than evidence has"); len(v.Failed) > 0 {
		return nil
	}
	v.Checked = []string{
		fmt.Sprintf("All %s have the SHA-256 that %s states. Its own SHA-256 is %s.",
			english.Plural(int64(len(sums)), "file"), evidence.SumsFile, evidence.SumOf(manifest)),
		fmt.Sprintf("An audit of the folder's lines finds %s by %s, and gives the same report and letters.",
			english.Plural(c.violations, "violation"), english.Plural(c.letters, "crawler")),
		"Not checked, since no folder shows it: that the lines are from the logs, that no other line clears the " +
			"requests, and what " + evidence.DetailsFile + " states about the audit and the logs.",
	}
	return nil
}
