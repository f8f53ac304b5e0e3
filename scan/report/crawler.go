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
	// Obeys is whether the operator says it obeys robots.txt (yes, no, unknown), on page Source as of Date.
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
	// Claims are what a CDN's log says about the clients, such as Cloudflare's VerifiedBotCategory, the most
	// frequent first, at most 16. They play no part in Identity. ClaimsNotListed are requests with other
	// claims.
	Claims          []ClaimInfo `json:"claims"`
	ClaimsNotListed int64       `json:"claims_not_listed"`
	// Bytes are those of bodies sent to it, without impostors, as far as the log has sizes. ViolationBytes are
	// those of its violations.
	Bytes          int64         `json:"bytes"`
	ViolationBytes int64         `json:"violation_bytes"`
	Statuses       []StatusCount `json:"statuses"`  // its requests by status, without impostors
	Addresses      AddressCount  `json:"addresses"` // of its clients, without impostors
	Timeline       Timeline      `json:"timeline"`  // its requests over time
	// Paths are the targets it requested most, without impostors; ViolationPaths those of its violations.
	Paths          PathList `json:"paths"`
	ViolationPaths PathList `json:"violation_paths"`
	// Rules are those it violated: at most 8,192, or 256 of an unknown crawler. RulesNotListed counts
	// violations of all others.
	Rules          []RuleInfo `json:"rules"`
	RulesNotListed int64      `json:"rules_not_listed"`
	// Evasive counts allowed or contested requests whose normal form every copy forbids.
	Evasive       int64 `json:"evasive"`
	GraceInformed int64 `json:"grace_informed"` // requests in grace that are informed
	// InformedKnown: the log shows which robots.txt was sent under this name, by its size. If not, Informed and
	// GraceInformed mean nothing.
	InformedKnown bool        `json:"informed_known"`
	RobotsTxt     FetchInfo   `json:"robots_txt"`  // its fetches of robots.txt
	CrawlDelay    []DelayInfo `json:"crawl_delay"` // how it kept a Crawl-delay
	// CrawlDelaySupported is whether it heeds Crawl-delay: yes, no, or empty where not known.
	CrawlDelaySupported YesNo        `json:"crawl_delay_supported"`
	Samples             []SampleInfo `json:"samples"` // raw lines of violations (--samples)
}

// FetchInfo is how a crawler fetched robots.txt by GET. If no client fetched it, zero means nothing.
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
	// Cleared are answers that there is no robots.txt, while the files have one, by status.
	Cleared []StatusCount `json:"refused"`
	// Challenges are answers 202 with another body, as challenge pages have.
	Challenges int64 `json:"challenges"`
}

// StatusCount counts answers with a status.
type StatusCount struct {
	Status int   `json:"status" cbor:"1,keyasint"` // 0: the log has none
	N      int64 `json:"n" cbor:"2,keyasint"`      // how many answers
}

// DelayInfo is how a crawler kept a Crawl-delay, by the gaps between requests of one address. It is no verdict.
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
	// Informed: before the request a client of this name was sent a robots.txt that forbids it, or a 304.
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

// Timeline counts requests over time, in units of the report's time zone. Requests without a time are in no
// unit.
type Timeline struct {
	// By is the unit: hour, day, week (from Monday), year (52 weeks) or decade (520 weeks). It is hour for up
	// to seven days, else day (--by), and longer where there are more than 1,024 units (64 of an unknown
	// crawler).
	By   Unit   `json:"by"`
	From []Time `json:"from"` // when each unit with requests begins, in order
	// Verdicts has, by the name of each verdict that occurs, the number of requests in each unit.
	Verdicts map[Verdict][]int64 `json:"verdicts"`
}

// PathList has the most requested of some targets.
type PathList struct {
	List []PathInfo `json:"list"` // at most ten, the most requested first, then by path
	// Exact: each target was counted, so every PathInfo.TooHigh is 0, as always for violations.
	Exact        bool  `json:"exact"`
	OthersAtMost int64 `json:"others_at_most"` // no target that is not listed has more requests
}

// PathInfo counts the requests for a target. If there are more than 512 targets (64 of an unknown crawler), N
// may include a few others: it is never too low, and a target is listed only if it is too high by at most a
// tenth.
type PathInfo struct {
	Path    string `json:"path"`     // at most the first 200 bytes of the target
	N       int64  `json:"n"`        // how many requests
	TooHigh int64  `json:"too_high"` // N may be too high, by at most this
}

// AddressCount counts different addresses.
type AddressCount struct {
	N int64 `json:"n"` // how many
	// Exact: they were counted. More than 2,048 are estimated, to about 2 %.
	Exact bool `json:"exact"`
}

// OperatorInfo compares what an operator's crawlers took with the visitors it sent: crawl-to-refer is Crawled /
// Referred. Many clients send no Referer, so the true ratio is more likely smaller.
type OperatorInfo struct {
	Operator string `json:"operator"` // one whose search engines or assistants are known
	// Crawled are the requests of its crawlers, without impostors and fetches of robots.txt.
	Crawled int64 `json:"crawled"`
	// Referred are requests of other clients whose Referer is on one of the hosts Referrers.
	Referred int64 `json:"referred"`
	// Referrers are these hosts, also after www.; .* stands for any country's domain.
	Referrers []string `json:"referrers"`
}

// ClaimInfo counts requests with the same claim.
type ClaimInfo struct {
	Claim string `json:"claim"` // empty: the log has a field for it, and says nothing
	N     int64  `json:"n"`     // how many requests
}

// SampleInfo is one raw line of the log.
type SampleInfo struct {
	Time Time   `json:"time"` // that of the request
	Line string `json:"line"` // the line
}
