package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// writeMarkdown writes Markdown for issues and mails (GitHub Flavored Markdown Spec, 4.10 and 6).
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

type markdown struct{ strings.Builder }

func (m *markdown) line(text string)      { m.WriteString(text + "\n") }
func (m *markdown) paragraph(text string) { m.line("\n" + prose(text)) }

// write writes the text so far, followed by a document.
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

// table adds a table. Titles and the lines below rows become rows with one cell.
func (m *markdown) table(t table) {
	if t.rows == 0 {
		return
	}
	isRow := false // a row has been written since the heading or title
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

// prose escapes what acts as Markdown or HTML, and writes as code what a site may turn into links or mentions.
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
	// Text that needs attention is bold. Texts of a report contain no \x00.
	return strings.ReplaceAll(strings.Join(words, " "), "\x00", "**")
}

// linked matches what sites turn into links, mentions, pictures, issues, commits or emoji.
var linked = lazy.Regexp(`[@#]|://|(?i:www\.|\bgh-[0-9])|[0-9A-Fa-f]{7}|^[(\[{"'\x00]*[!%&][0-9]|:[a-z+-][a-z0-9_+-]*:`)

// markdownEscapes escapes the characters that act within a line, but for the pipes of tables.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<",
	"&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "$", `\$`)

// codeSpan formats a word as code, delimited by one more backtick than the longest run in it.
func codeSpan(word string) string {
	word = strings.ReplaceAll(word, "\x00", "") // code has no marks
	fence := "`"
	for strings.Contains(word, fence) {
		fence += "`"
	}
	if fence == "`" {
		return fence + word + fence
	}
	return fmt.Sprintf("%s %s %s", fence, word, fence)
}
