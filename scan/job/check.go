package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// CheckOptions say by which robots.txt, and for whom, a Checker answers. Either Robots or
// Archive is given.
type CheckOptions struct {
	Agents   []Agent // may be none for Describe
	Robots   RobotsFile
	Archive  string // name of a file, made by Compile, that holds the rules of each origin
	AsOf     string // as FilterOptions.AsOf
	Messages Messages
	// Against is an older robots.txt, with which Describe compares Robots; its Name is "" for none.
	Against RobotsFile
	// Crawlers is a file as Agent.Crawlers has it, of the crawlers that Describe knows.
	Crawlers string
	// Crossings is as lint.Options has it.
	Crossings bool
	// Sitemaps are files with the URLs of the site's own sitemaps, in any form of lists, of which Describe
	// says whether the robots.txt forbids them.
	Sitemaps []string
}

// Checker explains verdicts on URLs, one at a time. It belongs to one goroutine.
type Checker struct {
	robotsText
	against  *robotsText // an older robots.txt; nil for none
	crawlers string      // the file of the crawlers that Describe knows
	sitemaps []string
	crossing bool         // as CheckOptions.Crossings
	known    *crawler.Set // these, set by Describe
	agents   []*checked
	release  []func() error // of archives
	warn     func()         // of the oddities of the file, once
	at       int64          // the instant whose rules of an archive judge, in Unix seconds
}

