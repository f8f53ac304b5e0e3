package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http/httputil"
	"strconv"
	"strings"
)

// Response is an HTTP response in a response record.
type Response struct {
	Status      int
	Location    string
	ContentType string
	RobotsTags  []string // values of X-Robots-Tag

	in               *bufio.Reader
	transfer, coding string
}

// The errors of a response.
var (
	ErrNotHTTP = errors.New("no HTTP response")
	ErrBody    = errors.New("damaged body")
)

// ReadResponse reads the header of the response at r. Its error is ErrNotHTTP or ErrLongHead. A
// response may end with its header, or within it.
func ReadResponse(r io.Reader) (*Response, error) {
	p := &Response{in: bufio.NewReader(r)}
	head := head{in: p.in, left: maxHead, hold: func([]byte) {}}
	first, _ := head.line() // "" if there is none
	var ok bool
	if p.Status, ok = status(first); !ok {
		return nil, ErrNotHTTP
	}
	for {
		name, value, err := head.field()
		if errors.Is(err, ErrLongHead) {
			return nil, err
		}
		if err != nil || name == "" {
			return p, nil //nolint:nilerr // a response may end with its header
		}
		switch name {
		case "transfer-encoding":
			p.transfer = strings.ToLower(value)
		case "content-encoding":
			p.coding = strings.ToLower(value)
		case "content-type":
			p.ContentType = value
		case "location":
			p.Location = value
		case "x-robots-tag":
			p.RobotsTags = append(p.RobotsTags, value)
		}
	}
}

func status(line string) (code int, ok bool) {
	version, rest, _ := strings.Cut(line, " ")
	text, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err == nil && len(text) == 3 && n >= 100 && strings.HasPrefix(version, "HTTP/")
}

// Body reads up to limit bytes of the body and decodes it: chunked, and gzip, deflate, br and zstd. Many WARC files
// store a decoded body under a header that claims otherwise, so the bytes themselves are checked. The error is ErrBody,
// returned with the data read before it. If truncated is set, because the capture stopped early, an early end is not an
// error.
func (p *Response) Body(limit int, truncated bool) ([]byte, error) {
	in := p.in
	if strings.HasSuffix(p.transfer, "chunked") && beginsChunk(in) {
		in = bufio.NewReader(httputil.NewChunkedReader(in))
	}
	r, err := decoded(in, p.coding)
	if err != nil {
		return nil, ErrBody
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)))
	if err != nil && !(truncated && errors.Is(err, io.ErrUnexpectedEOF)) {
		return body, ErrBody
	}
	return body, nil
}

// beginsChunk reports whether the next line is the size of a chunk.
func beginsChunk(in *bufio.Reader) bool {
	const longest = 64
	line, _ := in.Peek(longest)
	line, _, found := bytes.Cut(line, []byte("\n"))
	size, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 63)
	return found && err == nil
}
