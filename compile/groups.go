package compile

import (
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

// parser is the state between lines.
type parser struct {
	o      Options
	robots *Robots
	limit  int  // where the body ends for us
	more   bool // there is something past the limit that was not even copied
	line   int  // 1-based number of the line being read
	open   bool // the last group may be given more agents
	inside bool // rules belong to the last group
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
		p.robots.Groups = append(p.robots.Groups, Group{})
		p.open, p.inside = true, true
	}
	a := Agent{Line: p.line, Value: value}
	a.Token, a.Wildcard = p.token(value)
	if a.Token == "" && !a.Wildcard {
		p.note(NoteNoToken, value)
	}
	g := p.group()
	g.Agents = append(g.Agents, a)
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
	r := Rule{Line: p.line, Allow: allow, Value: value}
	p.compilePattern(&r)
	g := p.group()
	g.Rules = append(g.Rules, r)
}

// token reads the value of a user-agent line.
func (p *parser) token(value string) (token string, wildcard bool) {
	switch p.o.Dialect {
	case automaton.Google:
		if strings.HasPrefix(value, "*") && (len(value) == 1 || strings.IndexByte(space, value[1]) >= 0) {
			return "", true
		}
		if p.o.WideTokens {
			return lowerASCII(cutToken(value)), false
		}
		end := strings.IndexFunc(value, func(c rune) bool {
			return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '_')
		})
		if end < 0 {
			end = len(value)
		}
		return lowerASCII(value[:end]), false
	case automaton.RFC9309:
		if value == "*" {
			return "", true
		}
		return lowerASCII(cutToken(value)), false
	default:
		if value == "*" {
			return "", true
		}
		name, _, _ := strings.Cut(value, "/")
		// A name that has become "*" is neither the wildcard, which must be the
		// whole value, nor a name.
		if name = strings.Trim(name, space); name == "*" {
			return "", false
		}
		return lowerASCII(name), false
	}
}

func cutToken(value string) string { return value[:len(automaton.CutToken([]byte(value)))] }

// lowerASCII lowers ASCII letters only, and leaves all other bytes as they are,
// also those that are not UTF-8.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}
