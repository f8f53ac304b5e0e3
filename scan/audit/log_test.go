package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestRedirectThatTheSourceHas: a redirect that was answered has been followed already if the
// source has one for an origin of the host, where the log tells no scheme, but not if it has
// one for another host that the log may be of.
func TestRedirectThatTheSourceHas(t *testing.T) {
	for _, c := range []struct{ origins, redirected, hosts, want string }{
		{"https://a.example http://a.example", "http://a.example", "a.example", "violation"},
		{"https://a.example http://a.example", "", "a.example", "indeterminate"},
		{"https://a.example https://b.example", "https://b.example", "https://a.example https://b.example", "indeterminate"},
		{"https://a.example https://b.example", "https://a.example https://b.example",
			"https://a.example https://b.example", "violation"},
	} {
		list := []version{{at: "https://www.example.com", from: farAgo, body: forbid}}
		for at := range strings.FieldsSeq(c.origins) {
			list = append(list, version{at: at, from: farAgo, body: forbid})
		}
		for at := range strings.FieldsSeq(c.redirected) {
			list = append(list, version{at: at, from: -10 * hours, status: 301, to: "https://www.example.com/robots.txt"})
		}
		a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{Hosts: originsOf(t, c.hosts)}, list...)})
		r := auditEntries(t, a, entry{target: "/robots.txt", status: "301", time: at(-5 * hours)},
			entry{target: "/private/x", time: at(0)})
		if v := nonZero(t, rowOf(r, "GPTBot").Verdicts); v[c.want] != 1 {
			t.Errorf("%+v: %v", c, v)
		}
	}
}

// TestUnnamedLogOfTwoHosts: where a log may be of one of two hosts, a request has a verdict
// only if it has the same on both.
func TestUnnamedLogOfTwoHosts(t *testing.T) {
	p := history(t, policy.Options{Hosts: originsOf(t, "https://a.example https://b.example")},
		version{at: "https://a.example", from: farAgo, body: "User-agent: *\nDisallow: /private/\nDisallow: /a/\n"},
		version{at: "https://b.example", from: farAgo, body: forbid})
	a := New(Config{Crawlers: crawlers(t), Policy: p})
	for target, want := range map[string]map[string]int64{"/private/x": {"violation": 1},
		"/a/x": {"no_host": 1, "indeterminate": 1}, "/b": {"allowed": 1}} {
		row := rowOf(auditEntries(t, a, entry{target: target, time: at(0)}), "GPTBot")
		got := nonZero(t, row.Verdicts)
		for reason, n := range nonZero(t, row.Reasons) {
			got[reason] = n
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", target, got, want)
		}
	}
}

// TestNoHostInALogOfOneSite: a line that names no host stays without one, also where other
// hosts are not judged.
func TestNoHostInALogOfOneSite(t *testing.T) {
	a := auditorBy(t, version{from: farAgo, body: forbid})
	run := begin(t, a)
	w := run.Worker()
	w.SetSite(policy.Site{First: 0, N: 1}, true)
	w.Chunk(byName(t, "vhost_combined"), nil, []byte(entry{vhost: "-",
		target: "/private/x"}.String()+"\n"+entry{vhost: "other.example:443", target: "/private/x"}.String()+"\n"))
	r := resultOf(t, run)
	if row := rowOf(r, "GPTBot"); row.Reasons[report.NoHost] != 1 || row.Requests != 1 || r.OtherHost != 1 {
		t.Errorf("%+v, %d of other hosts", row.Reasons, r.OtherHost)
	}
}

// TestInformedByVersionsWithoutABody: a crawler that fetched while robots.txt may have been
// missing, or a redirect, has not been sent the rule.
func TestInformedByVersionsWithoutABody(t *testing.T) {
	www := version{at: "https://www.example.com", from: farAgo, body: forbid}
	for name, between := range map[string]version{
		"missing":    {from: 0, status: 404},
		"failed":     {from: 0, status: 503},
		"redirected": {from: 0, status: 301, to: "https://www.example.com/robots.txt"},
	} {
		a := auditorBy(t, version{from: farAgo, body: forbid}, between, version{from: hours, body: forbid}, www)
		for when, want := range map[int]int64{-601: 1, -600: 0, hours / 2: 0, hours + 599: 0, hours + 601: 1} {
			row := rowOf(auditEntries(t, a, gets(when, gptbot, "304", "0"), visits(60*day0, "/private/x")), "GPTBot")
			if row.Verdicts[report.Violation] != 1 || row.Informed() != want {
				t.Errorf("%s, fetched at %d: %d informed of %v, want %d", name, when, row.Informed(), nonZero(t, row.Verdicts),
					want)
			}
		}
	}
}

// TestZoneless: times that name no zone may be wrong by 14 hours, also those of another log in one
// audit with it.
func TestZoneless(t *testing.T) {
	a := auditorBy(t, version{from: farAgo, body: permit}, version{from: 0, body: forbid})
	const span = day0 + 3*hours + 600
	for _, c := range []struct {
		when     int
		zoneless []bool // of each log
		want     map[string]int64
	}{
		{span + 1, []bool{false}, map[string]int64{"violation": 1}},
		{span + 1, []bool{true}, map[string]int64{"grace": 1}},
		{span + 1, []bool{false, true}, map[string]int64{"grace": 2}},
		{span + 14*hours - 1, []bool{true}, map[string]int64{"grace": 1}},
		{span + 14*hours, []bool{true}, map[string]int64{"violation": 1}},
	} {
		run := begin(t, a)
		for i, is := range c.zoneless {
			w := run.Worker()
			w.SetZoneless(is)
			w.Chunk(byName(t, "vhost_combined"), nil, []byte(visits(c.when+i, "/private/x").String()))
		}
		r := resultOf(t, run)
		wantCounts(t, fmt.Sprint(c), r.Totals.Verdicts, c.want)
		if is := c.zoneless[len(c.zoneless)-1]; is != (r.Policy.SkewSeconds == 14*hours+600) {
			t.Errorf("%v: a skew of %d seconds", c, r.Policy.SkewSeconds)
		}
	}
}
