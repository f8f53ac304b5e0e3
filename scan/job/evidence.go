package job

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// evidenceLines keeps the lines that a folder of evidence may need until the report says which
// crawlers have violations: of each crawler the violations and the fetches of robots.txt, of each
// log the lines that name its columns, and what other clients were told who asked for robots.txt.
// They are sorted, perhaps on disk, so their number is not bounded by memory.
type evidenceLines struct {
	only    report.Choice // whose violations are shown
	sorted  *spill.Sorter // by operators: evidenceLine
	files   *spill.Sorter // by the files of the folder: appendLogLine and appendAnswer
	names   []string      // of the inputs
	writers []lineWriter  // of the final pass, and of each worker
}

// lineWriter adds lines on one goroutine.
type lineWriter struct {
	*spill.Writer
	files  *spill.Writer
	record []byte
	err    error // the first
}

func (w *lineWriter) failed(err error) { w.err = cmp.Or(w.err, err) }

// kinds of lines, in the order in which they come of an operator: by its violations it is known
// whose fetches are needed.
const (
	violationLine byte = iota
	fetchLine
)

// newEvidenceLines returns an empty evidenceLines, nil if there is to be no evidence. Its methods
// do nothing for nil.
func newEvidenceLines(wanted bool) *evidenceLines {
	if !wanted {
		return nil
	}
	return &evidenceLines{}
}

// addTo has an audit of logs give its lines to l too, and takes memory for them from that of the
// audit.
func (l *evidenceLines) addTo(c *audit.Config, logs *auditLogs) {
	if l == nil {
		return
	}
	for _, log := range logs.list {
		l.names = append(l.names, log.Name)
	}
	l.only = c.Only
	share := c.Memory / 8
	l.sorted = spill.New(spill.Options{Memory: share, Dir: c.TempDir})
	l.files = spill.New(spill.Options{Memory: share, Dir: c.TempDir, Compress: true})
	for range c.Workers + 1 {
		l.writers = append(l.writers, lineWriter{Writer: l.sorted.Writer(), files: l.files.Writer()})
	}
	c.Memory -= 2 * share
	c.OnlyViolations = false
	c.Judged, c.Answered = both(l.judged, c.Judged), l.answered
}

// Close frees the memory and removes the temporary files.
func (l *evidenceLines) Close() error {
	if l == nil || l.sorted == nil {
		return nil
	}
	return errors.Join(l.sorted.Close(), l.files.Close())
}

// stopAt makes the reading of lines stop when ctx ends.
func (l *evidenceLines) stopAt(ctx context.Context) {
	l.sorted.StopAt(ctx)
	l.files.StopAt(ctx)
}

// judged is for audit.Config.Judged. Impostors and fetches with a header that names crawlers of
// several operators are others, and so are agents that robots.txt does not bind.
func (l *evidenceLines) judged(j *audit.Judged) {
	switch isOther := j.Identity == report.SpoofedIdentity || j.Ambiguous; {
	case j.Verdict == report.Violation && j.IsOf(&l.only):
		l.add(violationLine, j)
	case j.Verdict == report.Violation:
	case j.Verdict == report.RobotsFetch && !isOther:
		l.add(fetchLine, j)
	case isFetch(j):
		l.addAnswer(j)
	}
}

// answered is for audit.Config.Answered.
func (l *evidenceLines) answered(j *audit.Judged) {
	isExempt := j.Profile != nil && j.Profile.Exempt != ""
	if j.Crawler == "" || j.Identity == report.SpoofedIdentity || j.Ambiguous || isExempt {
		l.addAnswer(j)
	} else {
		l.add(fetchLine, j)
	}
}

// isFetch reports whether a request asks for /robots.txt itself, as nearly all write it.
func isFetch(j *audit.Judged) bool {
	target := string(j.Target)
	if at := strings.Index(target, "://"); at > 0 {
		_, path, _ := strings.Cut(target[at+len("://"):], "/")
		target = "/" + path
	}
	return target == "/robots.txt" && string(j.Method) == "GET"
}

