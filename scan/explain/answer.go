package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/reading"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Answer is the verdict on one URL for one agent, with its reasons. Its texts are raw
// bytes of the files: escape them before printing (Rewrite).
type Answer struct {
	URL     string `json:"url"`
	Agent   string `json:"agent"`
	Dialect string `json:"dialect"`
	Allowed bool   `json:"allowed"`
	// Unknown means that there is no verdict: the archive does not have the robots.txt of
	// the URL's origin.
	Unknown bool   `json:"unknown"`
	Line    int    `json:"line"` // of the rule that decided; 0 if none did
	Rule    string `json:"rule"` // "" if none decided
	// the groups that bind the agent; none for an archive, which does not store them
	Groups   []AgentLines `json:"groups"`
	WhyGroup string       `json:"why_group"` // why these groups bind it
	WhyRule  string       `json:"why_rule"`  // why this rule decided
	// Contested names another verdict, and the reading that gives it, if it is unknown how the
	// agent reads robots.txt (reading.UnknownReadings); "" if all readings agree.
	Contested string `json:"contested"`
	// Exempt says why the agent does not apply robots.txt; "" if it does.
	Exempt string `json:"exempt"`
}

// Rewrite returns a copy of the answer in which write was called once for each text.
func (a Answer) Rewrite(write report.Rewriter) Answer {
	write.Texts(&a.URL, &a.Agent, &a.Dialect, &a.Rule, &a.WhyGroup, &a.WhyRule, &a.Contested, &a.Exempt)
	rewriteAgents(&a.Groups, write)
	return a
}

func rewriteAgents(groups *[]AgentLines, write report.Rewriter) {
	report.Each(groups, func(g *AgentLines) { write.Lists(&g.Agents) })
}

// Verdict is "allowed", "disallowed" or "unknown".
func (a Answer) Verdict() string {
	switch {
	case a.Unknown:
		return "unknown"
	case a.Allowed:
		return "allowed"
	}
	return "disallowed"
}

// AgentLines are the user-agent lines of one group; an Answer has the first hundred of them, and
// then a text that counts the rest.
type AgentLines struct {
	Line   int      `json:"line"` // the number of the first
	Agents []string `json:"agents"`
}

// Agent is a crawler with its way of reading robots.txt.
type Agent struct {
	reading.Subject // without readings: Dialect stands for them
	Name            string
	Dialect         automaton.Dialect
	Stated          bool       // it is known or given how the agent reads robots.txt
	Others          [][]string // product tokens of other crawlers that share its header
	Exempt          string     // why robots.txt does not apply to its requests; "" if it does
}

// AgentOf returns a claim's crawler as an agent that reads robots.txt in a dialect, or in its own way if that is nil.
func AgentOf(claim crawler.Claim, dialect *automaton.Dialect) Agent {
	a := Agent{Name: claim.Name, Subject: reading.Subject{Tokens: claim.Tokens()}}
	if p := claim.Profile; p != nil {
		a.Name, a.Exempt, a.IgnoresWildcard, a.Others = p.Name, p.Exempt, p.IgnoresWildcard, p.Also
		// crawler.Read has checked the syntax.
		a.Dialect, _ = automaton.ParseDialect(cmp.Or(p.Dialect, automaton.RFC9309.String()))
		a.Stated = p.Dialect != ""
	}
	if dialect != nil {
		a.Dialect, a.Stated = *dialect, true
	}
	return a
}

// Asked is an agent with the rules that bind it. It is not safe for concurrent use.
type Asked struct {
	Agent
	Machine  *automaton.Machine
	Groups   []AgentLines
	WhyGroup string

	scratch automaton.Scratch
	robots  *compile.Robots // nil for rules without a text
	// others are the agent in the further readings that it may have, none if its own is known.
	others []otherReading
}

// otherReading is an agent in a reading that not all parsers share.
type otherReading struct {
	reader string
	*Asked
}

// readers name the parsers with the readings of reading.UnknownReadings.
var readers = map[reading.Reading]string{
	reading.ReadRFC9309:      "RFC 9309",
	reading.ReadGoogleWide:   "Google's parser",
	reading.ReadRFC9309Ended: "a parser that ends a group's user-agent lines at any other line",
	reading.ReadGoogleEnded:  "a parser like Google's that ends a group's user-agent lines at any other line",
}

// Ask finds the groups of a robots.txt that bind an agent, in each reading that it may have.
func (f *File) Ask(agent Agent) *Asked {
	a := newAsked(f.Compile(reading.Reading(agent.Dialect)), agent)
	if agent.Stated {
		return a
	}
	known := map[automaton.Dialect]*compile.Robots{agent.Dialect: a.robots}
	for _, r := range reading.UnknownReadings()[1:] {
		agent.Dialect = r.Dialect()
		if same := known[agent.Dialect]; same != nil && !same.SplitRuns {
			continue // to end runs of user-agent lines makes no difference
		}
		other := newAsked(f.Compile(r), agent)
		known[agent.Dialect] = other.robots
		a.others = append(a.others, otherReading{readers[r], other})
	}
	return a
}

