package bench

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/twin"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// historyOut keeps what TestHistory makes, for `robotsieve audit --policy`.
var historyOut = flag.String("history-out", "", "folder in which TestHistory leaves its histories and its log")

// The time of the log: from the first capture to a week after the last.
var (
	historyBegins = captureTime("2025-01")
	historyEnds   = captureTime("2026-01").AddDate(0, 0, 7)
)

// historyAgents are the crawlers of the log.
var historyAgents = []string{
	"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
	"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
	"CCBot/2.0 (https://commoncrawl.org/faq/)",
	"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
	"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
	"AcmeBot/1.0 (+https://acme.example/bot)",
}

// TestHistory tells what it changes to judge by a history of robots.txt rather than
// by the file of today. It takes the files of some 200 large sites as they were seen
// in eleven months of 2025 and 2026, and requests of crawlers that obey nothing, and
// judges each request both by what was seen (--history observed) and by the site's
// last file as if that had always been in force, which is what can be done without a
// history. With -short it does so for every eighth site.
//
// Who collected the files made all letters small, and kept no status: of what is no
// robots.txt, mostly pages that say "access denied", nobody knows whether crawlers
// were told the same. The first table is without these captures, as if nobody had
// looked in that month; the second takes everything for a robots.txt. The requests
// are the same.
func TestHistory(t *testing.T) {
	captures := readCaptures(t)
	if testing.Short() {
		for i, host := range slices.Sorted(maps.Keys(captures)) {
			if i%8 > 0 {
				delete(captures, host)
			}
		}
	}
	genuine := map[string][]observation{}
	for host, list := range captures {
		list = slices.DeleteFunc(slices.Clone(list), func(c observation) bool { return !isRobots(c.body) })
		if len(list) > 0 {
			genuine[host] = list
		}
	}
	requests := traffic(genuine)
	folder := *historyOut
	if folder == "" {
		folder = t.TempDir()
	} else if err := os.WriteFile(filepath.Join(folder, "access.log"), logOf(requests, nil), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		name     string
		captures map[string][]observation
	}{{"robots", genuine}, {"everything", captures}} {
		t.Run(of.name, func(t *testing.T) {
			compareHistories(t, filepath.Join(folder, of.name), of.captures, requests)
		})
	}
}

// observation is a robots.txt as it was seen.
type observation struct {
	at   time.Time
	body []byte
}

// captureTime is when a month's files were seen: they were fetched on the first of
// the month at noon, as their collector's timer has it.
func captureTime(month string) time.Time {
	day, err := time.Parse("2006-01", month)
	if err != nil {
		panic(err)
	}
	return day.Add(12 * time.Hour)
}

// captureName is the name of a file in the collection.
var captureName = regexp.MustCompile(`/(\d{4}-\d\d)-robots\.txt/([^/]+)\.robots\.txt$`)

// readCaptures reads the collection: the captures of each host, the oldest first.
func readCaptures(t *testing.T) map[string][]observation {
	t.Helper()
	const name = "data/history/monthly-robots-2025-2026.tar.xz"
	path := filepath.Join("../../shared", name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no shared data: no shared/%s beside the checkout", name)
	}
	in, err := source.NewFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := in.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	captures := map[string][]observation{}
	for files := tar.NewReader(packed); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		m := captureName.FindStringSubmatch(file.Name)
		if m == nil {
			continue
		}
		body, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		captures[m[2]] = append(captures[m[2]], observation{captureTime(m[1]), body})
	}
	if len(captures) == 0 {
		t.Fatal("no captures")
	}
	for _, list := range captures {
		slices.SortFunc(list, func(x, y observation) int { return x.at.Compare(y.at) })
	}
	return captures
}

var robotsLine = regexp.MustCompile(`(?m)^[ \t]*(#|user-agent[ \t]*:|sitemap[ \t]*:)`)

// isRobots tells a robots.txt from what a server says instead: a page, an excuse or
// nothing.
func isRobots(body []byte) bool {
	text := bytes.TrimSpace(body)
	return !bytes.HasPrefix(text, []byte("<")) && robotsLine.Match(text)
}

// visit is a request. Its number is its index.
type visit struct {
	host   string
	at     time.Time
	agent  int
	target string
}

// line returns the line of a request in a log. The user's name is the request's
// number.
func (v *visit) line(number int) string {
	return fmt.Sprintf("%s:443 192.0.2.%d - r%d [%s] \"GET %s HTTP/1.1\" 200 512 \"-\" \"%s\"\n",
		v.host, v.agent+1, number, v.at.Format("02/Jan/2006:15:04:05 -0700"), v.target, historyAgents[v.agent])
}

var lineNumber = regexp.MustCompile(`^\S+ \S+ - r(\d+) `)

