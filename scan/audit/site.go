package audit

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// site is where a request went: the origins of the policy that it may have gone to,
// none if the log does not show it, or another host.
type site struct {
	policy.Site
	// schemeless is set if the log does not show the scheme.
	schemeless bool
	// named is the origin of a URL in a field of the log by its own scheme, if byTarget is set: there is no
	// better evidence of the scheme. It is -1 if there is no policy for it.
	named    int32
	byTarget bool
	other    bool
	host     string // for the report, if the log names one
	key      string // of a memo
}

// nowhere is the site of a request that nothing is known of.
var nowhere = &site{}

// sites finds the site that each request went to, and caches it.
type sites struct {
	given   *policy.Policy
	forAny  bool // the policy is for all hosts
	quota   *quota
	unnamed site     // of requests in a log that names no host
	only    bool     // requests elsewhere than unnamed belong to another host
	part    site     // of a site, of the last request
	hosts   siteMemo // by the host field
	urls    siteMemo // by the scheme and authority of an absolute target
	key     []byte   // of a memo
}

// siteMemo has sites by their keys. Of most logs all requests in turn are for one site, or nearly all.
type siteMemo struct {
	known memo[*site]
	last  *site // one of known, or nil
}

func newSites(c *Config, q *quota) sites {
	unnamed, _ := c.Policy.Unnamed()
	return sites{given: c.Policy, forAny: c.Policy.Any() && c.Fetched == nil, quota: q,
		unnamed: site{Site: unnamed, schemeless: true}}
}

func (w *sites) empty() {
	w.hosts, w.urls = siteMemo{known: memo[*site]{}}, siteMemo{known: memo[*site]{}}
}

// site returns where the request of a record went, by the first of: the authority of an
// absolute target (RFC 9112 3.2.2), the log's host field, the site of a log without one.
// An empty host field may stand for any host. A policy for all hosts is for those requests that
// name none. The result is valid until the next call.
func (w *sites) site(r *format.Record) *site {
	s := w.namedSite(r)
	if w.only && !s.other && s.N > 0 {
		w.part = s.within(w.unnamed.Site)
		return &w.part
	}
	return s
}

// within returns the part of a site that is in another one.
func (s site) within(of policy.Site) site {
	first, last := max(s.First, of.First), min(s.First+s.N, of.First+of.N)
	if first >= last {
		return site{other: true, host: s.host}
	}
	s.Site = policy.Site{First: first, N: last - first}
	return s
}

// isOtherScheme reports whether the log names the scheme of an origin that is not in the site, so that the
// site is right only if a proxy in front has spoken another one with the client.
func (s *site) isOtherScheme() bool {
	return s.byTarget && s.N > 0 && (s.named < s.First || s.named >= s.First+s.N)
}

func (w *sites) namedSite(r *format.Record) *site {
	switch {
	case r.Target[0] != '/' && (!w.forAny || w.namesElsewhere(r)):
		w.key = append(append(w.key[:0], authority(r.Target)...), schemeHint(r)...)
		return w.siteBy(&w.urls, w.key, targetOrigin)
	case !w.forAny && r.Host != nil:
		if len(r.Host) == 0 || string(r.Host) == "-" {
			return nowhere
		}
		return w.siteBy(&w.hosts, r.Host, loggedOrigin)
	}
	return &w.unnamed
}

// namesElsewhere reports whether the absolute target of a record names a host in a log that
// names no other, so that the robots.txt given may not be its.
func (w *sites) namesElsewhere(r *format.Record) bool {
	return !w.given.None() && r.Host == nil && len(authority(r.Target)) > 0
}

// authority returns the scheme and authority of an absolute target: nothing if it is no URL.
func authority(target []byte) []byte { return target[:authorityEnd(target)] }

// Hints at the scheme of a request with an absolute target, besides the target itself, as schemeHint
// appends them to the URL.
const (
	httpPort   = "/80"
	httpsPort  = "/443"
	sameScheme = "/=" // the target's own
	wholeURL   = "/-" // none, but the target is the log's own field with the URL
)

// schemeHint returns how the log shows the scheme of a record whose target is absolute: by
// a field for it or by the port of the host field. Without either it returns an empty string.
func schemeHint(r *format.Record) string {
	switch host := r.Host; {
	case r.SchemeLogged:
		return sameScheme
	case bytes.HasSuffix(host, []byte(":80")):
		return httpPort
	case bytes.HasSuffix(host, []byte(":443")):
		return httpsPort
	case r.OwnURL:
		return wholeURL
	}
	return ""
}

// targetOrigin reads the scheme and authority of an absolute target, with the hint of the
// log after them. The log is better evidence than the target for http or https,
// since a proxy may have spoken TLS with the client. Where a field for the scheme and the
// default port of the other one contradict each other, the scheme is unknown.
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
func (w *sites) siteBy(of *siteMemo, key []byte, read func([]byte) (origin.Origin, error)) *site {
	if s := of.last; s != nil && s.key == string(key) {
		return s
	}
	s, ok := of.known[string(key)]
	if !ok {
		made := w.newSite(key, read)
		s = &made
		if len(key) > maxMemoKey {
			return s
		}
		s.key = string(key)
		of.known.keep(w.quota, s.key, s, 2*len(s.host)) // the tally may keep it too
	}
	of.last = s
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

// originOf returns the origin of the policy that a URL names, -1 if there is none.
func (w *sites) originOf(url []byte) int32 {
	if o, err := origin.Of(url); err == nil {
		if s, ok := w.given.Site(o); ok {
			return s.First
		}
	}
	return -1
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
			at := site{Site: s, schemeless: o.Scheme == "", host: host}
			n, isURL := origin.Prefix(key)
			at.byTarget = isURL && string(key[n:]) == wholeURL && at.schemeless
			if at.byTarget {
				at.named = w.originOf(key[:n])
			}
			return at
		}
	}
	return site{other: true, host: host}
}

