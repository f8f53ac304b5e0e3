package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// The worked cases of the specification. Each is a small world in which every
// request says what the audit must make of it; the oracle and the command are
// both held to that.

// simCase makes the world of one case.
type simCase struct {
	w simWorld
}

// caseTime is when things change in the cases; caseStart is long before.
var (
	caseTime  = simEpoch + 50*day
	caseStart = caseTime - 200*day
)

func simTestCases() map[string]func(*simCase) {
	all := map[string]func(*simCase){}
	for _, cases := range []map[string]func(*simCase){scopeCases, timeCases, readingCases, fetchCases, sourceCases,
		whoCases, thirdCases} {
		for name, make := range cases {
			if all[name] != nil {
				panic("two cases called " + name)
			}
			all[name] = make
		}
	}
	return all
}

func TestOracleOnTheWorkedCases(t *testing.T) {
	for name, make := range simTestCases() {
		t.Run(name, func(t *testing.T) {
			w := newCase(make)
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

func TestAuditOfTheWorkedCases(t *testing.T) {
	for name, make := range simTestCases() {
		t.Run(name, func(t *testing.T) { checkWorld(t, newCase(make)) })
	}
}

// The facts about crawlers that the simulator relies on are those of the data.
func TestSimulatorKnowsItsCrawlers(t *testing.T) {
	profiles := crawler.Builtin()
	for _, b := range simKnown {
		i := slices.IndexFunc(profiles, func(p crawler.Profile) bool { return p.Name == b.name })
		if i < 0 {
			t.Errorf("%s is not in the data", b.name)
			continue
		}
		p := profiles[i]
		is := fmt.Sprint(p.Operator, p.Tokens, p.Also, p.Dialect == "google", p.IgnoresWildcard, p.CrawlDelay == "no",
			p.Exempt != "", p.IsFetcher(), p.Verify != "")
		if want := fmt.Sprint(b.operator, b.tokens, b.also, b.google, b.noStar, b.noDelay, b.exempt, b.fetcher,
			b.publishes); is != want {
			t.Errorf("%s: the data say %s, the simulator %s", b.name, is, want)
		}
	}
}

func TestWorldsAreTheSameEachTime(t *testing.T) {
	for seed := range uint64(20) {
		one, two := makeWorld(seed), makeWorld(seed)
		if simLog(one.requests) != simLog(two.requests) || fmt.Sprint(one.rows) != fmt.Sprint(two.rows) {
			t.Errorf("seed %d makes two worlds", seed)
		}
	}
}

// Worlds that never come to some verdict would test nothing of it.
func TestWorldsHaveEveryVerdict(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(60) {
		o := newOracle(makeWorld(seed))
		for i := range o.w.requests {
			counts[o.decide(i).String()]++
		}
	}
	for _, v := range []string{
		"blank", "unparsed", "not_crawlers", "not_judged", "other_host", "allowed", "allowed evasive", "robots_fetch",
		"violation",
		"violation informed", "grace", "grace informed", "no_policy", "unreachable", "exempt", "spoofed",
		"indeterminate:no_version", "indeterminate:no_host", "indeterminate:no_time", "indeterminate:unknown_scheme",
		"indeterminate:truncated",
		"indeterminate:ambiguous_agent", "indeterminate:redirected_policy", "indeterminate:contested",
		"indeterminate:contested evasive",
	} {
		if counts[v] < 3 {
			t.Errorf("%d requests are %s", counts[v], v)
		}
	}
}

// ---- how cases are written ----

func newCase(make func(*simCase)) *simWorld {
	c := &simCase{w: simWorld{format: "vhost_combined"}}
	make(c)
	return &c.w
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

// version adds a version; a body makes it one of status 200.
func (c *simCase) version(as string, from int64, status int, body string) *simRow {
	c.w.rows = append(c.w.rows, simRow{as: as, origins: []simOrigin{simOriginOf(as)}, from: from, status: status,
		body: body, hasBody: status == 200})
	return &c.w.rows[len(c.w.rows)-1]
}

// site is https://example.com with one robots.txt from long before.
func (c *simCase) site(body string) { c.version("https://example.com", caseStart, 200, body) }

// leads makes a version a redirect.
func (r *simRow) leads(to string) {
	r.location, r.target = to+"/robots.txt", simOriginOf(to)
}

// an edit changes a request before it is rendered.
type edit func(*simRequest)

func answered(status int, size int64) edit {
	return func(r *simRequest) { r.status, r.size = status, size }
}

// got is an answer with a body.
func got(body string) edit { return answered(200, int64(len(body))) }

func by(method string) edit { return func(r *simRequest) { r.method = method } }
func from(addr string) edit { return func(r *simRequest) { r.addr = addr } }

// ask adds a request of a crawler, on example.com by https unless a URL is given,
// with what must be said of it.
func (c *simCase) ask(want, bot, url string, at int64, edits ...edit) {
	c.askAs(want, simBotNamed(bot), url, at, edits...)
}

func (c *simCase) askAs(want string, bot *simBot, url string, at int64, edits ...edit) {
	if strings.HasPrefix(url, "/") {
		url = "https://example.com" + url
	}
	scheme, rest, _ := strings.Cut(url, "://")
	authority, path, _ := strings.Cut(rest, "/")
	r := simRequest{
		bot: bot, at: simOriginOf(scheme + "://" + authority), addr: "45.9.8.7", time: at, method: "GET", target: "/" + path,
		status: 200, size: 512, want: want,
	}
	r.path = r.target
	for _, e := range edits {
		e(&r)
	}
	host := fmt.Sprintf("%s:%d", r.at.host, r.at.port)
	if r.at.port != 80 && r.at.port != 443 && r.at.port != 21 {
		r.at.scheme = "" // such a port tells none
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
	r.render(host, zone)
	c.w.requests = append(c.w.requests, r)
}

// anybody adds a fetch of robots.txt by a browser.
func (c *simCase) anybody(at int64, edits ...edit) {
	c.askAs("not_crawlers", nil, "/robots.txt", at, edits...)
}

// portless makes a log that tells no port.
func portless(r *simRequest) { r.at.scheme, r.at.port = "", 0 }

const (
	// simSpan is how long a version that was replaced may still be used.
	simSpan = simWindow + simLate + simSkew

	forbidAll  = "User-agent: *\nDisallow: /\n"
	forbidP    = "User-agent: *\nDisallow: /p\n"
	permitsAll = "User-agent: *\nDisallow:\n"
)

// ---- the cases ----

// scope is a case of section 4: a file of one origin, and requests that it is for
// or not for.
func scope(as string, is, isNot []string) func(*simCase) {
	return func(c *simCase) {
		c.version(as, caseStart, 200, forbidAll)
		for _, url := range is {
			c.ask("violation", "MJ12bot", url, caseTime)
		}
		for _, url := range isNot {
			c.ask("other_host", "MJ12bot", url, caseTime)
		}
	}
}

var scopeCases = map[string]func(*simCase){
	"scope of a host": scope("https://example.com", []string{"https://example.com/", "https://example.com/folder/file"},
		[]string{"https://other.example.com/", "http://example.com/", "https://example.com:8181/"}),
	"scope of www": scope("https://www.example.com", []string{"https://www.example.com/"},
		[]string{"https://example.com/", "https://shop.www.example.com/", "https://www.shop.example.com/"}),
	"scope of an IDN": scope("https://www.exämple.com", []string{"https://www.xn--exmple-cua.com/"},
		[]string{"https://www.example.com/"}),
	"scope of Punycode": scope("https://www.xn--exmple-cua.com", []string{"https://www.xn--exmple-cua.com/"},
		[]string{"https://www.example.com/"}),
	"scope of ftp": scope("ftp://example.com", []string{"ftp://example.com/"},
		[]string{"https://example.com/", "http://example.com/"}),
	"scope of an address": scope("https://212.96.82.21", []string{"https://212.96.82.21/"},
		[]string{"https://example.com/", "https://212.96.82.22/"}),
	"scope of the default port": scope("https://example.com:443", []string{"https://example.com/"},
		[]string{"https://example.com:444/", "http://example.com/"}),
	"scope of another port": scope("https://example.com:8181", []string{"https://example.com:8181/"},
		[]string{"https://example.com/"}),
	"scope of a folder": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /folder/\n")
		c.ask("violation", "MJ12bot", "/folder/robots.txt", caseTime, answered(404, 0))
		c.ask("violation", "MJ12bot", "/folder/x", caseTime+hour)
	},
	"scope of an absolute target": func(c *simCase) {
		c.site(forbidAll)
		c.version("http://example.com", caseStart, 200, permitsAll)
		to := func(target, means string) edit {
			return func(r *simRequest) { r.target, r.path, r.at = target, "/x", simOriginOf(means) }
		}
		c.ask("violation", "MJ12bot", "https://other.example/x", caseTime, to("https://example.com/x", "https://example.com"))
		// A proxy behind TLS logs http://; the port is a better word.
		c.ask("violation", "MJ12bot", "https://other.example/x", caseTime, to("http://example.com/x", "https://example.com"))
		c.ask("allowed", "MJ12bot", "http://other.example/x", caseTime, to("http://example.com/x", "http://example.com"))
		c.ask("indeterminate:unknown_scheme", "MJ12bot", "/x", caseTime, to("https://example.com/x", ""), portless,
			func(r *simRequest) { r.at.host = "example.com" })
	},
	"a scheme that is not known, both agree": func(c *simCase) {
		c.version("http://example.com", caseStart, 200, forbidP)
		c.site(forbidAll)
		c.ask("violation", "MJ12bot", "/p", caseTime, portless)
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime, portless, answered(304, -1))
	},
	"a scheme that is not known, they disagree": func(c *simCase) {
		c.version("http://example.com", caseStart, 200, forbidP)
		c.site(permitsAll)
		c.ask("indeterminate:unknown_scheme", "MJ12bot", "/p", caseTime, portless)
		c.ask("allowed", "MJ12bot", "/q", caseTime, portless)
		c.ask("violation", "MJ12bot", "http://example.com/p", caseTime)
		c.ask("allowed", "MJ12bot", "https://example.com/p", caseTime)
	},
	"a scheme that is not known but is the only one": func(c *simCase) {
		c.site(forbidP)
		c.ask("violation", "MJ12bot", "/p", caseTime, portless)
	},
	"no host": func(c *simCase) {
		c.w.format = "combined"
		c.site(forbidAll)
		c.ask("indeterminate:no_host", "MJ12bot", "/p", caseTime)
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime)
		c.ask("exempt", "ChatGPT-User", "/p", caseTime)
	},
	"no host but --host": func(c *simCase) {
		c.w.format = "combined"
		c.w.hosts, c.w.judged = []string{"https://example.com"}, []simOrigin{simOriginOf("https://example.com")}
		c.site(forbidP)
		c.ask("violation", "MJ12bot", "/p", caseTime)
	},
	"other hosts than --host": func(c *simCase) {
		c.w.hosts, c.w.judged = []string{"https://example.com"}, []simOrigin{simOriginOf("https://example.com")}
		c.site(forbidP)
		c.version("https://other.example", caseStart, 200, forbidP)
		c.ask("violation", "MJ12bot", "/p", caseTime)
		c.ask("other_host", "MJ12bot", "https://other.example/p", caseTime)
	},
	"one robots.txt for all": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.site(forbidP)
		c.ask("violation", "MJ12bot", "/p", caseTime-1000*day)
		c.ask("violation", "MJ12bot", "/p", caseTime)
		c.ask("allowed", "MJ12bot", "/q", caseTime)
	},
}

// added is a rule added at caseTime.
func added(c *simCase) {
	c.site(permitsAll)
	c.version("https://example.com", caseTime, 200, forbidP)
}

var timeCases = map[string]func(*simCase){
	"a rule is added": func(c *simCase) {
		added(c)
		c.ask("allowed", "GPTBot", "/p", caseTime-hour)
		c.ask("grace", "GPTBot", "/p", caseTime+hour)
		c.ask("grace", "GPTBot", "/p", caseTime+23*hour)
		c.ask("violation", "GPTBot", "/p", caseTime+28*hour)
	},
	"a download begun in the window and logged three hours later": func(c *simCase) {
		added(c)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime-minute, got(permitsAll))
		c.ask("grace", "GPTBot", "/p", caseTime-minute+24*hour+3*hour)
	},
	"a rule is added, to the second": func(c *simCase) {
		added(c)
		c.ask("allowed", "GPTBot", "/p", caseTime-simSkew-1)
		c.ask("grace", "GPTBot", "/p", caseTime-simSkew)
		c.ask("grace", "GPTBot", "/p", caseTime+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan)
	},
	"a rule is lifted nine minutes before the manifest says so": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 200, permitsAll)
		c.ask("grace", "GPTBot", "/p", caseTime-9*minute)
		c.ask("violation", "GPTBot", "/p", caseTime-11*minute)
	},
	"a rule is added and fetched": func(c *simCase) {
		added(c)
		c.ask("allowed", "GPTBot", "/p", caseTime-hour)
		c.ask("grace", "GPTBot", "/p", caseTime+hour)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+2*hour, got(forbidP))
		c.ask("grace", "GPTBot", "/p", caseTime+2*hour)
		c.ask("grace informed", "GPTBot", "/p", caseTime+2*hour+1)
		c.ask("grace informed", "GPTBot", "/p", caseTime+3*hour)
		c.ask("grace informed", "GPTBot", "/p", caseTime+3*hour+1)
		c.ask("grace informed", "GPTBot", "/p", caseTime+2*hour+1, from("45.9.8.8"))
		c.ask("grace informed", "GPTBot", "/p", caseTime+23*hour)
		c.ask("violation informed", "GPTBot", "/p", caseTime+28*hour)
		c.ask("violation informed", "GPTBot", "/p", caseTime+45*day)
		c.ask("violation", "OAI-SearchBot", "/p", caseTime+28*hour)
		c.ask("grace", "ClaudeBot", "/p", caseTime+23*hour)
	},
	"a rule is added, and fetched twice in a second": func(c *simCase) {
		added(c)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+hour, got(forbidP))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+hour, got(forbidP))
		c.ask("grace informed", "GPTBot", "/p", caseTime+hour+minute, from("45.9.8.8"))
		c.ask("grace informed", "GPTBot", "/p", caseTime+hour+minute)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+2*hour, got(forbidP))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+2*hour, answered(500, 0))
		c.ask("grace informed", "GPTBot", "/p", caseTime+2*hour) // that of an hour ago
		c.ask("grace informed", "GPTBot", "/p", caseTime+2*hour+minute)
	},
	"a rule is added and fetched when it was too early to tell": func(c *simCase) {
		added(c)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime-hour, got(permitsAll))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+simSkew-1, got(forbidP))
		c.ask("violation", "GPTBot", "/p", caseTime+28*hour)
	},
	"a rule is added and fetched otherwise": func(c *simCase) {
		added(c)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+2*hour, answered(304, -1))
		c.ask("violation informed", "ClaudeBot", "/p", caseTime+30*hour)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+2*hour, got(forbidP), by("HEAD"))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+2*hour, got(forbidP), by("POST"))
		c.ask("robots_fetch", "GPTBot", "/robots.txt?x", caseTime+2*hour, got(forbidP))
		c.ask("robots_fetch", "GPTBot", "//robots.txt", caseTime+2*hour, got(forbidP))
		c.ask("violation", "GPTBot", "/p", caseTime+30*hour)
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime+2*hour, answered(206, 20))
		c.ask("violation", "MJ12bot", "/p", caseTime+30*hour)
		c.ask("robots_fetch", "CCBot", "/robots.txt", caseTime+2*hour, answered(503, 20))
		c.ask("violation", "CCBot", "/p", caseTime+30*hour)
	},
	"max_age of three days": func(c *simCase) {
		c.site(permitsAll)
		c.w.rows[0].maxAge = 3 * day
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("grace", "GPTBot", "/p", caseTime+28*hour)
		c.ask("grace", "GPTBot", "/p", caseTime+3*day+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+3*day+simSpan)
	},
	"a max_age of one hour": func(c *simCase) {
		c.site(permitsAll)
		c.w.rows[0].maxAge = hour
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("grace", "GPTBot", "/p", caseTime+28*hour)
		c.ask("violation", "GPTBot", "/p", caseTime+29*hour)
	},
	"a wider window": func(c *simCase) {
		added(c)
		c.w.window, c.w.delay, c.w.skew = 48*hour, 6*hour, 30*minute
		c.ask("grace", "GPTBot", "/p", caseTime-30*minute)
		c.ask("grace", "GPTBot", "/p", caseTime+54*hour+30*minute-1)
		c.ask("violation", "GPTBot", "/p", caseTime+54*hour+30*minute)
	},
	"no version": func(c *simCase) {
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime-10*day)
		c.ask("indeterminate:no_version", "GPTBot", "/q", caseTime-10*day)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+23*hour)
		c.ask("allowed", "GPTBot", "/q", caseTime+23*hour)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan)
	},
	"no version, but assumed constant": func(c *simCase) {
		c.version("https://example.com", caseTime, 200, forbidP)
		c.w.assume = true
		c.ask("violation", "GPTBot", "/p", caseTime-10*day)
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
		c.ask("allowed", "GPTBot", "/q", caseTime-10*day)
	},
	"a short spell of 503": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 503, "")
		c.version("https://example.com", caseTime+2*hour, 200, forbidP)
		for _, at := range []int64{hour, 3 * hour, 30 * hour} {
			c.ask("violation", "GPTBot", "/p", caseTime+at)
			c.ask("violation", "Googlebot", "/p", caseTime+at) // 503 does not mean that there is none
		}
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
	},
	"a short spell of 500": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 500, "")
		c.version("https://example.com", caseTime+2*hour, 200, forbidP)
		for _, at := range []int64{hour, 3 * hour, 29 * hour} {
			c.ask("violation", "GPTBot", "/p", caseTime+at)
			c.ask("unreachable", "Googlebot", "/p", caseTime+at)
		}
		c.ask("violation", "Googlebot", "/p", caseTime+30*hour)
	},
	"a copy of 20 days ago and a 503": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+20*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+20*day-simSkew-1)
		c.ask("grace", "GPTBot", "/p", caseTime+20*day)
		c.ask("grace", "GPTBot", "/p", caseTime+20*day+simSpan)
		c.ask("grace", "GPTBot", "/p", caseTime+20*day+simSpan+minute-1) // it is known to the minute that somebody got a 503
		c.ask("violation", "GPTBot", "/p", caseTime+20*day+simSpan+minute)
		c.ask("grace", "ClaudeBot", "/p", caseTime+20*day)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+90*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+90*day)
	},
	"an outage from before all time": func(c *simCase) {
		c.w.assume = true
		c.version("https://example.com", caseStart, unreachableStatus, "")
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+50*day, 200, permitsAll)
		c.ask("unreachable", "GPTBot", "/p", caseTime-5*day)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime-20*day, got(permitsAll))
		c.ask("allowed", "ClaudeBot", "/p", caseTime-5*day)
	},
	"a browser's answer to an absolute target": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(404, 153), func(r *simRequest) { r.target = "https://example.com/robots.txt" })
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour)
		c.anybody(caseTime+10*day, answered(404, 153))
		c.anybody(caseTime+10*day, got(forbidP), func(r *simRequest) { r.target = "https://example.com/robots.txt" })
		c.ask("no_policy", "GPTBot", "/p", caseTime+10*day+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+12*day)
	},
	"a copy of 20 days ago and an outage that the source knows": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+20*day, 503, "")
		c.ask("violation", "GPTBot", "/p", caseTime+19*day)
		c.ask("grace", "GPTBot", "/p", caseTime+20*day)
		c.ask("grace", "GPTBot", "/p", caseTime+40*day)
	},
	"forty days of 503": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 503, "")
		c.version("https://example.com", caseTime+20*day, unreachableStatus, "") // the same spell
		c.version("https://example.com", caseTime+40*day, 200, forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+29*day-1)
		c.ask("unreachable", "GPTBot", "/p", caseTime+29*day)
		c.ask("unreachable", "GPTBot", "/p", caseTime+40*day+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+41*day+4*hour)
		c.ask("violation", "Googlebot", "/p", caseTime+hour)
		c.ask("unreachable", "Googlebot", "/p", caseTime+30*day)
	},
	"a copy from before a long spell": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, unreachableStatus, "")
		c.version("https://example.com", caseTime+20*day, 200, forbidP)
		c.ask("allowed", "GPTBot", "/p", caseTime+19*day)
		c.ask("grace", "GPTBot", "/p", caseTime+20*day+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+22*day)
	},
	"a copy carried over two spells": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 503, "")
		c.version("https://example.com", caseTime+10*day, 200, forbidP)
		c.version("https://example.com", caseTime+10*day+hour, 503, "")
		c.ask("grace", "GPTBot", "/p", caseTime+18*day)
		c.ask("grace", "GPTBot", "/p", caseTime+10*day+30*minute)
	},
	"a 404 before a spell keeps its kind": func(c *simCase) {
		c.version("https://example.com", caseStart, 404, "")
		c.version("https://example.com", caseTime, 503, "")
		c.ask("no_policy", "GPTBot", "/p", caseTime+10*day)
		c.ask("unreachable", "GPTBot", "/p", caseTime+31*day)
	},
	"a logged 404 before a spell counts": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 503, "")
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime-hour, answered(404, 100))
		c.anybody(caseTime-2*hour, got(forbidP))
		c.ask("no_policy", "GPTBot", "/p", caseTime+10*day)
		c.ask("no_policy", "ClaudeBot", "/p", caseTime+10*day)
	},
	"a spell before which nothing is known": func(c *simCase) {
		c.version("https://example.com", caseTime, 500, "")
		c.version("https://example.com", caseTime+40*day, 200, forbidP)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+hour)
		c.ask("unreachable", "Googlebot", "/p", caseTime+hour)
		c.ask("unreachable", "GPTBot", "/p", caseTime+29*day)
		c.ask("unreachable", "GPTBot", "/p", caseTime+40*day+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+42*day)
	},
	"a spell whose beginning sees what nobody knows": func(c *simCase) {
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+hour, 503, "")
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+10*day)
		c.ask("allowed", "GPTBot", "/q", caseTime+10*day)
		c.ask("unreachable", "GPTBot", "/p", caseTime+32*day)
	},
	"404, then a file": func(c *simCase) {
		c.version("https://example.com", caseStart, 404, "")
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("no_policy", "GPTBot", "/p", caseTime-hour)
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour)
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+28*hour)
	},
	"versions of 204, 410 and 429": func(c *simCase) {
		c.version("https://example.com", caseStart, 204, "")
		c.version("https://example.com", caseTime, 410, "")
		c.version("https://example.com", caseTime+10*day, 429, "")
		c.ask("no_policy", "GPTBot", "/p", caseTime-hour)
		c.ask("no_policy", "GPTBot", "/p", caseTime+5*day)
		c.ask("no_policy", "GPTBot", "/p", caseTime+15*day)
		c.ask("no_policy", "Googlebot", "/p", caseTime+15*day)
		c.ask("unreachable", "Googlebot", "/p", caseTime+45*day)
	},
	"versions of 408, 444 and 600": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 408, "")
		c.version("https://example.com", caseTime+10*day, 444, "")
		c.version("https://example.com", caseTime+20*day, 600, "")
		c.ask("no_policy", "GPTBot", "/p", caseTime+5*day)
		c.ask("no_policy", "GPTBot", "/p", caseTime+15*day)
		c.ask("no_policy", "Googlebot", "/p", caseTime+25*day) // a 600 is no 5xx
		c.ask("unreachable", "GPTBot", "/p", caseTime+40*day)
	},
	"seen, not deployed": func(c *simCase) {
		c.w.observed = true
		added(c)
		c.version("https://example.com", caseTime+10*day, 200, forbidP)
		c.ask("grace", "GPTBot", "/p", caseTime-10*day)
		c.ask("grace", "GPTBot", "/p", caseTime+23*hour)
		c.ask("violation", "GPTBot", "/p", caseTime+28*hour)
	},
	"an observed history that has ended": func(c *simCase) {
		c.w.observed = true
		c.site(forbidP)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime+24*hour)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+24*hour+1)
		c.ask("allowed", "GPTBot", "/q", caseTime+10*day)
	},
	"an observed history that is assumed to go on": func(c *simCase) {
		c.w.observed, c.w.assume = true, true
		c.site(forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime)
	},
	"a spell between two observations": func(c *simCase) {
		c.w.observed = true
		c.site(forbidP)
		c.version("https://example.com", caseTime, 503, "") // from caseStart, maybe
		c.version("https://example.com", caseTime+20*day, 200, forbidP)
		c.ask("unreachable", "GPTBot", "/p", caseStart+29*day)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseStart+29*day-1)
		c.ask("unreachable", "GPTBot", "/p", caseTime+20*day+23*hour)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+22*day)
	},
}

