package automaton_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
)

// abTable is the automaton of the words "ab" and "b", made by hand. Columns:
// 0 anything, 1 'a', 2 'b'. Rows: 0 start, 1 "a", 2 "ab", 3 "b".
func abTable() automaton.WordTable {
	t := automaton.WordTable{
		Columns: 3,
		Next: []uint32{
			0, 3, 9,
			0, 3, 6,
			0, 3, 9,
			0, 3, 9,
		},
		Ends:   [][]int32{nil, nil, {0, 1}, {1}},
		Length: []int32{2, 1},
	}
	t.Class['a'], t.Class['A'], t.Class['b'], t.Class['B'] = 1, 1, 2, 2
	return t
}

func TestNewWordsRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*automaton.WordTable)
		want  string
	}{
		{"zero table", func(t *automaton.WordTable) { *t = automaton.WordTable{} }, "class outside"},
		{"class outside the columns", func(t *automaton.WordTable) { t.Class[255] = 3 }, "class outside"},
		{"no columns", func(t *automaton.WordTable) { t.Columns = 0 }, "class outside"},
		{"no rows", func(t *automaton.WordTable) { t.Next, t.Ends = nil, nil }, "whole rows"},
		{"a cell less", func(t *automaton.WordTable) { t.Next = t.Next[:11] }, "whole rows"},
		{"a cell more", func(t *automaton.WordTable) { t.Next = append(t.Next, 0) }, "whole rows"},
		{"a row less than its ends", func(t *automaton.WordTable) { t.Ends = append(t.Ends, nil) }, "whole rows"},
		{"a column more", func(t *automaton.WordTable) { t.Columns = 4 }, "whole rows"},
		{"transition past the end", func(t *automaton.WordTable) { t.Next[0] = 12 }, "no state"},
		{"transition far past the end", func(t *automaton.WordTable) { t.Next[0] = 1<<32 - 1 }, "no state"},
		{"transition into a row", func(t *automaton.WordTable) { t.Next[11] = 4 }, "no state"},
		{"word that does not exist", func(t *automaton.WordTable) { t.Ends[3] = []int32{2} }, "word that does not exist"},
		{"negative word", func(t *automaton.WordTable) { t.Ends[3] = []int32{-1} }, "word that does not exist"},
		{"word longer than its path", func(t *automaton.WordTable) { t.Length[1] = 2 }, "length"},
		{"word of no length", func(t *automaton.WordTable) { t.Length[0] = 0 }, "length"},
		{"word of negative length", func(t *automaton.WordTable) { t.Length[0] = -1 }, "length"},
		{"word of an unreachable state", func(t *automaton.WordTable) { t.Next[5] = 9 }, "length"},
		{"word of the start", func(t *automaton.WordTable) { t.Ends[0] = []int32{1} }, "length"},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := abTable()
			c.spoil(&table)
			w, err := automaton.NewWords(table)
			if w != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v and error %v, want one with %q", w, err, c.want)
			}
		})
	}
}

func mustWords(t testing.TB, table automaton.WordTable) *automaton.Words {
	t.Helper()
	w, err := automaton.NewWords(table)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestNewWordsAccepts(t *testing.T) {
	for name, table := range map[string]automaton.WordTable{
		"one state":              {Columns: 1, Next: []uint32{0}, Ends: [][]int32{nil}},
		"words that end nowhere": {Columns: 1, Next: []uint32{0}, Ends: [][]int32{nil}, Length: []int32{0, 7}},
	} {
		if got := mustWords(t, table).Append(nil, []byte("any header")); got != nil {
			t.Errorf("%s: found %v", name, got)
		}
	}
}

func TestWordsAppend(t *testing.T) {
	type hits = [][3]int // word, start, end
	w := mustWords(t, abTable())
	for header, want := range map[string]hits{
		"":            nil,
		"ab":          {{0, 0, 2}}, // the "b" in it is not whole
		"b":           {{1, 0, 1}},
		"AB aB B":     {{0, 0, 2}, {0, 3, 5}, {1, 6, 7}},
		"a b":         {{1, 2, 3}},
		"a/b;ab":      {{1, 2, 3}, {0, 4, 6}},
		"aab ab1 abb": nil,
		"-b b- _b b_": nil,
		"\x80b b\xff": nil,
		".b. b\x00(b": {{1, 1, 2}, {1, 4, 5}, {1, 7, 8}},
	} {
		var got hits
		for _, hit := range w.Append(nil, []byte(header)) {
			got = append(got, [3]int{hit.Word, hit.Start, hit.End})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", header, got, want)
		}
	}
}

// TestWordsAppendKeepsWhatIsThere: hits come after those that dst has.
func TestWordsAppendKeepsWhatIsThere(t *testing.T) {
	first := automaton.Hit{Word: 9, Start: 8, End: 7}
	got := mustWords(t, abTable()).Append([]automaton.Hit{first}, []byte("b"))
	if want := []automaton.Hit{first, {Word: 1, End: 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestZeroWordsKnowNoWord(t *testing.T) {
	var w automaton.Words
	if got := w.Append(nil, []byte("any header")); got != nil {
		t.Errorf("found %v", got)
	}
}

func TestIsWordByte(t *testing.T) {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
	for c := range 256 {
		want := c >= 0x80 || strings.IndexByte(letters, byte(c)) >= 0
		if got := automaton.IsWordByte(byte(c)); got != want {
			t.Errorf("%q: got %v", byte(c), got)
		}
		token := c < 0x80 && want || c == '.'
		if got := automaton.IsTokenByte(byte(c)); got != token {
			t.Errorf("token byte %q: got %v", byte(c), got)
		}
	}
}
