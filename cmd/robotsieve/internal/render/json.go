package render

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/report"
)

// WriteJSON writes a value as report.JSON does. Strings may contain any bytes: they are converted by
// report.ToUTF8, and characters that could control a terminal become \uHHHH.
func WriteJSON(w io.Writer, v any, indent string) error {
	text, err := report.JSON(v, indent)
	if err == nil {
		_, err = w.Write(escaped(text))
	}
	return err
}

// escaped escapes invisible characters in JSON strings, and those that change the direction of text.
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
