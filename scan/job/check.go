package job

import (
	"context"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// CheckOptions say by which robots.txt, and for whom, a Checker answers.
type CheckOptions struct {
	Agent    Agent
	Robots   RobotsFile
	Messages Messages
}

// Checker explains verdicts on URLs, one at a time. It belongs to one goroutine.
type Checker struct {
	agent    subject
	robots   *compile.Robots
	machine  *automaton.Machine
	groups   []AgentLines
	whyGroup string
	scratch  automaton.Scratch
	// google reads as Google's parser does. It is nil if CheckOptions name a dialect, or if
	// the agent is a known crawler of another dialect than RFC 9309's.
	google *Checker
}

// Answer is the verdict on one URL with its reasons. Texts from files are escaped
// for printing (audit.Printable).
type Answer struct {
	URL      string       `json:"url"`
	Agent    string       `json:"agent"`
	Dialect  string       `json:"dialect"`
	Allowed  bool         `json:"allowed"`
	Line     int          `json:"line"`      // of the rule that decided; 0 if none did
	Rule     string       `json:"rule"`      // "" if none decided
	Groups   []AgentLines `json:"groups"`    // the groups that bind the agent
	WhyGroup string       `json:"why_group"` // why these groups bind it
	WhyRule  string       `json:"why_rule"`  // why this rule decided
	// Contested is the other verdict of Google's parser, where it is not known how the
	// agent reads robots.txt; "" if the verdict is the same.
	Contested string `json:"contested"`
	// Exempt says why the agent does not apply robots.txt; "" if it does.
	Exempt string `json:"exempt"`
}

// Verdict is "allowed" or "disallowed".
func (a Answer) Verdict() string {
	if a.Allowed {
		return "allowed"
	}
	return "disallowed"
}

// AgentLines are the user-agent lines of one group.
type AgentLines struct {
	Line   int      `json:"line"` // the number of the first
	Agents []string `json:"agents"`
}

// NewChecker reads a robots.txt. An error is of type *Error.
func NewChecker(ctx context.Context, o CheckOptions) (*Checker, error) {
	if o.Robots.Name == "" {
		return nil, usageError("no robots.txt: name it with --robots FILE")
	}
	agent, err := o.Agent.find(o.Messages)
	if err != nil {
		return nil, err
	}
	robots, body, err := o.Robots.compile(ctx, compile.Options{Dialect: agent.dialect}, o.Messages)
	if err != nil {
		return nil, err
	}
	c := newChecker(robots, agent)
	if o.Agent.Dialect == nil && agent.dialect == automaton.RFC9309 {
		agent.dialect = automaton.Google
		c.google = newChecker(compile.Compile(body, compile.Options{
			Dialect: agent.dialect, MaxBytes: o.Robots.MaxBytes, WideTokens: true,
		}), agent)
	}
	return c, nil
}

// newChecker finds the groups that bind the agent.
func newChecker(robots *compile.Robots, agent subject) *Checker {
	c := &Checker{agent: agent, robots: robots, groups: []AgentLines{}}
	m, token := agent.Bound(robots.Ruleset)
	c.machine = m
	names := strings.Join(agent.Tokens, " or ")
	switch {
	case token != "" && token == agent.Tokens[0]:
		c.whyGroup = "a group names " + token
	case token != "":
		c.whyGroup = fmt.Sprintf("no group names %s, so the group for %s binds it", agent.Tokens[0], token)
	case m != nil:
		c.whyGroup = fmt.Sprintf("no group names %s, so * binds it", names)
	case robots.Ruleset.Wildcard() != nil:
		c.whyGroup = fmt.Sprintf("no group names %s, and groups for * do not bind it", names)
	default:
		c.whyGroup = fmt.Sprintf("no group names %s, and none is for *", names)
	}
	for _, i := range robots.Bound(m) {
		g := robots.Groups[i]
		lines := AgentLines{Line: g.Agents[0].Line}
		for _, a := range g.Agents {
			lines.Agents = append(lines.Agents, audit.Printable(a.Value))
		}
		c.groups = append(c.groups, lines)
	}
	return c
}

// Check judges a URL. Text that begins with a slash, also with two, is a path.
func (c *Checker) Check(url string) Answer {
	path := c.agent.dialect.TargetPath(&c.scratch, []byte(url))
	v := c.machine.Match(&c.scratch, path)
	a := Answer{
		URL: audit.Printable(url), Agent: audit.Printable(c.agent.name), Dialect: c.agent.dialect.String(), Allowed: v.Allowed(), Line: int(v.Line),
		Groups: c.groups, WhyGroup: audit.Printable(c.whyGroup), WhyRule: c.whyRule(path, v), Exempt: c.agent.exempt,
	}
	if rule, ok := c.robots.Rule(a.Line); ok {
		a.Rule = audit.Printable(rule.String())
	}
	if c.google != nil && !c.agent.dialect.Exempts(path) {
		if other := c.google.Check(url); other.Allowed != a.Allowed {
			a.Contested = "Google's parser would say " + other.Verdict()
			if other.Line > 0 {
				a.Contested += fmt.Sprintf(", by line %d: %s", other.Line, other.Rule)
			}
		}
	}
	return a
}

// whyRule compares the rule that decided with the next one that matches.
func (c *Checker) whyRule(path []byte, v automaton.Verdict) string {
	if v.Line == 0 {
		if c.agent.dialect.Exempts(path) {
			return "robots.txt itself is always allowed"
		}
		return "no rule matches"
	}
	rules := c.robots.Matches(c.machine, &c.scratch, path)
	if len(rules) < 2 {
		return "the only rule that matches"
	}
	next := fmt.Sprintf("line %d: %s", rules[1].Line, audit.Printable(rules[1].String()))
	switch {
	case compile.FirstMatchDecides(c.agent.dialect):
		return "the first rule in the file that matches; next is " + next
	case rules[0].Specificity > rules[1].Specificity:
		return fmt.Sprintf("the longest of %d patterns that match, %s; next is %s, %d",
			len(rules), english.Plural(int64(rules[0].Specificity), "octet"), next, rules[1].Specificity)
	case rules[0].Allow != rules[1].Allow:
		return "as long as " + next + "; of equally long patterns, the one that allows wins"
	default:
		return "the first of equally long patterns that match; next is " + next
	}
}
