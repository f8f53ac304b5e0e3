package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Two versions of a robots.txt, of different sizes.
const (
	oldRobots = "User-agent: *\nDisallow: /private/\n"
	newRobots = "User-agent: *\nDisallow: /archive/a\nDisallow: /archive/b\n"
)

const (
	hour0   = 60 * 60 // seconds
	minute0 = 60
)

func changed(t testing.TB, c Config, o policy.Options, list ...version) *Auditor {
	t.Helper()
	c.Crawlers, c.Policy = crawlers(t), history(t, o, list...)
	return New(c)
}

func hit(seconds int, agent, target string) entry {
	e := entry{vhost: "example.com:443", time: at(seconds), agent: agent, target: target}
	if target == robotsTxt {
		e.size = fmt.Sprint(len(newRobots))
	}
	return e
}

// summary writes what a report says of the changes as a person would read it.
func summary(r *report.Report) string {
	var b strings.Builder
	number := func(n *int64) string {
		if n == nil {
			return "null"
		}
		return fmt.Sprint(*n)
	}
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "%s %s since %s %s>%s before %.2f after %.2f requests %d\n", c.Origin, c.Time,
			c.Since, c.OldFile, c.NewFile, c.DaysBefore, c.DaysAfter, c.Requests)
		for _, of := range c.Crawlers {
			fmt.Fprintf(&b, "  %s", of.Crawler)
			fmt.Fprintf(&b, " [%d paths %d] [%d paths %d] fetch %s\n", of.Before, of.ChangedBefore, of.After, of.ChangedAfter,
				number(of.FetchSeconds))
		}
	}
	if r.ChangesNotListed > 0 {
		fmt.Fprintf(&b, "%d more\n", r.ChangesNotListed)
	}
	return b.String()
}

// TestChangeSaysWhatItDoesNotKnow checks that unknown values are marked as such, and are not 0.
func TestChangeSaysWhatItDoesNotKnow(t *testing.T) {
	versions := []version{{from: -90 * day0, body: oldRobots}, {from: 0, body: newRobots}}
	moved := func(by int, e entry) entry {
		e.time = at(by)
		return e
	}
	first, last := hit(-3*day0, gptbot, "/"), hit(4*day0, gptbot, "/")
	for name, c := range map[string]struct {
		options  policy.Options
		versions []version
		log      []entry
		want     []string
	}{
		"no fetch by anybody": {versions: versions, log: []entry{first, hit(hour0, gptbot, "/archive/a"), last},
			want: []string{"fetch null", "paths 1]"}},
		"a fetch of the old file": {versions: versions, log: []entry{first, last,
			{vhost: "example.com:443", time: at(hour0), target: robotsTxt, size: fmt.Sprint(len(oldRobots))}},
			want: []string{"fetch null"}},
		"a 304 within the skew, and one after it": {versions: versions, log: []entry{first, last,
			{vhost: "example.com:443", time: at(minute0), target: robotsTxt, status: "304", size: "-"},
			{vhost: "example.com:443", time: at(11 * minute0), target: robotsTxt, status: "304", size: "-"}},
			want: []string{" fetch 660"}},
		"the new size a little early": {versions: versions, log: []entry{
			first, last, moved(-minute0, hit(0, gptbot, robotsTxt))},
			want: []string{" fetch null"}},
		"less than a day after": {versions: versions, log: []entry{first, moved(20*hour0, last)},
			want: []string{"after 0.83 ", "[1 paths 0]"}},
		"clipped by the next change": {versions: append(slices.Clone(versions), version{from: 2 * day0, body: oldRobots}),
			log: []entry{first, hit(day0, gptbot, "/archive/a"), hit(3*day0, gptbot, "/archive/a"), last},
			want: []string{"after 2.00 requests 2", "before 2.00 after 2.00 requests 3",
				"[1 paths 1] [2 paths 1]"}},
		"no more than 14 days around": {versions: versions,
			log:  []entry{moved(-17*day0, first), hit(hour0, gptbot, "/"), moved(15*day0, last)},
			want: []string{"before 14.00 after 14.00 requests 1"}},
		"seen, not put up": {options: policy.Options{Observed: true}, versions: []version{{from: -90 * day0, body: oldRobots},
			{from: -day0, body: oldRobots}, {from: 0, body: newRobots}, {from: 5 * day0, body: newRobots}},
			log:  []entry{first, hit(-day0/2, gptbot, "/archive/a"), last},
			want: []string{`since 2026-03-01T10:00:00Z `, "before 2.00 after 4.00 requests 2"}},
		"no change within the log": {versions: versions, log: []entry{hit(hour0, gptbot, "/"), last}},
		"a file that fails for an hour": {versions: []version{{from: -90 * day0, body: oldRobots}, {from: 0, status: 503},
			{from: hour0, body: oldRobots}}, log: []entry{first, last}},
		"another file after a day without one": {versions: []version{{from: -90 * day0, body: oldRobots},
			{from: -day0, status: 503}, {from: 0, body: newRobots}},
			log:  []entry{first, hit(-day0/2, gptbot, "/archive/a"), last},
			want: []string{`since 2026-03-01T10:00:00Z `, "before 2.00 after 4.00 requests 2"}},
		"a file that is taken away": {versions: []version{{from: -90 * day0, body: newRobots}, {from: 0, status: 404}},
			log: []entry{first, hit(day0, gptbot, "/archive/a"), last,
				{vhost: "example.com:443", time: at(hour0), target: robotsTxt, status: "404"}},
			want: []string{"0.txt> ", "paths 1] fetch null"}},
		"an agent that is not bound": {versions: versions, log: []entry{first, hit(day0, chatgpt, "/archive/a"), last},
			want: []string{"requests 2\n  GPTBot"}},
		"readings that differ": {versions: []version{{from: -90 * day0, body: ""}, {from: 0, body: robotsTxtBody}},
			log:  []entry{first, hit(day0, gptbot, "/a~b"), last},
			want: []string{"[2 paths 0]"}},
		"crawlers that are not known": {versions: versions, log: []entry{first, hit(hour0, acmebot, robotsTxt),
			hit(2*hour0, acmebot, "/archive/a"), last},
			want: []string{"AcmeBot [0 paths 0] [2 paths 1] fetch 3600\n"}},
	} {
		got := summary(auditEntries(t, changed(t, Config{}, c.options, c.versions...), c.log...))
		if len(c.want) == 0 && got != "" {
			t.Errorf("%s: %s, want nothing", name, got)
		}
		for _, text := range c.want {
			if !strings.Contains(got, text) {
				t.Errorf("%s: lacks %q:\n%s", name, text, got)
			}
		}
	}
}

