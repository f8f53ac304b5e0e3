package block

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/report"
)

// planOf decides on violations by crawlers, each a name, a blank and an address.
func planOf(o Options, violations ...string) *Plan {
	c := NewCollector(100)
	for _, v := range violations {
		name, addr, _ := strings.Cut(v, " ")
		c.Add(o.request(name, addr, report.Violation, report.Unverifiable))
	}
	return Decide(c, o)
}

// TestCutAddressesAreNotRefused checks that addresses cut by the server are never refused, nor a range because of them.
func TestCutAddressesAreNotRefused(t *testing.T) {
	o := world(t)
	o.Report = &report.Report{AddressesCut: true, IPv4Cut: true}
	p := planOf(o, "FooBot 192.0.2.1", "FooBot 192.0.2.255", "FooBot 192.0.2.0", "FooBot 192.0.3.7", "FooBot 2001:db8:1::")
	if got := rules(p.Rules); !slices.Equal(got, []string{"2 FooBot 192.0.3.7/32"}) || len(p.Notes) != 1 ||
		!strings.Contains(p.Notes[0], "4 violations at private, cut or missing addresses") {
		t.Errorf("%q, %q", got, p.Notes)
	}
}

// TestProxysAddressesAreNotRefused checks that there are no rules by address if the addresses are a
// proxy's, whether all lines show it or only an input's first.
func TestProxysAddressesAreNotRefused(t *testing.T) {
	for _, r := range []*report.Report{{Proxied: true}, {Inputs: []report.InputInfo{{}, {Clients: report.ByProxy}}},
		{Inputs: []report.InputInfo{{Clients: report.ByForwarded}}}} {
		o := world(t)
		o.Report = r
		p := planOf(o, "FooBot 192.0.2.7", "FooBot 192.0.3.7")
		if len(p.Rules)+len(p.Held) > 0 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "a proxy's") {
			t.Errorf("%q, %q", rules(p.Rules), p.Notes)
		}
	}
}

// TestSearchEnginesAreHeld checks that rules are held for all crawlers of an operator with a search
// engine, and for addresses in a network where a list or a name shows one of them.
func TestSearchEnginesAreHeld(t *testing.T) {
	o := world(t)
	o.LookedUp = []crawler.Pair{{Profile: o.Crawlers.ByName("bingbot"), Addr: "192.0.2.200"}}
	p := planOf(o, "Bytespider 192.0.9.1", "GoogleOther 192.0.9.200", "FooBot 192.0.2.7", "FooBot 203.0.113.9",
		"FooBot 2001:db8:9:1::7", "CCBot 192.0.10.1")
	held := []string{"2 FooBot 192.0.2.7/32", "2 Bytespider+GoogleOther 192.0.9.0/24", "2 FooBot 203.0.113.9/32"}
	if got := rules(p.Rules); !slices.Equal(got, []string{"2 CCBot 192.0.10.1/32"}) {
		t.Errorf("in force: %q", got)
	}
	if got := rules(p.Held); !slices.Equal(got, held) {
		t.Errorf("held: %q", got)
	}
	o.Search = true
	if p := planOf(o, "Bytespider 192.0.9.1", "FooBot 192.0.2.7"); len(p.Held) > 0 || len(p.Rules) != 2 {
		t.Errorf("confirmed: %q, held %q", rules(p.Rules), rules(p.Held))
	}
}

// info is what a report counts of a crawler.
func info(name, operator string, requests, broke int64) report.CrawlerInfo {
	c := report.CrawlerInfo{Crawler: name, Operator: operator, Requests: requests}
	c.Verdicts[report.Violation], c.Verdicts[report.Allowed] = broke, requests-broke
	return c
}

// TestNamesThatNobodyVerifies checks that an unverifiable name is refused only on request, and only
// if enough requests broke robots.txt.
func TestNamesThatNobodyVerifies(t *testing.T) {
	o := world(t)
	o.Report = &report.Report{Crawlers: []report.CrawlerInfo{
		info("FooBot", "unknown", 250, 50), info("RareBot", "unknown", 251, 50), info("FewBot", "unknown", 49, 49),
		info("GPTBot", "OpenAI", 100, 100),  // which has a list
		info("Applebot", "Apple", 100, 100), // which could be verified
		info("Nutch", "users of Apache Nutch", 100, 100), info("(without a name)", "unknown", 100, 100),
		info(`Evil" 1; } #Bot`, "unknown", 100, 100), info(`Evil\u{e4}Bot`, "unknown", 100, 100),
		info("Bravebot", "Brave", 100, 100), // of a search engine
	}}
	p := planOf(o, "FooBot 192.0.2.7", "RareBot 192.0.3.7")
	if got := rules(p.Rules); !slices.Equal(got, []string{"2 FooBot 192.0.2.7/32", "2 RareBot 192.0.3.7/32"}) {
		t.Errorf("%q", got)
	}
	if got := rules(p.Held); !slices.Equal(got, []string{"0 FooBot", "0 Bravebot"}) ||
		!strings.Contains(fmt.Sprint(p.Short()), "option BlockNames") {
		t.Errorf("%q: %q", got, p.Short())
	}
	o.Names = true
	p = planOf(o, "FooBot 192.0.2.7", "RareBot 192.0.3.7")
	if got := rules(p.Rules); !slices.Equal(got, []string{"0 FooBot", "2 RareBot 192.0.3.7/32"}) || len(p.Held) != 1 {
		t.Errorf("wanted: %q, held %q", got, rules(p.Held))
	}
	for _, kind := range KindNames() {
		if text := written(t, kind, p); strings.Contains(text, "Evil") {
			t.Errorf("%s: %s", kind, text)
		}
	}
}

