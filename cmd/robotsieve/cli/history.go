package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newHistory(s streams) *cobra.Command {
	cmd := words("history")
	cmd.Args, cmd.RunE = cobra.NoArgs, help
	for _, source := range job.HistorySources() {
		cmd.AddCommand(newHistorySource(s, source))
	}
	cmd.AddCommand(subcommand{name: "history-log", run: runHistoryLog, partial: true}.build(s))
	return cmd
}

func newHistorySource(s streams, source string) *cobra.Command {
	cmd := words("history-" + source)
	_, operands, _ := strings.Cut(cmd.Use, " ")
	cmd.Args = needs("history " + source + " needs " + operands)
	a := addFlags(cmd, "history", "history-"+source)
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "commands" { // the old name, from when it printed curl commands
			name = "urls"
		}
		return pflag.NormalizedName(name)
	})
	cmd.RunE = func(cmd *cobra.Command, rest []string) error {
		run := func(ctx context.Context, s streams, a *args) error { return runHistory(ctx, s, a, source) }
		return subcommand{run: run, partial: true}.start(cmd, rest, s, a)
	}
	return cmd
}

func runHistory(ctx context.Context, s streams, a *args, source string) error {
	given := map[string]string{}
	for _, name := range []string{"path", "origin", "bodies", "fl", "fields"} {
		given[name] = a.text(name)
	}
	if a.is("urls") {
		given["urls"] = "true"
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
		text := fmt.Sprintf("%s: %s for %s, %s", report.Printable(o.Output), english.Plural(made.Rows, "row"),
			english.Plural(made.Origins, "origin"), english.Plural(made.Bodies, "different file"))
		if made.Unknown > 0 {
			text += "; the file of " + english.Plural(made.Unknown, "row") + " is not known"
		}
		fmt.Fprint(s.err, text+".\n")
	}
	if made.Lost {
		return exitError(exitInput)
	}
	return nil
}

func runHistoryLog(ctx context.Context, s streams, a *args) error {
	w, output := bufio.NewWriter(s.out), a.text("output")
	list, n, page := jsonList{w: w}, 0, []report.LoggedSite(nil)
	partial, err := job.LogHistory(ctx, job.LogHistoryOptions{
		LogOptions: logOptions(s, a), Limits: limitsOf(a), Bodies: a.texts("bodies"),
		AllowDuplicates: a.is("allow-duplicates"), Stdout: s.out, Messages: s.messages(),
	}, func(site *report.LoggedSite) error {
		n++
		switch {
		case output == "json":
			list.add(site.Rewrite(report.ToUTF8))
		case output == "text":
			return writing("the intervals", render.WriteLogged(w, site))
		case n <= render.MaxLoggedOnPage:
			page = append(page, *site)
		}
		return nil
	})
	if err != nil && codeOf(err) != exitInterrupted {
		return err
	}
	switch output {
	case "json":
		list.end()
	case "html":
		_ = render.WriteLoggedPage(w, page, n > len(page)) // Flush returns the same error
	case "text":
		fmt.Fprintln(w, map[bool]string{true: "No log has a request for robots.txt.", false: render.LoggedLimits}[n == 0])
	}
	err = cmp.Or(err, writing("the intervals", w.Flush()))
	if err == nil && partial {
		err = exitWith(exitInput)
	}
	return err
}
