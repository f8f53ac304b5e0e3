package policy

import "github.com/robotsieve/robotsieve/automaton"

// Subject is a crawler as robots.txt sees it.
type Subject struct {
	// Tokens are its product tokens, the preferred first.
	Tokens []string
	// IgnoresWildcard says that groups for * do not bind it.
	IgnoresWildcard bool
	// Readings are how it may read robots.txt: one if that is known (Known), two
	// if a rule counts only where both agree (Unknown).
	Readings []Reading
}

// Unknown are the readings for a crawler of which nothing is known but that it is
// not Google's: what counts is what Google's parser and RFC 9309 agree on.
func Unknown() []Reading { return []Reading{ReadRFC9309, ReadGoogleWide} }

// Known are the readings for a crawler that reads, or is to be read, by dialect
// d. By Google's dialect others than Google's crawlers are read with their whole
// names: a group for MJ12bot is not one for MJ.
func Known(d automaton.Dialect, googles bool) []Reading {
	switch {
	case d == automaton.Google && googles:
		return []Reading{ReadGoogle}
	case d == automaton.Google:
		return []Reading{ReadGoogleWide}
	case d == automaton.Original:
		return []Reading{ReadOriginal}
	default:
		return []Reading{ReadRFC9309}
	}
}

// Machine finds what binds the crawler by one ruleset: the groups for the first of
// its tokens that has any, else those for *, unless it ignores these; nil if
// nothing does. Readings play no part.
func (s Subject) Machine(rules *automaton.Ruleset) *automaton.Machine {
	m, _ := s.Bound(rules)
	return m
}

// Bound is Machine, and the token by which it was found; that is empty for the groups
// for *, and where nothing binds the crawler.
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
