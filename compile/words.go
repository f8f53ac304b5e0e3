package compile

import (
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/automaton"
)

var errEmptyWord = errors.New("empty word")

// Words makes the automaton that finds a list of words in a header. A word is
// known by its index in the list. Words that differ in nothing but ASCII case
// are found together. The error is that of an empty word.
func Words(words []string) (*automaton.Words, error) {
	w := &wordBuilder{}
	states := 1 // at most
	for i, word := range words {
		if word == "" {
			return nil, fmt.Errorf("word %d: %w", i, errEmptyWord)
		}
		w.Length = append(w.Length, int32(len(word)))
		states += len(word)
	}
	w.classify(words)
	w.Next, w.Ends = make([]uint32, 0, states*int(w.Columns)), make([][]int32, 0, states)
	w.link(w.trie(words))
	return automaton.NewWords(w.WordTable)
}

// wordBuilder makes the table: first the trie of the words, then, for every
// byte that leads out of it, the transition of the longest suffix of what was
// read that is in the trie (Aho and Corasick, 1975).
type wordBuilder struct{ automaton.WordTable }

// classify gives every byte that stands in a word a class of its own, shared
// with its other case, and all the rest class 0.
func (w *wordBuilder) classify(words []string) {
	w.Columns = 1
	for _, word := range words {
		for i := range len(word) {
			c := word[i]
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			if w.Class[c] != 0 {
				continue
			}
			w.Class[c] = uint8(w.Columns)
			if 'a' <= c && c <= 'z' {
				w.Class[c&^0x20] = uint8(w.Columns)
			}
			w.Columns++
		}
	}
}

// trie enters the words; a transition to 0 is one that no word makes. It
// returns the states in the order in which they were made, each with the one
// before it and the class that leads to it.
func (w *wordBuilder) trie(words []string) (edges []edge) {
	w.addState()
	for i, word := range words {
		state := uint32(0)
		for j := range len(word) {
			class := uint32(w.Class[word[j]])
			if w.Next[state+class] == 0 {
				edges = append(edges, edge{from: state, class: class, depth: j})
				w.Next[state+class] = w.addState()
			}
			state = w.Next[state+class]
		}
		row := state / w.Columns
		w.Ends[row] = append(w.Ends[row], int32(i))
	}
	return edges
}

// edge is a transition of the trie; depth is the depth of its origin.
type edge struct {
	from, class uint32
	depth       int
}

func (w *wordBuilder) addState() uint32 {
	state := uint32(len(w.Next))
	w.Next = append(w.Next, make([]uint32, w.Columns)...)
	w.Ends = append(w.Ends, nil)
	return state
}

// link turns the trie into a complete automaton, shallow states first: where a
// state has no transition it takes that of the longest suffix which is a state
// too, and it inherits the words which that suffix ends in.
func (w *wordBuilder) link(edges []edge) {
	fail := make([]uint32, len(w.Ends))
	longest := 0
	for _, e := range edges {
		longest = max(longest, e.depth)
	}
	byDepth := make([][]edge, longest+1)
	for _, e := range edges {
		byDepth[e.depth] = append(byDepth[e.depth], e)
	}
	for depth, level := range byDepth {
		// All transitions out of this depth are known before those of the next
		// are completed, since a suffix is shorter than what it is a suffix of.
		for _, e := range level {
			state := w.Next[e.from+e.class]
			suffix := uint32(0)
			if depth > 0 {
				suffix = w.Next[fail[e.from/w.Columns]+e.class]
			}
			row := state / w.Columns
			fail[row] = suffix
			w.Ends[row] = append(w.Ends[row], w.Ends[suffix/w.Columns]...)
			inherited := w.Next[suffix : suffix+w.Columns]
			for class, next := range w.Next[state : state+w.Columns] {
				if next == 0 {
					w.Next[state+uint32(class)] = inherited[class]
				}
			}
		}
	}
}
