package automaton

import (
	"bytes"

	"github.com/robotsieve/robotsieve/internal/table"
)

// list is the engine of small machines: the rules are tried in order, and the first that
// matches decides. One comparison of the eight bytes after the path's slash excludes nearly
// all. A list is as fast as a table for up to seven rules, and for up to nine it loses less
// than it costs to build one (crossover).
type list []listed

// listed is the part of a rule that a list looks at first: 16 bytes, four to a line of the
// cache.
type listed struct {
	// word holds the first bytes of the pattern after its slash, eight or as many as there
	// are.
	word uint64
	// line and disallowed are the rule's verdict. To look for it in the rule, when that is in
	// no cache, costs as much as the match.
	line       uint32
	disallowed bool
	// octets is the number of bytes in word.
	octets uint8
	// needed is the rarest of the bytes after the pattern's gaps, 0 if there are no gaps. A
	// path without it does not match, and to find that out costs less than to search for
	// segments.
	needed byte
	// whole is the length of the pattern, at least 1, if every path as long or longer with the
	// octets in word matches: then the rule need not be looked at. Else 0.
	whole uint8
}

// set fills in the fields from a rule.
func (e *listed) set(r *Rule) {
	e.line, e.disallowed = r.Verdict.Line, r.Verdict.Disallowed
	n := int(r.prefix)
	switch {
	case r.gaps || r.AtEnd || n > table.EdgeOctets+1:
	case n == 0:
		e.whole = 1 // as long as any path
	case r.Pattern[0] == '/':
		e.whole = uint8(n)
	}
	if n > 1 {
		octets := r.Pattern[1:min(n, table.EdgeOctets+1)]
		e.word, e.octets = table.FirstOctets([]byte(octets)), uint8(len(octets))
	}
	if r.gaps {
		e.needed = rarest(r.Pattern[n+1:])
	}
}

// verdict returns that of the first rule that matches a path which begins with a slash.
func (l list) verdict(rules []Rule, path []byte) Verdict {
	if i := l.first(rules, path, allForms, uint32(len(l))); int(i) < len(l) {
		return Verdict{Line: l[i].line, Disallowed: l[i].disallowed}
	}
	return Verdict{}
}

// first returns the first rule below limit that matches a path which begins with a slash,
// limit if there is none.
func (l list) first(rules []Rule, path []byte, forms formSet, limit uint32) uint32 {
	word := table.FirstOctets(path[1:])
	missing := -1 // a byte that the path does not have
	for i := range l[:limit] {
		table.Spend(1)
		e := &l[i]
		if (word^e.word)&table.WordMask[e.octets&15] != 0 {
			continue
		}
		if e.whole > 0 && forms == allForms && len(path) >= int(e.whole) {
			return uint32(i)
		}
		if e.needed != 0 && (int(e.needed) == missing || bytes.IndexByte(path, e.needed) < 0) {
			missing = int(e.needed)
			continue
		}
		if r := &rules[i]; forms.has(r.Form) && r.matchesAfter(view(path), 0) {
			return uint32(i)
		}
	}
	return limit
}

// rarest returns the rarest byte of the segments after a gap.
func rarest(rest string) byte {
	best := byte('/')
	for i := range len(rest) {
		if rest[i] != '*' && table.Rarity(rest[i]) > table.Rarity(best) {
			best = rest[i]
		}
	}
	return best
}
