package job

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/source"
)

// AuditOptions name the logs that Audit reads and the robots.txt that it judges them by.
// Either Robots or Policy is given. Messages about an option name it as the flag of the command.
type AuditOptions struct {
	Logs Inputs
	// Format is the name of the logs' format. "" or "auto": each log's is found by its
	// first lines.
	Format string

	// Robots is one robots.txt, taken as in force throughout. Its MaxBytes also limits
	// the files of Policy.
	Robots RobotsFile
	// Policy names the versions of robots.txt: a manifest, or a folder of dated files.
	Policy string
	// History is the meaning of the times of versions: "deployed" or "observed". "" or
	// "auto": deployed for a manifest, observed for a folder.
	History string
	// AssumeConstant takes the first version of each origin as in force before all
	// time.
	AssumeConstant bool
	// Window is how long a crawler may use a copy of robots.txt, from 24 hours, which 0
	// stands for, to 3,660 days.
	Window time.Duration
	// Delay is how late a crawler may act on a copy that it may no longer keep, or a log
	// may tell that it did, from 3 hours, which 0 stands for. Skew is by how much the clocks
	// of logs and of Policy may differ, from 10 minutes, which 0 stands for. Both go up to
	// 3,660 days.
	Delay, Skew time.Duration
	// Hosts are the only sites to judge, such as https://example.com; none: all of the
	// policy.
	Hosts []string
	// Dialect is how robots.txt is read for all crawlers. Nil: as each crawler reads it.
	Dialect *automaton.Dialect
	// Crawlers is a JSON file that changes and extends the known crawlers, as
	// Crawlers does; "" is none.
	Crawlers string

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

	// Samples is how many raw lines of violations the report shows for each crawler.
	Samples int
	// Sampled is how the logs were sampled, for the report.
	Sampled string
	// Judged, if not nil, is called for each request of a crawler, as audit.Config says.
	// Then there can be no State.
	Judged func(*audit.Judged)

	// State names a file for the state of the logs, for Merge; "" is none.
	State string
	// NoReport: only the state is made.
	NoReport bool

	Memory   int64 // bytes for records that wait for the whole input, as in audit.Config
	Workers  int   // goroutines that read lines; below 1, one for each processor
	Messages Messages
}

// maxDuration bounds AuditOptions.Window, Delay and Skew.
const maxDuration = 3660 * 24 * time.Hour

func inBounds(d, least time.Duration) bool { return d >= least && d <= maxDuration }

// Audited is the result of Audit and Merge.
type Audited struct {
	Report *audit.Report // nil with NoReport
	// Partial: not all of the input was read.
	Partial bool
	// Crawlers are the known crawlers.
	Crawlers *crawler.Set
}

// Audit reads access logs and gives every request of a crawler a verdict. It goes on
// when a log cannot be used, and warns of it. An error is of type *Error. If ctx ends
// while logs are read, the result is not nil and covers the lines read before that, and
// the error is Interrupted. If only the state could not be written, the result is whole.
func Audit(ctx context.Context, o AuditOptions) (*Audited, error) {
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	b, err := o.readBasis(ctx)
	if err != nil {
		return nil, err
	}
	config, err := b.config()
	if err != nil {
		return nil, inputError(err)
	}
	for _, w := range b.Oddities {
		o.Messages.warn("%s", w)
	}
	if err := o.identify(b, &config); err != nil {
		return nil, err
	}
	logs, err := o.openLogs(ctx)
	if err != nil {
		return nil, err
	}
	if err := logs.checkHosts(b); err != nil {
		return nil, err
	}
	config.Memory, config.Judged = o.Memory, o.Judged
	a := auditing{run: audit.New(config).Begin(), basis: b, crawlers: config.Crawlers, state: o.State, noReport: o.NoReport, messages: o.Messages}
	defer a.run.Close()

	reader := source.NewReader(logs.inputs, source.Options{Workers: o.Workers})
	end := o.Messages.progress(reader)
	interrupted := logs.scan(ctx, a.run, reader, o.Workers)
	end()
	a.inputs = logs.describe(b, reader.Results(), o.Messages)
	if interrupted {
		a.interrupt(errSoFar)
	} else {
		a.run.StopAt(ctx)
	}
	return a.finish(ctx, o.Resolver)
}

