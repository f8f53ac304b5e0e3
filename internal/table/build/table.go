// Package build makes the tables of package table. A machine of package automaton that has many rules
// gives the patterns of them, in the order of their rank, and matches by the table.
package build

import (
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Pattern is the path pattern of a rule. The caller has checked that no gap follows another and that none
// is the last of the pattern.
type Pattern struct {
	Prefix string // what stands before the first gap
	Rest   string // what stands after it
	Gaps   bool   // there is a gap
	AtEnd  bool   // the pattern matches only where the path ends
	FormB  bool   // it is compared with the path in the second of its two forms
}

// Table builds the table for the patterns of ranked rules. It returns nil if they were written so that no table
// can be fast. It does not retain the list. Segments are searched for if search is set and that is fast;
// otherwise an automaton reads them. The function is long because it sorts the patterns into five kinds in a
// single pass.
func Table(patterns []Pattern, search bool) *table.Table {
	t := &table.Table{Base: table.None}
	s := scratches.Get().(*tableScratch)
	defer s.release()
	everyPath, all := s.everyPath[:0], slices.Grow(s.prefixes, len(patterns))
	slashes := false // a rule begins with a slash, a gap and a slash
	for i := range patterns {
		id, r := uint32(i), &patterns[i]
		text, rest, gaps, formB := r.Prefix, r.Rest, r.Gaps, r.FormB
		switch {
		case text != "" && text[0] != '/' || text == "" && r.AtEnd && !gaps:
			// It matches no path.
		case text == "" && formB, gaps && table.HasEmptySegment(rest):
			s.prefixes = all
			return nil // no robots.txt has such a rule, and no table can hold it
		case gaps && isEveryPath(text, formB):
			everyPath = append(everyPath, id)
			slashes = slashes || text == "/" && rest[0] == '/'
		case len(text) <= 1 && !r.AtEnd && !gaps && !formB:
			t.Base = min(t.Base, id)
		default:
			all = append(all, newPrefix(text, id, gaps))
		}
	}
	var tree *segmentTree
	for _, id := range everyPath {
		text, rest := patterns[id].Prefix, patterns[id].Rest
		// A first segment that does not begin with a slash is found at the same places after
		// nothing and after the path's slash. All such segments wait after the same of the
		// two, so that one search finds them.
		if rest[0] != '/' {
			if text = ""; slashes {
				text = "/"
			}
		}
		tree = tree.add(id, text, rest, &patterns[id])
	}
	slices.SortFunc(all, comparePrefixes)
	s.everyPath, s.prefixes = everyPath, all
	// A rule with the same pattern as one that outranks it never decides.
	all = slices.CompactFunc(all, func(x, y prefix) bool {
		return patterns[x.rule] == patterns[y.rule]
	})
	findWaiting(all)
	for _, p := range all {
		if p.waits {
			tree = tree.add(p.rule, p.text, patterns[p.rule].Rest, &patterns[p.rule])
		}
	}
	before := uint32(0) // what the tree's number of an anchor is less than that in the table
	if search {
		t.Segments = tree.segments()
	}
	if t.Segments != nil {
		before = firstAnchor - 1
	} else {
		t.Gaps = tree.gaps()
	}
	b := prefixes{patterns: patterns, table: t, edges: s.edges, anchor: func(p prefix) uint32 {
		return before + tree.anchor(p.text, patterns[p.rule].FormB)
	}}
	built := b.build(all)
	s.edges = b.edges[:0]
	if !built {
		return nil
	}
	t.Complete()
	return t
}

// tableScratch is what Table writes to and the table does not keep. It serves one table
// after another.
type tableScratch struct {
	everyPath []uint32
	prefixes  []prefix
	edges     []table.Edge
}

var scratches = sync.Pool{New: func() any { return &tableScratch{} }}

// release gives the scratch back, without the texts that it has.
func (s *tableScratch) release() {
	clear(s.prefixes)
	s.prefixes = s.prefixes[:0]
	scratches.Put(s)
}

// maxCandidates is how many rules with gaps may be tried one by one for a path. Of more than
// that, of one prefix or of prefixes of one another, the segments are searched for.
const maxCandidates = 2

// findWaiting decides for which prefixes the segments after them are searched for. The
// prefixes are sorted.
func findWaiting(all []prefix) {
	var above []prefix // prefixes of the one at hand whose rules are tried
	for len(all) > 0 {
		text := all[0].text
		n, gaps := 0, 0
		for ; n < len(all) && all[n].text == text; n++ {
			if all[n].gaps {
				gaps++
			}
		}
		for len(above) > 0 && !strings.HasPrefix(text, above[len(above)-1].text) {
			above = above[:len(above)-1]
		}
		tried := len(above)+gaps <= maxCandidates
		for i := range all[:n] {
			if p := &all[i]; p.gaps {
				p.waits = !tried
				if tried {
					above = append(above, *p)
				}
			}
		}
		all = all[n:]
	}
}
