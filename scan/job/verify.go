package job

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/basis"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// VerifyOptions say which folder of evidence Verify checks.
type VerifyOptions struct {
	Dir string
	// Logs are the logs that the evidence is from; none: they are not at hand. They may have other
	// names.
	Logs Inputs
	// These are as in AuditOptions.
	Memory   int64
	Workers  int
	Messages Messages
}

// Verified is the result of Verify, in sentences. Their texts have the bytes of the folder: see
// report.Printable.
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

// Verify checks a folder of evidence: it makes the folder again of what it rests on, and compares
// all files. It rests on the robots.txt, lists, crawlers and options that are in it, and on lines:
// those of the folder or, if there are logs, theirs. An error is of type *Error: what keeps it from
// being checked. The result is then what was found before, or nil.
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
	m := *folder.Manifest
	v.hold("All %s have the SHA-256 that the manifest states. The SHA-256 of the manifest is %s.",
		english.Plural(int64(len(m.Files)), "file"), folder.Sum)
	m.Inputs = slices.Clone(m.Inputs)
	c := &verification{folder: folder, Verified: v, evidenceBasis: &evidenceBasis{manifest: &m, options: AuditOptions{
		Results: Results{AllowDuplicates: m.AllowDuplicates, Memory: o.Memory, Messages: o.Messages},
		Logs:    o.Logs, Format: m.Format, TimeZone: m.TimeZone, Hash: true, Workers: o.Workers, budget: newBudget(o.Memory),
	}}}
	c.options.Workers = c.options.budget.workers(o.Workers)
	if err := c.restore(); err != nil {
		if _, ok := errors.AsType[*Error](err); ok {
			return v, err
		}
		v.fail("The folder does not say how the requests were judged: %v.", err)
		return v, nil
	}
	return v, failure(ctx, c.makeAgain(ctx))
}

// verification is a check of a folder under way.
type verification struct {
	*Verified
	*evidenceBasis // of the folder that is made again
	folder         *evidence.Folder
}

// restore makes again what the audit had read before the logs, from the files of the folder. A
// folder is trusted no more than the files and options of an audit.
func (c *verification) restore() error {
	m := c.manifest
	for _, x := range m.Crawlers {
		if x.Violations < 1 || x.Fetches < 0 {
			return fmt.Errorf("%q has %d violations and %d fetches", x.Crawler, x.Violations, x.Fetches)
		}
	}
	if strings.EqualFold(m.TimeZone, "local") {
		return errors.New("its time zone is that of another machine")
	}
	open := basis.Open(func(name string) (io.ReadCloser, error) { return c.folder.Open(name) })
	document, err := open.Read(evidence.Basis)
	if err != nil {
		return err
	}
	b, err := basis.Unpack(document, open)
	if err != nil {
		return err
	}
	if c.side, err = restored(b, open, m.TimeZone, c.options.budget); err != nil {
		return err
	}
	if c.format, err = formatOfText(m.Format); err != nil {
		return err
	}
	c.options.format, c.side.config.Only = c.format, m.Only
	for _, client := range m.LookedUp {
		p := c.side.config.Crawlers.ByName(client.Crawler)
		if p == nil {
			return fmt.Errorf("a client is of %q, which no profile is of", client.Crawler)
		}
		c.lookedUp = append(c.lookedUp, crawler.Pair{Profile: p, Addr: client.Address})
	}
	return nil
}

