// Package report is the result of an audit as data, with all sentences about it. It knows nothing of
// logs, rules or counting, and imports none of the packages that do: package audit makes a Report, and
// the command writes it.
//
// A Report (report.go) has numbers by verdict (verdict.go) and by other enums (enums.go). Its sums are
// made and checked in sums.go; sentences.go writes its assumptions and warnings. Texts are escaped only
// when they are shown (printable.go).
package report

import (
	"bytes"
	"encoding/json"
	"time"
)

// Schema is the name of the form of a Report as JSON.
const Schema = "robotsieve.audit/3"

// AutoDialect is PolicyInfo.Dialect if each crawler is judged by its own.
const AutoDialect = "auto"

// OtherCrawlers is the name of the row of unknown crawlers beyond the most frequent, and Nameless
// that of crawlers without a name.
//
// OtherSites is that of the sites beyond those that are listed.
const (
	OtherSites    = "(other sites)"
	OtherCrawlers = "(other unknown crawlers)"
	Nameless      = "(without a name)"
)

// Unknown stands for properties of a crawler that are not known.
const Unknown = "unknown"

// Roles of crawlers in a report.
const (
	RoleCrawler = "crawler"
	RoleFetcher = "fetcher"
)

// Report is the result of an audit, on whose form other programs rely.
//
// docs/json.md is made of these comments. The texts have the bytes of the logs and files that they
// are from: see Texts, with Printable before they are shown, and with ToUTF8 before json.Marshal.
type Report struct {
	Schema  string `json:"schema"`  // robotsieve.audit/3
	Program string `json:"program"` // the version of the program
	Command string `json:"command"` // its command line
	// Partial: not all of the input was read, or more than MaxUnparsedPercent (--max-unparsed) of
	// the lines of an input could not be parsed.
	Partial            bool    `json:"partial"`
	MaxUnparsedPercent float64 `json:"max_unparsed_percent"`
	LineCounts
	// Choice is which crawlers the report is of: not of all with --crawler or --category. What is said of
	// lines, of robots.txt, and of from when to when requests came, is of the whole log all the same.
	Choice ChoiceInfo `json:"choice"`
	// From and To are the times of the first and the last request of a crawler.
	From string `json:"from"`
	To   string `json:"to"`
	// TimeZone is the zone of the hours and days of timelines, and of times in text, Markdown, CSV and
	// the page (--time-zone); empty: UTC.
	TimeZone string `json:"time_zone"`
	// Since and Until are the period that is judged, without its end (--since, --until); empty:
	// it has no bound.
	Since string `json:"since"`
	Until string `json:"until"`
	// OutsideFrom and OutsideTo are the times of the first and the last line outside of it.
	OutsideFrom string `json:"outside_from"`
	OutsideTo   string `json:"outside_to"`
	// Sampling is how the logs were sampled, as the user says (--sampled).
	Sampling    string   `json:"sampling"`
	Assumptions []string `json:"assumptions"` // what the verdicts rest on, in sentences
	Warnings    []string `json:"warnings"`    // what to know before believing a figure
	// Policy is by what was judged; as JSON it is "none" in place of an object if no robots.txt was given.
	Policy PolicyInfo  `json:"policy"`
	Ranges []RangeInfo `json:"ranges"` // the address lists
	// CanVerify: there was something to verify clients by: address lists, resolved names or look-ups.
	CanVerify bool        `json:"can_verify"`
	Inputs    []InputInfo `json:"inputs"` // the files that were read
	Totals    Totals      `json:"totals"` // the sums over Crawlers
	// AllBytes is how many bytes of bodies were sent to all clients, as far as the log has sizes.
	AllBytes      int64 `json:"all_bytes"`
	HTTPLibraries int64 `json:"http_libraries"` // NotCrawlers that name an HTTP library, such as curl
	// CDNAgents are NotCrawlers with the User-Agent of a CDN, such as Amazon CloudFront, which has
	// replaced the client's.
	CDNAgents int64 `json:"cdn_agents"`
	// Proxied: nearly all requests came from a few addresses: these are a proxy's, and nobody is
	// verified or spoofed by them.
	Proxied bool `json:"proxied"`
	// IdentityNoList are the requests of crawlers with lists of addresses for which no list was
	// near enough in time to prove anything.
	IdentityNoList int64 `json:"identity_no_list"`
	// Operators are those with known search engines or assistants whose crawlers made requests, or
	// whose pages sent visitors, the most requests first; none if no client that is no crawler sent
	// a Referer, as in logs without that field.
	Operators []OperatorInfo `json:"operators"`
	// EndInZero are the requests of crawlers from addresses that end in .0, as all do where the
	// log cuts them: they prove nothing.
	EndInZero int64         `json:"addresses_end_in_zero"`
	RobotsTxt RobotsInfo    `json:"robots_txt"` // what the log says about robots.txt
	Crawlers  []CrawlerInfo `json:"crawlers"`   // one for each crawler, by violations, then by name
	// Changes compare the requests before and after each change of robots.txt that is within the logs, and
	// each --change: the 20 with the most requests, then by origin and time. ChangesNotListed counts the
	// others that have requests.
	Changes          []RobotsChange `json:"changes"`
	ChangesNotListed int64          `json:"changes_not_listed"`
	// Sites are the sites that crawlers requested, the most requested first; their numbers add up to
	// Totals. At most 1,000 are listed, and the last is then (other sites). All are counted while
	// the verdicts of known crawlers, of each site, are at most 32,768 in all: beyond that the sites
	// listed are of as many that were chosen at random, as a warning then says. Of crawlers that are not
	// known and were chosen by name the sites are not: they are in (other sites).
	Sites []SiteInfo `json:"sites"`
	// OtherHosts are the hosts without a policy that were requested most. If crawlers requested more
	// than 1,000 they are of as many that were chosen at random, as a warning then says.
	// OtherHostsNotListed counts the requests for all others.
	OtherHosts          []HostInfo `json:"other_hosts"`
	OtherHostsNotListed int64      `json:"other_hosts_not_listed"`
	// Overlooked are the ten most frequent User-Agents, among those of NotCrawlers, with a word such as the
	// names of crawlers have (bot, crawl, spider, scrap, fetch, nutch), be it in a URL, but not of
	// browsers on phones called so. If there are more than 1,000 they are of as many that were chosen at
	// random, as a warning then says. OverlookedNotListed counts the requests with all others; with
	// --anonymize with all.
	Overlooked          []HeaderInfo `json:"overlooked"`
	OverlookedNotListed int64        `json:"overlooked_not_listed"`
	// Undeclared are clients that name no crawler, and that requested what robots.txt forbids to *; null
	// unless they are asked for (--undeclared).
	Undeclared *UndeclaredInfo `json:"undeclared"`
	// UnparsedSamples are the first lines, in byte order, that could not be parsed.
	UnparsedSamples []string `json:"unparsed_samples"`
	// NotAuditable are control tokens that robots.txt names: no log shows whether they are obeyed.
	NotAuditable []string `json:"not_auditable"`
	// Studies are nil unless they are asked for (--studies), and in a file of their own.
	Studies []StudyRow `json:"-"`
	// WhatIf is null without --what-if. With it all requests of crawlers are among NotJudged, and
	// Crawlers is empty.
	WhatIf *WhatIfInfo `json:"what_if"`
}

