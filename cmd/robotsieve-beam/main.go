// Robotsieve-beam runs the audit and the filter of robotsieve on Apache Beam: in this process, or
// on a cluster that runs pipelines of Beam. See docs/beam.md, or robotsieve-beam --help.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
	"github.com/robotsieve/robotsieve/scan/job"
)

func main() {
	workIfWorker()
	os.Exit(program(defaultShard).Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// workIfWorker does not return in a process that a runner has started as a worker.
func workIfWorker() {
	if slices.Contains(os.Args[1:], "--worker") || slices.Contains(os.Args[1:], "--worker=true") {
		flag.Parse()
		beam.Init()
	}
}

// examples are those of the commands.
var examples = map[string]string{
	"audit": `  robotsieve-beam audit --policy manifest.csv 'logs/*.gz'
  robotsieve-beam audit --policy manifest.csv --scratch gs://bucket/scratch --runner dataflow --project P --region R 'gs://bucket/logs/*'`,
	"filter": `  robotsieve-beam filter --rules rules.rsv --agent MyBot --out kept 'urls/*.gz'`,
}

// flags are those of this program.
type flags struct {
	out, scratch string
	shard        int64
}

// defaultShard is how many bytes of logs, decompressed, are read at a time: some seconds of work.
const defaultShard = 1 << 30

// program returns the command line, with shards of so many bytes.
func program(shard int64) *cli.Elsewhere {
	f := &flags{shard: shard}
	return &cli.Elsewhere{
		Name:  "robotsieve-beam",
		Short: "Audit and apply robots.txt on Apache Beam",
		Long: `robotsieve-beam does the work of "robotsieve audit" and "robotsieve filter" on
Apache Beam: in this process, or with --runner on Flink, Spark or Google Dataflow.
The flags, the report and the exit status are those of robotsieve.`,
		Adapt:  f.adapt,
		Audit:  f.audit,
		Filter: f.filter,
	}
}

// adapt adds the flags of this program and those of Beam to a command.
func (f *flags) adapt(cmd *cobra.Command) {
	cmd.Long = "The work of \"robotsieve " + cmd.Name() + "\" on Apache Beam, with its flags and those of Beam. " +
		"--runner and\n--endpoint are listed here; Beam's documentation has the others, such as --project.\ndocs/beam.md " +
		"describes what is different."
	cmd.Example = examples[cmd.Name()]
	own, out := cmd.Flags(), "folder for the results, each under the name of its list"
	cmd.Use = strings.Replace(cmd.Use, " LISTS...", " --out DIR LISTS...", 1)
	if cmd.Name() == "audit" {
		out = "folder for the rows of --list: rows-00000.ndjson and so on"
		choices := func(flag string) string { // at the end of its help
			usage := own.Lookup(flag).Usage
			return usage[strings.LastIndex(usage, ": "):]
		}
		forms, rows := choices("output"), choices("list")
		own.Lookup("output").Usage = "form of the report, or with --list of the rows" + forms
		own.Lookup("force").Usage += "; with --list, remove the rows that --out has"
		own.Lookup("list").Usage = "also make files in --out with a row for each violation, or for each request of a " +
			"crawler: as --output ndjson, csv or parquet; default ndjson" + rows
	}
	own.StringVar(&f.out, "out", "", out)
	own.StringVar(&f.scratch, "scratch", "", "folder for files between the steps, which all workers can read and write; "+
		"default: a temporary one, for a runner in this process")
	beams := pflag.NewFlagSet("beam", pflag.ContinueOnError)
	beams.AddGoFlagSet(flag.CommandLine)
	beams.VisitAll(func(b *pflag.Flag) {
		switch b.Hidden = true; b.Name {
		case "runner":
			b.Hidden, b.Usage = false, "Beam's runner: prism, which is in this process, or flink, spark, dataflow or "+
				"universal; default prism"
		case "endpoint":
			b.Hidden, b.Usage = false, "address of the job service of another runner, such as localhost:8099"
		}
		if own.Lookup(b.Name) == nil {
			own.AddFlag(b)
		}
	})
}

// check refuses flags of Beam that do not go together, and folders and names of inputs that workers
// would not find.
func (f *flags) check(inputs []string) error {
	if err := checkRunner(); err != nil {
		return err
	}
	for _, name := range inputs {
		if err := checkName(name, ""); err != nil {
			return err
		}
	}
	for _, folder := range []struct{ flag, name string }{{"--out", f.out}, {"--scratch", f.scratch}} {
		if err := checkName(folder.name, "*"); err != nil {
			return err
		}
		if folder.name != "" && isPath(folder.name) && !filepath.IsAbs(folder.name) && !isHere() {
			return usageError("%s %s: workers are in other folders: give a path from the root on", folder.flag, folder.name)
		}
	}
	if f.scratch == "" && !isHere() {
		return usageError("--runner %s needs --scratch: a folder that all workers can read and write, such as "+
			"gs://bucket/scratch", *runners.Runner)
	}
	return nil
}

// begin makes the folder for the files of a job between its steps, and one for the temporary files
// of this process, among which are some that Beam leaves. It returns the function that removes
// them.
func (f *flags) begin(ctx context.Context) (scratch string, end func(), err error) {
	temp, err := os.MkdirTemp("", "robotsieve-beam-*")
	if err != nil {
		return "", nil, inputError(err)
	}
	was, wasSet := os.LookupEnv("TMPDIR")
	if scratch = filepath.Join(temp, "scratch"); f.scratch != "" {
		scratch = join(f.scratch, fmt.Sprintf("robotsieve-%s-%08x", time.Now().UTC().Format("20060102T150405"),
			rand.Uint32()))
	}
	beginWork(ctx)
	return scratch, func() {
		awaitWork()
		if ctx.Err() == nil { // else a worker that comes late must not begin, and leave a folder
			beginWork(context.Background())
		}
		shared.forget()
		_ = removeFolder(context.WithoutCancel(ctx), scratch)
		if err := os.Unsetenv("TMPDIR"); err == nil && wasSet {
			_ = os.Setenv("TMPDIR", was)
		}
		_ = os.RemoveAll(temp)
	}, os.Setenv("TMPDIR", temp)
}

// services are the runners that are reached by the address of their job service.
var services = []string{"flink", "spark", "universal"}

// checkRunner refuses a runner that Beam does not have, for which it would end the process, and one
// that cannot be reached.
func checkRunner() error {
	switch name := *runners.Runner; {
	case *jobopts.Async:
		return usageError("--async: robotsieve-beam waits for its job, whose report it makes")
	case isHere() && *jobopts.Endpoint != "":
		return usageError("--endpoint is for a --runner that has a job service: %s", strings.Join(services, ", "))
	case isHere(), name == "dataflow":
		return nil
	case !slices.Contains(services, name):
		return usageError("--runner %q is not one of prism, flink, spark, dataflow, universal", name)
	case *jobopts.Endpoint == "":
		return usageError("--runner %s needs --endpoint: the address of its job service, such as localhost:8099", name)
	}
	connection, err := net.DialTimeout("tcp", *jobopts.Endpoint, 10*time.Second)
	if err != nil {
		return inputError(fmt.Errorf("--endpoint %s: no job service answers: %w", *jobopts.Endpoint, err))
	}
	return connection.Close()
}

// isHere reports whether the pipeline runs in this process.
func isHere() bool { return slices.Contains([]string{"", "prism", "direct"}, *runners.Runner) }

func usageError(format string, args ...any) error {
	return &job.Error{Kind: job.Usage, Err: fmt.Errorf(format, args...)}
}

func inputError(err error) error { return &job.Error{Kind: job.Input, Err: err} }

// chooseWorkerBinary has workers elsewhere run this program, unless another one is named. Otherwise
// Beam would compile it, which needs its source.
func chooseWorkerBinary() (err error) {
	switch {
	case isHere() || *jobopts.WorkerBinary != "":
		return nil
	case runtime.GOOS != "linux":
		return usageError("--worker_binary: name a robotsieve-beam for Linux, which workers run")
	}
	*jobopts.WorkerBinary, err = os.Executable()
	return err
}

// run runs a pipeline.
func run(ctx context.Context, p *beam.Pipeline) error {
	if err := chooseWorkerBinary(); err != nil {
		return err
	}
	beam.Init()
	pipeline := ctx
	if isHere() {
		// Prism panics in a goroutine of its own if its context ends while it starts a worker. The work
		// of each element ends with the command, and with it the pipeline.
		pipeline = context.WithoutCancel(ctx)
		slog.SetDefault(slog.New(slog.DiscardHandler)) // the error that ends a pipeline says all that a user can mend
		defer func() { *jobopts.Endpoint = "" }()      // where Prism writes its own
	}
	err := beamx.Run(pipeline, p)
	switch {
	case ctx.Err() != nil:
		return &job.Error{Kind: job.Interrupted, Err: errors.New("interrupted: there is no result")}
	case err != nil:
		text := err.Error()
		if at := strings.LastIndex(text, "failed:\n"); at >= 0 { // before it are the steps that were at work
			text = text[at+len("failed:\n"):]
		}
		text, _, _ = strings.Cut(text, "\nFull error:") // a stack
		return &job.Error{Kind: job.Input, Err: fmt.Errorf("the pipeline failed: %s",
			strings.Join(strings.Fields(text), " "))}
	}
	return nil
}
