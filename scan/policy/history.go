package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
)

// A history is made of the replies of an origin in three steps: its copies are
// numbered, its failures become outages, and tables of the lawful copies are made
// (lawful.go). Crawlers of Google have a table of their own, because they read some
// failures in another way.
//
// An outage is a run of failed replies. During one a crawler may go on using the
// copies that were lawful when it began, even if they are older than the window
// (RFC 9309 2.4), and after 30 days it may take everything as allowed (2.3.1.4; audit
// rules, section 2 (c)). So the copies that were lawful at the start of each outage count.

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
	versions []Version // in the order of From
	copies   []copyOf  // bodies in the order in which they came into force, then hops
	bodies   int32     // how many of the copies are bodies
	// ended[i] is the latest end of versions[:i+1], starts[i] the earliest start of
	// versions[i:].
	ended, starts []int64
	tables        [classes]*table
	contents      contents
}

// classes is the number of classes of crawlers, to which some failures mean different
// things: answer.Others and answer.Google.
const classes = 2

// newHistory makes the history of an origin from its replies.
func newHistory(replies []reply, window time.Duration, store *store, s *scratch) (*history, error) {
	h := &history{}
	h.number(replies, store)
	for i := range replies {
		r := &replies[i]
		r.means = [classes]answer.Meaning{answer.Of(r.status, answer.Others), answer.Of(r.status, answer.Google)}
		r.gone = forever
		if r.end != forever {
			r.gone = after(after(r.end, int64(max(window, r.maxAge))), int64(Skew))
		}
	}
	outages := [classes][]outage{findOutages(replies, answer.Others), findOutages(replies, answer.Google)}
	h.sort(replies)
	for class := range answer.Class(classes) {
		if class == answer.Google && len(outages[class]) == 0 {
			h.tables[class] = h.tables[answer.Others] // only failures differ
			break
		}
		var err error
		if h.tables[class], err = newTable(h, replies, outages[class], class, window, s); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// number gives numbers to the copies: first to bodies, then to hops.
func (h *history) number(replies []reply, store *store) {
	known := map[copyOf]int32{}
	for _, hops := range []bool{false, true} {
		for i := range replies {
			r := &replies[i]
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
func (h *history) sort(replies []reply) {
	slices.SortStableFunc(replies, func(a, b reply) int { return cmp.Compare(a.begun, b.begun) })
	h.ended, h.starts = make([]int64, len(replies)), make([]int64, len(replies))
	ended, starts := int64(MinTime), int64(forever)
	for i, r := range replies {
		v := Version{From: r.begun, Status: r.own.Status, Copy: -1, MaxAge: r.maxAge, Location: r.own.Location}
		if r.row != nil && r.hop == "" {
			v.Copy, v.File, v.Size = r.copy, r.row.File, r.row.Size
			if v.Size >= 0 {
				v.Size = max(v.Size, int64(len(r.row.Body)))
			}
		}
		h.versions = append(h.versions, v)
		ended = max(ended, r.end)
		h.ended[i] = ended
	}
	for i, r := range slices.Backward(replies) {
		starts = min(starts, r.start)
		h.starts[i] = starts
	}
}

// inForce returns the range of versions that holds all that are in force at some
// moment from the first to the last.
func (h *history) inForce(first, last int64) (i, j int) {
	i, _ = slices.BinarySearch(h.ended, after(first, 1))
	j, _ = slices.BinarySearch(h.starts, after(last, 1))
	return i, max(i, j)
}

// outage is a run of failed replies. Its Moment is when it began, which is known exactly
// for deployed versions.
type outage struct {
	Moment
	first bool // nothing is known before it
}

// extend makes the outage one that may have begun at the moment too.
func (o *outage) extend(at Moment) { o.From, o.To = min(o.From, at.From), max(o.To, at.To) }

// findOutages returns the outages for a class of crawlers, by their starts, and sets the
// outage of each failed reply. The replies are those of one origin, in the order of its
// versions.
//
// A reply may have several predecessors if the targets of redirects were only observed.
// A failed reply then joins the outages of all predecessors that failed into one: its
// From is the earliest of theirs, its To the latest. Its own beginning counts as well if
// another predecessor did not fail.
func findOutages(replies []reply, class answer.Class) []outage {
	var found []outage
	joined := map[int32]bool{}           // outages that became parts of others
	ended := make([]int64, len(replies)) // the last end of a reply and those before it
	for i := range replies {
		r := &replies[i]
		if ended[i] = r.end; i > 0 {
			ended[i] = max(ended[i], ended[i-1])
		}
		if r.means[class] != answer.Failed {
			continue
		}
		previous := predecessors(replies, ended, i)
		mine, began := int32(-1), Moment{r.start, r.begun}
		begins := len(previous) == 0
		for _, j := range previous {
			if replies[j].means[class] != answer.Failed {
				begins = true
				continue
			}
			theirs := replies[j].outage[class]
			if mine >= 0 && mine != theirs {
				found[mine].extend(found[theirs].Moment)
				found[mine].first = found[mine].first || found[theirs].first
				joined[theirs] = true
				for k := range replies[:i] {
					if o := &replies[k].outage[class]; *o == theirs {
						*o = mine
					}
				}
			} else {
				mine = theirs
			}
		}
		if mine < 0 {
			mine = int32(len(found))
			found = append(found, outage{began, len(previous) == 0})
		} else if begins {
			found[mine].extend(began)
		}
		r.outage[class] = mine
	}

	var order []int32
	for n := range int32(len(found)) {
		if !joined[n] {
			order = append(order, n)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(found[a].From, found[b].From) })
	number, sorted := make([]int32, len(found)), make([]outage, len(order))
	for to, from := range order {
		number[from], sorted[to] = int32(to), found[from]
	}
	for i := range replies {
		if r := &replies[i]; r.means[class] == answer.Failed {
			r.outage[class] = number[r.outage[class]]
		}
	}
	return sorted
}

// predecessors returns the indexes of the replies that reply i may have followed: those
// of earlier versions that may still have been in force when it may have begun. If there
// are none, it is the reply before.
func predecessors(replies []reply, ended []int64, i int) []int {
	var list []int
	r := &replies[i]
	for j := i - 1; j >= 0 && ended[j] > r.start; j-- {
		if replies[j].end > r.start && replies[j].start <= r.begun {
			list = append(list, j)
		}
	}
	if list == nil && i > 0 {
		list = []int{i - 1}
	}
	return list
}
