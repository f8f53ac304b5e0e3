// Package cli is the command line of robotsieve: its flags, messages, progress bar and exit codes
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
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// streams are the input and outputs of a command. Results go to out, progress and
// diagnostics to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
	dns      crawler.Resolver
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colours reports whether to write to a stream in colours: to a terminal, unless the user
// forbids it (no-color.org).
func colours(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }

// stdinIn returns "-" if it is the only argument of a command whose arguments are no files: it then
// reads stdin.
func stdinIn(args []string) []string {
	if slices.Equal(args, []string{"-"}) {
		return []string{"-"}
	}
	return nil
}

// Exit codes. If several apply, the command ends with 130, 3, 2 or 1, in this order.
const (
	exitDone        = 0
	exitFound       = 1   // done, and the condition asked for holds
	exitUsage       = 2   // the command line is wrong or incomplete
	exitInput       = 3   // an input could not be used, wholly or in part
	exitInterrupted = 130 // by SIGINT, after printing what is known so far, if anything
)

// exitError ends a command that has printed its errors.
type exitError int

func (c exitError) Error() string { return fmt.Sprintf("exit status %d", int(c)) }

// exitWith ends a command that has printed its errors, if there were any.
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

// codeOf returns the exit code for an error. Errors of other types than job.Error come
// from cobra: the command line is wrong, or cobra could not write.
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

// Main is the program robotsieve: it runs the command of this process, and returns its exit code.
func Main() int {
	withoutHeapProfile()
	delayCollection()
	return run(context.WithValue(context.Background(), ownProcess{}, true), os.Args[1:],
		streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}

func run(ctx context.Context, args []string, s streams) int { return s.run(ctx, args) }

// run is the command as a function of its arguments and streams. It returns the exit
// code.
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

// lossless keeps the first error of its writer, which cobra ignores when it writes help.
type lossless struct {
	io.Writer
	err error
}

func (l *lossless) Write(p []byte) (int, error) {
	n, err := l.Writer.Write(p)
	l.err = cmp.Or(l.err, err)
	return n, err
}

// onInterrupt returns a context that the first SIGINT, SIGTERM or SIGHUP ends, for commands that
// print what they have done until then. The second signal ends the process. A signal that the
// caller of the program ignores, as nohup does, stays ignored.
func onInterrupt(ctx context.Context) (_ context.Context, release func()) {
	signals := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	if len(signals) == 0 { // which NotifyContext would take for all signals
		return ctx, func() {}
	}
	ctx, release = signal.NotifyContext(ctx, signals...)
	context.AfterFunc(ctx, release)
	return ctx, release
}

func help(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// Root returns the command with all its commands, as for their man pages.
func Root() *cobra.Command {
	return newRoot(streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}, nil)
}

// commands make the commands, by name.
var commands = map[string]func(streams) *cobra.Command{
	"audit": newAudit, "merge": newMerge, "verify": newVerify, "filter": newFilter, "check": newCheck,
	"crawlers": newCrawlers, "formats": newFormats, "compile": newCompile, "history": newHistory, "bench": newBench,
	"version": newVersion,
}

// newRoot returns the command, with all its commands unless the first argument names the only one that a
// run needs: making them all would take longer than many a run.
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

// commandKey is where run keeps the command line in the annotations of the root command.
const commandKey = "command line"

// commandLine returns the command line by which a command was called, as a shell reads it.
func commandLine(cmd *cobra.Command) string { return cmd.Root().Annotations[commandKey] }

// writing returns the error of a command that could not write something.
func writing(what string, err error) error {
	if err == nil {
		return nil
	}
	return inputError(fmt.Errorf("writing %s: %w", what, err))
}
