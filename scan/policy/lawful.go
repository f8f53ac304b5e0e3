package policy

import (
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
)

const (
	// longSpan is how much earlier than the span the long span begins. While robots.txt is
	// unreachable a copy may be older than the window: 30 days for the outage (RFC 9309
	// 2.3.1.4), and 30 for the age of the copy when it began.
	longSpan = 60 * 24 * time.Hour
	// LongOutage is how long before a request robots.txt must have failed so that, by now,
	// the outage may have lasted a month for some crawler.
	LongOutage = 29 * 24 * time.Hour
)

// Lawful holds the copies of an origin's robots.txt that a crawler may lawfully use at some moment, as far as the
// source shows. It is immutable.
//
// A crawler may use a copy for 24 hours after fetching it (RFC 9309 2.4). Before that, a
// cache in between may keep it for as long as the response allows. Queues delay fetching and
// logging, and clocks differ. So every copy counts that was in force during the span, which
// runs from window + max_age + delay + skew before the moment until skew after it (audit
// rules, section 2). If robots.txt failed within the span, every copy in force during the
// long span counts. Other outcomes may be lawful, too: the span may include a response that
// there is no robots.txt or a redirect that cannot be followed, or start before the history
// does.
type Lawful struct {
	// Bodies has the copies that are bodies, ascending.
	Bodies []int32
	// Hops has the copies that stand for redirects to paths other than /robots.txt. If one forbids
	// that path, the redirect counts as 4xx, so everything is allowed. Otherwise it cannot be
	// followed.
	Hops []int32
	// NoPolicy is set if everything is allowed because there was no robots.txt.
	NoPolicy bool
	// Unreachable is set if everything is allowed because robots.txt failed: either it failed
	// at least LongOutage ago, or the crawler is Google's and the failure is a 5xx other than
	// 503.
	Unreachable bool
	// Unknown is set if some lawful copies may be missing, because the span begins before the first
	// version, the last observation was more than a window ago, or the body of a version is
	// unavailable.
	Unknown bool
	// Redirected is set if there is a redirect that cannot be followed.
	Redirected bool
	// Long is set if all of this covers the long span.
	Long bool
	// Quoted is the index in Versions of the version whose rules to quote: the newest with a copy in
	// Bodies that began by the moment plus the skew, or else the oldest. It is -1 if Bodies is
	// empty.
	Quoted int32
}

// table has the lawful copies for a class of crawlers, for the span or the long span. They are
// constant between two changes, and computed on first use.
type table struct {
	*account
	timing
	class   answer.Class
	long    bool
	longest int64   // the longest max_age of a reply
	from    []int64 // the moments of possible changes; the first is MinTime
	known   []atomic.Pointer[Lawful]
	listed  atomic.Int64 // total length of the lists in known
}

// maxListed limits the total length of the cached lists of a table. Lists beyond it are computed
// each time. With thousands of versions within a span, each moment has thousands of copies.
const maxListed = 1 << 22

func newTable(a *account, t timing, class answer.Class, long bool) *table {
	made := &table{account: a, timing: t, class: class, long: long}
	made.from = append(made.from, MinTime, after(a.starts[0], made.length()))
	for i := range a.replies {
		r := &a.replies[i]
		made.longest = max(made.longest, int64(r.maxAge))
		made.from = append(made.from, before(r.start, t.skew), before(r.begun, t.skew), made.gone(r),
			after(after(r.seen, t.window), 1), after(r.start, int64(LongOutage)))
	}
	slices.Sort(made.from)
	made.from = slices.DeleteFunc(slices.Compact(made.from), func(t int64) bool { return t == forever })
	made.known = make([]atomic.Pointer[Lawful], len(made.from))
	return made
}

// length returns how long before a moment the span begins, for a version without a max_age.
func (t *table) length() int64 {
	if t.long {
		return after(t.general(), int64(longSpan))
	}
	return t.general()
}

// gone returns the moment at which a reply leaves the span.
func (t *table) gone(r *reply) int64 {
	if r.end == forever {
		return forever
	}
	return after(after(r.end, int64(r.maxAge)), t.length())
}

