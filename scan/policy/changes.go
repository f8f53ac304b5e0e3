package policy

import "github.com/robotsieve/robotsieve/scan/internal/answer"

// Change is a change of a site's robots.txt, from one of its versions to another. It was made between Since
// and At, in nanoseconds since 1970, which differ where others that say nothing were between, and where the
// times of versions are those at which they were seen.
type Change struct {
	Site
	Old, New  int32
	Since, At int64
}

// Changes returns the changes of robots.txt, by origin, then by time. Origins of one host with the same versions,
// as http and https nearly always are, are one site. Versions that failed, or that lead to no file of the
// source, say nothing: a file that is the same after them as before has not changed.
func (p *Policy) Changes() (list []Change) {
	for first, o := int32(0), int32(0); int(o) < len(p.origins); first = o {
		h, old, since := p.histories[o], int32(-1), int64(forever)
		for int(o) < len(p.origins) && p.histories[o] == h && p.origins[o].Host == p.origins[first].Host {
			o++
		}
		for i, v := range h.versions {
			if since = min(since, h.replies[i].start); v.Copy < 0 && h.replies[i].means[answer.Others] != answer.None {
				continue
			}
			if old >= 0 && h.versions[old].Copy != v.Copy && v.From > MinTime {
				list = append(list, Change{Site{first, o - first}, old, int32(i), since, v.From})
			}
			old, since = int32(i), forever
		}
	}
	return list
}
