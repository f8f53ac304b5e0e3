package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Schema is the name of the form of a Report as JSON.
const Schema = "robotsieve.audit/1"

// Report is what an audit found, ready to be printed. As JSON it is an object that
// other programs rely on under the name Schema: fields may be added to it, none
// renamed, and all are always present.
type Report struct {
	Schema string `json:"schema"`
	// Partial says that not all of the input was read.
	Partial bool `json:"partial"`
	// Lines = Unparsed + NotCrawlers + OtherHost + NotJudged + all Requests.
	Lines       int64 `json:"lines"`
	Unparsed    int64 `json:"unparsed"`
	NotCrawlers int64 `json:"not_crawlers"`
	OtherHost   int64 `json:"other_host"`
	NotJudged   int64 `json:"not_judged"`
	// Blank lines are not among Lines.
	Blank int64 `json:"blank"`
	// From and To are the times of the first and the last request of a crawler,
	// in UTC; empty if there is none.
	From string `json:"from"`
	To   string `json:"to"`
	// Assumptions are what the verdicts rest on, in sentences.
	Assumptions []string `json:"assumptions"`
	// Warnings are what the reader should know before believing a figure.
	Warnings []string      `json:"warnings"`
	Policy   PolicyInfo    `json:"policy"`
	Inputs   []InputInfo   `json:"inputs"`
	Totals   Totals        `json:"totals"`
	Crawlers []CrawlerInfo `json:"crawlers"`
	// OtherHosts are the hosts without a policy that were asked for most, and
	// OtherHostsNotListed counts the requests for all others.
	OtherHosts          []HostInfo `json:"other_hosts"`
	OtherHostsNotListed int64      `json:"other_hosts_not_listed"`
	// UnparsedSamples are the first of the lines that could not be read, by bytes.
	UnparsedSamples []string `json:"unparsed_samples"`
	// NotAuditable are control tokens that robots.txt names: no header shows
	// whether they are obeyed.
	NotAuditable []string `json:"not_auditable"`
}

// PolicyInfo says by what was judged.
type PolicyInfo struct {
	File    string   `json:"file"`
	Bytes   int      `json:"bytes"`
	Origins []string `json:"origins"` // none: any origin
	Dialect string   `json:"dialect"` // "auto" or the one for all
	Notes   int      `json:"notes"`   // odd things about its lines: see compile.Note
}

// InputInfo is one file that was read.
type InputInfo struct {
	Name     string `json:"name"`
	Format   string `json:"format"`
	Codec    string `json:"codec"`
	Disk     int64  `json:"bytes"`              // on disk
	Bytes    int64  `json:"bytes_uncompressed"` // read
	Complete bool   `json:"complete"`
	Error    string `json:"error"`
}

// Totals are the sums over all crawlers.
type Totals struct {
	Requests int64         `json:"requests"`
	Verdicts VerdictCounts `json:"verdicts"`
	Outcomes OutcomeCounts `json:"outcomes"`
}

// VerdictCounts has a field for each verdict.
type VerdictCounts struct {
	Allowed       int64 `json:"allowed"`
	RobotsFetch   int64 `json:"robots_fetch"`
	Violation     int64 `json:"violation"`
	Grace         int64 `json:"grace"`
	Indeterminate int64 `json:"indeterminate"`
	NoPolicy      int64 `json:"no_policy"`
	Unreachable   int64 `json:"unreachable"`
	Exempt        int64 `json:"exempt"`
	Spoofed       int64 `json:"spoofed"`
}

func verdictCounts(n [verdicts]int64) VerdictCounts {
	return VerdictCounts{
		n[Allowed], n[RobotsFetch], n[Violation], n[Grace], n[Indeterminate],
		n[NoPolicy], n[Unreachable], n[Exempt], n[Spoofed],
	}
}

// ReasonCounts has a field for each reason of an indeterminate verdict.
type ReasonCounts struct {
	NoVersion        int64 `json:"no_version"`
	NoHost           int64 `json:"no_host"`
	NoTime           int64 `json:"no_time"`
	UnknownScheme    int64 `json:"unknown_scheme"`
	LossyPath        int64 `json:"lossy_path"`
	Truncated        int64 `json:"truncated"`
	AmbiguousAgent   int64 `json:"ambiguous_agent"`
	RedirectedPolicy int64 `json:"redirected_policy"`
	Contested        int64 `json:"contested"`
}

