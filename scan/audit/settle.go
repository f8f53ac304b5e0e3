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

// settler goes over the late records, which come operator by operator, and gives
// each request that had to wait its verdict.
type settler struct {
	run      *Run
	operator []byte // whose records these are
	index    uint16 // of that operator, if it is known
	name     string // of the unknown crawler that the operator is, if it is one
	counts   *row   // of that
	facts    *facts
	answers  [][]policy.Answer // of each origin of a request
	lines    []uint32
	memo     informedMemo
}

// settlement is a request that had to wait, with what is said of it.
type settlement struct {
	row      *row
	profile  *crawler.Profile // nil for an unknown crawler
	decision decision
	informed bool
	rule     ruleKey // if a violation
	outcome  Outcome
	method   Method
	identity Identity
	time     int64
	address  []byte // if Config.Addresses; a view
	sample   []byte // if Config.Samples; a view
	n        int64  // how many such requests there were
}

// settle passes over the late records and gives every request that had to wait to
// pending; what it is given is its until it returns. With rates, which are given every
// visit and fetch, the rows of unknown crawlers are made, too.
func (r *Run) settle(pending func(*settlement), rates *rates) error {
	s := &settler{run: r}
	ranking := newRanking(r.tally)
	end := func() {
		if rates != nil {
			rates.endOperator()
			ranking.add(s.counts)
		}
		s.counts = nil
	}
	for record, err := range r.late.All() {
		if err != nil {
			return err
		}
		rd := &lateReader{rest: record.Data}
		rd.require(record.N <= r.tally.Lines)
		key, name := rd.operator()
		if s.facts == nil || !bytes.Equal(key, s.operator) {
			end()
			s.begin(rd, key, name)
		}
		switch rd.byte() {
		case lateCounts:
			s.count(rd, record.N)
		case lateFetch:
			s.fetch(rd, record.N, rates)
		case latePending:
			s.pending(rd, record.N, pending)
		case lateVisit:
			s.visit(rd, record.N, rates)
		default:
			rd.bad = true
		}
		if rd.bad {
			return fmt.Errorf("late record %x: %w", record.Data[:min(len(record.Data), 64)], errLate)
		}
	}
	end()
	if rates != nil {
		r.tally.listed, r.tally.others = ranking.end()
	}
	return nil
}

