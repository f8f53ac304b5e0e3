package audit

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// A deferred record is kept until the whole input has been read. Sorted by bytes, records are in
// the order in which the final pass needs them: first those about the crawlers of all operators,
// then all records of each operator together. So a record begins with
//
//	0           about all
//	1 operator  a known operator, by its number
//	2 operator  an unknown crawler, by its name and 0
//
// After that comes its kind, with
//
//	answer   the answer to a GET of /robots.txt by any client
//	counts   the counts of an unknown crawler in a part of the input
//	fetch    a GET of /robots.txt by a crawler
//	event    a request whose verdict is open, or that waits for Config.Judged
//	delayed  a request to which a Crawl-delay applies
//
// The counts (state.go) follow the name as the crawler writes it. Each other kind has a type below,
// whose method code lists its fields.
const (
	aboutAll byte = iota
	aboutKnown
	aboutUnknown
)

// The kinds of deferred records.
const (
	recordAnswer byte = iota
	recordCounts
	recordFetch
	recordEvent
	recordDelayed
)

// answered is the answer to a GET of /robots.txt by any client.
type answered struct {
	judge.Answer
	site policy.Site
	// mayBeCut means that, if addresses are cut, the address that Client belongs to is no client's.
	mayBeCut bool
}

func (x *answered) code(c *coder) {
	c.time(&x.Time)
	c.flag(&x.HasTime)
	c.site(&x.site)
	octet(c, &x.Kind, judge.Kinds, "an answer's kind is invalid")
	if x.Kind == judge.ToldGone {
		c.hash(&x.Client)
		c.flag(&x.Stranger)
		c.flag(&x.Is410)
		c.flag(&x.mayBeCut)
	}
}

// fetch is a GET of /robots.txt by a crawler.
type fetch struct {
	judge.Fetch
	identity report.Identity
	use      fetchUse
	when     ifCut
	address  []byte // empty if it does not matter
}

// fetchUse is the use made of a fetch of robots.txt.
type fetchUse byte

const (
	fetchCounted  fetchUse = iota // counted for its crawler
	fetchOutside                  // outside the period, but it has informed its crawler
	fetchTimeless                 // without a time in the log: only the size counts
	fetchUses
)

func (x *fetch) code(c *coder) {
	c.time(&x.Time)
	c.sender(&x.Sender)
	octet(c, &x.Kind, judge.Kinds, "an answer's kind is invalid")
	uvarint(c, &x.Size, math.MaxInt64)
	octet(c, &x.identity, report.Identities, "an identity is invalid")
	octet(c, &x.use, fetchUses, "a fetch's use is invalid")
	octet(c, &x.when, ifCuts, "its case is invalid")
	text(c, &x.address)
}

// delayed is a request to which a Crawl-delay applies.
type delayed struct {
	from    judge.Sender
	address []byte
	time    int64
	millis  int64
	when    ifCut
}

func (x *delayed) code(c *coder) {
	c.sender(&x.from)
	text(c, &x.address)
	c.time(&x.time)
	uvarint(c, &x.millis, math.MaxInt64/millisecond) // as many as fit into a time.Duration
	octet(c, &x.when, ifCuts, "its case is invalid")
}

// code codes the fields of a request whose verdict is open or, if counted, that waits for the
// meaning of the addresses. Sinks need more of it than a report.
func (e *Event) code(c *coder, config *Config) {
	c.sender(&e.from)
	text(c, &e.proof)
	c.time(&e.Time)
	for _, is := range [...]*bool{&e.counted, &e.HasTime, &e.exact, &e.hasNormal, &e.Challenged} {
		c.flag(is)
	}
	octet(c, &e.when, ifCuts, "its case is invalid")
	octet(c, &e.Identity, report.Identities, "an identity is invalid")
	octet(c, &e.Outcome, report.Outcomes, "a request's outcome is invalid")
	octet(c, &e.MethodClass, report.Methods, "a request's method is invalid")
	if e.counted {
		octet(c, &e.Verdict, report.Verdicts, "a request's verdict is invalid")
		octet(c, &e.Reason, report.Reasons, "a request's reason is invalid")
	} else {
		e.codeOpen(c)
	}
	text(c, &e.Target)
	size := e.Size - format.NoSizes
	uvarint(c, &size, math.MaxInt64)
	if config.Judged != nil {
		e.codeListed(c)
	}
	if config.Judged != nil || config.Samples > 0 {
		text(c, &e.Line)
	}
	if c.reads {
		e.Size, e.Site = size+format.NoSizes, e.from.Site
	}
}

