package automaton

import (
	"errors"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
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

// Rule is one rule as it is matched.
type Rule struct {
	// Rank orders the rules: of those that match, the one with the highest rank
	// decides. No two rules of a machine have one rank.
	Rank uint64
	// Pattern is what the path must look like: octets that stand for themselves,
	// the first of them at the start of the path, and '*' for a gap of any
	// octets or none. No gap follows another, and none is the last of the
	// pattern, since a pattern need not reach the end of the path. In FormDecoded
	// there are no gaps, and '*' is an octet like any other.
	Pattern string
	// Verdict is the answer where this rule decides.
	Verdict Verdict

	// Set by New: how many octets come before the first gap, and below whether there
	// is one. The order of all fields is one without holes: it saves eight bytes a
	// rule.
	prefix uint32

	// Anchored says that the pattern ends where the path ends.
	Anchored bool
	// Form is the spelling in which the pattern is written.
	Form Form
	gaps bool
}

// Errors of New, wrapped with the index of the rule.
var (
	errEmptySegment = errors.New("gap at the end of a pattern or behind another")
	errForm         = errors.New("form is not of the dialect")
	errLine         = errors.New("rule without a line")
	errRank         = errors.New("rank is not below that of the rule before")
)

// complete sets what New sets, and checks the rule.
func (r *Rule) complete(d Dialect) error {
	if !d.uses(r.Form) {
		return errForm
	}
	prefix, rest, gaps := r.Cut()
	if r.prefix, r.gaps = uint32(len(prefix)), gaps; gaps && table.HasEmptySegment(rest) {
		return errEmptySegment
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

// Cut returns the octets before the pattern's first gap, and what follows that
// gap. gaps is false if there is none.
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

// isWhole tells whether the rule matches whatever follows its prefix, on every spelling
// that is compared with more than rules in FormB.
func (r *Rule) isWhole() bool { return !r.gaps && !r.Anchored && r.Form != FormB }

// isEmpty tells whether the rule is that of an empty pattern. It matches every
// path, and has the lowest rank of all.
func (r *Rule) isEmpty() bool { return r.Pattern == "" && !r.Anchored }

// matchesAfter tells whether the rule matches a path in its form, of which the
// first octets, as many as seen, are known to be those of the pattern or more. It
// is what all tables must agree with.
func (r *Rule) matchesAfter(path string, seen int) bool {
	n := int(r.prefix)
	if n > seen && (n > len(path) || path[seen:n] != r.Pattern[seen:n]) {
		return false
	}
	if r.gaps {
		return matchesRest(path[n:], r.Pattern[n+1:], r.Anchored)
	}
	return !r.Anchored || len(path) == n
}

// matchesRest tells whether a path goes on with what follows a gap. For each
// segment the leftmost place after the one before it is as good as any later
// place, since it leaves the most room for what follows; and the last one, if
// anchored, can only lie at the end. So nothing ever backs up.
func matchesRest(path, rest string, anchored bool) bool {
	for {
		segment, more, gaps := strings.Cut(rest, "*")
		if !gaps {
			if anchored {
				return strings.HasSuffix(path, segment)
			}
			return strings.Contains(path, segment)
		}
		at := strings.Index(path, segment)
		if at < 0 {
			return false
		}
		path, rest = path[at+len(segment):], more
	}
}
