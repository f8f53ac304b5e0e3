//go:build !amd64

package format

const fast = false

// index finds nothing, because there is no fast search for this processor.
func index(b []byte, marked octets, marks *[indexed + blockMarks]uint16) int { return 0 }
