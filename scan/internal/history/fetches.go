package history

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/report"
)

// Fetches are the requests for /robots.txt in logs, sorted by their sites and times.
type Fetches struct {
	sizes   map[int64][]string
	sorted  *spill.Sorter
	writers []*spill.Writer // of each worker
}

// NewFetches returns an empty list for a number of workers, with so many bytes of memory. sizes are the names of
// files by their size.
func NewFetches(workers int, memory int64, sizes map[int64][]string) *Fetches {
	f := &Fetches{sizes: sizes, sorted: spill.New(spill.Options{Memory: memory})}
	for range workers {
		f.writers = append(f.writers, f.sorted.Writer())
	}
	return f
}

// Close frees the memory and removes the temporary file.
func (f *Fetches) Close() error { return f.sorted.Close() }

// Add adds a request for /robots.txt.
func (f *Fetches) Add(x *audit.Event) error {
	unclear, size := "", max(x.Size, -1)
	switch {
	case string(x.Method) != "GET":
		unclear = "not GET"
	case slices.Contains([]int{206, 304, 444, 499}, x.Status):
		unclear = strconv.Itoa(x.Status)
	case x.Status < 200:
		unclear = "no status"
	case !x.HasTime:
		unclear = "no time"
	case x.Status != 200:
		size = -1
	}
	record := spill.AppendKey(spill.AppendKey(nil, x.Origin), unclear)
	if unclear == "" {
		record = binary.BigEndian.AppendUint64(record, uint64(x.Time)^1<<63)
		record = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint16(record, uint16(x.Status)), uint64(size))
	}
	return f.writers[x.Worker].Add(record)
}

// maxCompared is the maximum number of file sizes that are compared with the sizes of answers.
const maxCompared = 100

// List calls each for every site.
func (f *Fetches) List(ctx context.Context, each func(*report.LoggedSite) error) error {
	for _, w := range f.writers {
		if err := w.Flush(); err != nil {
			return err
		}
	}
	f.sorted.StopAt(ctx)
	var site *report.LoggedSite
	sizes := slices.Sorted(maps.Keys(f.sizes))
	end := func() error {
		if site == nil {
			return nil
		}
		if len(sizes) <= maxCompared {
			site.FindExcess(func(size int64) bool { return len(f.sizes[size]) > 0 }, sizes)
		}
		return each(site)
	}
	for r, err := range f.sorted.All() {
		if err != nil {
			return err
		}
		name, rest := spill.CutKey(r.Data)
		if site == nil || site.Site != name {
			if err := end(); err != nil {
				return err
			}
			site = &report.LoggedSite{Site: name, Unclear: map[string]int64{}, Intervals: []report.LoggedInterval{}}
		}
		unclear, x := spill.CutKey(rest)
		if unclear != "" {
			site.Unclear[unclear] += r.N
			continue
		}
		site.Answers += r.N
		at, size := report.Moment(binary.BigEndian.Uint64(x)^1<<63), int64(binary.BigEndian.Uint64(x[10:]))
		site.Intervals = AddAnswer(site.Intervals, report.LoggedAnswer{N: r.N, First: at, Last: at,
			Status: int(binary.BigEndian.Uint16(x[8:])), Bytes: size, Fits: append([]string{}, f.sizes[size]...)})
	}
	return end()
}
