package policy

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/reading"
)

func constant(body string, hosts ...origin.Origin) *Policy {
	return Constant(Row{Body: []byte(body), File: "robots.txt"}, Options{Hosts: hosts})
}

// origins parses origins as a user writes them.
func origins(t testing.TB, texts ...string) []origin.Origin {
	t.Helper()
	var list []origin.Origin
	for _, text := range texts {
		o, err := origin.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o...)
	}
	return list
}

// TestNamesAnyVersionOfAnyOrigin checks that case is ignored, and that redirect targets count, but
// not bodies that only forbid hops.
func TestNamesAnyVersionOfAnyOrigin(t *testing.T) {
	const rows = `a 0h 200 User-agent:one|User-agent:MJ12bot|User-agent:*; a 50h 404; b 0h 404; b 50h 200 User-agent:two
		c 0h 301 >http://d/robots.txt; d 0h 200 User-agent:three; e 0h 301 >http://f/x; f 0h 200 User-agent:four`
	p := newOf(t, rows, Options{Hosts: origins(t, "a", "b", "c", "e")})
	for token, want := range map[string]bool{"one": true, "TWO": true, "three": true, "four": false, "five": false,
		"mj12bot": true, "MJ": false, "*": false} {
		if got := p.Names(token); got != want {
			t.Errorf("Names(%q) = %v", token, got)
		}
	}
}

func TestConstant(t *testing.T) {
	for _, hosts := range [][]origin.Origin{nil, origins(t, "example.com")} {
		p := constant("User-agent: *", hosts...)
		want := []Version{{From: MinTime, Status: 200, File: "robots.txt", Size: 13}}
		if got := p.Versions(0); !slices.Equal(got, want) {
			t.Errorf("versions %+v, want %+v", got, want)
		}
		for _, m := range []int64{MinTime, 0, forever} {
			l := p.Lawful(0, m, answer.Class(m&1))
			if !slices.Equal(l.Bodies, []int32{0}) || l.Quoted != 0 || l.Unknown || l.NoPolicy || l.Unreachable || l.Redirected {
				t.Errorf("at %d: %+v", m, l)
			}
		}
		if got := p.Window(); got != 24*time.Hour {
			t.Errorf("window %v", got)
		}
	}
}

