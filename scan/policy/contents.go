package policy

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
)

// contents numbers what machines say, apart from the lines that they say it by, so
// that machines of different versions are known to be alike. The zero value is ready
// for use; it is safe for any number of goroutines.
type contents struct {
	mu      sync.Mutex
	known   map[[2]*automaton.Machine]int32
	numbers map[[sha256.Size]byte]int32
}

// number returns the number of what two machines say together, the second of which may
// be nil: equal numbers only if each says of every path what the other one's does.
func (c *contents) number(first, second *automaton.Machine) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	pair := [2]*automaton.Machine{first, second}
	n, ok := c.known[pair]
	if ok {
		return n
	}
	if c.known == nil {
		c.known, c.numbers = map[[2]*automaton.Machine]int32{}, map[[sha256.Size]byte]int32{}
	}
	h := sha256.New()
	hashMachine(h, first)
	hashMachine(h, second)
	sum := [sha256.Size]byte(h.Sum(nil))
	if n, ok = c.numbers[sum]; !ok {
		n = int32(len(c.numbers))
		c.numbers[sum] = n
	}
	c.known[pair] = n
	return n
}

// hashMachine hashes the rules of a machine, each list in the order of its rank and
// with lengths before what has one, so that no two machines of one dialect that say
// different things are hashed alike.
func hashMachine(h hash.Hash, m *automaton.Machine) {
	lists := m.Lists()
	var b []byte
	b = binary.AppendUvarint(b, uint64(len(lists)))
	for _, rules := range lists {
		b = binary.AppendUvarint(b, uint64(len(rules)))
		for i := range rules {
			r := &rules[i]
			flags := uint64(r.Form) << 2
			if r.Anchored {
				flags |= 1
			}
			if r.Verdict.Disallowed {
				flags |= 2
			}
			b = binary.AppendUvarint(b, flags)
			if len(lists) > 1 {
				b = binary.AppendUvarint(b, r.Rank) // the lists outrank each other
			}
			b = binary.AppendUvarint(b, uint64(len(r.Pattern)))
			b = append(b, r.Pattern...)
			if len(b) > 4<<10 {
				h.Write(b)
				b = b[:0]
			}
		}
	}
	h.Write(b)
}
