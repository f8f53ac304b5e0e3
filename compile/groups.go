package compile

import (
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
)

// Group is a run of user-agent lines and the rules under it. In the dialect
// original it is a record.
type Group struct {
	Agents []Agent
	Rules  []Rule
}

// Agent is one user-agent line.
type Agent struct {
	Line  int
	Value string // as in the file, trimmed
	// Token is what the dialect makes of the value, in lower case: the product
	// token, or for original the name before a slash. Empty where Wildcard is
	// true, and where the value names nobody.
	Token string
	// Wildcard says that the line is for every crawler.
	Wildcard bool
}

// few is room for the groups and agents of most files.
const few = 4

// parser is the state between lines.
type parser struct {
	o      Options
	robots *Robots
	limit  int  // where the body ends for us
	more   bool // there is something past the limit that was not even copied
	line   int  // 1-based number of the line being read
	open   bool // the last group may be given more agents
	inside bool // rules belong to the last group
	nul    bool // there is a NUL in the body

	// What lies behind the last closed group in the arrays of agents and rules. All
	// groups share these, since most are of a line or two.
	agents  []Agent
	rules   []Rule
	tokens  text   // those that are not in lower case in the body
	counted bool   // room for rules has been made
	rest    string // what follows the line being read
}

// blankLine ends a record of the dialect original. For the others it is nothing.
func (p *parser) blankLine() {
	if p.o.Dialect == automaton.Original {
		p.open, p.inside = false, false
	}
}

// agent adds a user-agent line to the group that is open, or opens one.
func (p *parser) agent(value string) {
	if !p.open {
		p.closeGroup()
		if p.robots.Groups == nil {
			p.robots.Groups = make([]Group, 0, few)
		}
		p.robots.Groups = append(p.robots.Groups, Group{Agents: p.agents, Rules: p.rules})
		p.open, p.inside = true, true
	}
	g := p.group()
	if cap(g.Agents) == 0 {
		g.Agents = make([]Agent, 0, few)
	}
	a := Agent{Line: p.line, Value: value}
	a.Token, a.Wildcard = p.token(value)
	if a.Token == "" && !a.Wildcard {
		p.note(NoteNoToken, value)
	}
	g.Agents = append(g.Agents, a)
}

// closeGroup ends the last group. What its arrays have left is for the next.
func (p *parser) closeGroup() {
	if len(p.robots.Groups) == 0 {
		return
	}
	g := p.group()
	p.agents, g.Agents = g.Agents[len(g.Agents):], slices.Clip(g.Agents)
	p.rules, g.Rules = g.Rules[len(g.Rules):], slices.Clip(g.Rules)
}

// group is the group that lines are added to.
func (p *parser) group() *Group { return &p.robots.Groups[len(p.robots.Groups)-1] }

// rule adds a rule to the group. Also a rule that means nothing closes the
// group's list of agents.
func (p *parser) rule(allow bool, value string) {
	if !p.inside {
		p.note(NoteOutsideGroup, value)
		return
	}
	p.open = false
	g := p.group()
	if cap(g.Rules) == 0 {
		g.Rules = p.roomForRules()
	}
	g.Rules = append(g.Rules, Rule{Line: p.line, Allow: allow, Value: value})
	p.compilePattern(&g.Rules[len(g.Rules)-1])
}

// roomForRules returns room for the rules to come, where the first is met: one on
// each line, and one in 24 bytes: 1,220 real files have 38 bytes a rule. Where that
// is not enough the array grows.
func (p *parser) roomForRules() []Rule {
	if p.counted {
		return nil
	}
	p.counted = true
	const usual = 24
	return make([]Rule, 0, 1+min(strings.Count(p.rest, "\n"), len(p.rest)/usual))
}

// token reads the value of a user-agent line.
func (p *parser) token(value string) (token string, wildcard bool) {
	switch p.o.Dialect {
	case automaton.Google:
		if strings.HasPrefix(value, "*") && (len(value) == 1 || isSpace(value[1])) {
			return "", true
		}
		if p.o.WideTokens {
			return p.tokens.lower(cutToken(value)), false
		}
		end := 0
		for end < len(value) && isGoogleToken(value[end]) {
			end++
		}
		return p.tokens.lower(value[:end]), false
	case automaton.RFC9309:
		if value == "*" {
			return "", true
		}
		return p.tokens.lower(cutToken(value)), false
	default:
		if value == "*" {
			return "", true
		}
		name, _, _ := cutAt(value, '/')
		// A name that has become "*" is neither the wildcard, which must be the
		// whole value, nor a name.
		if name = trim(name); name == "*" {
			return "", false
		}
		return p.tokens.lower(name), false
	}
}

// isGoogleToken tells what Google's parser takes for part of a product token.
func isGoogleToken(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '_'
}

func cutToken(value string) string { return value[:len(automaton.CutToken([]byte(value)))] }