// Answer is the verdict on one URL for one agent, with its reasons. Its texts have the
// bytes of the files: escape them before printing (report.Texts).
type Answer struct {
	URL     string `json:"url"`
	Agent   string `json:"agent"`
	Dialect string `json:"dialect"`
	Allowed bool   `json:"allowed"`
	// Unknown says that there is no verdict: the archive does not tell the robots.txt of
	// the URL's origin.
	Unknown bool   `json:"unknown"`
	Line    int    `json:"line"` // of the rule that decided; 0 if none did
	Rule    string `json:"rule"` // "" if none decided
	// the groups that bind the agent; none for an archive, which does not have them
	Groups   []AgentLines `json:"groups"`
	WhyGroup string       `json:"why_group"` // why these groups bind it
	WhyRule  string       `json:"why_rule"`  // why this rule decided
	// Contested is another verdict, and which reading gives it, where it is not known how the
	// agent reads robots.txt (policy.UnknownReadings); "" if all give the same.
	Contested string `json:"contested"`
	// Exempt says why the agent does not apply robots.txt; "" if it does.
	Exempt string `json:"exempt"`
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

// AgentLines are the user-agent lines of one group; in an Answer the first hundred of them, and
// then a text that counts the others.
type AgentLines struct {
	Line   int      `json:"line"` // the number of the first
	Agents []string `json:"agents"`
}

// NewChecker reads a robots.txt or opens an archive. An error is of type *Error. Close the
// checker after use.
func NewChecker(ctx context.Context, o CheckOptions) (*Checker, error) {
	agents, err := o.subjects()
	if err != nil {
		return nil, err
	}
	return newChecker(ctx, o, agents)
}

// newChecker is NewChecker with the agents looked up.
func newChecker(ctx context.Context, o CheckOptions, agents []subject) (*Checker, error) {
	switch {
	case o.Robots.Name == "" && o.Archive == "":
		return nil, usageError("no rules: option Robots or option Archive is needed")
	case o.Robots.Name != "" && o.Archive != "":
		return nil, usageError("option Robots and option Archive cannot be given together")
	case o.Archive == "" && o.AsOf != "":
		return nil, usageError("option AsOf chooses a version of option Archive")
	case o.Archive != "" && len(agents) == 0:
		return nil, errNoAgent
	case o.Archive != "":
		return newArchiveChecker(ctx, o, agents)
	}
	body, err := o.Robots.Read(ctx)
	if err != nil {
		return nil, err
	}
	c := newBodyChecker(o, body, agents)
	if o.Against.Name != "" {
		c.against = &robotsText{file: o.Against}
		if c.against.body, err = o.Against.Read(ctx); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// subjects looks the agents up.
func (o *CheckOptions) subjects() ([]subject, error) {
	var list []subject
	for _, a := range o.Agents {
		agent, err := a.find(o.Messages)
		if err != nil {
			return nil, err
		}
		list = append(list, agent)
	}
	return list, nil
}

// newBodyChecker returns a Checker by the body of a robots.txt, whose name and limit are those of
// o.Robots.
func newBodyChecker(o CheckOptions, body []byte, agents []subject) *Checker {
	c := &Checker{robotsText: robotsText{file: o.Robots, body: body}, crawlers: o.Crawlers, sitemaps: o.Sitemaps,
		crossing: o.Crossings}
	c.warn = sync.OnceFunc(func() {
		for _, w := range Oddities(c.compile(policy.ReadRFC9309), body, o.Robots.Name) {
			o.Messages.warn("%s", w)
		}
	})
	for _, agent := range agents {
		x := newChecked(c.compile(policy.Reading(agent.dialect)), agent)
		agent.warnOfOthers(x.robots.Ruleset, o.Messages)
		if !agent.stated {
			known := map[automaton.Dialect]*compile.Robots{agent.dialect: x.robots}
			for _, r := range policy.UnknownReadings()[1:] {
				agent.dialect = r.Dialect()
				if same := known[agent.dialect]; same != nil && !same.SplitRuns {
					continue // to end runs of user-agent lines makes no difference
				}
				other := newChecked(c.compile(r), agent)
				known[agent.dialect] = other.robots
				x.others = append(x.others, otherReading{readers[r], other})
			}
		}
		c.agents = append(c.agents, x)
	}
	return c
}

// newArchiveChecker returns a Checker by o.Archive.
func newArchiveChecker(ctx context.Context, o CheckOptions, agents []subject) (*Checker, error) {
	c := &Checker{robotsText: robotsText{file: o.Robots}}
	var err error
	if c.at, err = asOf(o.AsOf, time.Now()); err != nil {
		return nil, err
	}
	for _, agent := range agents {
		rules, err := openRules(ctx, o.Archive, agent)
		if err != nil {
			_ = c.Close()
			return nil, err
		}
		agent.warnOfOthers(nil, o.Messages)
		c.release = append(c.release, rules.mapped.Close)
		c.agents = append(c.agents, &checked{subject: agent, archive: rules})
	}
	return c, nil
}

// Close releases the archive.
func (c *Checker) Close() error {
	var errs []error
	for _, release := range c.release {
		errs = append(errs, release())
	}
	return errors.Join(errs...)
}

// checked is an agent with the rules that bind it.
type checked struct {
	subject
	scratch automaton.Scratch
	archive *archived // nil for a robots.txt; else the rest is not set

	robots   *compile.Robots
	machine  *automaton.Machine
	groups   []AgentLines
	whyGroup string
	// others are the agent by the further readings that it may have, none if that is known.
	others []otherReading
}

// otherReading is an agent by a reading that not all parsers have.
type otherReading struct {
	reader string
	*checked
}

// readers say who has the readings of policy.UnknownReadings.
var readers = map[policy.Reading]string{
	policy.ReadRFC9309:      "RFC 9309",
	policy.ReadGoogleWide:   "Google's parser",
	policy.ReadRFC9309Ended: "a parser that ends a group's user-agent lines at any other line",
	policy.ReadGoogleEnded:  "a parser like Google's that ends a group's user-agent lines at any other line",
}

// newChecked finds the groups of a robots.txt that bind an agent.
func newChecked(robots *compile.Robots, agent subject) *checked {
	c := &checked{subject: agent, robots: robots, groups: []AgentLines{}}
	m, token := agent.Bound(robots.Ruleset)
	c.machine = m
	all := strings.Join(agent.Tokens, " or ")
	switch {
	case token != "" && token == agent.Tokens[0]:
		c.whyGroup = "a group names " + token
	case token != "":
		c.whyGroup = fmt.Sprintf("no group names %s, so the group for %s binds it", agent.Tokens[0], token)
	case m != nil && all == "*":
		c.whyGroup = "the groups for * were asked for"
	case m != nil:
		c.whyGroup = fmt.Sprintf("no group names %s, so * binds it", all)
	case robots.Ruleset.Wildcard() != nil:
		c.whyGroup = fmt.Sprintf("no group names %s, and groups for * do not bind it", all)
	default:
		c.whyGroup = fmt.Sprintf("no group names %s, and none is for *", all)
	}
	const most = 1000
	bound := robots.GroupsOf(m)
	names := func(a compile.AgentLine) bool { return strings.EqualFold(a.Token, token) }
	isNamed := func(i int) bool { return slices.ContainsFunc(robots.Groups[i].Agents, names) }
	if agent.dialect == automaton.Original && token != "" && !slices.ContainsFunc(bound, isNamed) {
		c.whyGroup = "a group names a part of " + token
	}
	for _, i := range bound[:min(most, len(bound))] {
		c.groups = append(c.groups, agentLines(robots.Groups[i]))
	}
	if more := len(bound) - most; more > 0 {
		c.whyGroup += fmt.Sprintf(", and so do %s that are not listed", english.Plural(int64(more), "group"))
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

// Check judges a URL for each agent, in their order. Text that begins with a slash, also
// with two, is a path. Text that is neither a URL nor a path is an error, and so is a path
// without an origin for an archive.
func (c *Checker) Check(url string) ([]Answer, error) { return c.checkAt(url, c.at) }

// checkAt is Check by the rules of an instant, in Unix seconds, where the archive has dates.
func (c *Checker) checkAt(url string, at int64) ([]Answer, error) {
	var o origin.Origin // of a path it is not known
	_, isURL := origin.Prefix([]byte(url))
	switch isPath := strings.HasPrefix(url, "/"); {
	case !isPath && !isURL:
		return nil, usageError("%q is neither a URL, such as https://example.com/a, nor a path, which begins with a slash",
			url)
	case isPath && len(c.release) > 0:
		return nil, usageError("%q is a path: an archive has the rules of many origins, so it needs a URL", url)
	case isURL:
		var err error
		if o, err = origin.Of([]byte(url)); err != nil {
			return nil, usageError("%q: %w", url, err)
		}
	}
	if c.warn != nil {
		c.warn()
	}
	var list []Answer
	for _, agent := range c.agents {
		a, err := agent.check(url, o, at)
		if err != nil {
			return list, err
		}
		list = append(list, a)
	}
	return list, nil
}

// check judges a URL of an origin, by the rules of an instant where an archive has dates.
func (c *checked) check(url string, o origin.Origin, at int64) (a Answer, err error) {
	if c.archive == nil {
		return c.judge(url, o, at)
	}
	err = c.archive.mapped.Use(func() (err error) {
		a, err = c.judge(url, o, at)
		return err
	})
	if errors.Is(err, disk.ErrChanged) {
		err = inputError(err)
	}
	return a, err
}

// judge is check for rules that do not change.
func (c *checked) judge(url string, o origin.Origin, at int64) (Answer, error) {
	path := c.dialect.TargetPath(&c.scratch, []byte(url))
	a := Answer{
		URL: url, Agent: c.name, Dialect: c.dialect.String(), Exempt: c.exempt,
		Groups: c.groups, WhyGroup: c.whyGroup,
	}
	m := c.machine
	if c.archive != nil {
		var err error
		if m, err = c.find(&a, filter.Query{Origin: o, At: at}, path); err != nil || a.WhyRule != "" {
			return a, err
		}
	}
	v := m.Match(&c.scratch, path)
	a.Allowed, a.Line = v.Allowed(), int(v.Line)
	a.Rule, a.WhyRule = c.why(m, path, v)
	if !c.dialect.Exempts(path) {
		a.Contested = c.contested(a.Allowed, url, o, at)
	}
	return a, nil
}

// contested returns the first verdict of the other readings that is not the one given.
func (c *checked) contested(allowed bool, url string, o origin.Origin, at int64) string {
	for _, r := range c.others {
		other, _ := r.check(url, o, at) // which fails with archives only
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

const whyUnreachable = "robots.txt is unreachable, so everything is forbidden (RFC 9309 2.3.1.4)"

// find returns the rules of an origin that bind the agent. If the archive has no rules of
// it, find completes the answer.
func (c *checked) find(a *Answer, q filter.Query, path []byte) (*automaton.Machine, error) {
	a.Groups = []AgentLines{}
	var bound [1]filter.Rules
	_, found, err := c.archive.Find(q, bound[:])
	rules := bound[0]
	switch {
	case err != nil:
		return nil, inputError(err)
	case !found:
		a.Unknown, a.WhyRule = true, "the archive does not have the robots.txt of "+q.Origin.String()+", or only a "+
			"redirect to a URL that it does not have"
	case rules.Unreachable && string(path) != answer.RobotsPath:
		a.WhyRule = whyUnreachable
	}
	return rules.Machine, nil
}

// why returns the rule that decided, and compares it with the next one that matches.
func (c *checked) why(m *automaton.Machine, path []byte, v automaton.Verdict) (rule, why string) {
	if v.Line == 0 {
		if c.dialect.Exempts(path) {
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
	case c.dialect.FirstMatchDecides():
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
