package audit

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// A deferred record is kept until the whole input has been read. The order of its
// bytes is the order in which the final pass needs it: all records of an operator
// together, first the counts of an unknown crawler, then the fetches of robots.txt by the
// operator's crawlers, in the order of time, then the requests that depend on them, then
// the requests whose gaps are measured.
//
//	operator  0 and its number, or 1, the unknown crawler's name and 0
//	kind      recordCounts, recordFetch, recordRequest or recordDelayed
//	counts    the counts of an unknown crawler in a part of the input, as JSON
//	fetch     time, crawler, origins, kind of answer
//	request   crawler, origins, for each of these the answers of its copies, in runs,
//	          and the line that a violation would quote, outcome and method, identity,
//	          time, and perhaps address and raw line
//	delayed   crawler, origins, address, time, delay in milliseconds, of a request to
//	          which a Crawl-delay applies
//
// Numbers are big-endian, except that the delay and the runs are uvarints. Times have
// their sign bit flipped, so that the order of bytes is the order of numbers.
const (
	recordCounts byte = iota
	recordFetch
	recordRequest
	recordDelayed
)

// answerKind is the meaning of an answer to a GET of /robots.txt.
type answerKind uint8

const (
	toldNothing  answerKind = iota // as 5xx, or no answer at all
	toldRules                      // a body, or not modified
	toldNone                       // there is none: everything is allowed
	toldLimited                    // 429: nothing to Google's crawlers, to all others that there is none
	toldRedirect                   // it is elsewhere

	// otherOperator is added for each operator that an ambiguous header names, except the
	// first: its crawlers may have got the answer, but the fetch is counted for the first.
	otherOperator answerKind = 0x80
)

// answerOf returns the meaning of an answer in the log (audit-rules 2 b). Package answer
// knows that of the status; a log also has answers with 304, and sizes of bodies.
func answerOf(status int, size int64) answerKind {
	meaning := answer.Of(status, answer.Others)
	switch {
	case status == 304:
		return toldRules
	case meaning == answer.File && !hasBody(status, size):
		return toldNone
	case meaning == answer.File:
		return toldRules
	case meaning == answer.Redirect:
		return toldRedirect
	case meaning != answer.Of(status, answer.Google):
		return toldLimited
	case meaning == answer.None:
		return toldNone
	}
	return toldNothing
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
func (w *Worker) appendCrawlerAt(b []byte, c *agent, at site) []byte {
	b = binary.BigEndian.AppendUint16(b, c.index)
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

// deferFetch keeps the record as a fetch of robots.txt.
func (w *Worker) deferFetch(at site, c *agent, kind answerKind) {
	b := w.head(c.operator, recordFetch)
	b = appendTime(b, w.record.Time)
	w.key = append(w.appendCrawlerAt(b, c, at), byte(kind))
	w.keep()
}

// deferDelayed keeps the record as a request to which a Crawl-delay applies.
func (w *Worker) deferDelayed(at site, c *agent, delay time.Duration) {
	b := w.appendCrawlerAt(w.head(c.operator, recordDelayed), c, at)
	b = appendBytes(b, w.address())
	b = appendTime(b, w.record.Time)
	w.key = binary.AppendUvarint(b, uint64(max(delay.Milliseconds(), 0)))
	w.keep()
}

// deferRequest keeps a request whose verdict depends on other lines.
func (w *Worker) deferRequest(at site, c *agent, identity Identity) {
	r := &w.record
	b := w.appendCrawlerAt(w.head(c.operator, recordRequest), c, at)
	for i := range at.N {
		b = w.appendAnswers(b, at.First+i, c)
	}
	b = append(b, byte(w.outcome())<<4|byte(methodOf(r.Method)), byte(identity))
	b = appendTime(b, r.Time)
	if w.auditor.config.Addresses {
		b = appendBytes(b, w.address())
	}
	if w.auditor.keepsLines() {
		b = append(b, beginning(r.Line)...)
	}
	w.key = b
	w.keep()
}

// appendAnswers appends the answers of all copies of an origin for the record, also of
// those that were not lawful: whether the crawler was informed may depend on any of
// them. Copies that are alike for the crawler are asked once.
func (w *Worker) appendAnswers(b []byte, o int32, c *agent) []byte {
	p := w.auditor.config.Policy
	binding := w.bindingAt(c, o)
	line := uint32(0)
	if v := p.Lawful(o, w.record.Time, c.google).Cited; v >= 0 {
		line = binding.Judge(&w.scratch, p.Versions(o)[v].Copy, w.record.Target).Line
	}
	w.answers = w.answers[:0]
	for i, first := range binding.Alike() {
		if int(first) < i {
			w.answers = append(w.answers, w.answers[first])
		} else {
			w.answers = append(w.answers, binding.Judge(&w.scratch, first, w.record.Target).Answer)
		}
	}
	return binary.BigEndian.AppendUint32(appendRuns(b, w.answers), line)
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

// operator returns the bytes of the operator's key, and its name if it is an
// unknown crawler.
func (r *recordReader) operator() (key []byte, name string) {
	all := r.rest
	switch r.byte() {
	case 0:
		r.uint16()
	case 1:
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

// crawlerAt is a crawler and the site that it requested.
type crawlerAt struct {
	crawler uint16 // agent.index
	at      policy.Site
}

func (r *recordReader) crawlerAt(p *policy.Policy) crawlerAt {
	from := crawlerAt{crawler: r.uint16(), at: policy.Site{First: int32(r.uint32()), N: int32(r.uint32())}}
	if n := int64(len(p.Origins())); from.at.First < 0 || from.at.N < 0 || int64(from.at.First)+int64(from.at.N) > n {
		r.bad, from.at = true, policy.Site{}
	}
	return from
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
