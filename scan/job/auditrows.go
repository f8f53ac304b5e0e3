package job

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Rows configure how Audit lists judged requests, one row for each. They are written when everything
// has been read and judged, in the order of the inputs and of their lines. After an interruption
// they cover the same lines as the report.
type Rows struct {
	// Violations lists only violations. Undeclared adds, in their places, requests that robots.txt forbids to * by
	// clients that name no crawler, as audit.Listeners.Undeclared receives them.
	Violations, Undeclared bool
	// Appender returns a function that appends the row of a request to others. Each goroutine gets
	// its own. input is the name of the request's input, as in report.InputInfo.
	Appender func() func(rows []byte, e *audit.Event, input string) []byte
	// To receives complete rows, from one goroutine. If it fails, the audit ends with its error.
	To io.Writer
}

// listing keeps the rows of judged requests until all have their verdicts. They are sorted by the
// places of their lines and may spill to disk, so memory does not limit their number. A nil listing
// has no rows.
type listing struct {
	rows    *Rows
	inputs  []string
	sorted  *spill.Sorter
	writers []rowAppender // of the final pass, and of each worker
}

// rowAppender adds the rows made on one goroutine.
type rowAppender struct {
	*spill.Writer
	append      func([]byte, *audit.Event, string) []byte
	row, record []byte
}

// addRowsTo makes an audit of logs give its requests to a listing of the wanted rows, and
// reserves memory for them. It returns the listing, nil if no rows are wanted.
func (p *auditPlan) addRowsTo(config *audit.Config) *listing {
	if p.listed == nil {
		return nil
	}
	l := newListing(p.listed, config, p.logs)
	if p.listed.Undeclared {
		config.Undeclared = l
	} else {
		config.Judged, config.OnlyViolations = both(l, config.Judged), p.listed.Violations && config.Judged == nil
	}
	return l
}

// newListing makes a listing of the rows of logs, and reserves memory for them from an audit's.
func newListing(rows *Rows, config *audit.Config, logs *auditLogs) *listing {
	l := &listing{rows: rows, sorted: spill.New(spill.Options{Memory: config.Memory / 4, Dir: config.TempDir})}
	config.Memory -= config.Memory / 4
	for _, log := range logs.list {
		l.inputs = append(l.inputs, log.Name)
	}
	for range config.Workers + 1 {
		l.writers = append(l.writers, rowAppender{Writer: l.sorted.Writer(), append: rows.Appender()})
	}
	return l
}

// both combines two sinks, of which the second may be nil.
func both(one, other audit.Sink) audit.Sink {
	if other == nil {
		return one
	}
	return audit.Sinks{one, other}
}

// rowKey begins a record: the place of the line, and the number of the piece if
// a row is longer than a record may be.
const rowKey = 4 + 8 + 2

// Add adds the row of a request.
func (l *listing) Add(e *audit.Event) error {
	w := &l.writers[e.Worker+1]
	if l.rows.Violations && e.Verdict != report.Violation {
		return nil
	}
	w.row = w.append(w.row[:0], e, l.inputs[e.Input])
	return w.add(e.Input, e.Number, w.row)
}

// add adds the row of a line.
func (w *rowAppender) add(input int, number int64, row []byte) error {
	n := uint16(0)
	for piece := range slices.Chunk(row, spill.MaxRecord-rowKey) {
		b := binary.BigEndian.AppendUint32(w.record[:0], uint32(input))
		b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint64(b, uint64(number)), n)
		w.record = append(b, piece...)
		if err := w.Writer.Add(w.record); err != nil {
			return keepingRows(err)
		}
		n++
	}
	return nil
}

func keepingRows(err error) error { return fmt.Errorf("keeping the rows: %w", err) }

// rowsAtOnce is how many bytes of rows are written at once.
const rowsAtOnce = 256 << 10

// write writes all rows. It stops when ctx ends.
func (l *listing) write(ctx context.Context) error {
	if l == nil {
		return nil
	}
	for i := range l.writers {
		if err := l.writers[i].Flush(); err != nil {
			return keepingRows(err)
		}
	}
	l.sorted.StopAt(ctx)
	var rows []byte
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		if _, err := l.rows.To.Write(rows); err != nil {
			return fmt.Errorf("writing the rows: %w", err)
		}
		rows = rows[:0]
		return nil
	}
	for r, err := range l.sorted.All() {
		if err != nil {
			return err
		}
		if piece := binary.BigEndian.Uint16(r.Data[rowKey-2:]); piece == 0 && len(rows) > rowsAtOnce {
			if err := flush(); err != nil {
				return err
			}
		}
		for range r.N {
			rows = append(rows, r.Data[rowKey:]...)
		}
	}
	return flush()
}

// Close frees the memory and removes the temporary file.
func (l *listing) Close() error {
	if l == nil {
		return nil
	}
	return l.sorted.Close()
}
