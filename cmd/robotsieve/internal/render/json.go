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

// WriteJSON writes a value as JSON, with a newline after it, and on one line unless indent
// is set. The strings of the value are UTF-8, as report.ToUTF8 returns them. Characters that
// could act on a terminal are written \uHHHH. It leaves <, > and & as they are: the JSON is
// for programs, not for web pages.
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

// escaped writes invisible characters of JSON, and those that change the direction of
// others, as escapes. Except for line ends they occur only in strings.
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
