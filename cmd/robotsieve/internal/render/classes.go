package render

import (
	"io"
	"math"
	"slices"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

func classRows() columns[report.SiteClass] {
	return slices.Insert(columns[report.SiteClass]{
		{name: "origin", means: "scheme, host and port, such as `https://example.com:443`",
			value: func(c *report.SiteClass) value { return words(c.Origin) }},
		{name: "status", kind: integerRow, means: "the HTTP status of the answer to /robots.txt",
			value: func(c *report.SiteClass) value { return integer(int64(c.Status)) }},
		{name: "agent", means: "the crawler, as `--class` names it or, if it is known, by its usual name",
			value: func(c *report.SiteClass) value { return words(c.Agent) }},
		{name: "named", kind: boolRow,
			means: "a group names the crawler; if none does, those for `*` bind it, unless it ignores them",
			value: func(c *report.SiteClass) value { return boolean(c.Named) }},
		{name: "class", means: "proved: `full`, every path is forbidden; `partial`, some are; `none`; " +
			"`undecided`, the search ended at its bound. `unreachable`: robots.txt failed, so everything is forbidden. " +
			"`page`: a web page, which forbids nothing. " +
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
		{name: "bias", kind: integerRow, means: "how many more of the directories that the file names the crawler may " +
			"fetch than crawlers without a group; below 0: fewer; no value if there is no file to judge",
			value: func(c *report.SiteClass) value { return integer(int64(c.Bias)).when(c.Probed != "") }},
	}, 1, inForce(func(c *report.SiteClass) int64 { return c.From },
		func(c *report.SiteClass) int64 { return c.Until })...)
}

// instant returns a time in Unix seconds, or none for an open bound or one that doesn't fit a column.
func instant(seconds int64) value {
	const micros = 1_000_000
	return integer(seconds * micros).when(-math.MaxInt64/micros < seconds && seconds < math.MaxInt64/micros)
}

// NewClasses returns an empty list of classes with one of RowOutputs. The list must be closed.
func NewClasses(w io.Writer, output string) *List[report.SiteClass] {
	return classRows().list(w, output)
}

// inForce returns the columns for the period when a version is in force.
func inForce[T any](from, until func(*T) int64) columns[T] {
	return columns[T]{
		{name: "from", kind: timeRow, means: "from when on this version is in force; no value if it has no date",
			value: func(r *T) value { return instant(from(r)) }},
		{name: "until", kind: timeRow, means: "when the next version comes into force; no value if there is none",
			value: func(r *T) value { return instant(until(r)) }},
	}
}

func signalRows() columns[report.SiteSignal] {
	return append(columns[report.SiteSignal]{
		{name: "origin", means: "scheme, host and port, such as `https://example.com:443`; no value for `check --tdmrep`",
			value: func(s *report.SiteSignal) value { return words(s.Origin) }},
		{name: "agent", means: "a product token in lower case, or `*` for the crawlers that no group names; " +
			"no value for all crawlers",
			value: func(s *report.SiteSignal) value { return words(s.Agent) }},
		{name: "signal", means: "`content-signal`, `content-usage`, `license`, `control-token` or `tdmrep`",
			value: func(s *report.SiteSignal) value { return words(s.Signal) }},
		{name: "use", means: "what the preference is about, such as `ai-train`; no value for licenses",
			value: func(s *report.SiteSignal) value { return words(s.Use) }},
		{name: "path", means: "the pattern of the paths that it is for; no value for all",
			value: func(s *report.SiteSignal) value { return words(s.Path) }},
		{name: "value", means: "`yes`, `no`, `partly` (of a control token: for some paths) or `unknown`; " +
			"or the word or URL that is stated",
			value: func(s *report.SiteSignal) value { return words(s.Value) }},
	}, inForce(func(s *report.SiteSignal) int64 { return s.From }, func(s *report.SiteSignal) int64 { return s.Until })...)
}

// NewSignals returns an empty list of preferences with one of RowOutputs. The list must be closed.
func NewSignals(w io.Writer, output string) *List[report.SiteSignal] {
	return signalRows().list(w, output)
}

func monthRows() columns[report.MonthClass] {
	list := columns[report.MonthClass]{
		{name: "month", value: func(m *report.MonthClass) value { return words(m.Month) }},
		{name: "agent", value: func(m *report.MonthClass) value { return words(m.Agent) }},
		{name: "sites", kind: integerRow, value: func(m *report.MonthClass) value { return integer(m.Sites) }},
	}
	classes := report.MonthClasses()
	for _, class := range append(classes[1:], classes[0]) {
		list = append(list, column[report.MonthClass]{name: class, kind: integerRow,
			value: func(m *report.MonthClass) value { return integer(m.Classes[class]) }})
	}
	return list
}

// NewMonths returns an empty list of classes by month, with one row per month and agent. The list must be closed.
func NewMonths(w io.Writer, output string) *List[report.MonthClass] {
	return monthRows().list(w, output)
}

// MonthTable formats classes by month as a text table.
func MonthTable(list []report.MonthClass) string {
	heads, rows, classes := Left("month", "agent"), [][]string{}, monthRows()[2:]
	for _, c := range classes {
		heads = append(heads, Right(c.name)...)
	}
	for i := range list {
		row := []string{list[i].Month, Cut(list[i].Agent, 24)}
		for _, c := range classes {
			row = append(row, english.Grouped(c.value(&list[i]).number))
		}
		rows = append(rows, row)
	}
	return Table(heads, rows)
}
