package audit

// schema is the name of the form of a Report as JSON.
const schema = "robotsieve.audit/1"

// Report is the result of an audit. As JSON it is an object that other programs rely
// on under the name robotsieve.audit/1: fields may be added to it, none is renamed, and
// all are always present.
type Report struct {
	Schema string `json:"schema"`
	// Partial: not all of the input was read.
	Partial bool `json:"partial"`
	LineCounts
	// From and To are the times of the first and the last request of a crawler,
	// in UTC; empty if there is none.
	From string `json:"from"`
	To   string `json:"to"`
	// Sampling is how the logs were sampled, in the user's words.
	Sampling string `json:"sampling"`
	// Assumptions are the basis of the verdicts, in sentences.
	Assumptions []string `json:"assumptions"`
	// Warnings are reasons to doubt a figure.
	Warnings []string    `json:"warnings"`
	Policy   PolicyInfo  `json:"policy"`
	Ranges   []RangeInfo `json:"ranges"`
	// CanVerify tells whether there was anything to verify clients by: address lists,
	// resolved names or look-ups.
	CanVerify bool        `json:"can_verify"`
	Inputs    []InputInfo `json:"inputs"`
	Totals    Totals      `json:"totals"`
	// EndInZero counts the requests of crawlers from addresses that end in .0, as all
	// do in logs that cut off the ends: they prove nothing.
	EndInZero int64 `json:"addresses_end_in_zero"`
	// RobotsTxt is about the log's own answers to robots.txt.
	RobotsTxt RobotsInfo    `json:"robots_txt"`
	Crawlers  []CrawlerInfo `json:"crawlers"`
	// OtherHosts are the hosts without a policy that got most requests, and
	// OtherHostsNotListed counts the requests for all others.
	OtherHosts          []HostInfo `json:"other_hosts"`
	OtherHostsNotListed int64      `json:"other_hosts_not_listed"`
	// UnparsedSamples are some of the lines that could not be read, in byte order.
	UnparsedSamples []string `json:"unparsed_samples"`
	// NotAuditable are control tokens that robots.txt names: no header shows
	// whether they are obeyed.
	NotAuditable []string `json:"not_auditable"`
}

// LineCounts counts lines. Lines = Unparsed + NotCrawlers + OtherHost + NotJudged + all
// requests of crawlers; Blank lines are not among them.
type LineCounts struct {
	Lines       int64 `json:"lines"`
	Unparsed    int64 `json:"unparsed"`
	NotCrawlers int64 `json:"not_crawlers"`
	OtherHost   int64 `json:"other_host"`
	NotJudged   int64 `json:"not_judged"`
	Blank       int64 `json:"blank"`
}

// PolicyInfo describes the robots.txt files.
type PolicyInfo struct {
	File    string   `json:"file"`    // robots.txt, or where the versions are listed
	Bytes   int      `json:"bytes"`   // of a robots.txt; -1: not known
	Origins []string `json:"origins"` // none: any origin
	Dialect string   `json:"dialect"` // "auto" or the one for all
	Notes   int      `json:"notes"`   // on the lines of a robots.txt: see compile.Note
	// History is "constant" for one robots.txt in force throughout. Otherwise it says
	// what the times of the versions mean: "deployed" or "observed".
	History       string `json:"history"`
	WindowSeconds int64  `json:"window_seconds"`
	DelaySeconds  int64  `json:"delay_seconds"`
	SkewSeconds   int64  `json:"skew_seconds"`
	// AssumeConstant: the first version of each origin is taken as in force before
	// all time.
	AssumeConstant bool          `json:"assume_constant"`
	Versions       []VersionInfo `json:"versions"`
}

// VersionInfo is one version of an origin's robots.txt.
type VersionInfo struct {
	Origin        string `json:"origin"` // empty: any
	From          string `json:"from"`   // empty: before all time
	Status        int    `json:"status"` // 0: unreachable
	File          string `json:"file"`
	Bytes         int64  `json:"bytes"` // -1: not known
	MaxAgeSeconds int64  `json:"max_age_seconds"`
	Location      string `json:"location"`
	// Cited counts violations of its rules. Where a log does not tell http from https,
	// they are counted for both, if both have the version.
	Cited int64 `json:"violations"`
}

// RangeInfo is a list of addresses by which a crawler's clients were verified.
type RangeInfo struct {
	Crawler string `json:"crawler"`
	File    string `json:"file"`
	Created string `json:"created"` // empty: not stated, taken as current
}