// LineCounts counts lines.
type LineCounts struct {
	// Lines is Unparsed + NotCrawlers + OtherHost + NotJudged + Totals.Requests + ChoiceInfo.Requests.
	Lines       int64 `json:"lines"`
	Unparsed    int64 `json:"unparsed"`     // lines that are no record of the format
	NotCrawlers int64 `json:"not_crawlers"` // lines that name no crawler
	OtherHost   int64 `json:"other_host"`   // crawlers' requests for origins without a policy
	NotJudged   int64 `json:"not_judged"`   // crawlers' requests with the target * or the method CONNECT
	Blank       int64 `json:"blank"`        // empty lines; not among Lines
	// Other are lines that are no requests by design, such as directives and messages of the
	// server; not among Lines.
	Other       int64 `json:"other_lines"`
	OutOfPeriod int64 `json:"out_of_period"` // requests outside of Since and Until; not among Lines
}

// Read counts the lines that were read as requests or could not be.
func (c *LineCounts) Read() int64 { return c.Lines + c.OutOfPeriod }

// All counts the lines of all kinds.
func (c *LineCounts) All() int64 { return c.Read() + c.Blank + c.Other }

// PolicyInfo describes the robots.txt files.
type PolicyInfo struct {
	File    string   `json:"file"`    // robots.txt, or the manifest or folder of its versions
	Bytes   int      `json:"bytes"`   // the size of a single robots.txt; -1: not known
	Origins []string `json:"origins"` // the origins judged; none: any
	Dialect string   `json:"dialect"` // auto, or the one dialect for all crawlers
	Notes   int      `json:"notes"`   // odd things about the lines of a single robots.txt
	// NoRule is what the first robots.txt looks like, such as "it is empty" or "it looks like a log
	// (combined)", if none that was given has a rule; else empty.
	NoRule string `json:"no_rule"`
	// History is constant for one robots.txt in force throughout. Otherwise it is what the times of
	// the versions mean: deployed or observed. It is none if no robots.txt was given.
	History       string `json:"history"`
	WindowSeconds int64  `json:"window_seconds"` // how long a crawler may use a copy that was replaced
	DelaySeconds  int64  `json:"delay_seconds"`  // how much later a request may be served or logged
	SkewSeconds   int64  `json:"skew_seconds"`   // by how much clocks may differ
	// AssumeConstant: the first version of each origin is taken as in force before all time.
	AssumeConstant bool          `json:"assume_constant"`
	Versions       []VersionInfo `json:"versions"` // all versions, by origin and time
}

