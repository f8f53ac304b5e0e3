package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/scan/report"
)

// measure runs one engine on the corpus.
func (c *corpus) measure(ctx context.Context, e bench.Entrant, p bench.Plan) bench.Result {
	return bench.Measure(ctx, e, c.sites, c.want, p)
}

// printTable prints what all peers did, which are missing, and where they differ.
func (c *corpus) printTable(w io.Writer, rows []bench.Result) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "peer\t%10s\t%10s\t%6s\t%8s\t%7s\tversion\tremarks\n", "ns a URL", "ns a parse", "MB/s", "agrees",
		"URLs")
	for i := range rows {
		if rows[i].Missing == nil {
			printRow(t, &rows[i])
		}
	}
	t.Flush()
	for _, r := range rows {
		if r.Missing != nil {
			fmt.Fprintf(w, "missing: %s: %s\n", show(r.Name), show(r.Missing.Error()))
		}
	}
	for _, r := range rows {
		for i, d := range r.Differences {
			if i == 0 {
				fmt.Fprintf(w, "\n%s differs:\n", show(r.Name))
			}
			fmt.Fprintf(w, "  %s\n", c.describe(d))
		}
	}
}

// printRow prints the columns of the table's head, numbers to the right.
func printRow(w io.Writer, r *bench.Result) {
	agrees := "-"
	if r.Asked > 0 {
		agrees = bench.Percent(r.Agreed, r.Asked) + " %"
	}
	parse, _ := r.Parse()
	match, _ := r.Match()
	speed := "-"
	if parse > 0 {
		speed = fmt.Sprintf("%.1f", float64(r.Bytes)/float64(r.Sites)/parse*1e3)
	}
	fmt.Fprintf(w, "%s\t%10s\t%10s\t%6s\t%8s\t%7d\t%s\t%s\n",
		show(r.Name), nanoseconds(match), nanoseconds(parse), speed, agrees, r.Asked,
		show(r.Version), strings.Join(remarks(r), "; "))
}

func remarks(r *bench.Result) (list []string) {
	if n := r.Asked - r.Answered; n > 0 {
		list = append(list, fmt.Sprintf("no answer on %d URLs", n))
	}
	if r.Broken != nil {
		list = append(list, show(r.Broken.Error()))
	}
	return list
}

func nanoseconds(n float64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", n)
}

// describe returns a line with both verdicts on a URL, and the rule of the first.
func (c *corpus) describe(d bench.Difference) string {
	rule := "no rule matches"
	if r, ok := c.robots[d.Site].Rule(int(c.verdicts[d.Site][d.URL].Line)); ok {
		rule = fmt.Sprintf("line %d: %s", r.Line, show(r.String()))
	}
	return fmt.Sprintf("%s: google %s (%s), it %s", show(c.sites[d.Site].URLs[d.URL]), said(c.want[d.Site][d.URL]), rule,
		said(d.Got))
}

func said(v bench.Verdict) string {
	if v == bench.NoAnswer {
		return "has no answer"
	}
	return "says " + v.String()
}

// show makes text of unknown origin fit for one line of a terminal.
func show(text string) string {
	const most = 100
	runes := []rune(report.Printable(strings.ReplaceAll(text, "\n", ": ")))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
