package compile

import "slices"

// bindings are the groups that bind each token, and the groups for *. A crawler is
// bound by all groups that name it, merged, or, if there are none, by all groups for *,
// merged. In the dialect original the first of these binds it alone.
type bindings struct {
	reading  *reading
	named    []binding // in file order
	wildcard []int
	index    map[string]int // the index of a token in named; nil while there are few
	each     []int          // 0, 1, 2...: a list of one group is a view of this
}

type binding struct {
	token  string
	groups []int
}

// fewTokens is the number of tokens up to which they are compared one by one, which
// costs no more than a map.
const fewTokens = 16

// all binds all groups.
func (b *bindings) all(groups []Group) {
	b.each = slices.Grow(b.each, len(groups))
	for i := range groups {
		b.each = append(b.each, i)
		for j := range groups[i].Agents {
			switch a := &groups[i].Agents[j]; {
			case a.Wildcard:
				b.add(&b.wildcard, i)
			case a.Token != "" || b.reading.emptyTokens:
				b.add(&b.of(a.Token).groups, i)
			}
		}
	}
}

// reset empties the bindings and keeps their arrays.
func (b *bindings) reset() {
	clear(b.named)
	*b = bindings{named: b.named[:0], each: b.each[:0]}
}

// add adds a group to a list, unless it is the last one already, because the group names
// one token twice. Where the first group binds alone, add adds no other.
func (b *bindings) add(groups *[]int, group int) {
	switch n := len(*groups); {
	case n == 0:
		*groups = b.each[group : group+1 : group+1]
	case !b.reading.firstGroup && (*groups)[n-1] != group:
		*groups = append(*groups, group)
	}
}

// of returns the binding of a token. It makes one if there is none.
func (b *bindings) of(token string) *binding {
	if b.index == nil {
		for i := range b.named {
			if b.named[i].token == token {
				return &b.named[i]
			}
		}
		if len(b.named) == fewTokens {
			b.index = map[string]int{}
			for i, n := range b.named {
				b.index[n.token] = i
			}
		}
	} else if i, known := b.index[token]; known {
		return &b.named[i]
	}
	if b.index != nil {
		b.index[token] = len(b.named)
	}
	b.named = append(b.named, binding{token: token})
	return &b.named[len(b.named)-1]
}
