// Package english writes numbers as the project's messages and reports show them.
package english

import (
	"fmt"
	"strings"
)

// Plural returns a count with its noun, such as "1 line" or "2,008 lines". The count is not negative.
func Plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Grouped writes a number that is not negative with commas between its thousands.
func Grouped(n int64) string {
	s := fmt.Sprint(n)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
