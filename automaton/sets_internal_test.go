package automaton

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/table"
)

// TestSetsAreExact: each set of bytes holds what it is written to hold, and nothing
// that cannot be told from it.
func TestSetsAreExact(t *testing.T) {
	notCanonicals := ""
	for octet := range 256 {
		if octets[octet]&(rawEscaped|rawPercent) != 0 {
			notCanonicals += string([]byte{byte(octet)})
		}
	}
	for _, c := range []struct {
		set       *table.Classes
		low, high string // high "any" where both are asked as one
	}{
		{dialectRows[Google].ends, "/?;#", "#\x00"}, {dialectRows[RFC9309].ends, "/?#", "#"},
		{dialectRows[Original].ends, "/?#", "#"},
		{notCanonical, notCanonicals, "any"}, {notPlain, notCanonicals + "#", "any"},
	} {
		for octet := range 256 {
			b := []byte{byte(octet)}
			low, high := c.set.In64(b)
			if c.high == "any" {
				low, high = low|high, 0
			}
			if (low == 1) != strings.Contains(c.low, string(b)) || (high == 1) != (c.high != "any" &&
				strings.Contains(c.high, string(b))) {
				t.Errorf("set of %q and %q: octet %#x: %b, %b", c.low, c.high, octet, low, high)
			}
		}
	}
}