func (t *table) at(moment int64) *Lawful {
	low, high := 0, len(t.from)
	for high-low > 1 { // slices.BinarySearch takes a quarter more time
		if mid := int(uint(low+high) / 2); t.from[mid] <= moment {
			low = mid
		} else {
			high = mid
		}
	}
	if l := t.known[low].Load(); l != nil {
		return l
	}
	l := t.find(t.from[low])
	if n := len(l.Bodies) + len(l.Hops); t.listed.Add(int64(n)) <= maxListed {
		if !t.known[low].CompareAndSwap(nil, l) {
			return t.known[low].Load()
		}
	} else {
		t.listed.Add(int64(-n))
	}
	return l
}

// find computes the lawful copies from a moment until the next change.
func (t *table) find(at int64) *Lawful {
	l := &Lawful{Long: t.long, Unknown: before(at, t.length()) < t.starts[0]}
	var copies []int32
	oldest := int32(-1) // of the versions in the span with a body
	first, last := t.inForce(before(before(at, t.length()), t.longest), after(at, t.skew))
	for i := first; i < last; i++ {
		r := &t.replies[i]
		if before(r.start, t.skew) > at || at >= t.gone(r) {
			continue
		}
		means := r.means[t.class]
		if means == answer.Failed && !t.long {
			return &Lawful{Long: true} // the other table has the rest
		}
		if r.copy >= 0 {
			copies = append(copies, r.copy)
			if oldest < 0 && r.hop == "" {
				oldest = int32(i)
			}
		}
		l.Unreachable = l.Unreachable || means == answer.Failed &&
			(answer.MayBeGone(r.status, t.class) || after(r.start, int64(LongOutage)) <= at)
		l.NoPolicy = l.NoPolicy || r.far || means == answer.None
		l.Redirected = l.Redirected || r.copy < 0 && means == answer.Redirect
		// What was in force later than a window after the last observation is unknown.
		known := after(r.seen, t.window)
		l.Unknown = l.Unknown || at > known && r.end-1 > known || r.unseen
	}
	slices.Sort(copies)
	copies = slices.Compact(copies)
	hops, _ := slices.BinarySearch(copies, t.bodies)
	l.Bodies, l.Hops = copies[:hops:hops], copies[hops:]
	l.Quoted = t.cite(at, l.Bodies, oldest)
	return l
}

// cite returns Lawful.Quoted, given the lawful bodies.
func (t *table) cite(at int64, bodies []int32, oldest int32) int32 {
	if len(bodies) == 0 {
		return -1
	}
	begun := sort.Search(len(t.replies), func(i int) bool { return before(t.replies[i].begun, t.skew) > at })
	for i := begun - 1; i >= 0; i-- {
		if _, lawful := slices.BinarySearch(bodies, t.replies[i].copy); lawful {
			return int32(i)
		}
	}
	return oldest
}

// Lawful returns the copies of an origin that are lawful at t, in nanoseconds since 1970, for
// answer.Google or answer.Others. It allocates on first use. Callers must not modify the
// result.
func (p *Policy) Lawful(origin int32, t int64, by answer.Class) *Lawful {
	tables := &p.histories[origin].tables[by]
	if l := tables.span.at(t); !l.Long {
		return l
	}
	return tables.long.at(t)
}

// LawfulLong is Lawful for the long span, for a crawler whose log shows that robots.txt failed within the
// span.
func (p *Policy) LawfulLong(origin int32, t int64, by answer.Class) *Lawful {
	return p.histories[origin].tables[by].long.at(t)
}

// Span returns the first and the last moment at which a crawler may have fetched the copy that it
// used at t, for the span or the long span. For a version with a max_age, the span begins earlier
// by that time.
func (p *Policy) Span(t int64, long bool) (from, to int64) {
	from, to = before(t, p.general()), after(t, p.skew)
	if long {
		from = before(from, int64(longSpan))
	}
	return from, to
}

// Skewed returns the policy with a larger skew, for logs with less certain times. Copies and
// versions have the same numbers, and bindings are interchangeable.
func (p *Policy) Skewed(more time.Duration) *Policy {
	q := *p
	q.skew, q.histories = after(p.skew, int64(more)), make([]*history, len(p.histories))
	for i, h := range p.histories {
		if i > 0 && h == p.histories[i-1] {
			q.histories[i] = q.histories[i-1]
		} else {
			q.histories[i] = newHistory(h.account, q.timing)
		}
	}
	return &q
}
