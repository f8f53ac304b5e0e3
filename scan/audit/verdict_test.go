package audit

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/format"
)

// wantCounts fails the test unless exactly the given counts are not 0.
func wantCounts(t *testing.T, what string, counts any, want map[string]int64) {
	t.Helper()
	if got := nonZero(t, counts); !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name    string
		e       entry
		verdict string
		reason  string // of an indeterminate one
	}{
		{"permitted", entry{target: "/about"}, "allowed", ""},
		{"forbidden", entry{target: "/private/x"}, "violation", ""},
		{"forbidden by a query", entry{target: "/find?s=x"}, "violation", ""},
		{"forbidden where the log escapes", entry{target: `/\x70rivate/`}, "violation", ""},
		{"forbidden with a raw blank", entry{target: "/private/a b"}, "violation", ""},
		{"forbidden in HTTP/0.9", entry{target: "/private/", protocol: noProtocol}, "violation", ""},
		{"another path in capitals", entry{target: "/Private/x"}, "allowed", ""},
		{"forbidden to others", entry{target: "/mj/"}, "allowed", ""},
		{"its own group", entry{target: "/mj/", agent: mj12bot}, "violation", ""},
		{"bound by its own group only", entry{target: "/private/", agent: mj12bot}, "allowed", ""},
		{"not bound by *", entry{target: "/private/", agent: adsbot}, "allowed", ""},
		{"unknown crawler permitted", entry{agent: acmebot}, "allowed", ""},
		{"unknown crawler forbidden", entry{target: "/private/", agent: acmebot}, "violation", ""},
		{"answered 404 all the same", entry{target: "/private/", status: "404"}, "violation", ""},
		{"no status", entry{target: "/private/", status: "-"}, "violation", ""},

		{"robots.txt", entry{target: "/robots.txt"}, "robots_fetch", ""},
		{"robots.txt by HEAD", entry{target: "/robots.txt", method: "HEAD"}, "robots_fetch", ""},
		{"robots.txt by POST", entry{target: "/robots.txt", method: "POST"}, "robots_fetch", ""},
		{"robots.txt not found", entry{target: "/robots.txt", status: "404"}, "robots_fetch", ""},
		{"robots.txt with a fragment", entry{target: "/robots.txt#x"}, "robots_fetch", ""},
		{"robots.txt by a name that nobody knows", entry{target: "/robots.txt", agent: acmebot}, "robots_fetch", ""},

		{"forbidden of Google only by a misspelled key", entry{target: "/typo", agent: googlebot}, "violation", ""},
		{"forbidden by Google's reading alone", entry{target: "/typo"}, "indeterminate", "contested"},
		{"forbidden by RFC 9309's reading alone", entry{target: "/a~b"}, "indeterminate", "contested"},
		{"an escape that Google does not decode", entry{target: "/a~b", agent: googlebot}, "allowed", ""},
		{"the same spelling, but not its normal form", entry{target: "/a%7Eb"}, "indeterminate", "contested"},

		{"no time", entry{target: "/private/", time: "-"}, "indeterminate", "no_time"},
		{"no such time", entry{time: "31/Feb/2026:10:00:00 +0000"}, "indeterminate", "no_time"},
		{"two operators", entry{target: "/private/", agent: twoBots}, "indeterminate", "ambiguous_agent"},
		{"two operators, permitted", entry{agent: twoBots}, "indeterminate", "ambiguous_agent"},
		{"two crawlers of one operator", entry{target: "/private/", agent: "Googlebot/2.1 Googlebot-Image/1.0"},
			"violation", ""},
		{"cut by the server", entry{target: "/private/" + strings.Repeat("x", 100), protocol: noProtocol, status: "414"},
			"indeterminate", "truncated"},
		{"414 for a target that is whole", entry{target: "/private/", status: "414"}, "violation", ""},
		{"exempt", entry{target: "/private/", agent: chatgpt}, "exempt", ""},
		{"exempt where it is permitted", entry{agent: chatgpt}, "exempt", ""},

		// The order of decision.
		{"exempt before robots_fetch", entry{target: "/robots.txt", agent: chatgpt}, "exempt", ""},
		{"exempt before no_time", entry{time: "-", agent: chatgpt}, "exempt", ""},
		{"exempt before ambiguous_agent", entry{agent: "ChatGPT-User/1.0 Googlebot/2.1"}, "exempt", ""},
		{"exempt before truncated", entry{agent: chatgpt, protocol: noProtocol, status: "414"}, "exempt", ""},
		{"ambiguous where the exempt one is named second", entry{agent: "Googlebot/2.1 ChatGPT-User/1.0"}, "indeterminate",
			"ambiguous_agent"},
		{"robots_fetch before no_time", entry{target: "/robots.txt", time: "-"}, "robots_fetch", ""},
		{"robots_fetch before ambiguous_agent", entry{target: "/robots.txt", agent: twoBots}, "robots_fetch", ""},
		{"robots_fetch before truncated", entry{target: "/robots.txt", protocol: noProtocol, status: "414"}, "robots_fetch",
			""},
		{"no_time before ambiguous_agent", entry{time: "-", agent: twoBots}, "indeterminate", "no_time"},
		{"no_time before truncated", entry{time: "-", protocol: noProtocol, status: "414"}, "indeterminate", "no_time"},
		{"ambiguous_agent before truncated", entry{agent: twoBots, protocol: noProtocol, status: "414"}, "indeterminate",
			"ambiguous_agent"},
		{"truncated before contested", entry{target: "/typo", protocol: noProtocol, status: "414"}, "indeterminate",
			"truncated"},
	}
	a := newAuditor(t, robotsTxtBody+"\nUser-agent: *\nDissallow: /typo\n")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := auditEntries(t, a, test.e)
			if r.Lines != 1 || len(r.Crawlers) != 1 {
				t.Fatalf("%s\n%s", test.e, marshal(t, r))
			}
			c := r.Crawlers[0]
			wantCounts(t, "verdicts", c.Verdicts, map[string]int64{test.verdict: 1})
			reasons := map[string]int64{}
			if test.reason != "" {
				reasons[test.reason] = 1
			}
			wantCounts(t, "reasons", c.Reasons, reasons)
			identity := "unverified"
			if c.Operator == unknown {
				identity = "unverifiable" // by whom?
			}
			wantCounts(t, "identity", c.Identity, map[string]int64{identity: 1})
		})
	}
}

