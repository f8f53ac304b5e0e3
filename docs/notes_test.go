package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/lint"
)

// TestNotes holds the table of kinds in notes.md to the rows of scan/lint.
func TestNotes(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| kind | severity | the note says | a file that has it |\n|---|---|---|---|\n")
	for _, k := range lint.Kinds() {
		fmt.Fprintf(&b, "| `%s` | %s | [%s](%s) | %s |\n", k.Name, k.Severity, cell(k.Sentence), k.Source, example(k.Bad))
	}
	fmt.Fprintln(&b)
	checkMade(t, "reference/notes.md", "TestNotes: go test ./docs -run Notes -update", b.String())
}

var (
	manyX     = regexp.MustCompile(`x{100,}`)
	unprinted = regexp.MustCompile(`[^ -~]`)
)

// example writes a robots.txt into a cell of a table.
func example(robots string) string {
	var lines []string
	for line := range strings.Lines(robots) {
		line = manyX.ReplaceAllStringFunc(strings.TrimSuffix(line, "\n"), func(x string) string {
			return fmt.Sprintf("xxx... (%d bytes)", len(x))
		})
		if line == "" {
			continue
		}
		if unprinted.MatchString(line) && !strings.Contains(line, "é") && !strings.Contains(line, "“") {
			line = strings.Trim(fmt.Sprintf("%q", line), `"`)
		}
		lines = append(lines, "`"+cell(line)+"`")
	}
	return strings.Join(lines, "<br>")
}

// cell escapes what would end a cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
