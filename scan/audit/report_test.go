package audit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// contract is the object robotsieve.audit/3: its keys, and of each the
// type of the value. Each element of a list is like the one given.
const contract = `{
"schema":"", "partial":false, "lines":0, "unparsed":0, "not_crawlers":0, "other_host":0, "not_judged":0, "blank":0,
"crawlers":[{
	"crawler":"", "operator":"", "role":"", "category":"", "requests":0, "evasive":0, "grace_informed":0,
	"informed_known":false, "crawl_delay_supported":"",
	"verdicts":{"allowed":0,"robots_fetch":0,"violation":0,"grace":0,"indeterminate":0,"no_policy":0,"unreachable":0,
	"exempt":0,"spoofed":0},
	"reasons":{"no_version":0,"no_host":0,"no_time":0,"unknown_scheme":0,"lossy_path":0,"truncated":0,
	"ambiguous_agent":0,"redirected_policy":0,"contested":0},
	"outcomes":{"content":0,"not_modified":0,"empty":0,"redirected":0,"refused":0,"other":0},
	"violations":[{"identity":"","outcome":"","method":"","informed":false,"n":0}],
	"identity":{"verified":0,"spoofed":0,"unverified":0,"unverifiable":0},
	"rules":[{"origin":"","line":0,"rule":"","violations":0}],
	"rules_not_listed":0,
	"samples":[{"time":"","line":""}]
}],
"from":"", "to":"", "assumptions":[""], "warnings":[""], "program":"", "command":"", "max_unparsed_percent":0,
"proxied":false,
"http_libraries":0, "identity_no_list":0,
"totals":{"evasive":0,"verified_content":0,"fetchers":{"requests":0,"violation":0,"verified_content":0}},
"policy":{"file":"","bytes":0,"origins":[""],"dialect":"","notes":0,"window_seconds":0,"delay_seconds":0,
"skew_seconds":0},
"robots_txt":{"requests":0,"served":0,"none":0,"failed":0,"sizes":0,"sizes_differing":0,"cleared_by":[{"status":0,
"n":0}]},
"ranges":[{"crawler":"","file":"","created":"","dated_by":""}],
"inputs":[{"name":"","format":"","codec":"","bytes":0,"bytes_uncompressed":0,"sha256":"","duplicate_of":"","lines":0,
"unparsed":0,"complete":false,"error":""}],
"other_hosts":[{"host":"","requests":0}], "unparsed_samples":[""], "not_auditable":[""]
}`

