package report

// CrawlerInfo is the result for one crawler.
type CrawlerInfo struct {
	// Crawler is its name; in that of an unknown crawler, letters outside ASCII are \u{HHHH}.
	Crawler  string `json:"crawler"`
	Operator string `json:"operator"` // unknown where not known
	// Role is crawler, or fetcher: sent by a person, a subscription or the site's own operator.
	Role     Role   `json:"role"`
	Category string `json:"category"` // unknown where not known
	Names    int64  `json:"names"`    // how many crawlers it is of: 1 but for "(other unknown crawlers)"
	// Violators is how many of these broke a rule.
	Violators int64  `json:"violators"`
	Exempt    string `json:"exempt"` // why robots.txt does not apply to it, if it does not
	// Obeys is whether the operator says that it obeys robots.txt (yes, no, unknown), by the page
	// Source as of Date.
	Obeys    YesNo         `json:"obeys"`
	Source   string        `json:"source"`
	Date     string        `json:"date"`
	Requests int64         `json:"requests"` // all requests with a verdict
	Verdicts VerdictCounts `json:"verdicts"` // they sum to Requests
	Reasons  ReasonCounts  `json:"reasons"`  // of requests whose verdict is indeterminate
	Outcomes OutcomeCounts `json:"outcomes"` // of violations
	// Violations are the kinds that occur.
	Violations []ViolationInfo `json:"violations"`
	Identity   IdentityCounts  `json:"identity"` // of requests
	// Claims are what the log says about the clients, where its format has a field for that, such
	// as Cloudflare's VerifiedBotCategory or the header Signature-Agent, at most 16, chosen at random, the most
	// frequent first. It is the word of the CDN or of the client, and plays no part in Identity. ClaimsNotListed
	// are the requests with all other claims.
	Claims          []ClaimInfo `json:"claims"`
	ClaimsNotListed int64       `json:"claims_not_listed"`
	// Bytes is how many bytes of bodies were sent to it, as far as the log has sizes, without
	// those sent to impostors. ViolationBytes are those of its violations.
	Bytes          int64         `json:"bytes"`
	ViolationBytes int64         `json:"violation_bytes"`
	Statuses       []StatusCount `json:"statuses"`  // its requests by status, without impostors
	Addresses      AddressCount  `json:"addresses"` // of its clients, without impostors
	Timeline       Timeline      `json:"timeline"`  // its requests over time
	// Paths are the targets that it requested most, without impostors; ViolationPaths those of its
	// violations.
	Paths          PathList `json:"paths"`
	ViolationPaths PathList `json:"violation_paths"`
	// Rules are those that it violated: at most 256 of a crawler that is not known, 8,192 of a known
	// one, and 32,768 of all crawlers of either kind. RulesNotListed counts violations of all others.
	Rules          []RuleInfo `json:"rules"`
	RulesNotListed int64      `json:"rules_not_listed"`
	// Evasive counts requests that are allowed or contested, although every copy forbids the
	// normal form of their path.
	Evasive       int64 `json:"evasive"`
	GraceInformed int64 `json:"grace_informed"` // requests in grace that are informed
	// InformedKnown: the log says which robots.txt was sent under this name: a 200 had the size of a
	// version. If not, a ViolationInfo.Informed that is false, and what GraceInformed leaves out,
	// mean nothing: outputs for people have "?", and [rows](rows.md) no value.
	InformedKnown bool        `json:"informed_known"`
	RobotsTxt     FetchInfo   `json:"robots_txt"`  // its fetches of robots.txt
	CrawlDelay    []DelayInfo `json:"crawl_delay"` // how it kept a Crawl-delay
	// CrawlDelaySupported is whether it heeds Crawl-delay: yes, no, or empty where not known.
	CrawlDelaySupported YesNo        `json:"crawl_delay_supported"`
	Samples             []SampleInfo `json:"samples"` // raw lines of violations (--samples)
}

// FetchInfo is how a crawler fetched robots.txt by GET. If the log has no fetches of
// any client, zero fetches mean nothing.
type FetchInfo struct {
	Fetches int64 `json:"fetches"` // how many
	First   Time  `json:"first"`   // when the first was made
	Last    Time  `json:"last"`    // and the last
	Gaps    int64 `json:"gaps"`    // how many there are between successive fetches from one site
	// MedianGap and LongestGap are of these.
	MedianGap  float64      `json:"median_gap_seconds"`
	LongestGap float64      `json:"longest_gap_seconds"`
	Within24h  float64      `json:"within_24h"` // the share of gaps of at most a day
	Answers    AnswerCounts `json:"answers"`    // the answers by status
	// Cleared are the answers, by status, that there is no robots.txt, or an empty one, while the
	// files have one: they told the crawler that nothing is forbidden.
	Cleared []StatusCount `json:"refused"`
	// Challenges are the answers 202 with another body than the versions in force, as challenge pages
	// are sent.
	Challenges int64 `json:"challenges"`
}

// StatusCount counts answers with a status.
type StatusCount struct {
	Status int   `json:"status" cbor:"1,keyasint"` // 0: the log has none
	N      int64 `json:"n" cbor:"2,keyasint"`      // how many answers
}

