package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

// benchFlags are what a user says of a benchmark.
type benchFlags struct {
	robots   robotsFlags
	agent    *string
	external *[]string
	timeout  *time.Duration
	output   func() (string, error)
}

func newBench(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench --robots FILE --agent NAME URLS...",
		Short: "Benchmark against other parsers",
		Long: `Bench times verdicts on URLs by robotsieve and by other engines, on the same input
in one run, and tells where they disagree with robotsieve.

URLS are lists of URLs, one a line: files, plain or compressed, folders, patterns,
or - for stdin. A line that begins with a slash is a request target; one with two is
given to all engines as http://localhost//..., since not all take it for a target.
NAME is always a bare product token, as in check --jsonl.

Three kinds of engine: robotsieve, which compiles robots.txt once; naive, the slow
and obvious reading that robotsieve is tested against, which parses robots.txt for
each URL, as the reference parser does; and any command that answers cases as check
--jsonl does. Such a COMMAND is run by sh -c, so write it as you would in a shell,
and start nothing that you do not trust. It is started several times: asked nothing,
to know its start-up, and then asked all. It must end when its stdin does.

Exit status: 0 all agree; 1 an engine disagrees with robotsieve; 3 an input or an
external command could not be used; 130 interrupted.`,
		Example: `  robotsieve bench --robots robots.txt --agent MyBot urls.txt
  robotsieve bench --robots robots.txt --agent MyBot --dialect google \
    --external 'jsonl=robotsieve check --jsonl --dialect google' urls.txt.gz`,
		Args: cobra.MinimumNArgs(1),
	}
	f := benchFlags{
		robots:   addRobotsFlags(cmd),
		agent:    cmd.Flags().String("agent", "", "the product token of the crawler that asks"),
		external: cmd.Flags().StringArray("external", nil, "NAME=COMMAND of an engine that answers as check --jsonl does (repeatable)"),
		timeout:  cmd.Flags().Duration("timeout", time.Minute, "the longest that one run of an external command may take, else it has failed; and naive to answer each URL once, else it is compared on the first ones only"),
		output:   choice(cmd, "output", "text", "form of the report", "text", "json", "csv"),
	}
	_ = cmd.RegisterFlagCompletionFunc("agent", completeAgents)
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runBench(ctx, s, f, urls)
	}
	return cmd
}

func runBench(ctx context.Context, s streams, f benchFlags, args []string) error {
	output, err := f.output()
	if err != nil {
		return err
	}
	engines, err := f.engines()
	if err != nil {
		return err
	}
	work, err := f.work(ctx, s, args)
	if err != nil {
		return err
	}
	report, code := work.report(), exitDone
	for _, e := range engines {
		r := e.measure(ctx, work, *f.timeout)
		if ctx.Err() != nil {
			s.warn("interrupted: the report covers the engines measured so far")
			report.Partial, code = true, exitInterrupted
			break
		}
		if r.Error != "" {
			s.warn("%s: %s", e.name, r.Error)
			code = exitInput
		} else if r.Agreed < r.Compared && code == exitDone {
			code = exitFound
		}
		report.Engines = append(report.Engines, r)
	}
	if err := report.write(s, output); err != nil {
		return inputError(fmt.Errorf("writing the report: %w", err))
	}
	return exitWith(code)
}

// engines are all that are to be measured, robotsieve first.
func (f benchFlags) engines() ([]engine, error) {
	list := []engine{{"robotsieve", "compiles once", measureSieve}, {"naive", "parses for each URL", measureNaive}}
	for _, x := range *f.external {
		name, command, found := strings.Cut(x, "=")
		if !found || name == "" || command == "" {
			return nil, usageError("--external %q is not NAME=COMMAND", x)
		}
		list = append(list, engine{name, "external", external{command}.measure})
	}
	if *f.timeout <= 0 {
		return nil, usageError("--timeout %v is not above 0", *f.timeout)
	}
	return list, nil
}

