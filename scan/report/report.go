// Package report is the result of an audit as data, with all sentences about it. It knows nothing of logs, rules or
// counting, and imports none of the packages that do: package audit makes a Report, and the command writes it.
//
// A Report (report.go) has the numbers of each crawler (crawler.go), by verdict (verdict.go) and by other enums
// (enums.go), and describes their basis (inputs.go). sums.go makes and checks its sums; sentences.go writes its
// assumptions and warnings. Texts are escaped only when they are shown (printable.go).
package report

// Schema names the form of a Report in JSON.
const Schema = "robotsieve.audit/3"

// AutoDialect is PolicyInfo.Dialect if each crawler is judged by its own.
const AutoDialect = "auto"

// OtherCrawlers names the row of the unknown crawlers beyond the most frequent, and Nameless the
// row of crawlers without a name.
//
// OtherSites names the row of the sites that are not listed.
const (
	OtherSites    = "(other sites)"
	OtherCrawlers = "(other unknown crawlers)"
	Nameless      = "(without a name)"
)

// Unknown stands for unknown properties of a crawler.
const Unknown = "unknown"

// Report is the result of an audit.
//
// docs/reference/json.md is generated from these comments. Texts have the bytes of the logs and files that they
// come from. Pass them (see Texts) through Printable before showing them, and through ToUTF8 before json.Marshal.
type Report struct {
	Schema  string `json:"schema"`  // robotsieve.audit/3
	Program string `json:"program"` // the version of the program
	Command string `json:"command"` // its command line
	// Partial: some input was not read, or more than MaxUnparsedPercent (--max-unparsed) of its lines could not
	// be parsed.
	Partial            bool    `json:"partial"`
	MaxUnparsedPercent float64 `json:"max_unparsed_percent"`
	LineCounts
	// Choice is which crawlers the report covers. Counts of lines, answers to robots.txt and the
	// period always cover the whole log.
	Choice ChoiceInfo `json:"choice"`
	// From and To are the times of the crawlers' first and last requests.
	From Time `json:"from"`
	To   Time `json:"to"`
	// TimeZone is the zone of timelines and of days in CSV (--time-zone); empty for UTC.
	TimeZone string `json:"time_zone"`
	// Since and Until are the judged period, excluding its end; empty for no bound.
	Since Time `json:"since"`
	Until Time `json:"until"`
	// OutsideFrom and OutsideTo are the times of the first and last line outside it.
	OutsideFrom Time `json:"outside_from"`
	OutsideTo   Time `json:"outside_to"`
	// Sampling is how the logs were sampled, in the user's words (--sampled).
	Sampling    string   `json:"sampling"`
	Assumptions []string `json:"assumptions"` // what the verdicts rest on, in sentences
	Warnings    []string `json:"warnings"`    // what to know before trusting a figure
	// Policy is the basis of the verdicts; "none" instead of an object if no robots.txt was given.
	Policy PolicyInfo  `json:"policy"`
	Ranges []RangeInfo `json:"ranges"` // the address lists
	// CanVerify: there were address lists, resolved names or lookups.
	CanVerify bool        `json:"can_verify"`
	Inputs    []InputInfo `json:"inputs"` // the files that were read
	Totals    Totals      `json:"totals"` // the sums over Crawlers
	// AllBytes are the body bytes sent to all clients, as far as the log has sizes.
	AllBytes      int64 `json:"all_bytes"`
	HTTPLibraries int64 `json:"http_libraries"` // NotCrawlers that name an HTTP library, such as curl
	// CDNAgents are NotCrawlers whose User-Agent a CDN has replaced by its own.
	CDNAgents int64 `json:"cdn_agents"`
	NoAgent   int64 `json:"no_user_agent"` // NotCrawlers whose User-Agent is empty or -, in formats that have one
	// Proxied: nearly all requests came from the addresses of a proxy or CDN, so nobody is verified or spoofed.
	Proxied bool `json:"proxied"`
	// AddressesCut: the ends of addresses were cut off in at least one family, so they prove nothing.
	AddressesCut bool `json:"addresses_cut"`
	IPv4Cut      bool `json:"ipv4_addresses_cut"` // as AddressesCut, for IPv4
	// IdentityNoList are requests for which every address list of the crawler is too old or too new.
	IdentityNoList int64 `json:"identity_no_list"`
	// Operators are the operators with search engines or assistants that crawled or sent visitors, the
	// most requests first; none if no visitor sent a Referer.
	Operators []OperatorInfo `json:"operators"`
	// EndInZero are crawlers' requests from addresses that end in .0, as truncated ones do.
	EndInZero int64         `json:"addresses_end_in_zero"`
	RobotsTxt RobotsInfo    `json:"robots_txt"` // what the log shows about robots.txt
	Crawlers  []CrawlerInfo `json:"crawlers"`   // one for each crawler, by violations, then by name
	// Changes are comparisons of requests before and after changes of robots.txt within the logs, for the 20
	// changes with the most requests. ChangesNotListed counts the others.
	Changes          []RobotsChange `json:"changes"`
	ChangesNotListed int64          `json:"changes_not_listed"`
	// Sites are the sites that crawlers requested, the most requested first; they add up to Totals. At most 1,000 are
	// listed, the last then being (other sites). If there are too many to count, a random selection is listed, with a
	// warning. Unknown crawlers chosen by name are in (other sites).
	Sites []SiteInfo `json:"sites"`
	// OtherHosts are the most requested hosts without a policy, or a random selection, with a warning,
	// if there are more than 1,000. OtherHostsNotListed counts requests for all others.
	OtherHosts          []HostInfo `json:"other_hosts"`
	OtherHostsNotListed int64      `json:"other_hosts_not_listed"`
	// Overlooked are the ten most frequent User-Agents of NotCrawlers with bot, crawl, spider, scrap,
	// fetch or nutch in them, or a random selection, with a warning, if there are more than 1,000.
	// OverlookedNotListed counts requests with all others, or with any if --anonymize is given.
	Overlooked          []HeaderInfo `json:"overlooked"`
	OverlookedNotListed int64        `json:"overlooked_not_listed"`
	// UnparsedSamples are the first unparsed lines, in byte order.
	UnparsedSamples []string `json:"unparsed_samples"`
	// NotAuditable are control tokens in robots.txt, which no log can audit.
	NotAuditable []string `json:"not_auditable"`
	// WhatIf is null without --what-if. With it, all crawlers' requests are NotJudged, and Crawlers is empty.
	WhatIf *WhatIfInfo `json:"what_if"`
}