// hasVersion reports whether the site had such a version at a time.
func (s *site) hasVersion(p *policy.Policy, t int64, is func(policy.Version) bool) bool {
	for o := s.First; o < s.First+s.N; o++ {
		if slices.ContainsFunc(p.VersionsAt(o, t), is) {
			return true
		}
	}
	return false
}

// hadFile reports whether every version that the site may have had at a time is a file with rules or
// comments, so that an answer without a body came from something else than the site.
func (s *site) hadFile(p *policy.Policy, t int64) bool {
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

// siteKey names what is counted of the crawlers' requests for a site: by verdict and, siteSpoofed
// higher, those of impostors by the verdict that row.Spoofed has; siteWhen higher for each case of ifCut;
// siteKinds higher for each known crawler, the first of which comes after all unknown ones.
type siteKey struct {
	At   policy.Site `cbor:"1,keyasint"`
	What int32       `cbor:"2,keyasint"`
}

const (
	siteSpoofed    = int32(report.Verdicts)
	siteWhen       = 2 * siteSpoofed
	siteKinds      = int32(ifCuts) * siteWhen
	maxSiteKeys    = 1 << 15 // of all sites: one has some two for each known crawler
	maxSitesListed = 1000
)

// hashSite is the same for all keys of a site: it is counted with all of them, or not at all.
func hashSite(k siteKey) uint64 { return mix(uint64(uint32(k.At.First))<<32 | uint64(uint32(k.At.N))) }

// countSite counts an event in its site. spoofed: it is an impostor's that has another verdict so far.
func (t *tally) countSite(e *Event, spoofed bool) {
	k, size := siteKey{e.Site, int32(e.Verdict) + int32(e.when)*siteWhen}, max(e.Size, 0)
	if e.Crawler != nil {
		k.What += int32(e.from.Crawler+1) * siteKinds
	}
	if spoofed {
		k.What += siteSpoofed
	}
	if e.Verdict == report.Spoofed {
		size = 0 // as SiteInfo.Bytes has it
	}
	if e.N != 1 {
		size = times(size, e.N)
	}
	of := &t.pending[uint32(k.What+k.At.First)%uint32(len(t.pending))]
	if of.key != k {
		t.addSite(of)
		of.key = k
	}
	of.n, of.bytes = of.n+e.N, report.Plus(of.bytes, byteSum(size))
}

// siteCount is an amount to add to the counts of a site.
type siteCount struct {
	key   siteKey
	n     int64
	bytes byteSum
}

func (t *tally) addSite(c *siteCount) {
	if c.n > 0 {
		t.Sites.add(c.key, tallied{N: c.n, Bytes: c.bytes})
	}
	c.n, c.bytes = 0, 0
}

// addSites adds all counts that are pending.
func (t *tally) addSites() {
	for i := range t.pending {
		t.addSite(&t.pending[i])
	}
}

// listSites lists the sites by their requests, and what they leave of the totals.
func (t *tally) listSites(a *Auditor, totals *report.Totals) []report.SiteInfo {
	t.addSites()
	t.Sites.prune(1)
	type visitor struct { // a known crawler of a site
		site    string
		crawler int32
	}
	sites, seen := map[string]*report.SiteInfo{}, map[visitor]bool{}
	chosen := []bool{a.config.Only.Has("", report.Unknown)} // of the numbers in siteKey.What
	for _, p := range a.config.Crawlers.Profiles() {
		chosen = append(chosen, a.config.Only.Has(p.Name, p.Category))
	}
	for k, c := range t.Sites.Kept {
		name, who, kind := a.originText(k.At), k.What/siteKinds, k.What%siteKinds
		if int(who) >= len(chosen) || !chosen[who] || !t.addresses.holds(ifCut(kind/siteWhen)) {
			continue
		}
		kind %= siteWhen
		if sites[name] == nil {
			sites[name] = &report.SiteInfo{Origin: name}
		}
		v, bytes := report.Verdict(kind%siteSpoofed), int64(c.Bytes)
		if kind >= siteSpoofed && t.addresses.settle(report.SpoofedIdentity, false) == report.SpoofedIdentity {
			v, bytes = report.Spoofed, 0
		}
		sites[name].Add(v, c.N, bytes)
		if of := (visitor{name, who}); who > 0 && v != report.Spoofed && !seen[of] {
			seen[of] = true
			sites[name].Crawlers++
		}
	}
	list, listed := []report.SiteInfo{}, report.SiteInfo{}
	for _, s := range sites {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(x, y report.SiteInfo) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.Origin, y.Origin))
	})
	list = list[:min(len(list), maxSitesListed)]
	for i := range list {
		listed.Plus(&list[i])
	}
	if listed.Requests == totals.Requests {
		return list
	}
	rest := report.SiteInfo{Origin: report.OtherSites, Requests: totals.Requests - listed.Requests,
		Verdicts: totals.Verdicts, Bytes: totals.Bytes - listed.Bytes,
		ViolationBytes: totals.ViolationBytes - listed.ViolationBytes}
	report.AddCounts(rest.Verdicts[:], listed.Verdicts[:], -1)
	return append(list, rest)
}