// work is what every engine does.
type work struct {
	body    []byte
	agent   string
	dialect automaton.Dialect
	urls    [][]byte
	robots  *compile.Robots
	want    []automaton.Verdict // of robotsieve, that others are compared with
}

// work reads the inputs.
func (f benchFlags) work(ctx context.Context, s streams, args []string) (*work, error) {
	switch {
	case *f.robots.file == "":
		return nil, usageError("no robots.txt: name it with --robots FILE")
	case *f.agent == "":
		return nil, usageError("no agent: name the crawler with --agent NAME")
	case *f.robots.file == "-" && slices.Contains(args, "-"):
		return nil, usageError("robots.txt and the URLs cannot both be stdin")
	}
	limit, err := f.robots.limit()
	if err != nil {
		return nil, err
	}
	w := &work{agent: *f.agent}
	if w.dialect, err = f.dialect(); err != nil {
		return nil, err
	}
	if w.body, err = f.robots.open(s, limit).Read(ctx); err != nil {
		return nil, err
	}
	w.urls, err = readURLs(ctx, s, args)
	if ctx.Err() != nil {
		return nil, beforeAnything(s)
	}
	if err != nil {
		return nil, inputError(err)
	}
	for _, o := range job.Oddities(compile.Compile(w.body, compile.Options{Dialect: w.dialect, MaxBytes: limit}), *f.robots.file) {
		s.warn("%s", o)
	}
	w.body = job.WholeLines(w.body, limit) // all engines get the same, whatever their limits
	w.judge()
	return w, nil
}

// dialect is the one given, or else the agent's own as far as it is known.
func (f benchFlags) dialect() (automaton.Dialect, error) {
	override, err := f.robots.override()
	if err != nil {
		return 0, err
	}
	if override != nil {
		return *override, nil
	}
	set, err := job.Crawlers("")
	if err != nil {
		return 0, err
	}
	if p := set.ByName(*f.agent); p != nil {
		return automaton.ParseDialect(cmp.Or(p.Dialect, automaton.RFC9309.String()))
	}
	return automaton.RFC9309, nil
}

// readURLs reads lists of URLs. A benchmark on part of its input would be of
// something else, so that any trouble is an error.
func readURLs(ctx context.Context, s streams, args []string) ([][]byte, error) {
	inputs, warnings, errs := source.Inputs(args, s.in)
	for _, w := range warnings {
		s.warn("%s", w)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var urls [][]byte
	r := source.NewReader(inputs, source.Options{Workers: 1, InOrder: true})
	defer r.Stop()
	defer context.AfterFunc(ctx, r.Stop)()
	for c, ok := r.Next(); ok; c, ok = r.Next() {
		if c.Cut > 0 {
			return nil, fmt.Errorf("%s: a line is too long to be a URL: %.40q…", r.Results()[c.Input].Name, c.Data)
		}
		for line := range bytes.Lines(c.Data) {
			if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
				urls = append(urls, asURL(line))
			}
		}
		r.Release(c)
	}
	for _, result := range r.Results() {
		if result.Err != nil {
			return nil, result.Err
		}
	}
	if len(urls) == 0 {
		return nil, errors.New("no URL in the lists")
	}
	return urls, nil
}

// asURL copies a line. A request target that begins with two slashes is put behind
// a host: a parser that knows URLs only, as Google's, would take its beginning for
// one.
func asURL(line []byte) []byte {
	if bytes.HasPrefix(line, []byte("//")) {
		return append([]byte("http://localhost"), line...)
	}
	return bytes.Clone(line)
}

// judge asks robotsieve.
func (w *work) judge() {
	w.robots = w.compile()
	var scratch automaton.Scratch
	w.want = make([]automaton.Verdict, len(w.urls))
	for i, url := range w.urls {
		w.want[i] = w.robots.Ruleset.Match(&scratch, []byte(w.agent), url)
	}
}

func (w *work) compile() *compile.Robots {
	return compile.Compile(w.body, compile.Options{Dialect: w.dialect, MaxBytes: -1})
}