// DelayInfo is how a crawler kept a Crawl-delay: the gaps between successive requests
// of one address. It is no verdict: the RFC knows no Crawl-delay.
type DelayInfo struct {
	Origin  string  `json:"origin"`         // empty: any
	Delay   float64 `json:"delay_seconds"`  // what robots.txt asks for
	Gaps    int64   `json:"gaps"`           // how many there are
	Shorter int64   `json:"shorter"`        // those that are shorter than that
	Median  float64 `json:"median_seconds"` // the gap than which half are shorter
	P10     float64 `json:"p10_seconds"`    // the gap than which a tenth are shorter
}

// ViolationInfo counts violations that are alike.
type ViolationInfo struct {
	Identity Identity `json:"identity"` // how far the client is proven
	Outcome  Outcome  `json:"outcome"`  // how the server answered
	Method   Method   `json:"method"`   // GET, HEAD or other
	// Informed: a client of this name was sent a robots.txt that forbids the request before it, or
	// told by 304 that its copy stands.
	Informed bool  `json:"informed"`
	N        int64 `json:"n"` // how many violations
}

// RuleInfo counts the violations of one rule.
type RuleInfo struct {
	Origin     string   `json:"origin"`     // empty: any; only the host if the log does not tell more
	Version    Time     `json:"version"`    // when the version with the rule began; empty: before all time
	File       string   `json:"file"`       // that of the version
	Line       int      `json:"line"`       // the number of the rule's line
	Rule       string   `json:"rule"`       // the rule, as Disallow: /path, however the line spells it
	Violations int64    `json:"violations"` // how many there are
	Paths      PathList `json:"paths"`      // the targets of the violations, at most three
}

// Timeline counts requests over time, in units of the time zone of the report: its times here have the
// offset of that. A day in which the clocks are changed has 23 or 25 hours. Those without a time are in no unit, so the
// numbers of a verdict sum to the same as those of the crawler, but for robots_fetch, exempt,
// spoofed and, in indeterminate, the reason no_time.
type Timeline struct {
	// By is the unit: hour, day, week (from Monday), year (52 weeks) or decade (520 weeks). --by asks
	// for hours or days; without it, logs of up to seven days are counted by hour and others by day.
	// The hours of a crawler are kept while there are at most 1,024 with requests (64 of a crawler
	// that is not known); then its days are, in the same number, and so on.
	By   Unit   `json:"by"`
	From []Time `json:"from"` // when each unit with requests begins, in order
	// Verdicts has, by the name of each verdict that occurs, the number of requests in each unit.
	Verdicts map[Verdict][]int64 `json:"verdicts"`
}

// PathList has the most requested of some targets. It depends on neither the order of lines nor
// the number of workers or states.
type PathList struct {
	List []PathInfo `json:"list"` // at most ten, the most requested first, then by path
	// Exact: the requests for each target were counted, so that every PathInfo.TooHigh is 0. Those of
	// violations always are.
	Exact        bool  `json:"exact"`
	OthersAtMost int64 `json:"others_at_most"` // no target that is not listed has more requests
}

// PathInfo counts the requests for a target. A crawler may request any number of targets, and not
// all are counted one by one: of a known crawler at most 512 (all known crawlers together have room
// for 16,384, the largest ones equally much), of another 64. Of more, N is a sum over the target and
// a few others. It is never too low, and too high by at most TooHigh, but for less than one number in
// 4,000, by chance. A target is listed only if that is at most a tenth of the truth, so that one with
// less than about a hundredth of the requests is not; if none has more, the list is empty, or has
// /robots.txt alone, whose number is always exact.
type PathInfo struct {
	Path    string `json:"path"`     // at most the first 200 bytes of the target
	N       int64  `json:"n"`        // how many requests
	TooHigh int64  `json:"too_high"` // N may be too high, by at most this
}

// AddressCount counts different addresses.
type AddressCount struct {
	N int64 `json:"n"` // how many
	// Exact: they were counted. More than 2,048 are estimated, with a standard error of about 2 %.
	Exact bool `json:"exact"`
}

// OperatorInfo compares what the crawlers of an operator took with the visitors that it sent:
// crawl-to-refer is Crawled / Referred. It does not say that a visit came of a crawl. Clients may
// send any Referer, and many send none, assistants most of all, so the true ratio is more likely
// smaller than larger.
type OperatorInfo struct {
	Operator string `json:"operator"` // one whose search engines or assistants are known
	// Crawled are the requests of its crawlers, without impostors and without fetches of robots.txt;
	// those of other hosts, or of crawlers that only claim its name, are counted as in CrawlerInfo.
	Crawled int64 `json:"crawled"`
	// Referred are the requests of clients that are no crawlers whose Referer is a page of one of the
	// hosts Referrers, on any host of the log.
	Referred int64 `json:"referred"`
	// Referrers are these hosts, each also after www.; .* stands for the domain of any country.
	Referrers []string `json:"referrers"`
}

// ClaimInfo counts requests of whose clients a log says the same.
type ClaimInfo struct {
	Claim string `json:"claim"` // empty: the log has a field for it, and says nothing
	N     int64  `json:"n"`     // how many requests
}

// SampleInfo is one raw line of the log.
type SampleInfo struct {
	Time Time   `json:"time"` // that of the request
	Line string `json:"line"` // the line
}
