package answer

import (
	"net/url"
	"slices"

	"github.com/robotsieve/robotsieve/scan/origin"
)

// robotsPath is the path of every robots.txt.
const robotsPath = "/robots.txt"

// maxRedirects is how many redirects in succession are followed: at least five, says
// RFC 9309 2.3.1.2.
const maxRedirects = 5

// Redirects finds where redirects lead, and remembers it. The zero value is ready
// for use. It belongs to one goroutine.
type Redirects struct {
	// EmptyQuery takes the path "/robots.txt?" for /robots.txt.
	EmptyQuery bool

	known map[link]Target
}

// link is a redirect: a location that an origin gave.
type link struct {
	from     origin.Origin
	location string
}

// Target is where a redirect leads.
type Target struct {
	Origin origin.Origin
	Path   string // with the query

	ok bool
}

// Kind says whether a redirect can be followed.
type Kind uint8

const (
	// Followed redirects lead to the robots.txt of another origin of the source.
	Followed Kind = iota
	// OtherPath redirects lead to another path of such an origin.
	OtherPath
	// Lost redirects have no readable location, or lead out of the source, or to
	// another path of an origin of the chain.
	Lost
	// Endless redirects lead to the robots.txt of an origin of the chain, or are the
	// sixth or a later one in succession and cannot be followed.
	Endless
	// Distant redirects are the sixth or a later one in succession, and lead to the
	// robots.txt of another origin of the source. Some readers follow them, others stop.
	Distant
)

// Next returns the target of a redirect. chain has the origins that were asked so far,
// from the first to the one that gave the location. has tells whether the source has
// answers of an origin.
func (r *Redirects) Next(chain []origin.Origin, location string, has func(origin.Origin) bool) (Target, Kind) {
	l := link{chain[len(chain)-1], location}
	to, seen := r.known[l]
	if !seen {
		if r.known == nil {
			r.known = map[link]Target{}
		}
		to = resolve(l)
		r.known[l] = to
	}
	robots := to.Path == robotsPath || r.EmptyQuery && to.Path == robotsPath+"?"
	again := slices.Contains(chain, to.Origin)
	found, distant := to.ok && has(to.Origin), len(chain) > maxRedirects
	switch {
	case found && again && robots:
		return to, Endless
	case distant && found && robots:
		return to, Distant
	case distant:
		return to, Endless
	case !found || again:
		return to, Lost
	case !robots:
		return to, OtherPath
	default:
		return to, Followed
	}
}

// resolve reads a location, which may be relative.
func resolve(l link) (t Target) {
	base, err := url.Parse(l.from.String() + robotsPath)
	if err != nil || l.location == "" {
		return Target{}
	}
	u, err := base.Parse(l.location)
	if err != nil {
		return Target{}
	}
	t.Origin, err = origin.Of([]byte(u.Scheme + "://" + u.Host))
	t.Path, t.ok = u.RequestURI(), err == nil
	return t
}
