// Package reporttest makes audit.Reports for tests of what is written from them: of any number
// of crawlers, over years, by versions of robots.txt that change and fail. The figures of one
// Report agree with each other, as those of an audit do.
package reporttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// Options say what Report makes. The zero value is a Report without crawlers of a constant
// robots.txt.
type Options struct {
	Crawlers int
	Days     int // that the logs span
	// Versions of one robots.txt, at equal distances. Before every third one robots.txt could not
	// be fetched for two days. 0: it is constant.
	Versions int
	Lines    int // about how many lines each robots.txt has
	// Texts take the place of names, paths, rules and lines of the log, in turn.
	Texts []string
}

// start is when the logs of all Reports begin.
var start = time.Date(2024, 11, 4, 0, 0, 0, 0, time.UTC)

// outage is how long a robots.txt fails before every third version.
const outage = 2 * 24 * time.Hour

// origin is the site of all Reports.
const origin = "https://lantern.example"

// Report makes a Report. The same Options give the same one.
func Report(o Options) *audit.Report {
	m := &maker{Options: o, rand: rand.New(rand.NewPCG(1, 2)), texts: o.Texts}
	m.report = &audit.Report{
		Schema: "robotsieve.audit/3", Program: "robotsieve 1.0.0 go1.26.0", Command: "robotsieve audit --policy " +
			m.text("policy.csv") + " --html page.html access.log.gz",
		MaxUnparsedPercent: 5,
		Assumptions:        []string{"Times in the log are right to within 10 minutes.", m.text("An assumption.")},
		Warnings:           []string{"1 line could not be parsed.", m.text("A warning.")},
		CanVerify:          true,
		Ranges: []audit.RangeInfo{{Crawler: "GPTBot", File: m.text("gptbot.json"), Created: stamp(start),
			DatedBy: "creationTime"}},
		Inputs: []audit.InputInfo{{Name: m.text("access.log.gz"), Format: "combined", Codec: "gzip", Disk: 1 << 20,
			Bytes:  20 << 20,
			SHA256: strings.Repeat("0123456789abcdef", 4), Unparsed: 1, Complete: true}},
		OtherHosts: []audit.HostInfo{}, UnparsedSamples: []string{m.text("not a line of a log")},
		NotAuditable: []string{"Google-Extended"},
	}
	m.policy()
	for i := range o.Crawlers {
		m.report.Crawlers = append(m.report.Crawlers, m.crawler(i))
	}
	slices.SortStableFunc(m.report.Crawlers, func(x, y audit.CrawlerInfo) int {
		return int(y.Verdicts[audit.Violation] - x.Verdicts[audit.Violation])
	})
	m.sums()
	return m.report
}

// maker makes one Report.
type maker struct {
	Options
	rand   *rand.Rand
	texts  []string // that come next
	report *audit.Report
	rules  [][]rule // of each version that is a file
}

// rule is a rule that forbids, and a path that it does.
type rule struct {
	line       int
	text, path string
}

// text returns one of Texts, or usual if there are none.
func (m *maker) text(usual string) string {
	if len(m.Texts) == 0 {
		return usual
	}
	if len(m.texts) == 0 {
		m.texts = m.Texts
	}
	text := m.texts[0]
	m.texts = m.texts[1:]
	return text
}

func stamp(t time.Time) string { return t.Format(time.RFC3339) }

// end is when the logs end.
func (m *maker) end() time.Time { return start.AddDate(0, 0, max(m.Days, 1)) }

// policy makes the versions.
func (m *maker) policy() {
	p := audit.PolicyInfo{File: m.text("policy.csv"), Bytes: -1, Origins: []string{origin}, Dialect: "auto",
		History:       "deployed",
		WindowSeconds: 24 * 3600, DelaySeconds: 3 * 3600, SkewSeconds: 600}
	if m.Versions == 0 {
		p.History = "constant"
		p.Versions = []audit.VersionInfo{m.version("", 0)}
		p.Bytes = int(p.Versions[0].Bytes)
	}
	for i := range m.Versions {
		from := m.from(i)
		if i%3 == 2 {
			p.Versions = append(p.Versions, audit.VersionInfo{Origin: origin, From: stamp(from.Add(-outage)),
				Status: []int{0, 503}[i/3%2], Bytes: -1})
		}
		p.Versions = append(p.Versions, m.version(stamp(from), i))
	}
	m.report.Policy = p
}

// from is when version i came into force.
func (m *maker) from(i int) time.Time {
	return start.Add(time.Duration(i) * m.end().Sub(start) / time.Duration(max(m.Versions, 1)))
}

