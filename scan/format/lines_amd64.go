package format

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// fast says that the processor has what indexAVX2 needs.
var fast = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// indexAVX2 writes down where quotes, newlines and backslashes are in that many blocks
// of 64 octets at p, and returns their number.
//
//go:noescape
func indexAVX2(p *byte, blocks int, marks *[indexed + blockMarks]uint16) int

// index writes down where quotes, newlines and backslashes are in b, which is no
// longer than indexed, and returns their number. What is behind the last whole block of 64
// octets is left out.
func index(b []byte, marks *[indexed + blockMarks]uint16) int {
	if !fast {
		return 0
	}
	return indexAVX2(unsafe.SliceData(b), len(b)/64, marks)
}
