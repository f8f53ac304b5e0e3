// Package cli is the command line of robotsieve: flags, messages, progress bar and exit codes
// around package job. Each subcommand is a function of its streams.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// streams are those of a command. Results go to out, progress and diagnostics to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
	dns      crawler.Resolver
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colours reports whether to write in colour: on a terminal, unless NO_COLOR is set (no-color.org).
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// stdinIn returns "-" if that is the only argument, for which commands without files read stdin.
func stdinIn(args []string) []string {
	if slices.Equal(args, []string{"-"}) {
		return []string{"-"}
	}
	return nil
}

// Exit codes. If several apply, 130 takes precedence, then 3, 2 and 1.
const (
	exitDone        = 0
	exitFound       = 1   // the condition asked for holds
	exitUsage       = 2   // the command line is wrong or incomplete
	exitInput       = 3   // some or all of the input could not be used
	exitInterrupted = 130 // by SIGINT, after printing what is known so far, if anything
)

// exitError ends a command that has already printed its errors.
type exitError int

func (c exitError) Error() string { return fmt.Sprintf("exit status %d", int(c)) }

func exitWith(code int) error {
	if code == exitDone {
		return nil
	}
	return exitError(code)
}

func usageError(format string, args ...any) error {
	return &job.Error{Kind: job.Usage, Err: fmt.Errorf(format, args...)}
}

func inputError(err error) error { return &job.Error{Kind: job.Input, Err: err} }

// codeOf returns the exit code for an error. If it isn't a job.Error, it is cobra's, of usage or writing.
func codeOf(err error) int {
	var failed *job.Error
	var system syscall.Errno
	switch {
	case !errors.As(err, &failed) && (errors.As(err, &system) || errors.Is(err, fs.ErrClosed)):
		return exitInput
	case failed == nil || failed.Kind == job.Usage:
		return exitUsage
	case failed.Kind == job.Interrupted:
		return exitInterrupted
	}
	return exitInput
}

// Main runs the command line of this process, and returns its exit code.
func Main() int {
	runtime.MemProfileRate = 0 // it costs 0.1 ms per megabyte; --profile mem turns it on again
	delayCollection()
	s := streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	return s.run(context.WithValue(context.Background(), ownProcess{}, true), os.Args[1:])
}

func (s streams) run(ctx context.Context, args []string) int {
	root := newRoot(s, args)
	root.SetArgs(args)
	root.Annotations = map[string]string{commandKey: english.ShellLine(append([]string{root.Name()}, args...)...)}
	cmd, err := root.ExecuteContextC(ctx)
	err = cmp.Or(err, root.OutOrStdout().(*lossless).err)
	var exit exitError
	if err == nil || errors.As(err, &exit) {
		return int(exit)
	}
	s.warn("%v", strings.TrimSpace(err.Error()))
	code := codeOf(err)
	if code == exitUsage {
		fmt.Fprintf(s.err, "Try '%s --help'.\n", cmd.CommandPath())
	}
	return code
}

// lossless keeps the first error of its writer, because cobra ignores it when printing help.
type lossless struct {
	io.Writer
	err error
}

func (l *lossless) Write(p []byte) (int, error) {
	n, err := l.Writer.Write(p)
	l.err = cmp.Or(l.err, err)
	return n, err
}

// onInterrupt returns a context that the first SIGINT, SIGTERM or SIGHUP ends, for partial results. The
// second ends the process. A signal that was ignored at the start, as by nohup, stays ignored.
func onInterrupt(ctx context.Context) (_ context.Context, release func()) {
	signals := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	if len(signals) == 0 { // NotifyContext would take none for all
		return ctx, func() {}
	}
	ctx, release = signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, release)
	return ctx, release
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// Root returns the root command with all subcommands, for the man pages.
func Root() *cobra.Command {
	return newRoot(streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, nil)
}

var commands = map[string]func(streams) *cobra.Command{
	"audit": subcommand{name: "audit", run: runAudit, partial: true}.build,
	"merge": subcommand{name: "merge", run: runMerge, partial: true}.build,
	"verify": subcommand{name: "verify", run: runVerify, partial: true,
		args: needs("no folder of evidence: name one that audit --evidence has made")}.build,
	"filter":   subcommand{name: "filter", run: runFilter, partial: true}.build,
	"check":    subcommand{name: "check", run: runCheck}.build,
	"crawlers": newCrawlers,
	"formats":  subcommand{name: "formats", run: runFormats}.build,
	"compile":  subcommand{name: "compile", run: runCompile}.build,
	"history":  newHistory,
	"bench":    subcommand{name: "bench", run: runBench, partial: true}.build,
	"version":  newVersion,
}

// newRoot returns the root command, with the one that is called alone: to make all takes longer than many runs.
func newRoot(s streams, args []string) *cobra.Command {
	root := words("robotsieve")
	root.SilenceUsage, root.SilenceErrors = true, true
	root.Args = cobra.NoArgs
	isVersion := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *isVersion {
			return printVersion(s)
		}
		return help(cmd, args)
	}
	root.SetIn(s.in)
	root.SetOut(&lossless{Writer: s.out})
	root.SetErr(s.err)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(usage)
	root.SetHelpFunc(showHelp)
	if len(args) > 0 && commands[args[0]] != nil {
		root.AddCommand(commands[args[0]](s))
		root.CompletionOptions.DisableDefaultCmd = true
		root.SetHelpCommand(&cobra.Command{Hidden: true})
		return root
	}
	root.SetHelpCommand(newHelp(s))
	for _, command := range commands {
		root.AddCommand(command(s)) // cobra sorts them
	}
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"})
	completion.Args, completion.RunE = cobra.NoArgs, help // an unknown shell is an error
	return root
}

// commandKey is the annotation of the root command that holds the command line.
const commandKey = "command line"

func writing(what string, err error) error {
	if err == nil {
		return nil
	}
	return inputError(fmt.Errorf("writing %s: %w", what, err))
}
