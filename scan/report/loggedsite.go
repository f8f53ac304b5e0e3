package report

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// LoggedSite is what the answers to GETs of /robots.txt in logs reveal about the robots.txt of a site.
type LoggedSite struct {
	// Site is an origin, or a host if the log doesn't show the scheme; empty if the log names no host.
	Site    string `json:"site"`
	Answers int64  `json:"answers"` // how many answers are in the intervals
	// Unclear counts requests outside of all intervals: "304", "206", "444", "499", "no time", "no
	// status" and "not GET".
	Unclear   map[string]int64 `json:"unclear"`
	Intervals []LoggedInterval `json:"intervals"` // times with equal answers, in order, at most 1,000
	// Larger are the answers 200 that exceed a given file by the same number of bytes, Excess, as they
	// do if a CDN prepends a block; 0 if there are none.
	Larger int64 `json:"larger"`
	Excess int64 `json:"excess"`
}

// FindExcess sets Larger and Excess by the sizes of the given files. Excess is the number of bytes by which most
// answers are larger, if these are more than half of the answers that match no file's size.
func (s *LoggedSite) FindExcess(isFile func(size int64) bool, files []int64) {
	strange := map[int64]int64{} // answers by size
	total := int64(0)
	for _, in := range s.Intervals {
		for _, a := range in.Answers {
			if a.Status == 200 && a.Bytes > 0 && len(a.Fits) == 0 {
				strange[a.Bytes] += a.N
				total += a.N
			}
		}
	}
	const compared = 8
	sizes := slices.SortedFunc(maps.Keys(strange), func(x, y int64) int {
		return cmp.Or(cmp.Compare(strange[y], strange[x]), cmp.Compare(x, y))
	})
	for _, size := range sizes[:min(len(sizes), compared)] {
		for _, file := range files {
			excess, n := size-file, int64(0)
			if excess <= 0 {
				continue
			}
			for other, of := range strange {
				if isFile(other - excess) {
					n += of
				}
			}
			if 2*n > total && (n > s.Larger || n == s.Larger && excess < s.Excess) {
				s.Larger, s.Excess = n, excess
			}
		}
	}
}

// LoggedInterval is a time in which a site gave the same answer, or a few alternately. The file
// changed between two intervals.
type LoggedInterval struct {
	First   Moment         `json:"first"`   // when the first answer was given
	Last    Moment         `json:"last"`    // when the last answer was given
	Answers []LoggedAnswer `json:"answers"` // one, or a few that alternated, such as a compressed and a plain form
}

// LoggedAnswer counts answers of one kind.
type LoggedAnswer struct {
	Status int    `json:"status"` // 0 for all kinds of answers that are not listed
	Bytes  int64  `json:"bytes"`  // the size of the body of a 200 as sent; -1 if unknown or, with Apache, none
	N      int64  `json:"n"`      // how many answers
	First  Moment `json:"first"`  // when the first was given
	Last   Moment `json:"last"`   // when the last was given
	// Fits are the given files of this size, which may or may not have been sent.
	Fits []string `json:"fits"`
}

// Moment is a time in nanoseconds since 1970. Its text is RFC 3339, in UTC and whole seconds.
type Moment int64

// Time returns the time in UTC.
func (m Moment) Time() time.Time { return time.Unix(0, int64(m)).UTC() }

// String returns the text.
func (m Moment) String() string { return m.Time().Format(time.RFC3339) }

// MarshalText returns the text.
func (m Moment) MarshalText() ([]byte, error) { return []byte(m.String()), nil }
