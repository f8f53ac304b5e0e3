package audit

import (
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
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

	readers map[*format.Format]format.Reader
	reader  format.Reader // of the chunk
	// policy is that for the times of the log. It may be Skewed: origins, copies and bindings are the
	// same in both.
	policy    *policy.Policy
	zoneless  bool        // these are of an unknown zone
	unnamed   policy.Site // of requests in a log that names no host
	only      bool        // requests elsewhere than unnamed are of another host
	record    format.Record
	quota     quota // of the memos, which follow, and of the rows of tally
	agents    memo[*agent]
	everybody *agent     // whom groups for * bind; nil without Config.Undeclared
	hosts     memo[site] // by the host field
	urls      memo[site] // by the scheme and authority of an absolute target
	claims    memo[string]
	prefixes  memo[string] // of whatIf
	known     map[*crawler.Profile]*agent
	named     map[string]*agent // unknown crawlers, by their tokens
	bindings  map[bindingKey]*policy.Binding
	headers   *crawler.Reader
	scratch   automaton.Scratch
	subject   *agent          // whose request the question is about
	stances   []policy.Stance // of one origin's copies
	out       coder           // of the deferred record that is being made
	key       []byte          // of a memo
	normal    []byte          // the normal form of the target; empty if that is the target itself
	spellings spellings       // of a decoded target: see lossy.go
	// normalSpellings are those of its normal form.
	normalSpellings spellings
	seen            [1 << 10]seenAddress
	referer         []byte // the beginning of the last Referer of a visitor, up to the byte after its host
	referrer        string // the operator of this host; empty if it is of none
	number          int    // of the worker
	place           place
	origins         originTexts
	given           Judged
	question        judge.Case
	when            ifCut // in which case the record is counted
	visit           visit // the deferred record that is being made, if it is one
}

// maxReaders bounds the readers that a worker keeps: each log may have a format of its own,
// and a reader has some ten kilobytes.
const maxReaders = 32

