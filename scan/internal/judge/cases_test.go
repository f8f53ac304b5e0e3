package judge_test

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/lazy"
)

// workedCases are the worked cases of the specification. Each is a small world in which every
// request says what the audit must make of it; the oracle and the audit are both held to that.
// Its head says how they are written.
//
//go:embed testdata/cases.txt
var workedCases string

// simCases are the cases by their names.
func simCases(t *testing.T) map[string]*simWorld {
	t.Helper()
	cases := map[string]*simWorld{}
	var c *simCase
	for line := range strings.Lines(workedCases) {
		line = strings.TrimSuffix(line, "\n")
		name, isName := strings.CutPrefix(line, "-- ")
		switch {
		case isName:
			name = strings.TrimSuffix(name, " --")
			c = &simCase{t: t, w: &simWorld{format: "vhost_combined"}, bots: map[string]*simBot{}}
			if cases[name] != nil {
				t.Fatalf("two cases are called %s", name)
			}
			cases[name] = c.w
		case c != nil && line != "" && line[0] != '#':
			c.read(line)
		}
	}
	return cases
}

// simCase is a case that is being read.
type simCase struct {
	t    *testing.T
	w    *simWorld
	bots map[string]*simBot // of its own
}

// caseTime is when things change in the cases: times in them are before or after it.
var caseTime = simEpoch + 50*day

// simSpan is how long a version that was replaced may still be used.
const simSpan = simWindow + simLate + simSkew

// The robots.txt that most cases are about, by the names that they have in them.
const (
	forbidAll  = "User-agent: *\nDisallow: /\n"
	forbidP    = "User-agent: *\nDisallow: /p\n"
	permitsAll = "User-agent: *\nDisallow:\n"
)

var simBodies = map[string]string{"forbidAll": forbidAll, "forbidP": forbidP, "permitsAll": permitsAll}

// caseWords are the words of a line: blanks within quotes are part of a word.
var caseWords = lazy.Regexp(`(?:[^\s"]|"(?:[^"\\]|\\.)*")+`)

// read reads a line.
func (c *simCase) read(line string) {
	words := caseWords().FindAllString(line, -1)
	for i, word := range words {
		if word == "#" { // a comment
			words = words[:i]
			break
		}
		if before, quoted, ok := strings.Cut(word, `"`); ok {
			text, err := strconv.Unquote(`"` + strings.TrimSuffix(quoted, ","))
			if err != nil {
				c.t.Fatalf("%s: %s: %v", line, word, err)
			}
			words[i] = before + text + word[len(strings.TrimSuffix(word, ",")):]
		}
	}
	switch first, rest := words[0], words[1:]; first {
	case "log":
		if c.w.format = rest[0]; rest[0] == "url" {
			c.w.format = simURLs
		}
	case "constant":
		c.w.constant = true
	case "observed":
		c.w.observed = true
	case "assume-constant":
		c.w.assume = true
	case "window":
		c.w.window, c.w.delay, c.w.skew = spanOf(rest[0]), spanOf(rest[1]), spanOf(rest[2])
	case "host":
		c.w.hosts, c.w.judged = append(c.w.hosts, rest[0]), append(c.w.judged, simOriginOf(rest[0]))
	case "profile": // of a file of the user's
		c.bots[rest[0]] = &simBot{name: rest[0], operator: rest[1], tokens: rest[:1], agent: rest[0] + "/1.0", loose: true}
		c.w.crawlers = fmt.Sprintf(`[{"name":%q,"operator":%q,"words":[%[1]q],"tokens":[%[1]q],"obeys":"unknown"}]`, rest[0],
			rest[1])
	case "bot":
		c.bot(rest[0], rest[1:])
	case "list":
		c.list(rest)
	case "versions":
		c.versions(rest)
	default:
		c.requests(words)
	}
}

// bot reads a crawler with another header than the known ones have, or one that is not known.
func (c *simCase) bot(name string, words []string) {
	b := *stranger(name, "")
	for _, word := range words {
		switch key, text, _ := strings.Cut(word, "="); key {
		case "as":
			b = *simBotNamed(text)
			b.loose = false
		case "loose":
			b.loose = true
		case "agent":
			b.agent = text
		}
	}
	c.bots[name] = &b
}

// named returns a crawler, nil for anybody else.
func (c *simCase) named(name string) *simBot {
	switch b := c.bots[name]; {
	case b != nil || name == "anybody":
		return b
	case name == "nameless":
		name = "(without a name)"
	}
	return simBotNamed(name)
}

