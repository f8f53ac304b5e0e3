// Package rank has the ranks by which rules are ordered where the longest pattern decides.
package rank

import "math"

// Of returns the rank of a rule on a line with a pattern of some length: the longer outranks the shorter, of
// equally long ones what allows outranks what forbids, and of equal ones the first in the file keeps the line.
func Of(length, line int, allow bool) uint64 {
	rank := uint64(length)<<33 | Earlier(line)
	if allow {
		rank |= 1 << 32
	}
	return rank
}

// Earlier returns the rank of a rule on a line where the first match decides.
func Earlier(line int) uint64 { return uint64(math.MaxUint32 - uint32(line)) }

// Length returns the length of the pattern that a rank of Of was made for: with a $ at its end and gaps,
// which a ranked rule may lack.
func Length(rank uint64) int { return int(rank >> 33) }
