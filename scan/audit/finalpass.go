package audit

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/judge"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// finalPass reads the deferred records, which come operator by operator, and gives each deferred
// request its verdict.
type finalPass struct {
	run   *Run
	sinks Sink // receive the requests that get their verdicts
	rates *rates
	// onlyRequests skips everything but the requests: there are no rates and no ranking.
	onlyRequests bool
	ranking      *ranking
	addresses    *addresses
	toAll        *judge.Answers
	records      int64 // read so far, each counted as often as it was added
	unknown      int64 // requests of unknown crawlers so far
	// clearedByStrangers counts requests by the answers to clients that name no crawler.
	clearedByStrangers int64
	operatorPass
	origins originTexts
	now     Event // the event being read
	err     error // the first error of a sink
}

// operatorPass is the state kept while the records of one operator are read.
type operatorPass struct {
	key    []byte // of these records; the first byte is the kind of operator
	name   string // if the operator is an unknown crawler
	counts *row   // of this unknown crawler
	told   *judge.Told
}

// judgeDeferred reads the deferred records and passes every request among them, with its verdict, to the sinks.
// Unless onlyRequests is set, it also measures the gaps of fetches and delayed requests, passes requests that were
// counted before to Config.Judged, and makes the rows of unknown crawlers.
func (r *Run) judgeDeferred(sinks Sink, onlyRequests bool) error {
	policy := r.policy()
	r.tally.settle(&r.auditor.config, r.auditor.verifies)
	pass := &finalPass{
		run: r, sinks: sinks, rates: &rates{fetches: map[*row]*fetchRate{}}, onlyRequests: onlyRequests,
		ranking:   &ranking{only: &r.auditor.config.Only, others: r.tally.newRow(report.OtherCrawlers, unknownBounds)},
		addresses: r.tally.addresses, toAll: judge.NewAnswers(policy), origins: originTexts{},
	}
	pass.toAll.Unsure = pass.addresses.proxied
	for at, n := range r.tally.Sent {
		if pass.addresses.holds(at.When) {
			pass.toAll.AddSent(at.Origin, at.Odd, n)
		}
	}
	for record, err := range r.deferred.All() {
		if err != nil {
			return err
		}
		rd := newReader(policy, record.Data)
		rd.require(record.N <= r.tally.Read() && pass.records <= math.MaxInt64/2,
			"it was added more often than there are lines")
		if !rd.bad() {
			pass.records += record.N
		}
		if key, name := rd.operator(); !rd.bad() && !bytes.Equal(key, pass.key) {
			pass.end()
			pass.begin(key, name)
		}
		if !rd.bad() {
			pass.record(rd, record.N)
		}
		if rd.bad() {
			return fmt.Errorf("%w: %s, in the record %x", ErrDamaged, rd.wrong, record.Data[:min(len(record.Data), 64)])
		}
		if pass.err != nil {
			return pass.err
		}
	}
	pass.end()
	pass.toAll.Complete()
	r.tally.mostOdd, r.tally.goneToStrangers = pass.toAll.MostOdd, pass.toAll.GoneToStrangers
	r.tally.clearedByStrangers = pass.clearedByStrangers
	if !onlyRequests {
		r.tally.listed, r.tally.others = pass.ranking.end()
	}
	return nil
}

// begin starts the records of another operator.
func (f *finalPass) begin(key []byte, name string) {
	if key[0] != aboutAll {
		f.toAll.Complete()
	}
	f.operatorPass = operatorPass{key: bytes.Clone(key), name: name, told: judge.NewTold(f.toAll)}
	if key[0] == aboutUnknown {
		f.counts = f.run.tally.newRow("", unknownBounds)
	}
}

// end finishes the records of an operator.
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
	case kind == recordEvent:
		f.event(rd, n)
	case kind == recordDelayed:
		f.delayed(rd, n)
	default:
		rd.require(false, "its kind is invalid")
	}
}

// answer reads an answer to any client.
func (f *finalPass) answer(rd *coder, n int64) {
	var x answered
	x.code(rd)
	if f.addresses.ipv4 && x.mayBeCut {
		x.Client = 0
	}
	rd.end()
	if !rd.bad() {
		f.toAll.Add(x.site, x.Answer, n)
	}
}