// TestChangeIsWithoutImpostors checks that impostors are not counted, unless the addresses are a proxy's.
func TestChangeIsWithoutImpostors(t *testing.T) {
	for proxied, want := range map[bool]string{false: "requests 2\n", true: "requests 3\n"} {
		set := crawlers(t)
		a := New(Config{Crawlers: set, Proxied: &proxied,
			Identities: known(t, set, map[string]string{"Googlebot": "192.0.2.0/24\n"}), Policy: history(t, policy.Options{},
				version{from: -90 * day0, body: oldRobots}, version{from: 0, body: newRobots})})
		impostor := hit(hour0, googlebot, "/archive/a")
		impostor.addr = "198.51.100.1"
		got := summary(auditEntries(t, a, hit(-3*day0, googlebot, "/"), impostor, hit(4*day0, googlebot, "/")))
		if !strings.Contains(got, want) || strings.Contains(got, "paths 1]") != proxied {
			t.Errorf("proxied %v: lacks %q:\n%s", proxied, want, got)
		}
	}
}

// TestChangesAreBounded checks that the changes with the most requests are listed.
func TestChangesAreBounded(t *testing.T) {
	const sites, names = maxChanges + 5, 43
	var list []version
	var log []entry
	for i := range sites {
		host := fmt.Sprintf("s%02d.example", i)
		list = append(list, version{at: "https://" + host, from: -90 * day0, body: oldRobots},
			version{at: "https://" + host, from: i, body: newRobots})
		for n := range 1 + i {
			e := hit(day0*(1-2*(n%2)), fmt.Sprintf("N%02d-Bot/1 (+http://n.example)", n%names), "/")
			e.vhost = host + ":443"
			log = append(log, e)
		}
	}
	for n := range names { // the last site has all names
		e := hit(day0, fmt.Sprintf("N%02d-Bot/1 (+http://n.example)", n), "/")
		e.vhost = "s24.example:443"
		log = append(log, e, entry{vhost: e.vhost, time: at(-day0)})
	}
	r := auditEntries(t, changed(t, Config{}, policy.Options{}, list...), log...)
	if len(r.Changes) != maxChanges || r.ChangesNotListed != 5 || r.Changes[0].Origin != "https://s24.example" ||
		r.Changes[maxChanges-1].Origin != "https://s05.example" {
		t.Errorf("%d changes, %d more:\n%s", len(r.Changes), r.ChangesNotListed, summary(r))
	}
	c, sum := r.Changes[0], int64(0)
	for _, of := range c.Crawlers {
		sum += of.Before + of.After
	}
	if len(c.Crawlers) != names+1 || sum != c.Requests {
		t.Errorf("%d crawlers with %d requests of %d", len(c.Crawlers), sum, c.Requests)
	}
}