// TestHostThatIsLeftOut: it may be any of the server's, so nothing is said of the
// request.
func TestHostThatIsLeftOut(t *testing.T) {
	r := auditEntries(t, newAuditor(t, "User-agent: *\nDisallow: /", "https://example.com"), entry{vhost: "-"},
		entry{vhost: "-", target: "/robots.txt"})
	c := r.row("GPTBot")
	wantCounts(t, "verdicts", c.Verdicts, map[string]int64{"indeterminate": 1, "robots_fetch": 1})
	wantCounts(t, "reasons", c.Reasons, map[string]int64{"no_host": 1})
}

// TestAmbiguousFetchTellsWhoeverItNames: whichever of the two crawlers was answered
// 403 may have been told that nothing is forbidden, in whatever order they are named.
func TestAmbiguousFetchTellsWhoeverItNames(t *testing.T) {
	for _, agent := range []string{"ChatGPT-User/1.0 MJ12bot/1.4", "MJ12bot/1.4 ChatGPT-User/1.0",
		"bingbot/2.0 MJ12bot/1.4"} {
		r := auditEntries(t, newAuditor(t, "User-agent: *\nDisallow: /"),
			entry{target: "/robots.txt", agent: agent, status: "403", time: at(0)}, entry{agent: mj12bot, time: at(60)})
		if got := r.row("MJ12bot").Verdicts; got[NoPolicy] != 1 || got[Violation] != 0 {
			t.Errorf("%s: %+v, want no_policy", agent, got)
		}
		// Nor was it told the rules by an answer that may have been another's.
		r = auditEntries(t, newAuditor(t, "User-agent: *\nDisallow: /"),
			entry{target: "/robots.txt", agent: agent, time: at(0)}, entry{agent: mj12bot, time: at(60)})
		if v := r.row("MJ12bot").Violations; len(v) != 1 || v[0].Informed {
			t.Errorf("%s: %+v, want a violation that is not informed", agent, v)
		}
	}
}

