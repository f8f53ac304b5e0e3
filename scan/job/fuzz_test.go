package job_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// FuzzAudit makes an audit from the fuzzer's bytes, which are its log, manifest, address lists and options, and
// checks that the numbers add up; that the order, the files, the workers, the memory and lines of browsers do not
// matter; and that a robots.txt that allows everything only removes violations.
func FuzzAudit(f *testing.F) {
	f.Add([]byte{})
	n := 5
	if testing.Short() {
		n = 3
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 14))
		data := make([]byte, 200<<(seed%4))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4000 {
			return
		}
		w := makeWorld(t, data)
		w.checkCounts()
		w.checkCuts()
		w.checkTwice()
		w.checkBrowsers()
		w.checkAllowAll()
	})
}

// dice are the fuzzer's bytes. Behind the last one all throws are 0.
type dice struct{ data []byte }

// n throws a number below n, which is at most 256.
func (d *dice) n(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % n
}

func pick[T any](d *dice, of ...T) T { return of[d.n(len(of))] }

// world is an audit.
type world struct {
	*testing.T
	dice    dice
	dir     string
	options job.AuditOptions // without logs
	rows    []string         // of the manifest
	origins []string         // the lines' origins
	sizes   []int            // of the bodies
	lines   []line
	calm    bool // nearly every answer is a success
	shuffle *rand.Rand
	report  *report.Report // of all lines in one log
}

// line is a line of a log.
type line struct {
	text    string
	time    time.Time
	browser bool // of a client that is no crawler, and not for robots.txt
	crawler bool // perhaps of a crawler
}

// worldStart is the time of the earliest request.
var worldStart = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// firstLines are lines that every log of a world has, and every part of one: a log without any request is refused.
const firstLines = 3

func makeWorld(t *testing.T, data []byte) *world {
	w := &world{T: t, dice: dice{data}, dir: t.TempDir()}
	d := &w.dice
	w.shuffle = rand.New(rand.NewPCG(uint64(len(data)), uint64(d.n(256))))
	w.calm = d.n(2) == 0
	google := automaton.Google
	everything := 100.0
	w.options = job.AuditOptions{Results: job.Results{AllowDuplicates: true}, LogOptions: job.LogOptions{Format: pick(d, "vhost_combined", "combined"), Logs: job.Inputs{}, MaxUnparsed: &everything},
		Judging: job.Judging{Window: pick(d, 0, 48*time.Hour, 40*day), Delay: pick(d, 0, 3*time.Hour, 30*time.Hour), Skew: pick(d, 0, time.Hour), Dialect: pick(d, nil, nil, &google)}, Limits: job.Limits{Workers: 1}, Extracts: job.Extracts{Samples: 2}}
	for i := range 1 + d.n(4) {
		body := makeBody(d)
		w.sizes = append(w.sizes, len(body))
		w.write(fmt.Sprintf("%d.txt", i), body)
	}
	if d.n(6) == 0 {
		w.options.Robots.Name = filepath.Join(w.dir, "0.txt")
		if w.options.Format == "vhost_combined" {
			w.options.Hosts = []string{"https://example.com"}
		}
	} else {
		w.makeManifest()
	}
	w.makeRanges()
	w.makeLog()
	w.report = w.audit(w.options, w.lines)
	return w
}

// often returns the usual values, so often that the values that follow in a choice are rare in a calm world.
func (w *world) often(usual ...string) []string {
	if w.calm {
		return slices.Repeat(usual, 50)
	}
	return slices.Repeat(usual, 3)
}

// write writes a file and returns its name.
func (w *world) write(name, text string) string {
	w.Helper()
	name = filepath.Join(w.dir, name)
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		w.Fatal(err)
	}
	return name
}

func makeBody(d *dice) string {
	var b strings.Builder
	if d.n(4) > 0 { // rules that lines of the log break
		b.WriteString("User-agent: *\nDisallow: /private\n")
	}
	for range d.n(16) {
		b.WriteString(pick(d,
			"User-agent: *", "User-agent: Googlebot", "User-agent: GPTBot", "User-agent: bingbot\nUser-agent: foo",
			"User-agent: FooSpider/2",
			"Disallow: /", "Disallow: /private", "Disallow: /*.pdf$", "Disallow: /a%7Eb", "Disalow: /x", "Disallow:",
			"Disallow: /private/*?s=",
			"Allow: /private/open", "Allow: /", "Crawl-delay: 10", "Sitemap: https://example.com/private/map.xml", "# comment",
			"\xff\x00:",
		) + pick(d, "\n", "\r\n", "\r"))
	}
	return b.String()
}

