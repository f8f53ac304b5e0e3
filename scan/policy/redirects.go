package policy

import (
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/robotsieve/robotsieve/scan/origin"
)

// piece is a time in which one answer was in force for an origin, perhaps: a
// stretch of its own, or what a redirect led to meanwhile.
type piece struct {
	own        *Row  // of the origin itself
	start, end int64 // from start until just before end
	begun      int64 // by when it had begun for certain
	maxAge     time.Duration

	// status is what came in the end: 3xx if a redirect could not be followed.
	status int
	answer *Row   // of a status 2xx: the row with the body; of a hop, that with the rules for it
	hop    string // the path to which a redirect leads, if it is not robots.txt: whether it can be followed depends on answer
}

const (
	robotsPath = "/robots.txt"
	// maxHops is how many redirects are followed (RFC 9309 2.3.1.2).
	maxHops = 5
	// notFound stands for everything that counts as one.
	notFound = 404
)

// errRedirects says that redirects would make more of the source than it is.
var errRedirects = errors.New("its redirects lead to too many versions")

// follower follows redirects of origins of one source.
type follower struct {
	lines  map[origin.Origin]timeline
	left   int             // steps that may still be made: many origins may lead to one of many versions
	path   []origin.Origin // from the origin itself to where the hops have come
	pieces []piece
	known  map[link]target
}

// link is a redirect, target where it leads, if ok.
type link struct {
	from     origin.Origin
	location string
}

type target struct {
	origin origin.Origin
	path   string // with the query
	ok     bool
}

// moreSteps is how many steps redirects may take beyond some for each row.
const moreSteps = 1 << 20

func newFollower(rows map[origin.Origin][]*Row, o Options) *follower {
	f := &follower{lines: make(map[origin.Origin]timeline, len(rows)), left: moreSteps, known: map[link]target{}}
	for at, list := range rows {
		f.lines[at] = newTimeline(list, o)
		f.left += 8 * len(list)
	}
	return f
}

// follow returns what was in force for an origin, in the order of its own
// versions, and of those that these lead to.
func (f *follower) follow(o origin.Origin) ([]piece, error) {
	f.pieces = nil
	line := f.lines[o]
	for i := range line {
		if err := f.step(o, &line[i], piece{own: line[i].row, start: MinTime, end: forever, begun: MinTime}); err != nil {
			return nil, err
		}
	}
	return f.pieces, nil
}

// step adds what a stretch of an origin amounts to within a piece, which is what
// led here.
//
// A redirect to where it came from has no end: at one moment an origin has one
// version.
func (f *follower) step(o origin.Origin, s *stretch, p piece) error {
	f.path = append(f.path, o)
	defer func() { f.path = f.path[:len(f.path)-1] }()
	if f.left--; f.left < 0 {
		return errRedirects
	}
	p.start, p.end = max(p.start, s.start), min(p.end, s.end)
	p.begun = min(max(p.begun, s.begun), p.end-1)
	p.maxAge, p.status = max(p.maxAge, s.row.MaxAge), s.row.Status
	if p.status/100 != 3 {
		if p.status/100 == 2 {
			p.answer = s.row
		}
		f.pieces = append(f.pieces, p)
		return nil
	}
	to := f.target(link{o, s.row.Location})
	line := f.lines[to.origin]
	again := slices.Contains(f.path, to.origin)
	switch {
	case !to.ok || len(line) == 0, again && to.path != robotsPath: // cannot be followed
		f.pieces = append(f.pieces, p)
		return nil
	case again, len(f.path) > maxHops:
		p.status = notFound
		f.pieces = append(f.pieces, p)
		return nil
	}
	from := len(f.pieces)
	if err := f.through(to.origin, line, p); err != nil {
		return err
	}
	if to.path != robotsPath {
		f.leaveAt(from, s.row.Status, to.path)
	}
	return nil
}

// through adds what the versions of a redirect's target amount to within a piece.
// Before the first of them, there is nothing to be found.
func (f *follower) through(o origin.Origin, line timeline, p piece) error {
	if first := line[0].start; p.start < first {
		none := p
		none.status, none.end = notFound, min(p.end, first)
		none.begun = min(p.begun, none.end-1)
		f.pieces = append(f.pieces, none)
	}
	i, j := line.between(p.start, p.end-1)
	for ; i < j; i++ {
		if err := f.step(o, &line[i], p); err != nil {
			return err
		}
	}
	return nil
}

// leaveAt makes of the pieces of a redirect's target what they mean for a redirect
// to another path there. It cannot be followed, as the source has only robots.txt,
// but its rules may forbid to try.
func (f *follower) leaveAt(from, status int, path string) {
	for i := range f.pieces[from:] {
		p := &f.pieces[from+i]
		p.hop = path
		if p.status/100 != 2 {
			p.answer, p.hop = nil, ""
		}
		p.status = status
	}
}

// target returns where a redirect leads.
func (f *follower) target(l link) target {
	t, ok := f.known[l]
	if !ok {
		t = resolve(l)
		f.known[l] = t
	}
	return t
}

func resolve(l link) (t target) {
	base, err := url.Parse(l.from.String() + robotsPath)
	if err != nil || l.location == "" {
		return target{}
	}
	u, err := base.Parse(l.location)
	if err != nil {
		return target{}
	}
	t.origin, err = origin.Of([]byte(u.Scheme + "://" + u.Host))
	t.path, t.ok = u.RequestURI(), err == nil
	return t
}
