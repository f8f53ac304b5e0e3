package job

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/history"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// LogHistory finds in logs what each site answered to GETs of /robots.txt, and when. It calls each for
// every site, by name. Of the options those count that say how logs are read; Hosts name the sites of
// logs that name none. Bodies are files and folders of robots.txt, plain or compressed, to compare sizes
// with. It goes on when a log cannot be used, and warns of it: partial says that not all was read or
// could be parsed. Errors are of type *Error.
func LogHistory(ctx context.Context, o AuditOptions, bodies []string, each func(*report.LoggedSite) error) (
	partial bool, err error,
) {
	memory := cmp.Or(o.Memory, DefaultMemory)
	sizes := map[int64][]string{}
	err = history.EachBody(ctx, bodies, func(in *source.Input, body []byte) {
		sizes[int64(len(body))] = append(sizes[int64(len(body))], in.Name)
	})
	if err != nil {
		return false, inputError(err)
	}
	f := &fetches{sizes: sizes, sorted: spill.New(spill.Options{Memory: memory / 4})}
	defer f.sorted.Close()
	o.Memory, o.Fetched, o.NoReport, o.Workers = memory/4*3, f.add, true, newBudget(memory/4*3).workers(o.Workers)
	o.Read = bodies
	for range o.Workers {
		f.writers = append(f.writers, f.sorted.Writer())
	}
	a, err := Audit(ctx, o)
	if a == nil {
		return false, err
	}
	if err != nil { // what was read before the interrupt is listed
		ctx = context.WithoutCancel(ctx)
	}
	return a.Partial, cmp.Or(f.list(ctx, each), err)
}

// fetches are the requests for /robots.txt, sorted by their sites and times.
type fetches struct {
	sizes   map[int64][]string
	sorted  *spill.Sorter
	writers []*spill.Writer // of each worker
}

// add adds a request. It is audit.Config.Fetched. An error of the temporary file comes again from
// Flush.
func (f *fetches) add(x *audit.Fetched) {
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
	record := appendKey(appendKey(nil, x.Site), unclear)
	if unclear == "" {
		record = binary.BigEndian.AppendUint64(record, uint64(x.Time)^1<<63)
		record = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint16(record, uint16(x.Status)), uint64(size))
	}
	_ = f.writers[x.Worker].Add(record)
}

// list calls each for every site.
func (f *fetches) list(ctx context.Context, each func(*report.LoggedSite) error) error {
	for _, w := range f.writers {
		if err := w.Flush(); err != nil {
			return inputError(err)
		}
	}
	f.sorted.StopAt(ctx)
	var site *report.LoggedSite
	for r, err := range f.sorted.All() {
		if err != nil {
			return inputError(err)
		}
		name, rest := cutKey(r.Data)
		if site != nil && site.Site != name {
			if err := each(site); err != nil {
				return err
			}
			site = nil
		}
		if site == nil {
			site = &report.LoggedSite{Site: name, Unclear: map[string]int64{}, Intervals: []report.LoggedInterval{}}
		}
		unclear, x := cutKey(rest)
		if unclear != "" {
			site.Unclear[unclear] += r.N
			continue
		}
		site.Answers += r.N
		at, size := report.Moment(binary.BigEndian.Uint64(x)^1<<63), int64(binary.BigEndian.Uint64(x[10:]))
		site.Intervals = history.AddAnswer(site.Intervals, report.LoggedAnswer{N: r.N, First: at, Last: at,
			Status: int(binary.BigEndian.Uint16(x[8:])), Bytes: size, Fits: append([]string{}, f.sizes[size]...)})
	}
	if site == nil {
		return nil
	}
	return each(site)
}
