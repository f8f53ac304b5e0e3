package report

import (
	"io"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

type study = report.StudyRow

// studyRows are the rows of the studies' measures.
var studyRows = rowTable[study]{
	{name: "measure", means: "what is measured; see below", value: func(s *study) value { return words(s.Measure) }},
	{name: "scope", means: "of what: `log`, `all`, `category`, `operator`, `crawler` or `site`",
		value: func(s *study) value { return words(s.Scope) }},
	{name: "name", means: "the name of the category, operator, crawler or site",
		value: func(s *study) value { return words(s.Name) }},
	{name: "identity", means: "of the clients, as in [rows](rows.md#columns); none: all but impostors",
		value: func(s *study) value { return words(s.Identity) }},
	{name: "n", kind: integerRow, means: "on how many `unit` the value rests",
		value: func(s *study) value { return integer(s.N).when(s.N > 0) }},
	{name: "unit", means: "what `n` counts", value: func(s *study) value { return words(s.Unit) }},
	{name: "requests", kind: integerRow, means: "how many requests with a verdict for or against their crawler these are",
		value: func(s *study) value { return integer(s.Requests).when(s.Requests > 0) }},
	{name: "value", kind: decimalRow, means: "a share from 0 to 1, z, or seconds",
		value: func(s *study) value { return decimal(s.Value) }},
	{name: "low", kind: decimalRow, means: "the lower end of its interval of 95 %; only of shares of sessions",
		value: func(s *study) value { return decimal(s.Low) }},
	{name: "high", kind: decimalRow, means: "the upper end", value: func(s *study) value { return decimal(s.High) }},
	{name: "note", means: "what to know of it", unlike: true, value: func(s *study) value { return words(s.Note) }},
}

// WriteStudies writes Report.Studies as CSV, or as Parquet.
func WriteStudies(w io.Writer, r *report.Report, output string) error {
	l := studyRows.list(w, output)
	for i := range r.Studies {
		if err := l.Add(&r.Studies[i]); err != nil {
			return err
		}
	}
	return l.Close()
}

// IsStudies reports whether a file has studies as CSV, by its beginning.
func IsStudies(head []byte) bool { return strings.HasPrefix(string(head), studyRows.csvHeader()) }
