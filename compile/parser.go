package compile

import (
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
)

// parser is the state between lines.
type parser struct {
	o   Options
	row *dialectRow // of the dialect
	source
	position
	kept

	looked int // number of agents that noteDelay has looked at
	google int // number of agents up to the first of Google's in the group that noteDelay found last

	question *question // what is asked, and all that is kept then; nil for Compile
	asked    question  // for question to point to
}

// source is the body that is read.
type source struct {
	limit             int  // how many bytes are read
	more              bool // the body goes on after the limit
	quotes            bool // there may be a typographic quotation mark in the body
	lf, cr, nul, hash next // in the body
}

// position is where in the body the parser is, and what it knows of the lines before.
type position struct {
	line   int  // 1-based number of the line being read
	lines  int  // number of lines read
	open   bool // a user-agent line belongs to the last group, else it begins one
	inside bool // rules belong to the last group, else to none
	colon  bool // the line has a colon
	glued  bool // the line has a comment directly after its last character
	other  bool // since the last user-agent line there was a record with a colon
	runs   bool // as Robots.SplitRuns
	apart  bool // since the last user-agent line there was a blank line or a record
}

// kept is what has been read. Its arrays serve one file after another: they grow to the need of
// the largest file, and take copies the content out of them, each kind in one piece of its size.
// Arrays that grow anew for each file, or guesses of their sizes, took a fourth of the time.
type kept struct {
	starts  []start     // of the groups
	agents  []AgentLine // of all groups, their tokens not yet in lower case
	rules   []Rule      // of all groups
	records []Record
	notes   []Note

	text text // what is not in the body as it stands
}

// start has the numbers of agents and of rules before a group.
type start struct{ agents, rules int }

// parsers are the parsers that read no file at the moment.
var parsers = sync.Pool{New: func() any { return &parser{} }}

func newParser(o Options) *parser {
	p := parsers.Get().(*parser)
	p.o, p.row = o, o.row()
	return p
}

// release gives a parser back. It keeps the arrays, but nothing in them.
func (p *parser) release() {
	clear(p.agents)
	clear(p.rules)
	clear(p.records)
	clear(p.notes)
	if p.question == nil {
		p.text = nil // which the rules have taken
	}
	p.asked = question{scratch: p.asked.scratch, token: p.asked.token}
	*p = parser{asked: p.asked, kept: kept{
		starts: p.starts[:0], agents: p.agents[:0], rules: p.rules[:0], records: p.records[:0], notes: p.notes[:0],
		text: p.text,
	}}
	parsers.Put(p)
}

// take returns what was read.
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
