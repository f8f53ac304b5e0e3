package automaton

import (
	"slices"
	"sync"

	"github.com/robotsieve/robotsieve/internal/table"
	"github.com/robotsieve/robotsieve/internal/table/build"
)

// Engine is how a machine finds the deciding rule. All engines give the same answers.
type Engine uint8

const (
	// EngineAuto picks the faster engine: a list for few rules, otherwise a table.
	EngineAuto Engine = iota
	// EngineList tries the rules one by one.
	EngineList
	// EngineTable uses a table for any number of rules, but falls back to a list for rules that no
	// table matches fast.
	EngineTable
	// engineGaps is EngineTable with table.Gaps for all segments after gaps. The other engines use
	// that only where table.Segments could be slow. It is for tests.
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

// wantsTable reports whether ranked rules should get a table, if one would be fast.
func (e Engine) wantsTable(rules []Rule) bool {
	switch e {
	case EngineAuto:
		return len(rules) > crossover && worthTable(rules)
	case EngineTable, engineGaps:
		return true
	}
	return false
}

// worthTable reports whether the patterns are long enough to justify a table, which takes a
// thousand bytes when empty: at most forty bytes of table for each byte. Some files have hundreds
// of groups with ten rules each, one rule for each file name extension.
func worthTable(rules []Rule) bool {
	const enough = 80
	octets := 0
	for i := range rules {
		octets += len(rules[i].Pattern)
		if octets > enough {
			return true
		}
	}
	return len(rules) > enough
}

// table makes the table for ranked rules that have been validated. It returns nil if a list should
// answer, or if no table would be fast.
func (e Engine) table(rules []Rule) *table.Table {
	if !e.wantsTable(rules) {
		return nil
	}
	kept := patterns.Get().(*[]build.Pattern)
	list := (*kept)[:0]
	for i := range rules {
		r := &rules[i]
		prefix, rest, gaps := r.Cut()
		list = append(list, build.Pattern{Prefix: prefix, Rest: rest, Gaps: gaps, AtEnd: r.AtEnd, FormB: r.Form == FormB})
	}
	made := build.Table(list, e != engineGaps)
	if made != nil {
		made.Root = uint32(slices.IndexFunc(rules, func(r Rule) bool { return r.matchesAfter("/", 0) })) // -1 is None
	}
	clear(list)
	*kept = list
	patterns.Put(kept)
	return made
}

// patterns recycles the lists that tables are made from.
var patterns = sync.Pool{New: func() any { return &[]build.Pattern{} }}
