package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/job"
)

func newVerify(s streams) *cobra.Command {
	o := &job.VerifyOptions{Messages: s.messages()}
	cmd := &cobra.Command{
		Use:   "verify DIR [LOG...]",
		Short: "Check a folder that audit --evidence has made",
		Long: `Verify checks a folder of evidence: it makes the folder again of its robots.txt, lists,
crawlers, options and lines, and compares all files. So each request in it is a
violation, of the rule that is listed, and nothing in it says more than its lines.

With the logs that the evidence is from, under whatever names, it also checks that
they are these logs, that each line of the folder is in them, byte for byte and with
the number that is stated, and that a new audit of the logs finds the same violations
and no others. It prints what it could not check.

Exit status: 0 all that was checked holds; 1 something does not; 3 it could not be
checked, wholly or in part.`,
		Example: `  robotsieve verify november
  robotsieve verify november access.log access.log.*.gz`,
		Args: cobra.MinimumNArgs(1),
	}
	memoryFlag(cmd, &o.Memory)
	workersFlag(cmd, &o.Workers, "goroutines that read lines")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o.Dir, o.Logs.Names = args[0], args[1:]
		if err := job.RefuseStreams(s.out, s.err, s.in, args...); err != nil {
			return err
		}
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		v, err := job.Verify(ctx, *o)
		if v == nil {
			return err
		}
		code := exitDone
		if len(v.Failed) > 0 {
			code = exitFound
		}
		if err != nil {
			s.warn("%v", err)
			code = codeOf(err)
		}
		if _, err := fmt.Fprint(s.out, verifiedText(v)); err != nil {
			return err
		}
		return exitWith(code)
	}
	return cmd
}

// verifiedText is the result of verify for people.
func verifiedText(v *job.Verified) string {
	var b strings.Builder
	for _, text := range v.Checked {
		fmt.Fprintln(&b, audit.Printable(text))
	}
	for _, text := range v.Failed {
		fmt.Fprintln(&b, "Does not hold: "+audit.Printable(text))
	}
	if v.NotListed > 0 {
		fmt.Fprintf(&b, "Does not hold: %s like these.\n",
			english.Grouped(v.NotListed)+" more "+english.Verb(v.NotListed, "check", "checks"))
	}
	return b.String()
}
