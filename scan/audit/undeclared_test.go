package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// undeclaredAuditor returns an auditor that lists what it gives to Config.Undeclared.
func undeclaredAuditor(t testing.TB, p *policy.Policy, list *[]string) *Auditor {
	var mu sync.Mutex
	return New(Config{Crawlers: crawlers(t), Policy: p, Listeners: Listeners{Undeclared: listen(func(j *Event) {
		mu.Lock()
		defer mu.Unlock()
		*list = append(*list, fmt.Sprintf("%s %d %s %s %s:%d %s", j.Address, j.Time, j.Target, j.Agent, j.Rule.Rule,
			j.Rule.Line, j.Name))
	})}})
}

// The requests of clients that name no crawler, of what robots.txt forbids to *, are given as a reader of
// each line would choose them, whoever reads the lines.
func TestUndeclared(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	headers := []string{browser, "curl/8.0", "-", "page crawler v0", strings.Repeat("x ", 300), gptbot, acmebot, googlebot}
	rules := map[string]string{"/private/x": "Disallow: /private/:2", "/private/y?s=": "Disallow: /private/:2",
		"/b?s=1": "Disallow: /*?s=:3"}
	targets := []string{"/", "/a%7Eb", "/robots.txt", "/private/x", "/private/y?s=", "/b?s=1", "/c?t=1&s=", "*", "/private/../d"}
	var lines, want []string
	for i := range 6000 {
		address := []string{"192.0.2.1", "2001:DB8:0:1::7", "::ffff:192.0.2.3", "host4.example"}[rng.IntN(4)]
		header, target := headers[rng.IntN(len(headers))], targets[rng.IntN(len(targets))]
		lines = append(lines, entry{addr: address, time: at(i), target: target, agent: header}.String())
		if rule := rules[target]; rule != "" && !slices.Contains([]string{gptbot, acmebot, googlebot}, header) {
			want = append(want, fmt.Sprintf("%s %d %s %s %s ", address, moment(i), target, header, rule))
		}
	}
	slices.Sort(want)
	for workers := 1; workers < 4; workers++ {
		var got []string
		auditSplit(t, undeclaredAuditor(t, constant(robotsTxtBody, nil), &got), byName(t, "combined"), rng, lines, workers)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%d workers: %d requests, want %d, such as\n%s\n%s", workers, len(got), len(want), got[0], want[0])
		}
	}
}

// What some copy of robots.txt permits that was in force shortly before, or what went to another host, is
// not forbidden. What a crawler was told does not matter.
func TestUndeclaredWithVersions(t *testing.T) {
	p := history(t, policy.Options{}, version{from: -100 * hours, body: "User-agent: *\nAllow: /\n"},
		version{from: 0, body: forbid}, version{from: 100 * hours, status: 404})
	for name, c := range map[string]struct {
		host   string
		after  int
		target string
		want   int
	}{
		"before the rule":     {onSite, -hours, "/private/x", 0},
		"the rule is new":     {onSite, 10 * hours, "/private/x", 0},
		"forbidden":           {onSite, 50 * hours, "/private/x", 1},
		"another path":        {onSite, 50 * hours, "/x", 0},
		"robots.txt":          {onSite, 50 * hours, "/robots.txt", 0},
		"another host":        {"other.example:443", 50 * hours, "/private/x", 0},
		"robots.txt has gone": {onSite, 130 * hours, "/private/x", 0},
		"before all versions": {onSite, -200 * hours, "/private/x", 0},
	} {
		var got []string
		auditEntries(t, undeclaredAuditor(t, p, &got),
			entry{vhost: onSite, target: "/robots.txt", status: "404", time: at(c.after - 60), agent: browser},
			entry{vhost: c.host, target: c.target, time: at(c.after), agent: browser})
		if len(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