// TestChangesOfPartsAreThoseOfTheWhole checks that the result does not depend on the order of lines, the number of
// workers with little memory, or states, and that it agrees with a plain count of all requests.
func TestChangesOfPartsAreThoseOfTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 34))
	versions := []version{
		{from: -90 * day0, body: oldRobots}, {from: 0, body: newRobots}, {from: 3 * day0, body: oldRobots}}
	a := changed(t, Config{Memory: 1 << 20}, policy.Options{}, versions...)
	var log []entry
	for range 4000 {
		e := hit(rng.IntN(20*day0)-10*day0, []string{gptbot, mj12bot, acmebot, googlebot}[rng.IntN(4)],
			[]string{"/", "/private/x", "/archive/a", "/archive/b", "/archive/", robotsTxt}[rng.IntN(6)])
		e.addr = fmt.Sprintf("192.0.2.%d", rng.IntN(3))
		log = append(log, e)
		if rng.IntN(2) == 0 {
			e.time, e.target = at(rng.IntN(20*day0)-10*day0), "/archive/a"
			log = append(log, e)
		}
	}
	want := summary(auditEntries(t, a, log...))
	lines := make([]string, len(log))
	for i, e := range log {
		lines[i] = e.String()
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	var states [][]byte
	for part := range slices.Chunk(lines, 1500) {
		states = append(states, stateOf(t, a, part))
	}
	got, err := reportOf(a, states...)
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(got); got != want {
		t.Errorf("states say\n%sone run\n%s", got, want)
	}
	for i, window := range [][2][2]int{{{-10 * day0, 0}, {0, 3 * day0}}, {{0, 3 * day0}, {3 * day0, 10 * day0}}} {
		for name, agent := range map[string]string{"GPTBot": gptbot, "MJ12bot": mj12bot, "AcmeBot": acmebot} {
			want, got := plainCount(log, agent, i == 0, window), ""
			for _, of := range gotOf(t, auditEntries(t, a, log...), i).Crawlers {
				if of.Crawler == name {
					got = fmt.Sprint(of.Before, of.ChangedBefore, of.After, of.ChangedAfter)
				}
			}
			if got != want {
				t.Errorf("change %d, %s: %s, want %s", i, name, got, want)
			}
		}
	}
}

// gotOf returns the nth change by time.
func gotOf(t *testing.T, r *report.Report, n int) report.RobotsChange {
	t.Helper()
	if len(r.Changes) != 2 {
		t.Fatalf("%d changes", len(r.Changes))
	}
	slices.SortFunc(r.Changes, func(x, y report.RobotsChange) int { return x.Time.Compare(y.Time.Time) })
	return r.Changes[n]
}

// plainCount counts the requests of a crawler around a change, from the old file to the new one or back.
func plainCount(log []entry, agent string, toNew bool, window [2][2]int) string {
	type request struct {
		seconds int
		entry
	}
	var own []request
	for _, e := range log {
		if at, _ := time.Parse("02/Jan/2006:15:04:05 -0700", e.time); e.agent == agent {
			own = append(own, request{int(at.UnixNano()-moment(0)) / 1e9, e})
		}
	}
	forbids := func(isNew bool, target string) bool {
		if isNew {
			return strings.HasPrefix(target, "/archive/a") || strings.HasPrefix(target, "/archive/b")
		}
		return strings.HasPrefix(target, "/private/")
	}
	var n [2][2]int
	for _, r := range own {
		for side, w := range window {
			if r.seconds < w[0] || r.seconds >= w[1] {
				continue
			}
			n[side][0]++
			if forbids(toNew, r.target) != forbids(!toNew, r.target) {
				n[side][1]++
			}
		}
	}
	return fmt.Sprint(n[0][0], n[0][1], n[1][0], n[1][1])
}