// logOf returns the lines of the requests of which that is to be said, or of all.
func logOf(requests []visit, which func(number int) bool) []byte {
	var log bytes.Buffer
	for i := range requests {
		if which == nil || which(i) {
			log.WriteString(requests[i].line(i))
		}
	}
	return log.Bytes()
}

// traffic makes requests of all sites by all crawlers, evenly spread over the time,
// sorted by it. Half of the paths match a rule that binds the crawler, or now and
// then another, in one of the site's files; the others are any.
func traffic(captures map[string][]observation) []visit {
	const each = 100 // of one crawler on one site
	var requests []visit
	for n, host := range slices.Sorted(maps.Keys(captures)) {
		rng := rand.New(rand.NewPCG(9309, uint64(n)))
		files := map[string]*compile.Robots{}
		for _, c := range captures[host] {
			if files[string(c.body)] == nil {
				files[string(c.body)] = compile.Compile(c.body, compile.Options{})
			}
		}
		for agent := range historyAgents {
			for range each {
				v := visit{host: host, agent: agent, target: ordinaryPath(rng)}
				v.at = historyBegins.Add(time.Duration(rng.Int64N(int64(historyEnds.Sub(historyBegins))))).Truncate(time.Second)
				file := files[string(captures[host][rng.IntN(len(captures[host]))].body)]
				if pattern := anyPattern(rng, file, tokens[agent]); rng.IntN(2) == 0 && pattern != "" {
					v.target = matching(rng, pattern)
				}
				if strings.HasPrefix(v.target, "/robots.txt") {
					v.target = "/" // a fetch would be no violation, and evidence
				}
				requests = append(requests, v)
			}
		}
	}
	slices.SortStableFunc(requests, func(x, y visit) int { return x.at.Compare(y.at) })
	return requests
}

// tokens are the product tokens of historyAgents.
var tokens = []string{"GPTBot", "ClaudeBot", "CCBot", "Googlebot", "bingbot", "AcmeBot"}

// anyPattern returns the pattern of a rule: seven times of eight one that binds the
// crawler. It is empty if there is none.
func anyPattern(rng *rand.Rand, file *compile.Robots, token string) string {
	var rules []compile.Rule
	if rng.IntN(8) > 0 {
		for _, g := range file.Bound(file.Ruleset.Machine([]byte(token))) {
			rules = append(rules, file.Groups[g].Rules...)
		}
	} else {
		for _, g := range file.Groups {
			rules = append(rules, g.Rules...)
		}
	}
	if len(rules) == 0 {
		return ""
	}
	return rules[rng.IntN(len(rules))].Value
}

var pathWords = []string{"news", "about", "en", "2025", "article-1234567", "a-long-title", "img", "index", "shop", "p"}

func word(rng *rand.Rand) string { return pathWords[rng.IntN(len(pathWords))] }

func ordinaryPath(rng *rand.Rand) string {
	path := "/"
	for range rng.IntN(4) {
		path += word(rng) + "/"
	}
	switch rng.IntN(4) {
	case 0:
		path += word(rng) + ".html"
	case 1:
		path += word(rng) + "?page=" + strconv.Itoa(rng.IntN(9))
	}
	return path
}

// matching returns a path that a pattern matches, as a client may send it.
func matching(rng *rand.Rand, pattern string) string {
	prefix, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(prefix, "*")
	path := parts[0]
	for _, part := range parts[1:] {
		path += word(rng) + part
	}
	if !whole && rng.IntN(2) == 0 {
		path += word(rng)
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	var escaped strings.Builder
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"\#`, c) >= 0 {
			fmt.Fprintf(&escaped, "%%%02X", c)
		} else {
			escaped.WriteByte(c)
		}
	}
	return escaped.String()
}

// judged is what an audit says of a part of the log.
type judged struct {
	*audit.Report
	crawlers   map[string]*audit.CrawlerInfo
	violations map[int]bool // by number
}

// judgeLog audits a log of the requests.
func judgeLog(t *testing.T, p *policy.Policy, log []byte) judged {
	t.Helper()
	violations := map[int]bool{}
	run := audit.New(audit.Config{Crawlers: crawlersKnown(t), Policy: p, Judged: func(j *audit.Judged) {
		if j.Verdict != audit.Violation {
			return
		}
		number, err := strconv.Atoi(string(lineNumber.FindSubmatch(j.Line)[1]))
		if err != nil {
			t.Error(err)
		}
		violations[number] = true
	}}).Begin()
	defer run.Close()
	f, _ := format.ByName("vhost_combined")
	run.Worker().Chunk(f, log)
	report, err := run.Report(audit.Inputs{})
	if err != nil {
		t.Fatal(err)
	}
	j := judged{report, map[string]*audit.CrawlerInfo{}, violations}
	for i := range report.Crawlers {
		c := &report.Crawlers[i]
		j.crawlers[c.Crawler] = c
	}
	if lines := int64(bytes.Count(log, []byte("\n"))); report.Totals.Requests != lines {
		t.Errorf("%d lines, but %d requests", lines, report.Totals.Requests)
	}
	if n := int64(len(j.violations)); n != report.Totals.Verdicts[audit.Violation] {
		t.Errorf("%d violations, but lines of %d", report.Totals.Verdicts[audit.Violation], n)
	}
	return j
}

