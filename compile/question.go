package compile

import (
	"bytes"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/plain"
)

// Ask returns the same verdict as Compile(body, o).Ruleset.Match, for callers with a single
// question about the body. It builds nothing and does not allocate. It panics if the dialect is
// unknown.
func Ask(body, name, url []byte, o Options) automaton.Verdict {
	p := newParser(o)
	defer p.release()
	q := &p.asked
	path := o.Dialect.Path(&q.scratch, url)
	if o.Dialect.Exempts(path) {
		return automaton.Verdict{}
	}
	q.name, q.by, q.others = name, found{}, found{}
	q.path, q.formB = q.scratch.Forms(o.Dialect, path)
	q.head, _, _ = bytes.Cut(q.path, []byte("?"))
	p.question = q
	p.parse(view(p.cut(body)))
	if q.by.any() {
		return q.by.verdict
	}
	return q.others.verdict
}

// question is a question about a body, answered while its lines are read. Of all rules read so far,
// it keeps only the deciding ones.
type question struct {
	name        []byte // of the crawler
	path, formB []byte // as Scratch.Forms returns them
	head        []byte // of both, up to a '?'
	by, others  found  // results of the groups that name the crawler, and of those for *
	scratch     automaton.Scratch
	token       text
	rule        automaton.Rule
}

// found is the result for the path from groups of one kind: those that name the crawler, or those
// for *.
type found struct {
	before  bool   // an earlier group is of this kind
	within  bool   // the last group is, and its rules count
	rank    uint64 // of the deciding rule
	verdict automaton.Verdict
}

func (f *found) any() bool { return f.before || f.within }

// bind says that the last group is of the kind.
func (f *found) bind(row *dialectReading) { f.within = f.within || !(row.firstGroup && f.before) }

// agentLine reads a user-agent line, which may begin a group.
func (q *question) agentLine(p *parser, a *AgentLine, begins bool) {
	if begins {
		q.by.before, q.by.within = q.by.any(), false
		q.others.before, q.others.within = q.others.any(), false
	}
	switch {
	case a.Wildcard:
		q.others.bind(p.row)
	case a.Token != "" || p.row.emptyTokens:
		q.token = q.token[:0]
		if p.o.Dialect.Names(q.name, q.token.keepLower(a.Token)) {
			q.by.bind(p.row)
		}
	}
}

func (q *question) ruleLine(p *parser, allow bool, value string) {
	f := &q.by
	if !f.within {
		f = &q.others
		if !f.within || q.by.before {
			return
		}
	}
	if q.excludes(value) {
		return
	}
	r := Rule{Line: p.line, Allow: allow, Value: value}
	p.text = p.text[:0]
	p.compilePattern(&r)
	if r.Inert {
		return
	}
	for _, index := range [...]bool{false, true} {
		if index && p.row.indexPage(&r) == "" {
			continue
		}
		p.row.fill(&q.rule, &r, index)
		path := q.path
		if r.Form == automaton.FormB {
			path = q.formB
		}
		if q.rule.Rank > f.rank && q.rule.Matches(path) {
			f.rank, f.verdict = q.rule.Rank, q.rule.Verdict
		}
	}
}

// excludes reports whether the value of a rule certainly doesn't match the path, because a prefix
// that is the same in every form differs, as with most values.
func (q *question) excludes(value string) bool {
	for i := range min(len(value), len(q.head)) {
		if c := value[i]; c != q.head[i] || !alike[c] {
			return alike[c]
		}
	}
	return false
}

// alike marks the bytes that are the same in every form.
var alike = func() (t [256]bool) {
	for c := range t {
		t[c] = plain.IsCanonical([]byte{byte(c)})
	}
	return t
}()
