package history

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
	"github.com/robotsieve/robotsieve/scan/report"
)

const (
	// inTurn is the maximum gap between alternating responses. A response that returns once, as after a change was
	// reverted, starts a new interval; if it returns again, these intervals are merged.
	inTurn = report.Moment(7 * 24 * time.Hour)
	// lookedAt is how many intervals are searched for an answer that returns.
	lookedAt = 16
	// maxIntervals and maxAnswers limit the intervals of a site and the responses in one of them. The last interval takes
	// everything that comes later, and responses that do not fit there have status 0.
	maxIntervals, maxAnswers = 1000, 64
)

// AddAnswer adds answers to the intervals of a site. They must come in order of time.
func AddAnswer(list []report.LoggedInterval, a report.LoggedAnswer) []report.LoggedInterval {
	into := len(list) - 1
	if into < 0 || find(list[into].Answers, &a) < 0 {
		var before []int // intervals with the answer
		for i := max(0, into-lookedAt); i <= into; i++ {
			if n := find(list[i].Answers, &a); n >= 0 && a.First-list[i].Answers[n].Last <= inTurn {
				before = append(before, i)
			}
		}
		if len(before) > 1 {
			into = before[0]
		} else if len(list) < maxIntervals {
			return append(list, report.LoggedInterval{First: a.First, Last: a.Last, Answers: []report.LoggedAnswer{a}})
		}
	}
	for _, other := range list[into+1:] {
		for _, x := range other.Answers {
			add(&list[into], x)
		}
	}
	add(&list[into], a)
	return list[:into+1]
}

// find returns the index of an equal answer, or -1 if there is none.
func find(answers []report.LoggedAnswer, a *report.LoggedAnswer) int {
	return slices.IndexFunc(answers, func(x report.LoggedAnswer) bool {
		return x.Status == a.Status && x.Bytes == a.Bytes
	})
}

func add(to *report.LoggedInterval, a report.LoggedAnswer) {
	n := find(to.Answers, &a)
	if n < 0 && len(to.Answers) >= maxAnswers {
		a.Status, a.Bytes, a.Fits = 0, -1, []string{}
		n = find(to.Answers, &a)
	}
	if n < 0 {
		to.Answers = append(to.Answers, a)
	} else {
		x := &to.Answers[n]
		x.N, x.First, x.Last = x.N+a.N, min(x.First, a.First), max(x.Last, a.Last)
	}
	to.Last = max(to.Last, a.Last)
}

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
