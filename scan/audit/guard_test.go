package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// TestGuardAllocs: a line that brings nothing new allocates nothing, whoever sent
// it and whatever is said of it.
func TestGuardAllocs(t *testing.T) {
	kinds := []struct {
		name    string
		entries []entry
	}{
		{"browsers", []entry{{agent: browser}, {agent: "-"}, {agent: browser, target: "/private/", vhost: "other.example"}}},
		{"permitted", []entry{{}, {agent: googlebot}, {agent: mj12bot}, {agent: adsbot, target: "/private/"}}},
		{"violations", []entry{{target: "/private/1"}, {target: "/?s=1", status: "403"},
			{target: "/private/", agent: googlebot}}},
		{"contested and escaped", []entry{{target: "/a~b"}, {target: "/a%7Eb"}, {target: "/%70rivate/"},
			{target: `/\xc3\xbc\x22`}, {target: "/a b"}}},
		{"indeterminate", []entry{{time: "-"}, {agent: twoBots}, {protocol: noProtocol, status: "414"}}},
		{"robots.txt and exempt", []entry{{target: "/robots.txt"}, {target: "http://example.com/robots.txt"},
			{agent: chatgpt}}},
		{"absolute-form", []entry{{target: "http://example.com/private/"}, {target: "http://example.com"},
			{target: "http://other.example/x"}}},
		{"not judged", []entry{{target: "*", method: "OPTIONS"}, {target: "example.com:443", method: "CONNECT"}}},
		{"unknown crawlers", []entry{{agent: acmebot}, {agent: acmebot, target: "/private/"}, {agent: `Ac\x6de2-Bot/1.0`}}},
		{"hosts", []entry{{vhost: "example.com"}, {vhost: "example.com:443"}, {vhost: "www.example.com"},
			{vhost: "bad host:x"}}},
	}
	for _, kind := range kinds {
		for _, formatName := range []string{"combined", "vhost_combined"} {
			t.Run(kind.name+" "+formatName, func(t *testing.T) {
				var log strings.Builder
				for _, e := range kind.entries {
					if formatName == "combined" {
						e.vhost = ""
					} else if e.vhost == "" {
						e.vhost = "example.com:80"
					}
					fmt.Fprintln(&log, e)
				}
				log.WriteString("not a log\n\n")
				guardAllocs(t, newAuditor(t, robotsTxtBody, "http://example.com", "https://example.com"), formatName, log.String())
			})
		}
	}
}

// TestGuardAllocsInAFlood: nor where it is one of as many as there is room for, or
// brings what there is no more room for.
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

// TestGuardAllocsOfAHistory: nor with several versions and ranges of addresses,
// where much has to wait for the end of the log.
func TestGuardAllocsOfAHistory(t *testing.T) {
	const https = "example.com:443"
	forwarded, err := crawler.ParseClientIP("xff", []string{"192.0.2.0/24"})
	if err != nil {
		t.Fatal(err)
	}
	a := stateAuditor(t)
	a.config.KeepAddresses, a.config.ClientIP = true, forwarded
	for _, kind := range []struct {
		name    string
		entries []entry
	}{
		{"fetches", []entry{{target: "/robots.txt"}, {target: "/robots.txt", status: "404", agent: twoBots},
			{target: "/robots.txt", status: "304", size: "0", agent: acmebot},
			{target: "/robots.txt", status: "301", agent: chatgpt}, {target: "/robots.txt", agent: browser},
			{target: "/robots.txt", agent: browser, size: "7"}}},
		{"violations of several versions", []entry{{target: "/private/"}, {target: "/private/", time: at(4 * day0)},
			{target: "/private/", time: at(day0), agent: googlebot},
			{target: "/private/", time: at(-2 * day0), agent: acmebot}}},
		{"grace and the like", []entry{{target: "/?s=1", time: at(60)}, {target: "/x", time: at(4 * day0)},
			{target: "/private/", time: at(5*day0 + 600)}, {time: at(-20 * day0)}}},
		{"visits", []entry{{vhost: "www.example.com:443"}, {vhost: "www.example.com:443", addr: "2001:db8::1"}}},
		{"spoofed", []entry{{agent: googlebot, addr: "198.51.100.7", target: "/private/"},
			{agent: googlebot, addr: "198.51.100.7", target: "/robots.txt"}, {agent: googlebot, addr: "not-an-address"}}},
		{"verified", []entry{{agent: googlebot, addr: "192.0.2.77", target: "/private/"},
			{agent: "Mozilla/5.0 (compatible; bingbot/2.0; Googlebot/2.1)", addr: "192.0.2.77", target: "/private/"}}},
		{"unknown scheme", []entry{{vhost: "example.com", target: "/private/"},
			{vhost: "example.com", target: "/robots.txt"}}},
		{"several addresses", []entry{
			{addr: "192.0.2.1, 198.51.100.7", target: "/private/", agent: googlebot},
			{addr: "198.51.100.7,192.0.2.5", target: "/private/"},
			{addr: "unknown, 10.0.0.1", target: "/private/"}}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			var log strings.Builder
			for _, e := range kind.entries {
				if e.vhost == "" {
					e.vhost = https
				}
				fmt.Fprintln(&log, e)
			}
			guardAllocs(t, a, "vhost_combined", log.String())
		})
	}
}

// TestGuardAllocsOfJudged: nor where a function gets each request.
func TestGuardAllocsOfJudged(t *testing.T) {
	a := newAuditor(t, robotsTxtBody, "https://example.com")
	n := 0
	a.config.Judged = func(j *Judged) { n += len(j.Line) }
	guardAllocs(t, a, "combined",
		entry{}.String()+"\n"+entry{target: "/private/"}.String()+"\n"+entry{time: "-"}.String()+"\n")
	if n == 0 {
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
	if r := report(t, run); r.row("GPTBot").Verdicts[Allowed] != 1 {
		t.Errorf("verdicts %+v", r.row("GPTBot").Verdicts)
	}
}
