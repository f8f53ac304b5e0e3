package audit

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Bounds of a tally, whose contents clients choose: hosts without a policy, sizes of answers,
// claims about the clients of a crawler.
const (
	maxHosts    = 1000
	maxHostName = 255
	maxSizes    = 1000
	maxClaims   = 16
	maxClaim    = 200 // bytes
	maxHeaders  = 1000
	maxHeader   = 255 // bytes
	// maxUnparsed is how many lines that cannot be read are quoted.
	maxUnparsed = 5
)

// tally is the counts of a part of the input. It belongs to one goroutine.
//
// Lines = Unparsed + NotCrawlers + OtherHost + NotJudged + the requests of all
// rows, always. States have its exported fields, and the rows of known crawlers.
type tally struct {
	totals
	Period  period           `cbor:"1,keyasint,omitzero"`
	Outside period           `cbor:"2,keyasint,omitzero"` // of the lines outside of Config.Period
	Hosts   bounded[string]  `cbor:"3,keyasint"`          // requests for hosts without a policy
	Sizes   bounded[sizeKey] `cbor:"4,keyasint"`          // answers to robots.txt
	// ProxySample is the lines by which a proxy is detected: the hash of each and of its address.
	ProxySample boundedSums[lineFrom, occurrences] `cbor:"5,keyasint"`
	// Referred counts the lines among Referers whose Referer belongs to an operator.
	Referred map[string]int64 `cbor:"6,keyasint,omitempty"`
	// Sent: was it ever any version? (decides whether unknown files count). Sizes: was it the version
	// in force? (shown).
	Sent   map[sizesAt]int64 `cbor:"7,keyasint,omitempty"` // answers 2xx to GETs of robots.txt by any client
	Quoted samples           `cbor:"8,keyasint"`           // lines that could not be read

	Sites bounded[siteKey] `cbor:"10,keyasint"` // requests of crawlers by site, with a verdict

	Overlooked bounded[string] `cbor:"11,keyasint"` // lines among NotCrawlers, by header: see Claim.Overlooked

	Bytes byteSum `cbor:"12,keyasint,omitzero"` // of bodies that were sent to any client

	// Rows holds the rows of known, by the number of the profile, while a state is written or read.
	Rows map[int]*row `cbor:"9,keyasint,omitempty"`

	auditor *Auditor
	quota   *quota // of the worker
	known   map[*crawler.Profile]*row
	// unknown has rows of unknown crawlers by their names in lower case, while lines
	// are read: more counts of them may be in deferred records.
	unknown map[string]*row
	whatIf  *whatIf // nil without Config.WhatIf
	// pending are counts for Sites, batched by key: in most logs the same keys keep recurring.
	pending [64]siteCount
	findings
}

// findings are the facts about a tally that are known when all lines have been read.
type findings struct {
	addresses *addresses
	// listed are the most frequent unknown crawlers, and others is the sum of all
	// other ones, after the final pass.
	listed  []*row
	others  *row
	cited   map[versionKey]int64 // violations, by the version that they quote
	mostOdd bool                 // judge.Answers.MostOdd, after the final pass
	// goneToStrangers are the answers 404 and 410 to clients that name no crawler that clear crawlers, and
	// clearedByStrangers the requests that nothing else clears, after the final pass.
	goneToStrangers    [2]int64
	clearedByStrangers int64
}

// totals are the numbers of a tally that are plain sums. A new one is a field here:
// states and merges take it from there.
type totals struct {
	report.LineCounts
	// RobotsRequests counts the GETs of /robots.txt of any client. RobotsServed counts the
	// ones that were answered with a body or 304, RobotsNone the ones that were told that
	// there is no robots.txt, RobotsFailed the ones that failed.
	RobotsRequests, RobotsServed, RobotsNone, RobotsFailed int64
	// SizesRight counts the 2xx answers to GETs of /robots.txt whose size matched a file
	// in force, SizesOther the ones whose size did not.
	SizesRight, SizesOther int64
	// HTTPLibraries, CDNAgents and NoAgent count lines among NotCrawlers, NoList the crawlers' requests
	// that no list of addresses spoke of, though there are some for the crawler.
	HTTPLibraries, CDNAgents, NoAgent, NoList int64
	// NoListIf are more of NoList, if addresses are not cut.
	NoListIf int64
	// Elsewhere counts the GETs of /robots.txt of other hosts, or outside of the period: they
	// show that the log has such requests. EndInZero counts the crawlers' requests from IPv4 addresses
	// that end in .0, as all do in logs that cut off the ends.
	Elsewhere, EndInZero int64
	// Referers counts the lines among NotCrawlers with a Referer.
	Referers int64
	// Zoneless is not 0 if the time zone of a log is unknown.
	Zoneless int64
}