var readingCases = map[string]func(*simCase){
	"a contested pattern": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /a%7Eb\n")
		c.ask("indeterminate:contested", "GPTBot", "/a~b", caseTime)
		c.ask("indeterminate:contested", "GPTBot", "/a%7Eb", caseTime) // as its normal form
		c.ask("allowed", "Googlebot", "/a~b", caseTime)
		c.ask("indeterminate:contested", "Googlebot", "/a%7Eb", caseTime)
	},
	"a pattern with a space": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /x y\n")
		c.ask("indeterminate:contested", "GPTBot", "/x y", caseTime)
		c.ask("violation", "Googlebot", "/x y", caseTime)
		c.ask("allowed", "GPTBot", "/x", caseTime)
	},
	"a typo of the key": func(c *simCase) {
		c.site("User-agent: *\nDissalow: /p\nDisallow: /q\n")
		c.ask("indeterminate:contested", "GPTBot", "/p", caseTime)
		c.ask("violation", "Googlebot", "/p", caseTime)
		c.ask("violation", "GPTBot", "/q", caseTime)
	},
	"contested among other copies": func(c *simCase) {
		c.site("User-agent: *\nDissalow: /p\n")
		c.version("https://example.com", caseTime, 200, permitsAll)
		c.version("https://example.com", caseTime+10*day, 200, "User-agent: *\nDissalow: /p\n")
		c.version("https://example.com", caseTime+20*day, 200, forbidP)
		c.ask("grace", "GPTBot", "/p", caseTime+hour)
		c.ask("allowed", "GPTBot", "/p", caseTime+28*hour)
		c.ask("indeterminate:contested", "GPTBot", "/p", caseTime+20*day+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+21*day+4*hour)
	},
	"contested beside no policy": func(c *simCase) {
		c.site("User-agent: *\nDissalow: /p\n")
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(404, 0))
		c.ask("grace", "GPTBot", "/p", caseTime+hour) // no_policy or grace
	},
	"digits in a token": func(c *simCase) {
		c.site("User-agent: MJ12bot\nDisallow: /p\n\nUser-agent: MJ\nDisallow: /q\n")
		c.ask("violation", "MJ12bot", "/p", caseTime)
		c.ask("allowed", "MJ12bot", "/q", caseTime)
	},
	"AdsBot under *": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\n")
		c.ask("allowed", "AdsBot-Google", "/p", caseTime)
		c.ask("violation", "Googlebot", "/p", caseTime)
	},
	"AdsBot in a group": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\n\nUser-agent: AdsBot-Google\nDisallow: /p\n")
		c.ask("violation", "AdsBot-Google", "/p", caseTime)
		c.ask("allowed", "AdsBot-Google", "/q", caseTime)
	},
	"Googlebot-Image with only a Googlebot group": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /p\n")
		c.ask("violation", "Googlebot-Image", "/p", caseTime)
		c.ask("allowed", "Googlebot-Image", "/q", caseTime)
	},
	"Googlebot-Image with a group of its own": func(c *simCase) {
		c.site("User-agent: Googlebot-Image\nDisallow: /img\n\nUser-agent: Googlebot\nDisallow: /p\n")
		c.ask("allowed", "Googlebot-Image", "/p", caseTime)
		c.ask("violation", "Googlebot-Image", "/img", caseTime)
		c.ask("violation", "Googlebot", "/p", caseTime)
	},
	"Storebot-Google under *": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p\n\nUser-agent: Googlebot\nDisallow: /q\n")
		c.ask("violation", "Storebot-Google", "/p", caseTime)
		c.ask("allowed", "Storebot-Google", "/q", caseTime)
	},
	"Google-Extended": func(c *simCase) {
		c.site("User-agent: Google-Extended\nDisallow: /\n")
		c.ask("allowed", "Googlebot", "/p", caseTime)
		c.ask("allowed", "GPTBot", "/p", caseTime)
	},
	"truncated, timeless, not judged": func(c *simCase) {
		c.site(forbidAll)
		c.ask("indeterminate:truncated", "GPTBot", "/p", caseTime, answered(414, 0),
			func(r *simRequest) { r.truncated = true })
		c.ask("indeterminate:no_time", "GPTBot", "/p", caseTime, func(r *simRequest) { r.timeless = true })
		c.ask("not_judged", "GPTBot", "/p", caseTime, by("OPTIONS"), func(r *simRequest) { r.target = "*" })
		c.ask("not_judged", "GPTBot", "/p", caseTime, by("CONNECT"), func(r *simRequest) { r.target = "example.com:443" })
		c.ask("violation", "GPTBot", "/p", caseTime, by("OPTIONS"))
		for _, status := range []int{200, 304, 301, 401, 403, 429, 444, 451, 404, 410, 400, 500, 503} {
			c.ask("violation", "GPTBot", "/p", caseTime+int64(status), answered(status, 0))
		}
	},
}

