package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/reading"
	"github.com/robotsieve/robotsieve/scan/report"
)

// maxListed limits OtherHosts and Overlooked.
const maxListed = 10

// errSum is the error if a report would not count each line exactly once.
var errSum = errors.New("the numbers of the audit do not add up")

// Report makes the report on all lines that the run's workers have counted and all states that were
// added. Its numbers add up. It fails only if deferred records could not be kept or read, or if a
// state is damaged. It must be called only once, and the workers must not be used afterwards.
func (r *Run) Report(in Inputs) (*report.Report, error) {
	if err := r.endWorkers(); err != nil {
		return nil, err
	}
	r.paths = r.newViolationPaths()
	defer r.paths.sorter.Close()
	if err := r.judgeDeferred(r.sinks(), false); err != nil {
		return nil, err
	}
	if err := r.paths.count(); err != nil {
		return nil, err
	}
	made := r.auditor.report(r.tally, r.policy(), in)
	switch wrong := made.WrongSum(); {
	case wrong == "":
		return made, nil
	case r.hasStates:
		return nil, fmt.Errorf("%w: its numbers do not add up: %s", ErrDamaged, wrong)
	default:
		return nil, fmt.Errorf("%w: %s", errSum, wrong)
	}
}

func (a *Auditor) report(tally *tally, inForce *policy.Policy, in Inputs) *report.Report {
	basis := a.config.Basis
	made := &report.Report{
		Schema: report.Schema, Program: in.Program, Command: in.Command,
		Partial: in.Partial, MaxUnparsedPercent: in.MaxUnparsed, LineCounts: tally.LineCounts, Sampling: basis.Sampled,
		Proxied: tally.addresses.proxied, EndInZero: tally.EndInZero, HTTPLibraries: tally.HTTPLibraries,
		CDNAgents: tally.CDNAgents, NoAgent: tally.NoAgent, IdentityNoList: tally.NoList,
		TimeZone: in.TimeZone,
		Since:    report.Time{Time: a.config.Period.Since.UTC()}, Until: report.Time{Time: a.config.Period.Until.UTC()},
		Policy:    a.policyInfo(tally, inForce),
		Ranges:    append([]report.RangeInfo{}, basis.Ranges...),
		CanVerify: len(basis.Ranges) > 0 || basis.Names != "" || a.config.KeepAddresses,
		Inputs:    append([]report.InputInfo{}, in.List...),
		RobotsTxt: a.robotsInfo(tally),
		Crawlers:  a.crawlers(tally, tally.unit(in.By)),
		AllBytes:  int64(tally.Bytes),
		Choice:    report.ChoiceInfo{Choice: a.config.Only},

		UnparsedSamples: []string{},
		NotAuditable:    []string{},
	}
	made.Choice.Crawlers = append([]string{}, made.Choice.Crawlers...)
	made.Choice.Categories = append([]string{}, made.Choice.Categories...)
	made.Crawlers = slices.DeleteFunc(made.Crawlers, func(c report.CrawlerInfo) bool {
		isOther := !a.config.Only.Has(c.Crawler, c.Category)
		if isOther {
			made.Choice.Others, made.Choice.Requests = made.Choice.Others+c.Names, made.Choice.Requests+c.Requests
		}
		return isOther
	})
	hasFile := basis.Constant || slices.ContainsFunc(made.Policy.Versions,
		func(v report.VersionInfo) bool { return v.File != "" })
	answers := &made.RobotsTxt
	answers.Contradicted = !basis.None &&
		(tally.mostOdd || 2*answers.Differing > answers.Sizes || hasFile && 2*answers.None > answers.Requests)
	made.Operators = a.listOperators(tally, made.Crawlers)
	made.IPv4Cut = tally.addresses.ipv4
	made.AddressesCut = made.IPv4Cut || tally.addresses.ipv6
	if tally.Period.Any {
		made.From, made.To = report.At(tally.Period.First), report.At(tally.Period.Last)
	}
	if tally.Outside.Any {
		made.OutsideFrom, made.OutsideTo = report.At(tally.Outside.First), report.At(tally.Outside.Last)
	}
	for _, s := range tally.Quoted.Kept {
		made.UnparsedSamples = append(made.UnparsedSamples, string(s.Line))
	}
	made.OtherHosts, made.OtherHostsNotListed = mostFrequent(&tally.Hosts, maxListed,
		func(host string, n int64) report.HostInfo { return report.HostInfo{Host: host, Requests: n} })
	made.Overlooked, made.OverlookedNotListed = mostFrequent(&tally.Overlooked, maxListed,
		func(header string, n int64) report.HeaderInfo { return report.HeaderInfo{Header: header, Requests: n} })
	made.Totals = report.TotalsOf(made.Crawlers)
	made.Sites = tally.listSites(a, &made.Totals)
	for _, p := range a.config.Crawlers.Profiles() {
		if p.Control && a.config.Policy.Names(p.Tokens[0]) {
			made.NotAuditable = append(made.NotAuditable, p.Name)
		}
	}
	if tally.whatIf != nil {
		made.WhatIf, made.Operators = tally.whatIf.info(a.config.WhatIf.Versions(0)[0].File), []report.OperatorInfo{}
	}
	made.Changes, made.ChangesNotListed = a.changes.info(a, tally)
	basis.Describe(made, in.Notes, in.Warnings)
	made.Warnings = append(append(made.Warnings, a.clockWarning(tally)...), tally.choices(&a.config.Only)...)
	return made
}

