package audit

import (
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Addresses of IPv4 that end in .0, .1 or .255 are taken as cut if at least three distinct ones of any
// clients do, and more than a twentieth. Clients at them are neither verified nor impostors.
func TestCutAddresses(t *testing.T) {
	set := crawlers(t)
	a := New(Config{Crawlers: set, Identities: known(t, set, map[string]string{"Googlebot": "192.0.2.0/24\n"}),
		Policy: history(t, policy.Options{}, version{from: -9 * day0, body: robotsTxtBody})})
	for _, c := range []struct {
		cut, whole int // addresses of browsers
		ends       string
		want       bool
	}{{1, 10, "0", false}, {2, 10, "0", true}, {2, 10, "1", true}, {2, 10, "255", true}, {2, 10, "2", false},
		{2, 57, "0", false}, {2, 56, "0", true}} {
		list := []entry{{vhost: onSite, agent: googlebot, addr: "192.0.2.255", target: "/private/"},
			{vhost: onSite, agent: googlebot, addr: "198.51.100.17", target: "/private/"}}
		for i := range c.cut {
			list = append(list, entry{vhost: onSite, agent: browser, addr: fmt.Sprintf("84.1.%d.%s", i, c.ends)})
		}
		for i := range c.whole - 1 {
			list = append(list, entry{vhost: onSite, agent: browser, addr: fmt.Sprintf("84.2.%d.17", i)})
		}
		r := auditEntries(t, a, list...)
		row := rowOf(r, "Googlebot")
		first := report.Verified
		if c.want {
			first = report.Unverifiable
		}
		if r.AddressesCut != c.want || row.Identity[first] != 1 || row.Identity[report.SpoofedIdentity] != 1 ||
			row.Requests != 2 || row.Verdicts[report.Violation] != 1 {
			t.Errorf("%+v: cut %v, identities %v, verdicts %v", c, r.AddressesCut, row.Identity, row.Verdicts)
		}
	}
}

// A 404 to an address that is cut, or in a log with the addresses of a proxy, is not of one client alone.
func TestNobodyStandsAlone(t *testing.T) {
	set := crawlers(t)
	for name, c := range map[string]struct {
		addrs   []string
		proxied bool
		want    int64 // violations
	}{
		"whole":   {[]string{"84.1.1.7", "84.1.2.7", "84.1.3.7", "84.1.4.7"}, false, 1},
		"cut":     {[]string{"84.1.1.0", "84.1.2.0", "84.1.3.0", "84.1.4.0"}, false, 0},
		"proxied": {[]string{"84.1.1.7", "84.1.2.7", "84.1.3.7", "84.1.4.7"}, true, 0},
		"none":    {[]string{"84.1.1.7", "-", "84.1.3.7", "84.1.4.7"}, false, 0},
	} {
		a := New(Config{Crawlers: set, Proxied: &c.proxied,
			Policy: history(t, policy.Options{}, version{from: -9 * day0, body: robotsTxtBody})})
		size := fmt.Sprint(len(robotsTxtBody))
		r := auditEntries(t, a,
			entry{vhost: onSite, agent: browser, target: "/robots.txt", addr: c.addrs[0], time: at(-3600), size: size},
			entry{vhost: onSite, agent: browser, target: "/robots.txt", addr: c.addrs[1], time: at(0), status: "404"},
			entry{vhost: onSite, agent: browser, target: "/robots.txt", addr: c.addrs[2], time: at(3600), size: size},
			entry{vhost: onSite, agent: browser, addr: c.addrs[3]},
			entry{vhost: onSite, agent: googlebot, target: "/private/", time: at(1800)})
		if got := rowOf(r, "Googlebot").Verdicts[report.Violation]; got != c.want {
			t.Errorf("%s: %d violations, want %d", name, got, c.want)
		}
		if want := 1 - c.want; r.RobotsTxt.ClearedByStrangers != want || int64(len(r.RobotsTxt.Strangers)) != want {
			t.Errorf("%s: cleared %d by %v", name, r.RobotsTxt.ClearedByStrangers, r.RobotsTxt.Strangers)
		}
	}
}
