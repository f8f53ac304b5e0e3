package audit

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// finalPass reads the deferred records, which come operator by operator, and gives
// each deferred request its verdict.
type finalPass struct {
	run     *Run
	judged  func(*deferredRequest)
	rates   *rates // nil if nothing but the requests counts
	ranking *ranking
	proxied bool // addresses prove nothing
	toAll   *judge.Answers
	records int64 // read so far, each as often as it was added
	unknown int64 // requests of unknown crawlers so far
	operatorPass
	origins         originTexts
	answers, normal [][]policy.Answer // of each origin of a request, and for its normal form
}

// operatorPass is what is known while the records of one operator come.
type operatorPass struct {
	key      []byte // of these records; the first byte says what they are about
	name     string // of the unknown crawler that the operator is, if it is one
	counts   *row   // of that
	told     *judge.Told
	informed informedMemo
}

// informedMemo is judge.Told.InformedSince by all that it depends on. Most requests of a crawler
// are alike for it. A memo that is full is emptied.
type informedMemo struct {
	since map[informedKey]int64
	bytes int // that it holds
}

// informedKey has the answers as the record has them.
type informedKey struct {
	judge.Sender
	answers string
}

// deferredRequest is a deferred request with its verdict.
type deferredRequest struct {
	Judged
	row     *row
	rule    ruleKey // if a violation
	address []byte  // a view; empty if it does not matter
	path    []byte  // the beginning of its target
}

// judgeDeferred reads the deferred records and gives every request among them to judged,
// which must not keep it. With rates, which get every fetch and delayed request, it also
// makes the rows of unknown crawlers.
func (r *Run) judgeDeferred(judged func(*deferredRequest), rates *rates) error {
	p := r.policy()
	f := &finalPass{
		run: r, judged: judged, rates: rates, ranking: newRanking(r.tally), proxied: r.auditor.isProxied(r.tally),
		toAll: judge.NewAnswers(p), origins: originTexts{},
	}
	for at, n := range r.tally.Sent {
		f.toAll.AddSent(at.Origin, at.Odd, n)
	}
	for record, err := range r.deferred.All() {
		if err != nil {
			return err
		}
		rd := &recordReader{policy: p, rest: record.Data}
		if rd.require(record.N <= r.tally.read() && f.records <= math.MaxInt64/2,
			"it was added more often than there are lines"); !rd.bad() {
			f.records += record.N
		}
		if key, name := rd.operator(); !rd.bad() && !bytes.Equal(key, f.key) {
			f.end()
			f.begin(key, name)
		}
		if !rd.bad() {
			f.record(rd, record.N)
		}
		if rd.bad() {
			return fmt.Errorf("%w: %s, in the record %x", ErrDamaged, rd.wrong, record.Data[:min(len(record.Data), 64)])
		}
	}
	f.end()
	r.tally.mostOdd = f.toAll.MostOdd
	if rates != nil {
		r.tally.listed, r.tally.others = f.ranking.end()
	}
	return nil
}

// begin turns to the records of another operator.
func (f *finalPass) begin(key []byte, name string) {
	f.operatorPass = operatorPass{key: bytes.Clone(key), name: name, told: judge.NewTold(f.toAll)}
	if key[0] == aboutUnknown {
		f.counts = f.run.tally.newRow("", unknownBounds)
	}
}

// end ends the records of an operator.
func (f *finalPass) end() {
	if f.rates != nil {
		f.rates.endOperator()
		f.ranking.add(f.counts)
		if len(f.key) > 0 && f.key[0] == aboutKnown {
			cutLists(slices.Collect(maps.Values(f.run.tally.known)))
		}
	}
}

// record reads a deferred record after the key of its operator.
func (f *finalPass) record(rd *recordReader, n int64) {
	switch kind := rd.byte(); {
	case kind == recordAnswer:
		f.answer(rd)
	case kind == recordCounts && f.counts != nil:
		f.unknownCounts(rd, n)
	case kind == recordFetch:
		f.fetch(rd, n)
	case kind == recordVisit:
		f.visit(rd, n)
	case kind == recordDelayed:
		f.delayed(rd, n)
	default:
		rd.require(false, "it is of no kind")
	}
}

// answer reads what anybody was answered in a minute.
func (f *finalPass) answer(rd *recordReader) {
	t, at, kind := rd.time(), rd.site(), rd.kind()
	if rd.end(); !rd.bad() {
		f.toAll.Add(at, t, kind)
	}
}