// add adds each number. It runs once a worker and once a state.
func (t *totals) add(other totals) {
	from := other.numbers()
	for i, n := range t.numbers() {
		*n += *from[i]
	}
}

// numbers returns all numbers, in the order of the fields.
func (t *totals) numbers() (list []*int64) {
	v := reflect.ValueOf(t).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Type.Kind() == reflect.Int64 {
			list = append(list, v.FieldByIndex(f.Index).Addr().Interface().(*int64))
		}
	}
	return list
}

func (a *Auditor) newTally() *tally {
	t := &tally{
		known:   map[*crawler.Profile]*row{},
		unknown: map[string]*row{}, auditor: a, quota: &quota{},
		findings: findings{cited: map[versionKey]int64{}},
		Hosts:    *newBounded(maxHosts, hashString),
		Sizes:    *newBounded(maxSizes, hashSize),
		Sites:    *newBounded(maxSiteKeys, hashSite), Overlooked: *newBounded(maxHeaders, hashString),
		Quoted: samples{most: maxUnparsed}, ProxySample: newLineSample(),
		Referred: map[string]int64{}, Sent: map[sizesAt]int64{},
	}
	if a.config.WhatIf != nil {
		t.whatIf = newWhatIf()
	}
	return t
}

// rows returns the rows of chosen crawlers, after the final pass.
func (t *tally) rows(only *report.Choice) (list []*row) {
	for p, r := range t.known {
		if only.Has(p.Name, p.Category) {
			list = append(list, r)
		}
	}
	for _, r := range append(slices.Clone(t.listed), t.others) {
		if only.Has(report.InASCII(r.name), report.Unknown) {
			list = append(list, r)
		}
	}
	return list
}

// period is the time from a first moment to a last one, in nanoseconds since 1970.
type period struct {
	First int64 `cbor:"1,keyasint"`
	Last  int64 `cbor:"2,keyasint"`
	Any   bool  `cbor:"3,keyasint"`
}

func (p *period) add(time int64) { p.merge(period{time, time, true}) }

func (p *period) merge(other period) {
	switch {
	case !other.Any:
	case !p.Any:
		*p = other
	default:
		p.First, p.Last = min(p.First, other.First), max(p.Last, other.Last)
	}
}

// ruleKey names a rule: the origins that the request may have gone to, the index of
// the version in the versions of the first of them, and the line in it.
type ruleKey struct {
	at      policy.Site
	version int32
	line    uint32
}

// versionKey names a version of an origin.
type versionKey struct{ origin, version int32 }

// sizeKey names answers to robots.txt that are alike: by site, by the versions of the
// first origin that were in force, by the number of bytes sent, and by whether no file in
// force on any of the origins had as many.
type sizeKey struct {
	At    policy.Site `cbor:"1,keyasint"`
	First int32       `cbor:"2,keyasint"`
	Last  int32       `cbor:"3,keyasint"`
	Size  int64       `cbor:"4,keyasint"`
	Other bool        `cbor:"5,keyasint"`
}

func hashSize(k sizeKey) uint64 {
	h := mix(uint64(uint32(k.At.First))<<32 | uint64(uint32(k.At.N)))
	h = mix(h ^ uint64(uint32(k.First))<<32 ^ uint64(uint32(k.Last)))
	return mix(h ^ uint64(k.Size))
}

// sizesAt are answers 2xx of an origin: those with the size of no version, or all others.
type sizesAt struct {
	Origin int32 `cbor:"1,keyasint"`
	Odd    bool  `cbor:"2,keyasint"`
	When   ifCut `cbor:"3,keyasint,omitempty"`
}