// list reads a list of addresses.
func (c *simCase) list(words []string) {
	r := simRanges{bot: c.named(words[0]), prefixes: strings.Split(words[1], ",")}
	for _, word := range words[2:] {
		switch key, text, _ := strings.Cut(word, "="); key {
		case "of":
			r.created = caseTime + spanOf(text)
		case "form":
			r.form, _ = strconv.Atoi(text)
		case "file":
			r.file = text
		case "also":
			r.also = append(r.also, c.named(text))
		case "series":
			r.series = text
		}
	}
	c.w.ranges = append(c.w.ranges, r)
}

// simURLs is a format with whole URLs in a field of their own.
const simURLs = `$remote_addr [$time_local] "$request_method" $target $status $body_bytes_sent "$http_user_agent"`

// versions reads versions of a robots.txt, in their order.
func (c *simCase) versions(words []string) {
	as := "https://example.com"
	if strings.Contains(words[0], ".") && words[0][0] != '+' && words[0][0] != '-' {
		as, words = words[0], words[1:]
	}
	origins := []simOrigin{simOriginOf(as)}
	if !strings.Contains(as, "://") {
		origins = []simOrigin{simOriginOf("http://" + as), simOriginOf("https://" + as)}
	}
	fresh := simRow{as: as, origins: origins, from: caseTime}
	r := fresh
	for _, word := range words {
		word, isLast := strings.CutSuffix(word, ",")
		status, err := strconv.Atoi(word)
		switch key, text, _ := strings.Cut(word, "="); {
		case word[0] == '+' || word[0] == '-':
			r.from = caseTime + spanOf(word)
		case err == nil:
			r.status = status
		case key == "max_age":
			r.maxAge = spanOf(text)
		case key == "to":
			r.location, r.target = text+"/robots.txt", simOriginOf(text)
		case word == "outside":
			r.outside = true
		default:
			r.status, r.hasBody, r.body = 200, true, cmp.Or(simBodies[word], strings.ReplaceAll(word, "{6500 lines}",
				strings.Repeat("# "+strings.Repeat("x", 77)+"\n", 6500)))
		}
		if isLast {
			c.w.rows, r = append(c.w.rows, r), fresh
		}
	}
	c.w.rows = append(c.w.rows, r)
}

// requests reads requests of each crawler that is named, for each URL, from each address.
func (c *simCase) requests(words []string) {
	arrow := slices.Index(words, "=>")
	if arrow < 0 {
		c.t.Fatalf("no line of a case: %q", words)
	}
	addrs, urls, edits := []string{"45.9.8.7"}, []string(nil), []string(nil)
	for _, word := range words[1:arrow] {
		list, isFrom := strings.CutPrefix(word, "from=")
		switch {
		case isFrom:
			addrs = strings.Split(list, ",")
		case word[0] == '/' || strings.Contains(word, "://") && !strings.Contains(word, "="):
			urls = append(urls, word)
		default:
			edits = append(edits, word)
		}
	}
	for bot := range strings.SplitSeq(words[0], ",") {
		for _, url := range urls {
			for _, addr := range addrs {
				want := map[bool]string{false: "robots_fetch", true: "not_crawlers"}[bot == "anybody"]
				for item := range strings.SplitSeq(strings.Join(words[arrow+1:], " "), ", ") {
					verdict, when := item, ""
					if at := strings.LastIndexByte(item, ' ') + 1; item[at] == '+' || item[at] == '-' {
						verdict, when = strings.TrimSpace(item[:at]), item[at:]
					}
					want = cmp.Or(verdict, want)
					c.ask(want, c.named(bot), url, addr, caseTime+spanOf(when), edits)
				}
			}
		}
	}
}

