package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

type (
	crawler = report.CrawlerInfo
	whole   = report.Report
	site    = report.SiteInfo
)

// figure is a figure of a crawler, or a fact about the audit, as every output names it.
// CSV has all figures, the document some of them.
type figure struct {
	name string
	// heading is the name in a table, as Column has it; if it is empty the name is.
	heading string
	// means is the definition, if the name does not say enough.
	means string
	// ofCrawler is the value for a crawler, ofAudit the value for the audit as a whole: a string, an
	// int64, a float64 or a bool. One of them may be nil.
	ofCrawler func(*crawler) any
	ofAudit   func(*whole) any
}

// term is the row of an outcome or a reason, and a part of that of a verdict.
type term struct{ heading, means string }

// verdictTerm is the row of a verdict.
type verdictTerm struct {
	verdict report.Verdict
	term
	// layer is the one of layers in which the page draws it; it is empty for violations.
	layer string
	// excuse is why requests with the verdict are held against nobody, and undecided what became of
	// them where no violation is known for certain. Both are empty for most.
	excuse, undecided string
}

// verdictTerms are the rows of all verdicts, in the order in which sentences name them.
var verdictTerms = []verdictTerm{
	{report.Allowed, term{heading: "allowed"}, "allowed", "", ""},
	{report.RobotsFetch, term{heading: "for \u200brobots\u200b.txt"}, "allowed", "", ""},
	{report.Violation, term{heading: "for\u00adbidden"}, "", "", ""},
	{report.Grace, term{"rule \u200bwas new", "some copies of robots.txt that the crawler may still have been using " +
		"forbid the request, others permit it"}, "excused", "rule was new", ""},
	{report.NoPolicy, term{"told: no \u200brobots\u200b.txt", "permitted only because there was no robots.txt, " +
		"according to the files or to an answer in the log"}, "excused", "told: no robots.txt", ""},
	{report.Unreachable, term{"robots\u200b.txt \u200bfailed", "permitted only because robots.txt failed, " +
		"according to the files or to an answer in the log"}, "excused", "robots.txt failed", ""},
	{report.Indeterminate, term{heading: "un\u00addecided"}, "excused", "undecided", "could not be decided"},
	{report.Exempt, term{heading: "says not \u200bbound"}, "apart", "says it is not bound",
		"came from crawlers that robots.txt does not bind, as their operators say"},
	{report.Spoofed, term{"im\u00adpostor",
		"sent under this name from an address that is not the crawler's, according to " +
			"the lists given for it"}, "apart", "impostor", ""},
}

// layers are what stands above the line of a strip on the page, from the line up, with their names
// in the key.
var layers = []struct{ Class, Means string }{
	{"allowed", "allowed"}, {"excused", "rule was new, undecided, or no robots.txt to read"},
	{"apart", "not bound, or impostor"},
}

var outcomeTerms = [len(report.OutcomeCounts{})]term{
	report.Content:      {means: "answered with content"},
	report.NotModified:  {heading: "not \u200bmod\u00adified", means: "answered with 304"},
	report.Empty:        {means: "answered with 2xx without a body"},
	report.Redirected:   {heading: "redi\u00adrected", means: "answered with another 3xx"},
	report.Refused:      {heading: "re\u00adfused", means: "answered with 401, 403, 429, 444, 451 or 5xx"},
	report.OtherOutcome: {means: "answered with any other status, or with none"},
}

var reasonTerms = [len(report.ReasonCounts{})]term{
	report.NoVersion:        {means: "the crawler may have used a robots.txt that is not known"},
	report.NoHost:           {means: "the host is not known"},
	report.NoTime:           {means: "the time cannot be read"},
	report.UnknownScheme:    {means: "http and https give different verdicts, and the log does not say which was used"},
	report.LossyPath:        {means: "the log does not have the path as the client sent it"},
	report.Truncated:        {means: "of the target, or of the crawler's name, only the beginning is known"},
	report.AmbiguousAgent:   {means: "the User-Agent names more than one product"},
	report.RedirectedPolicy: {means: "robots.txt redirected to one that is not known"},
	report.ContestedRule:    {means: "it depends on how robots.txt, or the path, is read"},
	report.NoRobots:         {means: "no robots.txt was given"},
}

// title is the name of a figure in a sentence.
func (f figure) title() string {
	return cmp.Or(unbroken.Replace(f.heading), strings.ReplaceAll(f.name, "_", " "))
}

// sum adds up a figure of crawlers.
func (f figure) sum(crawlers []*crawler) (n int64) {
	for _, c := range crawlers {
		n += f.ofCrawler(c).(int64)
	}
	return n
}

// counts makes a figure of each row of an enum of package audit.
func counts[E interface {
	~uint8
	String() string
}](rows []term, get func(*crawler, E) int64) (list []figure) {
	for i, row := range rows {
		list = append(list, figure{name: E(i).String(), heading: row.heading, means: row.means,
			ofCrawler: func(c *crawler) any { return get(c, E(i)) }})
	}
	return list
}

