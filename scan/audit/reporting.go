package audit

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// OtherCrawlers is the name of the row of unknown crawlers beyond the most
// frequent.
const OtherCrawlers = "(other unknown crawlers)"

// unknown stands for what is not known of a crawler.
const unknown = "unknown"

// Bounds of what a report lists.
const (
	maxHostsListed = 10
)

// Unverified returns the addresses of violations by clients whose identity is
// open but could be verified by their names: those of at most so many, chosen by
// nothing but themselves, and whether there are more. It needs Config.Addresses.
func (r *Run) Unverified(most int) (list []crawler.Pair, more bool, err error) {
	if err := r.gather(); err != nil {
		return nil, false, err
	}
	kept := newBounded[verifiedKey, bool](most, hashVerified)
	drop := func(verifiedKey, bool) {}
	err = r.settle(func(x *settlement) {
		if x.decision.verdict != Violation || x.identity != Unverified || x.profile == nil || len(x.profile.Domains) == 0 {
			return
		}
		k := verifiedKey{r.auditor.profiles[x.profile], string(x.address)}
		if _, known := kept.kept[k]; !known && kept.admits(k) {
			kept.kept[k] = true
			kept.prune(2, drop)
		}
	}, nil)
	kept.prune(1, drop)
	profiles := r.auditor.config.Crawlers.Profiles()
	for k := range kept.kept {
		list = append(list, crawler.Pair{Profile: &profiles[k.crawler], Addr: k.address})
	}
	slices.SortFunc(list, func(x, y crawler.Pair) int {
		return cmp.Or(cmp.Compare(x.Profile.Name, y.Profile.Name), cmp.Compare(x.Addr, y.Addr))
	})
	return list, kept.bar != 0, err
}

func hashVerified(k verifiedKey) uint64 { return mix(hashString(k.address) ^ uint64(k.crawler)) }

// Verify says that an address is the crawler's. It is to be called before Report.
func (r *Run) Verify(p crawler.Pair) {
	if r.verified == nil {
		r.verified = map[verifiedKey]bool{}
	}
	r.verified[verifiedKey{r.auditor.profiles[p.Profile], p.Addr}] = true
}

// Report makes the report of all that the run's workers have counted. What they do
// not know, such as the inputs, is left to the caller. It fails only if records
// that had to wait could not be kept or read; it is to be called once, and the
// workers are not to be used afterwards.
func (r *Run) Report() (*Report, error) {
	if err := r.gather(); err != nil {
		return nil, err
	}
	if err := r.settle(r.count, newRates()); err != nil {
		return nil, err
	}
	if r.added && !r.tally.addsUp() {
		return nil, errSums
	}
	return r.auditor.report(r.tally), nil
}

func (a *Auditor) report(t *tally) *Report {
	r := &Report{
		Schema: Schema,
		Lines:  t.Lines, Unparsed: t.Unparsed, NotCrawlers: t.NotCrawlers,
		OtherHost: t.OtherHost, NotJudged: t.NotJudged, Blank: t.Blank,
		Assumptions: []string{}, Warnings: []string{}, Inputs: []InputInfo{}, Ranges: []RangeInfo{},
		EndInZero:       t.EndInZero,
		Policy:          a.policyInfo(),
		RobotsTxt:       a.robotsInfo(t),
		OtherHosts:      t.otherHosts(),
		UnparsedSamples: []string{},
		NotAuditable:    []string{},
	}
	if t.span.any {
		r.From, r.To = timeText(t.span.first), timeText(t.span.last)
	}
	for _, s := range t.unparsed.kept {
		r.UnparsedSamples = append(r.UnparsedSamples, Printable(s.Line))
	}
	r.OtherHostsNotListed = t.OtherHost
	for _, h := range r.OtherHosts {
		r.OtherHostsNotListed -= h.Requests
	}
	texts := texts{a}
	r.Crawlers = a.crawlers(t, texts)
	a.cite(r.Policy.Versions, t)
	slices.SortFunc(r.Crawlers, func(x, y CrawlerInfo) int {
		return cmp.Or(cmp.Compare(y.Verdicts.Violation, x.Verdicts.Violation),
			cmp.Compare(x.Crawler, y.Crawler), cmp.Compare(x.Operator, y.Operator))
	})
	for i := range r.Crawlers {
		r.Totals.add(&r.Crawlers[i])
	}
	if r.Totals.Requests > 0 {
		r.Totals.VerifiedShare = float64(r.Totals.Identity.Verified) / float64(r.Totals.Requests)
	}
	for _, p := range a.config.Crawlers.Profiles() {
		if p.Control && a.config.Policy.Names(p.Tokens[0]) {
			r.NotAuditable = append(r.NotAuditable, p.Name)
		}
	}
	return r
}

