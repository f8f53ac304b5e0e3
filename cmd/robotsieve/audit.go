package main

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/internal/report"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/job"
)

// auditFlags are the flags of audit that are not options of the job as they are.
type auditFlags struct {
	robots  robotsFlags
	history func() (string, error)
	format  func() (string, error)
	window  *string
	maxAge  *string
	resolve *bool
	memory  func() (int64, error)
	report  reportFlags
}

func newAudit(s streams, dns crawler.Resolver) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit (--robots FILE | --policy MANIFEST|DIR) LOG...",
		Short: "Report which crawlers ignored robots.txt, from access logs",
		Long: `Audit reads access logs and gives every request of a crawler one verdict: robots.txt
permitted it, robots.txt forbade it, or that is not known.

A LOG is a file, plain or compressed (gzip, zstd, bzip2, xz), a folder, a pattern,
or - for stdin. Its format is found by its first lines, unless --format names it.

With --robots one robots.txt is taken as in force throughout. With --policy
requests are judged by the versions that were in force when they were made: a
manifest, which is CSV with the header from,origin,status,file and perhaps
max_age and location, or a folder of dated files HOST/2026-11-01T00:00:00Z.txt.

A request counts as a violation only if every copy of robots.txt that its crawler
could lawfully hold forbids it. The log's own answers to /robots.txt are taken
into account.`,
		Example: `  robotsieve audit --robots robots.txt access.log access.log.*.gz
  robotsieve audit --robots robots.txt --host https://example.com vhosts.log
  robotsieve audit --policy manifest.csv --ip-ranges Googlebot=googlebot.json access.log*
  robotsieve audit --robots robots.txt --ip-ranges ranges/ --fail-on 'violation.verified>0' access.log
  robotsieve audit --policy manifest.csv --state monday.state monday.log.gz
  zcat old/*.gz | robotsieve audit --robots robots.txt --samples 3 -`,
		Args: cobra.MinimumNArgs(1),
	}
	flags, o := cmd.Flags(), &job.AuditOptions{Log: s.log()}
	f := auditFlags{
		robots: addRobotsFlags(cmd),
		history: choice(cmd, "history", "auto",
			"whether the times of versions are when they were deployed or when they were observed; auto is deployed for a manifest and observed for a folder",
			"auto", "deployed", "observed"),
		window:  flags.String("window", "24h", "how long a crawler may use a copy of robots.txt, 24h or more"),
		maxAge:  flags.String("ranges-max-age", "30d", "how far from a request a dated list may be to prove that a client is an impostor"),
		resolve: flags.Bool("resolve", false, "look up the names of addresses of violations (uses the network; it can verify a client, but never prove an impostor)"),
		format:  choice(cmd, "format", "auto", "format of the logs", append([]string{"auto"}, format.Names()...)...),
		memory:  memoryFlag(cmd),
		report:  addReportFlags(cmd),
	}
	flags.StringVar(&o.Policy, "policy", "", "the versions of robots.txt to judge by: a manifest (CSV) or a folder of dated files")
	flags.BoolVar(&o.AssumeConstant, "assume-constant", false, "take the first version of each origin as in force before all time")
	flags.StringArrayVar(&o.Hosts, "host", nil,
		"judge only this site, such as https://example.com (repeatable); needed if the log names hosts and --robots does not say for which one it is, or if --policy has hosts and the log names none")
	flags.StringArrayVar(&o.Ranges, "ip-ranges", nil,
		"the published addresses of a crawler: NAME=FILE, NAME=DIR with lists of several dates, or DIR with files NAME.json and NAME.txt (repeatable)")
	flags.StringVar(&o.Names, "resolved-names", "", "names of addresses that were looked up elsewhere: lines of ip<TAB>name<TAB>confirmed")
	flags.StringVar(&o.ClientIP, "client-ip", "addr", "where the client's address is: addr, xff (needs --trusted-proxies), or xff:-N for the Nth from the right of X-Forwarded-For, which is the first quoted field after the User-Agent")
	flags.StringArrayVar(&o.TrustedProxies, "trusted-proxies", nil, "addresses or CIDR ranges of one's own proxies, for --client-ip xff (repeatable)")
	flags.IntVar(&o.Samples, "samples", 0, "show this many raw log lines of the violations of each crawler")
	flags.StringVar(&o.State, "state", "", "also write the state of this part of the input to a file, for merge")
	flags.StringVar(&o.Sampled, "sampled", "", "how the logs were sampled, such as 1/100: stated in the report")
	crawlers, workers := crawlersFlag(cmd), workersFlag(cmd, "goroutines that read lines")
	startProfile := profileFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, logs []string) error {
		stop, err := startProfile()
		if err != nil {
			return err
		}
		defer stop()
		ctx, release := onInterrupt(cmd.Context())
		defer release()
		o.Logs, o.Crawlers, o.Workers = job.Inputs{Names: logs, Stdin: s.in}, *crawlers, *workers
		if *f.resolve {
			o.Resolver = &dns
		}
		form, err := f.complete(s, o)
		if err != nil {
			return err
		}
		a, err := job.Audit(ctx, *o)
		return form.finish(s, a, err)
	}
	return cmd
}