func reasonCounts(n [reasons]int64) ReasonCounts {
	return ReasonCounts{
		n[NoVersion], n[NoHost], n[NoTime], n[UnknownScheme], n[LossyPath],
		n[Truncated], n[AmbiguousAgent], n[RedirectedPolicy], n[ContestedRule],
	}
}

// OutcomeCounts splits violations by what the server did.
type OutcomeCounts struct {
	Obtained   int64 `json:"obtained"`
	Redirected int64 `json:"redirected"`
	Refused    int64 `json:"refused"`
	Absent     int64 `json:"absent"`
}

func outcomeCounts(n [outcomes]int64) OutcomeCounts {
	return OutcomeCounts{n[Obtained], n[Redirected], n[Refused], n[Absent]}
}

// IdentityCounts splits requests by what is known of who sent them.
type IdentityCounts struct {
	Verified     int64 `json:"verified"`
	Spoofed      int64 `json:"spoofed"`
	Unverified   int64 `json:"unverified"`
	Unverifiable int64 `json:"unverifiable"`
}

// CrawlerInfo is what was found of one crawler.
type CrawlerInfo struct {
	Crawler  string `json:"crawler"`
	Operator string `json:"operator"` // "unknown" for a crawler that is not known
	Category string `json:"category"` // "unknown" likewise
	// Exempt says why robots.txt does not apply to it, if it does not.
	Exempt   string        `json:"exempt"`
	Requests int64         `json:"requests"`
	Verdicts VerdictCounts `json:"verdicts"`
	Reasons  ReasonCounts  `json:"reasons"`
	Outcomes OutcomeCounts `json:"outcomes"`
	// Violations are counted crosswise; only those that occur are listed.
	Violations []ViolationInfo `json:"violations"`
	Identity   IdentityCounts  `json:"identity"`
	Rules      []RuleInfo      `json:"rules"`
	// RulesNotListed counts violations of rules beyond those that are listed for
	// a crawler that is not known.
	RulesNotListed int64        `json:"rules_not_listed"`
	Samples        []SampleInfo `json:"samples"`
}

// ViolationInfo counts violations that are alike.
type ViolationInfo struct {
	Identity string `json:"identity"`
	Outcome  string `json:"outcome"`
	Method   string `json:"method"`
	Informed bool   `json:"informed"`
	N        int64  `json:"n"`
}

// RuleInfo counts the violations of one rule.
type RuleInfo struct {
	Origin     string `json:"origin"` // empty: any
	Line       int    `json:"line"`
	Rule       string `json:"rule"`
	Violations int64  `json:"violations"`
}

// SampleInfo is one raw line of the log; octets that are not UTF-8 are \xHH.
type SampleInfo struct {
	Time string `json:"time"`
	Line string `json:"line"`
}

// HostInfo counts requests of crawlers for a host without a policy.
type HostInfo struct {
	Host     string `json:"host"`
	Requests int64  `json:"requests"`
}

// OtherCrawlers is the name of the row of unknown crawlers beyond the most
// frequent.
const OtherCrawlers = "(other unknown crawlers)"

// unknown stands for what is not known of a crawler.
const unknown = "unknown"

// Bounds of what a report lists.
const (
	maxUnknownListed = 1000
	maxHostsListed   = 10
)

