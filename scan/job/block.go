package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/internal/block"
	"github.com/robotsieve/robotsieve/scan/report"
)

// BlockFile is a file of rules for a server that refuse those who broke robots.txt. The rules are
// held to the same logs again to tell whom else they would have refused: the logs are read a second time,
// and a third time if rules were dropped because of that.
type BlockFile struct{ Kind, Name string } // Kind is one of BlockKinds

// BlockKinds returns the names of all kinds of files of rules.
func BlockKinds() []string { return block.KindNames() }

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

// outputs are all files that the audit writes, but evidence.
func (o *auditPlan) outputs() []output { return append(o.Results.outputs(), o.blockOutputs()...) }

func (o *auditPlan) blockOutputs() (list []output) {
	for _, b := range o.Block {
		list = append(list, output{"option Block", b.Name, kind{"a file of block rules", 0o666, block.Is}, o.Force})
	}
	return list
}

// collectForBlock has an audit collect what rules are made of, and takes memory for it. It returns nil
// if there are to be none.
func (o *auditPlan) collectForBlock(logs *auditLogs, config *audit.Config) (*block.Collector, error) {
	if len(o.Block) == 0 {
		return nil, nil
	}
	for _, log := range logs.list {
		if !log.Regular() {
			return nil, usageError("option Block reads the logs twice, and %s is no file", log.Name)
		}
	}
	clients := (newBudget(o.Memory).memory / 16) / block.ClientBytes
	c := block.NewCollector(int(clients))
	o.budget.take(clients * block.ClientBytes)
	o.Judged, config.NeedsAddresses = both(c, o.Judged), true
	return c, nil
}

// writeBlock decides on the rules, holds them to the logs, which are read again, and writes the files.
func (o *auditPlan) writeBlock(ctx context.Context, c *block.Collector, side *loadedBasis, a *auditing,
	r *report.Report) error {
	end := r.To.Time
	if end.IsZero() { // no request has a time
		end = time.Now()
	}
	if err := errors.Join(a.run.Close(), a.rows.Close()); err != nil { // their memory is for the dry run
		return inputError(err)
	}
	plan := block.Decide(c, block.Options{Crawlers: side.config.Crawlers, Identities: side.config.Identities,
		LookedUp: a.verified, Report: r, Search: o.BlockSearch, Names: o.BlockNames, End: end})
	if !r.Choice.IsAll() {
		plan.Notes = append(plan.Notes, "The rules are for "+r.Choice.String()+
			" only (option Only.Crawlers, option Only.Categories).")
	}
	if r.Partial {
		plan.Notes = append(plan.Notes, "WARNING: not all of the logs could be read: what is missing may clear some "+
			"of those whom the rules are for.")
	}
	if r.RobotsTxt.Contradicted {
		plan.Notes = append(plan.Notes, "WARNING: answers in the logs contradict the robots.txt given: the rules are right "+
			"only if it is what was served.")
	}
	for i := range plan.Notes {
		plan.Notes[i] = o.Messages.word(plan.Notes[i])
	}
	for i := range plan.Held {
		plan.Held[i].Withheld = o.Messages.word(plan.Held[i].Withheld)
	}
	var kinds []*block.Kind
	for _, b := range o.Block {
		kinds = append(kinds, block.ByKind(b.Kind))
	}
	counter := block.NewCounter(plan, kinds, o.workers)
	for again := true; again; again = counter.Settle() {
		if err := o.showAll(ctx, side, counter); err != nil {
			return err
		}
	}
	var errs []error
	for i, result := range counter.Results() {
		out := o.blockOutputs()[i]
		errs = append(errs, out.write(func(w io.Writer) error { return kinds[i].Write(w, plan, result, o.Program) }))
		for _, text := range kinds[i].Summary(plan, result) {
			o.Messages.warn("%s: %s", out.name, text)
		}
	}
	for _, text := range plan.Short() {
		o.Messages.warn("%s", text)
	}
	if err := errors.Join(errs...); err != nil {
		return inputError(err)
	}
	return nil
}

var errNoDryRun = errors.New("interrupted during the dry run: no block rules were written")

// showAll reads the logs again and shows every request.
func (o *auditPlan) showAll(ctx context.Context, side *loadedBasis, seen audit.Sink) error {
	again := &auditPlan{budget: o.budget, workers: o.workers, format: o.format, seen: seen, AuditOptions: AuditOptions{
		LogOptions: o.LogOptions, Results: Results{AllowDuplicates: o.AllowDuplicates,
			Messages: Messages{Progress: o.Messages.Progress}}}}
	logs, err := again.prepareLogs(ctx, side, func(l *auditLogs) error { return l.assign(o.Hosts, side.config.Policy) })
	if err != nil {
		return err
	}
	a, err := again.read(ctx, side, logs, nil)
	if err != nil {
		return err
	}
	if a.interrupted != nil {
		err = &Error{Interrupted, errNoDryRun}
	}
	return errors.Join(err, a.run.Close())
}
