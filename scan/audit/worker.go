package audit

import (
	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// Worker reads lines and counts them in a tally of its own. It belongs to one
// goroutine.
//
// Most lines are of browsers, and cost the search for their end, the walk over
// their quotes, and one probe of the memo of headers. Nothing else is looked at
// unless the header is a crawler's, or /robots.txt is asked for; and nothing is
// allocated for a line unless it brings something new: a header, a host, a
// crawler's first violation of a rule, a sample.
type Worker struct {
	auditor  *Auditor
	tally    *tally
	deferred *spill.Writer
	err      error // of deferred, the first

	lines     format.Lines
	record    format.Record
	agents    memo[*agent]
	hosts     memo[site] // by the host field
	urls      memo[site] // by the scheme and authority of an absolute target
	known     map[*crawler.Profile]*agent
	named     map[string]*agent // unknown crawlers, by their tokens
	bindings  map[bindingKey]*policy.Binding
	bound     int // the copies of these
	headers   *crawler.Reader
	scratch   automaton.Scratch
	unescaped []byte
	answers   []policy.Answer // of one origin's copies
	key       []byte          // the deferred record that is being made
	judged    Judged
}

// Worker returns a new worker of the run. Workers are to be made in one
// goroutine, before Report.
func (r *Run) Worker() *Worker {
	a := r.auditor
	w := &Worker{
		auditor: a, tally: a.newTally(), deferred: r.deferred.Writer(),
		known: map[*crawler.Profile]*agent{}, named: map[string]*agent{}, headers: a.config.Crawlers.Reader(),
	}
	r.workers = append(r.workers, w)
	return w
}

// end hands over the counts that the worker still holds.
func (w *Worker) end() error {
	w.deferUnknown()
	if w.err == nil {
		w.err = w.deferred.Flush()
	}
	return w.err
}

// Err returns the error that kept the worker from writing a deferred record, if there
// is one: no report can be made then, and reading on is of no use.
func (w *Worker) Err() error { return w.err }

// Chunk counts whole lines of a format. It keeps no view of data.
func (w *Worker) Chunk(f format.Format, data []byte) {
	r := &w.record
	for w.lines.Reset(data); w.lines.More(); {
		switch {
		case f.Next(&w.lines, r):
			w.tally.Lines++
			w.line(f)
		case len(r.Line) == 0:
			w.tally.Blank++
		default:
			w.tally.Lines++
			w.unparsed(r.Line)
		}
	}
}

// Overlong counts a line too long to be kept, of which only the beginning is
// given. It is not parsed: its meaning may depend on the rest.
func (w *Worker) Overlong(beginning []byte) {
	w.tally.Lines++
	w.unparsed(beginning)
}

func (w *Worker) unparsed(line []byte) {
	w.tally.Unparsed++
	w.tally.unparsed.add(0, line)
}

// line counts the record that the format has split.
func (w *Worker) line(f format.Format) {
	r := &w.record
	c := w.agent(r.Agent)
	if c == nil {
		w.tally.NotCrawlers++
		if r.AsksRobots() {
			f.Complete(r)
			w.othersFetch(f)
		}
		return
	}
	f.Complete(r)
	w.request(f, c)
}
