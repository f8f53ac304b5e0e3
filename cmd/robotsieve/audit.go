package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// auditFlags are what a user says of an audit.
type auditFlags struct {
	robots  robotsFlags
	hosts   *[]string
	format  func() (string, error)
	output  func() (string, error)
	samples *int
	workers *int
}

func newAudit(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit --robots FILE LOG...",
		Short: "Which crawlers ignored robots.txt, by access logs",
		Long: `Audit reads access logs and gives every request of a crawler one verdict: was it
permitted by robots.txt, forbidden, or can that not be known.

A LOG is a file, plain or compressed (gzip, zstd, bzip2, xz), a folder, a pattern,
or - for stdin. Its format is found by its first lines, unless --format names it.
The robots.txt is taken as in force throughout.`,
		Example: `  robotsieve audit --robots robots.txt access.log access.log.*.gz
  robotsieve audit --robots robots.txt --host https://example.com vhosts.log
  robotsieve audit --robots robots.txt --output json /var/log/nginx/access.log*
  zcat old/*.gz | robotsieve audit --robots robots.txt --samples 3 -`,
		Args: cobra.MinimumNArgs(1),
	}
	f := auditFlags{
		robots: addRobotsFlags(cmd),
		hosts: cmd.Flags().StringArray("host", nil,
			"the site that robots.txt is for, such as https://example.com (repeatable); needed where the log names hosts"),
		format:  choice(cmd, "format", "auto", "format of the logs", append([]string{"auto"}, format.Names()...)...),
		output:  choice(cmd, "output", "text", "form of the report", "text", "json", "ndjson", "csv"),
		samples: cmd.Flags().Int("samples", 0, "show this many raw log lines of the violations of each crawler"),
		workers: workersFlag(cmd, "goroutines that read lines"),
	}
	startProfile := profileFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, logs []string) error {
		stop, err := startProfile()
		if err != nil {
			return err
		}
		defer stop()
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		return runAudit(ctx, s, f, logs)
	}
	return cmd
}

// runAudit is the audit from its flags to its report. It is long because it is
// the list of all that happens, once, in order.
func runAudit(ctx context.Context, s streams, f auditFlags, args []string) error {
	output, err := f.output()
	if err != nil {
		return err
	}
	if *f.samples < 0 {
		return usageError("--samples %d is negative", *f.samples)
	}
	if err := checkWorkers(*f.workers); err != nil {
		return err
	}
	p, err := f.policy(ctx, s, args)
	if err != nil {
		return err
	}
	crawlers, err := knownCrawlers("")
	if err != nil {
		return err
	}
	logs, err := f.openLogs(ctx, s, args)
	if err != nil {
		return err
	}
	if err := p.checkHosts(logs); err != nil {
		return err
	}
	if len(logs.inputs) == 0 {
		return exitWith(exitInput)
	}
	auditor := audit.New(audit.Config{Crawlers: crawlers, Policy: p.policy, Dialect: p.dialect, Samples: *f.samples})
	reader := source.NewReader(logs.inputs, source.Options{Workers: *f.workers})
	endProgress := showProgress(s.err, reader)
	tally, interrupted := scanLogs(ctx, auditor, reader, *f.workers, logs.formats)
	endProgress()

	report := auditor.Report(tally, p.ruleText)
	code := logs.describe(s, report, reader.Results())
	p.describe(report)
	describeUnnamed(s, report, logs)
	if interrupted != nil {
		s.warn("interrupted: the report covers what was read so far")
		report.Partial, code = true, exitInterrupted
	}
	if err := writeReport(s, output, report); err != nil {
		return inputError(fmt.Errorf("writing the report: %w", err))
	}
	return exitWith(code)
}

// scanLogs reads all inputs and returns what was counted, and why it ended
// early, if it did.
func scanLogs(ctx context.Context, a *audit.Auditor, r *source.Reader, n int, formats []format.Format) (*audit.Tally, error) {
	workers := make([]*audit.Worker, n)
	for i := range workers {
		workers[i] = a.NewWorker()
	}
	err := scan.Run(ctx, r, n, func(i int, c *source.Chunk) {
		if c.Cut > 0 {
			workers[i].Overlong(c.Data)
		} else {
			workers[i].Chunk(formats[c.Input], c.Data)
		}
	})
	tally := workers[0].Tally()
	for _, w := range workers[1:] {
		tally.Merge(w.Tally())
	}
	return tally, err
}

