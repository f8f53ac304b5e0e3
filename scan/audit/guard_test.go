package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// guardEntries guards what a log of entries allocates; hosts that they leave out are one, or none.
func guardEntries(t *testing.T, a *Auditor, formatName, host string, entries ...entry) {
	t.Helper()
	var log strings.Builder
	for _, e := range entries {
		if e.vhost == "" || host == "" {
			e.vhost = host
		}
		fmt.Fprintln(&log, e)
	}
	log.WriteString("not a log\n\n")
	guardAllocs(t, a, formatName, log.String())
}

// TestGuardAllocs checks that a line that brings nothing new allocates nothing, for all kinds of clients and verdicts.
func TestGuardAllocs(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "http://example.com", "https://example.com")
	for name, entries := range map[string][]entry{
		"browsers":  {{agent: browser}, {agent: "-"}, {agent: browser, target: "/private/", vhost: "other.example"}},
		"permitted": {{}, {agent: googlebot}, {agent: mj12bot}, {agent: adsbot, target: "/private/"}},
		"violations": {{target: "/private/1"}, {target: "/?s=1", status: "403"},
			{target: "/private/", agent: googlebot}},
		"contested and escaped": {{target: "/a~b"}, {target: "/a%7Eb"}, {target: "/%70rivate/"},
			{target: `/\xc3\xbc\x22`}, {target: "/a b"}},
		"indeterminate": {{time: "-"}, {agent: twoBots}, {protocol: noProtocol, status: "414"}},
		"robots.txt and exempt": {{target: "/robots.txt"}, {target: "http://example.com/robots.txt"},
			{agent: chatgpt}},
		"absolute-form": {{target: "http://example.com/private/"}, {target: "http://example.com"},
			{target: "http://other.example/x"}},
		"not judged":       {{target: "*", method: "OPTIONS"}, {target: "example.com:443", method: "CONNECT"}},
		"unknown crawlers": {{agent: acmebot}, {agent: acmebot, target: "/private/"}, {agent: `Ac\x6de2-Bot/1.0`}},
		"hosts": {{vhost: "example.com"}, {vhost: "example.com:443"}, {vhost: "www.example.com"},
			{vhost: "bad host:x"}},
	} {
		t.Run(name, func(t *testing.T) {
			guardEntries(t, a, "combined", "", entries...)
			guardEntries(t, a, "vhost_combined", "example.com:80", entries...)
		})
	}
}

// TestGuardAllocsInAFlood checks the same for a flood of lines that exactly fill the memory, or no longer fit.
func TestGuardAllocsInAFlood(t *testing.T) {
	a := newAuditor(t, manyRules(3*maxNameRules), "https://example.com")
	var names, rules, hosts strings.Builder
	for i := range manyNames - 1 {
		fmt.Fprintln(&names, entry{agent: fmt.Sprintf("X%d-Bot", i), target: "/r/0/", vhost: "example.com"})
	}
	for i := range 3 * maxNameRules {
		fmt.Fprintln(&rules, entry{agent: acmebot, target: fmt.Sprintf("/r/%d/", i), vhost: "example.com"})
	}
	for i := range 3 * maxHosts {
		fmt.Fprintln(&hosts, entry{vhost: fmt.Sprintf("h%d.example", i)})
	}
	for name, log := range map[string]string{"names": names.String(), "rules": rules.String(), "hosts": hosts.String()} {
		t.Run(name, func(t *testing.T) { guardAllocs(t, a, "vhost_combined", log) })
	}
}

