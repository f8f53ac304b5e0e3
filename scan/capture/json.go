package capture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// bom is a byte order mark. Where files were joined, any line may begin with one.
const bom = "\ufeff"

// maxLine bounds a line of JSON: many times a robots.txt of the usual limit.
const maxLine = 64 << 20

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
// so are blank lines and byte order marks.
//
// Each line gives a capture or a *SkipError. Any other error ends the lines.
func JSONLines(r io.Reader, o Options) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		in := bufio.NewReaderSize(r, 256<<10)
		var buf []byte
		for n := int64(1); ; n++ {
			line, long, err := readLine(in, buf[:0])
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
func readLine(r *bufio.Reader, buf []byte) (line []byte, long bool, err error) {
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

// isEOF tells whether err is io.EOF itself. An error that wraps io.EOF is damage, not the
// end.
func isEOF(err error) bool {
	return err == io.EOF //nolint:errorlint // see above
}

// object reads one object. The reason is "" if it gives a capture.
func object(text []byte, o Options) (c Capture, why Reason) {
	var fields struct {
		Host   *string `json:"host"`
		Body   *string `json:"body"`
		Coded  *[]byte `json:"body_b64"`
		Status *int    `json:"status"`
		// Location may be anything where it has no meaning.
		Location any `json:"location"`
	}
	switch {
	case !utf8.Valid(text):
		return c, NotUTF8
	case text[0] != '{' || json.Unmarshal(text, &fields) != nil:
		return c, NotJSON
	case fields.Host == nil:
		return c, NoHost
	case fields.Body != nil && fields.Coded != nil:
		return c, TwoBodies
	}
	status := 200
	if fields.Status != nil {
		status = *fields.Status
	}
	if status < 100 || status > 999 {
		return c, BadStatus
	}
	c.Status = uint16(status)
	switch answer.Of(status, answer.Archive) {
	case answer.Nothing:
		return c, NotModified
	case answer.Redirect:
		c.Location, _ = fields.Location.(string)
	case answer.File:
		switch {
		case fields.Coded != nil:
			c.Body = *fields.Coded
		case fields.Body != nil:
			c.Body = []byte(*fields.Body)
		default:
			return c, NoBody
		}
		c.Body = c.Body[:min(len(c.Body), o.MaxBody)]
	}
	var err error
	if c.Origins, err = origin.Parse(*fields.Host); err != nil {
		return c, BadHost
	}
	return c, ""
}
