package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
)

type (
	crawler = audit.CrawlerInfo
	whole   = audit.Report
)

// column is a figure of a crawler, or a fact about the audit, as every output names it.
// CSV has all columns, the table of crawlers in the document those with a heading.
type column struct {
	name string
	// value is the value for a crawler, auditValue the value for the audit as a whole: a
	// string, an int64, a float64 or a bool. One of them may be nil.
	value      func(*crawler) any
	auditValue func(*whole) any
	// heading is the name in a table. A soft hyphen or a zero-width space in it is
	// where a narrow table may break it.
	heading string
	// means is the definition, if the name does not say enough.
	means string
}

// terms are the headings and definitions of counts by verdict, outcome or reason.
var terms = map[string]struct{ heading, means string }{
	"allowed":       {heading: "allowed"},
	"robots_fetch":  {heading: "for \u200brobots\u200b.txt"},
	"violation":     {heading: "for\u00adbidden"},
	"grace":         {"rule \u200bwas new", "some copies of robots.txt that the crawler may still have been using forbid the request, others permit it"},
	"indeterminate": {heading: "un\u00addecided"},
	"no_policy":     {"told: no \u200brobots\u200b.txt", "permitted only because there was no robots.txt, according to the files or to an answer in the log"},
	"unreachable":   {"robots\u200b.txt \u200bfailed", "permitted only because robots.txt failed, according to the files or to an answer in the log"},
	"exempt":        {heading: "says not \u200bbound"},
	"spoofed":       {"im\u00adpostor", "sent under this name from an address that is not the crawler's, according to the lists given for it"},

	"content":      {means: "answered with content"},
	"not_modified": {means: "answered with 304"},
	"empty":        {means: "answered with 2xx without a body"},
	"redirected":   {means: "answered with another 3xx"},
	"refused":      {means: "answered with 401, 403, 429, 444, 451 or 5xx"},
	"other":        {means: "answered with any other status, or with none"},

	"no_version":        {means: "the crawler may have used a robots.txt that is not known"},
	"no_host":           {means: "the host is not known"},
	"no_time":           {means: "the time cannot be read"},
	"unknown_scheme":    {means: "http and https give different verdicts, and the log does not say which was used"},
	"lossy_path":        {means: "the log does not have the path as the client sent it"},
	"truncated":         {means: "of the target, or of the crawler's name, only the beginning is known"},
	"ambiguous_agent":   {means: "the User-Agent names more than one product"},
	"redirected_policy": {means: "robots.txt redirected to one that is not known"},
	"contested":         {means: "it depends on how robots.txt, or the path, is read"},
}

// title is the name of a column in a sentence.
func (c column) title() string {
	return cmp.Or(unbroken.Replace(c.heading), strings.ReplaceAll(c.name, "_", " "))
}

// sum adds up a figure of crawlers.
func (c column) sum(crawlers []*audit.CrawlerInfo) (n int64) {
	for _, of := range crawlers {
		n += c.value(of).(int64)
	}
	return n
}

// counts makes a column for each of the n values of an enum of package audit.
func counts[E interface {
	~uint8
	String() string
}](n int, get func(*crawler, E) int64) (list []column) {
	for e := range E(n) {
		term := terms[e.String()]
		list = append(list, column{e.String(), func(c *crawler) any { return get(c, e) }, nil, term.heading, term.means})
	}
	return list
}

// Columns that the document lists, too: those of the table of crawlers, how violations are
// split, and why requests are indeterminate.
var (
	requests = column{name: "requests", value: func(c *crawler) any { return c.Requests }, heading: "requests"}
	verified = column{name: "verified", value: func(c *crawler) any { return c.Identity[audit.Verified] }, heading: "verified"}
	verdicts = counts(len(audit.VerdictCounts{}), func(c *crawler, v audit.Verdict) int64 { return c.Verdicts[v] })
	outcomes = counts(len(audit.OutcomeCounts{}), func(c *crawler, o audit.Outcome) int64 { return c.Outcomes[o] })
	reasons  = counts(len(audit.ReasonCounts{}), func(c *crawler, r audit.Reason) int64 { return c.Reasons[r] })
	informed = column{name: "informed", value: func(c *crawler) any { return c.Informed() },
		means: "after a client of this name was sent a robots.txt that forbids the request, or told by 304 that its copy stands; ?: the log does not say what was sent"}
)

// Columns that are counted beside the verdicts.
var (
	evasive = column{name: "evasive", value: func(c *crawler) any { return c.Evasive },
		means: "allowed or undecided as it was sent, but its path is forbidden without needless escapes, dot segments and repeated slashes"}
	graceInformed = column{name: "grace_informed", value: func(c *crawler) any { return c.GraceInformed },
		means: "the rule was new, and a client of this name was sent it, or told by 304 that its copy stands"}
)

// shortClaim is claim in a table: what the operator says of the crawler and robots.txt.
func shortClaim(c *crawler) string {
	switch c.Obeys {
	case "yes":
		return "obeys"
	case "no":
		return "may ignore"
	default:
		return "-"
	}
}

// claim says in words whether the operator of a crawler says that it obeys robots.txt.
func claim(c *crawler) string {
	switch c.Obeys {
	case "yes":
		return "says that it obeys"
	case "no":
		return "says that it may ignore it"
	default:
		return "does not say"
	}
}