// worldOrigins are origins as manifests name them.
var worldOrigins = []string{"https://example.com", "http://example.com", "other.example",
	"https://xn--bcher-kva.example:8443"}

func (w *world) makeManifest() {
	d := &w.dice
	w.options.History = pick(d, "deployed", "observed")
	w.options.AssumeConstant = d.n(4) == 0
	taken := map[string]bool{}
	for range 1 + d.n(8) {
		at := pick(d, worldOrigins...)
		from := worldStart.Add(time.Duration(d.n(256)-160) * 11 * time.Hour).Format(time.RFC3339)
		if taken[at+from] {
			continue
		}
		taken[at+from] = true
		status, file, to := pick(d, append(w.often("200"), "404", "503", "500", "429", "301", "unreachable", "204",
			"444")...), "", ""
		switch status {
		case "200":
			file = fmt.Sprintf("%d.txt", d.n(len(w.sizes)))
		case "301":
			to = pick(d, "https://example.com/robots.txt", "http://other.example/robots.txt", "/elsewhere",
				"https://example.com/private/r", "")
		}
		age := pick(d, "", "", "", "3600", "900000")
		w.rows = append(w.rows, strings.Join([]string{from, at, status, file, age, to}, ","))
		if !slices.Contains(w.origins, at) {
			w.origins = append(w.origins, at)
		}
	}
	w.options.Policy = w.manifest("policy.csv", w.rows)
	if d.n(3) == 0 || w.options.Format == "combined" && d.n(8) > 0 {
		w.options.Hosts = []string{w.origins[0]}
	}
}

func (w *world) manifest(name string, rows []string) string {
	return w.write(name, "from,origin,status,file,max_age,location\n"+strings.Join(rows, "\n")+"\n")
}

func (w *world) makeRanges() {
	d := &w.dice
	for _, name := range []string{"Googlebot", "GPTBot"} {
		if d.n(2) == 0 {
			continue
		}
		made := worldStart.Add(time.Duration(d.n(100)-30) * day).Format(time.RFC3339)
		list := w.write(name+".json",
			`{"creationTime":"`+made+`","prefixes":[{"ipv4Prefix":"66.249.64.0/24"},{"ipv6Prefix":"2001:4860::/32"}]}`)
		w.options.Ranges = append(w.options.Ranges, name+"="+list)
	}
}

// makeLog makes lines of all bytes that are left.
func (w *world) makeLog() {
	d := &w.dice
	for i := range firstLines {
		at := worldStart.Add(time.Duration(i) * time.Second)
		w.lines = append(w.lines, line{w.entry(at, "192.0.2.9", "GET / HTTP/1.1", "200", "5", worldAgents[0]), at, true,
			false})
	}
	for len(d.data) > 0 {
		switch d.n(24) {
		case 0:
			w.lines = append(w.lines, line{text: pick(d, "", "\r"), browser: true})
		case 1: // damaged, perhaps beyond recognition
			l := w.makeLine()
			cut := d.n(len(l.text))
			l.text = l.text[:cut] + pick(d, "", "\"", "\\x", "\xff", "\x00", " - - [") + l.text[min(len(l.text), cut+d.n(4)):]
			l.browser, l.crawler = false, true
			w.lines = append(w.lines, l)
		case 2: // one again
			w.lines = append(w.lines, w.lines[d.n(len(w.lines))])
		default:
			w.lines = append(w.lines, w.makeLine())
		}
	}
}

// worldAgents are User-Agent headers, beginning with clients that are no crawlers.
var worldAgents = []string{
	"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
	"curl/8.5.0",
	"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
	"Googlebot-Image/1.0",
	"AdsBot-Google (+http://www.google.com/adsbot.html)",
	"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
	"Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)",
	"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
	"Mozilla/5.0 (compatible; bingbot/2.0; GPTBot/1.2)",
	"WireReaderBot/1.0 (compatible; Googlebot/2.1)",
	"FooSpider/2.0 (+https://foo.example/bot)",
	"foo.site_bot/1 (+https://foo.example)",
	"bot",
	"Scrapy/2.11 (+https://scrapy.org)",
}

const browsers = 2 // of worldAgents

