package automaton

import (
	"errors"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Verdict is the answer about one path. The zero value is the answer where no rule matches:
// allowed.
type Verdict struct {
	// Line is the 1-based line of robots.txt with the rule that decided, 0 if none did. In
	// the dialect google it may be the line of an empty rule, which matches everything and
	// forbids nothing.
	Line uint32
	// Disallowed is true if the rule forbids the path.
	Disallowed bool
}

// Allowed is the opposite of Disallowed.
func (v Verdict) Allowed() bool { return !v.Disallowed }

// Rule is one rule as it is matched. Builder.Machine refuses rules that are not as the
// fields' comments say.
type Rule struct {
	// Rank orders the rules: of those that match, the one with the highest rank
	// decides. No two rules of a machine have one rank.
	Rank uint64
	// Pattern is compared with the start of the path. '*' stands for a gap of any bytes or
	// none, all other bytes for themselves. No gap follows another, and none is the last of
	// the pattern, since a pattern need not reach the end of the path. In FormDecoded there
	// are no gaps, and '*' is a byte like any other.
	Pattern string
	// Verdict is the answer where this rule decides. It has a line.
	Verdict Verdict

	prefix uint32 // octets before the first gap; Builder.Machine sets prefix and gaps

	// AtEnd says that a final $ of the pattern, which Pattern does not have, lets it match only
	// where the path ends.
	AtEnd bool
	// Form is the form in which the pattern is written, one of the dialect.
	Form Form
	gaps bool
}

// complete sets prefix and gaps, and checks the rule.
func (r *Rule) complete(d Dialect) error {
	if !d.uses(r.Form) {
		return errors.New("form is not of the dialect")
	}
	prefix, rest, gaps := r.Cut()
	if r.prefix, r.gaps = uint32(len(prefix)), gaps; gaps && table.HasEmptySegment(rest) {
		return errors.New("gap at the end of a pattern or behind another")
	}
	if r.Verdict.Line == 0 {
		return errors.New("rule without a line")
	}
	return nil
}

// uses reports whether rules of the dialect may be in a form.
func (d Dialect) uses(f Form) bool {
	form := d.row().form
	return f == form || f == FormB && form == FormA
}

// Cut returns the parts of the pattern before and after its first gap. gaps is false if it
// has no gap.
func (r *Rule) Cut() (prefix, rest string, gaps bool) {
	if r.Form == FormDecoded {
		return r.Pattern, "", false
	}
	at := strings.IndexByte(r.Pattern, '*')
	if at < 0 {
		return r.Pattern, "", false
	}
	return r.Pattern[:at], r.Pattern[at+1:], true
}

// Matches reports whether the rule matches a path that is in its form, for those who ask about few
// paths. A gap of the pattern may follow another.
func (r *Rule) Matches(path []byte) bool {
	prefix, rest, gaps := r.Cut()
	after, ok := strings.CutPrefix(view(path), prefix)
	if ok && gaps {
		return matchesRest(after, rest, r.AtEnd)
	}
	return ok && (!r.AtEnd || after == "")
}

// matchesAfter reports whether the rule matches a path in its form. The first bytes of the
// path, as many as seen, are known to be those of the pattern.
func (r *Rule) matchesAfter(path string, seen int) bool {
	n := int(r.prefix)
	if n > seen && (n > len(path) || path[seen:n] != r.Pattern[seen:n]) {
		return false
	}
	if r.gaps {
		return matchesRest(path[n:], r.Pattern[n+1:], r.AtEnd)
	}
	return !r.AtEnd || len(path) == n
}

// matchesRest reports whether the rest of a path has the segments after a gap. For each segment the
// leftmost place after the one before it is as good as any later place, since it leaves the
// most room for what follows; and the last one, if atEnd, can only lie at the end. So
// nothing is tried twice.
func matchesRest(path, rest string, atEnd bool) bool {
	for {
		// A segment longer than what is left of the path is not read to its end.
		segment, _, gaps := strings.Cut(rest[:min(len(rest), len(path)+1)], "*")
		switch {
		case !gaps && len(rest) > len(path):
			return false
		case !gaps && atEnd:
			return strings.HasSuffix(path, segment)
		case !gaps:
			table.Spend(len(path) / octetsAStep)
			return strings.Contains(path, segment)
		}
		at := strings.Index(path, segment)
		if at < 0 {
			return false
		}
		table.Spend(1 + at/octetsAStep)
		path, rest = path[at+len(segment):], rest[len(segment)+1:]
	}
}

// octetsAStep is how many bytes of a path a search for a segment takes a step for.
const octetsAStep = 16

// Semantics numbers what rules mean: how package compile reads a body (lines, fields, groups,
// product tokens, patterns, ranks) and how this package matches what is made of it. An archive
// holds the number, and a program with another one refuses the archive. The number is raised
// whenever any body, agent and URL may get another verdict or line than before, and also when a
// rule is compiled to other fields of Rule, even if the verdicts stay. It is not raised for what
// changes only speed, notes or texts. TestFixture of package archive fails when that is forgotten
// for the bodies of the fixture.
const Semantics = 1
