package spill

import (
	"bytes"
	"strings"
)

// AppendKey appends a text so that records sort like their texts, and no key is a
// prefix of another.
func AppendKey(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		b = append(b, c)
		if c == 0 {
			b = append(b, 1)
		}
	}
	return append(b, 0, 0)
}

// CutKey splits a text of AppendKey from the rest.
func CutKey(b []byte) (text string, rest []byte) {
	key, rest, _ := bytes.Cut(b, []byte("\x00\x00"))
	return strings.ReplaceAll(string(key), "\x00\x01", "\x00"), rest
}