// Worker returns a new worker of the run. Workers are to be made in one
// goroutine, before Report.
func (r *Run) Worker() *Worker {
	a := r.auditor
	w := &Worker{
		auditor: a, run: r, tally: a.newTally(), deferred: r.deferred.Writer(),
		readers: map[*format.Format]format.Reader{}, headers: a.config.Crawlers.Reader(),
		number: len(r.workers), origins: originTexts{}, out: coder{policy: a.config.Policy},
		quota: quota{limit: r.budget.memos},
	}
	w.question.Permit, w.question.Copies = w.permitted, w
	if a.config.Undeclared != nil {
		w.everybody = &agent{subject: a.subject(crawler.Claim{})}
		w.everybody.subject.Tokens = nil
	}
	w.empty()
	w.policy = a.config.Policy
	w.unnamed, _ = a.config.Policy.Unnamed()
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

// Counted returns how many lines the worker has counted, how many of them could not
// be parsed, and how many more are outside of the period.
func (w *Worker) Counted() (lines, unparsed, outside int64) {
	return w.tally.Lines, w.tally.Unparsed, w.tally.OutOfPeriod
}

// SetSite says whose log the chunks that follow are of: where the requests of a log
// that names no hosts went, which is policy.Policy.Unnamed unless set. If only is true,
// lines that name another host are not judged.
func (w *Worker) SetSite(s policy.Site, only bool) { w.unnamed, w.only = s, only }

// SetZoneless says whether the times of the chunks that follow name no zone and are of an
// unknown one. If one log is so, no time of the audit is more certain than Zoneless.
func (w *Worker) SetZoneless(is bool) {
	w.policy = w.auditor.config.Policy
	if w.zoneless = is; is {
		w.policy = w.auditor.zoneless()
	}
}

// Chunk counts whole lines of a format. The header is the one that they stand after, which
// Format.LastHeader tells for a format whose logs name their columns; nil if they stand after none.
// Chunk keeps no view of data.
func (w *Worker) Chunk(f *format.Format, header, data []byte) {
	if w.reader = w.readers[f]; w.reader == nil {
		if len(w.readers) == maxReaders {
			clear(w.readers)
		}
		w.reader = f.NewReader()
		w.readers[f] = w.reader
	}
	if headed, ok := w.reader.(format.Headed); ok {
		headed.SetHeader(header)
	}
	data = slices.Clip(data) // as all readers see it: place.numberOf
	w.place.chunk, w.place.counted = data, 0
	before, without := w.tally.Read(), w.tally.NoAgent
	w.lines(data)
	if !f.HasAgent() {
		w.tally.NoAgent = without // it is the format that has none
	}
	if w.zoneless {
		w.tally.Zoneless += w.tally.Read() - before
	}
}

func (w *Worker) lines(data []byte) {
	for w.reader.Reset(data); ; {
		switch w.reader.Next(&w.record) {
		case format.Request:
			w.line()
		case format.Blank:
			w.tally.Blank++
		case format.Other:
			w.tally.Other++
		case format.NoRequest:
			w.noRequest()
		case format.Unparsed:
			w.tally.Lines++
			w.unparsed(w.record.Line)
		case format.End:
			return
		}
	}
}

// noRequest counts a line that carried no HTTP request: nobody can be cleared or accused by it.
func (w *Worker) noRequest() {
	if r := &w.record; w.auditor.limited && r.HasTime && !w.auditor.config.Period.contains(r.Time) {
		w.tally.OutOfPeriod++
		w.tally.Outside.add(r.Time)
		return
	}
	w.tally.Lines++
	w.tally.NotJudged++
	w.tally.NoRequest++
}

// Overlong counts a line that is too long to be kept, by its beginning. It is not
// parsed: its meaning may depend on the rest.
func (w *Worker) Overlong(line []byte) {
	w.tally.Lines++
	w.unparsed(line)
}

func (w *Worker) unparsed(line []byte) {
	w.tally.Unparsed++
	w.tally.Quoted.add(0, line)
}

// line counts the request that the reader has returned.
func (w *Worker) line() {
	if w.quota.isUsedUp() {
		w.empty()
	}
	r, t := &w.record, w.tally
	if w.auditor.config.Fetched != nil {
		w.giveFetched()
		return
	}
	if w.auditor.limited {
		w.reader.Complete(r)
		if r.HasTime && !w.auditor.config.Period.contains(r.Time) {
			w.outside()
			return
		}
	}
	if w.auditor.config.Seen != nil {
		w.giveSeen()
		return
	}
	t.Lines++
	t.Bytes = report.Plus(t.Bytes, byteSum(max(r.Size, 0)))
	c := w.agent(r.Agent)
	hash, inSample := w.inProxySample()
	isCrawler := c.isCrawler()
	if (isCrawler || inSample || r.Robots || w.everybody != nil) && !w.auditor.limited {
		w.reader.Complete(r)
	}
	if inSample {
		w.addToProxySample(hash)
	}
	if isCrawler {
		w.request(c)
		return
	}
	t.NotCrawlers++
	if len(r.Referer) > 1 { // and not "-"
		w.referred()
	}
	switch {
	case c == nil:
		if len(r.Agent) <= 1 { // nothing, or "-"
			t.NoAgent++
		}
	case c == anyCDN:
		t.CDNAgents++
	default:
		if c.Library {
			t.HTTPLibraries++
		}
		if c.Overlooked {
			t.Overlooked.add(string(c.header), tallied{N: 1})
		}
	}
	if w.everybody != nil {
		w.undeclared()
	}
	if r.Robots {
		w.othersFetch()
	}
}

// outside looks at a record outside of the period. It is no more than counted, unless it is a
// GET of robots.txt: the verdicts of requests in the period are those of the whole log.
func (w *Worker) outside() {
	w.tally.OutOfPeriod++
	w.tally.Outside.add(w.record.Time)
	if hash, inSample := w.inProxySample(); inSample {
		w.addToProxySample(hash)
	}
	if !w.record.Robots || string(w.record.Method) != "GET" || w.tally.whatIf != nil || w.robotsAsk() != asksRobots {
		return
	}
	w.tally.Elsewhere++
	at := w.site()
	if at.other {
		return
	}
	c, identity := w.agent(w.record.Agent), report.Unverified
	w.showed(at, !c.isCrawler())
	if !c.isCrawler() {
		c = nil
	} else {
		first, known := c, report.Unverified
		w.eachIdentity(c, w.client(), func(as *agent, i report.Identity, _ bool) {
			if w.when != ifIsCut {
				first, known = as, i
			}
			w.tell(at, as, i, w.kindAt(at), fetchOutside)
			if !as.Ambiguous {
				w.countSize(at)
			}
		})
		c, identity = first, known
	}
	if c == nil {
		w.countSize(at)
	}
	w.giveAnswer(at, c, identity)
}
