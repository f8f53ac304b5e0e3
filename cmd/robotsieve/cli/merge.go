package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/scan/job"
)

func newMerge(s streams) *cobra.Command { return subcommand{name: "merge", run: runMerge}.build(s) }

func runMerge(ctx context.Context, s streams, a *args) error {
	ctx, release := onInterrupt(ctx)
	defer release()
	reporting := reportingOf(a)
	result, err := job.Merge(ctx, job.MergeOptions{
		Results: results(s, a, reporting), States: a.rest, Memory: value[int64](a, "memory"),
	})
	return reporting.finish(s, result, err)
}