// keeps fails the test where a JSON value lacks a key of the contract or has
// another type.
func keeps(t *testing.T, path string, got, want any) {
	t.Helper()
	if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) {
		t.Errorf("%s is %T, want %T", path, got, want)
		return
	}
	switch want := want.(type) {
	case map[string]any:
		for key, value := range want {
			v, present := got.(map[string]any)[key]
			if !present {
				t.Errorf("%s.%s is missing", path, key)
				continue
			}
			keeps(t, path+"."+key, v, value)
		}
	case []any:
		for i, v := range got.([]any) {
			keeps(t, fmt.Sprintf("%s[%d]", path, i), v, want[0])
		}
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestContract(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	full := auditText(t, a, "vhost_combined", strings.Join([]string{
		entry{vhost: "example.com", target: "/private/"}.String(), entry{vhost: "example.com", agent: acmebot}.String(),
		entry{vhost: "other.example"}.String(), "garbage",
	}, "\n"))
	for _, list := range []int{
		len(full.Crawlers[0].Violations), len(full.Crawlers[0].Rules), len(full.Crawlers[0].Samples),
		len(full.OtherHosts), len(full.UnparsedSamples), len(full.NotAuditable),
	} {
		if list == 0 {
			t.Fatalf("a list of the full report is empty\n%s", marshal(t, full))
		}
	}
	for name, r := range map[string]*Report{
		"full":          full,
		"of nothing":    auditText(t, a, "combined", ""),
		"no violations": auditEntries(t, newAuditor(t, ""), entry{}),
	} {
		t.Run(name, func(t *testing.T) {
			keeps(t, "report", decode(t, marshal(t, r)), decode(t, contract))
			if r.Schema != "robotsieve.audit/3" {
				t.Errorf("schema %q", r.Schema)
			}
		})
	}
}

func TestOrderOfCrawlersAndRules(t *testing.T) {
	log := []entry{
		{agent: "Zed-Bot", target: "/r/1/"}, {agent: "Zed-Bot", target: "/r/1/"}, {agent: "Zed-Bot", target: "/r/2/"},
		{agent: gptbot, target: "/r/5/"}, {agent: gptbot, target: "/r/0/"}, {agent: gptbot, target: "/r/3/"},
		{agent: gptbot, target: "/r/3/"},
		{agent: mj12bot}, {agent: mj12bot}, {agent: mj12bot}, {agent: mj12bot}, {agent: mj12bot},
		{agent: acmebot, target: "/r/4/"}, {agent: googlebot, target: "/r/4/"}, {agent: "abc-bot"},
	}
	r := auditEntries(t, newAuditor(t, manyRules(9)), log...)
	var got []string
	for _, c := range r.Crawlers {
		s := c.Crawler
		for _, rule := range c.Rules {
			s += fmt.Sprintf(" %d:%d", rule.Line, rule.Violations)
		}
		got = append(got, s)
	}
	want := "GPTBot 5:2 2:1 7:1, Zed-Bot 3:2 4:1, AcmeBot 6:1, Googlebot 6:1, MJ12bot, abc-bot"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if r.Totals.Verdicts[Violation] != 9 || r.Totals.Requests != 15 || r.Totals.Outcomes[Content] != 9 {
		t.Errorf("totals %+v", r.Totals)
	}
}

func TestRulesOfTwoOrigins(t *testing.T) {
	a := newAuditor(t, "User-agent: *\nDisallow: /", "https://b.example", "https://a.example")
	r := auditEntries(t, a, entry{vhost: "b.example:443"}, entry{vhost: "a.example:443"})
	if got, want := fmt.Sprint(r.row("GPTBot").Rules), "[{https://a.example  robots.txt 2 Disallow: / 1 {[{/ 1 0}] true "+
		"0}} {https://b.example  robots.txt 2 Disallow: / 1 {[{/ 1 0}] true 0}}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestCrawlersWithoutRequestsHaveNoRow: a crawler that asked another host only is
// not among those that asked this one.
func TestCrawlersWithoutRequestsHaveNoRow(t *testing.T) {
	r := auditEntries(t, newAuditor(t, robotsTxtBody, "https://example.com"),
		entry{vhost: "other.example"}, entry{vhost: "other.example", agent: acmebot},
		entry{vhost: "other.example", agent: googlebot})
	if len(r.Crawlers) != 0 {
		t.Error(marshal(t, r))
	}
}

// TestLongHostIsNotReadAsOne: to read an IDN takes time that grows with the square
// of its length. What cannot be a name is quoted as it is, and not made Punycode.
func TestLongHostIsNotReadAsOne(t *testing.T) {
	long := strings.Repeat("日本", 1000)
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	for _, e := range []entry{{vhost: long}, {vhost: "x", target: "http://" + long + "/"}} {
		r := auditEntries(t, a, e)
		if r.OtherHost != 1 || !strings.Contains(r.OtherHosts[0].Host, "日本日本") {
			t.Errorf("%d, %v", r.OtherHost, r.OtherHosts)
		}
	}
	// A name as long as names may be is one.
	name := strings.Repeat("ö", 50) + ".example"
	r := auditEntries(t, newAuditor(t, robotsTxtBody, "https://"+name), entry{vhost: strings.ToUpper(name) + ":443"})
	if r.Totals.Requests != 1 {
		t.Error("a long name is not found")
	}
}

// A name that looks like a crawler's in other letters is not shown as that crawler's.
func TestNamesInOtherLetters(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: constant(robotsTxtBody, nil)})
	r := auditEntries(t, a, entry{agent: "G\u043e\u043eglebot/2.1 (+http://x.example)"})
	if len(r.Crawlers) != 1 || r.Crawlers[0].Crawler != `G\u{43e}\u{43e}glebot` {
		t.Errorf("%+v", r.Crawlers)
	}
}

// TestNothingInAReportActsOnATerminal: whatever the lines are, Texts makes all strings of
// the report printable.
func TestNothingInAReportActsOnATerminal(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 10
	}
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	for round := range rounds {
		rng := rand.New(rand.NewPCG(10, uint64(round)))
		lines := messyLog(rng, 300, true)
		for range 50 {
			odd := strings.NewReplacer("\n", "", "\"", "", " ", "").Replace(randomBytes(rng, 10))
			lines = append(lines, entry{vhost: "example.com", target: "/private/" + odd}.String(),
				entry{vhost: "h" + odd}.String(), entry{vhost: "example.com", agent: odd + "zbot/1.0 (http://x)"}.String(), odd)
		}
		r := auditText(t, a, "vhost_combined", strings.Join(lines, "\n"))
		checkPrintable(t, decode(t, marshal(t, Texts(r, Printable))))
	}
}

func checkPrintable(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case string:
		for _, c := range v {
			// Where JSON cannot say a byte it says U+FFFD.
			if !strconv.IsPrint(c) || c == utf8.RuneError {
				t.Fatalf("%q", v)
			}
		}
	case []any:
		for _, e := range v {
			checkPrintable(t, e)
		}
	case map[string]any:
		for _, e := range v {
			checkPrintable(t, e)
		}
	}
}
