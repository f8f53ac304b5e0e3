package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// finalPass reads the deferred records, which come operator by operator, and gives
// each deferred request its verdict.
type finalPass struct {
	run     *Run
	decided func(*visit)
	rates   *rates
	// onlyRequests: nothing but the requests counts, so there are no rates and no ranking.
	onlyRequests bool
	ranking      *ranking
	proxied      bool // addresses prove nothing
	isCut        bool // and those of IPv4 that look cut are nobody's
	toAll        *judge.Answers
	records      int64 // read so far, each as often as it was added
	unknown      int64 // requests of unknown crawlers so far
	// clearedByStrangers counts requests by what clients that name no crawler were answered.
	clearedByStrangers int64
	operatorPass
	origins originTexts
	now     visit // the request whose record comes
}

// operatorPass is what is known while the records of one operator come.
type operatorPass struct {
	key    []byte // of these records; the first byte says what they are about
	name   string // of the unknown crawler that the operator is, if it is one
	counts *row   // of that
	told   *judge.Told
}

// judgeDeferred reads the deferred records and gives every request among them to decided,
// which must not keep it. Unless onlyRequests, it also measures the gaps of fetches and delayed
// requests, gives those that were counted before to Config.Judged, and makes the rows of unknown
// crawlers.
func (r *Run) judgeDeferred(decided func(*visit), onlyRequests bool) error {
	p := r.policy()
	proxied, isCut := r.auditor.isProxied(r.tally), r.auditor.isCut(r.tally)
	r.tally.settle(isCut)
	f := &finalPass{
		run: r, decided: decided, rates: newRates(), onlyRequests: onlyRequests,
		ranking: newRanking(r.tally, &r.auditor.config.Only), proxied: proxied, toAll: judge.NewAnswers(p),
		origins: originTexts{},
	}
	f.isCut, f.toAll.Unsure = isCut, proxied
	for at, n := range r.tally.Sent {
		if at.When.holds(isCut) {
			f.toAll.AddSent(at.Origin, at.Odd, n)
		}
	}
	for record, err := range r.deferred.All() {
		if err != nil {
			return err
		}
		rd := newReader(p, record.Data)
		if rd.require(record.N <= r.tally.Read() && f.records <= math.MaxInt64/2,
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
	f.toAll.Complete()
	r.tally.mostOdd, r.tally.goneToStrangers = f.toAll.MostOdd, f.toAll.GoneToStrangers
	r.tally.clearedByStrangers = f.clearedByStrangers
	if !onlyRequests {
		r.tally.listed, r.tally.others = f.ranking.end()
	}
	return nil
}

// begin turns to the records of another operator.
func (f *finalPass) begin(key []byte, name string) {
	if key[0] != aboutAll {
		f.toAll.Complete()
	}
	f.operatorPass = operatorPass{key: bytes.Clone(key), name: name, told: judge.NewTold(f.toAll)}
	if key[0] == aboutUnknown {
		f.counts = f.run.tally.newRow("", unknownBounds)
	}
}

// end ends the records of an operator.
func (f *finalPass) end() {
	if !f.onlyRequests {
		f.rates.endOperator()
		f.ranking.add(f.counts)
		if len(f.key) > 0 && f.key[0] == aboutKnown {
			cutLists(slices.Collect(maps.Values(f.run.tally.known)))
		}
	}
}

// record reads a deferred record after the key of its operator.
func (f *finalPass) record(rd *coder, n int64) {
	switch kind := rd.kind(); {
	case kind == recordAnswer:
		f.answer(rd, n)
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

// answer reads what anybody was answered.
func (f *finalPass) answer(rd *coder, n int64) {
	var x answered
	x.code(rd)
	if f.isCut && x.mayBeCut {
		x.Client = 0
	}
	if rd.end(); !rd.bad() {
		f.toAll.Add(x.site, x.Answer, n)
	}
}

// unknownCounts adds the counts of an unknown crawler, which are the same in n parts of the
// input.
func (f *finalPass) unknownCounts(rd *coder, n int64) {
	lines, name, row := f.run.tally.Lines, "", &row{}
	text(rd, &name)
	if rest, err := f.run.auditor.decode(rd.b, row, unknownBounds, lines/n); err != nil || len(rest) > 0 {
		rd.require(false, fmt.Sprint("the counts of a crawler: ", err))
		return
	}
	f.unknown += row.Requests * n
	rd.require(f.unknown <= lines, "unknown crawlers have more requests than there are lines")
	f.counts.merge(row, n)
	if f.counts.name == "" || name < f.counts.name {
		f.counts.name = name
	}
}

func (f *finalPass) fetch(rd *coder, n int64) {
	var x fetch
	x.code(rd)
	if !x.when.holds(f.isCut) {
		rd.end()
		return
	}
	x.identity = f.identity(x.Crawler, x.identity, x.address)
	x.Identity, x.HasTime = uint8(x.identity), x.use != fetchTimeless
	row, _ := f.row(rd, x.Crawler, x.use == fetchCounted)
	if rd.end(); rd.bad() || x.identity == report.SpoofedIdentity {
		return
	}
	shown := f.told.Add(&x.Fetch, n)
	if row != nil {
		row.informedKnown = row.informedKnown || shown
		if x.HasTime && row.Requests > 0 {
			f.run.auditor.changes.fetch(f.run.policy(), row, &x.Fetch)
		}
	}
	if !f.onlyRequests && x.use == fetchCounted {
		f.rates.fetch(row, x.Site, x.Time, n)
	}
}

// identity returns the identity of a crawler's client at an address: Run.Verify may have
// verified it, or the addresses prove nothing.
func (f *finalPass) identity(crawler uint32, identity report.Identity, address []byte) report.Identity {
	switch {
	case f.proxied && (identity == report.Verified || identity == report.SpoofedIdentity):
		return report.Unverified
	case !f.proxied && f.name == "" && identity == report.Unverified &&
		f.run.verified[verifiedKey{crawler, string(address)}]:
		return report.Verified
	}
	return identity
}

func (f *finalPass) delayed(rd *coder, n int64) {
	var x delayed
	x.code(rd)
	if !x.when.holds(f.isCut) {
		rd.end()
		return
	}
	row, _ := f.row(rd, x.from.Crawler, true)
	if rd.end(); !rd.bad() && !f.onlyRequests {
		f.rates.delayed(row, x.from, x.address, x.time, x.millis, n)
	}
}

// row returns the row of a crawler of the operator, and its profile if it is known. If it has been
// counted in the row, it has made a request: no report has the row of a crawler that has made none.
func (f *finalPass) row(rd *coder, crawler uint32, counted bool) (r *row, p *crawler.Profile) {
	profiles := f.run.auditor.config.Crawlers.Profiles()
	switch {
	case f.counts != nil:
		r = f.counts
	case int64(crawler) >= int64(len(profiles)):
		rd.require(false, "a crawler is not known")
	default:
		p = &profiles[crawler]
		r = f.run.tally.known[p]
	}
	rd.require(!counted || r != nil && r.Requests > 0, "a crawler has made no request")
	return r, p
}

// visit reads a request. It gives it its verdict, unless it has one.
func (f *finalPass) visit(rd *coder, n int64) {
	x, config := &f.now, &f.run.auditor.config
	*x = visit{stances: x.stances, normal: x.normal}
	x.code(rd, config)
	if !x.when.holds(f.isCut) {
		rd.end()
		return
	}
	x.row, x.Profile = f.row(rd, x.from.Crawler, true)
	rd.require(!x.counted || config.Judged != nil, "a request waits for nobody")
	if rd.end(); rd.bad() {
		return
	}
	x.Identity, x.Crawler, x.N = f.identity(x.from.Crawler, x.Identity, x.address), x.row.name, n
	if config.Judged != nil {
		x.Worker, x.Origin, x.Site = -1, f.origins.of(f.run.auditor, x.from.Site), x.from.Site
		if len(x.Address) == 0 {
			x.Address = nil
		}
	}
	switch {
	case !x.counted:
		f.decide(rd.policy, x)
		f.decided(x)
	case !f.onlyRequests:
		if x.Identity == report.SpoofedIdentity {
			x.Verdict, x.Reason = report.Spoofed, 0
		}
		config.Judged(&x.Judged)
	}
}

// decide gives a request its verdict.
func (f *finalPass) decide(p *policy.Policy, x *visit) {
	q := judge.Case{
		Spoofed: x.Identity == report.SpoofedIdentity, Time: x.Time, HasTime: true, Site: x.from.Site,
		Class: classOf(x.Profile), Exact: x.exact, HasNormal: x.hasNormal, Copies: x,
	}
	d, _ := judge.Decide(p, &q, f.told)
	x.Verdict, x.Reason, x.Evasive = d.Verdict, d.Reason, d.Evasive
	if x.IsOf(&f.run.auditor.config.Only) && f.told.ClearedByStrangers(&q, d) {
		f.clearedByStrangers += x.N
	}
	if x.Verdict == report.Spoofed {
		return
	}
	x.InformedKnown = x.row.informedKnown
	x.rule = ruleKey{x.from.Site, max(x.cited-1, 0), x.line}
	if f.isOne(x.Profile) {
		x.from.Identity = uint8(x.Identity)
		x.Informed = f.told.Informed(x.from, x.Time, x.stances)
	}
}

// Stances implements judge.Copies.
func (x *visit) Stances(origin int32, normal bool) []policy.Stance {
	if normal {
		return x.normal[origin-x.from.Site.First]
	}
	return x.stances[origin-x.from.Site.First]
}

// isOne reports whether the clients of a crawler may know of each other's fetches: users of one
// tool do not, nor do clients without a name. A nil profile is that of an unknown crawler.
func (f *finalPass) isOne(p *crawler.Profile) bool {
	return p == nil && f.name != crawler.Nameless || p != nil && !p.Anybodys()
}

// count counts a deferred request in its row and, if it is a violation, for the version
// that it quotes: of each origin that it may have gone to and that has this version.
func (r *Run) count(x *visit) {
	row := x.row
	row.count(x.Identity, x.Verdict, x.Reason, x.N)
	size := x.Size
	if x.Verdict == report.Spoofed {
		size = 0 // as SiteInfo.Bytes has it
	}
	r.tally.countSite(x.from.Site, x.from.Crawler, x.Profile != nil, x.Verdict, false, always, x.N, size)
	if x.Evasive {
		row.evasive += x.N
	}
	if x.Verdict == report.Grace && x.Informed {
		row.graceInformed += x.N
	}
	if x.HasTime {
		row.Timeline.add(clock(x.Time, r.auditor.config.Zone), x.Verdict, x.N)
	}
	if x.Verdict == report.Violation {
		row.violationBytes = report.Plus(row.violationBytes, times(max(x.Size, 0), x.N))
		row.violations[violationKind{x.Identity, x.Outcome, x.MethodClass, x.Informed}] += x.N
		row.violate(x.rule, x.N)
		for range min(x.N, int64(row.samples.most)) {
			row.samples.add(x.Time, x.Line)
		}
		if x.IsOf(&r.auditor.config.Only) {
			r.cite(x.rule, x.N)
		}
		r.paths.violated(x)
	}
	if x.Verdict != report.Spoofed {
		r.auditor.changes.visit(r.policy(), x)
	}
	r.give(x)
}

// give gives a deferred request to Config.Judged.
func (r *Run) give(x *visit) {
	if give := r.auditor.config.Judged; give != nil &&
		(x.Verdict == report.Violation || !r.auditor.config.OnlyViolations) {
		if x.Verdict == report.Violation {
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

// verifiedKey names a known crawler, and an address from which a client claimed to be it.
type verifiedKey struct {
	crawler uint32
	address string
}

// Unverified returns the addresses of violations by clients that are not verified but
// could be by the names of their addresses. If there are more than most, it returns a
// choice that depends on the addresses alone, and more is true. It needs
// Config.KeepAddresses.
func (r *Run) Unverified(most int) (list []crawler.Pair, more bool, err error) {
	if err := r.gather(); err != nil {
		return nil, false, err
	}
	kept := newBounded(most, hashVerified)
	err = r.judgeDeferred(func(x *visit) {
		if x.Verdict == report.Violation && x.Identity == report.Unverified && x.Profile != nil &&
			len(x.Profile.Domains) > 0 {
			kept.add(verifiedKey{r.auditor.profiles[x.Profile], string(x.address)}, tallied{})
		}
	}, true)
	kept.prune(1)
	profiles := r.auditor.config.Crawlers.Profiles()
	for k := range kept.Kept {
		list = append(list, crawler.Pair{Profile: &profiles[k.crawler], Addr: k.address})
	}
	slices.SortFunc(list, func(x, y crawler.Pair) int {
		return cmp.Or(cmp.Compare(x.Profile.Name, y.Profile.Name), cmp.Compare(x.Addr, y.Addr))
	})
	return list, kept.Below != 0, err
}

func hashVerified(k verifiedKey) uint64 { return mix(hashString(k.address) ^ uint64(k.crawler)) }

// Verify makes the client at an address verified: Report counts its violations as those
// of the crawler itself.
func (r *Run) Verify(p crawler.Pair) {
	r.verified[verifiedKey{r.auditor.profiles[p.Profile], p.Addr}] = true
}
