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
	operator []byte // of these records
	number   uint16 // of that operator, as in Auditor.operators, if its crawlers are known
	name     string // of the unknown crawler that the operator is, if it is one
	counts   *row   // of that
	facts    *facts
	answers  [][]policy.Answer // of each origin of a request
	lines    []uint32
	memo     informedMemo
}

// deferredRequest is a deferred request with its verdict.
type deferredRequest struct {
	Judged
	row     *row
	rule    ruleKey // if a violation
	address []byte  // if Config.Addresses; a view
}

// judgeDeferred reads the deferred records and gives every request among them to judged,
// which must not keep it. With rates, which get every fetch and delayed request, it also makes
// the rows of unknown crawlers.
func (r *Run) judgeDeferred(judged func(*deferredRequest), rates *rates) error {
	f := &finalPass{run: r}
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
		switch rd.byte() {
		case recordCounts:
			f.unknownCounts(rd, record.N)
		case recordFetch:
			f.fetch(rd, record.N, rates)
		case recordRequest:
			f.request(rd, record.N, judged)
		case recordDelayed:
			f.delayed(rd, record.N, rates)
		default:
			rd.bad = true
		}
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

// begin turns to the records of another operator.
func (f *finalPass) begin(rd *recordReader, key []byte, name string) {
	f.operator, f.name = append(f.operator[:0], key...), name
	switch {
	case rd.bad:
	case name == "":
		f.number = binary.BigEndian.Uint16(key[1:])
	default:
		f.counts = f.run.tally.newRow("")
	}
	f.facts, f.memo = newFacts(f.run.auditor.config.Policy), informedMemo{}
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
	t := rd.time()
	from := rd.crawlerAt(f.run.auditor.config.Policy)
	kind := answerKind(rd.byte())
	row, _ := f.row(rd, from.crawler)
	rd.require(kind&^otherOperator <= toldRedirect)
	if rd.end(); rd.bad {
		return
	}
	f.facts.add(from, t, kind&^otherOperator)
	if rates != nil && kind&otherOperator == 0 {
		rates.fetch(row, from.at, t, n)
	}
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
	a, t := f.run.auditor, f.run.tally
	profiles := a.config.Crawlers.Profiles()
	switch {
	case f.name != "":
		return f.counts, nil
	case int(crawler) >= len(profiles) || a.operators[crawler] != f.number:
		rd.bad = true
		return nil, nil
	}
	r := t.known[&profiles[crawler]]
	rd.require(r != nil)
	return r, &profiles[crawler]
}

func (f *finalPass) request(rd *recordReader, n int64, judged func(*deferredRequest)) {
	a := f.run.auditor
	p := a.config.Policy
	from := rd.crawlerAt(p)
	if rd.bad {
		return
	}
	head := rd.rest
	for len(f.answers) < int(from.at.N) {
		f.answers, f.lines = append(f.answers, nil), append(f.lines, 0)
	}
	for i := range from.at.N {
		f.answers[i] = rd.runs(f.answers[i][:0], p.Copies(from.at.First+i))
		f.lines[i] = rd.uint32()
	}
	head = head[:len(head)-len(rd.rest)]
	kinds := rd.byte()
	x := &deferredRequest{Judged: Judged{
		Outcome: Outcome(kinds >> 4), Method: Method(kinds & 15), Identity: Identity(rd.byte()), Time: rd.time(), HasTime: true, N: n,
	}}
	if a.config.Addresses {
		x.address = rd.bytes()
	}
	if a.keepsLines() {
		x.Line = rd.take(min(len(rd.rest), maxSample))
	}
	x.row, x.Profile = f.row(rd, from.crawler)
	rd.require(from.at.N > 0 && x.Outcome < outcomes && x.Method < methods && x.Identity < identities && x.Identity != SpoofedIdentity)
	if rd.end(); rd.bad {
		return
	}
	if f.run.verified[verifiedKey{from.crawler, string(x.address)}] && f.name == "" && x.Identity == Unverified {
		x.Identity = Verified
	}
	x.Crawler = x.row.name
	f.decide(x, from, head)
	judged(x)
}

// decide gives a request its verdict, by all origins that it may have gone to. answers
// are the bytes of the record that have the answers of their copies.
func (f *finalPass) decide(x *deferredRequest, from crawlerAt, answers []byte) {
	a := f.run.auditor
	p := a.config.Policy
	google := readsAsGoogle(x.Profile)
	var d decision
	for i := range from.at.N {
		o := from.at.First + i
		l := p.Lawful(o, x.Time, google)
		e := decide(l, f.answers[i], f.facts.at(o, x.Time, l, google))
		if i == 0 {
			d, x.rule = e, ruleKey{from.at, l.Cited, f.lines[i]}
		} else {
			d = together(d, e, a.sameHost(from.at.First, o))
		}
	}
	x.Verdict, x.Reason = d.verdict, d.reason
	// Users of one tool do not know of each other's fetches.
	x.Informed = (x.Profile == nil || !x.Profile.Anybodys()) && f.memo.informed(f, from, answers, x.Time)
}

// informedMemo keeps since when the crawler of the last request was informed: the next
// request is nearly always alike.
type informedMemo struct {
	from    crawlerAt
	answers []byte
	since   int64
	ok      bool
	filled  bool
}

func (m *informedMemo) informed(f *finalPass, from crawlerAt, answers []byte, t int64) bool {
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
	if x.Verdict == Grace && x.Informed {
		row.graceInformed += x.N
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