var fetchCases = map[string]func(*simCase){
	"403 to one operator only": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime+minute, got(forbidP))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(403, 153))
		c.ask("violation", "GPTBot", "/p", caseTime-hour)
		c.ask("no_policy", "GPTBot", "/p", caseTime-simSkew) // clocks differ
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour)
		c.ask("no_policy", "GPTBot", "/p", caseTime+simSpan)
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan+1)
		c.ask("no_policy", "OAI-SearchBot", "/p", caseTime+hour)
		c.ask("violation", "ClaudeBot", "/p", caseTime+hour)
		c.ask("violation", "FooSpider", "/p", caseTime+hour)
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
	},
	"403 to a stranger": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, got(forbidP))
		c.ask("robots_fetch", "FooSpider", "/robots.txt", caseTime, answered(403, 153))
		c.ask("no_policy", "FooSpider", "/p", caseTime+hour)
		c.ask("violation", "tiny-fetcher9", "/p", caseTime+hour)
	},
	"403 to an exempt agent or an impostor": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("ClaudeBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime}}
		c.anybody(caseTime, got(forbidP))
		c.ask("exempt", "ChatGPT-User", "/robots.txt", caseTime, answered(403, 153))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
		c.ask("spoofed", "ClaudeBot", "/robots.txt", caseTime, answered(403, 153))
		c.ask("violation", "ClaudeBot", "/p", caseTime+hour, from("66.1.1.1"))
	},
	"403 on another origin": func(c *simCase) {
		c.site(forbidP)
		c.version("http://example.com", caseStart, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "http://example.com/robots.txt", caseTime, answered(403, 153))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
		c.ask("no_policy", "GPTBot", "http://example.com/p", caseTime+hour)
	},
	"answers that are empty": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 0))
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime, answered(200, -1))
		c.ask("no_policy", "ClaudeBot", "/p", caseTime+hour)
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime, answered(204, 77))
		c.ask("no_policy", "MJ12bot", "/p", caseTime+hour)
		c.ask("robots_fetch", "CCBot", "/robots.txt", caseTime, answered(206, 0))
		c.ask("no_policy", "CCBot", "/p", caseTime+hour)
	},
	"answers that failed": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, got(forbidP))
		for i, status := range []int{444, 499, 503} {
			c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+int64(i), answered(status, 0))
		}
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime, answered(429, 0))
		c.ask("no_policy", "ClaudeBot", "/p", caseTime+hour)
		c.ask("robots_fetch", "Googlebot", "/robots.txt", caseTime, answered(429, 0))
		c.ask("violation", "Googlebot", "/p", caseTime+hour)
		c.ask("robots_fetch", "Googlebot", "/robots.txt", caseTime+10*day, answered(500, 0))
		c.ask("unreachable", "Googlebot", "/p", caseTime+10*day)
		c.ask("robots_fetch", "CCBot", "/robots.txt", caseTime, answered(408, 0))
		c.ask("no_policy", "CCBot", "/p", caseTime+hour)
	},
	"HEAD fetches nothing": func(c *simCase) {
		c.site(forbidAll)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(404, 0), by("HEAD"))
		c.ask("robots_fetch", "GPTBot", "/robots.txt?x", caseTime, answered(404, 0))
		c.ask("robots_fetch", "GPTBot", "//robots.txt", caseTime, answered(404, 0))
		c.ask("violation", "GPTBot", "/blog/robots.txt", caseTime, answered(404, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"answers that lead elsewhere": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(301, 0))
		c.ask("indeterminate:redirected_policy", "GPTBot", "/p", caseTime+hour)
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+28*hour)
	},
	"robots.txt with a query, and with two slashes": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\n")
		for _, target := range []string{"/robots.txt?x", "//robots.txt", "//robots.txt?x"} {
			c.ask("robots_fetch", "GPTBot", target, caseTime, answered(404, 0))
			c.ask("robots_fetch", "GPTBot", target, caseTime, by("POST"))
		}
		c.ask("violation", "GPTBot", "/robots.txtx", caseTime)
		c.ask("violation", "GPTBot", "/a/robots.txt", caseTime)
	},
	"all answers to anybody are 404": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(404, 153))
		c.ask("no_policy", "GPTBot", "/p", caseTime-simSkew)
		c.ask("no_policy", "FooSpider", "/p", caseTime+2*hour)
		c.ask("allowed", "GPTBot", "/q", caseTime+2*hour)
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan+2*minute) // answers to anybody are known to the minute
		c.anybody(caseTime+10*day, answered(404, 153))
		c.anybody(caseTime+10*day+hour, got(forbidP))
		c.ask("no_policy", "GPTBot", "/p", caseTime+10*day+2*hour)
	},
	"an edge with the old file two hours after deployment": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+2*hour, got(permitsAll))
		c.ask("grace", "GPTBot", "/p", caseTime+3*hour)
		c.ask("grace", "GPTBot", "/p", caseTime+2*hour+simSpan)
		c.ask("violation", "GPTBot", "/p", caseTime+2*hour+simSpan+1)
		c.ask("violation", "ClaudeBot", "/p", caseTime+28*hour)
	},
	"sizes that a server changes": func(c *simCase) {
		c.site(forbidP)
		for i, size := range []int64{99, 99, 77} {
			c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+int64(i), answered(200, size))
		}
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 99))
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime, answered(200, 77))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
		c.ask("violation", "MJ12bot", "/p", caseTime+hour)
	},
	"sizes of which one is the file's": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 99))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+1, answered(200, 99))
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime, got(forbidP))
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+hour)
		c.ask("violation informed", "ClaudeBot", "/p", caseTime+hour)
	},
	"outcomes": func(c *simCase) {
		c.site(forbidP)
		for i, answer := range []edit{answered(200, 5), answered(206, 5), answered(200, 0), answered(200, -1),
			answered(204, 5), answered(304, 0), answered(302, 5), answered(451, 5), answered(404, 5), answered(499, 0)} {
			for _, method := range []string{"GET", "HEAD", "POST"} {
				c.ask("violation", "GPTBot", "/p", caseTime+int64(i), answer, by(method))
			}
		}
	},
}