// of returns what is said of a crawler.
func (j judged) of(name string) audit.CrawlerInfo {
	if c := j.crawlers[name]; c != nil {
		return *c
	}
	return audit.CrawlerInfo{}
}

func crawlersKnown(t *testing.T) *crawler.Set {
	t.Helper()
	profiles := crawler.Builtin()
	set, err := crawler.New(profiles)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// compareHistories judges the requests by the captures and by the last of each site.
// Of what is a violation only by the last file, its table has what the history says of
// it: these would be false accusations, or are such as nobody can prove.
func compareHistories(t *testing.T, folder string, captures map[string][]observation, requests []visit) {
	writeDirectory(t, folder, captures)
	rows, err := policy.ReadDirectory(folder, compile.DefaultMaxBytes, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	byHistory := newPolicy(t, rows, policy.Options{Observed: true})
	byLast := newPolicy(t, lastRows(rows), policy.Options{AssumeConstant: true})

	all := logOf(requests, nil)
	last, history := judgeLog(t, byLast, all), judgeLog(t, byHistory, all)
	// A verdict depends on the request alone, as nobody fetches robots.txt.
	avoided := judgeLog(t, byHistory, logOf(requests, func(i int) bool { return last.violations[i] && !history.violations[i] }))
	missed := judgeLog(t, byLast, logOf(requests, func(i int) bool { return history.violations[i] && !last.violations[i] }))

	table := &bytes.Buffer{}
	w := tabwriter.NewWriter(table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\trequests\tby last\tby history\tboth\tlast only:\tallowed\tgrace\tindeterminate\tno_policy\thistory only\t")
	row := func(name string, l, h, a, m audit.VerdictCounts, n int64) {
		only := l[audit.Violation] - (h[audit.Violation] - sum(m))
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, n, l[audit.Violation], h[audit.Violation],
			h[audit.Violation]-sum(m), only, a[audit.Allowed], a[audit.Grace], a[audit.Indeterminate], a[audit.NoPolicy], sum(m))
		if only != sum(a) || only != a[audit.Allowed]+a[audit.Grace]+a[audit.Indeterminate] || m[audit.Violation] != 0 {
			t.Errorf("%s: last %+v, history %+v, of last only %+v, of history only %+v", name, l, h, a, m)
		}
	}
	for _, name := range tokens {
		row(name, last.of(name).Verdicts, history.of(name).Verdicts, avoided.of(name).Verdicts, missed.of(name).Verdicts, history.of(name).Requests)
	}
	row("all", last.Totals.Verdicts, history.Totals.Verdicts, avoided.Totals.Verdicts, missed.Totals.Verdicts, history.Totals.Requests)
	w.Flush()

	wronged, missing, changed := map[string]bool{}, map[string]bool{}, 0
	for i, v := range requests {
		switch {
		case last.violations[i] && !history.violations[i] && known(captures[v.host], v.at):
			wronged[v.host] = true
		case history.violations[i] && !last.violations[i]:
			missing[v.host] = true
		}
	}
	for _, list := range captures {
		if !unchanged(list) {
			changed++
		}
	}
	unknown := int64(0)
	for _, c := range avoided.crawlers {
		unknown += c.Reasons[audit.NoVersion]
	}
	t.Logf("%d sites, %d captures; %d sites changed their file. Violations:\n\n%v\n"+
		"of the indeterminate %d are from before the first capture of their site and a day after it, or from later than a day after the last\n"+
		"violations by the last file only, later than that, are of %d sites; by the history only, of %d\n"+
		"by the last file all requests are %+v\nby the history they are %+v",
		len(captures), len(rows), changed, table, unknown, len(wronged), len(missing),
		last.Totals.Verdicts, history.Totals.Verdicts)

	checkUnchanged(t, captures, requests, last, history)
	checkPermitted(t, byHistory, requests, last, history)
	checkByTwin(t, captures, requests, last, history)
}

func sum(v audit.VerdictCounts) (n int64) {
	for _, of := range v {
		n += of
	}
	return n
}

// writeDirectory writes captures as `audit --policy` reads them.
func writeDirectory(t *testing.T, folder string, captures map[string][]observation) {
	t.Helper()
	for host, list := range captures {
		if err := os.MkdirAll(filepath.Join(folder, host), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			name := filepath.Join(folder, host, c.at.Format("2006-01-02T150405Z.txt"))
			if err := os.WriteFile(name, c.body, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// lastRows returns the last row of each origin.
func lastRows(rows []policy.Row) []policy.Row {
	last := map[origin.Origin]policy.Row{}
	for _, r := range rows {
		if r.From >= last[r.Origins[0]].From {
			last[r.Origins[0]] = r
		}
	}
	return slices.Collect(maps.Values(last))
}

func newPolicy(t *testing.T, rows []policy.Row, o policy.Options) *policy.Policy {
	t.Helper()
	p, err := policy.New(rows, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func unchanged(list []observation) bool {
	for _, c := range list {
		if !bytes.Equal(c.body, list[0].body) {
			return false
		}
	}
	return true
}

// reach is how far back from a request a copy may have been fetched, and how far
// ahead, as clocks differ.
const (
	reach = policy.MinWindow + policy.MinDelay + policy.MinSkew
	ahead = policy.MinSkew
)

// known tells whether no copy that a crawler may use is from before the first capture, or
// from a time later than the last one by more than the window.
func known(list []observation, at time.Time) bool {
	return !at.Add(-reach).Before(list[0].at) && !at.Add(-policy.MinWindow).After(list[len(list)-1].at)
}

// checkUnchanged checks that where a file never changed, both say the same, but that
// nobody is accused of what came before the file was seen, or long after.
func checkUnchanged(t *testing.T, captures map[string][]observation, requests []visit, last, history judged) {
	for i, v := range requests {
		if list := captures[v.host]; unchanged(list) {
			if history.violations[i] != (last.violations[i] && known(list, v.at)) {
				t.Fatalf("%s never changed: violation by the last file %v, by the history %v: %s",
					v.host, last.violations[i], history.violations[i], v.line(i))
			}
		}
	}
}

// checkPermitted checks that what all files of a site permit is no violation.
func checkPermitted(t *testing.T, p *policy.Policy, requests []visit, last, history judged) {
	bindings := map[string]*policy.Binding{}
	var scratch automaton.Scratch
	for i, v := range requests {
		o, err := origin.Parse("https://" + v.host)
		if err != nil {
			t.Fatal(err)
		}
		at, ok := p.Site(o[0])
		if !ok {
			t.Fatalf("no policy of %s", v.host)
		}
		key := v.host + " " + tokens[v.agent]
		if bindings[key] == nil {
			bindings[key] = p.Bind(at.First, policy.Subject{Tokens: tokens[v.agent : v.agent+1], Readings: readings(v.agent)})
		}
		forbidding := 0
		for c := range p.Copies(at.First) {
			if bindings[key].Judge(&scratch, int32(c), []byte(v.target)).Answer == policy.Forbids {
				forbidding++
			}
		}
		if forbidding == 0 && (history.violations[i] || last.violations[i]) {
			t.Fatalf("a violation that every version permits: %s", v.line(i))
		}
	}
}

func readings(agent int) []policy.Reading {
	if tokens[agent] == "Googlebot" {
		return policy.ReadingsOf(automaton.Google, true)
	}
	return policy.UnknownReadings()
}

// checkByTwin decides some of the requests by the naive matcher: violations are what
// every file forbids that may have been in force when the crawler could last have
// fetched it. What is in force between two captures is one or the other.
func checkByTwin(t *testing.T, captures map[string][]observation, requests []visit, last, history judged) {
	const every = 100
	for i := 0; i < len(requests); i += every {
		v := requests[i]
		list := captures[v.host]
		// before returns how many captures were made up to a moment.
		before := func(moment time.Time) int {
			n := 0
			for n < len(list) && !list[n].at.After(moment) {
				n++
			}
			return n
		}
		first := before(v.at.Add(-reach))
		violation := known(list, v.at)
		for n := max(first, 1) - 1; n < len(list) && n <= before(v.at.Add(ahead)); n++ {
			violation = violation && forbids(list[n].body, v)
		}
		if violation != history.violations[i] {
			t.Errorf("by the history: violation %v, want %v: %s", history.violations[i], violation, v.line(i))
		}
		if violation = forbids(list[len(list)-1].body, v); violation != last.violations[i] {
			t.Errorf("by the last file: violation %v, want %v: %s", last.violations[i], violation, v.line(i))
		}
	}
}

// forbids tells whether a file forbids a request however it may be read.
func forbids(body []byte, v visit) bool {
	token, url := []byte(tokens[v.agent]), []byte("https://"+v.host+v.target)
	google := tokens[v.agent] == "Googlebot"
	if allowed, _ := twin.Match(twin.Google, body, token, url, compile.DefaultMaxBytes, !google); allowed {
		return false
	}
	if google {
		return true
	}
	allowed, _ := twin.Match(twin.RFC9309, body, token, url, compile.DefaultMaxBytes, false)
	return !allowed
}
