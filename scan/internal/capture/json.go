package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/internal/field"
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
	switch {
	case !utf8.Valid(text):
		return c, NotUTF8
	case text[0] != '{' || !json.Valid(text):
		return c, NotJSON
	}
	var v Values
	for i, path := range o.Fields.filled() {
		if path == "" {
			continue
		}
		raw := follow(text, path)
		if raw == nil || string(raw) == "null" {
			continue
		}
		switch isText := raw[0] == '"'; {
		case isText && Field(i) == Status:
			return c, NotJSON
		case isText:
			v[i] = field.Unescape(make([]byte, 0, len(raw)), raw[1:len(raw)-1])
		case Field(i) == Status || Field(i) == Date:
			v[i] = bytes.Clone(raw)
		case Field(i) != Location: // which may be anything where it has no meaning
			return c, NotJSON
		}
		if v[i] == nil {
			v[i] = []byte{}
		}
	}
	c, why = v.Capture(o)
	if o.Fields[Date] == "" && bytes.Contains(text, []byte(`"date"`)) { // most objects have no such member
		_, c.DateUnread = parseDate(strings.Trim(string(follow(text, "date")), `"`))
	}
	return c, why
}

// follow returns the value at the end of a path of names in an object of valid JSON, nil if there is
// none. Of several members of one name the last counts.
func follow(object []byte, path string) (found []byte) {
	var inner []byte
	first, rest, more := strings.Cut(path, ".")
	for name, value := range field.Members(object) {
		if bytes.IndexByte(name, '\\') >= 0 {
			name = field.Unescape(nil, name)
		}
		switch string(name) {
		case path:
			found = value
		case first:
			inner = value
		}
	}
	if found == nil && more {
		return follow(inner, rest)
	}
	return found
}
