//go:build !countsteps

package table

// Spend counts steps of a match: what takes some nanoseconds at most. It does nothing unless
// the program is built with the tag countsteps, as the search for slow rules in package bench
// is.
func Spend(int) {}
