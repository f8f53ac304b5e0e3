package job

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// evidenceFolder makes a folder of evidence of an audit that has ended.
type evidenceFolder struct {
	writer   *evidence.Writer
	manifest evidence.Manifest
	side     *sideFiles
	report   *audit.Report
	crawlers map[crawlerKey]*evidenceCrawler // with violations
	order    []*evidenceCrawler
	operator []*evidenceCrawler // of the operator whose lines come
	current  string             // that operator
	names    map[netip.Addr][]string
	robots   map[string]string // Letter.Robots
}

// crawlerKey is a crawler of a report: its operator, empty for an unknown one, and its name in
// lower case.
type crawlerKey struct{ operator, name string }

// evidenceCrawler is a crawler with violations.
type evidenceCrawler struct {
	info                audit.CrawlerInfo
	folder              string
	first, last         int64 // the times of its violations
	violations, fetches evidenceList
}

// write writes the folder. It returns the SHA-256 of its manifest.
func (e *evidenceFolder) write(dir string, lines *evidenceLines) (sum string, err error) {
	if e.writer, err = evidence.Begin(dir); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.writer.Discard())
		}
	}()
	for _, step := range []func() error{e.writeOptions, e.writeRobots, e.writeLists, e.begin, func() error { return lines.all(e.line) }, e.end, e.writeNames} {
		if err := step(); err != nil {
			return "", err
		}
	}
	return e.writer.Commit(&e.manifest)
}

// writeOptions writes what decides verdicts, and the profiles of crawlers.
func (e *evidenceFolder) writeOptions() error {
	b := *e.side.basis
	b.Profiles, b.Bodies = nil, nil
	options, err := json.Marshal(audit.Texts(b, audit.ToUTF8))
	if err != nil {
		return err
	}
	profiles, err := json.MarshalIndent(e.side.basis.Profiles, "", " ")
	if err != nil {
		return err
	}
	e.manifest.Options, e.manifest.Profiles = options, "crawlers.json"
	return e.writer.Put(e.manifest.Profiles, profiles)
}

func (e *evidenceFolder) writeRobots() error {
	e.manifest.Robots = []evidence.Robots{}
	for i, body := range e.side.basis.Bodies {
		robots := evidence.Robots{File: fmt.Sprintf("robots/%04d.txt", i+1)}
		if len(body.Past) > 0 {
			robots.Past = fmt.Sprintf("robots/%04d-past-the-limit.txt", i+1)
			if err := e.writer.Put(robots.Past, body.Past); err != nil {
				return err
			}
		}
		if err := e.writer.Put(robots.File, body.Text); err != nil {
			return err
		}
		e.manifest.Robots = append(e.manifest.Robots, robots)
	}
	e.robots = map[string]string{}
	for _, row := range e.side.basis.Rows {
		if row.Body >= 0 {
			e.robots[row.File] = e.manifest.Robots[row.Body].File
		}
	}
	return nil
}

// writeLists copies the lists of addresses.
func (e *evidenceFolder) writeLists() (err error) {
	e.manifest.Series, err = packSeries(e.side.identity.Series, e.writer.Put)
	return err
}

// listEnd is the end of the name of a list's copy.
func listEnd(file string) string {
	if strings.EqualFold(path.Ext(file), ".json") {
		return ".json"
	}
	return ".txt"
}

// begin finds the crawlers with violations, in the order of the report.
func (e *evidenceFolder) begin() error {
	e.crawlers, e.names = map[crawlerKey]*evidenceCrawler{}, map[netip.Addr][]string{}
	for _, info := range e.report.Crawlers {
		if info.Verdicts[audit.Violation] == 0 {
			continue
		}
		c := &evidenceCrawler{info: withoutImpostors(info), folder: evidence.FolderName(len(e.order)+1, info.Crawler)}
		key := crawlerKey{info.Operator, asciiLower(info.Crawler)}
		if e.isUnknown(info) {
			key.operator = ""
		}
		e.crawlers[key] = c
		e.order = append(e.order, c)
	}
	return nil
}

func momentText(nanos int64) string { return time.Unix(0, nanos).UTC().Format(time.RFC3339) }

// isUnknown tells whether a row of the report is of an unknown crawler.
func (e *evidenceFolder) isUnknown(info audit.CrawlerInfo) bool {
	return !slices.ContainsFunc(e.side.config.Crawlers.Profiles(), func(p crawler.Profile) bool {
		return p.Name == info.Crawler && p.Operator == info.Operator
	})
}

// line writes a line to a list: a violation to that of its crawler, a fetch to that of the first of
// the operator's crawlers with violations.
func (e *evidenceFolder) line(x *evidenceLine) error {
	if operator := fmt.Sprint(x.known, x.operator); operator != e.current {
		if err := e.endOperator(); err != nil {
			return err
		}
		e.current = operator
	}
	if x.kind == fetchLine {
		if len(e.operator) == 0 {
			return nil
		}
		return errors.Join(e.operator[0].fetches.add(e.writer, e.operator[0].folder, evidence.Fetches, x), e.keepNames(x))
	}
	c, err := e.crawlerOf(x)
	if err != nil {
		return err
	}
	if n := len(e.operator); n == 0 || e.operator[n-1] != c {
		if n > 0 {
			if err := e.operator[n-1].violations.close(); err != nil {
				return err
			}
		}
		e.operator = append(e.operator, c)
	}
	if c.violations.n == 0 {
		c.first, c.last = x.time, x.time
	}
	c.first, c.last = min(c.first, x.time), max(c.last, x.time)
	return errors.Join(c.violations.add(e.writer, c.folder, evidence.Violations, x), e.keepNames(x))
}

