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

func siteOf(at policy.Site, what int32, i report.Identity, spoofed int32) siteKey {
	if i == report.SpoofedIdentity {
		what += spoofed
	}
	return siteKey{at, what}
}

// nameSite keeps that a crawler's client of an identity made a request for a site.
func (w *Worker) nameSite(at policy.Site, c *agent, i report.Identity) {
	k := siteOf(at, siteCrawlers+2*int32(c.index), i, 1)
	if c.Profile == nil || k == c.named {
		return
	}
	c.named = k
	if _, known := w.tally.Sites.Kept[k]; !known {
		w.tally.Sites.add(k, tallied{Period: period{Any: true}}) // the same however often it is added
	}
}

// siteCount is a count of a worker that is not yet in its tally: most requests are of a few keys.
type siteCount struct {
	of siteKey
	tallied
}

// countSite counts the record with a verdict in its site.
func (w *Worker) countSite(at policy.Site, i report.Identity, v report.Verdict) {
	k := siteOf(at, int32(v), i, siteSpoofed)
	c := &w.sites[uint32(k.At.First*31+k.What)%uint32(len(w.sites))]
	if c.of != k {
		w.tally.addSite(c)
		c.of = k
	}
	c.tallied = c.Plus(tallied{N: 1, Bytes: byteSum(max(w.record.Size, 0))})
}

// addSite adds a count to the tally, and empties it.
func (t *tally) addSite(c *siteCount) {
	if c.N > 0 {
		t.Sites.add(c.of, c.tallied)
	}
	*c = siteCount{}
}

// countSite counts a deferred request in its site.
func (r *Run) countSite(x *visit) {
	k, bytes := siteKey{x.from.Site, int32(x.Verdict)}, max(x.Size, 0)
	if x.Verdict == report.Spoofed {
		bytes = 0
	}
	r.tally.Sites.add(k, tallied{N: x.N, Bytes: byteSum(times(bytes, x.N))})
}

// listSites lists the sites by their requests, and what they leave of the totals.
func (t *tally) listSites(a *Auditor, proxied bool, totals *report.Totals) []report.SiteInfo {
	t.Sites.prune(1)
	sites, seen := map[string]*report.SiteInfo{}, map[string]map[int32]bool{}
	for k, c := range t.Sites.Kept {
		name := a.originText(k.At)
		if sites[name] == nil {
			sites[name], seen[name] = &report.SiteInfo{Origin: name}, map[int32]bool{}
		}
		s := sites[name]
		switch who := k.What - siteCrawlers; {
		case who >= 0 && who%2 == 1 && !proxied:
		case who >= 0:
			seen[name][who/2] = true
			s.Crawlers = int64(len(seen[name]))
		case k.What >= siteSpoofed && !proxied:
			s.Add(report.Spoofed, c.N, 0)
		default:
			s.Add(report.Verdict(k.What%siteSpoofed), c.N, int64(c.Bytes))
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
