// Package checkpage lays out the results of check on a robots.txt in sections. They are shown on
// the page, in Markdown, and by the page's script when a visitor edits the file. The package is
// independent of HTML and Markdown.
package checkpage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/explain"
	"github.com/robotsieve/robotsieve/scan/lint"
	"github.com/robotsieve/robotsieve/scan/preference"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Page is the result of check on a robots.txt.
type Page struct {
	Title    string
	Headline []string // paragraphs
	Totals   []Total
	Sections []Section // none of them is empty
}

// Total is a number and what it counts.
type Total struct{ Name, Count string }

// Section is a table, or the lines of the file.
type Section struct {
	ID, Heading, Intro string
	Columns            []Column
	Groups             []Group
	Lines              []Line
	More               string // describes what was left out
}

// Column is a column of a table. The cells of a Code column are quoted from files.
type Column struct {
	Heading string
	Code    bool
}

// Group is a group of table rows. Tint is as in Line, for a group of robots.txt.
type Group struct {
	Title string
	Tint  int
	Rows  [][]string
}

// Line is a line of a robots.txt.
type Line struct {
	Number int
	Text   string
	Tint   int // 1 to Tints, one per group; 0 outside groups
	Notes  []LineNote
}

// LineNote is a note next to a line.
type LineNote struct{ Severity, Text string }

// Limits of a page.
const (
	Tints       = 6
	maxLines    = 5000
	maxRows     = 3000 // per table
	maxCell     = 160  // characters
	maxLine     = 300
	maxNames    = 2000 // titles of groups, and names of crawlers
	maxNotes    = 20   // per line
	maxNoteSize = 400  // characters per note
)

// Of lays out a description and answers about URLs from package explain. Its texts are for display.
func Of(d *explain.Description, file *explain.File, answers []explain.Answer) Page {
	d = d.Rewrite(report.Printable)
	report.Each(&answers, func(a *explain.Answer) { *a = a.Rewrite(report.Printable) })
	if d.File == "-" {
		d.File = "stdin"
	}
	if base(d.File) != base(d.Against) { // hides the folders of the user of check
		d.File, d.Against = base(d.File), base(d.Against)
	}
	p := Page{Title: "robots.txt: " + cut(d.File), Headline: headline(d)}
	total := func(n int, noun string) {
		p.Totals = append(p.Totals, Total{english.Verb(int64(n), noun, noun+"s"), english.Grouped(int64(n))})
	}
	total(d.Lines, "line")
	total(len(d.Groups)+d.NotListed.Groups, "group")
	total(d.Rules, "rule")
	for _, severity := range explain.Severities() {
		total(d.Severities[severity], severity)
	}
	tints := tintsOf(d)
	sections := []Section{verdicts(answers), changes(d), barred(d), agents(d), lines(d, file, tints),
		groups(d, tints), signals(d), others(d), notes(d)}
	p.Sections = slices.DeleteFunc(sections, func(s Section) bool {
		return len(s.Groups)+len(s.Lines) == 0 && s.More == ""
	})
	return p
}

