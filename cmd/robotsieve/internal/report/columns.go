package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// column is a figure of a crawler, or a fact about the audit, as every output names it.
type column struct {
	name string
	// of is the value for a crawler or, if c is nil, for the audit as a whole: a
	// string, an int64, a float64, a bool, or nil if it has none.
	of func(r *audit.Report, c *audit.CrawlerInfo) any
	// heading is the name in a table for people, if the column is in one. A soft hyphen
	// or a zero-width space is where a narrow table may break it.
	heading string
	// means defines the column, where its name does not say enough.
	means string
}

// of makes the value of a column that crawlers have.
func of[T any](get func(*audit.CrawlerInfo) T) func(*audit.Report, *audit.CrawlerInfo) any {
	return func(_ *audit.Report, c *audit.CrawlerInfo) any {
		if c == nil {
			return nil
		}
		return get(c)
	}
}

// about makes the value of a column that the audit has.
func about[T any](get func(*audit.Report) T) func(*audit.Report, *audit.CrawlerInfo) any {
	return func(r *audit.Report, c *audit.CrawlerInfo) any {
		if c != nil {
			return nil
		}
		return get(r)
	}
}

type (
	crawler = audit.CrawlerInfo
	whole   = audit.Report
)

// The columns of figures that the document has, too.
var (
	requests = []column{{"requests", of(func(c *crawler) int64 { return c.Requests }), "requests", ""}}

	verdicts = []column{
		{"allowed", of(func(c *crawler) int64 { return c.Verdicts.Allowed }), "allowed", ""},
		{"robots_fetch", of(func(c *crawler) int64 { return c.Verdicts.RobotsFetch }), "robots\u200b.txt", ""},
		{"violation", of(func(c *crawler) int64 { return c.Verdicts.Violation }), "viola\u00adtion", ""},
		{"grace", of(func(c *crawler) int64 { return c.Verdicts.Grace }), "grace",
			"some lawful copies of robots.txt forbid the request, others permit it"},
		{"indeterminate", of(func(c *crawler) int64 { return c.Verdicts.Indeterminate }), "indeter\u00adminate", ""},
		{"no_policy", of(func(c *crawler) int64 { return c.Verdicts.NoPolicy }), "no \u200bpolicy",
			"permitted only because the site answered that it had no robots.txt"},
		{"unreachable", of(func(c *crawler) int64 { return c.Verdicts.Unreachable }), "unreach\u00adable",
			"permitted only because robots.txt could not be fetched"},
		{"exempt", of(func(c *crawler) int64 { return c.Verdicts.Exempt }), "exempt", ""},
		{"spoofed", of(func(c *crawler) int64 { return c.Verdicts.Spoofed }), "spoofed",
			"sent by an impostor, from an address that is not the crawler's"},
	}

	// outcomes split the violations.
	outcomes = []column{
		{"obtained", of(func(c *crawler) int64 { return c.Outcomes.Obtained }), "", "answered with 2xx or 304"},
		{"redirected", of(func(c *crawler) int64 { return c.Outcomes.Redirected }), "", "answered with another 3xx"},
		{"refused", of(func(c *crawler) int64 { return c.Outcomes.Refused }), "", "answered with 401, 403, 429, 444, 451 or 5xx"},
		{"absent", of(func(c *crawler) int64 { return c.Outcomes.Absent }), "", "answered with any other status"},
	}

	informed = column{"informed", of((*crawler).Informed), "", "the crawler had already fetched the rule it broke; " +
		"others may have been informed, too, but the log does not show it"}

	// reasons split the indeterminate requests.
	reasons = []column{
		{"no_version", of(func(c *crawler) int64 { return c.Reasons.NoVersion }), "",
			"the crawler may have used a copy older than the first known version"},
		{"no_host", of(func(c *crawler) int64 { return c.Reasons.NoHost }), "", "the host is not known"},
		{"no_time", of(func(c *crawler) int64 { return c.Reasons.NoTime }), "", "the time cannot be read"},
		{"unknown_scheme", of(func(c *crawler) int64 { return c.Reasons.UnknownScheme }), "",
			"http and https give different verdicts, and the log does not say which was used"},
		{"lossy_path", of(func(c *crawler) int64 { return c.Reasons.LossyPath }), "", "the log does not have the path as the client sent it"},
		{"truncated", of(func(c *crawler) int64 { return c.Reasons.Truncated }), "", "the server logged only the beginning of the target"},
		{"ambiguous_agent", of(func(c *crawler) int64 { return c.Reasons.AmbiguousAgent }), "",
			"the User-Agent names crawlers of more than one operator"},
		{"redirected_policy", of(func(c *crawler) int64 { return c.Reasons.RedirectedPolicy }), "", "robots.txt redirected to one that is not known"},
		{"contested", of(func(c *crawler) int64 { return c.Reasons.Contested }), "", "Google's parser and RFC 9309 read the rule differently"},
	}
)

