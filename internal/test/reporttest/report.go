// Package reporttest makes audit.Reports for tests of outputs, with any number of crawlers, over
// years, and with versions of robots.txt that change and fail.
package reporttest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Options configures Report. The zero value is a Report without crawlers and with a constant robots.txt. robots.txt.
type Options struct {
	Crawlers int
	Days     int // days covered by the logs
	// Versions of one robots.txt, at equal distances. Before every third one robots.txt couldn't be
	// fetched for two days. 0 means that it is constant.
	Versions int
	Lines    int // approximate lines of each robots.txt
	// Texts replace names, paths, rules and lines of the log, in rotation.
	Texts []string
}

// start is when the logs of all Reports begin.
var start = time.Date(2024, 11, 4, 0, 0, 0, 0, time.UTC)

// outage is how long a robots.txt fails before every third version.
const outage = 2 * 24 * time.Hour

// origin is the site of all Reports, as in the sample.
const origin = "https://lantern.example"

// Report makes a Report from the sample's. The same Options give the same Report.
func Report(o Options) *report.Report {
	m := &maker{Options: o, report: sample()}
	r := m.report
	crawlers := r.Crawlers
	r.Crawlers, r.Totals = nil, report.Totals{}
	m.policy()
	for i := range o.Crawlers {
		r.Crawlers = append(r.Crawlers, m.crawler(i, crawlers[i%len(crawlers)]))
	}
	slices.SortStableFunc(r.Crawlers, func(x, y report.CrawlerInfo) int {
		return int(y.Verdicts[report.Violation] - x.Verdicts[report.Violation])
	})
	r.From, r.To = stamp(start), stamp(start.AddDate(0, 0, max(m.Days, 1)).Add(-time.Second))
	r.NotCrawlers = r.Totals.Requests
	r.Sites = []report.SiteInfo{{Origin: origin, Requests: r.Totals.Requests, Verdicts: r.Totals.Verdicts}}
	r.Lines = r.Unparsed + r.NotCrawlers + r.Totals.Requests
	if len(o.Texts) == 0 {
		return r
	}
	return r.Rewrite(func(text string) string {
		if text == origin || isWord().MatchString(text) || len(text) == len(time.RFC3339)-5 && strings.HasSuffix(text, "Z") {
			return text
		}
		return m.text(text)
	})
}

// isWord reports whether a text is the name of a value in a report, such as a verdict, rather than
// from a log or a file.
var isWord = lazy.Regexp(`^([a-z_0-9]*|[A-Z]+|robotsieve\..*)$`)

// sample returns the report of the sample, a golden file of the command.
func sample() *report.Report {
	_, file, _, _ := runtime.Caller(0)
	data, err := disk.ReadLimited(filepath.Join(filepath.Dir(file),
		"../../../cmd/robotsieve/cli/testdata/sample.json"), 1<<24)
	r := &report.Report{}
	if err == nil {
		err = json.Unmarshal(data, r)
	}
	if err != nil {
		panic(err)
	}
	return r
}

// maker makes one Report.
type maker struct {
	Options
	used   int // number of Texts used
	report *report.Report
}

// text returns the next of Texts, or usual if there are none.
func (m *maker) text(usual string) string {
	if len(m.Texts) == 0 {
		return usual
	}
	m.used++
	return m.Texts[(m.used-1)%len(m.Texts)]
}

// Time returns a time of a report by its text.
func Time(text string) (t report.Time) {
	if err := t.UnmarshalJSON([]byte(text)); err != nil {
		panic(err)
	}
	return t
}

// Times returns the times of several texts, separated by blanks.
func Times(texts string) (list []report.Time) {
	for text := range strings.FieldsSeq(texts) {
		list = append(list, Time(text))
	}
	return list
}

func stamp(t time.Time) report.Time { return report.At(t.UnixNano()) }

// policy makes the versions.
func (m *maker) policy() {
	p := &m.report.Policy
	p.Versions = nil
	if m.Versions == 0 {
		p.History, p.Versions = report.Constant, []report.VersionInfo{m.version(report.Time{}, 0)}
		p.Bytes = int(p.Versions[0].Bytes)
	}
	for i := range m.Versions {
		from := start.Add(time.Duration(i*max(m.Days, 1)) * 24 * time.Hour / time.Duration(m.Versions))
		if i%3 == 2 {
			p.Versions = append(p.Versions, report.VersionInfo{Origin: origin, From: stamp(from.Add(-outage)),
				Status: []int{0, 503}[i/3%2], Bytes: -1})
		}
		p.Versions = append(p.Versions, m.version(stamp(from), i))
	}
}