// makeAgain makes the folder again and compares it.
func (c *verification) makeAgain(ctx context.Context) error {
	e := &evidenceFolder{evidenceBasis: c.evidenceBasis, requests: map[crawlerKey]int64{}}
	for _, x := range c.manifest.Crawlers {
		e.requests[keyOf(report.CrawlerInfo{Operator: x.Operator, Crawler: x.Crawler})] = x.Requests
	}
	dir := filepath.Join(os.TempDir(), "robotsieve-verify")
	withLogs := len(c.options.Logs.Names)+len(c.options.Logs.Opened) > 0
	if withLogs {
		report, lines, err := c.judgeLogs(ctx)
		if err != nil || report == nil {
			return err
		}
		defer lines.Close()
		if err := e.writeAll(ctx, dir, report, lines); err != nil {
			return err
		}
	} else {
		lines, _, err := c.judge(ctx, c.folder.Path)
		if err != nil {
			return fmt.Errorf("its lines cannot be judged: %w", err)
		}
		defer lines.Close()
		if err := e.write(ctx, dir, lines); err != nil {
			return err
		}
	}
	failed, err := c.folder.Compare(ctx, e.writer, *c.manifest)
	if err = errors.Join(err, e.writer.Discard()); err != nil {
		return err
	}
	for _, why := range failed {
		c.fail("%s.", why)
	}
	if len(failed) == 0 {
		c.holds(withLogs)
	}
	return nil
}

