package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

type benchReport struct {
	Schema  string         `json:"schema"`
	Bytes   int            `json:"bytes"` // of robots.txt
	URLs    int            `json:"urls"`
	Agent   string         `json:"agent"`
	Dialect string         `json:"dialect"`
	Rounds  int            `json:"rounds"`
	Partial bool           `json:"partial"`
	Engines []engineReport `json:"engines"`
}

// engineReport is the measurement of one parser. Times that were not measured are 0.
type engineReport struct {
	Engine string `json:"engine"`
	How    string `json:"how"` // how the engine answers for a URL
	// CompileNS is to read robots.txt once, URLNS per verdict: medians of benchRounds rounds. The spreads
	// are half the distance between the fastest and the slowest round, as a fraction of the median.
	CompileNS     float64 `json:"compile_ns"`
	CompileSpread float64 `json:"compile_spread"`
	URLNS         float64 `json:"url_ns"`
	URLSpread     float64 `json:"url_spread"`
	URLsPerSecond float64 `json:"urls_per_second"`
	// StartUpNS is the time of an external command without any question. URLNS doesn't include it.
	StartUpNS float64 `json:"start_up_ns"`
	// Compared counts URLs with a verdict, Agreed those with robotsieve's. Complete means that all have one.
	Compared int  `json:"compared"`
	Agreed   int  `json:"agreed"`
	Complete bool `json:"complete"`
	// Disagreements lists the first URLs on which the verdicts differ.
	Disagreements []disagreement `json:"disagreements"`
	// Error says why some or all of the measurement is missing.
	Error string `json:"error"`
}

// disagreement is a URL on which a parser contradicts robotsieve.
type disagreement struct {
	URL     string `json:"url"`
	Allowed bool   `json:"allowed"` // the parser's verdict
	Line    int    `json:"line"`    // the line that decided for robotsieve; 0 if no rule matches
	Rule    string `json:"rule"`
}

// rewrite returns a copy of the report in which write was called once for each text.
func (r *benchReport) rewrite(write report.Rewriter) *benchReport {
	c := *r
	write.Texts(&c.Agent)
	report.Each(&c.Engines, func(e *engineReport) {
		write.Texts(&e.Engine, &e.Error)
		report.Each(&e.Disagreements, func(d *disagreement) { write.Texts(&d.URL, &d.Rule) })
	})
	return &c
}

func (w *work) report() *benchReport {
	return &benchReport{
		Schema: "robotsieve.bench/1", Bytes: len(w.site.Body), URLs: len(w.site.URLs), Agent: w.site.Agent,
		Dialect: w.dialect.String(), Rounds: benchRounds, Engines: []engineReport{},
	}
}

func (w *work) measure(ctx context.Context, p parser, limit time.Duration) engineReport {
	m := bench.Measure(ctx, p.Entrant, []bench.Site{w.site}, [][]bench.Verdict{w.want},
		bench.Plan{Rounds: benchRounds, MinRound: benchRound, Timeout: limit})
	r := engineReport{
		Engine: p.Name, How: p.how, StartUpNS: float64(m.StartUp),
		Compared: m.Asked, Agreed: m.Agreed, Disagreements: []disagreement{},
	}
	if err := cmp.Or(m.Missing, m.Broken); err != nil {
		r.Error = err.Error()
	}
	r.Complete = r.Error == "" && r.Compared == len(w.want)
	r.CompileNS, r.CompileSpread = rounded(m.Parse())
	r.URLNS, r.URLSpread = rounded(m.Match())
	if r.URLNS > 0 {
		r.URLsPerSecond = math.Round(1e9 / r.URLNS)
	}
	for _, d := range m.Differences {
		line := int(w.verdicts[d.URL].Line)
		one := disagreement{URL: w.site.URLs[d.URL], Allowed: d.Got == bench.Allowed, Line: line}
		if rule, ok := w.robots.Rule(line); ok {
			one.Rule = rule.String()
		}
		r.Disagreements = append(r.Disagreements, one)
	}
	return r
}

// rounded rounds a median to a tenth, and a spread to a tenth of a per cent.
func rounded(median, spread float64) (float64, float64) {
	return math.Round(median*10) / 10, math.Round(spread*1000) / 1000
}

// Limits of texts, in characters.
const (
	maxErrorShown = 300
	maxRuleShown  = 50
)

