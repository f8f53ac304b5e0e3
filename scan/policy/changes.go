package policy

import "github.com/robotsieve/robotsieve/scan/answer"

// Change is a change of an origin's robots.txt, from one of its versions to another. It was made between Since
// and At, in nanoseconds since 1970, which differ where others that say nothing were between, and where the
// times of versions are those at which they were seen.
type Change struct {
	Old, New  int32
	Since, At int64
}

// Changes returns the changes of an origin's robots.txt, in the order of time. Versions that failed,
// or that lead to no file of the source, say nothing: a file that is the same after them as before
// has not changed.
func (p *Policy) Changes(origin int32) (list []Change) {
	h := p.histories[origin]
	old, since := int32(-1), int64(forever)
	for i, v := range h.versions {
		r := &h.replies[i]
		if since = min(since, r.start); v.Copy < 0 && r.means[answer.Others] != answer.None {
			continue
		}
		if old >= 0 && h.versions[old].Copy != v.Copy && v.From > MinTime {
			list = append(list, Change{old, int32(i), since, v.From})
		}
		old, since = int32(i), forever
	}
	return list
}

// Alike reports whether two origins are of one host and have the same versions, as http and https of a
// host nearly always do.
func (p *Policy) Alike(a, b int32) bool {
	return p.histories[a] == p.histories[b] && p.origins[a].Host == p.origins[b].Host
}
