package policy

import (
	"errors"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// A crawler follows redirects of robots.txt, and applies the rules to the origin that it asked
// first (RFC 9309 2.3.1.2; audit rules, section 2, decision 2). So during a redirect an origin has
// the versions of the redirect's target, which may themselves be redirects:
//
//   - A redirect to an origin that isn't in the source, or without a readable location, can't be
//     followed.
//   - A redirect counts as 404 if the target has no version yet, or if it leads back to an origin of
//     the chain.
//   - From the sixth in succession on, a redirect counts as 404 and is followed as well: if there is a
//     file at the end, that is a copy too.
//   - A redirect to another path than /robots.txt can't be followed either, because a source only has
//     robots.txt. But if the target's rules forbid that path to the crawler, it counts as 404. The
//     rules are known here, but the crawler is known only later, so such a reply is a hop.
//
// The longest max_age of the chain counts.

// reply is the answer of an origin in a period: one of its own versions or, during a redirect, a
// version of the target.
type reply struct {
	period
	own    *Row          // the origin's own row
	maxAge time.Duration // the longest of the chain
	status int           // at the end of the chain; 3xx if that is unreachable
	row    *Row          // row with the file or, for a hop, with the rules; nil if there is none
	hop    string        // target path of a hop, "" if the reply isn't a hop
	far    bool          // the file comes after more redirects than a crawler must follow
	unseen bool          // there is a file with an unknown body
	seen   int64         // the earliest of the last observations of the chain's origins

	// newAccount sets the rest.
	copy  int32                   // number of its file or hop, -1 if there is none
	means [classes]answer.Meaning // per class of crawlers
}

// notFound is the status of redirects that count as 404.
const notFound = 404

// errRedirects rejects redirects that multiply the versions of a source.
var errRedirects = errors.New("its redirects lead to too many versions")

// The step budget for redirects is stepsPerRow for each row of a source, plus moreSteps. After
// maxChain origins in succession a redirect only counts as 404.
const (
	stepsPerRow = 8
	moreSteps   = 1 << 20
	maxChain    = 64
)

// follower follows the redirects of one source.
type follower struct {
	timelines map[origin.Origin]timeline
	left      int             // remaining steps: many origins may redirect to one that has many versions
	chain     []origin.Origin // from the origin itself to the target of the last redirect
	replies   []reply
}

func newFollower(rows map[origin.Origin][]*Row, o Options) *follower {
	f := &follower{timelines: make(map[origin.Origin]timeline, len(rows)), left: moreSteps}
	for at, list := range rows {
		f.timelines[at] = newTimeline(list, o)
		f.left += stepsPerRow * len(list)
	}
	return f
}

// follow returns the replies of an origin, in the order of its versions and of the versions that
// these lead to.
func (f *follower) follow(o origin.Origin) ([]reply, error) {
	f.replies = nil
	for _, v := range f.timelines[o] {
		if err := f.step(o, v, reply{own: v.row, period: period{start: MinTime, end: forever, begun: MinTime},
			seen: forever}); err != nil {
			return nil, err
		}
	}
	return f.replies, nil
}

// step adds the replies of an origin's row within the period of r, the reply whose redirect led to
// this origin.
func (f *follower) step(o origin.Origin, v datedRow, r reply) error {
	f.chain = append(f.chain, o)
	defer func() { f.chain = f.chain[:len(f.chain)-1] }()
	f.left--
	if f.left < 0 {
		return errRedirects
	}
	r.start, r.end = max(r.start, v.start), min(r.end, v.end)
	r.begun = min(max(r.begun, v.begun), r.end-1)
	r.maxAge, r.status, r.seen = max(r.maxAge, v.row.MaxAge), v.row.Status, min(r.seen, v.seen)
	switch answer.Of(r.status, answer.Others) {
	case answer.File:
		r.row = v.row
		if v.row.Digest != "" {
			r.row, r.unseen = nil, true
		}
	case answer.Redirect:
		to, kind := answer.Next(f.chain, v.row.Location, func(o origin.Origin) bool { return len(f.timelines[o]) > 0 })
		switch kind {
		case answer.Endless:
			r.status = notFound
		case answer.Distant:
			r.far = true
			if len(f.chain) < maxChain {
				return f.target(to.Origin, r)
			}
		case answer.Followed:
			return f.target(to.Origin, r)
		case answer.OtherPath:
			first := len(f.replies)
			if err := f.target(to.Origin, r); err != nil {
				return err
			}
			otherPath(f.replies[first:], r.status, to.Path)
			return nil
		}
	}
	if r.far && r.row == nil {
		r.status = notFound
	}
	f.replies = append(f.replies, r)
	return nil
}

// target adds the replies of a redirect's target within the period of r. Before its first version
// the target answers 404.
func (f *follower) target(o origin.Origin, r reply) error {
	target := f.timelines[o]
	if first := target[0].start; r.start < first {
		none := r
		none.status, none.end = notFound, min(r.end, first)
		none.begun = min(r.begun, none.end-1)
		f.replies = append(f.replies, none)
	}
	for _, v := range target.between(r.start, r.end-1) {
		if err := f.step(o, v, r); err != nil {
			return err
		}
	}
	return nil
}

// otherPath changes the replies of a redirect's target if the redirect leads to another path there.
// A reply with rules becomes a hop, any other a redirect that can't be followed.
func otherPath(replies []reply, status int, path string) {
	for i := range replies {
		r := &replies[i]
		if r.row != nil && r.hop == "" && !r.far {
			r.hop = path
		} else {
			r.row, r.hop, r.far = nil, "", false
		}
		r.status = status
	}
}
