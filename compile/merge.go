package compile

import (
	"cmp"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// maxParts is how many groups of one crawler stay parts of its machine. A match looks at each
// part. Real files have one to three.
const maxParts = 16

// maxMerged bounds the rules in merged lists, in multiples of all rules of the file. Many
// crawlers may each be named by other groups: if each of them had a list of its own, the
// memory would grow with the square of the file.
const maxMerged = 4

// plan chooses the crawlers with many groups whose groups are merged, all but the largest:
// those with the most groups first, as far as maxMerged allows.
func (m *machines) plan(b *bindings) {
	var many [][]int
	for _, n := range b.named {
		if len(n.groups) > maxParts {
			many = append(many, n.groups)
		}
	}
	if len(b.wildcard) > maxParts {
		many = append(many, b.wildcard)
	}
	if len(many) == 0 {
		return
	}
	slices.SortStableFunc(many, func(x, y []int) int { return cmp.Compare(len(y), len(x)) })
	room := 0
	for _, g := range m.Groups {
		room += maxMerged * len(g.Rules)
	}
	m.merged = map[string]bool{}
	for _, groups := range many {
		key := groupsKey(groups)
		if m.merged[key] {
			continue
		}
		_, small := m.bySize(groups)
		rules := 0
		for _, g := range small {
			rules += len(m.Groups[g].Rules)
		}
		if rules <= room {
			room -= rules
			m.merged[key] = true
		}
	}
}

// bySize returns the groups with the most rules, which stay parts, and the others in
// file order.
func (m *machines) bySize(groups []int) (large, small []int) {
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(x, y int) int {
		return cmp.Compare(len(m.Groups[y].Rules), len(m.Groups[x].Rules))
	})
	large, small = sorted[:maxParts-1], sorted[maxParts-1:]
	slices.Sort(small)
	return large, small
}

// merge makes one machine of several groups.
func (m *machines) merge(groups []int) *automaton.Machine {
	var all Group
	for _, g := range groups {
		all.Rules = append(all.Rules, m.Groups[g].Rules...)
	}
	k := ranker{reading: m.o.reading()}
	k.makeRoom([]Group{all})
	b := automaton.NewBuilder(m.o.Dialect, 1, 0)
	return must(b.Machine(k.rank(all), m.o.Engine.Table))
}
