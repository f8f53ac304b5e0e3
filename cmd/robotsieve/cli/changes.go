package cli

import (
	"bufio"
	"fmt"
	"io"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
)

// noteOf returns a change as a note on the line that decides now.
func noteOf(c explain.Change) lint.Note {
	agents, now, before := c.Words()
	what := agents + " " + c.May() + " " + c[0].Path
	return lint.Note{Line: c[0].LineAfter, Lines: []int{c[0].LineAfter}, Kind: nowKind + c[0].Change,
		Severity: "note", Note: fmt.Sprintf("%s (now %s; before %s)", what, now, before),
		Text: c[0].RuleAfter, Witness: c[0].Path}
}

func writeChanges(w *bufio.Writer, d *explain.Description) {
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	if len(d.Differences) > 0 {
		line("Changed from %s:", d.Against)
	}
	for _, c := range explain.ChangesOf(d.Differences) {
		agents, now, before := c.Words()
		line("  %s %s %s\n    now     %s\n    before  %s", agents, c.May(), c[0].Path, now, before)
	}
	if more := d.NotListed.Differences; more > 0 {
		line("  ... and %s", english.Plural(int64(more), "more change"))
	}
	anyone := "anyone"
	if len(d.Agents) > 0 {
		anyone = "these agents"
	}
	if len(d.Undecided) > 0 {
		if len(d.Differences) > 0 {
			line("")
		}
		line("Not decided, because the search was too long: whether more changed for %s.", explain.NamesOf(d.Undecided))
	} else if len(d.Differences) == 0 {
		line("No change from %s in what %s may fetch, proved for all paths.", d.Against, anyone)
	}
}

func writeSARIF(w io.Writer, d *explain.Description) error {
	var findings []render.Finding
	add := func(n lint.Note, text string) {
		findings = append(findings, render.Finding{Line: n.Line, Kind: n.Kind, Level: n.Severity, Text: text})
	}
	for _, n := range d.Notes {
		text := explain.NoteText(n)
		if len(n.Lines) > 1 {
			text += " (" + explain.LinesOf(n.Lines) + ")"
		}
		if n.Witness != "" {
			text += ", for example " + n.Witness
		}
		add(n, text)
	}
	for _, c := range explain.ChangesOf(d.Differences) {
		n := noteOf(c)
		add(n, n.Note)
	}
	kinds := []render.FindingKind{{Name: nowKind + explain.NowForbidden, Text: "a path is forbidden that was allowed"},
		{Name: nowKind + explain.NowAllowed, Text: "a path is allowed that was forbidden"}}
	for _, k := range lint.Kinds() {
		kinds = append(kinds, render.FindingKind{Name: k.Name, Text: k.Sentence, Source: k.Source})
	}
	return render.WriteSARIF(w, thisBuild().version, d.File, kinds, findings)
}