// choices describes the lists that show only a random selection because not all entries were kept.
func (t *tally) choices(only *report.Choice) (list []string) {
	add := func(below uint64, limit int, text string) {
		if below != 0 {
			list = append(list, strings.Replace(text, "LIMIT", english.Grouped(int64(limit)), 1))
		}
	}
	add(t.Hosts.Below, t.Hosts.limit, "crawlers requested more than LIMIT hosts without a policy: "+
		"those listed are the most requested of as many that were chosen at random.")
	add(t.Overlooked.Below, t.Overlooked.limit, "more than LIMIT different headers have a crawler's word and name none: "+
		"those listed are the most frequent of as many that were chosen at random.")
	add(t.Sites.Below, 0, "crawlers requested more sites than are counted one by one: those listed are the most "+
		"requested of as many that were chosen at random.")
	add(t.Sizes.Below, t.Sizes.limit, "answers to /robots.txt had more than LIMIT sizes: "+
		"the differences listed are among as many that were chosen at random.")
	if t.whatIf != nil {
		add(t.whatIf.under.Below, maxPrefixes, "the requests that would change have more than LIMIT prefixes: those listed "+
			"were chosen at random.")
	}
	delays := int64(0)
	for _, r := range t.rows(only) {
		delays += r.delaysNotListed
	}
	if delays > 0 {
		list = append(list, fmt.Sprintf("crawlers had Crawl-delays on more sites than are listed: %s, "+
			"those with the fewest gaps, are left out.", english.Plural(delays, "measurement")))
	}
	return list
}

// crawlers makes the rows: all known crawlers, the most frequent unknown ones, and one row for the
// others. The rows with the most violations come first.
func (a *Auditor) crawlers(tally *tally, by report.Unit) []report.CrawlerInfo {
	list := []report.CrawlerInfo{}
	for p, row := range tally.known {
		if row.Requests > 0 {
			info := a.crawler(row, by)
			if p.IsFetcher() {
				info.Role = report.RoleFetcher
			}
			info.CrawlDelaySupported = delaySupport(p)
			info.Operator, info.Category, info.Exempt = p.Operator, p.Category, p.Exempt
			info.Obeys, info.Source, info.Date = report.YesNo(p.Obeys), p.Source, p.Date
			list = append(list, info)
		}
	}
	rows := tally.listed
	if tally.others.Requests > 0 {
		rows = append(rows, tally.others)
	}
	for _, row := range rows {
		info := a.crawler(row, by)
		info.Crawler = report.InASCII(row.name)
		info.Operator, info.Category, info.Obeys = report.Unknown, report.Unknown, report.NotKnown
		list = append(list, info)
	}
	slices.SortFunc(list, func(x, y report.CrawlerInfo) int {
		return cmp.Or(cmp.Compare(y.Verdicts[report.Violation], x.Verdicts[report.Violation]),
			cmp.Compare(x.Crawler, y.Crawler), cmp.Compare(x.Operator, y.Operator))
	})
	return list
}

