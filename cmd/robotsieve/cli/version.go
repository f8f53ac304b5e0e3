package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/internal/release"
)

// The linker sets these in release binaries: the version, the full hash and the time of its commit.
var version, commit, date string

// build identifies the source of this binary. Without the linker's values it is what the Go command
// recorded, which is the module's version for go install and the commit in a checkout.
type build struct{ version, commit, date string }

var thisBuild = sync.OnceValue(func() build {
	b := build{version, commit, date}
	if b.version != "" && b.commit != "" && b.date != "" {
		return b
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = cmp.Or(b.commit, s.Value)
		case "vcs.time":
			b.date = cmp.Or(b.date, s.Value)
		}
	}
	recorded := strings.TrimPrefix(info.Main.Version, "v")
	if recorded == "(devel)" || strings.HasPrefix(recorded, "0.0.0-") { // a commit without a tag
		recorded = ""
	}
	b.version = cmp.Or(b.version, recorded, release.Number+"-dev")
	return b
})

// String returns the version, the commit and its time where known, Go's version and the system.
func (b build) String() string {
	of := ""
	if b.commit != "" {
		of = fmt.Sprintf(" (commit %s of %s)", b.commit, cmp.Or(b.date, "unknown date"))
	}
	return fmt.Sprintf("robotsieve %s%s %s %s/%s", b.version, of, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and Go's version",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return printVersion(s) },
	}
}

func printVersion(s streams) error {
	_, err := fmt.Fprintln(s.out, thisBuild())
	return err
}