// ask adds a request of a crawler, on example.com by https unless a URL is given, with what must be said of it.
func (c *simCase) ask(want string, bot *simBot, url, addr string, at int64, edits []string) {
	if strings.HasPrefix(url, "/") {
		url = "https://example.com" + url
	}
	scheme, rest, _ := strings.Cut(url, "://")
	authority, path, _ := strings.Cut(rest, "/")
	r := simRequest{bot: bot, at: simOriginOf(scheme + "://" + authority), addr: addr, time: at, method: "GET",
		target: "/" + path, path: "/" + path, status: 200, size: 512, want: want}
	for _, word := range edits {
		c.edit(&r, word)
	}
	host := fmt.Sprintf("%s:%d", r.at.host, r.at.port)
	if r.at.port != 80 && r.at.port != 443 && r.at.port != 21 {
		r.at.scheme = "" // this port shows none
	}
	switch {
	case !c.w.hasHosts() && strings.HasPrefix(r.target, "/"):
		r.at, r.hostless, host = simOrigin{}, true, ""
	case !c.w.hasHosts(): // the target names the host
		r.at.scheme, host = "", ""
	case r.at.port == 0:
		host = r.at.host
	}
	zone := 0
	if c.w.isZoneless() {
		zone = simNoZone
	}
	r.wholeURL = c.w.format == simURLs
	r.render(host, zone)
	c.w.requests = append(c.w.requests, r)
}

// edit changes a request before it is rendered.
func (c *simCase) edit(r *simRequest, word string) {
	key, text, _ := strings.Cut(word, "=")
	status, size, isAnswer := strings.Cut(word, "/")
	switch {
	case key == "at":
		r.at = simOriginOf(text)
	case key == "target":
		r.target = text
	case key == "rival":
		r.rival = c.named(text)
	case key == "wrap", key == "foreign":
		r.wrap, r.foreign = text, key == "foreign"
	case key == "is":
		r.identity = text
	case word == "portless": // the log shows no port
		r.at.scheme, r.at.port = "", 0
	case word == "timeless":
		r.timeless = true
	case word == "truncated":
		r.truncated = true
	case isAnswer:
		r.status, _ = strconv.Atoi(status)
		if n, err := strconv.ParseInt(size, 10, 64); err == nil {
			r.size = n
		} else if r.size = -1; size != "-" {
			r.size = int64(len(simBodies[size]))
		}
	default:
		r.method = word
	}
}

// simOriginOf reads an origin as the cases spell it.
func simOriginOf(as string) simOrigin {
	scheme, rest, _ := strings.Cut(strings.ReplaceAll(as, "exämple", "xn--exmple-cua"), "://")
	host, port, found := strings.Cut(rest, ":")
	at := simOrigin{scheme, host, simPorts[scheme]}
	if found {
		at.port, _ = strconv.Atoi(port)
	}
	return at
}

var caseSpan = lazy.Regexp(`[+-]|span|skew|\d+[dhms]?`)

// spanOf reads a time such as 3d2h or +50d+span-1s, in seconds.
func spanOf(text string) (seconds int64) {
	sign := int64(1)
	for _, part := range caseSpan().FindAllString(text, -1) {
		switch part {
		case "+":
			sign = 1
		case "-":
			sign = -1
		case "span":
			seconds += sign * simSpan
		case "skew":
			seconds += sign * simSkew
		default:
			number := strings.TrimRight(part, "dhms")
			n, _ := strconv.ParseInt(number, 10, 64)
			seconds += sign * n * map[string]int64{"d": day, "h": hour, "m": minute, "s": 1}[part[len(number):]]
		}
	}
	return seconds
}

// TestWorkedCases checks that the oracle and the audit agree with each case.
func TestWorkedCases(t *testing.T) {
	for name, w := range simCases(t) {
		t.Run(name, func(t *testing.T) {
			checkWorld(t, w)
			o := newOracle(w)
			for i, r := range w.requests {
				v := o.decide(i)
				if r.identity != "" && v.identity != r.identity {
					t.Errorf("%s: %s, want %s", r.line, v.identity, r.identity)
				}
				if got := v.String(); got != r.want {
					o.trace = &strings.Builder{}
					o.decide(i)
					t.Errorf("%s\n%s => %s, want %s", r.line, o.trace, got, r.want)
					o.trace = nil
				}
			}
		})
	}
}

// TestControlTokensAreNotAuditable checks that rules for a control token are reported as not auditable.
func TestControlTokensAreNotAuditable(t *testing.T) {
	w := simCases(t)["Google-Extended"]
	dir := t.TempDir()
	o := w.write(t, dir)
	o.Logs.Names = []string{writeLog(t, dir, "a.log", w.requests)}
	report, err := reportOf(t, o)
	if report == nil || !slices.Contains(report.NotAuditable, "Google-Extended") {
		t.Fatalf("%+v, %v", report, err)
	}
	for _, c := range report.Crawlers {
		if c.Crawler == "Google-Extended" {
			t.Error("a control token has a row of its own")
		}
	}
}
