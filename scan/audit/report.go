package audit

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
	// Sampling is what the user says of how the logs were sampled; empty: nothing.
	Sampling string `json:"sampling"`
	// Assumptions are what the verdicts rest on, in sentences.
	Assumptions []string `json:"assumptions"`
	// Warnings are what the reader should know before believing a figure.
	Warnings []string    `json:"warnings"`
	Policy   PolicyInfo  `json:"policy"`
	Ranges   []RangeInfo `json:"ranges"`
	Inputs   []InputInfo `json:"inputs"`
	Totals   Totals      `json:"totals"`
	// EndInZero counts the requests of crawlers from addresses that end in .0, as all
	// do where a log does not keep the ends: those prove nothing.
	EndInZero int64 `json:"addresses_end_in_zero"`
	// RobotsTxt is what the log says about robots.txt itself.
	RobotsTxt RobotsInfo    `json:"robots_txt"`
	Crawlers  []CrawlerInfo `json:"crawlers"`
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
	File    string   `json:"file"`    // robots.txt, or where the versions are listed
	Bytes   int      `json:"bytes"`   // of a robots.txt; -1: not known
	Origins []string `json:"origins"` // none: any origin
	Dialect string   `json:"dialect"` // "auto" or the one for all
	Notes   int      `json:"notes"`   // odd things about the lines of a robots.txt: see compile.Note
	// History is "constant" for one robots.txt in force throughout, else "deployed"
	// or "observed": what the times of the versions mean.
	History       string `json:"history"`
	WindowSeconds int64  `json:"window_seconds"`
	// AssumeConstant says that the first version of each origin is taken as in
	// force before all time.
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
	Created string `json:"created"` // empty: it does not say, and is taken as current
}

// RobotsInfo is what the log says about robots.txt.
type RobotsInfo struct {
	// Requests are the GETs of /robots.txt of any client, Logged whether there is
	// any, be it of another host: if not, nothing can be said of who fetched it.
	Requests int64 `json:"requests"`
	Logged   bool  `json:"logged"`
	// Served are those of Requests that were answered with a body, or 304.
	Served int64 `json:"served"`
	// Sizes are the sizes of answers with status 200 and, among these, Differing
	// those that are of no version that was in force.
	Sizes     int64 `json:"sizes"`
	Differing int64 `json:"sizes_differing"`
	// SizesChange says that the answers of one site were not all of one size.
	SizesChange bool       `json:"sizes_change"`
	Listed      []SizeInfo `json:"differences"`
}

// SizeInfo counts answers to robots.txt whose size is not that of the file.
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
	// Proven are the violations by verified clients that were given what they asked
	// for: the headline.
	Proven int64 `json:"verified_obtained"`
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
	// Violations are counted crosswise; only those that occur are listed.
	Violations []ViolationInfo `json:"violations"`
	Identity   IdentityCounts  `json:"identity"`
	Rules      []RuleInfo      `json:"rules"`
	// RulesNotListed counts violations of rules beyond those that are listed for
	// a crawler that is not known.
	RulesNotListed int64 `json:"rules_not_listed"`
	// GraceInformed counts the requests in grace whose crawler had been told.
	GraceInformed int64 `json:"grace_informed"`
	// RobotsTxt are its fetches of robots.txt, CrawlDelay how it kept one.
	RobotsTxt  FetchInfo    `json:"robots_txt"`
	CrawlDelay []DelayInfo  `json:"crawl_delay"`
	Samples    []SampleInfo `json:"samples"`
}

// FetchInfo says how a crawler fetched robots.txt by GET. Where the log has no
// fetch of anybody's, no fetches say nothing.
type FetchInfo struct {
	Fetches int64  `json:"fetches"`
	First   string `json:"first"`
	Last    string `json:"last"`
	// Gaps are those between successive fetches from one site, and Within24h their
	// share of at most a day.
	Gaps       int64   `json:"gaps"`
	MedianGap  float64 `json:"median_gap_seconds"`
	LongestGap float64 `json:"longest_gap_seconds"`
	Within24h  float64 `json:"within_24h"`
	// Answers counts the answers by status.
	Answers AnswerCounts `json:"answers"`
	// Refused counts, by status, answers that there is no robots.txt, empty ones
	// among them, where the policy has one: who got them was told that nothing is
	// forbidden.
	Refused []StatusCount `json:"refused"`
}

// AnswerCounts has a field for each class of answers to a fetch.
type AnswerCounts struct {
	Success     int64 `json:"2xx"`
	NotModified int64 `json:"304"`
	Redirect    int64 `json:"3xx"`
	Unavailable int64 `json:"4xx"`
	TooMany     int64 `json:"429"`
	Error       int64 `json:"5xx"`
	Other       int64 `json:"other"`
}

// StatusCount counts answers with a status.
type StatusCount struct {
	Status int   `json:"status"`
	N      int64 `json:"n"`
}

// DelayInfo says how a crawler kept a Crawl-delay: the gaps between successive
// requests of one address. It is no verdict: the RFC knows no Crawl-delay.
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
	Origin string `json:"origin"` // empty: any; only the host where the log does not tell more
	// Version is the time at which the version began that has the rule, empty if
	// before all time, and File its file.
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
