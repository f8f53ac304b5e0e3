package audit

import (
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// verifiedKey names a known crawler, and an address from which a client claimed to be it.
type verifiedKey struct {
	crawler uint32
	address string
}

// Unverified returns the addresses of violations by clients that are not verified but
// could be by the names of their addresses. If there are more than most, it returns a
// choice that depends on the addresses alone, and more is true. It needs
// Config.KeepAddresses.
func (r *Run) Unverified(most int) (list []crawler.Pair, more bool, err error) {
	if err := r.gather(); err != nil {
		return nil, false, err
	}
	kept := newBounded(most, hashVerified)
	err = r.judgeDeferred(func(x *visit) {
		if x.Verdict == Violation && x.Identity == Unverified && x.Profile != nil && len(x.Profile.Domains) > 0 {
			kept.add(verifiedKey{r.auditor.profiles[x.Profile], string(x.address)}, tallied{})
		}
	}, true)
	kept.prune(1)
	profiles := r.auditor.config.Crawlers.Profiles()
	for k := range kept.Kept {
		list = append(list, crawler.Pair{Profile: &profiles[k.crawler], Addr: k.address})
	}
	slices.SortFunc(list, func(x, y crawler.Pair) int {
		return cmp.Or(cmp.Compare(x.Profile.Name, y.Profile.Name), cmp.Compare(x.Addr, y.Addr))
	})
	return list, kept.Below != 0, err
}

func hashVerified(k verifiedKey) uint64 { return mix(hashString(k.address) ^ uint64(k.crawler)) }

// Verify makes the client at an address verified: Report counts its violations as those
// of the crawler itself.
func (r *Run) Verify(p crawler.Pair) {
	r.verified[verifiedKey{r.auditor.profiles[p.Profile], p.Addr}] = true
}