// complete checks the flags and completes the options.
func (f auditFlags) complete(s streams, o *job.AuditOptions) (form, error) {
	form, errForm := f.report.check()
	limit, errLimit := f.robots.limit()
	var errDialect, errHistory, errFormat, errMemory error
	o.Robots = f.robots.open(s, limit)
	o.Dialect, errDialect = f.robots.override()
	o.History, errHistory = f.history()
	o.Format, errFormat = f.format()
	o.Memory, errMemory = f.memory()
	if err := cmp.Or(errForm, checkWorkers(o.Workers), errMemory, errLimit, errDialect, errHistory, errFormat); err != nil {
		return form, err
	}
	var err error
	if o.Window, err = parseDuration(*f.window); err != nil {
		return form, usageError("--window %w", err)
	}
	if o.Window < job.MinWindow || o.Window > job.MaxWindow {
		return form, usageError("--window %s: between %s, for which RFC 9309 2.4 lets a crawler keep a copy, and %s",
			*f.window, english.Hours(job.MinWindow), english.Hours(job.MaxWindow))
	}
	if o.RangesMaxAge, err = parseDuration(*f.maxAge); err != nil || o.RangesMaxAge <= 0 {
		return form, usageError("--ranges-max-age %q: a time such as 30d", *f.maxAge)
	}
	return form, nil
}

// minMemory is the least value of --memory: package spill needs as much.
const minMemory = 1_000_000

// memoryFlag adds the flag --memory. records returns how much of it is for records that
// must wait; the rest is for other data of an audit, some 60 MB, and for garbage.
func memoryFlag(cmd *cobra.Command) (records func() (int64, error)) {
	text := cmd.Flags().String("memory", "256MB",
		"about how much memory to take; records that wait for the whole input and have no room in it go to a temporary file")
	return func() (int64, error) {
		n, err := parseBytes(*text)
		if err != nil {
			return 0, usageError("--memory %w", err)
		}
		if n < minMemory {
			return 0, usageError("--memory %s: 1MB or more", *text)
		}
		return max(n-n/8-64<<20, n/4), nil
	}
}

// finish prints the report of an audit or a merge, and returns what the command ends
// with.
func (f form) finish(s streams, a *job.Audited, err error) error {
	if a == nil {
		return err
	}
	code := exitDone
	if a.Partial {
		code = exitInput
	}
	if err != nil {
		s.warn("%v", err)
		code = codeOf(err)
	}
	wasRead := func(in audit.InputInfo) bool { return in.Format != "" }
	if in := a.Report.Inputs; f.output != "text" || len(in) == 0 || slices.ContainsFunc(in, wasRead) { // people have read the warnings
		if err := report.Write(s.out, f.output, a.Report, colours(s.out)); err != nil {
			s.warn("writing the report: %v", err)
			return exitWith(max(code, exitInput))
		}
	}
	if code == exitDone {
		return f.verdict(s, a)
	}
	if a.Partial && len(f.failOn) > 0 {
		s.warn("--fail-on is not checked on a part of the input: the rest could clear a violation")
	}
	return exitWith(code)
}
