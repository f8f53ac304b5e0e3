package render

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/report"
)

type (
	crawler = report.CrawlerInfo
	site    = report.SiteInfo
)

type verdictTerm struct {
	verdict        report.Verdict
	heading, means string
	// explained and judged are as in column.
	explained, judged bool
	// layer is the layer in which the page draws the verdict, from layers; it is empty for violations.
	layer string
	// excuse says why the verdict isn't held against the crawler, undecided why it is no result. Or both are "".
	excuse, undecided string
}

// verdictTerms describes all verdicts, in the order used in sentences.
var verdictTerms = []verdictTerm{
	{report.Allowed, "allowed", "requests that robots.txt permits. This and the next eight columns have all " +
		"[verdicts](#totalsverdicts) and add up to `requests`; those that rest on a robots.txt have no value if none " +
		"was given", false, true, "allowed", "", ""},
	{report.RobotsFetch, "for \u200brobots\u200b.txt", "requests for robots.txt itself", false, false, "allowed", "", ""},
	{report.Violation, "for\u00adbidden", "requests that robots.txt forbids, whichever copy of it the crawler may have " +
		"been using", false, true, "", "", ""},
	{report.Grace, "rule \u200bwas new", "some copies of robots.txt that the crawler may still have been using " +
		"forbid the request, others permit it", true, true, "excused", "rule was new", ""},
	{report.NoPolicy, "told: no \u200brobots\u200b.txt", "permitted only because there was no robots.txt, " +
		"according to the files or to an answer in the log", true, true, "excused", "told: no robots.txt", ""},
	{report.Unreachable, "robots\u200b.txt \u200bfailed", "permitted only because robots.txt failed, " +
		"according to the files or to an answer in the log", true, true, "excused", "robots.txt failed", ""},
	{report.Indeterminate, "un\u00addecided", "requests that cannot be decided", false, false, "excused", "undecided",
		"could not be decided"},
	{report.Exempt, "says not \u200bbound", "requests of an agent that robots.txt does not bind, according to its " +
		"operator", false, false, "apart", "says it is not bound",
		"came from crawlers that robots.txt does not bind, as their operators say"},
	{report.Spoofed, "im\u00adpostor", "sent under this name from an address that is not the crawler's, according to " +
		"the lists given for it", true, false, "apart", "impostor", ""},
}

// layers are drawn above the line of a strip, from bottom to top, with their names in the key.
var layers = []struct{ Class, Means string }{
	{"allowed", "allowed"}, {"excused", "rule was new, undecided, or no robots.txt to read"},
	{"apart", "not bound, or impostor"},
}

// verdicts, outcomes and reasons are the columns for all values of an enum, in its order.
var (
	verdicts = verdictColumns()
	outcomes = columns[crawler]{
		byOutcome(report.Content, "", "answered with content"),
		byOutcome(report.NotModified, "not \u200bmod\u00adified", "answered with 304"),
		byOutcome(report.Empty, "", "answered with 2xx without a body"),
		byOutcome(report.Redirected, "redi\u00adrected", "answered with another 3xx"),
		byOutcome(report.Refused, "re\u00adfused", "answered with "+report.RefusedBy),
		byOutcome(report.OtherOutcome, "", "answered with any other status, such as 202, or with none"),
	}
	reasons = columns[crawler]{
		byReason(report.NoVersion, "the crawler may have used a robots.txt that is not known"),
		byReason(report.NoHost, "the host is not known"),
		byReason(report.NoTime, "the time cannot be read"),
		byReason(report.UnknownScheme, "http and https give different verdicts, and the log does not say which was used"),
		byReason(report.LossyPath, "the log does not have the path as the client sent it"),
		byReason(report.Truncated, "of the target, or of the crawler's name, only the beginning is known"),
		byReason(report.AmbiguousAgent, "the User-Agent names more than one product"),
		byReason(report.RedirectedPolicy, "robots.txt redirected to one that is not known"),
		byReason(report.ContestedRule, "it depends on how robots.txt, or the path, is read"),
		byReason(report.NoRobots, "no robots.txt was given"),
	}
)

func verdictColumns() columns[crawler] {
	list := make(columns[crawler], report.Verdicts)
	for _, t := range verdictTerms {
		c := counted(t.verdict.String(), t.heading, t.means, func(c *crawler) int64 { return c.Verdicts[t.verdict] })
		c.explained, c.judged, c.alarm = t.explained, t.judged, t.verdict == report.Violation
		list[t.verdict] = c
	}
	return list
}

