package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/internal/loginfo"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// AuditOptions name the logs that Audit reads, the robots.txt that it judges them by, and the outputs.
// Robots and Policy exclude each other. Without both, nothing is judged.
type AuditOptions struct {
	LogOptions
	Judging
	Identity
	Results
	Extracts
	Limits
}

// LogOptions select the logs and how they are read.
type LogOptions struct {
	Logs Inputs
	// Format is the logs' format: a name of format.ByName, FILE:NAME for one in a
	// configuration of nginx or Apache, or a text of format.Parse. With "" or "auto", the format of
	// each log is detected from its first lines.
	Format string
	// TimeZone applies to logs whose times lack a zone: an IANA name, an offset such as +02:00,
	// "Local", or "" for UTC.
	TimeZone string
	// Hosts are the only sites to judge, such as https://example.com; the default is all sites of the
	// policy. HOST=PATTERN assigns logs to a site: a file, the logs in a folder or an
	// archive, or those with names that match a pattern with *, ? or [, either as
	// file names on disk or as the whole Input.Name or its end after "/" or ":". All
	// other logs belong to the sites without a PATTERN.
	Hosts []string
	// MaxUnparsed is the share of lines, in per cent, that may fail to parse before an
	// input makes the result partial. The default, nil, is 5.
	MaxUnparsed *float64
	// Hash also computes the SHA-256 of uncompressed logs of more than 128 MiB in
	// total. It takes about half a second per gigabyte.
	Hash bool
	// Sampled is how the logs were sampled, for the report.
	Sampled string
}

// Judging selects the robots.txt that requests are judged by, and the requests.
type Judging struct {
	// Robots is a single robots.txt, taken as in force throughout. Its MaxBytes also limits each file of
	// Policy; Robots has no name then.
	Robots RobotsFile
	// Policy names the versions of robots.txt: a manifest, a folder with one or with dated files, or an
	// archive.
	Policy string
	// WhatIf is another robots.txt, read like Robots. The report compares the two on the requests of
	// crawlers; WhatIf gives no verdicts. "" is none.
	WhatIf string
	// History says what the times of versions mean: "deployed" or "observed". With "" or
	// "auto", a manifest's own word counts; the default is deployed for manifests, observed otherwise.
	History string
	// AssumeConstant takes the first version of each origin as in force from the
	// beginning of time.
	AssumeConstant bool
	// Window is how long a crawler may use a copy of robots.txt, from 24 hours (the
	// default, 0) to 3,660 days.
	Window time.Duration
	// Delay is how much longer a crawler's queues, caches and late logging may keep a copy
	// in use, from 3 hours (the default, 0). Skew is how far the clocks of logs and Policy
	// may differ, from 10 minutes (the default, 0). Both go up to 3,660 days.
	Delay, Skew time.Duration
	// Dialect is how robots.txt is read for all crawlers. With nil, each crawler's own dialect is used.
	Dialect *automaton.Dialect
	// Crawlers is a JSON file that changes and extends the known crawlers, as for the
	// Crawlers does; "" is none.
	Crawlers string
	// Since and Until limit the judged requests to those from Since on and before Until; "" is no
	// bound. Each is an RFC 3339 time, a date, meaning its midnight in TimeZone, or a duration
	// before Now, such as 24h, 7d or 4w.
	Since, Until string
	// Now is the time that Since and Until count back from; zero is the time of the call.
	Now time.Time
}

// Identity is how genuine clients are distinguished from impostors.
type Identity struct {
	// Ranges name lists of the addresses that crawlers publish, as crawler.LoadSeries reads them.
	Ranges []string
	// RangesMaxAge limits how long before or after a request a list of addresses may be dated
	// to verify its client; 0 is 365 days.
	RangesMaxAge time.Duration
	// Names is a file of host names of addresses that were looked up elsewhere, "" if none.
	Names string
	// Resolver, if not nil, looks up the host names of addresses with violations.
	Resolver *crawler.Resolver
	// ClientIP and TrustedProxies say where to find the client's address, as
	// crawler.ParseClientIP reads them. "" is "addr".
	ClientIP       string
	TrustedProxies []string
}

