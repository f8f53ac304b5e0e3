// Package rank computes the ranks that order rules.
package rank

import "math"

// Of returns the rank of a rule if the longest pattern decides. Longer patterns outrank shorter
// ones; among equally long ones allow outranks disallow, and then the first line wins.
func Of(length, line int, allow bool) uint64 {
	rank := uint64(length)<<33 | Earlier(line)
	if allow {
		rank |= 1 << 32
	}
	return rank
}

// Earlier returns the rank of a rule if the first match decides.
func Earlier(line int) uint64 { return uint64(math.MaxUint32 - uint32(line)) }

// Length returns the pattern length that was passed to Of. It includes a final $ and gaps that the
// ranked rule may lack.
func Length(rank uint64) int { return int(rank >> 33) }