// Report makes a report of a tally. ruleText gives the text of a rule by its
// line. What the tally does not know, such as the inputs, is left to the caller.
// The tally is not to be used afterwards.
func (a *Auditor) Report(t *Tally, ruleText func(line int) string) *Report {
	t.prune(1)
	r := &Report{
		Schema: Schema,
		Lines:  t.Lines, Unparsed: t.Unparsed, NotCrawlers: t.NotCrawlers,
		OtherHost: t.OtherHost, NotJudged: t.NotJudged, Blank: t.Blank,
		Assumptions: []string{}, Warnings: []string{}, Inputs: []InputInfo{}, Policy: PolicyInfo{Origins: []string{}},
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
	if t.unknown.bar != 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"unknown crawlers call themselves by more than %d names, more than are kept apart: which of them are listed was left to chance, and the rest is one row.", maxNames))
	}
	texts := texts{a, ruleText}
	r.Crawlers = a.crawlers(t, texts)
	slices.SortFunc(r.Crawlers, func(x, y CrawlerInfo) int {
		return cmp.Or(cmp.Compare(y.Verdicts.Violation, x.Verdicts.Violation),
			cmp.Compare(x.Crawler, y.Crawler), cmp.Compare(x.Operator, y.Operator))
	})
	for i := range r.Crawlers {
		r.Totals.add(&r.Crawlers[i])
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
func (a *Auditor) crawlers(t *Tally, texts texts) []CrawlerInfo {
	list := []CrawlerInfo{}
	for p, row := range t.known {
		if row.requests > 0 {
			info := texts.crawler(row)
			info.Operator, info.Category, info.Exempt = p.Operator, p.Category, p.Exempt
			list = append(list, info)
		}
	}
	rows := make([]*row, 0, len(t.unknown.kept))
	for _, row := range t.unknown.kept {
		if row.requests > 0 {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(x, y *row) int {
		return cmp.Or(cmp.Compare(y.requests, x.requests), cmp.Compare(x.name, y.name))
	})
	for _, row := range rows[min(len(rows), maxUnknownListed):] {
		t.others.merge(row)
	}
	rows = rows[:min(len(rows), maxUnknownListed)]
	if t.others.requests > 0 {
		t.others.name = OtherCrawlers
		rows = append(rows, t.others)
	}
	for _, row := range rows {
		info := texts.crawler(row)
		info.Operator, info.Category = unknown, unknown
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
}

// texts turns indexes and lines into what a reader knows them by.
type texts struct {
	auditor  *Auditor
	ruleText func(line int) string
}

func (x texts) crawler(r *row) CrawlerInfo {
	info := CrawlerInfo{
		Crawler:    Printable([]byte(r.name)),
		Requests:   r.requests,
		Verdicts:   verdictCounts(r.verdicts),
		Reasons:    reasonCounts(r.reasons),
		Violations: []ViolationInfo{},
		Identity: IdentityCounts{
			r.identities[Verified], r.identities[SpoofedIdentity],
			r.identities[Unverified], r.identities[Unverifiable],
		},
		Rules:   []RuleInfo{},
		Samples: []SampleInfo{},
	}
	if r.violations != nil {
		info.Violations, info.Outcomes = r.violations.list()
	}
	r.rules.prune(1, r.foldRule)
	info.RulesNotListed = r.ruleRest
	for k, n := range r.rules.kept {
		info.Rules = append(info.Rules, RuleInfo{x.origin(k.origin), int(k.line), x.ruleText(int(k.line)), n})
	}
	slices.SortFunc(info.Rules, func(x, y RuleInfo) int {
		return cmp.Or(cmp.Compare(y.Violations, x.Violations), cmp.Compare(x.Origin, y.Origin), cmp.Compare(x.Line, y.Line))
	})
	for _, s := range r.samples.kept {
		info.Samples = append(info.Samples, SampleInfo{timeText(s.Time), Printable(s.Line)})
	}
	return info
}

func (x texts) origin(i int32) string {
	if i < 0 {
		return ""
	}
	return x.auditor.config.Policy.Origins()[i].String()
}

// list returns the violations that occur, and their sums by outcome.
func (v *violations) list() ([]ViolationInfo, OutcomeCounts) {
	list := []ViolationInfo{}
	var sums [outcomes]int64
	for i := range v {
		for o := range v[i] {
			for m, n := range v[i][o] {
				if n > 0 {
					list = append(list, ViolationInfo{identityNames[i], outcomeNames[o], methodNames[m], false, n})
					sums[o] += n
				}
			}
		}
	}
	return list, outcomeCounts(sums)
}

func (t *Tally) otherHosts() []HostInfo {
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

// timeText is a time as RFC 3339 has it, in UTC.
func timeText(nanos int64) string { return time.Unix(0, nanos).UTC().Format(time.RFC3339) }

// Printable returns bytes from a log as text for people: control characters and
// octets that are not UTF-8 are written \xHH or \u{HHHH}, so that nothing in it
// can act on a terminal or be lost on the way through JSON.
func Printable(b []byte) string {
	s := make([]byte, 0, len(b))
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		switch {
		case c == utf8.RuneError && n == 1, c < 0x20, c == 0x7f:
			const hex = "0123456789abcdef"
			s = append(s, '\\', 'x', hex[b[0]>>4], hex[b[0]&15])
		case !strconv.IsPrint(c):
			s = append(strconv.AppendInt(append(s, `\u{`...), int64(c), 16), '}')
		default:
			s = append(s, b[:n]...)
		}
		b = b[n:]
	}
	return string(s)
}
