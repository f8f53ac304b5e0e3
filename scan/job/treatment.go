package job

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/compile/prove"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// Restriction is how much of a site is forbidden, /robots.txt aside.
type Restriction struct {
	// Class is full, partial or none, or undecided if the search for paths ended at its bound.
	Class string `json:"class"`
	// Forbidden is a shortest path that is forbidden, Allowed one that is allowed: of equally short
	// ones the first by bytes. They are "" if there is none, or none was found.
	Forbidden string `json:"forbidden"`
	Allowed   string `json:"allowed"`
}

// Treatment is what a robots.txt forbids some crawlers, which it treats equally.
type Treatment struct {
	Agents []string `json:"agents"` // "*" stands for all that are bound by the groups for *
	Restriction
}

// Difference is a path whose verdict for an agent is not what it was by an older robots.txt.
type Difference struct {
	Agent  string `json:"agent"`
	Change string `json:"change"` // what the path is now: forbidden or allowed
	Path   string `json:"path"`   // a shortest one
	// LineBefore and LineAfter are the lines of the rules that decide, RuleBefore and RuleAfter their
	// texts; 0 and "" where no rule matches.
	LineBefore int    `json:"line_before"`
	LineAfter  int    `json:"line_after"`
	RuleBefore string `json:"rule_before"`
	RuleAfter  string `json:"rule_after"`
}

// The values of Difference.Change.
const (
	NowForbidden = "forbidden"
	NowAllowed   = "allowed"
)

// robotsText is a robots.txt, and what was made of it.
type robotsText struct {
	file RobotsFile
	body []byte
	made map[policy.Reading]*compile.Robots
}

// compile compiles the robots.txt, once for each reading.
func (t *robotsText) compile(r policy.Reading) *compile.Robots {
	if t.made[r] == nil {
		if t.made == nil {
			t.made = map[policy.Reading]*compile.Robots{}
		}
		t.made[r] = compile.Compile(t.body, r.Options(t.file.MaxBytes))
	}
	return t.made[r]
}

// rulesOf returns the rules that bind a subject, those of the groups for *, and whether a group names
// the subject.
func (t *robotsText) rulesOf(s subject) (own, wildcard *automaton.Machine, named bool) {
	rules := t.compile(policy.Reading(s.dialect)).Ruleset
	own, token := s.Bound(rules)
	return own, rules.Wildcard(), token != ""
}

// The bounds of all searches for one table together, in steps of prove.Prover. One question takes at
// most a share of those that are left, so that a few hard ones leave enough for the others.
const (
	maxSearched = 20_000_000
	shareOfOne  = 8
	toBegin     = 1000 // steps that take as long as to begin a search, about
)

// searcher searches for paths within maxSearched. The zero value is ready for use.
type searcher struct {
	steps int // that were taken
	known map[*automaton.Machine]Restriction
}

// within asks a question of a prover that has the steps for it.
func (s *searcher) within(ask func(p *prove.Prover)) {
	given := max(0, maxSearched-s.steps) / shareOfOne
	p := &prove.Prover{Steps: given}
	ask(p)
	s.steps += given - p.Steps + toBegin
}

// restriction returns the Restriction of a machine.
func (s *searcher) restriction(m *automaton.Machine) Restriction {
	r, known := s.known[m]
	if known {
		return r
	}
	var found prove.Restriction
	s.within(func(p *prove.Prover) { found = p.Classify(m) })
	if s.known == nil {
		s.known = map[*automaton.Machine]Restriction{}
	}
	s.known[m] = Restriction{found.Class.String(), found.Forbidden.Path, found.Allowed.Path}
	return s.known[m]
}

// same reports whether it is proved that two machines have the same verdicts.
func (s *searcher) same(a, b *automaton.Machine) bool {
	x, y := s.restriction(a), s.restriction(b)
	switch {
	case x != y || x.Class == prove.Undecided.String():
		return false
	case x.Class != prove.Partial.String():
		return true
	}
	equal := false
	s.within(func(p *prove.Prover) {
		d, differ := p.Differ(a, b)
		equal = !differ && d.Forbidden.Decided && d.Allowed.Decided
	})
	return equal
}

// barredCategories are the categories of crawlers that the table of who is barred has: for search, for
// AI, of which most user-triggered ones are assistants and the first of those for research is CCBot,
// and for SEO.
var barredCategories = []string{"search", "ai-training", "ai-search", "user-triggered", "research", "seo"}

