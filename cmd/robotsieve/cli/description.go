package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/checkpage"
	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/preference"
	"github.com/robotsieve/robotsieve/scan/report"
)

// failOnValues are the values of --fail-on: the severities of notes, the gravest last, and onChange.
var failOnValues = []string{"note", "warning", "error", onChange}

const (
	onChange = "change"
	nowKind  = "now-" // followed by a Difference's Change, the kind of its note
)

// writeDescription prints a description in the format of --output.
func (f *checkFlags) writeDescription(s streams, d *explain.Description) (err error) {
	shown, w := d.Rewrite(report.Printable), bufio.NewWriter(s.out)
	more := d.NotListed.Notes + d.NotListed.Differences
	if more > 0 && (f.text("output") == "csv" || f.text("output") == "sarif") {
		s.warn("%s not listed, because there are so many", english.Plural(int64(more), "row"))
	}
	switch f.text("output") {
	case "text":
		writeDescription(w, shown)
	case "changes":
		writeChanges(w, shown)
	case "csv":
		notes := shown.Notes
		for _, x := range shown.Differences {
			notes = append(notes, noteOf(explain.Change{x}))
		}
		fmt.Fprint(w, render.CSVLine("file", "line", "kind", "severity", "note", "text", "witness", "lines"))
		for _, n := range notes {
			fmt.Fprint(w, render.CSVLine(shown.File, n.Line, n.Kind, n.Severity, n.Note, n.Text, n.Witness,
				strings.Join(explain.Numbers(n.Lines), " ")))
		}
	case "sarif":
		err = writeSARIF(w, shown)
	default:
		err = render.WriteJSON(w, d.Rewrite(report.ToUTF8), "")
	}
	return cmp.Or(err, w.Flush())
}

func (f *checkFlags) writePage(s streams, c *job.Checker, d *explain.Description, answers []explain.Answer) error {
	file, older := c.Files()
	w, page := bufio.NewWriter(s.out), checkpage.Of(d, file, answers)
	if f.text("output") == "markdown" {
		return errors.Join(render.WriteCheckMarkdown(w, page), w.Flush())
	}
	return errors.Join(render.WriteCheckHTML(w, page, file, older), w.Flush())
}

// writeDescription prints a description as text. The writer keeps errors.
func writeDescription(w *bufio.Writer, d *explain.Description) {
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	count := func(n int, noun string) string { return english.Plural(int64(n), noun) }
	line("%s: %s, %s, %s, read by %s", d.File, count(d.Lines, "line"), count(len(d.Groups)+d.NotListed.Groups, "group"),
		count(d.Rules, "rule"), d.Dialect)
	more := func(n int, noun string) {
		if n > 0 {
			line("  ... and %s", count(n, "more "+noun))
		}
	}
	switch {
	case len(d.Groups) == 0 && len(d.Barred) == 1:
		line("\nNo line names a user agent: every crawler may fetch everything.")
	case len(d.Groups) == 0:
		line("\nNo line names a user agent by %s, but some do for other parsers.", d.Dialect)
		fallthrough
	default:
		writeBarred(w, d.Barred)
	}
	if d.Against != "" {
		line("")
		writeChanges(w, d)
	}
	for _, g := range d.Groups {
		line("\nline %d: %s", g.Line, g.Whom(len(d.Groups), d.Dialect))
		if len(g.Binds) == 0 {
			line("  forbids        nothing, because no user-agent line of the group names a crawler")
			continue
		}
		writeBinding(w, g)
		if !slices.ContainsFunc(g.Rules, func(r explain.RuleText) bool { return r.Paths != "" }) {
			line("  forbids        nothing, because no rule of the group has an effect")
		}
		for _, r := range g.Rules {
			line("  %-13s  %-40s  line %d: %s", r.Permission(), cmp.Or(r.Paths, "-"), r.Line, r.Rule)
		}
	}
	more(d.NotListed.Agents, "user-agent line")
	more(d.NotListed.Rules, "rule")
	more(d.NotListed.Groups, "group")
	if d.Rules > 0 {
		line("\nA crawler may fetch every path that no rule of its groups matches.")
	}
	for _, a := range d.Agents {
		line("\n%s: %s", a.Agent, a.WhyGroup)
		for _, g := range a.Groups {
			line("  group     line %d: User-agent: %s", g.Line, english.List(g.Agents))
		}
		line("  class     %s", a.Restriction.Sentence())
		if a.Exempt != "" {
			line("  but       %s does not apply robots.txt: %s", a.Agent, a.Exempt)
		}
		for _, text := range explain.StatementTexts(a.Signals) {
			line("  prefers   %s", text)
		}
	}
	if len(d.Others) > 0 {
		line("\nLines that are no rules:")
	}
	for _, o := range d.Others {
		line("  line %d: %s", o.Line, o.Text)
	}
	more(d.NotListed.Others, "line")
	writeSignals(w, d.Signals)
	more(d.NotListed.Signals, "crawler")
	if len(d.Notes) == 0 {
		line("\nNo notes.")
		return
	}
	line("\n%s:", count(len(d.Notes)+d.NotListed.Notes, "note"))
	for _, n := range d.Gravest() {
		line("  %-7s  %s: %s [%s]", n.Severity, explain.LinesOf(n.Lines), explain.NoteText(n), n.Kind)
		if n.Witness != "" {
			line("           for example %s", n.Witness)
		}
	}
	more(d.NotListed.Notes, "note")
}

