package audit

import (
	"bytes"

	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// site is where a request went: the origins of the policy that it may have gone
// to, none where nobody knows, or another host.
type site struct {
	policy.Site
	other bool
	host  string // as to be reported, if other
}

// site returns where the record's request went. An absolute target says it
// itself (RFC 9112 3.2.2); else the log's host field does; a log without one is
// the log of the hosts that the user named. Of a field that is left out nobody
// knows what it stands for.
func (w *Worker) site() site {
	p := w.auditor.config.Policy
	switch {
	case p.Any():
	case w.record.Target[0] != '/':
		return w.siteBy(&w.urls, authorityPrefix(w.record.Target), origin.Of)
	case w.record.Host != nil:
		if host := w.record.Host; len(host) == 0 || string(host) == "-" {
			return site{} // it may have been any of the server's
		}
		return w.siteBy(&w.hosts, w.record.Host, loggedOrigin)
	}
	s, _ := p.Unnamed()
	return site{Site: s}
}

// authorityPrefix returns an absolute target up to the end of its authority.
func authorityPrefix(target []byte) []byte {
	from := bytes.Index(target, []byte("://")) + len("://")
	if end := bytes.IndexAny(target[from:], "/?#"); end >= 0 {
		return target[:from+end]
	}
	return target
}

// loggedOrigin reads a host field.
func loggedOrigin(field []byte) (origin.Origin, error) {
	return origin.Logged(string(field))
}

// siteBy returns the site that a key stands for, read by a function that has the
// memo for itself: a host field may hold what looks like a URL and is none.
func (w *Worker) siteBy(known *memo[site], key []byte, read func([]byte) (origin.Origin, error)) site {
	s, ok := known.m[string(key)]
	if !ok {
		s = w.newSite(key, read)
		known.put(key, s)
	}
	return s
}

func (w *Worker) newSite(key []byte, read func([]byte) (origin.Origin, error)) site {
	o, err := read(key)
	if err == nil {
		if s, ok := w.auditor.config.Policy.Site(o); ok {
			return site{Site: s}
		}
	}
	host := o.String()
	if err != nil {
		host = string(key)
	}
	return site{other: true, host: host[:min(len(host), maxHostName)]}
}
