package automaton

import (
	"errors"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Verdict is the answer for one path. The zero value means allowed because no rule matches.
type Verdict struct {
	// Line is the 1-based line of the deciding rule in robots.txt, or 0 if no rule matches. In dialect
	// Google it may be the line of an empty rule, which matches everything and forbids nothing.
	Line uint32
	// Disallowed is true if the rule forbids the path.
	Disallowed bool
}

// Allowed is the opposite of Disallowed.
func (v Verdict) Allowed() bool { return !v.Disallowed }

// Rule is one rule in the form in which it is matched. Builder.Machine rejects rules that break the
// requirements of its fields.
type Rule struct {
	// Rank orders the rules: of all rules that match, the one with the highest rank decides. Ranks are
	// unique within a machine.
	Rank uint64
	// Pattern is compared with the start of the path. '*' is a gap, which matches any number of bytes;
	// all other bytes match themselves. Gaps must not be adjacent or at the end, where they would be
	// redundant: a pattern need not reach the end of the path. In FormDecoded '*' is a byte like any
	// other.
	Pattern string
	// Verdict is the answer if this rule decides. Its Line must be set.
	Verdict Verdict

	prefix uint32 // octets before the first gap; Builder.Machine sets prefix and gaps

	// AtEnd means that the pattern ended with $, which Pattern omits: the rule matches only up to the
	// end of the path.
	AtEnd bool
	// Form is the form in which Pattern is written. It must be one that the dialect uses.
	Form Form
	gaps bool
}

// complete sets prefix and gaps, and validates the rule.
func (r *Rule) complete(d Dialect) error {
	if !d.uses(r.Form) {
		return errors.New("form is not of the dialect")
	}
	prefix, rest, gaps := r.Cut()
	r.prefix, r.gaps = uint32(len(prefix)), gaps
	if gaps && table.HasEmptySegment(rest) {
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

// Cut returns the parts of the pattern before and after its first gap. gaps reports whether it has
// one.
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

// Matches reports whether the rule matches a path in the rule's form. It is for occasional queries,
// and accepts patterns with adjacent gaps.
func (r *Rule) Matches(path []byte) bool {
	prefix, rest, gaps := r.Cut()
	after, ok := strings.CutPrefix(view(path), prefix)
	if ok && gaps {
		return matchesRest(after, rest, r.AtEnd)
	}
	return ok && (!r.AtEnd || after == "")
}

// matchesAfter reports whether the rule matches a path in its form, whose first seen bytes are
// known to equal the pattern's.
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

// matchesRest reports whether the rest of a path contains the segments after a gap in order. Taking
// the leftmost match of each segment is always right, since it leaves the most bytes for the
// segments that follow; with atEnd the last segment must be a suffix. So there is no backtracking.
func matchesRest(path, rest string, atEnd bool) bool {
	for {
		// Do not read a segment that is longer than the rest of the path to its end.
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

// octetsAStep is how many bytes a segment search covers per step.
const octetsAStep = 16

// Semantics is the version of the meaning of rules: how package compile reads a body (lines,
// fields, groups, product tokens, patterns, ranks) and how this package matches the result.
// Archives store it, and programs with another version reject them. It must be raised whenever the
// verdict or line for any body, agent and URL changes, and whenever a rule is compiled to different
// fields of Rule. Changes of speed, notes or texts do not count. TestFixture in package archive
// fails if that is forgotten for its bodies.
const Semantics = 1
