package audit

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/report"
)

// wantCounts fails the test unless exactly the given counts are not 0.
func wantCounts(t *testing.T, what string, counts any, want map[string]int64) {
	t.Helper()
	if got := nonZero(t, counts); !maps.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestVerdicts: one request by one robots.txt of all time. The worked cases of the rules, which the command
// judges, have more; these are about how a line is read, and the order of decision.
func TestVerdicts(t *testing.T) {
	cut := func(e entry) entry { e.protocol, e.status = noProtocol, "414"; return e }
	a := newAuditor(t, robotsTxtBody+"\nUser-agent: *\nDissallow: /typo\n")
	for _, test := range []struct {
		e    entry
		want string
	}{
		{entry{target: "/about"}, "allowed"},
		{entry{target: "/find?s=x"}, "violation"},
		{entry{target: `/\x70rivate/`}, "violation"},
		{entry{target: "/private/a b"}, "violation"},
		{entry{target: "/private/", protocol: noProtocol}, "violation"},
		{entry{target: "/Private/x"}, "allowed"},
		{entry{target: "/mj/", agent: mj12bot}, "violation"},
		{entry{target: "/private/", agent: mj12bot}, "allowed"},
		{entry{agent: acmebot}, "allowed"},
		{entry{target: "/private/", agent: acmebot}, "violation"},
		{entry{target: "/private/", status: "-"}, "violation"},
		{entry{target: "/private/", status: "414"}, "violation"}, // of a target that is whole
		{entry{target: "/robots.txt", method: "POST"}, "robots_fetch"},
		{entry{target: "/robots.txt#x"}, "robots_fetch"},
		{entry{target: "/robots.txt", agent: acmebot}, "robots_fetch"},
		{entry{target: "/typo", agent: googlebot}, "violation"},
		{entry{target: "/typo"}, "contested"},
		{entry{target: "/a~b"}, "contested"},
		{entry{target: "/a~b", agent: googlebot}, "allowed"},
		{entry{target: "/a%7Eb"}, "contested"}, // the same spelling, but not its normal form
		{entry{target: "/private/", time: "-"}, "no_time"},
		{entry{time: "31/Feb/2026:10:00:00 +0000"}, "no_time"},
		{entry{agent: twoBots}, "ambiguous_agent"},
		{entry{target: "/private/", agent: "Googlebot/2.1 Googlebot-Image/1.0"}, "violation"},
		{cut(entry{target: "/private/" + strings.Repeat("x", 100)}), "truncated"},
		{entry{agent: chatgpt}, "exempt"},

		{entry{target: "/robots.txt", agent: chatgpt}, "exempt"},
		{entry{time: "-", agent: chatgpt}, "exempt"},
		{entry{agent: "ChatGPT-User/1.0 Googlebot/2.1"}, "exempt"},
		{cut(entry{agent: chatgpt}), "exempt"},
		{entry{agent: "Googlebot/2.1 ChatGPT-User/1.0"}, "ambiguous_agent"},
		{entry{target: "/robots.txt", time: "-"}, "robots_fetch"},
		{entry{target: "/robots.txt", agent: twoBots}, "robots_fetch"},
		{cut(entry{target: "/robots.txt"}), "robots_fetch"},
		{entry{time: "-", agent: twoBots}, "no_time"},
		{cut(entry{time: "-"}), "no_time"},
		{cut(entry{agent: twoBots}), "ambiguous_agent"},
		{cut(entry{target: "/typo"}), "truncated"},
	} {
		r := auditEntries(t, a, test.e)
		if r.Lines != 1 || len(r.Crawlers) != 1 {
			t.Fatalf("%s\n%s", test.e, marshal(t, r))
		}
		c := r.Crawlers[0]
		verdict, reasons := test.want, nonZero(t, c.Reasons)
		if reasons[test.want] == 1 {
			verdict = "indeterminate"
		}
		wantCounts(t, test.e.String(), c.Verdicts, map[string]int64{verdict: 1})
		identity := "unverified"
		if c.Operator == report.Unknown {
			identity = "unverifiable" // by whom?
		}
		wantCounts(t, test.e.String(), c.Identity, map[string]int64{identity: 1})
		if want := verdict == "indeterminate"; len(reasons) > 0 != want {
			t.Errorf("%s: reasons %v", test.e, reasons)
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
			if r.Totals.Verdicts[report.Violation] != 1 {
				t.Errorf("%s: %v, want a violation", target, nonZero(t, r.Totals.Verdicts))
			}
		}
	}
}

func TestWhoIsCounted(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	for agent, want := range map[string]string{
		gptbot:                "GPTBot of OpenAI, ai-training",
		"gptBOT/1.0":          "GPTBot of OpenAI, ai-training",
		`\x47PTBot/1.0`:       "GPTBot of OpenAI, ai-training",
		"Googlebot-Image/1.0": "Googlebot-Image of Google, search", // the more specific of one operator
		twoBots:               "bingbot of Microsoft, search",      // the first named
		chatgpt:               "ChatGPT-User of OpenAI, user-triggered, asked for by users",
		acmebot:               "AcmeBot of unknown, unknown",
		// with a name that ends a terminal's line
		`Ac\x85meBot/1.0 (+http://x.example)`: "Ac\x85meBot of unknown, unknown",

		browser: "", "-": "", " ": "", "Mozilla/5.0 (Linux; Android 9; CUBOT X19)": "", // a phone
	} {
		got := ""
		r := auditEntries(t, a, entry{agent: agent, target: "/private/"})
		for _, c := range r.Crawlers {
			got = strings.TrimSuffix(fmt.Sprintf("%s of %s, %s, %s", c.Crawler, c.Operator, c.Category, c.Exempt), ", ")
		}
		if got != want || r.NotCrawlers == 1 != (want == "") {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}

func TestRuleOfAViolation(t *testing.T) {
	r := auditEntries(t, newAuditor(t, robotsTxtBody),
		entry{target: "/private/1"}, entry{target: "/?s=1"}, entry{target: "/private/2"}, entry{target: "/private/?s="},
		entry{target: "/about"}, entry{target: "/private/"})
	got := fmt.Sprint(rowOf(r, "GPTBot").Rules)
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
		"refused":      {"401", "402", "403", "429", "444", "451", "500", "502", "503", "599"},
		"other": {"202", "202 0", "202 512 HEAD", "400", "404", "405", "408", "410", "418", "499", "-", "000", "100", "101", "199", "600",
			"999"},
	} {
		for _, answer := range answers {
			e := entry{target: "/private/"}
			fmt.Sscan(answer, &e.status, &e.size, &e.method)
			c := rowOf(auditEntries(t, a, e), "GPTBot")
			wantCounts(t, answer, c.Outcomes, map[string]int64{class: 1})
			if len(c.Violations) != 1 || c.Violations[0].Outcome.String() != class {
				t.Errorf("%s: violations %+v", answer, c.Violations)
			}
		}
	}
	if got := outcomeOf(200, format.NoSizes, report.Get); got != report.Content {
		t.Errorf("200 in a format without sizes: %v", got)
	}
}

func TestViolationsAreCountedCrosswise(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	r := auditEntries(t, a,
		entry{target: "/private/"}, entry{target: "/private/", status: "403"}, entry{target: "/private/", method: "HEAD"},
		entry{target: "/private/", status: "304"}, entry{target: "/private/", method: "PUT", status: "500"},
		entry{target: "/private/", method: "get", status: "403"}, entry{target: "/private/", method: "GETS", status: "403"})
	want := "[{unverified content GET false 1} {unverified not_modified GET false 1} {unverified empty HEAD false 1} " +
		"{unverified refused GET false 1} {unverified refused other false 3}]"
	if got := fmt.Sprint(rowOf(r, "GPTBot").Violations); got != want {
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
			if got := r.Totals.Verdicts[report.Violation] == 1; got != judged || r.OtherHost == 1 == judged {
				t.Errorf("%s: judged: %v, want %v", text, got, judged)
			}
		}
	}
}

func TestScopeOfALogWithoutHosts(t *testing.T) {
	const one, www = "https://example.com", "https://www.example.com"
	for _, test := range []struct {
		hosts, target string
		judged        bool
		origin        string // of the rule
	}{
		{"", "/", true, ""},
		{"", "http://example.com/", false, ""},
		{one, "/", true, one},
		{one, "https://example.com/", true, one},
		{one, "https://other.example/", false, ""},
		{one + " " + www, "/", true, ""},
		{one + " " + www, www + "/", true, www},
	} {
		r := auditEntries(t, newAuditor(t, "User-agent: *\nDisallow: /", strings.Fields(test.hosts)...),
			entry{target: test.target})
		if got := r.Totals.Verdicts[report.Violation] == 1; got != test.judged || r.OtherHost == 1 == test.judged {
			t.Fatal(marshal(t, r))
		}
		if test.judged && (len(rowOf(r, "GPTBot").Rules) != 1 || rowOf(r, "GPTBot").Rules[0].Origin != test.origin) {
			t.Errorf("rules %+v, want origin %q", rowOf(r, "GPTBot").Rules, test.origin)
		}
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
	if int(r.OtherHost) != len(entries) || r.Totals.Requests != 0 || len(r.Crawlers) != 0 {
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
	want := []report.HostInfo{
		{Host: "https://a.example", Requests: 2}, {Host: "b.example", Requests: 1}, {Host: "c\x1b[2Jd:1", Requests: 1}, {Host: "http://example.com", Requests: 1},
		{Host: strings.Repeat("x", 255) + " (longer than 255 bytes)", Requests: 1},
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
		wantCounts(t, name, rowOf(r, name).Verdicts, map[string]int64{"violation": 1, "allowed": 1})
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
	if r.From.String() != "2026-03-02T00:30:00Z" || r.To.String() != "2026-03-02T08:00:00Z" {
		t.Errorf("from %s to %s", r.From, r.To)
	}
	r = auditEntries(t, a, entry{vhost: "example.com", time: "-"})
	if !r.From.IsZero() || !r.To.IsZero() {
		t.Errorf("without a time: from %q to %q", r.From, r.To)
	}
}

// TestGroupsOfHeaders: a group whose token stands in one header of a crawler binds it perhaps
// there, and not where it sends another, in whatever order they come.
func TestGroupsOfHeaders(t *testing.T) {
	const robots = "User-agent: *\nDisallow: /\nUser-agent: foo\nAllow: /\nUser-agent: reader\nAllow: /\n"
	headers := []struct {
		header                string
		violations, contested int64
	}{
		{"AcmeSpider/1", 1, 0},
		{"AcmeSpider/1 foo", 0, 1},
		{"AcmeSpider/2", 1, 0},
		{"AcmeSpider/2 foo reader", 0, 1},
		{"AcmeSpider/1 (http://foo.example/reader)", 1, 0},
		{"AcmeSpider/1 (foo@reader.example)", 1, 0},
		{"AcmeSpider/1 (xFOOx)", 0, 1},
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1, 0}, {1, 1, 0}, {0, 1, 0, 1}} {
		var log []entry
		violations, contested := int64(0), int64(0)
		for _, i := range order {
			log = append(log, entry{agent: headers[i].header, target: "/x"})
			violations, contested = violations+headers[i].violations, contested+headers[i].contested
		}
		row := rowOf(auditEntries(t, newAuditor(t, robots, "https://example.com"), log...), "AcmeSpider")
		if row.Verdicts[report.Violation] != violations || row.Reasons[report.ContestedRule] != contested {
			t.Errorf("%v: %d violations and %d contested, want %d and %d", order, row.Verdicts[report.Violation],
				row.Reasons[report.ContestedRule], violations, contested)
		}
	}
}

// TestGroupsOfKnownCrawlers: no page names the token of a profile without a source, or for a word
// that is none of its tokens; also where an address makes an ambiguous header that of one.
func TestGroupsOfKnownCrawlers(t *testing.T) {
	const robots = "User-agent: *\nDisallow: /\nUser-agent: foo\nAllow: /\n"
	profiles, err := crawler.Read([]byte(`[
		{"name":"LooseBot","operator":"A","words":["LooseBot"],"tokens":["LooseBot"],"verify":"ranges","obeys":"unknown"},
		{"name":"SureBot","operator":"B","words":["SureBot","SureOldWord"],"tokens":["SureBot"],
		"source":"https://b.example/","verify":"ranges","obeys":"unknown"}]`))
	if err != nil {
		t.Fatal(err)
	}
	a := newAuditor(t, robots, "https://example.com")
	a.config.Crawlers = setOf(t, profiles)
	for _, c := range []struct {
		known                 string // whose addresses are known
		headers, name         string
		violations, contested int64
	}{
		{"", "SureBot; SureOldWord (foo); SureBot (foo); SureOldWord", "SureBot", 3, 1},
		{"LooseBot", "foo LooseBot; foo LooseBot", "LooseBot", 0, 2},
		{"LooseBot", "bar LooseBot; bar LooseBot", "LooseBot", 2, 0},
		{"SureBot", "foo SureBot; foo SureBot", "SureBot", 2, 0},
		{"LooseBot", "SureBot LooseBot foo; SureBot LooseBot foo", "LooseBot", 0, 2},
	} {
		if c.known != "" {
			a.config.Identities = known(t, a.config.Crawlers, map[string]string{c.known: "192.0.2.17"})
		}
		var log []entry
		for header := range strings.SplitSeq(c.headers, "; ") {
			log = append(log, entry{agent: header, target: "/x"})
		}
		row := rowOf(auditEntries(t, New(a.config), log...), c.name)
		if row.Verdicts[report.Violation] != c.violations || row.Reasons[report.ContestedRule] != c.contested {
			t.Errorf("%s: verdicts %v, reasons %v", c.headers, row.Verdicts, row.Reasons)
		}
	}
}
