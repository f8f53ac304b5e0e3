package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// A plain file is divided into ranges of whole lines, each of about ChunkSize bytes. One goroutine
// finds the ends of ranges, reading only a few bytes of the file, and a caller of Next reads the
// range with pread into the buffer of a chunk. So all callers read the file together, in the order
// of its bytes. A line longer than MaxLine bytes is a separate range, of which only the beginning
// is read.

// plainFile is an open plain file, or a part of one, such as a plain member of an archive. Its
// ranges share it.
type plainFile struct {
	*disk.File
	input      int
	begin, end int64 // bounds when the file was opened; bytes appended later aren't read
	users      atomic.Int64
}

// fileRange is a range of a plain file. It becomes the chunk with that number.
type fileRange struct {
	file     *plainFile // nil for none
	seq      int64
	off, end int64
	keep     int64 // how many bytes to keep: all, except of a line that is too long
	last     bool
}

// overread is how much a buffer exceeds ChunkSize, because the last line usually ends there.
const overread = 4 << 10

// alignment is the modulus by which reads are aligned. If the position in the file and the address
// in memory differ modulo 64, the kernels of some machines take up to four times as long to copy.
const alignment = 64

// aligned returns the last position at or before at where a read into a buffer may begin.
func aligned(at int64) int64 { return at &^ (alignment - 1) }

func (r *Reader) sendRanges(input int, o opened) {
	p := &plainFile{File: o.file, input: input, begin: o.off, end: o.off + o.size}
	p.users.Store(1)
	r.watch(p.File)
	defer r.leave(p)
	buf := make([]byte, min(searchBuffer, o.size+alignment))
	for t := (fileRange{file: p, end: p.begin}); !t.last; t.seq++ {
		t.off = t.end
		at, err := r.endRange(&t, buf)
		if err != nil { // the bytes before it may be readable
			t.end, t.last = min(t.off+int64(r.o.ChunkSize), p.end), true
			t.keep = t.end - t.off
			r.failPlain(p, at, err)
		}
		if !r.takeSlot() {
			return
		}
		p.users.Add(1)
		r.ready <- item{plain: t}
	}
	r.states[input].add(0, 0, true) // the callers finish their ranges before their Next returns
}

// searchBuffer is the size of reads within a long line.
const searchBuffer = 128 << 10

// endRange finds the end of a range that begins with a line. It is the end of the line that
// contains byte ChunkSize. If that line is too long, the range ends before it, or contains only
// that line. An error refers to a position in the file.
func (r *Reader) endRange(t *fileRange, buf []byte) (at int64, err error) {
	p := t.file
	chunk, longest := t.off+int64(r.o.ChunkSize), t.off+int64(r.o.MaxLine)
	end, found := p.end, true
	if chunk < p.end {
		end, found, err = nextLine(p, chunk, min(longest+1, p.end), buf[:min(overread, len(buf))])
	}
	switch {
	case err != nil:
		return end, err
	case !found && p.end > longest:
		if end, err = lastLine(p, t.off, chunk, buf); err == nil && end == t.off {
			t.keep = int64(r.o.kept())
			end, _, err = nextLine(p, longest+1, p.end, buf)
		}
		if err != nil {
			return end, err
		}
	}
	t.end, t.last = end, end == p.end
	if found || end-t.off <= int64(r.o.MaxLine) {
		t.keep = end - t.off
	}
	return end, nil
}

// nextLine returns the beginning of the first line at or after a position in a file, or end if
// there is none before end. With an error it returns a position that can't be read. buf is for
// reading, and must be longer than the alignment.
func nextLine(f io.ReaderAt, at, end int64, buf []byte) (line int64, found bool, err error) {
	at--
	for at < end {
		from := aligned(at)
		n, err := f.ReadAt(buf[:min(int64(len(buf)), end-from)], from)
		read := buf[min(int(at-from), n):n]
		if i := bytes.IndexByte(read, '\n'); i >= 0 {
			return at + int64(i) + 1, true, nil
		}
		at += int64(len(read))
		if len(read) == 0 {
			return at, false, noEOF(err)
		}
	}
	return end, false, nil
}

// lastLine returns the beginning of the last line before a position in a file, or begin if there is
// none after begin.
func lastLine(f io.ReaderAt, begin, at int64, buf []byte) (line int64, err error) {
	for at > begin {
		from := aligned(max(begin, at-int64(len(buf))+alignment))
		part := buf[:at-from]
		if n, err := f.ReadAt(part, from); n < len(part) {
			return at, noEOF(err)
		}
		at = max(begin, from)
		if i := bytes.LastIndexByte(part[at-from:], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
	return begin, nil
}

// leave closes the file after its last user.
func (r *Reader) leave(p *plainFile) {
	if p.users.Add(-1) == 0 {
		r.unwatch(p.File)
		p.Close()
	}
}

// readRange makes the chunk of a range.
func (r *Reader) readRange(t fileRange) *Chunk {
	p := t.file
	c := r.chunks.take(p.input, t.seq)
	base := aligned(t.off) // position in the file of c.buf[0]
	begin, end := int(t.off-base), int(t.off-base+t.keep)
	c.grow(end)
	n, err := p.ReadAt(c.buf[:end], base)
	c.Data, c.Last = c.buf[min(begin, n):n], t.last
	c.Cut = t.end - t.off - t.keep
	if n < end {
		c.Cut = 0
		r.failPlain(p, base+int64(n), noEOF(err))
	}
	got := int64(len(c.Data)) + c.Cut
	r.states[p.input].add(got, got, false)
	r.read.Add(got)
	r.leave(p)
	return c
}

// failPlain records an error at a position of a plain file, unless Stop has closed the file.
func (r *Reader) failPlain(p *plainFile, at int64, err error) {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("file shrank while it was read, from %d bytes: %w", p.end-p.begin, err)
	}
	if !errors.Is(err, fs.ErrClosed) || !r.isStopped() {
		r.states[p.input].fail(newError(r.ins[p.input].Name, at-p.begin, err))
	}
}