// version makes a robots.txt of about Lines lines, and notes its rules.
func (m *maker) version(from string, i int) audit.VersionInfo {
	var body strings.Builder
	fmt.Fprintf(&body, "# robots.txt of Lantern, edition %d\r\nUser-agent: *\r\n", i+1)
	var rules []rule
	for line := 3; line < max(m.Lines, 8); line++ {
		switch {
		case line%7 == 0:
			fmt.Fprintf(&body, "Allow: /area%d/public/\r\n", line)
		case line%11 == 0:
			fmt.Fprintf(&body, "# %s\r\n", oneLine.Replace(m.text("Below is the archive.")))
		default:
			path := oneLine.Replace(m.text(fmt.Sprintf("/area%d/", line)))
			fmt.Fprintf(&body, "Disallow: %s\r\n", path)
			rules = append(rules, rule{line, "Disallow: " + path, path})
		}
	}
	m.rules = append(m.rules, rules)
	return audit.VersionInfo{Origin: origin, From: from, Status: 200, File: m.text(fmt.Sprintf("robots-%02d.txt", i+1)),
		Bytes:  int64(body.Len()),
		SHA256: strings.Repeat("fedcba9876543210", 4), Body: []byte(body.String())}
}

// oneLine takes the ends of lines out of a text, which no line of a robots.txt can have in it.
var oneLine = strings.NewReplacer("\r", "", "\n", "")

// names are of crawlers that the first ones of a Report are called.
var names = []string{"GPTBot", "Bytespider", "ClaudeBot", "Googlebot", "bingbot", "Amazonbot", "CCBot", "AhrefsBot",
	"PerplexityBot", "Applebot"}

// crawler makes a crawler: some break robots.txt, one in five does not, some are fetchers or
// exempt, and some have impostors.
func (m *maker) crawler(i int) audit.CrawlerInfo {
	c := audit.CrawlerInfo{Crawler: fmt.Sprintf("ExampleBot-%d", i+1), Operator: fmt.Sprintf("Operator %d", i/2+1),
		Role: "crawler", Category: "search", Obeys: "yes",
		Source: "https://bots.example/about", Date: "2026-11-01", CrawlDelaySupported: "no", InformedKnown: i%4 != 3}
	if i < len(names) {
		c.Crawler = names[i]
	}
	c.Crawler = m.text(c.Crawler)
	switch {
	case i%13 == 12:
		c.Exempt = "a person asked for the page"
	case i%11 == 10:
		c.Role = "fetcher"
	}
	c.Timeline = m.timeline(i, c.Exempt != "")
	for v := range audit.Verdict(len(c.Verdicts)) {
		for _, n := range c.Timeline.Verdicts[v.String()] {
			c.Verdicts[v] += n
		}
		c.Requests += c.Verdicts[v]
	}
	c.Reasons[audit.NoVersion] = c.Verdicts[audit.Indeterminate]
	m.identify(i, &c)
	m.violate(&c)
	m.visit(&c)
	return c
}

// timeline counts the requests of crawler i by days: on some days more than on others, and on
// some none.
func (m *maker) timeline(i int, exempt bool) audit.Timeline {
	t := audit.Timeline{By: "day", Verdicts: map[string][]int64{}}
	breaks, busy := i%5 != 3 && !exempt, 1+m.rand.IntN(200)
	var days []audit.VerdictCounts
	for day := range max(m.Days, 1) {
		at := start.AddDate(0, 0, day)
		if i > 0 && m.rand.IntN(7) == 0 {
			continue
		}
		n, counts := int64(busy+m.rand.IntN(busy)), audit.VerdictCounts{}
		switch {
		case exempt:
			counts[audit.Exempt] = n
		case m.failed(at):
			counts[audit.Unreachable] = n
		case m.isNew(at):
			counts[audit.Grace] = n
		default:
			counts[audit.Allowed] = n
			if breaks && (day/40+i)%3 != 1 {
				counts[audit.Violation] = int64(m.rand.IntN(busy))
			}
		}
		if day%3 == i%3 {
			counts[audit.RobotsFetch] = 1
		}
		if i%4 == 1 {
			counts[audit.Spoofed] = int64(m.rand.IntN(5))
		}
		if m.Versions > 0 && day == 0 {
			counts[audit.Indeterminate] = 3
		}
		t.From, days = append(t.From, stamp(at)), append(days, counts)
	}
	for v := range audit.Verdict(len(audit.VerdictCounts{})) {
		var list []int64
		sum := int64(0)
		for _, counts := range days {
			list = append(list, counts[v])
			sum += counts[v]
		}
		if sum > 0 {
			t.Verdicts[v.String()] = list
		}
	}
	return t
}