// check refuses options that are invalid or contradict each other.
func (o *AuditOptions) check() error {
	_, isFormat := format.ByName(o.Format)
	switch {
	case !isFormat && cmp.Or(o.Format, "auto") != "auto":
		return usageError("no format is called %q", o.Format)
	case !slices.Contains([]string{"", "auto", "deployed", "observed"}, o.History):
		return usageError("the history %q is neither auto, deployed nor observed", o.History)
	case o.Samples < 0:
		return usageError("--samples %d is negative", o.Samples)
	case o.Robots.Name == "-" && slices.Contains(o.Logs.Names, "-"):
		return usageError("robots.txt and a log cannot both be stdin")
	case o.State != "" && o.Resolver != nil:
		return usageError("--resolve has no effect on a state: look the addresses up elsewhere, and give --resolved-names")
	case o.State != "" && o.Judged != nil:
		return usageError("a state holds no requests, so an audit that gives each request to Judged cannot write one")
	case o.Window != 0 && !inBounds(o.Window, policy.MinWindow):
		return usageError("--window %s is not between %s, for which RFC 9309 2.4 lets a crawler keep a copy, and %s", english.Hours(o.Window), english.Hours(policy.MinWindow), english.Hours(maxDuration))
	case o.Delay != 0 && !inBounds(o.Delay, policy.MinDelay):
		return usageError("--delay %s is not between %s and %s: it can only be larger than that", english.Hours(o.Delay), english.Hours(policy.MinDelay), english.Hours(maxDuration))
	case o.Skew != 0 && !inBounds(o.Skew, policy.MinSkew):
		return usageError("--skew %s is not between %s and %s: it can only be larger than that", english.Hours(o.Skew), english.Hours(policy.MinSkew), english.Hours(maxDuration))
	case len(o.Logs.Names)+len(o.Logs.Opened) == 0:
		return usageError("no logs: name the access logs to read")
	case o.Robots.Name == "" && o.Policy == "":
		return usageError("no policy: name the robots.txt to judge by with --robots FILE, or its versions with --policy")
	case o.Robots.Name != "" && o.Policy != "":
		return usageError("--robots and --policy cannot be given together")
	case o.Robots.Name != "" && (cmp.Or(o.History, "auto") != "auto" || o.AssumeConstant):
		return usageError("--history and --assume-constant are for --policy: a robots.txt given by --robots is taken as in force throughout")
	case o.State != "":
		if err := checkOutput(o.State); err != nil {
			return inputError(err)
		}
	}
	return nil
}

// auditing is an audit or a merge under way.
type auditing struct {
	run         *audit.Run
	basis       *basis
	crawlers    *crawler.Set
	inputs      audit.Inputs
	interrupted error  // why the result is not of the whole input; nil if it is
	state       string // the file to write the state to; "" is none
	noReport    bool
	messages    Messages
}

var (
	errSoFar    = errors.New("interrupted: the report covers what was read so far")
	errNoReport = errors.New("interrupted while the report was made: there is none")
	errLookups  = errors.New("interrupted: not all names were looked up")
)

// interrupt marks the result as that of a part of the input.
func (a *auditing) interrupt(why error) { a.interrupted, a.inputs.Partial = why, true }

