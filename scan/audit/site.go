package audit

import (
	"bytes"

	"github.com/robotsieve/robotsieve/scan/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
)

// site is where a request went: the origins of the policy that it may have gone to,
// none if the log does not tell, or another host.
type site struct {
	policy.Site
	// schemeless: the log does not tell the scheme.
	schemeless bool
	// named is the origin of a URL in a field of the log by its own scheme, if byTarget is set: nothing tells
	// the scheme better. It is -1 if there is no policy for it.
	named    int32
	byTarget bool
	other    bool
	host     string // for the report, if the log names one
}

// site returns where the record's request went, by the first of: the authority of an
// absolute target (RFC 9112 3.2.2), the log's host field, the site of a log without one.
// An empty host field may stand for any host. A policy for all hosts is for those requests that
// name none.
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
	s.Site = policy.Site{First: first, N: last - first}
	return s
}

// isOtherScheme reports whether the log names the scheme of an origin that is not in the site, so that the
// site is right only if a proxy in front has spoken another one with the client.
func (s site) isOtherScheme() bool {
	return s.byTarget && s.N > 0 && (s.named < s.First || s.named >= s.First+s.N)
}

func (w *Worker) namedSite() site {
	forAny := w.auditor.config.Policy.Any() && w.auditor.config.Fetched == nil
	switch {
	case w.record.Target[0] != '/' && (!forAny || w.namesElsewhere()):
		w.key = append(append(w.key[:0], w.authority()...), w.schemeHint()...)
		return w.siteBy(w.urls, w.key, targetOrigin)
	case !forAny && w.record.Host != nil:
		if host := w.record.Host; len(host) == 0 || string(host) == "-" {
			return site{}
		}
		return w.siteBy(w.hosts, w.record.Host, loggedOrigin)
	}
	return site{Site: w.unnamed, schemeless: true}
}

// namesElsewhere reports whether the absolute target of the record names a host in a log that
// names no other, so that the robots.txt given may not be its.
func (w *Worker) namesElsewhere() bool {
	return !w.auditor.config.Policy.None() && w.record.Host == nil && len(w.authority()) > 0
}

// authority returns the scheme and authority of the record's target, which is absolute:
// nothing if it is no URL.
func (w *Worker) authority() []byte { return w.record.Target[:authorityEnd(w.record.Target)] }

// What tells the scheme of a request with an absolute target beside that, as schemeHint
// writes it after the URL.
const (
	httpPort   = "/80"
	httpsPort  = "/443"
	sameScheme = "/=" // the target's own
	wholeURL   = "/-" // none, but the target is the log's own field with the URL
)

// schemeHint returns how the log tells the scheme of the record, whose target is absolute: by
// a field for it or by the port of the host field. If it does not, it returns nothing.
func (w *Worker) schemeHint() string {
	switch host := w.record.Host; {
	case w.record.SchemeLogged:
		return sameScheme
	case bytes.HasSuffix(host, []byte(":80")):
		return httpPort
	case bytes.HasSuffix(host, []byte(":443")):
		return httpsPort
	case w.record.OwnURL:
		return wholeURL
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
func (w *Worker) siteBy(known memo[site], key []byte, read func([]byte) (origin.Origin, error)) site {
	s, ok := known[string(key)]
	if !ok {
		s = w.newSite(key, read)
		known.keep(&w.quota, key, s, 2*len(s.host)) // the tally may keep it too
	}
	return s
}

// webSite returns the origins of a host by http and https, on their own ports.
func (w *Worker) webSite(o origin.Origin) (s policy.Site, ok bool) {
	p := w.auditor.config.Policy
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

// originOf returns the origin of the policy that a URL names, -1 if there is none.
func (w *Worker) originOf(url []byte) int32 {
	if o, err := origin.Of(url); err == nil {
		if s, ok := w.auditor.config.Policy.Site(o); ok {
			return s.First
		}
	}
	return -1
}

func (w *Worker) newSite(key []byte, read func([]byte) (origin.Origin, error)) site {
	o, err := read(key)
	host := o.String()
	if err != nil {
		host = string(key)
	}
	host = shortened([]byte(host), maxHostName) // a copy: it may be a view of a whole field
	if err == nil && !w.auditor.config.Policy.Any() {
		find := w.auditor.config.Policy.Site
		if o.Scheme == "" && o.Port == 0 && bytes.Contains(key, []byte("://")) {
			find = w.webSite
		}
		if s, ok := find(o); ok {
			at := site{Site: s, schemeless: o.Scheme == "", host: host}
			n, isURL := origin.Prefix(key)
			if at.byTarget = isURL && string(key[n:]) == wholeURL && at.schemeless; at.byTarget {
				at.named = w.originOf(key[:n])
			}
			return at
		}
	}
	return site{other: true, host: host}
}
