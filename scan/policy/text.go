package policy

import (
	"github.com/robotsieve/robotsieve/compile"
)

// Robots returns the robots.txt of one of an origin's versions, or of what it
// redirects to, as compiled for a reading; nil if the version has no body. A body is
// compiled once for each reading, when that reading is first needed.
func (p *Policy) Robots(origin, version int32, r Reading) *compile.Robots {
	h := p.histories[origin]
	c := h.versions[version].Copy
	if c < 0 {
		return nil
	}
	return h.copies[c].body.robots(r)
}

// RuleText returns the rule on a line of one of an origin's versions, as
// compile.Rule.String writes it; "" if the line has no rule. Every dialect that takes
// the line for a rule reads the same text in it, but not every dialect does.
func (p *Policy) RuleText(origin, version int32, line int) string {
	for _, r := range []Reading{ReadRFC9309, ReadGoogle, ReadOriginal} {
		robots := p.Robots(origin, version, r)
		if robots == nil {
			break
		}
		if rule, ok := robots.Rule(line); ok {
			return rule.String()
		}
	}
	return ""
}