// None reports whether no robots.txt was given, so that nothing is judged.
func (p *PolicyInfo) None() bool { return p.History == "none" }

// MarshalJSON implements json.Marshaler. It leaves <, > and & to the encoder that calls it.
func (p PolicyInfo) MarshalJSON() ([]byte, error) {
	if p.None() {
		return json.Marshal(p.History)
	}
	type object PolicyInfo
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(object(p))
	return b.Bytes(), err
}

// VersionInfo is one version of an origin's robots.txt.
type VersionInfo struct {
	Origin        string `json:"origin"`          // empty: any
	From          string `json:"from"`            // empty: before all time
	Status        int    `json:"status"`          // 0: unreachable
	File          string `json:"file"`            // where its body is
	Bytes         int64  `json:"bytes"`           // -1: not known
	MaxAgeSeconds int64  `json:"max_age_seconds"` // how long it may be kept, if that was said
	Location      string `json:"location"`        // where it redirects to
	// SHA256 is that of the whole file, decompressed, in hexadecimal; empty if there is none, or it
	// was not read to its end.
	SHA256 string `json:"sha256"`
	// Body is the file itself, or the beginning of one that is longer than the limit of bytes
	// (compile.Options.MaxBytes) and one byte; nil if there is none. It must not be changed.
	Body []byte `json:"-"`
	// Cited counts violations of its rules. Where a log does not tell http from https,
	// they are counted for both, if both have the version.
	Cited int64 `json:"violations"`
}

// RangeInfo is a list of addresses by which a crawler's clients were verified.
type RangeInfo struct {
	Crawler string `json:"crawler"`  // whose
	File    string `json:"file"`     // where it is from
	Created string `json:"created"`  // empty: undated
	DatedBy string `json:"dated_by"` // what says so: creationTime, name or option
}

// RobotsInfo is about the log's own answers to robots.txt.
type RobotsInfo struct {
	Requests int64 `json:"requests"` // GETs of /robots.txt by any client
	// Logged: there is at least one, of any host; if not, nothing can be said about who fetched it.
	Logged bool  `json:"logged"`
	Served int64 `json:"served"` // those answered with a body, or with 304
	None   int64 `json:"none"`   // those answered that there is no robots.txt
	Failed int64 `json:"failed"` // those without a usable answer
	// ClearedBy are the answers to crawlers, by status, that there is no robots.txt, or an empty one,
	// while the files have one.
	ClearedBy []StatusCount `json:"cleared_by"`
	Sizes     int64         `json:"sizes"`           // answers with status 200 and a size
	Differing int64         `json:"sizes_differing"` // those whose size is of no version in force
	// SizesChange: the sizes of one site's answers differ among each other.
	SizesChange bool `json:"sizes_change"`
	// SizesMixed: answers of different sizes came in turn while the same versions were in force:
	// the file may depend on who asks.
	SizesMixed bool `json:"sizes_mixed"`
	// Contradicted: the answers contradict the files, so the headline is conditional. Most have
	// another size, or say that there is no robots.txt; or a crawler was sent a size that no version
	// has, and so were most clients of other operators from that origin.
	Contradicted bool       `json:"contradicted"`
	Listed       []SizeInfo `json:"differences"` // the answers of other sizes than the files
}

