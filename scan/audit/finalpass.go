package audit

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// finalPass reads the deferred records, which come operator by operator, and gives
// each deferred request its verdict.
type finalPass struct {
	run      *Run
	proxied  bool   // addresses prove nothing
	about    byte   // the first byte of these records
	operator []byte // of these records
	number   uint16 // of that operator, as in Auditor.operators, if its crawlers are known
	name     string // of the unknown crawler that the operator is, if it is one
	counts   *row   // of that
	toAll    *answersToAll
	facts    *facts
	rivals   map[uint16]*facts // of the operators that ambiguous headers name
	twofold  map[uint16]*facts // what ambiguous fetches told the crawlers of an operator
	answers  [][]policy.Answer // of each origin of a request
	normal   [][]policy.Answer // for the normal form of its path
	lines    []uint32
	memo     informedMemo
	last     visitedFetch
}

// visitedFetch is the last fetch of robots.txt by an address.
type visitedFetch struct {
	fetch
	address []byte
	any     bool // there was one
}

// deferredRequest is a deferred request with its verdict.
type deferredRequest struct {
	Judged
	row       *row
	rule      ruleKey // if a violation
	address   []byte  // a view; empty if it does not matter
	answers   []byte  // as the record has them; a view
	hasNormal bool    // they include those for the normal form of its path
	// afterFetch: if in grace, its address had been sent the rule within the hour before.
	afterFetch bool
}

// judgeDeferred reads the deferred records and gives every request among them to judged,
// which must not keep it. With rates, which get every fetch and delayed request, it also makes
// the rows of unknown crawlers.
func (r *Run) judgeDeferred(judged func(*deferredRequest), rates *rates) error {
	f := &finalPass{
		run: r, proxied: r.tally.isProxied(), toAll: newAnswersToAll(r.auditor.config.Policy), rivals: map[uint16]*facts{}, twofold: map[uint16]*facts{},
	}
	ranking := newRanking(r.tally)
	end := func() {
		if rates != nil {
			rates.endOperator()
			ranking.add(f.counts)
		}
		f.counts = nil
	}
	for record, err := range r.deferred.All() {
		if err != nil {
			return err
		}
		rd := &recordReader{rest: record.Data}
		rd.require(record.N <= r.tally.Lines)
		key, name := rd.operator()
		if f.facts == nil || !bytes.Equal(key, f.operator) {
			end()
			f.begin(rd, key, name)
		}
		f.record(rd, record.N, judged, rates)
		if rd.bad {
			return fmt.Errorf("%w: record %x", ErrDamaged, record.Data[:min(len(record.Data), 64)])
		}
	}
	end()
	if rates != nil {
		r.tally.listed, r.tally.others = ranking.end()
	}
	return nil
}

// record reads a deferred record behind the key of its operator.
func (f *finalPass) record(rd *recordReader, n int64, judged func(*deferredRequest), rates *rates) {
	kind := rd.byte()
	switch f.about {
	case aboutAll:
		f.toAllRecord(rd, kind, n)
	case aboutAmbiguous:
		f.ambiguousRecord(rd, kind, n, rates != nil)
	default:
		switch kind {
		case recordCounts:
			f.unknownCounts(rd, n)
		case recordFetch:
			f.fetch(rd, n, rates)
		case recordRequest:
			f.request(rd, n, judged)
		case recordVisit:
			f.visit(rd, n, judged)
		case recordDelayed:
			f.delayed(rd, n, rates)
		default:
			rd.bad = true
		}
	}
}

// begin turns to the records of another operator.
func (f *finalPass) begin(rd *recordReader, key []byte, name string) {
	f.toAll.endSizes()
	f.operator, f.name = append(f.operator[:0], key...), name
	f.facts, f.memo, f.last = newFacts(f.toAll), informedMemo{}, visitedFetch{}
	if rd.bad {
		return
	}
	switch f.about = key[0]; f.about {
	case aboutKnown:
		f.number = binary.BigEndian.Uint16(key[1:])
		if _, rival := f.rivals[f.number]; rival {
			f.rivals[f.number] = f.facts
		}
	case aboutUnknown:
		f.counts = f.run.tally.newRow("")
	}
}

