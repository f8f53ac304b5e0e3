// Package lazy makes values on first use, so that they don't slow down a start of the program that
// doesn't need them.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled regular expression, compiling it on the first
// call. It is safe for concurrent use. It panics if the expression is invalid; a test of this
// package compiles the literals of the whole module.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
