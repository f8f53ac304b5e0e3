package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
)

// A history is made of the replies of an origin in three steps: its copies are
// numbered, its failures are grouped to outages, and tables of the lawful copies are made
// (lawful.go). Crawlers of Google have a table of their own, because they read some
// failures in another way.

// Version is one robots.txt of an origin: a row of the source, or, where a row is a
// redirect within the source, one of the versions that it led to while in force.
type Version struct {
	// From is when it began, in nanoseconds since 1970; MinTime if before all time.
	// An observed version began by this time: it is when it was first seen.
	From     int64
	Status   int    // as the origin itself answered: 3xx for a redirect, wherever it leads
	Copy     int32  // of its body, also of one that a redirect led to; -1 if there is none
	File     string // that the body is from
	Size     int64  // bytes of the file, -1 if not known
	Sum      string // as in Row
	MaxAge   time.Duration
	Location string
}

// copyOf is a copy of an origin's robots.txt: a body or, if hop is not empty, a redirect
// to that path, which the rules of the body may forbid to follow.
type copyOf struct {
	body *body
	hop  string
}

// history is all that a source says of one origin. Only contents changes after
// newHistory; it has a lock of its own.
type history struct {
	timing
	replies  []reply   // in the order in which they began
	versions []Version // one for each of them
	copies   []copyOf  // bodies in the order in which they came into force, then hops
	bodies   int32     // how many of the copies are bodies
	sizes    []sizedCopy
	// redirects says that a reply is a hop or a redirect that cannot be followed.
	redirects bool
	// ended[i] is the latest end of replies[:i+1], starts[i] the earliest start of
	// replies[i:].
	ended, starts []int64
	tables        [classes]*table
	contents      contents
}

// timing says how long a copy may be used, in nanoseconds.
type timing struct{ window, delay, skew int64 }

// general returns how long before a request its span begins.
func (t timing) general() int64 { return after(after(t.window, t.delay), t.skew) }

// sizedCopy is a body with the size that a version says it has.
type sizedCopy struct {
	size int64
	copy int32
}

// classes is the number of classes of crawlers, to which some failures mean different
// things: answer.Others and answer.Google.
const classes = 2

// newHistory makes the history of an origin from its replies.
func newHistory(replies []reply, t timing, store *store, s *scratch) (*history, error) {
	h := &history{timing: t, replies: replies}
	h.number(store)
	fails := false
	for i := range replies {
		r := &replies[i]
		r.means = [classes]answer.Meaning{answer.Of(r.status, answer.Others), answer.Of(r.status, answer.Google)}
		fails = fails || r.means[answer.Google] == answer.Failed // what fails for others does for Google
		h.redirects = h.redirects || r.means[answer.Others] == answer.Redirect
		r.gone = forever
		if r.end != forever {
			r.gone = after(after(r.end, int64(r.maxAge)), t.general())
		}
	}
	for class := range answer.Class(classes) {
		if err := findOutages(replies, class, s); err != nil {
			return nil, err
		}
	}
	h.sort()
	var finders []*finder
	for class := range answer.Class(classes) {
		if class == answer.Google && !fails {
			break
		}
		f := newFinder(h, class, s)
		if err := f.afford(); err != nil {
			return nil, err
		}
		finders = append(finders, f)
	}
	for class := range h.tables {
		if class == len(finders) {
			h.tables[class] = h.tables[answer.Others]
			break
		}
		var err error
		if h.tables[class], err = finders[class].table(); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// number gives numbers to the copies: first to bodies, then to hops.
func (h *history) number(store *store) {
	known := map[copyOf]int32{}
	for _, hops := range []bool{false, true} {
		for i := range h.replies {
			r := &h.replies[i]
			if r.row == nil {
				r.copy = -1
				continue
			}
			if (r.hop != "") != hops {
				continue
			}
			c := copyOf{store.body(r.row), r.hop}
			n, seen := known[c]
			if !seen {
				n = int32(len(h.copies))
				known[c] = n
				h.copies = append(h.copies, c)
			}
			r.copy = n
		}
		if !hops {
			h.bodies = int32(len(h.copies))
		}
	}
}

// sort brings the replies into the order in which they began, and makes a version of
// each.
func (h *history) sort() {
	slices.SortStableFunc(h.replies, func(a, b reply) int { return cmp.Compare(a.begun, b.begun) })
	h.ended, h.starts = make([]int64, len(h.replies)), make([]int64, len(h.replies))
	ended, starts := int64(MinTime), int64(forever)
	for i := range h.replies {
		r := &h.replies[i]
		v := Version{From: r.begun, Status: r.own.Status, Copy: -1, MaxAge: r.maxAge, Location: r.own.Location}
		if r.row != nil && r.hop == "" {
			v.Copy, v.File, v.Size, v.Sum = r.copy, r.row.File, r.row.Size, r.row.Sum
			if v.Size >= 0 {
				v.Size = max(v.Size, int64(len(r.row.Body)))
				h.sizes = append(h.sizes, sizedCopy{v.Size, v.Copy})
			}
		}
		h.versions = append(h.versions, v)
		ended = max(ended, r.end)
		h.ended[i] = ended
	}
	for i, r := range slices.Backward(h.replies) {
		starts = min(starts, r.start)
		h.starts[i] = starts
	}
	slices.SortFunc(h.sizes, func(a, b sizedCopy) int {
		return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.copy, b.copy))
	})
	h.sizes = slices.Compact(h.sizes)
}

