// Package policy holds the copies of robots.txt by which requests are judged, and
// judges one request by one copy.
package policy

import (
	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// Reading is a way of reading a copy for a crawler.
type Reading uint8

const (
	// ReadRFC9309, ReadGoogle and ReadOriginal are the three dialects.
	ReadRFC9309 Reading = iota
	ReadGoogle
	ReadOriginal
	// ReadGoogleWide is ReadGoogle with the product tokens of robots.txt read as
	// ReadRFC9309 reads them: Google's rules for crawlers of others, some of
	// which have names that Google's parser cuts short.
	ReadGoogleWide
	readings
)

// Dialect returns the dialect of the reading.
func (r Reading) Dialect() automaton.Dialect {
	switch r {
	case ReadGoogle, ReadGoogleWide:
		return automaton.Google
	case ReadOriginal:
		return automaton.Original
	default:
		return automaton.RFC9309
	}
}

// Read makes the ruleset of a body in a reading. It is given to this package, so
// that the package need not know how robots.txt is compiled.
type Read func(r Reading, body []byte) *automaton.Ruleset

// Policy is one robots.txt, taken as in force throughout. It is immutable and
// safe for any number of goroutines.
type Policy struct {
	origins  []origin.Origin
	rulesets [readings]*automaton.Ruleset
	// agree says that the groups for * agree in the two readings for crawlers of
	// which nothing is known: most of them are bound by these.
	agree bool
}

// Constant makes the policy of one body that is in force at all times on the
// given origins, or, if there are none, wherever a request went.
func Constant(body []byte, origins []origin.Origin, read Read) *Policy {
	p := &Policy{origins: origins}
	for r := range readings {
		p.rulesets[r] = read(r, body)
	}
	p.agree = p.rulesets[ReadRFC9309].Wildcard().Agrees(p.rulesets[ReadGoogleWide].Wildcard())
	return p
}

// Origins returns the origins of the policy, not to be changed; none if it is
// for all.
func (p *Policy) Origins() []origin.Origin { return p.origins }

// AnyOrigin is the index of no origin in particular.
const AnyOrigin = -1

// Find returns the index in Origins of the one that o is. Where o has no port or
// no scheme, any will do; if several do, or the policy is for all origins, it is
// none in particular: AnyOrigin.
func (p *Policy) Find(o origin.Origin) (index int, ok bool) {
	if len(p.origins) == 0 {
		return AnyOrigin, true
	}
	for i, known := range p.origins {
		if o.Host == known.Host && (o.Port == 0 || o.Port == known.Port) &&
			(o.Scheme == "" || o.Scheme == known.Scheme) {
			if ok {
				return AnyOrigin, true
			}
			index, ok = i, true
		}
	}
	return index, ok
}

// Names tells whether robots.txt has a group for a product token.
func (p *Policy) Names(token string) bool {
	_, named := p.rulesets[ReadRFC9309].Named([]byte(token))
	return named
}
