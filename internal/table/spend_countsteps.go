//go:build countsteps

package table

// Spent is the sum of Spend's arguments, for a single goroutine.
var Spent int

// Spend adds to Spent.
func Spend(steps int) { Spent += steps }
