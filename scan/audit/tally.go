package audit

import (
	"cmp"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Limits on the parts of a tally that clients control: hosts without a policy, sizes of answers,
// claims about the clients of a crawler.
const (
	maxHosts    = 1000
	maxHostName = 255
	maxSizes    = 1000
	maxClaims   = 16
	maxClaim    = 200 // bytes
	maxHeaders  = 1000
	maxHeader   = 255 // bytes
	// maxUnparsed is the number of unparsed lines that are quoted.
	maxUnparsed = 5
)

// tally has the counts of a part of the input. It belongs to one goroutine.
//
// Lines always equals Unparsed + NotCrawlers + OtherHost + NotJudged + the requests of all rows.
// States contain its exported fields and the rows of known crawlers.
type tally struct {
	totals
	Period  period           `cbor:"1,keyasint,omitzero"`
	Outside period           `cbor:"2,keyasint,omitzero"` // of the lines outside of Config.Period
	Hosts   bounded[string]  `cbor:"3,keyasint"`          // requests for hosts without a policy
	Sizes   bounded[sizeKey] `cbor:"4,keyasint"`          // answers to robots.txt
	// ProxySample has the lines by which a proxy is detected, each as its hash and its address's.
	ProxySample boundedSums[lineFrom, occurrences] `cbor:"5,keyasint"`
	// Referred counts lines of Referers whose Referer belongs to an operator.
	Referred map[string]int64 `cbor:"6,keyasint,omitempty"`
	// Sent shows whether an answer matched any version, which decides if unknown files count. Sizes
	// shows whether it matched the version in force, for the report.
	Sent   map[sizesAt]int64 `cbor:"7,keyasint,omitempty"` // answers 2xx to GETs of robots.txt by any client
	Quoted samples           `cbor:"8,keyasint"`           // lines that could not be parsed

	Sites bounded[siteKey] `cbor:"10,keyasint"` // requests of crawlers by site and verdict

	Overlooked bounded[string] `cbor:"11,keyasint"` // lines of NotCrawlers by header: see Claim.Overlooked

	Bytes byteSum `cbor:"12,keyasint,omitzero"` // of bodies sent to any client

	// Rows holds the rows of known, by profile number, while a state is written or read.
	Rows map[int]*row `cbor:"9,keyasint,omitempty"`

	auditor *Auditor
	quota   *quota // of the worker
	known   map[*crawler.Profile]*row
	// unknown has rows of unknown crawlers by name in lower case, while lines are read. More of their
	// counts may be in deferred records.
	unknown map[string]*row
	whatIf  *whatIf // nil without Config.WhatIf
	batches
	findings
}

// batches are counts of a tally that are yet to be added.
type batches struct {
	// pending are counts for Sites, batched by key because most logs repeat the same keys.
	pending [64]siteCount
	// sampled are lines for ProxySample, most of which turn out not to belong to it in a short log.
	sampled []lineFrom
}

// findings are facts about a tally that are only known after all lines have been read.
type findings struct {
	addresses *addresses
	// listed are the most frequent unknown crawlers, and others is the sum of all other ones, after the final pass.
	listed  []*row
	others  *row
	cited   map[versionKey]int64 // violations by the version that they quote
	mostOdd bool                 // judge.Answers.MostOdd, after the final pass
	// goneToStrangers are the answers 404 and 410 to clients that name no crawler that clear crawlers,
	// and clearedByStrangers the requests cleared by nothing else, after the final pass.
	goneToStrangers    [2]int64
	clearedByStrangers int64
}

// totals are the counts of a tally that are plain sums. To add one, add a field here and to numbers: states and
// merges include it then.
type totals struct {
	report.LineCounts
	// RobotsRequests counts the GETs of /robots.txt by any client. RobotsServed counts those answered with a body or
	// 304, RobotsNone those told that there is no robots.txt, and RobotsFailed those that failed.
	RobotsRequests, RobotsServed, RobotsNone, RobotsFailed int64
	// SizesRight and SizesOther count the 2xx answers to GETs of /robots.txt whose size did or did not
	// match a file in force.
	SizesRight, SizesOther int64
	// HTTPLibraries, CDNAgents and NoAgent count lines of NotCrawlers. NoList counts crawlers'
	// requests that none of the crawler's address lists covers.
	HTTPLibraries, CDNAgents, NoAgent, NoList int64
	// NoListIf is to be added to NoList if addresses are not cut.
	NoListIf int64
	// Elsewhere counts the GETs of /robots.txt on other hosts or outside of the period, which show
	// that the log includes such requests. EndInZero counts the crawlers' requests from IPv4 addresses
	// that end in .0, as all do in logs that cut off the ends.
	Elsewhere, EndInZero int64
	// Referers counts the lines of NotCrawlers with a Referer.
	Referers int64
	// Zoneless is nonzero if the time zone of a log is unknown.
	Zoneless int64
}

// add adds each count. It runs once per worker and once per state.
func (t *totals) add(other totals) {
	from := other.numbers()
	for i, n := range t.numbers() {
		*n += *from[i]
	}
}

// numbers lists all counts.
func (t *totals) numbers() []*int64 {
	c := &t.LineCounts
	return []*int64{
		&c.Lines, &c.Unparsed, &c.NotCrawlers, &c.OtherHost, &c.NotJudged, &c.NoRequest, &c.Blank, &c.Other, &c.OutOfPeriod,
		&t.RobotsRequests, &t.RobotsServed, &t.RobotsNone, &t.RobotsFailed, &t.SizesRight, &t.SizesOther,
		&t.HTTPLibraries, &t.CDNAgents, &t.NoAgent, &t.NoList, &t.NoListIf, &t.Elsewhere, &t.EndInZero, &t.Referers,
		&t.Zoneless,
	}
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
		hash := func(k changeKey) uint64 {
			return mix(hashString(k.prefix) ^ mix(hashString(k.crawler)+uint64(k.effect)))
		}
		t.whatIf = &whatIf{crawlers: map[string]*report.ComparedInfo{}, under: *newBounded(maxPrefixes, hash)}
	}
	return t
}