// TestEachBodyIsCompiledOnceWhenAsked checks this for any origins and versions that share it, with concurrent callers.
func TestEachBodyIsCompiledOnceWhenAsked(t *testing.T) {
	p, err := New(rowsOf(t, "a 0h 200 A; b 0h 200 A; b 50h 200 B; b 60h 200 A; c 0h 200 C"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		r    reading.Reading
		body string
	}
	compiled := func() map[key]*compile.Robots {
		seen := map[key]*compile.Robots{}
		for _, h := range p.histories {
			for _, c := range h.copies {
				for r := range reading.Readings {
					robots, k := c.body.compiled[r].robots, key{r, string(c.body.text)}
					if robots == nil || r != r.Whole() && robots == c.body.compiled[r.Whole()].robots {
						continue
					}
					if seen[k] != nil && seen[k] != robots {
						t.Errorf("%v is compiled twice", k)
					}
					seen[k] = robots
				}
			}
		}
		return seen
	}
	if seen := compiled(); len(seen) > 0 {
		t.Errorf("compiled before anybody asked: %v", seen)
	}
	bindings := []*Binding{p.Bind(0, gptbot), p.Bind(1, gptbot), p.Bind(1, googlebot)}
	found := make([][]*automaton.Machine, 8)
	var group sync.WaitGroup
	for i := range found {
		group.Go(func() {
			var s automaton.Scratch
			for _, b := range bindings {
				b.Judge(&s, 0, []byte("/x"))
				found[i] = append(found[i], b.rulesOf(0).first.machine)
			}
		})
	}
	group.Wait()
	for _, machines := range found {
		if !slices.Equal(machines, found[0]) {
			t.Error("one body gave several machines for one crawler")
		}
	}
	seen := compiled()
	if len(seen) != 3 || seen[key{reading.ReadRFC9309, "A"}] == nil || seen[key{reading.ReadGoogleWide, "A"}] == nil ||
		seen[key{reading.ReadGoogle, "A"}] == nil {
		t.Errorf("compiled are %v", seen)
	}
}

// TestQuoteRule checks each version by its own lines, including lines that aren't rules.
func TestQuoteRule(t *testing.T) {
	p := newOf(t, "a 0h 200 User-agent:*|Disallow:/x; a 9h 404; a 10h 200 Disallow:/z|User-agent:*|#|allow:/y*", Options{})
	for _, c := range []struct {
		version int32
		line    int
		want    string
	}{
		{0, 1, ""}, {0, 2, "Disallow: /x"}, {0, 3, ""},
		{1, 1, ""},
		{2, 1, ""}, {2, 3, ""}, {2, 4, "Allow: /y*"}, {2, 0, ""},
	} {
		if got := p.QuoteRule(0, c.version, c.line); got != c.want {
			t.Errorf("version %d, line %d: %q, want %q", c.version, c.line, got, c.want)
		}
	}
}

func TestSite(t *testing.T) {
	// Origins: a.example http:80, https:443, http:8080, https:8080, b.example https:443, and others.
	const rows = `https://b.example 0h 200 B; http://a.example:8080 0h 200 A; https://a.example:8080 0h 200 A
		http://a.example 0h 200 A; https://a.example 0h 200 A; ftp://c.example 0h 200 A; http://[2001:db8::1] 0h 200 A`
	p := newOf(t, rows, Options{})
	var names []string
	for _, o := range p.Origins() {
		names = append(names, o.String())
	}
	if want := []string{"http://[2001:db8::1]", "http://a.example", "https://a.example", "http://a.example:8080",
		"https://a.example:8080",
		"https://b.example", "ftp://c.example"}; !slices.Equal(names, want) {
		t.Fatalf("origins %v, want %v", names, want)
	}
	tests := []struct {
		name string
		o    origin.Origin
		want Site
	}{
		{"the origin itself", origin.Origin{Scheme: "https", Host: "a.example", Port: 443}, Site{2, 1}},
		{"host alone: every scheme and port", origin.Origin{Host: "a.example"}, Site{1, 4}},
		{"host alone, of one origin", origin.Origin{Host: "b.example"}, Site{5, 1}},
		{"a port of no scheme", origin.Origin{Host: "a.example", Port: 8080}, Site{3, 2}},
		{"a scheme without a port has its own", origin.Origin{Scheme: "https", Host: "a.example"}, Site{2, 1}},
		{"an address", origin.Origin{Host: "2001:db8::1", Port: 80, Scheme: "http"}, Site{0, 1}},
		{"ftp", origin.Origin{Scheme: "ftp", Host: "c.example"}, Site{6, 1}},
		{"another scheme", origin.Origin{Scheme: "http", Host: "b.example", Port: 80}, Site{}},
		{"another port", origin.Origin{Host: "a.example", Port: 81}, Site{}},
		{"a scheme that is none", origin.Origin{Scheme: "gopher", Host: "a.example"}, Site{}},
		{"a subdomain", origin.Origin{Host: "www.a.example"}, Site{}},
		{"a domain above", origin.Origin{Host: "example"}, Site{}},
		{"no host", origin.Origin{}, Site{}},
		{"a host behind all", origin.Origin{Host: "z"}, Site{}},
	}
	for _, test := range tests {
		got, ok := p.Site(test.o)
		if ok != (test.want.N > 0) || ok && got != test.want {
			t.Errorf("%s: %v, %v, want %v", test.name, got, ok, test.want)
		}
	}
}

func TestHosts(t *testing.T) {
	const rows = "a 0h 301 >http://b/robots.txt; https://a 0h 200 A; b 0h 200 B; c 0h 200 C"
	p := newOf(t, rows, Options{Hosts: slices.Concat(origins(t, "http://a"), origins(t, "c"))})
	if want := origins(t, "http://a", "http://c"); !slices.Equal(p.Origins(), want) {
		t.Errorf("origins %v, want %v", p.Origins(), want)
	}
	if _, ok := p.Site(origin.Origin{Host: "b"}); ok {
		t.Error("b is judged")
	}
	if got := describe(p, 0, p.Lawful(0, at(t, "50h"), answer.Others)); got != "B, cites 0" {
		t.Errorf("a leads to %s, want the body of b", got)
	}
	if p.Any() {
		t.Error("it is for any origin")
	}
}

func TestWhereNoHostIsNamed(t *testing.T) {
	tests := []struct {
		name string
		p    *Policy
		want Site
		any  bool
	}{
		{"one file for all", constant("x"), Site{0, 1}, true},
		{"one file for two schemes", constant("x", origins(t, "a")...), Site{0, 2}, false},
		{"one file, hosts named twice", constant("x", origins(t, "https://a", "a", "https://a:443")...), Site{0, 2}, false},
		{"a source without hosts", newOf(t, "a 0h 200 A", Options{}), Site{}, false},
		{"a source with hosts", newOf(t, "a 0h 200 A; b 0h 200 A; c 0h 200 A", Options{Hosts: origins(t, "a", "c")}),
			Site{0, 2}, false},
	}
	for _, test := range tests {
		got, ok := test.p.Unnamed()
		if got != test.want || ok != (test.want.N > 0) || test.p.Any() != test.any {
			t.Errorf("%s: %v, %v, any %v; want %v, any %v", test.name, got, ok, test.p.Any(), test.want, test.any)
		}
	}
	p := constant("x")
	if len(p.Origins()) != 1 || p.Origins()[0] != (origin.Origin{}) {
		t.Errorf("origins %v", p.Origins())
	}
	for _, o := range []origin.Origin{{}, {Scheme: "gopher", Host: "a"},
		{Scheme: "https", Host: "example.com", Port: 443}} {
		if s, ok := p.Site(o); !ok || s != (Site{0, 1}) {
			t.Errorf("%v is at %v, %v", o, s, ok)
		}
	}
}