// crawlerOf returns the crawler of a violation. Those of unknown crawlers that the report does not
// list are in a row for all others.
func (e *evidenceFolder) crawlerOf(x *evidenceLine) (*evidenceCrawler, error) {
	key := crawlerKey{name: x.crawler}
	if x.known {
		key.operator = x.operator
	}
	c := e.crawlers[key]
	if c == nil && !x.known {
		c = e.crawlers[crawlerKey{name: audit.OtherCrawlers}]
	}
	if c == nil {
		return nil, fmt.Errorf("the report has no violation by %q", x.crawler)
	}
	return c, nil
}

// evidenceList is a list of lines that is begun when there is a line.
type evidenceList struct {
	*evidence.ListWriter
	n int64
}

func (l *evidenceList) add(w *evidence.Writer, folder, name string, x *evidenceLine) (err error) {
	if l.ListWriter == nil {
		if l.ListWriter, err = w.List(folder, name); err != nil {
			return err
		}
	}
	l.n++
	return l.Add(x.line, x.row)
}

// close ends the list, if it has been begun and has not been ended.
func (l *evidenceList) close() error {
	w := l.ListWriter
	if l.ListWriter = nil; w == nil {
		return nil
	}
	return w.Close()
}

// keepNames keeps the names of the line's address.
func (e *evidenceFolder) keepNames(x *evidenceLine) error {
	if e.side.identity.Names == nil {
		return nil
	}
	row, err := evidence.ReadRow(x.row)
	if addr, names := e.side.identity.Names.Of(row.Address); len(names) > 0 {
		e.names[addr] = names
	}
	return err
}

// endOperator ends the lists of an operator's crawlers, and gives the fetches to all of them. The
// lists of all other unknown crawlers go on.
func (e *evidenceFolder) endOperator() error {
	for i, c := range e.operator {
		if c.info.Crawler == audit.OtherCrawlers {
			continue
		}
		if err := c.close(); err != nil {
			return err
		}
		if first := e.operator[0]; i > 0 && first.fetches.n > 0 {
			c.fetches.n = first.fetches.n
			if err := e.writer.CopyList(first.folder, c.folder, evidence.Fetches); err != nil {
				return err
			}
		}
	}
	e.operator = nil
	return nil
}

func (c *evidenceCrawler) close() error { return errors.Join(c.violations.close(), c.fetches.close()) }

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
		if n := c.info.Verdicts[audit.Violation]; n != c.violations.n {
			return fmt.Errorf("the report has %s by %q, and %d lines show them", english.Plural(n, "violation"), c.info.Crawler, c.violations.n)
		}
		info, err := json.MarshalIndent(audit.Texts(c.info, audit.ToUTF8), "", "  ")
		if err != nil {
			return err
		}
		letter := e.letter(c)
		if err := errors.Join(e.writer.Put(c.folder+"/report.json", append(info, '\n')), e.writer.Put(c.folder+"/letter.txt", []byte(letter.Text()))); err != nil {
			return err
		}
		e.manifest.Crawlers = append(e.manifest.Crawlers, evidence.Crawler{
			Crawler: c.info.Crawler, Operator: c.info.Operator, Folder: c.folder, Violations: c.violations.n, Fetches: c.fetches.n,
		})
	}
	return nil
}

func (e *evidenceFolder) letter(c *evidenceCrawler) *evidence.Letter {
	r := e.report
	l := &evidence.Letter{
		Crawler: c.info, First: momentText(c.first), Last: momentText(c.last), Names: e.side.basis.Names != "" || len(e.manifest.LookedUp) > 0,
		Robots: e.robots, Constant: e.side.basis.Constant, Window: english.Hours(max(e.side.basis.Window, policy.MinWindow)),
		Partial: r.Partial, Differing: 2*r.RobotsTxt.Differing > r.RobotsTxt.Sizes || 2*r.RobotsTxt.None > r.RobotsTxt.Requests, Sampled: r.Sampling,
	}
	switch c.info.Crawler {
	case audit.OtherCrawlers:
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

// withoutImpostors is what a report says of a crawler, without the requests of clients that are
// proven not to be it.
func withoutImpostors(c audit.CrawlerInfo) audit.CrawlerInfo {
	c.Requests -= c.Verdicts[audit.Spoofed]
	c.Verdicts[audit.Spoofed], c.Identity[audit.SpoofedIdentity] = 0, 0
	c.Claims, c.ClaimsNotListed = []audit.ClaimInfo{}, 0 // of all its clients
	if c.Timeline.Verdicts != nil {
		c.Timeline.Verdicts = maps.Clone(c.Timeline.Verdicts)
		delete(c.Timeline.Verdicts, audit.Spoofed.String())
	}
	return c
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
	e.manifest.Names = "names.tsv"
	return e.writer.Put(e.manifest.Names, []byte(b.String()))
}

// evidenceInputs describes the logs for a manifest.
func (l *auditLogs) evidenceInputs(list []audit.InputInfo, p *policy.Policy) (inputs []evidence.Input) {
	for i, in := range list {
		input := evidence.Input{
			Name: in.Name, Origins: []string{}, Headers: []evidence.Header{}, Format: in.Format, Bytes: in.Disk, BytesUncompressed: in.Bytes,
			SHA256: in.SHA256, DuplicateOf: in.DuplicateOf, Complete: in.Complete,
		}
		if i < len(l.list) {
			log := l.list[i]
			input.Read, input.Header, input.Only = true, string(log.format.Header()), log.host != ""
			input.Headers, input.Alone = log.changes.sorted()
			for _, o := range p.Origins()[log.site.First:][:log.site.N] {
				input.Origins = append(input.Origins, o.String())
			}
		}
		inputs = append(inputs, input)
	}
	return inputs
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