// termsOfVerdicts are in the order of the verdicts.
func termsOfVerdicts() []term {
	list := make([]term, len(verdictTerms))
	for _, v := range verdictTerms {
		list[v.verdict] = v.term
	}
	return list
}

// Figures that the document lists, too: those of the table of crawlers (byVerdict, of which a phone
// shows the first), how violations are split, and why requests are indeterminate.
var (
	requests = figure{name: "requests", heading: "requests", ofCrawler: func(c *crawler) any { return c.Requests }}
	verified = figure{name: "verified", heading: "verified",
		ofCrawler: func(c *crawler) any { return c.Identity[report.Verified] }}
	verdicts  = counts(termsOfVerdicts(), func(c *crawler, v report.Verdict) int64 { return c.Verdicts[v] })
	byVerdict = slices.Concat(verdicts[report.Violation:report.Violation+1], []figure{requests, verified},
		verdicts[:report.Violation], verdicts[report.Violation+1:])
	outcomes = counts(outcomeTerms[:], func(c *crawler, o report.Outcome) int64 { return c.Outcomes[o] })
	reasons  = counts(reasonTerms[:], func(c *crawler, r report.Reason) int64 { return c.Reasons[r] })
	informed = figure{name: "informed", heading: "in\u00adformed",
		ofCrawler: func(c *crawler) any { return c.Informed() },
		means: "after a client of this name was sent a robots.txt that forbids the request, " +
			"or told by 304 that its copy stands; ?: the log does not say what was sent"}
)

// Figures that are counted beside the verdicts.
var (
	evasive = figure{name: "evasive", ofCrawler: func(c *crawler) any { return c.Evasive },
		means: "allowed or undecided as it was sent, but its path is forbidden without needless escapes, " +
			"dot segments and repeated slashes"}
	graceInformed = figure{name: "grace_informed", ofCrawler: func(c *crawler) any { return c.GraceInformed },
		means: "the rule was new, and a client of this name was sent it, or told by 304 that its copy stands"}
)

// traffic are the figures of what was sent: each is a column of the table of traffic, and a metric
// of Prometheus, whose help is what it means.
var traffic = []figure{
	{"bytes", "bytes", "Bytes of bodies sent to crawlers, without impostors.",
		func(c *crawler) any { return c.Bytes }, nil},
	{"violation_bytes", "of vio\u00adlations", "Bytes of bodies sent in answer to violations.",
		func(c *crawler) any { return c.ViolationBytes }, nil},
}

