package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/internal/block"
	"github.com/robotsieve/robotsieve/scan/report"
)

// BlockFile is a file of rules for a server that refuse crawlers that broke robots.txt. The rules are
// tried on the same logs to count the other clients that they would have refused. That reads the logs a
// second time, and a third time if rules were dropped because of the result.
type BlockFile struct{ Kind, Name string } // a kind that ParseBlock accepts

// ParseBlock reads KIND=FILE.
func ParseBlock(text string) (b BlockFile, err error) {
	b.Kind, b.Name, _ = strings.Cut(text, "=")
	switch {
	case block.ByKind(b.Kind) == nil:
		return b, fmt.Errorf("%q is not KIND=FILE with a kind of %s", text, strings.Join(block.KindNames(), ", "))
	case b.Name == "":
		return b, fmt.Errorf("%s: no file is named after =", text)
	}
	return b, nil
}

// outputs are all files that the audit writes, except evidence.
func (o *AuditOptions) outputs() []disk.Output {
	return append(o.Results.outputs(), o.blockOutputs()...)
}

func (o *AuditOptions) blockOutputs() (list []disk.Output) {
	for _, b := range o.Block {
		list = append(list, disk.Output{Option: "option Block", Name: b.Name, Force: o.Force,
			Content: disk.Content{Name: "a file of block rules", Perm: 0o666, Is: block.Is}})
	}
	return list
}

// blockPlan collects the options of block rules.
type blockPlan struct {
	collector     *block.Collector
	kinds         []*block.Kind
	outputs       []disk.Output // of each kind
	search, names bool          // as AuditOptions.BlockSearch and BlockNames
	// reopen opens the logs again, for the dry run.
	reopen func(ctx context.Context) (*auditLogs, error)
}

// planBlock makes an audit collect the input of rules, if rules are wanted, and reserves memory for it.
func (o *AuditOptions) planBlock(p *auditPlan) error {
	if len(o.Block) == 0 {
		return nil
	}
	for _, log := range p.logs.list {
		if !log.Regular() {
			return usageError("option Block reads the logs twice, and %s is no file", log.Name)
		}
	}
	clients := (p.budget.memory / 16) / block.ClientBytes
	p.budget.take(clients * block.ClientBytes)
	again := &AuditOptions{LogOptions: o.LogOptions, Results: Results{AllowDuplicates: o.AllowDuplicates,
		Messages: Messages{Progress: o.Messages.Progress}}}
	p.block = &blockPlan{collector: block.NewCollector(int(clients)), outputs: o.blockOutputs(), search: o.BlockSearch,
		names:  o.BlockNames,
		reopen: func(ctx context.Context) (*auditLogs, error) { return again.prepareLogs(ctx, p) }}
	for _, b := range o.Block {
		p.block.kinds = append(p.block.kinds, block.ByKind(b.Kind))
	}
	p.judged, p.loaded.config.NeedsAddresses = both(p.block.collector, p.judged), true
	return nil
}

// writeBlock decides on the rules, tries them on the logs, which are read again, and writes the files.
func (p *auditPlan) writeBlock(ctx context.Context, a *auditRun, r *report.Report) error {
	end := r.To.Time
	if end.IsZero() { // no request has a time
		end = time.Now()
	}
	if err := errors.Join(a.run.Close(), a.rows.Close()); err != nil { // their memory goes to the dry run
		return inputError(err)
	}
	config := &p.loaded.config
	plan := block.Decide(p.block.collector, block.Options{Crawlers: config.Crawlers, Identities: config.Identities,
		LookedUp: a.verified, Report: r, Search: p.block.search, Names: p.block.names, End: end})
	if !r.Choice.IsAll() {
		plan.Notes = append(plan.Notes, "The rules are for "+r.Choice.String()+
			" only (option Only.Crawlers, option Only.Categories).")
	}
	if r.Partial {
		plan.Notes = append(plan.Notes, "WARNING: not all of the logs could be read: what is missing may clear some "+
			"of the clients that the rules are for.")
	}
	if r.RobotsTxt.Contradicted {
		plan.Notes = append(plan.Notes, "WARNING: answers in the logs contradict the robots.txt given: the rules are right "+
			"only if it is what was served.")
	}
	for i := range plan.Notes {
		plan.Notes[i] = p.Messages.word(plan.Notes[i])
	}
	for i := range plan.Held {
		plan.Held[i].Withheld = p.Messages.word(plan.Held[i].Withheld)
	}
	kinds := p.block.kinds
	counter := block.NewCounter(plan, kinds, p.workers)
	for again := true; again; again = counter.Settle() {
		if err := p.showAll(ctx, counter); err != nil {
			return err
		}
	}
	var errs []error
	for i, result := range counter.Results() {
		out := p.block.outputs[i]
		errs = append(errs, out.Write(func(w io.Writer) error { return kinds[i].Write(w, plan, result, p.Program) }))
		for _, text := range kinds[i].Summary(plan, result) {
			p.Messages.warn("%s: %s", out.Name, text)
		}
	}
	p.Messages.warnAll(plan.Short())
	if err := errors.Join(errs...); err != nil {
		return inputError(err)
	}
	return nil
}

var errNoDryRun = errors.New("interrupted during the dry run: no block rules were written")

// showAll reads the logs again and shows every request.
func (p *auditPlan) showAll(ctx context.Context, seen audit.Sink) error {
	logs, err := p.block.reopen(ctx)
	if err != nil {
		return err
	}
	again := &auditPlan{Results: Results{Messages: Messages{Progress: p.Messages.Progress}}, budget: p.budget,
		workers: p.workers, loaded: p.loaded, logs: logs, seen: seen}
	a, err := again.read(ctx)
	if err != nil {
		return err
	}
	if a.interrupted != nil {
		err = &Error{Interrupted, errNoDryRun}
	}
	return errors.Join(err, a.run.Close())
}
