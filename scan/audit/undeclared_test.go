package audit

import (
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

func undeclaredAuditor(t testing.TB, p *policy.Policy) *Auditor {
	return New(Config{Crawlers: crawlers(t), Policy: p, Undeclared: true})
}

// naiveClients is what TestUndeclared expects, by addresses that are in their normal form.
type naiveClient struct {
	requests, forbidden int64
	first, last         int
	headers             map[string]int64
	rules               map[int]int64
}

// best returns the key with the highest count, of equal ones the first.
func best[K cmp.Ordered](counts map[K]int64) (most K) {
	for k, n := range counts {
		if of := counts[most]; n > of || n == of && k < most {
			most = k
		}
	}
	return most
}

func (c *naiveClient) info(address string) report.ClientInfo {
	stamp := func(n int) string { return time.Unix(0, moment(n)).UTC().Format(time.RFC3339) }
	header, line := best(c.headers), best(c.rules)
	return report.ClientInfo{Address: address, Requests: c.requests, Forbidden: c.forbidden, First: stamp(c.first),
		Last: stamp(c.last), Headers: int64(len(c.headers)), HeadersExact: true, Header: header,
		HeaderRequests: c.headers[header], Line: line, RuleRequests: c.rules[line],
		Rule: map[int]string{2: "Disallow: /private/", 3: "Disallow: /*?s="}[line]}
}

// The clients that name no crawler are counted as a reader with one map would, whoever reads the lines.
func TestUndeclared(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	headers := []string{browser, "curl/8.0", "-", "page crawler v0", strings.Repeat("x ", 300), gptbot, acmebot, googlebot}
	targets := map[string]int{"/": 0, "/a%7Eb": 0, "/robots.txt": 0, "/private/x": 2, "/private/y?s=": 2, "/b?s=1": 3,
		"/c?t=1&s=": 0, "*": -1, "/private/../d": 0}
	var all []string
	for target := range targets {
		all = append(all, target)
	}
	slices.Sort(all)
	clients, lines, requests := map[string]*naiveClient{}, []string(nil), int64(0)
	for i := range 6000 {
		n := rng.IntN(40) * rng.IntN(40) / 16
		address, normal := fmt.Sprintf("192.0.2.%d", n), fmt.Sprintf("192.0.2.%d", n)
		switch n % 5 {
		case 1:
			address, normal = fmt.Sprintf("2001:DB8:0:%d::%x", n, i%9), fmt.Sprintf("2001:db8:0:%d::/64", n)
		case 2:
			address = "::ffff:" + address
		case 3:
			address, normal = fmt.Sprintf("host%d.example", n), fmt.Sprintf("host%d.example", n)
		case 4:
			if n == 4 {
				address, normal = "-", "-"
			}
		}
		header, target := headers[rng.IntN(len(headers))], all[rng.IntN(len(all))]
		lines = append(lines, entry{addr: address, time: at(i), target: target, agent: header}.String())
		if targets[target] < 0 || slices.Contains([]string{gptbot, acmebot, googlebot}, header) {
			continue
		}
		c := clients[normal]
		if c == nil {
			c = &naiveClient{headers: map[string]int64{}, rules: map[int]int64{}}
			clients[normal] = c
		}
		if c.requests++; targets[target] > 0 {
			if c.forbidden == 0 {
				c.first = i
			}
			requests, c.last = requests+1, i
			c.forbidden++
			c.headers[header[:min(len(header), 255)]]++
			c.rules[targets[target]]++
		}
	}
	want := report.UndeclaredInfo{Requests: requests}
	for address, c := range clients {
		if c.forbidden > 0 {
			want.Clients++
			want.List = append(want.List, c.info(address))
		}
	}
	slices.SortFunc(want.List, func(x, y report.ClientInfo) int {
		return cmp.Or(cmp.Compare(y.Forbidden, x.Forbidden), cmp.Compare(x.Address, y.Address))
	})
	want.List = want.List[:20]
	for workers := 1; workers < 4; workers++ {
		a := undeclaredAuditor(t, constant(robotsTxtBody, nil))
		if got := auditSplit(t, a, byName(t, "combined"), rng, lines, workers).Undeclared; fmt.Sprint(*got) != fmt.Sprint(want) {
			t.Errorf("%d workers:\n%v, want\n%v", workers, *got, want)
		}
	}
	if r := auditSplit(t, newAuditor(t, robotsTxtBody), byName(t, "combined"), rng, lines, 1); r.Undeclared != nil {
		t.Error("nobody asked for clients")
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
		want   int64
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
		r := auditEntries(t, undeclaredAuditor(t, p),
			entry{vhost: onSite, target: "/robots.txt", status: "404", time: at(c.after - 60), agent: browser},
			entry{vhost: c.host, target: c.target, time: at(c.after), agent: browser})
		if u := r.Undeclared; u.Requests != c.want || u.Clients != c.want || int64(len(u.List)) != c.want {
			t.Errorf("%s: %+v", name, *u)
		}
	}
}

// Where the addresses are those of a proxy no client is listed.
func TestUndeclaredBehindAProxy(t *testing.T) {
	var list []entry
	for i := range 2000 {
		list = append(list, entry{target: "/private/x", time: at(i), agent: browser})
	}
	u := auditEntries(t, undeclaredAuditor(t, constant(robotsTxtBody, nil)), list...).Undeclared
	if u.Requests != 2000 || len(u.List) != 0 {
		t.Errorf("%+v", *u)
	}
}

// A client that changes its header with each request has more than are counted, and a choice that does
// not depend on the order of lines.
func TestUndeclaredHeadersAreBounded(t *testing.T) {
	rng, lines := rand.New(rand.NewPCG(7, 8)), []string(nil)
	for i := range 500 {
		lines = append(lines, entry{target: "/private/x", time: at(0), agent: fmt.Sprintf("Firefox/%d", i)}.String())
	}
	texts := map[string]bool{}
	for range 3 {
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		a := undeclaredAuditor(t, constant(robotsTxtBody, nil))
		list := auditSplit(t, a, byName(t, "combined"), rng, lines, 2).Undeclared.List
		if texts[fmt.Sprint(list)] = true; len(list) != 1 || list[0].Headers != 16 || list[0].HeadersExact {
			t.Errorf("%+v", list)
		}
	}
	if len(texts) != 1 {
		t.Errorf("%d results for one log", len(texts))
	}
}

// A state would have the addresses of all visitors: there is none.
func TestUndeclaredHasNoState(t *testing.T) {
	if err := begin(t, undeclaredAuditor(t, constant(robotsTxtBody, nil))).WriteState(io.Discard, nil); err != ErrNoState {
		t.Error(err)
	}
}