// unknownCounts adds the counts of an unknown crawler, which are the same in n parts of the
// input.
func (f *finalPass) unknownCounts(rd *recordReader, n int64) {
	lines, name, row := f.run.tally.Lines, rd.bytes(), &row{}
	if rest, err := f.run.auditor.decode(rd.rest, row, unknownBounds, lines/n); err != nil || len(rest) > 0 {
		rd.require(false, fmt.Sprint("the counts of a crawler: ", err))
		return
	}
	f.unknown += row.Requests * n
	rd.require(f.unknown <= lines, "unknown crawlers have more requests than there are lines")
	f.counts.merge(row, n)
	if f.counts.name == "" || string(name) < f.counts.name {
		f.counts.name = string(name)
	}
}

func (f *finalPass) fetch(rd *recordReader, n int64) {
	t := rd.time()
	x := judge.Fetch{Time: t, Sender: rd.sender(), Kind: rd.kind(), Size: int64(rd.uint64())}
	identity, use, address := rd.identity(), fetchUse(rd.byte()), rd.bytes()
	identity = f.identity(x.Crawler, identity, address)
	x.Identity, x.HasTime = uint8(identity), use != fetchTimeless
	var row *row
	switch use {
	case fetchCounted:
		row, _ = f.row(rd, x.Crawler)
	case fetchOutside, fetchTimeless:
		if profile := f.profile(rd, x.Crawler); profile != nil {
			row = f.run.tally.known[profile]
		} else {
			row = f.counts
		}
	}
	if rd.end(); rd.bad() || identity == SpoofedIdentity {
		return
	}
	shown := f.told.Add(&x, n)
	if row != nil {
		row.informedKnown = row.informedKnown || shown
	}
	if f.rates != nil && use == fetchCounted {
		f.rates.fetch(row, x.Site, x.Time, n)
	}
}

// identity returns the identity of a crawler's client at an address: Run.Verify may have
// verified it, or the addresses prove nothing.
func (f *finalPass) identity(crawler uint32, identity Identity, address []byte) Identity {
	switch {
	case f.proxied && (identity == Verified || identity == SpoofedIdentity):
		return Unverified
	case !f.proxied && f.name == "" && identity == Unverified && f.run.verified[verifiedKey{crawler, string(address)}]:
		return Verified
	}
	return identity
}

func (f *finalPass) delayed(rd *recordReader, n int64) {
	from, address, t, delay := rd.sender(), rd.bytes(), rd.time(), rd.delay()
	row, _ := f.row(rd, from.Crawler)
	if rd.end(); !rd.bad() && f.rates != nil {
		f.rates.delayed(row, from, address, t, delay, n)
	}
}

// row returns the row of a crawler of the operator. A record of a crawler that has made no request
// is bad: no report has its row.
func (f *finalPass) row(rd *recordReader, crawler uint32) (r *row, p *crawler.Profile) {
	if p = f.profile(rd, crawler); p != nil {
		r = f.run.tally.known[p]
	} else {
		r = f.counts
	}
	rd.require(r != nil && r.Requests > 0, "a crawler has made no request")
	return r, p
}

// profile returns the profile of a crawler of the operator, nil if that is an unknown crawler.
func (f *finalPass) profile(rd *recordReader, crawler uint32) *crawler.Profile {
	if f.counts != nil {
		return nil
	}
	profiles := f.run.auditor.config.Crawlers.Profiles()
	if int64(crawler) >= int64(len(profiles)) {
		rd.require(false, "a crawler is not known")
		return nil
	}
	return &profiles[crawler]
}

// visit reads a request.
func (f *finalPass) visit(rd *recordReader, n int64) {
	from, address, t, kind := rd.sender(), rd.bytes(), rd.time(), rd.byte()
	switch kind {
	case visitRequest:
		row, profile := f.row(rd, from.Crawler)
		x := &deferredRequest{row: row, address: address, Judged: Judged{Time: t, HasTime: true, Profile: profile, N: n}}
		f.request(rd, x, from)
	case visitSettled:
		row, profile := f.row(rd, from.Crawler)
		f.settled(rd, &deferredRequest{row: row, Judged: Judged{Time: t, Profile: profile, N: n}}, from)
	default:
		rd.require(false, "a visit is of no kind")
	}
}