// chain is a robots.txt after so many redirects.
func chain(hops int, want string) func(*simCase) {
	return func(c *simCase) {
		as := "https://example.com"
		for i := range hops {
			next := fmt.Sprintf("https://hop%d.example", i+1)
			c.version(as, caseStart, 301, "").leads(next)
			as = next
		}
		c.version(as, caseStart, 200, forbidP)
		c.ask(want, "GPTBot", "/p", caseTime)
	}
}

var sourceCases = map[string]func(*simCase){
	"one redirect":   chain(1, "violation"),
	"five redirects": chain(5, "violation"),
	"six redirects":  chain(6, "no_policy"), // or else the body at the end
	"six redirects, the last out of the source": func(c *simCase) {
		chain(5, "")(c)
		c.w.requests = nil
		c.w.rows[5] = simRow{as: "https://hop5.example", origins: c.w.rows[5].origins, from: caseStart, status: 301,
			outside: true}
		c.ask("no_policy", "GPTBot", "/p", caseTime)
	},
	"a redirect to itself": func(c *simCase) {
		c.version("https://example.com", caseStart, 301, "").leads("https://example.com")
		c.ask("no_policy", "GPTBot", "/p", caseTime)
	},
	"a redirect out of the source": func(c *simCase) {
		c.version("https://example.com", caseStart, 302, "").leads("https://elsewhere.example")
		c.w.rows[0].outside = true
		c.ask("indeterminate:redirected_policy", "GPTBot", "/p", caseTime)
	},
	"a redirect that says not whereto": func(c *simCase) {
		c.version("https://example.com", caseStart, 302, "").outside = true
		c.ask("indeterminate:redirected_policy", "GPTBot", "/p", caseTime)
	},
	"a redirect to what is not there yet": func(c *simCase) {
		c.version("https://example.com", caseStart, 301, "").leads("https://www.example.com")
		c.version("https://www.example.com", caseTime, 200, forbidP)
		c.ask("no_policy", "GPTBot", "/p", caseTime-hour)
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+28*hour)
	},
	"a redirect to what changes": func(c *simCase) {
		c.version("https://example.com", caseStart, 301, "").leads("https://www.example.com")
		c.version("https://www.example.com", caseStart, 200, permitsAll)
		c.version("https://www.example.com", caseTime, 200, forbidP)
		c.version("https://www.example.com", caseTime+10*day, 503, "")
		c.ask("allowed", "GPTBot", "/p", caseTime-hour)
		c.ask("grace", "GPTBot", "/p", caseTime+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+28*hour)
		c.ask("grace", "GPTBot", "/p", caseTime+20*day)
		c.ask("grace", "GPTBot", "/p", caseTime+40*day)
	},
	"a 301 that the manifest states": func(c *simCase) {
		c.version("https://example.com", caseStart, 301, "").leads("https://www.example.com")
		c.version("https://www.example.com", caseStart, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(301, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
		c.ask("robots_fetch", "GPTBot", "https://www.example.com/robots.txt", caseTime, answered(301, 0))
		c.ask("indeterminate:redirected_policy", "GPTBot", "https://www.example.com/p", caseTime+hour)
	},
	"a 301 to https in a log that tells no scheme": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(301, 0), portless)
		c.ask("indeterminate:redirected_policy", "GPTBot", "/p", caseTime-1, portless)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime, answered(301, 0), portless)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+60, got(forbidP), portless)
		c.ask("violation informed", "ClaudeBot", "/p", caseTime+hour, portless)
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime, answered(301, 0), portless)
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime+61, got(forbidP), portless)
		c.ask("indeterminate:redirected_policy", "MJ12bot", "/p", caseTime+30, portless)
	},
}

// fooBot is a crawler of a file of the user's.
var fooBot = &simBot{name: "FooBot", operator: "Foo Inc.", tokens: []string{"FooBot"}, agent: "FooBot/1.0", loose: true}

// ranged has one list of addresses of GPTBot.
func ranged(created int64, inside, outside string) func(*simCase) {
	return func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24", "2a00:5::/64"},
			created: created}}
		c.identity(inside, "GPTBot", "66.1.1.77", "2a00:5::77")
		c.identity(outside, "GPTBot", "66.1.2.77", "203.0.113.7", "2a00:6::77")
		c.identity("unverifiable", "GPTBot", "10.0.0.1", "100.64.0.1", "127.0.0.1", "fd00::1", "fe80::1", "0f3a9c",
			"proxy.example.net")
		c.identity("unverified", "OAI-SearchBot", "66.1.2.77")
	}
}

// identity adds requests at caseTime, of clients with some identity.
func (c *simCase) identity(want, bot string, addrs ...string) {
	verdict := "violation"
	if want == "spoofed" {
		verdict = "spoofed"
	}
	for _, addr := range addrs {
		c.ask(verdict, bot, "/p", caseTime, from(addr))
		c.w.requests[len(c.w.requests)-1].identity = want
	}
}

