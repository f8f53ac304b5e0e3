package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/job"
)

// value is a flag whose text is read when the command line is parsed.
type value struct {
	text, kind string
	read       func(text string) error
	choices    []string // the only texts it takes; none if any
}

func (v *value) String() string { return v.text }

// Type returns the kind of the flag, as help shows it.
func (v *value) Type() string { return v.kind }

func (v *value) Set(text string) error {
	v.text = text
	return v.read(text)
}

// addFlag adds a flag of a kind, such as string, and has its default read.
func addFlag(cmd *cobra.Command, kind, name, text, usage string, read func(text string) error) {
	v := &value{kind: kind, read: read}
	if text != "" {
		_ = v.Set(text) // the default is valid
	}
	cmd.Flags().Var(v, name, usage)
}

// complete has completion offer values for a flag.
func complete(cmd *cobra.Command, name string, values ...string) {
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// choice adds a flag that takes one of some values, which completion offers.
func choice(cmd *cobra.Command, name, text, usage string, set func(value string), values ...string) {
	list := strings.Join(values, "|")
	addFlag(cmd, "string", name, text, usage+": "+list, func(text string) error {
		i := slices.IndexFunc(values, func(v string) bool { return strings.EqualFold(v, text) })
		if i < 0 {
			return usageError("--%s %q is none of %s", name, text, list)
		}
		set(values[i])
		return nil
	})
	cmd.Flags().Lookup(name).Value.(*value).choices = values
	complete(cmd, name, values...)
}

// kinds are what flags that pflag reads take, by their types.
var kinds = map[string]string{"bool": "true or false", "duration": "a time such as 30s", "int": "a whole number"}

// flagError is the error of a flag in our words: that of a job, which names the flag, or of pflag.
func flagError(cmd *cobra.Command, err error) error {
	if ours, ok := errors.AsType[*job.Error](err); ok {
		return ours
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := wrong.GetFlag()
		return usageError("--%s %q is not %s", f.Name, wrong.GetValue(), cmp.Or(kinds[f.Value.Type()], f.Value.Type()))
	}
	return meantChoice(cmd, err)
}

// meantChoice adds to the error of a flag that there is not, such as --json, the flag that takes its
// name as a value.
func meantChoice(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	var meant []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if v, ok := f.Value.(*value); ok && slices.Contains(v.choices, unknown.GetSpecifiedName()) {
			meant = append(meant, "--"+f.Name+" "+unknown.GetSpecifiedName())
		}
	})
	if len(meant) == 0 {
		return err
	}
	return fmt.Errorf("%w: did you mean %s?", err, strings.Join(meant, " or "))
}

// needs returns a check that there is an argument, and says otherwise that there is none.
func needs(otherwise string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError("%s", otherwise)
		}
		return nil
	}
}

// to returns a function that sets a variable.
func to[T any](variable *T) func(T) { return func(v T) { *variable = v } }

// number adds a flag that takes a whole number.
func number(cmd *cobra.Command, name string, value int, usage string, read func(n int) error) {
	addFlag(cmd, "int", name, strconv.Itoa(value), usage, func(text string) error {
		n, err := strconv.ParseInt(text, 0, strconv.IntSize)
		if errors.Is(err, strconv.ErrRange) {
			return usageError("--%s %s is not between %d and %d", name, text, math.MinInt, math.MaxInt)
		}
		if err != nil {
			return usageError("--%s %q is not a whole number", name, text)
		}
		return read(int(n))
	})
}

// maxWorkers bounds --workers: each worker has buffers of its own, and more workers than
// processors are of no use.
const maxWorkers = 1024

// workersFlag adds the flag --workers. Help and man pages do not depend on the machine.
func workersFlag(cmd *cobra.Command, workers *int, usage string) {
	usage = fmt.Sprintf("%s, 1 to %d", usage, maxWorkers)
	number(cmd, "workers", min(runtime.GOMAXPROCS(0), maxWorkers), usage, func(n int) error {
		if n < 1 || n > maxWorkers {
			return usageError("--workers %d is not between 1 and %d", n, maxWorkers)
		}
		*workers = n
		return nil
	})
	cmd.Flags().Lookup("workers").DefValue = "one for each processor"
}

// maxBytesFlag adds the flag --max-bytes. It sets the limit as compile.Options has it.
func maxBytesFlag(cmd *cobra.Command, limit *int, without string) {
	usage := "read at most this many bytes of a robots.txt, decompressed; 0 is " + without
	number(cmd, "max-bytes", compile.DefaultMaxBytes, usage, func(n int) error {
		switch *limit = n; {
		case n < 0:
			return usageError("--max-bytes %d is negative", n)
		case n == 0:
			*limit = -1
		}
		return nil
	})
}

