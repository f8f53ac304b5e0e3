package job

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // for the text of letters
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// The files of an evidence folder (docs/howto/evidence.md), besides the lines, the letters, and those of package basis,
// and the version of its layout.
const (
	sumsFile    = "SHA256SUMS" // the manifest, in the format of sha256sum
	detailsFile = "evidence.json"
	layout      = "robotsieve.evidence/6"
)

// details has what is needed to audit the lines of a folder again. It also has facts that the folder can't prove, from
// the audit of the logs: Violations, of which the folder may not have all lines, Partial, Proxied and AddressesCut as
// in report.Report, and the SHA-256 of the logs. Its texts are as report.ToUTF8 writes them.
type details struct {
	Schema       string             `json:"schema"`
	Program      string             `json:"program"`
	Command      string             `json:"command"`
	MadeBy       string             `json:"made_by"`
	Partial      bool               `json:"partial"`
	Proxied      bool               `json:"proxied"`
	AddressesCut bool               `json:"addresses_cut"`
	Violations   int64              `json:"violations"`
	TimeZone     string             `json:"time_zone"`
	Lines        []linesFile        `json:"lines"`
	Logs         []report.InputInfo `json:"logs"`
}

// linesFile is a file of log lines from one crawler or, if that is "", from unknown crawlers or of answers. Origins
// apply if the lines name no hosts. Only means that lines naming other hosts aren't judged. While the file is written,
// text is still to come, and columns are the columns of its last line.
type linesFile struct {
	File    string   `json:"file"`
	Crawler string   `json:"crawler"`
	Format  string   `json:"format"`
	Origins []string `json:"origins"`
	Only    bool     `json:"only"`
	columns string
	text    []byte
}

// An evidence row has the operator whose violations make the folder show the line, the description of its file,
// the line, and the address. These replace an operator: of what is always shown, and of lines that name columns.
const anyOperator, columnNames = "", "#"

