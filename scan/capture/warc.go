package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// maxHead bounds the header of a record, and of an HTTP response in it.
const maxHead = 64 << 10

// WARC reads the responses to requests for /robots.txt in a WARC file, already
// decompressed (ISO 28500, versions 0.17 to 1.1), and those for other URLs that
// Options.Wants asks for. A capture is of the URL in WARC-Target-URI. Records of other
// pages, and requests and metadata, are passed over. A revisit of /robots.txt, which holds
// no body, is a *SkipError, as is a response for /robots.txt that cannot be used for any
// reason. Any other error ends the records, because the start of the next one is not known.
func WARC(r io.Reader, o Options) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		w := &warc{in: bufio.NewReaderSize(r, 256<<10), o: o}
		for n := int64(1); ; n++ {
			rec, err := w.next()
			if isEOF(err) {
				return
			}
			if err != nil {
				yield(Capture{}, fmt.Errorf("record %d: %w", n, err))
				return
			}
			c, reason := w.capture(rec)
			_, broken := io.Copy(io.Discard, &w.block)
			if broken == nil && w.block.N > 0 {
				broken = io.ErrUnexpectedEOF
			}
			if broken != nil && rec.isCapture() {
				reason = CutShort
			}
			if rec.robots && reason != "" || reason == "" && rec.isCapture() {
				var skipped error
				if reason != "" {
					skipped = &SkipError{Where: fmt.Sprintf("record %d", n), Reason: reason, Text: rec.kind + " " + rec.target}
				}
				if !yield(c, skipped) {
					return
				}
			}
			if broken != nil {
				yield(Capture{}, fmt.Errorf("record %d: %w", n, broken))
				return
			}
		}
	}
}

// warc is the state between records.
type warc struct {
	in    *bufio.Reader
	o     Options
	block io.LimitedReader // of the record
}

// record is the header of a record.
type record struct {
	kind, target, date string
	truncated          bool          // when it was captured
	robots             bool          // the target is a robots.txt
	wanted             bool          // or page, which Options.Wants asks for
	page               answer.Target // the target, if it is not a robots.txt
	length             int64
}

func (r *record) isCapture() bool { return r.kind == "response" && (r.robots || r.wanted) }

var (
	errLength   = errors.New("WARC record without a Content-Length")
	errLongHead = fmt.Errorf("header longer than %d bytes", maxHead)
)

// next reads the header of a record, or returns io.EOF after the last.
func (w *warc) next() (rec record, err error) {
	for { // records end in two empty lines, some in fewer or more
		b, err := w.in.Peek(1)
		if err != nil {
			return rec, err
		}
		if b[0] != '\r' && b[0] != '\n' {
			break
		}
		_, _ = w.in.Discard(1) // it is in the buffer
	}
	head := head{in: w.in, left: maxHead}
	first, err := head.line()
	if err == nil && !strings.HasPrefix(first, warcMagic) {
		err = fmt.Errorf("no WARC record where one should begin: %q", first[:min(len(first), 40)])
	}
	rec.length = -1
	for err == nil {
		var name, value string
		name, value, err = head.field()
		if name == "" {
			break
		}
		switch name {
		case "warc-type":
			rec.kind = strings.ToLower(value)
		case "warc-target-uri":
			// Old versions of wget put it in angle brackets.
			rec.target = strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">")
		case "warc-date":
			rec.date = value
		case "warc-truncated":
			rec.truncated = true
		case "content-length":
			n, lengthErr := strconv.ParseUint(value, 10, 63)
			if lengthErr != nil {
				return rec, fmt.Errorf("%w: %q", errLength, value[:min(len(value), 40)])
			}
			rec.length = int64(n)
		}
	}
	switch {
	case isEOF(err):
		return rec, io.ErrUnexpectedEOF
	case err != nil:
		return rec, err
	case rec.length < 0:
		return rec, errLength
	}
	w.block = io.LimitedReader{R: w.in, N: rec.length}
	if rec.robots = isRobots(rec.target); !rec.robots && rec.kind == "response" && w.o.Wants != nil {
		var ok bool
		rec.page, ok = target(answer.Target{}, rec.target)
		// Of /robots.txt with an empty query, or by FTP, nothing is known.
		rec.wanted = ok && rec.page.Path != answer.RobotsPath && w.o.Wants(rec.page)
	}
	return rec, nil
}

