package main

import (
	"fmt"
	"strings"
	"time"
)

func were(n int64) string { return verb(n, "was", "were") }

// verb returns the form of a verb for n.
func verb(n int64, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// listed joins names, as many as a sentence bears.
func listed(names []string) string {
	if more := len(names) - 8; more > 0 {
		return fmt.Sprintf("%s and %s more", strings.Join(names[:8], ", "), grouped(int64(more)))
	}
	return strings.Join(names, ", ")
}

func timeAs(s, layout string) string {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return s
	}
	return at.Format(layout)
}