func (w *world) makeLine() line {
	d := &w.dice
	agent := d.n(len(worldAgents))
	at := worldStart.Add(time.Duration(d.n(256)) * 4 * time.Hour).Add(time.Duration(d.n(256)) * 57 * time.Second)
	addr := pick(d, "66.249.64.7", "198.51.100.23", "2001:4860::1", "10.0.0.1", "-", "203.0.113.0")
	robots := d.n(4) == 0
	target := "/robots.txt"
	if !robots {
		target = pick(d, "/", "/private/a", "/private/open/1", "/x.pdf", "/a~b", "/a%7eb", "/private?s=1", "/private/map.xml",
			"//robots.txt", "/robots.txt?x", "/a/../private", "*", "https://example.com/private/b",
			"http://other.example:80/private/c", "/%70rivate", "/blog/robots.txt")
	}
	status := pick(d, append(w.often("200", "304"), "404", "301", "403", "429", "500", "503", "204", "499", "206", "000",
		"401", "999")...)
	size := pick(d, "512", "0", "-", fmt.Sprint(w.sizes[0]), fmt.Sprint(w.sizes[len(w.sizes)-1]))
	request := pick(d, "GET", "GET", "GET", "HEAD", "POST", "CONNECT") + " " + target + " HTTP/1.1"
	return line{w.entry(at, addr, request, status, size, worldAgents[agent]), at, agent < browsers && !robots,
		agent >= browsers}
}

func (w *world) entry(at time.Time, addr, request, status, size, agent string) string {
	host := ""
	if w.options.Format == "vhost_combined" {
		host = pick(&w.dice, "example.com:443", "example.com:80", "example.com", "other.example",
			"xn--bcher-kva.example:8443", "elsewhere.example") + " "
	}
	return fmt.Sprintf(`%s%s - - [%s] "%s" %s %s "-" "%s"`, host, addr, at.Format("02/Jan/2006:15:04:05 -0700"), request,
		status, size, agent)
}

// log writes a log, compressed if its name ends in .gz, and returns its name.
func (w *world) log(name string, lines []line) string {
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l.text + "\n")
	}
	if !strings.HasSuffix(name, ".gz") {
		return w.write(name, text.String())
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text.String())) // a buffer takes all
	_ = z.Close()
	return w.write(name, b.String())
}

// audit audits logs, the first of which has these lines.
func (w *world) audit(o job.AuditOptions, lines []line, others ...string) *report.Report {
	w.Helper()
	o.Logs.Names = append([]string{w.log("a.log", lines)}, others...)
	a, err := job.Audit(w.Context(), o)
	if err != nil {
		w.Fatal(err)
	}
	return a.Report
}

// text returns a report as JSON, without the names of the inputs.
func (w *world) text(r *report.Report) string {
	w.Helper()
	without := *r
	without.Inputs, without.Command = nil, ""
	b, err := json.MarshalIndent(without, "", " ")
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// same fails the test if a report differs from the world's.
func (w *world) same(how string, r *report.Report) {
	w.Helper()
	w.sameText(how, w.text(r), w.text(w.report))
}

func (w *world) sameText(how, got, want string) {
	w.Helper()
	n := 0
	for n < len(got) && n < len(want) && got[n] == want[n] {
		n++
	}
	if got != want {
		around := func(s string) string { return s[max(0, n-200):min(len(s), n+60)] }
		w.Errorf("%s: got\n…%s…\nwant\n…%s…\n%s", how, around(got), around(want), w.explain())
	}
}

// explain shows the world.
func (w *world) explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v\n%s\n", w.options, strings.Join(w.rows, "\n"))
	for i := range w.sizes {
		body, _ := os.ReadFile(filepath.Join(w.dir, fmt.Sprintf("%d.txt", i)))
		fmt.Fprintf(&b, "%d.txt: %q\n", i, body)
	}
	for _, l := range w.lines {
		fmt.Fprintf(&b, "%q\n", l.text)
	}
	return b.String()
}

// checkCounts: every line is counted once. That the numbers of a report add up is checked where it is made.
func (w *world) checkCounts() {
	lines, blank := int64(0), int64(0)
	for _, l := range w.lines {
		if strings.TrimSuffix(l.text, "\r") == "" {
			blank++
		} else {
			lines++
		}
	}
	r := w.report
	if r.Lines != lines || r.Blank != blank {
		w.Errorf("%d lines and %d blank, counted as %d and %d\n%s", lines, blank, r.Lines, r.Blank, w.explain())
	}
}