// columns are all columns, in the order of CSV.
var columns = slices.Concat(
	[]column{
		{name: "crawler", of: of(func(c *crawler) string { return c.Crawler })},
		{name: "operator", of: of(func(c *crawler) string { return c.Operator })},
		{name: "category", of: of(func(c *crawler) string { return c.Category })},
	},
	requests, verdicts, outcomes,
	[]column{
		{name: "verified", of: of(func(c *crawler) int64 { return c.Identity.Verified })},
		{name: "partial", of: func(r *whole, _ *crawler) any { return r.Partial }},
		{name: "verified_obtained", of: of((*crawler).Proven)},
		informed,
		{name: "grace_informed", of: of(func(c *crawler) int64 { return c.GraceInformed })},
		{name: "identity_spoofed", of: of(func(c *crawler) int64 { return c.Identity.Spoofed })},
		{name: "unverified", of: of(func(c *crawler) int64 { return c.Identity.Unverified })},
		{name: "unverifiable", of: of(func(c *crawler) int64 { return c.Identity.Unverifiable })},
	},
	reasons,
	[]column{
		{name: "robots_txt_fetches", of: of(func(c *crawler) int64 { return c.RobotsTxt.Fetches })},
		{name: "from", of: about(func(r *whole) string { return r.From })},
		{name: "to", of: about(func(r *whole) string { return r.To })},
		{name: "policy", of: about(func(r *whole) string { return r.Policy.File })},
		{name: "history", of: about(func(r *whole) string { return r.Policy.History })},
		{name: "window_seconds", of: about(func(r *whole) int64 { return r.Policy.WindowSeconds })},
		{name: "versions", of: about(versionList)},
		{name: "lines", of: about(func(r *whole) int64 { return r.Lines })},
		{name: "blank", of: about(func(r *whole) int64 { return r.Blank })},
		{name: "unparsed", of: about(func(r *whole) int64 { return r.Unparsed })},
		{name: "not_crawlers", of: about(func(r *whole) int64 { return r.NotCrawlers })},
		{name: "other_host", of: about(func(r *whole) int64 { return r.OtherHost })},
		{name: "not_judged", of: about(func(r *whole) int64 { return r.NotJudged })},
		{name: "verified_share", of: about(func(r *whole) float64 { return r.Totals.VerifiedShare })},
		{name: "unparsed_samples", of: about(func(r *whole) string { return strings.Join(r.UnparsedSamples, "; ") })},
		{name: "sampling", of: about(func(r *whole) string { return r.Sampling })},
		{name: "warnings", of: about(func(r *whole) string { return strings.Join(r.Warnings, " ") })},
		{name: "assumptions", of: about(func(r *whole) string { return strings.Join(r.Assumptions, " ") })},
		{name: "inputs", of: about(inputList)},
	},
)

// sum adds up a figure of crawlers.
func (c column) sum(crawlers []audit.CrawlerInfo) (n int64) {
	for i := range crawlers {
		n += c.of(nil, &crawlers[i]).(int64)
	}
	return n
}

// title is the name of a column in a sentence.
func (c column) title() string { return strings.ReplaceAll(c.name, "_", " ") }

// legend defines those of the columns that have a definition.
func legend(columns ...column) (list []fact) {
	for _, c := range columns {
		if c.means != "" {
			list = append(list, fact{c.title(), c.means})
		}
	}
	return list
}

// inputList names the inputs with their sizes, in one cell.
func inputList(r *audit.Report) string {
	var list []string
	for _, in := range r.Inputs {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s (%d bytes) %s", in.Name, in.Bytes, in.Error)))
	}
	return strings.Join(list, "; ")
}

// versionList names as many versions as the document lists, in one cell.
func versionList(r *audit.Report) string {
	var list []string
	for _, v := range r.Policy.Versions[:min(len(r.Policy.Versions), maxVersionsShown)] {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %d %s", v.Origin, cmp.Or(v.From, beginning), v.Status, v.File)))
	}
	if more := len(r.Policy.Versions) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}
