package cli

import (
	"bufio"
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/render"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

func newHistoryLog(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log LOG...",
		Short: "when robots.txt changed, by the answers in access logs",
		Long: `Log reads access logs, named as for audit, and prints what each site answered to
GETs of /robots.txt, and when: statuses, and sizes of what was sent, as intervals in
which they were alike. The file changed between the last answer of an interval and
the first of the next; more is not known. No folder is written.

With --bodies each size is compared with robots.txt files. A file of the same
size need not be the one that was sent.

Sizes that come in turn are one interval: the file was compressed for some clients,
or depends on who asks.`,
		Example: `  robotsieve history log access.log*
  robotsieve history log --bodies old-robots/ --output html access.log* > robots.html`,
	}
	o, flags := job.AuditOptions{Logs: job.Inputs{Stdin: s.in}}, cmd.Flags()
	flags.StringVar(&o.Format, "format", "auto", "format of the logs, as for audit")
	_ = cmd.RegisterFlagCompletionFunc("format", completeFormats)
	flags.StringVar(&o.TimeZone, "time-zone", "", "the zone of times in logs that name none (default UTC)")
	flags.StringArrayVar(&o.Hosts, "host", nil, "the site of logs that name none, as for audit (repeatable)")
	bodies := flags.StringArray("bodies", nil, "robots.txt files to compare sizes with: a file or a folder (repeatable)")
	percentFlag(cmd, &o.MaxUnparsed, "max-unparsed", "5",
		"per cent of the lines of a log that may be unreadable; more give exit status 3")
	flags.BoolVar(&o.AllowDuplicates, "allow-duplicates", false, "read a log also if another one has the same content")
	var output string
	choice(cmd, "output", "text", "form of the result", to(&output), "text", "json", "html")
	memoryFlag(cmd, &o.Memory)
	workersFlag(cmd, &o.Workers, "goroutines that read lines")
	cmd.RunE = func(cmd *cobra.Command, logs []string) error {
		o.Logs.Names, o.Messages, o.Stdout = logs, s.messages(), s.out
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		w := bufio.NewWriter(s.out)
		list, n, page := jsonList{w: w}, 0, []report.LoggedSite(nil)
		partial, err := job.LogHistory(ctx, o, *bodies, func(site *report.LoggedSite) error {
			switch n++; {
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
		if err = cmp.Or(err, writing("the intervals", w.Flush())); err == nil && partial {
			err = exitWith(exitInput)
		}
		return err
	}
	return cmd
}