// row is the counts of one crawler. States have its exported fields.
type row struct {
	name       string                // as the crawler writes it
	Requests   int64                 `cbor:"1,keyasint,omitempty"`
	Timeline   timeline              `cbor:"2,keyasint,omitzero"`
	Figures    figures               `cbor:"3,keyasint,omitzero"` // without the impostors
	Verdicts   report.VerdictCounts  `cbor:"4,keyasint,omitzero"`
	Reasons    report.ReasonCounts   `cbor:"5,keyasint,omitzero"`
	Identities report.IdentityCounts `cbor:"6,keyasint,omitzero"`
	// spoofed are the counts of impostors as if they were not known to be: see row.settle.
	// The row includes their requests. It is nil if there are none.
	Spoofed *row `cbor:"7,keyasint,omitempty"`
	// If counts the requests from addresses that may be cut, if they are not and if they are: see row.settle.
	If      [2]*row          `cbor:"10,keyasint,omitzero"`
	Fetches *fetches         `cbor:"8,keyasint,omitempty"` // of robots.txt; nil if there are none
	Claims  *bounded[string] `cbor:"9,keyasint,omitempty"` // what logs say about the clients; nil if nothing
	samples samples
	// Around counts the requests on both sides of changes of robots.txt, by side.counter.
	Around map[uint32]int64 `cbor:"11,keyasint,omitempty"`

	rowFindings
}

// rowFindings is what the final pass finds of a crawler.
type rowFindings struct {
	graceInformed, evasive int64

	violations      map[violationKind]int64
	informedKnown   bool
	violationBytes  int64
	challenged      int64                 // violations that were answered as firewalls do
	paths           topPaths              // of violations
	rulePaths       map[ruleKey]*topPaths // of the violations of each rule
	rules           *bounded[ruleKey]     // violations of each; nil if there are none
	fetchGaps       *report.FetchInfo     // with nothing but gaps; nil if there are none
	delays          []delayAt
	changedPaths    map[uint32]int64 // as Around, of those for paths that the change is about
	sentNew         map[uint32]int64 // when the new file of a change was first sent, by the side after it
	delaysNotListed int64

	names, violators int64 // of the row of others: the crawlers in it, and those that broke a rule
}

// violationKind distinguishes kinds of violations.
type violationKind struct {
	identity report.Identity
	outcome  report.Outcome
	method   report.Method
	informed bool
}

// fetches are a crawler's GETs of /robots.txt, without the spoofed ones.
type fetches struct {
	Period  period        `cbor:"1,keyasint,omitzero"`
	Answers map[int]int64 `cbor:"2,keyasint"` // by status
	// Cleared counts, by status, the answers that there is no robots.txt while the
	// policy has one.
	Cleared map[int]int64 `cbor:"3,keyasint,omitempty"`
	// Challenges counts the answers 202 with a body that is no version in force: such are challenge pages.
	Challenges int64 `cbor:"4,keyasint,omitempty"`
}

func (r *row) fetched() *fetches {
	if r.Fetches == nil {
		r.Fetches = &fetches{Answers: map[int]int64{}, Cleared: map[int]int64{}}
	}
	return r.Fetches
}

// claimed returns the counts of claims.
func (r *row) claimed() *bounded[string] {
	if r.Claims == nil {
		r.Claims = newBounded(maxClaims, hashString)
	}
	return r.Claims
}

// Add counts an event in its row and its site; its requests have been counted with the lines. Until it is known
// what the addresses prove, an impostor has the verdict of an unverified client, in a row of its own.
func (t *tally) Add(e *Event) error {
	r, identity := e.row, e.Identity
	isOpen := identity == report.SpoofedIdentity && e.Verdict != report.Spoofed
	if isOpen {
		identity = report.Unverified
	}
	r.Identities[identity] += e.N
	r.Verdicts[e.Verdict] += e.N
	if e.Verdict == report.Indeterminate {
		r.Reasons[e.Reason] += e.N
	}
	t.countSite(e, isOpen)
	if e.HasTime {
		t.quota.held += r.Timeline.add(clock(e.Time, t.auditor.config.Zone), e.Verdict, e.N)
	}
	if e.Evasive {
		r.evasive += e.N
	}
	switch e.Verdict {
	case report.Grace:
		if e.Informed {
			r.graceInformed += e.N
		}
	case report.Violation:
		t.violated(e)
	}
	return nil
}

