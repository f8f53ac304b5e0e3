package explain

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/compile/prove"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/reading"
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

// Treatment is what a robots.txt forbids to some crawlers that it treats equally.
type Treatment struct {
	Agents []string `json:"agents"` // "*" stands for all crawlers bound by the groups for *
	// Reading names the parsers that read the groups for * like this, if not all do; "" for crawlers with a known reading,
	// and for the first row, which is in the dialect of the file.
	Reading string `json:"reading"`
	Restriction
	machine *automaton.Machine // of the first
}

// Difference is a path with another verdict for an agent than in an older robots.txt.
type Difference struct {
	Agent  string `json:"agent"`
	Change string `json:"change"` // the verdict on the path now: forbidden or allowed
	Path   string `json:"path"`   // a shortest path that the rules decide
	// LineBefore and LineAfter are the lines of the deciding rules, RuleBefore and RuleAfter their
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

// File is a robots.txt with its compiled forms. It is not safe for concurrent use.
type File struct {
	Name     string
	Body     []byte
	MaxBytes int // as in compile.Options
	made     map[reading.Reading]*compile.Robots
}

// Compile compiles the robots.txt, once for each reading.
func (f *File) Compile(r reading.Reading) *compile.Robots {
	if f.made[r] == nil {
		if f.made == nil {
			f.made = map[reading.Reading]*compile.Robots{}
		}
		f.made[r] = compile.Compile(f.Body, r.Options(f.MaxBytes))
	}
	return f.made[r]
}

// rulesOf returns the rules that bind an agent, the rules of the groups for *, and whether a group names
// the agent.
func (f *File) rulesOf(a Agent) (own, wildcard *automaton.Machine, named bool) {
	rules := f.Compile(reading.Reading(a.Dialect)).Ruleset
	own, token := a.Bound(rules)
	return own, rules.Wildcard(), token != ""
}

// ruleOn returns the line of a machine that decides on a path, and the text of its rule.
func (f *File) ruleOn(m *automaton.Machine, path string) (line int, text string) {
	var scratch automaton.Scratch
	line = int(m.Match(&scratch, []byte(path)).Line)
	if rule, found := f.Compile(reading.Reading(m.Dialect())).Rule(line); found {
		text = shortText(rule.String())
	}
	return line, text
}

// MaxSteps is the usual bound of all searches for one table together, in steps of prove.Prover. Each question takes
// at most a share of the remaining steps, so that a few hard ones leave enough for the others.
const MaxSteps = 20_000_000

const (
	shareOfOne = 8
	toBegin    = 1000 // the approximate cost of beginning a search, in steps
	toLook     = 32   // and of examining one more rule for it
)

// searcher searches for paths within a bound of steps.
type searcher struct {
	most  int
	steps int // that were taken
	known map[*automaton.Machine]Restriction
}

// within asks a question about machines of a prover that has enough steps, if any are left.
func (s *searcher) within(ask func(p *prove.Prover), machines ...*automaton.Machine) {
	s.steps += toBegin
	for _, m := range machines {
		s.steps += toLook * m.Len()
	}
	if given := (s.most - s.steps) / shareOfOne; given > 0 {
		p := &prove.Prover{Steps: given}
		ask(p)
		s.steps += given - p.Steps
	}
}

func (s *searcher) restriction(m *automaton.Machine) Restriction {
	r, known := s.known[m]
	if !known {
		var found prove.Restriction
		s.within(func(p *prove.Prover) { found = p.Classify(m) }, m)
		r = Restriction{found.Class.String(), found.Forbidden.Path, found.Allowed.Path}
		if s.known == nil {
			s.known = map[*automaton.Machine]Restriction{}
		}
		s.known[m] = r
	}
	return r
}

// proved is a search without a result that shows that there is none.
var proved = prove.Answer{Decided: true}

// differ returns how the verdicts of two machines differ.
func (s *searcher) differ(a, b *automaton.Machine) prove.Difference {
	d := prove.Difference{Forbidden: proved, Allowed: proved}
	if a.Dialect() != b.Dialect() || a.Len() != b.Len() || !bytes.Equal(reading.RulesOf(a), reading.RulesOf(b)) {
		d = prove.Difference{}
		s.within(func(p *prove.Prover) { d, _ = p.Differ(a, b) }, a, b)
	}
	return d
}

// same reports whether two machines provably have the same verdicts.
func (s *searcher) same(a, b *automaton.Machine) bool {
	r := s.restriction(a)
	switch {
	case r != s.restriction(b):
		return false
	case r.Class == prove.Full.String() || r.Class == prove.None.String():
		return true
	}
	d := s.differ(a, b)
	return d.Forbidden == proved && d.Allowed == proved
}

// barredCategories are the categories of crawlers in the table of barred crawlers: for search, for
// AI, with most user-triggered ones as assistants and CCBot as the first of those for research,
// and for SEO.
var barredCategories = []string{"search", "ai-training", "ai-search", "user-triggered", "research", "seo"}

// barred returns how the robots.txt treats *, in a dialect, and those crawlers of
// barredCategories that it names and treats differently, read in their own way unless read is set.
func (c *describing) barred(by automaton.Dialect, read *automaton.Dialect, search *searcher) []Treatment {
	type rules struct { // equal for machines with the same rules apart from line numbers
		automaton.Dialect
		texts string
	}
	star := c.Robots.Compile(reading.Reading(by)).Ruleset.Wildcard()
	table := []Treatment{{Agents: []string{"*"}, Restriction: search.restriction(star), machine: star}}
	if read == nil {
		table = c.otherReadings(table, search)
	}
	stars := len(table)
	rows := map[rules]int{} // 0 for rules equal to those for *
	profiles := c.Lint.Crawlers.Profiles()
	for i := range profiles {
		s := AgentOf(crawler.Claim{Profile: &profiles[i]}, read)
		own, wildcard, named := c.Robots.rulesOf(s)
		if !named || !slices.Contains(barredCategories, profiles[i].Category) {
			continue
		}
		key := rules{s.Dialect, string(reading.RulesOf(own))}
		row, known := rows[key]
		if !known && !search.same(own, wildcard) {
			row = stars + slices.IndexFunc(table[stars:], func(t Treatment) bool { return search.same(t.machine, own) })
			if row < stars {
				row, table = len(table), append(table, Treatment{Restriction: search.restriction(own), machine: own})
			}
		}
		rows[key] = row
		if row > 0 {
			table[row].Agents = append(table[row].Agents, s.Name)
		}
	}
	for _, row := range table {
		slices.SortStableFunc(row.Agents, func(x, y string) int {
			return cmp.Compare(strings.ToLower(x), strings.ToLower(y))
		})
	}
	const order = "full partial none undecided"
	slices.SortStableFunc(table[stars:], func(x, y Treatment) int {
		return cmp.Compare(strings.Index(order, x.Class), strings.Index(order, y.Class))
	})
	return table
}

// otherReadings adds to the table, which has a row for *, further rows for * in readings of other parsers that
// differ.
func (c *describing) otherReadings(table []Treatment, search *searcher) []Treatment {
	for _, r := range reading.UnknownReadings() {
		star := c.Robots.Compile(r).Ruleset.Wildcard()
		isStar := func(t Treatment) bool { return t.machine.Agrees(star) || search.same(t.machine, star) }
		if !slices.ContainsFunc(table, isStar) {
			table = append(table, Treatment{Agents: []string{"*"}, Reading: readers[r], Restriction: search.restriction(star),
				machine: star})
		}
	}
	return table
}

// compared returns the agents for comparing two robots.txt: those asked for
// or, if there are none, *, the known crawlers, and the further product tokens in either file.
func (c *describing) compared(read *automaton.Dialect) (list []Agent) {
	for _, a := range c.Asked {
		list = append(list, a.Agent)
	}
	if len(list) > 0 {
		return list
	}
	known := map[string]bool{}
	add := func(claim crawler.Claim) {
		s := AgentOf(claim, read)
		if token := strings.ToLower(s.Tokens[0]); claim.Profile != nil || !known[token] {
			known[token] = true
			list = append(list, s)
		}
	}
	add(crawler.Claim{Name: "*"})
	profiles := c.Lint.Crawlers.Profiles()
	for i := range profiles {
		add(crawler.Claim{Profile: &profiles[i]})
	}
	for _, text := range []*File{c.Against, c.Robots} {
		for _, g := range text.Compile(reading.Reading(list[0].Dialect)).Groups {
			for _, a := range g.Agents {
				if a.Token != "" {
					add(crawler.Claim{Name: a.Value[:len(a.Token)]})
				}
			}
		}
	}
	return list
}

// comparison is the difference between the rules for a crawler and older ones.
type comparison struct {
	prove.Difference
	changes []Difference // the same with the deciding rules, and examples for further rules, without agents
	more    bool         // there may be further examples
}

// differences compares the robots.txt with the older one. It returns the differences, and the
// agents for which it is undecided whether there are more. Crawlers that are bound by the groups
// for * in both files are listed only where their treatment differs from that of *.
func (c *describing) differences(read *automaton.Dialect, search *searcher) (list []Difference, undecided []string) {
	known := map[[2]*automaton.Machine]comparison{}
	var star prove.Difference
	for i, s := range c.compared(read) {
		before, _, wasNamed := c.Against.rulesOf(s)
		after, _, isNamed := c.Robots.rulesOf(s)
		found, done := known[[2]*automaton.Machine{before, after}]
		if !done {
			found = c.compare(before, after, search)
			known[[2]*automaton.Machine{before, after}] = found
		}
		switch {
		case i == 0:
			star = found.Difference
		case len(c.Asked) == 0 && !wasNamed && !isNamed && found.Difference == star:
			continue
		}
		for _, d := range found.changes {
			d.Agent = s.Name
			list = append(list, d)
		}
		if !found.Forbidden.Decided || !found.Allowed.Decided || found.more {
			undecided = append(undecided, s.Name)
		}
	}
	return list, undecided
}

// compare searches for a path of each change and each deciding rule.
func (c *describing) compare(before, after *automaton.Machine, search *searcher) comparison {
	found := comparison{Difference: search.differ(before, after)}
	add := func(change, first string, allows, forbids *automaton.Machine) {
		if first == "" {
			return
		}
		var paths []string
		isAll := false
		search.within(func(p *prove.Prover) { paths, isAll = p.Examples(allows, forbids) }, allows, forbids)
		found.more = found.more || !isAll
		if len(paths) == 0 {
			paths = []string{first}
		}
		seen := map[string]bool{} // equal rules on several lines have the same path
		for _, path := range paths {
			if seen[path] {
				continue
			}
			seen[path] = true
			d := Difference{Change: change, Path: path}
			d.LineBefore, d.RuleBefore = c.Against.ruleOn(before, path)
			d.LineAfter, d.RuleAfter = c.Robots.ruleOn(after, path)
			found.changes = append(found.changes, d)
		}
	}
	add(NowForbidden, found.Forbidden.Path, before, after)
	add(NowAllowed, found.Allowed.Path, after, before)
	return found
}
