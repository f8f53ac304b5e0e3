package prove

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/plain"
)

// A state of a pattern says how much of it a path has matched. It is a position in one of its
// segments, which are numbered consecutively with an extra position for the end of each, or one of
// the last two states, which are final.
type state int32

const none state = -1

// pattern is the deterministic automaton of one pattern. The first segment must begin the path;
// each further segment is searched for after the previous one, by its borders (Knuth, Morris and
// Pratt 1977). The leftmost match is as good as any.
type pattern struct {
	form     automaton.Form
	spelling *[2][units]string // of the form
	atEnd    bool
	segments []string
	first    []state    // of each segment
	in       []int32    // the segment of each state
	border   []state    // of each state in segments after a gap, within its segment
	query    state      // first state after the path's '?', in FormB
	matched  state      // every longer path matches
	dead     state      // no longer path matches
	moves    []*moves   // per state, computed on first use
	root     state      // after "/"
	rest     state      // root, if most bytes lead back there and no path ends there; otherwise none
	rules    [2][]*rule // rules with this pattern, per ranking
	covered  []*pattern // the patterns that cover this one, see covering; nil if not yet computed
	lengths  []int32    // per state, see measure
}

// moves are the states after each unit: those in list, and other for all remaining units.
type moves struct {
	list  []move
	other state
}

type move struct {
	unit unit
	to   state
}

// newPattern returns the automaton of a rule's pattern for paths of units with the given or a later
// sender.
func newPattern(r *automaton.Rule, from sender) *pattern {
	p := &pattern{form: r.Form, atEnd: r.AtEnd, segments: []string{r.Pattern}}
	if _, _, gaps := r.Cut(); gaps {
		p.segments = strings.Split(r.Pattern, "*")
	}
	if p.isCommon(from) {
		p.form = automaton.FormRaw
	}
	n := state(0)
	for i, s := range p.segments {
		p.first, p.in = append(p.first, n), append(p.in, slices.Repeat([]int32{int32(i)}, len(s)+1)...)
		n += state(len(s)) + 1
	}
	p.spelling = &spellings()[p.form]
	p.query = state(strings.IndexByte(p.segments[0], '?') + 1)
	p.matched, p.dead, p.moves = n, n+1, make([]*moves, n+2)
	p.moves[p.matched], p.moves[p.dead] = &moves{other: p.matched}, &moves{other: p.dead}
	if len(p.segments) > 1 {
		p.border = make([]state, n)
		for i, s := range p.segments[1:] {
			borders(p.border[p.first[i+1]:], s)
		}
	}
	if p.root, p.rest = p.after(p.start(), '/'), none; p.root < p.matched && p.in[p.root] > 0 &&
		p.root == p.first[p.in[p.root]] && !p.atItsEnd(p.root) {
		p.rest = p.root
	}
	return p
}

// borders sets, for each prefix of a segment, the length of its longest proper prefix that is also
// its suffix. To shorten searches it requires that the segment continues differently after that
// prefix.
func borders(to []state, segment string) {
	k := state(0)
	for i := 1; i < len(segment); i++ {
		for k > 0 && segment[k] != segment[i] {
			k = to[k]
		}
		if segment[k] == segment[i] {
			k++
		}
		to[i+1] = k
	}
	for i := 1; i < len(segment); i++ {
		if k := to[i]; segment[k] == segment[i] {
			to[i] = to[k]
		}
	}
}

// isCommon reports whether the pattern, in FormA or FormB, matches the same paths in FormRaw, if
// their units have the given or a later sender. That is the case if these forms write all its bytes
// the same, and no match can begin within an escape that a form writes for a byte.
func (p *pattern) isCommon(from sender) bool {
	if p.form != automaton.FormA && p.form != automaton.FormB {
		return false
	}
	for i, s := range p.segments {
		if !plain.IsCanonical([]byte(s)) || i > 0 && isHex(s[0]) && beginsInside(s, from) {
			return false
		}
	}
	_, query, _ := strings.Cut(strings.Join(p.segments, ""), "?")
	return p.form == automaton.FormA || !strings.ContainsAny(query, ":/?@!'(),;")
}

// beginsInside reports whether a segment may begin within FormA's escape of a raw byte.
func beginsInside(segment string, from sender) bool {
	for u := range escaped {
		written := spellings()[automaton.FormA][0][u]
		if len(written) < 2 || u.sender() < from {
			continue
		}
		for _, end := range []string{written[1:], written[2:]} {
			if strings.HasPrefix(segment, end) || strings.HasPrefix(end, segment) {
				return true
			}
		}
	}
	return false
}

// hasOdd reports whether a segment contains a byte that URLs must escape, half an escape, or the
// escape of a byte that URLs never need to escape.
func hasOdd(segment string) bool {
	for i, c := range []byte(segment) {
		if strings.IndexByte(odd, c) >= 0 && (c != '%' || !isEscape(segment[i:]) || isUnreserved(unescape(segment[i:]))) {
			return true
		}
	}
	return false
}

// unescape returns the byte of the escape at the beginning of a text.
func unescape(s string) byte {
	c, _ := strconv.ParseUint(s[1:3], 16, 8)
	return byte(c)
}

