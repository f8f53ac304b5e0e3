package explain

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/preference"
)

// signals returns the preferences for the agent.
func (c *Asked) signals(all []preference.Crawlers) []preference.Statement {
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

// StatementTexts writes preferences, those of a signal and line together.
func StatementTexts(list []preference.Statement) (texts []string) {
	for i, s := range list {
		alike := func(x preference.Statement) bool { return x.Signal == s.Signal && slices.Equal(x.Lines, s.Lines) }
		if slices.ContainsFunc(list[:i], alike) {
			continue
		}
		var parts []string
		for _, x := range list {
			if alike(x) {
				parts = append(parts, statementText(x))
			}
		}
		text := s.Signal + ": " + english.List(parts)
		if len(s.Lines) > 0 {
			text += " (" + LinesOf(s.Lines) + ")"
		}
		texts = append(texts, text)
	}
	return texts
}

// statementText writes a preference without its signal.
func statementText(s preference.Statement) string {
	words := []string{s.Use}
	if s.Signal == preference.ControlToken || s.Use == "" {
		words = nil
	}
	if s.Path != "" {
		words = append(words, "for", s.Path)
	}
	return strings.Join(append(words, s.Value), " ")
}
