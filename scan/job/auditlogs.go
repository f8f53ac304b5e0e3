package job

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/basis"
	"github.com/robotsieve/robotsieve/scan/internal/interrupt"
	"github.com/robotsieve/robotsieve/scan/internal/loginfo"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

type auditLogs struct {
	list []*auditLog // to be read
	// unread describes the inputs that are not read: the unusable ones, and those with
	// content that has been read already.
	unread   []report.InputInfo
	partial  bool // some are unusable
	warnings []string
	messages Messages
	rows     *listing // of their requests; nil if there is none
	evidence *listing // of the lines for a folder; nil if there is none
	overlaps source.Overlaps
}

// auditLog is a log with a known format.
type auditLog struct {
	*source.Input
	format *format.Format
	// host is the value of AuditOptions.Hosts that names the log, "" if none does.
	host        string
	site        policy.Site // where its requests went, if it names no hosts
	siteUnknown bool        // as in loginfo.Info
	// before knows what holds at the beginning of each chunk; nil if not needed.
	before *scan.Prefix[beginning]
	// lastHeader is the last header of its format. Numbered means that its lines need numbers.
	lastHeader func(chunk []byte) []byte
	numbered   bool
	// head is a hash of the file's first bytes; zero if it is empty or not a regular file.
	head uint64
	// first is the beginning of the first nonblank line; empty if anonymous.
	first string
	loginfo.Facts
	// copyOf names an earlier log with the same content, "" if there is none.
	copyOf    string
	anonymous bool // as in AuditOptions
	skewed    bool // it is zoneless, and no option gives its zone
	lineCounts
}

type lineCounts struct {
	lines, unparsed, outside atomic.Int64
}

// openLogs finds the inputs and the format of each. It warns of unusable inputs
// and leaves them out.
func (o *AuditOptions) openLogs(ctx context.Context, p *auditPlan) (*auditLogs, error) {
	logs := &auditLogs{messages: o.Messages}
	inputs, errs, err := o.Logs.resolve(ctx, p.budget, p.workers,
		Messages{Warn: func(message string) { logs.warn("%s", message) }})
	if err != nil {
		return nil, err
	}
	for _, err := range errs {
		logs.fail(report.InputInfo{}, err)
	}
	list := make([]auditLog, len(inputs))
	empty, failed := make([]bool, len(inputs)), make([]error, len(inputs))
	interrupt.Parallel(ctx, len(inputs), p.workers, func(i int) {
		in := inputs[i]
		in.Hash = !in.Regular() // chooseHashes decides about files
		list[i].Input, list[i].anonymous = in, o.Anonymous
		empty[i], failed[i] = list[i].open(ctx, p.given, p.loaded.zone)
	})
	if ctx.Err() != nil {
		return nil, errNothingDone
	}
	isNamed := func(in *source.Input) bool { return slices.Contains(o.Logs.Names, in.Name) }
	skip := slices.ContainsFunc(inputs, isNamed) || slices.Contains(failed, nil) // else nothing would be read
	for i, in := range inputs {
		if skip && errors.Is(failed[i], format.ErrErrorLog) && !isNamed(in) {
			logs.warn("%v: it was left out", failed[i])
			continue
		}
		if errors.Is(failed[i], format.ErrNoHeader) && logs.continues(&list[i], p.loaded.zone) {
			failed[i] = nil
		}
		if failed[i] != nil {
			logs.fail(report.InputInfo{Name: in.Name, Codec: in.Codec()}, failed[i])
			continue
		}
		if empty[i] {
			o.Messages.warn("%s: empty", in.Name)
		}
		list[i].skewed = list[i].Zoneless && o.TimeZone == ""
		if cmp.Or(o.ClientIP, "addr") != "addr" {
			list[i].Clients = report.ByAddress
		}
		logs.list = append(logs.list, &list[i])
	}
	return logs, nil
}

