package twin

// PatternMatches reports whether a path pattern matches path. Both are taken
// as they are: escaping and canonical forms are the caller's business.
//
// A * is any run of bytes, the empty one included; a $ as the last byte stands
// for the end of the path; every other byte, another $ too, stands for itself.
// Without that $ a pattern matches every path that continues what it says, so
// the empty pattern matches everything.
//
// The method is Google's library's: after each byte of the pattern, keep
// the set of all offsets in path at which the rest of the pattern may begin.
// That takes at most len(pattern) x len(path) steps.
func PatternMatches(pattern, path []byte) bool {
	offsets := []int{0}
	for i, c := range pattern {
		switch {
		case len(offsets) == 0:
			return false
		case c == '$' && i == len(pattern)-1:
			// The offsets are in increasing order, so the end is the last one.
			return offsets[len(offsets)-1] == len(path)
		case c == '*':
			first := offsets[0]
			offsets = nil
			for i := first; i <= len(path); i++ {
				offsets = append(offsets, i)
			}
		default:
			offsets = pastByte(offsets, path, c)
		}
	}
	return len(offsets) > 0
}

// pastByte returns the offsets reached by reading one c from one of offsets.
func pastByte(offsets []int, path []byte, c byte) []int {
	var next []int
	for _, i := range offsets {
		if i < len(path) && path[i] == c {
			next = append(next, i+1)
		}
	}
	return next
}
