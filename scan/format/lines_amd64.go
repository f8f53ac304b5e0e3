package format

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fast reports whether the processor has the instructions of indexAVX2.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// indexAVX2 sets marks to the offsets of the marked bytes in blocks of 64 bytes from p on, and
// returns how many there are. Each is in marked at its low four bits; no other byte is at its own.
//
//go:noescape
func indexAVX2(p *byte, blocks int, marks *[indexed + blockMarks]uint16, marked *[16]byte) int

// index sets marks to the offsets of the marked bytes in the whole 64-byte blocks of b, and returns
// their number. b must not be longer than indexed.
func index(b []byte, marked octets, marks *[indexed + blockMarks]uint16) int {
	if !fast {
		return 0
	}
	byLow := [16]byte{0xff} // no byte 0
	for _, c := range marked {
		byLow[c%16] = c
	}
	return indexAVX2(unsafe.SliceData(b), len(b)/64, marks, &byLow)
}
