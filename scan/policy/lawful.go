package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
)

const (
	// LongSpan is how much earlier than the span the long span begins. While robots.txt is
	// unreachable a copy may be older than the window: 30 days for the outage (RFC 9309
	// 2.3.1.4), and 30 for the age of the copy when it began.
	LongSpan = 60 * 24 * time.Hour
	// LongOutage is how long before a request robots.txt must have failed so that, by now,
	// the outage may have lasted a month for some crawler.
	LongOutage = 29 * 24 * time.Hour
)

// Lawful is the copies of an origin's robots.txt that a crawler may lawfully use at
// some moment, as far as the source alone can tell. It is immutable.
//
// A crawler may use a copy for 24 hours after it fetched it (RFC 9309 2.4), a cache on
// the way may keep it as long as the answer says before that, queues delay what is fetched
// and logged, and clocks differ. So all that was in force at any moment of the span
// counts: from the moment less window, max_age, delay and skew to the moment and skew
// (audit rules, section 2). If robots.txt failed within the span, all that was in force in
// the long span counts. Copies are not all that may be lawful: the span may have an answer
// that there is no robots.txt, or a redirect that cannot be followed, or begin before all
// that is known.
type Lawful struct {
	// Bodies are the copies that are bodies, ascending.
	Bodies []int32
	// Hops are copies that stand for redirects to other paths than /robots.txt. If
	// one forbids, the redirect counts as 4xx: everything is allowed. Otherwise it
	// cannot be followed.
	Hops []int32
	// NoPolicy says that everything is allowed, because there was no robots.txt.
	NoPolicy bool
	// Unreachable says that everything is allowed, because robots.txt failed: it failed
	// LongOutage ago or before, or the crawler is Google's and the failure is a 5xx other than
	// 503.
	Unreachable bool
	// Unknown says that the span begins before the first version, or that the last
	// observation was more than a window ago, so that not all lawful copies may be known.
	Unknown bool
	// Redirected says that there is a redirect that cannot be followed.
	Redirected bool
	// Long says that all this is of the long span.
	Long bool
	// Cited is the index in Versions of the version whose rules are to be quoted: of
	// those with a copy in Bodies the newest that began by the moment and the skew, else
	// the oldest; -1 if Bodies is empty.
	Cited int32
}

// table has the lawful copies of all times: between two moments at which something
// changes they are the same.
type table struct {
	from   []int64 // the first is MinTime
	lawful []Lawful
}

// at returns the lawful copies at a moment.
func (t *table) at(moment int64) *Lawful {
	low, high := 0, len(t.from)
	for high-low > 1 { // slices.BinarySearch takes a quarter more time
		if mid := int(uint(low+high) / 2); t.from[mid] <= moment {
			low = mid
		} else {
			high = mid
		}
	}
	return &t.lawful[low]
}

// sweep makes a table: it goes over all moments at which a reply comes into the span or
// leaves it, in their order, and counts what is in it.
type sweep struct {
	*history
	*memory
	class   answer.Class
	long    bool
	changes []change
	counts  [spanFacts]int
	copies  multiset // of the span
	files   multiset // the replies of the span that have a body
	last    int32    // the last reply that has begun, -1 if none has
	newest  []int32  // for each body: the last reply with it that has begun, -1 if none has
}

// spanFact is something that a reply may say of each span that it is in.
type spanFact uint8

const (
	isThere      spanFact = iota // it is in the span
	hasBegun                     // it has certainly begun, so that it may be cited
	isUnobserved                 // no observation tells that it was still in force
	isNone                       // there is no robots.txt
	isRedirect                   // it cannot be followed
	hasFailed                    // it is a failure
	failedLong                   // it failed LongOutage ago
	failedAsGone                 // Google may take the failure for a 404
	spanFacts
)

// change is a moment at which a fact begins or ceases to be one.
type change struct {
	at    int64
	reply int32
	by    int8 // 1 or -1
	fact  spanFact
}

func newSweep(h *history, class answer.Class, long bool, m *memory) *sweep {
	s := &sweep{history: h, memory: m, class: class, long: long, last: -1, newest: slices.Repeat([]int32{-1}, int(h.account.bodies))}
	s.copies.empty(len(h.copies))
	s.files.empty(len(h.replies))
	for i := range h.replies {
		s.addChanges(int32(i))
	}
	s.changes = append(s.changes, change{at: MinTime}, change{at: after(h.starts[0], s.length())})
	slices.SortFunc(s.changes, func(x, y change) int { return cmp.Compare(x.at, y.at) })
	return s
}

// length returns how long before a moment the span begins, for a version without a max_age.
func (s *sweep) length() int64 {
	if s.long {
		return after(s.general(), int64(LongSpan))
	}
	return s.general()
}

// addChanges adds the changes that a reply makes.
func (s *sweep) addChanges(i int32) {
	r := &s.replies[i]
	from, gone := before(r.start, s.skew), int64(forever)
	if r.end != forever {
		gone = after(after(r.end, int64(r.maxAge)), s.length())
	}
	add := func(fact spanFact, from int64) {
		if from < gone {
			s.changes = append(s.changes, change{from, i, 1, fact}, change{gone, i, -1, fact})
		}
	}
	add(isThere, from)
	add(hasBegun, before(r.begun, s.skew))
	// What was in force later than a window after the last observation is not known.
	if known := after(r.seen, s.window); r.end-1 > known {
		add(isUnobserved, max(from, after(known, 1)))
	}
	if r.far || r.means[s.class] == answer.None {
		add(isNone, from)
	}
	if r.copy < 0 && r.means[s.class] == answer.Redirect {
		add(isRedirect, from)
	}
	if r.means[s.class] != answer.Failed {
		return
	}
	add(hasFailed, from)
	add(failedLong, after(r.start, int64(LongOutage)))
	if s.class == answer.Google && r.status/100 == 5 && r.status != 503 {
		add(failedAsGone, from)
	}
}

