package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/lint"
)

// TestNotes compares the list of kinds in notes.md with the rows of scan/lint.
func TestNotes(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n")
	for _, k := range lint.Kinds() {
		fmt.Fprintf(&b, "- `%s` (%s): [%s](%s)<br>%s\n", k.Name, k.Severity, k.Sentence, k.Source, example(k.Bad))
	}
	fmt.Fprintln(&b)
	checkMade(t, "reference/notes.md", "TestNotes: go test ./docs -run Notes -update", b.String())
}

var (
	manyX     = regexp.MustCompile(`x{100,}`)
	unprinted = regexp.MustCompile(`[^ -~]`)
)

// example formats a robots.txt for a list item.
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
		lines = append(lines, "`"+line+"`")
	}
	return strings.Join(lines, "<br>")
}