// begin turns to the records of another operator.
func (s *settler) begin(rd *lateReader, key []byte, name string) {
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

// count adds what was counted of an unknown crawler in n parts of the input, alike in
// each.
func (s *settler) count(rd *lateReader, n int64) {
	var saved savedRow
	if rd.require(s.counts != nil && json.Unmarshal(rd.rest, &saved) == nil); rd.bad {
		return
	}
	name := fromLatin1(saved.Name)
	rd.require(strings.ToLower(name) == s.name && saved.restore(s.counts, n) == nil)
	if s.counts.name == "" || name < s.counts.name {
		s.counts.name = name
	}
}

func (s *settler) fetch(rd *lateReader, n int64, rates *rates) {
	t := rd.time()
	who := rd.who(s.run.auditor.config.Policy)
	kind := answerKind(rd.byte())
	row, _ := s.row(rd, who.crawler)
	rd.require(kind&^borrowed <= toldRedirect)
	if rd.end(); rd.bad {
		return
	}
	s.facts.add(who, t, kind&^borrowed)
	if rates != nil && kind&borrowed == 0 {
		rates.fetch(row, who.at, t, n)
	}
}

func (s *settler) visit(rd *lateReader, n int64, rates *rates) {
	who := rd.who(s.run.auditor.config.Policy)
	address, t, delay := rd.bytes(), rd.time(), rd.delay()
	row, _ := s.row(rd, who.crawler)
	rd.require(who.at.N > 0)
	if rd.end(); !rd.bad && rates != nil {
		rates.visit(row, who.at, address, t, delay, n)
	}
}

// row returns where a crawler of the operator is counted. A record of one that the
// operator does not have, or of which nothing was counted, makes no sense.
func (s *settler) row(rd *lateReader, crawler uint16) (*row, *crawler.Profile) {
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

func (s *settler) pending(rd *lateReader, n int64, give func(*settlement)) {
	a := s.run.auditor
	p := a.config.Policy
	who := rd.who(p)
	if rd.bad {
		return
	}
	head := rd.rest
	for len(s.answers) < int(who.at.N) {
		s.answers, s.lines = append(s.answers, nil), append(s.lines, 0)
	}
	for i := range who.at.N {
		s.answers[i] = rd.runs(s.answers[i][:0], p.Copies(who.at.First+i))
		s.lines[i] = rd.uint32()
	}
	head = head[:len(head)-len(rd.rest)]
	what := rd.byte()
	x := &settlement{outcome: Outcome(what >> 4), method: Method(what & 15), identity: Identity(rd.byte()), time: rd.time(), n: n}
	if a.config.Addresses {
		x.address = rd.bytes()
	}
	if a.config.Samples > 0 {
		x.sample = rd.take(min(len(rd.rest), maxSample))
	}
	x.row, x.profile = s.row(rd, who.crawler)
	rd.require(who.at.N > 0 && x.outcome < outcomes && x.method < methods && x.identity < identities && x.identity != SpoofedIdentity)
	if rd.end(); rd.bad {
		return
	}
	if s.run.verified[verifiedKey{who.crawler, string(x.address)}] && s.name == "" && x.identity == Unverified {
		x.identity = Verified
	}
	s.decide(x, who, head)
	give(x)
}

// decide says what is to be said of a request, by all origins that it may have
// gone to. answers are the bytes in which the record holds what their copies say.
func (s *settler) decide(x *settlement, who who, answers []byte) {
	a := s.run.auditor
	p := a.config.Policy
	google := a.google(x.profile)
	for i := range who.at.N {
		o := who.at.First + i
		l := p.Lawful(o, x.time, google)
		d := decide(l, s.answers[i], s.facts.at(o, x.time, l, google))
		if i == 0 {
			x.decision = d
			x.rule = ruleKey{who.at, l.Cited, s.lines[i]}
		} else {
			x.decision = together(x.decision, d, a.sameHost(who.at.First, o))
		}
	}
	// What one user of a tool that anybody runs was told, the others were not.
	x.informed = (x.profile == nil || !x.profile.Anybodys()) && s.memo.informed(s, who, answers, x.time)
}

// informedMemo keeps since when the crawler of the last request had been told, as
// the next one is nearly always alike.
type informedMemo struct {
	who     who
	answers []byte
	since   int64
	ok      bool
	filled  bool
}

func (m *informedMemo) informed(s *settler, who who, answers []byte, t int64) bool {
	if !m.filled || m.who != who || !bytes.Equal(m.answers, answers) {
		m.who, m.answers, m.filled = who, append(m.answers[:0], answers...), true
		m.since, m.ok = s.facts.informedSince(who, s.answers[:who.at.N])
	}
	return m.ok && m.since < t
}

// google tells whether a crawler reads robots.txt as Google does.
func (a *Auditor) google(p *crawler.Profile) bool {
	if p == nil {
		return false
	}
	_, google := a.subject(crawler.Claim{Profile: p, Name: p.Name})
	return google
}

// count counts a request whose verdict had to wait in its row, and for the version
// that it quotes: of each origin that it may have gone to, if these have that.
func (r *Run) count(x *settlement) {
	x.count()
	if x.decision.verdict != Violation {
		return
	}
	p, rule := r.auditor.config.Policy, x.rule
	quoted := p.Versions(rule.at.First)[rule.version]
	for i := range rule.at.N {
		o := rule.at.First + i
		if list := p.Versions(o); int(rule.version) < len(list) && sameVersion(list[rule.version], quoted) {
			r.tally.cited[citedKey{o, rule.version}] += x.n
		}
	}
}

func sameVersion(x, y policy.Version) bool { return x.From == y.From && x.File == y.File }

func (x *settlement) count() {
	r := x.row
	r.identities[x.identity] += x.n
	r.verdicts[x.decision.verdict] += x.n
	switch x.decision.verdict {
	case Indeterminate:
		r.reasons[x.decision.reason] += x.n
	case Grace:
		if x.informed {
			r.graceInformed += x.n
		}
	case Violation:
		r.violate(violation{x.identity, x.outcome, x.method, x.informed}, x.n)
		r.rules[x.rule] += x.n
		for range min(x.n, int64(r.samples.most)) {
			r.samples.add(x.time, x.sample)
		}
	}
}

// verifiedKey names an address of a known crawler.
type verifiedKey struct {
	crawler uint16
	address string
}
