package audit

import (
	"syscall"
	"testing"
)

// TestGuardFaultsOfSlots checks that the pages of a table are written first, so that each costs one fault.
func TestGuardFaultsOfSlots(t *testing.T) {
	faults := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return u.Minflt
	}
	const length = 1 << 18 // 35 MB, which no earlier test has left behind
	table := slotsOf[recentTarget](length)
	before, used := faults(), 0
	for hash := range uint64(length) {
		if of := table.of(hash); of.hash == 0 {
			of.hash, used = 1, used+1
		}
	}
	if n := faults() - before; used != length || n > length/64 {
		t.Errorf("%d faults in the use of %d slots", n, used)
	}
}
