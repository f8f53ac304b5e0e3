// Package build builds the tables of package table. A machine of package automaton with many rules
// passes their patterns, sorted by rank, and matches with the table.
package build

import (
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Pattern is the path pattern of a rule. The caller has checked that gaps are neither adjacent nor
// at the end.
type Pattern struct {
	Prefix string // before the first gap
	Rest   string // after the first gap
	Gaps   bool   // there is a gap
	AtEnd  bool   // matches only up to the end of the path
	FormB  bool   // compared with the path in the second of its two forms
}

// Table builds the table for the patterns of ranked rules. It returns nil if the rules were crafted
// so that no table can be fast. It doesn't retain the list. It searches for segments if search is
// set and fast; otherwise an automaton reads them. The function is long because it sorts the
// patterns into five kinds in a single pass.
func Table(patterns []Pattern, search bool) *table.Table {
	t := &table.Table{Base: table.None}
	s := scratches.Get().(*tableScratch)
	defer s.release()
	everyPath, all := s.everyPath[:0], slices.Grow(s.prefixes, len(patterns))
	slashes := false // some rule begins with a slash, a gap and a slash
	for i := range patterns {
		id, r := uint32(i), &patterns[i]
		text, rest, gaps, formB := r.Prefix, r.Rest, r.Gaps, r.FormB
		switch {
		case text != "" && text[0] != '/' || text == "" && r.AtEnd && !gaps:
			// It matches no path.
		case text == "" && formB, gaps && table.HasEmptySegment(rest):
			s.prefixes = all
			return nil // no robots.txt has such a rule, and no table could hold it
		case gaps && text == "" && rest == "/" && !r.AtEnd: // every path begins with it
			t.Base = min(t.Base, id)
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
		// A first segment that doesn't begin with a slash is found at the same places after nothing and
		// after the path's slash. All such segments wait after the same one of these, so that a single
		// search finds them.
		if rest[0] != '/' {
			if text = ""; slashes {
				text = "/"
			}
		}
		tree = tree.add(id, text, rest, &patterns[id])
	}
	slices.SortFunc(all, comparePrefixes)
	s.everyPath, s.prefixes = everyPath, all
	// A rule with the same pattern as a higher-ranked one never decides.
	all = slices.CompactFunc(all, func(x, y prefix) bool {
		return patterns[x.rule] == patterns[y.rule]
	})
	findWaiting(all)
	for _, p := range all {
		if p.waits {
			tree = tree.add(p.rule, p.text, patterns[p.rule].Rest, &patterns[p.rule])
		}
	}
	before := uint32(0) // how much lower an anchor's number is in the tree than in the table
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

// tableScratch is temporary memory for Table, reused from table to table.
type tableScratch struct {
	everyPath []uint32
	prefixes  []prefix
	edges     []table.Edge
}

var scratches = sync.Pool{New: func() any { return &tableScratch{} }}

// release returns the scratch without its texts.
func (s *tableScratch) release() {
	clear(s.prefixes)
	s.prefixes = s.prefixes[:0]
	scratches.Put(s)
}

// maxCandidates limits how many rules with gaps may be tried one by one for a path. If a prefix, or
// prefixes of each other, have more, their segments are searched for.
const maxCandidates = 2

// findWaiting decides for which prefixes the following segments are searched for. The prefixes are
// sorted.
func findWaiting(all []prefix) {
	var above []prefix // prefixes of the current one whose rules are tried
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
