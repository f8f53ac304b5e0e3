package format

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fast reports whether the processor has the instructions of indexAVX2.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// indexAVX2 sets marks to the offsets of three bytes in blocks of 64 bytes from p on, and
// returns how many there are.
//
//go:noescape
func indexAVX2(p *byte, blocks int, marks *[indexed + blockMarks]uint16, first, second, third byte) int

// index sets marks to the offsets of the marked bytes in the whole 64-byte blocks of b, and returns
// their number. b must not be longer than indexed.
func index(b []byte, marked octets, marks *[indexed + blockMarks]uint16) int {
	if !fast {
		return 0
	}
	return indexAVX2(unsafe.SliceData(b), len(b)/64, marks, marked[0], marked[1], marked[2])
}
