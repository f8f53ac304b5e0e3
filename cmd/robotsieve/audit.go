package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/source"
)

// auditFlags are what a user says of an audit.
type auditFlags struct {
	policy   policyFlags
	identity identityFlags
	report   reportFlags
	format   func() (string, error)
	samples  *int
	workers  *int
	memory   memoryLimit
	state    *string
	sampled  *string
}

func newAudit(s streams, dns crawler.Resolver) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit (--robots FILE | --policy MANIFEST|DIR) LOG...",
		Short: "Which crawlers ignored robots.txt, by access logs",
		Long: `Audit reads access logs and gives every request of a crawler one verdict: was it
permitted by robots.txt, forbidden, or can that not be known.

A LOG is a file, plain or compressed (gzip, zstd, bzip2, xz), a folder, a pattern,
or - for stdin. Its format is found by its first lines, unless --format names it.

With --robots one robots.txt is taken as in force throughout. With --policy
requests are judged by the versions that were in force when they were made: a
manifest, which is CSV with the header from,origin,status,file and perhaps
max_age and location, or a folder of dated files HOST/2026-11-01T00:00:00Z.txt.

A request counts as a violation only if every copy of robots.txt that its crawler
could lawfully hold forbids it; what the log itself shows of answers to
/robots.txt is taken into account.`,
		Example: `  robotsieve audit --robots robots.txt access.log access.log.*.gz
  robotsieve audit --robots robots.txt --host https://example.com vhosts.log
  robotsieve audit --policy manifest.csv --ip-ranges Googlebot=googlebot.json access.log*
  robotsieve audit --robots robots.txt --ip-ranges ranges/ --fail-on 'violation.verified>0' access.log
  robotsieve audit --policy manifest.csv --state monday.state monday.log.gz
  zcat old/*.gz | robotsieve audit --robots robots.txt --samples 3 -`,
		Args: cobra.MinimumNArgs(1),
	}
	f := auditFlags{
		policy:   addPolicyFlags(cmd),
		identity: addIdentityFlags(cmd, dns),
		report:   addReportFlags(cmd),
		format:   choice(cmd, "format", "auto", "format of the logs", append([]string{"auto"}, format.Names()...)...),
		samples:  cmd.Flags().Int("samples", 0, "show this many raw log lines of the violations of each crawler"),
		workers:  workersFlag(cmd, "goroutines that read lines"),
		memory:   memoryFlag(cmd),
		state:    cmd.Flags().String("state", "", "also write the state of this part of the input to a file, for merge"),
		sampled:  cmd.Flags().String("sampled", "", "how the logs were sampled, such as 1/100: stated in the report"),
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
	form, err := f.report.check()
	if err != nil {
		return err
	}
	if err := f.check(args); err != nil {
		return err
	}
	memory, err := f.memory.records()
	if err != nil {
		return err
	}
	basis, err := f.basis(ctx, s)
	if err != nil {
		return err
	}
	j, err := basis.judge()
	if err != nil {
		return err
	}
	for _, w := range basis.Oddities {
		s.warn("%s", w)
	}
	if err := f.identity.load(s, basis, j); err != nil {
		return err
	}
	logs, err := f.openLogs(ctx, s, args)
	if err != nil {
		return err
	}
	if err := basis.checkHosts(logs); err != nil {
		return err
	}
	if len(logs.inputs) == 0 && form.output == "text" {
		return exitWith(exitInput) // people have been told; programs get a report that is partial
	}
	j.config.Memory = memory
	j.config.Basis = basis.Basis
	run := audit.New(j.config).Begin()
	defer run.Close()
	reader := source.NewReader(logs.inputs, source.Options{Workers: *f.workers})
	endProgress := showProgress(s.err, reader)
	interrupted := scanLogs(ctx, run, reader, *f.workers, logs.formats)
	endProgress()

	about := logs.describe(s, reader.Results())
	about.warnings = append(about.warnings, basis.unnamedHosts(s, logs)...)
	slices.Sort(about.warnings)
	if interrupted {
		s.warn("interrupted: the report covers what was read so far")
		about.partial, about.code = true, exitInterrupted
	} else {
		run.StopAt(ctx)
	}
	if *f.state != "" {
		// The report is worth having all the same.
		if err := writeState(*f.state, run, basis, about); errors.Is(err, context.Canceled) {
			return unsettled(s)
		} else if err != nil {
			s.warn("%v", err)
			about.code = max(about.code, exitInput)
		}
	}
	if err := f.identity.resolve(ctx, s, run, &about); errors.Is(err, context.Canceled) {
		return unsettled(s)
	} else if err != nil {
		return about.failed(err)
	}
	return j.report(s, run, form, about)
}

