package compile

import (
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/internal/table"
)

// Engine says how a machine finds the rule that decides. All engines answer the same.
type Engine uint8

const (
	// EngineAuto is what is faster: a list for few rules, else a table.
	EngineAuto Engine = iota
	// EngineList tries the rules one by one.
	EngineList
	// EngineTable has a table for any number of rules, unless they are written so that
	// no table of them is fast: then it is a list.
	EngineTable
	// engineGaps is EngineTable with table.Gaps for all segments after gaps. The
	// other engines have it only where table.Segments could take long. It is for tests.
	engineGaps
)

// crossover is the number of rules up to which a machine is a list. On real files
// and URLs of their sites, by Go 1.26:
//
//	rules   ns a URL by list, table       µs to build a list, a table
//	1-7     29 to 31       27 to 32        0.2 to 0.4     1.1 to 2.6
//	8-9     47             35              0.6            3.4
//	10-16   48 to 56       34 to 37        0.6 to 0.8     4.3 to 5.4
//	17-30   99 to 113      42 to 44        0.9 to 1.6     7.2 to 11
//	31-50   99             41              2.2            15
//
// So a table of up to 50 rules pays for itself after 100 to 300 URLs; a site of the
// corpus has 91. The median file has eight rules: with lists it compiles in 2.5 µs and keeps
// 2.4 bytes a byte, with tables, one for each of its groups, in 6.2 µs and 11 bytes.
const crossover = 9

// Table makes the table of ranked rules for automaton.Builder.Machine. It returns nil where
// a list is to answer, or where the rules are written so that no table of them is fast. It
// relies on what automaton.Rule demands, which the builder has checked.
func (e Engine) Table(rules []automaton.Rule) *table.Table {
	if e != EngineTable && e != engineGaps && (e != EngineAuto || len(rules) <= crossover || !worthTable(rules)) {
		return nil
	}
	return newTable(rules, e != engineGaps)
}

// worthTable reports whether the patterns of rules have so many bytes that a table, which
// takes a thousand bytes before it holds any, takes at most forty for each. Some files have
// hundreds of groups of ten rules, one for each file name extension.
func worthTable(rules []automaton.Rule) bool {
	const enough = 80
	octets := 0
	for i := range rules {
		if octets += len(rules[i].Pattern); octets > enough {
			return true
		}
	}
	return len(rules) > enough
}

// newTable makes the table of ranked rules, nil if they have been written so that there can
// be none that is fast. Segments are searched for if search says so and that is fast. It is
// long because each rule is of one of five kinds, which are told apart in one pass.
func newTable(rules []automaton.Rule, search bool) *table.Table {
	t := &table.Table{Base: table.None}
	s := scratches.Get().(*tableScratch)
	defer s.release()
	everyPath, all := s.everyPath[:0], slices.Grow(s.prefixes, len(rules))
	slashes := false // a rule begins with a slash, a gap and a slash
	for i := range rules {
		id, r := uint32(i), &rules[i]
		text, rest, gaps := r.Cut()
		formB := r.Form == automaton.FormB
		switch {
		case text != "" && text[0] != '/' || text == "" && r.AtEnd && !gaps:
			// It matches no path.
		case text == "" && formB, gaps && table.HasEmptySegment(rest):
			s.prefixes = all
			return nil // no robots.txt has such a rule, and a table no place for it
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
		text, rest, _ := rules[id].Cut()
		// A first segment that does not begin with a slash is found at the same places after
		// nothing and after the path's slash. All such segments wait after the same of the
		// two, so that one search finds them.
		if rest[0] != '/' {
			if text = ""; slashes {
				text = "/"
			}
		}
		tree = tree.add(id, text, rest, &rules[id])
	}
	slices.SortFunc(all, comparePrefixes)
	s.everyPath, s.prefixes = everyPath, all
	// A rule with the same pattern as one that outranks it never decides.
	all = slices.CompactFunc(all, func(x, y prefix) bool {
		r, q := &rules[x.rule], &rules[y.rule]
		return r.Pattern == q.Pattern && r.AtEnd == q.AtEnd &&
			(r.Form == automaton.FormB) == (q.Form == automaton.FormB)
	})
	findWaiting(all)
	for _, p := range all {
		if p.waits {
			_, rest, _ := rules[p.rule].Cut()
			tree = tree.add(p.rule, p.text, rest, &rules[p.rule])
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
	b := prefixes{rules: rules, table: t, edges: s.edges, anchor: func(p prefix) uint32 {
		return before + tree.anchor(p.text, rules[p.rule].Form == automaton.FormB)
	}}
	built := b.build(all)
	s.edges = b.edges[:0]
	if !built {
		return nil
	}
	t.Complete()
	return t
}

// tableScratch is what newTable writes to and the table does not keep. It serves one table
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
				if p.waits = !tried; tried {
					above = append(above, *p)
				}
			}
		}
		all = all[n:]
	}
}
