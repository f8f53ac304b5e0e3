package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/history"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newHistory(s streams) *cobra.Command {
	cmd := words("history")
	cmd.Args, cmd.RunE = cobra.NoArgs, help
	for _, source := range job.HistorySources() {
		cmd.AddCommand(newHistorySource(s, source))
	}
	cmd.AddCommand(newHistoryLog(s))
	return cmd
}

// newHistorySource returns the command of a source.
func newHistorySource(s streams, source history.Source) *cobra.Command {
	cmd := &cobra.Command{
		Use: source.Name + " " + source.Args, Short: source.Short, Long: refilled(source.Long), Example: source.Example,
		Args: needs("history " + source.Name + " needs " + source.Args),
	}
	a := addFlags(cmd, "history")
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "commands" { // as it was called when it printed commands of curl
			name = "urls"
		}
		return pflag.NormalizedName(name)
	})
	for _, f := range source.Flags {
		row := sourceFlag(f)
		a.add(cmd, &row)
	}
	cmd.RunE = func(cmd *cobra.Command, rest []string) error {
		return a.run(cmd, rest, s, func(ctx context.Context, s streams, a *args) error {
			return runHistory(ctx, s, a, source)
		})
	}
	return cmd
}

func runHistory(ctx context.Context, s streams, a *args, source history.Source) error {
	ctx, release := onInterrupt(ctx)
	defer release()
	given := map[string]string{}
	for _, f := range source.Flags {
		if value := a.flags[f.Name].text; !f.Prints || value == "true" {
			given[f.Name] = value
		}
	}
	o := job.HistoryOptions{
		Source: source, Args: a.rest, Values: given, Output: a.text("output"), Force: a.is("force"), Stdin: s.in,
		Stdout: s.out, Memory: value[int64](a, "memory"), Messages: s.messages(),
	}
	made, err := job.History(ctx, o)
	if err != nil {
		return err
	}
	if made.Rows > 0 {
		fmt.Fprint(s.err, historyText(o.Output, made))
	}
	if made.Lost {
		return exitError(exitInput)
	}
	return nil
}

// sourceFlag is a flag of a source as a row of the table.
func sourceFlag(f history.Flag) flagRow {
	switch {
	case f.Prints:
		return flagRow{name: f.Name, group: output, kind: onOff, help: f.Help}
	case f.Reads:
		return flagRow{name: f.Name, group: input, kind: anyText("PATH"), help: f.Help}
	}
	return flagRow{name: f.Name, group: input, kind: anyText("TEXT"), help: f.Help}
}

// historyText says what was made.
func historyText(folder string, made *job.HistoryMade) string {
	text := fmt.Sprintf("%s: %s for %s, %s", report.Printable(folder), english.Plural(made.Rows, "row"),
		english.Plural(made.Origins, "origin"), english.Plural(made.Bodies, "different file"))
	if made.Unknown > 0 {
		text += "; the file of " + english.Plural(made.Unknown, "row") + " is not known"
	}
	return text + ".\n"
}
