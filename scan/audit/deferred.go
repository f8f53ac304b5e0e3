package audit

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/spill"
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
//	  counts    the counts of an unknown crawler in a part of the input (counts.go), behind its name
//	            as the crawler writes it
//	  fetch     time, crawler, answer, its use, perhaps address, of a GET of /robots.txt
//	  visit     crawler, address, time, and a request whose verdict is open or the answer to
//	            a fetch. A request has identity, outcome and method, the answers of the
//	            copies, perhaps those for the normal form of its path, the line that a
//	            violation would quote, the size, the beginning of the target, and perhaps the raw line, or all that Config.Judged gets
//	  delayed   crawler, address, time, delay in milliseconds, of a request to which a
//	            Crawl-delay applies
//	3           with ambiguous headers:
//	  visit     the crawler named first, address, time, identity, each crawler that the
//	            header names with the answers of the copies
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
	aboutAmbiguous
)

const (
	recordRival byte = iota
	recordSize
	recordAnswer
	recordCounts
	recordFetch
	recordVisit
	recordDelayed
)

// Kinds of visits: at one moment, a request comes before a fetch.
const (
	visitRequest byte = iota
	visitFetch
	visitSettled // a request that has been counted, for Config.Judged
)

// fetchUse is what a fetch of robots.txt is used for.
type fetchUse byte

const (
	fetchCounted   fetchUse = iota // it is one of its crawler's
	fetchAmbiguous                 // its header names several: it may have told any of them
	fetchOutside                   // it is outside of the period, but has told its crawler something
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

// deferAnswer keeps the record as an answer to a GET of robots.txt by any client, with its
// minute, unless the last answer of its kind was the same.
func (w *Worker) deferAnswer(at site, kind answerKind) {
	now := answerAt{at.Site, minuteOf(w.record.Time), true}
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
		w.keepFact()
	}
	clear(w.sizes)
}

// deferFetch keeps the record as a fetch of robots.txt: for the facts of its operator and,
// where a site had several copies, among the requests of its address.
func (w *Worker) deferFetch(at site, c *agent, identity Identity, kind answerKind, use fetchUse) {
	w.keepFetch(c.operator, at, c, identity, kind, use)
	if w.mayChange(at) {
		b := append(w.appendVisit(w.head(c.operator, recordVisit), c, at, w.address()), visitFetch)
		w.key = w.appendAnswer(b, identity, kind)
		w.keepFact()
	}
}

// deferAmbiguousFetch keeps the record as a fetch by crawlers of several operators: for the
// facts of each that ambiguous requests are judged by.
func (w *Worker) deferAmbiguousFetch(at site, c *agent, identity Identity, kind answerKind) {
	for _, p := range c.Rivals {
		if rival := w.knownAgent(p); !rival.exempt() {
			w.keepFetch(rival.operator, at, c, identity, kind, fetchAmbiguous)
		}
	}
}

func (w *Worker) keepFetch(operator []byte, at site, c *agent, identity Identity, kind answerKind, use fetchUse) {
	b := appendCrawler(appendTime(w.head(operator, recordFetch), w.record.Time), c, at)
	b = append(w.appendAnswer(b, identity, kind), byte(use))
	w.key = appendBytes(b, w.addressIf(false))
	w.keepFact()
}

