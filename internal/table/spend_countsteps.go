//go:build countsteps

package table

// Spent is the sum of what Spend was given, of one goroutine.
var Spent int

// Spend adds to Spent.
func Spend(steps int) { Spent += steps }
