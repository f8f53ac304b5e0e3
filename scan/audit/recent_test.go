package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

// TestGuardRecent fails when a line of a crawler no longer finds its header and its target where the lines before
// it left them.
func TestGuardRecent(t *testing.T) {
	run := begin(t, newAuditor(t, robotsTxtBody, "http://example.com"))
	w, f := run.Worker(), byName(t, "combined")
	line := []byte(entry{target: "/public"}.String() + "\n")
	w.Chunk(f, nil, append(line, line...))
	for header, known := range w.agents {
		recent := &w.clients.recent[slotOf([]byte(header))%recentHeaders]
		if recent.header != header || recent.agent != known.agent {
			t.Errorf("%q is not found", header)
		}
	}
	target := w.target.recent
	if target == nil || !target.permits || target.binding == nil || target.kept == nil {
		t.Fatalf("the target is known as %+v", target)
	}
	clear(w.agents) // both are found without the maps
	clear(target.paths.Kept)
	kept := target.kept
	w.Chunk(f, nil, line)
	if len(w.agents) > 0 || w.target.recent != target || len(target.paths.Kept) > 0 || kept.N != 3 {
		t.Errorf("%d agents, %d targets were made anew, %d requests counted", len(w.agents), len(target.paths.Kept), kept.N)
	}
}

// TestSharedPlaces checks that headers and targets that share their slots are not mixed up, not
// even targets with the same hash.
func TestSharedPlaces(t *testing.T) {
	const first = "/|J\x7f\xb9y7\x9e" // hashField forgets the eight bytes after these in a text of 58
	target := func(i int) string { return fmt.Sprintf("%s%03d/%s", first, i, strings.Repeat("x", 46)) }
	header := func(i int) string {
		return fmt.Sprintf("Mozilla/5.0 %03d/%s(compatible; GPTBot/1.2)", i, strings.Repeat("x", 39))
	}
	if hashField([]byte(target(1))) != hashField([]byte(target(2))) ||
		slotOf([]byte(header(1))) != slotOf([]byte(header(2))) {
		t.Fatal("they share none: choose other bytes that are not hashed")
	}
	run := begin(t, newAuditor(t, "User-agent: *\nDisallow: /*00\n", "http://example.com"))
	w, f := run.Worker(), byName(t, "combined")
	var log strings.Builder
	const targets, rounds = 20, 3
	for range rounds {
		for i := range targets {
			fmt.Fprintln(&log, entry{target: target(i)})
			fmt.Fprintln(&log, entry{target: "/", agent: header(i)})
		}
	}
	w.Chunk(f, nil, []byte(log.String()))
	r := rowOf(resultOf(t, run), "GPTBot")
	if r.Verdicts[report.Violation] != 10*rounds || r.Verdicts[report.Allowed] != (10+targets)*rounds {
		t.Errorf("verdicts %+v", r.Verdicts)
	}
	for _, p := range r.Paths.List {
		if p.Path != "/" && p.N != rounds {
			t.Errorf("%d requests for %q", p.N, p.Path)
		}
	}
}

// TestSharedSenders checks that addresses that share a slot are not mixed up, nor two that begin
// alike and are too long to be remembered, and that each is counted once.
func TestSharedSenders(t *testing.T) {
	long := strings.Repeat("a", longestAddress)
	addresses := []string{"-", long + "b.example", long + "c.example"}
	slot := hashField([]byte("192.168.0.1")) % recentSenders
	const private = 20 // of as many addresses that are public
	for _, begin := range []string{"10.1", "66.249"} {
		for n, found := 0, 0; found < private; n++ {
			a := fmt.Sprintf("%s.%d.%d", begin, n/200, 20+n%200)
			if hashField([]byte(a))%recentSenders == slot {
				addresses, found = append(addresses, a), found+1
			}
		}
	}
	run := begin(t, newAuditor(t, "User-agent: *\nDisallow: /x\n", "http://example.com"))
	w, f := run.Worker(), byName(t, "combined")
	var log strings.Builder
	const rounds = 3
	for range rounds {
		for i := range private { // by turns
			fmt.Fprintln(&log, entry{agent: googlebot, addr: addresses[len(addresses)-1-i]})
			fmt.Fprintln(&log, entry{agent: googlebot, addr: addresses[len(addresses)-1-private-i]})
		}
		for _, a := range addresses[:len(addresses)-2*private] {
			fmt.Fprintln(&log, entry{agent: googlebot, addr: a})
		}
	}
	w.Chunk(f, nil, []byte(log.String()))
	r := rowOf(resultOf(t, run), "Googlebot")
	if r.Identity[report.Unverified] != private*rounds || r.Identity[report.Unverifiable] != (private+3)*rounds {
		t.Errorf("identities %+v", r.Identity)
	}
	if r.Addresses.N != int64(len(addresses)-1) { // "-" is none
		t.Errorf("%d addresses", r.Addresses.N)
	}
}

// TestTheLastSite checks that successive requests for the same site need no map, that several sites
// are not mixed up, and that a target without authority is not confused with one without a host.
func TestTheLastSite(t *testing.T) {
	run := begin(t, newAuditor(t, "User-agent: *\nDisallow: /x\n", "http://example.com", "http://example.org"))
	w, f := run.Worker(), byName(t, "vhost_combined")
	chunk := func(hosts ...string) {
		var log strings.Builder
		for _, host := range hosts {
			fmt.Fprintln(&log, entry{vhost: host, target: "/x"})
		}
		w.Chunk(f, nil, []byte(log.String()))
	}
	chunk("example.com:80")
	known := w.hosts.known
	w.hosts.known = nil
	chunk("example.com:80", "example.com:80")
	w.hosts.known = known
	long := strings.Repeat("h", maxMemoKey) + ".example:80"
	chunk("example.org:80", "example.com:80", "other.example:80", long, long, "example.org:80")
	r := resultOf(t, run)
	counts := map[string]int64{}
	for _, s := range r.Sites {
		counts[s.Origin] = s.Requests
	}
	if counts["http://example.com"] != 4 || counts["http://example.org"] != 2 || r.OtherHost != 3 {
		t.Errorf("sites %v, %d requests for others", counts, r.OtherHost)
	}
}
