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

// site is where a request went: the origins of the policy that it may have gone to, or none if the
// log does not show it or names another host.
type site struct {
	policy.Site
	// schemeless means that the log does not show the scheme.
	schemeless bool
	// named is the origin of a URL in a field of the log, according to its own scheme, or -1 if the
	// policy lacks it. It is set if byTarget, when there is no better evidence of the scheme.
	named    int32
	byTarget bool
	other    bool
	host     string // for the report, if the log names a host
	key      string // in a memo
}

// nowhere is the site of requests about which nothing is known.
var nowhere = &site{}

// sites finds the site of each request, and caches it.
type sites struct {
	given   *policy.Policy
	forAny  bool // the policy covers all hosts
	quota   *quota
	unnamed site     // of requests in a log without host names
	only    bool     // requests to sites other than unnamed count as another host
	part    site     // of the last request to a part of a site
	hosts   siteMemo // by host field
	urls    siteMemo // by scheme and authority of an absolute target
	key     []byte   // for a memo
}

// siteMemo caches sites by key. In most logs nearly all successive requests are for the same site.
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

// site returns where the request of a record went, according to the first of these: the authority
// of an absolute target (RFC 9112 3.2.2), the log's host field, the site of a log without host
// names. An empty host field may stand for any host. A policy for all hosts applies to requests
// that name none. The result is valid until the next call.
func (w *sites) site(r *format.Record) *site {
	s := w.namedSite(r)
	if w.only && !s.other && s.N > 0 {
		w.part = s.within(w.unnamed.Site)
		return &w.part
	}
	return s
}

// within returns the origins of a site that are also in another one.
func (s site) within(of policy.Site) site {
	first, last := max(s.First, of.First), min(s.First+s.N, of.First+of.N)
	if first >= last {
		return site{other: true, host: s.host}
	}
	s.Site = policy.Site{First: first, N: last - first}
	return s
}

// isOtherScheme reports whether the log names the scheme of an origin that the site lacks. The site
// is then only right if a proxy spoke another scheme with the client.
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
		return w.siteBy(&w.hosts, r.Host, func(b []byte) (origin.Origin, error) { return origin.Logged(string(b)) })
	}
	return &w.unnamed
}

// namesElsewhere reports whether a record's absolute target names a host although the log names no
// other, so that the given robots.txt may not apply.
func (w *sites) namesElsewhere(r *format.Record) bool {
	return !w.given.None() && r.Host == nil && len(authority(r.Target)) > 0
}

// authority returns the scheme and authority of an absolute target, or nothing if it is no URL.
func authority(target []byte) []byte { return target[:authorityEnd(target)] }

// Hints at the scheme of a request with an absolute target, other than the target itself.
// schemeHint returns them to be appended to the URL.
const (
	httpPort   = "/80"
	httpsPort  = "/443"
	sameScheme = "/=" // the same scheme as the target
	wholeURL   = "/-" // none, but the target is the log's own field for the URL
)

// schemeHint returns how the log shows the scheme of a record whose target is absolute: by a scheme
// field or by the port of the host field. If it shows neither, it returns "".
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

// targetOrigin parses the scheme and authority of an absolute target, followed by the log's hint. For http and
// https the log is better evidence than the target, because a proxy may have spoken TLS with the client. If a
// scheme field contradicts the default port of the other scheme, the scheme is unknown.
func targetOrigin(key []byte) (origin.Origin, error) {
	length, _ := origin.Prefix(key)
	found, err := origin.Authority(key[:length])
	if err == nil && string(key[length:]) == sameScheme {
		named, err := origin.Of(key[:length])
		if found.Scheme != "" && found.Scheme != named.Scheme {
			return origin.Origin{Host: found.Host}, err
		}
		return named, err
	}
	if err == nil && found.Scheme == "" && found.Port == 0 {
		switch string(key[length:]) {
		case httpPort:
			found.Scheme, found.Port = "http", 80
		case httpsPort:
			found.Scheme, found.Port = "https", 443
		}
	}
	return found, err
}

// siteBy returns the site of a key. Each function read has its own memo, because a host field may look like a URL.
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
		of.known.keep(w.quota, s.key, s, 2*len(s.host)) // the tally may keep a copy
	}
	of.last = s
	return s
}

// webSite returns the origins of a host for http and https on their default ports.
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

// originOf returns the policy's origin that a URL names, or -1.
func (w *sites) originOf(url []byte) int32 {
	if o, err := origin.Of(url); err == nil {
		if s, ok := w.given.Site(o); ok {
			return s.First
		}
	}
	return -1
}