// continues reports whether a log without a header has the columns of the preceding log in its
// folder, and sets its format if so. Servers that begin a new file may leave the header out.
func (l *auditLogs) continues(log *auditLog, zone *time.Location) bool {
	if len(l.list) == 0 {
		return false
	}
	before := l.list[len(l.list)-1]
	header := before.format.Header()
	if header == nil || filepath.Dir(before.Name) != filepath.Dir(log.Name) {
		return false
	}
	head, err := log.Head(format.SampleBytes) // which open has read before, so this does not wait
	if err != nil {
		return false
	}
	whole := len(head) < format.SampleBytes
	head = bytes.TrimPrefix(head, format.BOM)
	f, err := format.Detect(slices.Concat(header, []byte("\n"), head), whole)
	if err != nil || f.Header() == nil {
		return false
	}
	log.Facts, log.format = loginfo.Of(f, head, zone)
	l.warn("%s begins without a line that names its columns: it is read with the last one of %s, which has as many",
		log.Name, before.Name)
	return true
}

// warn adds a warning to the report, and gives it to the messages.
func (l *auditLogs) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.messages.warn("%s", text)
	l.warnings = append(l.warnings, text)
}

// fail leaves out an unusable input.
func (l *auditLogs) fail(info report.InputInfo, err error) {
	l.messages.warn("%v", err)
	info.Error = err.Error()
	l.unread, l.partial = append(l.unread, info), true
}

func (l *auditLogs) inputs() (list []*source.Input) {
	for _, log := range l.list {
		list = append(list, log.Input)
	}
	return list
}

var headSeed = maphash.MakeSeed()

// open reads the first lines of the log and detects its format: f with the envelopes
// around these lines or, if f is nil, a format that fits them. It reports
// whether there are any lines.
func (log *auditLog) open(ctx context.Context, f *format.Format, zone *time.Location) (empty bool, err error) {
	head, err := interrupt.Wait(ctx, func() ([]byte, error) { return log.Head(format.SampleBytes) })
	if err != nil {
		return false, explained(err)
	}
	if log.Regular() && len(head) > 0 {
		log.head = max(maphash.Bytes(headSeed, head), 1)
	}
	whole := len(head) < format.SampleBytes
	head = bytes.TrimPrefix(head, format.BOM)
	empty = len(head) == 0
	if !log.anonymous {
		log.first = firstLine(head)
	}
	if f != nil {
		log.format, err = f.For(head, whole)
	} else if log.format, err = format.Detect(head, whole); errors.Is(err, format.ErrEmpty) {
		log.format, err = format.Default(), nil // without a line any format will do
	}
	if err != nil && log.anonymous && !errors.Is(err, format.ErrNoHeader) && !errors.Is(err, format.ErrErrorLog) {
		err = errUnknownFormat
	}
	if err != nil {
		return empty, fmt.Errorf("%s: %w", log.Name, err)
	}
	log.Facts, log.format = loginfo.Of(log.format, head, zone)
	return empty, nil
}

// errUnknownFormat replaces an error that quotes a line.
var errUnknownFormat = errors.New("no known format fits its first lines. job.Explain shows them")

// checkHosts refuses a single robots.txt for logs that name several hosts.
func (l *auditLogs) checkHosts(b *basis.Basis) error {
	if !b.Constant || len(b.Hosts) > 0 {
		return nil
	}
	for _, log := range l.list {
		if !log.HasHosts {
			continue
		}
		seen := "none of them in its first lines"
		if len(log.Hosts) > 0 {
			seen = "such as " + english.List(log.Hosts)
		}
		return usageError("%s names hosts (format %s), %s: use option Hosts to say which of them %s is for", log.Name,
			log.format.Name(), seen, b.File)
	}
	return nil
}

// maxHashed is how many bytes of uncompressed files are hashed by default.
// Hashing takes nearly as long as judging; up to this size it goes unnoticed. Files that are
// decompressed take much longer anyway.
const maxHashed = 128 << 20

