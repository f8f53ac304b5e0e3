package compile

import (
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
)

// parser is the state between lines.
type parser struct {
	o   Options
	row *dialectReading // of the dialect
	source
	position
	kept

	looked int // number of agents that noteDelay has examined
	google int // number of agents up to the first of Google's in the last group that noteDelay found

	question *question // replaces all other results; nil for Compile
	asked    question  // storage for question
}

// source is the body that is read.
type source struct {
	limit             int  // how many bytes are read
	more              bool // the body continues after the limit
	quotes            bool // the body may contain typographic quotation marks
	lf, cr, nul, hash next // in the body
}

// position is the position of the parser in the body, and its state from previous lines.
type position struct {
	line   int  // 1-based number of the line being read
	lines  int  // number of lines read
	open   bool // a user-agent line belongs to the last group, otherwise it begins one
	inside bool // rules belong to the last group, otherwise to none
	colon  bool // the line has a colon
	glued  bool // the line has a comment directly after its last character
	other  bool // a record with a colon has followed the last user-agent line
	runs   bool // as Robots.SplitRuns
	apart  bool // a blank line or a record has followed the last user-agent line
}

// kept collects the results. Its arrays are reused from file to file and grow to the needs of the
// largest; take copies the contents, each kind in one allocation of its size. Growing new arrays
// for each file, or guessing their sizes, took a fourth of the time.
type kept struct {
	starts  []start     // of the groups
	agents  []AgentLine // of all groups, tokens not yet in lower case
	rules   []Rule      // of all groups
	records []Record
	notes   []Note

	text text // text that differs from the body
}

// start holds the numbers of agents and rules before a group.
type start struct{ agents, rules int }

var parsers = sync.Pool{New: func() any { return &parser{} }}

func newParser(o Options) *parser {
	p := parsers.Get().(*parser)
	p.o, p.row = o, o.row()
	return p
}

// release recycles a parser. It keeps the arrays without their contents.
func (p *parser) release() {
	clear(p.agents)
	clear(p.rules)
	clear(p.records)
	clear(p.notes)
	if p.question == nil {
		p.text = nil // now owned by the rules
	}
	p.asked = question{scratch: p.asked.scratch, token: p.asked.token}
	*p = parser{asked: p.asked, kept: kept{
		starts: p.starts[:0], agents: p.agents[:0], rules: p.rules[:0], records: p.records[:0], notes: p.notes[:0],
		text: p.text,
	}}
	parsers.Put(p)
}

// take returns the results.
func (p *parser) take() *Robots {
	slices.SortStableFunc(p.notes, func(x, y Note) int { return x.Line - y.Line })
	r := &Robots{
		Groups: make([]Group, len(p.starts)), Records: taken(p.records), Notes: taken(p.notes),
		Lines: p.lines, SplitRuns: p.runs,
	}
	r.machines.o, r.machines.groups = p.o, r.Groups
	r.Ruleset = automaton.NewRuleset(p.o.Dialect, &r.machines)
	agents, rules := taken(p.agents), taken(p.rules)
	for i := range agents {
		agents[i].Token = p.text.keepLower(agents[i].Token)
	}
	for i := range r.Groups {
		end := start{len(agents), len(rules)}
		if i+1 < len(p.starts) {
			end = p.starts[i+1]
		}
		from := p.starts[i]
		r.Groups[i] = Group{agents[from.agents:end.agents:end.agents], rules[from.rules:end.rules:end.rules]}
	}
	return r
}

// taken returns a copy of an array of the parser, nil if it is empty.
func taken[T any](s []T) []T { return append([]T(nil), s...) }
