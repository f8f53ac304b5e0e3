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
	logs     *auditLogs
	alike    []uint32      // for each log, the first that is read as it is
	only     report.Choice // whose violations are shown
	names    *crawler.HostNames
	sorted   *spill.Sorter
	writers  []*spill.Writer // of the final pass, and of each worker
	profiles map[*crawler.Profile]uint32
	// accused are the operators of violations, whose crawlers' fetches are shown. Only the final pass, on
	// one goroutine, has violations.
	accused map[string]bool

	mu  sync.Mutex
	err error // the first
}

// maxAccused bounds accused, because clients may name any number of crawlers. The fetches of others stay
// anonymous answers, which informs nobody.
const maxAccused = 1 << 16

// What records begin with: a class and two numbers for the file, and two for the place in it. The
// operator follows by whom it is known if a line is shown: lines and names are if it is accused, and
// answers if it is not; without one they always are.
const (
	lineClass byte = iota
	answerClass
	nameClass

	fileSize, headSize = 1 + 4 + 4, fileSize + 4 + 8
)

func recordOf(class byte, file [2]uint32, input uint32, place int64, operator string) []byte {
	record := append(make([]byte, 0, 512), class)
	for _, n := range []uint32{file[0], file[1], input} {
		record = binary.BigEndian.AppendUint32(record, n)
	}
	return appendKey(binary.BigEndian.AppendUint64(record, uint64(place)^1<<63), operator)
}

// addTo has an audit of logs give its lines to l too, and takes memory for them from that of the
// audit. It does nothing for nil, as do the other methods that an audit calls.
func (l *evidenceLines) addTo(c *audit.Config, logs *auditLogs) {
	if l == nil {
		return
	}
	share, profiles := c.Memory/4, c.Crawlers.Profiles()
	l.logs, l.only, l.profiles = logs, c.Only, map[*crawler.Profile]uint32{}
	for _, log := range logs.list {
		l.alike = append(l.alike, uint32(slices.IndexFunc(logs.list, func(x *auditLog) bool {
			return x.site == log.site && x.format.Name() == log.format.Name() && (x.host == "") == (log.host == "") &&
				bytes.Equal(x.format.Header(), log.format.Header())
		})))
	}
	for i := range profiles {
		l.profiles[&profiles[i]] = uint32(i)
	}
	l.sorted, l.accused = spill.New(spill.Options{Memory: share, Dir: c.TempDir, Compress: true}), map[string]bool{}
	for range c.Workers + 1 {
		l.writers = append(l.writers, l.sorted.Writer())
	}
	if l.names != nil { // the file is there even if none is known
		l.err = l.writers[0].Add(append(recordOf(nameClass, [2]uint32{}, 0, 0, ""), "# address, name, confirmed"...))
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
	file := [2]uint32{profile, l.alike[j.Input]}
	l.add(j, append(recordOf(lineClass, file, uint32(j.Input), j.Number, operator), j.Line...))
	if l.names == nil {
		return
	}
	addr, names := l.names.Of(string(j.Address))
	for _, name := range names {
		l.add(j, fmt.Appendf(recordOf(nameClass, [2]uint32{}, 0, 0, operator), "%s\t%s\ttrue", addr, name))
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
	file := [2]uint32{uint32(j.Site.First), uint32(j.Site.N)<<1 | sizeless}
	record := recordOf(answerClass, file, 0, j.Time, operator)
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
	format string // of all logs; "" if that of each was found
	out    *bufio.Writer
	file   *disk.File // that out writes; nil if there is none
}

// write writes the files of lines.
func (w *evidenceWriter) write() error {
	for _, x := range w.writers {
		w.fail(x.Flush())
	}
	var of []byte
	for r, err := range w.sorted.All() {
		if err = cmp.Or(err, w.err); err != nil {
			return err
		}
		operator, text := cutKey(r.Data[headSize:])
		class := r.Data[0]
		if operator != "" && w.accused[operator] == (class == answerClass) {
			continue
		}
		if !bytes.Equal(of, r.Data[:fileSize]) {
			of = bytes.Clone(r.Data[:fileSize])
			err = w.begin(class, binary.BigEndian.Uint32(of[1:]), binary.BigEndian.Uint32(of[1+4:]))
		}
		n := r.N
		if class == nameClass {
			n = 1
		}
		for ; n > 0 && err == nil; n-- {
			_, err = fmt.Fprintf(w.out, "%s\n", text)
		}
		if err != nil {
			return err
		}
	}
	return cmp.Or(w.err, w.end())
}

// begin begins the file of records that begin so.
func (w *evidenceWriter) begin(class byte, a, b uint32) (err error) {
	lines, site := evidence.Lines{Origins: []string{}}, policy.Site{First: int32(a), N: int32(b >> 1)}
	var header []byte
	switch name := "answers"; class {
	case nameClass:
		lines.File = basis.NamesFile
	case lineClass:
		log := w.logs.list[b]
		name, site, header = w.linesOf(int(a)), log.site, log.format.Header()
		lines.Format, lines.Only = cmp.Or(w.format, log.format.Name()), log.host != ""
		fallthrough
	default:
		lines.File, lines.Format = name+".log", cmp.Or(lines.Format, answerFormats[b&1])
		for n := 2; slices.ContainsFunc(w.details.Lines, func(x evidence.Lines) bool { return x.File == lines.File }); n++ {
			lines.File = fmt.Sprintf("%s.%d.log", name, n)
		}
		for _, o := range w.side.config.Policy.Origins()[site.First:][:site.N] {
			lines.Origins = append(lines.Origins, o.String())
		}
		w.details.Lines = append(w.details.Lines, lines)
	}
	if err = w.end(); err == nil {
		w.file, err = w.Create(lines.File)
	}
	if w.out = bufio.NewWriter(w.file); err == nil && len(header) > 0 {
		_, err = fmt.Fprintf(w.out, "%s\n", header)
	}
	return err
}

// end ends the file that was begun, if there is one.
func (w *evidenceWriter) end() error {
	f := w.file
	if w.file = nil; f == nil {
		return nil
	}
	return errors.Join(w.out.Flush(), f.Sync(), f.Close())
}

// writeAll makes the folder: its lines and what they are judged by, and then what an audit of these
// gives.
func (w *evidenceWriter) writeAll(ctx context.Context, dir string) (sum string, err error) {
	if w.Writer, err = evidence.Begin(dir); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.end(), w.Discard())
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