// TestRobotsTxtWithAQuery: /robots.txt?x and //robots.txt are robots_fetch, but tell nobody
// anything.
func TestRobotsTxtWithAQuery(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /", "http://example.com")
	for _, target := range []string{
		"/robots.txt?x", "/robots.txt?", "//robots.txt", "///robots.txt", "//robots.txt?x",
		"http://example.com/robots.txt?x", "http://example.com//robots.txt",
	} {
		for _, agent := range []string{gptbot, googlebot} {
			r := auditEntries(t, a, entry{target: target, agent: agent, status: "404"}, entry{agent: agent, time: at(60)})
			wantCounts(t, target, r.Totals.Verdicts, map[string]int64{"robots_fetch": 1, "violation": 1})
			if c := r.Crawlers[0]; c.RobotsTxt.Fetches != 0 || c.Informed() != 0 || r.RobotsTxt.Requests != 0 {
				t.Errorf("%s: %+v, %d requests for robots.txt", target, c.RobotsTxt, r.RobotsTxt.Requests)
			}
		}
	}
}

// TestOnlyRobotsTxtItselfIsAFetch: what looks like it is judged like any path.
func TestOnlyRobotsTxtItselfIsAFetch(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /", "http://example.com", "http://robots.txt")
	for _, target := range []string{
		"/blog/robots.txt", "/robots.txt/", "/robots.txt.bak", "/Robots.txt", "/robots.txtx?/robots.txt", "/?/robots.txt",
		"//example.com/robots.txt", "/x//robots.txt", "http://example.com/blog/robots.txt", "http://robots.txt",
		"http://robots.txt/",
	} {
		for _, agent := range []string{gptbot, googlebot} {
			r := auditEntries(t, a, entry{target: target, agent: agent})
			if r.Totals.Verdicts[Violation] != 1 {
				t.Errorf("%s: %v, want a violation", target, nonZero(t, r.Totals.Verdicts))
			}
		}
	}
}

func TestWhoIsCounted(t *testing.T) {
	tests := []struct{ name, agent, crawler, operator, category string }{
		{"known", gptbot, "GPTBot", "OpenAI", "ai-training"},
		{"known in other case", "gptBOT/1.0", "GPTBot", "OpenAI", "ai-training"},
		{"known, escaped by the log", `\x47PTBot/1.0`, "GPTBot", "OpenAI", "ai-training"},
		{"the more specific of one operator", "Googlebot-Image/1.0", "Googlebot-Image", "Google", "search"},
		{"ambiguous: the first named", twoBots, "bingbot", "Microsoft", "search"},
		{"unknown", acmebot, "AcmeBot", "unknown", "unknown"},
		{"unknown with a name that ends a terminal's line", `Ac\x85meBot/1.0 (+http://x.example)`, "Ac\x85meBot", "unknown",
			"unknown"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := auditEntries(t, newAuditor(t, robotsTxtBody), entry{agent: test.agent})
			if len(r.Crawlers) != 1 {
				t.Fatal(marshal(t, r))
			}
			c := r.Crawlers[0]
			if c.Crawler != test.crawler || c.Operator != test.operator || c.Category != test.category {
				t.Errorf("%s of %s (%s), want %s of %s (%s)", c.Crawler, c.Operator, c.Category, test.crawler, test.operator,
					test.category)
			}
		})
	}
	for name, agent := range map[string]string{
		"a browser": browser, "no header": "-", "an empty header": " ",
		"a phone": "Mozilla/5.0 (Linux; Android 9; CUBOT X19)",
	} {
		r := auditEntries(t, newAuditor(t, robotsTxtBody), entry{agent: agent, target: "/private/"})
		if r.NotCrawlers != 1 || len(r.Crawlers) != 0 {
			t.Errorf("%s is taken for a crawler: %s", name, marshal(t, r))
		}
	}
	r := auditEntries(t, newAuditor(t, robotsTxtBody), entry{agent: chatgpt})
	if got := r.row("ChatGPT-User").Exempt; got != "asked for by users" {
		t.Errorf("exempt because %q", got)
	}
}

func TestSpellingsOfAnUnknownNameAreOneCrawler(t *testing.T) {
	r := auditEntries(t, newAuditor(t, robotsTxtBody),
		entry{agent: "acmebot/1.0"}, entry{agent: "AcmeBot/2.0"}, entry{agent: "ACMEBOT"}, entry{agent: "acmeBot"})
	if len(r.Crawlers) != 1 || r.Crawlers[0].Crawler != "ACMEBOT" || r.Crawlers[0].Requests != 4 {
		t.Error(marshal(t, r))
	}
}

