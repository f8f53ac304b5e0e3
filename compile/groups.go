package compile

import (
	"sync"
)

// Group is a run of user-agent lines and the rules under it. In the dialect
// original it is a record.
type Group struct {
	Agents []Agent // in file order
	Rules  []Rule  // in file order
}

// Agent is one user-agent line.
type Agent struct {
	Line  int    // 1-based
	Value string // as in the file, trimmed
	// Token is what the dialect makes of the value, in lower case: the product
	// token, or for original the name before a slash. Empty where Wildcard is
	// true, and where the value names nobody.
	Token string
	// Wildcard says that the line is for every crawler.
	Wildcard bool
}

// parser is the state between lines. Its arrays serve one file after another: they
// grow to what the largest has needed, and what is kept of a file is copied out of
// them, each kind in one piece of its size. To let them grow anew for each file, or to
// guess their sizes, was a fourth of the time.
type parser struct {
	o       Options
	reading *reading // of the dialect
	limit   int      // where the body ends for us
	more    bool     // there is something past the limit that was not even copied
	line    int      // 1-based number of the line being read
	lines   int      // how many were read
	open    bool     // the last group may be given more agents
	inside  bool     // rules belong to the last group
	nul     bool     // there is a NUL in the body
	hash    bool     // there is a '#' in the body

	starts  []start // of the groups
	agents  []Agent // of all groups, their tokens not yet in lower case
	rules   []Rule  // of all groups
	records []Record
	notes   []Note

	bindings bindings
	order    []uint64 // see ranker
}

// start is how many agents and rules there are before a group.
type start struct{ agents, rules int }

// parsers are those that read no file at the moment.
var parsers = sync.Pool{New: func() any { return &parser{} }}

func newParser(o Options) *parser {
	p := parsers.Get().(*parser)
	p.o, p.reading = o, o.reading()
	return p
}

// release gives a parser back, without what it has of its file.
func (p *parser) release() {
	clear(p.agents)
	clear(p.rules)
	clear(p.records)
	clear(p.notes)
	p.bindings.reset()
	*p = parser{
		starts: p.starts[:0], agents: p.agents[:0], rules: p.rules[:0], records: p.records[:0], notes: p.notes[:0],
		bindings: p.bindings, order: p.order,
	}
	parsers.Put(p)
}

// take returns what was read, but for the rules as they are matched.
func (p *parser) take() *Robots {
	r := &Robots{Groups: make([]Group, len(p.starts)), Records: exact(p.records), Notes: exact(p.notes), Lines: p.lines}
	agents, rules := exact(p.agents), exact(p.rules)
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

// exact returns a copy that no other file is written to, nil of nothing.
func exact[T any](s []T) []T { return append([]T(nil), s...) }

// blankLine ends a group where the dialect says so.
func (p *parser) blankLine() {
	if p.reading.blankEnds {
		p.open, p.inside = false, false
	}
}

// agent adds a user-agent line to the group that is open, or opens one.
func (p *parser) agent(value string) {
	if !p.open {
		p.starts = append(p.starts, start{len(p.agents), len(p.rules)})
		p.open, p.inside = true, true
	}
	p.agents = append(p.agents, Agent{})
	a := &p.agents[len(p.agents)-1]
	a.Line, a.Value = p.line, value
	if a.Wildcard = p.reading.wildcard(value); a.Wildcard {
		return
	}
	token := p.reading.token
	if p.o.WideTokens {
		token = p.reading.wideToken
	}
	if a.Token = token(value); a.Token == "" {
		p.note(NoteNoToken, value)
	}
}

// rule adds a rule to the group. Also a rule that means nothing closes the
// group's list of agents.
func (p *parser) rule(allow bool, value string) {
	if !p.inside {
		p.note(NoteOutsideGroup, value)
		return
	}
	p.open = false
	p.rules = append(p.rules, Rule{})
	r := &p.rules[len(p.rules)-1]
	r.Line, r.Allow, r.Value = p.line, allow, value
	p.compilePattern(r)
}