// check refuses flags that make no sense, alone or together.
func (f auditFlags) check(logs []string) error {
	switch {
	case *f.samples < 0:
		return usageError("--samples %d is negative", *f.samples)
	case *f.policy.robots.file == "-" && slices.Contains(logs, "-"):
		return usageError("robots.txt and a log cannot both be stdin")
	case *f.state != "" && *f.identity.lookUp:
		return usageError("--resolve has no effect on a state: look the addresses up elsewhere, and give --resolved-names")
	}
	if *f.state != "" {
		if err := checkOutput(*f.state); err != nil {
			return inputError(err)
		}
	}
	return checkWorkers(*f.workers)
}

// basis reads what the audit is to rest on.
func (f auditFlags) basis(ctx context.Context, s streams) (*basis, error) {
	b, err := f.policy.read(ctx, s)
	if err != nil {
		return nil, err
	}
	b.Samples, b.Sampled = *f.samples, *f.sampled
	return b, nil
}

// scanLogs has the run's workers read all inputs, and tells whether they were
// interrupted. What keeps a worker from going on ends the reading; Report says
// what it is.
func scanLogs(ctx context.Context, run *audit.Run, r *source.Reader, n int, formats []format.Format) (interrupted bool) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	workers := make([]*audit.Worker, n)
	for i := range workers {
		workers[i] = run.Worker()
	}
	failed := make([]bool, n)
	err := scan.Run(ctx, r, n, func(i int, c *source.Chunk) {
		if c.Cut > 0 {
			workers[i].Overlong(c.Data)
		} else {
			data := c.Data
			if c.Seq == 0 {
				data = bytes.TrimPrefix(data, format.BOM)
			}
			workers[i].Chunk(formats[c.Input], data)
		}
		if workers[i].Err() != nil {
			failed[i] = true
			stop()
		}
	})
	return err != nil && !slices.Contains(failed, true)
}

// about is what a report says of the inputs, and of what happened on the way.
type about struct {
	inputs   []audit.InputInfo
	warnings []string
	notes    []string // more of what the verdicts rest on
	partial  bool
	code     int
}

// failed ends a command by an error after its inputs were read.
func (a about) failed(err error) error { return &exitError{max(a.code, exitInput), err} }

// unsettled is the end of a command that was interrupted when all was read, before
// the verdicts that had to wait for that were given: there is nothing true to print.
func unsettled(s streams) error {
	s.warn("interrupted while the report was made: there is none")
	return exitWith(exitInterrupted)
}

// memoryLimit is the flag --memory.
type memoryLimit struct{ text *string }

func memoryFlag(cmd *cobra.Command) memoryLimit {
	return memoryLimit{cmd.Flags().String("memory", "256MB",
		"about how much memory to take; what must wait for the whole input and has no room in it goes to a temporary file")}
}

// minMemory is the least value of --memory: package spill does not do with less.
const minMemory = 1_000_000

// records returns how much of the memory is for records that must wait. The rest is
// for what an audit takes anyway, some 60 MB, and for garbage.
func (m memoryLimit) records() (int64, error) {
	n, err := parseBytes(*m.text)
	if err != nil {
		return 0, usageError("--memory %w", err)
	}
	if n < minMemory {
		return 0, usageError("--memory %s: 1MB or more", *m.text)
	}
	return max(n-n/8-64<<20, n/4), nil
}

// writeState writes the state of a part of the input.
func writeState(name string, run *audit.Run, b *basis, about about) error {
	head, err := b.head(about)
	if err != nil {
		return err
	}
	return writeFile(name, func(w io.Writer) error { return run.WriteState(w, head) })
}

// report prints the report of a run in one of its forms, and returns what the
// command ends with.
func (j *judge) report(s streams, run *audit.Run, form form, about about) error {
	r, err := run.Report(audit.Inputs{List: about.inputs, Warnings: about.warnings, Notes: about.notes, Partial: about.partial})
	if errors.Is(err, context.Canceled) {
		return unsettled(s)
	}
	if err != nil {
		return about.failed(fmt.Errorf("making the report: %w", err))
	}
	if err := report.Write(s.out, form.output, r, colours(s.out)); err != nil {
		return about.failed(fmt.Errorf("writing the report: %w", err))
	}
	if about.code != exitDone || r.Partial {
		if r.Partial && len(form.failOn) > 0 {
			s.warn("--fail-on is not asked of a part of the input: what was not read could clear a violation")
		}
		return exitWith(about.code)
	}
	return form.verdict(s, r, j)
}
