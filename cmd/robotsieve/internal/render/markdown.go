package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// writeMarkdown writes the first screen as Markdown, for issues and mails, with the broken
// rules and the sources of the figures (GitHub Flavored Markdown Spec, 4.10 and 6).
func writeMarkdown(w io.Writer, r *report.Report, _ bool) error {
	d := doc{r, maxViolatorsShown, screenWidth}
	var m markdown
	m.line("# Crawlers and robots.txt")
	if r.WhatIf != nil || r.Policy.None() {
		return m.write(w, full(r))
	}
	for _, text := range slices.Concat(d.partial(), d.headline(), []string{d.scope()}) {
		m.paragraph(text)
	}
	violators := d.violators(d.most)
	violators.Heading = "Crawlers that broke robots.txt"
	if violators.Table.rows > 0 {
		violators.Facts = legend(columns[crawler]{informed})
	}
	result := []block{violators, {Text: slices.Concat(d.clean(cleanInAll), d.notHeld(), d.certainty())}}
	advice, basis := d.advice(), d.facts()
	advice.Heading, advice.Title, basis.Heading = "What to fix", "", "What was read"
	return m.write(w, withText(slices.Concat(result, []block{advice, d.rules(), d.versions()}, d.warnings(),
		[]block{basis, {Text: []string{d.limits()}}})...))
}

// markdown builds a text in Markdown.
type markdown struct{ strings.Builder }

func (m *markdown) line(text string)      { m.WriteString(text + "\n") }
func (m *markdown) paragraph(text string) { m.line("\n" + prose(text)) }

// write writes what has been made, and a document after it.
func (m *markdown) write(w io.Writer, d document) error {
	for _, b := range d {
		m.block(b)
	}
	_, err := io.WriteString(w, m.String())
	return err
}

func (m *markdown) block(b block) {
	if b.Heading != "" && b.Heading != "Warning" {
		m.line("\n## " + b.Heading)
	}
	if b.Title != "" {
		m.paragraph(b.Title)
	}
	if len(b.List) > 0 {
		m.line("")
	}
	for _, item := range b.List {
		m.line("- " + prose(item))
	}
	m.table(b.Table)
	if len(b.Facts) > 0 {
		m.line("")
	}
	for _, f := range b.Facts {
		name := ""
		if f.Name != "" {
			name = f.Name + ": "
		}
		m.line("- " + name + prose(f.Text))
	}
	if len(b.Quote) > 0 {
		fence := "```"
		for slices.ContainsFunc(b.Quote, func(line string) bool { return strings.Contains(line, fence) }) {
			fence += "`"
		}
		m.line("\n" + fence + "\n" + strings.Join(b.Quote, "\n") + "\n" + fence)
	}
	for _, text := range b.Text {
		m.paragraph(text)
	}
}

// table writes a table. Titles and lines below rows become rows of one cell.
func (m *markdown) table(t table) {
	if t.rows == 0 {
		return
	}
	isRow := false // what is written is no heading or title
	row := func(cells ...string) {
		m.WriteString("|")
		for i := range t.Columns {
			cell := ""
			if i < len(cells) {
				text := strings.TrimSpace(cells[i])
				cell = prose(text)
				if t.Columns[i].Code && isRow && text != "" && text != "-" {
					cell = codeSpan(text)
				}
				cell = strings.ReplaceAll(cell, "|", `\|`)
			}
			m.WriteString(" " + cell + " |")
		}
		m.WriteString("\n")
	}
	var headings, rules []string
	for _, c := range t.Columns {
		headings = append(headings, unbroken.Replace(c.Heading))
		rules = append(rules, map[bool]string{false: "---", true: "---:"}[c.Right])
	}
	m.line("")
	row(headings...)
	m.line("| " + strings.Join(rules, " | ") + " |")
	for _, g := range t.Groups {
		if g.Title != "" {
			isRow = false
			row(g.Title)
		}
		isRow = true
		for _, r := range g.Rows {
			row(r.texts()...)
			if r.Below != "" {
				row(r.Below)
			}
		}
	}
	if t.More != "" {
		m.paragraph(t.More)
	}
}

// prose writes a text so that no part of it is taken for Markdown or HTML. Words that a site may
// turn into links or mentions of people are written as code.
func prose(text string) string {
	text = strings.NewReplacer(markAlarm, "\x00", markCaution, "\x00", markEnd, "\x00").Replace(text)
	words := strings.Split(text, " ")
	for i, word := range words {
		if linked().MatchString(word) {
			begin, end := len(word)-len(strings.TrimLeft(word, "(\x00")), len(strings.TrimRight(word, ".,;:)\x00"))
			words[i] = word[:begin] + codeSpan(word[begin:end]) + word[end:]
		} else {
			words[i] = markdownEscapes.Replace(word)
		}
	}
	// What needs attention is bold. A text of a report has no such byte.
	return strings.ReplaceAll(strings.Join(words, " "), "\x00", "**")
}

// linked matches what sites turn into links, mentions or pictures: addresses, names of people, numbers of
// issues as GitHub and GitLab have them, hexadecimal digits that may be a commit's, and names of
// emoji.
var linked = lazy.Regexp(`[@#]|://|(?i:www\.|\bgh-[0-9])|[0-9A-Fa-f]{7}|^[(\[{"'\x00]*[!%&][0-9]|:[a-z+-][a-z0-9_+-]*:`)

// markdownEscapes escape the characters that act within a line. In tables prose of a cell
// has its pipes escaped as well.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<",
	"&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "$", `\$`)

// codeSpan writes a word as code, between more backticks than it contains in a row.
func codeSpan(word string) string {
	word = strings.ReplaceAll(word, "\x00", "") // no mark within code
	fence := "`"
	for strings.Contains(word, fence) {
		fence += "`"
	}
	if fence == "`" {
		return fence + word + fence
	}
	return fmt.Sprintf("%s %s %s", fence, word, fence)
}
