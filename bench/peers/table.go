package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/report"
)

// The places that --write fills in.
const (
	readme   = "../../README.md"
	peerPage = "../../docs/reference/peers.md"
	// marker stands in front of the table of the README, which ends at an empty line.
	marker = "<!-- Written by make bench-peers PEERS_ALL=1 PEERS_FLAGS=--write: -->"
)

// onlyOnPage are the peers that the README leaves out.
var onlyOnPage = []string{reference, "robotxt (Rust)", "fast-robots (Rust)"}

// printTable writes the peers that took part, the fastest first.
func printTable(w io.Writer, rows []row, without []string) {
	fmt.Fprintln(w, "| parser | version | differs on | parse, MB/s | a URL, ns | asked once, µs |")
	fmt.Fprintln(w, "|---|---|--:|--:|--:|--:|")
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.match, b.match) })
	for _, r := range rows {
		if r.Missing != nil || slices.Contains(without, r.Name) {
			continue
		}
		version, _, _ := strings.Cut(r.Version, ", ")
		if without == nil {
			version = r.Version
		}
		each := ""
		if parsesEachTime[r.Name] {
			each = " \\*"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s%s | %s |\n", show(r.Name), show(version),
			thousands(float64(r.Asked-r.Agreed)), rounded(r.speed), thousands(r.match), each, rounded(r.once/1e3))
	}
}

func printMissing(w io.Writer, rows []row) {
	for _, r := range rows {
		if err := cmp.Or(r.Missing, r.Broken); err != nil {
			fmt.Fprintf(w, "%s is missing or incomplete: %s.\n", show(r.Name), show(err.Error()))
		}
	}
}

// printClasses writes where each peer differs from the reference, without the causes of a single verdict.
func (c *corpus) printClasses(w io.Writer, rows []row) {
	for _, r := range rows {
		list := slices.DeleteFunc(slices.Clone(r.classes), func(k *class) bool { return k.count == 1 })
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n### %s\n\n", show(r.Name))
		for _, k := range list {
			fmt.Fprintf(w, "- %s: %s; %s (%s)\n", thousands(float64(k.count)), k.name,
				code(c.sites[k.site].URLs[k.url]), c.said(k))
		}
	}
}

// said is the reference's verdict on the example of a class, with the rule that decides, if one does.
func (c *corpus) said(k *class) string {
	verdict := c.want[k.site][k.url].String()
	if rule, ok := c.robots[k.site].Rule(int(c.verdicts[k.site][k.url].Line)); ok {
		return fmt.Sprintf("%s: %s", verdict, code(rule.String()))
	}
	return verdict
}

func code(text string) string { return "`" + strings.ReplaceAll(show(text), "`", "'") + "`" }

// rounded writes a figure with two digits that count at least.
func rounded(n float64) string {
	switch {
	case n == 0:
		return "–"
	case n < 10:
		return fmt.Sprintf("%.1f", n)
	}
	return thousands(n)
}

func thousands(n float64) string { return english.Grouped(int64(math.RoundToEven(n))) }

// writeReadme puts the table in the place of the one behind the marker.
func writeReadme(name, caption string, rows []row) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, after, found := bytes.Cut(text, []byte(marker+"\n"))
	_, rest, ends := bytes.Cut(after, []byte("|\n\n"))
	if !found || !ends {
		return errors.New(name + ": no table behind a line " + marker)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s%s\n%s\n\n", before, marker, caption)
	printTable(&out, rows, onlyOnPage)
	fmt.Fprintf(&out, "\n%s", rest)
	return os.WriteFile(name, out.Bytes(), 0o666)
}

// show makes text of unknown origin fit for one line.
func show(text string) string {
	const most = 100
	runes := []rune(report.Printable(strings.ReplaceAll(text, "\n", ": ")))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