// SizeInfo counts answers to robots.txt of one size that no version in force had.
type SizeInfo struct {
	Origin   string  `json:"origin"`   // empty: any
	Bytes    int64   `json:"bytes"`    // the size
	Expected []int64 `json:"expected"` // the sizes of the versions in force; none if there was none
	N        int64   `json:"n"`        // how many answers
	First    string  `json:"first"`    // when the first was sent
	Last     string  `json:"last"`     // and the last
}

// InputInfo is one file that was read.
type InputInfo struct {
	Name string `json:"name"` // the file
	// From and To are the bytes that were read, of Of, if the rest of the file is in none of the
	// states that were merged, so that the report is partial; else there are none of these fields.
	From int64  `json:"from,omitempty"`
	To   int64  `json:"to,omitempty"`
	Of   int64  `json:"of,omitempty"`
	Host string `json:"host"` // the site whose log it is, by --host SITE=LOG; empty: not named there
	// Format is that of the log, with the envelope before it (syslog:combined), or a mix
	// (combined+vhost_combined): see [formats.md](formats.md).
	Format string `json:"format"`
	Codec  string `json:"codec"`              // plain, or the compression
	Disk   int64  `json:"bytes"`              // the size on disk
	Bytes  int64  `json:"bytes_uncompressed"` // the bytes that were read
	// SHA256 is that of the bytes on disk, in hexadecimal; empty if not all were read, and for
	// uncompressed logs of more than 128 MiB in all unless --sha256 or --state is given.
	SHA256 string `json:"sha256"`
	// DuplicateOf is the name of an earlier input with the same content, decompressed; if Lines is 0,
	// this one was not counted.
	DuplicateOf string `json:"duplicate_of"`
	Lines       int64  `json:"lines"`    // its lines
	Unparsed    int64  `json:"unparsed"` // those that are no record of the format
	// OutOfPeriod are its requests outside of the period, which are not among Lines, if there are any.
	OutOfPeriod int64  `json:"out_of_period,omitempty"`
	Complete    bool   `json:"complete"` // it was read to its end
	Error       string `json:"error"`    // why it was not
}

// Totals are the sums over all crawlers.
type Totals struct {
	// Requests, Verdicts, Outcomes and Identity are as in CrawlerInfo.
	Requests      int64          `json:"requests"`
	Verdicts      VerdictCounts  `json:"verdicts"`
	Outcomes      OutcomeCounts  `json:"outcomes"`
	Identity      IdentityCounts `json:"identity"`
	VerifiedShare float64        `json:"verified_share"` // the share of requests by verified clients, 0 to 1
	// Bytes, ViolationBytes and Evasive are as in CrawlerInfo.
	Bytes          int64 `json:"bytes"`
	ViolationBytes int64 `json:"violation_bytes"`
	Evasive        int64 `json:"evasive"`
	// VerifiedContent counts the violations by verified clients that were answered with content,
	// without those of fetchers: the headline.
	VerifiedContent int64 `json:"verified_content"`
	// Fetchers is what the fetchers add: all other sums include it, except VerifiedContent.
	Fetchers FetcherTotals `json:"fetchers"`
	AI       AITotals      `json:"ai"` // the sums over AI crawlers
}

// AITotals are the sums over the crawlers whose category begins with "ai-", without impostors.
type AITotals struct {
	// Violations, Bytes and ViolationBytes are as in Totals.
	Requests       int64 `json:"requests"`
	Violations     int64 `json:"violation"`
	Bytes          int64 `json:"bytes"`
	ViolationBytes int64 `json:"violation_bytes"`
}

// FetcherTotals are the sums over the crawlers whose role is fetcher, and which are not exempt.
type FetcherTotals struct {
	// Requests, Violations and VerifiedContent are as in Totals.
	Requests        int64 `json:"requests"`
	Violations      int64 `json:"violation"`
	VerifiedContent int64 `json:"verified_content"`
}