// table makes the table.
func (s *sweep) table() (*table, error) {
	t := &table{}
	for i := 0; i < len(s.changes) && s.changes[i].at < forever; {
		at := s.changes[i].at
		for ; i < len(s.changes) && s.changes[i].at == at; i++ {
			s.apply(s.changes[i])
		}
		l, err := s.lawful(at)
		if err != nil {
			return nil, err
		}
		if n := len(t.lawful); n == 0 || !l.equal(&t.lawful[n-1]) {
			t.from, t.lawful = append(t.from, at), append(t.lawful, l)
		}
	}
	return t, nil
}

func (s *sweep) apply(c change) {
	if c.by == 0 {
		return // nothing but the time changes
	}
	s.counts[c.fact] += int(c.by)
	r := &s.replies[c.reply]
	switch {
	case c.fact == hasBegun && c.by > 0:
		if s.last = max(s.last, c.reply); 0 <= r.copy && r.copy < s.bodies {
			s.newest[r.copy] = max(s.newest[r.copy], c.reply)
		}
	case c.fact == isThere && r.copy >= 0:
		s.copies.add(r.copy, c.by)
		if r.hop == "" {
			s.files.add(c.reply, c.by)
		}
	}
}

// lawful returns the lawful copies from a moment on, up to the next change.
func (s *sweep) lawful(at int64) (Lawful, error) {
	if !s.long && s.counts[hasFailed] > 0 {
		return Lawful{Long: true}, nil // the other table has the rest
	}
	copies, err := s.list(&s.copies)
	if err != nil {
		return Lawful{}, err
	}
	hops, _ := slices.BinarySearch(copies, s.bodies)
	return Lawful{
		Bodies: copies[:hops:hops], Hops: copies[hops:],
		NoPolicy:    s.counts[isNone] > 0,
		Unreachable: s.long && s.counts[failedLong]+s.counts[failedAsGone] > 0,
		Unknown:     before(at, s.length()) < s.starts[0] || s.counts[isUnobserved] > 0,
		Redirected:  s.counts[isRedirect] > 0,
		Long:        s.long,
		Cited:       s.cite(copies[:hops]),
	}, nil
}

// cite returns Lawful.Cited, by the bodies that are lawful.
func (s *sweep) cite(bodies []int32) int32 {
	if len(bodies) == 0 {
		return -1
	}
	if s.last >= 0 {
		if copy := s.replies[s.last].copy; 0 <= copy && copy < s.bodies && s.copies.n[copy] > 0 {
			return s.last
		}
	}
	newest := int32(-1)
	for _, copy := range bodies {
		newest = max(newest, s.newest[copy])
	}
	if newest < 0 {
		return s.files.first
	}
	return newest
}

// equal reports whether both have the same lawful copies.
func (l *Lawful) equal(o *Lawful) bool {
	return l.NoPolicy == o.NoPolicy && l.Unreachable == o.Unreachable && l.Unknown == o.Unknown &&
		l.Redirected == o.Redirected && l.Long == o.Long && l.Cited == o.Cited &&
		slices.Equal(l.Bodies, o.Bodies) && slices.Equal(l.Hops, o.Hops)
}

// Lawful returns the copies of an origin that are lawful at t, in nanoseconds since
// 1970, for Google's crawlers or for all others. It does not allocate. The result must
// not be changed.
func (p *Policy) Lawful(origin int32, t int64, google bool) *Lawful {
	tables := &p.histories[origin].tables[class(google)]
	if l := tables.span.at(t); !l.Long {
		return l
	}
	return tables.long.at(t)
}

// LawfulLong is Lawful by the long span, for a crawler whose log shows that robots.txt
// failed within the span.
func (p *Policy) LawfulLong(origin int32, t int64, google bool) *Lawful {
	return p.histories[origin].tables[class(google)].long.at(t)
}

func class(google bool) answer.Class {
	if google {
		return answer.Google
	}
	return answer.Others
}

// Span returns the first and the last moment at which a crawler may have fetched what it
// used at t, by the span or by the long span. For a version with a max_age it begins that
// much earlier.
func (p *Policy) Span(t int64, long bool) (from, to int64) {
	if from, to = before(t, p.general()), after(t, p.skew); long {
		from = before(from, int64(LongSpan))
	}
	return from, to
}

// Skewed returns the policy with a larger skew, for logs whose times are less certain. Copies
// and versions have the same numbers, and a Binding of either is one of both. It fails like New.
func (p *Policy) Skewed(more time.Duration) (*Policy, error) {
	q := *p
	q.skew, q.histories = after(p.skew, int64(more)), make([]*history, len(p.histories))
	m := &memory{}
	for i, h := range p.histories {
		if i > 0 && h == p.histories[i-1] {
			q.histories[i] = q.histories[i-1]
			continue
		}
		var err error
		if q.histories[i], err = newHistory(h.account, q.timing, m); err != nil {
			return nil, err
		}
	}
	return &q, nil
}