// finish writes the state and makes the report.
func (a *auditing) finish(ctx context.Context, dns *crawler.Resolver) (*Audited, error) {
	result := &Audited{Crawlers: a.crawlers}
	// stopped tells whether the end of ctx, which Run.StopAt heeds, caused an error.
	stopped := func(err error) bool { return err != nil && ctx.Err() != nil && a.interrupted == nil }
	var unsaved, err error
	if a.state != "" {
		if unsaved = a.writeState(); stopped(unsaved) {
			return nil, &Error{Interrupted, errNoReport}
		}
	}
	if dns != nil {
		err = a.resolve(ctx, dns)
	}
	if err == nil && !a.noReport {
		result.Report, err = a.run.Report(a.inputs)
	}
	switch {
	case stopped(err):
		return nil, &Error{Interrupted, errNoReport}
	case err != nil && a.interrupted != nil:
		return nil, &Error{Interrupted, fmt.Errorf("making the report: %w", err)}
	case err != nil:
		return nil, inputError(fmt.Errorf("making the report: %w", err))
	}
	result.Partial = a.inputs.Partial
	switch { // a report without its state is useful all the same
	case a.interrupted == nil && unsaved == nil:
		return result, nil
	case a.interrupted == nil:
		return result, inputError(unsaved)
	case unsaved != nil:
		a.messages.warn("%v", unsaved)
	}
	return result, &Error{Interrupted, a.interrupted}
}

func (a *auditing) writeState() error {
	head, err := a.basis.head(a.inputs)
	if err != nil {
		return err
	}
	return writeFile(a.state, func(w io.Writer) error { return a.run.WriteState(w, head) })
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
		a.messages.warn("looking up the names of %s", addresses(len(pairs)))
	}
	found := dns.Resolve(ctx, pairs)
	verified := int64(0)
	for i, ok := range found.Verified {
		if ok {
			a.run.Verify(pairs[i])
			verified++
		}
	}
	note := fmt.Sprintf("The names of %s of violations were looked up: %s %s the crawler's own by forward-confirmed reverse DNS. For the others that proves nothing.",
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

// auditLogs are the logs whose formats are known, and the inputs that failed.
type auditLogs struct {
	inputs  []*source.Input
	formats []*format.Format
	failed  []audit.InputInfo
}

// openLogs finds the inputs and the format of each. It warns of inputs that cannot be
// used, and leaves them out.
func (o *AuditOptions) openLogs(ctx context.Context) (*auditLogs, error) {
	logs := &auditLogs{}
	inputs, errs := o.Logs.resolve(o.Messages)
	for _, err := range errs {
		o.Messages.warn("%v", err)
		logs.failed = append(logs.failed, audit.InputInfo{Error: audit.Printable(err.Error())})
	}
	type opened struct {
		format *format.Format
		empty  bool
		err    error
	}
	list := make([]opened, len(inputs))
	inParallel(ctx, len(inputs), o.Workers, func(i int) {
		list[i].format, list[i].empty, list[i].err = openLog(ctx, inputs[i], o.Format)
	})
	if ctx.Err() != nil {
		return nil, errNothingDone
	}
	for i, in := range inputs {
		if err := list[i].err; err != nil {
			o.Messages.warn("%v", err)
			logs.failed = append(logs.failed, audit.InputInfo{Name: audit.Printable(in.Name), Codec: in.Codec(), Error: audit.Printable(err.Error())})
			continue
		}
		if list[i].empty {
			o.Messages.warn("%s: empty", in.Name)
		}
		logs.inputs = append(logs.inputs, in)
		logs.formats = append(logs.formats, list[i].format)
	}
	return logs, nil
}

// openLog finds the format of a log: the named one, or else by the first lines.
func openLog(ctx context.Context, in *source.Input, name string) (f *format.Format, empty bool, err error) {
	head, err := wait(ctx, func() ([]byte, error) { return in.Head(format.SampleBytes) })
	if err != nil {
		return f, false, err
	}
	whole := len(head) < format.SampleBytes
	head = bytes.TrimPrefix(head, format.BOM)
	empty = len(head) == 0
	if f, ok := format.ByName(name); ok {
		return f, empty, nil
	}
	f, err = format.Detect(head, whole)
	switch {
	case errors.Is(err, format.ErrEmpty):
		return format.Default, empty, nil // without a line any format will do
	case errors.Is(err, format.ErrMixed):
		err = fmt.Errorf("%w: name one with --format", err)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", in.Name, err)
	}
	return f, empty, err
}

// checkHosts refuses one robots.txt for logs that name several hosts.
func (l *auditLogs) checkHosts(b *basis) error {
	if !b.Constant || len(b.Hosts) > 0 {
		return nil
	}
	for i, f := range l.formats {
		if !f.HasHost() {
			continue
		}
		head, err := l.inputs[i].Head(format.SampleBytes) // which openLog has read before, so this does not wait
		if err != nil {
			return inputError(err)
		}
		return usageError("%s is %s, which names hosts: use --host to say which of them %s is for. Seen in its first lines: %s",
			l.inputs[i].Name, f.Name(), b.File, strings.Join(format.Hosts(f, bytes.TrimPrefix(head, format.BOM)), ", "))
	}
	return nil
}

// errWorker is the cause when a failed worker ends the reading.
var errWorker = errors.New("a worker has failed")

// scan lets the run's workers read all inputs, and tells whether ctx ended first. An
// error of a worker ends the reading; Run.Report returns it.
func (l *auditLogs) scan(ctx context.Context, run *audit.Run, r *source.Reader, n int) (interrupted bool) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := make([]*audit.Worker, n)
	for i := range workers {
		workers[i] = run.Worker()
	}
	err := scan.Run(ctx, r, n, func(i int, c *source.Chunk) {
		data := c.Data
		if c.Seq == 0 {
			data = bytes.TrimPrefix(data, format.BOM)
		}
		if c.Cut > 0 {
			workers[i].Overlong(c.Data)
		} else {
			workers[i].Chunk(l.formats[c.Input], data)
		}
		if workers[i].Err() != nil {
			stop(errWorker)
		}
	})
	return err != nil && !errors.Is(context.Cause(ctx), errWorker)
}

