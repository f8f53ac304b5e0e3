package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/reading"
)

// A history is made of an origin's replies in two steps: numbering its copies (account), and making
// tables of the lawful copies (lawful.go).

// Version is one robots.txt of an origin: a row of the source or, if a row is a redirect within the
// source, one of the versions that it led to while in force.
type Version struct {
	// From is when the version began, in nanoseconds since 1970, or MinTime for before all time. For
	// an observed version it is the first observation; the version may have begun earlier.
	From     int64
	Status   int    // the origin's own answer, such as 3xx for a redirect
	Copy     int32  // of its body, or of the redirect's target; -1 if there is none
	File     string // source of the body
	Size     int64  // bytes of the file; -1 if the size or the file is unknown
	Sum      string // as in Row
	MaxAge   time.Duration
	Location string
	// Committed is as in Row.
	Committed bool
}

// copyOf is a copy of an origin's robots.txt: a body or, if hop isn't empty, a redirect to that
// path, which may be forbidden by the rules of the body.
type copyOf struct {
	body *body
	hop  string
}

// account is what a source has about one origin. Only contents and tokens change after newAccount;
// they have their own locks.
type account struct {
	replies  []reply   // in the order of their beginnings
	versions []Version // one per reply
	copies   []copyOf  // bodies in the order in which they came into force, then hops
	bodies   int32     // how many of the copies are bodies
	sizes    []sizedCopy
	unsized  bool // the size of a body is unknown
	unseen   bool // a body is unknown
	// redirects means that a reply is a hop, or a redirect that can't be followed.
	redirects bool
	fails     bool // a reply is a failure for a class of crawlers
	// ended[i] is the latest end of replies[:i+1], and starts[i] the earliest start of replies[i:].
	ended, starts []int64
	contents      contents
	tokens        [reading.Readings]tokens
}

// history is an account with the lawful copies at each moment. They are tabulated for each class of
// crawlers, because classes interpret some failures differently, and for the span and the long
// span.
type history struct {
	*account
	timing
	tables [classes]struct{ span, long *table }
}

// timing limits how long a copy may be used, in nanoseconds.
type timing struct{ window, delay, skew int64 }

// general returns how long before a request its span begins.
func (t timing) general() int64 { return after(after(t.window, t.delay), t.skew) }

// sizedCopy is a body with the size stated by a version.
type sizedCopy struct {
	size int64
	copy int32
}

// classes is the number of classes of crawlers, which interpret some failures differently:
// answer.Others and answer.Google.
const classes = 2

// newAccount makes the account of an origin from its replies.
func newAccount(replies []reply, bodies *store) *account {
	a := &account{replies: replies}
	a.number(bodies)
	for i := range replies {
		r := &replies[i]
		r.means = [classes]answer.Meaning{answer.Of(r.status, answer.Others), answer.Of(r.status, answer.Google)}
		a.fails = a.fails || r.means[answer.Google] == answer.Failed // failures for others are failures for Google too
		a.redirects = a.redirects || r.means[answer.Others] == answer.Redirect
	}
	a.sort()
	return a
}

// newHistory makes the tables of an account.
func newHistory(a *account, t timing) *history {
	h := &history{account: a, timing: t}
	for class := range answer.Class(classes) {
		if class == answer.Google && !a.fails {
			h.tables[class] = h.tables[answer.Others]
			break
		}
		h.tables[class].span, h.tables[class].long = newTable(a, t, class, false), newTable(a, t, class, true)
	}
	return h
}

// number numbers the copies: first bodies, then hops.
func (a *account) number(bodies *store) {
	known := map[copyOf]int32{}
	for _, hops := range []bool{false, true} {
		for i := range a.replies {
			r := &a.replies[i]
			if r.row == nil {
				r.copy = -1
				continue
			}
			if (r.hop != "") != hops {
				continue
			}
			c := copyOf{bodies.body(r.row), r.hop}
			n, seen := known[c]
			if !seen {
				n = int32(len(a.copies))
				known[c] = n
				a.copies = append(a.copies, c)
			}
			r.copy = n
		}
		if !hops {
			a.bodies = int32(len(a.copies))
		}
	}
}

