package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	writers "github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/lint"
	"github.com/robotsieve/robotsieve/scan/report"
)

// severities are those of notes, the gravest last, and onChange is what else --fail-on may name.
var severities = []string{"note", "warning", "error"}

const (
	onChange = "change"
	nowKind  = "now-" // with a Difference's Change the kind of its note
)

// failOnFlag adds the flag --fail-on.
func failOnFlag(cmd *cobra.Command, conditions *[]string) {
	values := append(slices.Clone(severities), onChange)
	usage := "without a URL: exit with status 1 if there is a note of this severity or a graver one, or, with " +
		"--against, if anything changed: error|warning|note|change; can be repeated, or a list with commas"
	addFlag(cmd, "strings", "fail-on", "", usage, func(text string) error {
		for name := range strings.SplitSeq(strings.ToLower(text), ",") {
			if !slices.Contains(values, name) {
				return usageError("--fail-on %q is none of %s", name, strings.Join(values, "|"))
			}
			*conditions = append(*conditions, name)
		}
		return nil
	})
	complete(cmd, "fail-on", values...)
}

// describe prints what robots.txt says, and returns an error if a condition of --fail-on holds.
func (f *checkFlags) describe(ctx context.Context, s streams, c *job.Checker) error {
	d, err := c.Describe(ctx, f.agent.Dialect)
	if err != nil {
		return err
	}
	if !f.quiet {
		if err := f.writeDescription(s, d); err != nil {
			return writing("the answers", err)
		}
	}
	code := exitDone
	for _, condition := range f.failOn {
		n, noun := len(d.Differences)+d.NotListed.Differences, "difference"
		if i := slices.Index(severities, condition); i >= 0 {
			n, noun = 0, "note"
			for _, severity := range severities[i:] {
				n += d.Severities[severity]
			}
		} else if n == 0 && len(d.Undecided) > 0 {
			return inputError(fmt.Errorf("--fail-on change was not decided for %s, because the search was too long",
				namesOf(d.Undecided)))
		}
		if n > 0 {
			code = exitFound
			if !f.quiet {
				s.warn("--fail-on %s: %s", condition, english.Plural(int64(n), noun))
			}
		}
	}
	return exitWith(code)
}

// writeDescription prints a description in the form of --output.
func (f *checkFlags) writeDescription(s streams, d *job.Description) error {
	shown := report.Texts(d, report.Printable)
	switch f.output {
	case "text":
		b := bufio.NewWriter(s.out)
		writeDescription(b, shown)
		return b.Flush()
	case "csv":
		f.warnOfMore(s, d)
		b := bufio.NewWriter(s.out)
		fmt.Fprint(b, writers.CSVLine("file", "line", "kind", "severity", "note", "text", "witness"))
		for _, x := range shown.Differences {
			shown.Notes = append(shown.Notes, (&change{Difference: x}).with(x).note())
		}
		for _, n := range shown.Notes {
			fmt.Fprint(b, writers.CSVLine(shown.File, n.Line, n.Kind, n.Severity, n.Note, n.Text, n.Witness))
		}
		return b.Flush()
	case "sarif":
		f.warnOfMore(s, d)
		return writeSARIF(s, shown)
	}
	return writers.WriteJSON(s.out, d, "")
}

// warnOfMore warns of what the rows of a description leave out.
func (f *checkFlags) warnOfMore(s streams, d *job.Description) {
	if more := d.NotListed.Notes + d.NotListed.Differences; more > 0 {
		s.warn("%s not listed, because there are so many", english.Plural(int64(more), "row"))
	}
}

// writeSARIF writes the notes and the changes of a description as SARIF.
func writeSARIF(s streams, d *job.Description) error {
	var findings []writers.Finding
	add := func(n lint.Note, text string) {
		findings = append(findings, writers.Finding{Line: n.Line, Kind: n.Kind, Level: n.Severity, Text: text})
	}
	for _, n := range d.Notes {
		text := n.Note
		if n.Text != "" {
			text += fmt.Sprintf(": \"%s\"", n.Text)
		}
		if n.Witness != "" {
			text += ", for example " + n.Witness
		}
		add(n, text)
	}
	for _, c := range changesOf(d) {
		n := c.note()
		add(n, n.Note)
	}
	kinds := []writers.FindingKind{{Name: nowKind + job.NowForbidden, Text: "a path is forbidden that was allowed"},
		{Name: nowKind + job.NowAllowed, Text: "a path is allowed that was forbidden"}}
	for _, k := range lint.Kinds() {
		kinds = append(kinds, writers.FindingKind{Name: k.Name, Text: k.Sentence, Source: k.Source})
	}
	return writers.WriteSARIF(s.out, version(), d.File, kinds, findings)
}

// The widths of the table of who is barred, in characters.
const (
	maxPathShown  = 24
	minNamesShown = 16
)

const barredTitle = `Who is barred: *, and crawlers for search, AI and SEO that are not treated as *,
with a shortest path that is forbidden and a shortest one that is allowed:`

