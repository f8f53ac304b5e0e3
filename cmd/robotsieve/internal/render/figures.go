package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

type (
	crawler = report.CrawlerInfo
	site    = report.SiteInfo
)

// figure is a number of a crawler, as the outputs name it.
type figure struct {
	name string
	// heading is the name in a table, as Column has it; if it is empty the name is.
	heading string
	// means is the definition, if the name does not say enough.
	means string
	of    func(*crawler) int64
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
		n += f.of(c)
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
			of: func(c *crawler) int64 { return get(c, E(i)) }})
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
	requests = figure{name: "requests", heading: "requests", of: func(c *crawler) int64 { return c.Requests }}
	verified = figure{name: "verified", heading: "verified",
		of: func(c *crawler) int64 { return c.Identity[report.Verified] }}
	verdicts  = counts(termsOfVerdicts(), func(c *crawler, v report.Verdict) int64 { return c.Verdicts[v] })
	byVerdict = slices.Concat(verdicts[report.Violation:report.Violation+1], []figure{requests, verified},
		verdicts[:report.Violation], verdicts[report.Violation+1:])
	outcomes = counts(outcomeTerms[:], func(c *crawler, o report.Outcome) int64 { return c.Outcomes[o] })
	reasons  = counts(reasonTerms[:], func(c *crawler, r report.Reason) int64 { return c.Reasons[r] })
	informed = figure{name: "informed", heading: "in\u00adformed",
		of: func(c *crawler) int64 { return c.Informed() },
		means: "after a client of this name was sent a robots.txt that forbids the request, " +
			"or told by 304 that its copy stands; ?: the log does not say what was sent"}
)

// Figures that are counted beside the verdicts.
var (
	evasive = figure{name: "evasive", of: func(c *crawler) int64 { return c.Evasive },
		means: "allowed or undecided as it was sent, but its path is forbidden without needless escapes, " +
			"dot segments and repeated slashes"}
	graceInformed = figure{name: "grace_informed", of: func(c *crawler) int64 { return c.GraceInformed },
		means: "the rule was new, and a client of this name was sent it, or told by 304 that its copy stands"}
)

// traffic are the figures of what was sent: each is a column of the table of traffic, and a metric
// of Prometheus, whose help is what it means.
var traffic = []figure{
	{"bytes", "bytes", "Bytes of bodies sent to crawlers, without impostors.",
		func(c *crawler) int64 { return c.Bytes }},
	{"violation_bytes", "of vio\u00adlations", "Bytes of bodies sent in answer to violations.",
		func(c *crawler) int64 { return c.ViolationBytes }},
}

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

// noClaim stands for a claim that is empty.
const noClaim = "nothing"