func (r *benchReport) write(s streams, form string) error {
	w := bufio.NewWriter(s.out)
	switch form {
	case "json":
		if err := render.WriteJSON(w, r.rewrite(report.ToUTF8), "  "); err != nil {
			return err
		}
	case "csv":
		r.rewrite(report.Printable).writeCSV(w)
	default:
		r.rewrite(report.Printable).writeText(w)
	}
	return w.Flush()
}

func (r *benchReport) writeCSV(w *bufio.Writer) {
	fmt.Fprint(w, render.CSVLine(
		"engine", "how", "compile_ns", "compile_spread", "url_ns", "url_spread", "urls_per_second", "start_up_ns",
		"compared", "agreed", "error", "partial", "urls",
	))
	for _, e := range r.Engines {
		fmt.Fprint(w, render.CSVLine(
			e.Engine, e.How, e.CompileNS, e.CompileSpread, e.URLNS, e.URLSpread, e.URLsPerSecond, e.StartUpNS,
			e.Compared, e.Agreed, e.Error, r.Partial, r.URLs,
		))
	}
}

func (r *benchReport) writeText(w *bufio.Writer) {
	if r.Partial {
		fmt.Fprint(w, "PARTIAL: not all engines were measured.\n\n")
	}
	fmt.Fprintf(w, "%s of robots.txt, %s, agent %s, dialect %s.\n\n",
		english.Plural(int64(r.Bytes), "byte"), english.Plural(int64(r.URLs), "URL"), r.Agent, r.Dialect)
	var rows [][]string
	for _, e := range r.Engines {
		rows = append(rows, e.row(r.URLs))
	}
	columns := append(render.Left("engine", ""), render.Right("ns a parse", "±", "ns a URL", "±", "URLs a second",
		"agrees")...)
	fmt.Fprintln(w, render.Table(columns, rows))
	r.notes(w)
	for _, e := range r.Engines {
		e.writeDisagreements(w)
	}
}

// row returns the table's row. The number of compared URLs is shown unless all were.
func (e *engineReport) row(urls int) []string {
	if e.Error != "" {
		return []string{e.Engine, "failed", "-", "-", "-", "-", "-", "-"}
	}
	agrees := bench.Percent(e.Agreed, e.Compared) + "%"
	if e.Compared < urls {
		agrees += " of " + english.Grouped(int64(e.Compared))
	}
	if e.Engine == "robotsieve" && e.How == "compiles once" {
		agrees = "reference"
	}
	return []string{
		e.Engine, e.How, nanoseconds(e.CompileNS), spread(e.CompileNS, e.CompileSpread),
		nanoseconds(e.URLNS), spread(e.URLNS, e.URLSpread), nanoseconds(e.URLsPerSecond), agrees,
	}
}

func (r *benchReport) notes(w *bufio.Writer) {
	fmt.Fprintf(w, "\nMedians of %d rounds, one thread each; ± is half the distance between the fastest and the "+
		"slowest.\n", r.Rounds)
	for _, e := range r.Engines {
		if e.Error != "" {
			fmt.Fprintf(w, "%s failed: %s\n", e.Engine, render.Cut(e.Error, maxErrorShown))
			continue
		}
		if e.How == "external" {
			fmt.Fprintf(w, "%s: the time includes reading and writing JSON; the start-up of its process, %v, "+
				"is subtracted.\n",
				e.Engine, time.Duration(e.StartUpNS).Round(10*time.Microsecond))
		}
	}
}

func (e *engineReport) writeDisagreements(w *bufio.Writer) {
	if e.Compared == e.Agreed {
		return
	}
	fmt.Fprintf(w, "\n%s disagrees with robotsieve on %s:\n", e.Engine,
		english.Plural(int64(e.Compared-e.Agreed), "URL"))
	for _, d := range e.Disagreements {
		rule := "no rule matches"
		if d.Line > 0 {
			rule = fmt.Sprintf("line %d: %s", d.Line, render.Cut(d.Rule, maxRuleShown))
		}
		says := map[bool]string{true: "allowed, robotsieve disallowed",
			false: "disallowed, robotsieve allowed"}[d.Allowed]
		fmt.Fprintf(w, "  %s: %s (%s)\n", render.Cut(d.URL, maxRuleShown), says, rule)
	}
}

// nanoseconds formats a non-negative number, with one decimal if it is small.
func nanoseconds(n float64) string {
	switch {
	case n == 0:
		return "-"
	case n < 100:
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return english.Grouped(int64(math.Round(n)))
}

func spread(n, part float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*part)
}