// describe describes the inputs for the report, and warns of inputs that could not be
// read to the end.
func (l *auditLogs) describe(b *basis, results []source.Result, messages Messages) audit.Inputs {
	in := audit.Inputs{Partial: len(l.failed) > 0}
	for i, result := range results {
		info := audit.InputInfo{
			Name: audit.Printable(result.Name), Format: l.formats[i].Name(), Codec: result.Codec,
			Disk: result.Disk, Bytes: result.Bytes, Complete: result.Complete,
		}
		for _, w := range result.Warnings {
			messages.warn("%s", w)
		}
		if result.Err != nil {
			covers := "the report covers the " + english.Plural(result.Bytes, "byte") + " before that"
			if result.Codec != "plain" {
				covers += "; some of these may be damaged too"
			}
			messages.warn("%v (%s)", result.Err, covers)
			info.Error, in.Partial = audit.Printable(result.Err.Error()), true
		}
		in.List = append(in.List, info)
	}
	in.List = append(in.List, l.failed...)
	// A report is the same for any cutting of its input into files: a warning is about a
	// format, and comes once.
	for i, f := range l.formats {
		var warnings []string
		if !f.HasAgent() {
			warnings = append(warnings, fmt.Sprintf("the format %s has no User-Agent field, so no line of it can name a crawler", f.Name()))
		}
		if !f.HasHost() && !b.Constant && len(b.Hosts) == 0 {
			warnings = append(warnings, fmt.Sprintf("the format %s names no host, so it is not known which robots.txt its requests are bound by: name the site with --host", f.Name()))
		}
		for _, w := range warnings {
			messages.warn("%s: %s", l.inputs[i].Name, w)
			in.Warnings = append(in.Warnings, w)
		}
	}
	slices.Sort(in.Warnings)
	in.Warnings = slices.Compact(in.Warnings)
	return in
}
