package policy

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/origin"
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

// TestNamesAnyVersionOfAnyOrigin: in any case, also one that a redirect led to, but not what only
// forbids hops.
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

// TestEachBodyIsCompiledOnceWhenAsked: whichever origins and versions have it, and
// however many ask at once.
func TestEachBodyIsCompiledOnceWhenAsked(t *testing.T) {
	p, err := New(rowsOf(t, "a 0h 200 A; b 0h 200 A; b 50h 200 B; b 60h 200 A; c 0h 200 C"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	type reading struct {
		r    Reading
		body string
	}
	compiled := func() map[reading]*compile.Robots {
		seen := map[reading]*compile.Robots{}
		for _, h := range p.histories {
			for _, c := range h.copies {
				for r := range readings {
					robots, k := c.body.compiled[r].robots, reading{r, string(c.body.text)}
					if robots == nil || r != r.whole() && robots == c.body.compiled[r.whole()].robots {
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
	if len(seen) != 3 || seen[reading{ReadRFC9309, "A"}] == nil || seen[reading{ReadGoogleWide, "A"}] == nil ||
		seen[reading{ReadGoogle, "A"}] == nil {
		t.Errorf("compiled are %v", seen)
	}
}

// TestQuoteRule: of each version by its own lines, and of lines that are no rules.
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
