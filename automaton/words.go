package automaton

import (
	"cmp"
	"fmt"
	"slices"
)

// Words finds any number of words in a header in one pass over its bytes: an
// Aho-Corasick automaton over byte classes that ignores ASCII case. It is immutable and
// safe for any number of goroutines. The zero value knows no word.
//
// A word is found only whole: ASCII letters, digits, '-', '_' and all bytes from 0x80
// belong to a word, so that "bot" is found in "a bot/1" but not in "robot", "bot-x" or
// "my_bot". An edge of a word that is itself another byte, such as the end of "Yahoo!",
// needs no boundary beside it.
type Words struct {
	class   [256]uint8 // the column of each byte
	columns uint32
	// next[state+class] is the next state. A state is the index of its row, so that a step
	// is one addition and one load; row 0 is the start.
	next   []uint32
	ends   [][]int32 // for each row the words that end in its state, the longer first
	length []int32   // of each word in bytes
}

// Hit is one word found: words[Word] stands at header[Start:End].
type Hit struct {
	Word, Start, End int
}

// NewWords makes a Words of a list. A word is known by its index in the list. Words that
// differ in nothing but ASCII case are found together. An empty word is an error.
func NewWords(words []string) (*Words, error) {
	w := &Words{}
	states := 1 // at most
	for i, word := range words {
		if word == "" {
			return nil, fmt.Errorf("automaton: word %d is empty", i)
		}
		w.length = append(w.length, int32(len(word)))
		states += len(word)
	}
	w.classify(words)
	w.next, w.ends = make([]uint32, 0, states*int(w.columns)), make([][]int32, 0, states)
	w.link(w.trie(words))
	return w, nil
}

// classify gives every byte that stands in a word a class of its own, shared with its
// other case, and all the rest class 0.
func (w *Words) classify(words []string) {
	w.columns = 1
	for _, word := range words {
		for i := range len(word) {
			c := lower(word[i])
			if w.class[c] != 0 {
				continue
			}
			w.class[c] = uint8(w.columns)
			if 'a' <= c && c <= 'z' {
				w.class[c&^0x20] = uint8(w.columns)
			}
			w.columns++
		}
	}
}

// transition is a transition of the trie, from a state at a depth.
type transition struct {
	from, class uint32
	depth       int
}

// trie enters the words; a transition to 0 is one that no word makes. It returns the
// transitions in the order in which they were made.
func (w *Words) trie(words []string) (transitions []transition) {
	w.addState()
	for i, word := range words {
		state := uint32(0)
		for depth := range len(word) {
			class := uint32(w.class[word[depth]])
			if w.next[state+class] == 0 {
				transitions = append(transitions, transition{state, class, depth})
				w.next[state+class] = w.addState()
			}
			state = w.next[state+class]
		}
		row := state / w.columns
		w.ends[row] = append(w.ends[row], int32(i))
	}
	slices.SortStableFunc(transitions, func(x, y transition) int { return cmp.Compare(x.depth, y.depth) })
	return transitions
}

func (w *Words) addState() uint32 {
	w.next = append(w.next, make([]uint32, w.columns)...)
	w.ends = append(w.ends, nil)
	return uint32(len(w.next)) - w.columns
}

// link turns the trie into a complete automaton (Aho and Corasick, 1975): where a state
// has no transition it takes that of the longest suffix which is a state too, and it
// inherits the words that end in that suffix. Transitions are in the order of their
// depth, so that those of a suffix, which is shorter, are complete.
func (w *Words) link(transitions []transition) {
	fail := make([]uint32, len(w.ends))
	for _, t := range transitions {
		state := w.next[t.from+t.class]
		suffix := uint32(0)
		if t.depth > 0 {
			suffix = w.next[fail[t.from/w.columns]+t.class]
		}
		row := state / w.columns
		fail[row] = suffix
		w.ends[row] = append(w.ends[row], w.ends[suffix/w.columns]...)
		inherited := w.next[suffix : suffix+w.columns]
		for class, next := range w.next[state : state+w.columns] {
			if next == 0 {
				w.next[state+uint32(class)] = inherited[class]
			}
		}
	}
}

// Append appends the words that stand whole in header to dst, in the order in which they
// end, the longer first where two end together. It allocates only where dst must grow.
func (w *Words) Append(dst []Hit, header []byte) []Hit {
	if len(w.next) == 0 {
		return dst
	}
	state := uint32(0)
	for i, c := range header {
		state = w.next[state+uint32(w.class[c])]
		if state == 0 {
			continue
		}
		for _, word := range w.ends[state/w.columns] {
			start := i + 1 - int(w.length[word])
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

// IsWordByte tells whether c belongs to a word: an ASCII letter or digit, '-', '_', or a
// byte from 0x80, which is part of some other script's letter.
func IsWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= 0x80
}
