package table

import "math/bits"

// symbolSet is a set of symbols, 64 per word. blocks has a bit for each nonzero word.
type symbolSet struct {
	words, blocks []uint64
	n             int
}

// reset makes the set empty, with capacity for the given number of symbols.
func (s *symbolSet) reset(symbols int) {
	words := symbols/64 + 1
	if len(s.words) < words {
		s.words, s.blocks = make([]uint64, words), make([]uint64, words/64+1)
	} else if s.n > 0 {
		clear(s.words)
		clear(s.blocks)
	}
	s.n = 0
}

// add adds a symbol, and reports whether it is new.
func (s *symbolSet) add(symbol uint32) bool {
	word, bit := &s.words[symbol/64], uint64(1)<<(symbol%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	s.blocks[symbol/4096] |= 1 << (symbol / 64 % 64)
	s.n++
	return true
}

// remove removes a symbol, which must be in the set.
func (s *symbolSet) remove(symbol uint32) {
	word := &s.words[symbol/64]
	*word &^= 1 << (symbol % 64)
	if *word == 0 {
		s.blocks[symbol/4096] &^= 1 << (symbol / 64 % 64)
	}
	s.n--
}

// last returns the last symbol of the set up to one, or None if there is none.
func (s *symbolSet) last(symbol uint32) uint32 {
	at := symbol / 64
	if word := s.words[at] & upTo(symbol); word != 0 {
		return at*64 + top(word)
	}
	for at > 0 {
		at--
		if block := s.blocks[at/64] & upTo(at); block != 0 {
			at = at&^63 + top(block)
			return at*64 + top(s.words[at])
		}
		at &^= 63
	}
	return None
}

// upTo returns a word with all bits up to a number's bit set.
func upTo(n uint32) uint64 { return 2<<(n%64) - 1 }

// top is the highest bit that is set.
func top(word uint64) uint32 { return uint32(bits.Len64(word) - 1) }
