package audit

import (
	"bytes"
	"slices"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// site is where a request went: the origins of the policy that it may have gone to,
// none if the log does not tell, or another host.
type site struct {
	policy.Site
	// schemeless: the log does not tell the scheme.
	schemeless bool
	other      bool
	host       string // for the report, if the log names one
}

// sites tells where requests went, and remembers it.
type sites struct {
	given   *policy.Policy
	forAny  bool // the policy is for all hosts
	quota   *quota
	unnamed policy.Site // of requests in a log that names no host
	only    bool        // requests elsewhere than unnamed are of another host
	hosts   memo[site]  // by the host field
	urls    memo[site]  // by the scheme and authority of an absolute target
	key     []byte      // of a memo
}

func newSites(c *Config, q *quota) sites {
	unnamed, _ := c.Policy.Unnamed()
	return sites{given: c.Policy, forAny: c.Policy.Any() && c.Fetched == nil, quota: q, unnamed: unnamed}
}

func (w *sites) empty() { w.hosts, w.urls = memo[site]{}, memo[site]{} }

// site returns where the request of a record went, by the first of: the authority of an
// absolute target (RFC 9112 3.2.2), the log's host field, the site of a log without one.
// An empty host field may stand for any host. A policy for all hosts is for those requests that
// name none.
func (w *sites) site(r *format.Record) site {
	s := w.namedSite(r)
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
	s.Site = policy.Site{First: first, N: last - first}
	return s
}

func (w *sites) namedSite(r *format.Record) site {
	switch {
	case r.Target[0] != '/' && (!w.forAny || w.namesElsewhere(r)):
		w.key = append(append(w.key[:0], authority(r.Target)...), schemeHint(r)...)
		return w.siteBy(w.urls, w.key, targetOrigin)
	case !w.forAny && r.Host != nil:
		if len(r.Host) == 0 || string(r.Host) == "-" {
			return site{}
		}
		return w.siteBy(w.hosts, r.Host, loggedOrigin)
	}
	return site{Site: w.unnamed, schemeless: true}
}

// namesElsewhere reports whether the absolute target of a record names a host in a log that
// names no other, so that the robots.txt given may not be its.
func (w *sites) namesElsewhere(r *format.Record) bool {
	return !w.given.None() && r.Host == nil && len(authority(r.Target)) > 0
}

// authority returns the scheme and authority of an absolute target: nothing if it is no URL.
func authority(target []byte) []byte { return target[:authorityEnd(target)] }

// What tells the scheme of a request with an absolute target beside that, as schemeHint
// writes it after the URL.
const (
	httpPort   = "/80"
	httpsPort  = "/443"
	sameScheme = "/=" // the target's own
)

// schemeHint returns how the log tells the scheme of a record, whose target is absolute: by
// a field for it or by the port of the host field. If it does not, it returns nothing.
func schemeHint(r *format.Record) string {
	switch host := r.Host; {
	case r.SchemeLogged:
		return sameScheme
	case bytes.HasSuffix(host, []byte(":80")):
		return httpPort
	case bytes.HasSuffix(host, []byte(":443")):
		return httpsPort
	}
	return ""
}

// targetOrigin reads the scheme and authority of an absolute target, with the hint of the
// log after them. The log knows better than the target which of http and https was used,
// since a proxy may have spoken TLS with the client. Where a field for the scheme and the
// default port of the other one contradict each other, nothing tells it.
func targetOrigin(key []byte) (origin.Origin, error) {
	n, _ := origin.Prefix(key)
	o, err := origin.Authority(key[:n])
	if err == nil && string(key[n:]) == sameScheme {
		named, err := origin.Of(key[:n])
		if o.Scheme != "" && o.Scheme != named.Scheme {
			return origin.Origin{Host: o.Host}, err
		}
		return named, err
	}
	if err == nil && o.Scheme == "" && o.Port == 0 {
		switch string(key[n:]) {
		case httpPort:
			o.Scheme, o.Port = "http", 80
		case httpsPort:
			o.Scheme, o.Port = "https", 443
		}
	}
	return o, err
}

// loggedOrigin reads a host field.
func loggedOrigin(field []byte) (origin.Origin, error) {
	return origin.Logged(string(field))
}

// siteBy returns the site of a key. Each function read has a memo of its own: a host
// field may look like a URL without being one.
func (w *sites) siteBy(known memo[site], key []byte, read func([]byte) (origin.Origin, error)) site {
	s, ok := known[string(key)]
	if !ok {
		s = w.newSite(key, read)
		known.keep(w.quota, key, s, 2*len(s.host)) // the tally may keep it too
	}
	return s
}

// webSite returns the origins of a host by http and https, on their own ports.
func (w *sites) webSite(o origin.Origin) (s policy.Site, ok bool) {
	p := w.given
	s, ok = p.Site(origin.Origin{Scheme: "http", Host: o.Host, Port: 80})
	https, both := p.Site(origin.Origin{Scheme: "https", Host: o.Host, Port: 443})
	switch {
	case !ok:
		return https, both
	case both:
		s.N = https.First + https.N - s.First
	}
	return s, true
}

func (w *sites) newSite(key []byte, read func([]byte) (origin.Origin, error)) site {
	o, err := read(key)
	host := o.String()
	if err != nil {
		host = string(key)
	}
	host = shortened([]byte(host), maxHostName) // a copy: it may be a view of a whole field
	if err == nil && !w.given.Any() {
		find := w.given.Site
		if o.Scheme == "" && o.Port == 0 && bytes.Contains(key, []byte("://")) {
			find = w.webSite
		}
		if s, ok := find(o); ok {
			return site{Site: s, schemeless: o.Scheme == "", host: host}
		}
	}
	return site{other: true, host: host}
}

// hasVersion reports whether the site had such a version at a time.
func (s site) hasVersion(p *policy.Policy, t int64, is func(policy.Version) bool) bool {
	for o := s.First; o < s.First+s.N; o++ {
		if slices.ContainsFunc(p.VersionsAt(o, t), is) {
			return true
		}
	}
	return false
}

// hadFile reports whether every version that the site may have had at a time is a file with rules or
// comments, so that an answer without a body came from something else than the site.
func (s site) hadFile(p *policy.Policy, t int64) bool {
	for o := s.First; o < s.First+s.N; o++ {
		list := p.VersionsAt(o, t)
		if len(list) == 0 || slices.ContainsFunc(list, func(v policy.Version) bool {
			return v.Status/100 != 2 || v.Size == 0 || v.Copy < 0
		}) {
			return false
		}
	}
	return s.N > 0
}
