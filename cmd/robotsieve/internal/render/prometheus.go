package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/robotsieve/robotsieve/scan/report"
)

// WritePrometheus writes the figures of a report in the Prometheus text format ("Exposition formats",
// version 0.0.4), for the textfile collector of the node exporter. All are gauges of a single audit.
// Unknown crawlers are counted together, as anybody can invent names, and each would be a time series.
func WritePrometheus(w io.Writer, r *report.Report) error {
	b := bufio.NewWriter(w)
	r = r.Rewrite(report.Printable)
	for _, m := range metrics() {
		if m.judged && r.Policy.None() {
			continue
		}
		fmt.Fprintf(b, "# HELP robotsieve_%s %s\n# TYPE robotsieve_%s gauge\n", m.name, m.help, m.name)
		sums, order := map[string]float64{}, []string(nil)
		m.samples(r, func(value float64, labels ...string) {
			text := labelText(labels)
			if _, known := sums[text]; !known {
				order = append(order, text)
			}
			sums[text] += value
		})
		for _, labels := range order {
			fmt.Fprintf(b, "robotsieve_%s%s %s\n", m.name, labels, strconv.FormatFloat(sums[labels], 'f', -1, 64))
		}
	}
	return b.Flush()
}

// metric is a metric. samples adds samples with names and values of labels, summed where labels are equal.
type metric struct {
	name, help string
	judged     bool // as in column
	samples    func(r *report.Report, add adder)
}

type adder = func(value float64, labels ...string)

func metrics() []metric {
	list := []metric{{"info", "The program that made the audit; 1.", false, func(r *report.Report, add adder) {
		add(1, "program", r.Program, "schema", r.Schema)
	}}}
	for _, c := range gauges {
		list = append(list, metric{c.name, sentence(c.means), false, func(r *report.Report, add adder) {
			if v := c.value(r); !v.none {
				add(c.float(v))
			}
		}})
	}
	list = slices.Insert(list, 2, labelled("lines", "Lines of the logs, by kind.", "kind", lineKinds))
	list = append(list,
		labelled("robots_txt_requests", "GETs of /robots.txt by any client, by answer.", "answer", robotsAnswers),
		metric{"requests", "Requests of crawlers, by verdict.", false, ofCrawlers(addVerdicts)},
		metric{"violations", "Requests that every copy of robots.txt forbids which the crawler may still have been using.",
			true, ofCrawlers(addViolations)})
	for _, c := range traffic {
		samples := func(_ *report.Report, of *crawler, add adder) { add(c.float(c.value(of))) }
		list = append(list, metric{c.name, sentence(c.means), c.judged, ofCrawlers(samples)})
	}
	return list
}

// gauges have no labels, and no sample without a value. lineKinds and robotsAnswers have one each.
var (
	gauges = columns[report.Report]{
		{name: "partial", kind: boolRow, means: "1 if not all of the input was read, or too many lines could not be " +
			"parsed; else 0", value: func(r *report.Report) value { return boolean(r.Partial) }},
		{name: "all_bytes", kind: integerRow, means: "bytes of bodies sent to all clients",
			value: func(r *report.Report) value { return integer(r.AllBytes) }},
		{name: "first_request_timestamp_seconds", kind: timeRow, means: "time of the first request of a crawler",
			value: func(r *report.Report) value { return timeOf(r.From) }},
		{name: "last_request_timestamp_seconds", kind: timeRow, means: "time of the last request of a crawler",
			value: func(r *report.Report) value { return timeOf(r.To) }},
	}
	lineKinds = columns[report.Report]{
		{name: "crawler", value: func(r *report.Report) value { return integer(r.Totals.Requests) }},
		{name: "not_crawler", value: func(r *report.Report) value { return integer(r.NotCrawlers) }},
		{name: "other_host", value: func(r *report.Report) value { return integer(r.OtherHost) }},
		{name: "not_judged", value: func(r *report.Report) value { return integer(r.NotJudged) }},
		{name: "unparsed", value: func(r *report.Report) value { return integer(r.Unparsed) }},
		{name: "other_crawler", value: func(r *report.Report) value { return integer(r.Choice.Requests) }},
	}
	robotsAnswers = columns[report.Report]{
		{name: "served", value: func(r *report.Report) value { return integer(r.RobotsTxt.Served) }},
		{name: "none", value: func(r *report.Report) value { return integer(r.RobotsTxt.None) }},
		{name: "failed", value: func(r *report.Report) value { return integer(r.RobotsTxt.Failed) }},
	}
)

// labelled returns columns as one metric, whose label has the names of the columns.
func labelled(name, help, label string, list columns[report.Report]) metric {
	return metric{name, help, false, func(r *report.Report, add adder) {
		for _, c := range list {
			add(c.float(c.value(r)), label, c.name)
		}
	}}
}

func sentence(means string) string { return strings.ToUpper(means[:1]) + means[1:] + "." }

// addVerdicts adds requests by verdict, without those that don't occur except violations if judged.
func addVerdicts(r *report.Report, c *crawler, add adder) {
	for i := range verdicts {
		v := &verdicts[i]
		if n := v.float(v.value(c)); n > 0 || v.alarm && !r.Policy.None() {
			add(n, "verdict", v.name)
		}
	}
}

func addViolations(_ *report.Report, c *crawler, add adder) {
	for _, v := range c.Violations {
		informed := strconv.FormatBool(v.Informed)
		if !c.InformedKnown {
			informed = "unknown"
		}
		add(float64(v.N), "identity", v.Identity.String(), "outcome", v.Outcome.String(), "method", v.Method.String(),
			"informed", informed)
	}
}

// ofCrawlers returns the samples of each crawler, sorted and labelled by name.
func ofCrawlers(samples func(*report.Report, *crawler, adder)) func(*report.Report, adder) {
	return func(r *report.Report, add adder) {
		list := slices.Clone(r.Crawlers)
		name := func(c *crawler) string {
			if c.Operator == report.Unknown {
				return "(unknown)"
			}
			return c.Crawler
		}
		slices.SortStableFunc(list, func(x, y crawler) int { return cmp.Compare(name(&x), name(&y)) })
		for i := range list {
			c := &list[i]
			samples(r, c, func(value float64, labels ...string) {
				add(value, append([]string{"crawler", name(c), "operator", c.Operator, "role", string(c.Role)}, labels...)...)
			})
		}
	}
}

// labelText formats labels, given as alternating names and values.
func labelText(labels []string) string {
	if len(labels) == 0 {
		return ""
	}
	var parts []string
	for i := 0; i < len(labels); i += 2 {
		parts = append(parts, labels[i]+`="`+labelEscapes.Replace(labels[i+1])+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// labelEscapes escapes labels in the text format. Printable has already removed line breaks.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
