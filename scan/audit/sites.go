package audit

import (
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// siteKey names what is counted of the crawlers' requests for a site: by verdict and, siteSpoofed
// higher, those of impostors by the verdict that row.Spoofed has; siteWhen higher for each case of ifCut; siteKinds higher for each known
// crawler, the first of which comes after all unknown ones.
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

// siteCount is what is to be added to the counts of a site.
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
