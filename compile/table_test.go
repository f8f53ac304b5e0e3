package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// TestSegmentsThatCollide: whoever writes robots.txt knows the hash function of
// the first four octets of segments, which has no seed. Many that collide would
// each cost a search among all.
func TestSegmentsThatCollide(t *testing.T) {
	const alphabet, most, places = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", 5000, 1 << 14
	text := "user-agent: *\n"
	last := ""
	n := 0
	for i := 0; i < len(alphabet)*len(alphabet)*len(alphabet)*len(alphabet) && n < most; i++ {
		four := []byte{alphabet[i&63], alphabet[i>>6&63], alphabet[i>>12&63], alphabet[i>>18&63]}
		octets := uint32(four[0]) | uint32(four[1])<<8 | uint32(four[2])<<16 | uint32(four[3])<<24
		if automaton.HashFour(octets)%places < 10 {
			n++
			last = string(four)
			text += "disallow: /*" + last + "\n"
		}
	}
	for _, d := range []automaton.Dialect{google, rfc9309} {
		r := compile.Compile([]byte(text), compile.Options{Dialect: d, MaxBytes: all, Engine: compile.EngineAutomaton})
		if got, want := ask(r, new(automaton.Scratch), nil, []byte("/"+strings.Repeat("a", 100)+last)), (answer{false, n + 1}); got != want {
			t.Errorf("%v: got %v, want %v", d, got, want)
		}
	}
}

// TestMoreSegmentsThanHashes: the hash of four octets has 16 bits.
func TestMoreSegmentsThanHashes(t *testing.T) {
	const n = 100_000
	r := compileIn(google, "user-agent: *\n"+numbered("disallow: /*%d\n", n))
	for _, i := range []int{0, n / 2, n - 1} {
		got := ask(r, new(automaton.Scratch), nil, []byte("/x/"+numeral(i)))
		if want := (answer{false, i + 2}); got != want {
			t.Errorf("segment %d: got %v, want %v", i, got, want)
		}
	}
}

// TestFormBWithoutPrefix: no robots.txt has a rule in form B that does not begin
// with a path and a '?', but archives are files, and may say anything.
func TestFormBWithoutPrefix(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		matches       bool
	}{
		{"", "/", true},
		{"*/a", "/a", true},
		{"*/a?(", "/x/a?%28", true},
		{"*b", "/a", false},
	} {
		rules := []automaton.Rule{{Rank: 100, Pattern: c.pattern, Form: automaton.FormB, Verdict: automaton.Verdict{Line: 1}}}
		for i := range 9 {
			rules = append(rules, automaton.Rule{
				Rank: uint64(99 - i), Form: automaton.FormB, Pattern: fmt.Sprintf("*never%d", i), Verdict: automaton.Verdict{Line: 2},
			})
		}
		m, err := compile.Machine(rfc9309, compile.EngineAutomaton, rules)
		if err != nil {
			t.Fatal(err)
		}
		if v := m.Match(new(automaton.Scratch), []byte(c.path)); (v.Line == 1) != c.matches {
			t.Errorf("%q on %q: got %v", c.pattern, c.path, v)
		}
	}
}
