package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/compile/prove"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// The bounds of the searches, in steps of package prove: all searches for one file; the share of the rest
// that each may take; and the maximum of each.
const (
	maxSteps  = 50_000_000
	partOfOne = 32
	maxOfOne  = 400_000
)

type prover struct {
	*linter
	prove.Prover
	left     int             // steps, of all searches
	open     int             // undecided questions
	openLine int             // the first of them
	seen     map[string]bool // lines and paths of contested notes
	queries  bool            // a rule is matched with the query of a path in its own form
}

// prove adds the notes that are proved by search over machines.
func (l *linter) prove() {
	p := &prover{linter: l, left: maxSteps, seen: map[string]bool{}}
	p.proveRules()
	p.proveContested()
	p.proveNamed()
	p.proveForbidden()
	if p.open > 0 {
		l.add(p.openLine, notDecided, "", english.Plural(int64(p.open), "open question"), "")
	}
}

// notDecided counts an undecided question.
func (p *prover) notDecided(line int) {
	if p.open++; p.open == 1 || line < p.openLine {
		p.openLine = line
	}
}

// limited asks a question within the bounds, or not at all if no step is left.
func (p *prover) limited(question func()) {
	if p.left <= 0 {
		return
	}
	p.Steps = min(p.left, max(maxOfOne, p.left/partOfOne))
	p.left -= p.Steps
	question()
	p.left += p.Steps // possibly negative
}

func (p *prover) match(m *automaton.Machine, path string) automaton.Verdict {
	return m.Match(&p.scratch, []byte(path))
}

// bound is a machine of a file with its groups.
type bound struct {
	*automaton.Machine
	groups []int
}

// tokensOf returns the tokens of a file with their machines, beginning with *.
func tokensOf(r *compile.Robots) []automaton.TokenMachine {
	list := append([]automaton.TokenMachine{{Token: "*", Machine: r.Ruleset.Wildcard()}}, r.Ruleset.Agents()...)
	return slices.DeleteFunc(list, func(a automaton.TokenMachine) bool { return a.Token == "" })
}

// machinesOf returns the distinct machines of a file, in the order of their first groups.
func machinesOf(r *compile.Robots) (list []bound) {
	known := map[*automaton.Machine]bool{nil: true}
	for _, a := range tokensOf(r) {
		if !known[a.Machine] {
			known[a.Machine] = true
			list = append(list, bound{a.Machine, r.GroupsOf(a.Machine)})
		}
	}
	slices.SortFunc(list, func(x, y bound) int { return slices.Compare(x.groups, y.groups) })
	return list
}

// fate is the result of the searches for a rule.
type fate struct {
	compile.Rule
	alive, open bool   // in a machine of a reading
	apart       bool   // only it separates the user-agent lines above it from the next ones
	by          uint32 // the line that decides instead
	undone      string // a path on which another rule decides the opposite
	undoer      int    // that rule's line
}

