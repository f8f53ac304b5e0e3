package policy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/origin"
)

// Site is where a request may have gone: the origins Origins()[First:First+N].
type Site struct{ First, N int32 }

// compareOrigins orders origins by host, port and scheme, so that those which a
// host, or a host and a port, may stand for are next to each other.
func compareOrigins(a, b origin.Origin) int {
	return cmp.Or(strings.Compare(a.Host, b.Host), cmp.Compare(a.Port, b.Port), strings.Compare(a.Scheme, b.Scheme))
}

// Site returns the origins that o may be: all of its host where it has no port, all
// of its port where it has no scheme. With a scheme and no port, the port is the
// scheme's own. ok is false if there is none, so that no policy is for o. It does not
// allocate and keeps no view of o.
func (p *Policy) Site(o origin.Origin) (s Site, ok bool) {
	if p.any {
		return Site{0, 1}, true
	}
	if o.Scheme != "" && o.Port == 0 {
		o.Port = origin.DefaultPort(o.Scheme)
		if o.Port == 0 {
			return Site{}, false
		}
	}
	first, _ := slices.BinarySearchFunc(p.origins, o, compareOrigins)
	last := first
	for last < len(p.origins) && mayBe(o, p.origins[last]) {
		last++
	}
	return Site{int32(first), int32(last - first)}, last > first
}

// mayBe tells whether o, which may lack its port and scheme, is the known origin.
func mayBe(o, known origin.Origin) bool {
	return o.Host == known.Host && (o.Port == 0 || o.Port == known.Port) && (o.Scheme == "" || o.Scheme == known.Scheme)
}

// Unnamed returns where a request went of a log that names no hosts: to the hosts of
// Options. ok is false if there are none, and the policy is not for any host.
func (p *Policy) Unnamed() (s Site, ok bool) {
	if !p.any && !p.named {
		return Site{}, false
	}
	return Site{0, int32(len(p.origins))}, true
}
