// Package warc reads the records of WARC files (ISO 28500, versions 0.17 to 1.1), including WAT and
// WET files, and the HTTP responses in them.
//
// A Reader reads the records one after the other, in bounded memory. It can keep the bytes of each
// record to copy it unchanged.
package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Magic is the beginning of every record.
const Magic = "WARC/"

// maxHead limits the header of a record, and of an HTTP response in it, in bytes.
const maxHead = 64 << 10

// Parts are the decompressed parts of a file, such as gzip members. A record begins and ends in one
// part, which may contain several records. source.Parts is an implementation.
type Parts interface {
	// Next advances to the next part. It returns io.EOF after the last.
	Next() error
	// Read reads the bytes of the part. It returns io.EOF at its end.
	Read(p []byte) (n int, err error)
}

// Reader reads the records of a file. It isn't safe for concurrent use.
type Reader struct {
	parts  Parts
	in     *bufio.Reader // of the part
	inPart bool
	number int64 // of the record
	whole  bool  // the record began with its part
	block  io.LimitedReader
	open   bool // a record has begun, but not been read to its end

	keep        int // maximum bytes kept of a record
	kept        []byte
	over        bool  // the record was longer
	begun, read int64 // where the record begins in its part, and how far the part has been read
}

// Record is the header of a record. The zero value isn't a record.
type Record struct {
	Number    int64  // number in the file, from 1
	Kind      string // WARC-Type in lower case, such as response
	Target    string // WARC-Target-URI, without the angle brackets of old wget versions
	Date      string // WARC-Date; see Time
	ID        string // WARC-Record-ID
	Of        string // WARC-Concurrent-To: ID of a record of the same capture
	Truncated bool   // the capture is incomplete
	Length    int64  // of the block, in bytes
}

// Time returns the date of a record. WARC 1.1 permits omitting smaller units.
func (r *Record) Time() (t time.Time, err error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02", "2006-01", "2006"} {
		if t, err = time.Parse(layout, r.Date); err == nil {
			break
		}
	}
	return t, err
}

// NewReader returns a reader of a decompressed file.
func NewReader(r io.Reader) *Reader { return NewPartsReader(&onePart{Reader: r}, 0) }

// NewPartsReader returns a reader that keeps the bytes of each record, up to a limit.
func NewPartsReader(p Parts, keep int) *Reader {
	return &Reader{parts: p, in: bufio.NewReaderSize(nil, 256<<10), keep: keep}
}

// onePart is the only part of a file.
type onePart struct {
	io.Reader
	begun bool
}

func (o *onePart) Next() error {
	if o.begun {
		return io.EOF
	}
	o.begun = true
	return nil
}

// The errors of a header.
var (
	ErrLength   = errors.New("WARC record without a Content-Length")
	ErrLongHead = fmt.Errorf("header longer than %d bytes", maxHead)
)