// add adds a line. Its record begins with operator, kind and crawler, then the place of the line,
// so that the lines of each come in this order. Row, answer and line follow.
func (l *evidenceLines) add(kind byte, j *audit.Judged) {
	// A line that was cut cannot be judged by its beginning. Answers, whose input has no name, have no
	// line of a crawler in an honest folder.
	if j.Cut || l.names[j.Input] == "" {
		return
	}
	w, row := &l.writers[j.Worker+1], rowOf(j)
	row.InputIndex, row.Input = j.Input, l.names[j.Input]
	text, err := row.Marshal()
	w.failed(err)
	crawler, known := asciiLower(row.Crawler), byte(0) // which may be spelled in several ways
	operator := crawler                                // an unknown crawler is its own
	if j.Profile != nil {
		operator, known = j.Profile.Operator, 1
	}
	b := appendKey(append(w.record[:0], known), operator)
	b = appendKey(append(b, kind), crawler)
	b = binary.BigEndian.AppendUint32(b, uint32(row.InputIndex))
	b = binary.BigEndian.AppendUint64(b, uint64(j.Number))
	var told []byte
	if kind == fetchLine && isFetch(j) {
		told = appendAnswer(nil, j)
	}
	for _, part := range [][]byte{text, told} {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	w.record = append(b, j.Line...)
	for range j.N {
		w.failed(w.Add(w.record))
	}
}

func asciiLower(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// evidenceLine is a line as evidenceLines returns it.
type evidenceLine struct {
	operator  crawlerKey // whose name is empty for a known one
	kind      byte
	crawler   crawlerKey
	input     int
	number    int64
	row, line []byte // valid until the next line, as is what follows
	answer    []byte // of a fetch: what a client without a name would have been told
}

// flush ends the adding of lines.
func (l *evidenceLines) flush() error {
	for i := range l.writers {
		w := &l.writers[i]
		if err := errors.Join(w.err, w.Flush(), w.files.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// all calls do for all lines of crawlers, in order.
func (l *evidenceLines) all(do func(*evidenceLine) error) error {
	if err := l.flush(); err != nil {
		return err
	}
	for r, err := range l.sorted.All() {
		if err != nil {
			return err
		}
		x := readEvidenceLine(r.Data)
		for range r.N {
			if err := do(&x); err != nil {
				return err
			}
		}
	}
	return nil
}

// readEvidenceLine reads what evidenceLines.add has written.
func readEvidenceLine(b []byte) (x evidenceLine) {
	known := b[0] == 1
	operator, b := cutKey(b[1:])
	x.kind = b[0]
	x.crawler.name, b = cutKey(b[1:])
	x.operator.name = x.crawler.name
	if known {
		x.operator, x.crawler.operator = crawlerKey{operator: operator}, operator
	}
	x.input, x.number = int(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint64(b[4:]))
	x.line = b[4+8:]
	for _, part := range []*[]byte{&x.row, &x.answer} {
		n, at := binary.Uvarint(x.line)
		*part, x.line = x.line[at:][:n], x.line[at:][n:]
	}
	return x
}

// appendKey appends a text so that the order of records is that of the texts, and none is the
// beginning of another.
func appendKey(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		if b = append(b, c); c == 0 {
			b = append(b, 1)
		}
	}
	return append(b, 0, 0)
}

// cutKey takes a text of appendKey apart from what follows it.
func cutKey(b []byte) (text string, rest []byte) {
	text, after, _ := strings.Cut(string(b), "\x00\x00")
	return strings.ReplaceAll(text, "\x00\x01", "\x00"), b[len(b)-len(after):]
}

// rowOf is what a list says of a request, but for its input: the columns of the rows of --list, as
// far as they have a meaning for violations and fetches.
func rowOf(j *audit.Judged) *evidence.Row {
	row := &evidence.Row{
		Line: j.Number, Origin: j.Origin,
		Identity: j.Identity.String(), Address: string(j.Address), Method: string(j.Method), Target: string(j.Target),
		Status: j.Status, Bytes: j.Size, Outcome: j.Outcome.String(), Verdict: j.Verdict.String(),
	}
	row.Crawler, row.Operator, row.Role = j.Named()
	if j.HasTime {
		row.Time = time.Unix(0, j.Time).UTC().Format(time.RFC3339Nano)
	}
	if r := &j.Rule; j.Verdict == report.Violation {
		row.RuleOrigin, row.RuleVersion, row.RuleFile = r.Origin, r.Version, r.File
		row.RuleLine, row.Rule = r.Line, r.Rule
		if j.Informed || j.InformedKnown {
			row.Informed = new(j.Informed)
		}
	}
	return row
}