// CrawlerInfo is the result for one crawler.
type CrawlerInfo struct {
	// Crawler is its name; in that of an unknown crawler, letters outside ASCII are \u{HHHH}.
	Crawler  string `json:"crawler"`
	Operator string `json:"operator"` // unknown where not known
	// Role is crawler, or fetcher: sent by a person, a subscription or the site's own operator.
	Role     string `json:"role"`
	Category string `json:"category"` // unknown where not known
	Names    int64  `json:"names"`    // how many crawlers it is of: 1 but for "(other unknown crawlers)"
	// Violators is how many of these broke a rule.
	Violators int64  `json:"violators"`
	Exempt    string `json:"exempt"` // why robots.txt does not apply to it, if it does not
	// Obeys is whether the operator says that it obeys robots.txt (yes, no, unknown), by the page
	// Source as of Date.
	Obeys    string        `json:"obeys"`
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
	// as Cloudflare's VerifiedBotCategory, at most 16, chosen at random, the most frequent first. It
	// is the word of the CDN, and plays no part in Identity. ClaimsNotListed are the requests with
	// all other claims.
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
	CrawlDelaySupported string       `json:"crawl_delay_supported"`
	Samples             []SampleInfo `json:"samples"` // raw lines of violations (--samples)
}

// FetchInfo is how a crawler fetched robots.txt by GET. If the log has no fetches of
// any client, zero fetches mean nothing.
type FetchInfo struct {
	Fetches int64  `json:"fetches"` // how many
	First   string `json:"first"`   // when the first was made
	Last    string `json:"last"`    // and the last
	Gaps    int64  `json:"gaps"`    // how many there are between successive fetches from one site
	// MedianGap and LongestGap are of these.
	MedianGap  float64      `json:"median_gap_seconds"`
	LongestGap float64      `json:"longest_gap_seconds"`
	Within24h  float64      `json:"within_24h"` // the share of gaps of at most a day
	Answers    AnswerCounts `json:"answers"`    // the answers by status
	// Cleared are the answers, by status, that there is no robots.txt, or an empty one, while the
	// files have one: they told the crawler that nothing is forbidden.
	Cleared []StatusCount `json:"refused"`
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
	Identity string `json:"identity"` // how far the client is proven
	Outcome  string `json:"outcome"`  // how the server answered
	Method   string `json:"method"`   // GET, HEAD or other
	// Informed: a client of this name was sent a robots.txt that forbids the request before it, or
	// told by 304 that its copy stands.
	Informed bool  `json:"informed"`
	N        int64 `json:"n"` // how many violations
}

// RuleInfo counts the violations of one rule.
type RuleInfo struct {
	Origin     string   `json:"origin"`     // empty: any; only the host if the log does not tell more
	Version    string   `json:"version"`    // when the version with the rule began; empty: before all time
	File       string   `json:"file"`       // that of the version
	Line       int      `json:"line"`       // the number of the rule's line
	Rule       string   `json:"rule"`       // its text
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
	By   string   `json:"by"`
	From []string `json:"from"` // when each unit with requests begins, in order
	// Verdicts has, by the name of each verdict that occurs, the number of requests in each unit.
	Verdicts map[string][]int64 `json:"verdicts"`
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
	Time string `json:"time"` // that of the request
	Line string `json:"line"` // the line
}

// SiteInfo counts the requests of crawlers for a site.
type SiteInfo struct {
	// Origin is such as https://example.com: without the scheme if the log tells only the host; empty
	// if it does not tell which site, or if one robots.txt was given for all.
	Origin string `json:"origin"`
	// Requests, Verdicts, Bytes and ViolationBytes are as in CrawlerInfo, of all crawlers.
	Requests       int64         `json:"requests"`
	Verdicts       VerdictCounts `json:"verdicts"`
	Bytes          int64         `json:"bytes"`
	ViolationBytes int64         `json:"violation_bytes"`
	// Crawlers is how many known crawlers requested it, without impostors; 0 for (other sites), as
	// these may be the same.
	Crawlers int64 `json:"known_crawlers"`
}

// Add counts n requests with a verdict that were answered with so many bytes in all.
func (s *SiteInfo) Add(v Verdict, n, bytes int64) {
	s.Requests, s.Bytes = s.Requests+n, Plus(s.Bytes, bytes)
	if s.Verdicts[v] += n; v == Violation {
		s.ViolationBytes = Plus(s.ViolationBytes, bytes)
	}
}

// Plus adds the counts of another site, but not its crawlers, as these may be the same.
func (s *SiteInfo) Plus(other *SiteInfo) {
	s.Requests += other.Requests
	AddCounts(s.Verdicts[:], other.Verdicts[:], 1)
	s.Bytes, s.ViolationBytes = Plus(s.Bytes, other.Bytes), Plus(s.ViolationBytes, other.ViolationBytes)
}

