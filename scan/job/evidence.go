package job

import (
	"cmp"
	"encoding/binary"
	"strings"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/evidence"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// evidenceLines keeps the lines that a folder of evidence may need until the report says which
// crawlers have violations: of each crawler the violations and the fetches of robots.txt. They are
// sorted, perhaps on disk, so their number is not bounded by memory.
type evidenceLines struct {
	sorted *spill.Sorter
	input  []int    // what stands for each Judged.Input, nil: that itself
	names  []string // of what stands for it

	mu      sync.Mutex
	writers map[int]*lineWriter // by Judged.Worker
	err     error               // the first
}

// lineWriter adds lines on one goroutine.
type lineWriter struct {
	*spill.Writer
	record []byte
}

// kinds of lines, in the order in which they come of an operator: by its violations it is known
// whose fetches are needed.
const (
	violationLine byte = iota
	fetchLine
)

// newEvidenceLines returns an empty evidenceLines, nil if there is to be no evidence. Its methods do
// nothing for nil.
func newEvidenceLines(wanted bool) *evidenceLines {
	if !wanted {
		return nil
	}
	return &evidenceLines{writers: map[int]*lineWriter{}}
}

// keep has an audit give its lines to l too, and takes memory for them from that of the audit.
// logs are what is read, unless l.names is set.
func (l *evidenceLines) keep(c *audit.Config, logs *auditLogs) {
	if l == nil {
		return
	}
	if l.names == nil {
		for _, log := range logs.list {
			l.names = append(l.names, log.Name)
		}
	}
	share, other := c.Memory/4, c.Judged
	l.sorted = spill.New(spill.Options{Memory: share, Dir: c.TempDir})
	c.Memory -= share
	c.OnlyViolations = false
	c.Judged = func(j *audit.Judged) {
		if other != nil {
			other(j)
		}
		l.judged(j)
	}
}

// Close frees the memory and removes the temporary file.
func (l *evidenceLines) Close() error {
	if l == nil || l.sorted == nil {
		return nil
	}
	return l.sorted.Close()
}

// writer returns the writer of a worker.
func (l *evidenceLines) writer(worker int) *lineWriter {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.writers[worker]
	if w == nil {
		w = &lineWriter{Writer: l.sorted.Writer()}
		l.writers[worker] = w
	}
	return w
}

// judged is for audit.Config.Judged. Impostors are left out, and so are fetches with a header that
// names crawlers of several operators.
func (l *evidenceLines) judged(j *audit.Judged) {
	kind := violationLine
	switch {
	case j.Verdict == audit.Violation:
	case j.Verdict == audit.RobotsFetch && j.Identity != audit.SpoofedIdentity && !j.Ambiguous:
		kind = fetchLine
	default:
		return
	}
	input := j.Input
	if l.input != nil {
		input = l.input[input]
	}
	if err := l.writer(j.Worker).add(kind, input, l.names[input], j); err != nil {
		l.mu.Lock()
		l.err = cmp.Or(l.err, err)
		l.mu.Unlock()
	}
}

// add adds a line of an input. Its record begins with operator, kind and crawler, then the place of the line,
// so that the lines of each come in this order.
func (w *lineWriter) add(kind byte, input int, name string, j *audit.Judged) error {
	row := rowOf(j)
	row.InputIndex, row.Input = input, name
	text, err := row.Marshal()
	if err != nil {
		return err
	}
	crawler := asciiLower(row.Crawler) // which may be spelled in several ways
	operator := crawler                // an unknown crawler is its own
	if j.Profile != nil {
		operator = j.Profile.Operator
	}
	b := appendKey(append(w.record[:0], isKnown(j)), operator)
	b = appendKey(append(b, kind), crawler)
	b = binary.BigEndian.AppendUint32(b, uint32(input))
	b = binary.BigEndian.AppendUint64(b, uint64(j.Number))
	b = binary.BigEndian.AppendUint64(b, uint64(j.Time))
	b = binary.AppendUvarint(b, uint64(len(text)))
	b = append(append(b, text...), j.Line...)
	w.record = b
	for range j.N {
		if err := w.Add(b); err != nil {
			return err
		}
	}
	return nil
}

// isKnown is 1 for lines of a known crawler, 0 for others.
func isKnown(j *audit.Judged) byte {
	if j.Profile != nil {
		return 1
	}
	return 0
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
	known     bool
	operator  string // of an unknown crawler its name
	kind      byte
	crawler   string // in lower case
	input     int
	number    int64
	time      int64  // as in audit.Judged
	row, line []byte // valid until the next line
}

// all calls do for all lines, in order.
func (l *evidenceLines) all(do func(*evidenceLine) error) error {
	for _, w := range l.writers {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if l.err != nil {
		return l.err
	}
	var x evidenceLine
	for r, err := range l.sorted.All() {
		if err != nil {
			return err
		}
		x.read(r.Data)
		for range r.N {
			if err := do(&x); err != nil {
				return err
			}
		}
	}
	return nil
}

// read reads what lineWriter.add has written.
func (x *evidenceLine) read(b []byte) {
	x.known = b[0] == 1
	x.operator, b = cutKey(b[1:])
	x.kind = b[0]
	x.crawler, b = cutKey(b[1:])
	x.input, x.number = int(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint64(b[4:]))
	x.time = int64(binary.BigEndian.Uint64(b[12:]))
	n, at := binary.Uvarint(b[20:])
	b = b[20+at:]
	x.row, x.line = b[:n], b[n:]
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

// rowOf is what a list says of a request, but for its input: the columns of the rows of --list, as far
// as they have a meaning for violations and fetches.
func rowOf(j *audit.Judged) *evidence.Row {
	row := &evidence.Row{
		Line: j.Number, Origin: j.Origin, Crawler: audit.InASCII(j.Crawler), Operator: "unknown", Role: "crawler", Identity: j.Identity.String(), Address: string(j.Address),
		Method: string(j.Verb), Target: string(j.Target), Status: j.Status, Bytes: j.Size, Outcome: j.Outcome.String(), Verdict: j.Verdict.String(),
	}
	if p := j.Profile; p != nil {
		row.Crawler, row.Operator = j.Crawler, p.Operator
		if p.IsFetcher() {
			row.Role = "fetcher"
		}
	}
	if j.HasTime {
		row.Time = time.Unix(0, j.Time).UTC().Format(time.RFC3339Nano)
	}
	if r := &j.Rule; j.Verdict == audit.Violation {
		row.RuleOrigin, row.RuleVersion, row.RuleFile, row.RuleLine, row.Rule, row.Informed = r.Origin, r.Version, r.File, r.Line, r.Rule, j.Informed
	}
	return row
}
