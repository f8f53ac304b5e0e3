package main

import (
	"fmt"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/source"
)

// code is the exit code of a filtering. That nothing was kept is no error.
func (j *filterJob) code() int {
	switch {
	case j.interrupted:
		return exitInterrupted
	case j.failed || j.refused:
		return exitInput
	}
	return exitDone
}

// partial tells whether there are lines that the summary does not cover.
func (j *filterJob) partial() bool { return j.interrupted || j.failed }

// describeInputs reports how the reading of the inputs ended.
func (j *filterJob) describeInputs(s streams, results []source.Result) {
	for _, r := range results {
		for _, w := range r.Warnings {
			s.warn("%s", w)
		}
		if r.Err != nil {
			s.warn("%v", r.Err)
			j.failed = true
		}
	}
	if j.interrupted {
		s.warn("interrupted: the summary covers what was judged and printed until then")
	}
}

// describeInvalid reports what of the invalid lines did not go as asked for.
func (j *filterJob) describeInvalid(s streams, inputs []*source.Input) {
	if n := j.summary.Count[filter.TooLong]; n > 0 && j.invalid == "keep" {
		s.warn("%s too long to be printed", plural(n, "line"))
		j.refused = true
	}
	if j.summary.Invalid == 0 || j.invalid != "error" {
		return
	}
	j.refused = true
	for _, q := range j.summary.Quotes {
		s.warn("%s:%d: %s: %q", inputs[q.Input].Name, q.Line, classTexts[q.Class], q.Text)
	}
	if more := j.summary.Invalid - int64(len(j.summary.Quotes)); more > 0 {
		s.warn("and %s more", plural(more, "invalid line"))
	}
}

// classTexts are the classes as the summary has them.
var classTexts = [filter.Classes]string{
	filter.Allowed:     "allowed",
	filter.Disallowed:  "disallowed",
	filter.Unreachable: "disallowed as robots.txt is unreachable",
	filter.NoPolicy:    "without a robots.txt",
	filter.Blank:       "blank",
	filter.NotAbsolute: "not an absolute URL",
	filter.BadScheme:   "scheme is none of http, https and ftp",
	filter.BadHost:     "not a host, or not a port",
	filter.TooLong:     "longer than 1 MiB",
	filter.CutOff:      "cut off where its input broke off",
}

func (j *filterJob) writeSummary(s streams) error {
	if j.output == "json" {
		return j.writeJSON(s)
	}
	return j.writeText(s)
}

// writeText prints the summary for people: the sum, and below it the classes that
// there are.
func (j *filterJob) writeText(s streams) error {
	var valid, invalid []string
	for class, n := range j.summary.Count {
		text := grouped(n) + " " + classTexts[class]
		switch {
		case n == 0:
		case filter.Class(class).Valid():
			valid = append(valid, text)
		default:
			invalid = append(invalid, text)
		}
	}
	var b strings.Builder
	if j.partial() {
		b.WriteString("PARTIAL: ")
	}
	fmt.Fprintf(&b, "%s read: %s kept, %s dropped, %s invalid\n", plural(j.summary.Read, "line"),
		grouped(j.summary.Kept), grouped(j.summary.Dropped), grouped(j.summary.Invalid))
	if len(valid) > 0 {
		fmt.Fprintf(&b, "  URLs     %s\n", strings.Join(valid, ", "))
	}
	if len(invalid) > 0 {
		fmt.Fprintf(&b, "  invalid  %s\n", strings.Join(invalid, ", "))
	}
	_, err := s.err.Write([]byte(b.String()))
	return err
}

// writeJSON prints the summary as an object on one line, the last of stderr.
func (j *filterJob) writeJSON(s streams) error {
	sum := &j.summary
	reasons := map[string]int64{}
	for class := range filter.Classes {
		if !class.Valid() {
			reasons[class.String()] = sum.Count[class]
		}
	}
	return report.Encoder(s.err).Encode(struct {
		Schema      string           `json:"schema"`
		Partial     bool             `json:"partial"`
		Read        int64            `json:"read"`
		Kept        int64            `json:"kept"`
		Dropped     int64            `json:"dropped"`
		Invalid     int64            `json:"invalid"`
		Printed     int64            `json:"printed"`
		Allowed     int64            `json:"allowed"`
		Disallowed  int64            `json:"disallowed"`
		Unreachable int64            `json:"unreachable"`
		NoPolicy    int64            `json:"no_policy"`
		Reasons     map[string]int64 `json:"reasons"` // of the invalid lines
	}{
		"robotsieve.filter/1", j.partial(), sum.Read, sum.Kept, sum.Dropped, sum.Invalid, sum.Printed,
		sum.Count[filter.Allowed], sum.Count[filter.Disallowed], sum.Count[filter.Unreachable], sum.Count[filter.NoPolicy], reasons,
	})
}