// holds says what a folder shows that is as it was made again.
func (c *verification) holds(withLogs bool) {
	m, violations := c.manifest, int64(0)
	for _, x := range m.Crawlers {
		violations += x.Violations
	}
	of := "lines"
	if withLogs {
		of = "logs"
	}
	c.hold("The folder was made again of its robots.txt, lists, crawlers, options and %s: all files are the same.", of)
	if violations == 0 {
		c.hold("The folder lists no requests: the audit found no violation%s.", m.Only.By())
	} else {
		c.hold("%s by %s %s judged again: each is a violation, of the rule that is listed.",
			english.Plural(violations, "request"), english.Plural(int64(len(m.Crawlers)), "crawler"),
			english.Verb(violations, "was", "were"))
	}
	if m.Partial {
		c.hold("The evidence is of a part of the logs: what was not read could clear some of the requests.")
	}
	if m.NotShown > 0 {
		c.hold("%s of the audit %s not in the folder: their lines cannot be judged without the rest of the logs.",
			english.Plural(m.NotShown, "more violation"), english.Verb(m.NotShown, "is", "are"))
	}
	const noLog = "the program and command that made the folder, the options of the audit, whose the logs are and " +
		"what they were " +
		"called, what names of addresses were found, and the dates of lists that do not have them inside"
	if withLogs {
		c.hold("A new audit of the logs finds the same violations%s, and no others. "+
			"All lines of the folder are in the logs, byte for byte, in the lines that are stated.", m.Only.By())
		c.hold("Not checked, since no log shows it: %s.", noLog)
		return
	}
	c.hold("The logs were not given: this does not show that the lines are from them, and that no other line clears " +
		"the requests.")
	c.hold("Not checked without the logs: their sizes and SHA-256, whether they were read to their ends, what other "+
		"clients were "+
		"told who asked for robots.txt, how many requests the crawlers made in all, and whether the addresses are those "+
		"of a proxy; "+
		"and, since no log shows it, %s.", noLog)
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

// judgeLogs audits the logs. The report is nil if they are not those of the evidence.
func (c *verification) judgeLogs(ctx context.Context) (*report.Report, *evidenceLines, error) {
	found, err := c.findLogs(ctx)
	if err != nil || found == nil {
		return nil, nil, err
	}
	c.options.Logs = Inputs{Opened: found}
	m, policy := c.manifest, c.side.config.Policy
	var read, unread []evidence.Input
	for _, in := range m.Inputs {
		if in.Read {
			read = append(read, in)
		} else {
			unread = append(unread, in)
		}
	}
	logs, err := c.options.prepareLogs(ctx, c.side, func(logs *auditLogs) (err error) {
		for i, log := range logs.list {
			err = cmp.Or(err, c.belongs(log, &read[i]))
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	lines := &evidenceLines{}
	result, err := c.audit(ctx, logs, lines, nil, nil)
	if err != nil {
		return nil, nil, errors.Join(err, lines.Close())
	}
	report := result.Report
	report.Partial = report.Partial || m.Partial && slices.ContainsFunc(unread,
		func(in evidence.Input) bool { return in.DuplicateOf == "" })
	m.Inputs = append(logs.evidenceInputs(report.Inputs[:len(logs.list)], policy), unread...)
	return report, lines, nil
}

// findLogs hashes the logs, and returns them in the order and with the names of the manifest; nil if
// they are not those of the evidence.
func (c *verification) findLogs(ctx context.Context) (found []*source.Input, err error) {
	inputs, failed, err := c.options.Logs.resolve(ctx, c.options.budget, c.options.Workers, c.options.Messages)
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
	// What was read cannot be read again where it is a member of an archive.
	again, failed, err := c.options.Logs.resolve(ctx, c.options.budget, c.options.Workers, Messages{})
	if err == nil && (len(failed) > 0 || len(again) != len(inputs)) {
		err = inputError(errors.New("the logs have changed while they were read"))
	}
	if err != nil {
		return nil, err
	}
	given := map[string][]*source.Input{} // by SHA-256
	bySize := map[int64][]*source.Input{} // those of the manifest, by their decompressed bytes
	sums := map[*source.Input]contentSum{}
	before, copies := len(c.Failed), int64(0)
	found = []*source.Input{}
	var others []int
	for i, result := range reader.Results() {
		if result.Err != nil {
			return nil, inputError(result.Err)
		}
		sum := hex.EncodeToString(result.Sum)
		given[sum] = append(given[sum], again[i])
		if slices.ContainsFunc(c.manifest.Inputs, func(in evidence.Input) bool { return in.Read && in.SHA256 == sum }) {
			bySize[result.Bytes] = append(bySize[result.Bytes], again[i])
		} else {
			others = append(others, i)
		}
	}
	for _, i := range others {
		// An audit does not count a copy of a log, which may be compressed in another way.
		result := reader.Results()[i]
		switch isCopy, err := isCopyOf(ctx, again[i], bySize[result.Bytes], sums); {
		case err != nil:
			return nil, err
		case isCopy:
			copies++
		default:
			c.fail("%s, with the SHA-256 %x, is none of the logs that the evidence is from.", result.Name, result.Sum)
		}
	}
	if len(c.Failed) > before {
		return nil, nil
	}
	for _, in := range c.manifest.Inputs {
		list := given[in.SHA256]
		switch {
		case !in.Read:
			continue
		case len(list) == 0:
			return nil, inputError(fmt.Errorf("%s, with the SHA-256 %s, was not given: the logs can only be audited again "+
				"if all are", in.Name, in.SHA256))
		}
		list[0].Name = in.Name
		found, given[in.SHA256] = append(found, list[0]), list[1:]
	}
	c.hold("The %s %s the SHA-256 that the manifest states.", english.Plural(int64(len(found)), "log"),
		english.Verb(int64(len(found)), "has", "have"))
	if copies > 0 {
		c.hold("%s %s the same content, decompressed, as one of these: %s not counted.",
			english.Plural(copies, "more log"), english.Verb(copies, "has", "have"), english.Verb(copies, "it was", "they were"))
	}
	return found, nil
}

// isCopyOf reports whether a log has the content, decompressed, of one of some others. It keeps the
// SHA-256 of contents in sums.
func isCopyOf(
	ctx context.Context, log *source.Input, others []*source.Input, sums map[*source.Input]contentSum,
) (bool, error) {
	content := func(in *source.Input) (sum contentSum, err error) {
		sum, known := sums[in]
		if !known {
			if sum, err = wait(ctx, in.Sum); err == nil {
				sums[in] = sum
			}
		}
		return sum, err
	}
	for _, other := range others {
		if !log.Regular() || !other.Regular() { // a pipe cannot be read twice
			continue
		}
		x, err := content(log)
		if err != nil {
			return false, err
		}
		if y, err := content(other); err != nil || x == y {
			return err == nil, err
		}
	}
	return false, nil
}