// isRobots tells whether a URL is of an origin's robots.txt.
func isRobots(url string) bool {
	scheme, rest, ok := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	return ok && path == "robots.txt" && host != "" && !strings.ContainsAny(host, "?#\\") && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// capture reads the block of a record. The reason is "" if it gives a capture, and if the
// record is of another page or is no answer.
func (w *warc) capture(rec record) (c Capture, why Reason) {
	switch {
	case !rec.robots && !rec.wanted || rec.kind == "request" || rec.kind == "metadata":
		return c, ""
	case rec.kind != "response":
		return c, Revisit
	}
	var err error
	if rec.robots {
		if rec.page.Origin, err = origin.Of([]byte(rec.target)); err != nil {
			return c, BadHost
		}
	}
	c.Origins, c.Path = []origin.Origin{rec.page.Origin}, rec.page.Path
	if c.Time, err = parseDate(rec.date); err != nil {
		return c, BadDate
	}
	return c, w.response(&c, rec.truncated)
}

// parseDate reads a date of WARC 1.1, which may leave out its smaller units.
func parseDate(s string) (t time.Time, err error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"} {
		if t, err = time.Parse(layout, s); err == nil {
			break
		}
	}
	return t, err
}

// head reads the lines of a header, all together no longer than left.
type head struct {
	in   *bufio.Reader
	left int
}

// line reads a line, without its end.
func (h *head) line() (string, error) {
	var line []byte
	for {
		part, err := h.in.ReadSlice('\n')
		if h.left -= len(part); h.left < 0 {
			return "", errLongHead
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return "", err
		}
		return string(bytes.TrimRight(line, "\r\n")), nil
	}
}

// field reads the next field, its name in lower case; the name is empty at the end
// of the header. Lines that are no field are passed over.
func (h *head) field() (name, value string, err error) {
	for {
		line, err := h.line()
		if err != nil || line == "" {
			return "", "", err
		}
		if name, value, ok := strings.Cut(line, ":"); ok && name != "" && name[0] != ' ' && name[0] != '\t' {
			return strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value), nil
		}
	}
}

// response reads the HTTP response in the block of a record. truncated says that
// the capture stopped before the end.
func (w *warc) response(c *Capture, truncated bool) Reason {
	in := bufio.NewReader(&w.block)
	head := head{in: in, left: maxHead}
	first, _ := head.line() // "" where there is none
	var ok bool
	if c.Status, ok = status(first); !ok {
		return NotHTTP
	}
	var transfer, coding string
	for {
		name, value, err := head.field()
		if errors.Is(err, errLongHead) {
			return LongHead
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
	switch answer.Of(int(c.Status), answer.Archive) {
	case answer.Nothing:
		return NotModified
	case answer.File:
		return w.body(c, in, transfer, coding, truncated)
	}
	return ""
}

// status reads the code in a status line.
func status(line string) (uint16, bool) {
	version, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	n, err := strconv.ParseUint(code, 10, 16)
	return uint16(n), err == nil && len(code) == 3 && n >= 100 && strings.HasPrefix(version, "HTTP/")
}

// body reads the body and undoes its encodings. Many WARC files hold a body that is
// decoded already under a header that says it is not, so the bytes are looked at.
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

// beginsChunk tells whether the next line is the size of a chunk.
func beginsChunk(in *bufio.Reader) bool {
	const longest = 64
	line, _ := in.Peek(longest)
	line, _, found := bytes.Cut(line, []byte("\n"))
	size, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 63)
	return found && err == nil
}
