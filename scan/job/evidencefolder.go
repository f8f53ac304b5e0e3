package job

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/basis"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// evidenceBasis is what the lines of a folder of evidence are judged by.
type evidenceBasis struct {
	side     *loadedBasis
	manifest *evidence.Manifest
	format   *format.Format // that Manifest.Format names, nil if that of each log was found
	lookedUp []crawler.Pair // Manifest.LookedUp
	options  AuditOptions   // their memory and workers
}

// evidenceFolder makes a folder of evidence: a function of what it rests on and of lines.
type evidenceFolder struct {
	*evidenceBasis
	writer   *evidence.Writer
	requests map[crawlerKey]int64            // as in evidence.Crawler
	report   *report.Report                  // of the lines of the folder
	crawlers map[crawlerKey]*evidenceCrawler // with violations
	order    []*evidenceCrawler
	operator []*evidenceCrawler // of the operator whose lines come
	current  crawlerKey         // that operator
	names    map[netip.Addr][]string
}

// crawlerKey is a crawler of a report: its operator, empty for an unknown one, and its name in
// lower case.
type crawlerKey struct{ operator, name string }

// evidenceCrawler is a crawler with violations.
type evidenceCrawler struct {
	info                report.CrawlerInfo
	folder              string
	requests            int64
	first, last         string // the times of its violations
	asked, askedLast    string // those of the fetches
	violations, fetches evidence.List
}

// write writes the files of a folder, of lines that an audit has given, and completes the manifest.
// Nothing is left if it fails.
func (e *evidenceFolder) write(ctx context.Context, dir string, lines *evidenceLines) (err error) {
	if e.writer, err = evidence.Begin(dir); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.writer.Discard())
		}
	}()
	if err := e.writeBasis(); err != nil {
		return err
	}
	if lines, err = e.writeLogs(ctx, lines); err != nil {
		return err
	}
	defer lines.Close()
	e.begin()
	if err := lines.all(e.line); err != nil {
		return err
	}
	if err := e.end(); err != nil {
		return err
	}
	return e.writeNames()
}

// writeLogs writes the lines of the folder, and judges them by the folder alone. A request whose
// line turns out to be no violation without the rest of the logs is left out.
func (e *evidenceFolder) writeLogs(ctx context.Context, lines *evidenceLines) (*evidenceLines, error) {
	for {
		n, err := lines.choose()
		if err == nil {
			w := &logWriter{Writer: e.writer, manifest: e.manifest, policy: e.side.config.Policy}
			err = w.write(lines)
		}
		if err = errors.Join(err, lines.Close()); err != nil {
			return nil, err
		}
		lines, e.report, err = e.judge(ctx, e.writer.Path)
		if err != nil || e.report.Totals.Verdicts[report.Violation] >= n {
			return lines, err
		}
	}
}

// judge audits the lines of a folder. path returns where its files are.
func (c *evidenceBasis) judge(ctx context.Context, path func(name string) string) (
	*evidenceLines, *report.Report, error,
) {
	logs, err := c.logs(path)
	if err != nil {
		return nil, nil, err
	}
	lines, quiet := &evidenceLines{}, *c
	quiet.options.Messages = Messages{} // the audit of the logs has said it
	result, err := quiet.audit(ctx, logs, lines, &c.manifest.Proxied, &c.manifest.AddressesCut)
	if err != nil {
		return nil, nil, errors.Join(err, lines.Close())
	}
	return lines, result.Report, nil
}

// audit audits logs by the basis. proxied is as in audit.Config. It fails if a log was not read to
// its end.
func (c *evidenceBasis) audit(ctx context.Context, logs *auditLogs, lines *evidenceLines, proxied, isCut *bool) (
	*Audited, error,
) {
	side := *c.side
	side.config.KeepAddresses, side.config.Proxied = len(c.lookedUp) > 0, proxied
	side.config.Cut = isCut
	a, err := c.options.read(ctx, &side, logs, lines)
	if err != nil {
		return nil, err
	}
	defer a.run.Close()
	lines.stopAt(ctx)
	for _, p := range c.lookedUp {
		a.run.Verify(p)
	}
	result, err := a.finish(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, in := range result.Inputs {
		if !in.Complete && in.Error != "" {
			return nil, errors.New(in.Error)
		}
	}
	return result, nil
}

// writeBasis writes what decides verdicts, but for names.
func (e *evidenceFolder) writeBasis() error {
	b := e.side.basis
	document, err := b.Pack(e.writer.Put)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, document, "", " "); err != nil {
		return err
	}
	if err := e.writer.Put(evidence.Basis, append(text.Bytes(), '\n')); err != nil {
		return err
	}
	return b.PackLists(e.side.list, e.writer.Put)
}

