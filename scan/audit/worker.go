package audit

import (
	"bytes"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Worker reads lines and counts them in its own tally. It belongs to one goroutine.
//
// Most lines come from browsers, and cost only Reader.Next of their format and one lookup in the memo of headers.
// Nothing else is examined unless the header is a crawler's or /robots.txt is requested. A line allocates only if
// it brings something new, such as a header, a host or a line to be quoted.
type Worker struct {
	auditor *Auditor
	run     *Run
	tally   *tally
	quota   quota // for the memos of all parts and the rows of tally
	// The parts of a worker, and the methods that they bring:
	records        // reads lines
	clients        // agent, identify (crawlers.go, identity.go): who sent the record
	sites          // site (site.go): where it went
	judging        // ask (judging.go): the record as a question to package judge, which target answers
	counting       // see, countClient (figures.go, request.go): counts that need no verdict
	keeper         // keep (deferred.go): writes deferred records
	zoneless bool  // the time zone is unknown
	event    Event // the current event
	origins  originTexts
}

// records reads the lines of a chunk.
type records struct {
	readers map[*format.Format]format.Reader
	reader  format.Reader // of the chunk
	record  format.Record
	place   place
}

// maxReaders limits the readers that a worker keeps. Each log may have its own format, and a reader
// takes some ten kilobytes.
const maxReaders = 32

// reset starts a chunk of a format.
func (s *records) reset(f *format.Format, header, data []byte) {
	s.reader = s.readers[f]
	if s.reader == nil {
		if len(s.readers) == maxReaders {
			clear(s.readers)
		}
		s.reader = f.NewReader()
		s.readers[f] = s.reader
	}
	if headed, ok := s.reader.(format.Headed); ok {
		headed.SetHeader(header)
	}
	s.place.chunk, s.place.counted = data, 0
	s.reader.Reset(data)
}

// place is the position of a worker's chunk.
type place struct {
	input   int
	line    int64 // the number of the line at counted
	chunk   []byte
	counted int // the offset in chunk up to which lines were counted
}

// numberOf returns the line number of a record. Records come in the order of their lines.
func (p *place) numberOf(r *format.Record) int64 {
	p.line += int64(bytes.Count(p.chunk[p.counted:r.Offset], []byte("\n")))
	p.counted = r.Offset
	return p.line
}

// Worker returns a new worker of the run. All workers must be made by one goroutine, before Report.
func (r *Run) Worker() *Worker {
	a := r.auditor
	w := new(Worker) // set field by field: assigning a whole Worker would copy it from the stack
	w.auditor, w.run, w.tally, w.origins = a, r, a.newTally(), originTexts{}
	w.quota.limit = r.budget.memos
	w.records.readers = map[*format.Format]format.Reader{}
	w.event.Worker, w.event.N = len(r.workers), 1
	w.tally.quota = &w.quota
	w.clients.auditor, w.clients.tally, w.clients.quota = a, w.tally, &w.quota
	w.clients.headers, w.senders.slots = a.config.Crawlers.Reader(), newSlots[sender]()
	w.sites = newSites(&a.config, &w.quota)
	w.judging.start(a, &w.quota)
	w.target.judging, w.question.Copies = &w.judging, &w.target
	w.counting.auditor, w.counting.tally, w.counting.quota = a, w.tally, &w.quota
	w.keeper = keeper{run: r, deferred: r.deferred.Writer(), out: coder{policy: a.config.Policy}}
	w.empty()
	r.workers = append(r.workers, w)
	return w
}

// empty hands over the rows of the worker's tally and empties the memos, whose agents point to
// these rows. No agent may be in use.
func (w *Worker) empty() {
	w.deferUnknown()
	w.run.addRows(w.tally.known)
	w.tally.known = map[*crawler.Profile]*row{}
	w.clients.empty()
	w.sites.empty()
	w.judging.empty()
	w.counting.empty()
	if t := w.tally.whatIf; t != nil {
		t.empty()
	}
	w.quota.held = 0
}

// deferUnknown converts the rows of unknown crawlers to deferred records. A log may name any number
// of unknown crawlers; sorting on disk adds up their rows in bounded memory.
func (w *Worker) deferUnknown() {
	for key, row := range w.tally.unknown {
		w.deferCounts(key, row)
	}
	w.tally.unknown = map[string]*row{}
}

// end hands over the counts that the worker still holds.
func (w *Worker) end() error {
	w.deferUnknown()
	if w.err == nil {
		w.err = w.deferred.Flush()
	}
	return w.err
}

// Err returns the first error of a sink or of writing a deferred record. After an error no report
// can be made, so reading may stop.
func (w *Worker) Err() error { return w.err }

// Counted returns how many lines the worker has counted, how many of these could not be parsed, and
// how many further lines were outside of the period.
func (w *Worker) Counted() (lines, unparsed, outside int64) {
	return w.tally.Lines, w.tally.Unparsed, w.tally.OutOfPeriod
}

// SetSite sets the site that logged the following chunks, which is the destination of requests if the log names no
// hosts. The default is policy.Policy.Unnamed. If only is true, lines that name another host are not judged.
func (w *Worker) SetSite(s policy.Site, only bool) { w.unnamed.Site, w.only = s, only }

// SetZoneless sets whether the times of the following chunks name no zone and their zone is
// unknown. If this applies to any log, all times of the audit are as uncertain as the constant zoneless.
func (w *Worker) SetZoneless(is bool) {
	w.policy = w.auditor.config.Policy
	w.zoneless = is
	if is {
		w.policy = w.auditor.zoneless()
	}
}

// SetPlace sets the position of the next chunk, for Place. line is the number of its first line in
// the input, from 1. It must come before Chunk. Only sinks use the position.
func (w *Worker) SetPlace(input int, line int64) { w.place = place{input: input, line: line} }

// Chunk counts whole lines in a format. If the format's logs name their columns, header is the preceding header, as
// returned by Format.LastHeader; otherwise it is nil. Chunk does not retain data.
func (w *Worker) Chunk(f *format.Format, header, data []byte) {
	w.records.reset(f, header, data)
	before, without := w.tally.Read(), w.tally.NoAgent
	w.lines()
	if !f.HasAgent() {
		w.tally.NoAgent = without // the format has no such field
	}
	if w.zoneless {
		w.tally.Zoneless += w.tally.Read() - before
	}
}

func (w *Worker) lines() {
	for {
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

// noRequest counts a line without an HTTP request, which clears and accuses nobody.
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

// Overlong counts a line that is too long to keep, given its beginning. It is not parsed, because
// its meaning may depend on the rest.
func (w *Worker) Overlong(line []byte) {
	w.tally.Lines++
	w.unparsed(line)
}

func (w *Worker) unparsed(line []byte) {
	w.tally.Unparsed++
	w.tally.Quoted.add(0, line)
}

// line counts the request that was read last.
func (w *Worker) line() {
	if w.quota.isUsedUp() {
		w.empty()
	}
	r, t, config := &w.record, w.tally, &w.auditor.config
	if config.Fetched != nil {
		w.giveFetched()
		return
	}
	if w.auditor.limited {
		w.reader.Complete(r)
		if r.HasTime && !config.Period.contains(r.Time) {
			w.outside()
			return
		}
	}
	if config.Seen != nil {
		w.giveSeen()
		return
	}
	t.Lines++
	t.Bytes = report.Plus(t.Bytes, byteSum(max(r.Size, 0)))
	c := w.agent(r.Agent)
	hash, inSample := t.inProxySample(r.Line)
	isCrawler := c.isCrawler()
	if (isCrawler || inSample || r.Robots || w.everybody != nil) && !w.auditor.limited {
		w.reader.Complete(r)
	}
	if inSample {
		t.addToProxySample(hash, w.client())
	}
	if isCrawler {
		w.request(c)
		return
	}
	w.visitor(c)
	if w.everybody != nil {
		w.undeclared()
	}
	if r.Robots {
		w.othersFetch()
	}
}

// visitor counts the record of a client that is no crawler. A nil agent is unknown.
func (w *Worker) visitor(c *agent) {
	r, t := &w.record, w.tally
	t.NotCrawlers++
	if len(r.Referer) > 1 { // not "-"
		w.referred(r.Referer)
	}
	switch {
	case c == nil:
		if len(r.Agent) <= 1 { // empty or "-"
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
}

// outside counts a record outside of the period. It ignores everything but GETs of robots.txt, so
// verdicts in the period are the same as in an audit of the whole log.
func (w *Worker) outside() {
	r, t := &w.record, w.tally
	t.OutOfPeriod++
	t.Outside.add(r.Time)
	if hash, inSample := t.inProxySample(r.Line); inSample {
		t.addToProxySample(hash, w.client())
	}
	if !r.Robots || t.whatIf != nil || !w.isRobotsGet() {
		return
	}
	t.Elsewhere++
	at := w.site(r)
	if at.other {
		return
	}
	c, first := w.agent(r.Agent), nobody
	w.showed(at, !c.isCrawler())
	if c.isCrawler() {
		who := w.identify(c, r, w.client())
		for i := range who {
			w.tell(at, &who[i], w.kindAt(at), fetchOutside)
			if !who[i].Ambiguous {
				w.countSize(at, who[i].when)
			}
		}
		first = &who[0]
	} else {
		w.countSize(at, always)
	}
	w.giveAnswer(at, first)
}

// client returns the logged address of the client.
func (w *Worker) client() []byte {
	return w.auditor.config.ClientIP.Of(w.record.Addr, w.record.Forwarded)
}

// address returns the client's address as logged. It returns nil if there is none or if it would
// have to be cut, so that two clients never become one.
func (w *Worker) address() []byte {
	if a := w.client(); len(a) <= maxHostName && string(a) != "-" {
		return a
	}
	return nil
}

// scope returns where the record went. If it is not to be judged, because of its target or its
// host, scope counts it as such, and ok is false.
func (w *Worker) scope() (at *site, ok bool) {
	t, r := w.tally, &w.record
	if isNotJudged(r) {
		t.NotJudged++
		return nowhere, false
	}
	at = w.site(r)
	if at.other {
		t.OtherHost++
		t.Hosts.add(at.host, tallied{N: 1})
		if w.isRobotsGet() {
			t.Elsewhere++
		}
		return at, false
	}
	if r.HasTime {
		t.Period.add(r.Time)
	}
	return at, true
}

// isNotJudged reports whether a record requests no resource that robots.txt could cover.
func isNotJudged(r *format.Record) bool { return r.Target[0] == '*' || string(r.Method) == "CONNECT" }
