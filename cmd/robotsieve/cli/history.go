package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/history"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newHistory(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Find the versions that robots.txt had, for audit --policy",
		Long: `History finds which robots.txt a site had since when, and writes it as a folder with
a manifest.csv and the files beside it. With audit --policy FOLDER each request is
judged by the robots.txt of its time, not by that of today.

Each source is a command of its own. None of them opens a network connection, and
what cannot be read is named on stderr, with exit status 3, and the rest is written.`,
		Example: `  robotsieve history git . --path public/robots.txt --origin https://example.com -o versions
  robotsieve audit --policy versions --delay 12h --host https://example.com access.log*`,
		Args: cobra.NoArgs, RunE: help,
	}
	for _, source := range job.HistorySources() {
		cmd.AddCommand(newHistorySource(s, source))
	}
	cmd.AddCommand(newHistoryLog(s))
	return cmd
}

// newHistorySource returns the command of a source.
func newHistorySource(s streams, source history.Source) *cobra.Command {
	cmd := &cobra.Command{
		Use: source.Name + " " + source.Args, Short: source.Short, Long: source.Long, Example: source.Example,
		Args: needs("history " + source.Name + " needs " + source.Args),
	}
	o := &job.HistoryOptions{Source: source, Stdin: s.in, Stdout: s.out, Messages: s.messages()}
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "the folder to write")
	cmd.Flags().BoolVar(&o.Force, "force", false, "let the folder replace one that history has made")
	memoryFlag(cmd, &o.Memory)
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "commands" { // as it was called when it printed commands of curl
			name = "urls"
		}
		return pflag.NormalizedName(name)
	})
	for _, f := range source.Flags {
		if f.Prints {
			cmd.Flags().Bool(f.Name, false, f.Help)
		} else {
			cmd.Flags().String(f.Name, "", f.Help)
		}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		o.Args, o.Values = args, map[string]string{}
		for _, f := range source.Flags {
			if value := cmd.Flags().Lookup(f.Name).Value.String(); !f.Prints || value == "true" {
				o.Values[f.Name] = value
			}
		}
		made, err := job.History(ctx, *o)
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
	return cmd
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
