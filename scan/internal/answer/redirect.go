// Package answer interprets answers to requests for /robots.txt: the meaning of the HTTP
// status, and the target of a redirect (RFC 9309 2.3.1).
package answer

import (
	"net/url"
	"slices"

	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// RobotsPath is the path of every robots.txt.
const RobotsPath = "/robots.txt"

// MaxRedirects limits the redirects followed in succession. RFC 9309 2.3.1.2 requires at least
// five.
const MaxRedirects = 5

// Target is where a redirect leads.
type Target struct {
	Origin origin.Origin
	Path   string // with the query
}

// Kind says whether a redirect can be followed.
type Kind uint8

const (
	// Followed redirects lead to the robots.txt of another origin of the source.
	Followed Kind = iota
	// OtherPath redirects lead to another path of such an origin.
	OtherPath
	// Lost redirects have no readable location, or lead out of the source or to another path of an
	// origin of the chain.
	Lost
	// Endless redirects lead to the robots.txt of an origin of the chain, or can't be followed and are
	// at least the sixth in succession.
	Endless
	// Distant redirects lead to the robots.txt of another origin of the source, and are at least the
	// sixth in succession. Some readers follow them, others stop.
	Distant
)

// Next returns the target of a redirect. chain has the origins asked so far, from the first to the
// one that sent the location. has reports whether the source has answers of an origin.
func Next(chain []origin.Origin, location string, has func(origin.Origin) bool) (Target, Kind) {
	to, ok := Resolve(Target{chain[len(chain)-1], RobotsPath}, location)
	robots := to.Path == RobotsPath
	again := slices.Contains(chain, to.Origin)
	found, distant := ok && has(to.Origin), len(chain) > MaxRedirects
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

// Resolve returns the target of a redirect, given the location that the server sent in answer to a
// request for from. The location may be relative; if it is an absolute URL, from may be the zero
// Target. Resolve fails if the location isn't a URL with a host.
func Resolve(from Target, location string) (to Target, ok bool) {
	base, err := url.Parse(from.Origin.String() + from.Path)
	if err != nil || location == "" {
		return Target{}, false
	}
	u, err := base.Parse(location)
	if err != nil {
		return Target{}, false
	}
	o, err := origin.Of([]byte(u.Scheme + "://" + u.Host))
	if err != nil {
		return Target{}, false
	}
	return Target{o, u.RequestURI()}, true
}