// Extracts select outputs about single requests, in addition to the report.
type Extracts struct {
	// Samples is how many raw lines of violations the report shows for each crawler.
	Samples int
	// Judged, if not nil, receives each request of a crawler, as in audit.Listeners. It excludes State.
	Judged audit.Sink
	// Fetched is as in audit.Listeners. If it is not nil, there is neither a policy nor a report.
	Fetched audit.Sink
	// Rows, if not nil, lists judged requests, in addition to the report. It excludes State.
	Rows *Rows
	// Read are files that the caller has read, such as keys: no output may replace them.
	Read []string
	// Evidence names a folder to create with the lines that show violations, and everything they are judged
	// by; "" is none. It may exist if it is empty or, with Force, holds evidence.
	Evidence string
	// MadeBy names the maker of that folder in its letters; "" leaves it out.
	MadeBy string
	// Block are files of rules that refuse crawlers that broke robots.txt. BlockSearch includes search
	// engines, and BlockNames includes crawlers by their names if nobody can verify them.
	Block                   []BlockFile
	BlockSearch, BlockNames bool
}

// Limits bound the resources of a job.
type Limits struct {
	// Memory is how many bytes the job may hold; 0 is DefaultMemory. If the side files
	// don't fit, the error is of the kind Input.
	Memory int64
	// Workers is how many goroutines read; below 1, one for each processor. There are
	// fewer if Memory is too small for them.
	Workers int
}

// auditPlan is what an audit does: its options, resolved.
type auditPlan struct {
	Results
	budget  *budget
	workers int
	// given is the format of all logs, nil if each is detected. format is its text, which needs no file; "" for nil.
	given    *format.Format
	format   string
	loaded   *loadedBasis // the policy, the crawlers, and how these are verified
	logs     *auditLogs
	timeZone string            // AuditOptions.TimeZone, for the report
	dns      *crawler.Resolver // nil if no names are looked up
	// These receive requests in addition to the report; each may be nil.
	judged, fetched, seen audit.Sink // as in audit.Listeners
	listed                *Rows
	block                 *blockPlan
	folder, madeBy        string // AuditOptions.Evidence and MadeBy
}

