package audit

// schema is the name of the form of a Report as JSON.
const schema = "robotsieve.audit/3"

// Report is the result of an audit. As JSON it is an object that other programs rely
// on under the name robotsieve.audit/3: fields may be added to it, none is renamed, and
// all are always present. Its texts have the bytes of the logs and files that they are
// from: see Texts, with Printable before they are shown, and with ToUTF8 before json.Marshal.
type Report struct {
	Schema string `json:"schema"`
	// Program is the version of the program, and Command its command line.
	Program string `json:"program"`
	Command string `json:"command"`
	// Partial: not all of the input was read, or more than MaxUnparsedPercent of the lines
	// of an input could not be parsed.
	Partial            bool    `json:"partial"`
	MaxUnparsedPercent float64 `json:"max_unparsed_percent"`
	LineCounts
	// From and To are the times of the first and the last request of a crawler,
	// in UTC; empty if there is none.
	From string `json:"from"`
	To   string `json:"to"`
	// Since and Until are the period that is judged, without its end; empty if it has no bound.
	Since string `json:"since"`
	Until string `json:"until"`
	// OutsideFrom and OutsideTo are the times of the first and the last line outside of that period;
	// empty if there is none.
	OutsideFrom string `json:"outside_from"`
	OutsideTo   string `json:"outside_to"`
	// Sampling is how the logs were sampled, in the user's words.
	Sampling string `json:"sampling"`
	// Assumptions are the basis of the verdicts, in sentences.
	Assumptions []string `json:"assumptions"`
	// Warnings are reasons to doubt a figure.
	Warnings []string    `json:"warnings"`
	Policy   PolicyInfo  `json:"policy"`
	Ranges   []RangeInfo `json:"ranges"`
	// CanVerify reports whether there was anything to verify clients by: address lists,
	// resolved names or look-ups.
	CanVerify bool        `json:"can_verify"`
	Inputs    []InputInfo `json:"inputs"`
	Totals    Totals      `json:"totals"`
	// HTTPLibraries counts the requests of HTTP libraries among NotCrawlers.
	HTTPLibraries int64 `json:"http_libraries"`
	// CDNAgents counts the requests among NotCrawlers with the User-Agent of a CDN, which has
	// replaced the client's.
	CDNAgents int64 `json:"cdn_agents"`
	// Proxied: nearly all requests came from a few addresses, so these are of a proxy, and
	// nobody is verified or spoofed by them.
	Proxied bool `json:"proxied"`
	// IdentityNoList counts the requests of crawlers with lists of addresses for which
	// no list was near enough in time to prove anything.
	IdentityNoList int64 `json:"identity_no_list"`
	// Operators are those with known search engines or assistants whose crawlers made requests, or
	// whose pages sent visitors; the most requests first. It is empty if no line of a client that
	// is no crawler has a Referer.
	Operators []OperatorInfo `json:"operators"`
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
// requests of crawlers. Not among them are the Blank lines, the Other ones, which are no
// requests by design (format.Other), and those OutOfPeriod, outside of Report.Since and Until.
type LineCounts struct {
	Lines       int64 `json:"lines"`
	Unparsed    int64 `json:"unparsed"`
	NotCrawlers int64 `json:"not_crawlers"`
	OtherHost   int64 `json:"other_host"`
	NotJudged   int64 `json:"not_judged"`
	Blank       int64 `json:"blank"`
	Other       int64 `json:"other_lines"`
	OutOfPeriod int64 `json:"out_of_period"`
}

// read counts the lines that were read as requests or could not be.
func (c *LineCounts) read() int64 { return c.Lines + c.OutOfPeriod }

// all counts the lines of all kinds.
func (c *LineCounts) all() int64 { return c.read() + c.Blank + c.Other }

// PolicyInfo describes the robots.txt files.
type PolicyInfo struct {
	File    string   `json:"file"`    // robots.txt, or where the versions are listed
	Bytes   int      `json:"bytes"`   // of a robots.txt; -1: not known
	Origins []string `json:"origins"` // none: any origin
	Dialect string   `json:"dialect"` // "auto" or the one for all
	Notes   int      `json:"notes"`   // on the lines of a robots.txt: see compile.Note
	// NoRule says, if no robots.txt that was given has a rule, what the first of them looks
	// like; it is empty if one has.
	NoRule string `json:"no_rule"`
	// History is "constant" for one robots.txt in force throughout. Otherwise it says
	// what the times of the versions mean: "deployed" or "observed".
	History string `json:"history"`
	// WindowSeconds is how long a crawler may keep a copy, DelaySeconds how much later it
	// may still act on it or be logged, SkewSeconds by how much clocks may differ.
	WindowSeconds int64 `json:"window_seconds"`
	DelaySeconds  int64 `json:"delay_seconds"`
	SkewSeconds   int64 `json:"skew_seconds"`
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
	// SHA256 is of the whole file, decompressed, in hexadecimal; empty if there is none, or it was
	// not read to its end. Body is the file itself, or the beginning of one that is longer than
	// the limit of bytes (compile.Options.MaxBytes) and one byte; nil if there is none. It must
	// not be changed.
	SHA256 string `json:"sha256"`
	Body   []byte `json:"-"`
	// Cited counts violations of its rules. Where a log does not tell http from https,
	// they are counted for both, if both have the version.
	Cited int64 `json:"violations"`
}

// RangeInfo is a list of addresses by which a crawler's clients were verified.
type RangeInfo struct {
	Crawler string `json:"crawler"`
	File    string `json:"file"`
	Created string `json:"created"` // empty: not known
	// DatedBy is where Created is from: creationTime, name or option; empty if Created is.
	DatedBy string `json:"dated_by"`
}

// RobotsInfo is about the log's own answers to robots.txt.
type RobotsInfo struct {
	// Requests counts the GETs of /robots.txt of any client. Logged reports whether the log
	// has any, perhaps of another host: if not, it does not show who fetched robots.txt.
	Requests int64 `json:"requests"`
	Logged   bool  `json:"logged"`
	// Served counts the Requests that were answered with a body, or 304, None those that
	// were answered that there is no robots.txt, and Failed those without an answer.
	Served int64 `json:"served"`
	None   int64 `json:"none"`
	Failed int64 `json:"failed"`
	// ClearedBy counts, by status, the answers to crawlers that there is no robots.txt, or
	// an empty one, while the policy has one.
	ClearedBy []StatusCount `json:"cleared_by"`
	// Sizes counts answers with status 200 and a size, and Differing those among them
	// that have the size of no version that was in force.
	Sizes     int64 `json:"sizes"`
	Differing int64 `json:"sizes_differing"`
	// SizesChange: the answers of one site were not all of one size. SizesMixed: answers of
	// several sizes came in turn, under the same versions, so that no change over time
	// explains them all: the file may depend on who asks.
	SizesChange bool `json:"sizes_change"`
	SizesMixed  bool `json:"sizes_mixed"`
	// Contradicted: the answers contradict the files. Most have another size, or say that there is no
	// robots.txt; or a crawler was sent a size that no version has, as most others were from that origin.
	Contradicted bool       `json:"contradicted"`
	Listed       []SizeInfo `json:"differences"`
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
	Name string `json:"name"`
	// From and To are the part of the file, of Of bytes, that was read, if the others are elsewhere. All are
	// 0 if it is the whole file.
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`
	Of   int64 `json:"of,omitempty"`
	// Host is whose log it is, by --host NAME=FILE; empty: it is not named there.
	Host   string `json:"host"`
	Format string `json:"format"`
	Codec  string `json:"codec"`
	Disk   int64  `json:"bytes"`              // on disk
	Bytes  int64  `json:"bytes_uncompressed"` // read
	// SHA256 is of the bytes on disk, in hexadecimal; empty if not all were read, or if
	// that was not asked for of a large uncompressed file. DuplicateOf is the name of an
	// input before it with the same content: if Lines is 0, it was not counted again.
	SHA256      string `json:"sha256"`
	DuplicateOf string `json:"duplicate_of"`
	Lines       int64  `json:"lines"`
	Unparsed    int64  `json:"unparsed"`
	// OutOfPeriod counts lines that are not among Lines, as LineCounts has it.
	OutOfPeriod int64  `json:"out_of_period,omitempty"`
	Complete    bool   `json:"complete"`
	Error       string `json:"error"`
}

// Totals are the sums over all crawlers.
type Totals struct {
	Requests int64          `json:"requests"`
	Verdicts VerdictCounts  `json:"verdicts"`
	Outcomes OutcomeCounts  `json:"outcomes"`
	Identity IdentityCounts `json:"identity"`
	// VerifiedShare is the share of requests by verified clients, 0 to 1.
	VerifiedShare float64 `json:"verified_share"`
	// Bytes and ViolationBytes are as in CrawlerInfo.
	Bytes          int64 `json:"bytes"`
	ViolationBytes int64 `json:"violation_bytes"`
	// Evasive is as in CrawlerInfo.
	Evasive int64 `json:"evasive"`
	// VerifiedContent counts the violations by verified clients that got content, without
	// those of fetchers: the headline.
	VerifiedContent int64 `json:"verified_content"`
	// Fetchers is what the fetchers add: all other sums include it, except
	// VerifiedContent.
	Fetchers FetcherTotals `json:"fetchers"`
}

// FetcherTotals are the sums over the crawlers whose role is fetcher, and which are not
// exempt.
type FetcherTotals struct {
	Requests        int64 `json:"requests"`
	Violations      int64 `json:"violation"`
	VerifiedContent int64 `json:"verified_content"`
}

// CrawlerInfo is the result for one crawler.
type CrawlerInfo struct {
	Crawler  string `json:"crawler"`
	Operator string `json:"operator"` // "unknown" for a crawler that is not known
	Role     string `json:"role"`     // "crawler" or "fetcher"
	Category string `json:"category"` // "unknown" likewise
	// Names is how many crawlers the row is of, 1 unless it is that of OtherCrawlers, and Violators
	// how many of them broke a rule.
	Names     int64 `json:"names"`
	Violators int64 `json:"violators"`
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
	// Claims are what the logs say about its clients (format.Record.Claim), the most frequent
	// first. They are the word of a CDN, and play no part in Identity. ClaimsNotListed counts
	// the requests with all other ones.
	Claims          []ClaimInfo `json:"claims"`
	ClaimsNotListed int64       `json:"claims_not_listed"`
	// Bytes is how many bytes of bodies were sent to it, as far as the log has sizes, without
	// those sent to impostors. ViolationBytes are those of its violations.
	Bytes          int64 `json:"bytes"`
	ViolationBytes int64 `json:"violation_bytes"`
	// Statuses counts the answers by status, 0 for requests without one; without impostors.
	Statuses []StatusCount `json:"statuses"`
	// Addresses counts the addresses of its clients, without impostors.
	Addresses AddressCount `json:"addresses"`
	// Timeline counts its requests with a time by verdict, over time.
	Timeline Timeline `json:"timeline"`
	// Paths are the targets that it requested most, by the number of requests, without
	// impostors; ViolationPaths those of its violations.
	Paths          PathList   `json:"paths"`
	ViolationPaths PathList   `json:"violation_paths"`
	Rules          []RuleInfo `json:"rules"`
	// RulesNotListed counts the violations of all rules that are not listed: Rules has at most 256
	// of a crawler that is not known, and 8,192 of a known one, and of all crawlers of either kind
	// together at most 32,768.
	RulesNotListed int64 `json:"rules_not_listed"`
	// Evasive counts requests that are allowed or contested, although the normal form of
	// their path is forbidden by every copy.
	Evasive int64 `json:"evasive"`
	// GraceInformed counts the requests in grace by informed crawlers.
	GraceInformed int64 `json:"grace_informed"`
	// InformedKnown says that the sizes in the log show what the crawler was sent as robots.txt: a
	// 200 has the size of a version. Otherwise "not informed" means nothing.
	InformedKnown bool `json:"informed_known"`
	// RobotsTxt is about its fetches of robots.txt, CrawlDelay about its delays, and
	// CrawlDelaySupported says whether it heeds them: "yes", "no" or, if that is not
	// known, "".
	RobotsTxt           FetchInfo    `json:"robots_txt"`
	CrawlDelay          []DelayInfo  `json:"crawl_delay"`
	CrawlDelaySupported string       `json:"crawl_delay_supported"`
	Samples             []SampleInfo `json:"samples"`
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
	// Cleared counts, by status, answers that there is no robots.txt, or an empty one,
	// while the policy has one: they told the crawler that nothing is forbidden.
	Cleared []StatusCount `json:"refused"`
}

// StatusCount counts answers with a status.
type StatusCount struct {
	Status int   `json:"status" cbor:"1,keyasint"`
	N      int64 `json:"n" cbor:"2,keyasint"`
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
	// Paths are the targets of the violations that were requested most.
	Paths PathList `json:"paths"`
}

// Timeline counts requests by verdict over time. Its lists are of equal length.
type Timeline struct {
	// By is the unit: hour, day, week (from Monday), year (of 52 weeks) or decade (of 520
	// weeks). A crawler whose requests are in more hours than are kept (1,024, or 64 for one that
	// is not known) is counted by days, and so on.
	By string `json:"by"`
	// From has the beginning of each hour, day, week or year with requests, in UTC, in order.
	From []string `json:"from"`
	// Verdicts has, by the name of each verdict that occurs, the number of requests in each.
	Verdicts map[string][]int64 `json:"verdicts"`
}

// PathList are the most requested of some targets.
type PathList struct {
	// List has at most ten, the most requested first, then by path.
	List []PathInfo `json:"list"`
	// Exact: the requests for each target were counted. Otherwise there were too many targets (of a
	// known crawler more than 512, or fewer if many crawlers had many; of another 64): a target is
	// listed only if its N is at most a tenth higher than the truth, and a rare one never is.
	Exact bool `json:"exact"`
	// OthersAtMost: no target that is not listed has more requests.
	OthersAtMost int64 `json:"others_at_most"`
}

// PathInfo counts the requests for a target.
type PathInfo struct {
	// Path is at most the first 200 bytes of the target.
	Path string `json:"path"`
	N    int64  `json:"n"`
	// TooHigh: N may be too high, by at most this. It is never too low.
	TooHigh int64 `json:"too_high"`
}

// AddressCount counts different addresses. Exact: N was counted; otherwise it was worked out
// from some of them, and its standard error is about 2 per cent.
type AddressCount struct {
	N     int64 `json:"n"`
	Exact bool  `json:"exact"`
}

// OperatorInfo compares what an operator's crawlers took with the visitors that it sent. That a
// visit came of a crawl is not said. Clients may send any Referer or none, and many assistants
// send none, so Crawled / Referred is more likely too large than too small.
type OperatorInfo struct {
	Operator string `json:"operator"`
	// Crawled counts the requests of its crawlers for anything but robots.txt, without
	// impostors. Referred counts the requests of clients that are no crawlers whose Referer is
	// of one of the hosts Referrers, which are its search engines and assistants.
	Crawled   int64    `json:"crawled"`
	Referred  int64    `json:"referred"`
	Referrers []string `json:"referrers"`
}

// ClaimInfo counts requests of whose clients a log says the same.
type ClaimInfo struct {
	Claim string `json:"claim"` // empty: the log has a field for it, and says nothing
	N     int64  `json:"n"`
}

// SampleInfo is one raw line of the log.
type SampleInfo struct {
	Time string `json:"time"`
	Line string `json:"line"`
}

// HostInfo counts requests of crawlers for a host without a policy.
type HostInfo struct {
	Host     string `json:"host"`
	Requests int64  `json:"requests"`
}