// addEvidenceTo makes an audit of logs list the lines that an evidence folder may show, if one is wanted.
func (p *auditPlan) addEvidenceTo(c *audit.Config) *listing {
	if p.folder == "" {
		return nil
	}
	appender := func() func([]byte, *audit.Event, string) []byte { return p.appendEvidence }
	l := newListing(&Rows{Appender: appender}, c, p.logs)
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
func (p *auditPlan) appendEvidence(rows []byte, e *audit.Event, _ string) []byte {
	crawler, operator, _ := e.Named()
	operator, log := operatorOf(crawler, operator, e.Crawler != nil), p.logs.list[e.Input]
	of := linesFile{File: "lines-unknown", Format: report.ToUTF8(cmp.Or(p.format, log.format.Name())),
		Origins: p.originTexts(log.site), Only: log.host != ""}
	if e.Crawler != nil {
		of.File, of.Crawler = "lines-"+crawler, crawler
	}
	isFetch := string(e.Method) == "GET" && e.Verdict != report.Violation && robotsTxt().Match(e.Target)
	switch {
	case e.Verdict == report.Violation && e.IsOf(&p.loaded.config.Only) && !e.Cut:
		return appendRow(rows, anyOperator, of, e.Line, e.Address)
	case e.Name == "" || e.Identity == report.SpoofedIdentity || e.Ambiguous || e.Crawler != nil && e.Crawler.Exempt != "":
		operator = anyOperator
	case (isFetch || e.Verdict == report.RobotsFetch) && !e.Cut:
		rows = appendRow(rows, operator, of, e.Line, e.Address)
	}
	if !isFetch || !e.HasTime { // an answer without a time proves nothing
		return rows
	}
	size, columns := fmt.Sprintf("%d ", e.Size), "$body_bytes_sent "
	if e.Size == format.NoSizes {
		size, columns = "", ""
	} else if e.Size < 0 {
		size = "- "
	}
	of = linesFile{File: "answers", Origins: p.originTexts(e.Site),
		Format: `[$time_iso8601] "$request" $status ` + columns + `"$http_user_agent"`}
	return appendRow(rows, operator, of, fmt.Appendf(nil, `[%s] "GET /robots.txt HTTP/1.1" %03d %s"-"`,
		time.Unix(0, e.Time).UTC().Format(time.RFC3339), e.Status, size), nil)
}

func appendRow(rows []byte, operator string, of linesFile, line, address []byte) []byte {
	file, _ := json.Marshal(of) // which has no errors
	for _, text := range []string{operator, string(file), string(line), string(address)} {
		rows = spill.AppendKey(rows, text)
	}
	return rows
}

func (p *auditPlan) originTexts(at policy.Site) []string {
	list := []string{}
	for _, o := range p.loaded.config.Policy.Origins()[at.First:][:at.N] {
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
		_ = l.evidence.writers[worker+1].add(input, number, appendRow(nil, columnNames, linesFile{}, names, nil))
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
	*disk.Folder
	accused      map[string]bool // operators with violations
	known        *crawler.HostNames
	resolved     map[string]string     // the names of addresses that were looked up
	names        map[string]bool       // rows of the file of host names
	files, taken map[string]*linesFile // by their descriptions, and by their names
	columns      string                // of the lines still to come
}

// Write implements io.Writer.
func (w *linesWriter) Write(rows []byte) (n int, err error) {
	n, f := len(rows), [4]string{}
	for len(rows) > 0 {
		for i := range f {
			f[i], rows = spill.CutKey(rows)
		}
		isLine := !strings.HasPrefix(f[1], `{"file":"answers"`)
		switch {
		case f[0] == columnNames:
			w.columns = f[2]
			continue
		case f[0] != anyOperator && w.accused[f[0]] != isLine:
			continue
		}
		file := w.files[f[1]]
		if file == nil {
			file = &linesFile{}
			_ = json.Unmarshal([]byte(f[1]), file) // which appendRow has made
			file.File = fileName(file.File, ".log", w.taken)
			w.files[f[1]], w.taken[file.File] = file, file
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
	for _, f := range w.files { // which may be too many to keep open
		if len(f.text) > 0 {
			err = cmp.Or(err, w.Append(f.File, f.text, 0o600, false))
			f.text = f.text[:0]
		}
	}
	return n, err
}

// folderAudit audits the lines of a folder by its own files, both when it is made and when it is verified.
type folderAudit struct {
	auditPlan // with the budget, the workers and the words of messages
	details
	dir                 string
	sums, used          sums  // of the files in it, and of those that were used
	violations, letters int64 // found, and about them
}

// results audits the lines of the folder, which is trusted no more than the files and options of an audit. It returns
// the files that this gives: the report and the letters.
func (c *folderAudit) results(ctx context.Context) (map[string][]byte, error) {
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	result, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	r, files := result.Report, map[string][]byte{}
	if i := slices.IndexFunc(r.Inputs, func(in report.InputInfo) bool { return in.Error != "" }); i >= 0 {
		return nil, errors.New(r.Inputs[i].Error)
	}
	for i, info := range r.Crawlers {
		if info.Verdicts[report.Violation] > 0 {
			err = cmp.Or(err, c.addLetter(files, r, &r.Crawlers[i]))
		}
	}
	c.violations, c.letters = r.Totals.Verdicts[report.Violation], int64(len(files))
	text, failed := report.JSON(r.Rewrite(report.ToUTF8), "  ")
	files["report.json"] = text
	for name, text := range files {
		c.used[name] = sumOf(text)
	}
	return files, cmp.Or(err, failed)
}

// load reads what the lines are judged by, and opens their files.
func (c *folderAudit) load(ctx context.Context) error {
	open := basis.Open(func(name string) (io.ReadCloser, error) {
		if c.used[name] = c.sums[name]; c.sums[name] == "" {
			return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
		}
		return disk.OpenRegular(filepath.Join(c.dir, filepath.FromSlash(name)))
	})
	text, err := open.Read(detailsFile)
	if err = cmp.Or(err, json.Unmarshal(text, &c.details)); err != nil {
		return err
	}
	if c.Schema != layout {
		return inputError(fmt.Errorf("%s: the folder was made by another version of this program: its form is %q, and "+
			"this program reads %s only", c.dir, c.Schema, layout))
	}
	text, err = open.Read("basis.json")
	if err == nil {
		c.loaded, err = restored(text, open, c.TimeZone, c.budget)
	}
	if err != nil {
		return err
	}
	c.loaded.config.Proxied, c.loaded.config.Cut = &c.Proxied, &c.AddressesCut
	c.auditPlan = auditPlan{budget: c.budget, workers: c.workers, loaded: c.loaded, logs: &auditLogs{partial: c.Partial},
		timeZone: c.TimeZone, Results: Results{Program: c.details.Program, By: "day",
			Command: report.FromUTF8(c.details.Command), Messages: Messages{Word: c.Messages.Word}}}
	for _, x := range c.Lines {
		if err := c.open(ctx, x); err != nil {
			return fmt.Errorf("%s: %w", x.File, err)
		}
	}
	return nil
}

func (c *folderAudit) open(ctx context.Context, x linesFile) error {
	if c.used[x.File] != "" || c.sums[x.File] == "" {
		return errors.New("it is not there, or counted twice")
	}
	c.used[x.File] = c.sums[x.File]
	f, unknown := formatOfText(cmp.Or(report.FromUTF8(x.Format), "none")) // which is refused
	site, invalid := siteOfOrigins(x.Origins, c.loaded.config.Policy)
	in, err := source.NewFile(filepath.Join(c.dir, x.File))
	if err = cmp.Or(unknown, invalid, err); err != nil {
		return err
	}
	in.Name, in.Hash = x.File, true
	log := &auditLog{Input: in, site: site, host: map[bool]string{true: x.File}[x.Only]}
	_, err = log.open(ctx, f, c.loaded.zone)
	log.skewed = log.Zoneless && c.TimeZone == ""
	c.logs.list = append(c.logs.list, log)
	return err
}

// write makes the folder with the lines of an audit. What the audit kept in memory goes to the audit of these lines.
func (c *folderAudit) write(ctx context.Context, a *auditRun, r *report.Report) error {
	folder, err := disk.NewFolder(c.folder, 0o700)
	if err != nil {
		return err
	}
	w := &linesWriter{Folder: folder, accused: map[string]bool{}, known: c.loaded.identity.Names, resolved: a.resolved,
		names: map[string]bool{}, files: map[string]*linesFile{}, taken: map[string]*linesFile{}}
	for _, x := range r.Crawlers {
		if x.Verdicts[report.Violation] > 0 {
			w.accused[operatorOf(x.Crawler, x.Operator, x.Category != report.Unknown)] = true
		}
	}
	a.evidence.rows.To = w
	err = cmp.Or(a.run.Close(), a.rows.Close(), a.evidence.write(ctx), a.evidence.Close())
	b, failed := c.loaded.basis.PackedWith(w.names)
	for _, name := range slices.Sorted(maps.Keys(w.taken)) {
		c.Lines, b.Files[name] = append(c.Lines, *w.taken[name]), nil
	}
	document, invalid := report.JSON(b.Basis, "  ")
	text, unmade := report.JSON(c.details, "  ")
	b.Files["basis.json"], b.Files[detailsFile] = document, text
	put := func(files map[string][]byte, failed error) {
		err = cmp.Or(err, failed)
		for name, text := range files {
			err = cmp.Or(err, folder.Append(name, text, 0o600, true))
		}
	}
	put(b.Files, cmp.Or(failed, invalid, unmade))
	if c.dir, c.budget = folder.Path(""), newBudget(c.budget.memory); err == nil {
		c.sums, err = sumsOf(ctx, c.dir)
		put(c.results(ctx))
		put(map[string][]byte{sumsFile: c.used.manifest()}, nil)
	}
	return folder.Commit(err)
}

// writeEvidence makes the folder of an audit with a report. err is the audit's own error. An interrupted audit has no
// evidence: the lines that it has not read could refute what it has found.
func (p *auditPlan) writeEvidence(ctx context.Context, a *auditRun, r *report.Report, err error) error {
	none := &Error{Interrupted, errors.New("interrupted: there is no folder of evidence")}
	if failed, ok := errors.AsType[*Error](err); ok && failed.Kind == Interrupted {
		p.Messages.warn("%v", none)
		return err
	}
	c := &folderAudit{auditPlan: *p, used: sums{}, details: details{Schema: layout, Program: p.Program,
		Command: report.ToUTF8(p.Command), MadeBy: report.ToUTF8(p.madeBy), Partial: r.Partial, Proxied: r.Proxied,
		AddressesCut: r.IPv4Cut, Violations: r.Totals.Verdicts[report.Violation], TimeZone: p.timeZone,
		Lines: []linesFile{}, Logs: r.Rewrite(report.ToUTF8).Inputs}}
	switch unwritten := c.write(ctx, a, r); {
	case unwritten != nil && ctx.Err() != nil:
		return none
	case unwritten != nil:
		return inputError(errors.Join(err, disk.Writing(p.folder, unwritten)))
	case c.Violations > c.violations:
		p.Messages.warn("%s has not the evidence of %s more: their lines cannot be judged without the rest of the logs",
			p.folder, english.Plural(c.Violations-c.violations, "violation"))
	}
	p.Messages.warn("%s has the evidence of the violations by %s; the SHA-256 of its manifest is %s", p.folder,
		english.Plural(c.letters, "crawler"), sumOf(c.used.manifest()))
	return err
}

// checkEvidence refuses an evidence folder that cannot be made, or that contains an input or output of the job.
func (o *AuditOptions) checkEvidence(inputs disk.Inputs) error {
	if o.Evidence == "" {
		return nil
	}
	err := disk.CheckFolder(o.Evidence, "evidence", o.Force, func(entries []fs.DirEntry) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == detailsFile })
	})
	for _, out := range o.outputs() {
		inputs.Names = append(inputs.Names, out.Name)
	}
	return checkFolder("option Evidence", o.Evidence, inputs.Names, err)
}

// Verify checks an evidence folder: its files have the hashes of its manifest, and an audit of its lines by its own
// policy gives its report and letters. It returns sentences: what was checked and holds, with its limits, or what does
// not hold. They contain raw bytes of the folder: see report.Printable. An error, of type *Error, says why it could not
// be checked.
func Verify(ctx context.Context, dir string, limits Limits, messages Messages) (checked, failed []string, err error) {
	c := &folderAudit{auditPlan: auditPlan{budget: newBudget(limits.Memory), Results: Results{Messages: messages}},
		dir: dir, used: sums{}}
	c.workers = c.budget.workers(limits.Workers)
	checked, failed, err = c.verify(ctx)
	_, isOurs := errors.AsType[*Error](err)
	switch {
	case ctx.Err() != nil:
		err = &Error{Interrupted, errors.New("interrupted: not all was checked")}
	case err != nil && !isOurs:
		err = inputError(err)
	}
	return checked, failed, err
}

func (c *folderAudit) verify(ctx context.Context) (checked, failed []string, err error) {
	c.sums, err = sumsOf(ctx, c.dir)
	if err != nil || len(c.sums[sumsFile]) != 2*sha256.Size || c.sums[detailsFile] == "" {
		return nil, []string{c.dir + " has no " + sumsFile + " and " + detailsFile + ": it is no folder of evidence"}, err
	}
	manifest, err := disk.ReadLimited(filepath.Join(c.dir, sumsFile), 64<<20)
	delete(c.sums, sumsFile)
	failed = c.sums.differ(manifest, " does not have the SHA-256 that "+sumsFile+" states", " is not in "+sumsFile)
	if err != nil || len(failed) > 0 {
		return nil, failed, err
	}
	_, err = c.results(ctx)
	failed = c.sums.differ(c.used.manifest(), " is not what an audit of the folder's lines gives",
		" is one file more than evidence has")
	_, isOurs := errors.AsType[*Error](err)
	_, isLimit := errors.AsType[disk.LimitError](err)
	switch {
	case isOurs || isLimit || ctx.Err() != nil:
		return nil, nil, err
	case err != nil:
		return nil, []string{fmt.Sprintf("the folder does not say how its lines were judged: %v", err)}, nil
	case len(failed) > 0:
		return nil, failed, nil
	}
	return []string{
		fmt.Sprintf("All %s have the SHA-256 that %s states. Its own SHA-256 is %s.",
			english.Plural(int64(len(c.sums)), "file"), sumsFile, sumOf(manifest)),
		fmt.Sprintf("An audit of the folder's lines finds %s by %s, and gives the same report and letters.",
			english.Plural(c.violations, "violation"), english.Plural(c.letters, "crawler")),
		"Not checked, since no folder shows it: that the lines are from the logs, that no other line clears the " +
			"requests, and what " + detailsFile + " states about the audit and the logs.",
	}, nil, nil
}

// sums maps names of files to their SHA-256 in hexadecimal; links, pipes and devices have what no manifest can state.
type sums map[string]string

func sumOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// sumsOf hashes all files of a folder. It opens regular files only.
func sumsOf(ctx context.Context, dir string) (sums, error) {
	list := sums{}
	return list, disk.WalkDir(dir+string(filepath.Separator), func(path string, e fs.DirEntry, err error) error {
		if err = cmp.Or(err, ctx.Err()); err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		if list[name] = "\n"; err != nil || !e.Type().IsRegular() {
			return err
		}
		file, err := disk.OpenRegular(path)
		if err != nil {
			return err
		}
		defer file.Close()
		sum := sha256.New()
		_, err = io.Copy(sum, file)
		list[name] = fmt.Sprintf("%x", sum.Sum(nil))
		return err
	})
}

func (s sums) manifest() (text []byte) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		text = fmt.Appendf(text, "%s  %s\n", s[name], name)
	}
	return text
}

