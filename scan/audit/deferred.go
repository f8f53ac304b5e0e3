package audit

import (
	"encoding/binary"
	"time"

	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// A deferred record is kept until the whole input has been read. The order of its
// bytes is the order in which the final pass needs it: first what concerns the crawlers
// of all operators, then all records of each operator together.
//
//	0           about all:
//	  answer    minute, origins, kind of answer, of a GET of /robots.txt by any client
//	1 operator  of a known operator, by its number
//	2 operator  an unknown crawler, by its name and 0. Both have
//	  counts    the counts of an unknown crawler in a part of the input (counts.go), after its name
//	            as the crawler writes it
//	  fetch     time, crawler, answer, its use, perhaps address, of a GET of /robots.txt
//	  visit     crawler, address, time, and a request whose verdict is open, or one that has been
//	            counted. A request has identity, outcome and method, the answers of the
//	            copies, perhaps those for the normal form of its path, the version and the line that a
//
// violation would quote, the size, the beginning of the target, and perhaps the raw line, or all
// that Config.Judged gets
//
//	delayed   crawler, address, time, delay in milliseconds, of a request to which a
//	          Crawl-delay applies
//
// A crawler is its index, the origins that it may have asked, and its word where its name
// is only a part of that. An answer is its kind, the size and the identity of the client.
// The answers of the copies are those of each origin, in runs. The address is empty if it does not matter. Numbers are
// big-endian, except those of crawlers and operators, lengths, runs and the delay, which are
// uvarints. Times have their sign
// bit flipped, so that the order of bytes is the order of numbers.
const (
	aboutAll byte = iota
	aboutKnown
	aboutUnknown
)

const (
	recordAnswer byte = iota
	recordCounts
	recordFetch
	recordVisit
	recordDelayed
)

// Kinds of visits.
const (
	visitRequest byte = iota
	visitSettled      // a request that has been counted, for Config.Judged
)

// fetchUse is what a fetch of robots.txt is used for.
type fetchUse byte

const (
	fetchCounted  fetchUse = iota // it is one of its crawler's
	fetchOutside                  // it is outside of the period, but has told its crawler something
	fetchTimeless                 // the log does not tell when it was: nothing but the size counts
	fetchUses
)

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

// appendCrawler appends a crawler and the site that it asked.
func appendCrawler(b []byte, c *agent, at site) []byte {
	return appendBytes(appendSite(binary.AppendUvarint(b, uint64(c.index)), at.Site), c.word)
}

func appendSite(b []byte, at policy.Site) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(at.First))
	return binary.BigEndian.AppendUint32(b, uint32(at.N))
}

func appendTime(b []byte, t int64) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t)^1<<63)
}

// keepFact writes the record in w.key, which is not of a request for Config.Judged, unless the run
// has the facts of all lines.
func (w *Worker) keepFact() {
	if !w.run.hasFacts {
		w.keep()
	}
}

// keep writes the record in w.key.
func (w *Worker) keep() {
	if w.err == nil {
		w.err = w.deferred.Add(w.key)
	}
}

// deferCounts keeps the counts of an unknown crawler.
func (w *Worker) deferCounts(key string, row *row) {
	b := append(append(append(w.key[:0], aboutUnknown), key...), 0, recordCounts)
	w.key = appendRow(appendBytes(b, row.name), row)
	w.keepFact()
}

