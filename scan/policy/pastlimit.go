package policy

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/disk"
)

// A crawler may read more of a long robots.txt than the 500 KiB that RFC 9309 2.5 asks
// for, and stop at any line after them. What it cannot miss is the part before the limit.
// So such a body forbids only what it forbids up to the limit, and also with those lines
// after it that may permit: the user-agent and allow lines (audit rules, section 2). Its
// Sitemap lines count wherever they are: many files end with them.

// maxPast limits how many bytes past the limit are looked at.
const maxPast = 64 << 20

// MaxRead is how many bytes of a robots.txt are read in any case, so that a file that does not end
// takes no more.
const MaxRead = 256 << 20

// ReadBody reads a robots.txt. It returns maxBytes+1 bytes of it as the body, the last of
// which tells the compiler that there is more; all if maxBytes is negative, and 0 stands
// for compile.DefaultMaxBytes. past are the lines past the limit that Row has, nil if the
// body is not longer. It looks at most at 64 MiB past the limit: size, the bytes of the
// whole, is -1 if there are more. An error after the limit leaves only the rest unread. A body
// of more than MaxRead bytes is a disk.LimitError, one that takes more than memory bytes is
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

// pastDefault returns the lines of a body that may permit and lie past the default limit, if more of
// the body is read.
func pastDefault(body []byte, maxBytes int) []byte {
	read := compile.WholeLines(body, maxBytes)
	first := len(compile.WholeLines(read, compile.DefaultMaxBytes))
	if first == len(read) {
		return nil
	}
	lines, _ := permittingLines(bytes.NewReader(read[first:]), MaxRead) // nothing fails in memory
	return lines
}

// permittingLines returns the lines of a text that may permit, each with a line end.
// Of a line longer than a buffer it returns the beginning. It stops when they have more than most bytes.
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

// mayPermit reports whether a line may be a user-agent, allow or Sitemap line in some
// dialect.
func mayPermit(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\v\f")
	for _, key := range []string{"user", "allow", "site"} {
		if len(line) >= len(key) && bytes.EqualFold(line[:len(key)], []byte(key)) {
			return true
		}
	}
	return false
}

// newlines reads a text with LF for each CR.
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