// checkCuts: neither order nor files, workers, memory or parts matter.
func (w *world) checkCuts() {
	rest := slices.Clone(w.lines[firstLines:])
	w.shuffle.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	var parts [firstLines][]line
	for i, l := range w.lines[:firstLines] {
		parts[i] = []line{l}
	}
	for _, l := range rest {
		i := w.shuffle.IntN(len(parts))
		parts[i] = append(parts[i], l)
	}
	o := w.options
	o.Workers = 2
	w.same("in three files", w.audit(o, parts[2], w.log("b.log", parts[0]), w.log("c.log.gz", parts[1])))
	o.Workers, o.Memory = 7, 1<<20
	w.same("shuffled, with little memory", w.audit(o, append(slices.Clone(rest), w.lines[:firstLines]...)))

	var states []string
	for i, part := range parts {
		o := w.options
		o.State, o.NoReport = filepath.Join(w.dir, fmt.Sprintf("%d.state", i)), true
		states = append(states, o.State)
		w.audit(o, part)
	}
	merged, err := job.Merge(w.Context(), job.MergeOptions{Results: job.Results{AllowDuplicates: true}, States: states})
	if err != nil {
		w.Fatalf("merge: %v\n%s", err, w.explain())
	}
	w.same("merged of three states", merged.Report)
}

// checkTwice: each line twice gives each number twice.
func (w *world) checkTwice() {
	twice := w.audit(w.options, slices.Concat(w.lines, w.lines))
	if len(twice.Crawlers) != len(w.report.Crawlers) || twice.Lines != 2*w.report.Lines {
		w.Errorf("%d lines of %d crawlers, each twice: %d lines of %d crawlers", w.report.Lines, len(w.report.Crawlers),
			twice.Lines, len(twice.Crawlers))
		return
	}
	for i, c := range w.report.Crawlers {
		d := twice.Crawlers[i]
		for k := range c.Verdicts {
			c.Verdicts[k] *= 2
		}
		for k := range c.Reasons {
			c.Reasons[k] *= 2
		}
		c.Evasive, c.GraceInformed = 2*c.Evasive, 2*c.GraceInformed
		if c.Crawler != d.Crawler || c.Verdicts != d.Verdicts || c.Reasons != d.Reasons ||
			c.Evasive != d.Evasive || c.GraceInformed != d.GraceInformed {
			w.Errorf("%s: each line twice is not each number twice: %v %v, want %v %v\n%s", c.Crawler, d.Verdicts, d.Reasons,
				c.Verdicts, c.Reasons, w.explain())
		}
	}
}

// checkBrowsers: pages that browsers fetched do not matter to crawlers, and browsers alone break no rule.
func (w *world) checkBrowsers() {
	crawlers := func(r *report.Report) string { return w.text(&report.Report{Crawlers: r.Crawlers}) }
	kept := slices.Clone(w.lines[:firstLines])
	for _, l := range w.lines[firstLines:] {
		if !l.browser {
			kept = append(kept, l)
		}
	}
	w.sameText("without browsers", crawlers(w.audit(w.options, kept)), crawlers(w.report))
	alone := w.audit(w.options, slices.DeleteFunc(slices.Clone(w.lines), func(l line) bool { return l.crawler }))
	if len(alone.Crawlers) > 0 || alone.Totals.Requests > 0 {
		w.Errorf("browsers alone: %+v\n%s", alone.Totals, w.explain())
	}
}

// checkAllowAll: where all origins have, from a moment on, a robots.txt that allows everything and that caches keep
// for years, no crawler has more violations than without it; none at all, if that moment is before the log.
func (w *world) checkAllowAll() {
	if w.options.Policy == "" {
		return
	}
	w.write("all.txt", "#"+strings.Repeat(" allowed", 1000)) // no other file has this size
	rows := slices.Clone(w.rows)
	before := w.shuffle.IntN(2) == 0
	from := worldStart.Add(-time.Second)
	if !before {
		from = from.Add(time.Duration(w.shuffle.IntN(1000)) * time.Hour)
	}
	for _, at := range w.origins {
		rows = append(rows, fmt.Sprintf("%s,%s,200,all.txt,99999999,", from.Format(time.RFC3339), at))
	}
	o := w.options
	o.Policy = w.manifest("all.csv", rows)
	r := w.audit(o, w.lines)
	with := map[string]int64{}
	for _, c := range r.Crawlers {
		with[c.Crawler] = c.Verdicts[report.Violation]
	}
	for _, c := range w.report.Crawlers {
		if n := c.Verdicts[report.Violation]; with[c.Crawler] > n {
			w.Errorf("%s: %d violations, but %d with more allowed from %v on\n%s", c.Crawler, n, with[c.Crawler], from,
				w.explain())
		}
	}
	if n := r.Totals.Verdicts[report.Violation]; before && n > 0 {
		w.Errorf("%d violations of a robots.txt that allowed everything\n%s", n, w.explain())
	}
}
