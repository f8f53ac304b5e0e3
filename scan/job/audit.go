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
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// AuditOptions name the logs that Audit reads, the robots.txt that it judges them by, and what it makes.
// Robots or Policy is given, or neither: then nothing is judged.
type AuditOptions struct {
	LogOptions
	Judging
	Identity
	Results
	Extracts
	Limits
}

// LogOptions say which logs are read, and how.
type LogOptions struct {
	Logs Inputs
	// Format is the logs' format: a name of format.ByName, FILE:NAME for one in the
	// configuration of nginx or Apache, or a text of format.Parse. "" or "auto": each log's is
	// found by its first lines.
	Format string
	// TimeZone is that of times in logs that name none: an IANA name, an offset such as +02:00,
	// "Local", or "" for UTC.
	TimeZone string
	// Hosts are the only sites to judge, such as https://example.com; none: all of the
	// policy. HOST=PATTERN says that some logs are of that site: the file, those in the
	// folder or the archive, and those whose names a pattern with *, ? or [ matches, as
	// file names on disk or as the whole Input.Name or the end of it after "/" or ":". All
	// other logs are of the sites without a PATTERN.
	Hosts []string
	// MaxUnparsed is the share of lines that cannot be parsed, in per cent, above which an
	// input makes the result partial. Nil: 5.
	MaxUnparsed *float64
	// Hash finds the SHA-256 also of uncompressed logs that have more than 128 MiB in
	// all. It takes about half a second a gigabyte.
	Hash bool
	// Sampled is how the logs were sampled, for the report.
	Sampled string
}

// Judging says by which robots.txt requests are judged, and which of them.
type Judging struct {
	// Robots is one robots.txt, taken as in force throughout. Its MaxBytes also limits each file of
	// Policy, beside which Robots has no name.
	Robots RobotsFile
	// Policy names the versions of robots.txt: a manifest, a folder with one or with dated files, or an
	// archive.
	Policy string
	// WhatIf is another robots.txt, read as Robots is: the report says what it would change for the
	// requests of crawlers, and judges none. "" is none.
	WhatIf string
	// History is the meaning of the times of versions: "deployed" or "observed". "" or
	// "auto": what a manifest says, else deployed for a manifest, observed for others.
	History string
	// AssumeConstant takes the first version of each origin as in force before all
	// time.
	AssumeConstant bool
	// Window is how long a crawler may use a copy of robots.txt, from 24 hours, which 0
	// stands for, to 3,660 days.
	Window time.Duration
	// Delay is how much longer queues of a crawler, caches and late logging may keep a copy
	// in use, from 3 hours, which 0 stands for. Skew is by how much the clocks of logs and
	// of Policy may differ, from 10 minutes, which 0 stands for. Both go up to 3,660 days.
	Delay, Skew time.Duration
	// Dialect is how robots.txt is read for all crawlers. Nil: as each crawler reads it.
	Dialect *automaton.Dialect
	// Crawlers is a JSON file that changes and extends the known crawlers, as
	// Crawlers does; "" is none.
	Crawlers string
	// Since and Until bound the requests that are judged, from Since on and before Until; "" is no
	// bound. Each is a time as RFC 3339 has it, or a date, which is its midnight in TimeZone, or how
	// long before Now, such as 24h, 7d or 4w.
	Since, Until string
	// Now is the time that Since and Until may count back from; zero is that of the call.
	Now time.Time
}

// Identity says how the clients of requests are told from impostors.
type Identity struct {
	// Ranges name the published addresses of crawlers, as crawler.LoadSeries reads them.
	Ranges []string
	// RangesMaxAge is how long before or after a request a list of addresses may have been
	// made to verify a client; 0 is 365 days.
	RangesMaxAge time.Duration
	// Names is a file of names of addresses that were looked up elsewhere, "" if none.
	Names string
	// Resolver, if not nil, looks up the names of addresses of violations.
	Resolver *crawler.Resolver
	// ClientIP and TrustedProxies say where the client's address is, as
	// crawler.ParseClientIP reads them. "" is "addr".
	ClientIP       string
	TrustedProxies []string
}