// begin finds the crawlers with violations, in the order of the report.
func (e *evidenceFolder) begin() {
	e.crawlers, e.names = map[crawlerKey]*evidenceCrawler{}, map[netip.Addr][]string{}
	for _, info := range e.report.Crawlers {
		if info.Verdicts[report.Violation] == 0 {
			continue
		}
		key := keyOf(info)
		c := &evidenceCrawler{
			info: info, folder: evidence.FolderName(len(e.order)+1, info.Crawler), requests: e.requests[key],
		}
		c.violations.Name, c.fetches.Name = c.folder+"/"+evidence.Violations, c.folder+"/"+evidence.Fetches
		if e.isUnknown(info) {
			key.operator = ""
		}
		e.crawlers[key] = c
		e.order = append(e.order, c)
	}
}

func keyOf(info report.CrawlerInfo) crawlerKey {
	return crawlerKey{info.Operator, asciiLower(info.Crawler)}
}

// isUnknown reports whether a row of the report is of an unknown crawler.
func (e *evidenceFolder) isUnknown(info report.CrawlerInfo) bool {
	return !slices.ContainsFunc(e.side.config.Crawlers.Profiles(), func(p crawler.Profile) bool {
		return p.Name == info.Crawler && p.Operator == info.Operator
	})
}

// line writes a line to a list: a violation to that of its crawler, a fetch to those of all of the
// operator's crawlers with violations.
func (e *evidenceFolder) line(x *evidenceLine) error {
	if x.operator != e.current {
		if err := e.endOperator(); err != nil {
			return err
		}
		e.current = x.operator
	}
	var row evidence.Row
	if err := json.Unmarshal(x.row, &row); err != nil {
		return err
	}
	at := row.Time[:min(len(row.Time), len("2026-11-22T05:00:00"))] + "Z"
	if x.kind == fetchLine {
		for _, c := range e.operator {
			c.asked, c.askedLast = min(cmp.Or(c.asked, at), at), max(c.askedLast, at)
			if err := c.fetches.Add(e.writer, x.line, x.row); err != nil {
				return err
			}
			e.keepNames(row.Address)
		}
		return nil
	}
	c, err := e.crawlerOf(x)
	if err != nil {
		return err
	}
	if n := len(e.operator); n == 0 || e.operator[n-1] != c {
		if n > 0 {
			if err := e.operator[n-1].violations.Close(); err != nil {
				return err
			}
		}
		e.operator = append(e.operator, c)
	}
	e.keepNames(row.Address)
	c.first, c.last = min(cmp.Or(c.first, at), at), max(c.last, at)
	return c.violations.Add(e.writer, x.line, x.row)
}

// crawlerOf returns the crawler of a violation. Those of unknown crawlers that the report does not
// list are in a row for all others.
func (e *evidenceFolder) crawlerOf(x *evidenceLine) (*evidenceCrawler, error) {
	c := e.crawlers[x.crawler]
	if c == nil && x.crawler.operator == "" {
		c = e.crawlers[crawlerKey{name: report.OtherCrawlers}]
	}
	if c == nil {
		return nil, fmt.Errorf("the report has no violation by %q", x.crawler.name)
	}
	return c, nil
}

// keepNames keeps the names of the address of a line.
func (e *evidenceFolder) keepNames(address string) {
	if e.side.identity.Names == nil {
		return
	}
	if addr, names := e.side.identity.Names.Of(address); len(names) > 0 {
		e.names[addr] = names
	}
}

// endOperator ends the lists of an operator's crawlers. The lists of all other unknown crawlers go
// on.
func (e *evidenceFolder) endOperator() error {
	for _, c := range e.operator {
		if c.info.Crawler == report.OtherCrawlers {
			continue
		}
		if err := c.close(); err != nil {
			return err
		}
	}
	e.operator = nil
	return nil
}

