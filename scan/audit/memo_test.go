package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// TestAddressesSayWhatTheyHaveSaid: an address says the same whatever was in its slot before.
func TestAddressesSayWhatTheyHaveSaid(t *testing.T) {
	list := []string{"", "-", "192.0.2.1", "10.0.0.1", "2001:db8:1111:2222:3333:4444:5555:6666", "2001:db8::", "::ffff:192.0.2.1", "a name", "192.0.2.1 "}
	list = append(list, strings.Repeat("2", maxAddress), strings.Repeat("2", maxAddress+1), strings.Repeat("2", 300), "0:0:0:0:0:ffff:255.255.255.255")
	for i := range 64 {
		list = append(list, fmt.Sprintf("198.51.100.%d", i))
	}
	var all, one addresses // one has all in one slot
	for range 3 {
		for _, text := range list {
			want := crawler.ParseAddress([]byte(text))
			if got := all.parse([]byte(text), hashField([]byte(text))); got != want {
				t.Errorf("%q says %v, want %v", text, got, want)
			}
			if got := one.parse([]byte(text), 7); got != want {
				t.Errorf("%q says %v behind another one, want %v", text, got, want)
			}
		}
	}
}
