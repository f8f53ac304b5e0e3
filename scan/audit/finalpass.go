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
	index    uint16 // of that operator, if it is known
	name     string // of the unknown crawler that the operator is, if it is one
	counts   *row   // of that
	facts    *facts
	answers  [][]policy.Answer // of each origin of a request
	lines    []uint32
	memo     informedMemo
}

// judgement is a deferred request with its verdict.
type judgement struct {
	Judged
	row     *row
	rule    ruleKey // if a violation
	address []byte  // if Config.Addresses; a view
}

// finalPass reads the deferred records and gives every request among them to judged,
// which must not keep it. With rates, which get every visit and fetch, it also makes
// the rows of unknown crawlers.
func (r *Run) finalPass(judged func(*judgement), rates *rates) error {
	s := &finalPass{run: r}
	ranking := newRanking(r.tally)
	end := func() {
		if rates != nil {
			rates.endOperator()
			ranking.add(s.counts)
		}
		s.counts = nil
	}
	for record, err := range r.deferred.All() {
		if err != nil {
			return err
		}
		rd := &recordReader{rest: record.Data}
		rd.require(record.N <= r.tally.Lines)
		key, name := rd.operator()
		if s.facts == nil || !bytes.Equal(key, s.operator) {
			end()
			s.begin(rd, key, name)
		}
		switch rd.byte() {
		case recordCounts:
			s.count(rd, record.N)
		case recordFetch:
			s.fetch(rd, record.N, rates)
		case recordRequest:
			s.request(rd, record.N, judged)
		case recordVisit:
			s.visit(rd, record.N, rates)
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
func (s *finalPass) begin(rd *recordReader, key []byte, name string) {
	s.operator, s.name = append(s.operator[:0], key...), name
	switch {
	case rd.bad:
	case name == "":
		s.index = binary.BigEndian.Uint16(key[1:])
	default:
		s.counts = s.run.tally.newRow("")
	}
	s.facts, s.memo = newFacts(s.run.auditor.config.Policy), informedMemo{}
}

// count adds the counts of an unknown crawler, which are the same in n parts of the
// input.
func (s *finalPass) count(rd *recordReader, n int64) {
	var saved savedRow
	if rd.require(s.counts != nil && json.Unmarshal(rd.rest, &saved) == nil); rd.bad {
		return
	}
	name := fromLatin1(saved.Name)
	row, err := saved.restore(n)
	if rd.require(strings.ToLower(name) == s.name && err == nil); rd.bad {
		return
	}
	s.counts.merge(row, n)
	if s.counts.name == "" || name < s.counts.name {
		s.counts.name = name
	}
}

func (s *finalPass) fetch(rd *recordReader, n int64, rates *rates) {
	t := rd.time()
	from := rd.crawlerAt(s.run.auditor.config.Policy)
	kind := answerKind(rd.byte())
	row, _ := s.row(rd, from.crawler)
	rd.require(kind&^borrowed <= toldRedirect)
	if rd.end(); rd.bad {
		return
	}
	s.facts.add(from, t, kind&^borrowed)
	if rates != nil && kind&borrowed == 0 {
		rates.fetch(row, from.at, t, n)
	}
}

func (s *finalPass) visit(rd *recordReader, n int64, rates *rates) {
	from := rd.crawlerAt(s.run.auditor.config.Policy)
	address, t, delay := rd.bytes(), rd.time(), rd.delay()
	row, _ := s.row(rd, from.crawler)
	rd.require(from.at.N > 0)
	if rd.end(); !rd.bad && rates != nil {
		rates.visit(row, from.at, address, t, delay, n)
	}
}

// row returns the row of a crawler of the operator. A record of a crawler that the
// operator does not have, or that has no counts, is bad.
func (s *finalPass) row(rd *recordReader, crawler uint16) (*row, *crawler.Profile) {
	a, t := s.run.auditor, s.run.tally
	profiles := a.config.Crawlers.Profiles()
	switch {
	case s.name != "":
		return s.counts, nil
	case int(crawler) >= len(profiles) || a.operators[crawler] != s.index:
		rd.bad = true
		return nil, nil
	}
	r := t.known[&profiles[crawler]]
	rd.require(r != nil)
	return r, &profiles[crawler]
}

func (s *finalPass) request(rd *recordReader, n int64, judged func(*judgement)) {
	a := s.run.auditor
	p := a.config.Policy
	from := rd.crawlerAt(p)
	if rd.bad {
		return
	}
	head := rd.rest
	for len(s.answers) < int(from.at.N) {
		s.answers, s.lines = append(s.answers, nil), append(s.lines, 0)
	}
	for i := range from.at.N {
		s.answers[i] = rd.runs(s.answers[i][:0], p.Copies(from.at.First+i))
		s.lines[i] = rd.uint32()
	}
	head = head[:len(head)-len(rd.rest)]
	what := rd.byte()
	x := &judgement{Judged: Judged{
		Outcome: Outcome(what >> 4), Method: Method(what & 15), Identity: Identity(rd.byte()), Time: rd.time(), HasTime: true, N: n,
	}}
	if a.config.Addresses {
		x.address = rd.bytes()
	}
	if a.keepsLines() {
		x.Line = rd.take(min(len(rd.rest), maxSample))
	}
	x.row, x.Profile = s.row(rd, from.crawler)
	rd.require(from.at.N > 0 && x.Outcome < outcomes && x.Method < methods && x.Identity < identities && x.Identity != SpoofedIdentity)
	if rd.end(); rd.bad {
		return
	}
	if s.run.verified[verifiedKey{from.crawler, string(x.address)}] && s.name == "" && x.Identity == Unverified {
		x.Identity = Verified
	}
	x.Crawler = x.row.name
	s.decide(x, from, head)
	judged(x)
}

// decide gives a request its verdict, by all origins that it may have gone to. answers
// are the bytes of the record that have the answers of their copies.
func (s *finalPass) decide(x *judgement, from crawlerAt, answers []byte) {
	a := s.run.auditor
	p := a.config.Policy
	google := readsAsGoogle(x.Profile)
	var d decision
	for i := range from.at.N {
		o := from.at.First + i
		l := p.Lawful(o, x.Time, google)
		e := decide(l, s.answers[i], s.facts.at(o, x.Time, l, google))
		if i == 0 {
			d, x.rule = e, ruleKey{from.at, l.Cited, s.lines[i]}
		} else {
			d = together(d, e, a.sameHost(from.at.First, o))
		}
	}
	x.Verdict, x.Reason = d.verdict, d.reason
	// Users of one tool do not know of each other's fetches.
	x.Informed = (x.Profile == nil || !x.Profile.Anybodys()) && s.memo.informed(s, from, answers, x.Time)
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

func (m *informedMemo) informed(s *finalPass, from crawlerAt, answers []byte, t int64) bool {
	if !m.filled || m.from != from || !bytes.Equal(m.answers, answers) {
		m.from, m.answers, m.filled = from, append(m.answers[:0], answers...), true
		m.since, m.ok = s.facts.informedSince(from, s.answers[:from.at.N])
	}
	return m.ok && m.since < t
}

// count counts a deferred request in its row and, if it is a violation, for the version
// that it quotes: of each origin that it may have gone to and that has this version.
func (r *Run) count(x *judgement) {
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

// verifiedKey names an address of a known crawler.
type verifiedKey struct {
	crawler uint16
	address string
}
