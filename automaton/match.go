package automaton

import (
	"strings"
	"unsafe"
)

// The match, in one line: the first rule in the order of rank that matches is
// the verdict. Two things complicate it.
//
// First, the dialects compare different spellings of a path. A rule says in
// which one it is written, and each spelling is made at most once a match, into
// the Scratch, and only if the path is not spelled so already: nearly all are.
//
// Second, a pattern may have wildcards. Its first segment is a prefix of the
// path; for each of the others the leftmost place after the one before it is as
// good as any later place, since it leaves the most room for what follows; and
// the last one, if anchored, can only lie at the end. So no rule ever backs up,
// and its cost is linear in the path.
//
// Most rules do not match, and most of these hold an octet that the path does
// not. So each path is first made into the set of its octets, and a rule that
// needs others is passed over by one comparison. That halves the time of
// BenchmarkReal (bench, Go 1.26), and wildcard rules profit most.

const robotsTxt = "/robots.txt"

// Match returns the verdict on a path as Dialect.Path returns it. It allocates
// only when s must grow, fails for no bytes, and keeps no view of path after it
// returns. Any number of goroutines may call it, each with its own Scratch.
//
// All dialects but google's allow /robots.txt itself whatever the rules say
// (RFC 9309 2.2.2).
func (m *Machine) Match(s *Scratch, path []byte) Verdict {
	if m == nil {
		return Verdict{}
	}
	switch m.dialect {
	case Google:
		p := view(path)
		return m.first(p, p, octetSetOf(p))
	case RFC9309:
		if string(path) == robotsTxt {
			return Verdict{}
		}
		p := view(path)
		have, canonical := survey(p)
		if s.canonical = canonical; canonical {
			return m.first(p, p, have)
		}
		s.a, _ = AppendCanonical(s.a[:0], path, FormA, false)
		a, b := view(s.a), ""
		if m.hasB {
			s.b, _ = AppendCanonical(s.b[:0], path, FormB, false)
			b = view(s.b)
		}
		return m.first(a, b, octetSetOf(a)|octetSetOf(b))
	default:
		if string(path) == robotsTxt {
			return Verdict{}
		}
		p := view(s.decoded(path))
		return m.first(p, p, octetSetOf(p))
	}
}

// first returns the verdict of the rule of the highest rank that matches: those
// in FormB are compared with b, all others with a. have are the octets of both.
// Nearly all machines have one part.
func (m *Machine) first(a, b string, have octetSet) Verdict {
	var best *Rule
	for i := range m.parts {
		if r := m.parts[i].first(a, b, have, best); r != nil {
			best = r
		}
	}
	if best == nil {
		return Verdict{}
	}
	return best.Verdict
}

// first returns the first rule that matches, nil if none does that outranks best.
func (p *part) first(a, b string, have octetSet, best *Rule) *Rule {
	for i, need := range p.needs {
		if need&^have != 0 {
			continue
		}
		r := &p.rules[i]
		if best != nil && r.Rank <= best.Rank {
			return nil
		}
		path := a
		if r.Form == FormB {
			path = b
		}
		if strings.HasPrefix(path, r.Segments[0]) && r.rest(path) {
			return r
		}
	}
	return nil
}

// rest tells whether what follows the first segment matches; the path is known
// to begin with that.
func (r *Rule) rest(path string) bool {
	last := len(r.Segments) - 1
	if last == 0 {
		return !r.Anchored || len(path) == len(r.Segments[0])
	}
	path = path[len(r.Segments[0]):]
	for _, segment := range r.Segments[1:last] {
		at := strings.Index(path, segment)
		if at < 0 {
			return false
		}
		path = path[at+len(segment):]
	}
	if r.Anchored {
		return strings.HasSuffix(path, r.Segments[last])
	}
	return strings.Contains(path, r.Segments[last])
}

// octetSet is a set of octets, in which those that are equal in their last six
// bits count as one.
type octetSet uint64

func octetSetOf(s string) (set octetSet) {
	for i := range len(s) {
		set |= 1 << (s[i] & 63)
	}
	return set
}

// survey returns the octets of a path and whether it is canonical, in one pass.
func survey(path string) (set octetSet, canonical bool) {
	var seen uint8
	for i := range len(path) {
		set |= 1 << (path[i] & 63)
		seen |= octets[path[i]]
	}
	return set, seen&(rawEscaped|rawPercent) == 0
}

// view reads bytes as a string without copying them. The string does not
// outlive the match that made it, during which nobody writes to the bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