// auditPolicy is the robots.txt of an audit.
type auditPolicy struct {
	policy   *policy.Policy
	dialect  *automaton.Dialect
	read     []*compile.Robots // in each dialect
	info     audit.PolicyInfo
	warnings []string
}

// policy reads the robots.txt and the hosts that it is for.
func (f auditFlags) policy(ctx context.Context, s streams, logs []string) (*auditPolicy, error) {
	switch {
	case *f.robots.file == "":
		return nil, usageError("no policy: name the robots.txt to judge by with --robots FILE")
	case *f.robots.file == "-" && slices.Contains(logs, "-"):
		return nil, usageError("robots.txt and a log cannot both be stdin")
	}
	limit, err := f.robots.limit()
	if err != nil {
		return nil, err
	}
	p := &auditPolicy{}
	if p.dialect, err = f.robots.override(); err != nil {
		return nil, err
	}
	var origins []origin.Origin
	for _, host := range *f.hosts {
		o, err := origin.Parse(host)
		if err != nil {
			return nil, usageError("--host %w", err)
		}
		origins = append(origins, o...)
	}
	body, err := f.robots.read(ctx, s, limit)
	if err != nil {
		return nil, err
	}
	p.policy = policy.Constant(body, origins, reader(limit))
	for _, d := range []automaton.Dialect{automaton.RFC9309, automaton.Google, automaton.Original} {
		p.read = append(p.read, compile.Compile(body, compile.Options{Dialect: d, MaxBytes: limit}))
	}
	p.warnings = oddities(p.read[0], *f.robots.file)
	for _, w := range p.warnings {
		s.warn("%s", w)
	}
	p.info = audit.PolicyInfo{File: *f.robots.file, Bytes: len(body), Origins: []string{}, Dialect: "auto", Notes: len(p.read[0].Notes)}
	for _, o := range origins {
		p.info.Origins = append(p.info.Origins, o.String())
	}
	if p.dialect != nil {
		p.info.Dialect = p.dialect.String()
	}
	return p, nil
}

// ruleText returns the text of the rule on a line. It is the same in every
// dialect that takes the line for a rule, but not all do.
func (p *auditPolicy) ruleText(line int) string {
	for _, robots := range p.read {
		if rule, ok := robots.Rule(line); ok {
			return printable(rule.String())
		}
	}
	return ""
}

// checkHosts refuses a robots.txt for nobody knows which of the hosts that the
// logs name.
func (p *auditPolicy) checkHosts(logs *auditLogs) error {
	if len(p.policy.Origins()) > 0 {
		return nil
	}
	for i, f := range logs.formats {
		if f.HasHost() {
			return usageError("%s is %s, which names hosts: say with --host which of them %s is for. Seen in its first lines: %s",
				logs.inputs[i].Name, f.Name(), p.info.File, strings.Join(format.Hosts(f, logs.heads[i]), ", "))
		}
	}
	return nil
}

// describe adds to a report by what it was judged.
func (p *auditPolicy) describe(r *audit.Report) {
	r.Policy = p.info
	r.Warnings = append(r.Warnings, p.warnings...)
	r.Assumptions = append(r.Assumptions,
		fmt.Sprintf("%s is taken as in force throughout, before the first request and after the last. If it has changed since, requests are judged by rules that their crawler could not know.", p.info.File),
		"The log's own answers to requests for /robots.txt are not yet applied: a crawler that was answered 404, or 403 by a firewall, was told that nothing is forbidden.",
		"Nobody's identity is verified: any client can send any User-Agent. All counts are of requests by clients identifying themselves as the crawler named.",
	)
	if p.dialect != nil {
		r.Assumptions = append(r.Assumptions, fmt.Sprintf("All crawlers are judged by the dialect %s, as asked for.", p.dialect))
	} else {
		r.Assumptions = append(r.Assumptions,
			"Crawlers of Google are judged as Google's published parser reads robots.txt. For all others, whose parsers nobody outside knows, a rule counts only where Google's parser and RFC 9309 agree; where they differ the request is indeterminate (contested).")
	}
	if len(p.info.Origins) == 0 {
		r.Assumptions = append(r.Assumptions, "The logs name no hosts and --host was not given: every line is taken as a request to the site of robots.txt.")
	} else {
		r.Assumptions = append(r.Assumptions, "Only requests to "+strings.Join(p.info.Origins, ", ")+" are judged; lines that name no host are taken as requests to it.")
	}
	if len(r.NotAuditable) > 0 {
		r.Assumptions = append(r.Assumptions, strings.Join(r.NotAuditable, ", ")+": robots.txt has rules for it, but it sends no header of its own, so no log shows whether they are obeyed.")
	}
}