// rows returns the rows of the chosen crawlers, after the final pass.
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

// period is the time between two moments, in nanoseconds since 1970.
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

// ruleKey names a rule: the origins that the request may have gone to, the index of the version
// among the versions of the first origin, and the line.
type ruleKey struct {
	at      policy.Site
	version int32
	line    uint32
}

type versionKey struct{ origin, version int32 }

// sizeKey names a group of answers to robots.txt: by site, by the versions of the first origin that were in force,
// by the number of bytes sent, and by whether this differs from every file in force on any of the origins.
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

// sizesAt names the answers 2xx of an origin that have the size of no version, or all others.
type sizesAt struct {
	Origin int32 `cbor:"1,keyasint"`
	Odd    bool  `cbor:"2,keyasint"`
	When   ifCut `cbor:"3,keyasint,omitempty"`
}

// row has the counts of one crawler. States contain its exported fields.
type row struct {
	name       string                // as the crawler writes it
	Requests   int64                 `cbor:"1,keyasint,omitempty"`
	Timeline   timeline              `cbor:"2,keyasint,omitzero"`
	Figures    figures               `cbor:"3,keyasint,omitzero"` // without impostors
	Verdicts   report.VerdictCounts  `cbor:"4,keyasint,omitzero"`
	Reasons    report.ReasonCounts   `cbor:"5,keyasint,omitzero"`
	Identities report.IdentityCounts `cbor:"6,keyasint,omitzero"`
	// Spoofed has the counts of impostors as if they were not known to be impostors: see row.settle.
	// The row includes their requests. It is nil if there are none.
	Spoofed *row `cbor:"7,keyasint,omitempty"`
	// If has the requests from addresses that may be cut, for both cases: see row.settle.
	If      [2]*row          `cbor:"10,keyasint,omitzero"`
	Fetches *fetches         `cbor:"8,keyasint,omitempty"` // of robots.txt; nil if there are none
	Claims  *bounded[string] `cbor:"9,keyasint,omitempty"` // logged claims about the clients; nil if there are none
	samples samples
	// Around counts the requests on both sides of changes of robots.txt, by side.counter.
	Around map[uint32]int64 `cbor:"11,keyasint,omitempty"`

	rowFindings
}

