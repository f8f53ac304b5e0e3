package compile

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// collidingFours returns printable octets, four each, for which HashFour is 0 in
// its lower half.
func collidingFours() (fours []string) {
	const odd = 0x9E3779B1
	inverse := uint32(odd) // by Newton's iteration
	for range 5 {
		inverse *= 2 - odd*inverse
	}
	for half := range uint32(1 << 16) {
		b := binary.LittleEndian.AppendUint32(nil, (half<<16|half)*inverse)
		good := true
		for _, c := range b {
			good = good && '+' <= c && c < 0x7f && c != '\\'
		}
		if good {
			fours = append(fours, string(b))
		}
	}
	return fours
}

// TestCollidingSegmentsAreNotHashed: a robots.txt all of whose segments fall into
// one place of a hash table must not make each match search all of them.
func TestCollidingSegmentsAreNotHashed(t *testing.T) {
	fours := collidingFours()
	if len(fours) < 200 {
		t.Fatalf("only %d colliding segments", len(fours))
	}
	var rules []automaton.Rule
	for i, four := range fours {
		rules = append(rules, automaton.Rule{
			Rank: uint64(len(fours) - i), Pattern: "/*" + four + "x",
			Verdict: automaton.Verdict{Line: uint32(i + 1), Disallowed: true},
		})
	}
	g := table(rules).Gaps
	if g.Long != 0 || len(g.Fours) != 1 {
		t.Errorf("%d places for %d segments, families %b", len(g.Fours), len(fours), g.Long)
	}
	m, err := Machine(automaton.Google, EngineAutomaton, rules)
	if err != nil {
		t.Fatal(err)
	}
	var s automaton.Scratch
	for i, four := range fours {
		if v := m.Match(&s, fmt.Appendf(nil, "/a/%sx", four)); v.Line != uint32(i+1) {
			t.Errorf("%q: line %d, want %d", four, v.Line, i+1)
		}
	}
}

// TestManySegmentsSpread: those of an ordinary file fill the whole table.
func TestManySegmentsSpread(t *testing.T) {
	var rules []automaton.Rule
	for i := range 100_000 {
		rules = append(rules, automaton.Rule{
			Rank: uint64(1<<20 - i), Pattern: fmt.Sprintf("/*%06x", i*151), Verdict: automaton.Verdict{Line: 1},
		})
	}
	if g := table(rules).Gaps; g.Long == 0 {
		t.Error("segments of an ordinary file are not hashed")
	}
}