// LineCounts counts lines.
type LineCounts struct {
	// Lines is Unparsed + NotCrawlers + OtherHost + NotJudged + Totals.Requests + ChoiceInfo.Requests.
	Lines       int64 `json:"lines"`
	Unparsed    int64 `json:"unparsed"`     // lines that could not be parsed as a record of the format
	NotCrawlers int64 `json:"not_crawlers"` // lines that name no crawler
	OtherHost   int64 `json:"other_host"`   // crawlers' requests for origins without a policy
	NotJudged   int64 `json:"not_judged"`   // crawlers' requests with the target * or the method CONNECT, and NoRequest
	NoRequest   int64 `json:"no_request"`   // lines of connections without an HTTP request
	Blank       int64 `json:"blank"`        // empty lines; not among Lines
	// Other are lines that aren't requests by design, such as directives; not among Lines.
	Other       int64 `json:"other_lines"`
	OutOfPeriod int64 `json:"out_of_period"` // requests outside of Since and Until; not among Lines
}

// Read counts the lines that were or should have been read as requests.
func (c *LineCounts) Read() int64 { return c.Lines + c.OutOfPeriod }

// All counts the lines of all kinds.
func (c *LineCounts) All() int64 { return c.Read() + c.Blank + c.Other }

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
	// VerifiedContent counts violations by verified clients that got content, without fetchers: the headline.
	VerifiedContent int64 `json:"verified_content"`
	// Fetchers is the part of fetchers in all sums except VerifiedContent.
	Fetchers FetcherTotals `json:"fetchers"`
	AI       AITotals      `json:"ai"` // the sums over AI crawlers
}

// AITotals are the sums over the crawlers whose categories begin with "ai-", without impostors.
type AITotals struct {
	// Violations, Bytes and ViolationBytes are as in Totals.
	Requests       int64 `json:"requests"`
	Violations     int64 `json:"violation"`
	Bytes          int64 `json:"bytes"`
	ViolationBytes int64 `json:"violation_bytes"`
}

// FetcherTotals are the sums over fetchers that are not exempt.
type FetcherTotals struct {
	// Requests, Violations and VerifiedContent are as in Totals.
	Requests        int64 `json:"requests"`
	Violations      int64 `json:"violation"`
	VerifiedContent int64 `json:"verified_content"`
}

// SiteInfo counts the requests of crawlers for a site.
type SiteInfo struct {
	// Origin is the site, such as https://example.com, without the scheme if the log has only the
	// host; empty if the site is unknown.
	Origin string `json:"origin"`
	// Requests, Verdicts, Bytes and ViolationBytes are as in CrawlerInfo, for all crawlers.
	Requests       int64         `json:"requests"`
	Verdicts       VerdictCounts `json:"verdicts"`
	Bytes          int64         `json:"bytes"`
	ViolationBytes int64         `json:"violation_bytes"`
	// Crawlers is how many known crawlers requested it, without impostors; 0 for (other sites),
	// because crawlers may overlap.
	Crawlers int64 `json:"known_crawlers"`
}

// Add counts n requests with one verdict and the total of bytes in their answers.
func (s *SiteInfo) Add(v Verdict, n, bytes int64) {
	s.Requests, s.Bytes = s.Requests+n, Plus(s.Bytes, bytes)
	s.Verdicts[v] += n
	if v == Violation {
		s.ViolationBytes = Plus(s.ViolationBytes, bytes)
	}
}

// Plus adds the counts of another site, except for Crawlers, which may overlap.
func (s *SiteInfo) Plus(other *SiteInfo) {
	s.Requests += other.Requests
	AddCounts(s.Verdicts[:], other.Verdicts[:], 1)
	s.Bytes, s.ViolationBytes = Plus(s.Bytes, other.Bytes), Plus(s.ViolationBytes, other.ViolationBytes)
}

// HeaderInfo counts requests with a User-Agent.
type HeaderInfo struct {
	Header   string `json:"header"`   // at most the first 255 bytes of the header
	Requests int64  `json:"requests"` // how many requests
}

// AllOverlooked counts the requests with overlooked headers.
func (r *Report) AllOverlooked() int64 {
	n := r.OverlookedNotListed
	for _, h := range r.Overlooked {
		n += h.Requests
	}
	return n
}

// KeepBack removes quotations of lines from the report.
func (r *Report) KeepBack() {
	r.OverlookedNotListed = r.AllOverlooked()
	r.UnparsedSamples, r.Overlooked = []string{}, []HeaderInfo{}
}

// HostInfo counts requests of crawlers for a host without a policy.
type HostInfo struct {
	Host     string `json:"host"`     // the host
	Requests int64  `json:"requests"` // how many requests
}
