package job

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/source"
)

// VerifyOptions say which folder of evidence Verify checks.
type VerifyOptions struct {
	Dir string
	// Logs are the logs that the evidence is from; none: they are not at hand. They may have other names.
	Logs Inputs
	// These are as in AuditOptions.
	Memory   int64
	Workers  int
	Messages Messages
}

// Verified is the result of Verify, in sentences. Their texts have the bytes of the folder: see audit.Printable.
type Verified struct {
	// Checked is what was checked and holds, and what that does not show.
	Checked []string
	// Failed is what does not hold, NotListed how many more failures there are.
	Failed    []string
	NotListed int64
}

// maxFailed bounds the failures that are listed.
const maxFailed = 20

func (v *Verified) hold(format string, args ...any) {
	v.Checked = append(v.Checked, fmt.Sprintf(format, args...))
}

func (v *Verified) fail(format string, args ...any) {
	if len(v.Failed) == maxFailed {
		v.NotListed++
		return
	}
	v.Failed = append(v.Failed, fmt.Sprintf(format, args...))
}

// Verify checks a folder of evidence: that its files are those that were written, that the folder's lines are
// violations by the folder's own files, and, if there are logs, that its lines are theirs and that an audit of them
// finds the same violations. An error is of type *Error: what keeps it from being checked. The result is then what was
// found before, or nil.
func Verify(ctx context.Context, o VerifyOptions) (*Verified, error) {
	if slices.Contains(o.Logs.Names, "-") {
		return nil, usageError("standard input cannot be read twice: give the log as a file")
	}
	v := &Verified{}
	folder, failed, err := evidence.Open(ctx, o.Dir)
	if err != nil {
		return nil, failure(ctx, err)
	}
	for _, why := range failed {
		v.fail("%s.", why)
	}
	if len(v.Failed) > 0 {
		return v, nil
	}
	m := folder.Manifest
	v.hold("All %s have the SHA-256 that the manifest states. The SHA-256 of the manifest is %s.", english.Plural(int64(len(m.Files)), "file"), folder.Sum)
	if m.Partial {
		v.hold("The evidence is of a part of the logs: what was not read could clear some of the requests.")
	}
	c := &verification{folder: folder, options: AuditOptions{
		Logs: o.Logs, Format: m.Format, TimeZone: m.TimeZone, AllowDuplicates: m.AllowDuplicates, Hash: true,
		Memory: o.Memory, Workers: o.Workers, Messages: o.Messages, budget: newBudget(o.Memory),
	}, Verified: v}
	c.options.Workers = c.options.budget.workers(o.Workers)
	if err := c.restore(); err != nil {
		if _, ok := errors.AsType[*Error](err); ok {
			return v, err
		}
		v.fail("The folder does not say how the requests were judged: %v.", err)
		return v, nil
	}
	if err := c.judgeAlone(ctx); err != nil {
		return v, err
	}
	if len(o.Logs.Names)+len(o.Logs.Opened) == 0 {
		v.hold("The logs were not given: this does not show that the lines are from them, and that no other line clears the requests.")
		return v, nil
	}
	return v, c.judgeLogs(ctx)
}

// verification is a check of a folder under way.
type verification struct {
	*Verified
	folder   *evidence.Folder
	options  AuditOptions // by which logs are read
	side     *sideFiles
	lookedUp []crawler.Pair
}

// errUnverified is the error of a check that ended with ctx.
var errUnverified = errors.New("interrupted: not all was checked")

// failure makes the error of a check.
func failure(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &Error{Interrupted, errUnverified}
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return inputError(err)
}

// newLines returns lines of the logs of the manifest.
func (c *verification) newLines() *evidenceLines {
	l := newEvidenceLines(true)
	l.names = []string{}
	for _, in := range c.folder.Manifest.Inputs {
		l.names = append(l.names, in.Name)
	}
	return l
}

// judgeAlone judges the lines of the folder by its own files.
func (c *verification) judgeAlone(ctx context.Context) error {
	lines := c.newLines()
	defer lines.Close()
	shares, err := c.options.budget.divide(1, nil)
	if err != nil {
		return err
	}
	config := c.side.config
	config.Memory, config.Workers, config.Proxied = shares.rest, 1, &c.folder.Manifest.Proxied
	lines.keep(&config, nil)
	run := audit.New(config).Begin()
	defer run.Close()
	run.StopAt(ctx)
	lines.sorted.StopAt(ctx)
	c.verify(run)
	reader, err := c.newLineReader(run.Worker())
	if err != nil {
		return failure(ctx, err)
	}
	if err := reader.read(ctx, c); err != nil {
		return failure(ctx, err)
	}
	if _, err := run.Report(audit.Inputs{}); err != nil {
		return failure(ctx, err)
	}
	before := len(c.Failed)
	compared, err := c.compare(lines, true)
	if err != nil {
		return failure(ctx, err)
	}
	if len(c.Failed) > before {
		return nil
	}
	if compared.violations == 0 && compared.cut == 0 {
		c.hold("The folder lists no requests: the audit found no violation.")
		return nil
	}
	c.hold("%s by %s %s judged again by the files of the folder alone: each is a violation, of the rule that is listed.",
		english.Plural(compared.violations, "request"), english.Plural(int64(len(c.folder.Manifest.Crawlers)), "crawler"), english.Verb(compared.violations, "was", "were"))
	if compared.cut > 0 {
		c.hold("%s were not judged again: their lines are longer than %d bytes, of which the folder has the beginning, or name their columns too often.", english.Plural(compared.cut, "request"), evidence.MaxLine)
	}
	if compared.informed > 0 {
		c.hold("For %s, whether the crawler had been sent the rule before rests on other lines of the logs.", english.Plural(compared.informed, "request"))
	}
	return nil
}