// rowFindings is what the final pass finds out about a crawler.
type rowFindings struct {
	graceInformed, evasive int64

	violations     map[violationKind]int64
	informedKnown  bool
	violationBytes int64
	challenged     int64                 // violations whose answers are typical of firewalls
	paths          topPaths              // of violations
	rulePaths      map[ruleKey]*topPaths // of the violations of each rule
	rules          *bounded[ruleKey]     // violations by rule; nil if there are none
	fetchGaps      *report.FetchInfo     // has only gaps; nil if there are none
	delays         []delayAt
	changedPaths   map[uint32]int64 // like Around, for paths that the change affects
	// sentNew has how many seconds after a change its new file was first sent, by the side after it.
	sentNew         map[uint32]*int64
	delaysNotListed int64

	names, violators int64 // in the row of others: its crawlers, and those that broke a rule
}

type violationKind struct {
	identity report.Identity
	outcome  report.Outcome
	method   report.Method
	informed bool
}

// fetches are a crawler's GETs of /robots.txt, except for spoofed ones.
type fetches struct {
	Period  period        `cbor:"1,keyasint,omitzero"`
	Answers map[int]int64 `cbor:"2,keyasint"` // by status
	// Cleared counts, by status, the answers that meant there was no robots.txt although the policy has one.
	Cleared map[int]int64 `cbor:"3,keyasint,omitempty"`
	// Challenges counts answers 202 with a body that is no version in force, typical of challenge pages.
	Challenges int64 `cbor:"4,keyasint,omitempty"`
}

func (r *row) fetched() *fetches {
	if r.Fetches == nil {
		r.Fetches = &fetches{Answers: map[int]int64{}, Cleared: map[int]int64{}}
	}
	return r.Fetches
}

func (r *row) claimed() *bounded[string] {
	if r.Claims == nil {
		r.Claims = newBounded(maxClaims, hashString)
	}
	return r.Claims
}

// Add counts an event in its row and its site. The request itself was counted with the lines. Until it is known
// what the addresses prove, an impostor has the verdict of an unverified client, in a separate row.
func (t *tally) Add(event *Event) error {
	row, identity := event.row, event.Identity
	isOpen := identity == report.SpoofedIdentity && event.Verdict != report.Spoofed
	if isOpen {
		identity = report.Unverified
	}
	row.Identities[identity] += event.N
	row.Verdicts[event.Verdict] += event.N
	if event.Verdict == report.Indeterminate {
		row.Reasons[event.Reason] += event.N
	}
	t.countSite(event, isOpen)
	if event.HasTime {
		t.quota.held += row.Timeline.add(clock(event.Time, t.auditor.config.Zone), event.Verdict, event.N)
	}
	if event.Evasive {
		row.evasive += event.N
	}
	switch event.Verdict {
	case report.Grace:
		if event.Informed {
			row.graceInformed += event.N
		}
	case report.Violation:
		t.violated(event)
	}
	return nil
}

// violated counts a violation for its rule. If the crawler is chosen, it also counts it for the
// quoted version: for each origin that the request may have gone to and that has this version.
func (t *tally) violated(event *Event) {
	row, rule, policy := event.row, event.rule, t.auditor.config.Policy
	row.violationBytes = report.Plus(row.violationBytes, times(max(event.Size, 0), event.N))
	if event.Challenged {
		row.challenged += event.N
	}
	row.violations[violationKind{event.Identity, event.Outcome, event.MethodClass, event.Informed}] += event.N
	row.violate(rule, event.N)
	for range min(event.N, int64(row.samples.most)) {
		row.samples.add(event.Time, event.Line)
	}
	if !event.IsOf(&t.auditor.config.Only) {
		return
	}
	quoted := policy.Versions(rule.at.First)[rule.version]
	for i := range rule.at.N {
		o := rule.at.First + i
		if list := policy.Versions(o); int(rule.version) < len(list) && list[rule.version].From == quoted.From &&
			list[rule.version].File == quoted.File {
			t.cited[versionKey{o, rule.version}] += event.N
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
		rowFindings: rowFindings{changedPaths: map[uint32]int64{}, sentNew: map[uint32]*int64{}},
	}
}

func (t *tally) newRow(name string, b bounds) *row {
	r := newRow(b)
	r.name, r.violations, r.paths.most = name, map[violationKind]int64{}, maxPathsListed
	r.samples.most = t.auditor.config.Samples
	return r
}

func (t *tally) rowOf(claim crawler.Claim) *row {
	if claim.Profile != nil {
		r := t.known[claim.Profile]
		if r == nil {
			r = t.newRow(claim.Name, knownBounds)
			t.known[claim.Profile] = r
		}
		return r
	}
	key := lower(claim.Name)
	r := t.unknown[key]
	if r == nil {
		r = t.newRow(claim.Name, unknownBounds)
		t.unknown[key] = r
	}
	// Of several spellings of a name the smallest is shown, whatever the order of lines.
	r.name = min(r.name, claim.Name)
	return r
}

// merge adds n times the counts of another row that has no rules yet. Rules are merged by mergeRules.
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

func addTimes[K comparable](to, from map[K]int64, n int64) {
	for k, of := range from {
		to[k] += of * n
	}
}

// merge adds the counts of another part of the input, whose unknown crawlers must all be in
// deferred records. The other tally must not be used afterwards.
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
	if t.sampled == nil {
		t.sampled = other.sampled
	} else if t.sampled = append(t.sampled, other.sampled...); len(t.sampled) > 8*maxLines {
		t.sample()
	}
	addTimes(t.Referred, other.Referred, 1)
	addTimes(t.Sent, other.Sent, 1)
	t.Period.merge(other.Period)
	t.Outside.merge(other.Outside)
	if t.whatIf != nil {
		t.whatIf.merge(other.whatIf)
	}
}