// RobotsInfo is about the log's own answers to robots.txt.
type RobotsInfo struct {
	// Requests counts the GETs of /robots.txt of any client. Logged tells whether the log
	// has any, perhaps of another host: if not, it does not show who fetched robots.txt.
	Requests int64 `json:"requests"`
	Logged   bool  `json:"logged"`
	// Served counts the Requests that were answered with a body, or 304.
	Served int64 `json:"served"`
	// Sizes counts answers with status 200 and a size, and Differing those among them
	// that have the size of no version that was in force.
	Sizes     int64 `json:"sizes"`
	Differing int64 `json:"sizes_differing"`
	// SizesChange: the answers of one site were not all of one size.
	SizesChange bool       `json:"sizes_change"`
	Listed      []SizeInfo `json:"differences"`
}

// SizeInfo counts answers to robots.txt of another size than the file.
type SizeInfo struct {
	Origin   string  `json:"origin"` // empty: any
	Bytes    int64   `json:"bytes"`
	Expected []int64 `json:"expected"` // the sizes of the versions in force; none if there was none
	N        int64   `json:"n"`
	First    string  `json:"first"`
	Last     string  `json:"last"`
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
	Requests int64          `json:"requests"`
	Verdicts VerdictCounts  `json:"verdicts"`
	Outcomes OutcomeCounts  `json:"outcomes"`
	Identity IdentityCounts `json:"identity"`
	// VerifiedShare is the share of requests by verified clients, 0 to 1.
	VerifiedShare float64 `json:"verified_share"`
	// Proven counts the violations by verified clients that were answered with the
	// content: the headline.
	Proven int64 `json:"verified_obtained"`
}

// CrawlerInfo is the result for one crawler.
type CrawlerInfo struct {
	Crawler  string `json:"crawler"`
	Operator string `json:"operator"` // "unknown" for a crawler that is not known
	Category string `json:"category"` // "unknown" likewise
	// Exempt is why robots.txt does not apply to it, if it does not.
	Exempt string `json:"exempt"`
	// Obeys is whether the operator says that it obeys robots.txt: yes, no or
	// unknown, by Source as of Date.
	Obeys    string        `json:"obeys"`
	Source   string        `json:"source"`
	Date     string        `json:"date"`
	Requests int64         `json:"requests"`
	Verdicts VerdictCounts `json:"verdicts"`
	Reasons  ReasonCounts  `json:"reasons"`
	Outcomes OutcomeCounts `json:"outcomes"`
	// Violations are the kinds that occur.
	Violations []ViolationInfo `json:"violations"`
	Identity   IdentityCounts  `json:"identity"`
	Rules      []RuleInfo      `json:"rules"`
	// RulesNotListed counts the violations of all rules that are not listed. Only a
	// crawler that is not known may have such rules.
	RulesNotListed int64 `json:"rules_not_listed"`
	// GraceInformed counts the requests in grace by informed crawlers.
	GraceInformed int64 `json:"grace_informed"`
	// RobotsTxt is about its fetches of robots.txt, CrawlDelay about its delays.
	RobotsTxt  FetchInfo    `json:"robots_txt"`
	CrawlDelay []DelayInfo  `json:"crawl_delay"`
	Samples    []SampleInfo `json:"samples"`
}

// FetchInfo is how a crawler fetched robots.txt by GET. If the log has no fetches of
// any client, zero fetches mean nothing.
type FetchInfo struct {
	Fetches int64  `json:"fetches"`
	First   string `json:"first"`
	Last    string `json:"last"`
	// Gaps counts the gaps between successive fetches from one site, and Within24h is
	// the share of those of at most a day.
	Gaps       int64   `json:"gaps"`
	MedianGap  float64 `json:"median_gap_seconds"`
	LongestGap float64 `json:"longest_gap_seconds"`
	Within24h  float64 `json:"within_24h"`
	// Answers counts the answers by status.
	Answers AnswerCounts `json:"answers"`
	// Refused counts, by status, answers that there is no robots.txt, or an empty one,
	// while the policy has one: they told the crawler that nothing is forbidden.
	Refused []StatusCount `json:"refused"`
}

// StatusCount counts answers with a status.
type StatusCount struct {
	Status int   `json:"status"`
	N      int64 `json:"n"`
}

// DelayInfo is how a crawler kept a Crawl-delay: the gaps between successive requests
// of one address. It is no verdict: the RFC knows no Crawl-delay.
type DelayInfo struct {
	Origin  string  `json:"origin"` // empty: any
	Delay   float64 `json:"delay_seconds"`
	Gaps    int64   `json:"gaps"`
	Shorter int64   `json:"shorter"`
	Median  float64 `json:"median_seconds"`
	P10     float64 `json:"p10_seconds"`
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
	Origin string `json:"origin"` // empty: any; only the host if the log does not tell more
	// Version is the time from which the version with the rule was in force, empty if
	// before all time, and File is its file.
	Version    string `json:"version"`
	File       string `json:"file"`
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
