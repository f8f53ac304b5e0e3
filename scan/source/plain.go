package source

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// A plain file is divided into ranges of ChunkSize bytes. Range k becomes chunk k: a caller of Next reads it with pread into
// the chunk's buffer. A line belongs to the range in which it starts. So a range is read from a little before its beginning,
// since the byte there shows whether a line starts, to the end of its last line; the first read goes a little beyond the range for
// that end.
//
// Long lines complicate it. A range in which no line starts is an empty chunk. A line of more than MaxLine bytes must be a
// chunk of its own, and the chunk of the range in which it starts has the lines before it. But the chunk of the next range is
// free, because the line is longer than two ranges. So a range reads at most MaxLine bytes of its last line, and leaves the
// line out if it does not end there. A range in which no line starts checks whether the range before left a line out, and then
// reads that line to its end. For a line of gigabytes only one caller does this: it records how far there is no newline, and
// others skip these ranges.

// plainFile is an open plain file, or a plain member of an archive. It is shared by all callers of Next.
type plainFile struct {
	f     io.ReaderAt
	file  *disk.File
	input int
	size  int64 // when it was opened: bytes appended later are not read
	users atomic.Int64

	mu                         sync.Mutex
	noNewlineFrom, noNewlineTo int64 // there is no newline in between
}

// fileRange is one range of a plain file.
type fileRange struct {
	file     *plainFile
	seq      int64
	off, end int64
}

// overread is how much is read behind a range at once, because its last line usually ends there.
const overread = 4 << 10

// alignment is what the position in the file is a multiple of when a read into the beginning of a buffer starts. The kernel takes
// up to three times as long to copy where position and address differ modulo 64.
const alignment = 64

// hashBuffer is how much is read at once to be hashed: it stays in a cache.
const hashBuffer = 128 << 10

// sendRanges sends the ranges of a file to the callers of Next.
func (r *Reader) sendRanges(input int, o opened) {
	size := o.size
	p := &plainFile{f: o.plain(), file: o.file, input: input, size: size}
	p.users.Store(1)
	if r.ins[input].Hash {
		select {
		case r.hashing <- struct{}{}: // so that no more files are open than there are workers
			p.users.Add(1)
			r.hashes.Go(func() { r.hash(p) })
		case <-r.stop:
		}
	}
	sent := int64(0)
	for seq := int64(0); sent < size; seq++ {
		t := fileRange{file: p, seq: seq, off: sent, end: min(sent+int64(r.o.ChunkSize), size)}
		p.users.Add(1)
		select {
		case r.ranges <- t:
		case <-r.stop:
			r.leave(p)
			r.leave(p)
			return
		}
		sent = t.end
	}
	r.states[input].complete.Store(true) // the callers finish the ranges they have before their Next returns
	r.leave(p)
}

// hash finds the SHA-256 of a file. It reads the file a second time, since a hash needs the bytes in their order.
func (r *Reader) hash(p *plainFile) {
	defer func() {
		<-r.hashing
		r.leave(p)
	}()
	sum, buf := sha256.New(), make([]byte, min(hashBuffer, p.size))
	for at := int64(0); at < p.size; {
		n, err := p.f.ReadAt(buf[:min(int64(len(buf)), p.size-at)], at)
		if r.isStopped() {
			return
		}
		if n == 0 && err != nil {
			if !isEOF(err) { // else the file shrank: those who read the lines report that
				r.states[p.input].fail(newError(r.ins[p.input].Name, at, err))
			}
			return
		}
		sum.Write(buf[:n])
		at += int64(n)
	}
	r.states[p.input].hashed(sum)
}

// leave closes the file after its last user.
func (r *Reader) leave(p *plainFile) {
	if p.users.Add(-1) == 0 {
		p.file.Close()
	}
}

// readRange makes the chunk of a range.
func (r *Reader) readRange(c *Chunk, t fileRange) {
	st := &r.states[t.file.input]
	c.Last = t.end == t.file.size
	got := t.end - t.off
	if !t.file.inLongLine(t) {
		got = r.readLines(c, t)
	}
	st.bytes.Add(int64(len(c.Data)) + c.Cut)
	st.disk.Add(got)
	r.read.Add(got)
	r.leave(t.file)
}