// writeBarred prints the table of who is barred, in lines of maxWidth. An error stays in the writer.
func writeBarred(w *bufio.Writer, table []job.Treatment) {
	var rows [][]string
	room := maxWidth
	headings := []string{"class", "forbidden", "allowed", "crawlers"}
	for i, heading := range headings[:3] {
		width := len(heading)
		for j, t := range table {
			if i == 0 {
				rows = append(rows, []string{t.Class, pathShown(t.Restriction, t.Forbidden),
					pathShown(t.Restriction, t.Allowed)})
			}
			width = max(width, len([]rune(rows[j][i])))
		}
		room -= width + len("  ")
	}
	for i, t := range table {
		names := strings.Join(wrapped(t.Agents, max(room, minNamesShown)), "\n")
		if i == 0 {
			names = "* (all that no group names)"
		}
		rows[i] = append(rows[i], names)
	}
	fmt.Fprintf(w, "\n%s\n%s\n", barredTitle, writers.Table(writers.Left(headings...), rows))
}

// pathShown returns a path for the table: a dash if there is none, a question mark if that is not known.
func pathShown(r job.Restriction, path string) string {
	none := "-"
	if r.Class == "undecided" {
		none = "?"
	}
	return writers.Cut(cmp.Or(path, none), maxPathShown)
}

// wrapped joins names by commas, in lines of a width.
func wrapped(names []string, width int) (lines []string) {
	line := ""
	for i, name := range names {
		name = writers.Cut(name, width-1)
		if i < len(names)-1 {
			name += ","
		}
		if line != "" && len([]rune(line+" "+name)) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+name, " ")
	}
	return append(lines, line)
}

// change is a Difference that several agents have in common, by rules that say the same.
type change struct {
	job.Difference
	agents        []string
	before, after []int // lines of the rules that decide
}

// changesOf puts the differences of a description together.
func changesOf(d *job.Description) (list []*change) {
	known := map[job.Difference]*change{}
	for _, x := range d.Differences {
		key := x
		key.Agent, key.LineBefore, key.LineAfter = "", 0, 0
		c := known[key]
		if c == nil {
			c = &change{Difference: x}
			known[key], list = c, append(list, c)
		}
		c.with(x)
	}
	for _, c := range list {
		slices.SortFunc(c.agents, compareFold)
	}
	return list
}

// compareFold compares names in lower case, so that * is the first.
func compareFold(x, y string) int { return cmp.Compare(strings.ToLower(x), strings.ToLower(y)) }

// with adds the agent and the lines of a Difference.
func (c *change) with(x job.Difference) *change {
	c.agents = append(c.agents, x.Agent)
	c.before, c.after = append(c.before, x.LineBefore), append(c.after, x.LineAfter)
	return c
}

// note returns the change as a note on the line that decides now.
func (c *change) note() lint.Note {
	text := fmt.Sprintf("%s (now %s; before %s)", c.sentence(), decidedBy(c.RuleAfter, c.after),
		decidedBy(c.RuleBefore, c.before))
	return lint.Note{Line: c.LineAfter, Kind: nowKind + c.Change, Severity: severities[0], Note: text,
		Text: c.RuleAfter, Witness: c.Path}
}

// sentence says what changed, for whom.
func (c *change) sentence() string {
	may := "may now fetch"
	if c.Change == job.NowForbidden {
		may = "may no longer fetch"
	}
	return fmt.Sprintf("%s %s %s", namesOf(c.agents), may, c.Path)
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
	var texts []string
	for _, line := range slices.Compact(slices.Sorted(slices.Values(lines))) {
		texts = append(texts, fmt.Sprint(line))
	}
	return fmt.Sprintf("%s %s: %s", english.Verb(int64(len(texts)), "line", "lines"), english.List(texts), rule)
}

// writeChanges prints what changed from the older file, if there is one. An error stays in the writer.
func writeChanges(w *bufio.Writer, d *job.Description) {
	if d.Against == "" {
		return
	}
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	changes := changesOf(d)
	if len(changes) > 0 {
		line("\nChanged from %s:", d.Against)
	}
	for _, c := range changes {
		line("  %s", c.sentence())
		line("    now     %s", decidedBy(c.RuleAfter, c.after))
		line("    before  %s", decidedBy(c.RuleBefore, c.before))
	}
	if more := d.NotListed.Differences; more > 0 {
		line("  ... and %s", english.Plural(int64(more), "more change"))
	}
	anyone := "anyone"
	if len(d.Agents) > 0 {
		anyone = "these agents"
	}
	switch {
	case len(d.Undecided) > 0:
		line("\nNot decided, because the search was too long: whether more changed for %s.", namesOf(d.Undecided))
	case len(changes) == 0:
		line("\nNo change from %s in what %s may fetch, proved for all paths.", d.Against, anyone)
	}
}

// writeBinding says whom a group binds where its user-agent lines seem to name others, or nobody who
// is known. An error stays in the writer.
func writeBinding(w *bufio.Writer, g job.GroupText) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "  binds          "+format+"\n", args...) }
	for _, value := range g.Agents {
		for _, name := range g.Binds {
			rest, begins := strings.CutPrefix(value, name)
			if begins && name != "*" && strings.IndexAny(rest, " \t,;(") == 0 {
				line("%s, to parsers that read only the beginning of \"%s\"; to others nobody", name, value)
			}
		}
	}
	if !g.Known {
		line("no known crawler")
	}
}

// classOf says what a restriction means.
func classOf(r job.Restriction) string {
	switch r.Class {
	case "full":
		return "full: everything is forbidden"
	case "none":
		return "none: everything is allowed"
	case "partial":
		return fmt.Sprintf("partial: %s is forbidden, %s is allowed", r.Forbidden, r.Allowed)
	}
	return "undecided, because the search was too long"
}