// differ lists the files of a manifest that are missing or differ, and those that are not in it.
func (s sums) differ(manifest []byte, different, more string) (list []string) {
	all, want := maps.Clone(s), sums{}
	for line := range strings.Lines(string(manifest)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		all[name], want[name] = sum, sum
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case s[name] == "":
			list = append(list, name+" is missing")
		case want[name] == "":
			list = append(list, name+more)
		case s[name] != want[name]:
			list = append(list, name+different)
		}
	}
	return list
}

// fileName returns a name for a file that isn't taken. The name has only lower-case letters, digits and hyphens before
// a number and ext, because stem may contain the name of a crawler, which anybody can choose.
func fileName[V any](stem, ext string, taken map[string]V) string {
	stem = strings.Trim(other().ReplaceAllString(strings.ToLower(stem[:min(len(stem), 50)]), "-"), "-")
	name := stem + ext
	for n := 2; ; n++ {
		if _, isTaken := taken[name]; !isTaken {
			return name
		}
		name = fmt.Sprintf("%s.%d%s", stem, n, ext)
	}
}

var (
	robotsTxt = lazy.Regexp(`^([^/]*://[^/]*)?/robots\.txt$`)                 // a target as nearly all clients write it
	other     = lazy.Regexp(`[^a-z0-9]+`)                                     // what names of files may not contain
	plain     = lazy.Regexp(`^[A-Za-z0-9_./:,@%+=-][A-Za-z0-9_./:,@%+= -]*$`) // what a shell reads as plain words
)

