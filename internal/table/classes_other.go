//go:build !amd64

package table

// In64 returns which of the first 64 octets of b, or of as many as there are, are in
// one of the lower four classes, and which in one of the higher; b is not empty.
func (c *Classes) In64(b []byte) (low, high uint64) { return c.slow64(b) }

// triples64 is the set of places among the first 64 octets of b where a class of c[0]
// is also one of c[1] for the next octet and one of c[2] for the one behind that. Where
// b has no two octets behind a place, that may be in the set or not.
func triples64(c *[3]Classes, b []byte) uint64 { return slowTriples64(c, b) }
