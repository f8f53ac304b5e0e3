package main

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
)

// benchReport is what a benchmark found.
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

func (w *work) report() *benchReport {
	return &benchReport{
		Schema: "robotsieve.bench/1", Bytes: len(w.body), URLs: len(w.urls), Agent: printable(w.agent),
		Dialect: w.dialect.String(), Rounds: benchRounds, Engines: []engineReport{},
	}
}

// Bounds of texts, in characters.
const (
	maxErrorShown = 300
	maxRuleShown  = 50
)

// write prints the report in one of its forms.
func (r *benchReport) write(s streams, form string) error {
	w := bufio.NewWriter(s.out)
	switch form {
	case "json":
		e := report.Encoder(w)
		e.SetIndent("", "  ")
		if err := e.Encode(r); err != nil {
			return err
		}
	case "csv":
		if err := r.writeCSV(w); err != nil {
			return err
		}
	default:
		r.writeText(w)
	}
	return w.Flush()
}

// writeCSV prints one row an engine. Disagreements are counted only.
func (r *benchReport) writeCSV(w *bufio.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{
		"engine", "how", "compile_ns", "compile_spread", "url_ns", "url_spread", "urls_per_second", "start_up_ns",
		"compared", "agreed", "error", "partial", "urls",
	})
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	for _, e := range r.Engines {
		c.Write([]string{
			report.Cell(e.Engine), e.How, number(e.CompileNS), number(e.CompileSpread), number(e.URLNS), number(e.URLSpread),
			number(e.URLsPerSecond), number(e.StartUpNS), strconv.Itoa(e.Compared), strconv.Itoa(e.Agreed), report.Cell(e.Error),
			strconv.FormatBool(r.Partial), strconv.Itoa(r.URLs),
		})
	}
	c.Flush()
	return c.Error()
}

func (r *benchReport) writeText(w *bufio.Writer) {
	if r.Partial {
		fmt.Fprint(w, "PARTIAL: not all engines were measured.\n\n")
	}
	fmt.Fprintf(w, "%s of robots.txt, %s, asked by %s in dialect %s.\n\n",
		english.Plural(int64(r.Bytes), "byte"), english.Plural(int64(r.URLs), "URL"), r.Agent, r.Dialect)
	var rows [][]string
	for _, e := range r.Engines {
		rows = append(rows, e.row(r.URLs))
	}
	header := []string{"engine", "", ">ns a parse", ">±", ">ns a URL", ">±", ">URLs a second", ">agrees"}
	fmt.Fprintln(w, report.Table(header, rows))
	r.notes(w)
	for _, e := range r.Engines {
		e.writeDisagreements(w)
	}
}

// row is the engine's in the table. What agrees is a part of what was compared, which
// is said unless it is all.
func (e *engineReport) row(urls int) []string {
	if e.Error != "" {
		return []string{e.Engine, "failed", "-", "-", "-", "-", "-", "-"}
	}
	agrees := percent(e.Agreed, e.Compared)
	if e.Compared < urls {
		agrees += " of " + english.Grouped(int64(e.Compared))
	}
	if e.Engine == "robotsieve" && e.How != "external" {
		agrees = "reference"
	}
	return []string{
		e.Engine, e.How, nanoseconds(e.CompileNS), spread(e.CompileNS, e.CompileSpread),
		nanoseconds(e.URLNS), spread(e.URLNS, e.URLSpread), nanoseconds(e.URLsPerSecond), agrees,
	}
}

func (r *benchReport) notes(w *bufio.Writer) {
	fmt.Fprintf(w, "\nMedians of %d rounds, one thread each; ± is half of what lies between the fastest and the slowest.\n", r.Rounds)
	for _, e := range r.Engines {
		if e.Error != "" {
			fmt.Fprintf(w, "%s failed: %s\n", e.Engine, report.Cut(e.Error, maxErrorShown))
			continue
		}
		if e.How == "external" {
			fmt.Fprintf(w, "%s: its time is that of a process that reads and writes JSON; its start-up, %v when asked nothing, is taken off.\n",
				e.Engine, time.Duration(e.StartUpNS).Round(10*time.Microsecond))
		}
		if e.Compared < r.URLs {
			fmt.Fprintf(w, "%s: compared on the first %s only, then stopped by --timeout.\n", e.Engine, english.Plural(int64(e.Compared), "URL"))
		}
	}
}

func (e *engineReport) writeDisagreements(w *bufio.Writer) {
	if e.Compared == e.Agreed {
		return
	}
	fmt.Fprintf(w, "\n%s disagrees with robotsieve on %s:\n", e.Engine, english.Plural(int64(e.Compared-e.Agreed), "URL"))
	for _, d := range e.Disagreements {
		rule := "no rule matches"
		if d.Line > 0 {
			rule = fmt.Sprintf("line %d: %s", d.Line, report.Cut(d.Rule, maxRuleShown))
		}
		says := map[bool]string{true: "allowed, robotsieve disallowed", false: "disallowed, robotsieve allowed"}[d.Allowed]
		fmt.Fprintf(w, "  %s: %s (%s)\n", report.Cut(d.URL, maxRuleShown), says, rule)
	}
}

// nanoseconds writes a number that is not negative; of a small one a tenth
// matters.
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

// percent never rounds to 100 what is not all.
func percent(n, of int) string {
	if n == of {
		return "100%"
	}
	return fmt.Sprintf("%.2f%%", min(99.99, 100*float64(n)/float64(of)))
}