// crawlers makes the rows: all known crawlers, the most frequent of the unknown,
// and one for the rest of these.
func (a *Auditor) crawlers(t *tally, texts texts) []CrawlerInfo {
	list := []CrawlerInfo{}
	for p, row := range t.known {
		if row.requests > 0 {
			info := texts.crawler(row)
			info.Operator, info.Category, info.Exempt = p.Operator, p.Category, p.Exempt
			info.Obeys, info.Source, info.Date = p.Obeys, p.Source, p.Date
			list = append(list, info)
		}
	}
	rows := t.listed
	if t.others.requests > 0 {
		rows = append(rows, t.others)
	}
	for _, row := range rows {
		info := texts.crawler(row)
		// Letters that only look like those of another's name are not to pass for them:
		// two of "G\u043e\u043eglebot" are Cyrillic.
		info.Crawler = printable([]byte(row.name), unicode.MaxASCII)
		info.Operator, info.Category, info.Obeys = unknown, unknown, unknown
		list = append(list, info)
	}
	return list
}

func (t *Totals) add(c *CrawlerInfo) {
	t.Requests += c.Requests
	v, w := &t.Verdicts, c.Verdicts
	v.Allowed += w.Allowed
	v.RobotsFetch += w.RobotsFetch
	v.Violation += w.Violation
	v.Grace += w.Grace
	v.Indeterminate += w.Indeterminate
	v.NoPolicy += w.NoPolicy
	v.Unreachable += w.Unreachable
	v.Exempt += w.Exempt
	v.Spoofed += w.Spoofed
	t.Outcomes.Obtained += c.Outcomes.Obtained
	t.Outcomes.Redirected += c.Outcomes.Redirected
	t.Outcomes.Refused += c.Outcomes.Refused
	t.Outcomes.Absent += c.Outcomes.Absent
	t.Identity.Verified += c.Identity.Verified
	t.Identity.Spoofed += c.Identity.Spoofed
	t.Identity.Unverified += c.Identity.Unverified
	t.Identity.Unverifiable += c.Identity.Unverifiable
	t.Proven += c.Proven()
}

// Proven counts the violations of verified clients that were given what they
// asked for.
func (c *CrawlerInfo) Proven() (n int64) {
	for _, v := range c.Violations {
		if v.Identity == identityNames[Verified] && v.Outcome == outcomeNames[Obtained] {
			n += v.N
		}
	}
	return n
}

// Informed counts the violations of clients that had been told.
func (c *CrawlerInfo) Informed() (n int64) {
	for _, v := range c.Violations {
		if v.Informed {
			n += v.N
		}
	}
	return n
}

// texts turns indexes and lines into what a reader knows them by.
type texts struct {
	auditor *Auditor
}

func (x texts) crawler(r *row) CrawlerInfo {
	info := CrawlerInfo{
		Crawler:       Printable([]byte(r.name)),
		Requests:      r.requests,
		Verdicts:      verdictCounts(r.verdicts),
		Reasons:       reasonCounts(r.reasons),
		GraceInformed: r.graceInformed,
		Identity: IdentityCounts{
			r.identities[Verified], r.identities[SpoofedIdentity],
			r.identities[Unverified], r.identities[Unverifiable],
		},
		Rules:      []RuleInfo{},
		RobotsTxt:  r.fetchInfo(),
		CrawlDelay: []DelayInfo{},
		Samples:    []SampleInfo{},
	}
	info.Violations, info.Outcomes = r.listViolations()
	info.RulesNotListed = r.ruleRest
	for k, n := range r.rules {
		info.Rules = append(info.Rules, x.rule(k, n))
	}
	slices.SortFunc(info.Rules, func(x, y RuleInfo) int {
		return cmp.Or(cmp.Compare(y.Violations, x.Violations), cmp.Compare(x.Origin, y.Origin),
			cmp.Compare(x.Version, y.Version), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Rule, y.Rule))
	})
	for _, d := range r.delays {
		info.CrawlDelay = append(info.CrawlDelay, DelayInfo{
			x.origin(d.at), float64(d.delay) / 1000, d.n, d.shorter, float64(d.median) / 1000, float64(d.p10) / 1000,
		})
	}
	for _, s := range r.samples.kept {
		info.Samples = append(info.Samples, SampleInfo{timeText(s.Time), Printable(s.Line)})
	}
	return info
}

