package report

// CrawlerInfo is the result for one crawler.
type CrawlerInfo struct {
	// Crawler is its name. If the crawler is unknown, letters outside ASCII are written as \u{HHHH}.
	Crawler  string `json:"crawler"`
	Operator string `json:"operator"` // unknown if not known
	// Role is crawler, or fetcher: sent by a person, a subscription or the site's own operator.
	Role     Role   `json:"role"`
	Category string `json:"category"` // unknown if not known
	Names    int64  `json:"names"`    // how many crawlers the row covers: 1 except for "(other unknown crawlers)"
	// Violators is how many of these crawlers broke a rule.
	Violators int64  `json:"violators"`
	Exempt    string `json:"exempt"` // why robots.txt does not apply to it; empty if it does
	// Obeys is whether the operator says it obeys robots.txt (yes, no, unknown), according to the page
	// Source as of Date.
	Obeys    YesNo         `json:"obeys"`
	Source   string        `json:"source"`
	Date     string        `json:"date"`
	Requests int64         `json:"requests"` // all requests with a verdict
	Verdicts VerdictCounts `json:"verdicts"` // requests by verdict; they add up to Requests
	Reasons  ReasonCounts  `json:"reasons"`  // indeterminate requests by reason
	Outcomes OutcomeCounts `json:"outcomes"` // violations by outcome
	// Violations are the kinds of violations that occur.
	Violations []ViolationInfo `json:"violations"`
	Identity   IdentityCounts  `json:"identity"` // requests by identity
	// Claims are what the log says about the clients: the header Signature-Agent, or a CDN's label
	// such as Cloudflare's VerifiedBotCategory; the most frequent first, at most 16. They don't affect
	// Identity. ClaimsNotListed are requests with other claims.
	Claims          []ClaimInfo `json:"claims"`
	ClaimsNotListed int64       `json:"claims_not_listed"`
	// Bytes are the body bytes sent to it, without impostors, as far as the log has sizes.
	// ViolationBytes are the part sent in answer to its violations.
	Bytes          int64 `json:"bytes"`
	ViolationBytes int64 `json:"violation_bytes"`
	// ChallengedFetches are its GETs of robots.txt, and ChallengedViolations its violations, that got
	// an answer typical of firewalls: 402, 403, 405 or 202 (for robots.txt, a 202 counts only if its
	// body is no version in force).
	ChallengedFetches    int64         `json:"challenged_fetches"`
	ChallengedViolations int64         `json:"challenged_violations"`
	Statuses             []StatusCount `json:"statuses"`  // its requests by status, without impostors
	Addresses            AddressCount  `json:"addresses"` // the addresses of its clients, without impostors
	Timeline             Timeline      `json:"timeline"`  // its requests over time
	// Paths are the targets it requested most, without impostors; ViolationPaths are the targets of its violations.
	Paths          PathList `json:"paths"`
	ViolationPaths PathList `json:"violation_paths"`
	// Rules are the rules it violated: at most 8,192, or 256 for an unknown crawler. RulesNotListed
	// counts violations of all others.
	Rules          []RuleInfo `json:"rules"`
	RulesNotListed int64      `json:"rules_not_listed"`
	// Evasive counts allowed or contested requests whose normal form is forbidden by every copy.
	Evasive       int64 `json:"evasive"`
	GraceInformed int64 `json:"grace_informed"` // how many requests in grace are informed
	// InformedKnown: the log shows by its size which robots.txt was sent under this name. If not,
	// Informed and GraceInformed mean nothing.
	InformedKnown bool        `json:"informed_known"`
	RobotsTxt     FetchInfo   `json:"robots_txt"`  // its fetches of robots.txt
	CrawlDelay    []DelayInfo `json:"crawl_delay"` // how well it kept a Crawl-delay
	// CrawlDelaySupported is whether it heeds Crawl-delay: yes, no, or empty if unknown.
	CrawlDelaySupported YesNo        `json:"crawl_delay_supported"`
	Samples             []SampleInfo `json:"samples"` // raw lines of violations (--samples)
}

// FetchInfo is how a crawler fetched robots.txt by GET. Zeros mean nothing if the log has no fetch by any client.
type FetchInfo struct {
	Fetches int64 `json:"fetches"` // how many fetches there were
	First   Time  `json:"first"`   // the time of the first
	Last    Time  `json:"last"`    // the time of the last
	Gaps    int64 `json:"gaps"`    // how many gaps there are between successive fetches from one site
	// MedianGap and LongestGap are the median and the longest of these gaps.
	MedianGap  float64      `json:"median_gap_seconds"`
	LongestGap float64      `json:"longest_gap_seconds"`
	Within24h  float64      `json:"within_24h"` // the share of gaps no longer than a day
	Answers    AnswerCounts `json:"answers"`    // answers by status
	// Cleared are answers, by status, that meant there was no robots.txt although the files have one.
	Cleared []StatusCount `json:"refused"`
	// Challenges are answers with status 202 and a body that is no version in force, typical of challenge pages.
	Challenges int64 `json:"challenges"`
}