func (c *evidenceCrawler) close() error { return errors.Join(c.violations.Close(), c.fetches.Close()) }

// end writes what the folder says of each crawler beside its lines.
func (e *evidenceFolder) end() error {
	e.manifest.Crawlers = []evidence.Crawler{}
	if err := e.endOperator(); err != nil {
		return err
	}
	for _, c := range e.order {
		if err := c.close(); err != nil {
			return err
		}
		if n := c.info.Verdicts[report.Violation]; n != c.violations.N {
			return fmt.Errorf("the report has %s by %q, and %d lines show them",
				english.Plural(n, "violation"), c.info.Crawler, c.violations.N)
		}
		info, err := json.MarshalIndent(report.Texts(c.info, report.ToUTF8), "", "  ")
		if err != nil {
			return err
		}
		if err := errors.Join(
			e.writer.Put(c.folder+"/report.json", append(info, '\n')),
			e.writer.Put(c.folder+"/letter.txt", []byte(e.letter(c).Text())),
		); err != nil {
			return err
		}
		e.manifest.Crawlers = append(e.manifest.Crawlers, evidence.Crawler{
			Crawler: c.info.Crawler, Operator: c.info.Operator, Folder: c.folder,
			Violations: c.violations.N, Fetches: c.fetches.N, Requests: c.requests,
		})
	}
	return nil
}

