package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/audit"
)

// writeMarkdown writes the first screen as Markdown, for issues and mails, with the rules that
// were broken and what the figures are from (GitHub Flavored Markdown Spec, 4.10 and 6).
func writeMarkdown(w io.Writer, r *audit.Report, _ bool) error {
	d := doc{r, maxViolatorsShown, screenWidth}
	var m markdown
	m.line("# Crawlers and robots.txt")
	for _, text := range slices.Concat(d.partial(), d.headline(), []string{d.scope()}) {
		m.paragraph(text)
	}
	violators := d.violators(d.most)
	violators.heading = "Crawlers that broke robots.txt"
	if len(violators.table.rows) > 0 {
		violators.facts = legend(informed)
	}
	result := []block{violators, {text: slices.Concat(d.clean(), d.notHeld())}}
	if r.Totals.Requests > 0 {
		result = append(result, block{text: []string{d.certainty()}})
	}
	advice, basis := d.advice(), d.facts()
	advice.heading, advice.title, basis.heading = "What to fix", "", "What was read"
	for _, b := range withText(slices.Concat(result, []block{advice, d.rules(), d.versions()}, d.warnings(), []block{basis, {text: []string{d.limits()}}})...) {
		m.block(b)
	}
	_, err := io.WriteString(w, m.String())
	return err
}

// markdown is a text in Markdown that is being made.
type markdown struct{ strings.Builder }

func (m *markdown) line(text string)      { m.WriteString(text + "\n") }
func (m *markdown) paragraph(text string) { m.line("\n" + prose(text)) }

func (m *markdown) block(b block) {
	if b.heading != "" && b.heading != "Warning" {
		m.line("\n## " + b.heading)
	}
	if b.title != "" {
		m.paragraph(b.title)
	}
	if len(b.list) > 0 {
		m.line("")
	}
	for _, item := range b.list {
		m.line("- " + prose(item))
	}
	m.table(b.table)
	if len(b.facts) > 0 {
		m.line("")
	}
	for _, f := range b.facts {
		name := ""
		if f.name != "" {
			name = f.name + ": "
		}
		m.line("- " + name + prose(f.text))
	}
	if len(b.quote) > 0 {
		fence := "```"
		for slices.ContainsFunc(b.quote, func(line string) bool { return strings.Contains(line, fence) }) {
			fence += "`"
		}
		m.line("\n" + fence + "\n" + strings.Join(b.quote, "\n") + "\n" + fence)
	}
	for _, text := range b.text {
		m.paragraph(text)
	}
}

// table writes a table, whose titles are rows of one cell.
func (m *markdown) table(t table) {
	if len(t.rows) == 0 {
		return
	}
	row := func(cells []string) {
		m.WriteString("|")
		for i := range t.header {
			cell := ""
			if i < len(cells) {
				cell = strings.ReplaceAll(prose(strings.TrimSpace(cells[i])), "|", `\|`)
			}
			m.WriteString(" " + cell + " |")
		}
		m.WriteString("\n")
	}
	var headings, rules []string
	for _, heading := range t.header {
		heading, right := strings.CutPrefix(heading, ">")
		headings = append(headings, unbroken.Replace(heading))
		rules = append(rules, map[bool]string{false: "---", true: "---:"}[right])
	}
	m.line("")
	row(headings)
	m.line("| " + strings.Join(rules, " | ") + " |")
	for _, cells := range t.rows {
		row(cells)
	}
	if t.more != "" {
		m.paragraph(t.more)
	}
}

// prose writes a text so that none of it is taken for Markdown or HTML. Words that a site may
// turn into links or mentions of people are written as code.
func prose(text string) string {
	text = strings.NewReplacer(markAlarm, "\x00", markCaution, "\x00", markEnd, "\x00").Replace(text)
	words := strings.Split(text, " ")
	for i, word := range words {
		if linked().MatchString(word) {
			begin, end := len(word)-len(strings.TrimLeft(word, "\x00")), len(strings.TrimRight(word, ".,;:\x00"))
			words[i] = word[:begin] + codeSpan(word[begin:end]) + word[end:]
		} else {
			words[i] = markdownEscapes.Replace(word)
		}
	}
	// What needs attention is bold. A text of a report has no such octet.
	return strings.ReplaceAll(strings.Join(words, " "), "\x00", "**")
}

// linked is what sites make links, mentions or pictures of: addresses, names of people, numbers of issues as GitHub and GitLab
// have them, hexadecimal digits that may be a commit's, and names of emoji.
var linked = lazy.Regexp(`[@#]|://|(?i:www\.|\bgh-[0-9])|[0-9A-Fa-f]{7}|^[(\[{"'\x00]*[!%&][0-9]|:[a-z+-][a-z0-9_+-]*:`)

// markdownEscapes are those of the characters that act within a line. In tables prose of a cell
// has its pipes escaped as well.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "$", `\$`)

// codeSpan writes a word as code, between more backticks than it has in a row.
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
