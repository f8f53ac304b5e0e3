package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// streams are what a command reads and writes. Results go to out; progress and
// diagnostics go to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// colours tells whether a stream is written to in colours: on a terminal, unless the
// user forbids it (no-color.org).
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// printable is text of strangers as it may be shown.
func printable(text string) string { return audit.Printable([]byte(text)) }

// warn prints a line of diagnosis. What it says may come from anybody's file.
func (s streams) warn(format string, args ...any) {
	fmt.Fprintf(s.err, "robotsieve: %s\n", printable(fmt.Sprintf(format, args...)))
}

// log returns the log of a job, which goes to err.
func (s streams) log() job.Log {
	return job.Log{
		Warn:     func(message string) { s.warn("%s", message) },
		Progress: func(p job.Progress) (end func()) { return showProgress(s.err, p) },
	}
}

// isTerminal tells whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Exit codes; of several that apply the gravest, which is the highest but for
// exitUsage, is returned.
const (
	exitDone        = 0
	exitFound       = 1   // done, and what was looked for was found
	exitUsage       = 2   // the command line, or what it leaves out
	exitInput       = 3   // an input could not be used, wholly or in part
	exitInterrupted = 130 // by SIGINT, after printing what is known so far, if that is anything
)

// exitError is an error with the code that it ends the command with. A nil err
// has been reported already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

func inputError(err error) error { return &exitError{exitInput, err} }

// codeOf returns the exit code for an error of a job. Other errors are cobra's,
// about the command line.
func codeOf(err error) int {
	failed := &job.Error{Kind: job.Usage}
	errors.As(err, &failed)
	switch failed.Kind {
	case job.Input:
		return exitInput
	case job.Interrupted:
		return exitInterrupted
	}
	return exitUsage
}

// exitWith ends a command whose troubles have been reported.
func exitWith(code int) error {
	if code == exitDone {
		return nil
	}
	return &exitError{code: code}
}

// run is the command as a function of its arguments and streams. It returns the
// exit code.
func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	exit := &exitError{codeOf(err), err}
	// Cobra may also fail to write.
	if system := syscall.Errno(0); errors.As(err, &system) {
		exit.code = exitInput
	}
	errors.As(err, &exit)
	if exit.err != nil {
		s.warn("%v", strings.TrimSpace(exit.err.Error()))
		if exit.code == exitUsage {
			fmt.Fprintf(s.err, "Try '%s --help'.\n", cmd.CommandPath())
		}
	}
	return exit.code
}

// onInterrupt returns a context that the first SIGINT or SIGTERM ends, for commands that
// have something to say of what they did until then. The second finds no handler and ends
// the process, as the first does in all other commands.
func onInterrupt(ctx context.Context) (_ context.Context, release func()) {
	ctx, release = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, release)
	return ctx, release
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "robotsieve",
		Short: "robots.txt at volume: audits of access logs, verdicts on URLs",
		Long: `robotsieve compiles robots.txt into matchers and streams access logs of any size
through them: which crawlers asked for what robots.txt forbids them. URL lists
go through the same matchers: which of them a crawler may fetch.

Results go to stdout, progress and diagnostics to stderr; - is stdin.
Exit status: 0 done; 1 done, and what was looked for was found; 2 wrong usage;
3 an input could not be used, wholly or in part; 130 interrupted, after printing
what was known so far, if anything.`,
		Example: `  robotsieve audit --robots robots.txt access.log*.gz
  robotsieve filter --robots robots.txt --agent GPTBot urls.txt.gz > allowed.txt
  robotsieve check --robots robots.txt --agent GPTBot https://example.com/archive/`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          help,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.AddCommand(newAudit(s, crawler.Resolver{}), newMerge(s), newFilter(s), newCheck(s), newCrawlers(s), newCompile(s), newBench(s), newVersion(s))
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args, completion.RunE = cobra.NoArgs, help // for a shell that is none would be no error
	return root
}

// maxWorkers bounds --workers: each has buffers of its own, and more than there are
// processors are of no use.
const maxWorkers = 1024

// workersFlag adds the flag --workers.
func workersFlag(cmd *cobra.Command, usage string) *int {
	return cmd.Flags().Int("workers", min(runtime.GOMAXPROCS(0), maxWorkers), fmt.Sprintf("%s, 1 to %d", usage, maxWorkers))
}

func checkWorkers(n int) error {
	if n < 1 || n > maxWorkers {
		return usageError("--workers %d is not between 1 and %d", n, maxWorkers)
	}
	return nil
}

// choice adds a flag that takes one of a few values, which completion offers.
// get returns the value, or an error that lists them.
func choice(cmd *cobra.Command, name, value, usage string, values ...string) (get func() (string, error)) {
	list := strings.Join(values, "|")
	got := cmd.Flags().String(name, value, fmt.Sprintf("%s: %s", usage, list))
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	return func() (string, error) {
		for _, v := range values {
			if strings.EqualFold(v, *got) {
				return v, nil
			}
		}
		return "", usageError("--%s %q is none of %s", name, *got, list)
	}
}
