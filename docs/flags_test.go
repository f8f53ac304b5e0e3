package docs_test

import (
	"testing"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
)

// TestFlags holds the tables of flags.md to the table of flags.
func TestFlags(t *testing.T) {
	checkMade(t, "flags.md", "TestFlags: go test ./docs -run Flags -update", cli.FlagsPage())
}
