package policy

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// Unreachable is the status if there was no answer at all.
const Unreachable = 0

// MinTime is the start of versions that were in force before all time, and forever the end of those
// still in force.
const (
	MinTime = math.MinInt64
	forever = math.MaxInt64
)

// Row is the answer of some origins to /robots.txt from a moment on. A source is a list of rows in
// any order.
type Row struct {
	Origins  []origin.Origin // two if the source names a bare host: http on port 80, https on 443
	From     int64           // nanoseconds since 1970
	Month    bool            `json:"-"` // only the month is known, and From is its first day
	Status   int             // HTTP status, or Unreachable
	Body     []byte          // if Status is 2xx; immutable, because rows for the same file share it
	Past     []byte          // for longer files: lines past the limit, from ReadBody
	Size     int64           // bytes of the whole file, -1 if unknown; Body may be its beginning
	Sum      string          // SHA-256 of the whole file in hexadecimal, empty if unknown
	File     string          // name of the file in reports, "" if there is none
	MaxAge   time.Duration   // how long the answer may be kept, 0 if unstated
	Location string          // target of a redirect, as the server wrote it
	// Digest identifies a body that is not available, for instance by its SHA-1, and is otherwise empty. If it is set,
	// Status is 2xx and there is no File.
	Digest    string `json:",omitempty"`
	Committed bool   `json:",omitempty"` // from a git repository, whose file isn't necessarily what was served
	Where     string // place in the source for error messages: manifest.csv:12, or a file
}

// parseTime parses a time in one of the layouts. It rejects times so extreme that windows around them would overflow
// nanoseconds since 1970.
func parseTime(s string, layouts ...string) (int64, error) {
	for _, layout := range layouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		return moment(t)
	}
	return 0, badTime(s, layouts[0])
}

// moment is parseTime for a parsed time.
func moment(t time.Time) (int64, error) {
	t = t.UTC()
	if t.Year() < 1700 || t.Year() >= 2200 {
		return 0, fmt.Errorf("bad time %q: not of the years 1700 to 2199", t.Format(time.RFC3339))
	}
	return t.UnixNano(), nil
}

func badTime(s, layout string) error {
	example := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	return fmt.Errorf("bad time %q: not like %s", s, example.Format(layout))
}

// sortRows returns the rows of each origin, sorted by time. Two rows of an origin with the same
// time are an error.
func sortRows(rows []Row) (map[origin.Origin][]*Row, error) {
	type key struct {
		origin origin.Origin
		from   int64
	}
	first := map[key]*Row{}
	sorted := map[origin.Origin][]*Row{}
	for i := range rows {
		r := &rows[i]
		for _, o := range r.Origins {
			k := key{o, r.From}
			if same := first[k]; same != nil {
				return nil, fmt.Errorf("%s: second row for %v at %s, the first is %s",
					r.Where, o, time.Unix(0, r.From).UTC().Format(time.RFC3339Nano), same.Where)
			}
			first[k] = r
			sorted[o] = append(sorted[o], r)
		}
	}
	for _, list := range sorted {
		slices.SortFunc(list, func(a, b *Row) int { return cmp.Compare(a.From, b.From) })
	}
	return sorted, nil
}

// period is a time from start until just before end. It began at some moment from start to begun,
// which are equal if the moment is known.
type period struct{ start, end, begun int64 }

// datedRow is a row with the period in which it is, or may be, in force.
type datedRow struct {
	row *Row
	period
	seen int64 // the last observation of the origin; forever if its answers are known for all time
}

// timeline is the versions of one origin in order, with ascending starts and ends.
type timeline []datedRow

// newTimeline makes the timeline of rows sorted by time. A deployed row is in force until the next
// one. An observed row is in force from the previous observation until the next one, because the
// change was at some time in between. Consecutive equal observations are one version.
func newTimeline(rows []*Row, o Options) timeline {
	var line timeline
	seen := int64(forever)
	if o.Observed && !o.AssumeConstant {
		seen = rows[len(rows)-1].From
	}
	for i, r := range rows {
		n := len(line)
		if o.Observed && n > 0 && sameAnswer(line[n-1].row, r) {
			continue
		}
		v := datedRow{r, period{start: r.From, begun: r.From, end: forever}, seen}
		if n > 0 {
			line[n-1].end = r.From
			if o.Observed {
				v.start = rows[i-1].From
			}
		} else if o.AssumeConstant {
			v.start, v.begun = MinTime, MinTime
		}
		line = append(line, v)
	}
	return line
}

func sameAnswer(a, b *Row) bool {
	return a.Status == b.Status && a.MaxAge == b.MaxAge && a.Location == b.Location && a.Digest == b.Digest &&
		bytes.Equal(a.Body, b.Body) && bytes.Equal(a.Past, b.Past)
}

// between returns the versions in force at any moment from the first to the last.
func (l timeline) between(first, last int64) timeline {
	i := sort.Search(len(l), func(k int) bool { return l[k].end > first })
	j := sort.Search(len(l), func(k int) bool { return l[k].start > last })
	return l[i:max(i, j)]
}

// after returns the time a distance after t, limited to the last possible time. The distance must
// not be negative.
func after(t, distance int64) int64 {
	if t > math.MaxInt64-distance {
		return math.MaxInt64
	}
	return t + distance
}

// before returns the time a distance before t, limited to the first possible time. The distance
// must not be negative.
func before(t, distance int64) int64 {
	if t < math.MinInt64+distance {
		return math.MinInt64
	}
	return t - distance
}
