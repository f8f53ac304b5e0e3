package audit

import (
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// claim is a crawler as the worker needs it: where it is counted and what binds
// it.
type claim struct {
	crawler.Claim
	row     *row
	binding *policy.Binding
}

// Bounds of a worker's memos: a log has 10^2 to 10^5 distinct headers and a few
// hosts. A memo that is full is emptied; headers longer than maxMemoKey are
// rare, and are read anew each time.
const (
	maxMemoEntries = 1 << 15
	maxMemoBytes   = 4 << 20
	maxMemoKey     = 2 << 10
)

// memo maps bytes from the log to what was made of them.
type memo[V any] struct {
	m     map[string]V
	bytes int
}

func (m *memo[V]) put(key []byte, v V) {
	if len(key) > maxMemoKey {
		return
	}
	if m.m == nil || len(m.m) >= maxMemoEntries || m.bytes+len(key) > maxMemoBytes {
		m.reset()
	}
	m.m[string(key)] = v
	m.bytes += len(key)
}

func (m *memo[V]) reset() { m.m, m.bytes = map[string]V{}, 0 }

// claim returns who the User-Agent field of a record claims to be, nil if it is
// no crawler. The field is as the log spells it.
func (w *Worker) claim(agent []byte) *claim {
	if c, known := w.claims.m[string(agent)]; known {
		return c
	}
	w.unescaped = format.Unescape(w.unescaped[:0], agent)
	c := w.bind(w.headers.Read(w.unescaped))
	w.claims.put(agent, c)
	return c
}

// bind finds the row and the rules for a claim.
func (w *Worker) bind(who crawler.Claim) *claim {
	if who.Name == "" {
		return nil
	}
	if w.tally.prune(2) {
		// Claims may point at rows that have left the tally.
		w.claims.reset()
	}
	return &claim{Claim: who, row: w.tally.rowOf(who), binding: w.binding(who)}
}

// binding returns what binds a crawler. Headers are many, known crawlers few, so
// theirs are kept.
func (w *Worker) binding(who crawler.Claim) *policy.Binding {
	if b := w.bindings[who.Profile]; b != nil {
		return b
	}
	b := w.auditor.config.Policy.Bind(w.auditor.subject(who))
	if who.Profile != nil {
		w.bindings[who.Profile] = b
	}
	return b
}
