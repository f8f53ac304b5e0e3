package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/field"
)

// bom is a byte order mark. Where files were joined, any line may begin with one.
const bom = "\ufeff"

// defaultMaxLine bounds a line of JSON: many times a robots.txt of the usual limit.
const defaultMaxLine = 64 << 20

// JSONLines reads objects, one a line:
//
//	{"host": "example.com", "body": "User-agent: *\nDisallow: /"}
//
// host may be an origin, with scheme and port (origin.Parse). body_b64, the base64 of
// any bytes, may take the place of body; body is text, and the line must be UTF-8. An
// optional field status has the HTTP status, 100 to 999; 200 is the default. If it is
// not 2xx, or is 204, the body is ignored and may be missing. A line with 3xx may have the
// field location, where the redirect leads; it may be relative. Lines with 1xx or 304 are
// skipped, because these answers do not show the robots.txt. Other fields are ignored, and
// so are blank lines and byte order marks. With Options.Fields the fields have other names, and one may have a date.
//
// Each line gives a capture or a *SkipError. Any other error ends the lines.
func JSONLines(r io.Reader, o Options) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		in := bufio.NewReaderSize(r, 256<<10)
		var buf []byte
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
					c, reason = object(text, o)
				}
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

// readLine appends a line to buf. Of a line longer than maxLine it returns the beginning, and
// passes over the rest.
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

// isEOF reports whether err is io.EOF itself. An error that wraps io.EOF is damage, not the
// end.
func isEOF(err error) bool {
	return err == io.EOF //nolint:errorlint // see above
}

// object reads one object. The reason is "" if it gives a capture.
func object(text []byte, o Options) (c Capture, why Reason) {
	if !utf8.Valid(text) {
		return c, NotUTF8
	}
	fields := o.Fields.filled()
	if v, ok := flat(text, &fields); ok {
		return v.Capture(o)
	}
	var members map[string]json.RawMessage
	if text[0] != '{' || json.Unmarshal(text, &members) != nil {
		return c, NotJSON
	}
	var v Values
	for i, path := range fields {
		raw := follow(members, path)
		if raw == nil || string(raw) == "null" {
			continue
		}
		switch isText := raw[0] == '"'; {
		case isText && Field(i) == Status:
			return c, NotJSON
		case isText:
			var s string
			if json.Unmarshal(raw, &s) != nil {
				return c, NotJSON
			}
			v[i] = []byte(s)
		case Field(i) == Status || Field(i) == Date:
			v[i] = raw
		case Field(i) != Location: // which may be anything where it has no meaning
			return c, NotJSON
		}
		if v[i] == nil {
			v[i] = []byte{}
		}
	}
	return v.Capture(o)
}

// flat reads an object as most are, in a tenth of the time: its members are texts, null or numbers
// of digits, each wanted one as it should be. Of any other object, and of what is no JSON, ok is
// false.
func flat(text []byte, fields *Fields) (v Values, ok bool) {
	at := 0
	for next := byte('{'); at < len(text) && text[at] == next; next = ',' {
		name, end := plainText(text, blanks(text, at+1))
		colon := blanks(text, max(end, 0))
		if len(name) == 0 || bytes.IndexByte(name, '\\') >= 0 || colon == len(text) || text[colon] != ':' {
			return v, false
		}
		from := blanks(text, colon+1)
		value, end := plainText(text, from)
		isText := end >= 0
		if !isText {
			if value = plainWord(text[from:]); len(value) == 0 {
				return v, false
			}
			end = from + len(value)
		}
		for i, path := range fields {
			isNumber := Field(i) == Status || Field(i) == Date
			switch {
			case path != string(name):
			case isText && Field(i) != Status:
				v[i] = field.Unescape(make([]byte, 0, len(value)), value)
			case string(value) == "null":
				v[i] = nil
			case isNumber && !isText:
				v[i] = bytes.Clone(value)
			default:
				return v, false
			}
		}
		at = blanks(text, end)
	}
	return v, at == len(text)-1 && text[at] == '}'
}

// plainText returns what is between the quotes of a string of JSON, and the offset after it; -1 if
// there is none, or one with the escape of half a surrogate pair.
func plainText(text []byte, at int) (raw []byte, end int) {
	if at >= len(text) || text[at] != '"' {
		return nil, -1
	}
	for i := at + 1; i < len(text); i++ {
		if c := text[i]; c != '\\' && c >= ' ' && c != '"' {
			continue
		} else if c == '"' {
			return text[at+1 : i], i + 1
		} else if c < ' ' {
			return nil, -1
		}
		if i++; i == len(text) || strings.IndexByte(`"\/bfnrtu`, text[i]) < 0 {
			return nil, -1
		}
		if text[i] == 'u' {
			n, err := strconv.ParseUint(string(text[i+1:min(i+5, len(text))]), 16, 16)
			if err != nil || n>>11 == 0xd800>>11 {
				return nil, -1
			}
		}
	}
	return nil, -1
}

// plainWord returns the null or the digits of a number that text begins with.
func plainWord(text []byte) []byte {
	if bytes.HasPrefix(text, []byte("null")) {
		return text[:len("null")]
	}
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	if n > 1 && text[0] == '0' {
		return nil
	}
	return text[:n]
}

// blanks returns the offset of the first byte of text from at on that is no blank.
func blanks(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

// follow returns the value at the end of a path of names, nil if there is none.
func follow(members map[string]json.RawMessage, path string) json.RawMessage {
	if raw, ok := members[path]; ok {
		return raw
	}
	name, rest, more := strings.Cut(path, ".")
	raw, ok := members[name]
	var inner map[string]json.RawMessage
	if !more || !ok || json.Unmarshal(raw, &inner) != nil {
		return nil
	}
	return follow(inner, rest)
}