func (x texts) rule(k ruleKey, n int64) RuleInfo {
	o := k.at.First
	p := x.auditor.config.Policy
	v := p.Versions(o)[k.version]
	return RuleInfo{
		Origin: x.origin(k.at), Version: startText(v.From), File: Printable([]byte(v.File)),
		Line: int(k.line), Rule: Printable([]byte(p.RuleText(o, k.version, int(k.line)))), Violations: n,
	}
}

// cite says of each version how many violations quote it.
func (a *Auditor) cite(list []VersionInfo, t *tally) {
	i := 0
	for o := range a.config.Policy.Origins() {
		for v := range a.config.Policy.Versions(int32(o)) {
			list[i].Cited = t.cited[citedKey{int32(o), int32(v)}]
			i++
		}
	}
}

// origin returns the origin of a site; where it may be one of several, the host, if
// that is the same; nothing if nobody knows which it is.
func (x texts) origin(at policy.Site) string {
	list := x.auditor.config.Policy.Origins()[at.First : at.First+at.N]
	if len(list) == 0 {
		return ""
	}
	o := list[0]
	for _, other := range list[1:] {
		if other.Host != o.Host {
			return ""
		}
		o.Scheme = ""
		if other.Port != o.Port {
			o.Port = 0
		}
	}
	return o.String()
}

// policyInfo lists the versions.
func (a *Auditor) policyInfo() PolicyInfo {
	p := a.config.Policy
	info := PolicyInfo{Origins: []string{}, WindowSeconds: int64(p.Window() / time.Second), Versions: []VersionInfo{}}
	for o, origin := range p.Origins() {
		if !p.Any() {
			info.Origins = append(info.Origins, origin.String())
		}
		for _, v := range p.Versions(int32(o)) {
			info.Versions = append(info.Versions, VersionInfo{
				Origin: origin.String(), From: startText(v.From), Status: v.Status, File: Printable([]byte(v.File)), Bytes: v.Size,
				MaxAgeSeconds: int64(v.MaxAge / time.Second), Location: Printable([]byte(v.Location)),
			})
		}
	}
	return info
}

// robotsInfo compares the sizes of answers to robots.txt with the versions'.
func (a *Auditor) robotsInfo(t *tally) RobotsInfo {
	t.sizes.prune(1, t.foldSize)
	info := RobotsInfo{Requests: t.RobotsRequests, Logged: t.RobotsRequests+t.Elsewhere > 0, Served: t.RobotsServed, Sizes: t.sizeRest, Listed: []SizeInfo{}}
	size := map[policy.Site]int64{}
	for k, c := range t.sizes.kept {
		info.Sizes += c.n
		if known, ok := size[k.at]; ok && known != k.size {
			info.SizesChange = true
		}
		size[k.at] = k.size
		expected := []int64{}
		for i := range k.at.N {
			o := k.at.First + i
			for _, v := range a.versionsAt(o, k, i == 0, c.span.first) {
				expected = append(expected, v.Size)
			}
		}
		slices.Sort(expected)
		expected = slices.Compact(expected)
		if slices.Contains(expected, k.size) || slices.Contains(expected, -1) {
			continue
		}
		info.Differing += c.n
		info.Listed = append(info.Listed, SizeInfo{
			texts{auditor: a}.origin(k.at), k.size, expected, c.n, timeText(c.span.first), timeText(c.span.last),
		})
	}
	slices.SortFunc(info.Listed, func(x, y SizeInfo) int {
		return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.Origin, y.Origin), cmp.Compare(x.Bytes, y.Bytes),
			cmp.Compare(x.Last, y.Last), slices.Compare(x.Expected, y.Expected))
	})
	return info
}