func byOutcome(o report.Outcome, heading, means string) column[crawler] {
	c := counted(o.String(), heading, means, func(c *crawler) int64 { return c.Outcomes[o] })
	c.explained = true
	return c
}

func byReason(r report.Reason, means string) column[crawler] {
	return counted(r.String(), "", means, func(c *crawler) int64 { return c.Reasons[r] })
}

func byIdentity(i report.Identity, means string) column[crawler] {
	return counted(i.String(), "", means, func(c *crawler) int64 { return c.Identity[i] })
}

func counted(name, heading, means string, of func(*crawler) int64) column[crawler] {
	return column[crawler]{name: name, heading: heading, kind: integerRow, means: means,
		value: func(c *crawler) value { return integer(of(c)) }}
}

const informedMeans = "after a client of this name was sent a robots.txt that forbids the request, or told by 304 " +
	"that its copy stands"

// The remaining numbers: byVerdict in the table of crawlers, and besideVerdicts in addition to verdicts.
var (
	requests = counted("requests", "", "all requests under its name, including impostors'",
		func(c *crawler) int64 { return c.Requests })
	verified = byIdentity(report.Verified, "requests by clients that are proven to be this crawler; `verified`, "+
		"`unverified`, `unverifiable` and `spoofed` add up to `requests`")
	byVerdict = slices.Concat(verdicts[report.Violation:report.Violation+1], columns[crawler]{requests, verified},
		verdicts[:report.Violation], verdicts[report.Violation+1:])
	informed = column[crawler]{name: "informed", heading: "in\u00adformed", kind: integerRow, explained: true,
		judged: true, means: informedMeans + "; ?: the log does not say what was sent",
		value: func(c *crawler) value { return integer(c.Informed()).when(c.InformedKnown) }}
	besideVerdicts = columns[crawler]{
		counted("evasive", "", "allowed or undecided as it was sent, but its path is forbidden without needless "+
			"escapes, dot segments and repeated slashes", func(c *crawler) int64 { return c.Evasive }),
		counted("grace_informed", "", "the rule was new, and a client of this name was sent it, or told by 304 that its "+
			"copy stands", func(c *crawler) int64 { return c.GraceInformed }),
	}
)

// traffic are the columns of sent bytes. One added here also becomes the last column of the CSV.
var (
	bytesSent = counted("bytes", "", "bytes of bodies sent to crawlers, without impostors",
		func(c *crawler) int64 { return c.Bytes })
	violationBytes = column[crawler]{name: "violation_bytes", heading: "of vio\u00adlations", kind: integerRow,
		judged: true, means: "bytes of bodies sent in answer to violations",
		value: func(c *crawler) value { return integer(c.ViolationBytes) }}
	challenged = columns[crawler]{
		{name: "challenged_fetches", heading: "robots\u200b.txt \u200bchal\u00adlenged", kind: integerRow, explained: true,
			means: "GETs of robots.txt that were answered as firewalls do: 402, 403, 405, or 202 with another body",
			value: func(c *crawler) value { return integer(c.ChallengedFetches) }},
		{name: "challenged_violations", heading: "vio\u00adlations \u200bchal\u00adlenged", kind: integerRow, judged: true,
			explained: true, means: "violations that were answered with 202, 402, 403 or 405, as firewalls do",
			value: func(c *crawler) value { return integer(c.ChallengedViolations) }},
	}
	traffic = columns[crawler]{bytesSent, violationBytes, challenged[0], challenged[1]}
)

// title returns the name of a column in a sentence.
func (c *column[T]) title() string {
	return cmp.Or(unbroken.Replace(c.heading), strings.ReplaceAll(c.name, "_", " "))
}

// legend lists the meanings of columns with unclear headings.
func legend(lists ...columns[crawler]) (list []fact) {
	for _, c := range slices.Concat(lists...) {
		if c.explained {
			list = append(list, fact{c.title(), c.means})
		}
	}
	return list
}

// crawlerRow is a crawler with its report, for CSV.
type crawlerRow struct {
	*crawler
	of                *report.Report
	days              int64 // days with requests; 0 if unknown
	firstDay, lastDay string
}

func newCrawlerRow(r *report.Report, c *crawler) *crawlerRow {
	row := &crawlerRow{crawler: c, of: r}
	if c.Timeline.By > report.Day {
		return row
	}
	for _, from := range c.Timeline.From {
		if day := from.Format(time.DateOnly); day != row.lastDay {
			row.days, row.firstDay, row.lastDay = row.days+1, cmp.Or(row.firstDay, day), day
		}
	}
	return row
}

