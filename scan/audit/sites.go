package audit

import (
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// siteKey names what is counted of the crawlers' requests for a site: by verdict and, siteSpoofed
// higher, those of impostors by the verdict that row.Spoofed has. From siteCrawlers on it has no
// count: it says, by twice the number of a known crawler, that the crawler made a request, and one
// higher that an impostor did.
type siteKey struct {
	At   policy.Site `cbor:"1,keyasint"`
	What int32       `cbor:"2,keyasint"`
}

const (
	siteSpoofed    = int32(report.Verdicts)
	siteCrawlers   = 2 * siteSpoofed
	maxSiteKeys    = 1 << 14 // of all sites: one has some five, and one for each known crawler
	maxSitesListed = 1000
)

// hashSite is the same for all keys of a site: it is counted with all of them, or not at all.
func hashSite(k siteKey) uint64 { return mix(uint64(uint32(k.At.First))<<32 | uint64(uint32(k.At.N))) }

// nameSite keeps that a crawler made a request for a site, or an impostor.
func (t *tally) nameSite(at policy.Site, c *agent, spoofed bool) {
	k := siteKey{at, siteCrawlers + 2*int32(c.index)}
	if spoofed {
		k.What++
	}
	if _, known := t.Sites.Kept[k]; c.Profile != nil && !known {
		t.Sites.add(k, tallied{Period: period{Any: true}}) // the same however often it is added
	}
}

// countSite counts n requests with a verdict, each answered with so many bytes, in their site.
func (t *tally) countSite(at policy.Site, v report.Verdict, spoofed bool, n, bytes int64) {
	k := siteKey{at, int32(v)}
	if spoofed {
		k.What += siteSpoofed
	}
	t.Sites.add(k, tallied{N: n, Bytes: byteSum(times(max(bytes, 0), n))})
}

// listSites lists the sites by their requests, and what they leave of the totals.
func (t *tally) listSites(a *Auditor, proxied bool, totals *report.Totals) []report.SiteInfo {
	t.Sites.prune(1)
	type visitor struct { // a known crawler of a site
		site    string
		crawler int32
	}
	sites, seen := map[string]*report.SiteInfo{}, map[visitor]bool{}
	for k, c := range t.Sites.Kept {
		name, who := a.originText(k.At), k.What-siteCrawlers
		if sites[name] == nil {
			sites[name] = &report.SiteInfo{Origin: name}
		}
		switch of := (visitor{name, who / 2}); {
		case who >= 0 && (seen[of] || who%2 == 1 && !proxied):
		case who >= 0:
			seen[of] = true
			sites[name].Crawlers++
		case k.What >= siteSpoofed && !proxied:
			sites[name].Add(report.Spoofed, c.N, 0)
		default:
			sites[name].Add(report.Verdict(k.What%siteSpoofed), c.N, int64(c.Bytes))
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
