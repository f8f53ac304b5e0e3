package automaton

import (
	"bytes"

	"github.com/robotsieve/robotsieve/internal/table"
)

// list is the engine of small machines. It tries the rules in order, and the first match decides.
// One comparison of the eight bytes after the path's slash rules out nearly all of them. A list is
// as fast as a table for up to seven rules; for eight and nine it costs less than building a table
// would (crossover).
type list []listed

// listed holds the part of a rule that a list looks at first: 16 bytes, four to a cache line.
type listed struct {
	// word holds the first bytes of the pattern after its slash, at most eight.
	word uint64
	// line and disallowed are the rule's verdict. Fetching them from an uncached rule costs as much as
	// the match.
	line       uint32
	disallowed bool
	octets     uint8
	// needed is the rarest of the bytes after the pattern's gaps, or 0 without gaps. A path without
	// that byte cannot match, which is cheaper to find out than a search for segments.
	needed byte
	// whole is the length of the pattern, at least 1, if word alone decides whether a path of at least
	// that length matches; the rule need not be read then. Otherwise it is 0.
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

// verdict returns the verdict of the first rule that matches a path beginning with a slash.
func (l list) verdict(rules []Rule, path []byte) Verdict {
	if i := l.first(rules, path, allForms, uint32(len(l))); int(i) < len(l) {
		return Verdict{Line: l[i].line, Disallowed: l[i].disallowed}
	}
	return Verdict{}
}

// first returns the index of the first rule below limit that matches a path beginning with a slash,
// or limit if none does.
func (l list) first(rules []Rule, path []byte, forms formSet, limit uint32) uint32 {
	word := table.FirstOctets(path[1:])
	missing := -1 // a byte that does not occur in the path
	l = l[:limit]
	for i := range l {
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
