//go:build !amd64

package automaton

// in64 returns which of the first 64 octets of b, or of as many as there are, are in
// one of the lower four classes, and which in one of the higher; b is not empty.
func (c *Classes) in64(b []byte) (low, high uint64) { return c.slow64(b) }

// pairs64 is the set of places among the first 64 octets of b, which is not empty,
// where a class of c[0] is also one of c[1] for the next octet; at the last octet
// of b any class of c[0] will do.
func pairs64(c *[2]Classes, b []byte) uint64 { return slowPairs64(c, b) }
