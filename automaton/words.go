package automaton

import (
	"errors"
	"fmt"
)

// Words finds any number of words in a header in one pass over its bytes: an
// Aho-Corasick automaton over byte classes that ignores ASCII case. It is
// immutable and safe for any number of goroutines. The zero value knows no word.
//
// A word is found only whole: ASCII letters, digits, '-', '_' and all bytes from
// 0x80 belong to a word, so that "bot" is found in "a bot/1" but not in
// "robot", "bot-x" or "my_bot". An edge of a word that is itself another byte,
// such as the end of "Yahoo!", needs no boundary beside it.
type Words struct {
	t WordTable
}

// WordTable is the automaton that a Words runs. Package compile makes it.
type WordTable struct {
	// Class maps a byte to its column.
	Class [256]uint8
	// Columns is the number of classes.
	Columns uint32
	// Next[state+class] is the next state. A state is the index of its row, so
	// that a step is one addition and one load; row 0 is the start.
	Next []uint32
	// Ends lists for each row the words that end in its state, the longer first.
	Ends [][]int32
	// Length is the length of each word in bytes.
	Length []int32
}

// Hit is one word found: words[Word] stands at header[Start:End].
type Hit struct {
	Word, Start, End int
}

var (
	errColumns    = errors.New("class outside the columns")
	errRows       = errors.New("table is not made of whole rows")
	errTransition = errors.New("transition to no state")
	errWord       = errors.New("state ends a word that does not exist")
	errLength     = errors.New("word of a length that no path to the state has")
)

// NewWords makes a Words of a table, which it keeps. It refuses one that could
// lead a match outside the table.
func NewWords(t WordTable) (*Words, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("automaton: words: %w", err)
	}
	return &Words{t: t}, nil
}

func (t *WordTable) check() error {
	for _, c := range t.Class {
		if uint32(c) >= t.Columns {
			return errColumns
		}
	}
	if len(t.Ends) == 0 || uint64(len(t.Next)) != uint64(len(t.Ends))*uint64(t.Columns) {
		return errRows
	}
	inverse := t.inverse()
	for _, state := range t.Next {
		if row := uint64(state) * inverse >> 32; row*uint64(t.Columns) != uint64(state) || row >= uint64(len(t.Ends)) {
			return errTransition
		}
	}
	depths := t.depths()
	for row, words := range t.Ends {
		for _, word := range words {
			if word < 0 || int(word) >= len(t.Length) {
				return errWord
			}
			if t.Length[word] < 1 || t.Length[word] > depths[row] {
				return errLength
			}
		}
	}
	return nil
}

// inverse is what a state is multiplied by, and shifted right by 32 then, for its row: a
// table of all known crawlers has 80,000 transitions, and to divide each takes a
// millisecond. It is at most 1 more than 1<<32 by Columns, and a state is less than
// 1<<32, so for a multiple of Columns the row is exact.
func (t *WordTable) inverse() uint64 { return 1<<32/uint64(t.Columns) + 1 }

// depths returns for each row the least number of bytes that lead to it. No
// word that ends there may be longer, or it would begin before the header.
func (t *WordTable) depths() []int32 {
	inverse := t.inverse()
	depths := make([]int32, len(t.Ends))
	queue := make([]uint32, 1, len(t.Ends))
	for at := 0; at < len(queue); at++ {
		state := queue[at]
		depth := depths[uint64(state)*inverse>>32] + 1
		for _, next := range t.Next[state : state+t.Columns] {
			if next == 0 {
				continue
			}
			if row := uint64(next) * inverse >> 32; depths[row] == 0 {
				depths[row] = depth
				queue = append(queue, next)
			}
		}
	}
	return depths
}

// Append appends the words that stand whole in header to dst, in the order in
// which they end, the longer first where two end together. It allocates only
// where dst must grow.
func (w *Words) Append(dst []Hit, header []byte) []Hit {
	if len(w.t.Next) == 0 {
		return dst
	}
	state := uint32(0)
	for i, c := range header {
		state = w.t.Next[state+uint32(w.t.Class[c])]
		if state == 0 {
			continue
		}
		for _, word := range w.t.Ends[state/w.t.Columns] {
			start := i + 1 - int(w.t.Length[word])
			if whole(header, start, i+1) {
				dst = append(dst, Hit{Word: int(word), Start: start, End: i + 1})
			}
		}
	}
	return dst
}

// whole tells whether header[start:end] is bounded on both sides.
func whole(header []byte, start, end int) bool {
	return (start == 0 || !IsWordByte(header[start-1]) || !IsWordByte(header[start])) &&
		(end == len(header) || !IsWordByte(header[end]) || !IsWordByte(header[end-1]))
}

// IsWordByte tells whether c belongs to a word: an ASCII letter or digit, '-',
// '_', or a byte from 0x80, which is part of some other script's letter.
func IsWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= 0x80
}
