package source

import (
	"bytes"
	"io"
)

// pump reads a stream to its end and cuts it into chunks.
//
// The decoder writes straight into the buffer of a chunk; when that is full, the chunk ends after its last newline. Three
// things complicate it. First, what is behind the last newline begins the next chunk: it is copied aside, usually a hundred bytes,
// so that the chunk can be sent off before there is a buffer for the next. Second, where a chunk's worth of bytes
// contains no newline, the buffer grows, up to MaxLine. Third, beyond MaxLine the line is read but not kept.
//
// What remains above the cost of the decompressor is mostly that of moving the data to another core: the decompressor copies
// them to where that core has read the chunk before, and waits for each line of its cache. That is 0.07 s a GB, and where one
// core does both it is next to nothing. Tried without effect (Go 1.26, two cores): chunks of 64 to 512 KiB, 3 to 40 buffers,
// batches of 2 and 8, the buffer released first instead of last, a locked thread, huge pages, a goroutine that reads the file
// ahead; and in the decompressor's copy rep movsb and stores past the cache, in Release to demote or flush what was read. WithDecoderConcurrency(2) or (4) made zstd slower.
func (r *Reader) pump(i int, s *stream) {
	st := &r.states[i]
	if s.file != nil {
		defer r.unwatch(s.file)
	}
	defer s.close()
	s.src.report(&r.read)
	defer func() { st.disk.Store(s.src.in.n.Load()) }()
	l := lines{r: r, s: s}
	b := batch{r: r, size: 1}
	if r.ins[i].again() {
		b.size = batchLen // not from pipes, which may fall silent after a chunk
	}
	for seq := int64(0); !l.end; seq++ {
		c := b.buffer(i, seq)
		if c == nil {
			return // stopped
		}
		l.fill(c)
		if r.isStopped() {
			r.Release(c) // perhaps cut short by Stop
			return
		}
		if c.Last {
			r.conclude(i, s)
		}
		b.add(c)
	}
}

// batch holds back full chunks for a moment and hands them over together.
//
// Where the workers are faster than the decompressor, they sleep when a chunk comes, and waking a thread takes 15 to 25 µs of
// processor time on a virtual machine. Four chunks at a time save a tenth of all processor time of zstd. A batch is never held while
// its goroutine waits for a buffer, since the workers may be waiting for what it holds.
type batch struct {
	r      *Reader
	size   int
	chunks [batchLen]*Chunk
	n      int
}

const batchLen = 4

func (b *batch) add(c *Chunk) {
	b.chunks[b.n] = c
	b.n++
	if b.n == b.size || c.Last {
		b.flush()
	}
}

func (b *batch) flush() {
	if b.n > 0 {
		b.r.ready.put(b.chunks[:b.n]...)
		b.n = 0
	}
}

// buffer waits for a buffer; it returns nil after Stop.
func (b *batch) buffer(i int, seq int64) *Chunk {
	select {
	case <-b.r.streams.slots:
		return b.r.streams.take(i, seq)
	default:
		b.flush()
		return b.r.buffer(i, seq)
	}
}

// conclude records how a stream ended, before its last chunk is handed out.
func (r *Reader) conclude(i int, s *stream) {
	st := &r.states[i]
	st.disk.Store(s.src.in.n.Load())
	if s.err == io.EOF {
		st.warn(s.dec.warnings())
		return
	}
	st.fail(newError(r.ins[i].Name, s.offset(), s.err))
}

// buffer waits for a buffer; it returns nil after Stop.
func (r *Reader) buffer(i int, seq int64) *Chunk {
	select {
	case <-r.streams.slots:
		return r.streams.take(i, seq)
	case <-r.stop:
		return nil
	}
}

// sendEmpty sends the only chunk of an input that has nothing to give.
func (r *Reader) sendEmpty(i int, seq int64) {
	if c := r.buffer(i, seq); c != nil {
		c.Last = true
		r.ready.put(c)
	}
}

// lines cuts a stream into chunks.
type lines struct {
	r     *Reader
	s     *stream
	carry []byte // what was read behind the last chunk
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
	skip := c.buf[keep : keep+l.r.o.ChunkSize] // fits: both are at most half of MaxLine
	for !l.eof {
		m := l.read(skip, 0, 1) // whatever one Read gives
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

// read reads until buf holds at least want bytes, of which it has n, and more only as far as the last Read gave more. It returns their number; fewer
// than want at the end of the stream.
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
