package job

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/basis"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// evidenceLines keeps the lines that a folder of evidence may need: the violations and fetches of
// robots.txt of crawlers, and what other clients were told who asked for it. It sorts them by the
// files of the folder, perhaps on disk.
type evidenceLines struct {
	only     report.Choice // whose violations are shown
	names    *crawler.HostNames
	sorted   *spill.Sorter
	writers  []*spill.Writer // of the final pass, and of each worker
	profiles map[*crawler.Profile]uint32
	// accused are the operators of violations, by whom the fetches of their crawlers are shown. All
	// violations come from the final pass.
	accused map[string]bool

	mu  sync.Mutex
	err error // the first
}

// maxAccused bounds accused, because clients may name any number of crawlers. The fetches of more are
// anonymous answers, which accuse nobody.
const maxAccused = 1 << 16

// What records begin with: a class, numbers of the file, and the place in it. The operator follows by
// whom it is known if a line is shown: lines and names are if it is accused, and answers if it is
// not; without one they always are.
const (
	lineClass byte = iota
	answerClass
	nameClass

	headSize = 1 + 4 + 4 + 8
)

func recordOf(class byte, a, b uint32, place uint64, operator string) []byte {
	record := binary.BigEndian.AppendUint32(append(make([]byte, 0, 512), class), a)
	return appendKey(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(record, b), place), operator)
}

// addTo has an audit of logs give its lines to l too, and takes memory for them from that of the
// audit. It does nothing for nil, as do the other methods that an audit calls.
func (l *evidenceLines) addTo(c *audit.Config) {
	if l == nil {
		return
	}
	share, profiles := c.Memory/4, c.Crawlers.Profiles()
	l.only, l.profiles = c.Only, map[*crawler.Profile]uint32{}
	for i := range profiles {
		l.profiles[&profiles[i]] = uint32(i)
	}
	l.sorted, l.accused = spill.New(spill.Options{Memory: share, Dir: c.TempDir, Compress: true}), map[string]bool{}
	for range c.Workers + 1 {
		l.writers = append(l.writers, l.sorted.Writer())
	}
	if l.names != nil { // the file is there even if none is known
		l.err = l.writers[0].Add(append(recordOf(nameClass, 0, 0, 0, ""), "# address, name, confirmed"...))
	}
	c.Memory, c.OnlyViolations = c.Memory-share, false
	c.Judged, c.Answered = both(l.judged, c.Judged), l.judged
}

// Close frees the memory and removes the temporary file.
func (l *evidenceLines) Close() error {
	if l == nil || l.sorted == nil {
		return nil
	}
	return l.sorted.Close()
}

// judged is for audit.Config.Judged and Answered. Impostors and fetches with a header that names
// crawlers of several operators are others, and so are agents that robots.txt does not bind. A line
// that was cut cannot be judged again.
func (l *evidenceLines) judged(j *audit.Judged) {
	operator, number := "?"+strings.ToLower(report.InASCII(j.Crawler)), uint32(len(l.profiles))
	if j.Profile != nil {
		operator, number = j.Profile.Operator, l.profiles[j.Profile]
	}
	isFetch := isFetch(j)
	switch {
	case j.Verdict == report.Violation:
		if !j.Cut && j.IsOf(&l.only) {
			l.accused[operator] = l.accused[operator] || len(l.accused) < maxAccused
			l.addLine(j, number, "")
		}
		return
	case j.Crawler == "" || j.Identity == report.SpoofedIdentity || j.Ambiguous ||
		j.Profile != nil && j.Profile.Exempt != "":
		operator = ""
	case !j.Cut && (isFetch || j.Verdict == report.RobotsFetch):
		l.addLine(j, number, operator)
	}
	if isFetch && j.HasTime { // without its time an answer says nothing
		l.addAnswer(j, operator)
	}
}

// isFetch reports whether a request asks for /robots.txt itself, as nearly all write it.
func isFetch(j *audit.Judged) bool {
	target := string(j.Target)
	if _, rest, ok := strings.Cut(target, "://"); ok {
		_, path, _ := strings.Cut(rest, "/")
		target = "/" + path
	}
	return target == "/robots.txt" && string(j.Method) == "GET"
}

func (l *evidenceLines) add(j *audit.Judged, record []byte) {
	for range j.N {
		if err := l.writers[j.Worker+1].Add(record); err != nil {
			l.fail(err)
		}
	}
}

func (l *evidenceLines) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = cmp.Or(l.err, err)
}