// Next reads the header of the next record, skipping the rest of the current one. It returns io.EOF after
// the last record. No more records can be read after any other error, since the start of the next one is
// unknown.
func (r *Reader) Next() (*Record, error) {
	if r.open {
		if err := r.End(); err != nil {
			return nil, err
		}
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	r.number, r.open = r.number+1, true
	rec, err := r.header()
	switch {
	case isEOF(err):
		err = io.ErrUnexpectedEOF
	case err == nil && rec.Length < 0:
		err = ErrLength
	}
	if err != nil {
		return nil, fmt.Errorf("record %d: %w", r.number, err)
	}
	r.block = io.LimitedReader{R: r.in, N: rec.Length}
	return rec, nil
}

// begin advances to the beginning of the next record.
func (r *Reader) begin() error {
	for {
		r.whole = !r.inPart
		if !r.inPart {
			if err := r.parts.Next(); err != nil {
				return err
			}
			r.in.Reset(r.parts)
			r.inPart, r.read = true, 0
		}
		if err := r.blanks(); err == nil {
			r.kept, r.over, r.begun = r.kept[:0], false, r.read
			return nil
		} else if !isEOF(err) {
			return err
		}
		r.inPart = false
	}
}

// blanks skips the empty lines after a record, usually two. It returns io.EOF at the end of the
// part.
func (r *Reader) blanks() error {
	for {
		b, err := r.in.Peek(1)
		if err != nil {
			return err
		}
		if b[0] != '\r' && b[0] != '\n' {
			return nil
		}
		r.hold(b[:1])
		_, _ = r.in.Discard(1) // it is in the buffer
	}
}

// hold keeps bytes of the record, and counts them.
func (r *Reader) hold(b []byte) {
	r.read += int64(len(b))
	if r.over || len(r.kept)+len(b) > r.keep {
		r.over = true
		return
	}
	r.kept = append(r.kept, b...)
}

// header reads the header of a record. Length is -1 if it is missing.
func (r *Reader) header() (*Record, error) {
	rec := &Record{Number: r.number, Length: -1}
	h := head{in: r.in, left: maxHead, hold: r.hold}
	first, err := h.line()
	if err == nil && !strings.HasPrefix(first, Magic) {
		err = fmt.Errorf("no WARC record where one should begin: %q", first[:min(len(first), 40)])
	}
	for err == nil {
		var name, value string
		name, value, err = h.field()
		if name == "" {
			break
		}
		switch name {
		case "warc-type":
			rec.Kind = strings.ToLower(value)
		case "warc-target-uri":
			rec.Target = strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">")
		case "warc-date":
			rec.Date = value
		case "warc-record-id":
			rec.ID = value
		case "warc-concurrent-to":
			rec.Of = value
		case "warc-truncated":
			rec.Truncated = true
		case "content-length":
			n, lengthErr := strconv.ParseUint(value, 10, 63)
			if lengthErr != nil {
				return rec, fmt.Errorf("%w: %q", ErrLength, value[:min(len(value), 40)])
			}
			rec.Length = int64(n)
		}
	}
	return rec, err
}

// Read reads the block of the record. It returns io.EOF at its end, and io.ErrUnexpectedEOF if the
// file ends earlier.
func (r *Reader) Read(p []byte) (n int, err error) {
	n, err = r.block.Read(p)
	r.hold(p[:n])
	if isEOF(err) && r.block.N > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// End reads the rest of the record and the empty lines after it. It returns the same errors as
// Next.
func (r *Reader) End() error {
	r.open = false
	var buf [32 << 10]byte
	for {
		if _, err := r.Read(buf[:]); isEOF(err) {
			break
		} else if err != nil {
			return fmt.Errorf("record %d: %w", r.number, err)
		}
	}
	err := r.blanks()
	switch {
	case isEOF(err):
		r.inPart = false
	case err != nil:
		return fmt.Errorf("record %d: %w", r.number, err)
	}
	return nil
}

// Whole reports, after End, whether the record is the only content of its part.
func (r *Reader) Whole() bool { return r.whole && !r.inPart }

// Bytes returns the record that End has completed, decompressed, with its header and the empty lines
// after it. They are valid until Next. ok is false if they exceeded the limit.
func (r *Reader) Bytes() (record []byte, ok bool) { return r.kept, !r.over }

// Extent returns the bounds of that record in its part.
func (r *Reader) Extent() (begin, end int64) { return r.begun, r.read }

// head reads the lines of a header, with a total limit of left bytes.
type head struct {
	in   *bufio.Reader
	left int
	hold func([]byte) // receives all data that is read
}

func (h *head) line() (string, error) {
	var line []byte
	for {
		part, err := h.in.ReadSlice('\n')
		h.left -= len(part)
		if h.left < 0 {
			return "", ErrLongHead
		}
		h.hold(part)
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

// field reads the next field, with its name in lower case. The name is empty at the end of the
// header. Lines that aren't fields are skipped.
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

// isEOF reports whether err is io.EOF itself. An error that wraps io.EOF is damage, not the end.
func isEOF(err error) bool {
	return err == io.EOF //nolint:errorlint // see above
}
