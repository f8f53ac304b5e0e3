package job

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/scan/format"
)

// Logs may overlap in part: one was copied before it was full, or two exports share an hour. What
// is in both counts twice. It is found by the first lines of each log: while the logs are read, the
// lines of a chunk are compared with them if they are of its time. So this costs next to nothing, and
// may miss an overlap where lines are out of order; but it never claims one that is not there.

// openingLines is how many lines of a log must stand in another one.
const openingLines = 8

// opening is how a log begins; without lines if it has fewer than openingLines, or not all with
// a time, or some that are alike.
type opening struct {
	lines       []string
	first, last int64 // their times
}

// openingOf returns the opening of a log that begins with head.
func openingOf(f *format.Format, head []byte) opening {
	o := opening{first: math.MaxInt64, last: math.MinInt64}
	reader, r := f.NewReader(), format.Record{}
	for reader.Reset(head); len(o.lines) < openingLines; {
		switch reader.Next(&r) {
		case format.End:
			return opening{}
		case format.Request:
			reader.Complete(&r)
			if !r.HasTime || slices.Contains(o.lines, string(r.Line)) {
				return opening{}
			}
			o.lines = append(o.lines, string(r.Line))
			o.first, o.last = min(o.first, r.Time), max(o.last, r.Time)
		}
	}
	return o
}

// overlaps notes which lines of openings stand in other logs, for several goroutines. The zero value
// is ready.
type overlaps struct {
	mu   sync.Mutex
	seen map[overlap]int // as many bits as lines
}

// overlap is a log in which lines of the opening of another one stand, by their indexes.
type overlap struct{ opened, in int }

// find notes which lines of the openings of other logs stand in a chunk of whole lines of one.
func (o *overlaps) find(logs []*auditLog, in int, header, data []byte) {
	if len(logs) < 2 {
		return
	}
	first, last, ok := chunkTimes(logs[in].format, header, data)
	if !ok {
		return
	}
	type place struct{ log, bit int }
	wanted := map[string][]place{}
	for i, log := range logs {
		if i == in || log.copyOf != "" || logs[in].copyOf != "" || log.opening.last < first || log.opening.first > last {
			continue
		}
		for bit, line := range log.opening.lines {
			wanted[line] = append(wanted[line], place{i, bit})
		}
	}
	if len(wanted) == 0 {
		return
	}
	for line := range bytes.Lines(data) {
		for _, at := range wanted[string(bytes.TrimRight(line, "\r\n"))] {
			o.mu.Lock()
			if o.seen == nil {
				o.seen = map[overlap]int{}
			}
			o.seen[overlap{at.log, in}] |= 1 << at.bit
			o.mu.Unlock()
		}
	}
}

// chunkTimes returns the times of the first and the last request of a chunk, with a minute on both
// sides, since lines are logged when their requests end.
func chunkTimes(f *format.Format, header, data []byte) (first, last int64, ok bool) {
	reader := f.NewReader()
	at := func(lines []byte) (t int64, ok bool) {
		if headed, ok := reader.(format.Headed); ok {
			headed.SetHeader(header)
		}
		var r format.Record
		kind := format.Blank
		for reader.Reset(lines); kind != format.Request && kind != format.End; {
			kind = reader.Next(&r)
		}
		if kind == format.End {
			return 0, false
		}
		reader.Complete(&r)
		return r.Time, r.HasTime
	}
	first, ok = at(data)
	last, known := at(data[1+bytes.LastIndexByte(bytes.TrimRight(data, "\r\n"), '\n'):])
	if !known {
		last = math.MaxInt64 - int64(time.Minute)
	}
	return min(first, last) - int64(time.Minute), max(first, last) + int64(time.Minute), ok
}

// warnOfOverlaps warns of the logs whose first lines all stand in another log.
func (l *auditLogs) warnOfOverlaps(logs []logInfo) {
	const all = 1<<openingLines - 1
	var found []overlap
	for o, bits := range l.overlaps.seen {
		mutual := l.overlaps.seen[overlap{o.in, o.opened}] == all
		same := logs[o.opened].SHA256 == logs[o.in].SHA256 && logs[o.in].SHA256 != ""
		if bits == all && !same && (!mutual || o.opened > o.in) {
			found = append(found, o)
		}
	}
	slices.SortFunc(found, func(x, y overlap) int {
		return cmp.Or(cmp.Compare(x.opened, y.opened), cmp.Compare(x.in, y.in))
	})
	found = slices.CompactFunc(found, func(x, y overlap) bool { return x.opened == y.opened })
	var names []string
	for _, o := range found {
		names = append(names, logs[o.opened].Name+" in "+logs[o.in].Name)
	}
	if len(names) > 0 {
		l.warn("logs overlap, and lines that are in two of them count twice: the first %d lines of %s", openingLines,
			english.List(names))
	}
}