// crawlerRows returns the columns of a report as CSV.
func crawlerRows() columns[crawlerRow] {
	return slices.Concat(
		columns[crawlerRow]{
			{name: "crawler", means: "its name; `(other unknown crawlers)` stands for all that are not listed one by one",
				value: func(r *crawlerRow) value { return words(r.Crawler) }},
			{name: "operator", means: "who runs it; `unknown` if it is not a known crawler",
				value: func(r *crawlerRow) value { return words(r.Operator) }},
			{name: "category", means: "what it crawls for, such as `search` or `ai-training`, or `unknown`",
				value: func(r *crawlerRow) value { return words(r.Category) }},
			{name: "role", means: "`crawler`, or `fetcher`: sent by a person, a subscription or the site's own operator",
				value: func(r *crawlerRow) value { return words(string(r.Role)) }},
			{name: "obeys", means: "whether its operator says that it obeys robots.txt: `yes`, `no` or `unknown`",
				value: func(r *crawlerRow) value { return words(string(r.Obeys)) }},
		},
		ofReport(requests),
		columns[crawlerRow]{
			{name: "share", kind: decimalRow, means: "its share of the requests of all crawlers in the report, from 0 to 1",
				value: func(r *crawlerRow) value { return ratio(r.Requests, r.of.Totals.Requests) }},
		},
		ofReport(bytesSent),
		columns[crawlerRow]{
			{name: "addresses", kind: integerRow, means: "how many addresses it came from, without impostors; " +
				"an estimate if there are more than 2,048",
				value: func(r *crawlerRow) value { return integer(r.Addresses.N) }},
			{name: "days", kind: integerRow, means: "on how many days requests came under its name, in the time zone of the " +
				"report; this column and the next two have no value if its [timeline](#crawlerstimeline) is by week or longer",
				value: func(r *crawlerRow) value { return integer(r.days).when(r.days > 0) }},
			{name: "first_day", means: "the first of these days, such as `2026-11-02`",
				value: func(r *crawlerRow) value { return words(r.firstDay) }},
			{name: "last_day", means: "and the last",
				value: func(r *crawlerRow) value { return words(r.lastDay) }},
		},
		ofReport(verdicts...),
		columns[crawlerRow]{
			{name: "violation_share", kind: decimalRow, means: "the share of violations in its requests, without " +
				"impostors, from 0 to 1",
				value: func(r *crawlerRow) value {
					return ratio(r.Verdicts[report.Violation], own(r.crawler)).when(!r.of.Policy.None())
				}},
		},
		ofReport(
			violationBytes,
			ofViolations("verified", column[crawler]{kind: integerRow, means: "by clients that are proven to be this crawler",
				value: func(c *crawler) value { return integer(violationsOf(c, report.Verified).all) }}),
			ofViolations("content", outcomes[report.Content]),
			ofViolations("refused", outcomes[report.Refused]),
			ofViolations("informed", column[crawler]{kind: integerRow, value: informed.value,
				means: informedMeans + "; no value if the log does not tell what was sent"}),
			verified,
			byIdentity(report.Unverified, "requests by clients about which nothing is proven"),
			byIdentity(report.Unverifiable, "requests by clients that cannot be verified: the "+
				"operator publishes nothing for that, or the log has no public address of the client"),
		),
		columns[crawlerRow]{
			{name: "robots_txt_fetches", kind: integerRow, means: "its GETs of robots.txt; no value if the logs have none by " +
				"any client",
				value: func(r *crawlerRow) value { return integer(r.RobotsTxt.Fetches).when(r.of.RobotsTxt.Logged) }},
			{name: "partial", kind: boolRow, means: "not all of the input was read, or too many lines could not be parsed; " +
				"the same in each row",
				value: func(r *crawlerRow) value { return boolean(r.of.Partial) }},
		},
		ofReport(traffic[2:]...),
	)
}

// ofReport adapts columns of crawlers to crawlerRow.
func ofReport(list ...column[crawler]) (rows columns[crawlerRow]) {
	for i, c := range inRows(list, func(r *crawlerRow) *crawler { return r.crawler }) {
		if c.judged {
			c.value = func(r *crawlerRow) value { return list[i].value(r.crawler).when(!r.of.Policy.None()) }
		}
		rows = append(rows, c)
	}
	return rows
}

// ofViolations returns a column that only counts violations, named after how it divides them.
func ofViolations(name string, c column[crawler]) column[crawler] {
	c.name, c.means, c.judged = "violation_"+name, "violations "+c.means, true
	return c
}