// HeaderInfo counts requests with a User-Agent.
type HeaderInfo struct {
	Header   string `json:"header"`   // at most its first 255 bytes
	Requests int64  `json:"requests"` // how many
}

// UndeclaredInfo is about clients that name no crawler, among them browsers and HTTP libraries. They
// are attributed to nobody, and robots.txt is no rule for people.
type UndeclaredInfo struct {
	// Requests counts their requests that every copy forbids to * which was in force when they were made, or so
	// long before that a crawler may still have used it (--window, --delay), whatever the log's own
	// answers to robots.txt say.
	Requests int64        `json:"requests"`
	Clients  int64        `json:"clients"` // how many addresses made them
	List     []ClientInfo `json:"list"`    // the 20 with most of them; none if the log has a proxy's addresses
}

// ClientInfo is about the clients of one address that name no crawler.
type ClientInfo struct {
	// Address is as the log has it, of IPv6 the /64; - stands for all requests without an address. With
	// --anonymize it is a pseudonym, and Header is empty.
	Address   string `json:"address"`
	Requests  int64  `json:"requests"`  // all from there that name no crawler
	Forbidden int64  `json:"forbidden"` // those that robots.txt forbids to *: what follows is of these
	First     string `json:"first"`     // when the first was made
	Last      string `json:"last"`      // and the last
	Headers   int64  `json:"headers"`   // how many different User-Agents they had, at most 16
	// HeadersExact: if not, there were more, and Header is of 16 that were chosen at random.
	HeadersExact   bool   `json:"headers_exact"`
	Header         string `json:"header"`          // the most frequent, at most its first 255 bytes
	HeaderRequests int64  `json:"header_requests"` // how many had it
	// Rule is the text of the rule that forbids most of them, in line Line of the file of Origin, and
	// RuleRequests how many.
	Origin       string `json:"origin"`
	Line         int    `json:"rule_line"`
	Rule         string `json:"rule"`
	RuleRequests int64  `json:"rule_requests"`
}

// AllOverlooked counts the requests with headers that were overlooked.
func (r *Report) AllOverlooked() int64 {
	n := r.OverlookedNotListed
	for _, h := range r.Overlooked {
		n += h.Requests
	}
	return n
}

// KeepBack takes what is quoted of lines out of the report, and replaces addresses by their pseudonyms.
func (r *Report) KeepBack(pseudonym func(address string) string) {
	if r.Undeclared != nil {
		for i := range r.Undeclared.List {
			c := &r.Undeclared.List[i]
			c.Header = ""
			if c.Address != "-" {
				c.Address = pseudonym(c.Address)
			}
		}
	}
	r.OverlookedNotListed = r.AllOverlooked()
	r.UnparsedSamples, r.Overlooked = []string{}, []HeaderInfo{}
}

// HostInfo counts requests of crawlers for a host without a policy.
type HostInfo struct {
	Host     string `json:"host"`     // the host
	Requests int64  `json:"requests"` // how many
}

// BasisInfo describes the files and choices that an audit rests on, for the sentences of
// its report. The audit itself does not use it.
type BasisInfo struct {
	// File names the robots.txt, or the list of its versions.
	File string
	// Constant: policy.Constant made the policy. Observed: versions have the times at
	// which they were seen. Otherwise they have the times at which they were deployed.
	Constant, Observed bool
	// None: no robots.txt was given, and nothing is judged.
	None bool `json:",omitempty"`
	// AssumeConstant: the first version of each origin is taken as in force before all
	// time.
	AssumeConstant bool
	// Restored: File is an archive, which has rules and no texts.
	Restored bool `json:",omitempty"`
	// LastSeen has, for each origin of an observed source, the time of its last row.
	LastSeen map[string]int64 `json:"-"`
	// Hosts are the only origins that are judged; none: all of the policy.
	Hosts []string
	// Ranges are the lists of addresses of Config.Identities, and RangesMaxAge is how long
	// before or after a request a list may have been made to verify a client.
	Ranges       []RangeInfo
	RangesMaxAge time.Duration
	// Names is the file of resolved names, empty if there is none.
	Names string
	// ClientIP and TrustedProxies are the text of Config.ClientIP; empty is "addr".
	ClientIP       string
	TrustedProxies []string
	// Sampled is how the logs were sampled, in the user's words.
	Sampled string
	// Oddities are warnings about the robots.txt files themselves. NoRule is as in PolicyInfo.
	Oddities []string `json:"-"`
	NoRule   string   `json:"-"`
}
