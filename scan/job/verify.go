package job

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/basis"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// folderAudit audits the lines of a folder of evidence, when it is made and when it is verified.
type folderAudit struct {
	side    *loadedBasis
	details evidence.Details
	options AuditOptions
	stems   evidence.Stems // that were given out
	known   []string       // those of the crawlers of the basis, and of all others
	report  *report.Report // of the lines
	letters int64
}

// pathOf returns where a file of a folder is that the details name.
type pathOf func(name string) (string, error)

// documents audits the lines of a folder, and returns the files that follow from them: the report and
// the letters.
func (c *folderAudit) documents(ctx context.Context, path pathOf) (map[string][]byte, error) {
	side, d := *c.side, &c.details
	side.config.KeepAddresses, side.config.Proxied, side.config.Only = len(d.LookedUp) > 0, &d.Proxied, report.Choice{}
	logs := &auditLogs{}
	for i, x := range d.Lines {
		log, err := c.open(ctx, x, path)
		if err == nil && slices.ContainsFunc(d.Lines[:i], func(y evidence.Lines) bool { return x.File == y.File }) {
			err = errors.New("its lines count once")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.File, err)
		}
		logs.list = append(logs.list, log)
	}
	a, err := c.options.read(ctx, &side, logs, nil)
	if err != nil {
		return nil, err
	}
	defer a.run.Close()
	for _, client := range d.LookedUp {
		p := side.config.Crawlers.ByName(client.Crawler)
		if p == nil {
			return nil, fmt.Errorf("a client is of %q, which no profile is of", client.Crawler)
		}
		a.run.Verify(crawler.Pair{Profile: p, Addr: client.Address})
	}
	result, err := a.finish(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, in := range result.Inputs {
		if in.Error != "" {
			return nil, errors.New(in.Error)
		}
	}
	c.report = result.Report
	c.report.Partial = c.report.Partial || d.Partial
	files, err := c.writeLetters()
	if c.letters = int64(len(files)); err == nil {
		files[evidence.ReportFile], err = asJSON(*c.report)
	}
	return files, err
}

// open opens a file of lines.
func (c *folderAudit) open(ctx context.Context, x evidence.Lines, path pathOf) (*auditLog, error) {
	at, err := path(x.File)
	if err != nil {
		return nil, err
	}
	f, err := formatOfText(x.Format)
	if err == nil && f == nil {
		err = fmt.Errorf("the format %q is none", x.Format)
	}
	if err != nil {
		return nil, err
	}
	log := &auditLog{}
	if log.Input, err = source.NewFile(at); err != nil {
		return nil, err
	}
	log.Name, log.Hash = x.File, true
	if x.Only {
		log.host = x.File
	}
	if _, err = log.open(ctx, f, c.side.zone); err == nil {
		log.site, err = siteOfOrigins(x.Origins, c.side.config.Policy)
	}
	log.skewed = log.zoneless && c.details.TimeZone == ""
	return log, err
}

// newFolderAudit returns an audit of the lines of a folder, by what was read before them.
func newFolderAudit(side *loadedBasis, d evidence.Details, b *budget, workers int) *folderAudit {
	c := &folderAudit{side: side, details: d, stems: evidence.Stems{}, options: AuditOptions{
		Results:  Results{Program: d.Program, Command: d.Command, By: "day"},
		TimeZone: d.TimeZone, Workers: workers, budget: b,
	}}
	for _, p := range side.config.Crawlers.Profiles() {
		c.known = append(c.known, c.stems.Of(p.Name))
	}
	c.known = append(c.known, c.stems.Of("unknown"))
	return c
}

// linesOf is what the names of the files with the lines of a crawler begin with.
func (c *folderAudit) linesOf(profile int) string {
	return "lines-" + c.known[min(profile, len(c.known)-1)]
}

