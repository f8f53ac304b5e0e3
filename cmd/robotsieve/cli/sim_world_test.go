package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A world is all that an audit is given, in a form of which the truth can be
// told: the versions of robots.txt of some origins, lists of addresses, and
// requests, each with the line that a server would have logged. What the
// audit must say of it is told by simOracle.
//
// Times are seconds since 1970, because logs and manifests have no finer ones
// here.

const (
	minute = int64(60)
	hour   = 60 * minute
	day    = 24 * hour

	beginning = int64(-1) << 60 // before all time
	end       = int64(1) << 60  // after all time
)

// simEpoch is when the worlds begin.
var simEpoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Unix()

// simOrigin is an origin in normal form. In a request, parts that the log does
// not tell are zero.
type simOrigin struct {
	scheme, host string
	port         int
}

// simDefaultPort is the port of a request of which nothing but this is known: that it
// is the scheme's own.
const simDefaultPort = -1

var simPorts = map[string]int{"http": 80, "https": 443, "ftp": 21}

func (o simOrigin) String() string {
	s := o.host
	if o.scheme != "" {
		s = o.scheme + "://" + s
	}
	if o.port != 0 && o.port != simPorts[o.scheme] {
		s += ":" + strconv.Itoa(o.port)
	}
	return s
}

// compareOrigins is the order in which origins are listed.
func compareOrigins(x, y simOrigin) int {
	return cmp.Or(cmp.Compare(x.host, y.host), cmp.Compare(x.port, y.port), cmp.Compare(x.scheme, y.scheme))
}

// simBot is a crawler, with what its operator says of it.
type simBot struct {
	name, operator string
	tokens         []string
	also           [][]string // of further products with the same header
	google         bool       // reads by the google dialect
	noStar         bool       // * does not bind it
	noDelay        bool       // it does not support Crawl-delay
	exempt         bool
	fetcher        bool   // by its role
	publishes      bool   // a way to verify it
	unknown        bool   // not in the data
	nameless       bool   // its header has bare words only
	loose          bool   // no page of its operator names a token for this header
	word           string // in its header, if that is none of its tokens
	agent          string
}

