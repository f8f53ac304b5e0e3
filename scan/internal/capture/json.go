package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/internal/table"
	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// bom is a byte order mark. After concatenating files, any line may begin with one.
const bom = "\ufeff"

// defaultMaxLine limits a JSON line. It is many times the usual limit of a robots.txt.
const defaultMaxLine = 64 << 20

// JSONLines reads objects, one per line:
//
//	{"host": "example.com", "body": "User-agent: *\nDisallow: /"}
//
// host may be an origin, with scheme and port (origin.Parse). The line must be UTF-8; instead of
// body, body_b64 can hold any bytes in base64. The optional field status has the HTTP status, 100 to
// 999, as a number or a text; the default is 200. If it is 204 or not 2xx, the body is ignored and may
// be missing. A line with 3xx may have the field location, the possibly relative target of the redirect. Lines
// with 1xx or 304 are skipped, because these answers don't show the robots.txt. Other fields, blank
// lines and byte order marks are ignored. Options.Fields can rename the fields, and add one with a
// date.
//
// Each line yields a capture or a *SkipError. Any other error ends the iteration.
func JSONLines(r io.Reader, o Options) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		in := bufio.NewReaderSize(r, 256<<10)
		var buf, texts []byte
		for n := int64(1); ; n++ {
			line, long, err := readLine(in, buf[:0], o.maxLine())
			buf = line
			if err != nil && !isEOF(err) {
				yield(Capture{}, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte(bom))); len(text) > 0 {
				c, reason := Capture{}, LongLine
				if !long {
					texts = slices.Grow(texts[:0], len(text))
					c, reason = object(text, o, texts)
				}
				c.Line = n
				var skipped error
				if reason != "" {
					skipped = &SkipError{Where: fmt.Sprintf("line %d", n), Reason: reason, Text: string(text[:min(len(text), 1000)])}
				}
				if !yield(c, skipped) {
					return
				}
			}
			if isEOF(err) {
				return
			}
		}
	}
}

// readLine appends a line to buf. For a line longer than maxLine it appends the beginning and skips
// the rest.
func readLine(r *bufio.Reader, buf []byte, maxLine int) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			buf = append(buf, part...)
		}
		if !long && len(buf) > maxLine+len("\r\n") {
			long = true
			buf = bytes.Clone(buf[:1000])
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, long, err
		}
	}
}

// isEOF reports whether err is io.EOF itself. An error that wraps io.EOF means damage, not the end.
func isEOF(err error) bool {
	return err == io.EOF //nolint:errorlint // see above
}

// object reads one object. The reason is "" if it yields a capture. Its texts are appended to texts, which has
// capacity for all.
func object(text []byte, o Options, texts []byte) (c Capture, why Reason) {
	if !utf8.Valid(text) {
		return c, NotUTF8
	}
	paths := o.Fields.filled()
	isDated := paths[Date] != ""
	if !isDated {
		paths[Date] = fieldNames[Date]
	}
	found, isValid := find(text, paths)
	if !isValid {
		return c, NotJSON
	}
	var unread []byte // a date outside Options.Fields
	if !isDated {
		unread, found[Date] = found[Date], nil
	}
	var v Values
	for i, raw := range found {
		if raw == nil || string(raw) == "null" {
			continue
		}
		switch isText := raw[0] == '"'; {
		case isText:
			from := len(texts)
			texts = field.Unescape(texts, raw[1:len(raw)-1])
			v[i] = texts[from:len(texts):len(texts)]
		case Field(i) == Status || Field(i) == Date:
			v[i] = bytes.Clone(raw)
		case Field(i) != Location: // it may be anything where it has no meaning
			return c, NotJSON
		}
		if v[i] == nil {
			v[i] = []byte{}
		}
	}
	c, why = v.Capture(o)
	if unread != nil {
		_, c.DateUnread = parseDate(strings.Trim(string(unread), `"`))
	}
	return c, why
}

// find returns the raw values at the paths of names in an object, nil if missing, and whether the
// object is valid JSON. If several members have the same name, the last counts.
func find(object []byte, paths Fields) (found Values, isValid bool) {
	var inner Values
	isSound, end := true, 0 // of the members
	for name, value := range field.Members(object) {
		isSound = isSound && isText(name) && isValue(value)
		end = cap(object) - cap(value) + len(value) // a value is a part of the object
		if bytes.IndexByte(name, '\\') >= 0 {
			name = field.Unescape(nil, name)
		}
		for i, path := range paths {
			switch {
			case path == "":
			case string(name) == path:
				found[i] = value
			case len(name) < len(path) && strings.IndexByte(path, '.') == len(name) && string(name) == path[:len(name)]:
				inner[i] = value
			}
		}
	}
	isWhole := end > 0 && string(bytes.TrimLeft(object[end:], " \t\r")) == "}"
	if (!isSound || !isWhole) && (object[0] != '{' || !json.Valid(object)) {
		return found, false
	}
	for i, path := range paths {
		if _, rest, more := strings.Cut(path, "."); more && found[i] == nil && inner[i] != nil {
			within, _ := find(inner[i], Fields{rest})
			found[i] = within[0]
		}
	}
	return found, true
}

// isValue reports whether a value is valid JSON, and short enough not to be nested too deeply for
// package json.
func isValue(value []byte) bool {
	switch {
	case value[0] == '"':
		return isText(value[1 : len(value)-1])
	case value[0] == '{' || value[0] == '[':
		return len(value) < 10_000 && json.Valid(value)
	}
	return json.Valid(value)
}

// isText reports whether bytes are valid between the quotes of a string.
func isText(s []byte) bool {
	for at, seen := 0, 0; at < len(s); at += 64 {
		controls, escapes := textMarks.In64(s[at:])
		if controls != 0 {
			return false
		}
		for ; escapes != 0; escapes &= escapes - 1 {
			i := at + bits.TrailingZeros64(escapes) + 1
			switch {
			case i <= seen: // an escaped backslash
				continue
			case i == len(s) || !escapable[s[i]]:
				return false
			case s[i] == 'u' && (i+5 > len(s) || !isHex(s[i+1:i+5])):
				return false
			}
			seen = i + 1
		}
	}
	return true
}

// escapable are the bytes that may follow a backslash.
var escapable = [256]bool{
	'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true, 'u': true,
}

func isHex(digits []byte) bool {
	return !bytes.ContainsFunc(digits, func(c rune) bool {
		return (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f')
	})
}

// textMarks has the control characters in a lower class and the backslash in a higher one.
var textMarks = func() *table.Classes {
	var c table.Classes
	for octet := range byte(' ') {
		c.Add(octet, 1)
	}
	c.Add('\\', 1<<4)
	return &c
}()
