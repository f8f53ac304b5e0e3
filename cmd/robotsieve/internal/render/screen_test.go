package render

import "testing"

// A screen is written five times at most to find how many of 24 rows fit: each time takes as long as the
// audit of thousands of lines.
func TestHighest(t *testing.T) {
	const least, most = 1, 24
	for room := range most + 2 {
		asked := 0
		got := highest(least, most, func(n int) bool {
			asked++
			return n <= room
		})
		if want := min(max(room, least), most); got != want || asked > 5 {
			t.Errorf("%d fit: got %d after %d questions", room, got, asked)
		}
	}
}