// proveRules adds the notes on rules that have no effect, in no machine of any reading, and on those
// that another rule contradicts.
func (p *prover) proveRules() {
	fates := map[int]*fate{}
	for i, robots := range p.read {
		for _, m := range machinesOf(robots) {
			p.ask(robots, m, fates, i == 0)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(fates)) {
		f := fates[line]
		inFirst, _ := p.read[0].Rule(line)
		switch {
		case f.alive, inFirst.Inert:
		case f.open:
			p.notDecided(f.Line)
		default:
			p.addDead(f)
		}
		if f.undone != "" {
			p.add(f.Line, "contradicted", f.String(), fmt.Sprintf("line %d: %s", f.undoer, fates[f.undoer]), f.undone)
		}
	}
}

// addDead adds the note on a rule without effect. It is more than a note if the rule can be left
// out and does not allow what is allowed anyway.
func (p *prover) addDead(f *fate) {
	more := fmt.Sprintf("line %d decides on its paths, or on the shortest of them", f.by)
	switch {
	case f.by == 0 && f.Allow:
		more = "what it allows is allowed anyway"
	case f.by == 0:
		more = "no URL has such a path"
	case p.equalTo(f):
		more = fmt.Sprintf("equal to line %d", f.by)
	}
	if f.apart {
		more += "; but without any rule, its group would be joined with the next"
	}
	n := p.add(f.Line, "dead-rule", f.String(), more, "")
	if !f.apart && (f.by != 0 || !f.Allow) {
		n.Severity = asWarning.String()
	}
}

// ask finds the fate of each rule in a machine and, if undone is true, whether another rule undoes it.
func (p *prover) ask(robots *compile.Robots, m bound, fates map[int]*fate, undone bool) {
	if p.left <= 0 {
		return
	}
	p.Steps = p.left
	rules := p.Rules(m.Machine)
	p.left = p.Steps
	// The last rules come first, so that the first of equal ones remains.
	for _, g := range slices.Backward(m.groups) {
		for _, r := range slices.Backward(robots.Groups[g].Rules) {
			if r.Value == "" || r.Inert { // other notes report these
				continue
			}
			p.queries = p.queries || r.Form == automaton.FormB
			f := fates[r.Line]
			if f == nil {
				f = &fate{Rule: r, apart: !p.literal() && len(robots.Groups[g].Rules) == 1 &&
					g+1 < len(robots.Groups)}
				fates[r.Line] = f
			}
			if !f.alive {
				var e prove.Effect
				p.limited(func() { e = rules.Effect(uint32(r.Line)) })
				f.open, f.alive = f.open || !e.Decided, e.Decided && !e.Dead
				if by, _ := robots.Rule(int(e.By)); by.Value != "" {
					f.by = cmp.Or(f.by, e.By)
				}
			}
			if undone && f.undone == "" {
				p.askUndone(rules, m.Machine, f)
			}
			if !f.alive && !f.open {
				rules.Drop(uint32(r.Line))
			}
		}
	}
}

// equalTo reports whether a rule and the one that decides instead have the same verdict on the same paths.
func (p *prover) equalTo(f *fate) bool {
	for _, robots := range p.read {
		rule, found := robots.Rule(f.Line)
		by, known := robots.Rule(int(f.by))
		if !found || !known || rule.Allow != by.Allow || rule.Form != by.Form || p.begins(rule) != p.begins(by) {
			return false
		}
	}
	return true
}

// begins returns the pattern of a rule without trailing wildcards, if these change no verdict.
func (p *prover) begins(r compile.Rule) string {
	if p.literal() {
		return r.Pattern
	}
	return strings.TrimRight(r.Pattern, "*")
}

// fileType matches a pattern for files of one type anywhere.
var fileType = lazy.Regexp(`^/?\*+\.[A-Za-z0-9]+\**\$?$`)

// isMissed reports whether a rule is for a plain prefix and another one, which contradicts it, for a
// type of files, so that the files under that prefix are easily overlooked. Other contradicting rules are
// intentional exceptions, or overlap only on paths that hardly any site has.
func (p *prover) isMissed(r, by compile.Rule) bool {
	begins := p.begins(r)
	return p.literal() || begins != "/" && !strings.ContainsAny(begins, "*$") && fileType().MatchString(by.Pattern)
}

// askUndone finds out whether another rule undoes one.
func (p *prover) askUndone(rules *prove.Rules, m *automaton.Machine, f *fate) {
	var a prove.Answer
	isNoted := func(line uint32) bool {
		by, _ := p.read[0].Rule(int(line))
		return p.o.Crossings || p.isMissed(f.Rule, by)
	}
	p.limited(func() { a = rules.Undone(uint32(f.Line), isNoted) })
	if f.undone = a.Path; a.Path != "" {
		f.undoer = int(p.match(m, a.Path).Line)
	} else if !a.Decided {
		p.notDecided(f.Line)
	}
}

// readers name the parsers with the readings of reading.UnknownReadings.
var readers = map[reading.Reading]string{
	reading.ReadRFC9309:      "RFC 9309",
	reading.ReadGoogleWide:   "Google's parser",
	reading.ReadRFC9309Ended: "a parser that ends user-agent lines at any other line",
	reading.ReadGoogleEnded:  "a parser like Google's that ends user-agent lines at any other line",
}

// proveContested adds the notes on paths that the readings disagree on, one for each pair of
// machines.
func (p *prover) proveContested() {
	if len(p.read) == 1 {
		return
	}
	type pair struct{ by, other *automaton.Machine }
	known := map[pair]bool{}
	for _, r := range reading.UnknownReadings()[1:] {
		if r != reading.ReadGoogleWide && !p.read[0].SplitRuns && !p.read[1].SplitRuns {
			continue // it ends runs of user-agent lines that contain nothing else
		}
		other := compile.Compile(p.body, r.Options(p.o.MaxBytes))
		for _, a := range append(tokensOf(p.read[0]), tokensOf(other)...) {
			two := pair{p.read[0].Ruleset.Machine([]byte(a.Token)), other.Ruleset.Machine([]byte(a.Token))}
			if !known[two] {
				known[two] = true
				p.contested(a.Token, two.by, two.other, other, readers[r])
			}
		}
	}
}

// contested adds a note if the machines of a token in RFC 9309's reading and in another differ.
func (p *prover) contested(token string, by, other *automaton.Machine, robots *compile.Robots, reader string) {
	agree := by.Agrees(other) // on all paths in their usual spelling
	if agree && !p.queries {
		return
	}
	var d prove.Difference
	p.limited(func() { d, _ = p.Differ(by, other) })
	a := d.Forbidden
	if a.Path == "" || d.Allowed.Path != "" && cmp.Or(cmp.Compare(len(a.Path), len(d.Allowed.Path)),
		strings.Compare(a.Path, d.Allowed.Path)) > 0 {
		a = d.Allowed
	}
	if a.Path == "" && !agree && !(d.Forbidden.Decided && d.Allowed.Decided) {
		p.notDecided(1)
	}
	if a.Path == "" || agree && strings.ContainsAny(a.Path, "*$") { // before what looks like half an escape
		return
	}
	v, w := p.match(by, a.Path), p.match(other, a.Path)
	line := int(cmp.Or(v.Line, w.Line))
	rule, ok := p.read[0].Rule(line)
	if !ok {
		rule, _ = robots.Rule(line)
	}
	more := fmt.Sprintf("for %s, %s %s it, %s %s it", token, readers[reading.ReadRFC9309], says(v), reader, says(w))
	if key := fmt.Sprint(line, a.Path); !p.seen[key] {
		p.seen[key] = true
		if n := p.add(line, "contested", rule.String(), more, a.Path); !agree {
			n.Severity = asWarning.String()
		}
	}
}

// says describes the effect of a verdict on a path.
func says(v automaton.Verdict) string {
	verb := "allows"
	if v.Disallowed {
		verb = "forbids"
	}
	if v.Line == 0 {
		return verb
	}
	return fmt.Sprintf("(line %d) %s", v.Line, verb)
}

// proveNamed adds a note on each named crawler that may fetch what crawlers without a name may not.
func (p *prover) proveNamed() {
	robots := p.read[0]
	star := robots.Ruleset.Wildcard()
	if star == nil {
		return
	}
	for _, m := range machinesOf(robots) {
		if m.Machine == star {
			continue
		}
		agents := robots.Groups[m.groups[0]].Agents
		first := agents[max(0, slices.IndexFunc(agents, func(a compile.AgentLine) bool {
			return !a.Wildcard && robots.Ruleset.Machine([]byte(a.Token)) == m.Machine
		}))]
		var a prove.Answer
		p.limited(func() { a = p.Between(m.Machine, star) })
		switch {
		case a.Path != "":
			p.add(first.Line, "star-not-for-named", first.Value, fmt.Sprintf("line %d forbids it to the others",
				p.match(star, a.Path).Line), a.Path)
		case !a.Decided:
			p.notDecided(first.Line)
		}
	}
}

// proveForbidden adds a note if nobody may fetch anything.
func (p *prover) proveForbidden() {
	robots := p.read[0]
	star := robots.Ruleset.Wildcard()
	if star == nil {
		return
	}
	for _, m := range machinesOf(robots) {
		if p.match(m.Machine, "/").Allowed() {
			return
		}
		var a prove.Answer
		p.limited(func() { a = p.Classify(m.Machine).Allowed })
		if a.Path != "" || !a.Decided {
			return // the undecided questions about the machine's rules are counted there
		}
	}
	line := int(p.match(star, "/").Line)
	rule, _ := robots.Rule(line)
	p.add(line, "everything-forbidden", rule.String(), "", "/")
}
