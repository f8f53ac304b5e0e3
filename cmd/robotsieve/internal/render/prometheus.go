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

// WritePrometheus writes the figures of a report in the text format of Prometheus, for the
// textfile collector of its node exporter (Prometheus, "Exposition formats", version 0.0.4).
// All are gauges: they are of one audit, and do not add up with those of the next.
//
// Only crawlers that are known have labels of their own. The names of all others are anybody's
// to invent, and each would make new time series: they are counted together.
func WritePrometheus(w io.Writer, r *report.Report) error {
	b := bufio.NewWriter(w)
	r = r.Rewrite(report.Printable)
	all := slices.Clone(metrics)
	for _, f := range traffic {
		all = append(all, metric{f.name, f.means, ofCrawlers(func(c *crawler,
			add func(float64, ...string)) {
			add(float64(f.of(c)))
		})})
	}
	for _, m := range all {
		if r.Policy.None() && strings.Contains(m.name, "violation") {
			continue
		}
		fmt.Fprintf(b, "# HELP robotsieve_%s %s\n# TYPE robotsieve_%s gauge\n", m.name, m.help, m.name)
		sums, order := map[string]float64{}, []string(nil)
		m.samples(r, func(value float64, labels ...string) {
			text := labelText(labels)
			if r.Policy.None() && strings.Contains(text, "violation") {
				return
			}
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

// metric is a metric of Prometheus. samples gives each of its samples to add, with the names
// and values of its labels in turn; those with equal labels are added up.
type metric struct {
	name, help string
	samples    func(r *report.Report, add func(value float64, labels ...string))
}

// metrics are those before the figures of traffic, in the order of the file.
var metrics = []metric{
	{"info", "The program that made the audit; 1.", func(r *report.Report, add func(float64, ...string)) {
		add(1, "program", r.Program, "schema", r.Schema)
	}},
	{"partial", "1 if not all of the input was read, or too many lines could not be parsed; else 0.",
		func(r *report.Report, add func(float64, ...string)) {
			if r.Partial {
				add(1)
			} else {
				add(0)
			}
		}},
	{"lines", "Lines of the logs, by kind.", func(r *report.Report, add func(float64, ...string)) {
		for _, l := range []struct {
			kind string
			n    int64
		}{{"crawler", r.Totals.Requests}, {"not_crawler", r.NotCrawlers}, {"other_host", r.OtherHost},
			{"not_judged", r.NotJudged}, {"unparsed", r.Unparsed}, {"other_crawler", r.Choice.Requests}} {
			add(float64(l.n), "kind", l.kind)
		}
	}},
	{"all_bytes", "Bytes of bodies sent to all clients.", func(r *report.Report, add func(float64, ...string)) {
		add(float64(r.AllBytes))
	}},
	{"first_request_timestamp_seconds", "Time of the first request of a crawler.",
		func(r *report.Report, add func(float64, ...string)) { addTime(r.From, add) }},
	{"last_request_timestamp_seconds", "Time of the last request of a crawler.",
		func(r *report.Report, add func(float64, ...string)) { addTime(r.To, add) }},
	{"robots_txt_requests", "GETs of /robots.txt by any client, by answer.",
		func(r *report.Report, add func(float64, ...string)) {
			t := r.RobotsTxt
			add(float64(t.Served), "answer", "served")
			add(float64(t.None), "answer", "none")
			add(float64(t.Failed), "answer", "failed")
		}},
	{"requests", "Requests of crawlers, by verdict.", ofCrawlers(func(c *crawler, add func(float64, ...string)) {
		for v, n := range c.Verdicts {
			if n > 0 || report.Verdict(v) == report.Violation {
				add(float64(n), "verdict", report.Verdict(v).String())
			}
		}
	})},
	{"violations", "Requests that every copy of robots.txt forbids which the crawler may still have been using.",
		ofCrawlers(func(c *crawler, add func(float64, ...string)) {
			for _, v := range c.Violations {
				informed := strconv.FormatBool(v.Informed)
				if !c.InformedKnown {
					informed = "unknown"
				}
				add(float64(v.N), "identity", v.Identity.String(), "outcome", v.Outcome.String(),
					"method", v.Method.String(), "informed", informed)
			}
		})},
}

func addTime(t report.Time, add func(float64, ...string)) {
	if !t.IsZero() {
		add(float64(t.UnixMilli()) / 1000)
	}
}

// unknownCrawlers is the label of all crawlers that are not known.
const unknownCrawlers = "(unknown)"

// ofCrawlers gives the samples of each crawler, in the order of their names, with labels that
// name it.
func ofCrawlers(samples func(*crawler, func(float64, ...string))) func(*report.Report, func(float64, ...string)) {
	return func(r *report.Report, add func(float64, ...string)) {
		list := slices.Clone(r.Crawlers)
		name := func(c *crawler) string {
			if c.Operator == report.Unknown {
				return unknownCrawlers
			}
			return c.Crawler
		}
		slices.SortStableFunc(list, func(x, y crawler) int { return cmp.Compare(name(&x), name(&y)) })
		for i := range list {
			c := &list[i]
			samples(c, func(value float64, labels ...string) {
				add(value, append([]string{"crawler", name(c), "operator", c.Operator, "role", string(c.Role)}, labels...)...)
			})
		}
	}
}

// labelText writes labels, given as names and values in turn.
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

// labelEscapes are those of the text format. Printable has left no line end.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