// versionsAt returns the versions with a body that were in force when answers to
// robots.txt were given: on the first of the origins that they may be of as the key
// says, on others about the first of the answers.
func (a *Auditor) versionsAt(o int32, k sizeKey, isFirst bool, at int64) []policy.Version {
	first, last := int(k.first), int(k.last)
	if !isFirst {
		first, last = a.inForce(o, at)
	}
	var list []policy.Version
	for _, v := range a.config.Policy.Versions(o)[first:last] {
		if v.Status/100 == 2 {
			list = append(list, v)
		}
	}
	return list
}

// listViolations returns the violations that occur, and their sums by outcome.
func (r *row) listViolations() ([]ViolationInfo, OutcomeCounts) {
	list := []ViolationInfo{}
	var sums [outcomes]int64
	kinds := slices.SortedFunc(maps.Keys(r.violations), func(x, y violation) int {
		informed := func(v violation) int {
			if v.informed {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(x.identity, y.identity), cmp.Compare(x.outcome, y.outcome),
			cmp.Compare(x.method, y.method), informed(x)-informed(y))
	})
	for _, v := range kinds {
		n := r.violations[v]
		list = append(list, ViolationInfo{identityNames[v.identity], outcomeNames[v.outcome], methodNames[v.method], v.informed, n})
		sums[v.outcome] += n
	}
	return list, outcomeCounts(sums)
}

func (r *row) fetchInfo() FetchInfo {
	info := FetchInfo{Refused: []StatusCount{}}
	if f := r.fetches; f != nil {
		if f.span.any {
			info.First, info.Last = timeText(f.span.first), timeText(f.span.last)
		}
		for status, n := range f.answers {
			info.Fetches += n
			*info.Answers.of(status) += n
		}
		for _, status := range slices.Sorted(maps.Keys(f.refused)) {
			info.Refused = append(info.Refused, StatusCount{status, f.refused[status]})
		}
	}
	if g := r.fetchGaps; g.n > 0 {
		info.Gaps = g.n
		info.MedianGap, info.LongestGap = float64(g.median)/1000, float64(g.longest)/1000
		info.Within24h = float64(g.within) / float64(g.n)
	}
	return info
}

func (c *AnswerCounts) of(status int) *int64 {
	switch {
	case status == 304:
		return &c.NotModified
	case status == 429:
		return &c.TooMany
	case status/100 == 2:
		return &c.Success
	case status/100 == 3:
		return &c.Redirect
	case status/100 == 4:
		return &c.Unavailable
	case status/100 == 5:
		return &c.Error
	}
	return &c.Other
}

func (t *tally) otherHosts() []HostInfo {
	t.hosts.prune(1, t.foldHost)
	list := []HostInfo{}
	for host, n := range t.hosts.kept {
		list = append(list, HostInfo{Printable([]byte(host)), n})
	}
	slices.SortFunc(list, func(x, y HostInfo) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.Host, y.Host))
	})
	return list[:min(len(list), maxHostsListed)]
}

// startText is the time at which a version began, nothing if before all time.
func startText(nanos int64) string {
	if nanos == policy.MinTime {
		return ""
	}
	return timeText(nanos)
}

// timeText is a time as RFC 3339 has it, in UTC.
func timeText(nanos int64) string { return time.Unix(0, nanos).UTC().Format(time.RFC3339) }

// Printable returns bytes from a log as text for people: control characters and
// octets that are not UTF-8 are written \xHH or \u{HHHH}, so that nothing in it
// can act on a terminal or be lost on the way through JSON.
func Printable(b []byte) string { return printable(b, unicode.MaxRune) }

// printable is Printable up to a highest character; others are written \u{HHHH}.
func printable(b []byte, highest rune) string {
	s := make([]byte, 0, len(b))
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		switch {
		case c == utf8.RuneError && n == 1, c < 0x20, c == 0x7f:
			const hex = "0123456789abcdef"
			s = append(s, '\\', 'x', hex[b[0]>>4], hex[b[0]&15])
		case !strconv.IsPrint(c), c > highest:
			s = append(strconv.AppendInt(append(s, `\u{`...), int64(c), 16), '}')
		default:
			s = append(s, b[:n]...)
		}
		b = b[n:]
	}
	return string(s)
}
