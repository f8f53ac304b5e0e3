package automaton

import (
	"errors"
	"fmt"
	"slices"
)

// Verdict is the answer about one path. The zero value is RFC 9309's answer
// where nothing is said: allowed, and no rule decided.
type Verdict struct {
	// Line is the 1-based line of robots.txt with the rule that decided, 0 if
	// none did. Google's reading may report the line of an empty rule, which
	// matches everything and forbids nothing.
	Line uint32
	// Disallowed is true if the rule forbids the path.
	Disallowed bool
}

// Allowed is the opposite of Disallowed.
func (v Verdict) Allowed() bool { return !v.Disallowed }

// Scratch is what a match needs to write to: the spellings of one path. The
// zero value is ready for use; its buffers grow to the longest path that they
// have seen and are then reused. A Scratch belongs to one goroutine at a time
// and serves any number of machines, one after the other.
type Scratch struct {
	a, b, path []byte
	canonical  bool
}

// Canonical tells whether the path of the last match was canonical
// (IsCanonical), if that was a match by the dialect RFC9309 and not of
// /robots.txt.
func (s *Scratch) Canonical() bool { return s.canonical }

// Rule is one rule as it is matched.
type Rule struct {
	// Rank orders the rules of a machine that Join makes: of those that match,
	// the one with the highest rank decides. In the list that New is given rank
	// is the order of the list, and this field may be left 0 if the machine is
	// never joined.
	Rank uint64
	// Segments are the literal bytes between the pattern's wildcards. The first
	// stands at the start of the path and may be empty; each further one is not
	// empty and lies anywhere after the end of the one before it.
	Segments []string
	// Anchored says that the last segment ends where the path ends. A pattern
	// that ends in a wildcard is the same with and without it.
	Anchored bool
	// Form is the spelling in which the segments are written.
	Form Form
	// Verdict is the answer where this rule decides.
	Verdict Verdict
}

// Machine answers for the rules that bind one crawler on one origin. It is
// immutable and safe for any number of goroutines. The nil Machine has no rules
// and allows everything.
type Machine struct {
	dialect Dialect
	hasB    bool // a rule is in FormB
	parts   []part
}

// part is a list of rules, the highest rank first. Machines that Join has made of
// the same groups share their parts, so that the machines of a robots.txt are
// together no larger than it, however its groups are entangled.
type part struct {
	rules []Rule
	needs []octetSet // of each rule: what its segments are made of
}

// Errors of New, wrapped with the index of the rule.
var (
	errNoSegment    = errors.New("rule without a segment")
	errEmptySegment = errors.New("empty segment after a wildcard")
	errForm         = errors.New("form is not of the dialect")
	errLine         = errors.New("rule without a line")
	errRank         = errors.New("rank is not below that of the rule before")
)

// New makes a machine of rules in the order of their rank, the one that
// outranks all others first. The rules are copied, their segments are not. It
// refuses rules that no compiler would make; see Rule for what holds of them.
func New(d Dialect, rules []Rule) (*Machine, error) {
	m := &Machine{dialect: d}
	p := part{rules: slices.Clone(rules), needs: make([]octetSet, len(rules))}
	for i := range p.rules {
		r := &p.rules[i]
		if err := r.check(d); err != nil {
			return nil, fmt.Errorf("automaton: rule %d: %w", i, err)
		}
		m.hasB = m.hasB || r.Form == FormB
		for _, segment := range r.Segments {
			p.needs[i] |= octetSetOf(segment)
		}
	}
	if len(rules) > 0 {
		m.parts = []part{p}
	}
	return m, nil
}

// Join makes one machine of several of a dialect, which answers as one with all
// their rules would, in the order of their ranks. It shares their rules instead
// of copying them. It refuses machines whose rules do not have descending ranks.
func Join(d Dialect, machines ...*Machine) (*Machine, error) {
	joined := &Machine{dialect: d}
	for i, m := range machines {
		if m.dialect != d {
			return nil, fmt.Errorf("automaton: machine %d: %w", i, errDialect)
		}
		joined.hasB = joined.hasB || m.hasB
		joined.parts = append(joined.parts, m.parts...)
	}
	for _, p := range joined.parts {
		for i := 1; i < len(p.rules); i++ {
			if p.rules[i].Rank >= p.rules[i-1].Rank {
				return nil, fmt.Errorf("automaton: rule %d: %w", i, errRank)
			}
		}
	}
	return joined, nil
}

func (r *Rule) check(d Dialect) error {
	if len(r.Segments) == 0 {
		return errNoSegment
	}
	if slices.Contains(r.Segments[1:], "") {
		return errEmptySegment
	}
	if !d.uses(r.Form) {
		return errForm
	}
	if r.Verdict.Line == 0 {
		return errLine
	}
	return nil
}

func (d Dialect) uses(f Form) bool {
	switch d {
	case Google:
		return f == FormRaw
	case RFC9309:
		return f == FormA || f == FormB
	case Original:
		return f == FormDecoded
	}
	return false
}

// Dialect returns the dialect by which the machine's rules were read, RFC9309
// of the nil Machine.
func (m *Machine) Dialect() Dialect {
	if m == nil {
		return RFC9309
	}
	return m.dialect
}

// Len returns the number of rules.
func (m *Machine) Len() int {
	if m == nil {
		return 0
	}
	n := 0
	for _, p := range m.parts {
		n += len(p.rules)
	}
	return n
}

// Agrees tells whether two machines, of whatever dialects, are certain to
// forbid the same paths by the same lines as long as the path is canonical
// (IsCanonical) and is not /robots.txt, about which the dialects differ. It may
// say no of machines that agree all the same. The audit asks it once for each
// crawler, so that judging by two dialects costs no more than by one.
func (m *Machine) Agrees(o *Machine) bool {
	mine, others := m.deciding(), o.deciding()
	return slices.EqualFunc(mine, others, func(p, q []Rule) bool {
		return slices.EqualFunc(p, q, func(x, y Rule) bool {
			return x.Anchored == y.Anchored && x.Verdict == y.Verdict && slices.Equal(x.Segments, y.Segments) &&
				(len(mine) == 1 || x.Rank == y.Rank)
		})
	})
}

// deciding returns the rules of each part that has any, without those at its end
// which change nothing but the line of a verdict that allows: all that allow, if
// no other part has rules that they might outrank, else those for every path.
func (m *Machine) deciding() (lists [][]Rule) {
	if m == nil {
		return nil
	}
	for _, p := range m.parts {
		rules := p.rules
		for n := len(rules) - 1; n >= 0 && rules[n].Verdict.Allowed() && (len(m.parts) == 1 || rules[n].isEmpty()); n-- {
			rules = rules[:n]
		}
		if len(rules) > 0 {
			lists = append(lists, rules)
		}
	}
	return lists
}

// isEmpty tells whether the rule is that of an empty pattern. It matches every
// path, and has the lowest rank of all.
func (r *Rule) isEmpty() bool { return len(r.Segments) == 1 && r.Segments[0] == "" && !r.Anchored }
