package page

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// decoder reads HTML as UTF-8, or as another encoding whose bytes below 128 are ASCII: such ones
// need no decoding, because the names of tags, attributes, crawlers and directives are ASCII. In
// the encodings of the web whose characters have a second byte below 128 (Shift_JIS, GBK, gb18030,
// Big5) that byte is never one of `"&'<=>`, a separator or a blank, so the tags are the same. What
// remains is UTF-16, and ISO-2022-JP, which has characters of two bytes below 128.
//
// Which encoding it is follows the WHATWG Encoding and HTML standards: a byte order mark, then the
// charset of Content-Type, then that of a meta tag in the first 1,024 bytes; a meta tag cannot
// state UTF-16.
type decoder struct {
	rest   []byte
	coding coding
	wide   bool // in ISO-2022-JP, after an escape sequence for characters that are not of ASCII
}

type coding uint8

const (
	ascii coding = iota // a superset of it
	utf16LE
	utf16BE
	iso2022JP
)

// labels are the names of the encodings that need decoding (WHATWG Encoding, section 4.2).
var labels = map[string]coding{
	"utf-16": utf16LE, "utf-16le": utf16LE, "unicode": utf16LE, "unicodefeff": utf16LE,
	"ucs-2": utf16LE, "iso-10646-ucs-2": utf16LE, "csunicode": utf16LE,
	"utf-16be": utf16BE, "unicodefffe": utf16BE,
	"iso-2022-jp": iso2022JP, "csiso2022jp": iso2022JP,
}

// reset makes the decoder read a document. The charset is that of Content-Type, in lower case, or
// "".
func (d *decoder) reset(document []byte, charset string) {
	*d = decoder{rest: document, coding: labels[charset]}
	has := func(prefix string) bool {
		return len(document) >= len(prefix) && string(document[:len(prefix)]) == prefix
	}
	switch {
	case has("\xEF\xBB\xBF"):
		d.coding, d.rest = ascii, document[3:]
	case has("\xFF\xFE"):
		d.coding, d.rest = utf16LE, document[2:]
	case has("\xFE\xFF"):
		d.coding, d.rest = utf16BE, document[2:]
	case has("<\x00"): // the HTML standard looks for more of an XML declaration, which begins so
		d.coding = utf16LE
	case has("\x00<"):
		d.coding = utf16BE
	case charset == "" && bytes.IndexByte(document, escape) >= 0 && statesISO2022JP(document[:min(len(document), 1024)]):
		d.coding = iso2022JP
	}
}

const escape = 0x1B

func statesISO2022JP(start []byte) bool {
	return bytes.Contains(bytes.ToLower(start), []byte("iso-2022-jp"))
}

// Read reads decoded bytes. It needs room for one character.
func (d *decoder) Read(p []byte) (n int, err error) {
	if len(d.rest) == 0 {
		return 0, io.EOF
	}
	switch d.coding {
	case utf16LE, utf16BE:
		for len(d.rest) > 0 && len(p)-n >= utf8.UTFMax {
			n += utf8.EncodeRune(p[n:], d.rune16())
		}
	case iso2022JP:
		for ; len(d.rest) > 0 && n < len(p); d.rest = d.rest[1:] {
			if d.escape() {
				continue
			}
			p[n] = d.rest[0]
			if d.wide && p[n] > ' ' {
				p[n] |= 0x80 // a character that is not of ASCII, whichever it is
			}
			n++
		}
	default:
		n = copy(p, d.rest)
		d.rest = d.rest[n:]
	}
	return n, nil
}

// rune16 takes one character of UTF-16.
func (d *decoder) rune16() rune {
	first := d.unit(0)
	if r := utf16.DecodeRune(first, d.unit(2)); r != utf8.RuneError {
		d.rest = d.rest[4:]
		return r
	}
	d.rest = d.rest[min(2, len(d.rest)):]
	return first // EncodeRune writes half a pair as U+FFFD
}

// unit returns the code unit at an offset, U+FFFD where the document ends.
func (d *decoder) unit(i int) rune {
	switch {
	case len(d.rest) < i+2:
		return utf8.RuneError
	case d.coding == utf16LE:
		return rune(binary.LittleEndian.Uint16(d.rest[i:]))
	default:
		return rune(binary.BigEndian.Uint16(d.rest[i:]))
	}
}

// escape passes over all but the last byte of an escape sequence of ISO-2022-JP (WHATWG Encoding,
// section 12.2.1).
func (d *decoder) escape() bool {
	if d.rest[0] != escape || len(d.rest) < 3 {
		return false
	}
	switch string(d.rest[1:3]) {
	case "$@", "$B", "(I":
		d.wide = true
	case "(B", "(J":
		d.wide = false
	default:
		return false
	}
	d.rest = d.rest[2:]
	return true
}
