// Package report is the result of an audit as data, with all sentences about it. It knows nothing of
// logs, rules or counting, and imports none of the packages that do: package audit makes a Report, and
// the command writes it.
//
// A Report (report.go) has numbers by verdict (verdict.go) and by other enums (enums.go) of each
// crawler (crawler.go), and says what they rest on (inputs.go). Its sums are made and checked in
// sums.go; sentences.go writes its assumptions and warnings. Texts are escaped only when they are
// shown (printable.go).
package report

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

// Report is the result of an audit.
//
// docs/reference/json.md is made of these comments. The texts have the bytes of the logs and files that they
// are from: see Texts, with Printable before they are shown, and with ToUTF8 before json.Marshal.
type Report struct {
	Schema  string `json:"schema"`  // robotsieve.audit/3
	Program string `json:"program"` // the version of the program
	Command string `json:"command"` // its command line
	// Partial: some input was not read, or more than MaxUnparsedPercent (--max-unparsed) of its lines could not
	// be parsed.
	Partial            bool    `json:"partial"`
	MaxUnparsedPercent float64 `json:"max_unparsed_percent"`
	LineCounts
	// Choice is which crawlers the report covers. Counts of lines, answers to robots.txt and the period are
	// always those of the whole log.
	Choice ChoiceInfo `json:"choice"`
	// From and To are the times of the crawlers' first and last request.
	From Time `json:"from"`
	To   Time `json:"to"`
	// TimeZone is the zone of timelines and of days in CSV (--time-zone); empty: UTC.
	TimeZone string `json:"time_zone"`
	// Since and Until are the period that is judged, without its end; empty: no bound.
	Since Time `json:"since"`
	Until Time `json:"until"`
	// OutsideFrom and OutsideTo are the times of the first and last line outside it.
	OutsideFrom Time `json:"outside_from"`
	OutsideTo   Time `json:"outside_to"`
	// Sampling is how the logs were sampled, as the user says (--sampled).
	Sampling    string   `json:"sampling"`
	Assumptions []string `json:"assumptions"` // what the verdicts rest on, in sentences
	Warnings    []string `json:"warnings"`    // what to know before believing a figure
	// Policy is what requests were judged by; "none" instead of an object if no robots.txt was given.
	Policy PolicyInfo  `json:"policy"`
	Ranges []RangeInfo `json:"ranges"` // the address lists
	// CanVerify: there were address lists, resolved names or look-ups.
	CanVerify bool        `json:"can_verify"`
	Inputs    []InputInfo `json:"inputs"` // the files that were read
	Totals    Totals      `json:"totals"` // the sums over Crawlers
	// AllBytes are the bytes of bodies sent to all clients, as far as the log has sizes.
	AllBytes      int64 `json:"all_bytes"`
	HTTPLibraries int64 `json:"http_libraries"` // NotCrawlers that name an HTTP library, such as curl
	// CDNAgents are NotCrawlers whose User-Agent a CDN has replaced by its own.
	CDNAgents int64 `json:"cdn_agents"`
	NoAgent   int64 `json:"no_user_agent"` // NotCrawlers whose User-Agent is empty or -, in formats that have one
	// Proxied: nearly all requests came from a few addresses, those of a proxy, so nobody is verified or
	// spoofed.
	Proxied bool `json:"proxied"`
	// AddressesCut: addresses of at least one family lack their ends, so they prove nothing.
	AddressesCut bool `json:"addresses_cut"`
	IPv4Cut      bool `json:"ipv4_addresses_cut"` // likewise, of IPv4
	// IdentityNoList are requests for which no address list of the crawler was near enough in time.
	IdentityNoList int64 `json:"identity_no_list"`
	// Operators are those with search engines or assistants that crawled or sent visitors, the most requests
	// first; none if no visitor sent a Referer.
	Operators []OperatorInfo `json:"operators"`
	// EndInZero are crawlers' requests from addresses that end in .0, as cut ones do.
	EndInZero int64         `json:"addresses_end_in_zero"`
	RobotsTxt RobotsInfo    `json:"robots_txt"` // what the log says about robots.txt
	Crawlers  []CrawlerInfo `json:"crawlers"`   // one for each crawler, by violations, then by name
	// Changes compare requests before and after changes of robots.txt within the logs: the 20 with the most
	// requests. ChangesNotListed counts the others.
	Changes          []RobotsChange `json:"changes"`
	ChangesNotListed int64          `json:"changes_not_listed"`
	// Sites are those that crawlers requested, the most requested first; they add up to Totals. At most 1,000
	// are listed, the last then being (other sites). If there are too many to count, a random choice is listed,
	// with a warning. Unknown crawlers chosen by name are in (other sites).
	Sites []SiteInfo `json:"sites"`
	// OtherHosts are the most requested hosts without a policy; of more than 1,000 a random choice, with a
	// warning. OtherHostsNotListed counts requests for all others.
	OtherHosts          []HostInfo `json:"other_hosts"`
	OtherHostsNotListed int64      `json:"other_hosts_not_listed"`
	// Overlooked are the ten most frequent User-Agents of NotCrawlers with bot, crawl, spider, scrap, fetch or
	// nutch in them; of more than 1,000 a random choice, with a warning. OverlookedNotListed counts requests
	// with all others, or with all if --anonymize is given.
	Overlooked          []HeaderInfo `json:"overlooked"`
	OverlookedNotListed int64        `json:"overlooked_not_listed"`
	// UnparsedSamples are the first unparsed lines, in byte order.
	UnparsedSamples []string `json:"unparsed_samples"`
	// NotAuditable are control tokens in robots.txt, which no log can audit.
	NotAuditable []string `json:"not_auditable"`
	// WhatIf is null without --what-if. With it all crawlers' requests are NotJudged, and Crawlers is empty.
	WhatIf *WhatIfInfo `json:"what_if"`
}

