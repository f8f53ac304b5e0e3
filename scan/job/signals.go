package job

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/preference"
)

// signals returns the preferences that the robots.txt states.
func (c *Checker) signals() []preference.Crawlers {
	list, _ := preference.Read(c.compile(policy.ReadRFC9309))
	return list
}

// signals returns the preferences for the agent.
func (c *checked) signals(all []preference.Crawlers) []preference.Statement {
	_, token := c.Bound(c.robots.Ruleset)
	isNamed := func(name string) bool { return strings.EqualFold(name, token) || token == "" && name == "*" }
	list := []preference.Statement{}
	for _, p := range all {
		if len(p.Agents) == 0 || slices.ContainsFunc(p.Agents, isNamed) {
			list = append(list, p.Statements...)
		}
	}
	return list
}

// signals cuts the texts of preferences, and counts them.
func (d *describer) signals(p preference.Crawlers) preference.Crawlers {
	p.Agents, p.Statements = slices.Clone(p.Agents), slices.Clone(p.Statements)
	for i := range p.Agents {
		p.Agents[i] = d.text(p.Agents[i])
	}
	for i := range p.Statements {
		s := &p.Statements[i]
		s.Path, s.Value = d.text(s.Path), d.text(s.Value)
	}
	return p
}