// failed tells whether robots.txt fails on a day, isNew whether it has just changed.
func (m *maker) failed(day time.Time) bool {
	return m.after(day, func(i int, since time.Duration) bool { return i%3 == 2 && -outage <= since && since < 0 })
}
func (m *maker) isNew(day time.Time) bool {
	return m.after(day, func(i int, since time.Duration) bool { return i > 0 && 0 <= since && since < 36*time.Hour })
}

func (m *maker) after(day time.Time, holds func(i int, since time.Duration) bool) bool {
	for i := range m.Versions {
		if holds(i, day.Sub(m.from(i))) {
			return true
		}
	}
	return false
}

// identify says who the clients of crawler i were: every second crawler is verified.
func (m *maker) identify(i int, c *audit.CrawlerInfo) {
	c.Identity[audit.SpoofedIdentity] = c.Verdicts[audit.Spoofed]
	own := c.Requests - c.Verdicts[audit.Spoofed]
	identity := []audit.Identity{audit.Verified, audit.Unverified, audit.Verified, audit.Unverifiable}[i%4]
	c.Identity[identity] = own
	c.Claims = []audit.ClaimInfo{}
	c.Addresses = audit.AddressCount{N: 3 + own/500, Exact: own < 1_000_000}
	content := c.Verdicts[audit.Violation] * 3 / 4
	refused := c.Verdicts[audit.Violation] - content
	c.Outcomes[audit.Content], c.Outcomes[audit.Refused] = content, refused
	c.Violations = []audit.ViolationInfo{}
	add := func(outcome audit.Outcome, n int64) {
		if n > 0 {
			c.Violations = append(c.Violations, audit.ViolationInfo{Identity: identity.String(),
				Outcome: outcome.String(), Method: "GET", Informed: i%2 == 0, N: n})
		}
	}
	add(audit.Content, content)
	add(audit.Refused, refused)
	c.Bytes, c.ViolationBytes = own*9000, content*9000
	c.Statuses = []audit.StatusCount{{Status: 200, N: own - refused}}
	if refused > 0 {
		c.Statuses = append(c.Statuses, audit.StatusCount{Status: 403, N: refused})
	}
}

// violate divides the violations of a crawler among rules of the versions, and gives samples.
func (m *maker) violate(c *audit.CrawlerInfo) {
	c.Rules, c.Samples = []audit.RuleInfo{}, []audit.SampleInfo{}
	left := c.Verdicts[audit.Violation]
	files := 0
	for at := range m.report.Policy.Versions {
		v := &m.report.Policy.Versions[at]
		if v.Body == nil {
			continue
		}
		rules := m.rules[files]
		files++
		for k := range 3 {
			r := rules[(k*7+at)%len(rules)]
			n := left / 3
			if files == len(m.rules) && k == 2 {
				n = left
			}
			if left -= n; n == 0 {
				continue
			}
			v.Cited += n
			c.Rules = append(c.Rules, audit.RuleInfo{Origin: v.Origin, Version: v.From, File: v.File, Line: r.line,
				Rule: r.text, Violations: n,
				Paths: m.paths(r.path, n)})
		}
	}
	for k := range min(c.Verdicts[audit.Violation], 3) {
		at := start.Add(time.Duration(k) * time.Hour)
		c.Samples = append(c.Samples, audit.SampleInfo{Time: stamp(at),
			Line: m.text(fmt.Sprintf(`192.0.2.%d - - [%s] "GET /area3/page%d HTTP/1.1" 200 9000 "-" "Mozilla/5.0 (compatible; %s/1.0; +https://bots.example/about)"`,
				k+1, at.Format("02/Jan/2006:15:04:05 -0700"), k, c.Crawler))})
	}
	c.ViolationPaths = m.paths("/area3/", c.Verdicts[audit.Violation])
	c.Paths = m.paths("/", c.Requests-c.Verdicts[audit.Spoofed])
}

// paths divides n requests among five paths at most.
func (m *maker) paths(prefix string, n int64) audit.PathList {
	list := audit.PathList{List: []audit.PathInfo{}, Exact: prefix != "/" || n < 10_000}
	if !list.Exact {
		list.OthersAtMost = n / 300
	}
	for k := int64(5); k > 0 && n >= 15; k-- {
		list.List = append(list.List, audit.PathInfo{Path: m.text(fmt.Sprintf("%spage%d.html", prefix, k)),
			N: n * k / 15, TooHigh: list.OthersAtMost})
	}
	return list
}