const barredTitle = `Who is barred: *, and crawlers for search, AI and SEO that are not treated as *,
with a shortest path that is forbidden and a shortest one that is allowed:`

// writeBarred prints the table of barred crawlers, wrapped to maxWidth. The writer keeps errors.
func writeBarred(w *bufio.Writer, table []explain.Treatment) {
	rows := [][]string{{"class", "forbidden", "allowed"}}
	for _, t := range table {
		rows = append(rows, []string{t.Class, pathShown(t.Class, t.Forbidden), pathShown(t.Class, t.Allowed)})
	}
	room := maxWidth
	for i := range rows[0] {
		width := 0
		for _, row := range rows {
			width = max(width, utf8.RuneCountInString(row[i]))
		}
		room -= width + len("  ")
	}
	for i, t := range table {
		names := render.Names(t.Agents, room)
		if t.Reading != "" {
			names = render.Wrap("* ("+t.Reading+")", room)
		}
		rows[i+1] = append(rows[i+1], names)
	}
	rows[1][3] = "* (all that no group names)"
	fmt.Fprintf(w, "\n%s\n%s\n", barredTitle, render.Table(render.Left(append(rows[0], "crawlers")...), rows[1:]))
}

// pathShown formats a path for the table: a dash for none, a question mark if it is unknown.
func pathShown(class, path string) string {
	const most = 24 // characters
	none := "-"
	if class == "undecided" {
		none = "?"
	}
	return render.Cut(cmp.Or(path, none), most)
}

// writeBinding names the crawlers that a group binds, if its lines seem to name others or no known ones.
func writeBinding(w *bufio.Writer, g explain.GroupText) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "  binds          "+format+"\n", args...) }
	bound := map[string]bool{}
	for _, name := range g.Binds {
		bound[name] = name != "*"
	}
	for _, value := range g.Agents {
		if end := strings.IndexAny(value, " \t,;("); end > 0 && bound[value[:end]] {
			line("%s, to parsers that read only the beginning of \"%s\"; to others nobody", value[:end], value)
		}
	}
	if !g.Known {
		line("no known crawler")
	}
}

func writeSignals(w *bufio.Writer, list []preference.Crawlers) {
	if len(list) == 0 {
		return
	}
	fmt.Fprint(w, "\nPreferences on what pages are used for, which allow or forbid no fetch:\n")
	for _, p := range list {
		names := "every crawler"
		if len(p.Agents) > 0 {
			names = render.Names(p.Agents, maxWidth-2)
		}
		for line := range strings.SplitSeq(names, "\n") {
			fmt.Fprintf(w, "  %s\n", strings.TrimRight(line, " "))
		}
		for _, text := range explain.StatementTexts(p.Statements) {
			fmt.Fprintf(w, "    %s\n", text)
		}
	}
}