// judgeLogs compares the folder with the logs.
func (c *verification) judgeLogs(ctx context.Context) error {
	place, err := c.findLogs(ctx)
	if err != nil || place == nil {
		return failure(ctx, err)
	}
	logs, err := c.options.prepareLogs(ctx, c.side, func(logs *auditLogs) error { return c.assign(logs, place) })
	if err != nil {
		return failure(ctx, err)
	}
	lines := c.newLines()
	defer lines.Close()
	lines.input = make([]int, len(logs.list))
	for i, log := range logs.list {
		lines.input[i] = place[log.Name]
	}
	a, err := c.options.read(ctx, c.side, logs, lines)
	if err != nil {
		return failure(ctx, err)
	}
	defer a.run.Close()
	lines.sorted.StopAt(ctx)
	c.verify(a.run)
	if _, err := a.finish(ctx, nil); err != nil {
		return failure(ctx, err)
	}
	before := len(c.Failed)
	compared, err := c.compare(lines, false)
	if err != nil {
		return failure(ctx, err)
	}
	if len(c.Failed) == before {
		c.hold("All %s and %s for robots.txt that the folder lists are in the logs, byte for byte, in the lines that are stated.", english.Plural(compared.violations+compared.cut, "request"), english.Plural(compared.fetches, "request"))
		c.hold("A new audit of the logs finds the same violations, and no others.")
	}
	return nil
}

// findLogs hashes the logs, and returns for the name of each its place in the manifest; nil if they are not those of the evidence.
func (c *verification) findLogs(ctx context.Context) (place map[string]int, err error) {
	inputs, failed, err := c.options.Logs.resolve(ctx, c.options.budget, c.options.Workers, Messages{})
	if err != nil {
		return nil, err
	}
	if len(failed) > 0 {
		return nil, inputError(failed[0])
	}
	for _, in := range inputs {
		in.Hash = true
	}
	reader := source.NewReader(inputs, source.Options{Workers: 1})
	defer context.AfterFunc(ctx, reader.Stop)()
	for chunk, ok := reader.Next(); ok; chunk, ok = reader.Next() {
		reader.Release(chunk)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	places := map[string][]int{} // by SHA-256
	for i, in := range c.folder.Manifest.Inputs {
		if in.Read {
			places[in.SHA256] = append(places[in.SHA256], i)
		}
	}
	place, before := map[string]int{}, len(c.Failed)
	for _, result := range reader.Results() {
		if result.Err != nil {
			return nil, inputError(result.Err)
		}
		sum := fmt.Sprintf("%x", result.Sum)
		list, known := places[sum]
		switch {
		case known && len(list) == 0: // a copy, which prepareLogs finds
			continue
		case !known:
			c.fail("%s, with the SHA-256 %s, is none of the logs that the evidence is from.", result.Name, sum)
			continue
		}
		place[result.Name], places[sum] = list[0], list[1:]
	}
	if len(c.Failed) > before {
		return nil, nil
	}
	for i, in := range c.folder.Manifest.Inputs {
		if in.Read && slices.Contains(places[in.SHA256], i) {
			return nil, inputError(fmt.Errorf("%s, with the SHA-256 %s, was not given: the logs can only be audited again if all are", in.Name, in.SHA256))
		}
	}
	c.hold("The %s %s the SHA-256 that the manifest states.", english.Plural(int64(len(place)), "log"), english.Verb(int64(len(place)), "has", "have"))
	return place, nil
}

// assign tells of which sites logs are, by their places in the manifest.
func (c *verification) assign(logs *auditLogs, place map[string]int) error {
	for _, log := range logs.list {
		in := c.folder.Manifest.Inputs[place[log.Name]]
		var err error
		if log.site, err = siteOfOrigins(in.Origins, c.side.config.Policy); err != nil {
			return err
		}
		if in.Only {
			log.host = in.Name
		}
	}
	return nil
}
