package audit

import (
	"crypto/sha256"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// Worker reads lines and counts them in a tally of its own. It belongs to one
// goroutine.
//
// Most lines are of browsers, and cost no more than Reader.Next of their format and
// one probe of the memo of headers. Nothing else is looked at unless the header is a
// crawler's, or /robots.txt is requested; and nothing is allocated for a line unless
// it brings something new, such as a header, a host or a line to be quoted.
type Worker struct {
	auditor  *Auditor
	run      *Run
	tally    *tally
	deferred *spill.Writer
	err      error // of deferred, the first

	readers     map[*format.Format]format.Reader
	reader      format.Reader // of the chunk
	unnamed     policy.Site   // of requests in a log that names no host
	only        bool          // requests elsewhere than unnamed are of another host
	record      format.Record
	quota       quota // of the memos, which follow, and of the rows of tally
	agents      memo[*agent]
	hosts       memo[site] // by the host field
	urls        memo[site] // by the scheme and authority of an absolute target
	known       map[*crawler.Profile]*agent
	named       map[string]*agent // unknown crawlers, by their tokens
	bindings    map[bindingKey]*policy.Binding
	headers     *crawler.Reader
	scratch     automaton.Scratch
	answers     []policy.Answer       // of one origin's copies
	bySitemap   bool                  // one of these permits only by a Sitemap line
	lastAnswers [answerKinds]answerAt // of each kind
	sizes       map[sizeAt]int64      // of answers to robots.txt that are not deferred yet,
	lastSize    sizeAt                // without the last lastSizes ones, which are of this size
	lastSizes   int64
	key         []byte // the deferred record that is being made
	answersKey  []byte // the answers in it
	normal      []byte // the normal form of a target
	encoded     []byte // a decoded target encoded again: see lossy.go
	judged      Judged
}

// Worker returns a new worker of the run. Workers are to be made in one
// goroutine, before Report.
func (r *Run) Worker() *Worker {
	a := r.auditor
	w := &Worker{
		auditor: a, run: r, tally: a.newTally(), deferred: r.deferred.Writer(),
		readers: map[*format.Format]format.Reader{}, headers: a.config.Crawlers.Reader(), sizes: map[sizeAt]int64{},
		quota: quota{limit: r.budget.memos},
	}
	w.empty()
	w.unnamed, _ = a.config.Policy.Unnamed()
	r.workers = append(r.workers, w)
	return w
}

// end hands over the counts that the worker still holds.
func (w *Worker) end() error {
	w.deferUnknown()
	w.deferSizes()
	if w.err == nil {
		w.err = w.deferred.Flush()
	}
	return w.err
}

// Err returns the error that kept the worker from writing a deferred record, if there
// is one: no report can be made then, and reading on is of no use.
func (w *Worker) Err() error { return w.err }

// Counted returns how many lines the worker has counted, and how many of them could not
// be parsed.
func (w *Worker) Counted() (lines, unparsed int64) { return w.tally.Lines, w.tally.Unparsed }

// SetSite says whose log the chunks that follow are of: where the requests of a log
// that names no hosts went, which is policy.Policy.Unnamed unless set. If only is true,
// lines that name another host are not judged.
func (w *Worker) SetSite(s policy.Site, only bool) { w.unnamed, w.only = s, only }

// Chunk counts whole lines of a format. It keeps no view of data.
func (w *Worker) Chunk(f *format.Format, data []byte) {
	if w.reader = w.readers[f]; w.reader == nil {
		w.reader = f.NewReader()
		w.readers[f] = w.reader
	}
	for w.reader.Reset(data); ; {
		switch w.reader.Next(&w.record) {
		case format.Request:
			w.tally.Lines++
			w.line()
		case format.Blank:
			w.tally.Blank++
		case format.Unparsed:
			w.tally.Lines++
			w.unparsed(w.record.Line)
		case format.End:
			return
		}
	}
}

// Overlong counts a line that is too long to be kept, by its beginning. It is not
// parsed: its meaning may depend on the rest.
func (w *Worker) Overlong(line []byte) {
	w.tally.Lines++
	w.unparsed(line)
}

func (w *Worker) unparsed(line []byte) {
	w.tally.Unparsed++
	w.tally.unparsed.add(0, line)
}

// line counts the request that the reader has returned.
func (w *Worker) line() {
	if w.quota.isUsedUp() {
		w.empty()
	}
	r, t := &w.record, w.tally
	c, choice, chosen := w.agent(r.Agent), uint64(0), false
	if w.auditor.verifies {
		choice = hashLine(r.Line)
		chosen = t.addresses.below == 0 || choice < t.addresses.below
	}
	isCrawler := c != nil && !c.Library
	if isCrawler || chosen || r.Robots {
		w.reader.Complete(r)
	}
	if chosen {
		t.addresses.add(lineFrom{choice, sha256.Sum256(w.client())}, tallied{n: 1})
	}
	if isCrawler {
		w.request(c)
		return
	}
	t.NotCrawlers++
	if c != nil {
		t.HTTPLibraries++
	}
	if r.Robots {
		w.othersFetch()
	}
}
