package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

// filterFlags are what a user says of a filtering.
type filterFlags struct {
	robots   robotsFlags
	rules    *string
	agent    agentFlags
	keep     func() (string, error)
	noPolicy func() (string, error)
	invalid  func() (string, error)
	format   func() (string, error)
	output   func() (string, error)
	workers  *int
	changed  func(flag string) bool // whether a flag was given
}

func newFilter(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "filter --robots FILE|--rules ARCHIVE --agent NAME URLS...",
		Short: "Keep the URLs that robots.txt allows, offline",
		Long: `Filter reads lists of URLs, one a line, and prints those that the agent may fetch,
or with --keep disallowed those that it may not: unchanged, and in their order. A
summary goes to stderr: of the lines read, each is kept, dropped or invalid.

With --robots one robots.txt judges all URLs, whatever their host. With --rules
each is judged by the robots.txt of its own origin, as "robotsieve compile" has put
it into an archive; URLs of origins that are not in it go where --no-policy says. An
origin whose robots.txt was answered by a server error disallows everything. The
archive is read while it is used: replace it (compile -o does), never change it in
place (cp over it does); one that becomes shorter meanwhile ends the filtering with
exit status 3.

A valid line is a URL that begins with http://, https:// or ftp:// and names a host
that can be one; what follows may be any bytes. With --robots a line may also be a
request target, which begins with a slash. The line end, which may be CRLF, and a byte
order mark at the beginning of an input are no part of the URL; blanks are. All
other lines, blank ones too, are invalid and go where --invalid says: they are
dropped, or printed in their places, but always counted; with error they are dropped
like the others, the first ones are quoted at the end and the exit status is 3. A line
of more than 1 MiB is invalid and is never printed.

Where NAME is a crawler that is known, such as Googlebot-Image, its product tokens
are tried in their order, and its own way to read robots.txt is used; otherwise
NAME is the product token. URLS is a file, plain or compressed (gzip, zstd, bzip2,
xz), a folder, a pattern, or - for stdin.`,
		Example: `  robotsieve filter --robots robots.txt --agent GPTBot urls.txt.gz > allowed.txt
  robotsieve filter --rules rules.rsv --agent MyBot 'urls/*.zst' | zstd > allowed.zst
  robotsieve filter --rules rules.rsv --agent MyBot --no-policy keep --invalid error urls.txt
  zcat urls.gz | robotsieve filter --robots robots.txt --agent Googlebot --keep disallowed -`,
		Args: cobra.MinimumNArgs(1),
	}
	f := filterFlags{
		robots:   addRobotsFlags(cmd),
		rules:    cmd.Flags().String("rules", "", "archive of the robots.txt of many origins, made by compile"),
		agent:    addAgentFlags(cmd, "the crawler that would fetch the URLs"),
		keep:     choice(cmd, "keep", "allowed", "which URLs to print", "allowed", "disallowed"),
		noPolicy: choice(cmd, "no-policy", "drop", "with --rules: URLs of origins that are not in the archive", "keep", "drop"),
		invalid:  choice(cmd, "invalid", "drop", "lines that are no URL", "keep", "drop", "error"),
		format:   choice(cmd, "format", "auto", "format of the lists; auto is urls, one a line", "auto", "urls"),
		output:   choice(cmd, "output", "text", "form of the summary on stderr", "text", "json"),
		workers:  workersFlag(cmd, "goroutines that judge lines"),
		changed:  cmd.Flags().Changed,
	}
	startProfile := profileFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, lists []string) error {
		stop, err := startProfile()
		if err != nil {
			return err
		}
		defer stop()
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runFilter(ctx, s, f, lists)
	}
	return cmd
}

// maxQuotes is how many invalid lines --invalid error quotes.
const maxQuotes = 10