// Extracts say what an audit makes of single requests, beside the report.
type Extracts struct {
	// Samples is how many raw lines of violations the report shows for each crawler.
	Samples int
	// Judged, if not nil, gets each request of a crawler, as audit.Listeners says.
	// Then there can be no State.
	Judged audit.Sink
	// Fetched is as in audit.Listeners. If it is not nil, there is no policy, and no report.
	Fetched audit.Sink
	// Rows, if not nil, lists judged requests, beside the report. Then there can be no State, too.
	Rows *Rows
	// Read are files that the caller has read for this, such as keys: no output may replace them.
	Read []string
	// Evidence names a folder to be made of the lines that show violations, with what they are judged
	// by; "" is none. It may exist if it is empty, or, with Force, if it is one of evidence.
	Evidence string
	// MadeBy is who makes that folder, as its letters are to say; "" if they are not to.
	MadeBy string
	// Block are files of rules that refuse those who broke robots.txt. BlockSearch puts rules in force
	// that refuse search engines too, and BlockNames those by the names of crawlers that nobody can verify.
	Block                   []BlockFile
	BlockSearch, BlockNames bool
}

// Limits bound what a job takes.
type Limits struct {
	// Memory is how many bytes the job may hold; 0 is DefaultMemory. If it is too little
	// for the side files, the error is of the kind Input.
	Memory int64
	// Workers is how many goroutines read; below 1, one for each processor. There are
	// fewer if Memory is too little for so many.
	Workers int
}

// planner makes the plan of an audit of its options.
type planner struct {
	AuditOptions
	budget  *budget
	workers int
	// format is that which Format names, nil if it is to be found, and formatText is Format as it can be
	// read without the file that it may name.
	format     *format.Format
	formatText string
}

// auditPlan is what an audit does: its options have become the things that they name.
type auditPlan struct {
	Results
	budget   *budget
	workers  int
	side     *loadedBasis // the policy, the crawlers, and what tells them from impostors
	logs     *auditLogs
	timeZone string            // AuditOptions.TimeZone, for the report
	dns      *crawler.Resolver // nil: no names are looked up
	// What gets requests beside the report, each nil if there is no such thing.
	judged, fetched, seen audit.Sink // as in audit.Listeners
	listed                *Rows
	lines                 *evidenceLines
	block                 *blockPlan
	// Of the folder of evidence.
	folder, madeBy string
}

