package automaton

import (
	"sync"

	"github.com/robotsieve/robotsieve/internal/table"
	"github.com/robotsieve/robotsieve/internal/table/build"
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

// wantsTable reports whether ranked rules are to have a table, if there can be one that is fast.
func (e Engine) wantsTable(rules []Rule) bool {
	switch e {
	case EngineAuto:
		return len(rules) > crossover && worthTable(rules)
	case EngineTable, engineGaps:
		return true
	}
	return false
}

// worthTable reports whether the patterns of rules have so many bytes that a table, which
// takes a thousand bytes before it holds any, takes at most forty for each. Some files have
// hundreds of groups of ten rules, one for each file name extension.
func worthTable(rules []Rule) bool {
	const enough = 80
	octets := 0
	for i := range rules {
		if octets += len(rules[i].Pattern); octets > enough {
			return true
		}
	}
	return len(rules) > enough
}

// table makes the table of ranked rules that have been checked. It returns nil where a list is to answer,
// or where the rules are written so that no table of them is fast.
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
	clear(list)
	*kept = list
	patterns.Put(kept)
	return made
}

// patterns are the lists that no table is made of at the moment.
var patterns = sync.Pool{New: func() any { return &[]build.Pattern{} }}
