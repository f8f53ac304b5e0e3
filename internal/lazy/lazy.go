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
	return (&pattern{text: expression}).compiled
}

// pattern is a regular expression and its compiled form. Packages have fifty of them when the program starts, for
// which sync.OnceValue would take twice the memory and five times the code.
type pattern struct {
	text   string
	once   sync.Once
	result *regexp.Regexp
}

func (p *pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.result = regexp.MustCompile(p.text) })
	return p.result
}