// plan resolves the options, and refuses those that are invalid or contradict each other.
func (o AuditOptions) plan(ctx context.Context) (*auditPlan, error) {
	memory := newBudget(o.Memory)
	r := &planner{AuditOptions: o, budget: memory, workers: memory.workers(o.Workers)}
	var err error
	if r.format, r.formatText, err = formatByName(ctx, o.Format); err != nil {
		return nil, err
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	return r.resolve(ctx)
}

// resolve reads what the options name, and opens the logs.
func (o *planner) resolve(ctx context.Context) (*auditPlan, error) {
	if o.format == nil && o.workers > 1 {
		go format.Prepare()
	}
	p := &auditPlan{Results: o.Results, budget: o.budget, workers: o.workers, timeZone: o.TimeZone, dns: o.Resolver,
		judged: o.Judged, fetched: o.Fetched, listed: o.Rows, folder: o.Evidence, madeBy: o.MadeBy}
	var err error
	if p.side, err = prepared(ctx, func() (*loadedBasis, error) { return o.readSideFiles(ctx) }); err != nil {
		return nil, err
	}
	if err := o.choose(&p.side.config); err != nil {
		return nil, err
	}
	if p.logs, err = o.prepareLogs(ctx, p.side); err != nil {
		return nil, err
	}
	if err := o.planBlock(p); err != nil {
		return nil, err
	}
	if o.Evidence != "" {
		p.lines = &evidenceLines{}
		if o.format != nil {
			p.lines.format = o.formatText
		}
	}
	return p, nil
}

// defaultMaxUnparsed is AuditOptions.MaxUnparsed where it is nil.
const defaultMaxUnparsed = 5.0

// Audited is the result of Audit and Merge.
type Audited struct {
	Report *report.Report // nil with NoReport
	// Inputs are those of the report, or of the state if there is none.
	Inputs []report.InputInfo
	// Partial: not all of the input was read or could be parsed.
	Partial bool
}

// Audit reads access logs and gives every request of a crawler a verdict. It goes on when a log
// cannot be used, and warns of it. An error is of type *Error. If ctx ends while logs are read, the
// result is not nil and covers the lines read before that, and the error is Interrupted. If only
// the state or files of the report could not be written, the result is whole.
func Audit(ctx context.Context, o AuditOptions) (*Audited, error) {
	p, err := o.plan(ctx)
	if err != nil {
		return nil, err
	}
	return p.run(ctx)
}

// run does an audit.
func (p *auditPlan) run(ctx context.Context) (*Audited, error) {
	defer p.lines.Close()
	a, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	defer a.run.Close()
	defer a.rows.Close()
	a.known = p.side.config.Crawlers
	result, failed := a.finish(ctx, p.dns)
	if failed == nil && p.block != nil {
		failed = p.writeBlock(ctx, a, result.Report)
	}
	if p.folder == "" || result == nil {
		return result, failed
	}
	return result, p.writeEvidence(ctx, a, result.Report, failed)
}

// prepareLogs opens the logs and finds all that is to be known of them before they are read.
func (o *planner) prepareLogs(ctx context.Context, side *loadedBasis) (*auditLogs, error) {
	logs, err := o.openLogs(ctx, side.zone)
	if err != nil {
		return nil, err
	}
	if o.Fetched == nil {
		err = logs.checkHosts(side.basis)
	}
	if err != nil {
		return nil, err
	}
	if err := logs.assign(o.Hosts, side.config.Policy); err != nil {
		return nil, err
	}
	if err := logs.findDuplicates(ctx, o.workers, o.AllowDuplicates); err != nil {
		return nil, err
	}
	logs.warnOfTwins()
	if o.Fetched == nil {
		logs.warnOfFormats()
	}
	for _, log := range logs.list {
		if o.Fetched != nil && log.skewed {
			o.Messages.warn("%s: its times name no zone, and are taken as those of UTC (option TimeZone)", log.Name)
		}
	}
	for _, w := range siteWarnings(logs.logInfos()) {
		o.Messages.warn("%s", w)
	}
	logs.chooseHashes(o.Hash || o.State != "" || o.Evidence != "")
	return logs, nil
}

// read reads the logs. What there is no report without has been done then. The caller closes the run.
func (p *auditPlan) read(ctx context.Context) (*auditing, error) {
	logs, config := p.logs, p.side.config
	shares, err := p.budget.divide(p.workers, logs.inputs())
	if err != nil {
		return nil, err
	}
	reading := source.Options{Workers: shares.workers, Memory: shares.reading}
	config.Memory, config.Workers, config.Judged, config.Fetched = shares.rest, shares.workers, p.judged, p.fetched
	config.Seen, config.Zone = p.seen, p.side.zone
	logs.rows = p.addRowsTo(&config)
	logs.evidence, config.Judged = p.lines, only(&config.Only, config.Judged)
	p.lines.addTo(&config, logs) // after addRowsTo: evidence needs all requests, also where the rows are of violations
	if config.Judged != nil || config.Undeclared != nil {
		logs.numberLines()
	}
	run := audit.New(config).Begin()
	a := &auditing{run: run, rows: logs.rows, evidence: p.lines, basis: p.side.basis, Results: p.Results}
	reader := source.NewReader(logs.inputs(), reading)
	end := p.Messages.progress(reader)
	interrupted := logs.scan(ctx, a.run, reader, shares.workers)
	end()
	a.logs, a.inputs = logs.describe(p.side.basis, reader.Results())
	a.inputs.Program, a.inputs.Command, a.inputs.By, a.inputs.TimeZone = p.Program, p.Command, p.By, p.timeZone
	a.inputs.Notes = logs.notes(p.side.zone, p.timeZone != "")
	if interrupted {
		a.interrupt(errSoFar)
	} else {
		a.run.StopAt(ctx)
	}
	a.incomplete = a.inputs.Partial
	return a, nil
}

// validate refuses options that are invalid or contradict each other.
func (o *planner) validate() error {
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
			"option Anonymous keeps back the addresses that evidence, samples and block rules have"},
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
		{o.Rows != nil && o.Rows.Undeclared && !o.Only.IsAll(), "clients that name no crawler are not chosen by one"},
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

// checkOutputs refuses outputs that cannot be written, or are what the audit reads: what the
// options name, and more files.
func (o *planner) checkOutputs(more []string) error {
	inputs := o.inputs()
	inputs.names = append(inputs.names, more...)
	return cmp.Or(checkOutputs(inputs, streams(o.Stdout, o.Messages.To), o.outputs()...), o.checkEvidence(inputs))
}

func (o *planner) inputs() inputFiles {
	names := slices.Concat(o.Logs.Names, []string{o.Robots.Name, o.WhatIf, o.Policy, o.Crawlers, o.Names},
		rangeFiles(o.Ranges), o.Read)
	return inputFiles{names, o.Logs.Stdin}
}

// auditing is an audit or a merge under way.
type auditing struct {
	Results
	run         *audit.Run
	rows        *listing       // nil if there are none
	evidence    *evidenceLines // likewise
	basis       *basis.Basis
	known       *crawler.Set // with which the choice of crawlers is checked; nil: it is not
	logs        []logInfo
	inputs      audit.Inputs   // without List, which is of logs
	verified    []crawler.Pair // by looked-up names
	interrupted error          // why the result is not of the whole input; nil if it is
	incomplete  bool           // of logs that were not read to their ends
}

var (
	errSoFar    = errors.New("interrupted: the report covers what was read so far")
	errNoReport = errors.New("interrupted while the report was made: there is none")
	errLookups  = errors.New("interrupted: not all names were looked up")
)

// interrupt marks the result as that of a part of the input.
func (a *auditing) interrupt(why error) { a.interrupted, a.inputs.Partial = why, true }

// finish writes the state and makes the report. The state gets its name only if the report shows
// no damage: the sum of a damaged state must not replace another one.
func (a *auditing) finish(ctx context.Context, dns *crawler.Resolver) (*Audited, error) {
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
		_ = state.discard() // the damage is the error
	default:
		unsaved = state.commit()
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
	switch { // a report without its files is useful all the same
	case a.interrupted == nil && unsaved == nil:
		return result, nil
	case a.interrupted == nil:
		return result, inputError(unsaved)
	case unsaved != nil:
		a.Messages.warn("%v", unsaved)
	}
	return result, &Error{Interrupted, a.interrupted}
}

// makeReport looks names up, makes the report and writes the rows, as far as each is asked for.
func (a *auditing) makeReport(ctx context.Context, dns *crawler.Resolver) (*Audited, error) {
	var err error
	if dns != nil {
		err = a.resolve(ctx, dns)
	}
	in := a.described() // which warns, also where names could not be looked up
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
		ctx = context.WithoutCancel(ctx) // the rows are those of the lines that were read
	}
	return result, a.rows.write(ctx)
}

// maxLookups bounds the addresses that are looked up.
const maxLookups = 10_000

// resolve looks up whether addresses of violations are their crawlers'.
func (a *auditing) resolve(ctx context.Context, dns *crawler.Resolver) error {
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
	for i, ok := range found.Verified {
		if ok {
			a.run.Verify(pairs[i])
			a.verified = append(a.verified, pairs[i])
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
