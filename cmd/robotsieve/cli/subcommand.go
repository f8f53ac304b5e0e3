package cli

import (
	"context"
	"embed"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// subcommand is a command with the texts of help/NAME.txt and the flags of flagTable.
type subcommand struct {
	name     string // as in commandNames
	args     cobra.PositionalArgs
	complete cobra.CompletionFunc // completes arguments
	run      func(ctx context.Context, s streams, a *args) error
	partial  bool // an interrupt ends its context, so that it prints what is known so far
}

// helpTexts are the texts of the commands. Each has the usage on a line, the purpose on a second
// line, then details after a blank line, and examples.
//
//go:embed help/*.txt
var helpTexts embed.FS

// words returns a command with its texts.
func words(name string) *cobra.Command {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		panic(err) // TestHelp reads all
	}
	use, text2, _ := strings.Cut(string(text), "\n")
	short, text2, _ := strings.Cut(text2, "\n\n")
	long, examples, _ := strings.Cut(text2, "\n\nExamples:\n")
	return &cobra.Command{Use: use, Short: short, Long: refilled(strings.TrimSuffix(long, "\n")),
		Example: strings.TrimSuffix(examples, "\n")}
}

func (c subcommand) build(s streams) *cobra.Command {
	cmd := words(c.name)
	cmd.Args, cmd.ValidArgsFunction = c.args, c.complete
	a := addFlags(cmd, c.name)
	cmd.RunE = func(cmd *cobra.Command, rest []string) error { return c.start(cmd, rest, s, a) }
	return cmd
}

// start checks the flags against each other, then calls the function of the command.
func (c subcommand) start(cmd *cobra.Command, rest []string, s streams, a *args) error {
	a.rest, a.line = rest, cmd.Root().Annotations[commandKey]
	if err := a.check(); err != nil {
		return err
	}
	if own, _ := cmd.Context().Value(ownProcess{}).(bool); own && a.flags["memory"] != nil {
		// The garbage collector runs more often as the heap approaches --memory.
		debug.SetMemoryLimit(min(value[int64](a, "memory")+heapBytes, debug.SetMemoryLimit(-1)))
	}
	ctx := cmd.Context()
	if c.partial {
		var release func()
		ctx, release = onInterrupt(ctx)
		defer release()
	}
	return c.run(ctx, s, a)
}

// ownProcess is the context key of a process that runs this command alone, unlike a test's.
type ownProcess struct{}

// heapBytes is the Go heap's share of the program's 64 MB, beside code, stacks and the system's overhead.
const heapBytes = 37 << 20

// needs returns a check that there is an argument. otherwise is the error message.
func needs(otherwise string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError("%s", otherwise)
		}
		return nil
	}
}
