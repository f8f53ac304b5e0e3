package cli

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// Elsewhere is another program that has the commands audit and filter, with the flags, reports and exit codes
// of robotsieve, while other processes do the work.
type Elsewhere struct {
	Name, Short, Long string
	// Adapt adds flags to audit and filter, which it knows by their names, and describes what is different.
	Adapt func(*cobra.Command)
	// Audit and Filter do the jobs. Errors are as those of package job. They write rows, and what a filter
	// keeps, where they see fit; the report is printed also if there are rows.
	Audit  func(context.Context, job.AuditOptions, Rows) (*job.Audited, error)
	Filter func(context.Context, job.FilterOptions) (*job.Filtered, error)
}

// localFlags are the flags of audit and filter that are of use only in the process that does the work.
var localFlags = []string{"resolve", "evidence", "sha256", "line-buffered", "profile", "profile-dir"}

// Run runs a command line, without the name of the program, and returns the exit code.
func (e *Elsewhere) Run(ctx context.Context, args []string, in io.Reader, out, diagnosis io.Writer) int {
	return streams{in: in, out: out, err: diagnosis, elsewhere: e}.run(ctx, args)
}

// root returns the root command.
func (e *Elsewhere) root(s streams) *cobra.Command {
	root := &cobra.Command{Use: e.Name, Short: e.Short, Long: e.Long}
	for _, cmd := range []*cobra.Command{newAudit(s, crawler.Resolver{}), newFilter(s)} {
		kept := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(localFlags, f.Name) {
				kept.AddFlag(f)
			}
		})
		cmd.ResetFlags()
		cmd.Flags().AddFlagSet(kept)
		e.Adapt(cmd)
		root.AddCommand(cmd)
	}
	return root
}
