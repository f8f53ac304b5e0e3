package judge_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// A world is all that an audit is given, in a form of which the truth can be told: the versions of
// robots.txt of some origins, lists of addresses, and requests, each with the line that a server
// would have logged. simOracle determines what the audit must report.
//
// Times are seconds since 1970, because logs and manifests have no finer ones here.

const (
	minute = int64(60)
	hour   = 60 * minute
	day    = 24 * hour

	beginning = int64(-1) << 60 // before all time
	end       = int64(1) << 60  // after all time
)

// simEpoch is when the worlds begin.
var simEpoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Unix()

// simOrigin is an origin in normal form. In a request, parts that the log does not tell are zero.
type simOrigin struct {
	scheme, host string
	port         int
}

// simDefaultPort is the port of a request of which nothing but this is known: that it is the scheme's own.
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
	pages          bool   // of its operator are known
	loose          bool   // no page of its operator names a token for this header
	word           string // in its header, if that is none of its tokens
	agent          string
}

// simKnown returns crawlers of the data, which says all but the header of them. It is read when it is asked for:
// TestGuardStart measures what is made before.
var simKnown = sync.OnceValue(func() (list []*simBot) {
	profiles := crawler.Builtin()
	for _, name := range strings.Fields("Googlebot Googlebot-Image AdsBot-Google Storebot-Google GPTBot OAI-SearchBot " +
		"ChatGPT-User ClaudeBot Claude-User bingbot MJ12bot CCBot PetalBot YisouSpider Twitterbot") {
		p := profiles[slices.IndexFunc(profiles, func(p crawler.Profile) bool { return p.Name == name })]
		b := &simBot{name: name, operator: p.Operator, tokens: p.Tokens, also: p.Also, google: p.Dialect == "google",
			noStar: p.IgnoresWildcard, noDelay: p.CrawlDelay == "no", exempt: p.Exempt != "", fetcher: p.IsFetcher(),
			publishes: p.Verify != "", agent: "Mozilla/5.0 (compatible; " + name + "/1.2; +" + cmp.Or(p.Source, "https://bot.example/about") + ")"}
		b.pages = slices.ContainsFunc(profiles, func(of crawler.Profile) bool {
			return of.Operator == p.Operator && len(of.Sites) > 0
		})
		switch name {
		case "PetalBot":
			b.loose, b.word, b.agent = true, "AspiegelBot", "Mozilla/5.0 (Linux; Android 7.0;) AppleWebKit/537.36 "+
				"(KHTML, like Gecko) Mobile Safari/537.36 (compatible; AspiegelBot)"
		case "YisouSpider":
			b.loose, b.agent = true, "Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) "+
				"Chrome/61.0.3163.100 Safari/537.36 YisouSpider/5.0"
		}
		list = append(list, b)
	}
	return list
})

// simStrangers are crawlers that are in no data file.
var simStrangers = []*simBot{
	{name: "(without a name)", operator: "unknown", tokens: []string{"crawler"}, unknown: true, nameless: true,
		agent: "crawler/2.0"},
	stranger("FooSpider", "FooSpider/1.2 (+https://foospider.example/about)"),
	stranger("tiny-fetcher9", "tiny-fetcher9/0.1"),
	stranger("Bar_crawl", "Mozilla/5.0 (compatible; Bar_crawl/3.0; ops@bar.example)"),
}

func stranger(word, agent string) *simBot {
	return &simBot{name: word, operator: "unknown", tokens: []string{word}, unknown: true, agent: agent}
}