// violated counts a violation for its rule and, of a chosen crawler, for the version that it quotes: of each
// origin that it may have gone to and that has this version.
func (t *tally) violated(e *Event) {
	r, k, p := e.row, e.rule, t.auditor.config.Policy
	r.violationBytes = report.Plus(r.violationBytes, times(max(e.Size, 0), e.N))
	if e.Challenged {
		r.challenged += e.N
	}
	r.violations[violationKind{e.Identity, e.Outcome, e.MethodClass, e.Informed}] += e.N
	r.violate(k, e.N)
	for range min(e.N, int64(r.samples.most)) {
		r.samples.add(e.Time, e.Line)
	}
	if !e.IsOf(&t.auditor.config.Only) {
		return
	}
	quoted := p.Versions(k.at.First)[k.version]
	for i := range k.at.N {
		o := k.at.First + i
		if list := p.Versions(o); int(k.version) < len(list) && list[k.version].From == quoted.From &&
			list[k.version].File == quoted.File {
			t.cited[versionKey{o, k.version}] += e.N
		}
	}
}

func newRow(b bounds) *row {
	return &row{
		Figures: figures{
			Addresses: addressSet{highest: math.MaxUint64}, Paths: pathCounts{Below: math.MaxUint64, bounds: b},
		},
		Timeline:    timeline{most: b.units},
		Around:      map[uint32]int64{},
		rowFindings: rowFindings{changedPaths: map[uint32]int64{}, sentNew: map[uint32]int64{}},
	}
}

// newRow returns the row of an unknown crawler, or of a known one.
func (t *tally) newRow(name string, b bounds) *row {
	r := newRow(b)
	r.name, r.violations, r.paths.most = name, map[violationKind]int64{}, maxPathsListed
	r.samples.most = t.auditor.config.Samples
	return r
}

// rowOf returns the row of a crawler.
func (t *tally) rowOf(c crawler.Claim) *row {
	if c.Profile != nil {
		r := t.known[c.Profile]
		if r == nil {
			r = t.newRow(c.Name, knownBounds)
			t.known[c.Profile] = r
		}
		return r
	}
	key := lower(c.Name)
	r := t.unknown[key]
	if r == nil {
		r = t.newRow(c.Name, unknownBounds)
		t.unknown[key] = r
	}
	// Of several ways to write a name the smallest is shown, in any order of lines.
	r.name = min(r.name, c.Name)
	return r
}

// merge adds n times the counts of another row, to which no rules were added yet. Rules are left to
// mergeRules.
func (r *row) merge(other *row, n int64) {
	r.Requests += other.Requests * n
	report.AddCounts(r.Verdicts[:], other.Verdicts[:], n)
	report.AddCounts(r.Reasons[:], other.Reasons[:], n)
	report.AddCounts(r.Identities[:], other.Identities[:], n)
	addTimes(r.violations, other.violations, n)
	addTimes(r.Around, other.Around, n)
	if s := other.Spoofed; s != nil {
		r.impostors().merge(s, n)
	}
	for i, of := range other.If {
		if of != nil {
			r.on(ifCut(i+1)).merge(of, n)
		}
	}
	r.informedKnown = r.informedKnown || other.informedKnown
	r.graceInformed += other.graceInformed * n
	r.evasive += other.evasive * n
	r.challenged += other.challenged * n
	if f := other.Fetches; f != nil {
		r.fetched().Period.merge(f.Period)
		addTimes(r.Fetches.Answers, f.Answers, n)
		addTimes(r.Fetches.Cleared, f.Cleared, n)
		r.Fetches.Challenges += f.Challenges * n
	}
	if other.Claims != nil {
		r.claimed().mergeTimes(other.Claims, n)
	}
	r.samples.merge(&other.samples)
	r.Figures.merge(&other.Figures, n)
	r.Timeline.merge(&other.Timeline, n)
	r.violationBytes = report.Plus(r.violationBytes, times(other.violationBytes, n))
}

// addTimes adds each number n times.
func addTimes[K comparable](to, from map[K]int64, n int64) {
	for k, of := range from {
		to[k] += of * n
	}
}

