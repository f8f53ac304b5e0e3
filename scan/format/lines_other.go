//go:build !amd64

package format

const fast = false

// index finds nothing: there is no fast search for this processor.
func index(b []byte, marked octets, marks *[indexed + blockMarks]uint16) int { return 0 }

// markBits sets no bits.
func markBits(b []byte, marked octets, bits *bitMarks) int { return 0 }