// toAllRecord reads a record that concerns the crawlers of all operators.
func (f *finalPass) toAllRecord(rd *recordReader, kind byte, n int64) {
	p := f.run.auditor.config.Policy
	switch kind {
	case recordRival:
		f.rivals[rd.uint16()] = nil
	case recordSize:
		of, size, answers := versionKey{int32(rd.uint32()), int32(rd.uint32())}, int64(rd.uint64()), int64(rd.uint64())
		rd.require(0 <= of.origin && int(of.origin) < len(p.Origins()) && size >= 0 && 0 < answers && answers <= f.run.tally.Lines/n)
		rd.require(!rd.bad && 0 <= of.version && int(of.version) < len(p.Versions(of.origin)))
		if !rd.bad && f.run.tally.SizesRight == 0 {
			f.toAll.addSize(of, size, answers*n)
		}
	case recordAnswer:
		t, at, answer := rd.time(), rd.site(p), answerKind(rd.byte())
		rd.require(answer == toldNone || answer == toldLimited || answer == toldFile)
		if !rd.bad {
			f.toAll.add(at, t, answer)
		}
	default:
		rd.bad = true
	}
	rd.end()
}

// ambiguousRecord reads a record of a header that names crawlers of several operators.
func (f *finalPass) ambiguousRecord(rd *recordReader, kind byte, n int64, count bool) {
	p := f.run.auditor.config.Policy
	switch kind {
	case recordFetch:
		operator := rd.uint16()
		x := &fetch{t: rd.time(), sender: sender{crawlerAt: crawlerAt{at: rd.site(p)}}, kind: answerKind(rd.byte())}
		rd.require(x.kind < answerKinds)
		if rd.end(); rd.bad {
			return
		}
		if f.twofold[operator] == nil {
			f.twofold[operator] = newFacts(f.toAll)
		}
		f.twofold[operator].add(x)
	case recordRequest:
		from, t := rd.crawlerAt(p), rd.time()
		row, _ := f.rowOf(rd, from.crawler)
		rd.require(from.at.N > 0)
		forbidden := true
		for !rd.bad && len(rd.rest) > 0 {
			forbidden = f.forbidden(rd, from.at, t) && forbidden
		}
		if !rd.bad && forbidden && count {
			row.ambiguousForbidden += n
		}
	default:
		rd.bad = true
	}
}

// forbidden reads a crawler that an ambiguous header names, with its answers, and tells
// whether the request would be a violation by it.
func (f *finalPass) forbidden(rd *recordReader, at policy.Site, t int64) bool {
	a := f.run.auditor
	index := int(rd.uint16())
	f.readAnswers(rd, at)
	if rd.require(index < len(a.operators)); rd.bad {
		return false
	}
	facts, more := f.rivals[a.operators[index]], f.twofold[a.operators[index]]
	if facts == nil {
		facts = f.facts // of no operator: nothing is known
	}
	if more == nil {
		more = f.facts
	}
	d := f.settleAll(at, t, readsAsGoogle(&a.config.Crawlers.Profiles()[index]), f.answers, facts, more)
	return d.verdict == Violation
}

// unknownCounts adds the counts of an unknown crawler, which are the same in n parts of the
// input.
func (f *finalPass) unknownCounts(rd *recordReader, n int64) {
	var saved savedRow
	if rd.require(f.counts != nil && json.Unmarshal(rd.rest, &saved) == nil); rd.bad {
		return
	}
	name := fromLatin1(saved.Name)
	row, err := saved.restore(n)
	if rd.require(strings.ToLower(name) == f.name && err == nil); rd.bad {
		return
	}
	f.counts.merge(row, n)
	if f.counts.name == "" || name < f.counts.name {
		f.counts.name = name
	}
}

func (f *finalPass) fetch(rd *recordReader, n int64, rates *rates) {
	x := &fetch{t: rd.time()}
	x.crawlerAt = rd.crawlerAt(f.run.auditor.config.Policy)
	rd.answer(x)
	var address []byte
	if f.run.auditor.config.Addresses {
		address = rd.bytes()
	}
	x.identity = f.identity(x.crawler, x.identity, address)
	row, _ := f.row(rd, x.crawler)
	if rd.end(); rd.bad || x.identity == SpoofedIdentity {
		return
	}
	f.facts.add(x)
	if rates != nil {
		rates.fetch(row, x.at, x.t, n)
	}
}

// identity returns the identity of a crawler's client at an address: Run.Verify may have
// verified it, or the addresses prove nothing.
func (f *finalPass) identity(crawler uint16, identity Identity, address []byte) Identity {
	if f.proxied && (identity == Verified || identity == SpoofedIdentity) {
		return Unverified
	}
	if f.proxied {
		return identity
	}
	if f.name == "" && identity == Unverified && f.run.verified[verifiedKey{crawler, string(address)}] {
		return Verified
	}
	return identity
}

