package audit

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// A deferred record is kept until the whole input has been read. The order of its
// bytes is the order in which the final pass needs it: first what concerns the crawlers
// of all operators, then all records of each operator together, then the requests whose
// headers name crawlers of several operators.
//
//	0           about all:
//	  rival     the number of an operator that an ambiguous header names
//	  size      origin, version in force, size, number, of answers 200 to GETs of /robots.txt
//	  answer    minute, origins, kind of answer, of a GET of /robots.txt by any client
//	1 operator  of a known operator, by its number
//	2 operator  an unknown crawler, by its name and 0. Both have
//	  counts    the counts of an unknown crawler in a part of the input, as JSON
//	  fetch     time, crawler, origins, kind of answer, size, identity, perhaps address, of
//	            a GET of /robots.txt
//	  request   crawler, origins, for each of these the answers of its copies, in runs,
//	            and the line that a violation would quote, perhaps the answers for the
//	            normal form of its path, outcome and method, identity, time, and perhaps
//	            address and raw line
//	  visit     crawler, origins, address, time, and a request or a fetch as above: of an
//	            address whose request some copies forbid, and some do not
//	  delayed   crawler, origins, address, time, delay in milliseconds, of a request to
//	            which a Crawl-delay applies
//	3           with ambiguous headers:
//	  fetch     number of an operator, time, origins, kind of answer
//	  request   crawler, origins, time, each crawler that the header names with the answers
//	            of the copies
//
// Numbers are big-endian, except that the delay and the runs are uvarints. Times have
// their sign bit flipped, so that the order of bytes is the order of numbers.
const (
	aboutAll byte = iota
	aboutKnown
	aboutUnknown
	aboutAmbiguous
)

const (
	recordRival byte = iota
	recordSize
	recordAnswer
	recordCounts
	recordFetch
	recordRequest
	recordVisit
	recordDelayed
)

// Kinds of visits: at one moment, a request comes before a fetch.
const (
	visitRequest byte = iota
	visitFetch
)

// answerKind is the meaning of an answer to a GET of /robots.txt. Of two answers at one
// moment, a redirect comes before the file that it led to.
type answerKind uint8

const (
	toldNothing  answerKind = iota // to an agent that is not bound
	toldNone                       // there is none: everything is allowed
	toldLimited                    // 429: it failed for Google's crawlers, there is none for all others
	toldFailed                     // 503, or no answer at all
	toldError                      // another 5xx, which Google may take for a 404
	toldRedirect                   // it is elsewhere
	toldMoved                      // so too, but the log does not tell the scheme: perhaps from http to https
	toldFile                       // a body
	toldSame                       // not modified
	answerKinds
)

// answerOf returns the meaning of an answer in the log (audit-rules 2). Package answer
// knows that of the status; a log also has answers with 304, and sizes of bodies.
func answerOf(status int, size int64) answerKind {
	meaning := answer.Of(status, answer.Others)
	switch {
	case status == 304:
		return toldSame
	case meaning == answer.File && hasBody(status, size):
		return toldFile
	case meaning == answer.File:
		return toldNone
	case meaning == answer.Redirect:
		return toldRedirect
	case meaning != answer.Of(status, answer.Google):
		return toldLimited
	case meaning == answer.None:
		return toldNone
	case status/100 == 5 && status != 503:
		return toldError
	}
	return toldFailed
}

// sizeOf returns the size of an answer if it shows which file was sent, otherwise 0.
func sizeOf(status int, size int64) int64 {
	if status != 200 {
		return 0
	}
	return max(size, 0)
}

// Times that a format can read lie well within these bounds, which leaves room for
// windows around them.
var (
	earliest = time.Date(1690, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	latest   = time.Date(2240, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
)

// head begins a record in w.key.
func (w *Worker) head(operator []byte, kind byte) []byte {
	return append(append(w.key[:0], operator...), kind)
}

// appendCrawlerAt appends the index of the crawler, and its site.
func appendCrawlerAt(b []byte, c *agent, at site) []byte {
	return appendSite(binary.BigEndian.AppendUint16(b, c.index), at)
}

func appendSite(b []byte, at site) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(at.First))
	return binary.BigEndian.AppendUint32(b, uint32(at.N))
}

func appendTime(b []byte, t int64) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t)^1<<63)
}

// keep writes the record in w.key.
func (w *Worker) keep() {
	if w.err == nil {
		w.err = w.deferred.Add(w.key)
	}
}