// addLine adds a line of a crawler, and the names of its address.
func (l *evidenceLines) addLine(j *audit.Judged, profile uint32, operator string) {
	l.add(j, append(recordOf(lineClass, profile, uint32(j.Input), uint64(j.Number), operator), j.Line...))
	if l.names == nil {
		return
	}
	addr, names := l.names.Of(string(j.Address))
	for _, name := range names {
		l.add(j, fmt.Appendf(recordOf(nameClass, 0, 0, 0, operator), "%s\t%s\ttrue", addr, name))
	}
}

// The formats of answers: of logs that have their sizes, and of others.
var answerFormats = [...]string{`[$time_iso8601] "$request" $status $body_bytes_sent "$http_user_agent"`,
	`[$time_iso8601] "$request" $status "$http_user_agent"`}

// addAnswer adds what a client was told that asked for robots.txt: the line of a log without addresses and
// names.
func (l *evidenceLines) addAnswer(j *audit.Judged, operator string) {
	sizeless, size := uint32(0), "- "
	switch {
	case j.Size <= format.NoSizes:
		sizeless, size = 1, ""
	case j.Size >= 0:
		size = fmt.Sprintf("%d ", j.Size)
	}
	record := recordOf(answerClass, uint32(j.Site.First), uint32(j.Site.N)<<1|sizeless, uint64(j.Time)^1<<63, operator)
	l.add(j, fmt.Appendf(record, "[%s] \"GET /robots.txt HTTP/1.1\" %03d %s\"-\"",
		time.Unix(0, j.Time).UTC().Format(time.RFC3339), j.Status, size))
}

// checkHeaders refuses a log whose columns change: its lines would need the header before each.
func (l *evidenceLines) checkHeaders(log *auditLog, chunk []byte) {
	if l == nil {
		return
	}
	for _, line := range log.format.HeaderLines(chunk) {
		if !bytes.Equal(line, log.format.Header()) {
			l.fail(fmt.Errorf("%s changes its columns within the file, which evidence cannot show: divide it there", log.Name))
		}
	}
}

// evidenceWriter makes a folder of the lines of logs.
type evidenceWriter struct {
	*evidence.Writer
	*evidenceLines
	*folderAudit
	logs   *auditLogs
	format string // of all logs; "" if that of each was found
	files  map[linesFile]*openFile
	stem   string // of files
}

// linesFile is a file of lines: how these are read. Those of a crawler that are read alike are in one.
type linesFile struct {
	stem, format, header string
	site                 policy.Site
	only                 bool
}

type openFile struct {
	*bufio.Writer
	file *disk.File
}

// write writes the files of lines.
func (w *evidenceWriter) write() error {
	for _, x := range w.writers {
		w.fail(x.Flush())
	}
	for r, err := range w.sorted.All() {
		if err = cmp.Or(err, w.err); err != nil {
			return err
		}
		operator, text := cutKey(r.Data[headSize:])
		class := r.Data[0]
		if operator != "" && w.accused[operator] == (class == answerClass) {
			continue
		}
		file, err := w.openLines(w.fileOf(r.Data))
		n := r.N
		if class == nameClass {
			n = 1
		}
		for ; n > 0 && err == nil; n-- {
			_, err = fmt.Fprintf(file, "%s\n", text)
		}
		if err != nil {
			return err
		}
	}
	return cmp.Or(w.err, w.closeFiles())
}

// fileOf returns the file of a record.
func (w *evidenceWriter) fileOf(record []byte) linesFile {
	a, b := binary.BigEndian.Uint32(record[1:]), binary.BigEndian.Uint32(record[1+4:])
	switch record[0] {
	case nameClass:
		return linesFile{stem: basis.NamesFile}
	case answerClass:
		site := policy.Site{First: int32(a), N: int32(b >> 1)}
		return linesFile{stem: "answers", format: answerFormats[b&1], site: site}
	}
	log := w.logs.list[b]
	return linesFile{w.linesOf(int(a)), cmp.Or(w.format, log.format.Name()), string(log.format.Header()), log.site,
		log.host != ""}
}

// openLines returns an open file, of whose stem all may be open at once.
func (w *evidenceWriter) openLines(of linesFile) (*openFile, error) {
	if of.stem != w.stem {
		if err := w.closeFiles(); err != nil {
			return nil, err
		}
		w.stem, w.files = of.stem, map[linesFile]*openFile{}
	}
	if f := w.files[of]; f != nil {
		return f, nil
	}
	lines := evidence.Lines{File: of.stem, Format: of.format, Origins: []string{}, Only: of.only}
	if of.format != "" {
		n := len(w.files) + 1
		if lines.File += ".log"; n > 1 {
			lines.File = fmt.Sprintf("%s.%d.log", of.stem, n)
		}
		for _, o := range w.side.config.Policy.Origins()[of.site.First:][:of.site.N] {
			lines.Origins = append(lines.Origins, o.String())
		}
		w.details.Lines = append(w.details.Lines, lines)
	}
	file, err := w.Create(lines.File)
	if err != nil {
		return nil, err
	}
	f := &openFile{bufio.NewWriter(file), file}
	if w.files[of] = f; of.header != "" {
		_, err = fmt.Fprintln(f, of.header)
	}
	return f, err
}