func (a *Auditor) crawler(row *row, by report.Unit) report.CrawlerInfo {
	info := report.CrawlerInfo{
		Crawler:  row.name,
		Role:     report.RoleCrawler,
		Requests: row.Requests,
		Names:    max(row.names, 1), Violators: row.violators,
		Verdicts:      row.Verdicts,
		Reasons:       row.Reasons,
		Identity:      row.Identities,
		GraceInformed: row.graceInformed, InformedKnown: row.informedKnown,
		Evasive:        row.evasive,
		ViolationBytes: row.violationBytes, ViolationPaths: row.paths.list(),
		Timeline:   row.Timeline.info(by, a.config.Zone),
		Rules:      []report.RuleInfo{},
		RobotsTxt:  row.fetchInfo(),
		CrawlDelay: []report.DelayInfo{},
		Samples:    []report.SampleInfo{},
		Claims:     []report.ClaimInfo{},
	}
	f := &row.Figures
	info.Bytes, info.Statuses = int64(f.Bytes), append([]report.StatusCount{}, f.Statuses...)
	info.Addresses, info.Paths = f.Addresses.count(f.Statuses.sum()), f.Paths.list()
	info.ChallengedFetches, info.ChallengedViolations = row.challengedFetches(), row.challenged
	if row.names == 0 {
		info.Violators = min(row.Verdicts[report.Violation], 1)
	}
	info.Violations, info.Outcomes = row.listViolations()
	if row.Claims != nil {
		info.Claims, info.ClaimsNotListed = mostFrequent(row.Claims, maxClaims,
			func(claim string, n int64) report.ClaimInfo { return report.ClaimInfo{Claim: claim, N: n} })
	}
	if row.rules != nil {
		info.RulesNotListed = row.rules.Rest
		for k, violations := range row.rules.Kept {
			rule := a.rule(k, violations.N)
			rule.Paths = row.rulePaths[k].list()
			info.Rules = append(info.Rules, rule)
		}
	}
	slices.SortFunc(info.Rules, func(x, y report.RuleInfo) int {
		return cmp.Or(cmp.Compare(y.Violations, x.Violations), cmp.Compare(x.Origin, y.Origin),
			x.Version.Compare(y.Version.Time), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Rule, y.Rule))
	})
	for _, d := range row.delays {
		d.Origin = a.originText(d.at)
		info.CrawlDelay = append(info.CrawlDelay, d.DelayInfo)
	}
	for _, s := range row.samples.Kept {
		info.Samples = append(info.Samples, report.SampleInfo{Time: report.At(s.Time), Line: string(s.Line)})
	}
	return info
}

func (a *Auditor) rule(k ruleKey, n int64) report.RuleInfo {
	p, o := a.config.Policy, k.at.First
	v := p.Versions(o)[k.version]
	return report.RuleInfo{
		Origin: a.originText(k.at), Version: startOf(v.From), File: v.File,
		Line: int(k.line), Rule: p.QuoteRule(o, k.version, int(k.line)), Violations: n,
	}
}