// plan refuses options that are invalid or contradict each other, reads what they name, and opens the logs.
func (o *AuditOptions) plan(ctx context.Context) (p *auditPlan, err error) {
	memory := newBudget(o.Memory)
	p = &auditPlan{Results: o.Results, budget: memory, workers: memory.workers(o.Workers), timeZone: o.TimeZone,
		dns: o.Resolver, judged: o.Judged, fetched: o.Fetched, listed: o.Rows, folder: o.Evidence, madeBy: o.MadeBy}
	if p.given, p.format, err = formatByName(ctx, o.Format); err != nil {
		return nil, err
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	if p.given == nil && p.workers > 1 {
		go format.Prepare()
	}
	if p.loaded, err = prepared(ctx, func() (*loadedBasis, error) { return o.readSideFiles(ctx, memory) }); err != nil {
		return nil, err
	}
	if err := o.choose(&p.loaded.config); err != nil {
		return nil, err
	}
	if p.logs, err = o.prepareLogs(ctx, p); err != nil {
		return nil, err
	}
	return p, o.planBlock(p)
}

// defaultMaxUnparsed is the default of AuditOptions.MaxUnparsed.
const defaultMaxUnparsed = 5.0

// Audited is the result of Audit and Merge.
type Audited struct {
	Report *report.Report // nil with NoReport
	// Inputs are the inputs of the report, or of the state without a report.
	Inputs []report.InputInfo
	// Partial means that some input could not be read or parsed.
	Partial bool
}

// Audit reads access logs and gives every request of a crawler a verdict. A log that cannot be used
// causes a warning, and the others are still read. An error is of type *Error. If ctx ends while logs
// are read, the error is Interrupted and the result covers the lines read so far. If only the state
// or files of the report could not be written, the result is complete.
func Audit(ctx context.Context, o AuditOptions) (*Audited, error) {
	p, err := o.plan(ctx)
	if err != nil {
		return nil, err
	}
	return p.run(ctx)
}

func (p *auditPlan) run(ctx context.Context) (*Audited, error) {
	a, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	defer a.run.Close()
	defer a.rows.Close()
	defer a.evidence.Close()
	a.known = p.loaded.config.Crawlers
	result, failed := a.finish(ctx, p.dns)
	if failed == nil && p.block != nil {
		failed = p.writeBlock(ctx, a, result.Report)
	}
	if p.folder == "" || result == nil {
		return result, failed
	}
	return result, p.writeEvidence(ctx, a, result.Report, failed)
}

// prepareLogs opens the logs and gathers everything that must be known before they are read.
func (o *AuditOptions) prepareLogs(ctx context.Context, p *auditPlan) (*auditLogs, error) {
	logs, err := o.openLogs(ctx, p)
	if err != nil {
		return nil, err
	}
	if o.Fetched == nil {
		err = logs.checkHosts(p.loaded.basis)
	}
	if err != nil {
		return nil, err
	}
	if err := logs.assign(o.Hosts, p.loaded.config.Policy); err != nil {
		return nil, err
	}
	if err := logs.findDuplicates(ctx, p.workers, o.AllowDuplicates); err != nil {
		return nil, err
	}
	logs.warnOfTwins()
	if o.Fetched == nil {
		logs.warnOfFormats()
	}
	for _, log := range logs.list {
		if o.Fetched != nil && log.skewed {
			o.Messages.warn("%s: its times name no zone, and are taken to be in UTC (option TimeZone)", log.Name)
		}
	}
	o.Messages.warnAll(loginfo.Sites(logs.logInfos()))
	logs.chooseHashes(o.Hash || o.Evidence != "")
	for _, log := range logs.list {
		log.Check = o.State != ""
	}
	return logs, nil
}

// read reads the logs, after everything that the report depends on. The caller closes the run.
func (p *auditPlan) read(ctx context.Context) (*auditRun, error) {
	logs, config := p.logs, p.loaded.config
	shares, err := p.budget.divide(p.workers, logs.inputs())
	if err != nil {
		return nil, err
	}
	reading := source.Options{Workers: shares.workers, Memory: shares.reading}
	config.Memory, config.Workers, config.Judged, config.Fetched = shares.rest, shares.workers, p.judged, p.fetched
	config.Seen, config.Zone = p.seen, p.loaded.zone
	logs.rows = p.addRowsTo(&config)
	config.Judged = only(&config.Only, config.Judged)
	logs.evidence = p.addEvidenceTo(&config) // after addRowsTo: it needs all requests even if only violations are listed
	if config.Judged != nil || config.Undeclared != nil {
		for _, log := range logs.list {
			log.numbered = true
		}
	}
	run := audit.New(config).Begin()
	a := &auditRun{run: run, rows: logs.rows, evidence: logs.evidence, basis: p.loaded.basis, Results: p.Results}
	reader := source.NewReader(logs.inputs(), reading)
	end := p.Messages.progress(reader)
	interrupted := logs.scan(ctx, a.run, reader, shares.workers)
	end()
	a.logs, a.inputs = logs.describe(p.loaded.basis, reader.Results())
	a.inputs.Program, a.inputs.Command, a.inputs.By, a.inputs.TimeZone = p.Program, p.Command, p.By, p.timeZone
	for _, log := range logs.list {
		a.inputs.Notes = append(a.inputs.Notes, log.Notes(log.format, p.loaded.zone, p.timeZone != "")...)
	}
	a.inputs.Notes = loginfo.Set(a.inputs.Notes)
	if interrupted {
		a.interrupt(errSoFar)
	} else {
		a.run.StopAt(ctx)
	}
	a.incomplete = a.inputs.Partial
	return a, nil
}

// validate refuses options that are invalid or contradict each other.
func (o *AuditOptions) validate() error {
	isListed := o.Rows != nil || o.Judged != nil || o.Evidence != ""
	for _, mistake := range []struct {
		made bool
		why  string
	}{
		{o.WhatIf != "" && (o.Robots.Name == "" || o.Policy != ""),
			"option WhatIf needs option Robots, and no option Policy"},
		{o.WhatIf != "" && (o.State != "" || isListed || o.Resolver != nil || !o.Only.IsAll() ||
			len(o.Block) > 0), "option WhatIf judges no request, so there is nothing but the report on all crawlers"},
		{o.WhatIf == "-" && (o.Robots.Name == "-" || slices.Contains(o.Logs.Names, "-")) ||
			o.Robots.Name == "-" && slices.Contains(o.Logs.Names, "-"), "only one input can be stdin"},
		{!slices.Contains([]string{"", "auto", "deployed", "observed"}, o.History),
			"option History is neither auto, deployed nor observed"},
		{o.MaxUnparsed != nil && !(*o.MaxUnparsed >= 0 && *o.MaxUnparsed <= 100),
			"option MaxUnparsed is not between 0 and 100 per cent"},
		{o.Samples < 0, "option Samples is negative"},
		{o.State != "" && o.Resolver != nil, "option Resolver has no effect on a state"},
		{o.State != "" && (len(o.Block) > 0 || isListed),
			"a state has neither requests nor addresses, so an audit with rows, evidence or block rules cannot write one"},
		{o.Anonymous && (o.Evidence != "" || o.Samples > 0 || len(o.Block) > 0),
			"option Anonymous removes the addresses that evidence, samples and block rules contain"},
		{o.MadeBy != "" && o.Evidence == "", "option MadeBy needs option Evidence"},
		{(o.Evidence != "" || len(o.Block) > 0) && (o.NoReport || o.Fetched != nil),
			"evidence and block rules need a report"},
		{len(o.Block) == 0 && (o.BlockSearch || o.BlockNames), "option BlockSearch and option BlockNames need option Block"},
		{len(o.Block) > 0 && slices.Contains(o.Logs.Names, "-"),
			"option Block reads the logs twice, which stdin cannot be: give their files"},
		{o.Evidence+o.State != "" && strings.EqualFold(o.TimeZone, "local"),
			"option TimeZone Local is another zone on another machine: give its name, such as Europe/Berlin"},
		{len(o.Logs.Names)+len(o.Logs.Opened) == 0, "no logs: name the access logs to read"},
		{o.Robots.Name == "" && o.Policy == "" && (o.Evidence != "" || o.Samples > 0 ||
			o.Rows != nil && (o.Rows.Violations || o.Rows.Undeclared)), "without a robots.txt nothing is judged"},
		{o.Robots.Name != "" && o.Policy != "", "option Robots and option Policy cannot be given together"},
		{o.Rows != nil && o.Rows.Undeclared && !o.Only.IsAll(), "clients that name no crawler cannot be chosen by crawler"},
		{o.Policy == "" && (cmp.Or(o.History, "auto") != "auto" || o.AssumeConstant),
			"option History and option AssumeConstant need option Policy"},
	} {
		if mistake.made {
			return usageError("%s", mistake.why)
		}
	}
	for _, t := range []struct {
		option       string
		given, least time.Duration
	}{{"Window", o.Window, policy.MinWindow}, {"Delay", o.Delay, policy.MinDelay}, {"Skew", o.Skew, policy.MinSkew}} {
		if t.given != 0 && !basis.InBounds(t.given, t.least) {
			return usageError("option %s %s is not between %s and %s", t.option, english.Hours(t.given),
				english.Hours(t.least), english.Hours(basis.MaxDuration))
		}
	}
	return o.checkOutputs(nil)
}

// checkOutputs refuses outputs that cannot be written or that the audit reads, both those that the
// options name and more files.
func (o *AuditOptions) checkOutputs(more []string) error {
	names := slices.Concat(o.Logs.Names, []string{o.Robots.Name, o.WhatIf, o.Policy, o.Crawlers, o.Names},
		rangeFiles(o.Ranges), o.Read, more)
	inputs := disk.Inputs{Names: names, Stdin: o.Logs.Stdin}
	return cmp.Or(checkOutputs(inputs, disk.Streams(o.Stdout, o.Messages.To), o.outputs()...), o.checkEvidence(inputs))
}

// auditRun is an audit or a merge under way.
type auditRun struct {
	Results
	run         *audit.Run
	rows        *listing // nil if there are none
	evidence    *listing // likewise
	basis       *basis.Basis
	known       *crawler.Set // checks the choice of crawlers; nil skips the check
	logs        []loginfo.Info
	inputs      audit.Inputs      // without List, which needs logs
	verified    []crawler.Pair    // by resolved host names
	resolved    map[string]string // those, by addresses
	interrupted error             // why the result is partial; nil if it is complete
	incomplete  bool              // of logs that were not read completely
}

var (
	errSoFar    = errors.New("interrupted: the report covers what was read so far")
	errNoReport = errors.New("interrupted while the report was made: there is none")
	errLookups  = errors.New("interrupted: not all names were looked up")
)

// interrupt marks the result as partial.
func (a *auditRun) interrupt(why error) { a.interrupted, a.inputs.Partial = why, true }

// finish writes the state and makes the report. The state gets its name only if the report shows
// no damage: a damaged sum must not replace another state.
func (a *auditRun) finish(ctx context.Context, dns *crawler.Resolver) (*Audited, error) {
	// stopped reports whether the end of ctx, which Run.StopAt heeds, caused an error.
	stopped := func(err error) bool { return err != nil && ctx.Err() != nil && a.interrupted == nil }
	state, unsaved := a.beginState()
	if stopped(unsaved) {
		return nil, &Error{Interrupted, errNoReport}
	}
	result, err := a.makeReport(ctx, dns)
	switch {
	case state == nil:
	case errors.Is(err, audit.ErrDamaged):
		_ = state.Discard() // the damage is the error
	default:
		unsaved = state.Commit()
	}
	failed, _ := errors.AsType[*Error](err)
	switch {
	case stopped(err):
		return nil, &Error{Interrupted, errNoReport}
	case failed != nil && failed.Kind == Usage:
		return nil, err
	case err != nil && a.interrupted != nil:
		return nil, &Error{Interrupted, fmt.Errorf("making the report: %w", err)}
	case err != nil:
		return nil, inputError(fmt.Errorf("making the report: %w", err))
	}
	if result.Report != nil {
		unsaved = errors.Join(unsaved, a.writeReports(result.Report))
	}
	switch { // a report without its files is still useful
	case a.interrupted == nil && unsaved == nil:
		return result, nil
	case a.interrupted == nil:
		return result, inputError(unsaved)
	case unsaved != nil:
		a.Messages.warn("%v", unsaved)
	}
	return result, &Error{Interrupted, a.interrupted}
}

// described returns the inputs as the report describes them.
func (a *auditRun) described() audit.Inputs {
	in, c := a.inputs, loginfo.Check(a.logs, a.basis.MaxUnparsed)
	a.Messages.warnAll(c.Messages)
	in.List, in.Partial = c.List, in.Partial || c.Partial
	in.Warnings = loginfo.Set(slices.Concat(in.Warnings, c.Warnings))
	return in
}

// makeReport resolves names, makes the report and writes the rows, as requested.
func (a *auditRun) makeReport(ctx context.Context, dns *crawler.Resolver) (*Audited, error) {
	var err error
	if dns != nil {
		err = a.resolve(ctx, dns)
	}
	in := a.described() // warns, even if names could not be resolved
	a.Messages.wordInputs(&in)
	if err != nil {
		return nil, err
	}
	result := &Audited{Inputs: in.List, Partial: in.Partial}
	if !a.NoReport {
		if result.Report, err = a.run.Report(in); err == nil && a.Anonymous {
			result.Report.KeepBack()
		}
	}
	if err == nil && result.Report != nil && a.known != nil {
		err = checkChoice(a.known, result.Report)
	}
	if err != nil {
		return nil, err
	}
	if r := result.Report; r != nil {
		a.Messages.wordTexts(r.Assumptions, r.Warnings)
	}
	if a.interrupted != nil {
		ctx = context.WithoutCancel(ctx) // the rows cover the lines that were read
	}
	return result, a.rows.write(ctx)
}

// maxLookups bounds how many addresses are looked up.
const maxLookups = 10_000

// resolve looks up whether addresses with violations belong to their crawlers.
func (a *auditRun) resolve(ctx context.Context, dns *crawler.Resolver) error {
	pairs, more, err := a.run.Unverified(maxLookups)
	if err != nil {
		return err
	}
	addresses := func(n int) string {
		return english.Grouped(int64(n)) + " " + english.Verb(int64(n), "address", "addresses")
	}
	if len(pairs) > 0 {
		a.Messages.warn("looking up the names of %s", addresses(len(pairs)))
	}
	found := dns.Resolve(ctx, pairs)
	verified := int64(0)
	a.resolved = map[string]string{}
	for i, name := range found.Names {
		if name != "" {
			a.run.Verify(pairs[i])
			a.verified, a.resolved[pairs[i].Addr] = append(a.verified, pairs[i]), name
			verified++
		}
	}
	note := fmt.Sprintf("The names of %s of violations were looked up: %s %s the crawler's own by forward-confirmed "+
		"reverse DNS. For the others that proves nothing.",
		addresses(len(pairs)-found.Unasked), english.Grouped(verified), english.Verb(verified, "is", "are"))
	if more {
		note += fmt.Sprintf(" There are more than %s; these were chosen at random.", addresses(len(pairs)))
	}
	if found.Unasked > 0 {
		note += fmt.Sprintf(" For %s no time was left.", addresses(found.Unasked))
	}
	if found.Failed > 0 {
		note += fmt.Sprintf(" For %d the DNS gave no answer.", found.Failed)
	}
	a.inputs.Notes = append(a.inputs.Notes, note)
	if ctx.Err() != nil && a.interrupted == nil {
		a.interrupt(errLookups)
		a.run.StopAt(context.WithoutCancel(ctx))
	}
	return nil
}
