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

// Set keeps the newest capture of each origin. A capture without a date counts as newer
// than all with a date, because a user put it there by hand. Of two captures without a
// date, or with the same date, the one added last is kept. The zero value is an empty set.
// It belongs to one goroutine. It holds each distinct body once.
type Set struct {
	held     map[origin.Origin]held
	bodies   map[[sha256.Size]byte]*body
	replaced int
}

// held is a capture of one origin.
type held struct {
	status   uint16
	body     *body // nil if there is none
	time     time.Time
	location string
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
		s.held, s.bodies = map[origin.Origin]held{}, map[[sha256.Size]byte]*body{}
	}
	for _, o := range c.Origins {
		old, there := s.held[o]
		if there {
			s.replaced++
			if older(c.Time, old.time) {
				continue
			}
			s.release(old.body)
		}
		s.held[o] = held{status: c.Status, body: s.hold(c), time: c.Time, location: strings.Clone(c.Location)}
	}
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
func (s *Set) Len() int { return len(s.held) }

// Replaced returns how many captures were replaced by another of the same origin.
func (s *Set) Replaced() int { return s.replaced }

// Copies returns the contents of the set, each body once, the longest first. An origin
// whose robots.txt is redirected to the robots.txt of another origin of the set has the
// body and the status of the other one (RFC 9309 2.3.1.2). If the redirect leads to any
// other URL, or to more than five redirects in succession, the origin has no body, and
// its own status.
func (s *Set) Copies() []Copy {
	byBody := map[*body][]Use{}
	redirects := answer.Redirects{EmptyQuery: true}
	for o := range s.held {
		h := s.follow(&redirects, o)
		byBody[h.body] = append(byBody[h.body], Use{o, h.status})
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

// follow returns the capture at the end of an origin's redirects, or its own if that
// cannot be reached.
func (s *Set) follow(redirects *answer.Redirects, o origin.Origin) held {
	h := s.held[o]
	chain := []origin.Origin{o}
	for answer.Of(int(h.status), answer.Archive) == answer.Redirect {
		to, kind := redirects.Next(chain, h.location, func(o origin.Origin) bool { _, has := s.held[o]; return has })
		if kind != answer.Followed {
			return s.held[o]
		}
		h = s.held[to.Origin]
		chain = append(chain, to.Origin)
	}
	return h
}
