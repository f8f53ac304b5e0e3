package main

import (
	"cmp"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// agent is a crawler that --agent names.
type agent struct {
	name    string         // as its operator writes it, if it is known
	subject policy.Subject // without readings: there is one dialect
	dialect automaton.Dialect
	exempt  string // why robots.txt does not apply to its requests, if it does not
}

// findAgent returns the known crawler of that name; if there is none, the name is
// its product token. It reads robots.txt by the dialect override; if that is nil,
// in its own way, which is RFC 9309's where nobody knows.
func findAgent(name string, override *automaton.Dialect) (agent, error) {
	set, err := knownCrawlers("")
	if err != nil {
		return agent{}, err
	}
	a := agent{name: name, subject: policy.Subject{Tokens: []string{name}}}
	if p := set.ByName(name); p != nil {
		a.name, a.exempt = p.Name, p.Exempt
		a.subject = policy.Subject{Tokens: p.Tokens, IgnoresWildcard: p.IgnoresWildcard}
		// What Read has checked parses; no dialect stands for rfc9309.
		a.dialect, _ = automaton.ParseDialect(cmp.Or(p.Dialect, automaton.RFC9309.String()))
	}
	if override != nil {
		a.dialect = *override
	}
	return a, nil
}
