package compile

import (
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
)

// Engine says by which of its engines a machine finds the rule that decides. They
// answer the same.
type Engine uint8

const (
	// EngineAuto is what is faster: a list for few rules, else the automaton.
	EngineAuto Engine = iota
	// EngineList tries the rules one by one.
	EngineList
	// EngineAutomaton has a table for any number of rules.
	EngineAutomaton
	// EngineGaps has a table in which segments behind gaps are read by the automaton
	// that takes the same time for all, which others have only for rules that need it.
	EngineGaps
)

// crossover is the number of rules up to which a machine is a list. On real files
// and URLs of their sites (BenchmarkCrossover in package bench, Go 1.26):
//
//	rules   ns a URL by list, automaton   µs to build a list, an automaton
//	1-7     29 to 31       27 to 32        0.2 to 0.4     1.1 to 2.6
//	8-9     47             35              0.6            3.4
//	10-12   48             34              0.6            4.3
//	13-16   56             37              0.8            5.4
//	17-22   99             42              0.9            7.2
//	23-30   113            44              1.6            11
//	31-50   99             41              2.2            15
//
// So an automaton has paid for itself after 100 to 300 URLs, whatever its size; a
// site of the corpus has 91. Of eight rules is the median file: with lists it
// compiles in 2.5 µs and keeps 2.4 bytes a byte, with automata, one for each of its
// groups, in 6.2 µs and 11 bytes.
const crossover = 9

// Machine makes a machine of rules in the order of their rank, of lists of them
// if there are several, as Machine.Lists returns them. It returns an error for
// rules that automaton.New refuses.
func Machine(d automaton.Dialect, engine Engine, lists ...[]automaton.Rule) (*automaton.Machine, error) {
	machines := make([]*automaton.Machine, len(lists))
	for i, rules := range lists {
		m, err := machine(d, engine, rules)
		if err != nil {
			return nil, err
		}
		machines[i] = m
	}
	if len(machines) == 1 {
		return machines[0], nil
	}
	return automaton.Join(d, machines...)
}

// machine makes a machine of one list.
func machine(d automaton.Dialect, engine Engine, rules []automaton.Rule) (*automaton.Machine, error) {
	return automaton.New(d, rules, Table(engine, rules))
}

// Table makes the table of rules in the order of their rank, for automaton.New. It is
// nil where a list is to answer.
func Table(engine Engine, rules []automaton.Rule) *automaton.Table {
	if engine == EngineAutomaton || engine == EngineGaps || engine == EngineAuto && len(rules) > crossover && worthTable(rules) {
		return table(rules, engine != EngineGaps)
	}
	return nil
}

// worthTable tells whether rules have so many octets that a table, which takes a
// thousand bytes before it holds any, does not take more than forty for each. Some
// files have hundreds of groups of ten rules for a file name extension each.
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

// table makes the automaton of ranked rules, nil if they have been written so that
// there can be none that is fast. Segments are searched for if that may be and is fast.
// It is long because each rule is of one of five kinds, which are told apart in one pass.
func table(rules []automaton.Rule, search bool) *automaton.Table {
	t := &automaton.Table{Base: automaton.None}
	s := scratches.Get().(*tableScratch)
	defer s.release()
	g, floats := &s.gaps, s.floats[:0]
	slashes := false // a segment that begins with a slash lies behind that of the path
	order := prefixOrder{rules, slices.Grow(s.lengths[:0], len(rules))[:len(rules)]}
	numbers := slices.Grow(s.numbers[:0], len(rules))
	for i := range rules {
		id, r := uint32(i), &rules[i]
		text, rest, gaps := r.Cut()
		switch {
		case text != "" && text[0] != '/' || text == "" && r.Anchored && !gaps:
			// No path is so.
		case text == "" && r.Form == automaton.FormB, gaps && automaton.HasEmptySegment(rest):
			return nil // no robots.txt has such a rule, and a table no place for it
		case gaps && isFloat(text, r.Form == automaton.FormB):
			floats = append(floats, id)
			slashes = slashes || text == "/" && rest[0] == '/'
		case len(text) <= 1 && !r.Anchored && !gaps && r.Form != automaton.FormB:
			t.Base = min(t.Base, id)
		default:
			order.lengths[i] = uint32(len(text))
			numbers = append(numbers, uint64(id))
		}
	}
	for _, id := range floats {
		r := &rules[id]
		text, rest, _ := r.Cut()
		g.add(id, floatsBehind(text, rest, slashes), rest, r)
	}
	order.sort(numbers, 0)
	s.floats, s.lengths, s.numbers, s.prefixes = floats, order.lengths, numbers, order.prefixes(s.prefixes, numbers)
	all := withoutDoubles(rules, s.prefixes)
	waiting(rules, all)
	for _, p := range all {
		if p.wait {
			_, rest, _ := rules[p.rule].Cut()
			g.add(p.rule, p.text, rest, &rules[p.rule])
		}
	}
	before := uint32(0) // the anchors that stand for no prefix
	if search {
		t.Segments = g.segments()
	}
	if t.Segments != nil {
		before = firstAnchor - 1
	} else {
		t.Gaps = g.build()
	}
	b := prefixes{rules: rules, table: t, edges: s.edges, anchor: func(p prefix) uint32 {
		return before + g.anchor(p.text, rules[p.rule].Form == automaton.FormB)
	}}
	built := b.build(all)
	s.edges = b.edges[:0]
	if !built {
		return nil
	}
	return t
}

// tableScratch is what table writes to and nobody needs behind it. It serves one table
// after another.
type tableScratch struct {
	floats   []uint32
	lengths  []uint32
	numbers  []uint64
	prefixes []prefix
	edges    []automaton.Edge
	gaps     gaps
}

var scratches = sync.Pool{New: func() any { return &tableScratch{} }}

// release gives the scratch back, without the texts that it has.
func (s *tableScratch) release() {
	clear(s.prefixes)
	s.prefixes = s.prefixes[:0]
	s.gaps.reset()
	scratches.Put(s)
}

// floatsBehind returns what a rule's first segment waits behind that waits on every
// path. For those that do not begin with a slash it does not matter whether that is the
// slash of the path; where there is no other need for it they wait behind nothing, so
// that there is one search for all.
func floatsBehind(prefix, rest string, slashes bool) string {
	switch {
	case rest[0] == '/':
		return prefix
	case slashes:
		return "/"
	}
	return ""
}

// withoutDoubles leaves out prefixes of rules that another outranks wherever they
// match, since it has the same pattern.
func withoutDoubles(rules []automaton.Rule, all []prefix) []prefix {
	return slices.CompactFunc(all, func(x, y prefix) bool {
		r, q := &rules[x.rule], &rules[y.rule]
		return r.Pattern == q.Pattern && r.Anchored == q.Anchored && (r.Form == automaton.FormB) == (q.Form == automaton.FormB)
	})
}

// maxTries is how many rules with gaps may be tried one by one for a path. Of more
// than that, of one prefix or of prefixes of one another, the segments are searched for.
const maxTries = 2

// waiting says of which prefixes what follows them is searched for.
func waiting(rules []automaton.Rule, all []prefix) {
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
		tried := len(above)+gaps <= maxTries
		for i := range all[:n] {
			if p := &all[i]; p.gaps {
				if p.wait = !tried; tried {
					above = append(above, *p)
				}
			}
		}
		all = all[n:]
	}
}
