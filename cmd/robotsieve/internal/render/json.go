package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// WriteJSON writes a value as JSON and a newline, on one line unless indent is set. Strings may
// contain any bytes: they are converted by report.ToUTF8, and characters that could control a
// terminal become \uHHHH. It leaves <, > and & unescaped because the JSON isn't for web pages.
func WriteJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escaped(b.Bytes()))
	return err
}

// escaped escapes invisible characters in JSON, and those that change the direction of text. Apart
// from line breaks they only occur in strings.
func escaped(text []byte) []byte {
	isHidden := func(c rune) bool { return c != '\n' && !strconv.IsPrint(c) }
	if bytes.IndexFunc(text, isHidden) < 0 {
		return text
	}
	var b []byte
	for len(text) > 0 {
		c, n := utf8.DecodeRune(text)
		if isHidden(c) {
			for _, unit := range utf16.Encode([]rune{c}) {
				b = fmt.Appendf(b, `\u%04x`, unit)
			}
		} else {
			b = append(b, text[:n]...)
		}
		text = text[n:]
	}
	return b
}
