//go:build !countsteps

package table

// Spend counts steps of a match that take at most some nanoseconds. It does nothing unless the
// program is built with the tag countsteps, as for the search for slow rules in package bench.
func Spend(int) {}
