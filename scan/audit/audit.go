// Package audit gives every request of a crawler one of nine verdicts and counts
// them.
//
// Its law is that nothing is said which the log does not prove, and that what is
// said depends on the set of lines alone: not on their order, nor on how many
// workers read them. Each worker fills a Tally of its own; tallies merge; a
// Report is made of the last one.
//
// The way of a line: Worker.Chunk cuts it off (worker.go), the format takes it
// apart, the claim of its User-Agent is looked up in a memo (claims.go), and a
// crawler's request is settled by the copy of robots.txt (settle.go) and counted
// (tally.go).
package audit

import (
	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Config says what to judge, and by what. It is not changed once New has it.
type Config struct {
	Crawlers *crawler.Set
	Policy   *policy.Policy
	// Dialect, if not nil, is the dialect by which all crawlers are judged.
	// Otherwise it is each crawler's own.
	Dialect *automaton.Dialect
	// Samples is how many raw lines of violations to keep for each crawler, 0 or
	// more.
	Samples int
}

// Auditor judges logs. It is immutable and safe for any number of goroutines.
type Auditor struct {
	config Config
}

// New returns an auditor.
func New(c Config) *Auditor { return &Auditor{config: c} }

// subject returns a crawler as robots.txt sees it.
func (a *Auditor) subject(c crawler.Claim) policy.Subject {
	s := policy.Subject{Tokens: c.Tokens(), Readings: policy.Unknown()}
	googles := false
	if p := c.Profile; p != nil {
		s.IgnoresWildcard = p.IgnoresWildcard
		if d, err := automaton.ParseDialect(p.Dialect); err == nil {
			googles = d == automaton.Google
			s.Readings = policy.Known(d, googles)
		}
	}
	if d := a.config.Dialect; d != nil {
		s.Readings = policy.Known(*d, googles)
	}
	return s
}
