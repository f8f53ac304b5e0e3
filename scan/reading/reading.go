// Package reading lists the ways in which crawlers read a robots.txt, and finds the groups that bind them.
package reading

import (
	"encoding/binary"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// Reading is a way in which a crawler reads a copy: a dialect, by its number, or one of those
// below.
type Reading uint8

const (
	// ReadRFC9309, ReadGoogle and ReadOriginal are dialects.
	ReadRFC9309  = Reading(automaton.RFC9309)
	ReadGoogle   = Reading(automaton.Google)
	ReadOriginal = Reading(automaton.Original)
	// ReadGoogleWide is ReadGoogle with product tokens read as in
	// ReadRFC9309: Google's rules for other operators' crawlers, some of
	// which have names that Google's parser truncates.
	ReadGoogleWide = Reading(automaton.NumDialects)
	// ReadRFC9309Ended and ReadGoogleEnded are ReadRFC9309 and ReadGoogleWide with each run of
	// user-agent lines ended by any other record, as in most parsers.
	ReadRFC9309Ended = ReadGoogleWide + 1
	ReadGoogleEnded  = ReadGoogleWide + 2

	// Readings is how many readings there are.
	Readings = ReadGoogleEnded + 1
)

// Whole returns the reading in which other records don't end runs of user-agent lines.
func (r Reading) Whole() Reading {
	switch r {
	case ReadRFC9309Ended:
		return ReadRFC9309
	case ReadGoogleEnded:
		return ReadGoogleWide
	}
	return r
}

// EndsRuns reports whether the reading ends each run of user-agent lines at any other record.
func (r Reading) EndsRuns() bool { return r != r.Whole() }

// Dialect returns the dialect of the reading.
func (r Reading) Dialect() automaton.Dialect {
	r = r.Whole()
	if r == ReadGoogleWide {
		return automaton.Google
	}
	return automaton.Dialect(r)
}

// Options returns the options for compiling a body in the reading, up to maxBytes as in compile.Options.
func (r Reading) Options(maxBytes int) compile.Options {
	return compile.Options{Dialect: r.Dialect(), MaxBytes: maxBytes, WideTokens: r.Whole() == ReadGoogleWide,
		EndRuns: r.EndsRuns()}
}

// UnknownReadings returns the readings for a crawler that is not Google's and has an
// unknown parser: a rule counts where Google's parser and RFC 9309 agree on it, whether or
// not another record ends a run of user-agent lines.
func UnknownReadings() []Reading {
	return []Reading{ReadRFC9309, ReadGoogleWide, ReadRFC9309Ended, ReadGoogleEnded}
}

// ReadingsOf returns the readings for a crawler that reads robots.txt by dialect d.
// googles means that it is one of Google's own; the names of all other crawlers are
// compared whole, even in Google's dialect: a group for MJ12bot is not one for MJ.
func ReadingsOf(d automaton.Dialect, googles bool) []Reading {
	if d == automaton.Google && !googles {
		return []Reading{ReadGoogleWide}
	}
	return []Reading{Reading(d)}
}

// Subject is a crawler as robots.txt sees it.
type Subject struct {
	// Tokens are its product tokens, the preferred first.
	Tokens []string
	// Also are the tokens of further crawlers that send the same header, as Tokens are. A
	// copy permits or forbids a request only if it does so to all of them.
	Also [][]string
	// Perhaps are further tokens of groups that may apply to the crawler (Policy.TokensIn):
	// a copy permits or forbids a request only if it does so with and without such a group.
	Perhaps []string
	// IgnoresWildcard means that groups for * do not bind it.
	IgnoresWildcard bool
	// Readings are how it may read robots.txt: one if that is known (ReadingsOf), several
	// if a rule counts only where they all agree (UnknownReadings).
	Readings []Reading
}

// Machine returns the rules of one ruleset that bind the crawler: the groups for the
// first of its tokens that has any, else those for *, unless it ignores these; nil if
// none bind it. Readings play no part.
func (s Subject) Machine(rules *automaton.Ruleset) *automaton.Machine {
	m, _ := s.Bound(rules)
	return m
}

// Bound returns the result of Machine and the token that named its groups: "" for the
// groups for *, and if no rules bind the crawler.
func (s Subject) Bound(rules *automaton.Ruleset) (m *automaton.Machine, token string) {
	for _, token := range s.Tokens {
		if m, named := rules.Named([]byte(token)); named {
			return m, token
		}
	}
	if s.IgnoresWildcard {
		return nil, ""
	}
	return rules.Wildcard(), ""
}

// Agent returns the crawler as a file binds it: by the groups of its first token that the file names, or those
// for *. If no rules bind it, it is the zero Agent.
func (s Subject) Agent(robots *compile.Robots) compile.Agent {
	for _, token := range s.Tokens {
		if a := robots.Agent(token); a.Named() {
			return a
		}
	}
	if s.IgnoresWildcard {
		return compile.Agent{}
	}
	return robots.Agent("*")
}

// RulesOf returns the rules of a machine, which may be nil, without line numbers, each list in the order
// of its ranks, with the length before each list and pattern. Two machines of one dialect have the same bytes only if
// they agree on every path.
func RulesOf(m *automaton.Machine) (b []byte) {
	lists := m.Lists()
	b = binary.AppendUvarint(b, uint64(len(lists)))
	for _, rules := range lists {
		b = binary.AppendUvarint(b, uint64(len(rules)))
		for i := range rules {
			r := &rules[i]
			flags := uint64(r.Form) << 2
			if r.AtEnd {
				flags |= 1
			}
			if r.Verdict.Disallowed {
				flags |= 2
			}
			b = binary.AppendUvarint(b, flags)
			if len(lists) > 1 {
				b = binary.AppendUvarint(b, r.Rank) // the lists outrank each other
			}
			b = binary.AppendUvarint(b, uint64(len(r.Pattern)))
			b = append(b, r.Pattern...)
		}
	}
	return b
}