// ofSize appends the copies of a size to dst, ascending.
func (h *history) ofSize(size int64, dst []int32) []int32 {
	i, _ := slices.BinarySearchFunc(h.sizes, size, func(s sizedCopy, size int64) int { return cmp.Compare(s.size, size) })
	for ; i < len(h.sizes) && h.sizes[i].size == size; i++ {
		dst = append(dst, h.sizes[i].copy)
	}
	return dst
}

// inForce returns the range of versions that holds all that are in force at some
// moment from the first to the last.
func (h *history) inForce(first, last int64) (i, j int) {
	i, _ = slices.BinarySearch(h.ended, after(first, 1))
	j, _ = slices.BinarySearch(h.starts, after(last, 1))
	return i, max(i, j)
}

// outage is a run of failed replies.
type outage struct {
	from  int64 // the earliest moment at which it may have begun
	first bool  // nothing is known before it
}

// follow makes the outage one that goes on that of a reply before it, if that failed.
func (o *outage) follow(before *reply, class answer.Class) {
	if before.means[class] == answer.Failed {
		other := before.outage[class]
		o.from, o.first = min(o.from, other.from), o.first || other.first
	}
}

// findOutages sets the outage of each reply that failed for a class of crawlers. The
// replies are those of one origin, in the order of its versions.
//
// A reply may have several predecessors if the targets of redirects were only observed:
// its outage is taken to begin with the earliest of theirs.
func findOutages(replies []reply, class answer.Class, s *scratch) error {
	ended := make([]int64, len(replies)) // the last end of a reply and those before it
	for i := range replies {
		r := &replies[i]
		if ended[i] = r.end; i > 0 {
			ended[i] = max(ended[i], ended[i-1])
		}
		if r.means[class] != answer.Failed {
			continue
		}
		o := &r.outage[class]
		*o = outage{r.start, i == 0}
		// Predecessors are the reply before, and replies of earlier versions that may still
		// have been in force when this one may have begun.
		for j := i - 1; j >= 0 && (j == i-1 || ended[j] > r.start); j-- {
			if err := s.look(1); err != nil {
				return err
			}
			if before := &replies[j]; j == i-1 || before.end > r.start && before.start <= r.begun {
				o.follow(before, class)
			}
		}
	}
	return nil
}