// simKnown are crawlers of the data file; TestSimulatorKnowsItsCrawlers compares.
var simKnown = []*simBot{
	{name: "Googlebot", operator: "Google", tokens: []string{"Googlebot"}, also: [][]string{{"Googlebot-News", "Googlebot"}}, google: true, noDelay: true, publishes: true,
		agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
	{name: "Googlebot-Image", operator: "Google", tokens: []string{"Googlebot-Image", "Googlebot"}, google: true, noDelay: true, publishes: true,
		agent: "Googlebot-Image/1.0"},
	{name: "AdsBot-Google", operator: "Google", tokens: []string{"AdsBot-Google"}, google: true, noDelay: true, noStar: true, publishes: true,
		agent: "AdsBot-Google (+http://www.google.com/adsbot.html)"},
	{name: "Storebot-Google", operator: "Google", tokens: []string{"Storebot-Google"}, google: true, noDelay: true, publishes: true,
		agent: "Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/88.0.4324.175 Safari/537.36"},
	{name: "GPTBot", operator: "OpenAI", tokens: []string{"GPTBot"}, publishes: true,
		agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)"},
	{name: "OAI-SearchBot", operator: "OpenAI", tokens: []string{"OAI-SearchBot"}, publishes: true,
		agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)"},
	{name: "ChatGPT-User", operator: "OpenAI", tokens: []string{"ChatGPT-User"}, exempt: true, fetcher: true, publishes: true,
		agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)"},
	{name: "ClaudeBot", operator: "Anthropic", tokens: []string{"ClaudeBot"}, publishes: true,
		agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)"},
	{name: "Claude-User", operator: "Anthropic", tokens: []string{"Claude-User"}, fetcher: true, publishes: true,
		agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)"},
	{name: "bingbot", operator: "Microsoft", tokens: []string{"bingbot", "msnbot"}, publishes: true,
		agent: "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"},
	{name: "MJ12bot", operator: "Majestic", tokens: []string{"MJ12bot"},
		agent: "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)"},
	{name: "CCBot", operator: "Common Crawl", tokens: []string{"CCBot"}, publishes: true,
		agent: "CCBot/2.0 (https://commoncrawl.org/faq/)"},
	{name: "PetalBot", operator: "Huawei", tokens: []string{"PetalBot"}, publishes: true, loose: true, word: "AspiegelBot",
		agent: "Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; AspiegelBot)"},
	{name: "YisouSpider", operator: "Shenma", tokens: []string{"YisouSpider"}, loose: true, // no page of its operator is known
		agent: "Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/61.0.3163.100 Safari/537.36 YisouSpider/5.0"},
	{name: "Twitterbot", operator: "X", tokens: []string{"Twitterbot"}, fetcher: true, agent: "Twitterbot/1.0"},
}

// simStrangers are crawlers that are in no data file.
var simStrangers = []*simBot{
	{name: "(without a name)", operator: "unknown", tokens: []string{"crawler"}, unknown: true, nameless: true, agent: "crawler/2.0"},
	stranger("FooSpider", "FooSpider/1.2 (+https://foospider.example/about)"),
	stranger("tiny-fetcher9", "tiny-fetcher9/0.1"),
	stranger("Bar_crawl", "Mozilla/5.0 (compatible; Bar_crawl/3.0; ops@bar.example)"),
}

func stranger(word, agent string) *simBot {
	return &simBot{name: word, operator: "unknown", tokens: []string{word}, unknown: true, agent: agent}
}

func simBotNamed(name string) *simBot {
	for _, b := range slices.Concat(simKnown, simStrangers) {
		if b.name == name {
			return b
		}
	}
	panic("no such crawler: " + name)
}

// Kinds of simRow besides statuses.
const unreachableStatus = 0

// simRow is one row of a manifest.
type simRow struct {
	as       string      // the origin as the manifest spells it
	origins  []simOrigin // what it means
	from     int64
	status   int // or unreachableStatus
	body     string
	hasBody  bool
	maxAge   int64  // seconds, 0: none
	location string // as the manifest spells it, of a redirect
	target   simOrigin
	outside  bool // location leads out of the source, or is missing
}

// simRanges is one list of addresses of a crawler.
type simRanges struct {
	bot      *simBot
	file     string    // if not empty, the operator's name of the list, by which it is given
	also     []*simBot // the other crawlers that it is for
	prefixes []string
	created  int64  // 0: undated
	form     int    // 0: prefixes as JSON, 1: addresses as JSON, 2: plain, with its day in the argument
	series   string // if not empty, the folder of dated lists that it is in
}

// simRequest is one line of the log with what it means.
type simRequest struct {
	line string // without its newline

	blank, garbage bool
	bot            *simBot // nil: no crawler
	rival          *simBot // a second crawler that the header names, of another operator
	wrap           string  // if not empty, what is added to the crawler's own header, which is %s or has "not" before its name
	foreign        bool    // what is added makes nobody's header of it
	agent          string  // the header
	library        bool    // no crawler, but an HTTP library
	at             simOrigin
	hostless       bool // the line does not say where it went
	addr           string
	time           int64
	timeless       bool
	method, target string
	path           string // target without scheme and authority
	status         int
	size           int64 // -1: none logged
	truncated      bool

	want     string // in worked cases: the verdict
	identity string // in worked cases: the identity, if that is asked
}

// simWorld is a world.
type simWorld struct {
	seed     uint64
	constant bool // --robots with the only row's body
	rows     []simRow
	observed bool
	assume   bool
	window   int64 // --window in seconds, 0: not given; delay and skew alike
	delay    int64
	skew     int64
	hosts    []string // --host
	judged   []simOrigin
	format   string
	crawlers string // --crawlers, content of the file
	ranges   []simRanges
	requests []simRequest
}

// any tells whether one robots.txt is for every line, wherever it went.
func (w *simWorld) any() bool { return w.constant && len(w.hosts) == 0 }

// origins returns what is judged: --host if given, else all of the source, in order.
func (w *simWorld) origins() []simOrigin {
	if w.any() {
		return []simOrigin{{}}
	}
	var all []simOrigin
	if len(w.judged) > 0 {
		all = slices.Clone(w.judged)
	} else {
		for _, r := range w.rows {
			all = append(all, r.origins...)
		}
	}
	slices.SortFunc(all, compareOrigins)
	return slices.Compact(all)
}

// isZoneless reports whether the log's times name no zone.
func (w *simWorld) isZoneless() bool { return strings.Contains(w.format, "zoneless") }

// hasHosts reports whether the log has a field for the host.
func (w *simWorld) hasHosts() bool { return strings.HasPrefix(w.format, "vhost") }

// log returns the lines of some requests.
func simLog(requests []simRequest) string {
	var b strings.Builder
	for _, r := range requests {
		b.WriteString(r.line)
		b.WriteByte('\n')
	}
	return b.String()
}

// write puts everything but the log into a folder and returns the arguments that
// name it.
func (w *simWorld) write(t testing.TB, dir string) []string {
	t.Helper()
	put := func(name, content string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	args := []string{"audit", "--output", "json", "--format", w.format}
	if w.constant {
		args = append(args, "--robots", put("robots.txt", w.rows[0].body))
	} else {
		args = append(args, "--policy", put("manifest.csv", w.manifest(put)))
	}
	if w.observed {
		args = append(args, "--history", "observed")
	}
	if w.assume {
		args = append(args, "--assume-constant")
	}
	for _, span := range []struct {
		flag    string
		seconds int64
	}{{"--window", w.window}, {"--delay", w.delay}, {"--skew", w.skew}} {
		if span.seconds != 0 {
			args = append(args, span.flag, fmt.Sprintf("%dm", span.seconds/minute))
		}
	}
	for _, h := range w.hosts {
		args = append(args, "--host", h)
	}
	if w.crawlers != "" {
		args = append(args, "--crawlers", put("crawlers.json", w.crawlers))
	}
	folders := map[string]bool{}
	for i, r := range w.ranges {
		file, dated := fmt.Sprintf("ranges%d.txt", i), ""
		if r.created != 0 {
			dated = time.Unix(r.created, 0).UTC().Format("2006-01-02")
		}
		if r.series != "" {
			file = filepath.Join(r.series, dated+".txt")
			if err := os.MkdirAll(filepath.Join(dir, r.series), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		name := put(file, r.content())
		switch {
		case folders[r.series]:
			continue
		case r.series != "":
			folders[r.series], name = true, filepath.Dir(name)
		case r.form == 2 && dated != "":
			name += "@" + dated
		}
		// Names compare in any case.
		args = append(args, "--ip-ranges", strings.ToLower(cmp.Or(r.file, r.bot.name))+"="+name)
	}
	return args
}

// manifest returns the manifest, having put its bodies into files: one file for
// each distinct body.
func (w *simWorld) manifest(put func(name, content string) string) string {
	var b strings.Builder
	b.WriteString("from,origin,status,file,max_age,location\n")
	files := map[string]string{}
	for _, r := range w.rows {
		status, name, age := strconv.Itoa(r.status), "", ""
		if r.status == unreachableStatus {
			status = "unreachable"
		}
		if r.hasBody {
			if name = files[r.body]; name == "" {
				name = fmt.Sprintf("body%d.txt", len(files))
				files[r.body] = name
				put(name, r.body)
			}
		}
		if r.maxAge != 0 {
			age = strconv.FormatInt(r.maxAge, 10)
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s,%s,%s\n", rfc3339(r.from), r.as, status, name, age, r.location)
	}
	return b.String()
}

// rfc3339 writes a time as manifests and reports do; before all time is empty.
func rfc3339(at int64) string {
	if at == beginning {
		return ""
	}
	return time.Unix(at, 0).UTC().Format(time.RFC3339)
}

// content returns the list in one of the published forms.
func (r simRanges) content() string {
	if r.form == 2 {
		return strings.Join(r.prefixes, "\n") + "\n"
	}
	list, v4, v6 := "prefixes", "ipv4Prefix", "ipv6Prefix"
	if r.form == 1 {
		list, v4, v6 = "ips", "ip_address", "ip_address"
	}
	var entries []map[string]string
	for _, p := range r.prefixes {
		key := v4
		if strings.Contains(p, ":") {
			key = v6
		}
		entries = append(entries, map[string]string{key: p})
	}
	content := map[string]any{list: entries}
	if r.created != 0 {
		// Without a zone, which means UTC.
		content["creationTime"] = time.Unix(r.created, 0).UTC().Format("2006-01-02T15:04:05.000000")
	}
	data, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// simNoZone is the zone of a log whose times name none.
const simNoZone = -1

// logTime writes a time as the common log format does, in a zone so many seconds
// east.
func logTime(at int64, zone int) string {
	return time.Unix(at, 0).In(time.FixedZone("", zone)).Format("02/Jan/2006:15:04:05 -0700")
}

// render sets the line of a request from what it means. host is the host field as
// the server spells it, empty where the format has none.
func (r *simRequest) render(host string, zone int) {
	if host != "" {
		host += " "
	}
	when := logTime(r.time, zone)
	if zone == simNoZone {
		when = strings.TrimSuffix(logTime(r.time, 0), " +0000")
	}
	if r.timeless {
		when = strings.Replace(when, when[:20], "31/Foo/2026:25:61:61", 1)
	}
	protocol := " HTTP/1.1"
	if r.truncated {
		protocol = ""
	}
	size := "-"
	if r.size >= 0 {
		size = strconv.FormatInt(r.size, 10)
	}
	r.agent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"
	switch {
	case r.bot != nil:
		r.agent = r.bot.agent
	case r.library:
		r.agent = "curl/8.5.0"
	}
	if r.rival != nil {
		r.agent += " " + r.rival.agent
	}
	switch r.wrap {
	case "":
	case "not":
		word := cmp.Or(r.bot.word, r.bot.tokens[0])
		r.agent = strings.Replace(r.agent, word, "not "+word, 1)
	default:
		r.agent = fmt.Sprintf(r.wrap, r.agent)
	}
	r.line = fmt.Sprintf(`%s%s - - [%s] "%s %s%s" %d %s "-" "%s"`, host, r.addr, when, r.method,
		strings.ReplaceAll(r.target, `"`, `\x22`), protocol, r.status, size, r.agent)
}