// columns are all columns, in the order of CSV.
var columns = slices.Concat(
	[]column{
		{name: "crawler", value: func(c *crawler) any { return c.Crawler }},
		{name: "operator", value: func(c *crawler) any { return c.Operator }},
		{name: "category", value: func(c *crawler) any { return c.Category }},
		{name: "role", value: func(c *crawler) any { return c.Role }},
		{name: "obeys", value: func(c *crawler) any { return c.Obeys }},
		requests,
		verified,
	},
	verdicts,
	outcomes,
	[]column{
		{name: "partial", auditValue: func(r *whole) any { return r.Partial }},
		{name: "verified_content", value: func(c *crawler) any { return c.VerifiedContent() }},
		informed,
		{name: "informed_known", value: func(c *crawler) any { return c.InformedKnown }},
		evasive, graceInformed,
		{name: "identity_spoofed", value: func(c *crawler) any { return c.Identity[audit.SpoofedIdentity] }},
		{name: "unverified", value: func(c *crawler) any { return c.Identity[audit.Unverified] }},
		{name: "unverifiable", value: func(c *crawler) any { return c.Identity[audit.Unverifiable] }},
	},
	reasons,
	[]column{
		{name: "claims", value: func(c *crawler) any { return claimList(c) }},
		{name: "claims_not_listed", value: func(c *crawler) any { return c.ClaimsNotListed }},
		{name: "bytes", value: func(c *crawler) any { return c.Bytes }},
		{name: "violation_bytes", value: func(c *crawler) any { return c.ViolationBytes }},
		{name: "addresses", value: func(c *crawler) any { return c.Addresses.N }},
		{name: "addresses_exact", value: func(c *crawler) any { return c.Addresses.Exact }},
		{name: "robots_txt_fetches", value: func(c *crawler) any { return c.RobotsTxt.Fetches }},
		{name: "from", auditValue: func(r *whole) any { return r.From }},
		{name: "to", auditValue: func(r *whole) any { return r.To }},
		{name: "policy", auditValue: func(r *whole) any { return r.Policy.File }},
		{name: "history", auditValue: func(r *whole) any { return r.Policy.History }},
		{name: "window_seconds", auditValue: func(r *whole) any { return r.Policy.WindowSeconds }},
		{name: "delay_seconds", auditValue: func(r *whole) any { return r.Policy.DelaySeconds }},
		{name: "skew_seconds", auditValue: func(r *whole) any { return r.Policy.SkewSeconds }},
		{name: "versions", auditValue: versionList},
		{name: "lines", auditValue: func(r *whole) any { return r.Lines }},
		{name: "blank", auditValue: func(r *whole) any { return r.Blank }},
		{name: "other_lines", auditValue: func(r *whole) any { return r.Other }},
		{name: "out_of_period", auditValue: func(r *whole) any { return r.OutOfPeriod }},
		{name: "since", auditValue: func(r *whole) any { return r.Since }},
		{name: "until", auditValue: func(r *whole) any { return r.Until }},
		{name: "unparsed", auditValue: func(r *whole) any { return r.Unparsed }},
		{name: "not_crawlers", auditValue: func(r *whole) any { return r.NotCrawlers }},
		{name: "http_libraries", auditValue: func(r *whole) any { return r.HTTPLibraries }},
		{name: "cdn_agents", auditValue: func(r *whole) any { return r.CDNAgents }},
		{name: "other_host", auditValue: func(r *whole) any { return r.OtherHost }},
		{name: "not_judged", auditValue: func(r *whole) any { return r.NotJudged }},
		{name: "verified_share", auditValue: func(r *whole) any { return r.Totals.VerifiedShare }},
		{name: "unparsed_samples", auditValue: func(r *whole) any { return strings.Join(r.UnparsedSamples, "; ") }},
		{name: "sampling", auditValue: func(r *whole) any { return r.Sampling }},
		{name: "warnings", auditValue: func(r *whole) any { return strings.Join(r.Warnings, " ") }},
		{name: "assumptions", auditValue: func(r *whole) any { return strings.Join(r.Assumptions, " ") }},
		{name: "inputs", auditValue: inputList},
		{name: "proxied", auditValue: func(r *whole) any { return r.Proxied }},
		{name: "identity_no_list", auditValue: func(r *whole) any { return r.IdentityNoList }},
		{name: "program", auditValue: func(r *whole) any { return r.Program }},
		{name: "command", auditValue: func(r *whole) any { return r.Command }},
	},
)

// legend lists the definitions of the columns that have one.
func legend(columns ...column) (list []fact) {
	for _, c := range columns {
		if c.means != "" {
			list = append(list, fact{c.title(), c.means})
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
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s (%s, %d bytes, sha256 %s) %s", in.Name, cmp.Or(in.Format, "of no known format"), in.Bytes, cmp.Or(in.SHA256, "not computed"), in.Error)))
	}
	return strings.Join(list, "; ")
}

// versionList names as many versions as the document lists, in one cell.
func versionList(r *whole) any {
	var list []string
	for _, v := range r.Policy.Versions[:min(len(r.Policy.Versions), maxVersionsShown)] {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", v.Origin, cmp.Or(v.From, beforeAllTime), v.Status, v.File)))
	}
	if more := len(r.Policy.Versions) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}