// newAsked finds the groups of a robots.txt that bind an agent.
func newAsked(robots *compile.Robots, agent Agent) *Asked {
	c := &Asked{Agent: agent, robots: robots, Groups: []AgentLines{}}
	m, token := agent.Bound(robots.Ruleset)
	c.Machine = m
	all := strings.Join(agent.Tokens, " or ")
	switch {
	case token != "" && token == agent.Tokens[0]:
		c.WhyGroup = "a group names " + token
	case token != "":
		c.WhyGroup = fmt.Sprintf("no group names %s, so the group for %s binds it", agent.Tokens[0], token)
	case m != nil && all == "*":
		c.WhyGroup = "the groups for * were asked for"
	case m != nil:
		c.WhyGroup = fmt.Sprintf("no group names %s, so * binds it", all)
	case robots.Ruleset.Wildcard() != nil:
		c.WhyGroup = fmt.Sprintf("no group names %s, and groups for * do not bind it", all)
	default:
		c.WhyGroup = fmt.Sprintf("no group names %s, and none is for *", all)
	}
	const most = 1000
	bound := robots.GroupsOf(m)
	names := func(a compile.AgentLine) bool { return strings.EqualFold(a.Token, token) }
	isNamed := func(i int) bool { return slices.ContainsFunc(robots.Groups[i].Agents, names) }
	if agent.Dialect == automaton.Original && token != "" && !slices.ContainsFunc(bound, isNamed) {
		c.WhyGroup = "a group names a part of " + token
	}
	for _, i := range bound[:min(most, len(bound))] {
		c.Groups = append(c.Groups, agentLines(robots.Groups[i]))
	}
	if more := len(bound) - most; more > 0 {
		c.WhyGroup += fmt.Sprintf(", and so do %s that are not listed", english.Plural(int64(more), "group"))
	}
	return c
}

func agentLines(g compile.Group) AgentLines {
	const most = 100
	lines := AgentLines{Line: g.Agents[0].Line}
	for _, a := range g.Agents[:min(most, len(g.Agents))] {
		lines.Agents = append(lines.Agents, shortText(a.Value))
	}
	if more := len(g.Agents) - most; more > 0 {
		lines.Agents = append(lines.Agents, "... and "+english.Grouped(int64(more))+" more")
	}
	return lines
}

// Answer judges a URL, or a path.
func (c *Asked) Answer(url string) Answer {
	a, path := c.Begin(url)
	c.Decide(&a, c.Machine, path)
	if !c.Dialect.Exempts(path) {
		a.Contested = c.contested(a.Allowed, url)
	}
	return a
}

// Begin returns an answer about a URL without a verdict, and the path that rules are matched with, until the next call.
func (c *Asked) Begin(url string) (Answer, []byte) {
	return Answer{URL: url, Agent: c.Name, Dialect: c.Dialect.String(), Exempt: c.Exempt, Groups: c.Groups,
		WhyGroup: c.WhyGroup}, c.Dialect.TargetPath(&c.scratch, []byte(url))
}

// Decide completes an answer by the rules of a machine.
func (c *Asked) Decide(a *Answer, m *automaton.Machine, path []byte) {
	v := m.Match(&c.scratch, path)
	a.Allowed, a.Line = v.Allowed(), int(v.Line)
	a.Rule, a.WhyRule = c.why(m, path, v)
}

// contested returns the first differing verdict of the other readings.
func (c *Asked) contested(allowed bool, url string) string {
	for _, r := range c.others {
		other := r.Answer(url)
		switch {
		case other.Allowed == allowed:
		case other.Line > 0:
			return fmt.Sprintf("%s would say %s, by line %d: %s", r.reader, other.Verdict(), other.Line, other.Rule)
		default:
			return r.reader + " would say " + other.Verdict()
		}
	}
	return ""
}

// why returns the rule that decided, and compares it with the next one that matches.
func (c *Asked) why(m *automaton.Machine, path []byte, v automaton.Verdict) (rule, why string) {
	if v.Line == 0 {
		if c.Dialect.Exempts(path) {
			return "", "robots.txt itself is always allowed"
		}
		return "", "no rule matches"
	}
	var rules []compile.Match
	if c.robots != nil {
		rules = c.robots.Matches(m, &c.scratch, path)
	} else {
		rules = compile.Matching(m, &c.scratch, path)
	}
	rule = shortText(rules[0].String())
	if len(rules) < 2 {
		return rule, "the only rule that matches"
	}
	next := fmt.Sprintf("line %d: %s", rules[1].Line, shortText(rules[1].String()))
	switch {
	case c.Dialect.FirstMatchDecides():
		return rule, "the first rule in the file that matches; next is " + next
	case rules[0].RankedBy > rules[1].RankedBy:
		return rule, fmt.Sprintf("the longest of %d patterns that match, %s; next is %s, %d",
			len(rules), english.Plural(int64(rules[0].RankedBy), "octet"), next, rules[1].RankedBy)
	case rules[0].Allow != rules[1].Allow:
		return rule, "as long as " + next + "; of equally long patterns, the one that allows wins"
	default:
		return rule, "the first of equally long patterns that match; next is " + next
	}
}
