package automaton

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	errColumns = errors.New("class outside the columns")
	errRows    = errors.New("table is not made of the rows of nodes")
	errNode    = errors.New("transition to no later node")
	errTable   = errors.New("table and lists differ")
	errWord    = errors.New("node ends a word that does not exist, or does not follow in its list")
)

// check tells whether a search stays inside the tables of words and comes to its end.
func (w *Words) check() error {
	for _, c := range w.class {
		if uint32(c) >= w.columns {
			return errColumns
		}
	}
	if w.rows == 0 || uint64(w.rows) > uint64(len(w.nodes)) || uint64(len(w.table)) != uint64(w.rows)*uint64(w.columns) {
		return errRows
	}
	for at, n := range w.nodes {
		for _, next := range []uint32{n.child, n.sibling} {
			if uint64(next) >= uint64(len(w.nodes)) || next != 0 && next == uint32(at) {
				return errNode
			}
		}
		if n.child != 0 && n.child < uint32(at) || n.sibling > uint32(at) { // a list has the newest first
			return errNode
		}
		if uint32(n.class) >= w.columns {
			return errColumns
		}
		before := int32(-1)
		for word := n.word; word != -1; before, word = word, w.same[word] {
			if word <= before || int(word) >= len(w.same) {
				return errWord
			}
		}
	}
	for node := range w.rows {
		for class := range w.columns {
			if w.table[node*w.columns+class] != w.listed(node, uint8(class)) {
				return errTable
			}
		}
	}
	return nil
}

// abWords is the trie of the words "ab", "b" and "B", made by hand. Columns: 0 anything,
// 1 'a', 2 'b'. Nodes: 0 the root, 1 "a", 2 "b", 3 "ab".
func abWords() *Words {
	t := &Words{
		columns: 3,
		rows:    3,
		table: []uint32{
			0, 1, 2,
			0, 0, 3,
			0, 0, 0,
		},
		nodes: []trieNode{{child: 2, word: -1}, {child: 3, word: -1, class: 1}, {sibling: 1, word: 1, class: 2}, {word: 0, class: 2}},
		same:  []int32{-1, 2, -1},
	}
	t.class['a'], t.class['A'], t.class['b'], t.class['B'] = 1, 1, 2, 2
	return t
}

func TestSpoiltWords(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Words)
		want  string
	}{
		{"zero table", func(t *Words) { *t = Words{} }, "class outside"},
		{"class outside the columns", func(t *Words) { t.class[255] = 3 }, "class outside"},
		{"no columns", func(t *Words) { t.columns = 0 }, "class outside"},
		{"node of a class outside the columns", func(t *Words) { t.nodes[3].class = 3 }, "class outside"},
		{"no rows", func(t *Words) { t.table, t.rows = nil, 0 }, "rows of nodes"},
		{"no nodes", func(t *Words) { t.nodes = nil }, "rows of nodes"},
		{"a cell less", func(t *Words) { t.table = t.table[:8] }, "rows of nodes"},
		{"a cell more", func(t *Words) { t.table = append(t.table, 0) }, "rows of nodes"},
		{"a column more", func(t *Words) { t.columns = 4 }, "rows of nodes"},
		{"transition past the end", func(t *Words) { t.nodes[1].child = 4 }, "no later node"},
		{"transition far past the end", func(t *Words) { t.nodes[2].sibling = 1<<32 - 1 }, "no later node"},
		{"transition to itself", func(t *Words) { t.nodes[3].child = 3 }, "no later node"},
		{"transition back", func(t *Words) { t.nodes[3].child = 1 }, "no later node"},
		{"list without an end", func(t *Words) { t.nodes[1].sibling = 2 }, "no later node"},
		{"cell of another node", func(t *Words) { t.table[1] = 2 }, "table and lists differ"},
		{"cell without a node", func(t *Words) { t.table[8] = 3 }, "table and lists differ"},
		{"word that does not exist", func(t *Words) { t.nodes[3].word = 3 }, "does not exist"},
		{"negative word", func(t *Words) { t.nodes[3].word = -2 }, "does not exist"},
		{"words without an end", func(t *Words) { t.same[2] = 1 }, "does not follow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := abWords()
			if err := w.check(); err != nil {
				t.Fatal(err)
			}
			c.spoil(w)
			if err := w.check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestWordsAreSound checks what NewWords makes.
func TestWordsAreSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		var list []string
		for range rng.IntN(9) {
			word := string("ab-B./"[rng.IntN(6)])
			for range rng.IntN(4) {
				word += string("ab-B./"[rng.IntN(6)])
			}
			list = append(list, word)
		}
		w, err := NewWords(list)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.check(); err != nil {
			t.Errorf("%q: %v", list, err)
		}
	}
}