// merge adds the counts of another part of the input, whose unknown crawlers are all
// in deferred records. The other tally must not be used afterwards.
func (t *tally) merge(other *tally) {
	t.totals.add(other.totals)
	t.Bytes = report.Plus(t.Bytes, other.Bytes)
	t.addRows(other.known)
	t.Hosts.merge(&other.Hosts)
	t.Sizes.merge(&other.Sizes)
	other.addSites()
	t.Sites.merge(&other.Sites)
	t.Overlooked.merge(&other.Overlooked)
	t.Quoted.merge(&other.Quoted)
	t.ProxySample.merge(&other.ProxySample)
	addTimes(t.Referred, other.Referred, 1)
	addTimes(t.Sent, other.Sent, 1)
	t.Period.merge(other.Period)
	t.Outside.merge(other.Outside)
	if t.whatIf != nil {
		t.whatIf.merge(other.whatIf)
	}
}

func (t *tally) addRows(known map[*crawler.Profile]*row) {
	for p, r := range known {
		t.rowOf(crawler.Claim{Profile: p, Name: p.Name}).merge(r, 1)
	}
	t.cutPaths()
}

// parts are the row and those in it.
func (r *row) parts() (list []*row) {
	for _, of := range [...]*row{r, r.If[0], r.If[1]} {
		if of != nil {
			list = append(list, of)
		}
		if of != nil && of.Spoofed != nil {
			list = append(list, of.Spoofed)
		}
	}
	return list
}

// cutPaths bounds the paths of all known crawlers together, and separately the paths of impostors. More rows and
// more paths leave less memory for each, so it does not matter when this is done.
func (t *tally) cutPaths() {
	var rows []*row
	for _, r := range t.known {
		rows = append(rows, r.parts()...)
	}
	cutLists(rows)
}

// ranking finds the most frequent of the unknown crawlers, whose rows are added one
// by one, and sums up all other ones.
type ranking struct {
	only   *report.Choice
	best   []*row
	others *row
}

func newRanking(t *tally, only *report.Choice) *ranking {
	return &ranking{only: only, others: t.newRow(report.OtherCrawlers, unknownBounds)}
}

// add adds the complete row of a crawler, unless it is nil or has no requests.
func (r *ranking) add(complete *row) {
	if complete == nil || complete.Requests == 0 {
		return
	}
	complete.cutRules(maxNameRules)
	r.best = append(r.best, complete)
	if len(r.best)%64 == 0 {
		cutLists(r.best)
	}
	if len(r.best) >= maxUnknownListed+maxUnknownListed/4 {
		r.cut()
	}
}

// cut sorts the rows, with chosen crawlers first, then by frequency, then by name, and
// sums up those beyond the limit.
func (r *ranking) cut() {
	last := func(x *row) int {
		if r.only.IsAll() || r.only.Has(report.InASCII(x.name), report.Unknown) {
			return 0
		}
		return 1
	}
	slices.SortFunc(r.best, func(x, y *row) int {
		return cmp.Or(cmp.Compare(last(x), last(y)), cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.name, y.name))
	})
	for len(r.best) > maxUnknownListed {
		last := len(r.best) - 1
		r.others.names++
		if r.best[last].Verdicts[report.Violation] > 0 {
			r.others.violators++
		}
		r.others.merge(r.best[last], 1)
		r.others.mergeRules(r.best[last])
		r.best = r.best[:last]
	}
}

// end returns the most frequent, in that order, and the sum of all others.
func (r *ranking) end() (listed []*row, others *row) {
	r.cut()
	r.others.cutRules(maxNameRules)
	cutLists(append(r.best, r.others))
	return r.best, r.others
}

// Bounds of the lists of a report. A log may have each known crawler, and any number of unknown
// ones, violate each rule of each origin, so no list may grow with both. The contents of the lists depend on
// neither the memory nor the workers of an audit.
const (
	maxUnknownListed = 1000 // unknown crawlers (audit-rules 7)
	maxNameRules     = 256  // rules of each of them
	maxRules         = 4096 // rules of a known crawler: the ones with the most violations, if it broke at most as many
	maxDelays        = 1024 // sites of a crawler with a Crawl-delay
	maxSampleBytes   = 256 << 10

	// The bounds for all known crawlers together, and for all unknown ones.
	allRules       = 1 << 15
	allDelays      = 1 << 13
	allSampleBytes = 4 << 20
	allPaths       = 1 << 14 // targets, whose requests are counted one by one if all are kept
)

