package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// agent is a crawler that --agent names.
type agent struct {
	name    string         // as its operator writes it, if it is known
	subject policy.Subject // without readings: there is one dialect
	dialect automaton.Dialect
	exempt  string // why robots.txt does not apply to its requests, if it does not
}

// agentFlags are the flags that say who would ask.
type agentFlags struct{ name, crawlers *string }

func addAgentFlags(cmd *cobra.Command, usage string) agentFlags {
	f := agentFlags{cmd.Flags().String("agent", "", usage), crawlersFlag(cmd)}
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents)
	return f
}

// find returns the known crawler of the name given; if there is none, the name is
// its product token. It reads robots.txt by the dialect override; if that is nil,
// in its own way, which is RFC 9309's where nobody knows. It warns of a name that cannot
// be a product token.
func (f agentFlags) find(s streams, override *automaton.Dialect) (agent, error) {
	name := *f.name
	set, err := job.Crawlers(*f.crawlers)
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
	// The dialect original does search whole headers.
	if a.dialect != automaton.Original && strings.ContainsAny(name, " (;") {
		s.warn("--agent %q looks like a User-Agent header; what robots.txt has groups for are product tokens, such as GPTBot", name)
	}
	return a, nil
}
