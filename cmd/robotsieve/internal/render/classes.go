package render

import (
	"io"
	"math"

	"github.com/robotsieve/robotsieve/scan/report"
)

// classRows are the rows of classes.
var classRows = columns[report.SiteClass]{
	{name: "origin", means: "scheme, host and port, such as `https://example.com:443`",
		value: func(c *report.SiteClass) value { return words(c.Origin) }},
	{name: "from", kind: timeRow, means: "from when on this version is in force; no value if it has no date",
		value: func(c *report.SiteClass) value { return instant(c.From) }},
	{name: "until", kind: timeRow, means: "when the next version comes into force; no value if there is none",
		value: func(c *report.SiteClass) value { return instant(c.Until) }},
	{name: "status", kind: integerRow, means: "the HTTP status of the answer to /robots.txt",
		value: func(c *report.SiteClass) value { return integer(int64(c.Status)) }},
	{name: "agent", means: "the crawler, as `--class` names it or, if it is known, by its usual name",
		value: func(c *report.SiteClass) value { return words(c.Agent) }},
	{name: "named", kind: boolRow,
		means: "a group names the crawler; if none does, those for `*` bind it, unless it ignores them",
		value: func(c *report.SiteClass) value { return boolean(c.Named) }},
	{name: "class", means: "proved: `full`, every path is forbidden; `partial`, some are; `none`; " +
		"`undecided`, the search ended at its bound. `unreachable`: robots.txt failed, so everything is forbidden. " +
		"`unknown`: it was redirected to where the sources of the archive had nothing",
		value: func(c *report.SiteClass) value { return words(c.Class) }},
	{name: "forbidden", means: "a shortest path that is forbidden, if one is and is known",
		value: func(c *report.SiteClass) value { return words(c.Forbidden) }},
	{name: "allowed", means: "a shortest path that is allowed, other than /robots.txt, if one is and is known",
		value: func(c *report.SiteClass) value { return words(c.Allowed) }},
	{name: "data_provenance", means: "the class by the Data Provenance Initiative: `all`, `some` or `none`; " +
		"no value if there is no file to judge",
		value: func(c *report.SiteClass) value { return words(c.AllSomeNone) }},
	{name: "imc_2025", means: "the class by the study of IMC 2025: `fully`, `partially` or `none`; " +
		"no value if there is no file to judge",
		value: func(c *report.SiteClass) value { return words(c.Probed) }},
	{name: "bias", kind: integerRow, means: "how many more of the directories that the file names the crawler may fetch " +
		"than crawlers without a group; below 0: fewer; no value if there is no file to judge",
		value: func(c *report.SiteClass) value { return integer(int64(c.Bias)).when(c.Probed != "") }},
}

// instant returns a time in Unix seconds; none for one that is no bound, or that no column can hold.
func instant(seconds int64) value {
	const micros = 1_000_000
	return integer(seconds * micros).when(-math.MaxInt64/micros < seconds && seconds < math.MaxInt64/micros)
}

// Classes lists classes, one row for each.
type Classes = rowList[report.SiteClass]

// NewClasses returns an empty list, in an output as NewRows. It must be closed.
func NewClasses(w io.Writer, output string) *Classes { return classRows.list(w, output) }