// deferCounts keeps the counts of an unknown crawler.
func (w *Worker) deferCounts(key string, row *row) {
	counts, err := json.Marshal(saveRow(row))
	if err != nil {
		w.err = cmp.Or(w.err, err)
		return
	}
	w.key = append(w.head(unknownOperator(key), recordCounts), counts...)
	w.keep()
}

// deferAnswer keeps the record as an answer to a GET of robots.txt by any client, with its
// minute, unless the last answer of its kind was the same.
func (w *Worker) deferAnswer(at site, kind answerKind) {
	now := answerAt{at.Site, minuteOf(w.record.Time), true}
	if w.lastAnswers[kind] == now {
		return
	}
	w.lastAnswers[kind] = now
	b := append(w.key[:0], aboutAll, recordAnswer)
	b = appendTime(b, now.minute)
	w.key = append(appendSite(b, at), byte(kind))
	w.keep()
}

// answerAt is a minute in which a site answered a GET of robots.txt.
type answerAt struct {
	policy.Site
	minute int64
	any    bool // there was one
}

// minuteOf returns the beginning of the minute of a time.
func minuteOf(t int64) int64 {
	n := t % minute
	if n < 0 {
		n += minute
	}
	return t - n
}

// countSize counts the size of the record, an answer 200 to a GET of robots.txt, for each
// version that it may have been.
func (w *Worker) countSize(at site) {
	for o := at.First; o < at.First+at.N; o++ {
		first, last := w.auditor.config.Policy.InForceExactly(o, w.record.Time)
		for v := first; v < last; v++ {
			if at := (sizeAt{versionKey{o, int32(v)}, w.record.Size}); at != w.lastSize {
				w.flushSize()
				w.lastSize = at
			}
			w.lastSizes++
		}
	}
	if len(w.sizes) > maxSizes {
		w.deferSizes()
	}
}

// sizeAt is a size of answers while a version was in force.
type sizeAt struct {
	versionKey
	size int64
}

// flushSize counts the last size: nearly all answers are of the size of the one before.
func (w *Worker) flushSize() {
	if w.lastSizes > 0 {
		w.sizes[w.lastSize] += w.lastSizes
		w.lastSizes = 0
	}
}

// deferSizes keeps the sizes that were counted.
func (w *Worker) deferSizes() {
	w.flushSize()
	for at, n := range w.sizes {
		b := append(w.key[:0], aboutAll, recordSize)
		b = binary.BigEndian.AppendUint32(b, uint32(at.origin))
		b = binary.BigEndian.AppendUint32(b, uint32(at.version))
		b = binary.BigEndian.AppendUint64(b, uint64(at.size))
		w.key = binary.BigEndian.AppendUint64(b, uint64(n))
		w.keep()
	}
	clear(w.sizes)
}

// deferFetch keeps the record as a fetch of robots.txt: for the facts of its operator and,
// where a site had several copies, among the requests of its address.
func (w *Worker) deferFetch(at site, c *agent, identity Identity, kind answerKind) {
	size := sizeOf(w.record.Status, w.record.Size)
	b := appendTime(w.head(c.operator, recordFetch), w.record.Time)
	b = appendAnswer(appendCrawlerAt(b, c, at), kind, size, identity)
	if w.auditor.config.Addresses {
		b = appendBytes(b, w.address())
	}
	w.key = b
	w.keep()
	if w.mayChange(at) {
		b = append(w.appendVisit(w.head(c.operator, recordVisit), c, at), visitFetch)
		w.key = appendAnswer(b, kind, size, identity)
		w.keep()
	}
}

func appendAnswer(b []byte, kind answerKind, size int64, identity Identity) []byte {
	b = binary.BigEndian.AppendUint64(append(b, byte(kind)), uint64(size))
	return append(b, byte(identity))
}

// mayChange tells whether one of the origins had several copies.
func (w *Worker) mayChange(at site) bool {
	for o := at.First; o < at.First+at.N; o++ {
		if w.auditor.config.Policy.Copies(o) > 1 {
			return true
		}
	}
	return false
}

func (w *Worker) appendVisit(b []byte, c *agent, at site) []byte {
	b = appendBytes(appendCrawlerAt(b, c, at), w.address())
	return appendTime(b, w.record.Time)
}

// deferDelayed keeps the record as a request to which a Crawl-delay applies.
func (w *Worker) deferDelayed(at site, c *agent, delay time.Duration) {
	b := w.appendVisit(w.head(c.operator, recordDelayed), c, at)
	w.key = binary.AppendUvarint(b, uint64(max(delay.Milliseconds(), 0)))
	w.keep()
}