func TestRuleOfAViolation(t *testing.T) {
	r := auditEntries(t, newAuditor(t, robotsTxtBody),
		entry{target: "/private/1"}, entry{target: "/?s=1"}, entry{target: "/private/2"}, entry{target: "/private/?s="},
		entry{target: "/about"}, entry{target: "/private/"})
	got := fmt.Sprint(r.row("GPTBot").Rules)
	// The longer pattern decides where two forbid.
	if want := "[{  robots.txt 2 Disallow: /private/ 4 {[{/private/ 1 0} {/private/1 1 0} {/private/2 1 0}] true 1}} {  " +
		"robots.txt 3 Disallow: /*?s= 1 {[{/?s=1 1 0}] true 0}}]"; got != want {
		t.Errorf("rules %s, want %s", got, want)
	}
}

func TestOutcomes(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	for class, answers := range map[string][]string{ // status, and perhaps size or method
		"content":      {"200", "201", "206", "299", "200 1", "200 512 POST"},
		"not_modified": {"304", "304 0", "304 512 HEAD"},
		"empty":        {"204", "204 512", "200 0", "200 -", "206 0", "200 512 HEAD"},
		"redirected":   {"300", "301", "302", "303", "305", "307", "308", "399", "301 512 HEAD"},
		"refused":      {"401", "403", "429", "444", "451", "500", "502", "503", "599"},
		"other": {"400", "402", "404", "405", "408", "410", "418", "499", "-", "000", "100", "101", "199", "600",
			"999"},
	} {
		for _, answer := range answers {
			e := entry{target: "/private/"}
			fmt.Sscan(answer, &e.status, &e.size, &e.method)
			c := auditEntries(t, a, e).row("GPTBot")
			wantCounts(t, answer, c.Outcomes, map[string]int64{class: 1})
			if len(c.Violations) != 1 || c.Violations[0].Outcome != class {
				t.Errorf("%s: violations %+v", answer, c.Violations)
			}
		}
	}
	if got := outcomeOf(200, format.NoSizes, Get); got != Content {
		t.Errorf("200 in a format without sizes: %v", got)
	}
	if got := outcomeOf(204, format.NoSizes, Get); got != Empty {
		t.Errorf("204 in a format without sizes: %v", got)
	}
}

func TestMethods(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	for method, class := range map[string]string{
		"GET": "GET", "HEAD": "HEAD", "POST": "other", "OPTIONS": "other", "PROPFIND": "other", "get": "other",
		"GETS": "other",
	} {
		r := auditEntries(t, a, entry{target: "/private/", method: method})
		v := r.row("GPTBot").Violations
		if len(v) != 1 || v[0].Method != class {
			t.Errorf("%s: violations %+v, want method %s", method, v, class)
		}
	}
}

