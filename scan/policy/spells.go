package policy

import (
	"cmp"
	"slices"
)

// spell is a run of versions that failed. When it began is known exactly for what
// was deployed.
type spell struct {
	Moment
	first bool // nothing is known before it
}

// findSpells finds the spells for a class of crawlers, sorts them by their
// beginnings, and tells each failed span of its own. The spans are those of
// one origin, in the order of its versions.
//
// Where redirects lead through what was only observed, several pieces may have come
// before another. A failed one is then of the spell of each of these that failed, and
// the spells are one, which began no earlier than any of them and no later than the
// last time that it may have begun.
func findSpells(spans []span, class int) []spell {
	var found []spell
	var joined []int32 // the spell that a spell became part of, itself if it stands
	root := func(s int32) int32 {
		for joined[s] != s {
			joined[s] = joined[joined[s]]
			s = joined[s]
		}
		return s
	}
	ended := make([]int64, len(spans)) // the last end of a piece and those before it
	for i := range spans {
		p := &spans[i]
		if ended[i] = p.end; i > 0 {
			ended[i] = max(ended[i], ended[i-1])
		}
		if p.kind[class] != failed {
			continue
		}
		previous := predecessors(spans, ended, i)
		mine, begins := int32(-1), len(previous) == 0
		for _, j := range previous {
			if spans[j].kind[class] != failed {
				begins = true
				continue
			}
			theirs := root(spans[j].spell[class])
			if mine >= 0 && mine != theirs {
				found[mine].From = min(found[mine].From, found[theirs].From)
				found[mine].To = max(found[mine].To, found[theirs].To)
				found[mine].first = found[mine].first || found[theirs].first
				joined[theirs] = mine
			} else {
				mine = theirs
			}
		}
		if mine < 0 {
			mine = int32(len(found))
			joined = append(joined, mine)
			found = append(found, spell{Moment{p.start, p.begun}, len(previous) == 0})
		} else if begins {
			found[mine].From = min(found[mine].From, p.start)
			found[mine].To = max(found[mine].To, p.begun)
		}
		p.spell[class] = mine
	}

	order := make([]int32, 0, len(found))
	for s := range found {
		if joined[s] == int32(s) {
			order = append(order, int32(s))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(found[a].From, found[b].From) })
	number := make([]int32, len(found))
	sorted := make([]spell, len(order))
	for to, from := range order {
		number[from], sorted[to] = int32(to), found[from]
	}
	for i := range spans {
		if spans[i].kind[class] == failed {
			spans[i].spell[class] = number[root(spans[i].spell[class])]
		}
	}
	return sorted
}

// predecessors returns the indexes of the spans after which span i may have come
// into force: those of earlier versions that may still have been in force when it
// may have begun, and if there are none the one that ended where it began.
func predecessors(spans []span, ended []int64, i int) []int {
	var list []int
	p := &spans[i]
	for j := i - 1; j >= 0 && ended[j] > p.start; j-- {
		if spans[j].end > p.start && spans[j].start <= p.begun {
			list = append(list, j)
		}
	}
	if list == nil && i > 0 {
		list = []int{i - 1}
	}
	return list
}