// lists are the lists of a row: how long each is, and how it is made shorter, and how long those
// of several rows may be together.
var lists = [...]struct {
	all    int
	length func(*row) int
	cut    func(r *row, most int)
}{
	{allRules, func(r *row) int { return r.rules.len() }, (*row).cutRules},
	{allDelays, func(r *row) int { return len(r.delays) }, (*row).cutDelays},
	{allSampleBytes, func(r *row) int { return r.samples.bytes }, func(r *row, most int) { r.samples.cut(most) }},
	{
		allPaths, func(r *row) int { return len(r.Figures.Paths.Kept) },
		func(r *row, most int) { r.Figures.Paths.cut(min(most, r.Figures.Paths.paths)) },
	},
}

// cutLists cuts the lists of several rows to fit a common limit: the longest ones become
// equally long.
func cutLists(rows []*row) {
	for _, list := range lists {
		lengths := make([]int, len(rows))
		for i, r := range rows {
			lengths[i] = list.length(r)
		}
		most := fairShare(lengths, list.all)
		for _, r := range rows {
			list.cut(r, most)
		}
	}
}

// fairShare returns the largest number with which the lengths, each cut to it, are together at
// most all. It sorts the lengths.
func fairShare(lengths []int, all int) int {
	slices.Sort(lengths)
	for i, n := range lengths {
		if left := len(lengths) - i; n > all/left {
			return all / left
		}
		all -= n
	}
	return maxRules + maxDelays + maxSampleBytes
}

// violate counts n violations of a rule.
func (r *row) violate(k ruleKey, n int64) {
	if r.rules == nil {
		r.rules = newBounded(maxRules, hashRule)
	}
	r.rules.add(k, tallied{N: n})
}

func hashRule(k ruleKey) uint64 {
	h := mix(uint64(uint32(k.at.First))<<32 | uint64(uint32(k.at.N)))
	return mix(h ^ uint64(uint32(k.version))<<32 ^ uint64(k.line))
}

// cutRules keeps so many rules, those that were violated most often, and counts the violations
// of all others together.
func (r *row) cutRules(most int) {
	if r.rules.len() <= most {
		return
	}
	of := func(k ruleKey) int64 { return r.rules.Kept[k].N }
	keys := make([]ruleKey, 0, len(r.rules.Kept))
	for k := range r.rules.Kept {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y ruleKey) int {
		return cmp.Or(cmp.Compare(of(y), of(x)), cmp.Compare(x.at.First, y.at.First), cmp.Compare(x.at.N, y.at.N),
			cmp.Compare(x.version, y.version), cmp.Compare(x.line, y.line))
	})
	kept := make(map[ruleKey]tallied, most) // a map of which much is deleted keeps its size
	for i, k := range keys {
		if i < most {
			kept[k] = r.rules.Kept[k]
		} else {
			r.rules.Rest += of(k)
		}
	}
	r.rules.Kept = kept
}

// mergeRules adds the rules of another row.
func (r *row) mergeRules(other *row) {
	if other.rules == nil {
		return
	}
	if r.rules == nil {
		r.rules = newBounded(maxRules, hashRule)
	}
	r.rules.merge(other.rules)
}

// addDelay adds a measurement. Those of a row come in the order of their sites.
func (r *row) addDelay(d delayAt) {
	r.delays = append(r.delays, d)
	if len(r.delays) >= 2*maxDelays {
		r.cutDelays(maxDelays)
	}
}

// cutDelays keeps that many measurements, preferring the ones with the most gaps.
func (r *row) cutDelays(most int) {
	if len(r.delays) <= most {
		return
	}
	bySite := func(x, y delayAt) int {
		return cmp.Or(cmp.Compare(x.at.First, y.at.First), cmp.Compare(x.at.N, y.at.N))
	}
	slices.SortFunc(r.delays, func(x, y delayAt) int { return cmp.Or(cmp.Compare(y.Gaps, x.Gaps), bySite(x, y)) })
	r.delaysNotListed += int64(len(r.delays) - most)
	r.delays = slices.Clone(r.delays[:most])
	slices.SortFunc(r.delays, bySite)
}