func TestViolationsAreCountedCrosswise(t *testing.T) {
	r := auditEntries(t, newAuditor(t, robotsTxtBody),
		entry{target: "/private/"}, entry{target: "/private/", status: "403"}, entry{target: "/private/", method: "HEAD"},
		entry{target: "/private/", status: "304"}, entry{target: "/private/", method: "PUT", status: "500"})
	want := "[{unverified content GET false 1} {unverified not_modified GET false 1} {unverified empty HEAD false 1} " +
		"{unverified refused GET false 1} {unverified refused other false 1}]"
	if got := fmt.Sprint(r.row("GPTBot").Violations); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNotJudged(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /", "https://example.com")
	for name, e := range map[string]entry{
		"the whole server":          {method: "OPTIONS", target: "*"},
		"another method for it":     {target: "*"},
		"a tunnel":                  {method: "CONNECT", target: "example.com:443"},
		"a tunnel to a path":        {method: "CONNECT", target: "/x"},
		"before other_host":         {vhost: "other.example", method: "OPTIONS", target: "*"},
		"a tunnel to another host":  {vhost: "example.com", method: "CONNECT", target: "other.example:443"},
		"of an exempt agent":        {agent: chatgpt, target: "*"},
		"of a crawler nobody knows": {agent: acmebot, target: "*"},
		"without a time":            {time: "-", target: "*"},
	} {
		r := auditEntries(t, a, e)
		if r.NotJudged != 1 || r.OtherHost != 0 || len(r.Crawlers) != 0 {
			t.Errorf("%s: %s", name, marshal(t, r))
		}
	}
	// Only crawlers' lines are looked at so far.
	if r := auditEntries(t, a, entry{agent: browser, method: "OPTIONS", target: "*"}); r.NotCrawlers != 1 ||
		r.NotJudged != 0 {
		t.Error("a browser's line is counted as not judged")
	}
}

// TestScope: which requests the robots.txt of an origin is for. The test of package origin has all
// examples of audit-rules 4. The authority of an absolute target beats the host field, but not
// what the log knows of the scheme.
func TestScope(t *testing.T) {
	for judged, list := range map[bool][]string{ // the origin of the policy, the host of the log, and the target
		true: {
			"https://example.com example.com:443 /folder/file", "https://example.com example.com /",
			"https://www.exämple.com www.xn--exmple-cua.com:443 /", "ftp://example.com example.com:21 /",
			"https://example.com:8181 example.com:8181 /", "https://[2001:db8::1] 2001:db8::1 /",
			"https://example.com EXAMPLE.com.:443 /", "example.com example.com:80 /",
			"example.com example.com:443 /", "https://example.com other.example:443 https://example.com/x",
			"https://example.com other.example:443 HTTPS://Example.COM:443/x",
			"https://example.com example.com:443 http://example.com/x",
			"http://example.com example.com https://example.com/x",
			"https://example.com other.example:8080 http://example.com/x",
			"https://example.com:8443 example.com:443 http://example.com:8443/x",
			"https://[2001:db8::1] other.example:443 http://[2001:db8::1]/x",
			"https://example.com example.com:443 https://example.com",
			"https://example.com example.com:443 https://example.com?q",
			"https://example.com example.com:443 https://user:password@example.com/x",
			"https://example.com example.com:443 //other.example/x", "https://t t:443 https://t/x",
			"https://example.com example.com:443 https://my.example.com@example.com/x",
		},
		false: {
			"https://example.com other.example.com:443 /", "https://example.com example.com:80 /",
			"https://example.com example.com:8181 /", "ftp://example.com example.com:443 /",
			"https://example.com example.com:x /", "example.com example.com:8080 /",
			"https://example.com example.com:443 https://other.example/x",
			"http://example.com example.com:443 http://example.com/x",
			"https://example.com example.com:443 http://example.com:8080/x",
			"https://example.com:8443 example.com http://example.com/x",
			"https://example.com example.com:443 https://example.com:444/x",
			"https://example.com example.com:443 https://example.com@other.example/x",
			"https://example.com example.com:443 https://other.example/https://example.com/",
			"https://example.com example.com:443 wss://example.com/x",
			"https://example.com example.com:443 https:///x",
			"https://example.com example.com:443 https://example.com@com/x",
		},
	} {
		for _, text := range list {
			f := strings.Fields(text)
			r := auditEntries(t, newAuditor(t, "User-agent: *\nDisallow: /", f[0]), entry{vhost: f[1], target: f[2]})
			if got := r.Totals.Verdicts[Violation] == 1; got != judged || r.OtherHost == 1 == judged {
				t.Errorf("%s: judged: %v, want %v", text, got, judged)
			}
		}
	}
}

func TestScopeOfALogWithoutHosts(t *testing.T) {
	tests := []struct {
		name    string
		hosts   []string
		target  string
		verdict bool   // judged
		origin  string // of the rule
	}{
		{"no --host: every line", nil, "/", true, ""},
		{"no --host, absolute-form: another host", nil, "http://example.com/", false, ""},
		{"one --host: every line", []string{"https://example.com"}, "/", true, "https://example.com"},
		{"one --host, absolute-form", []string{"https://example.com"}, "https://example.com/", true, "https://example.com"},
		{"one --host, another host", []string{"https://example.com"}, "https://other.example/", false, ""},
		{"several: any of them", []string{"https://example.com", "https://www.example.com"}, "/", true, ""},
		{"several, absolute-form", []string{"https://example.com", "https://www.example.com"}, "https://www.example.com/",
			true, "https://www.example.com"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := auditEntries(t, newAuditor(t, "User-agent: *\nDisallow: /", test.hosts...), entry{target: test.target})
			if got := r.Totals.Verdicts[Violation] == 1; got != test.verdict || r.OtherHost == 1 == test.verdict {
				t.Fatal(marshal(t, r))
			}
			if !test.verdict {
				return
			}
			if rules := r.row("GPTBot").Rules; len(rules) != 1 || rules[0].Origin != test.origin {
				t.Errorf("rules %+v, want origin %q", rules, test.origin)
			}
		})
	}
}