var whoCases = map[string]func(*simCase){
	"a list of 29 days before":             ranged(caseTime-29*day, "verified", "unverified"),
	"a list of a day and a second before":  ranged(caseTime-day-1, "verified", "unverified"),
	"a list of 1 day before":               ranged(caseTime-day, "verified", "spoofed"),
	"a list of 29 days after":              ranged(caseTime+29*day, "verified", "spoofed"),
	"a list of 30 days after":              ranged(caseTime+30*day, "verified", "spoofed"),
	"a list of 30 days and a second after": ranged(caseTime+30*day+1, "verified", "unverified"),
	"a list of a year before":              ranged(caseTime-365*day, "verified", "unverified"),
	"a list of more than a year before":    ranged(caseTime-365*day-1, "unverified", "unverified"),
	"a list of a year after":               ranged(caseTime+365*day, "verified", "unverified"),
	"a list of more than a year after":     ranged(caseTime+365*day+1, "unverified", "unverified"),
	"a list without a date":                ranged(0, "verified", "unverified"),
	"a list of IPv4 only and a client of IPv6": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime}}
		c.identity("spoofed", "GPTBot", "66.1.2.77")
		c.identity("unverified", "GPTBot", "2a00:6::77")
	},
	"a list of IPv4 and an older one of IPv6": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime},
			{bot: simBotNamed("GPTBot"), prefixes: []string{"2a00:5::/64"}, created: caseTime - 20*day},
		}
		c.identity("verified", "GPTBot", "66.1.1.77", "2a00:5::77")
		c.identity("unverified", "GPTBot", "66.1.2.77", "2a00:6::77")
	},
	"two lists that add up": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime},
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.2.0/24"}, created: caseTime - 90*day},
			{bot: simBotNamed("MJ12bot"), prefixes: []string{"66.1.3.4"}, created: caseTime, form: 2},
			{bot: simBotNamed("MJ12bot"), prefixes: []string{"66.1.3.5"}, created: caseTime + day, form: 2},
		}
		c.identity("verified", "GPTBot", "66.1.1.1", "66.1.2.1")
		c.identity("unverified", "GPTBot", "66.1.9.1") // the older list does not know new machines
		c.identity("spoofed", "MJ12bot", "66.1.3.6")
		c.identity("verified", "MJ12bot", "66.1.3.4", "66.1.3.5")
		c.identity("unverifiable", "Bar_crawl", "66.1.3.4")
	},
	"a list by the operator's name for it": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{
			bot: simBotNamed("Googlebot"), file: "googlebot.json", also: []*simBot{simBotNamed("Googlebot-Image"),
				simBotNamed("Storebot-Google")},
			prefixes: []string{"66.1.1.0/24"}, created: caseTime,
		}}
		for _, bot := range []string{"Googlebot", "Googlebot-Image", "Storebot-Google"} {
			c.identity("verified", bot, "66.1.1.1")
			c.identity("spoofed", bot, "66.1.2.1")
		}
	},
	"an identity that is told the rule is not another that breaks it": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}}}
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, got(forbidP))
		c.ask("violation", "GPTBot", "/p", caseTime+hour, from("66.1.1.1"))
		c.ask("violation informed", "GPTBot", "/p", caseTime+hour, from("45.9.8.8"))
	},
	"FooBot in a word": func(c *simCase) {
		c.site("User-agent: FooBot\nDisallow: /\n")
		c.w.crawlers = `[{"name":"FooBot","operator":"Foo Inc.","words":["FooBot"],"tokens":["FooBot"],"obeys":"unknown"}]`
		c.askAs("violation", fooBot, "/p", caseTime)
		c.askAs("indeterminate:contested", stranger("MyFooBotX", "MyFooBotX/1.0"), "/p", caseTime)
		c.askAs("indeterminate:contested", stranger("FooBot-X", "FooBot-X/1.0"), "/p", caseTime)
	},
	"AcmeBot-Images with a group AcmeBot": func(c *simCase) {
		acme := stranger("AcmeBot-Images", "AcmeBot-Images/1.0 (+https://acme.example/bot)")
		c.site("User-agent: AcmeBot\nDisallow: /p\n\nUser-agent: *\nDisallow: /p\nDisallow: /q\n\nUser-agent: " +
			"es\nDisallow: /r\n")
		c.askAs("violation", acme, "/p", caseTime)
		c.askAs("indeterminate:contested", acme, "/q", caseTime)
		c.askAs("allowed", acme, "/r", caseTime) // two letters are no name
		c.ask("violation", "GPTBot", "/q", caseTime)
	},
	"AcmeBot-Images with its own group and a group AcmeBot": func(c *simCase) {
		acme := stranger("AcmeBot-Images", "AcmeBot-Images/1.0 (+https://acme.example/bot)")
		c.site("User-agent: AcmeBot\nDisallow: /q\n\nUser-agent: AcmeBot-Images\nDisallow: /p\n")
		c.askAs("indeterminate:contested", acme, "/p", caseTime)
		c.askAs("indeterminate:contested", acme, "/q", caseTime)
		c.askAs("allowed", acme, "/r", caseTime)
	},
	"Googlebot-News": func(c *simCase) {
		c.site("User-agent: Googlebot\nDisallow: /p\nDisallow: /q\n\nUser-agent: Googlebot-News\nDisallow: /p\nDisallow: " +
			"/r\n")
		c.ask("violation", "Googlebot", "/p", caseTime)
		c.ask("indeterminate:contested", "Googlebot", "/q", caseTime)
		c.ask("indeterminate:contested", "Googlebot", "/r", caseTime)
		c.ask("allowed", "Googlebot", "/s", caseTime)
		c.ask("violation", "Googlebot-Image", "/q", caseTime)
	},
	"WireReaderBot": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("Googlebot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime}}
		reader := *simBotNamed("Googlebot")
		reader.agent = "(compatible; Googlebot/2.1)"
		front := func(r *simRequest) { r.wrap, r.foreign = "WireReaderBot/1.0 %s", true }
		c.askAs("indeterminate:ambiguous_agent", &reader, "/p", caseTime, front)
		c.askAs("indeterminate:ambiguous_agent", &reader, "/q", caseTime, front)
		c.askAs("violation", &reader, "/p", caseTime, front, from("66.1.1.1"))
	},
	"bare words": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "(without a name)", "/robots.txt", caseTime, got(forbidP))
		c.ask("violation", "(without a name)", "/p", caseTime+hour) // never informed
	},
	"a fetcher": func(c *simCase) {
		c.site(forbidP)
		c.ask("violation", "Twitterbot", "/p", caseTime)
	},
	"the sitemap's own path": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\nSitemap: https://example.com/p/map.xml?x\nSitemap: " +
			"https://other.example/q\nSitemap: http://example.com/r\n")
		c.ask("allowed", "GPTBot", "/p/map.xml?x", caseTime)
		c.ask("allowed", "Googlebot", "/p/map.xml?x", caseTime)
		c.ask("allowed", "GPTBot", "/r", caseTime)
		for _, path := range []string{"/p/map.xml", "/p/map.xml?xy", "/p", "/q"} {
			c.ask("violation", "GPTBot", path, caseTime)
		}
	},
	"the sitemap's own path, where the log tells no scheme": func(c *simCase) {
		body := "User-agent: *\nDisallow: /p\nSitemap: https://example.com/p/map.xml\nSitemap: http://example.com/p/old.xml\n"
		c.w.rows = []simRow{{as: "example.com", origins: []simOrigin{simOriginOf("http://example.com"),
			simOriginOf("https://example.com")},
			from: caseStart, status: 200, body: body, hasBody: true}}
		c.ask("allowed", "GPTBot", "/p/map.xml", caseTime, portless)
		c.ask("allowed", "GPTBot", "/p/old.xml", caseTime, portless)
		c.ask("violation", "GPTBot", "/p/map.html", caseTime, portless)
		c.ask("allowed", "GPTBot", "/q", caseTime, portless)
		c.ask("allowed", "GPTBot", "http://example.com/p/map.xml", caseTime)
		c.ask("allowed", "GPTBot", "https://example.com/p/map.xml", caseTime)
	},
	"the sitemap's own path, whatever the host": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.site("User-agent: *\nDisallow: /\nSitemap: https://example.com/p/map.xml\n")
		c.ask("allowed", "GPTBot", "/p/map.xml", caseTime)
		c.ask("violation", "GPTBot", "/p", caseTime)
	},
	"evasive paths": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p/\nDisallow: /a%7Eb\n")
		for _, path := range []string{"//p/x", "/x/../p/", "/./p/x", "/q/..//p/x"} {
			c.ask("allowed evasive", "GPTBot", path, caseTime)
		}
		c.ask("indeterminate:contested evasive", "GPTBot", "/%70/x", caseTime)
		c.ask("allowed evasive", "Googlebot", "/%70/x", caseTime)
		c.ask("allowed", "GPTBot", "/q/x", caseTime)
		c.ask("allowed", "GPTBot", "/x?y=/../p/", caseTime)
		c.ask("indeterminate:contested", "GPTBot", "/p/../q", caseTime)
		c.ask("violation", "GPTBot", "/p/../p/q", caseTime)
	},
	"past the limit": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p\nDisallow: /q\n" + strings.Repeat("# "+strings.Repeat("x", 77)+"\n", 6500) +
			"Disallow: /r\nAllow: /q/open\n\nUser-agent: ClaudeBot\nDisallow: /p\n")
		c.ask("violation", "GPTBot", "/p", caseTime)
		c.ask("violation", "GPTBot", "/q/x", caseTime)
		c.ask("indeterminate:contested", "GPTBot", "/q/open", caseTime)
		c.ask("allowed", "GPTBot", "/r", caseTime)
		c.ask("indeterminate:contested", "ClaudeBot", "/p", caseTime)
		c.ask("violation", "Googlebot", "/q/open", caseTime)
	},
	"exempt and not exempt": func(c *simCase) {
		c.site(forbidP)
		c.ask("exempt", "ChatGPT-User", "/p", caseTime)
		c.ask("exempt", "ChatGPT-User", "/robots.txt", caseTime)
		c.ask("violation", "Claude-User", "/p", caseTime)
	},
	"an exempt agent that is none": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("ChatGPT-User"), prefixes: []string{"66.1.1.0/24"}, created: caseTime}}
		c.ask("spoofed", "ChatGPT-User", "/p", caseTime)
		c.ask("exempt", "ChatGPT-User", "/p", caseTime, from("66.1.1.1"))
		c.ask("exempt", "ChatGPT-User", "/p", caseTime, from("10.1.1.1"))
	},
	"two operators in one header": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("ClaudeBot"), prefixes: []string{"66.1.1.0/24"}}}
		second := func(r *simRequest) { r.rival = simBotNamed("ClaudeBot") }
		c.ask("indeterminate:ambiguous_agent", "GPTBot", "/p", caseTime, second)
		c.ask("indeterminate:ambiguous_agent", "GPTBot", "/q", caseTime, second)
		c.ask("indeterminate:ambiguous_agent", "GPTBot", "/p", caseTime, second, answered(414, 0),
			func(r *simRequest) { r.truncated = true })
		c.ask("violation", "GPTBot", "/p", caseTime, second, from("66.1.1.1")) // counted as ClaudeBot's
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, second)
	},
	"two operators in one header, proven to be neither": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{
			{bot: simBotNamed("ClaudeBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime},
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.2.0/24"}, created: caseTime},
		}
		second := func(r *simRequest) { r.rival = simBotNamed("ClaudeBot") }
		c.ask("spoofed", "GPTBot", "/p", caseTime, second)
		c.ask("violation", "GPTBot", "/p", caseTime, second, from("66.1.2.1"))
	},
	"a group with a crawl delay": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.site("User-agent: *\nCrawl-delay: 10\nDisallow: /p\n")
		for _, at := range []int64{0, 5, 10, 30, 31, 90} {
			c.ask("allowed", "GPTBot", "/q", caseTime+at)
			c.ask("allowed", "GPTBot", "/q", caseTime+7*at, from("45.9.8.8"))
		}
	},
}