func (w *evidenceWriter) closeFiles() (err error) {
	for _, f := range w.files {
		err = errors.Join(err, f.Flush(), f.file.Sync(), f.file.Close())
	}
	w.files = nil
	return err
}

// writeAll makes the folder: its lines and what they are judged by, and then what an audit of these
// gives.
func (w *evidenceWriter) writeAll(ctx context.Context, dir string) (sum string, err error) {
	if w.Writer, err = evidence.Begin(dir); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.closeFiles(), w.Discard())
		}
	}()
	w.sorted.StopAt(ctx)
	if err := errors.Join(w.write(), w.evidenceLines.Close()); err != nil { // their memory is for the audit
		return "", err
	}
	b := w.side.basis
	document, err := b.Pack(w.Put)
	if err != nil {
		return "", err
	}
	files, err := w.documents(ctx, func(name string) (string, error) { return w.Path(name), nil })
	if err != nil {
		return "", err
	}
	w.details.NotShown -= w.report.Totals.Verdicts[report.Violation]
	var failed error
	files[evidence.Basis], err = asJSON(json.RawMessage(document))
	files[evidence.DetailsFile], failed = asJSON(w.details)
	if err := errors.Join(err, failed, b.PackLists(w.side.list, w.Put)); err != nil {
		return "", err
	}
	for name, text := range files {
		if err := w.Put(name, text); err != nil {
			return "", err
		}
	}
	return w.Commit(ctx)
}

// errNoEvidence is the error of an audit that was interrupted before there was a folder.
var errNoEvidence = errors.New("interrupted: there is no folder of evidence")

// writeEvidence makes the folder of an audit. err is the audit's own error. An audit that was interrupted
// has no evidence: the lines that it has not read could clear what it has found.
func (o *AuditOptions) writeEvidence(ctx context.Context, w *evidenceWriter, err error) error {
	if failed, ok := errors.AsType[*Error](err); ok && failed.Kind == Interrupted {
		o.Messages.warn("%v", errNoEvidence)
		return err
	}
	sum, unwritten := w.writeAll(ctx, o.Evidence)
	switch {
	case unwritten != nil && ctx.Err() != nil:
		return &Error{Interrupted, errNoEvidence}
	case unwritten != nil:
		return inputError(errors.Join(err, writing(o.Evidence, unwritten)))
	case w.details.NotShown > 0:
		o.Messages.warn("%s has not the evidence of %s more: their lines cannot be judged without the rest of the logs",
			o.Evidence, english.Plural(w.details.NotShown, "violation"))
	}
	text := fmt.Sprintf("%s has the evidence of the violations by %s", o.Evidence, english.Plural(w.letters, "crawler"))
	if w.letters == 0 {
		text = fmt.Sprintf("there is no violation%s: %s has no letters", w.only.By(), o.Evidence)
	}
	o.Messages.warn("%s; the SHA-256 of its manifest is %s", text, sum)
	return err
}

// checkEvidence refuses a folder of evidence that cannot be made, or that holds what the job reads or
// writes.
func (o *AuditOptions) checkEvidence(inputs inputFiles) error {
	if o.Evidence == "" {
		return nil
	}
	switch err := evidence.CheckFolder(o.Evidence, o.Force); {
	case errors.Is(err, disk.ErrOccupied):
		return usageError("--evidence: %w", err)
	case err != nil:
		return inputError(err)
	}
	names := slices.Clone(inputs.names)
	for _, out := range o.outputs() {
		names = append(names, out.name)
	}
	dir, err := filepath.Abs(o.Evidence)
	for _, name := range names {
		if path, failed := filepath.Abs(name); err == nil && failed == nil && name != "" &&
			strings.HasPrefix(path, dir+string(filepath.Separator)) {
			return usageError("--evidence %s would replace %s, which is in it", o.Evidence, name)
		}
	}
	w, err := evidence.Begin(o.Evidence)
	if err == nil {
		err = w.Discard()
	}
	if err != nil {
		return inputError(writing(o.Evidence, err))
	}
	return nil
}