func (f *finalPass) delayed(rd *recordReader, n int64, rates *rates) {
	from := rd.crawlerAt(f.run.auditor.config.Policy)
	address, t, delay := rd.bytes(), rd.time(), rd.delay()
	row, _ := f.row(rd, from.crawler)
	rd.require(from.at.N > 0)
	if rd.end(); !rd.bad && rates != nil {
		rates.delayed(row, from.at, address, t, delay, n)
	}
}

// row returns the row of a crawler of the operator. A record of a crawler that the
// operator does not have, or that has no counts, is bad.
func (f *finalPass) row(rd *recordReader, crawler uint16) (*row, *crawler.Profile) {
	if f.name != "" {
		return f.counts, nil
	}
	r, p := f.rowOf(rd, crawler)
	rd.require(rd.bad || f.run.auditor.operators[crawler] == f.number)
	return r, p
}

// rowOf returns the row of a known crawler.
func (f *finalPass) rowOf(rd *recordReader, crawler uint16) (*row, *crawler.Profile) {
	profiles := f.run.auditor.config.Crawlers.Profiles()
	if int(crawler) >= len(profiles) {
		rd.bad = true
		return nil, nil
	}
	r := f.run.tally.known[&profiles[crawler]]
	rd.require(r != nil)
	return r, &profiles[crawler]
}

// request reads a request that cannot be in grace.
func (f *finalPass) request(rd *recordReader, n int64, judged func(*deferredRequest)) {
	from := rd.crawlerAt(f.run.auditor.config.Policy)
	x := f.beginRequest(rd, from, n)
	x.Time = rd.time()
	if f.run.auditor.config.Addresses {
		x.address = rd.bytes()
	}
	f.endRequest(rd, x, from, judged)
}

// visit reads a request that may be in grace, or a fetch by the same address. They come in
// the order of time.
func (f *finalPass) visit(rd *recordReader, n int64, judged func(*deferredRequest)) {
	from, address, t := rd.crawlerAt(f.run.auditor.config.Policy), rd.bytes(), rd.time()
	same := f.last.any && f.last.crawlerAt == from && bytes.Equal(f.last.address, address)
	switch rd.byte() {
	case visitFetch:
		x := fetch{t: t, sender: sender{crawlerAt: from}}
		rd.answer(&x)
		f.row(rd, from.crawler)
		if rd.end(); !rd.bad && (f.proxied || x.identity != SpoofedIdentity) {
			if same && f.last.t == t && f.last.fetch != x {
				x.kind = toldNothing // the log does not tell which of them was the last
			}
			f.last = visitedFetch{x, append(f.last.address[:0], address...), true}
		}
	case visitRequest:
		x := f.beginRequest(rd, from, n)
		x.Time, x.address = t, address
		x.afterFetch = same && t-f.last.t <= hour && f.facts.tellsOf(&f.last.fetch, f.answers)
		f.endRequest(rd, x, from, judged)
	default:
		rd.bad = true
	}
}

// beginRequest reads the answers of a request, its outcome, method and identity.
func (f *finalPass) beginRequest(rd *recordReader, from crawlerAt, n int64) *deferredRequest {
	x := &deferredRequest{Judged: Judged{HasTime: true, N: n}}
	kinds := rd.byte()
	if rd.bad {
		return x
	}
	x.Outcome, x.Method, x.hasNormal = Outcome(kinds>>4), Method(kinds&(withNormal-1)), kinds&withNormal != 0
	head := rd.rest
	f.readAnswers(rd, from.at)
	if x.hasNormal {
		f.normal = grown(f.normal, from.at.N)
		for i := range from.at.N {
			f.normal[i] = rd.runs(f.normal[i][:0], f.run.auditor.config.Policy.Copies(from.at.First+i))
		}
	}
	x.answers = head[:len(head)-len(rd.rest)]
	x.Identity = Identity(rd.byte())
	return x
}

// readAnswers reads the answers of the copies of each origin, and the lines to be quoted.
func (f *finalPass) readAnswers(rd *recordReader, at policy.Site) {
	if rd.bad {
		return
	}
	f.answers, f.lines = grown(f.answers, at.N), grown(f.lines, at.N)
	for i := range at.N {
		f.answers[i] = rd.runs(f.answers[i][:0], f.run.auditor.config.Policy.Copies(at.First+i))
		f.lines[i] = rd.uint32()
	}
}

// grown returns a list with at least n elements.
func grown[T any](list []T, n int32) []T {
	for len(list) < int(n) {
		list = append(list, *new(T))
	}
	return list
}