// TestHostFieldIsNoURL: the client may write a URL into its Host field. What is
// said of that must not be said of a target that begins likewise.
func TestHostFieldIsNoURL(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /", "https://example.com")
	field := entry{vhost: "https://example.com", target: "/field"}
	target := entry{vhost: "example.com", target: "https://example.com/target"}
	for name, order := range map[string][]entry{"field first": {field, target}, "target first": {target, field}} {
		r := auditEntries(t, a, order...)
		if r.OtherHost != 1 || r.Totals.Requests != 1 {
			t.Errorf("%s: %d of another host, %d judged; want one and one", name, r.OtherHost, r.Totals.Requests)
		}
	}
}

// TestNoHostIsOther: what is no host, and what some client would take for another one,
// convicts nobody. It is counted as another host.
func TestNoHostIsOther(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /", "https://example.com", "http://[fe80::1]")
	entries := []entry{
		{vhost: "example.com", target: `https://good.example\@example.com/`},
		{vhost: "example.com", target: `https://example.com\/`},
		{vhost: "example.com", target: "http://[fe80::1%25eth0]/"}, {vhost: "fe80::1%eth0"}, {vhost: `example.com\`},
		{vhost: "[fe80::1%25eth0]:80"},
	}
	r := auditEntries(t, a, entries...)
	if int(r.OtherHost) != len(entries) || r.Totals.Requests != 0 {
		t.Errorf("%d of another host, %d judged: %+v", r.OtherHost, r.Totals.Requests, r.OtherHosts)
	}
}

func TestOtherHosts(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	r := auditEntries(t, a,
		entry{vhost: "a.example:443"}, entry{vhost: "A.example:443"}, entry{vhost: "b.example"},
		entry{vhost: "example.com:80"},
		entry{vhost: "example.com:443"}, entry{vhost: "c\x1b[2Jd:1"}, entry{vhost: "a.example", agent: browser},
		entry{vhost: strings.Repeat("x", 300)})
	if r.OtherHost != 6 {
		t.Errorf("%d requests for other hosts, want 6", r.OtherHost)
	}
	want := []HostInfo{
		{"https://a.example", 2}, {"b.example", 1}, {"c\x1b[2Jd:1", 1}, {"http://example.com", 1},
		{strings.Repeat("x", 255) + " (longer than 255 bytes)", 1},
	}
	if got := fmt.Sprint(r.OtherHosts); got != fmt.Sprint(want) {
		t.Errorf("got  %s\nwant %s", got, fmt.Sprint(want))
	}
}

func TestDialectForAll(t *testing.T) {
	d := automaton.RFC9309
	a := newAuditor(t, "User-agent: *\nDisallow: /a%7Eb\nDissallow: /typo")
	a = New(Config{Crawlers: a.config.Crawlers, Policy: a.config.Policy, Dialect: &d})
	for agent, name := range map[string]string{gptbot: "GPTBot", googlebot: "Googlebot", acmebot: "AcmeBot"} {
		r := auditEntries(t, a, entry{target: "/a~b", agent: agent}, entry{target: "/typo", agent: agent})
		wantCounts(t, name, r.row(name).Verdicts, map[string]int64{"violation": 1, "allowed": 1})
	}
}

func TestNotAuditable(t *testing.T) {
	r := auditEntries(t, newAuditor(t, robotsTxtBody), entry{})
	if len(r.NotAuditable) != 1 || r.NotAuditable[0] != "Google-Extended" {
		t.Errorf("%q", r.NotAuditable)
	}
	r = auditEntries(t, newAuditor(t, "User-agent: *\nDisallow: /"), entry{})
	if len(r.NotAuditable) != 0 {
		t.Errorf("%q, which robots.txt does not name", r.NotAuditable)
	}
}

func TestSpan(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	r := auditEntries(t, a,
		entry{vhost: "example.com", time: "02/Mar/2026:10:00:00 +0200"},
		entry{vhost: "example.com", time: "01/Mar/2026:23:30:00 -0100", target: "/robots.txt"},
		entry{vhost: "example.com", time: "-"},
		entry{vhost: "other.example", time: "01/Jan/2020:00:00:00 +0000"},
		entry{vhost: "example.com", time: "01/Jan/2020:00:00:00 +0000", agent: browser})
	if r.From != "2026-03-02T00:30:00Z" || r.To != "2026-03-02T08:00:00Z" {
		t.Errorf("from %s to %s", r.From, r.To)
	}
	r = auditEntries(t, a, entry{vhost: "example.com", time: "-"})
	if r.From != "" || r.To != "" {
		t.Errorf("without a time: from %q to %q", r.From, r.To)
	}
}