// visit says how a crawler fetched robots.txt.
func (m *maker) visit(c *audit.CrawlerInfo) {
	c.CrawlDelay = []audit.DelayInfo{}
	f := &c.RobotsTxt
	f.Refused = []audit.StatusCount{}
	if f.Fetches = c.Verdicts[audit.RobotsFetch]; f.Fetches == 0 {
		return
	}
	f.First, f.Last = stamp(start), stamp(m.end().Add(-time.Hour))
	f.Gaps, f.MedianGap, f.LongestGap, f.Within24h = f.Fetches-1, 3*24*3600, 6*24*3600, 0.25
	f.Answers[audit.AnswerSuccess] = f.Fetches
}

// sums adds up the crawlers.
func (m *maker) sums() {
	r := m.report
	t := &r.Totals
	for i := range r.Crawlers {
		c := &r.Crawlers[i]
		t.Requests += c.Requests
		for v, n := range c.Verdicts {
			t.Verdicts[v] += n
		}
		for o, n := range c.Outcomes {
			t.Outcomes[o] += n
		}
		for i, n := range c.Identity {
			t.Identity[i] += n
		}
		t.Bytes, t.ViolationBytes = t.Bytes+c.Bytes, t.ViolationBytes+c.ViolationBytes
		if c.Role == "fetcher" && c.Exempt == "" {
			t.Fetchers.Requests += c.Requests
			t.Fetchers.Violations += c.Verdicts[audit.Violation]
			t.Fetchers.VerifiedContent += c.VerifiedContent()
		} else {
			t.VerifiedContent += c.VerifiedContent()
		}
		r.RobotsTxt.Requests += c.RobotsTxt.Fetches
		r.Operators = append(r.Operators, audit.OperatorInfo{Operator: c.Operator, Crawled: c.Requests,
			Referred: c.Requests / 1000, Referrers: []string{m.text("search.example")}})
	}
	if t.Requests > 0 {
		t.VerifiedShare = float64(t.Identity[audit.Verified]) / float64(t.Requests)
		r.From, r.To = stamp(start), stamp(m.end().Add(-time.Second))
	}
	r.RobotsTxt.Logged, r.RobotsTxt.Served, r.RobotsTxt.Sizes = r.RobotsTxt.Requests > 0, r.RobotsTxt.Requests,
		r.RobotsTxt.Requests
	r.RobotsTxt.ClearedBy, r.RobotsTxt.Listed = []audit.StatusCount{}, []audit.SizeInfo{}
	r.NotCrawlers, r.Unparsed = t.Requests, 1
	r.Lines = r.Unparsed + r.NotCrawlers + t.Requests
	r.Inputs[0].Lines = r.Lines
}

// Attacks are texts as attackers write them into logs, names and robots.txt: markup of all kinds
// of places in a page, controls, and characters that turn or hide text. What a browser would run
// of them calls alert.
var Attacks = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(2)>`,
	`'><svg onload=alert(3)>`,
	`</script><script>alert(4)</script>`,
	`</style><script>alert(5)</script>`,
	`</title></svg><iframe srcdoc="<script>parent.alert(6)</script>">`,
	`javascript:alert(7)`,
	`" onmouseover="alert(8)" autofocus onfocus="alert(9)" x="`,
	`' style='background:url(https://attacker.example/p)`,
	`--><!--<script>alert(10)</script>`,
	`]]></desc><script>alert(11)</script>`,
	`{{.Command}}${alert(12)}`,
	`<base href="https://attacker.example/"><link rel=stylesheet href=x.css><meta http-equiv=refresh content="0;url=https://attacker.example/">`,
	"/\u202egnp.exe\u2066\u200f\u061c\u200b",
	"/nul\x00\x1b[2Jbell\x07\r\n<script>alert(13)</script>",
	"/\xff\xfe\xc0\xaf+ADw-script+AD4-alert(14)+ADw-/script+AD4-",
	`M0 0h9"/><script>alert(15)</script><path d="`,
	`&lt;script&gt;alert(16)&lt;/script&gt;&#x3c;script>`,
	"`-alert(17)-`",
	"/" + "aAbB0123456789%2e%2e/" + "\u0301\u0301\u0301\u0301\u0301\u0301zalgo",
}