// endRequest reads the rest of a request, and gives it its verdict.
func (f *finalPass) endRequest(rd *recordReader, x *deferredRequest, from crawlerAt, judged func(*deferredRequest)) {
	if f.run.auditor.keepsLines() {
		x.Line = rd.take(min(len(rd.rest), maxSample))
	}
	x.row, x.Profile = f.row(rd, from.crawler)
	rd.require(from.at.N > 0 && x.Outcome < outcomes && x.Method < methods && x.Identity < identities)
	if rd.end(); rd.bad {
		return
	}
	x.Identity = f.identity(from.crawler, x.Identity, x.address)
	x.Crawler = x.row.name
	if x.Identity == SpoofedIdentity {
		x.Verdict = Spoofed
	} else {
		f.decide(x, from)
	}
	judged(x)
}

// decide gives a request its verdict, by all origins that it may have gone to.
func (f *finalPass) decide(x *deferredRequest, from crawlerAt) {
	google := readsAsGoogle(x.Profile)
	d := f.settleAll(from.at, x.Time, google, f.answers, f.facts)
	x.Verdict, x.Reason = d.verdict, d.reason
	x.rule = ruleKey{from.at, f.run.auditor.config.Policy.Lawful(from.at.First, x.Time, google).Cited, f.lines[0]}
	if x.hasNormal && (d.verdict == Allowed || d == indeterminate(ContestedRule)) {
		x.Evasive = f.settleAll(from.at, x.Time, google, f.normal, f.facts).verdict == Violation
	}
	// Users of one tool do not know of each other's fetches, nor do clients without a name.
	if x.Profile == nil && from.crawler != nobodys || x.Profile != nil && !x.Profile.Anybodys() {
		x.Informed = f.memo.informed(f, sender{from, x.Identity}, x.answers, x.Time)
	} else {
		x.afterFetch = false
	}
}

// settleAll is the verdict on a request at a moment by all origins of a site.
func (f *finalPass) settleAll(at policy.Site, t int64, google bool, answers [][]policy.Answer, told *facts, others ...*facts) (d decision) {
	for i := range at.N {
		o := at.First + i
		l, logged := told.lawful(o, t, google, others...)
		e := decide(l, answers[i], logged)
		if i == 0 {
			d = e
		} else {
			d = together(d, e, f.run.auditor.sameHost(at.First, o))
		}
	}
	return d
}

// informedMemo keeps since when the crawler of the last request was informed: the next
// request is nearly always alike.
type informedMemo struct {
	from    sender
	answers []byte
	since   int64
	ok      bool
	filled  bool
}

func (m *informedMemo) informed(f *finalPass, from sender, answers []byte, t int64) bool {
	if !m.filled || m.from != from || !bytes.Equal(m.answers, answers) {
		m.from, m.answers, m.filled = from, append(m.answers[:0], answers...), true
		m.since, m.ok = f.facts.informedSince(from, f.answers[:from.at.N])
	}
	return m.ok && m.since < t
}

// count counts a deferred request in its row and, if it is a violation, for the version
// that it quotes: of each origin that it may have gone to and that has this version.
func (r *Run) count(x *deferredRequest) {
	row := x.row
	row.count(x.Identity, decision{x.Verdict, x.Reason}, x.N)
	if x.Evasive {
		row.evasive += x.N
	}
	if x.Verdict == Grace && x.Informed {
		row.graceInformed += x.N
	}
	if x.Verdict == Grace && x.afterFetch {
		row.graceAfterFetch += x.N
	}
	if x.Verdict == Violation {
		row.violated()[violationKind(x.Identity, x.Outcome, x.Method, x.Informed)] += x.N
		row.rules[x.rule] += x.N
		for range min(x.N, int64(row.samples.most)) {
			row.samples.add(x.Time, x.Line)
		}
		r.cite(x.rule, x.N)
	}
	if give := r.auditor.config.Judged; give != nil {
		if x.Verdict == Violation {
			x.Rule = r.auditor.rule(x.rule, 0)
		}
		give(&x.Judged)
	}
}

func (r *Run) cite(k ruleKey, n int64) {
	p := r.auditor.config.Policy
	quoted := p.Versions(k.at.First)[k.version]
	for i := range k.at.N {
		o := k.at.First + i
		if list := p.Versions(o); int(k.version) < len(list) && list[k.version].From == quoted.From && list[k.version].File == quoted.File {
			r.tally.cited[citedKey{o, k.version}] += n
		}
	}
}
