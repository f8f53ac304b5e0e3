package policy

import (
	"slices"
	"sort"
	"time"
)

// Version is one robots.txt of an origin: a row of the source, or, where a row is a
// redirect within the source, one of the versions that it led to while in force.
type Version struct {
	// From is when it began, in nanoseconds since 1970; MinTime if before all time.
	// Of what was only observed, it is when it was first seen.
	From     int64
	Status   int    // as the origin itself answered: 3xx for a redirect, wherever it leads
	Copy     int32  // of its body, also of one that a redirect led to; -1 if there is none
	File     string // that the body is from
	Size     int64  // bytes of the file, -1 if nobody knows
	MaxAge   time.Duration
	Location string
}

// copyOf is what a copy of an origin's robots.txt is: a body, or, if hop is not
// empty, the question whether a body lets that path be fetched, to which a redirect
// leads.
type copyOf struct {
	body *body
	hop  string
}

// history is all that a source says of one origin. It is immutable but for contents,
// which numbers what is asked about.
type history struct {
	versions []Version // in the order of From
	copies   []copyOf  // bodies in the order in which they came into force, then hops
	// ended is the last end of each version and those before it, begins the first
	// start of each and those behind it.
	ended, begins []int64
	tables        [classes]*table // for other crawlers, and for Google's
	contents      contents
}

// span is a version as the table of lawful copies is made from it.
type span struct {
	start, end int64
	begun      int64          // Version.From
	gone       int64          // from when on no window reaches back to it
	kind       [classes]kind  // for other crawlers, and for Google's
	spell      [classes]int32 // index in spells, of one that failed
	copy       int32          // of a body or a hop
}

// kind is what an answer gives a crawler to go by.
type kind uint8

const (
	aBody      kind = iota // audit-rules 2 (a)
	absent                 // (b): everything is allowed
	failed                 // (c): what was lawful when it began to fail
	redirected             // a redirect that cannot be followed
	hop                    // one whose target may be forbidden, which makes it absent, else redirected
)

// kindOf returns what a status means to crawlers of Google, or to others.
func kindOf(p *piece, google bool) kind {
	switch s := p.status; {
	case s/100 == 2:
		return aBody
	case s/100 == 3 && p.hop != "":
		return hop
	case s/100 == 3:
		return redirected
	case s == 408, s == 444, s == 499: // no answers
		return failed
	case s == 429 && google:
		return failed
	case s/100 == 4:
		return absent
	default:
		return failed
	}
}

// newHistory makes the history of an origin of what was in force for it. It takes
// the bodies that it needs from the library.
func newHistory(pieces []piece, window time.Duration, lib *library, s *sets) (*history, error) {
	h := &history{}
	copies := h.number(pieces, lib)
	spans := make([]span, len(pieces))
	for i := range pieces {
		p := &pieces[i]
		spans[i] = span{start: p.start, end: p.end, begun: p.begun, gone: forever, copy: copies[i],
			kind: [classes]kind{others: kindOf(p, false), googles: kindOf(p, true)}}
		if p.end != forever {
			spans[i].gone = after(after(p.end, int64(max(window, p.maxAge))), int64(Skew))
		}
	}
	spells := [classes][]spell{findSpells(spans, others), findSpells(spans, googles)}
	h.sort(pieces, spans)
	alike := len(spells[googles]) == 0 // only what fails differs
	for class := range h.tables {
		if alike && class == googles {
			h.tables[googles] = h.tables[others]
			break
		}
		var err error
		if h.tables[class], err = newTable(h, spans, spells[class], class, window, s); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// number gives numbers to the copies, and returns those of the pieces, -1 for none.
func (h *history) number(pieces []piece, lib *library) []int32 {
	numbers := make([]int32, len(pieces))
	known := map[copyOf]int32{}
	for _, hops := range []bool{false, true} {
		for i := range pieces {
			p := &pieces[i]
			if p.answer == nil {
				numbers[i] = -1
				continue
			}
			if (p.hop != "") != hops {
				continue
			}
			c := copyOf{lib.body(p.answer), p.hop}
			n, ok := known[c]
			if !ok {
				n = int32(len(h.copies))
				known[c] = n
				h.copies = append(h.copies, c)
			}
			numbers[i] = n
		}
	}
	return numbers
}

// sort brings versions and spans into the order in which the versions began.
func (h *history) sort(pieces []piece, spans []span) {
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return spans[order[i]].begun < spans[order[j]].begun })
	sorted := make([]span, len(spans))
	for to, from := range order {
		p := &pieces[from]
		v := Version{From: p.begun, Status: p.own.Status, Copy: -1, MaxAge: p.maxAge, Location: p.own.Location}
		if p.answer != nil && p.hop == "" {
			v.Copy, v.File, v.Size = spans[from].copy, p.answer.File, p.answer.Size
			if v.Size >= 0 {
				v.Size = max(v.Size, int64(len(p.answer.Body)))
			}
		}
		h.versions = append(h.versions, v)
		sorted[to] = spans[from]
	}
	copy(spans, sorted)
	h.ended, h.begins = make([]int64, len(spans)), make([]int64, len(spans))
	ended, begins := int64(MinTime), int64(forever)
	for i := range spans {
		ended = max(ended, spans[i].end)
		h.ended[i] = ended
	}
	for i, s := range slices.Backward(spans) {
		begins = min(begins, s.start)
		h.begins[i] = begins
	}
}

// inForce returns the range of versions that holds all that are in force at some
// moment from the first to the last.
func (h *history) inForce(first, last int64) (i, j int) {
	i, _ = slices.BinarySearch(h.ended, after(first, 1))
	j, _ = slices.BinarySearch(h.begins, after(last, 1))
	return i, max(i, j)
}