// request reads the rest of a request, and gives it its verdict.
func (f *finalPass) request(rd *recordReader, x *deferredRequest, from judge.Sender) {
	identity, kinds := rd.identity(), rd.byte()
	x.Outcome, x.Method = Outcome(kinds>>4), Method(kinds&(notExact-1))
	rd.require(from.Site.N > 0 && x.Outcome < outcomes && x.Method < methods,
		"a request is to no origin, or of no outcome or method")
	if rd.bad() {
		return
	}
	answers := rd.rest
	f.answers = rd.answers(f.answers, from.Site)
	answers = answers[:len(answers)-len(rd.rest)]
	if kinds&withNormal != 0 {
		f.normal = rd.answers(f.normal, from.Site)
	}
	cited := int32(rd.uvarint(uint64(len(rd.policy.Versions(from.Site.First))))) - 1
	line := rd.uint32()
	x.Size, x.path = int64(rd.uvarint(math.MaxInt64)), rd.bytes()
	switch c := &f.run.auditor.config; {
	case c.Judged != nil:
		rd.judged(&x.Judged)
		x.Origin, x.Site = f.origins.of(f.run.auditor, from.Site), from.Site
	case c.Samples > 0:
		x.Line = rd.take(min(len(rd.rest), maxSample))
	}
	if rd.end(); rd.bad() {
		return
	}
	x.Identity, x.Crawler = f.identity(from.Crawler, identity, x.address), x.row.name
	d, _ := judge.Decide(rd.policy, &judge.Case{
		Spoofed: x.Identity == SpoofedIdentity, Time: x.Time, HasTime: true, Site: from.Site,
		Google: readsAsGoogle(x.Profile), Exact: kinds&notExact == 0, HasNormal: kinds&withNormal != 0,
		Copies: pendingCopies{from.Site.First, f.answers, f.normal},
	}, f.told)
	x.Verdict, x.Reason, x.Evasive = d.Verdict, d.Reason, d.Evasive
	if x.Verdict != Spoofed {
		x.InformedKnown = x.row.informedKnown
		x.rule = ruleKey{from.Site, max(cited, 0), line}
		if f.isOne(x.Profile) {
			from.Identity = uint8(x.Identity)
			x.Informed = f.informedSince(from, answers) < x.Time
		}
	}
	f.judged(x)
}

// pendingCopies are the answers of the copies of each origin of a site as a record has them.
type pendingCopies struct {
	first           int32
	answers, normal [][]policy.Answer
}

// Permit implements judge.Copies.
func (c pendingCopies) Permit(int32, bool) bool { return false }

// Answers implements judge.Copies.
func (c pendingCopies) Answers(origin int32, normal bool) []policy.Answer {
	if normal {
		return c.normal[origin-c.first]
	}
	return c.answers[origin-c.first]
}

// isOne reports whether the clients of a crawler may know of each other's fetches: users of one
// tool do not, nor do clients without a name. A nil profile is that of an unknown crawler.
func (f *finalPass) isOne(p *crawler.Profile) bool {
	return p == nil && f.name != crawler.Nameless || p != nil && !p.Anybodys()
}

// informedSince is judge.Told.InformedSince for the request with these answers.
func (f *finalPass) informedSince(from judge.Sender, answers []byte) int64 {
	m := &f.informed
	since, known := m.since[informedKey{from, string(answers)}]
	if !known {
		if m.since == nil || m.bytes >= f.run.budget.informed {
			*m = informedMemo{since: map[informedKey]int64{}}
		}
		since = f.told.InformedSince(from, f.answers)
		m.since[informedKey{from, string(answers)}] = since
		m.bytes += len(answers) + len(from.Word) + memoBytes
	}
	return since
}

// count counts a deferred request in its row and, if it is a violation, for the version
// that it quotes: of each origin that it may have gone to and that has this version.
func (r *Run) count(x *deferredRequest) {
	row := x.row
	row.count(x.Identity, x.Verdict, x.Reason, x.N)
	if x.Evasive {
		row.evasive += x.N
	}
	if x.Verdict == Grace && x.Informed {
		row.graceInformed += x.N
	}
	if x.HasTime {
		row.Timeline.add(x.Time, x.Verdict, x.N)
	}
	if x.Verdict == Violation {
		row.violationBytes = plus(row.violationBytes, times(max(x.Size, 0), x.N))
		row.violations[violationKind{x.Identity, x.Outcome, x.Method, x.Informed}] += x.N
		row.violate(x.rule, x.N)
		for range min(x.N, int64(row.samples.most)) {
			row.samples.add(x.Time, x.Line)
		}
		r.cite(x.rule, x.N)
		r.paths.violated(x)
	}
	r.give(x)
}

// give gives a deferred request to Config.Judged.
func (r *Run) give(x *deferredRequest) {
	if give := r.auditor.config.Judged; give != nil && (x.Verdict == Violation || !r.auditor.config.OnlyViolations) {
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
		if list := p.Versions(o); int(k.version) < len(list) && list[k.version].From == quoted.From &&
			list[k.version].File == quoted.File {
			r.tally.cited[versionKey{o, k.version}] += n
		}
	}
}