// deferRequest keeps a request whose verdict depends on other lines. normal is the normal
// form of its target, if that may be forbidden though the target is not; otherwise nil.
func (w *Worker) deferRequest(at site, c *agent, identity Identity, normal []byte) {
	r := &w.record
	answers, differ := w.appendAnswers(w.answersKey[:0], at, c, normal)
	w.answersKey = answers
	kinds := byte(w.outcome())<<4 | byte(methodOf(r.Method))
	if normal != nil {
		kinds |= withNormal
	}
	b := w.head(c.operator, recordRequest)
	if differ {
		b = append(w.appendVisit(w.head(c.operator, recordVisit), c, at), visitRequest)
	} else {
		b = appendCrawlerAt(b, c, at)
	}
	b = append(append(append(b, kinds), answers...), byte(identity))
	if !differ {
		if b = appendTime(b, r.Time); w.auditor.config.Addresses {
			b = appendBytes(b, w.address())
		}
	}
	if w.auditor.keepsLines() {
		b = append(b, beginning(r.Line)...)
	}
	w.key = b
	w.keep()
}

// withNormal is added to outcome and method if the answers for the normal form follow.
const withNormal = 8

// appendAnswers appends the answers of all copies of each origin for the record, and the
// line that a violation would quote; then the answers for the normal form of its target,
// if there is one. It has also the copies that were not lawful: what the log tells may
// depend on any of them. differ tells whether some copies forbid the target, and others
// do not.
func (w *Worker) appendAnswers(b []byte, at site, c *agent, normal []byte) (_ []byte, differ bool) {
	p, target := w.auditor.config.Policy, w.record.Target
	for o := at.First; o < at.First+at.N; o++ {
		line := uint32(0)
		if v := p.Lawful(o, w.record.Time, c.google).Cited; v >= 0 {
			line = w.bindingAt(c, o).Judge(&w.scratch, p.Versions(o)[v].Copy, target).Line
		}
		w.judgeCopies(c, o, target)
		b = binary.BigEndian.AppendUint32(appendRuns(b, w.answers), line)
		differ = differ || slices.Contains(w.answers, policy.Forbids) && slices.ContainsFunc(w.answers, notForbids)
	}
	for o := at.First; normal != nil && o < at.First+at.N; o++ {
		w.judgeCopies(c, o, normal)
		b = appendRuns(b, w.answers)
	}
	return b, differ
}

func notForbids(a policy.Answer) bool { return a != policy.Forbids }

// judgeCopies sets w.answers to the answers of all copies of an origin, and w.bySitemap if
// one permits only by a Sitemap line. Copies that are alike for the crawler are asked once.
func (w *Worker) judgeCopies(c *agent, o int32, target []byte) {
	binding := w.bindingAt(c, o)
	w.answers, w.bySitemap = w.answers[:0], false
	for i, first := range binding.Alike() {
		if int(first) < i {
			w.answers = append(w.answers, w.answers[first])
		} else {
			j := binding.Judge(&w.scratch, first, target)
			w.answers, w.bySitemap = append(w.answers, j.Answer), w.bySitemap || j.Sitemap
		}
	}
}

// deferAmbiguousFetch keeps the record as a fetch by crawlers of several operators.
func (w *Worker) deferAmbiguousFetch(at site, c *agent, kind answerKind) {
	for _, p := range c.Rivals {
		if rival := w.knownAgent(p); !rival.exempt() {
			b := append(w.key[:0], aboutAmbiguous, recordFetch)
			b = appendTime(append(b, operatorNumber(rival.operator)...), w.record.Time)
			w.key = append(appendSite(b, at), byte(kind))
			w.keep()
		}
	}
}

// operatorNumber returns the bytes of the number in the key of a known operator.
func operatorNumber(key []byte) []byte { return key[1:] }

// deferAmbiguous keeps a request with an ambiguous header that may be forbidden to every
// crawler that it names.
func (w *Worker) deferAmbiguous(at site, c *agent) {
	b := append(w.answersKey[:0], aboutAmbiguous, recordRequest)
	b = appendTime(appendCrawlerAt(b, c, at), w.record.Time)
	for _, p := range c.Rivals {
		rival := w.knownAgent(p)
		b, _ = w.appendAnswers(binary.BigEndian.AppendUint16(b, rival.index), at, rival, nil)
		w.key = append(append(w.key[:0], aboutAll, recordRival), operatorNumber(rival.operator)...)
		w.keep()
	}
	w.answersKey = b
	if w.err == nil {
		w.err = w.deferred.Add(b)
	}
}

