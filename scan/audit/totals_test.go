package audit

import (
	"testing"
	"unsafe"
)

// TestTotals checks that every count of a tally is added up and bounded.
func TestTotals(t *testing.T) {
	var sum totals
	if n, all := len(sum.numbers()), int(unsafe.Sizeof(sum)/unsafe.Sizeof(int64(0))); n != all {
		t.Errorf("%d of %d counts are in the list", n, all)
	}
	for i, n := range sum.numbers() {
		if *n++; *n != 1 {
			t.Errorf("number %d is in the list twice", i)
		}
	}
}
