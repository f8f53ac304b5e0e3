// Package lazy makes values when they are first used, so that a start of the program that
// does not need them does not wait for them.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled regular expression, which it compiles at its
// first call. Any number of goroutines may call it. It panics if the expression is invalid; a
// test of this package compiles the literals of the whole module.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
