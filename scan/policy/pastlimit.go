package policy

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
)

// RFC 9309 2.5 requires crawlers to read the first 500 KiB of a robots.txt. Beyond that they may
// stop at any line. So a longer body forbids only what the part before the limit forbids, even when
// combined with those later lines that may permit: user-agent and allow lines (audit rules, section
// 2). Sitemap lines count anywhere, because many files end with them.

// maxPast limits the bytes examined past the limit.
const maxPast = 64 << 20

// MaxRead limits the bytes read of a robots.txt, in case it is endless.
const MaxRead = 256 << 20

// ReadBody reads a robots.txt. The body is limited to maxBytes+1 bytes, of which the last signals
// to the compiler that there is more; 0 means compile.DefaultMaxBytes, and a negative maxBytes
// means no limit. past has the lines past the limit that Row keeps, or nil if the body is not
// longer. At most 64 MiB past the limit are examined: size is the total size in bytes, or -1 if
// it exceeds that. An error after the limit only leaves the rest unread. If the body exceeds
// MaxRead bytes, the error is a disk.LimitError; if it needs more than memory bytes,
// disk.ErrMemory.
func ReadBody(r io.Reader, maxBytes int, memory int64) (body, past []byte, size int64, err error) {
	limit := compile.Limit(maxBytes)
	if maxBytes < 0 {
		body, err = io.ReadAll(disk.Within(r, MaxRead, memory))
		return body, nil, int64(len(body)), err
	}
	body, err = io.ReadAll(io.LimitReader(disk.Within(r, MaxRead, memory), int64(limit)+1))
	if size = int64(len(body)); err != nil || len(body) <= limit {
		return body, nil, size, err
	}
	first := body[len(compile.WholeLines(body, limit)):] // of the line that the limit cuts
	rest := &io.LimitedReader{R: r, N: maxPast + 1}
	past, err = permittingLines(io.MultiReader(bytes.NewReader(first), rest), memory/2)
	if int64(len(past)) > memory/2 {
		return nil, nil, 0, disk.ErrMemory
	}
	if size += maxPast + 1 - rest.N; err != nil || rest.N == 0 {
		size = -1
	}
	return body, past, size, nil
}

// pastDefault returns the permitting lines of a body past the default limit, if more of the body is
// read.
func pastDefault(body []byte, maxBytes int) []byte {
	read := compile.WholeLines(body, maxBytes)
	first := len(compile.WholeLines(read, compile.DefaultMaxBytes))
	if first == len(read) {
		return nil
	}
	lines, _ := permittingLines(bytes.NewReader(read[first:]), MaxRead) // reading from memory can't fail
	return lines
}

// permittingLines returns the lines of a text that may permit, each with a line end. It cuts lines
// to the length of a buffer, and stops when the result exceeds most bytes.
func permittingLines(r io.Reader, most int64) (lines []byte, err error) {
	in := bufio.NewReaderSize(newlines{r}, 64<<10)
	for begins := true; ; {
		if int64(len(lines)) > most {
			return lines, nil
		}
		line, err := in.ReadSlice('\n')
		if begins && mayPermit(line) {
			lines = append(append(lines, bytes.TrimSuffix(line, []byte("\n"))...), '\n')
		}
		switch begins = err == nil; {
		case begins, errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return lines, nil
		default:
			return lines, err
		}
	}
}

// mayPermit reports whether a line may be a user-agent, allow or Sitemap line in some dialect.
func mayPermit(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\v\f")
	for _, key := range []string{"user", "allow", "site"} {
		if len(line) >= len(key) && bytes.EqualFold(line[:len(key)], []byte(key)) {
			return true
		}
	}
	return false
}

// newlines converts each CR of a text to LF.
type newlines struct{ io.Reader }

func (r newlines) Read(p []byte) (n int, err error) {
	n, err = r.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
