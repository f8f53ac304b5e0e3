package cli

import (
	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/scan/job"
)

func newMerge(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge STATE...",
		Short: "Combine partial audits into one report",
		Long: `Merge adds up the states that audit --state has written, each of a part of the
logs, and prints the report that one audit of all of them would have given.

The parts must have been judged by files of the same content, whatever their
names, and by the same flags. The states contain these, so that no other file is
needed. With --state the sum is also written as a state, which can be merged again.`,
		Example: `  robotsieve audit --policy manifest.csv --state a.state monday.log.gz > /dev/null
  robotsieve audit --policy manifest.csv --state b.state tuesday.log.gz > /dev/null
  robotsieve merge a.state b.state`,
	}
	o, report := job.MergeOptions{}, addReportFlags(cmd)
	memoryFlag(cmd, &o.Memory)
	cmd.Flags().BoolVar(&o.AllowDuplicates, "allow-duplicates", false,
		"count a state also if all its inputs are in another one")
	cmd.Flags().StringVar(&o.State, "state", "", "also write the sum to a file, as a state for merge")
	forceFlag(cmd, &o.Force)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		o.States, o.Stdout = names, s.out
		o.Program, o.Command, o.Check = version(), commandLine(cmd), report.check
		o.Files, o.By, o.Messages = report.files, report.by, report.messages(s)
		a, err := job.Merge(ctx, o)
		return report.finish(s, a, err)
	}
	return cmd
}