// appendAnswer appends the record as an answer to a GET of robots.txt.
func (w *Worker) appendAnswer(b []byte, identity Identity, kind answerKind) []byte {
	size := sizeOf(w.record.Status, w.record.Size)
	return append(binary.BigEndian.AppendUint64(append(b, byte(kind)), uint64(size)), byte(identity))
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

// addressIf returns the client's address if it matters, also if all are to be kept.
func (w *Worker) addressIf(matters bool) []byte {
	if matters || w.auditor.config.Addresses {
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

// deferRequest keeps a request whose verdict depends on other lines. normal is the normal
// form of its target, if that may be forbidden though the target is not; otherwise nil.
// The address matters if the request may be in grace: some copies forbid it, some do not.
func (w *Worker) deferRequest(at site, c *agent, identity Identity, normal []byte) {
	answers, differ := w.appendAnswers(w.answersKey[:0], at, c, w.record.Target)
	if normal != nil {
		answers, _ = w.appendAnswers(answers, at, c, normal)
	}
	w.answersKey = answers
	kinds := w.kinds()
	if normal != nil {
		kinds |= withNormal
	}
	b := w.appendVisit(w.head(c.operator, recordVisit), c, at, w.addressIf(differ))
	b = append(append(b, visitRequest, byte(identity), kinds), answers...)
	b = binary.BigEndian.AppendUint32(b, w.citedLine(at.First, c))
	b = appendBytes(binary.AppendUvarint(b, uint64(max(w.record.Size, 0))), w.record.Target[:min(len(w.record.Target), maxPath)])
	switch {
	case w.auditor.config.Judged != nil:
		b = w.appendJudged(b)
	case w.auditor.config.Samples > 0:
		b = append(b, beginning(w.record.Line)...)
	}
	w.key = b
	w.keep()
}

// withNormal is added to outcome and method if the answers for the normal form follow.
const withNormal = 8

// appendAnswers appends the answers of all copies of each origin for a target. It has also
// the copies that were not lawful: what the log tells may depend on any of them. differ
// tells whether some copies forbid the target, and others do not.
func (w *Worker) appendAnswers(b []byte, at site, c *agent, target []byte) (_ []byte, differ bool) {
	for o := at.First; o < at.First+at.N; o++ {
		w.judgeCopies(c, o, target)
		b = appendRuns(b, w.answers)
		differ = differ || slices.Contains(w.answers, policy.Forbids) && slices.ContainsFunc(w.answers, notForbids)
	}
	return b, differ
}

// citedLine returns the line that a violation on an origin would quote.
func (w *Worker) citedLine(o int32, c *agent) uint32 {
	p := w.auditor.config.Policy
	v := p.Lawful(o, w.record.Time, c.google).Cited
	if v < 0 {
		return 0
	}
	return w.bindingAt(c, o).Judge(&w.scratch, p.Versions(o)[v].Copy, w.record.Target).Line
}

func notForbids(a policy.Answer) bool { return a != policy.Forbids }

// judgeCopies sets w.answers to the answers of all copies of an origin on a target of the
// record, and w.bySitemap if one permits only by a Sitemap line. Copies that are alike for the
// crawler are asked once.
func (w *Worker) judgeCopies(c *agent, o int32, target []byte) {
	binding := w.bindingAt(c, o)
	w.answers, w.bySitemap = w.answers[:0], false
	for i, first := range binding.Alike() {
		if int(first) < i {
			w.answers = append(w.answers, w.answers[first])
		} else {
			j := w.judgeCopy(binding, first, target)
			w.answers, w.bySitemap = append(w.answers, j.Answer), w.bySitemap || j.Sitemap
		}
	}
}

// judgeCopy returns the judgement of a copy on a target of the record.
func (w *Worker) judgeCopy(b *policy.Binding, copy int32, target []byte) policy.Judgement {
	switch w.record.Lossy {
	case format.Exact:
		return b.Judge(&w.scratch, copy, target)
	case format.Rewritten:
		return b.JudgeUnseen(copy)
	}
	j := b.Judge(&w.scratch, copy, target)
	for _, reading := range w.readings.list[:w.readings.n] {
		other := b.Judge(&w.scratch, copy, reading)
		j.Sitemap = j.Sitemap || other.Sitemap
		if j.Answer != other.Answer {
			j.Answer = policy.Unseen
		}
	}
	return j
}

// deferAmbiguous keeps a request with an ambiguous header that may be forbidden to every
// crawler that it names.
func (w *Worker) deferAmbiguous(at site, c *agent, identity Identity) {
	b := append(w.answersKey[:0], aboutAmbiguous, recordVisit)
	b = append(w.appendVisit(b, c, at, nil), byte(identity))
	for _, p := range c.Rivals {
		rival := w.knownAgent(p)
		b, _ = w.appendAnswers(binary.AppendUvarint(b, uint64(rival.index)), at, rival, w.record.Target)
		w.key = append(append(w.key[:0], aboutAll, recordRival), operatorNumber(rival.operator)...)
		w.keepFact()
	}
	w.answersKey = b
	if len(b) <= spill.MaxRecord { // a header may name hundreds; the count is then too small
		w.key = append(w.key[:0], b...)
		w.keepFact()
	}
}

// operatorNumber returns the bytes of the number in the key of a known operator.
func operatorNumber(key []byte) []byte { return key[1:] }

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
