// Package english formats numbers, lists, times and command lines for messages and reports.
package english

import (
	"fmt"
	"strings"
	"time"
)

// Plural returns a count with its noun, such as "1 line" or "2,008 lines". The count must not be
// negative.
func Plural(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Grouped formats a non-negative number with commas between thousands.
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

// Verb returns one for a count of 1, and more for all others.
func Verb(n int64, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// maxListed limits the names in List.
const maxListed = 8

// List joins names by commas. If there are many, it returns the first ones and how many more there
// are.
func List(names []string) string {
	if more := len(names) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %s more", strings.Join(names[:maxListed], ", "), Grouped(int64(more)))
	}
	return strings.Join(names, ", ")
}

// Hours formats a time in hours, or in days if it is more than two whole days.
func Hours(d time.Duration) string {
	if d%(24*time.Hour) == 0 && d > 48*time.Hour {
		return Plural(int64(d/(24*time.Hour)), "day")
	}
	text := d.String()
	if d%time.Minute == 0 {
		text = strings.TrimSuffix(text, "0s")
	}
	if d%time.Hour == 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