// What robots.txt says to a control token is named as not auditable.
func TestControlTokensAreNotAuditable(t *testing.T) {
	w := newCase(readingCases["Google-Extended"])
	dir := t.TempDir()
	r := runCommand(t, append(w.write(t, dir), writeLog(t, dir, "a.log", w.requests)))
	report := auditJSON(t, r)
	if named, _ := report["not_auditable"].([]any); !slices.Contains(named, any("Google-Extended")) {
		t.Errorf("not_auditable is %v", report["not_auditable"])
	}
	for _, c := range report["crawlers"].([]any) {
		if c.(map[string]any)["crawler"] == "Google-Extended" {
			t.Error("a control token has a row of its own")
		}
	}
}

// What the third edition of the rules changed, a case for each sentence. Where the second
// edition had another verdict, it stands after the line.

// absolute makes the target of a request name its host.
func absolute(r *simRequest) { r.target = "https://example.com" + r.path }

// wrapped adds words to a crawler's header, "not" before its name, else around %s.
func wrapped(wrap string) edit {
	return func(r *simRequest) { r.wrap, r.foreign = wrap, true }
}

// harmless adds words that leave a header the crawler's.
func harmless(wrap string) edit { return func(r *simRequest) { r.wrap = wrap } }

var thirdCases = map[string]func(*simCase){
	// ---- 2 (a): sizes ----
	"third: a size that no version has, to one operator": func(c *simCase) {
		c.site(forbidP)
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime-90*day) // violation
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 1234))
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+hour)           // violation
		c.ask("indeterminate:no_version", "OAI-SearchBot", "/p", caseTime+100*day) // violation
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
		c.ask("violation", "ClaudeBot", "/p", caseTime+hour)
		c.ask("robots_fetch", "FooSpider", "/robots.txt", caseTime, answered(200, 4321))
		c.ask("indeterminate:no_version", "FooSpider", "/p", caseTime+hour) // violation
		c.ask("violation", "tiny-fetcher9", "/p", caseTime+hour)
		c.anybody(caseTime, got(forbidP))
		c.anybody(caseTime, got(forbidP))
	},
	"third: most were sent a size that no version has": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 1234))
		c.anybody(caseTime-90*day, answered(200, 99))
		c.anybody(caseTime, answered(200, 88))
		c.anybody(caseTime+90*day, got(forbidP))
		c.ask("violation", "GPTBot", "/p", caseTime+hour) // the headline is conditional
	},
	"third: half were sent a size that no version has": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 1234))
		c.ask("robots_fetch", "OAI-SearchBot", "/robots.txt", caseTime, answered(200, 1235)) // the operator's own
		c.anybody(caseTime, answered(200, 99))
		c.anybody(caseTime, got(forbidP))
		c.anybody(caseTime, answered(200, 0)) // no size
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+hour)
	},
	"third: nobody else was sent a size": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 1234))
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+hour) // violation
	},
	"third: the size of a version of another time is known": func(c *simCase) {
		c.version("https://example.com", caseStart, 200, permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, got(permitsAll))
		c.ask("grace", "GPTBot", "/p", caseTime+50*day+hour)
		c.ask("violation", "GPTBot", "/p", caseTime+60*day)
	},
	"third: sizes that are no fetch of the operator's": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime}}
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(200, 99), by("HEAD"), from("66.1.1.1"))
		c.ask("robots_fetch", "GPTBot", "/robots.txt?x", caseTime, answered(200, 99), from("66.1.1.1"))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(206, 99), from("66.1.1.1"))
		c.ask("spoofed", "GPTBot", "/robots.txt", caseTime, answered(200, 99))
		c.ask("exempt", "ChatGPT-User", "/robots.txt", caseTime, answered(200, 99))
		c.ask("robots_fetch", "GPTBot", "http://other.example/robots.txt", caseTime, answered(200, 99))
		c.w.requests[len(c.w.requests)-1].want = "other_host"
		c.ask("violation", "GPTBot", "/p", caseTime+hour, from("66.1.1.1"))
	},

	// ---- 2 (b): told none ----
	"third: 404 to somebody": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime-hour, got(forbidP))
		c.anybody(caseTime, answered(404, 153))
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour) // violation
		c.ask("no_policy", "GPTBot", "/p", caseTime-simSkew)
		c.ask("violation", "GPTBot", "/p", caseTime-simSkew-1)
		c.ask("no_policy", "GPTBot", "/p", caseTime+simSpan+minute-1) // the minute is partly in the span
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan+minute)
		c.ask("allowed", "GPTBot", "/q", caseTime+hour)
	},
	"third: 410 to another crawler": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "bingbot", "/robots.txt", caseTime, answered(410, 153))
		c.anybody(caseTime, got(forbidP))
		c.ask("no_policy", "GPTBot", "/p", caseTime+hour) // violation
	},
	"third: a minute that is partly in the span": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime-hour, got(forbidP))
		c.anybody(caseTime+59, answered(404, 153))
		c.ask("no_policy", "GPTBot", "/p", caseTime-simSkew) // the minute begins then
		c.ask("violation", "GPTBot", "/p", caseTime-simSkew-1)
	},
	"third: answers to somebody that say nothing to others": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, got(forbidP))
		for _, a := range []edit{answered(401, 0), answered(403, 153), answered(429, 0), answered(204, 0), answered(200, 0),
			answered(444, 0), answered(499, 0), answered(301, 0)} {
			c.anybody(caseTime, a)
		}
		c.anybody(caseTime, answered(404, 0), by("HEAD"))
		c.anybody(caseTime, answered(404, 0), func(r *simRequest) { r.target, r.path = "/robots.txt?x", "/robots.txt?x" })
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"third: nobody ever got a file": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(403, 153))
		c.ask("robots_fetch", "bingbot", "/robots.txt", caseTime+10*day, answered(503, 0))
		c.ask("no_policy", "GPTBot", "/p", caseTime-100*day) // violation
		c.ask("no_policy", "GPTBot", "/p", caseTime+100*day) // violation
		c.ask("allowed", "GPTBot", "/q", caseTime+100*day)
	},
	"third: somebody was told that a copy stands": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(403, 153))
		c.anybody(caseTime+90*day, answered(304, -1))
		c.ask("violation", "GPTBot", "/p", caseTime-100*day)
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"third: somebody was sent elsewhere": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(403, 153))
		c.anybody(caseTime, answered(301, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"third: only failures are no answer of none": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime, answered(503, 0))
		c.anybody(caseTime, answered(499, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+hour)
	},
	"third: only 429, a failure to Google alone": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "Googlebot", "/robots.txt", caseTime, answered(429, 0))
		c.ask("violation", "Googlebot", "/p", caseTime+hour)
		c.ask("no_policy", "ClaudeBot", "/p", caseTime+hour) // violation
	},

	// ---- 2 (c): the long span ----
	"third: a hiccup of 5xx on a constant robots.txt": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.site(forbidP)
		for _, bot := range []string{"GPTBot", "Googlebot"} {
			c.ask("robots_fetch", bot, "/robots.txt", caseTime-hour, got(forbidP))
			c.ask("robots_fetch", bot, "/robots.txt", caseTime, answered(503, 0))
		}
		c.anybody(caseTime, answered(500, 0))
		for _, at := range []int64{-minute, minute, hour, 20 * hour, 20 * day} {
			c.ask("violation informed", "GPTBot", "/p", caseTime+at)
			c.ask("violation informed", "Googlebot", "/p", caseTime+at)
			c.ask("violation", "ClaudeBot", "/p", caseTime+at)
		}
	},
	"third: a hiccup of 5xx in a manifest": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, unreachableStatus, "")
		c.version("https://example.com", caseTime+hour, 200, forbidP)
		for _, at := range []int64{0, hour, 20 * hour, 20 * day} {
			c.ask("violation", "GPTBot", "/p", caseTime+at)
			c.ask("violation", "Googlebot", "/p", caseTime+at)
		}
	},
	"third: a copy of 60 days ago and a failed version": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+50*day, 503, "")
		c.version("https://example.com", caseTime+50*day+hour, 200, forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime+50*day-simSkew-1)
		c.ask("grace", "GPTBot", "/p", caseTime+50*day) // violation
		c.ask("grace", "GPTBot", "/p", caseTime+50*day+hour+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+50*day+hour+simSpan)
		c.version("https://example.com", caseTime+60*day, 503, "")
		c.version("https://example.com", caseTime+62*day, 200, forbidP)
		c.ask("grace", "GPTBot", "/p", caseTime+60*day+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+60*day+simSpan)
	},
	"third: an operator's fetch fails": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "OAI-SearchBot", "/robots.txt", caseTime+50*day, answered(444, 0))
		c.ask("grace", "GPTBot", "/p", caseTime+50*day+hour) // violation
		c.ask("violation", "ClaudeBot", "/p", caseTime+50*day+hour)
	},
	"third: anybody's 5xx after the operator's last fetch": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, got(forbidP))
		c.anybody(caseTime+50*day+hour, answered(503, 0))
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+50*day+2*hour, got(forbidP))
		c.ask("violation informed", "GPTBot", "/p", caseTime+50*day+minute)
		c.ask("grace informed", "GPTBot", "/p", caseTime+50*day+3*hour) // violation informed
		c.ask("violation informed", "ClaudeBot", "/p", caseTime+50*day+3*hour)
		c.ask("grace", "MJ12bot", "/p", caseTime+50*day+3*hour)   // violation; it has fetched nothing
		c.ask("grace", "ClaudeBot", "/p", caseTime+50*day+2*hour) // violation; a fetch of the same second is not before it
	},
	"third: anybody's 5xx in the minute of the operator's last fetch": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.anybody(caseTime+50*day, answered(503, 0))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day+30, got(forbidP))
		c.ask("grace informed", "GPTBot", "/p", caseTime+50*day+hour)
	},
	"third: anybody's failures that are no 5xx": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.anybody(caseTime+50*day, answered(444, 0))
		c.anybody(caseTime+50*day, answered(499, 0))
		c.anybody(caseTime+50*day, answered(503, 0), by("HEAD"))
		c.ask("violation", "GPTBot", "/p", caseTime+50*day+hour)
	},
	"third: told none in the long span": func(c *simCase) {
		c.site(forbidP)
		c.anybody(caseTime-hour, got(forbidP))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(403, 153))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+49*day)
		c.ask("no_policy", "GPTBot", "/p", caseTime+50*day+hour) // violation
		c.ask("violation", "ClaudeBot", "/p", caseTime+50*day+hour)
		c.anybody(caseTime+51*day, answered(404, 153))
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+100*day, answered(503, 0))
		c.ask("no_policy", "ClaudeBot", "/p", caseTime+100*day) // violation
	},
	"third: an old size in the long span": func(c *simCase) {
		c.version("https://example.com", caseStart, 200, permitsAll)
		c.version("https://example.com", caseTime-100*day, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, got(permitsAll))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+40*day)
		c.ask("grace", "GPTBot", "/p", caseTime+50*day+hour) // violation
	},
	"third: a month of failures in the log": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(503, 0))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+28*day+12*hour, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+29*day-1)
		c.ask("unreachable", "GPTBot", "/p", caseTime+29*day) // violation
		c.ask("violation", "GPTBot", "/p", caseTime+30*day)   // nothing failed in the span
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+60*day, answered(503, 0))
		c.ask("unreachable", "GPTBot", "/p", caseTime+60*day+simSpan) // violation
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+120*day, answered(503, 0))
		c.ask("unreachable", "GPTBot", "/p", caseTime+120*day)
	},
	"third: a month of failures that began 61 days ago": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(503, 0))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+61*day, answered(503, 0))
		c.ask("unreachable", "GPTBot", "/p", caseTime+60*day+simSpan) // violation
		c.ask("violation", "GPTBot", "/p", caseTime+60*day+simSpan+1)
	},
	"third: failing versions a month apart": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 503, "")
		c.version("https://example.com", caseTime+hour, 200, forbidP)
		c.version("https://example.com", caseTime+28*day, 503, "")
		c.version("https://example.com", caseTime+28*day+hour, 200, forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime+29*day-1)
		c.ask("unreachable", "GPTBot", "/p", caseTime+29*day) // violation
	},
	"third: Google is told 500 in the long span": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "Googlebot", "/robots.txt", caseTime, answered(500, 0))
		c.ask("robots_fetch", "Googlebot", "/robots.txt", caseTime+20*day, answered(503, 0))
		c.ask("unreachable", "Googlebot", "/p", caseTime+hour)
		c.ask("violation", "Googlebot", "/p", caseTime+10*day)
		c.ask("unreachable", "Googlebot", "/p", caseTime+20*day) // violation
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+20*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+20*day)
	},
	"third: a version of 502 in the long span of Google": func(c *simCase) {
		c.site(forbidP)
		c.version("https://example.com", caseTime, 502, "")
		c.version("https://example.com", caseTime+hour, 200, forbidP)
		c.version("https://example.com", caseTime+20*day, unreachableStatus, "")
		c.ask("violation", "Googlebot", "/p", caseTime+10*day)
		c.ask("unreachable", "Googlebot", "/p", caseTime+20*day) // violation
		c.ask("violation", "GPTBot", "/p", caseTime+20*day)
	},
	"third: max_age in the long span": func(c *simCase) {
		c.site(permitsAll)
		c.w.rows[0].maxAge = 5 * day
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+60*day, 503, "")
		c.ask("grace", "GPTBot", "/p", caseTime+64*day) // violation
		c.ask("grace", "GPTBot", "/p", caseTime+65*day+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+65*day+simSpan)
	},
	"third: a failed version with a max_age": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, forbidP)
		c.version("https://example.com", caseTime+30*day, 503, "").maxAge = 5 * day
		c.version("https://example.com", caseTime+30*day+hour, 200, forbidP)
		c.ask("grace", "GPTBot", "/p", caseTime+30*day+hour+5*day+simSpan-1)
		c.ask("violation", "GPTBot", "/p", caseTime+30*day+hour+5*day+simSpan)
	},
	"third: the long span begins before the first version": func(c *simCase) {
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+40*day, answered(503, 0))
		c.ask("indeterminate:no_version", "GPTBot", "/p", caseTime+40*day)
		c.ask("violation", "ClaudeBot", "/p", caseTime+30*day)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+80*day, answered(503, 0))
		c.ask("violation", "ClaudeBot", "/p", caseTime+80*day)
	},
	"third: a redirect that cannot be followed in the long span": func(c *simCase) {
		c.version("https://example.com", caseStart, 301, "").outside = true
		c.version("https://example.com", caseTime, 200, forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+40*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+30*day)
		c.ask("indeterminate:redirected_policy", "GPTBot", "/p", caseTime+40*day) // violation
	},
	"third: a fetch that was sent elsewhere in the long span": func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(302, 0))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime+50*day, answered(503, 0))
		c.ask("violation", "GPTBot", "/p", caseTime+40*day)
		c.ask("indeterminate:redirected_policy", "GPTBot", "/p", caseTime+50*day) // violation
	},

	// ---- 2: sitemaps, informed ----
	"third: a sitemap under another scheme and port": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\nSitemap: http://example.com:8080/p/map.xml\nSitemap: https://www.example.com/r\n")
		c.ask("allowed", "GPTBot", "/p/map.xml", caseTime) // violation
		c.ask("violation", "GPTBot", "/r", caseTime)
	},
	"third: no size is inferred": func(c *simCase) {
		c.site(forbidP)
		for i, bot := range []string{"GPTBot", "ClaudeBot", "bingbot"} {
			c.ask("robots_fetch", bot, "/robots.txt", caseTime+int64(i), answered(200, 24))
			c.ask("violation", bot, "/p", caseTime+hour) // violation informed
		}
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime, answered(304, -1))
		c.ask("violation informed", "MJ12bot", "/p", caseTime+hour)
	},

	// ---- 4: other hosts ----
	"third: one robots.txt, and a target that names a host": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.site(forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime)
		c.ask("other_host", "GPTBot", "/p", caseTime, absolute) // violation
		c.ask("other_host", "GPTBot", "/robots.txt", caseTime, absolute, answered(404, 0))
		c.anybody(caseTime, answered(404, 0), absolute)
		for n := range int64(3) {
			c.ask("violation", "GPTBot", "/p", caseTime+(n+1)*hour) // a log of which most targets name hosts names hosts
		}
	},
	"third: a host given, and targets that name others": func(c *simCase) {
		c.w.format, c.w.constant = "combined", true
		c.w.hosts, c.w.judged = []string{"https://example.com"}, []simOrigin{simOriginOf("https://example.com")}
		c.site(forbidP)
		c.ask("violation", "GPTBot", "/p", caseTime, absolute)
		c.ask("other_host", "GPTBot", "https://other.example/p", caseTime,
			func(r *simRequest) { r.target = "https://other.example/p" })
	},

	// ---- 5: the mirror of evasive ----
	"third: a normal form that is permitted": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p/\n")
		for _, path := range []string{"/p/../q", "/p/x/../../q", "/p/%2e%2E/q", "/p/%2e./q?x", "/p/../robots.txt", "/p/..",
			"/p//../../q"} {
			c.ask("indeterminate:contested", "GPTBot", path, caseTime) // violation
			c.ask("indeterminate:contested", "Googlebot", path, caseTime)
		}
		c.ask("violation", "GPTBot", "/p/./x", caseTime)
		c.ask("violation", "GPTBot", "/p/x?y=/../../q", caseTime)
		c.ask("violation", "GPTBot", "/p/..%2Fq", caseTime) // %2F stays
		c.ask("allowed evasive", "GPTBot", "/q/../p/x", caseTime)
	},
	"third: /robots.txt as a normal form is permitted": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /\nAllow: /q\n")
		for _, bot := range []string{"GPTBot", "Googlebot"} {
			c.ask("indeterminate:contested", bot, "/p/../robots.txt", caseTime) // violation
			c.ask("violation", bot, "/p/../x", caseTime)
			c.ask("allowed", bot, "/q/../robots.txt", caseTime)
			c.ask("allowed evasive", bot, "/q/../x", caseTime)
		}
	},
	"third: a normal form that is a sitemap": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p/\nSitemap: https://example.com/p/map.xml\n")
		c.ask("indeterminate:contested", "GPTBot", "/p/./map.xml", caseTime) // violation
	},
	"third: a normal form that is permitted under one scheme": func(c *simCase) {
		c.site("User-agent: *\nDisallow: /p/\n")
		c.version("http://example.com", caseStart, 200, "User-agent: *\nDisallow: /\n")
		c.ask("indeterminate:contested", "GPTBot", "/p/../q", caseTime, portless) // violation
		c.ask("indeterminate:unknown_scheme", "GPTBot", "/q", caseTime, portless)
		c.ask("violation", "GPTBot", "/p/../p/", caseTime, portless)
	},
	"third: a normal form that is permitted is no grace": func(c *simCase) {
		c.site(permitsAll)
		c.version("https://example.com", caseTime, 200, "User-agent: *\nDisallow: /p/\n")
		c.ask("grace", "GPTBot", "/p/../q", caseTime+hour)
	},

	// ---- 7: foreign words ----
	"third: words that are not the crawler's": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime}}
		for _, wrap := range []string{
			"WireReader/1.0 %s", "%s WireReader/2.1", "%s (compatible; startmebot/1.0)", "%s;line-poker/1.0", "not",
			"python-requests/2.31.0 %s", "reader %s",
			"%s superspider",
		} {
			c.ask("indeterminate:ambiguous_agent", "Googlebot", "/p", caseTime, wrapped(wrap)) // violation, of most
			c.ask("indeterminate:ambiguous_agent", "Googlebot", "/robots.txt", caseTime, wrapped(wrap), answered(404, 0))
			c.w.requests[len(c.w.requests)-1].want = "robots_fetch"
			c.ask("indeterminate:ambiguous_agent", "bingbot", "/p", caseTime, wrapped(wrap)) // no impostor
			c.ask("violation", "bingbot", "/p", caseTime+40*day, wrapped(wrap), from("66.1.1.1"))
		}
		c.anybody(caseTime, got(forbidP))
		c.ask("violation", "Googlebot", "/p", caseTime+3*day)
	},
	"third: words that leave a header the crawler's": func(c *simCase) {
		c.site(forbidP)
		for _, wrap := range simHarmless {
			for _, bot := range []string{"Googlebot", "GPTBot", "bingbot"} {
				c.ask("violation", bot, "/p", caseTime, harmless(wrap))
			}
		}
	},

	// ---- 7: tokens in the header ----
	"third: a group whose token stands in an unknown header": func(c *simCase) {
		acme := stranger("AcmeSpider", "Mozilla/5.0 (compatible; AcmeSpider/2.0; +https://zeta.example/omega; "+
			"ops@iota.example)")
		c.site("User-agent: compatible\nDisallow: /c\n\nUser-agent: *\nDisallow: /p\nDisallow: /c\n\nUser-agent: " +
			"zeta\nDisallow: /z\n\nUser-agent: iota\nDisallow: /z\n")
		c.askAs("indeterminate:contested", acme, "/p", caseTime) // violation
		c.askAs("violation", acme, "/c", caseTime)
		c.askAs("allowed", acme, "/z", caseTime) // these stand in the URL and the e-mail address only
		c.ask("violation", "bingbot", "/p", caseTime)
	},
	"third: a group whose token stands in a header without a name": func(c *simCase) {
		c.site("User-agent: craw\nDisallow: /q\n\nUser-agent: *\nDisallow: /p\n")
		c.ask("indeterminate:contested", "(without a name)", "/p", caseTime)
		c.ask("indeterminate:contested", "(without a name)", "/q", caseTime) // allowed
	},
	"third: a group whose token stands in the header of a crawler without a page": func(c *simCase) {
		c.site("User-agent: Foo\nAllow: /p\nDisallow: /q\n\nUser-agent: *\nDisallow: /p\n")
		c.w.crawlers = `[{"name":"FooBot","operator":"Foo Inc.","words":["FooBot"],"tokens":["FooBot"],"obeys":"unknown"}]`
		c.askAs("indeterminate:contested", fooBot, "/p", caseTime) // violation
		c.askAs("indeterminate:contested", fooBot, "/q", caseTime) // allowed
	},
	"third: a word of a profile that is none of its tokens": func(c *simCase) {
		c.site("User-agent: AspiegelBot\nAllow: /p\n\nUser-agent: *\nDisallow: /p\n")
		petal := &simBot{name: "PetalBot", operator: "Huawei", tokens: []string{"PetalBot"}, publishes: true,
			agent: "Mozilla/5.0 (compatible; PetalBot)"}
		old := *petal
		old.agent, old.loose = "Mozilla/5.0 (compatible; AspiegelBot)", true
		c.askAs("violation", petal, "/p", caseTime)
		c.askAs("indeterminate:contested", &old, "/p", caseTime) // violation
	},

	// ---- 7: other records between user-agent lines ----
	"third: another record ends a run of user-agent lines": func(c *simCase) {
		for _, record := range []string{"Crawl-delay: 5", "Sitemap: https://example.com/s.xml", "Host: example.com",
			"foo bar: x", ": x"} {
			host := "https://h" + strings.Repeat("x", len(c.w.rows)) + ".example"
			c.version(host, caseStart, 200, "User-agent: GPTBot\n"+record+"\nUser-agent: Googlebot\nDisallow: /p\n")
			c.ask("indeterminate:contested", "GPTBot", host+"/p", caseTime) // violation
			c.ask("violation", "Googlebot", host+"/p", caseTime)            // its parser is published
			c.ask("allowed", "GPTBot", host+"/q", caseTime)
		}
	},
	"third: what does not end a run of user-agent lines": func(c *simCase) {
		for _, line := range []string{"", "# a: b", "no record", "no record # a: b", "User-agent: CCBot", "Crawl-delay 5"} {
			host := "https://h" + strings.Repeat("x", len(c.w.rows)) + ".example"
			c.version(host, caseStart, 200, "User-agent: GPTBot\n"+line+"\nUser-agent: Googlebot\nDisallow: /p\nCrawl-delay: "+
				"5\nDisallow: /q\n")
			c.ask("violation", "GPTBot", host+"/p", caseTime)
			c.ask("violation", "GPTBot", host+"/q", caseTime)
		}
	},
	"third: a typo that one reading takes for another record": func(c *simCase) {
		c.site("User-agent: GPTBot\nDisalow: /q\nUser-agent: *\nDisallow: /p\n")
		c.ask("indeterminate:contested", "GPTBot", "/p", caseTime)
		c.ask("violation", "CCBot", "/p", caseTime)
	},

	// ---- 8: absence ----
	"third: absence needs each file": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime},
			{bot: simBotNamed("GPTBot"), prefixes: []string{"2a00:5::/64"}, created: caseTime},
			{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.1.0/24", "2a00:5::/64"}, created: caseTime},
			{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.2.0/24", "2a00:5::/64"}},
			{bot: simBotNamed("CCBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime},
			{bot: simBotNamed("CCBot"), prefixes: []string{"66.1.2.0/24", "2a00:5::/64"}, created: caseTime - day},
		}
		c.identity("verified", "GPTBot", "66.1.1.1", "2a00:5::1")
		c.identity("unverified", "GPTBot", "66.1.9.1", "2a00:9::1") // spoofed
		c.identity("verified", "bingbot", "66.1.1.1", "66.1.2.1")
		c.identity("unverified", "bingbot", "66.1.9.1") // spoofed; a list without a date proves membership only
		c.identity("spoofed", "CCBot", "66.1.9.1")
		c.identity("unverified", "CCBot", "2a00:9::1") // spoofed
	},
	"third: absence needs one list of a series": func(c *simCase) {
		c.site(forbidP)
		c.w.ranges = []simRanges{
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime, form: 2, series: "one"},
			{bot: simBotNamed("GPTBot"), prefixes: []string{"66.1.2.0/24", "2a00:5::/64"}, created: caseTime - 20*day, form: 2,
				series: "one"},
			{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.1.0/24"}, created: caseTime, form: 2, series: "two"},
			{bot: simBotNamed("bingbot"), prefixes: []string{"66.1.3.0/24"}, created: caseTime - 20*day, form: 2},
		}
		c.identity("verified", "GPTBot", "66.1.1.1", "66.1.2.1")
		c.identity("spoofed", "GPTBot", "66.1.9.1")
		c.identity("unverified", "GPTBot", "2a00:9::1")
		c.identity("unverified", "bingbot", "66.1.9.1")
	},

	// ---- 10: times without a zone ----
	"third: times that name no zone": func(c *simCase) {
		c.w.format = "vhost_zoneless_combined"
		added(c)
		c.ask("allowed", "GPTBot", "/p", caseTime-14*hour-simSkew-1)
		c.ask("grace", "GPTBot", "/p", caseTime-14*hour-simSkew) // allowed
		c.ask("grace", "GPTBot", "/p", caseTime+simSpan+14*hour-1)
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan+14*hour)
		// perhaps before the rule was there
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+14*hour+simSkew-1, got(forbidP))
		c.ask("violation", "ClaudeBot", "/p", caseTime+10*day)
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime+14*hour+simSkew, got(forbidP))
		c.ask("violation informed", "ClaudeBot", "/p", caseTime+10*day)
		c.w.requests = c.w.requests[:len(c.w.requests)-3] // before the second fetch
	},
	"third: answers in a log that names no zone": func(c *simCase) {
		c.w.format = "zoneless_combined"
		c.w.constant = true
		c.site(forbidP)
		c.anybody(caseTime, got(forbidP))
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, answered(403, 153))
		c.ask("no_policy", "GPTBot", "/p", caseTime-14*hour-simSkew) // violation
		c.ask("violation", "GPTBot", "/p", caseTime-14*hour-simSkew-1)
		c.ask("no_policy", "GPTBot", "/p", caseTime+simSpan+14*hour) // violation
		c.ask("violation", "GPTBot", "/p", caseTime+simSpan+14*hour+1)
	},
}

// What a crawler was sent is known by a 200 with the size of a version, and by nothing else.
func TestInformedIsKnownBySizes(t *testing.T) {
	w := newCase(func(c *simCase) {
		c.site(forbidP)
		c.ask("robots_fetch", "GPTBot", "/robots.txt", caseTime, got(forbidP))
		c.ask("robots_fetch", "ClaudeBot", "/robots.txt", caseTime, answered(200, 99))
		c.ask("robots_fetch", "MJ12bot", "/robots.txt", caseTime, answered(304, -1))
		c.ask("violation", "bingbot", "/p", caseTime+hour)
	})
	want := map[string]bool{"GPTBot": true, "ClaudeBot": false, "MJ12bot": false, "bingbot": false}
	got, err := auditedReport(t, w)
	if err != nil {
		t.Fatal(err)
	}
	for name, known := range want {
		if c := newOracle(w).report().crawlers[name]; c.InformedKnown != known {
			t.Errorf("%s: the oracle says %v, want %v", name, c.InformedKnown, known)
		}
		if c := got.crawlers[name]; c.InformedKnown != known {
			t.Errorf("%s: %v, want %v", name, c.InformedKnown, known)
		}
	}
}
