package audit

import (
	"math"
	"time"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// A deferred record is kept until the whole input has been read. The order of its
// bytes is the order in which the final pass needs it: first what concerns the crawlers
// of all operators, then all records of each operator together. So a record begins with
//
//	0           about all
//	1 operator  of a known operator, by its number
//	2 operator  an unknown crawler, by its name and 0
//
// After that comes its kind, with
//
//	answer   what a GET of /robots.txt by any client was answered
//	counts   the counts of an unknown crawler in a part of the input
//	fetch    a GET of /robots.txt by a crawler
//	visit    a request whose verdict is open, or that waits for Config.Judged
//	delayed  a request to which a Crawl-delay applies
//
// The counts (counts.go) follow the name as the crawler writes it. Each other kind has a type
// below, whose method code lists its fields.
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
	recordVisit
	recordDelayed
)

// answered is what a GET of /robots.txt by any client was answered.
type answered struct {
	judge.Answer
	site policy.Site
	// mayBeCut: the address that Client is of is no client's, if addresses are cut.
	mayBeCut bool
}

func (x *answered) code(c *coder) {
	c.time(&x.Time)
	c.flag(&x.HasTime)
	c.site(&x.site)
	octet(c, &x.Kind, judge.Kinds, "an answer is of no kind")
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

// fetchUse is what a fetch of robots.txt is used for.
type fetchUse byte

const (
	fetchCounted  fetchUse = iota // it is one of its crawler's
	fetchOutside                  // it is outside of the period, but has told its crawler something
	fetchTimeless                 // the log does not tell when it was: nothing but the size counts
	fetchUses
)

func (x *fetch) code(c *coder) {
	c.time(&x.Time)
	c.sender(&x.Sender)
	octet(c, &x.Kind, judge.Kinds, "an answer is of no kind")
	uvarint(c, &x.Size, math.MaxInt64)
	octet(c, &x.identity, report.Identities, "an identity is of no kind")
	octet(c, &x.use, fetchUses, "a fetch is of no use")
	octet(c, &x.when, ifCuts, "it is counted in no case")
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
	uvarint(c, &x.millis, math.MaxInt64/millisecond) // as many as a time.Duration can have
	octet(c, &x.when, ifCuts, "it is counted in no case")
}

// visit is a request whose verdict is open or, if counted, one that has been counted in its row
// and waits for Config.Judged until it is known whether addresses prove anything.
type visit struct {
	Judged
	from    judge.Sender
	address []byte // empty if it does not matter
	counted bool
	when    ifCut
	// Of one that is open:
	exact, hasNormal bool
	copies           judge.Copies      // when it is written
	stances, normal  [][]policy.Stance // when it has been read: of each origin, and for its normal form
	cited            int32             // 1 and the version that a violation would quote
	line             uint32            // and the line
	path             []byte            // the beginning of its target

	row  *row
	rule ruleKey // if a violation
}

func (x *visit) code(c *coder, config *Config) {
	c.sender(&x.from)
	text(c, &x.address)
	c.time(&x.Time)
	for _, is := range [...]*bool{&x.counted, &x.HasTime, &x.exact, &x.hasNormal} {
		c.flag(is)
	}
	octet(c, &x.when, ifCuts, "it is counted in no case")
	octet(c, &x.Identity, report.Identities, "an identity is of no kind")
	octet(c, &x.Outcome, report.Outcomes, "a request is of no outcome")
	octet(c, &x.MethodClass, report.Methods, "a request is of no method")
	if x.counted {
		octet(c, &x.Verdict, report.Verdicts, "a request has no verdict")
		octet(c, &x.Reason, report.Reasons, "a request is undecided for no reason")
	} else {
		x.codeOpen(c)
	}
	x.Size -= format.NoSizes // which is negative
	uvarint(c, &x.Size, math.MaxInt64)
	x.Size += format.NoSizes
	if config.Judged != nil {
		x.codeGiven(c)
	}
	if config.Judged != nil || config.Samples > 0 {
		text(c, &x.Line)
	}
}

func (x *visit) codeOpen(c *coder) {
	c.require(x.from.Site.N > 0 && x.HasTime, "a request is to no origin, or has no time")
	x.stances = c.stances(x.from.Site, x.copies, false, x.stances)
	if x.hasNormal {
		x.normal = c.stances(x.from.Site, x.copies, true, x.normal)
	}
	if c.bad() {
		return
	}
	uvarint(c, &x.cited, int32(len(c.policy.Versions(x.from.Site.First))))
	fixed(c, &x.line)
	text(c, &x.path)
}

// codeGiven is for what Config.Judged gets, and no report needs.
func (x *visit) codeGiven(c *coder) {
	uvarint(c, &x.Input, math.MaxInt32)
	uvarint(c, &x.Number, mostLines)
	uvarint(c, &x.Status, maxStatus)
	for _, of := range [...]*[]byte{&x.Address, &x.Agent, &x.Method, &x.Target} {
		text(c, of)
	}
	c.flag(&x.Cut)
}

// Times that a format can read lie well within these bounds, which leaves room for
// windows around them.
var (
	earliest = time.Date(1690, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	latest   = time.Date(2240, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
)

// begin begins a record.
func (w *Worker) begin(operator []byte, kind byte) *coder {
	w.out.b = append(append(w.out.b[:0], operator...), kind)
	return &w.out
}

// keepFact writes the record that was begun, which is not of a request for Config.Judged, unless
// the run has the facts of all lines.
func (w *Worker) keepFact() {
	if !w.run.hasFacts {
		w.keep()
	}
}

// keep writes the record that was begun.
func (w *Worker) keep() {
	if w.err == nil {
		w.err = w.deferred.Add(w.out.b)
	}
}

// deferCounts keeps the counts of an unknown crawler. A log may name any number of these; the sort
// on disk adds up their rows in bounded memory.
func (w *Worker) deferCounts(key string, row *row) {
	c := w.begin(unknownOperator(key), recordCounts)
	text(c, &row.name)
	c.b = appendRow(c.b, row)
	w.keepFact()
}

// deferAnswer keeps the record as an answer to a GET of robots.txt by any client, who may be a stranger
// that names no crawler.
func (w *Worker) deferAnswer(at site, kind judge.Kind, stranger bool) {
	x := answered{Answer: judge.AnswerOf(kind, w.record.Time, w.record.HasTime), site: at.Site}
	if kind == judge.ToldGone {
		x.Stranger, x.Is410 = stranger, w.record.Status == 410
		if a := w.address(); len(a) > 0 {
			x.Client, x.mayBeCut = hashBytes(a), crawler.KindOf(a) == crawler.IPv4MayBeCut
		}
	}
	x.code(w.begin([]byte{aboutAll}, recordAnswer))
	w.keepFact()
}

// countSize counts the record, an answer to a GET of robots.txt, if it shows which file was sent.
func (w *Worker) countSize(at site) {
	size := judge.SizeOf(w.record.Status, w.record.Size)
	if size == 0 {
		return
	}
	for o := at.First; o < at.First+at.N; o++ {
		w.tally.Sent[sizesAt{o, !w.policy.HasSize(o, size), w.when}]++
	}
}

// sender returns a crawler that requested a site.
func (c *agent) sender(at site) judge.Sender {
	return judge.Sender{Crawler: c.index, Word: c.word, Site: at.Site}
}

// deferFetch keeps the record as a fetch of robots.txt, for the facts of its operator. The size
// is 0 if it does not show which file was sent.
func (w *Worker) deferFetch(at site, c *agent, identity report.Identity, kind judge.Kind, size int64, use fetchUse) {
	x := fetch{identity: identity, use: use, when: w.when, address: w.keptAddress()}
	if x.Sender, x.Kind, x.Size = c.sender(at), kind, size; use != fetchTimeless {
		x.Time = w.record.Time
	}
	x.code(w.begin(c.operator, recordFetch))
	w.keepFact()
}

// keptAddress returns the client's address if all are to be kept.
func (w *Worker) keptAddress() []byte {
	if w.auditor.config.KeepAddresses {
		return w.address()
	}
	return nil
}

// deferDelayed keeps the record as a request to which a Crawl-delay applies, if the log
// tells its client.
func (w *Worker) deferDelayed(at site, c *agent, delay time.Duration) {
	x := delayed{c.sender(at), w.address(), w.record.Time, max(delay.Milliseconds(), 0), w.when}
	if len(x.address) > 0 {
		x.code(w.begin(c.operator, recordDelayed))
		w.keepFact()
	}
}

// deferRequest keeps a request whose verdict depends on other lines.
func (w *Worker) deferRequest(q *judge.Case, at site, c *agent, identity report.Identity) {
	x := &w.visit
	*x = visit{Judged: w.asVisit(at, c, identity), from: c.sender(at), address: w.keptAddress(), when: w.when,
		exact: q.Exact, hasNormal: q.HasNormal, copies: q.Copies, path: w.record.Target[:min(len(w.record.Target), maxPath)]}
	if version := q.Lawful.Quoted; version >= 0 {
		x.cited = version + 1
		x.line = w.bindingAt(c, at.First).Judge(&w.scratch, w.policy.Versions(at.First)[version].Copy, w.record.Target).Line
	}
	w.keepVisit(c)
}

// deferCounted keeps the record, which has been counted with its verdict, until it is known
// whether addresses prove anything.
func (w *Worker) deferCounted(at site, c *agent, identity report.Identity, d judge.Decision) {
	w.visit = visit{Judged: w.asVisit(at, c, identity), from: c.sender(at), counted: true, when: w.when}
	w.visit.Verdict, w.visit.Reason = d.Verdict, d.Reason
	w.keepVisit(c)
}

// asVisit returns as much of the record as is kept.
func (w *Worker) asVisit(at site, c *agent, identity report.Identity) Judged {
	r, config := &w.record, &w.auditor.config
	if config.Judged != nil {
		return *w.asJudged(at, c, identity, judge.Decision{})
	}
	j := Judged{Time: r.Time, HasTime: true, Identity: identity, Outcome: w.outcome(), MethodClass: methodOf(r.Method),
		Size: max(r.Size, 0)}
	if config.Samples > 0 {
		j.Line = beginning(r.Line)
	}
	return j
}

func (w *Worker) keepVisit(c *agent) {
	if !w.visit.HasTime {
		w.visit.Time = 0
	}
	w.visit.code(w.begin(c.operator, recordVisit), &w.auditor.config)
	w.keep()
}