// TestNameOfAMostlyObedientCrawler checks that the rule for a verified crawler with less than 5 %
// forbidden requests is only a comment.
func TestNameOfAMostlyObedientCrawler(t *testing.T) {
	for broke, want := range map[int64]int{4: 0, 5: 1} {
		o := world(t)
		gpt := info("GPTBot", "OpenAI", 110, broke)
		gpt.Verdicts[report.Spoofed] = 10
		o.Report = &report.Report{Crawlers: []report.CrawlerInfo{gpt}}
		c := NewCollector(100)
		c.Add(o.request("GPTBot", "198.51.100.1", report.Violation, report.Verified))
		if p := Decide(c, o); len(p.Rules) != want || len(p.Held) != 1-want ||
			want == 0 && !strings.Contains(written(t, "nginx", p), "# Not in force, because robots.txt forbids less than 5 %") {
			t.Errorf("%d of 100: %q, held %q", broke, rules(p.Rules), rules(p.Held))
		}
	}
}

// TestSettle checks that a range is refused only if most of its requests broke robots.txt, else its
// addresses are, and that no rule refuses mostly others.
func TestSettle(t *testing.T) {
	o := world(t)
	p := planOf(o, "FooBot 192.0.2.1", "FooBot 192.0.2.2", "FooBot 192.0.3.1", "FooBot 192.0.3.2", "FooBot 192.0.4.1")
	kinds := []*Kind{ByKind("nginx"), ByKind("nft")}
	c := NewCounter(p, kinds, 1)
	show := func(agent, name, addr string, fetch bool) {
		e := &audit.Event{Client: audit.Client{Name: name, Identity: report.Unverifiable},
			Request: audit.Request{Agent: []byte(agent), Address: []byte(addr)}}
		e.Verdict = report.Indeterminate
		if fetch {
			e.Verdict = report.RobotsFetch
		}
		c.Add(e)
	}
	log := func() {
		for _, addr := range []string{"192.0.2.1", "192.0.2.2", "192.0.3.1", "192.0.3.2", "192.0.4.1"} {
			show("FooBot", "FooBot", addr, false)
		}
		show("Firefox", "", "192.0.2.9", false)
		show("Firefox", "", "192.0.2.10", true) // nginx lets it read robots.txt
		show("Firefox", "", "192.0.3.9", false)
		show("Firefox", "", "192.0.3.10", false)
		show("Firefox", "", "192.0.4.1", false)
		show("Firefox", "", "192.0.4.1", false)
	}
	log()
	if !c.Settle() {
		t.Fatal("nothing is taken out of force")
	}
	log()
	if c.Settle() {
		t.Error("not settled at once")
	}
	for k, want := range [][]string{
		{"2 FooBot 192.0.2.0/24", "2 FooBot 192.0.3.1/32 in 192.0.3.0/24", "2 FooBot 192.0.3.2/32 in 192.0.3.0/24"},
		{"2 FooBot 192.0.2.1/32 in 192.0.2.0/24", "2 FooBot 192.0.2.2/32 in 192.0.2.0/24",
			"2 FooBot 192.0.3.1/32 in 192.0.3.0/24", "2 FooBot 192.0.3.2/32 in 192.0.3.0/24"},
	} {
		result, got := c.Results()[k], []string{}
		for i, r := range p.Rules {
			if result.Written[i] {
				got = append(got, short(r))
			}
		}
		if !slices.Equal(got, want) || len(result.Held) != 1 || short(result.Held[0]) != "2 FooBot 192.0.4.1/32" {
			t.Errorf("%s: %q, held %q", kinds[k].Name, got, rules(result.Held))
		}
		if all := []int64{5, 4}[k]; result.Requests != all || result.Lines != 11 {
			t.Errorf("%s: %d requests of %d", kinds[k].Name, result.Requests, result.Lines)
		}
	}
}

// TestFilesSayHowToUseThem checks that each file begins with instructions, and that the servers' tests follow them.
func TestFilesSayHowToUseThem(t *testing.T) {
	p, _ := sample(t)
	for kind, lines := range map[string][2]string{
		"nginx":      {"include /etc/nginx/robotsieve.conf;", "if ($robotsieve_block) { return 403; }"},
		"apache":     {"Include /etc/apache2/robotsieve.conf", "Require not env robotsieve_block"},
		"caddy":      {"import /etc/caddy/robotsieve.caddy", "import robotsieve_block"},
		"haproxy":    {"cat frontend.cfg robotsieve.cfg > /etc/haproxy/haproxy.cfg", "haproxy -c -f"},
		"cloudflare": {"Use each line that is no comment as the expression", "Edit expression"},
		"nft":        {"nft -c -f robotsieve.nft", "nft -f robotsieve.nft"},
	} {
		head := strings.Join(strings.SplitN(written(t, kind, p), "\n", 5)[:4], "\n")
		if !strings.Contains(head, lines[0]) || !strings.Contains(head, lines[1]) {
			t.Errorf("%s: %s", kind, head)
		}
	}
}
