package docs_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/preference"
)

// TestSignals compares the table of signals in signals.md with the rows of scan/preference.
func TestSignals(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| signal | about | stands in | values | source |\n|---|---|---|---|---|\n")
	for _, s := range preference.Signals() {
		values := strings.Join(s.Words, ", ")
		switch {
		case s.Yes != "":
			values = s.Yes + ", " + s.No
		case s.Where == preference.AsToken:
			values = "rules of its group; whether `*` binds it: " + s.Wildcard
		case values == "":
			values = "a full URL"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | [%s](%s) |\n", s.Name, cmp.Or(s.Use, "-"), s.Where, values, s.Date, s.Source)
	}
	fmt.Fprintln(&b)
	checkMade(t, "reference/signals.md", "TestSignals: go test ./docs -run Signals -update", b.String())
}
