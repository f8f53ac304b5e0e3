package explain

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/preference"
)

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
	parts, places := map[[2]string][]string{}, [][2]string(nil)
	for _, s := range list {
		place := [2]string{s.Signal}
		if len(s.Lines) > 0 {
			place[1] = " (" + LinesOf(s.Lines) + ")"
		}
		if parts[place] == nil {
			places = append(places, place)
		}
		parts[place] = append(parts[place], statementText(s))
	}
	for _, place := range places {
		texts = append(texts, place[0]+": "+english.List(parts[place])+place[1])
	}
	return texts
}

// statementText writes a preference without its signal.
func statementText(s preference.Statement) string {
	use := s.Use
	if s.Signal == preference.ControlToken {
		use = ""
	}
	if s.Path != "" {
		use += " for " + s.Path
	}
	return strings.TrimSpace(use + " " + s.Value)
}
