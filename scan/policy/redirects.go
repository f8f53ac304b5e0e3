package policy

import (
	"errors"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// A crawler follows redirects of robots.txt, and the rules that it finds count for
// the origin that it asked first (RFC 9309 2.3.1.2; audit rules, section 2, decision
// 2). So what an origin answered during one of its redirects is what the versions of
// the target answered meanwhile, which may be redirects in turn:
//
//   - a redirect that leads out of the source, or nowhere, cannot be followed;
//   - one that leads to where the target has no version yet, or back to an origin on
//     the way, or is the sixth in succession, is as 404;
//   - one to another path than /robots.txt cannot be followed either, as a source has
//     nothing but robots.txt. But if the target's rules forbid that path to the
//     crawler, the redirect is as 404. Which rules these are is known here, and which
//     crawler it is only later: such an answer is a hop.
//
// All max_ages on the way count, and the longest is that of the answer.

// reply is what an origin answered in a period: one of its own versions, or what a
// redirect led to meanwhile.
type reply struct {
	period
	own    *Row          // of the origin itself
	maxAge time.Duration // the longest on the way
	status int           // at the end of the way; 3xx if that cannot be reached
	row    *Row          // of a file: the row that has it; of a hop, the row with the rules for it
	hop    string        // the path that a hop leads to

	// The rest is set by newHistory.
	gone   int64                   // from when on no window reaches back to it
	copy   int32                   // number of its file or hop, -1 if there is none
	means  [classes]answer.Meaning // to each class of crawlers
	outage [classes]int32          // of a failed reply: index in the outages
}

// notFound is the status of everything that counts as one.
const notFound = 404

// errRedirects says that redirects would make more of the source than it is.
var errRedirects = errors.New("its redirects lead to too many versions")

// moreSteps is how many steps redirects may take beyond some for each row.
const moreSteps = 1 << 20

// follower follows the redirects of one source.
type follower struct {
	lines     map[origin.Origin]timeline
	left      int // steps that may still be made: many origins may lead to one of many versions
	redirects answer.Redirects
	way       []origin.Origin // from the origin itself to the last hop's target
	replies   []reply
}

func newFollower(rows map[origin.Origin][]*Row, o Options) *follower {
	f := &follower{lines: make(map[origin.Origin]timeline, len(rows)), left: moreSteps}
	for at, list := range rows {
		f.lines[at] = newTimeline(list, o)
		f.left += 8 * len(list)
	}
	return f
}

// follow returns the replies of an origin, in the order of its versions and of those
// that these lead to.
func (f *follower) follow(o origin.Origin) ([]reply, error) {
	f.replies = nil
	for _, v := range f.lines[o] {
		if err := f.step(o, v, reply{own: v.row, period: period{start: MinTime, end: forever, begun: MinTime}}); err != nil {
			return nil, err
		}
	}
	return f.replies, nil
}

// step adds the replies of a version of an origin within the period of r, which is
// what led here.
func (f *follower) step(o origin.Origin, v version, r reply) error {
	f.way = append(f.way, o)
	defer func() { f.way = f.way[:len(f.way)-1] }()
	if f.left--; f.left < 0 {
		return errRedirects
	}
	r.start, r.end = max(r.start, v.start), min(r.end, v.end)
	r.begun = min(max(r.begun, v.begun), r.end-1)
	r.maxAge, r.status = max(r.maxAge, v.row.MaxAge), v.row.Status
	switch answer.Of(r.status, answer.Others) {
	case answer.File:
		r.row = v.row
	case answer.Redirect:
		to, hop := f.redirects.Next(f.way, v.row.Location, func(o origin.Origin) bool { return len(f.lines[o]) > 0 })
		switch hop {
		case answer.Endless:
			r.status = notFound
		case answer.Followed:
			return f.through(to.Origin, r)
		case answer.Elsewhere:
			first := len(f.replies)
			if err := f.through(to.Origin, r); err != nil {
				return err
			}
			leave(f.replies[first:], r.status, to.Path)
			return nil
		}
	}
	f.replies = append(f.replies, r)
	return nil
}

// through adds the replies of a redirect's target within the period of r. Before the
// target's first version there is nothing to be found.
func (f *follower) through(o origin.Origin, r reply) error {
	line := f.lines[o]
	if first := line[0].start; r.start < first {
		none := r
		none.status, none.end = notFound, min(r.end, first)
		none.begun = min(r.begun, none.end-1)
		f.replies = append(f.replies, none)
	}
	for _, v := range line.between(r.start, r.end-1) {
		if err := f.step(o, v, r); err != nil {
			return err
		}
	}
	return nil
}

// leave makes of the replies of a redirect's target what they mean for a redirect to
// another path there: a hop if there are rules, else a redirect that cannot be
// followed.
func leave(replies []reply, status int, path string) {
	for i := range replies {
		r := &replies[i]
		if r.status/100 == 2 {
			r.hop = path
		} else {
			r.row, r.hop = nil, ""
		}
		r.status = status
	}
}