// figures are all figures of crawlers and of the audit, in the order of CSV.
var figures = slices.Concat(
	[]figure{
		{name: "crawler", ofCrawler: func(c *crawler) any { return c.Crawler }},
		{name: "operator", ofCrawler: func(c *crawler) any { return c.Operator }},
		{name: "category", ofCrawler: func(c *crawler) any { return c.Category }},
		{name: "role", ofCrawler: func(c *crawler) any { return c.Role }},
		{name: "obeys", ofCrawler: func(c *crawler) any { return c.Obeys }},
		requests,
		verified,
	},
	verdicts,
	outcomes,
	[]figure{
		{name: "partial", ofAudit: func(r *whole) any { return r.Partial }},
		{name: "verified_content", ofCrawler: func(c *crawler) any { return c.VerifiedContent() }},
		informed,
		{name: "informed_known", ofCrawler: func(c *crawler) any { return c.InformedKnown }},
		evasive, graceInformed,
		{name: "identity_spoofed", ofCrawler: func(c *crawler) any { return c.Identity[report.SpoofedIdentity] }},
		{name: "unverified", ofCrawler: func(c *crawler) any { return c.Identity[report.Unverified] }},
		{name: "unverifiable", ofCrawler: func(c *crawler) any { return c.Identity[report.Unverifiable] }},
	},
	reasons,
	[]figure{
		{name: "claims", ofCrawler: func(c *crawler) any { return claimList(c) }},
		{name: "claims_not_listed", ofCrawler: func(c *crawler) any { return c.ClaimsNotListed }},
	},
	traffic,
	[]figure{
		{name: "addresses", ofCrawler: func(c *crawler) any { return c.Addresses.N }},
		{name: "addresses_exact", ofCrawler: func(c *crawler) any { return c.Addresses.Exact }},
		{name: "robots_txt_fetches", ofCrawler: func(c *crawler) any { return c.RobotsTxt.Fetches }},
		{name: "from", ofAudit: func(r *whole) any { return r.From }},
		{name: "to", ofAudit: func(r *whole) any { return r.To }},
		{name: "policy", ofAudit: func(r *whole) any {
			if r.Policy.None() {
				return r.Policy.History
			}
			return r.Policy.File
		}},
		{name: "history", ofAudit: func(r *whole) any { return r.Policy.History }},
		{name: "window_seconds", ofAudit: func(r *whole) any { return r.Policy.WindowSeconds }},
		{name: "delay_seconds", ofAudit: func(r *whole) any { return r.Policy.DelaySeconds }},
		{name: "skew_seconds", ofAudit: func(r *whole) any { return r.Policy.SkewSeconds }},
		{name: "versions", ofAudit: versionList},
		{name: "lines", ofAudit: func(r *whole) any { return r.Lines }},
		{name: "blank", ofAudit: func(r *whole) any { return r.Blank }},
		{name: "other_lines", ofAudit: func(r *whole) any { return r.Other }},
		{name: "out_of_period", ofAudit: func(r *whole) any { return r.OutOfPeriod }},
		{name: "since", ofAudit: func(r *whole) any { return r.Since }},
		{name: "until", ofAudit: func(r *whole) any { return r.Until }},
		{name: "time_zone", ofAudit: func(r *whole) any { return r.TimeZone }},
		{name: "unparsed", ofAudit: func(r *whole) any { return r.Unparsed }},
		{name: "not_crawlers", ofAudit: func(r *whole) any { return r.NotCrawlers }},
		{name: "http_libraries", ofAudit: func(r *whole) any { return r.HTTPLibraries }},
		{name: "cdn_agents", ofAudit: func(r *whole) any { return r.CDNAgents }},
		{name: "overlooked", ofAudit: func(r *whole) any { return r.AllOverlooked() }},
		{name: "other_host", ofAudit: func(r *whole) any { return r.OtherHost }},
		{name: "not_judged", ofAudit: func(r *whole) any { return r.NotJudged }},
		{name: "verified_share", ofAudit: func(r *whole) any { return r.Totals.VerifiedShare }},
		{name: "unparsed_samples", ofAudit: func(r *whole) any { return strings.Join(r.UnparsedSamples, "; ") }},
		{name: "sampling", ofAudit: func(r *whole) any { return r.Sampling }},
		{name: "inputs", ofAudit: inputList},
		{name: "proxied", ofAudit: func(r *whole) any { return r.Proxied }},
		{name: "identity_no_list", ofAudit: func(r *whole) any { return r.IdentityNoList }},
		{name: "program", ofAudit: func(r *whole) any { return r.Program }},
		{name: "command", ofAudit: func(r *whole) any { return r.Command }},
		{name: "only", ofAudit: func(r *whole) any { return r.Choice.String() }},
		{name: "other_crawlers", ofAudit: func(r *whole) any { return r.Choice.Others }},
		{name: "other_crawler_requests", ofAudit: func(r *whole) any { return r.Choice.Requests }},
		{name: "all_bytes", ofAudit: func(r *whole) any { return r.AllBytes }},
		{name: "ai_requests", ofAudit: func(r *whole) any { return r.Totals.AI.Requests }},
		{name: "ai_violation", ofAudit: func(r *whole) any { return r.Totals.AI.Violations }},
		{name: "ai_bytes", ofAudit: func(r *whole) any { return r.Totals.AI.Bytes }},
		{name: "ai_violation_bytes", ofAudit: func(r *whole) any { return r.Totals.AI.ViolationBytes }},
	},
)

// columnsFor returns the columns of figures, flush right.
func columnsFor(figures ...figure) (list []Column) {
	for _, f := range figures {
		list = append(list, Column{cmp.Or(f.heading, f.name), true})
	}
	return list
}

// legend lists the definitions of the figures that have one.
func legend(figures ...figure) (list []fact) {
	for _, f := range figures {
		if f.means != "" {
			list = append(list, fact{f.title(), f.means})
		}
	}
	return list
}

// claimList names what logs say about the clients of a crawler, in one cell.
func claimList(c *crawler) string {
	var list []string
	for _, claim := range c.Claims {
		list = append(list, fmt.Sprintf("%s (%d)", cmp.Or(claim.Claim, noClaim), claim.N))
	}
	return strings.Join(list, "; ")
}

// noClaim stands for a claim that is empty.
const noClaim = "nothing"

// inputList names the inputs with their sizes, in one cell.
func inputList(r *whole) any {
	var list []string
	for _, in := range r.Inputs {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s (%s, %d bytes, sha256 %s) %s", in.Name,
			cmp.Or(in.Format, "of no known format"), in.Bytes, cmp.Or(in.SHA256, "not computed"), in.Error)))
	}
	return strings.Join(list, "; ")
}

// versionList names as many versions as the document lists, in one cell.
func versionList(r *whole) any {
	var list []string
	for _, v := range r.Policy.Versions[:min(len(r.Policy.Versions), maxVersionsShown)] {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", v.Origin, cmp.Or(v.From, beforeAllTime),
			v.Status, v.File)))
	}
	if more := len(r.Policy.Versions) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}
