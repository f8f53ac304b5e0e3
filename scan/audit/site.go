package audit

import (
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// site is where a request went: the origins of the policy that it may have gone to,
// none if the log does not tell, or another host.
type site struct {
	policy.Site
	other bool
	host  string // for the report, if the log names one
}

// site returns where the record's request went, by the first of: an absolute target
// (RFC 9112 3.2.2), the log's host field, the site of a log without one. An empty host
// field may stand for any host.
func (w *Worker) site() site {
	s := w.namedSite()
	if w.only && !s.other {
		s = s.within(w.unnamed)
	}
	return s
}

// within returns the part of a site that is in another one.
func (s site) within(of policy.Site) site {
	if s.N == 0 {
		return s
	}
	first, last := max(s.First, of.First), min(s.First+s.N, of.First+of.N)
	if first >= last {
		return site{other: true, host: s.host}
	}
	return site{Site: policy.Site{First: first, N: last - first}, host: s.host}
}

func (w *Worker) namedSite() site {
	p := w.auditor.config.Policy
	switch {
	case p.Any():
	case w.record.Target[0] != '/':
		n, _ := origin.Prefix(w.record.Target)
		return w.siteBy(&w.urls, w.record.Target[:n], origin.Of)
	case w.record.Host != nil:
		if host := w.record.Host; len(host) == 0 || string(host) == "-" {
			return site{}
		}
		return w.siteBy(&w.hosts, w.record.Host, loggedOrigin)
	}
	return site{Site: w.unnamed}
}

// loggedOrigin reads a host field.
func loggedOrigin(field []byte) (origin.Origin, error) {
	return origin.Logged(string(field))
}

// siteBy returns the site of a key. Each function read has a memo of its own: a host
// field may look like a URL without being one.
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
	host := o.String()
	if err != nil {
		host = string(key)
	}
	host = host[:min(len(host), maxHostName)]
	if err == nil {
		if s, ok := w.auditor.config.Policy.Site(o); ok {
			return site{Site: s, host: host}
		}
	}
	return site{other: true, host: host}
}
