package automaton

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

var (
	errColumns    = errors.New("class outside the columns")
	errRows       = errors.New("table is not made of whole rows")
	errTransition = errors.New("transition to no state")
	errWord       = errors.New("state ends a word that does not exist")
	errLength     = errors.New("word of a length that no path to the state has")
)

// check tells whether a match stays inside the tables of words.
func (w *Words) check() error {
	for _, c := range w.class {
		if uint32(c) >= w.columns {
			return errColumns
		}
	}
	if len(w.ends) == 0 || uint64(len(w.next)) != uint64(len(w.ends))*uint64(w.columns) {
		return errRows
	}
	for _, state := range w.next {
		if state%w.columns != 0 || uint64(state) >= uint64(len(w.next)) {
			return errTransition
		}
	}
	depths := w.depths()
	for row, words := range w.ends {
		for _, word := range words {
			if word < 0 || int(word) >= len(w.length) {
				return errWord
			}
			if w.length[word] < 1 || w.length[word] > depths[row] {
				return errLength
			}
		}
	}
	return nil
}

// depths returns for each row the least number of bytes that lead to it. No
// word that ends there may be longer, or it would begin before the header.
func (w *Words) depths() []int32 {
	depths := make([]int32, len(w.ends))
	queue := make([]uint32, 1, len(w.ends))
	for at := 0; at < len(queue); at++ {
		state := queue[at]
		depth := depths[state/w.columns] + 1
		for _, next := range w.next[state : state+w.columns] {
			if next == 0 {
				continue
			}
			if row := next / w.columns; depths[row] == 0 {
				depths[row] = depth
				queue = append(queue, next)
			}
		}
	}
	return depths
}

// abWords is the automaton of the words "ab" and "b", made by hand. Columns:
// 0 anything, 1 'a', 2 'b'. Rows: 0 start, 1 "a", 2 "ab", 3 "b".
func abWords() *Words {
	t := &Words{
		columns: 3,
		next: []uint32{
			0, 3, 9,
			0, 3, 6,
			0, 3, 9,
			0, 3, 9,
		},
		ends:   [][]int32{nil, nil, {0, 1}, {1}},
		length: []int32{2, 1},
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
		{"no rows", func(t *Words) { t.next, t.ends = nil, nil }, "whole rows"},
		{"a cell less", func(t *Words) { t.next = t.next[:11] }, "whole rows"},
		{"a cell more", func(t *Words) { t.next = append(t.next, 0) }, "whole rows"},
		{"a row less than its ends", func(t *Words) { t.ends = append(t.ends, nil) }, "whole rows"},
		{"a column more", func(t *Words) { t.columns = 4 }, "whole rows"},
		{"transition past the end", func(t *Words) { t.next[0] = 12 }, "no state"},
		{"transition far past the end", func(t *Words) { t.next[0] = 1<<32 - 1 }, "no state"},
		{"transition into a row", func(t *Words) { t.next[11] = 4 }, "no state"},
		{"word that does not exist", func(t *Words) { t.ends[3] = []int32{2} }, "word that does not exist"},
		{"negative word", func(t *Words) { t.ends[3] = []int32{-1} }, "word that does not exist"},
		{"word longer than its path", func(t *Words) { t.length[1] = 2 }, "length"},
		{"word of no length", func(t *Words) { t.length[0] = 0 }, "length"},
		{"word of negative length", func(t *Words) { t.length[0] = -1 }, "length"},
		{"word of an unreachable state", func(t *Words) { t.next[5] = 9 }, "length"},
		{"word of the start", func(t *Words) { t.ends[0] = []int32{1} }, "length"},
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