// writeLetters returns the letters to the operators of crawlers with violations.
func (c *folderAudit) writeLetters() (map[string][]byte, error) {
	b, profiles, files := c.side.basis, c.side.config.Crawlers.Profiles(), map[string][]byte{}
	robots := b.FilesOf()
	for i := range c.report.Crawlers {
		info := &c.report.Crawlers[i]
		if info.Verdicts[report.Violation] == 0 {
			continue
		}
		l := evidence.Letter{Report: c.report, Crawler: info, MadeBy: c.details.MadeBy, Robots: robots,
			Names: b.Names != "" || len(c.details.LookedUp) > 0}
		n := slices.IndexFunc(profiles, func(p crawler.Profile) bool {
			return p.Name == info.Crawler && p.Operator == info.Operator
		})
		stem := ""
		if n < 0 {
			n, stem = len(profiles), c.stems.Of(info.Crawler)
		}
		for _, x := range c.details.Lines {
			if strings.HasPrefix(x.File, c.linesOf(n)+".") {
				l.Lines = append(l.Lines, x.File)
			}
		}
		text, err := l.Text()
		if err != nil {
			return nil, err
		}
		files["letter-"+cmp.Or(stem, c.known[n])+".txt"] = []byte(text)
	}
	return files, nil
}

// asJSON is a document of a folder.
func asJSON[T any](v T) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(report.Texts(v, report.ToUTF8))
	return b.Bytes(), err
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

// maxFailed bounds the failures that are listed.
const maxFailed = 20

// Verify checks a folder of evidence: its files have the hashes of its manifest, and an audit of its
// lines, by what is in it, gives its report and letters. An error is of type *Error: what keeps it from
// being checked.
func Verify(ctx context.Context, o VerifyOptions) (*Verified, error) {
	folder, failed, err := evidence.Open(ctx, o.Dir)
	var v Verified
	if err == nil && len(failed) == 0 {
		failed, err = v.auditAgain(ctx, folder, o)
	}
	switch _, known := errors.AsType[*Error](err); {
	case ctx.Err() != nil:
		return nil, &Error{Interrupted, errUnverified}
	case known:
		return nil, err
	case err != nil:
		return nil, inputError(err)
	}
	if more := len(failed) - maxFailed; more > 0 {
		failed = append(failed[:maxFailed], fmt.Sprintf("%d more like these", more))
	}
	v.Failed = failed
	return &v, nil
}

// errUnverified is the error of a check that ended with ctx.
var errUnverified = errors.New("interrupted: not all was checked")

// auditAgain audits the lines of a folder and compares what follows from them.
func (v *Verified) auditAgain(ctx context.Context, f *evidence.Folder, o VerifyOptions) (failed []string, err error) {
	c, made, err := auditFolder(ctx, f, o)
	if _, isOurs := errors.AsType[*Error](err); isOurs || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return []string{fmt.Sprintf("the folder does not say how its lines were judged: %v", err)}, nil
	}
	if failed = f.Compare(made); len(failed) == 0 {
		v.Checked = c.findings(f)
	}
	return failed, nil
}

// auditFolder audits the lines of a folder, which is trusted no more than the files and options of an audit.
func auditFolder(ctx context.Context, f *evidence.Folder, o VerifyOptions) (*folderAudit, map[string][]byte, error) {
	if strings.EqualFold(f.Details.TimeZone, "local") {
		return nil, nil, errors.New("its time zone is that of another machine")
	}
	open, memory := basis.Open(f.Open), newBudget(o.Memory)
	document, err := open.Read(evidence.Basis)
	if err != nil {
		return nil, nil, err
	}
	b, err := basis.Unpack(document, open)
	if err != nil {
		return nil, nil, err
	}
	side, err := restored(b, open, f.Details.TimeZone, memory)
	if err != nil {
		return nil, nil, err
	}
	c := newFolderAudit(side, f.Details, memory, memory.workers(o.Workers))
	made, err := c.documents(ctx, f.Path)
	return c, made, err
}

// findings says what a folder shows in which all holds, and what it does not.
func (c *folderAudit) findings(f *evidence.Folder) []string {
	return []string{
		fmt.Sprintf("All %s have the SHA-256 that %s states. Its own SHA-256 is %s.", english.Plural(f.Files(), "file"),
			evidence.Sums, f.Sum),
		fmt.Sprintf("An audit of the folder's lines finds %s by %s, and gives the same report and letters.",
			english.Plural(c.report.Totals.Verdicts[report.Violation], "violation"), english.Plural(c.letters, "crawler")),
		"Not checked, since no folder shows it: that the lines are from the logs, that no other line clears the " +
			"requests, and what " + evidence.DetailsFile + " states about the audit and the logs.",
	}
}
