package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/report"
)

// WriteJSON writes a value as JSON, with a newline after it, and on one line unless indent
// is set. The strings of the value may have any bytes: they are written as by report.ToUTF8,
// and characters that could act on a terminal are written \uHHHH. It leaves <, > and & as
// they are: the JSON is for programs, not for web pages.
func WriteJSON(w io.Writer, v any, indent string) error {
	return encode(w, report.Texts(v, report.ToUTF8), indent)
}

// encode writes a value whose strings are UTF-8.
func encode(w io.Writer, v any, indent string) error {
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
