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
	auditor *Auditor
	tally   *tally
	late    *spill.Writer
	err     error // of late, the first

	lines     format.Lines
	record    format.Record
	claims    memo[*claim]
	hosts     memo[site] // by the host field
	urls      memo[site] // by the authority of an absolute target and what is before it
	known     map[*crawler.Profile]*claim
	named     map[string]*claim // unknown crawlers, by their tokens
	bindings  map[bindingKey]*policy.Binding
	bound     int // the copies that these are of
	headers   *crawler.Reader
	scratch   automaton.Scratch
	unescaped []byte
	answers   []policy.Answer // of one origin's copies
	key       []byte          // the late record that is being made
}

// Worker returns a new worker of the run. Workers are to be made in one
// goroutine, before Report.
func (r *Run) Worker() *Worker {
	a := r.auditor
	w := &Worker{
		auditor: a, tally: a.newTally(), late: r.late.Writer(),
		known: map[*crawler.Profile]*claim{}, named: map[string]*claim{}, headers: a.config.Crawlers.Reader(),
	}
	r.workers = append(r.workers, w)
	return w
}

// end hands over what the worker still holds back.
func (w *Worker) end() error {
	w.keepUnknown()
	if w.err == nil {
		w.err = w.late.Flush()
	}
	return w.err
}

// Err returns what kept the worker from keeping a record, if anything did: no
// report can be made then, and reading on is of no use.
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
// given. It is not parsed: what it would say depends on what was dropped.
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
	c := w.claim(r.Agent)
	if c == nil {
		w.tally.NotCrawlers++
		if r.AsksRobots() {
			f.Complete(r)
			w.passerby(f)
		}
		return
	}
	f.Complete(r)
	w.request(f, c)
}