// addRows adds rows of known crawlers, which must not be used afterwards.
func (t *tally) addRows(known map[*crawler.Profile]*row) {
	for profile, added := range known {
		if own := t.known[profile]; own != nil {
			own.merge(added, 1)
		} else {
			t.known[profile] = added
		}
	}
	t.cutPaths()
}

// parts returns the row and the rows in it.
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

// cutPaths limits the paths of all known crawlers together, and separately the paths of impostors.
// More rows and more paths only lower the limit for each, so it does not matter when this happens.
func (t *tally) cutPaths() {
	var rows []*row
	for _, r := range t.known {
		rows = append(rows, r.parts()...)
	}
	cutLists(rows)
}

// ranking finds the most frequent unknown crawlers, whose rows are added one by one, and sums up all others.
type ranking struct {
	only   *report.Choice
	best   []*row
	others *row
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

// cut sorts the rows, with chosen crawlers first, then by frequency, then by name, and sums up
// those beyond the limit.
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

// end returns the most frequent crawlers in this order, and the sum of all others.
func (r *ranking) end() (listed []*row, others *row) {
	r.cut()
	r.others.cutRules(maxNameRules)
	cutLists(append(r.best, r.others))
	return r.best, r.others
}

// Limits on the lists of a report. A log may have each known crawler, and any number of unknown
// ones, violate each rule of each origin, so no list may grow with both. The contents of the lists
// depend on neither the memory nor the workers of an audit.
const (
	maxUnknownListed = 1000 // unknown crawlers (audit-rules 7)
	maxNameRules     = 256  // rules per unknown crawler
	maxRules         = 4096 // rules per known crawler; exactly the most violated, if it broke no more than this
	maxDelays        = 1024 // sites per crawler with a Crawl-delay
	maxSampleBytes   = 256 << 10

	// The limits for all known crawlers together, and for all unknown ones.
	allRules       = 1 << 15
	allDelays      = 1 << 13
	allSampleBytes = 4 << 20
	allPaths       = 1 << 14 // targets, with exact counts if all are kept
)

// lists are the lists of a row: how to measure and cut each, and the limit for several rows together.
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

// cutLists cuts the lists of several rows to fit a common limit, by making the longest ones equally long.
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

// fairShare returns the largest length such that all lists, cut to it, have at most all entries. It sorts lengths.
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

// cutRules keeps the most violated rules, at most most, and counts the violations of all others together.
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
	kept := make(map[ruleKey]tallied, most) // a map does not shrink when entries are deleted
	for i, k := range keys {
		if i < most {
			kept[k] = r.rules.Kept[k]
		} else {
			r.rules.Rest += of(k)
		}
	}
	r.rules.Kept = kept
}

func (r *row) mergeRules(other *row) {
	if other.rules == nil {
		return
	}
	if r.rules == nil {
		r.rules = newBounded(maxRules, hashRule)
	}
	r.rules.merge(other.rules)
}

// addDelay adds a measurement. The measurements of a row come in order of sites.
func (r *row) addDelay(d delayAt) {
	r.delays = append(r.delays, d)
	if len(r.delays) >= 2*maxDelays {
		r.cutDelays(maxDelays)
	}
}

// cutDelays keeps that many measurements, preferring those with the most gaps.
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
