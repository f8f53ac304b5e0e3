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

// Report is the result of an audit, on whose form other programs rely.
//
// docs/reference/json.md is made of these comments. The texts have the bytes of the logs and files that they
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
	From Time `json:"from"`
	To   Time `json:"to"`
	// TimeZone is the zone of the hours and days of timelines, of times in text, Markdown and the page,
	// and of days in CSV (--time-zone); empty: UTC.
	TimeZone string `json:"time_zone"`
	// Since and Until are the period that is judged, without its end (--since, --until); empty:
	// it has no bound.
	Since Time `json:"since"`
	Until Time `json:"until"`
	// OutsideFrom and OutsideTo are the times of the first and the last line outside of it.
	OutsideFrom Time `json:"outside_from"`
	OutsideTo   Time `json:"outside_to"`
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
	NoAgent   int64 `json:"no_user_agent"` // NotCrawlers whose User-Agent is empty or -, in formats that have one
	// Proxied: nearly all requests came from a few addresses: these are a proxy's, and nobody is
	// verified or spoofed by them.
	Proxied bool `json:"proxied"`
	// AddressesCut: the addresses of the log, of one family at least, lack their ends. Those that do
	// verify nobody, and make nobody an impostor.
	AddressesCut bool `json:"addresses_cut"`
	IPv4Cut      bool `json:"ipv4_addresses_cut"` // likewise, of IPv4
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
	// Changes compare the requests before and after each change of robots.txt that is within the logs: the 20
	// with the most requests, then by origin and time. ChangesNotListed counts the others that have requests.
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
	// UnparsedSamples are the first lines, in byte order, that could not be parsed.
	UnparsedSamples []string `json:"unparsed_samples"`
	// NotAuditable are control tokens that robots.txt names: no log shows whether they are obeyed.
	NotAuditable []string `json:"not_auditable"`
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
	NotJudged   int64 `json:"not_judged"`   // crawlers' requests with the target * or the method CONNECT, and NoRequest
	NoRequest   int64 `json:"no_request"`   // lines of connections that carried no HTTP request
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