// chooseHashes decides which inputs are hashed: all, or all except large plain
// files. All are hashed beside a pipe, because its content may equal a file's.
func (l *auditLogs) chooseHashes(all bool) {
	plain := int64(0)
	isPlain := func(log *auditLog) bool { return log.Codec() == "plain" }
	for _, log := range l.list {
		all = all || !log.Regular()
		if isPlain(log) {
			plain += log.Size
		}
	}
	for _, log := range l.list {
		log.Hash = all || plain <= maxHashed || !isPlain(log)
	}
}

// errWorker is the cause when a worker's failure ends the reading.
var errWorker = errors.New("a worker has failed")

// logInfos describes the logs as far as known before they are read.
func (l *auditLogs) logInfos() (list []loginfo.Info) {
	for _, log := range l.list {
		list = append(list, loginfo.Info{InputInfo: log.info(), SiteUnknown: log.siteUnknown})
	}
	return list
}

// scan lets the run's workers read all inputs, and reports whether ctx ended first. An error of a
// worker ends the reading; Run.Report returns it.
func (l *auditLogs) scan(ctx context.Context, run *audit.Run, r *source.Reader, n int) (interrupted bool) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for _, log := range l.list {
		log.trackBeginnings()
		if log.copyOf != "" {
			log.Opening = source.Opening{}
		}
		l.overlaps.Openings = append(l.overlaps.Openings, log.Opening)
	}
	workers := make([]*audit.Worker, n)
	for i := range workers {
		workers[i] = run.Worker()
	}
	err := scan.Run(ctx, r, n, func(i int, c *source.Chunk) {
		l.readChunk(ctx, i, workers[i], c)
		if workers[i].Err() != nil {
			stop(errWorker)
		}
	})
	return err != nil && !errors.Is(context.Cause(ctx), errWorker)
}

// beginning is the state at the beginning of a chunk: the header in force, and the number of lines
// before it.
type beginning struct {
	header []byte
	lines  int64
}

// trackBeginnings prepares the log for beginningOf, if needed.
func (log *auditLog) trackBeginnings() {
	log.lastHeader = log.format.LastHeader()
	if log.lastHeader == nil && !log.numbered {
		return
	}
	log.before = scan.NewPrefix(beginning{}, func(before, of beginning) beginning {
		if of.header == nil {
			of.header = before.header
		}
		return beginning{of.header, before.lines + of.lines}
	})
}

// beginningOf waits for the state at the beginning of a chunk. whole are the chunk's complete
// lines.
func (log *auditLog) beginningOf(ctx context.Context, c *source.Chunk, whole []byte) (beginning, error) {
	if log.before == nil {
		return beginning{}, nil
	}
	var of beginning
	if log.numbered {
		of.lines = linesIn(c)
	}
	if log.lastHeader != nil && len(whole) > 0 {
		of.header = log.lastHeader(whole)
	}
	return log.before.Before(ctx, c.Seq, of)
}

// linesIn counts the lines of a chunk, including a last one without a line end.
func linesIn(c *source.Chunk) int64 {
	n := int64(bytes.Count(c.Data, []byte("\n")))
	if c.Cut > 0 || len(c.Data) > 0 && c.Data[len(c.Data)-1] != '\n' {
		n++
	}
	return n
}