func (w *sites) newSite(key []byte, read func([]byte) (origin.Origin, error)) site {
	found, err := read(key)
	host := found.String()
	if err != nil {
		host = string(key)
	}
	host = shortened([]byte(host), maxHostName) // a copy, since it may be a view of a whole field
	if err == nil && !w.given.Any() {
		find := w.given.Site
		if found.Scheme == "" && found.Port == 0 && bytes.Contains(key, []byte("://")) {
			find = w.webSite
		}
		if s, ok := find(found); ok {
			at := site{Site: s, schemeless: found.Scheme == "", host: host}
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

// hasVersion reports whether is holds for a version that the site may have had at a time.
func (s *site) hasVersion(p *policy.Policy, t int64, is func(policy.Version) bool) bool {
	for o := s.First; o < s.First+s.N; o++ {
		if slices.ContainsFunc(p.VersionsAt(o, t), is) {
			return true
		}
	}
	return false
}

// hadFile reports whether every version that the site may have had at a time is a file with rules
// or comments. An answer without a body then came from something else.
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

// siteKey names a count of crawlers' requests to a site. What is the verdict; for impostors, add
// siteSpoofed to the verdict that row.Spoofed has. Add siteWhen for each case of ifCut, and
// siteKinds for each known crawler; the first of these comes after all unknown ones.
type siteKey struct {
	At   policy.Site `cbor:"1,keyasint"`
	What int32       `cbor:"2,keyasint"`
}

const (
	siteSpoofed    = int32(report.Verdicts)
	siteWhen       = 2 * siteSpoofed
	siteKinds      = int32(ifCuts) * siteWhen
	maxSiteKeys    = 1 << 15 // for all sites: a site has some two per known crawler
	maxSitesListed = 1000
)

// hashSite is equal for all keys of a site, so that either all of them are counted or none.
func hashSite(k siteKey) uint64 { return mix(uint64(uint32(k.At.First))<<32 | uint64(uint32(k.At.N))) }

// countSite counts an event in its site. spoofed means that it is an impostor's but still has another verdict.
func (t *tally) countSite(event *Event, spoofed bool) {
	key, size := siteKey{event.Site, int32(event.Verdict) + int32(event.when)*siteWhen}, max(event.Size, 0)
	if event.Crawler != nil {
		key.What += int32(event.from.Crawler+1) * siteKinds
	}
	if spoofed {
		key.What += siteSpoofed
	}
	if event.Verdict == report.Spoofed {
		size = 0 // as in SiteInfo.Bytes
	}
	if event.N != 1 {
		size = times(size, event.N)
	}
	of := &t.pending[uint32(key.What+key.At.First)%uint32(len(t.pending))]
	if of.key != key {
		t.addSite(of)
		of.key = key
	}
	of.n, of.bytes = of.n+event.N, report.Plus(of.bytes, byteSum(size))
}

// siteCount is a pending addition to the counts of a site.
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

// addSites adds all pending counts.
func (t *tally) addSites() {
	for i := range t.pending {
		t.addSite(&t.pending[i])
	}
}

// listSites lists the sites by number of requests, and the remainder of the totals.
func (t *tally) listSites(auditor *Auditor, totals *report.Totals) []report.SiteInfo {
	t.addSites()
	t.Sites.prune(1)
	type visitor struct { // a known crawler of a site
		site    string
		crawler int32
	}
	sites, seen := map[string]*report.SiteInfo{}, map[visitor]bool{}
	chosen := []bool{auditor.config.Only.Has("", report.Unknown)} // by the number in siteKey.What
	for _, p := range auditor.config.Crawlers.Profiles() {
		chosen = append(chosen, auditor.config.Only.Has(p.Name, p.Category))
	}
	for key, counted := range t.Sites.Kept {
		name, who, kind := auditor.originText(key.At), key.What/siteKinds, key.What%siteKinds
		if int(who) >= len(chosen) || !chosen[who] || !t.addresses.holds(ifCut(kind/siteWhen)) {
			continue
		}
		kind %= siteWhen
		if sites[name] == nil {
			sites[name] = &report.SiteInfo{Origin: name}
		}
		verdict, bytes := report.Verdict(kind%siteSpoofed), int64(counted.Bytes)
		if kind >= siteSpoofed && t.addresses.settle(report.SpoofedIdentity, false) == report.SpoofedIdentity {
			verdict, bytes = report.Spoofed, 0
		}
		sites[name].Add(verdict, counted.N, bytes)
		if of := (visitor{name, who}); who > 0 && verdict != report.Spoofed && !seen[of] {
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