//go:embed letter.tmpl
var letterText string

var letter = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("letter").Option("missingkey=error").Funcs(template.FuncMap{
		"quote": quoted, "plural": english.Plural, "list": english.List,
		"para":  func() string { return "\n\n" },
		"hours": func(seconds int64) string { return english.Hours(time.Duration(seconds) * time.Second) },
		"base":  func(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) },
		"words": func(name string) string { return strings.ReplaceAll(name, "_", " ") },
		"count": func(c *report.CrawlerInfo) int64 { return c.Verdicts[report.Violation] },
	}).Parse(letterText))
})

// addLetter adds the letter about a crawler to a map of files by name. It claims no more than the lines show. Pasting
// it into a shell is harmless: text from logs and files is in single quotes unless it is plain, and its own sentences
// contain no quotes.
func (c *folderAudit) addLetter(files map[string][]byte, r *report.Report, of *report.CrawlerInfo) error {
	var lines []string
	for _, x := range c.Lines {
		name := map[bool]string{false: of.Crawler}[of.Category == report.Unknown]
		if x.Crawler == name && strings.HasPrefix(x.File, "lines-") {
			lines = append(lines, x.File)
		}
	}
	var b bytes.Buffer
	err := letter().Execute(&b, map[string]any{"Report": r, "Crawler": of, "MadeBy": report.FromUTF8(c.MadeBy),
		"Lines": lines, "Robots": c.loaded.basis.FilesOf()})
	files[fileName("letter-"+of.Crawler, ".txt", files)] = b.Bytes()
	return err
}

// quoted returns text of a log or a file without control characters and, unless it is plain, in single quotes.
func quoted(text string) string {
	const most = 300
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	if text = report.Printable(text); !plain().MatchString(text) {
		text = english.ShellLine(text)
	}
	return text
}