// readChunk lets a worker read a chunk of its log, unless ctx ends before the meaning of its
// lines is known.
func (l *auditLogs) readChunk(ctx context.Context, i int, w *audit.Worker, c *source.Chunk) {
	log, data := l.list[c.Input], c.Data
	if c.Seq == 0 {
		data = bytes.TrimPrefix(data, format.BOM)
	}
	whole := data
	if c.Cut > 0 {
		whole = nil
	}
	at, err := log.beginningOf(ctx, c, whole)
	if err != nil {
		return
	}
	if log.numbered {
		w.SetPlace(c.Input, at.lines+1)
		l.addColumns(i, c.Input, at.lines, data)
	}
	lines, unparsed, outside := w.Counted()
	if c.Cut > 0 {
		w.Overlong(c.Data)
	} else {
		l.findOverlaps(c.Input, at.header, data)
		w.SetSite(log.site, log.host != "")
		w.SetZoneless(log.skewed)
		w.Chunk(log.format, at.header, data)
	}
	linesNow, unparsedNow, outsideNow := w.Counted()
	log.lines.Add(linesNow - lines)
	log.unparsed.Add(unparsedNow - unparsed)
	log.outside.Add(outsideNow - outside)
}

// describe describes the inputs for the report, and warns of inputs that could not be
// read to the end.
func (l *auditLogs) describe(b *basis.Basis, results []source.Result) (logs []loginfo.Info, in audit.Inputs) {
	in = audit.Inputs{Partial: l.partial, MaxUnparsed: b.MaxUnparsed}
	logs = l.logInfos()
	for i, result := range results {
		log, info := l.list[i], &logs[i]
		info.Disk, info.Bytes, info.Complete = result.Disk, result.Bytes, result.Complete
		info.SHA256, info.Lines, info.Unparsed = hex.EncodeToString(result.Sum), log.lines.Load(), log.unparsed.Load()
		info.Check = hex.EncodeToString(result.Check)
		info.OutOfPeriod = log.outside.Load()
		for _, w := range result.Warnings {
			l.messages.warn("%s: %s", result.Name, w)
		}
		if err := explained(result.Err); err != nil {
			l.messages.warn("%v (%s)", err, covered(&result, log.Size))
			info.Error, in.Partial = err.Error(), true
		}
		if info.HasNoRequest(log.format.Header() != nil) {
			info.First = log.first
		}
	}
	for _, w := range loginfo.Copies(logs) {
		l.warn("%s", w)
	}
	l.warnOfOverlaps(logs)
	for _, info := range l.unread {
		logs = append(logs, loginfo.Info{InputInfo: info})
	}
	in.Warnings = loginfo.Set(l.warnings)
	return logs, in
}

// covered says how much of an input that could not be read to its end is in the report. For a plain
// file this may include bytes after the place of an error, since several workers read it.
func covered(r *source.Result, size int64) string {
	switch {
	case r.Codec != "plain":
		return "the report covers the " + english.Plural(r.Bytes, "byte") +
			" that were decompressed before that; some of these may be damaged too"
	case size > 0:
		return "the report covers " + english.Grouped(r.Bytes) + " of its " + english.Plural(size, "byte")
	}
	return "the report covers " + english.Plural(r.Bytes, "byte") + " of it"
}

// firstLine returns the beginning of the first nonblank line of a text.
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	return string(bytes.TrimRight(line[:min(len(line), maxQuoted)], "\r"))
}

// maxQuoted bounds the lines that messages quote, in bytes.
const maxQuoted = 200

// info describes the log as far as known before it is read.
func (log *auditLog) info() report.InputInfo {
	return report.InputInfo{
		Name: log.Name, Host: log.host, Format: log.format.Name(), Codec: log.Codec(), DuplicateOf: log.copyOf,
		NoAgents: log.NoAgents, Clients: log.Clients,
	}
}

// warnOfFormats warns, before the logs are read, of those that cannot be audited completely
// because of their formats. A report is the same however its input is divided into
// files, so each warning is about a format and occurs once.
func (l *auditLogs) warnOfFormats() {
	first := map[string]*auditLog{}
	var order []string
	for _, log := range l.list {
		for _, w := range loginfo.Lacks(log.format, log.HasHosts || log.site.N > 0) {
			if first[w] == nil {
				first[w] = log
				order = append(order, w)
			}
		}
	}
	for _, w := range order {
		l.messages.warn("%s: %s", first[w].Name, w)
		l.warnings = append(l.warnings, w)
	}
}