// LineCounts counts lines.
type LineCounts struct {
	// Lines is Unparsed + NotCrawlers + OtherHost + NotJudged + Totals.Requests + ChoiceInfo.Requests.
	Lines       int64 `json:"lines"`
	Unparsed    int64 `json:"unparsed"`     // lines that are no record of the format
	NotCrawlers int64 `json:"not_crawlers"` // lines that name no crawler
	OtherHost   int64 `json:"other_host"`   // crawlers' requests for origins without a policy
	NotJudged   int64 `json:"not_judged"`   // crawlers' requests with the target * or the method CONNECT, and NoRequest
	NoRequest   int64 `json:"no_request"`   // lines of connections that carried no HTTP request
	Blank       int64 `json:"blank"`        // empty lines; not among Lines
	// Other are lines that are no requests by design, such as directives; not among Lines.
	Other       int64 `json:"other_lines"`
	OutOfPeriod int64 `json:"out_of_period"` // requests outside of Since and Until; not among Lines
}

// Read counts the lines that were read as requests or could not be.
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
	// Fetchers is what fetchers add to all sums except VerifiedContent.
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

// FetcherTotals are the sums over fetchers that are not exempt.
type FetcherTotals struct {
	// Requests, Violations and VerifiedContent are as in Totals.
	Requests        int64 `json:"requests"`
	Violations      int64 `json:"violation"`
	VerifiedContent int64 `json:"verified_content"`
}

// SiteInfo counts the requests of crawlers for a site.
type SiteInfo struct {
	// Origin is such as https://example.com, without the scheme if the log has only the host; empty if the site
	// is not known.
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
	s.Verdicts[v] += n
	if v == Violation {
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

// AllOverlooked counts the requests with headers that were overlooked.
func (r *Report) AllOverlooked() int64 {
	n := r.OverlookedNotListed
	for _, h := range r.Overlooked {
		n += h.Requests
	}
	return n
}

// KeepBack takes what is quoted of lines out of the report.
func (r *Report) KeepBack() {
	r.OverlookedNotListed = r.AllOverlooked()
	r.UnparsedSamples, r.Overlooked = []string{}, []HeaderInfo{}
}

// HostInfo counts requests of crawlers for a host without a policy.
type HostInfo struct {
	Host     string `json:"host"`     // the host
	Requests int64  `json:"requests"` // how many
}