// auditLogs are the inputs of an audit whose format is known.
type auditLogs struct {
	inputs  []*source.Input
	formats []format.Format
	heads   [][]byte // their beginnings
	failed  []audit.InputInfo
	code    int
}

// openLogs resolves the arguments and finds out the format of each input. What
// cannot be used is reported, and the rest goes on without it.
func (f auditFlags) openLogs(ctx context.Context, s streams, args []string) (*auditLogs, error) {
	name, err := f.format()
	if err != nil {
		return nil, err
	}
	logs := &auditLogs{}
	inputs, warnings, errs := source.Inputs(args, s.in)
	for _, w := range warnings {
		s.warn("%s", w)
	}
	for _, err := range errs {
		s.warn("%v", err)
		logs.failed = append(logs.failed, audit.InputInfo{Error: printable(err.Error())})
		logs.code = exitInput
	}
	for _, in := range inputs {
		head, found, err := openLog(ctx, in, name)
		if ctx.Err() != nil {
			return nil, beforeAnything(s)
		}
		if err != nil {
			s.warn("%v", err)
			logs.failed = append(logs.failed, audit.InputInfo{
				Name: printable(in.Name), Codec: in.Codec(), Error: printable(err.Error()),
			})
			logs.code = exitInput
			continue
		}
		if len(head) == 0 {
			s.warn("%s: empty", in.Name)
		}
		logs.inputs = append(logs.inputs, in)
		logs.formats = append(logs.formats, found)
		logs.heads = append(logs.heads, head)
	}
	return logs, nil
}

// openLog returns the beginning of a log and its format: the one of that name,
// or with "auto" what the beginning looks like.
func openLog(ctx context.Context, in *source.Input, name string) ([]byte, format.Format, error) {
	head, err := head(ctx, in, format.SampleBytes)
	if err != nil {
		return nil, nil, err
	}
	if f, ok := format.ByName(name); ok {
		return head, f, nil
	}
	f, err := format.Detect(head, len(head) < format.SampleBytes)
	if errors.Is(err, format.ErrEmpty) {
		// Without a line any format will do.
		f, err = format.Default, nil
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", in.Name, err)
	}
	return head, f, err
}

// describe adds the inputs to a report, reports what broke, and returns the exit
// code that follows.
func (l *auditLogs) describe(s streams, r *audit.Report, results []source.Result) int {
	for i, result := range results {
		info := audit.InputInfo{
			Name: printable(result.Name), Format: l.formats[i].Name(), Codec: result.Codec,
			Disk: result.Disk, Bytes: result.Bytes, Complete: result.Complete,
		}
		for _, w := range result.Warnings {
			s.warn("%s", w)
		}
		if result.Err != nil {
			s.warn("%v (the report covers the %s before that)", result.Err, plural(result.Bytes, "byte"))
			info.Error = printable(result.Err.Error())
			l.code = exitInput
		}
		r.Inputs = append(r.Inputs, info)
	}
	r.Inputs = append(r.Inputs, l.failed...)
	r.Partial = l.code != exitDone
	return l.code
}

// describeUnnamed says so where a log cannot name a crawler.
func describeUnnamed(s streams, r *audit.Report, l *auditLogs) {
	for i, f := range l.formats {
		if !f.HasAgent() {
			w := fmt.Sprintf("%s: the format %s has no User-Agent field, so no line of it can name a crawler", l.inputs[i].Name, f.Name())
			s.warn("%s", w)
			r.Warnings = append(r.Warnings, printable(w))
		}
	}
}
