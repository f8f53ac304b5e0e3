package automaton

import "fmt"

// Words finds any number of words in a header: a trie over byte classes that ignores ASCII
// case, in which each place of the header is followed where a word may begin. It is immutable
// and safe for any number of goroutines. The zero value knows no word.
//
// A word is found only whole: ASCII letters, digits, '-', '_' and all bytes from 0x80
// belong to a word, so that "bot" is found in "a bot/1" but not in "robot", "bot-x" or
// "my_bot". An edge of a word that is itself another byte, such as the end of "Yahoo!",
// needs no boundary beside it. So most places are no beginning, and most beginnings end at
// the second byte: the transitions of the root and its children are in a table, those of
// all other nodes in lists. The table is small enough to be made at each start of a program.
type Words struct {
	class   [256]uint8 // the column of each byte
	columns uint32
	rows    uint32   // how many nodes are in table
	table   []uint32 // table[node*columns+class] is the child of a node, 0 if there is none
	nodes   []trieNode
	same    []int32 // for each word the next that ends in its node, -1 if there is none
}

// trieNode is a node of the trie of Words, known by its index; 0 is the root.
type trieNode struct {
	child, sibling uint32 // the first in its list, and the next in the list that it is in; 0 at the end
	word           int32  // the first that ends here, -1 if none does
	class          uint8  // of the transition that leads here
}

// Hit is one word found: words[Word] stands at header[Start:End].
type Hit struct {
	Word, Start, End int
}

// NewWords makes a Words of a list. A word is known by its index in the list. Words that
// differ in nothing but ASCII case are found together. An empty word is an error.
func NewWords(words []string) (*Words, error) {
	length := 0
	for i, word := range words {
		if word == "" {
			return nil, fmt.Errorf("automaton: word %d is empty", i)
		}
		length += len(word)
	}
	w := &Words{nodes: make([]trieNode, 1, length+1), same: make([]int32, len(words))}
	w.nodes[0].word = -1
	w.classify(words)
	for _, word := range words {
		w.enter(word[:1])
	}
	w.rows = uint32(len(w.nodes))
	w.table = make([]uint32, w.rows*w.columns)
	for i, word := range words {
		w.end(w.enter(word), int32(i))
	}
	for node := range w.rows {
		for child := w.nodes[node].child; child != 0; child = w.nodes[child].sibling {
			w.table[node*w.columns+uint32(w.nodes[child].class)] = child
		}
	}
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

// enter returns the node of a word, and makes the nodes on the way that are missing.
func (w *Words) enter(word string) uint32 {
	node := uint32(0)
	for i := range len(word) {
		class := w.class[word[i]]
		child := w.listed(node, class)
		if child == 0 {
			child = uint32(len(w.nodes))
			w.nodes = append(w.nodes, trieNode{sibling: w.nodes[node].child, word: -1, class: class})
			w.nodes[node].child = child
		}
		node = child
	}
	return node
}

// end notes that a word, which has the highest index so far, ends in a node.
func (w *Words) end(node uint32, word int32) {
	at := &w.nodes[node].word
	for *at >= 0 {
		at = &w.same[*at]
	}
	*at, w.same[word] = word, -1
}

// listed returns a child of a node by its list, 0 if there is none.
func (w *Words) listed(node uint32, class uint8) uint32 {
	child := w.nodes[node].child
	for child != 0 && w.nodes[child].class != class {
		child = w.nodes[child].sibling
	}
	return child
}

// Append appends the words that stand whole in header to dst, in the order in which they
// end, the longer first where two end together. It allocates only where dst must grow.
func (w *Words) Append(dst []Hit, header []byte) []Hit {
	if len(w.table) == 0 {
		return dst
	}
	hits, inWord := len(dst), false
	for start, c := range header {
		isPart, wasPart := IsWordByte(c), inWord
		inWord = isPart
		if isPart && wasPart {
			continue
		}
		if node := w.table[w.class[c]]; node != 0 {
			dst = w.follow(dst, hits, header, start, node)
		}
	}
	return dst
}

// follow appends the words that begin at start, where the first byte leads to a node, in their
// places among dst[hits:].
func (w *Words) follow(dst []Hit, hits int, header []byte, start int, node uint32) []Hit {
	for end := start + 1; ; end++ {
		for word := w.nodes[node].word; word >= 0; word = w.same[word] {
			if !whole(header, start, end) {
				break
			}
			dst = append(dst, Hit{Word: int(word), Start: start, End: end})
			for i := len(dst) - 1; i > hits && dst[i-1].End > end; i-- {
				dst[i-1], dst[i] = dst[i], dst[i-1]
			}
		}
		if end == len(header) {
			return dst
		}
		if class := w.class[header[end]]; node < w.rows {
			node = w.table[node*w.columns+uint32(class)]
		} else {
			node = w.listed(node, class)
		}
		if node == 0 {
			return dst
		}
	}
}

// whole reports whether header[start:end] is bounded on both sides.
func whole(header []byte, start, end int) bool {
	return (start == 0 || !IsWordByte(header[start-1]) || !IsWordByte(header[start])) &&
		(end == len(header) || !IsWordByte(header[end]) || !IsWordByte(header[end-1]))
}

// IsWordByte reports whether c belongs to a word: an ASCII letter or digit, '-', '_', or a
// byte from 0x80, which is part of some other script's letter.
func IsWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= 0x80
}
