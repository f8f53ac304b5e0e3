package source

import (
	"bytes"
	"io"
)

// readStream decodes a stream to its end and sends its chunks to the callers of Next.
func (r *Reader) readStream(i int, s *stream) {
	st := &r.states[i]
	if s.file != nil {
		defer r.unwatch(s.file)
	}
	defer s.close()
	s.raw.reportTo(&r.read)
	defer func() { st.disk.Store(s.raw.n.Load()) }()
	l := lines{r: r, s: s}
	for seq := int64(0); !l.end; seq++ {
		c := r.streamChunk(i, seq)
		if c == nil {
			return // stopped
		}
		l.fill(c)
		if r.isStopped() {
			r.Release(c) // Stop may have cut it short
			return
		}
		if c.Last {
			r.conclude(i, s)
		}
		r.ready <- c
	}
}

// conclude records how a stream ended, before its last chunk is sent.
func (r *Reader) conclude(i int, s *stream) {
	st := &r.states[i]
	st.disk.Store(s.raw.n.Load())
	if s.err == io.EOF {
		st.warn(s.dec.warnings())
		return
	}
	st.fail(newError(r.ins[i].Name, s.raw.offset(), s.err))
}

// streamChunk waits for a free chunk; it returns nil after Stop.
func (r *Reader) streamChunk(i int, seq int64) *Chunk {
	select {
	case <-r.streams.slots:
		return r.streams.take(i, seq)
	case <-r.stop:
		return nil
	}
}

// lines cuts a stream into chunks.
//
// The decoder writes straight into the buffer of a chunk; when that is full, the chunk ends after its last newline. Three
// things complicate it. First, the bytes behind the last newline begin the next chunk: they are copied aside, usually a
// hundred bytes, so that the chunk can be sent before there is a buffer for the next. Second, where ChunkSize bytes
// contain no newline, the buffer grows, up to MaxLine. Third, beyond MaxLine the line is read but not kept.
type lines struct {
	r     *Reader
	s     *stream
	carry []byte // bytes read behind the last chunk
	eof   bool   // the stream has ended, well or badly
	end   bool   // and all of it is in chunks
}

// fill makes the next chunk.
func (l *lines) fill(c *Chunk) {
	maxLine := l.r.o.MaxLine
	c.room(len(l.carry))
	n := copy(c.buf, l.carry)
	l.carry = l.carry[:0]
	for want := l.r.o.ChunkSize; ; want = min(2*want, maxLine+1) {
		c.room(want)
		n = l.read(c.buf, n, want)
		newline := bytes.LastIndexByte(c.buf[:n], '\n')
		switch {
		case newline < 0 && n > maxLine:
			l.cut(c, n)
			return
		case l.eof:
			c.Data, c.Last, l.end = c.buf[:n], true, true
			return
		case newline >= 0:
			c.Data = c.buf[:newline+1]
			l.carry = append(l.carry, c.buf[newline+1:n]...)
			return
		}
	}
}

// cut keeps the beginning of the line in the first n bytes of the buffer and reads on to the end of the line.
func (l *lines) cut(c *Chunk, n int) {
	keep := l.r.o.kept()
	c.Data, c.Cut = c.buf[:keep], int64(n-keep)
	skip := c.buf[keep : keep+l.r.o.ChunkSize] // it fits: both are at most half of MaxLine
	for !l.eof {
		m := l.read(skip, 0, 1) // as much as one Read gives
		if i := bytes.IndexByte(skip[:m], '\n'); i >= 0 {
			c.Cut += int64(i + 1)
			l.carry = append(l.carry, skip[i+1:m]...)
			break
		}
		c.Cut += int64(m)
	}
	if l.eof && len(l.carry) == 0 {
		c.Last, l.end = true, true
	}
}

// kept is how many bytes of a line that is too long are kept.
func (o Options) kept() int { return min(o.ChunkSize, maxKept) }

// read reads until buf holds at least want bytes, of which it has n, and more only as far as the last Read gave more. It
// returns their number; fewer than want at the end of the stream.
func (l *lines) read(buf []byte, n, want int) int {
	limit := max(want, min(len(buf), l.r.o.ChunkSize))
	for idle := 0; n < want && !l.eof; {
		if l.r.isStopped() {
			l.eof = true
			break
		}
		m, err := l.s.Read(buf[n:limit])
		n += m
		if idle++; m > 0 {
			idle = 0
		} else if idle == maxIdleReads && err == nil {
			err = io.ErrNoProgress
			l.s.err = err
		}
		l.eof = err != nil
	}
	return n
}
