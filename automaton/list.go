package automaton

import (
	"bytes"
	"strings"
)

// A list is the tier of small machines: the rules are tried in order, and the
// first that matches decides. It is as fast as the automaton up to some ten rules,
// for each of which it spends one comparison of the eight octets behind the
// path's slash; nearly all of them are passed over by that.
type list []listed

type listed struct {
	// word holds the first octets of the pattern behind its slash, mask which of
	// its bytes count.
	word, mask uint64
	// must is the rarest of the octets behind the pattern's gaps, 0 if there are no
	// gaps. A path without it does not match, which costs less to find out than to
	// search for segments.
	must byte
	// whole is the length of the pattern if a path as long or longer with the
	// octets in word matches: then the rule need not be looked at. Else 0.
	whole uint8
	// verdict is the rule's own, here for the same reason: in rules that are in no
	// cache each step costs as much as the match.
	verdict Verdict
}

func newList(rules []Rule) list {
	l := make(list, len(rules))
	for i := range rules {
		prefix, rest, gaps := rules[i].Cut()
		l[i].verdict = rules[i].Verdict
		if n := len(prefix); !gaps && !rules[i].Anchored && 0 < n && n <= EdgeOctets+1 && prefix[0] == '/' {
			l[i].whole = uint8(n)
		}
		if len(prefix) > 1 {
			n := min(len(prefix)-1, EdgeOctets)
			l[i].mask = wordMask[n]
			l[i].word = firstOctets([]byte(prefix[1:])) & l[i].mask
		}
		if gaps {
			l[i].must = rarest(rest)
		}
	}
	return l
}

// verdict is that of the first rule that matches a path which begins with a slash.
func (l list) verdict(rules []Rule, path []byte) Verdict {
	if i := l.first(rules, path, allForms, uint32(len(l))); int(i) < len(l) {
		return l[i].verdict
	}
	return Verdict{}
}

// first returns the first rule below limit that matches a path which begins with
// a slash, limit if there is none.
func (l list) first(rules []Rule, path []byte, forms formSet, limit uint32) uint32 {
	word := firstOctets(path[1:])
	missing := -1 // an octet that the path does not have
	for i := range l[:limit] {
		e := &l[i]
		if (word^e.word)&e.mask != 0 {
			continue
		}
		if e.whole > 0 && forms == allForms && len(path) >= int(e.whole) {
			return uint32(i)
		}
		if e.must != 0 && (int(e.must) == missing || bytes.IndexByte(path, e.must) < 0) {
			missing = int(e.must)
			continue
		}
		if r := &rules[i]; forms.has(r.Form) && r.matchesAfter(view(path), 0) {
			return uint32(i)
		}
	}
	return limit
}

// Rarity orders octets by how rarely they stand in the paths of URLs.
func Rarity(octet byte) int {
	switch {
	case octet == '/':
		return 0
	case 'a' <= octet && octet <= 'z':
		return 1 + strings.IndexByte("eatisonrcldpmguhbfvywkxjzq", octet)
	case octet == '-' || octet == '.':
		return 27
	case '0' <= octet && octet <= '9':
		return 28
	}
	return 29
}

// rarest returns the rarest octet of what stands behind a gap.
func rarest(rest string) byte {
	best := byte('/')
	for i := range len(rest) {
		if rest[i] != '*' && Rarity(rest[i]) > Rarity(best) {
			best = rest[i]
		}
	}
	return best
}

// wordMask has the lowest n bytes set.
var wordMask = func() (m [EdgeOctets + 1]uint64) {
	for n := range m {
		m[n] = 1<<(8*n) - 1
	}
	return m
}()
