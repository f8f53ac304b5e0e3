package format

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// unescape appends a field to dst with the escaping of Apache and nginx undone: \xHH with digits in
// either case, \" and \\, and \b \n \r \t \v \f. Any other backslash is literal. Both servers
// escape literal backslashes, so the result is byte for byte what the client sent. Percent-encoding
// belongs to the URL and is kept.
func unescape(dst, field []byte) []byte {
	return backslashes.undo(dst, field)
}

// escapes describes how a log escapes bytes that can't stand in a field. The escape byte before
// hexBegins and two hexadecimal digits stands for that byte, before a letter for the byte at the
// same index, and otherwise for itself.
type escapes struct {
	escape                      byte
	hexBegins, letters, bytesOf string
}

var (
	backslashes = escapes{'\\', "x", "\"\\bnrtvf", "\"\\\b\n\r\t\v\f"}
	hashes      = escapes{escape: '#'}
	codes       = escapes{escape: '%'}
)

// undo appends a field to dst, unescaped.
func (e *escapes) undo(dst, field []byte) []byte {
	for {
		at := bytes.IndexByte(field, e.escape)
		if at < 0 || at+1 == len(field) {
			return append(dst, field...)
		}
		dst = append(dst, field[:at]...)
		field = field[at:]
		if digits := 1 + len(e.hexBegins); len(field) >= digits+2 && string(field[1:digits]) == e.hexBegins {
			high, low := hexDigits[field[digits]], hexDigits[field[digits+1]]
			if (high|low)&notHex == 0 {
				dst, field = append(dst, high<<4|low), field[digits+2:]
				continue
			}
		}
		if i := strings.IndexByte(e.letters, field[1]); i >= 0 {
			dst, field = append(dst, e.bytesOf[i]), field[2:]
		} else {
			dst, field = append(dst, e.escape), field[1:]
		}
	}
}

// backslashed is the escaping of Apache and nginx. hashed is HAProxy's: # and two hexadecimal
// digits.
var (
	backslashed = spelling{escape: '\\', undo: unescape}
	hashed      = spelling{escape: '#', undo: hashes.undo}
)

// pluses is the spelling of IIS, which writes a blank as a plus but doesn't escape a plus. A run of
// pluses is a blank followed by pluses, except where there can't be a blank: a header field neither
// begins nor ends with one (RFC 9110 5.5), and none follows an opening parenthesis in practice. So
// "(compatible;+X;++http://x)" is "(compatible; X; +http://x)", and "X/1+(+http://x)" is "X/1
// (+http://x)".
var pluses = spelling{escape: '+', undo: unplus}

func unplus(dst, field []byte) []byte {
	from := len(dst)
	dst = append(dst, field...)
	b := dst[from:]
	last := len(b)
	for last > 0 && b[last-1] == '+' {
		last--
	}
	// Find the first plus of each run, eight bytes at a time. Plus signs are 0x80 in pluses. keeps has
	// the plus signs and parentheses after which a plus isn't a blank.
	i, before := 0, uint64(0x80)
	for ; i+8 <= last; i += 8 {
		octets := binary.LittleEndian.Uint64(b[i:])
		pluses := equal(octets, '+')
		keeps := pluses | equal(octets, '(')
		first := pluses &^ (keeps<<8 | before)
		before = keeps >> 56
		binary.LittleEndian.PutUint64(b[i:], octets^first>>7*('+'^' '))
	}
	for ; i < last; i++ {
		if field[i] == '+' && i > 0 && field[i-1] != '+' && field[i-1] != '(' {
			b[i] = ' '
		}
	}
	return dst
}

// equal sets the highest bit of each of the eight bytes that equals c.
func equal(octets uint64, c byte) uint64 {
	const ones, lows = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	x := octets ^ ones*uint64(c)
	return ^(x&lows + lows | x | lows)
}

// percents is the spelling of CloudFront: bytes outside a set, including the percent sign, are
// percent-encoded.
var percents = spelling{escape: '%', undo: unpercent}

func unpercent(dst, field []byte) []byte { return codes.undo(dst, field) }

// hexDigits has the values of hexadecimal digits, and notHex for all other bytes.
var hexDigits = func() (t [256]byte) {
	for i := range t {
		t[i] = notHex
	}
	for i, c := range []byte("0123456789abcdefABCDEF") {
		t[c] = byte(i - i/16*6)
	}
	return t
}()

const notHex = 0x80

// allPercents is percents for User-Agents, which old CloudFront logs encode twice. A User-Agent
// that contains an encoded blank but no blank after decoding is decoded again. Most User-Agents
// that originally contain an encoded blank also contain blanks: "My%20App/1 CFNetwork/1".
var allPercents = spelling{escape: '%', undo: func(dst, field []byte) []byte {
	from := len(dst)
	dst = unpercent(dst, field)
	for bytes.IndexByte(dst[from:], ' ') < 0 && bytes.Contains(dst[from:], []byte("%20")) {
		dst = unpercent(dst[:from], dst[from:]) // in place, as it only gets shorter
	}
	return dst
}}

// undoubled is the spelling of quoted fields that double their quotes.
var undoubled = spelling{escape: '"', undo: field.Undouble}

// jsonEscaped is the spelling of nginx with escape=json. It equals JSON's, but without surrogates,
// because nginx writes bytes from 127 on unchanged. Source: nginx.org, "Module
// ngx_http_log_module", log_format.
var jsonEscaped = spelling{escape: '\\', undo: field.Unescape}