// robotsFlags adds the flags of commands that read a robots.txt. The dialect is nil for
// auto.
func robotsFlags(cmd *cobra.Command, file *job.RobotsFile, dialect **automaton.Dialect) {
	cmd.Flags().StringVar(&file.Name, "robots", "", "the robots.txt to judge by, plain or compressed (- is stdin)")
	maxBytesFlag(cmd, &file.MaxBytes, "no limit but 256 MiB")
	choice(cmd, "dialect", "auto", "how robots.txt is read; auto is the crawler's own way, where it is known",
		func(name string) {
			*dialect = nil
			if d, err := automaton.ParseDialect(name); err == nil {
				*dialect = &d
			}
		}, append([]string{"auto"}, automaton.DialectNames()...)...)
}

// agentsFlag adds the flag --agent, which can be repeated.
func agentsFlag(cmd *cobra.Command, names *[]string, usage string) {
	cmd.Flags().StringArrayVar(names, "agent", nil, usage)
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents) // it fails only for a flag that does not exist
}

// completeAgents offers the names of the known crawlers.
func completeAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, p := range crawler.Builtin() {
		names = append(names, p.Name+"\t"+p.Operator)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// crawlersFlag adds the flag --crawlers, whose value is for job.Crawlers.
func crawlersFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "crawlers", "", "a file of crawlers that changes and extends the known ones")
	_ = cmd.MarkFlagFilename("crawlers", "json")
}

// minMemory is the least value of --memory.
const minMemory = 1_000_000

// memoryFlag adds the flag --memory, and has a command of its own process keep to it: the
// garbage collector runs more often when the heap comes near.
func memoryFlag(cmd *cobra.Command, memory *int64) {
	usage := "how much memory to take, beside 64 MB for the program itself; " +
		"what has no room in it goes to a temporary file, and with little memory fewer workers run"
	addFlag(cmd, "string", "memory", "256MB", usage, func(text string) error {
		n, err := parseBytes(text)
		if err != nil {
			return usageError("--memory %w", err)
		}
		if n < minMemory {
			return usageError("--memory %s is less than 1MB", text)
		}
		*memory = n
		return nil
	})
	cmd.PreRun = func(cmd *cobra.Command, _ []string) {
		if own, _ := cmd.Context().Value(ownProcess{}).(bool); own {
			debug.SetMemoryLimit(min(*memory+heapBytes, debug.SetMemoryLimit(-1)))
		}
	}
}

// heapBytes is the part of the program's 64 MB that is for the Go heap; the rest is for code,
// stacks and what the operating system counts.
const heapBytes = 37 << 20

// ownProcess is the key of a context whose value says that the process runs one command
// alone. Other programs, such as tests, have other data in their heap.
type ownProcess struct{}

// durationFlag adds a flag that takes a time above 0, in a unit if it names none.
func durationFlag(cmd *cobra.Command, d *time.Duration, name, text, unit, usage string) {
	addFlag(cmd, "string", name, text, usage, func(text string) (err error) {
		if text != "" && strings.Trim(text, "0123456789") == "" {
			text += unit
		}
		switch *d, err = parseDuration(text); {
		case err != nil:
			return usageError("--%s %w", name, err)
		case *d <= 0:
			return usageError("--%s %s is not above 0", name, text)
		}
		return nil
	})
}

// percentFlag adds a flag that takes a share from 0 to 100 per cent.
func percentFlag(cmd *cobra.Command, percent **float64, name, text, usage string) {
	addFlag(cmd, "float", name, text, usage, func(text string) error {
		n, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		if err != nil || !(n >= 0 && n <= 100) {
			return usageError("--%s %q is not a number from 0 to 100", name, text)
		}
		*percent = &n
		return nil
	})
}

// units are the units of bytes, the longer names first.
var units = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
	{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12},
}

// parseBytes reads a number of bytes, from 1 to less than 8 EiB, with or without a unit.
func parseBytes(s string) (int64, error) {
	number, unit := strings.TrimSpace(s), 1.0
	for _, u := range units {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	switch n *= unit; {
	case err != nil && !errors.Is(err, strconv.ErrRange), math.IsNaN(n):
		return 0, fmt.Errorf("%q is not a number of bytes, such as 256MB or 1GiB", s)
	case n < 1 || n >= math.MaxInt64:
		return 0, fmt.Errorf("%q is not a number of bytes from 1 to 8 EiB", s)
	}
	return int64(n), nil
}

// maxTime bounds the times that flags take.
const maxTime = math.MaxUint16 * 24 * time.Hour

// parseDuration reads a time in the form of Go, or a whole number of days.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if number, ok := strings.CutSuffix(s, "d"); ok {
		var days uint64
		days, err = strconv.ParseUint(number, 10, 16)
		d = time.Duration(days) * 24 * time.Hour
	}
	if err != nil || d > maxTime {
		return 0, fmt.Errorf("%q is not a time, such as 24h or 30d, of at most %s", s, english.Hours(maxTime))
	}
	return d, nil
}

// forceFlag adds --force, for all output files of a command.
func forceFlag(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false, "let output files replace files of another kind, "+
		"but never one that is read")
}