// Challenge reports whether firewalls use a status: pay per crawl uses 402, blocks 403, AWS WAF's
// CAPTCHA 405 and challenge pages 202.
func Challenge(status int) bool {
	return status == 202 || status == 402 || status == 403 || status == 405
}

// StatusCount counts answers with a status.
type StatusCount struct {
	Status int   `json:"status" cbor:"1,keyasint"` // 0 if the log has no status
	N      int64 `json:"n" cbor:"2,keyasint"`      // how many answers
}

// DelayInfo is how well a crawler kept a Crawl-delay, judged by the gaps between requests from one
// address. It isn't a verdict.
type DelayInfo struct {
	Origin  string  `json:"origin"`         // the site; empty for any
	Delay   float64 `json:"delay_seconds"`  // the delay that robots.txt asks for
	Gaps    int64   `json:"gaps"`           // how many gaps there are
	Shorter int64   `json:"shorter"`        // how many gaps are shorter than the delay
	Median  float64 `json:"median_seconds"` // the median gap
	P10     float64 `json:"p10_seconds"`    // the tenth percentile of the gaps
}

// ViolationInfo counts violations of one kind.
type ViolationInfo struct {
	Identity Identity `json:"identity"` // whether the client is verified
	Outcome  Outcome  `json:"outcome"`  // how the server answered
	Method   Method   `json:"method"`   // GET, HEAD or other
	// Informed: before the request, a client of this name was sent a robots.txt that forbids it, or a
	// 304.
	Informed bool  `json:"informed"`
	N        int64 `json:"n"` // how many violations
}

// RuleInfo counts the violations of one rule.
type RuleInfo struct {
	Origin     string   `json:"origin"`     // the site; empty for any; only the host if the log shows no more
	Version    Time     `json:"version"`    // when the version with the rule began; empty for before all time
	File       string   `json:"file"`       // the file of the version
	Line       int      `json:"line"`       // the line number of the rule
	Rule       string   `json:"rule"`       // the rule as Disallow: /path, however the file spells it
	Violations int64    `json:"violations"` // how many violations there are
	Paths      PathList `json:"paths"`      // the targets of the violations, at most three
}

// Timeline counts requests over time, in units of the report's time zone. It leaves out requests without a time.
type Timeline struct {
	// By is the unit: hour, day, week (from Monday), year (52 weeks) or decade (520 weeks). It is hour for up to seven
	// days, otherwise day (--by), and longer if there would be more than 1,024 units (64 for an unknown crawler).
	By   Unit   `json:"by"`
	From []Time `json:"from"` // when each unit with requests begins, in order
	// Verdicts has the number of requests in each unit, by the name of each verdict that occurs.
	Verdicts map[Verdict][]int64 `json:"verdicts"`
}

// PathList lists the most requested targets.
type PathList struct {
	List []PathInfo `json:"list"` // at most ten, the most requested first, then by path
	// Exact: each target was counted, so every PathInfo.TooHigh is 0. This is always so for violations.
	Exact        bool  `json:"exact"`
	OthersAtMost int64 `json:"others_at_most"` // no unlisted target has more requests than this
}

// PathInfo counts the requests for a target. If there are more than 512 targets (64 for an unknown
// crawler), N may include a few requests for others. It is never too low, and a target is listed
// only if N is too high by at most a tenth.
type PathInfo struct {
	Path    string `json:"path"`     // at most the first 200 bytes of the target
	N       int64  `json:"n"`        // how many requests
	TooHigh int64  `json:"too_high"` // the most by which N may be too high
}

// AddressCount counts distinct addresses.
type AddressCount struct {
	N int64 `json:"n"` // how many addresses
	// Exact: they were counted one by one. More than 2,048 are estimated, to about 2 %.
	Exact bool `json:"exact"`
}

// OperatorInfo compares the requests of an operator's crawlers with the visitors it sent. The crawl-to-refer ratio
// is Crawled / Referred. Many clients send no Referer, so the true ratio is probably lower.
type OperatorInfo struct {
	Operator string `json:"operator"` // an operator with known search engines or assistants
	// Crawled are the requests of its crawlers, without impostors and fetches of robots.txt.
	Crawled int64 `json:"crawled"`
	// Referred are requests of other clients whose Referer is on one of the hosts Referrers.
	Referred int64 `json:"referred"`
	// Referrers are these hosts, with or without www.; .* stands for any country's domain.
	Referrers []string `json:"referrers"`
}

// ClaimInfo counts requests with the same claim.
type ClaimInfo struct {
	Claim string `json:"claim"` // empty if the log's field for it is empty
	N     int64  `json:"n"`     // how many requests
}

// SampleInfo is one raw line of the log.
type SampleInfo struct {
	Time Time   `json:"time"` // the time of the request
	Line string `json:"line"` // the line
}
