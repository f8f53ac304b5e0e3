package capture

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// Set keeps the newest capture of each origin's robots.txt. A capture without a date counts
// as newer than all with a date, because a user put it there by hand. Of two captures
// without a date, or with the same date, the one added last is kept. The zero value is an
// empty set. It belongs to one goroutine. It holds each distinct body once.
//
// To follow redirects, a set also keeps captures of other URLs, in the same way: those that
// Wants asks for.
type Set struct {
	held     map[answer.Target]held
	wanted   map[answer.Target]struct{} // where redirects lead, apart from robots.txt
	bodies   map[[sha256.Size]byte]*body
	origins  int
	replaced int
	spare    int // bytes that captures took which nothing asked for when they were added
}

// held is a capture of one URL.
type held struct {
	status uint16
	body   *body // nil if there is none
	time   time.Time
	to     *answer.Target // of a redirect that can be read
}

// body is a body that some origins have in common.
type body struct {
	sum  [sha256.Size]byte
	data []byte
	uses int
}

// Copy is a body with the origins whose robots.txt it is; or, where Body is nil,
// origins without one.
type Copy struct {
	Body []byte
	Uses []Use
}

// Use is an origin with the HTTP status of its robots.txt.
type Use struct {
	Origin origin.Origin
	Status uint16
}

// Add adds a capture. It copies the body if that is new.
func (s *Set) Add(c Capture) {
	if s.held == nil {
		s.held, s.wanted, s.bodies = map[answer.Target]held{}, map[answer.Target]struct{}{}, map[[sha256.Size]byte]*body{}
	}
	for _, o := range c.Origins {
		at := answer.Target{Origin: o, Path: cmp.Or(c.Path, answer.RobotsPath)}
		old, there := s.held[at]
		if there && older(c.Time, old.time) {
			s.count(at, there, 0)
			continue
		}
		s.count(at, there, len(c.Body))
		s.release(old.body)
		s.held[at] = held{status: c.Status, body: s.hold(c), time: c.Time, to: s.redirect(at, c)}
	}
}

// count counts a capture.
func (s *Set) count(at answer.Target, there bool, length int) {
	const entry = 256 // bytes, about
	_, wanted := s.wanted[at]
	switch {
	case at.Path == answer.RobotsPath && there:
		s.replaced++
	case at.Path == answer.RobotsPath:
		s.origins++
	case !wanted:
		s.spare += entry + len(at.Path) + length
	}
}

// redirect returns where a capture is redirected to, nil if it is not. From now on the set
// wants that URL.
func (s *Set) redirect(at answer.Target, c Capture) *answer.Target {
	if answer.Of(int(c.Status), answer.Archive) != answer.Redirect {
		return nil
	}
	to, ok := target(at, c.Location)
	if !ok {
		return nil
	}
	if to.Path != answer.RobotsPath {
		s.wanted[to] = struct{}{}
	}
	return &to
}

// target is answer.Resolve, but takes an empty query for none.
func target(from answer.Target, location string) (to answer.Target, ok bool) {
	to, ok = answer.Resolve(from, location)
	to.Path = strings.Clone(strings.TrimSuffix(to.Path, "?"))
	return to, ok
}

// maxSpare bounds the bytes of captures that nothing has asked for yet.
const maxSpare = 64 << 20

// Wants tells whether a capture of a URL other than an origin's robots.txt should be added:
// if a redirect of a capture in the set leads there, as crawlers store the redirect first.
// Captures whose path ends in a name such as robots_v2.txt are wanted before that too, in
// case the files of a crawl are read in another order, until these take 64 MiB.
func (s *Set) Wants(to answer.Target) bool {
	if _, wanted := s.wanted[to]; wanted {
		return true
	}
	path, _, _ := strings.Cut(to.Path, "?")
	name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	return strings.HasPrefix(name, "robots") && strings.HasSuffix(name, ".txt") && s.spare < maxSpare
}

// older compares dates of captures, the zero date being the newest.
func older(t, than time.Time) bool {
	return !t.IsZero() && (than.IsZero() || t.Before(than))
}

func (s *Set) hold(c Capture) *body {
	if answer.Of(int(c.Status), answer.Archive) != answer.File {
		return nil
	}
	sum := sha256.Sum256(c.Body)
	b := s.bodies[sum]
	if b == nil {
		b = &body{sum: sum, data: append([]byte{}, c.Body...)}
		s.bodies[sum] = b
	}
	b.uses++
	return b
}

func (s *Set) release(b *body) {
	if b == nil {
		return
	}
	if b.uses--; b.uses == 0 {
		delete(s.bodies, b.sum)
	}
}

// Len returns the number of origins.
func (s *Set) Len() int { return s.origins }

// Replaced returns how many captures were replaced by another of the same origin.
func (s *Set) Replaced() int { return s.replaced }

// Copies returns the contents of the set, each body once, the longest first. An origin
// whose robots.txt is redirected to a URL of which the set has a capture has the body and
// the status of that (RFC 9309 2.3.1.2). If the redirect leads to any other URL, or to more
// than 20 redirects in succession, the origin has no body, and its own status.
//
// Crawlers must follow five redirects; behind more they may assume that there is no
// robots.txt. A crawler that obeys the body all the same is right in both readings.
func (s *Set) Copies() []Copy {
	byBody := map[*body][]Use{}
	for at := range s.held {
		if at.Path == answer.RobotsPath {
			h := s.follow(at)
			byBody[h.body] = append(byBody[h.body], Use{at.Origin, h.status})
		}
	}
	copies := make([]Copy, 0, len(byBody))
	for b, uses := range byBody {
		c := Copy{Uses: uses}
		if b != nil {
			c.Body = b.data
		}
		copies = append(copies, c)
	}
	slices.SortFunc(copies, func(x, y Copy) int {
		return cmp.Or(cmp.Compare(len(y.Body), len(x.Body)), bytes.Compare(x.Body, y.Body))
	})
	return copies
}

// maxRedirects is how many redirects in succession are followed, as many as browsers
// follow.
const maxRedirects = 20

// follow returns the capture at the end of an origin's redirects, or its own if that
// cannot be reached.
func (s *Set) follow(at answer.Target) held {
	own := s.held[at]
	h := own
	for n := 0; answer.Of(int(h.status), answer.Archive) == answer.Redirect; n++ {
		if h.to == nil || n == maxRedirects {
			return own
		}
		next, has := s.held[*h.to]
		if !has {
			return own
		}
		h = next
	}
	return h
}
