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
// finds where each ends, for which it reads a few bytes of the file, and a caller of Next reads the
// range with pread into the buffer of a chunk. So the file is read by all callers, and in order of
// its bytes. A line of more than MaxLine bytes is a range of its own, of which only the beginning
// is read.

// plainFile is an open plain file, or a part of one, such as a plain member of an archive. Its
// ranges share it.
type plainFile struct {
	*disk.File
	input      int
	begin, end int64 // in the file, when it was opened: bytes appended later are not read
	users      atomic.Int64
}

// fileRange is one range of a plain file. It becomes the chunk of that number.
type fileRange struct {
	file     *plainFile // nil for none
	seq      int64
	off, end int64
	keep     int64 // how many bytes are kept: all, but of a line that is too long
	last     bool
}

// overread is how much more than ChunkSize bytes a buffer has, because a line usually ends there.
const overread = 4 << 10

// alignment: where position in the file and address in memory differ modulo 64, the kernels of some
// machines take up to four times as long to copy. So a read begins where they are equal.
const alignment = 64

// aligned returns the last position at or before at where a read into a buffer may begin.
func aligned(at int64) int64 { return at &^ (alignment - 1) }

// sendRanges sends the ranges of a file to the callers of Next.
func (r *Reader) sendRanges(input int, o opened) {
	p := &plainFile{File: o.file, input: input, begin: o.off, end: o.off + o.size}
	p.users.Store(1)
	r.watch(p.File)
	defer r.leave(p)
	buf := make([]byte, min(searchBuffer, o.size+alignment))
	for t := (fileRange{file: p, end: p.begin}); !t.last; t.seq++ {
		t.off = t.end
		at, err := r.endRange(&t, buf)
		if err != nil { // the bytes before may be read
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
	r.states[input].add(0, 0, true) // the callers finish the ranges they have before their Next returns
}

// searchBuffer is how much is read at once where a line is long.
const searchBuffer = 128 << 10

// endRange finds the end of a range that begins with a line: the end of the line that has its byte
// ChunkSize, unless that line is too long. Then the range ends before the line, or has it alone. An
// error refers to a position in the file.
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

// nextLine returns where the first line begins at a position of a file or after it, or end if none
// begins until there. With an error it is a position that cannot be read. buf is for reading, and
// longer than the alignment.
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

// lastLine returns where the last line begins before a position of a file, or begin if none does
// after that.
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

// failPlain records an error at a position of a plain file, unless Stop has closed it.
func (r *Reader) failPlain(p *plainFile, at int64, err error) {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("file shrank while it was read, from %d bytes: %w", p.end-p.begin, err)
	}
	if !errors.Is(err, fs.ErrClosed) || !r.isStopped() {
		r.states[p.input].fail(newError(r.ins[p.input].Name, at-p.begin, err))
	}
}