// deferAnswer keeps the record as an answer to a GET of robots.txt by any client, unless the last
// answer of its kind was the same: with its minute, if that matters.
func (w *Worker) deferAnswer(at site, kind judge.Kind) {
	now := answerAt{Site: at.Site, any: true}
	switch timed := kind == judge.ToldGone || kind.Is5xx(); {
	case timed && w.record.HasTime:
		now.minute = minuteOf(w.record.Time)
	case kind.Is5xx():
		return
	case timed:
		kind = judge.ToldNone
	}
	if w.lastAnswers[kind] == now {
		return
	}
	w.lastAnswers[kind] = now
	b := appendTime(append(w.key[:0], aboutAll, recordAnswer), now.minute)
	w.key = append(appendSite(b, at.Site), byte(kind))
	w.keepFact()
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

// countSize counts the record, an answer to a GET of robots.txt, if it shows which file was sent.
func (w *Worker) countSize(at site) {
	size := judge.SizeOf(w.record.Status, w.record.Size)
	if size == 0 {
		return
	}
	for o := at.First; o < at.First+at.N; o++ {
		w.tally.Sent[sizesAt{o, !w.policy.HasSize(o, size)}]++
	}
}

// deferFetch keeps the record as a fetch of robots.txt, for the facts of its operator. The size
// is 0 if it does not show which file was sent.
func (w *Worker) deferFetch(at site, c *agent, identity Identity, kind judge.Kind, size int64, use fetchUse) {
	t := w.record.Time
	if use == fetchTimeless {
		t = 0
	}
	b := appendCrawler(appendTime(w.head(c.operator, recordFetch), t), c, at)
	b = binary.BigEndian.AppendUint64(append(b, byte(kind)), uint64(size))
	b = append(b, byte(identity), byte(use))
	w.key = appendBytes(b, w.keptAddress())
	w.keepFact()
}

// keptAddress returns the client's address if all are to be kept.
func (w *Worker) keptAddress() []byte {
	if w.auditor.config.Addresses {
		return w.address()
	}
	return nil
}

func (w *Worker) appendVisit(b []byte, c *agent, at site, address []byte) []byte {
	return appendTime(appendBytes(appendCrawler(b, c, at), address), w.record.Time)
}

// deferDelayed keeps the record as a request to which a Crawl-delay applies, if the log
// tells its client.
func (w *Worker) deferDelayed(at site, c *agent, delay time.Duration) {
	address := w.address()
	if len(address) == 0 {
		return
	}
	b := w.appendVisit(w.head(c.operator, recordDelayed), c, at, address)
	w.key = binary.AppendUvarint(b, uint64(max(delay.Milliseconds(), 0)))
	w.keepFact()
}

// deferRequest keeps a request whose verdict depends on other lines.
func (w *Worker) deferRequest(q *judge.Case, at site, c *agent, identity Identity) {
	kinds := w.kinds()
	if !q.Exact {
		kinds |= notExact
	}
	if q.HasNormal {
		kinds |= withNormal
	}
	b := w.appendVisit(w.head(c.operator, recordVisit), c, at, w.keptAddress())
	b = w.appendAnswers(append(b, visitRequest, byte(identity), kinds), at, false)
	if q.HasNormal {
		b = w.appendAnswers(b, at, true)
	}
	b = w.appendCited(b, at.First, c)
	b = appendBytes(binary.AppendUvarint(b, uint64(max(w.record.Size, 0))),
		w.record.Target[:min(len(w.record.Target), maxPath)])
	switch {
	case w.auditor.config.Judged != nil:
		b = w.appendJudged(b)
	case w.auditor.config.Samples > 0:
		b = append(b, beginning(w.record.Line)...)
	}
	w.key = b
	w.keep()
}

// These are added to outcome and method: withNormal if the answers for the normal form follow,
// notExact if the log does not show the path as it was sent.
const (
	withNormal = 8
	notExact   = 4
)

// appendAnswers appends the answers of all copies of each origin, in runs.
func (w *Worker) appendAnswers(b []byte, at site, normal bool) []byte {
	for o := at.First; o < at.First+at.N; o++ {
		b = appendRuns(b, w.Answers(o, normal))
	}
	return b
}

// appendCited appends the version and the line that a violation on an origin would quote.
func (w *Worker) appendCited(b []byte, o int32, c *agent) []byte {
	version, line := w.policy.Lawful(o, w.record.Time, c.google).Cited, uint32(0)
	if version >= 0 {
		line = w.bindingAt(c, o).Judge(&w.scratch, w.policy.Versions(o)[version].Copy, w.record.Target).Line
	}
	return binary.BigEndian.AppendUint32(binary.AppendUvarint(b, uint64(version+1)), line)
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

// client returns what the log has as the client's address.
func (w *Worker) client() []byte {
	return w.auditor.config.ClientIP.Of(w.record.Addr, w.record.Forwarded)
}

// address returns the client's address as the log has it: nothing where the log has none, or
// one so long that it would have to be cut, since two clients must not become one.
func (w *Worker) address() []byte {
	if a := w.client(); len(a) <= maxHostName && string(a) != "-" {
		return a
	}
	return nil
}

// appendBytes appends bytes after their number.
func appendBytes[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
