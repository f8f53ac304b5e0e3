package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newHistoryLog(s streams) *cobra.Command {
	return subcommand{name: "history-log", run: runHistoryLog}.build(s)
}

func runHistoryLog(ctx context.Context, s streams, a *args) error {
	ctx, release := onInterrupt(ctx)
	defer release()
	w, output := bufio.NewWriter(s.out), a.text("output")
	list, n, page := jsonList{w: w}, 0, []report.LoggedSite(nil)
	partial, err := job.LogHistory(ctx, job.LogHistoryOptions{
		LogOptions: logOptions(s, a), Limits: limitsOf(a), Bodies: a.texts("bodies"),
		AllowDuplicates: a.is("allow-duplicates"), Stdout: s.out, Messages: s.messages(),
	}, func(site *report.LoggedSite) error {
		n++
		switch {
		case output == "json":
			list.add(site)
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
		_ = render.WriteLoggedPage(w, page, n > len(page)) // its error comes again from Flush
	case "text":
		fmt.Fprintln(w, map[bool]string{true: "No log has a request for robots.txt.", false: render.LoggedLimits}[n == 0])
	}
	err = cmp.Or(err, writing("the intervals", w.Flush()))
	if err == nil && partial {
		err = exitWith(exitInput)
	}
	return err
}