// TestGuardAllocsOfAHistory checks the same with several versions and address ranges, where much
// has to wait for the end of the log.
func TestGuardAllocsOfAHistory(t *testing.T) {
	forwarded, err := crawler.ParseClientIP("xff", []string{"192.0.2.0/24"})
	if err != nil {
		t.Fatal(err)
	}
	a := stateAuditor(t)
	a.config.KeepAddresses, a.config.ClientIP = true, forwarded
	for name, entries := range map[string][]entry{
		"fetches": {{target: "/robots.txt"}, {target: "/robots.txt", status: "404", agent: twoBots},
			{target: "/robots.txt", status: "304", size: "0", agent: acmebot},
			{target: "/robots.txt", status: "301", agent: chatgpt}, {target: "/robots.txt", agent: browser},
			{target: "/robots.txt", agent: browser, size: "7"}},
		"violations of several versions": {{target: "/private/"}, {target: "/private/", time: at(4 * day0)},
			{target: "/private/", time: at(day0), agent: googlebot},
			{target: "/private/", time: at(-2 * day0), agent: acmebot}},
		"grace and the like": {{target: "/?s=1", time: at(60)}, {target: "/x", time: at(4 * day0)},
			{target: "/private/", time: at(5*day0 + 600)}, {time: at(-20 * day0)}},
		"visits": {{vhost: "www.example.com:443"}, {vhost: "www.example.com:443", addr: "2001:db8::1"}},
		"spoofed": {{agent: googlebot, addr: "198.51.100.7", target: "/private/"},
			{agent: googlebot, addr: "198.51.100.7", target: "/robots.txt"}, {agent: googlebot, addr: "not-an-address"}},
		"verified": {{agent: googlebot, addr: "192.0.2.77", target: "/private/"},
			{agent: "Mozilla/5.0 (compatible; bingbot/2.0; Googlebot/2.1)", addr: "192.0.2.77", target: "/private/"}},
		"unknown scheme": {{vhost: "example.com", target: "/private/"}, {vhost: "example.com", target: "/robots.txt"}},
		"several addresses": {{addr: "192.0.2.1, 198.51.100.7", target: "/private/", agent: googlebot},
			{addr: "198.51.100.7,192.0.2.5", target: "/private/"}, {addr: "unknown, 10.0.0.1", target: "/private/"}},
	} {
		t.Run(name, func(t *testing.T) { guardEntries(t, a, "vhost_combined", onSite, entries...) })
	}
}

// TestGuardAllocsOfJudged checks the same with a function that receives each request.
func TestGuardAllocsOfJudged(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	n := 0
	a.config.Judged = listen(func(j *Event) { n += len(j.Line) })
	if guardEntries(t, a, "combined", "", entry{}, entry{target: "/private/"}, entry{time: "-"}); n == 0 {
		t.Error("it got none")
	}
}

func guardAllocs(t *testing.T, a *Auditor, formatName, log string) {
	t.Helper()
	f, chunk, w := byName(t, formatName), []byte(log), begin(t, a).Worker()
	count := func() { w.Chunk(f, nil, chunk) }
	for range 3 { // until all is known
		count()
	}
	// Violations are kept until the input ends, in blocks of thousands.
	if n := testing.AllocsPerRun(20, count); n > float64(strings.Count(log, "\n"))/400 {
		t.Errorf("%v allocations for %d lines", n, strings.Count(log, "\n"))
	}
}

// TestGuardOneHistoryIsAskedOnce fails when a request that may have gone to several
// origins with one history is judged by each of them.
func TestGuardOneHistoryIsAskedOnce(t *testing.T) {
	run := begin(t, newAuditor(t, "User-agent: *\nDisallow: /private/\n", "http://example.com", "https://example.com"))
	w := run.Worker()
	w.Chunk(byName(t, "combined"), nil, []byte(entry{target: "/public"}.String()+"\n"))
	made := map[*policy.Binding]bool{}
	for _, b := range w.bindings {
		made[b] = true
	}
	if len(made) != 1 {
		t.Errorf("%d bindings were made", len(made))
	}
	if r := resultOf(t, run); rowOf(r, "GPTBot").Verdicts[report.Allowed] != 1 {
		t.Errorf("verdicts %+v", rowOf(r, "GPTBot").Verdicts)
	}
}
