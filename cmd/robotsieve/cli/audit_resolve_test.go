package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// fakeDNS answers lookups from tables, and notes which were made.
type fakeDNS struct {
	names map[string][]string // of addresses
	addrs map[string][]string // of names

	mu    sync.Mutex
	asked []string
	stop  context.CancelFunc // called at the first lookup, if not nil
}

func (d *fakeDNS) lookUp(table map[string][]string, what string) ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, what)
	if d.stop != nil {
		d.stop()
	}
	switch answer, ok := table[what]; {
	case !ok:
		return nil, &net.DNSError{Err: "no such host", Name: what, IsNotFound: true}
	case answer == nil:
		return nil, errors.New("server misbehaving")
	default:
		return answer, nil
	}
}

func (d *fakeDNS) resolver() crawler.Resolver {
	return crawler.Resolver{
		LookupAddr: func(_ context.Context, addr string) ([]string, error) { return d.lookUp(d.names, addr) },
		LookupHost: func(_ context.Context, host string) ([]string, error) { return d.lookUp(d.addrs, host) },
		Rate:       1e6,
	}
}

// resolveWith runs audit --resolve with a DNS of the test's own.
func resolveWith(t *testing.T, ctx context.Context, d *fakeDNS, args ...string) (result, *simReport) {
	t.Helper()
	var out, diag strings.Builder
	cmd := newAudit(streams{in: strings.NewReader(""), out: &out, err: &diag}, d.resolver())
	cmd.SetArgs(append([]string{"--resolve", "--output", "json"}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var exit exitError
	if err := cmd.ExecuteContext(ctx); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := result{out.String(), diag.String(), int(exit)}
	report, err := parseReport(r.out)
	if err != nil {
		t.Fatalf("%v, stderr %q", err, r.err)
	}
	return r, report
}

// logLineFrom is a line of a combined log with a client's address.
func logLineFrom(addr, path, agent string) string {
	return strings.Replace(logLine(path, agent), "192.0.2.1", addr, 1)
}

func dnsWorld() *fakeDNS {
	return &fakeDNS{
		names: map[string][]string{
			"192.0.2.10":  {"evil.example.", "crawl-1.googlebot.com."},
			"192.0.2.11":  {"host.example."},
			"192.0.2.12":  {"crawl-2.googlebot.com."},
			"192.0.2.13":  nil,
			"192.0.2.14":  {"crawl-1.googlebot.com."},
			"2001:db8::1": {"crawl-6.googlebot.com."},
		},
		addrs: map[string][]string{
			"crawl-1.googlebot.com.": {"192.0.2.10", "192.0.2.14"},
			"crawl-2.googlebot.com.": {"198.51.100.1"},
			"crawl-6.googlebot.com.": {"2001:db8::1"},
		},
	}
}

const googleAgent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"

func TestResolveVerifiesAddressesOfViolationsOnly(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	log := file(t, "a.log", strings.Join([]string{
		logLineFrom("192.0.2.10", "/p", googleAgent), logLineFrom("192.0.2.10", "/p/2", googleAgent),
		logLineFrom("192.0.2.10", "/free", googleAgent),
		logLineFrom("192.0.2.11", "/p", googleAgent),
		logLineFrom("192.0.2.12", "/p", googleAgent),
		logLineFrom("192.0.2.13", "/p", googleAgent),
		logLineFrom("192.0.2.14", "/free", googleAgent),
		logLineFrom("2001:DB8:0::1", "/p", googleAgent),
		logLineFrom("10.0.0.1", "/p", googleAgent),
		logLineFrom("192.0.2.10", "/p", "GPTBot/1"), // whose operator names no domains
		logLineFrom("192.0.2.11", "/p", "SomeUnknownBot/1 (+https://some.example/)"),
	}, ""))
	d := dnsWorld()
	r, report := resolveWith(t, t.Context(), d, "--robots", robots, log)
	if r.code != exitDone || !strings.Contains(r.err, "looking up the names of 5 addresses") {
		t.Errorf("code %d, stderr %q", r.code, r.err)
	}
	google := report.crawlers["Googlebot"]
	sameCounts(t, "Googlebot", google.Identity, map[string]int64{"verified": 3, "unverified": 5, "unverifiable": 1})
	violations := map[string]int64{}
	for _, v := range google.Violations {
		violations[v.Identity] += v.N
	}
	sameCounts(t, "Googlebot's violations", violations, map[string]int64{"verified": 3, "unverified": 3, "unverifiable": 1})
	for _, name := range []string{"GPTBot", "SomeUnknownBot"} {
		if n := report.crawlers[name].Identity["verified"]; n != 0 {
			t.Errorf("%s: %d verified", name, n)
		}
	}
	slices.Sort(d.asked)
	want := []string{"192.0.2.10", "192.0.2.11", "192.0.2.12", "192.0.2.13", "2001:db8::1", "crawl-1.googlebot.com.", "crawl-2.googlebot.com.", "crawl-6.googlebot.com."}
	if !slices.Equal(d.asked, want) {
		t.Errorf("asked for %q, want %q", d.asked, want)
	}
	const note = "The names of 5 addresses of violations were looked up: 2 are the crawler's own by forward-confirmed reverse DNS. For the others that proves nothing. For 1 the DNS gave no answer."
	if !strings.Contains(r.out, note) {
		t.Errorf("the report does not say %q: %v", note, auditJSON(t, r)["assumptions"])
	}

	// Each request counts as before, but for who it was.
	var resolved, plain map[string]any
	json.Unmarshal([]byte(r.out), &resolved)
	json.Unmarshal([]byte(command(t, "", "audit", "--output", "json", "--robots", robots, log).out), &plain)
	for _, key := range []string{"lines", "not_crawlers", "other_host"} {
		if resolved[key] != plain[key] {
			t.Errorf("%s: %v with --resolve, %v without", key, resolved[key], plain[key])
		}
	}
	for i, c := range resolved["crawlers"].([]any) {
		with, without := c.(map[string]any), plain["crawlers"].([]any)[i].(map[string]any)
		for _, key := range []string{"crawler", "requests", "verdicts", "reasons", "outcomes", "rules"} {
			if fmt.Sprint(with[key]) != fmt.Sprint(without[key]) {
				t.Errorf("%v: %s: %v with --resolve, %v without", with["crawler"], key, with[key], without[key])
			}
		}
	}
}

// The DNS is not asked about clients that are proven to be an impostor, or verified already.
func TestResolveAsksOnlyWhereIdentityIsOpen(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	ranges := file(t, "googlebot.txt", "192.0.2.14\n")
	log := file(t, "a.log", logLineFrom("192.0.2.10", "/p", googleAgent)+logLineFrom("192.0.2.14", "/p", googleAgent))
	d := dnsWorld()
	r, report := resolveWith(t, t.Context(), d, "--robots", robots, "--ip-ranges", "Googlebot="+ranges+"@2026-11-10", log)
	sameCounts(t, "Googlebot", report.crawlers["Googlebot"].Identity, map[string]int64{"verified": 1, "spoofed": 1})
	if len(d.asked) > 0 || !strings.Contains(r.out, "The names of 0 addresses") {
		t.Errorf("asked for %q; %v", d.asked, auditJSON(t, r)["assumptions"])
	}
}

func TestResolveThatIsInterruptedSaysSo(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	log := file(t, "a.log", logLineFrom("192.0.2.10", "/p", googleAgent)+logLineFrom("192.0.2.11", "/p", googleAgent))
	d := dnsWorld()
	ctx, stop := context.WithCancel(t.Context())
	d.stop = stop
	r, report := resolveWith(t, ctx, d, "--robots", robots, "--fail-on", "violation>0", log)
	if r.code != exitInterrupted || !report.Partial || !strings.Contains(r.err, "interrupted: not all names were looked up") || strings.Count(r.err, "--fail-on is not checked on a part of the input") != 1 {
		t.Errorf("code %d, partial %v, stderr %q", r.code, report.Partial, r.err)
	}
	if report.crawlers["Googlebot"].Verdicts["violation"] != 2 {
		t.Errorf("%+v", report.crawlers["Googlebot"])
	}
}