// barred returns how the robots.txt treats *, read by a dialect, and the crawlers of
// barredCategories that it names and treats otherwise, read in their own way unless read says how.
func (c *Checker) barred(by automaton.Dialect, read *automaton.Dialect, search *searcher) []Treatment {
	star := c.compile(policy.Reading(by)).Ruleset.Wildcard()
	table := []Treatment{{[]string{"*"}, search.restriction(star)}}
	machines := []*automaton.Machine{star} // of the first crawler of each row
	rows := map[rulesKey]int{}             // 0 for rules that say what those for * say
	profiles := c.known.Profiles()
	for i := range profiles {
		if !slices.Contains(barredCategories, profiles[i].Category) {
			continue
		}
		s := newSubject(crawler.Claim{Profile: &profiles[i]}, read)
		own, wildcard, named := c.rulesOf(s)
		if !named {
			continue
		}
		key := rulesKey{s.dialect, policy.RulesSum(own)}
		row, known := rows[key]
		if !known && !search.same(own, wildcard) {
			for row = 1; row < len(table) && !search.same(machines[row], own); row++ {
			}
			if row == len(table) {
				table, machines = append(table, Treatment{nil, search.restriction(own)}), append(machines, own)
			}
		}
		rows[key] = row
		if row > 0 {
			table[row].Agents = append(table[row].Agents, s.name)
		}
	}
	for _, row := range table {
		slices.SortFunc(row.Agents, func(x, y string) int { return cmp.Compare(strings.ToLower(x), strings.ToLower(y)) })
	}
	classes := []string{prove.Full.String(), prove.Partial.String(), prove.None.String()}
	slices.SortStableFunc(table[1:], func(x, y Treatment) int {
		return cmp.Compare(uint(slices.Index(classes, x.Class)), uint(slices.Index(classes, y.Class)))
	})
	return table
}

// rulesKey is equal for machines whose rules are the same but for their lines.
type rulesKey struct {
	dialect automaton.Dialect
	rules   [sha256.Size]byte
}

// compared returns whose treatments by two robots.txt are compared: the agents that were asked for
// or, if there are none, *, the known crawlers, and the further product tokens in either file.
func (c *Checker) compared(read *automaton.Dialect) (list []subject) {
	for _, a := range c.agents {
		list = append(list, a.subject)
	}
	if len(list) > 0 {
		return list
	}
	known := map[string]bool{}
	add := func(claim crawler.Claim) {
		s := newSubject(claim, read)
		if token := strings.ToLower(s.Tokens[0]); claim.Profile != nil || !known[token] {
			known[token] = true
			list = append(list, s)
		}
	}
	add(crawler.Claim{Name: "*"})
	profiles := c.known.Profiles()
	for i := range profiles {
		add(crawler.Claim{Profile: &profiles[i]})
	}
	for _, text := range []*robotsText{c.against, &c.robotsText} {
		for _, g := range text.compile(policy.Reading(list[0].dialect)).Groups {
			for _, a := range g.Agents {
				if a.Token != "" {
					add(crawler.Claim{Name: a.Value[:len(a.Token)]})
				}
			}
		}
	}
	return list
}

// comparison is what was found between the rules that bind a crawler and older ones.
type comparison struct {
	differences []Difference // without their agents
	decided     bool         // there are no others of their kind
}

// differences compares the robots.txt with the older one. It returns the differences, and those
// agents for which it is not decided whether there are more. Crawlers that are bound by the groups
// for * in both files are only named where those are not treated as * is.
func (c *Checker) differences(read *automaton.Dialect, search *searcher) (list []Difference, undecided []string) {
	known := map[[2]*automaton.Machine]comparison{}
	var star comparison
	for i, s := range c.compared(read) {
		before, _, wasNamed := c.against.rulesOf(s)
		after, _, isNamed := c.rulesOf(s)
		key := [2]*automaton.Machine{before, after}
		found, done := known[key]
		if !done {
			found = c.compare(s.dialect, before, after, search)
			known[key] = found
		}
		switch {
		case len(c.agents) > 0:
		case i == 0:
			star = found
		case !wasNamed && !isNamed && found.decided == star.decided &&
			slices.EqualFunc(found.differences, star.differences, sameChange):
			continue
		}
		for _, d := range found.differences {
			d.Agent = s.name
			list = append(list, d)
		}
		if !found.decided {
			undecided = append(undecided, s.name)
		}
	}
	return list, undecided
}

// sameChange reports whether the same path changed in the same way.
func sameChange(x, y Difference) bool { return x.Change == y.Change && x.Path == y.Path }

// compare searches for a path of each change.
func (c *Checker) compare(d automaton.Dialect, before, after *automaton.Machine, search *searcher) comparison {
	found := comparison{decided: true}
	if policy.RulesSum(before) == policy.RulesSum(after) {
		return found
	}
	old, now := c.against.compile(policy.Reading(d)), c.compile(policy.Reading(d))
	var between prove.Difference
	search.within(func(p *prove.Prover) { between, _ = p.Differ(before, after) })
	changes := []string{NowForbidden, NowAllowed}
	for i, a := range []prove.Answer{between.Forbidden, between.Allowed} {
		found.decided = found.decided && a.Decided
		if a.Path != "" {
			x := Difference{Change: changes[i], Path: a.Path}
			x.LineBefore, x.RuleBefore = ruleOn(old, before, a.Path)
			x.LineAfter, x.RuleAfter = ruleOn(now, after, a.Path)
			found.differences = append(found.differences, x)
		}
	}
	return found
}

// ruleOn returns the line that decides on a path, and the text of the rule on it.
func ruleOn(robots *compile.Robots, m *automaton.Machine, path string) (int, string) {
	var scratch automaton.Scratch
	line := int(m.Match(&scratch, []byte(path)).Line)
	rule, found := robots.Rule(line)
	if !found {
		return line, ""
	}
	return line, (&describer{}).text(rule.String())
}