func (e *evidenceFolder) letter(c *evidenceCrawler) *evidence.Letter {
	r, b := e.report, e.side.basis
	l := &evidence.Letter{
		Crawler: c.info, Requests: c.requests, First: c.first, Last: c.last, Robots: b.FilesOf(),
		Names: b.Names != "" || len(e.manifest.LookedUp) > 0, Constant: b.Constant, Observed: b.Observed,
		Window: english.Hours(max(b.Window, policy.MinWindow)), Partial: e.manifest.Partial,
		Fetches: c.fetches.N, FirstFetch: c.asked, LastFetch: c.askedLast, MadeBy: e.manifest.MadeBy,
		Differing: r.RobotsTxt.Contradicted, Mixed: r.RobotsTxt.SizesMixed, Sampled: r.Sampling,
	}
	switch c.info.Crawler {
	case report.OtherCrawlers:
		l.As = "one of many unknown crawlers"
	case crawler.Nameless:
		l.As = "a crawler without a name"
	}
	for _, list := range r.Ranges {
		if list.Crawler == c.info.Crawler {
			list.File = path.Base(strings.ReplaceAll(list.File, `\`, "/"))
			l.Lists = append(l.Lists, list)
		}
	}
	return l
}

// writeNames writes the names of the addresses in the lists of lines.
func (e *evidenceFolder) writeNames() error {
	if e.side.identity.Names == nil {
		return nil
	}
	var b strings.Builder
	for _, addr := range slices.SortedFunc(maps.Keys(e.names), netip.Addr.Compare) {
		for _, name := range e.names[addr] {
			fmt.Fprintf(&b, "%s\t%s\ttrue\n", addr, name)
		}
	}
	return e.writer.Put(basis.NamesFile, []byte(b.String()))
}

// evidenceInputs describes the inputs for a manifest.
func (l *auditLogs) evidenceInputs(list []report.InputInfo, p *policy.Policy) (inputs []evidence.Input) {
	for i, in := range list {
		input := evidence.Input{
			Name: in.Name, Origins: []string{}, Format: in.Format, Bytes: in.Disk, BytesUncompressed: in.Bytes,
			SHA256: in.SHA256, DuplicateOf: in.DuplicateOf, Complete: in.Complete,
		}
		if i < len(l.list) {
			log := l.list[i]
			input.Origins, input.Only = originTexts(p, log.site), log.host != ""
			input.Header, input.Read = string(log.format.Header()), true
		}
		inputs = append(inputs, input)
	}
	return inputs
}

// requestsOf counts the requests of each crawler of a report.
func requestsOf(r *report.Report) map[crawlerKey]int64 {
	requests := map[crawlerKey]int64{}
	for _, c := range r.Crawlers {
		requests[keyOf(c)] = c.Requests - c.Verdicts[report.Spoofed]
	}
	return requests
}

// verifiedClients are the clients whose names were looked up.
func verifiedClients(pairs []crawler.Pair) []evidence.Client {
	list := []evidence.Client{}
	for _, p := range pairs {
		list = append(list, evidence.Client{Crawler: p.Profile.Name, Address: p.Addr})
	}
	slices.SortFunc(list, func(a, b evidence.Client) int {
		return cmp.Or(strings.Compare(a.Crawler, b.Crawler), strings.Compare(a.Address, b.Address))
	})
	return list
}

// checkEvidence refuses a folder of evidence that cannot be made, or in whose place something is
// that the job reads or writes.
func (o *AuditOptions) checkEvidence(inputs inputFiles) error {
	if o.Evidence == "" {
		return nil
	}
	switch err := evidence.CheckFolder(o.Evidence, o.Force); {
	case errors.Is(err, disk.ErrOccupied):
		return usageError("--evidence: %w", err)
	case err != nil:
		return inputError(err)
	}
	if err := o.refuseWithin(inputs); err != nil {
		return err
	}
	w, err := evidence.Begin(o.Evidence)
	if err == nil {
		err = w.Discard()
	}
	if err != nil {
		return inputError(writing(o.Evidence, err))
	}
	return nil
}

// refuseWithin refuses a folder of evidence that holds an input or an output.
func (o *AuditOptions) refuseWithin(inputs inputFiles) error {
	dir, err := filepath.Abs(o.Evidence)
	if err != nil {
		return inputError(err)
	}
	for _, out := range o.outputs() {
		if path, err := filepath.Abs(out.name); err == nil && out.name != "" &&
			strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return usageError("%s %s would be in the folder of --evidence", out.flag, out.name)
		}
	}
	return eachFile(o.Evidence, func(path string) error {
		return refuseShared("--evidence", path, inputs, nil)
	})
}

// eachFile calls do for all files in a folder, if it exists.
func eachFile(dir string, do func(path string) error) error {
	entries, err := disk.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // it does not exist, or writing it will fail
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = eachFile(path, do)
		} else {
			err = do(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errNoEvidence is the error of an audit that was interrupted before there was a folder.
var errNoEvidence = errors.New("interrupted: there is no folder of evidence")

// writeEvidence makes the folder of an audit with a report. err is the audit's own error. An audit
// that was interrupted has no evidence: the lines that it has not read could clear what it has
// found.
func (o *AuditOptions) writeEvidence(ctx context.Context, e *evidenceFolder, r *report.Report, lines *evidenceLines,
	err error) error {
	if failed, ok := errors.AsType[*Error](err); ok && failed.Kind == Interrupted {
		o.Messages.warn("%v", errNoEvidence)
		return err
	}
	m := e.manifest
	m.Program, m.Command, m.MadeBy, m.TimeZone = o.Program, o.Command, o.MadeBy, o.TimeZone
	sum, unwritten := "", e.writeAll(ctx, o.Evidence, r, lines)
	if unwritten == nil {
		sum, unwritten = e.writer.Commit(m)
	}
	switch {
	case unwritten != nil && ctx.Err() != nil:
		return &Error{Interrupted, errNoEvidence}
	case unwritten != nil:
		return inputError(errors.Join(err, writing(o.Evidence, unwritten)))
	}
	text := fmt.Sprintf("%s has the evidence of the violations by %s", o.Evidence,
		english.Plural(int64(len(m.Crawlers)), "crawler"))
	if len(m.Crawlers) == 0 {
		text = fmt.Sprintf("there is no violation%s: %s has no lines", m.Only.By(), o.Evidence)
	}
	if m.NotShown > 0 {
		o.Messages.warn("%s has not the evidence of %s more: their lines cannot be judged without the rest of the logs",
			o.Evidence, english.Plural(m.NotShown, "violation"))
	}
	o.Messages.warn("%s; the SHA-256 of its manifest is %s", text, sum)
	return err
}

// writeAll writes the files of a folder, of an audit with a report and lines.
func (e *evidenceFolder) writeAll(ctx context.Context, dir string, r *report.Report, lines *evidenceLines) error {
	m := e.manifest
	m.Partial, m.Proxied, m.AddressesCut, e.requests = r.Partial, r.Proxied, r.IPv4Cut, requestsOf(r)
	if err := e.write(ctx, dir, lines); err != nil {
		return err
	}
	m.NotShown = r.Totals.Verdicts[report.Violation] - e.report.Totals.Verdicts[report.Violation]
	return nil
}