// isEscape reports whether a text begins with an escape in the form of units.
func isEscape(s string) bool {
	return len(s) > 2 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

// isHex reports whether c is a digit in the escapes of units.
func isHex(c byte) bool { return '0' <= c && c <= '9' || 'A' <= c && c <= 'F' }

// plain returns the beginning of the pattern that is the same in all forms.
func (p *pattern) plain() string {
	s := p.segments[0]
	s = s[:plain.Canonical([]byte(s))]
	if at := strings.IndexByte(s, '?'); at >= 0 {
		s = s[:at]
	}
	return s
}

// start returns the state before the path.
func (p *pattern) start() state { return p.reached(0, 0) }

// reached returns the state after some bytes of a segment.
func (p *pattern) reached(segment int, bytes state) state {
	switch whole := int(bytes) == len(p.segments[segment]); {
	case whole && segment+1 < len(p.segments):
		return p.reached(segment+1, 0)
	case whole && !p.atEnd:
		return p.matched
	}
	return p.first[segment] + bytes
}

// atItsEnd reports whether a path that leads to a state matches if it ends there.
func (p *pattern) atItsEnd(s state) bool {
	return s == p.matched || p.atEnd && s == p.matched-1
}

// step returns the state after one more byte of a path in the pattern's form.
func (p *pattern) step(s state, c byte) state {
	if s >= p.matched {
		return s
	}
	i := int(p.in[s])
	segment, first := p.segments[i], p.first[i]
	for k := s - first; ; k = p.border[first+k] {
		switch {
		case int(k) < len(segment) && segment[k] == c:
			return p.reached(i, k+1)
		case i == 0:
			return p.dead
		case k == 0:
			return first
		}
	}
}

func (p *pattern) after(s state, u unit) state {
	for _, c := range []byte(p.spelling[p.part(s)][u]) {
		s = p.step(s, c)
	}
	return s
}

// part returns 1 for a state in the query of the path, if that matters, otherwise 0. The '?' of a
// pattern in FormB is in its first segment, so the state determines the result.
func (p *pattern) part(s state) int {
	if p.form == automaton.FormB && s >= p.query {
		return 1
	}
	return 0
}

func (p *pattern) from(s state) *moves {
	m := &p.moves[s]
	if *m == nil {
		*m = p.make(s)
	}
	return *m
}

func (p *pattern) make(s state) *moves {
	i := int(p.in[s])
	segment, written := p.segments[i], &p.spelling[p.part(s)]
	m, may := &moves{other: p.otherwise(s)}, [256]bool{} // bytes that may lead elsewhere
	if i > 0 {
		for _, c := range []byte(segment) {
			may[c] = true
		}
	} else if int(s) < len(segment) {
		may[segment[s]] = true
	}
	for u := range units {
		w := written[u]
		if w == "" || !may[w[0]] && (i == 0 || len(w) == 1 || !may[w[1]] && !may[w[2]]) {
			continue
		}
		if to := p.after(s, u); to != m.other {
			m.list = append(m.list, move{u, to})
		}
	}
	return m
}

func (m *moves) to(u unit) state {
	for _, x := range m.list {
		if x.unit == u {
			return x.to
		}
	}
	return m.other
}

// measure sets lengths: for each state the minimum number of bytes that a path needs to match.
func (p *pattern) measure() {
	if p.lengths != nil {
		return
	}
	p.lengths = slices.Repeat([]int32{never}, len(p.moves))
	p.lengths[p.matched] = 0
	if p.form == automaton.FormRaw { // the length of the pattern
		left := 0
		for i, segment := range slices.Backward(p.segments) {
			for k := range len(segment) + 1 {
				p.lengths[int(p.first[i])+len(segment)-k] = int32(left + k)
			}
			left += len(segment)
		}
		return
	}
	for changed := true; changed; {
		changed = false
		for s := p.matched - 1; s >= 0; s-- {
			if least := p.least(s); least < p.lengths[s] {
				p.lengths[s], changed = least, true
			}
		}
	}
}

// atLeast returns a lower bound for the length of matching paths.
func (p *pattern) atLeast() (n int) {
	for _, s := range p.segments {
		n += len(s)
		if p.form != automaton.FormRaw {
			n -= 2 * strings.Count(s, "%") // an escape may stand for one byte of the path
		}
	}
	return n
}

// covers reports whether the pattern matches every path that another pattern matches. That is the
// case if it matches when the gaps and the end of the other are filled with bytes that occur in no
// pattern, because none of its segments can lie in these bytes. Patterns in different forms aren't
// compared.
func (p *pattern) covers(o *pattern) bool {
	if p.form != o.form || p.atEnd && !o.atEnd {
		return p == o
	}
	at := p.start()
	for i, segment := range o.segments {
		if i > 0 {
			at = p.otherwise(at)
		}
		for k := 0; k < len(segment) && at < p.matched; k++ {
			at = p.step(at, segment[k])
		}
	}
	if !o.atEnd {
		at = p.otherwise(at)
	}
	return p.atItsEnd(at)
}

// otherwise returns the state after a byte that occurs in no pattern.
func (p *pattern) otherwise(s state) state {
	switch {
	case s >= p.matched:
		return s
	case p.in[s] == 0:
		return p.dead
	}
	return p.first[p.in[s]]
}

func (p *pattern) matches(path string) bool {
	at := p.start()
	for i := 0; i < len(path); i++ {
		u := unit(path[i])
		if isEscape(path[i:]) {
			u, i = escaped+unit(unescape(path[i:])), i+2
		}
		at = p.after(at, u)
	}
	return p.atItsEnd(at)
}

// never is the length of a state from which no path matches.
const never = math.MaxInt32 / 2

// least returns the length of a state, given the lengths of the following states.
func (p *pattern) least(s state) int32 {
	if p.atItsEnd(s) {
		return 0
	}
	m := p.from(s)
	least := 1 + p.lengths[m.other]
	for _, x := range m.list {
		least = min(least, x.unit.length()+p.lengths[x.to])
	}
	return least
}
