package policy

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// read is how the command joins compile and this package.
func read(r Reading, body []byte) *automaton.Ruleset {
	return compile.Compile(body, compile.Options{
		Dialect: r.Dialect(), WideTokens: r == ReadGoogleWide,
	}).Ruleset
}

func constant(body string, hosts ...origin.Origin) *Policy {
	return Constant(Row{Body: []byte(body), File: "robots.txt"}, Options{Hosts: hosts, Read: read})
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

func TestReadingDialect(t *testing.T) {
	want := map[Reading]automaton.Dialect{
		ReadRFC9309:    automaton.RFC9309,
		ReadGoogle:     automaton.Google,
		ReadOriginal:   automaton.Original,
		ReadGoogleWide: automaton.Google,
	}
	if len(want) != int(readings) {
		t.Fatalf("%d readings in the table, %d in the package", len(want), readings)
	}
	for r, d := range want {
		if got := r.Dialect(); got != d {
			t.Errorf("reading %d: dialect %s, want %s", r, got, d)
		}
	}
}

func TestNames(t *testing.T) {
	p := constant("User-agent: Google-Extended\nUser-agent: MJ12bot\nDisallow: /\n\nUser-agent: *\nDisallow: /x")
	for token, want := range map[string]bool{
		"Google-Extended":   true,
		"google-extended":   true,
		"MJ12bot":           true,
		"Applebot-Extended": false,
		"Google":            false,
		"MJ":                false,
		"*":                 false,
	} {
		if got := p.Names(token); got != want {
			t.Errorf("Names(%q) = %v", token, got)
		}
	}
	if constant("").Names("GPTBot") {
		t.Error("an empty robots.txt names nobody")
	}
}

// TestNamesAnyVersionOfAnyOrigin: also one that a redirect led to, but not what only
// forbids hops.
func TestNamesAnyVersionOfAnyOrigin(t *testing.T) {
	const rows = `a 0h 200 User-agent:one; a 50h 404; b 0h 404; b 50h 200 User-agent:two
		c 0h 301 >http://d/robots.txt; d 0h 200 User-agent:three; e 0h 301 >http://f/x; f 0h 200 User-agent:four`
	p := newOf(t, rows, Options{Hosts: origins(t, "a", "b", "c", "e")})
	for token, want := range map[string]bool{"one": true, "two": true, "three": true, "four": false, "five": false} {
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
			l := p.Lawful(0, m, m == 0)
			if !slices.Equal(l.Bodies, []int32{0}) || l.Cited != 0 || l.Unknown || l.NoPolicy || l.Unreachable || l.Redirected {
				t.Errorf("at %d: %+v", m, l)
			}
		}
		if got := p.Window(); got != 24*time.Hour {
			t.Errorf("window %v", got)
		}
	}
}

// TestEachBodyIsReadOnceWhenAsked: whichever origins and versions have it, and
// however many ask at once.
func TestEachBodyIsReadOnceWhenAsked(t *testing.T) {
	type reading struct {
		r    Reading
		body string
	}
	var lock sync.Mutex
	seen := map[reading]int{}
	counting := func(r Reading, b []byte) *automaton.Ruleset {
		lock.Lock()
		defer lock.Unlock()
		seen[reading{r, string(b)}]++
		return read(r, b)
	}
	p, err := New(rowsOf(t, "a 0h 200 A; b 0h 200 A; b 50h 200 B; b 60h 200 A; c 0h 200 C"), Options{Read: counting})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) > 0 {
		t.Errorf("read before anybody asked: %v", seen)
	}
	bindings := []*Binding{p.Bind(0, gptbot), p.Bind(1, gptbot), p.Bind(1, googlebot)}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			var s automaton.Scratch
			for _, b := range bindings {
				b.Judge(&s, 0, []byte("/x"))
			}
		})
	}
	group.Wait()
	want := map[reading]int{{ReadRFC9309, "A"}: 1, {ReadGoogleWide, "A"}: 1, {ReadGoogle, "A"}: 1}
	if !maps.Equal(seen, want) {
		t.Errorf("read %v, want %v", seen, want)
	}
}