// originText returns the origin of a site. If there are several, it returns their common host;
// without a common host or a known origin it returns "".
func (a *Auditor) originText(at policy.Site) string {
	list := a.config.Policy.Origins()[at.First : at.First+at.N]
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

// policyInfo describes the robots.txt files, and counts the violations that quote each version.
func (a *Auditor) policyInfo(tally *tally, inForce *policy.Policy) report.PolicyInfo {
	basis := a.config.Basis
	info := report.PolicyInfo{
		File: basis.File, NoRule: basis.NoRule, AssumeConstant: basis.AssumeConstant,
		Origins: []string{}, Dialect: report.AutoDialect, History: report.Deployed,
		WindowSeconds: int64(inForce.Window() / time.Second), DelaySeconds: int64(inForce.Delay() / time.Second),
		SkewSeconds: int64(inForce.Skew() / time.Second), Versions: []report.VersionInfo{},
	}
	if d := a.config.Dialect; d != nil {
		info.Dialect = d.String()
	}
	switch {
	case basis.None:
		info.History = report.NoHistory
	case basis.Constant:
		info.History, info.Bytes = report.Constant, int(inForce.Versions(0)[0].Size)
		info.Notes = len(inForce.Robots(0, 0, reading.ReadRFC9309).Notes)
	case basis.Observed:
		info.History = report.Observed
	}
	for index, origin := range inForce.Origins() {
		if !inForce.Any() {
			info.Origins = append(info.Origins, origin.String())
		}
		for i, v := range inForce.Versions(int32(index)) {
			if basis.None {
				break
			}
			info.Committed = info.Committed || v.Committed
			body := inForce.Body(int32(index), int32(i))
			info.Versions = append(info.Versions, report.VersionInfo{
				SHA256: sumText(v, body), Body: body,
				Origin: origin.String(), From: startOf(v.From), Status: v.Status, File: v.File, Bytes: v.Size,
				MaxAgeSeconds: int64(v.MaxAge / time.Second), Location: v.Location,
				Cited: tally.cited[versionKey{int32(index), int32(i)}],
			})
		}
	}
	return info
}

// sumText returns the SHA-256 of a version's file, if known.
func sumText(v policy.Version, body []byte) string {
	if v.Sum != "" || v.Copy < 0 || v.Size != int64(len(body)) {
		return v.Sum
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// robotsInfo compares the sizes of answers to robots.txt with the sizes of the versions.
func (a *Auditor) robotsInfo(tally *tally) report.RobotsInfo {
	tally.Sizes.prune(1)
	info := report.RobotsInfo{
		Requests: tally.RobotsRequests, Logged: tally.RobotsRequests+tally.Elsewhere > 0, Served: tally.RobotsServed,
		None: tally.RobotsNone, Failed: tally.RobotsFailed,
		ClearedBy: tally.clearedBy(&a.config.Only), Sizes: tally.Sizes.Rest, Differing: tally.SizesOther,
		Listed: []report.SizeInfo{}, Strangers: []report.StatusCount{}, ClearedByStrangers: tally.clearedByStrangers,
	}
	for i, n := range tally.goneToStrangers {
		if n > 0 {
			info.Strangers = append(info.Strangers, report.StatusCount{Status: [...]int{404, 410}[i], N: n})
		}
	}
	size := map[policy.Site]int64{}
	for k, c := range tally.Sizes.Kept {
		info.Sizes += c.N
		if known, ok := size[k.At]; ok && known != k.Size {
			info.SizesChange = true
		}
		size[k.At] = k.Size
		if k.Other {
			info.Listed = append(info.Listed, report.SizeInfo{
				Origin: a.originText(k.At), Bytes: k.Size, Expected: a.expectedSizes(k, c.Period.First), N: c.N,
				First: report.At(c.Period.First),
				Last:  report.At(c.Period.Last),
			})
		}
	}
	info.SizesMixed = a.sizesMixed(tally.Sizes.Kept)
	slices.SortFunc(info.Listed, func(x, y report.SizeInfo) int {
		return cmp.Or(x.First.Compare(y.First.Time), cmp.Compare(x.Origin, y.Origin), cmp.Compare(x.Bytes, y.Bytes),
			x.Last.Compare(y.Last.Time), slices.Compare(x.Expected, y.Expected))
	})
	return info
}

// sizesMixed returns RobotsInfo.SizesMixed. An answer with the size of another version does not
// count, because it may come from a cache.
func (a *Auditor) sizesMixed(sizes map[sizeKey]tallied) bool {
	keys := slices.SortedFunc(maps.Keys(sizes), func(x, y sizeKey) int {
		return cmp.Or(cmp.Compare(x.At.First, y.At.First), cmp.Compare(x.At.N, y.At.N), cmp.Compare(x.First, y.First),
			cmp.Compare(x.Last, y.Last),
			cmp.Compare(sizes[x].Period.First, sizes[y].Period.First))
	})
	isVersion := func(k sizeKey) bool { return policy.HaveSize(a.config.Policy.Versions(k.At.First), k.Size) }
	last := 0 // its version that ends last
	for i, k := range keys {
		of := keys[last]
		if i == 0 || k.At != of.At || k.First != of.First || k.Last != of.Last {
			last = i
			continue
		}
		if sizes[k].Period.First <= sizes[of].Period.Last && !(isVersion(k) && isVersion(of)) {
			return true
		}
		if sizes[k].Period.Last > sizes[of].Period.Last {
			last = i
		}
	}
	return false
}

// clockWarning warns about files that were sent before the source had them.
func (a *Auditor) clockWarning(t *tally) []string {
	n := int64(0)
	for k, c := range t.Sizes.Kept {
		if k.Other && a.isEarly(k, c.Period.First) {
			n += c.N
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s to /robots.txt %s the size of a version that was not in force yet: "+
		"a clock may be wrong, or the time of that version.", english.Plural(n, "answer"), english.Verb(n, "has", "have"))}
}

// isEarly reports whether a size matches a version that was not in force yet, and no earlier one.
func (a *Auditor) isEarly(k sizeKey, t int64) (early bool) {
	p := a.config.Policy
	for o := k.At.First; o < k.At.First+k.At.N; o++ {
		_, next := p.InForce(o, t)
		if o == k.At.First {
			next = int(k.Last)
		}
		list := p.Versions(o)
		if policy.HaveSize(list[:next], k.Size) {
			return false
		}
		early = early || policy.HaveSize(list[next:], k.Size)
	}
	return early
}

// expectedSizes returns the sizes of the files that were in force: for the first origin the
// versions of the key, for other origins the versions at the time of the first answer.
func (a *Auditor) expectedSizes(k sizeKey, t int64) []int64 {
	p, list := a.config.Policy, []int64{}
	for i := range k.At.N {
		versions := p.VersionsAt(k.At.First+i, t)
		if i == 0 {
			versions = p.Versions(k.At.First)[k.First:k.Last]
		}
		for _, v := range versions {
			if v.Copy >= 0 || v.Status == 204 {
				list = append(list, v.Size)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// listViolations returns the violations that occur, and their sums by outcome.
func (r *row) listViolations() (list []report.ViolationInfo, sums report.OutcomeCounts) {
	list = []report.ViolationInfo{}
	for i := range report.Identities {
		for o := range report.Outcomes {
			for m := range report.Methods {
				for _, informed := range []bool{false, true} {
					if n := r.violations[violationKind{i, o, m, informed}]; n > 0 {
						list = append(list, report.ViolationInfo{Identity: i, Outcome: o, Method: m,
							Informed: informed, N: n})
						sums[o] += n
					}
				}
			}
		}
	}
	return list, sums
}

// challengedFetches counts the GETs of robots.txt whose answers are typical of firewalls.
func (r *row) challengedFetches() (n int64) {
	if r.Fetches == nil {
		return 0
	}
	for status, of := range r.Fetches.Answers {
		if status != 202 && report.Challenge(status) { // 202 with the file is not a challenge
			n += of
		}
	}
	return n + r.Fetches.Challenges
}

func (r *row) fetchInfo() report.FetchInfo {
	info := report.FetchInfo{}
	if r.fetchGaps != nil {
		info = *r.fetchGaps
	}
	info.Cleared = []report.StatusCount{}
	if f := r.Fetches; f != nil {
		if f.Period.Any {
			info.First, info.Last = report.At(f.Period.First), report.At(f.Period.Last)
		}
		for status, n := range f.Answers {
			info.Fetches += n
			info.Answers[answerClassOf(status)] += n
		}
		info.Cleared, info.Challenges = statusCounts(f.Cleared), f.Challenges
	}
	return info
}

// clearedBy sums up the answers that clear crawlers, by status.
func (t *tally) clearedBy(only *report.Choice) []report.StatusCount {
	all := map[int]int64{}
	for _, r := range t.rows(only) {
		if r.Fetches != nil {
			addTimes(all, r.Fetches.Cleared, 1)
		}
	}
	return statusCounts(all)
}

// statusCounts lists numbers by status, sorted by status.
func statusCounts(n map[int]int64) []report.StatusCount {
	list := []report.StatusCount{}
	for _, status := range slices.Sorted(maps.Keys(n)) {
		list = append(list, report.StatusCount{Status: status, N: n[status]})
	}
	return list
}

// startOf returns the beginning of a version, or the zero Time if it is before all time.
func startOf(nanos int64) report.Time {
	if nanos == policy.MinTime {
		return report.Time{}
	}
	return report.At(nanos)
}

// hostOf returns the position of the host in a Referer with http or https; the range is empty if there is none.
func hostOf(referer []byte) (from, to int) {
	switch {
	case bytes.HasPrefix(referer, []byte("https://")):
		from = len("https://")
	case bytes.HasPrefix(referer, []byte("http://")):
		from = len("http://")
	default:
		return 0, 0
	}
	if n := bytes.IndexAny(referer[from:], "/:?#"); n >= 0 {
		return from, from + n
	}
	return from, len(referer)
}

// listOperators compares the requests of operators' crawlers with the visitors that the operators
// sent. It covers operators with known search engines or assistants.
func (a *Auditor) listOperators(tally *tally, crawlers []report.CrawlerInfo) []report.OperatorInfo {
	list := []report.OperatorInfo{}
	if tally.Referers == 0 {
		return list
	}
	crawled := map[string]int64{}
	for i := range crawlers {
		crawled[crawlers[i].Operator] += taken(&crawlers[i])
	}
	for _, p := range a.config.Crawlers.Profiles() {
		info := report.OperatorInfo{Operator: p.Operator, Crawled: crawled[p.Operator],
			Referred: tally.Referred[p.Operator], Referrers: p.Referrers}
		if len(p.Referrers) > 0 && (info.Crawled > 0 || info.Referred > 0 && a.config.Only.IsAll()) {
			list = append(list, info)
		}
	}
	slices.SortFunc(list, func(x, y report.OperatorInfo) int {
		return cmp.Or(cmp.Compare(y.Crawled, x.Crawled), cmp.Compare(y.Referred, x.Referred),
			cmp.Compare(x.Operator, y.Operator))
	})
	return list
}

// taken returns the number of requests for anything but robots.txt, without impostors.
func taken(c *report.CrawlerInfo) int64 {
	n := c.Requests - c.Verdicts[report.Spoofed] - c.Verdicts[report.RobotsFetch]
	if c.Exempt != "" {
		n -= c.RobotsTxt.Fetches
	}
	return n
}