// version makes a robots.txt of about Lines lines, half of which forbid something.
func (m *maker) version(from report.Time, i int) report.VersionInfo {
	var body strings.Builder
	fmt.Fprintf(&body, "# robots.txt of Lantern, edition %d\r\nUser-agent: *\r\n", i+1)
	for line := 3; line < max(m.Lines, 8); line++ {
		if line%2 == 0 {
			fmt.Fprintf(&body, "# %s\r\n", oneLine.Replace(m.text("Below is the archive.")))
		} else {
			fmt.Fprintf(&body, "%s\r\n", ruleAt(line))
		}
	}
	return report.VersionInfo{Origin: origin, From: from, Status: 200, File: fmt.Sprintf("robots-%02d.txt", i+1),
		Bytes: int64(body.Len()), SHA256: strings.Repeat("fedcba9876543210", 4), Body: []byte(body.String())}
}

// oneLine removes line ends from a text, which no line of a robots.txt can contain.
var oneLine = strings.NewReplacer("\r", "", "\n", "")

func ruleAt(line int) string { return fmt.Sprintf("Disallow: /area%d/", line) }

// crawler makes crawler i from one of the sample's. It has the same figures on most days, and four
// in five of those that robots.txt binds break it. The first dozen are bound.
func (m *maker) crawler(i int, c report.CrawlerInfo) report.CrawlerInfo {
	if c.Crawler = "GPTBot"; i > 0 {
		c.Crawler = fmt.Sprintf("ExampleBot-%d", i+1)
	}
	if i < 12 {
		c.Role, c.Exempt = report.RoleCrawler, ""
	}
	daily := c.Verdicts
	if daily[report.Violation] = 0; i%5 != 3 && c.Exempt == "" {
		daily[report.Violation] = 1 + c.Requests/3
	}
	c.Timeline = report.Timeline{By: report.Day, Verdicts: map[report.Verdict][]int64{}}
	c.Verdicts, c.Requests = report.VerdictCounts{}, 0
	c.Identity, c.Outcomes = report.IdentityCounts{}, report.OutcomeCounts{}
	for day := range max(m.Days, 1) {
		if day > 0 && (day+i)%7 == 0 {
			continue
		}
		c.Timeline.From = append(c.Timeline.From, stamp(start.AddDate(0, 0, day)))
		for v, n := range daily {
			if v == int(report.Violation) && day/40%3 == 1 {
				n = 0
			}
			c.Timeline.Verdicts[report.Verdict(v)] = append(c.Timeline.Verdicts[report.Verdict(v)], n)
			c.Verdicts[v] += n
			c.Requests += n
		}
	}
	broken := c.Verdicts[report.Violation]
	identity := []report.Identity{report.Verified, report.Unverified, report.Unverifiable}[i%3]
	c.Identity[report.SpoofedIdentity] = c.Verdicts[report.Spoofed]
	c.Identity[identity] += c.Requests - c.Verdicts[report.Spoofed]
	c.Outcomes[report.Content] = broken
	c.Violations, c.Samples = nil, nil
	if broken > 0 {
		c.Violations = []report.ViolationInfo{{Identity: identity, Outcome: report.Content, Method: report.Get,
			Informed: i%2 == 0, N: broken}}
		c.ViolationPaths = report.PathList{Exact: true, List: []report.PathInfo{{Path: "/area3/page1.html", N: broken}}}
		line := `192.0.2.1 - - [04/Nov/2024:00:00:00 +0000] "GET /area3/page1.html HTTP/1.1" 200 9 "-" "` + c.Crawler + `"`
		c.Samples = slices.Repeat([]report.SampleInfo{{Time: stamp(start), Line: line}}, 3)
	}
	m.breakRules(&c, broken)
	t := &m.report.Totals
	t.Requests += c.Requests
	for v, n := range c.Verdicts {
		t.Verdicts[v] += n
	}
	for id, n := range c.Identity {
		t.Identity[id] += n
	}
	t.Outcomes[report.Content] += broken
	return c
}

// breakRules divides violations of a crawler among three rules of each version.
func (m *maker) breakRules(c *report.CrawlerInfo, left int64) {
	c.Rules = nil
	for at := range m.report.Policy.Versions {
		v := &m.report.Policy.Versions[at]
		for k := range min(left/4, 3) {
			line, n := 3+2*int(k)*max(1, m.Lines/10), max(left/4, 1)
			if v.Body == nil {
				continue
			}
			left -= n
			v.Cited += n
			c.Rules = append(c.Rules, report.RuleInfo{Origin: v.Origin, Version: v.From, File: v.File, Line: line,
				Rule: ruleAt(line), Violations: n, Paths: c.ViolationPaths})
		}
	}
}

// attacksText has a text on each line. Quotes around one mean escapes, as in Go.
//
//go:embed attacks.txt
var attacksText string

// Attacks are texts that attackers write into logs, names and robots.txt: markup for all places in a page, control
// characters, and characters that reverse or hide text. Whatever a browser would run of them calls alert.
var Attacks = func() (list []string) {
	for line := range strings.Lines(attacksText) {
		line = strings.TrimSuffix(line, "\n")
		if text, err := strconv.Unquote(line); err == nil {
			line = text
		}
		list = append(list, line)
	}
	return list
}()
