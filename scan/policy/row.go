package policy

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/origin"
)

// Unreachable is the status of a robots.txt that gave no answer at all.
const Unreachable = 0

// MinTime is the beginning of what was in force before all time, and forever the
// end of what still is.
const (
	MinTime = math.MinInt64
	forever = math.MaxInt64
)

// Row is what a source says of one robots.txt from one moment on. A source is a
// list of rows in any order.
type Row struct {
	Origins  []origin.Origin // two where the source names a bare host: http on port 80, https on 443
	From     int64           // nanoseconds since 1970
	Status   int             // HTTP status, or Unreachable
	Body     []byte          // where Status is 2xx; shared by rows that name one file, not to be changed
	Size     int64           // bytes of the file that Body is from, of which Body may be the beginning; -1 if nobody knows
	File     string          // the file's name as reports show it, "" if there is none
	MaxAge   time.Duration   // how long the answer may be kept, 0 if it does not say
	Location string          // where a redirect leads, as the server wrote it
	Where    string          // the place in the source, for errors: manifest.csv:12, or a file
}

// parseTime reads a moment by one of the layouts. What would not fit into
// nanoseconds since 1970 with room for windows around it is refused.
func parseTime(s string, layouts ...string) (int64, error) {
	for _, layout := range layouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if y := t.UTC().Year(); y < 1700 || y >= 2200 {
			return 0, fmt.Errorf("bad time %q: not between the years 1700 and 2200", s)
		}
		return t.UnixNano(), nil
	}
	return 0, fmt.Errorf("bad time %q", s)
}

// sortRows returns the rows of each origin in the order of their beginnings. Two
// rows of one origin and moment are an error.
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
		slices.SortFunc(list, func(a, b *Row) int {
			if a.From < b.From {
				return -1
			}
			return 1
		})
	}
	return sorted, nil
}