// readLines finds the lines that start in the range, and returns how many bytes of the range there were to read.
func (r *Reader) readLines(c *Chunk, t fileRange) (got int64) {
	p := t.file
	base := max(t.off-1, 0) &^ (alignment - 1) // position in the file of c.buf[0]
	n := r.pread(c, 0, base, min(t.end+overread, p.size), p)
	limit := int(min(t.end-base, int64(n))) // end of the range in c.buf; less if the file shrank
	got = max(base+int64(limit)-t.off, 0)
	begin := 0
	if t.off > 0 {
		before := min(int(t.off-1-base), limit) // in c.buf
		i := bytes.IndexByte(c.buf[before:max(limit-1, before)], '\n')
		if i < 0 {
			r.longLine(c, t)
			return got
		}
		begin = before + i + 1
	}
	if limit == 0 {
		return got
	}
	end := limit
	if c.buf[limit-1] != '\n' {
		end = r.finishLine(c, p, base, begin, limit, n)
	}
	c.Data = c.buf[begin:end]
	return got
}

var errStopped = errors.New("reading was stopped inside a long line")

// finishLine returns the end in c.buf of the line that is unfinished at limit, or its beginning if it is longer than MaxLine.
// Of c.buf n bytes are filled, from base in the file.
func (r *Reader) finishLine(c *Chunk, p *plainFile, base int64, begin, limit, n int) int {
	line := begin + bytes.LastIndexByte(c.buf[begin:limit], '\n') + 1
	for look, step := limit, 16*overread; ; step *= 2 {
		if i := bytes.IndexByte(c.buf[look:n], '\n'); i >= 0 {
			if look+i-line > r.o.MaxLine {
				return line
			}
			return look + i + 1
		}
		if n-line > r.o.MaxLine {
			return line
		}
		look = n
		to := min(base+int64(min(n+step, line+r.o.MaxLine+1)), p.size)
		if n = r.pread(c, n, base, to, p); n == look {
			return n // end of the file
		}
	}
}

// longLine makes the chunk of a range in which no line starts: a line longer than MaxLine that starts in the range before, or
// nothing.
func (r *Reader) longLine(c *Chunk, t fileRange) {
	p := t.file
	before := max(t.off-int64(r.o.ChunkSize), 0)
	base := max(before-1, 0)
	n := r.pread(c, 0, base, t.off-1, p)
	i := bytes.LastIndexByte(c.buf[:n], '\n')
	if i < 0 && before > 0 {
		return // the line started still earlier
	}
	line := base + int64(i+1)
	if p.size-line <= int64(r.o.MaxLine) {
		return // too short to be one of those
	}
	keep := r.o.kept()
	if r.pread(c, 0, line, line+int64(keep), p) < keep {
		return // the file shrank
	}
	// There is no newline before the last byte of this range; search from there.
	pos, newline := t.end-1, false
	for pos < p.size && !newline && !r.isStopped() {
		p.setNoNewline(line, pos)
		n := r.pread(c, keep, pos-int64(keep), min(pos+int64(r.o.ChunkSize), p.size), p) - keep
		if n == 0 {
			break
		}
		i := bytes.IndexByte(c.buf[keep:keep+n], '\n')
		if newline = i >= 0; newline {
			n = i
		}
		pos += int64(n)
	}
	if r.isStopped() {
		r.states[p.input].fail(newError(r.ins[p.input].Name, pos, errStopped))
	}
	if pos-line <= int64(r.o.MaxLine) {
		return // the range before has it
	}
	if newline {
		pos++
	}
	c.Data, c.Cut = c.buf[:keep], pos-line-int64(keep)
}

// pread fills c.buf from n on with the bytes of the file up to position to, c.buf[0] being at base, and returns the number of
// bytes that are in c.buf then. Fewer than asked for are an error of the input.
func (r *Reader) pread(c *Chunk, n int, base, to int64, p *plainFile) int {
	want := int(to - base)
	if want <= n {
		return n
	}
	c.grow(want)
	m, err := p.f.ReadAt(c.buf[n:want], base+int64(n))
	if n+m < want && !(errors.Is(err, fs.ErrClosed) && r.isStopped()) {
		at := base + int64(n+m)
		if isEOF(err) {
			err = fmt.Errorf("file shrank while it was read, from %d bytes: %w", p.size, io.ErrUnexpectedEOF)
		}
		r.states[p.input].fail(newError(r.ins[p.input].Name, at, err))
	}
	return n + m
}

// inLongLine reports whether the range is known to lie inside a long line whose chunk another range makes.
func (p *plainFile) inLongLine(t fileRange) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.noNewlineFrom <= t.off-1 && t.end-1 <= p.noNewlineTo
}

func (p *plainFile) setNoNewline(from, to int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noNewlineFrom, p.noNewlineTo = from, to
}
