package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/robotsieve/robotsieve/scan"
	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Rows say how Audit lists the requests that it has judged, one row for each.
//
// The rows whose verdicts no other line can change come while the logs are read, in the order of
// the inputs and their lines. The others come when all has been read: operator by operator, crawler
// by crawler, site by site, address by address, in the order of time. Violations are among these.
// After an interruption the first rows are those of the beginning of the logs, without gaps; the
// report may be of a few lines more.
type Rows struct {
	// Violations: nothing else is listed.
	Violations bool
	// Appender returns a function that appends the row of a request to others. Each goroutine has
	// one of its own. input is the name of the request's input, as in audit.InputInfo.
	Appender func() func(rows []byte, j *audit.Judged, input string) []byte
	// To gets whole rows, from one goroutine at a time. If it fails, the audit ends with its error.
	To io.Writer
}

// finalRows is how many bytes of rows of the final pass are written at once.
const finalRows = 256 << 10

// listing lists judged requests. Each worker has rows of its own for the chunk that it reads; they
// are written when it is the chunk's turn. A worker whose rows have no more room waits for that,
// unless all others wait, too: then the chunk whose turn it is has not been read yet.
type listing struct {
	rows    *Rows
	inputs  []string
	workers []workerRows
	room    int        // bytes that the rows of a chunk may take before the turn of the chunk
	final   workerRows // of the final pass

	mu      sync.Mutex
	changed sync.Cond // of what follows
	input   int       // of the chunk whose turn it is
	seq     int64     // of it
	waiting int       // workers
	stopped bool      // nothing more is read, so that some chunk's turn may never come
	idle    [][]byte  // buffers
	err     error     // of To, the first
}

// workerRows are the rows that one goroutine has made, and not written yet.
type workerRows struct {
	append func([]byte, *audit.Judged, string) []byte
	rows   []byte
	chunk  *source.Chunk
}

// inOrder tells whether there are rows in the order of the input.
func (r *Rows) inOrder() bool { return r != nil && !r.Violations }

// list returns the listing of the rows that are asked for, nil if none are. It gets the requests
// from config, and a share of its memory.
func (o *AuditOptions) list(logs *auditLogs, reading source.Options, config *audit.Config) *listing {
	if o.Rows == nil {
		return nil
	}
	l := &listing{rows: o.Rows, workers: make([]workerRows, config.Workers)}
	l.changed.L = &l.mu
	for _, log := range logs.list {
		l.inputs = append(l.inputs, log.Name)
	}
	for i := range l.workers {
		l.workers[i].append = o.Rows.Appender()
	}
	l.final.append = o.Rows.Appender()
	if o.Rows.inOrder() {
		memory := config.Memory / 4
		config.Memory -= memory
		l.room = int(memory / int64(reading.Chunks()))
	}
	config.Judged, config.OnlyViolations = l.judged, o.Rows.Violations && o.Judged == nil
	if more := o.Judged; more != nil {
		config.Judged = func(j *audit.Judged) {
			l.judged(j)
			more(j)
		}
	}
	return l
}

// errRows is the cause when rows that cannot be written end the reading.
var errRows = errors.New("the rows cannot be written")

// scan is scan.Run, but has the workers' rows written in the order of the input. A nil listing has
// no rows.
func (l *listing) scan(ctx context.Context, r *source.Reader, n int, process func(worker int, c *source.Chunk)) error {
	if l == nil || l.rows.Violations {
		return scan.Run(ctx, r, n, process)
	}
	release := context.AfterFunc(ctx, l.stop)
	defer release()
	err := scan.RunInOrder(ctx, r, n, func(i int, c *source.Chunk) []byte {
		w := &l.workers[i]
		w.rows, w.chunk = l.buffer(), c
		process(i, c)
		return w.rows
	}, l.emit)
	if l.err != nil {
		return errRows
	}
	return err
}

// judged lists a request: it is audit.Config.Judged.
func (l *listing) judged(j *audit.Judged) {
	if l.rows.Violations && j.Verdict != audit.Violation {
		return
	}
	if j.Worker >= 0 {
		w := &l.workers[j.Worker]
		if w.rows = w.append(w.rows, j, l.inputs[j.Input]); len(w.rows) > l.room && l.await(w.chunk) {
			l.write(w.rows)
			w.rows = w.rows[:0]
		}
		return
	}
	w := &l.final
	if w.rows = w.append(w.rows, j, l.inputs[j.Input]); len(w.rows) > finalRows {
		l.write(w.rows)
		w.rows = w.rows[:0]
	}
}

// end writes the last rows of the final pass.
func (l *listing) end() error {
	if l == nil {
		return nil
	}
	l.write(l.final.rows)
	l.final.rows = nil
	return l.failed()
}

// failed returns the error that has ended the writing.
func (l *listing) failed() error {
	if l == nil || l.err == nil {
		return nil
	}
	return fmt.Errorf("writing the rows: %w", l.err)
}

// emit writes the rows of a chunk, whose turn it is.
func (l *listing) emit(c *source.Chunk, rows []byte) error {
	l.write(rows)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = append(l.idle, rows[:0])
	if l.seq++; c.Last {
		l.input, l.seq = l.input+1, 0
	}
	l.changed.Broadcast()
	return l.err
}

// write writes rows, which are the next in order.
func (l *listing) write(rows []byte) {
	if l.err != nil || len(rows) == 0 {
		return
	}
	if _, l.err = l.rows.To.Write(rows); l.err != nil {
		l.stop()
	}
}

// await waits for the turn of a chunk, and tells whether it has come.
func (l *listing) await(c *source.Chunk) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c.Input != l.input || c.Seq != l.seq {
		if l.stopped || l.waiting == len(l.workers)-1 {
			return false
		}
		l.waiting++
		l.changed.Wait()
		l.waiting--
	}
	return true
}

// stop has nobody wait any more.
func (l *listing) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	l.changed.Broadcast()
}

// buffer returns a buffer for the rows of a chunk.
func (l *listing) buffer() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.idle)
	if n == 0 {
		return nil
	}
	b := l.idle[n-1]
	l.idle = l.idle[:n-1]
	return b
}
