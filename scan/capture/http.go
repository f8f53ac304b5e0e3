package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http/httputil"
	"strconv"
	"strings"
)

// response reads the HTTP response in the block of a record. truncated says that
// who captured it stopped before the end.
func (w *warc) response(c *Capture, truncated bool) Reason {
	in := bufio.NewReader(&w.block)
	head := head{in: in, left: maxHead}
	first, err := head.line()
	if err != nil {
		return NotHTTP
	}
	var ok bool
	if c.Status, ok = status(first); !ok {
		return NotHTTP
	}
	var transfer, coding string
	for {
		name, value, err := head.field()
		if errors.Is(err, errLongHead) {
			return NotHTTP
		}
		if err != nil || name == "" { // a response may end with its header
			break
		}
		switch name {
		case "transfer-encoding":
			transfer = strings.ToLower(value)
		case "content-encoding":
			coding = strings.ToLower(value)
		case "location":
			c.Location = value
		}
	}
	switch {
	case noCopy(int(c.Status)):
		return NotModified
	case c.Status/100 != 2:
		return ""
	}
	return w.body(c, in, transfer, coding, truncated)
}

// noCopy tells whether a status says neither what a robots.txt is nor that there is
// none.
func noCopy(status int) bool { return status < 200 || status == 304 }

// status reads the code in a status line.
func status(line string) (uint16, bool) {
	version, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	n, err := strconv.ParseUint(code, 10, 16)
	return uint16(n), err == nil && len(code) == 3 && n >= 100 && strings.HasPrefix(version, "HTTP/")
}

// body reads the body and undoes its encodings. Many WARC files hold a body that
// is decoded already under the header that says it is not: it is tried.
func (w *warc) body(c *Capture, in *bufio.Reader, transfer, coding string, truncated bool) Reason {
	if strings.HasSuffix(transfer, "chunked") && beginsChunk(in) {
		in = bufio.NewReader(httputil.NewChunkedReader(in))
	}
	var r io.Reader = in
	switch coding {
	case "", "identity":
	case "gzip", "x-gzip":
		if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
			z, err := gzip.NewReader(in)
			if err != nil {
				return BadBody
			}
			r = z
		}
	default:
		return BadCoding
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(w.o.MaxBody)))
	if err != nil && !(truncated && errors.Is(err, io.ErrUnexpectedEOF)) {
		return BadBody
	}
	c.Body = body
	return ""
}

// beginsChunk tells whether what comes is the size of a chunk on a line.
func beginsChunk(in *bufio.Reader) bool {
	const longest = 64
	line, _ := in.Peek(longest)
	line, _, found := bytes.Cut(line, []byte("\n"))
	size, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 63)
	return found && err == nil
}