func (e *Event) codeOpen(c *coder) {
	c.require(e.from.Site.N > 0 && e.HasTime, "a request has no origin or no time")
	e.stances = c.stances(e.from.Site, e.copies, false, e.stances)
	if e.hasNormal {
		e.normal = c.stances(e.from.Site, e.copies, true, e.normal)
	}
	if c.bad() {
		return
	}
	uvarint(c, &e.cited, int32(len(c.policy.Versions(e.from.Site.First))))
	fixed(c, &e.line)
}

// codeListed codes what only Config.Judged needs.
func (e *Event) codeListed(c *coder) {
	uvarint(c, &e.Input, math.MaxInt32)
	uvarint(c, &e.Number, mostLines)
	uvarint(c, &e.Status, maxStatus)
	for _, of := range [...]*[]byte{&e.Address, &e.Agent, &e.Method, &e.Claim} {
		text(c, of)
	}
	c.flag(&e.Cut)
}

// All times that a format can parse lie well within these bounds, which leaves margins for windows around them.
var (
	earliest = time.Date(1690, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	latest   = time.Date(2240, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
)

// keeper writes deferred records.
type keeper struct {
	run      *Run
	deferred *spill.Writer
	out      coder // the current record
	err      error // the first error
}

// begin starts a record.
func (w *keeper) begin(operator []byte, kind byte) *coder {
	w.out.data = append(append(w.out.data[:0], operator...), kind)
	return &w.out
}

// keep writes the current record.
func (w *keeper) keep() {
	if w.err == nil {
		w.err = w.deferred.Add(w.out.data)
	}
}

// deferCounts keeps the counts of an unknown crawler. A log may name any number of unknown
// crawlers; sorting on disk adds up their rows in bounded memory.
func (w *keeper) deferCounts(key string, row *row) {
	c := w.begin(unknownOperator(key), recordCounts)
	text(c, &row.name)
	c.data = appendRow(c.data, row)
	w.keep()
}

// deferAnswer keeps the record as an answer to a GET of robots.txt. stranger means that the client
// names no crawler.
func (w *Worker) deferAnswer(at *site, kind judge.Kind, stranger bool) {
	x := answered{Answer: judge.AnswerOf(kind, w.record.Time, w.record.HasTime), site: at.Site}
	if kind == judge.ToldGone {
		x.Stranger, x.Is410 = stranger, w.record.Status == 410
		if a := w.address(); len(a) > 0 {
			x.Client, x.mayBeCut = hashBytes(a), crawler.KindOf(a) == crawler.IPv4MayBeCut
		}
	}
	x.code(w.begin([]byte{aboutAll}, recordAnswer))
	w.keep()
}

// sender returns the crawler as the sender of a request to a site.
func (c *agent) sender(at policy.Site) judge.Sender {
	return judge.Sender{Crawler: c.index, Word: c.word, Site: at}
}

// keptAddress returns the client's address if all addresses are to be kept.
func (w *Worker) keptAddress() []byte {
	if w.auditor.config.KeepAddresses {
		return w.address()
	}
	return nil
}

// deferDelayed keeps the record as a request that a Crawl-delay applies to, if the log identifies its client.
func (w *Worker) deferDelayed(at *site, x *client, delay time.Duration) {
	d := delayed{x.sender(at.Site), w.address(), w.record.Time, max(delay.Milliseconds(), 0), x.when}
	if len(d.address) > 0 {
		d.code(w.begin(x.operator, recordDelayed))
		w.keep()
	}
}

// deferRequest keeps an event whose verdict depends on other lines.
func (w *Worker) deferRequest(e *Event, x *client, q *judge.Case) {
	e.counted, e.exact, e.hasNormal, e.copies = false, q.Exact, q.HasNormal, q.Copies
	e.cited, e.line, e.proof = 0, 0, w.keptAddress()
	if version := q.Lawful.Quoted; version >= 0 {
		e.cited = version + 1
		e.line = w.lineOf(x.agent, e.Site.First, version)
	}
	w.deferEvent(e, x)
}

// deferCounted keeps an event that was counted with its verdict until it is known what the addresses prove.
func (w *Worker) deferCounted(e *Event, x *client) {
	e.counted, e.exact, e.hasNormal, e.proof = true, false, false, nil
	w.deferEvent(e, x)
}

// deferEvent keeps an event, with as much of its line as is needed.
func (w *Worker) deferEvent(e *Event, x *client) {
	e.from = x.agent.sender(e.Site)
	if c := &w.auditor.config; c.Judged != nil {
		w.describe(e, x)
	} else {
		r := &w.record
		e.classify(r)
		e.Target, e.Size, e.Line = r.Target[:min(len(r.Target), maxPath)], max(r.Size, 0), beginning(r.Line)
	}
	e.code(w.begin(x.operator, recordEvent), &w.auditor.config)
	w.keep()
}

// coder writes or reads the fields of a deferred record or another part of a state. Each kind of
// record has one list of its fields for both. Texts that it reads are views.
//
// Numbers of a fixed length sort in numerical order as bytes: they are big-endian, and times have
// their sign bit flipped. All other numbers are uvarints.
type coder struct {
	policy *policy.Policy
	reads  bool
	data   []byte // written so far, or still to be read
	wrong  string // the first error found while reading, or ""
}

func newReader(p *policy.Policy, b []byte) *coder { return &coder{policy: p, reads: true, data: b} }

// bad reports whether an error was found.
func (c *coder) bad() bool { return c.wrong != "" }

// require marks the record as bad, for the given reason, unless ok is true.
func (c *coder) require(ok bool, wrong string) {
	if !ok && c.wrong == "" {
		c.wrong = wrong
	}
}

// fail marks the record as bad and stops reading it.
func (c *coder) fail(wrong string) {
	c.require(false, wrong)
	c.data = nil
}

func (c *coder) take(n int) []byte {
	if n > len(c.data) {
		c.fail("it is cut short")
		return make([]byte, n)
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

// octet codes a number less than below.
func octet[E ~uint8](c *coder, v *E, below E, wrong string) {
	if !c.reads {
		c.data = append(c.data, byte(*v))
		return
	}
	*v = E(c.take(1)[0])
	c.require(*v < below, wrong)
}

// uvarint codes a number from 0 to most.
func uvarint[N int | int32 | int64 | uint32](c *coder, v *N, most N) {
	if !c.reads {
		c.data = binary.AppendUvarint(c.data, uint64(*v))
		return
	}
	u, n := binary.Uvarint(c.data)
	if n <= 0 || u > uint64(most) {
		c.fail("a number is too large or invalid")
		return
	}
	*v, c.data = N(u), c.data[n:]
}

// fixed codes a number of four bytes.
func fixed[N int32 | uint32](c *coder, v *N) {
	if c.reads {
		*v = N(binary.BigEndian.Uint32(c.take(4)))
	} else {
		c.data = binary.BigEndian.AppendUint32(c.data, uint32(*v))
	}
}

// text codes a text, preceded by its length.
func text[T string | []byte](c *coder, v *T) {
	n := len(*v)
	uvarint(c, &n, len(c.data))
	if c.reads {
		*v = T(c.take(n))
	} else {
		c.data = append(c.data, *v...)
	}
}

func (c *coder) time(t *int64) {
	if !c.reads {
		c.data = binary.BigEndian.AppendUint64(c.data, uint64(*t)^1<<63)
		return
	}
	*t = int64(binary.BigEndian.Uint64(c.take(8)) ^ 1<<63)
	c.require(earliest <= *t && *t <= latest, "a time is out of range")
}

func (c *coder) hash(h *uint64) {
	if c.reads {
		*h = binary.BigEndian.Uint64(c.take(8))
	} else {
		c.data = binary.BigEndian.AppendUint64(c.data, *h)
	}
}

func (c *coder) flag(is *bool) {
	v := uint8(0)
	if *is {
		v = 1
	}
	octet(c, &v, 2, "a flag is neither 0 nor 1")
	if c.reads {
		*is = v == 1
	}
}

// end requires that all bytes were read.
func (c *coder) end() { c.require(len(c.data) == 0, "it is too long") }

// operator reads the operator's key, or what replaces it, and the name if it is an unknown crawler.
func (c *coder) operator() (key []byte, name string) {
	all := c.data
	switch c.take(1)[0] {
	case aboutAll:
	case aboutKnown:
		number := uint32(0)
		uvarint(c, &number, math.MaxUint32)
	case aboutUnknown:
		end := bytes.IndexByte(c.data, 0)
		if end < 0 {
			c.require(false, "a name does not end")
			return nil, ""
		}
		name = string(c.take(end))
		c.take(1)
	default:
		c.require(false, "its subject is unknown")
	}
	return all[:len(all)-len(c.data)], name
}

// kind reads the kind of a record, which follows the operator's key.
func (c *coder) kind() byte { return c.take(1)[0] }

// sender codes a crawler, the site that it requested, and its word if its name is only a part of that.
func (c *coder) sender(s *judge.Sender) {
	uvarint(c, &s.Crawler, math.MaxUint32)
	c.site(&s.Site)
	text(c, &s.Word)
}

func (c *coder) site(at *policy.Site) {
	fixed(c, &at.First)
	fixed(c, &at.N)
	if c.reads && !hasSite(c.policy, *at) {
		c.require(false, "an origin is not in the policy")
		*at = policy.Site{}
	}
}

func hasSite(p *policy.Policy, at policy.Site) bool {
	return at.First >= 0 && at.N >= 0 && int64(at.First)+int64(at.N) <= int64(len(p.Origins()))
}

// stances codes the stances of all copies of each origin of a site, as runs of equal ones: each run is one number,
// from its length and stance. They are computed from copies when written, and read into list.
func (c *coder) stances(at policy.Site, copies judge.Copies, normal bool, list [][]policy.Stance) [][]policy.Stance {
	for i := range int(at.N) {
		if !c.reads {
			c.data = appendRuns(c.data, copies.Stances(at.First+int32(i), normal))
			continue
		}
		if i == len(list) {
			list = append(list, nil)
		}
		list[i] = c.runs(list[i][:0], c.policy.Copies(at.First+int32(i)))
	}
	return list
}

func appendRuns(b []byte, stances []policy.Stance) []byte {
	for len(stances) > 0 {
		n := 1
		for n < len(stances) && stances[n] == stances[0] {
			n++
		}
		b = binary.AppendUvarint(b, uint64(n)<<2|uint64(stances[0]))
		stances = stances[n:]
	}
	return b
}

// runs appends the stance of each copy of an origin.
func (c *coder) runs(dst []policy.Stance, copies int) []policy.Stance {
	for left := copies; left > 0; {
		run := 0
		uvarint(c, &run, left<<2|3)
		if run>>2 == 0 {
			c.fail("the number of stances differs from the number of copies")
			return append(dst, make([]policy.Stance, left)...)
		}
		for range run >> 2 {
			dst = append(dst, policy.Stance(run&3))
		}
		left -= run >> 2
	}
	return dst
}