// unknownCounts adds the counts of an unknown crawler, which are equal in n parts of the input.
func (f *finalPass) unknownCounts(rd *coder, n int64) {
	lines, name, row := f.run.tally.Lines, "", &row{}
	text(rd, &name)
	if rest, err := f.run.auditor.decode(rd.data, row, unknownBounds, lines/n); err != nil || len(rest) > 0 {
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
	var fetched fetch
	fetched.code(rd)
	if !f.addresses.holds(fetched.when) {
		rd.end()
		return
	}
	fetched.identity = f.identity(fetched.Crawler, fetched.identity, fetched.address)
	fetched.Identity, fetched.HasTime = uint8(fetched.identity), fetched.use != fetchTimeless
	row, _ := f.row(rd, fetched.Crawler, fetched.use == fetchCounted)
	rd.end()
	if rd.bad() || fetched.identity == report.SpoofedIdentity {
		return
	}
	shown := f.told.Add(&fetched.Fetch, n)
	if row != nil {
		row.informedKnown = row.informedKnown || shown
		if fetched.HasTime && row.Requests > 0 {
			f.run.auditor.changes.fetch(f.run.policy(), row, &fetched.Fetch)
		}
	}
	if !f.onlyRequests && fetched.use == fetchCounted {
		f.rates.fetch(row, fetched.Site, fetched.Time, n)
	}
}

// identity returns the identity of a crawler's client at an address, which may be verified by Run.Verify.
func (f *finalPass) identity(crawler uint32, identity report.Identity, address []byte) report.Identity {
	return f.addresses.settle(identity, f.name == "" && f.run.verified[verifiedKey{crawler, string(address)}])
}

func (f *finalPass) delayed(rd *coder, n int64) {
	var x delayed
	x.code(rd)
	if !f.addresses.holds(x.when) {
		rd.end()
		return
	}
	row, _ := f.row(rd, x.from.Crawler, true)
	rd.end()
	if !rd.bad() && !f.onlyRequests {
		f.rates.delayed(row, &x, n)
	}
}

// row returns the row of one of the operator's crawlers, and its profile if it is known. counted
// means that the record was counted in the row, which therefore has a request: no report has the
// row of a crawler without requests.
func (f *finalPass) row(rd *coder, crawler uint32, counted bool) (r *row, p *crawler.Profile) {
	profiles := f.run.auditor.config.Crawlers.Profiles()
	switch {
	case f.counts != nil:
		r = f.counts
	case int64(crawler) >= int64(len(profiles)):
		rd.require(false, "a crawler is unknown")
	default:
		p = &profiles[crawler]
		r = f.run.tally.known[p]
	}
	rd.require(!counted || r != nil && r.Requests > 0, "a crawler has made no request")
	return r, p
}

// event reads a request, and gives it its verdict unless it has one.
func (f *finalPass) event(rd *coder, n int64) {
	request, config := &f.now, &f.run.auditor.config
	*request = Event{waiting: waiting{stances: request.stances, normal: request.normal}}
	request.code(rd, config)
	if !f.addresses.holds(request.when) {
		rd.end()
		return
	}
	request.when = always
	request.row, request.Crawler = f.row(rd, request.from.Crawler, true)
	rd.require(!request.counted || config.Judged != nil, "nothing needs a counted request")
	rd.end()
	if rd.bad() {
		return
	}
	request.Identity = f.identity(request.from.Crawler, request.Identity, request.proof)
	request.Name, request.N, request.Worker = request.row.name, n, -1
	if config.Judged != nil {
		request.Origin = f.origins.of(f.run.auditor, request.Site)
		if len(request.Address) == 0 {
			request.Address = nil
		}
	}
	switch {
	case !request.counted:
		f.decide(rd.policy, request)
		f.give(f.sinks, request)
	case !f.onlyRequests:
		if request.Identity == report.SpoofedIdentity {
			request.Decision.Decision = judge.Decision{Verdict: report.Spoofed}
		}
		f.give(config.Judged, request)
	}
}

func (f *finalPass) give(to Sink, e *Event) { f.err = cmp.Or(f.err, to.Add(e)) }

// decide gives a request its verdict.
func (f *finalPass) decide(inForce *policy.Policy, event *Event) {
	question := judge.Case{
		Spoofed: event.Identity == report.SpoofedIdentity, Time: event.Time, HasTime: true, Site: event.Site,
		Class: classOf(event.Crawler), Exact: event.exact, HasNormal: event.hasNormal, Copies: event,
	}
	event.Decision.Decision, _ = judge.Decide(inForce, &question, f.told)
	if event.IsOf(&f.run.auditor.config.Only) && f.told.ClearedByStrangers(&question, event.Decision.Decision) {
		f.clearedByStrangers += event.N
	}
	if event.Verdict == report.Spoofed {
		return
	}
	event.InformedKnown = event.row.informedKnown
	event.rule = ruleKey{event.Site, max(event.cited-1, 0), event.line}
	if f.isOne(event.Crawler) {
		event.from.Identity = uint8(event.Identity)
		event.Informed = f.told.Informed(event.from, event.Time, event.stances)
	}
	if event.Verdict == report.Violation && f.run.auditor.config.Judged != nil {
		event.Rule = f.run.auditor.rule(event.rule, 0)
	}
}

// Stances implements judge.Copies.
func (x *waiting) Stances(origin int32, normal bool) []policy.Stance {
	if normal {
		return x.normal[origin-x.from.Site.First]
	}
	return x.stances[origin-x.from.Site.First]
}

// Permit implements judge.Copies. It is not called in the final pass.
func (x *waiting) Permit(int32, bool) bool { return false }

// isOne reports whether the clients of a crawler may know about each other's fetches. Users of one
// tool do not, nor do clients without a name. A nil profile stands for an unknown crawler.
func (f *finalPass) isOne(p *crawler.Profile) bool {
	return p == nil && f.name != crawler.Nameless || p != nil && !p.Anybodys()
}

// sinks are the receivers of events of the final pass for a report. The tally counts them, as it does
// those of Worker.decided.
func (r *Run) sinks() Sinks {
	list := Sinks{r.tally, r.paths, SinkFunc(func(e *Event) error {
		if e.Verdict != report.Spoofed {
			r.auditor.changes.visit(e) // some version of its site forbids it
		}
		return nil
	})}
	if c := &r.auditor.config; c.Judged != nil {
		list = append(list, SinkFunc(func(e *Event) error {
			if c.OnlyViolations && e.Verdict != report.Violation {
				return nil
			}
			return c.Judged.Add(e)
		}))
	}
	return list
}

// verifiedKey names a known crawler and an address of a client that claimed to be it.
type verifiedKey struct {
	crawler uint32
	address string
}

// Unverified returns the addresses of violations by unverified clients that could be verified by
// the names of their addresses. If there are more than most, more is true and it returns a
// selection that depends only on the addresses. It needs Config.KeepAddresses.
func (r *Run) Unverified(most int) (list []crawler.Pair, more bool, err error) {
	if err := r.endWorkers(); err != nil {
		return nil, false, err
	}
	kept := newBounded(most, func(k verifiedKey) uint64 { return mix(hashString(k.address) ^ uint64(k.crawler)) })
	err = r.judgeDeferred(SinkFunc(func(e *Event) error {
		if e.Verdict == report.Violation && e.Identity == report.Unverified && e.Crawler != nil &&
			len(e.Crawler.Domains) > 0 {
			kept.add(verifiedKey{e.from.Crawler, string(e.proof)}, tallied{})
		}
		return nil
	}), true)
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

// Verify marks the client at an address as verified, so that Report counts its violations as the crawler's own.
func (r *Run) Verify(p crawler.Pair) {
	r.verified[verifiedKey{r.auditor.profiles[p.Profile], p.Addr}] = true
}

// rates measures the gaps between fetches of robots.txt, and between requests to which a Crawl-delay applies. It
// receives deferred records in their order, and holds only the data of one operator's crawlers.
type rates struct {
	fetches map[*row]*fetchRate // of the current operator

	row     *row         // of the current delayed requests
	from    judge.Sender // the sender of the last one
	address []byte
	last    int64 // time of this sender's last request
	gaps    gaps  // compared with the delay at their end
	delay   int64 // in milliseconds, at the latest request
	latest  int64 // time of the latest request
}

// fetchRate is how a crawler fetches robots.txt.
type fetchRate struct {
	last map[policy.Site]int64
	gaps gaps // their limit is one millisecond more than a day
}

// delayAt is how well a crawler kept a Crawl-delay on a site. Delay is the delay stated at the last
// request; Shorter compares each gap with the delay stated at its end.
type delayAt struct {
	at policy.Site
	report.DelayInfo
}

const (
	millisecond      = 1_000_000 // in nanoseconds
	minute           = int64(60_000 * millisecond)
	hour             = 60 * minute
	dayMillis        = 24 * 60 * 60 * 1000          // in milliseconds
	longestGapMillis = 100 * 366 * int64(dayMillis) // longer gaps count as this
)

// gaps are numbers of milliseconds. Up to exactGaps of them are kept exactly; more go to a
// histogram with three significant digits.
type gaps struct {
	exact     []int64
	histogram *hdrhistogram.Histogram // nil while there are few
	n         int64
	max       int64
	short     int64 // how many are shorter than their limit
}

const exactGaps = 1 << 12

// add adds n gaps of equal length and limit.
func (g *gaps) add(millis, limit, n int64) {
	if n == 0 {
		return
	}
	g.n += n
	g.max = max(g.max, millis)
	if millis < limit {
		g.short += n
	}
	switch {
	case g.histogram != nil:
		g.record(millis, n)
	case n <= int64(exactGaps-len(g.exact)):
		for range n {
			g.exact = append(g.exact, millis)
		}
	default:
		g.histogram = hdrhistogram.New(1, longestGapMillis, 3)
		for _, millis := range g.exact {
			g.record(millis, 1)
		}
		g.exact = nil
		g.record(millis, n)
	}
}

func (g *gaps) record(millis, n int64) {
	// The number is in the range of the histogram, so there can be no error.
	_ = g.histogram.RecordValues(min(millis, longestGapMillis), n)
}

// quantile returns the smallest gap that is at least as long as the given percentage of all gaps.
func (g *gaps) quantile(percent int64) int64 {
	if g.histogram != nil {
		return g.histogram.ValueAtQuantile(float64(percent))
	}
	slices.Sort(g.exact)
	return g.exact[max(0, (int64(len(g.exact))*percent+99)/100-1)]
}

// millis returns the milliseconds between two times, even if the number of nanoseconds overflows.
func millis(from, to int64) int64 {
	if d := to - from; d >= 0 {
		return d / millisecond
	}
	return to/millisecond - from/millisecond
}

func seconds(millis int64) float64 { return float64(millis) / 1000 }

// delaySupport returns whether a crawler heeds Crawl-delay: yes, no, or "" if unknown. Google's parser ignores it.
func delaySupport(p *crawler.Profile) report.YesNo {
	if p == nil {
		return ""
	}
	if p.CrawlDelay == "" && classOf(p) == answer.Google {
		return report.No
	}
	return report.YesNo(p.CrawlDelay)
}

// fetch adds n fetches at the same time. The fetches of an operator come in order of time.
func (r *rates) fetch(row *row, at policy.Site, t, n int64) {
	f := r.fetches[row]
	if f == nil {
		f = &fetchRate{last: map[policy.Site]int64{}}
		r.fetches[row] = f
	}
	if last, ok := f.last[at]; ok {
		f.gaps.add(millis(last, t), dayMillis+1, 1)
	}
	f.gaps.add(0, dayMillis+1, n-1)
	f.last[at] = t
}

// delayed adds n equal requests to which a Crawl-delay applies. The requests of a row and a site come together;
// among these, the requests of one client (a crawler at an address) come in order of time.
func (r *rates) delayed(row *row, x *delayed, n int64) {
	if row != r.row || x.from.Site != r.from.Site {
		r.endRequests()
		r.row, r.gaps, r.latest = row, gaps{}, x.time
	} else if x.from == r.from && bytes.Equal(x.address, r.address) {
		r.gaps.add(millis(r.last, x.time), x.millis, 1)
	}
	r.from, r.address = x.from, append(r.address[:0], x.address...)
	r.gaps.add(0, x.millis, n-1)
	r.last = x.time
	if x.time >= r.latest {
		r.latest, r.delay = x.time, x.millis
	}
}

// endRequests adds the measurements of the current delayed requests to their row.
func (r *rates) endRequests() {
	if r.row != nil && r.gaps.n > 0 {
		r.row.addDelay(delayAt{r.from.Site, report.DelayInfo{
			Delay: seconds(r.delay), Gaps: r.gaps.n, Shorter: r.gaps.short, Median: seconds(r.gaps.quantile(50)),
			P10: seconds(r.gaps.quantile(10)),
		}})
	}
	r.row = nil
}

// endOperator adds the measurements of an operator's crawlers to their rows.
func (r *rates) endOperator() {
	r.endRequests()
	for row, f := range r.fetches {
		if f.gaps.n > 0 {
			row.fetchGaps = &report.FetchInfo{
				Gaps: f.gaps.n, MedianGap: seconds(f.gaps.quantile(50)), LongestGap: seconds(f.gaps.max),
				Within24h: float64(f.gaps.short) / float64(f.gaps.n),
			}
		}
	}
	clear(r.fetches)
}