// appendRuns appends answers as runs of equal ones: the length of each and the
// answer in one number.
func appendRuns(b []byte, answers []policy.Answer) []byte {
	for len(answers) > 0 {
		n := 1
		for n < len(answers) && answers[n] == answers[0] {
			n++
		}
		b = binary.AppendUvarint(b, uint64(n)<<2|uint64(answers[0]))
		answers = answers[n:]
	}
	return b
}

// address returns the client's address as the log has it.
func (w *Worker) address() []byte {
	a := w.auditor.config.ClientIP.Of(w.record.Addr, w.record.Forwarded)
	return a[:min(len(a), maxHostName)]
}

// appendBytes appends up to 255 bytes after their number.
func appendBytes(b, s []byte) []byte { return append(append(b, byte(len(s))), s...) }

// recordReader takes a deferred record apart. It returns views of the record.
type recordReader struct {
	rest []byte
	bad  bool
}

func (r *recordReader) take(n int) []byte {
	if n > len(r.rest) {
		r.bad, r.rest = true, nil
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *recordReader) byte() byte     { return r.take(1)[0] }
func (r *recordReader) uint16() uint16 { return binary.BigEndian.Uint16(r.take(2)) }
func (r *recordReader) uint32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
func (r *recordReader) uint64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }

// delay reads the milliseconds of a delay, at most as many as a time.Duration can
// have.
func (r *recordReader) delay() int64 {
	delay, n := binary.Uvarint(r.rest)
	if n <= 0 || delay > math.MaxInt64/millisecond {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return int64(delay)
}

func (r *recordReader) bytes() []byte { return r.take(int(r.byte())) }

func (r *recordReader) time() int64 {
	t := int64(binary.BigEndian.Uint64(r.take(8)) ^ 1<<63)
	r.require(earliest <= t && t <= latest)
	return t
}

// require makes the record bad unless ok.
func (r *recordReader) require(ok bool) { r.bad = r.bad || !ok }

// end requires that nothing is left.
func (r *recordReader) end() { r.require(len(r.rest) == 0) }

// operator returns the bytes of the operator's key, or of what stands in its place, and
// the name if it is an unknown crawler.
func (r *recordReader) operator() (key []byte, name string) {
	all := r.rest
	switch r.byte() {
	case aboutAll, aboutAmbiguous:
	case aboutKnown:
		r.uint16()
	case aboutUnknown:
		end := bytes.IndexByte(r.rest, 0)
		if end < 0 {
			r.bad = true
			return nil, ""
		}
		name = string(r.take(end))
		r.byte()
		r.require(name != "" && name == strings.ToLower(name))
	default:
		r.bad = true
	}
	return all[:len(all)-len(r.rest)], name
}

// sender is a crawler, the site that it requested, and how far its identity is proven.
type sender struct {
	crawlerAt
	identity Identity
}

// crawlerAt is a crawler and the site that it requested.
type crawlerAt struct {
	crawler uint16 // agent.index
	at      policy.Site
}

func (r *recordReader) crawlerAt(p *policy.Policy) crawlerAt {
	return crawlerAt{crawler: r.uint16(), at: r.site(p)}
}

func (r *recordReader) site(p *policy.Policy) policy.Site {
	at := policy.Site{First: int32(r.uint32()), N: int32(r.uint32())}
	if n := int64(len(p.Origins())); at.First < 0 || at.N < 0 || int64(at.First)+int64(at.N) > n {
		r.bad = true
		return policy.Site{}
	}
	return at
}

// fetch is a GET of /robots.txt by a crawler.
type fetch struct {
	sender
	t    int64
	kind answerKind
	size int64 // if that shows which file was sent; otherwise 0
}

// answer reads the part of a fetch that appendAnswer has written.
func (r *recordReader) answer(x *fetch) {
	x.kind, x.size, x.identity = answerKind(r.byte()), int64(r.uint64()), Identity(r.byte())
	r.require(x.kind < answerKinds && x.size >= 0 && x.identity < identities)
}

// runs appends the answer of each copy of an origin.
func (r *recordReader) runs(dst []policy.Answer, copies int) []policy.Answer {
	for end := len(dst) + copies; len(dst) < end; {
		run, n := binary.Uvarint(r.rest)
		if n <= 0 || run>>2 == 0 || run>>2 > uint64(end-len(dst)) || policy.Answer(run&3) > policy.Contested {
			r.bad, r.rest = true, nil
			return append(dst, make([]policy.Answer, end-len(dst))...)
		}
		r.rest = r.rest[n:]
		for range run >> 2 {
			dst = append(dst, policy.Answer(run&3))
		}
	}
	return dst
}
