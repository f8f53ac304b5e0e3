package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
)

// change is differences that only differ in the agents and in the lines of the rules.
type change []explain.Difference

// changesOf puts differences together.
func changesOf(differences []explain.Difference) (list []change) {
	places := map[explain.Difference]int{}
	for _, x := range differences {
		key := x
		key.Agent, key.LineBefore, key.LineAfter = "", 0, 0
		i, known := places[key]
		if !known {
			i, list = len(list), append(list, nil)
			places[key] = i
		}
		list[i] = append(list[i], x)
	}
	return list
}

// words say what changed for whom, and name the rules that decide now and decided before.
func (c change) words() (what, now, before string) {
	var agents []string
	var linesNow, linesBefore []int
	for _, x := range c {
		agents = append(agents, x.Agent)
		linesNow, linesBefore = append(linesNow, x.LineAfter), append(linesBefore, x.LineBefore)
	}
	slices.SortFunc(agents, func(x, y string) int { return cmp.Compare(strings.ToLower(x), strings.ToLower(y)) })
	may := "may now fetch"
	if c[0].Change == explain.NowForbidden {
		may = "may no longer fetch"
	}
	what = fmt.Sprintf("%s %s %s", namesOf(agents), may, c[0].Path)
	return what, decidedBy(c[0].RuleAfter, linesNow), decidedBy(c[0].RuleBefore, linesBefore)
}

// note returns the change as a note on the line that decides now.
func (c change) note() lint.Note {
	what, now, before := c.words()
	return lint.Note{Line: c[0].LineAfter, Lines: []int{c[0].LineAfter}, Kind: nowKind + c[0].Change,
		Severity: severities[0], Note: fmt.Sprintf("%s (now %s; before %s)", what, now, before),
		Text: c[0].RuleAfter, Witness: c[0].Path}
}

// namesOf lists agents, of which * may be the first.
func namesOf(agents []string) string {
	if len(agents) > 0 && agents[0] == "*" {
		agents = append([]string{"every crawler that no group names (*)"}, agents[1:]...)
	}
	return english.List(agents)
}

// decidedBy names the rule that decides, and its lines.
func decidedBy(rule string, lines []int) string {
	if rule == "" {
		return "no rule matches"
	}
	return linesOf(slices.Compact(slices.Sorted(slices.Values(lines)))) + ": " + rule
}

// writeChanges prints what changed from the older file. An error stays in the writer.
func writeChanges(w *bufio.Writer, d *explain.Description) {
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	if len(d.Differences) > 0 {
		line("Changed from %s:", d.Against)
	}
	for _, c := range changesOf(d.Differences) {
		what, now, before := c.words()
		line("  %s\n    now     %s\n    before  %s", what, now, before)
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
		line("Not decided, because the search was too long: whether more changed for %s.", namesOf(d.Undecided))
	} else if len(d.Differences) == 0 {
		line("No change from %s in what %s may fetch, proved for all paths.", d.Against, anyone)
	}
}

// writeSARIF writes the notes and the changes of a description as SARIF.
func writeSARIF(w io.Writer, d *explain.Description) error {
	var findings []render.Finding
	add := func(n lint.Note, text string) {
		findings = append(findings, render.Finding{Line: n.Line, Kind: n.Kind, Level: n.Severity, Text: text})
	}
	for _, n := range d.Notes {
		text := noteText(n)
		if len(n.Lines) > 1 {
			text += " (" + linesOf(n.Lines) + ")"
		}
		if n.Witness != "" {
			text += ", for example " + n.Witness
		}
		add(n, text)
	}
	for _, c := range changesOf(d.Differences) {
		n := c.note()
		add(n, n.Note)
	}
	kinds := []render.FindingKind{{Name: nowKind + explain.NowForbidden, Text: "a path is forbidden that was allowed"},
		{Name: nowKind + explain.NowAllowed, Text: "a path is allowed that was forbidden"}}
	for _, k := range lint.Kinds() {
		kinds = append(kinds, render.FindingKind{Name: k.Name, Text: k.Sentence, Source: k.Source})
	}
	return render.WriteSARIF(w, thisBuild().version, d.File, kinds, findings)
}