// sort sorts the replies by their beginnings, and makes a version of each.
func (a *account) sort() {
	slices.SortStableFunc(a.replies, func(x, y reply) int { return cmp.Compare(x.begun, y.begun) })
	a.ended, a.starts = make([]int64, len(a.replies)), make([]int64, len(a.replies))
	ended, starts := int64(MinTime), int64(forever)
	for i := range a.replies {
		r := &a.replies[i]
		v := Version{From: r.begun, Status: r.own.Status, Copy: -1, MaxAge: r.maxAge, Location: r.own.Location,
			Committed: r.own.Committed}
		if r.unseen {
			v.Size, a.unseen = -1, true
		}
		if r.row != nil && r.hop == "" {
			v.Copy, v.File, v.Size, v.Sum = r.copy, r.row.File, r.row.Size, r.row.Sum
			if v.Size >= 0 {
				v.Size = max(v.Size, int64(len(r.row.Body)))
				a.sizes = append(a.sizes, sizedCopy{v.Size, v.Copy})
			} else {
				a.unsized = true
			}
		}
		a.versions = append(a.versions, v)
		ended = max(ended, r.end)
		a.ended[i] = ended
	}
	for i, r := range slices.Backward(a.replies) {
		starts = min(starts, r.start)
		a.starts[i] = starts
	}
	slices.SortFunc(a.sizes, func(x, y sizedCopy) int {
		return cmp.Or(cmp.Compare(x.size, y.size), cmp.Compare(x.copy, y.copy))
	})
	a.sizes = slices.Compact(a.sizes)
}

// ofSize appends the copies of a size to dst, ascending.
func (a *account) ofSize(size int64, dst []int32) []int32 {
	for i := a.firstOfSize(size); i < len(a.sizes) && a.sizes[i].size == size; i++ {
		dst = append(dst, a.sizes[i].copy)
	}
	return dst
}

func (a *account) hasSize(size int64) bool {
	i := a.firstOfSize(size)
	return i < len(a.sizes) && a.sizes[i].size == size
}

func (a *account) firstOfSize(size int64) int {
	i, _ := slices.BinarySearchFunc(a.sizes, size, func(s sizedCopy, size int64) int { return cmp.Compare(s.size, size) })
	return i
}

// inForce returns the smallest range of versions with all that are in force at any moment from the
// first to the last.
func (a *account) inForce(first, last int64) (i, j int) {
	i, _ = slices.BinarySearch(a.ended, after(first, 1))
	j, _ = slices.BinarySearch(a.starts, after(last, 1))
	return i, max(i, j)
}

// Change is a change of a site's robots.txt, made between Since and At, in nanoseconds since 1970. These differ if
// uninformative versions lie between, or if versions were only observed.
type Change struct {
	Site
	Old, New  *Version
	Since, At int64
}

// Changes returns the changes of robots.txt, by origin, then by time. Origins of a host with the same versions, as http
// and https nearly always are, form one site. Versions that failed, or that lead to no file of the source, are
// uninformative: a file that is the same before and after them has not changed.
func (p *Policy) Changes() (list []Change) {
	for first, o := int32(0), int32(0); int(o) < len(p.origins); first = o {
		h, old, since := p.histories[o], (*Version)(nil), int64(forever)
		for int(o) < len(p.origins) && p.histories[o] == h && p.origins[o].Host == p.origins[first].Host {
			o++
		}
		for i, v := range h.versions {
			if since = min(since, h.replies[i].start); v.Copy < 0 && h.replies[i].means[answer.Others] != answer.None {
				continue
			}
			if old != nil && old.Copy != v.Copy && v.From > MinTime {
				list = append(list, Change{Site{first, o - first}, old, &h.versions[i], since, v.From})
			}
			old, since = &h.versions[i], forever
		}
	}
	return list
}
