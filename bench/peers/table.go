package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
)

// printTable prints what all peers did, those that were missing, and where the
// others differ.
func printTable(w io.Writer, rows []row) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "peer\t%10s\t%10s\t%6s\t%8s\t%7s\tversion\tremarks\n", "ns a URL", "ns a parse", "MB/s", "agrees", "URLs")
	for _, r := range rows {
		if r.missing == nil {
			r.print(t)
		}
	}
	t.Flush()
	for _, r := range rows {
		if r.missing != nil {
			fmt.Fprintf(w, "missing: %s: %s\n", show(r.name), show(r.missing.Error()))
		}
	}
	for _, r := range rows {
		for i, e := range r.examples {
			if i == 0 {
				fmt.Fprintf(w, "\n%s differs:\n", show(r.name))
			}
			fmt.Fprintf(w, "  %s\n", e)
		}
	}
}

// print writes the row in the order of the table's head, numbers to the right.
func (r *row) print(w io.Writer) {
	agrees := "-"
	if r.asked > 0 {
		agrees = percent(r.agreed, r.asked)
	}
	speed := "-"
	if t := r.parseTime(); t > 0 {
		speed = fmt.Sprintf("%.1f", float64(r.bytes)/t.Seconds()/1e6)
	}
	fmt.Fprintf(w, "%s\t%10s\t%10s\t%6s\t%8s\t%7d\t%s\t%s\n",
		show(r.name), each(r.matchTime(), r.answered), each(r.parseTime(), r.sites), speed, agrees, r.asked,
		show(r.version), strings.Join(r.remarks(), "; "))
}

func (r *row) remarks() (list []string) {
	if n := r.asked - r.answered; n > 0 {
		list = append(list, fmt.Sprintf("no answer on %d URLs", n))
	}
	if r.broken != nil {
		list = append(list, show(r.broken.Error()))
	}
	return list
}

func each(t time.Duration, n int) string {
	if t == 0 || n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", float64(t.Nanoseconds())/float64(n))
}

// percent never rounds to 100 what is not all.
func percent(n, of int) string {
	if n == of {
		return "100 %"
	}
	return fmt.Sprintf("%.2f %%", min(99.99, 100*float64(n)/float64(of)))
}

// String tells who says what of the URL, and by which rule.
func (e example) String() string {
	rule := "no rule matches"
	if r, ok := e.site.robot.Rule(int(e.site.lines[e.url])); ok {
		rule = fmt.Sprintf("line %d: %s", r.Line, show(r.String()))
	}
	return fmt.Sprintf("%s: google %s (%s), it %s", show(e.site.urls[e.url]), said(e.site.want[e.url]), rule, said(e.got))
}

func said(v verdict) string {
	if v == noAnswer {
		return "has no answer"
	}
	return "says " + v.String()
}

// show makes text of strangers fit for a line of a terminal.
func show(text string) string {
	const most = 100
	runes := []rune(audit.Printable([]byte(strings.ReplaceAll(text, "\n", ": "))))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
