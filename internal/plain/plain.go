// Package plain recognizes paths and request targets that are the same in every dialect and every automaton.Form.
// Nearly all are, and need not be copied before matching.
package plain

import (
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// odd are the printable bytes that some form writes differently, or that may begin an escape.
const odd = "\"<>\\^`{|}*$%"

// IsCanonical reports whether path is the same in every form: it has no '%', '*'
// or '$', no space, no octet outside printable ASCII, and none of " < > \ ^ ` { | }.
func IsCanonical(path []byte) bool { return Canonical(path) == len(path) }

// Canonical returns the length of the beginning of a path that is the same in every form.
func Canonical(path []byte) int { return notCanonical.Index(path) }

// Is reports whether a request target is its own path in every dialect and every form: it begins
// with a slash, has no fragment and is canonical.
func Is(target []byte) bool {
	return len(target) > 0 && target[0] == '/' && notPlain.Index(target) == len(target)
}

// Lines returns the length of the longest beginning of a text that consists of newlines and bytes
// that a plain target may contain. One call for many lines is faster than Is for each.
func Lines(text []byte) int { return notPlainLines.Index(text) }

// notPlainLines is notPlain without the newline.
var notPlainLines = func() *table.Classes {
	const controls = 1 << 7 // the upper half of the newline needs a separate class
	c := *notPlain
	c.Hi[0] = 0
	for octet := range byte(' ') / 2 {
		if octet != '\n' {
			c.Add(octet, controls)
		}
	}
	return &c
}()

// notPlain are the bytes that a plain target must not contain: those that aren't canonical,
// including NUL, and '#', which begins a fragment.
var notPlain = func() *table.Classes {
	c := *notCanonical
	c.Add('#', class('#'))
	return &c
}()

// notCanonical are the bytes that a canonical path must not contain.
var notCanonical = func() *table.Classes {
	var c table.Classes
	for i := range 256 {
		if octet := byte(i); octet <= ' ' || octet >= 0x7f || strings.IndexByte(odd, octet) >= 0 {
			c.Add(octet, class(octet))
		}
	}
	return &c
}()

// class returns the class of a byte that isn't canonical. Bytes with the same upper half share a
// class, and so do all upper halves without other bytes.
func class(octet byte) uint8 {
	if half := octet >> 4; 2 <= half && half <= 7 {
		return 1 << (half - 1)
	}
	return 1
}