// runFilter is the filtering from its flags to its summary.
func runFilter(ctx context.Context, s streams, f filterFlags, args []string) error {
	job, err := f.job(args)
	if err != nil {
		return err
	}
	done, err := f.findRules(ctx, s, &job.config)
	if err != nil {
		return err
	}
	defer done()
	inputs, warnings, errs := source.Inputs(args, s.in)
	for _, w := range warnings {
		s.warn("%s", w)
	}
	for _, err := range errs {
		s.warn("%v", err)
		job.failed = true
	}
	if len(inputs) == 0 {
		return exitWith(exitInput)
	}
	reader := source.NewReader(inputs, source.Options{Workers: *f.workers, InOrder: true})
	endProgress := func() {}
	if !isTerminal(s.out) { // else the URLs would run into the bar
		endProgress = showProgress(s.err, reader)
	}
	job.summary, err = filter.Run(ctx, reader, *f.workers, job.config, s.out)
	endProgress()

	job.interrupted = ctx.Err() != nil
	if err != nil && !job.interrupted {
		s.warn("%v", err)
		job.failed = true
	}
	job.describeInputs(s, reader.Results())
	job.describeInvalid(s, inputs)
	if err := job.writeSummary(s); err != nil {
		return inputError(fmt.Errorf("writing the summary: %w", err))
	}
	return exitWith(job.code())
}

// filterJob is one filtering: what is asked for, and how it went.
type filterJob struct {
	config  filter.Config
	invalid string // what to do with invalid lines: a value of --invalid
	output  string // form of the summary

	summary     filter.Summary
	interrupted bool
	failed      bool // an input was not read, or not to its end
	refused     bool // there are invalid lines, and they are an error
}

// job returns what the command line asks for, but for the rules.
func (f filterFlags) job(args []string) (*filterJob, error) {
	keep, errKeep := f.keep()
	noPolicy, errNoPolicy := f.noPolicy()
	invalid, errInvalid := f.invalid()
	_, errFormat := f.format()
	output, errOutput := f.output()
	if err := cmp.Or(errKeep, errNoPolicy, errInvalid, errFormat, errOutput); err != nil {
		return nil, err
	}
	switch {
	case *f.robots.file == "" && *f.rules == "":
		return nil, usageError("no policy: name a robots.txt with --robots FILE, or an archive with --rules ARCHIVE")
	case *f.robots.file != "" && *f.rules != "":
		return nil, usageError("--robots and --rules exclude each other")
	case *f.robots.file == "-" && slices.Contains(args, "-"):
		return nil, usageError("robots.txt and the URLs cannot both be stdin")
	case *f.agent.name == "":
		return nil, usageError("no agent: name the crawler with --agent NAME")
	case f.changed("no-policy") && *f.rules == "":
		return nil, usageError("--no-policy is about origins that are not in an archive: it needs --rules")
	}
	if err := checkWorkers(*f.workers); err != nil {
		return nil, err
	}
	job := &filterJob{invalid: invalid, output: output}
	job.config = filter.Config{Disallowed: keep == "disallowed", NoPolicy: noPolicy == "keep", Invalid: invalid == "keep"}
	if invalid == "error" {
		job.config.Quotes = maxQuotes
	}
	return job, nil
}

// findRules adds the rules to a configuration. done is called after their last
// use.
func (f filterFlags) findRules(ctx context.Context, s streams, c *filter.Config) (done func() error, err error) {
	limit, err := f.robots.limit()
	if err != nil {
		return nil, err
	}
	override, err := f.robots.override()
	if err != nil {
		return nil, err
	}
	who, err := f.agent.find(s, override)
	if err != nil {
		return nil, err
	}
	if who.exempt != "" {
		s.warn("%s does not apply robots.txt: %s", who.name, who.exempt)
	}
	c.Dialect = who.dialect
	if *f.rules != "" {
		c.Policy, done, err = openRules(*f.rules, who)
		return done, err
	}
	body, err := f.robots.open(s, limit).Read(ctx)
	if err != nil {
		return nil, err
	}
	robots := compile.Compile(body, compile.Options{Dialect: who.dialect, MaxBytes: limit})
	for _, w := range job.Oddities(robots, *f.robots.file) {
		s.warn("%s", w)
	}
	c.Site = &filter.Rules{Machine: who.subject.Machine(robots.Ruleset)}
	return func() error { return nil }, nil
}