func simBotNamed(name string) *simBot {
	for _, b := range slices.Concat(simKnown(), simStrangers) {
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
	requestless    bool    // it carries no HTTP request
	bot            *simBot // nil: no crawler
	rival          *simBot // a second crawler that the header names, of another operator
	// if not empty, what is added to the crawler's own header, which is %s or has "not" before its name
	wrap           string
	foreign        bool   // what is added makes nobody's header of it
	agent          string // the header
	library        bool   // no crawler, but an HTTP library
	at             simOrigin
	hostless       bool // the line does not say where it went
	addr           string
	time           int64
	timeless       bool
	method, target string
	wholeURL       bool   // target has a field of its own
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

// any reports whether one robots.txt is for every line, wherever it went.
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

// write puts everything but the log into a folder and returns the options that name it.
func (w *simWorld) write(t testing.TB, dir string) job.AuditOptions {
	t.Helper()
	seconds := func(n int64) time.Duration { return time.Duration(n) * time.Second }
	var o job.AuditOptions
	o.Format, o.AssumeConstant, o.Hosts = w.format, w.assume, w.hosts
	o.Window, o.Delay, o.Skew = seconds(w.window), seconds(w.delay), seconds(w.skew)
	put := func(name, content string) string {
		name = filepath.Join(dir, name)
		write(t, name, content)
		return name
	}
	if w.constant {
		o.Robots.Name = put("robots.txt", w.rows[0].body)
	} else {
		o.Policy = put("manifest.csv", w.manifest(put))
	}
	if w.observed {
		o.History = "observed"
	}
	if w.crawlers != "" {
		o.Crawlers = put("crawlers.json", w.crawlers)
	}
	folders := map[string]bool{}
	for i, r := range w.ranges {
		file, dated := fmt.Sprintf("ranges%d.txt", i), ""
		if r.created != 0 {
			dated = time.Unix(r.created, 0).UTC().Format("2006-01-02")
		}
		if r.series != "" {
			file = filepath.Join(r.series, dated+".txt")
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
		o.Ranges = append(o.Ranges, strings.ToLower(cmp.Or(r.file, r.bot.name))+"="+name)
	}
	return o
}

// manifest returns the manifest, having put its bodies into files: one file for each distinct body.
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

// logTime writes a time as the common log format does, in a zone so many seconds east.
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
	if r.wholeURL {
		r.line = fmt.Sprintf(`%s [%s] "%s" %s %d %s "%s"`, r.addr, when, r.method, r.target, r.status, size, r.agent)
		return
	}
	r.line = fmt.Sprintf(`%s%s - - [%s] "%s %s%s" %d %s "-" "%s"`, host, r.addr, when, r.method,
		strings.ReplaceAll(r.target, `"`, `\x22`), protocol, r.status, size, r.agent)
}

// The generator of worlds: the same seed makes the same world.

// simMaker makes one world.
type simMaker struct {
	r      *rand.Rand
	w      *simWorld
	bodies []string
	ages   []int64 // max_age that goes with each body
	bots   []*simBot
	padded int64   // by so much the server makes every body longer
	ports  bool    // the log has the port
	turns  []int64 // when something changes
	odd    int     // of a hundred answers, those with a size that no version has
	calm   bool    // versions stay for long, most of them are the first body, and what is between them failed
	last   *simVisit
}

// simVisit is a crawler's last request: it often comes back.
type simVisit struct {
	bot  *simBot
	addr string
	time int64
	at   simOrigin

	robots bool // it was for robots.txt
}

const simDays = 160 // that a world lasts

func makeWorld(seed uint64) *simWorld {
	m := &simMaker{r: rand.New(rand.NewPCG(seed, 0x51e7e)), w: &simWorld{seed: seed, format: "vhost_combined"},
		ports: true}
	m.makeBots()
	m.makeBodies()
	switch {
	case m.chance(20):
		m.padded = 17
	case m.chance(40):
		m.odd = pick(m.r, []int{1, 5, 40})
	}
	switch seed % 10 {
	case 0: // --robots, no host anywhere
		m.w.constant, m.w.format = true, "combined"
		m.w.rows = []simRow{{body: m.bodies[0], hasBody: true}}
	case 1: // --robots, with hosts
		m.w.constant = true
		m.w.rows = []simRow{{body: m.bodies[0], hasBody: true}}
		m.judgeSome(pick(m.r, simPlaces[:4]), simPlaces[4])
	case 2:
		m.w.observed = true
		m.makeRows()
	case 3:
		m.w.assume = true
		m.makeRows()
	case 4:
		m.w.window = pick(m.r, []int64{0, 48 * hour, 72 * hour})
		m.w.delay = pick(m.r, []int64{0, 6 * hour})
		m.w.skew = pick(m.r, []int64{0, 30 * minute})
		m.makeRows()
	case 5: // ports are not logged, so schemes are not known
		m.ports = false
		m.makeRows()
	case 6: // no host is logged
		m.w.format = "combined"
		m.makeRows()
		if m.chance(60) {
			m.judgeSome(placeOf(m.w.rows[0]))
		}
	case 7: // only some of the source
		m.makeRows()
		m.judgeSome(placeOf(m.w.rows[0]))
	default:
		m.makeRows()
	}
	if m.chance(20) {
		m.w.format = strings.Replace(m.w.format, "combined", "zoneless_combined", 1)
	}
	m.makeRanges()
	m.makeRequests()
	return m.w
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// chance is true n times of a hundred.
func (m *simMaker) chance(n int) bool { return m.r.IntN(100) < n }

// simPlace is an origin and how a manifest or a user may spell it.
type simPlace struct {
	at   simOrigin
	as   string
	also []simOrigin // what a bare host stands for besides
}

// origins returns all origins that the place stands for.
func (p simPlace) origins() []simOrigin { return append([]simOrigin{p.at}, p.also...) }

// placeOf returns the place of a row.
func placeOf(r simRow) simPlace { return simPlace{r.origins[0], r.as, r.origins[1:]} }

var simPlaces = []simPlace{
	{simOrigin{"https", "example.com", 443}, "https://example.com", nil},
	{simOrigin{"http", "example.com", 80}, "HTTP://Example.COM.:80", nil},
	{simOrigin{"https", "example.com", 8443}, "https://example.com:8443", nil},
	{simOrigin{"https", "www.xn--exmple-cua.com", 443}, "https://www.exämple.com", nil},
	{simOrigin{"https", "212.96.82.21", 443}, "https://212.96.82.21", nil},
	{simOrigin{"http", "shop.example.org", 80}, "http://shop.example.org", nil},
	{simOrigin{"https", "shop.example.org", 443}, "https://shop.example.org:443", nil},
	{simOrigin{"http", "bare.example.org", 80}, "bare.example.org", []simOrigin{{"https", "bare.example.org", 443}}},
}

// judgeSome restricts what is judged by --host.
func (m *simMaker) judgeSome(places ...simPlace) {
	for _, p := range places {
		m.w.hosts = append(m.w.hosts, p.as)
		m.w.judged = append(m.w.judged, p.origins()...)
	}
}

// makeBots chooses who crawls.
func (m *simMaker) makeBots() {
	for _, b := range simKnown() {
		if m.chance(70) {
			m.bots = append(m.bots, b)
		}
	}
	m.bots = append(m.bots, simStrangers[:1+m.r.IntN(len(simStrangers))]...)
}

var (
	simRulePaths = []string{
		"/", "/private/", "/private/open", "/a/", "/a/b", "/p", "/*.pdf$", "/search?q=", "/a%7Eb", "/x y", "/caf%C3%A9",
		"*", "", "/$", "/p/*/print", "/robots.txt", "/blog/", "/%41", "a", "/index.html", "/q\"x",
	}
	simTargets = []string{
		"/", "/private/", "/private/open/x", "/private/doc.pdf", "/a/", "/a/b/c", "/p", "/p/1/print", "/x.pdf",
		"/search?q=robots", "/a~b", "/a%7Eb", "/x%20y", "/x", "/caf%C3%A9", "/caf%c3%a9", "/blog/robots.txt",
		"/robots.txt?x", "/A", "/%41", "/index.html", "/nothing", "/a", "//a/b", "/q\"x", "//robots.txt",
		"/private/map.xml", "/x/../private/doc.pdf", "/%70rivate/", "/private//doc.pdf", "/./a/b?x=/../y",
		"/private/./open/x", "/private/../nothing", "/private/%2e%2E/x", "/a/../p", "/x/../robots.txt", "/p/1/..", "/%61/b",
		"/p%2F",
	}
	simAgentLines = []string{
		"*", "Googlebot", "Googlebot-Image", "AdsBot-Google", "GPTBot", "ClaudeBot", "Claude-User", "bingbot", "msnbot",
		"MJ12bot", "MJ", "FooSpider", "OAI-SearchBot", "tiny-fetcher9", "Bar_crawl", "googlebot", "CCBot/2.0",
		"Googlebot-News", "Foo", "tiny-fetcher", "crawl", "Mozilla", "compatible", "chrome", "AspiegelBot", "PetalBot",
		"Yisou", "example",
	}
	simBetween = []string{"", "", "# a: b\n", "\n", "Host: example.com\n",
		"Sitemap: https://example.com/private/map.xml\n", "Noindex: /x\n", "Clean-param: a b\n"}
	simKeys = []string{
		"Disallow", "Disallow", "Disallow", "Disallow", "Disallow", "disallow", "Dissalow", "Disalow", "Allow", "Allow",
	}
)

// makeBodies makes the robots.txt files of which the versions are. They share rules, as the files of one site do.
func (m *simMaker) makeBodies() {
	var pool []string
	for range 6 {
		pool = append(pool, pick(m.r, simKeys)+": "+pick(m.r, simRulePaths))
	}
	pool = append(pool, "Disallow: /private/", "Disallow: /a")
	for range 4 {
		var b strings.Builder
		if m.chance(20) {
			b.WriteString("# of this site\n\n")
		}
		if m.chance(30) {
			fmt.Fprintf(&b, "Sitemap: %v/private/map.xml\n", pick(m.r, simPlaces).at)
		}
		agents := map[string]bool{}
		for range 1 + m.r.IntN(5) {
			agent := pick(m.r, simAgentLines)
			if len(agents) == 0 && m.chance(70) {
				agent = "*"
			}
			if agents[strings.ToLower(agent)] {
				continue
			}
			agents[strings.ToLower(agent)] = true
			fmt.Fprintf(&b, "User-agent: %s\n", agent)
			alone := true
			for m.chance(30) {
				// What else is between lines of agents ends their run to many a parser.
				other := pick(m.r, simAgentLines)
				if agents[strings.ToLower(other)] {
					break
				}
				agents[strings.ToLower(other)], alone = true, false
				fmt.Fprintf(&b, "%sUser-agent: %s\n", pick(m.r, simBetween), other)
			}
			for range 1 + m.r.IntN(5) {
				fmt.Fprintf(&b, "%s\n", pick(m.r, pool))
			}
			if alone && m.chance(25) {
				fmt.Fprintf(&b, "Crawl-delay: %s\n", pick(m.r, []string{"10", "0.5", "3600"}))
			}
			// Without a rule the next group would be one with this.
			fmt.Fprintf(&b, "Disallow: /never-asked-for\n")
		}
		m.bodies = append(m.bodies, b.String())
		m.ages = append(m.ages, pick(m.r, []int64{0, 0, 0, hour, 3 * day, 10 * day}))
	}
}

// makeRows makes the versions of some origins.
func (m *simMaker) makeRows() {
	places := []simPlace{}
	for _, p := range simPlaces {
		if m.chance(50) && (m.ports || p.at.port != 8443) {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		places = simPlaces[:2]
	}
	followed := !m.w.observed && len(places) > 1 && m.chance(40)
	for _, p := range places {
		at := simEpoch + int64(m.r.IntN(20*24)-10*24)*hour
		if m.chance(60) {
			at -= 90 * day
		}
		for at < simEpoch+simDays*day {
			row := simRow{as: p.as, origins: p.origins(), from: at}
			m.fill(&row, places, followed)
			m.w.rows = append(m.w.rows, row)
			m.turns = append(m.turns, at)
			at += m.stay(row.status)
		}
	}
	m.r.Shuffle(len(m.w.rows), func(i, j int) { m.w.rows[i], m.w.rows[j] = m.w.rows[j], m.w.rows[i] })
}

// fill decides what a version is.
func (m *simMaker) fill(row *simRow, places []simPlace, followed bool) {
	if m.calm {
		row.status = pick(m.r, []int{200, 200, 200, 200, 503, 500, unreachableStatus})
		if i := m.r.IntN(6) % len(m.bodies); row.status == 200 {
			row.body, row.hasBody, row.maxAge = m.bodies[max(0, i-2)], true, m.ages[max(0, i-2)]
		}
		return
	}
	row.status = pick(m.r, []int{200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 404, 403, 429, 503, 500,
		unreachableStatus, 204, 301, 410, 408, 444, 499, 600})
	switch {
	case row.status == 301 && followed && m.chance(80):
		// Of what leads elsewhere a max_age would be ambiguous: there are none then.
		to := pick(m.r, places)
		row.target, row.location = to.at, to.at.String()+"/robots.txt"
		if m.chance(10) {
			row.outside, row.location = true, "https://elsewhere.example/robots.txt"
		}
	case row.status == 301:
		row.outside, row.location = true, pick(m.r, []string{"", "https://elsewhere.example/robots.txt"})
	case row.status == 200:
		i := m.r.IntN(len(m.bodies))
		row.body, row.hasBody = m.bodies[i], true
		if !followed {
			row.maxAge = m.ages[i]
		}
	case !followed && m.chance(20):
		row.maxAge = pick(m.r, m.ages)
	}
}

// stay is how long a version lasts.
func (m *simMaker) stay(status int) int64 {
	switch {
	case m.calm && !isFailure(status, true):
		return int64(5+m.r.IntN(50))*day + int64(m.r.IntN(86400))
	case isFailure(status, true) && m.chance(25):
		return 40 * day
	case m.chance(10):
		return 30 + int64(m.r.IntN(300)) // seconds
	case m.chance(30):
		return int64(m.r.IntN(30))*hour + 17*minute
	}
	return int64(1+m.r.IntN(15))*day + int64(m.r.IntN(24))*hour
}

// Addresses of a crawler, by its place in the data, and others.
func simHome(b *simBot) []string {
	for i, known := range simKnown() {
		if known == b {
			return []string{fmt.Sprintf("66.%d.64.0/27", 10+i), fmt.Sprintf("2a00:%d::/64", 1000+i),
				fmt.Sprintf("66.%d.65.7", 10+i)}
		}
	}
	return []string{"185.12.1.0/28", "2a00:999::/64", "185.12.2.2"}
}

// address returns an address of a crawler, or by chance one that is not its own, or one of which nothing can be known.
func (m *simMaker) address(b *simBot) string {
	if m.chance(12) {
		return pick(m.r, []string{
			"10.1.2.3", "192.168.0.9", "172.16.5.5", "127.0.0.1", "100.64.1.1", "169.254.1.1", "fe80::1", "fd00::17", "::1",
			"a3f5c9e0d1", "host.example.net",
		})
	}
	if m.chance(15) {
		return pick(m.r, []string{"203.0.113.9", "198.51.100.77", "2001:db8::5", "100.128.0.1", "45.9.8.7"})
	}
	home := simHome(b)
	last := m.r.IntN(16)
	return pick(m.r, []string{
		strings.Replace(home[0], ".0/27", fmt.Sprintf(".%d", last), 1),
		strings.Replace(strings.Replace(home[0], ".0/27", fmt.Sprintf(".%d", last), 1), ".0/28", fmt.Sprintf(".%d", last), 1),
		strings.Replace(home[1], "/64", fmt.Sprintf("%x", last+1), 1),
		home[2],
	}[1:])
}

// makeRanges gives the lists of some crawlers, dated or not, one or two.
func (m *simMaker) makeRanges() {
	for _, b := range m.bots {
		if b.unknown || m.chance(40) {
			continue
		}
		lists := [][]string{simHome(b)}
		switch { // repeated names add up
		case m.chance(20):
			lists = [][]string{simHome(b)[:1], simHome(b)[1:]}
		case m.chance(40):
			lists = [][]string{simHome(b), simHome(b), simHome(b)}
		}
		series := m.chance(30)
		for _, prefixes := range lists {
			l := simRanges{bot: b, prefixes: prefixes, form: m.r.IntN(3)}
			if l.form == 1 { // single addresses
				l.prefixes = []string{simHome(b)[2], strings.Replace(simHome(b)[1], "/64", "3", 1)}
			}
			if m.chance(25) { // of one family
				l.prefixes = pick(m.r, [][]string{l.prefixes[:1], l.prefixes[1:2]})
			}
			if m.chance(75) {
				l.created = simEpoch + int64(m.r.IntN(simDays))*day
				if m.chance(10) {
					l.created += pick(m.r, []int64{-365 * day, -300 * day, 300 * day})
				}
				if l.form != 2 {
					l.created += int64(m.r.IntN(24)) * hour
				}
			}
			day := time.Unix(l.created, 0).UTC().Format(time.DateOnly)
			same := slices.ContainsFunc(m.w.ranges, func(o simRanges) bool {
				return o.series == b.name && time.Unix(o.created, 0).UTC().Format(time.DateOnly) == day
			})
			if series && l.form == 2 && l.created != 0 && !same {
				l.series = b.name
			}
			m.w.ranges = append(m.w.ranges, l)
		}
	}
}

// makeRequests makes the log.
func (m *simMaker) makeRequests() {
	garbage := 0 // more than 5 % would make the report partial
	for range 250 + m.r.IntN(350) {
		switch n := m.r.IntN(100); {
		case n < 2:
			m.w.requests = append(m.w.requests, simRequest{blank: true, line: pick(m.r, []string{"", "\r"})})
		case n == 99:
			m.w.requests = append(m.w.requests, simRequest{requestless: true, line: m.requestless()})
		case n < 5 && 30*garbage < len(m.w.requests):
			garbage++
			m.w.requests = append(m.w.requests, simRequest{garbage: true, line: m.garbage()})
		default:
			m.w.requests = append(m.w.requests, m.request())
		}
	}
}

// requestless is a line of a connection without a request.
func (m *simMaker) requestless() string {
	line := fmt.Sprintf(`1.2.3.4 - - [%s] `, logTime(simEpoch, 0))
	if m.w.isZoneless() {
		line = fmt.Sprintf(`1.2.3.4 - - [%s] `, strings.TrimSuffix(logTime(simEpoch, 0), " +0000"))
	}
	if m.w.hasHosts() {
		line = "example.com:443 " + line
	}
	return line + pick(m.r, []string{`"-" 408 0 "-" "-"`, `"\x16\x03\x01" 400 0 "-" "-"`, `"" 400 226 "-" ""`,
		`"-" 000 0 "-" "-"`})
}

func (m *simMaker) garbage() string {
	line := fmt.Sprintf(`1.2.3.4 - - [%s] `, logTime(simEpoch, 0))
	if m.w.hasHosts() {
		line = "example.com:443 " + line
	}
	return pick(m.r, []string{
		line + `"-" 408 0 "-" "GPTBot/1.0"`, line + `"-" 200 0 "-" "-"`, line + `"GET /private/ HTTP/1.1" 200 5 "-`,
		"GPTBot", "\x00\x01\xfe GPTBot /private/", line + `"GET" 400 0 "-" "GPTBot/1.0"`,
	})
}

// moment is a time near which something may change, or any.
func (m *simMaker) moment() int64 {
	if len(m.turns) == 0 || m.chance(35) {
		return simEpoch + int64(m.r.IntN((simDays+5)*86400)) - 5*day
	}
	skew := simSkew
	if m.w.isZoneless() {
		skew += 14 * hour
	}
	span := simWindow + simLate + skew
	after := []int64{
		-hour, -skew - 1, -skew, -skew + 1, 0, 1, skew, skew + 1, hour, 2 * hour, 12 * hour, 23 * hour, 24 * hour, 24*hour +
			1, 25 * hour, span - 1, span,
		span + 1, span + minute, 28 * hour, 3*day + skew, 3*day + span, 10 * day, 29*day - 1, 29 * day, 30 * day, 39 * day,
		60 * day, 60*day + span - 1, 60*day + span,
		60*day + span + 1, 63*day + span, 70*day + span - 1, 70*day + span,
	}
	return pick(m.r, m.turns) + pick(m.r, after)
}

// request makes one request, of a crawler mostly.
func (m *simMaker) request() simRequest {
	r := simRequest{method: "GET", status: 200, size: int64(m.r.IntN(5000)), time: m.moment()}
	at := m.place()
	again := m.last != nil && m.chance(50)
	switch {
	case again:
		r.bot, r.addr, at = m.last.bot, m.last.addr, m.last.at
		later := []int64{0, 1, 10, 59, 60, 61, hour, hour + 1, 20 * hour, 24 * hour, 27*hour + simSkew, 27*hour + simSkew +
			1, 9 * day, 29 * day, 61*day + 3*hour + simSkew}
		if m.last.robots && m.chance(50) {
			later = later[:7]
		}
		r.time = m.last.time + pick(m.r, later)
	case m.chance(90):
		r.bot = pick(m.r, m.bots)
		r.addr = m.address(r.bot)
	default:
		r.addr, r.library = "84.2.3.4", m.chance(50)
	}
	if m.chance(25) && !(again && m.last.robots) {
		m.robots(&r, at)
	} else {
		m.page(&r)
	}
	if m.last = nil; r.bot != nil {
		m.last = &simVisit{r.bot, r.addr, r.time, at, r.target == "/robots.txt"}
	}
	host := m.send(&r, at)
	zone := pick(m.r, []int{0, 0, 3600, -5 * 3600, 12600})
	if m.w.isZoneless() {
		zone = simNoZone
	}
	r.render(host, zone)
	if m.chance(3) {
		r.line += "\r"
	}
	return r
}

// robots makes a request for /robots.txt, with any answer.
func (m *simMaker) robots(r *simRequest, at simOrigin) {
	r.target = "/robots.txt"
	if r.status = 200; m.chance(35) {
		r.status = pick(m.r, []int{204, 206, 304, 304, 304, 301, 403, 404, 408, 410, 429, 444, 499, 500, 503, 503})
	}
	switch {
	case r.status/100 != 2:
		r.size = pick(m.r, []int64{-1, 0, 153})
	case m.chance(m.odd):
		r.size = 7777
	case m.chance(3):
		r.size = pick(m.r, []int64{-1, 0})
	case m.chance(20):
		r.size = int64(len(pick(m.r, m.bodies))) + m.padded
	default:
		r.size = m.sizeAt(at, r.time) + m.padded
	}
	r.method = pick(m.r, []string{"GET", "GET", "GET", "GET", "GET", "HEAD", "POST"})
	if m.muddle(r); m.chance(20) {
		m.turns = append(m.turns, r.time)
	}
	r.timeless = m.chance(2)
}

// sizeAt returns the size of what the source has for an origin at a moment.
func (m *simMaker) sizeAt(at simOrigin, t int64) (size int64) {
	newest := beginning
	for _, row := range m.w.rows {
		if (m.w.constant || slices.Contains(row.origins, at)) && row.from <= t && row.from >= newest {
			newest, size = row.from, int64(len(row.body))
		}
	}
	return size
}

// What clients add to a crawler's header: simForeign makes it nobody's, and simHarmless are
// browsers, systems and HTTP libraries.
var (
	simForeign = []string{
		"WireReader/1.0 %s", "%s WireReader/2.1", "%s;line-poker/1.0", "%s (compatible; startmebot/1.0)", "not",
		"Mozilla/5.0 (like a spider) Tester/1 %s", "python-requests/2.31.0 %s",
	}
	// simPages make it nobody's too, if pages of the crawler's operator are known.
	simPages    = []string{"%s (+https://deepcrawl.example/bot)", "%s ops@deepcrawl.example"}
	simHarmless = []string{"%s Chrome/126.0.0.0 Safari/537.36", "%s python-requests/2.31.0", "%s Firefox/128.0",
		"%s (Linux; Android 14)"}
)

// foreignTo is what makes a crawler's header nobody's.
func foreignTo(r *rand.Rand, b *simBot) string {
	if b.pages && r.IntN(3) == 0 {
		return pick(r, simPages)
	}
	return pick(r, simForeign)
}

// muddle makes a header ambiguous at times.
func (m *simMaker) muddle(r *simRequest) {
	if r.bot == nil || r.bot.unknown || r.bot.exempt || r.timeless {
		return
	}
	if m.chance(6) {
		r.wrap, r.foreign = foreignTo(m.r, r.bot), true
	} else if m.chance(6) {
		r.wrap = pick(m.r, simHarmless)
	}
	if !r.bot.publishes || !m.chance(5) {
		return
	}
	for _, b := range m.bots {
		if b.publishes && !b.exempt && b.operator != r.bot.operator {
			r.rival = b
			r.addr = m.address(pick(m.r, []*simBot{r.bot, b}))
		}
	}
}

func (m *simMaker) page(r *simRequest) {
	if r.target = pick(m.r, simTargets); m.chance(30) {
		r.target = pick(m.r, []string{"/private/doc.pdf", "/a/b/c"})
	}
	r.method = pick(m.r, []string{"GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS"})
	r.status = pick(m.r, []int{200, 200, 200, 206, 304, 301, 302, 401, 403, 404, 410, 429, 444, 451, 499, 500, 503})
	switch n := m.r.IntN(100); {
	case n < 2:
		r.method, r.target = "OPTIONS", "*"
	case n < 4:
		r.method, r.target = "CONNECT", "example.com:443"
	case n < 7:
		r.status, r.truncated = 414, true
	case n < 10:
		r.timeless = true
	}
	m.muddle(r)
}

// place decides where a request goes.
func (m *simMaker) place() simOrigin {
	switch {
	case m.chance(4):
		return pick(m.r, []simOrigin{{"https", "www.example.com", 443}, {"https", "example.com", 444},
			{"https", "212.96.82.22", 443}, {"https", "nowhere.example", 443}})
	case len(m.w.judged) > 0 && m.chance(70):
		return pick(m.r, m.w.judged)
	case !m.w.constant && m.chance(85):
		return pick(m.r, pick(m.r, m.w.rows).origins)
	}
	return pick(m.r, pick(m.r, simPlaces).origins())
}

// send determines what a log shows about where a request went, and returns the host field of its line.
func (m *simMaker) send(r *simRequest, at simOrigin) (host string) {
	r.at, r.path = at, r.target
	if strings.HasPrefix(r.target, "/") && !strings.HasPrefix(r.target, "//") && m.chance(6) {
		// The authority of an absolute target beats the host field, but not its port.
		r.target = at.String() + r.target
		if at.port == 443 && m.chance(50) { // behind TLS
			r.target = "http" + strings.TrimPrefix(r.target, "https")
		}
		field := m.hostField(simOrigin{"https", "other.example", at.port})
		switch {
		case !m.w.hasHosts():
			field = ""
			fallthrough
		case !m.ports:
			r.at.scheme = ""
			if at.port == simPorts[at.scheme] {
				r.at.port = simDefaultPort
			}
		case at.port != 80 && at.port != 443:
			r.at.scheme = ""
		}
		return field
	}
	if !m.w.hasHosts() {
		r.at, r.hostless = simOrigin{}, true
		return ""
	}
	if !m.ports {
		r.at.scheme, r.at.port = "", 0
		return m.hostField(r.at)
	}
	if r.at.port != 80 && r.at.port != 443 {
		r.at.scheme = ""
	}
	return m.hostField(r.at)
}

// hostField spells a host as a server may log it.
func (m *simMaker) hostField(at simOrigin) string {
	host := at.host
	if m.chance(15) {
		host = strings.ToUpper(host)
	}
	if m.chance(10) && !strings.HasSuffix(host, "21") {
		host += "."
	}
	if m.ports {
		port := at.port
		host += fmt.Sprintf(":%d", port)
	}
	return host
}