// base returns the name of a file without its folders.
func base(name string) string { return name[strings.LastIndexAny(name, `/\`)+1:] }

// cut limits the text of a cell.
func cut(text string) string { return shorter(text, maxCell) }

// shorter cuts a text to at most most characters.
func shorter(text string, most int) string {
	if len(text) > most {
		if runes := []rune(text); len(runes) > most {
			return string(runes[:most-1]) + "…"
		}
	}
	return text
}

// headline sums up the most important results.
func headline(d *explain.Description) []string {
	var list []string
	if d.Against != "" {
		list = append(list, changed(d))
	}
	star := map[string]string{
		"full": "everything is forbidden", "none": "everything is allowed", "partial": "a part of the site is forbidden",
	}[d.Barred[0].Class]
	switch {
	case len(d.Groups) == 0 && len(d.Barred) == 1:
		list = append(list, "No line names a user agent: every crawler may fetch everything.")
	case star != "":
		list = append(list, "For crawlers that no group names, "+star+".")
	}
	for _, row := range d.Barred {
		if row.Class == "full" && row.Agents[0] != "*" {
			names := english.List(row.Agents)
			if more := int64(len(row.Agents) - 6); more > 1 {
				names = english.List(row.Agents[:6]) + " and " + english.Plural(more, "more crawler")
			}
			list = append(list, names+" may fetch nothing.")
		}
	}
	return list
}

// changed returns a sentence with the number of changes.
func changed(d *explain.Description) string {
	n := len(explain.ChangesOf(d.Differences))
	switch {
	case n > 0:
		return fmt.Sprintf("%s from %s in what crawlers may fetch.", english.Plural(int64(n), "change"), cut(d.Against))
	case len(d.Undecided) > 0:
		return "Whether anything changed from " + cut(d.Against) + " was not decided, because the search was too long."
	}
	return "No change from " + cut(d.Against) + " in what crawlers may fetch, proved for all paths."
}

// verdicts lists the answers about URLs.
func verdicts(answers []explain.Answer) Section {
	t := newTable("verdicts", "Verdicts", "", "`URL`", "agent", "verdict", "`decided by`", "because")
	for _, a := range answers {
		by, why := "", a.WhyRule
		if a.Line > 0 {
			by = fmt.Sprintf("line %d: %s", a.Line, a.Rule)
		}
		if a.WhyGroup != "" {
			why += "; " + a.WhyGroup
		}
		if a.Contested != "" {
			why += "; contested: " + a.Contested
		}
		if a.Exempt != "" {
			why += "; but " + a.Agent + " does not apply robots.txt: " + a.Exempt
		}
		t.row(a.URL, a.Agent, a.Verdict(), by, why)
	}
	return t.end("verdict", 0)
}

// changes lists the changes since the older file, by agent.
func changes(d *explain.Description) Section {
	t := newTable("changes", "What changed", "From "+cut(d.Against)+", by crawler, with a shortest path for each "+
		"pair of rules that decide.", "`path`", "before", "now")
	was := map[string]string{explain.NowAllowed: "forbidden, ", explain.NowForbidden: "allowed, "}
	rows, titles := map[string][][]string{}, []string(nil)
	for _, c := range explain.ChangesOf(d.Differences) {
		_, now, before := c.Words()
		may := c.May()
		title := strings.ToUpper(may[:1]) + may[1:] + ": " + strings.Join(c.Names(), ", ")
		if rows[title] == nil {
			titles = append(titles, title)
		}
		rows[title] = append(rows[title], []string{c[0].Path, was[c[0].Change] + before, c[0].Change + ", " + now})
	}
	for _, title := range titles {
		t.begin(title, 0)
		for _, cells := range rows[title] {
			t.row(cells...)
		}
	}
	s := t.end("change", d.NotListed.Differences)
	if len(d.Undecided) > 0 {
		s.More = strings.TrimSpace(s.More + " Not decided, because the search was too long: whether more changed for " +
			cut(explain.NamesOf(d.Undecided)) + ".")
	}
	return s
}

// barred shows how much is forbidden to each crawler.
func barred(d *explain.Description) Section {
	t := newTable("barred", "Who is barred", "Crawlers for search, AI and SEO that the file does not treat as all "+
		"others, with a shortest path that is forbidden and a shortest one that is allowed.",
		"crawlers", "what is forbidden", "`forbidden, for example`", "`allowed, for example`")
	words := map[string]string{"full": "everything", "partial": "a part", "none": "nothing"}
	for i, row := range d.Barred {
		names := strings.Join(row.Agents, ", ")
		switch {
		case row.Reading != "":
			names = "* (" + row.Reading + ")"
		case i == 0:
			names = "* (all that no group names)"
		}
		t.row(names, cmp.Or(words[row.Class], "not decided"), cmp.Or(row.Forbidden, "-"), cmp.Or(row.Allowed, "-"))
	}
	return t.end("row", 0)
}

// agents lists the groups that bind each requested agent.
func agents(d *explain.Description) Section {
	t := newTable("agents", "Agents", "", "agent", "groups", "because", "class")
	for _, a := range d.Agents {
		var at []int
		for _, g := range a.Groups {
			at = append(at, g.Line)
		}
		why, lines := a.WhyGroup, "-"
		if a.Exempt != "" {
			why += "; but it does not apply robots.txt: " + a.Exempt
		}
		if len(at) > 0 {
			lines = explain.LinesOf(at)
		}
		t.row(a.Agent, lines, why, a.Restriction.Sentence())
	}
	return t.end("agent", 0)
}

// groups lists what each group permits.
func groups(d *explain.Description, tints func(line int) int) Section {
	t := newTable("groups", "What each group permits", "", "", "paths", "`rule`")
	if d.Rules > 0 {
		t.Intro = "A crawler may fetch every path that no rule of its groups matches."
	}
	for _, g := range d.Groups {
		title := fmt.Sprintf("Line %d: %s", g.Line, g.Whom(len(d.Groups), d.Dialect))
		if len(g.Binds) > 0 && !g.Known {
			title += " (no known crawler)"
		}
		t.begin(title, tints(g.Line))
		switch {
		case len(g.Binds) == 0:
			t.row("nothing", "no user-agent line of the group names a crawler", "")
		case len(g.Rules) == 0:
			t.row("may fetch", "everything, because the group has no rule", "")
		default:
			for _, r := range g.Rules {
				t.row(r.Permission(), cmp.Or(r.Paths, "-"), fmt.Sprintf("line %d: %s", r.Line, r.Rule))
			}
		}
	}
	s := t.end("rule", d.NotListed.Rules)
	if n := d.NotListed.Groups; n > 0 {
		s.More += " " + english.Plural(int64(n), "more group") + " not listed."
	}
	return s
}

// signals lists the preferences about the use of pages.
func signals(d *explain.Description) Section {
	t := newTable("signals", "Preferences", "How pages may be used. They neither allow nor forbid a fetch.",
		"crawlers", "preference")
	for _, p := range d.Signals {
		for _, text := range explain.StatementTexts(p.Statements) {
			t.row(cmp.Or(strings.Join(p.Agents, ", "), "every crawler"), text)
		}
	}
	return t.end("crawler", d.NotListed.Signals)
}

// others lists the lines that aren't rules.
func others(d *explain.Description) Section {
	t := newTable("others", "Lines that are no rules", "", "line", "`text`")
	for _, o := range d.Others {
		t.row(fmt.Sprint(o.Line), o.Text)
	}
	return t.end("line", d.NotListed.Others)
}

// notes lists the problems found, the gravest first.
func notes(d *explain.Description) Section {
	t := newTable("notes", "Notes", "", "", "lines", "note", "`for example`")
	for _, n := range d.Gravest() {
		t.row(n.Severity, shorter(strings.Join(explain.Numbers(n.Lines), ", "), 60), explain.NoteText(n), n.Witness)
	}
	s := t.end("note", d.NotListed.Notes)
	if len(d.Notes) == 0 {
		s.More = "No notes."
	}
	return s
}

// tintsOf returns a function for the tint of a line. A group has one tint, from its first line to the next group,
// including its preferences and delays.
func tintsOf(d *explain.Description) func(line int) int {
	isOther := map[int]bool{}
	for _, o := range d.Others {
		switch key, _, _ := strings.Cut(strings.ToLower(o.Text), ":"); key {
		case preference.ContentSignal, preference.ContentUsage, "crawl-delay":
		default:
			isOther[o.Line] = true
		}
	}
	return func(line int) int {
		after, is := slices.BinarySearchFunc(d.Groups, line, func(g explain.GroupText, line int) int {
			return cmp.Compare(g.Line, line)
		})
		if is {
			after++
		}
		if after == 0 || isOther[line] {
			return 0
		}
		return (after-1)%Tints + 1
	}
}

// lines lists the lines of the file with their notes.
func lines(d *explain.Description, file *explain.File, tints func(line int) int) Section {
	s := Section{ID: "lines", Heading: "Line by line", Intro: "The lines of a group have one colour."}
	beside := map[int][]lint.Note{}
	for _, n := range d.Notes {
		for _, line := range n.Lines {
			if len(beside[line]) < maxNotes {
				beside[line] = append(beside[line], n)
			}
		}
	}
	number := 0
	for text := range lint.Lines(file.Body, file.MaxBytes) {
		number++
		if number > d.Lines {
			break
		}
		if number > maxLines {
			s.More = english.Plural(int64(d.Lines-maxLines), "more line") + " not shown."
			break
		}
		line := Line{Number: number, Text: report.Printable(strings.ReplaceAll(text, "\t", "    "))}
		for _, n := range beside[number] {
			line.Notes = append(line.Notes, noteBeside(n, line.Text))
		}
		line.Text = shorter(line.Text, maxLine)
		text = strings.TrimSpace(text)
		if text != "" && text[0] != '#' {
			line.Tint = tints(number)
		}
		s.Lines = append(s.Lines, line)
	}
	return s
}

// noteBeside returns a note to show next to a line. It quotes the parts of the line that it concerns, unless they end
// the line.
func noteBeside(n lint.Note, line string) LineNote {
	line = strings.TrimSpace(line)
	text := shorter(n.Note, maxNoteSize)
	var parts []string
	for _, part := range n.Texts {
		switch {
		case part == "" || !strings.Contains(line, part):
		case strings.HasSuffix(line, part):
			return LineNote{n.Severity, text + forExample(n)}
		default:
			parts = append(parts, `"`+cut(part)+`"`)
		}
	}
	if len(parts) > 0 {
		text += ": " + english.List(parts)
	}
	return LineNote{n.Severity, text + forExample(n)}
}

// forExample returns the end of a note with an example path, or "".
func forExample(n lint.Note) string {
	if n.Witness == "" {
		return ""
	}
	return ", for example " + shorter(n.Witness, maxNoteSize)
}

// table fills the groups of a section, up to maxRows rows.
type table struct {
	Section
	next *Group // that the next row begins; nil within a group
	rows int
	left int
}

// newTable returns a table. Columns in backquotes contain text of files.
func newTable(id, heading, intro string, columns ...string) *table {
	t := &table{Section: Section{ID: id, Heading: heading, Intro: intro}, next: &Group{}}
	for _, name := range columns {
		bare := strings.Trim(name, "`")
		t.Columns = append(t.Columns, Column{bare, bare != name})
	}
	return t
}

// begin starts a group of rows.
func (t *table) begin(title string, tint int) {
	t.next = &Group{Title: shorter(title, maxNames), Tint: tint}
}

// row adds a row, or counts it as left out.
func (t *table) row(cells ...string) {
	if t.rows == maxRows {
		t.left++
		return
	}
	t.rows++
	if t.next != nil {
		t.Groups, t.next = append(t.Groups, *t.next), nil
	}
	for i := range cells {
		most := maxCell
		if t.Columns[i].Heading == "crawlers" {
			most = maxNames
		}
		cells[i] = shorter(cells[i], most)
	}
	g := &t.Groups[len(t.Groups)-1]
	g.Rows = append(g.Rows, cells)
}

// end returns the section with the number of rows left out here and by the section's source.
func (t *table) end(noun string, more int) Section {
	if n := int64(t.left + more); n > 0 {
		t.More = "and " + english.Plural(n, "more "+noun) + "."
	}
	return t.Section
}
