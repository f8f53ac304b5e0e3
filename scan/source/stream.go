package source

import (
	"bytes"
	"io"
)

// Streams are cut into chunks as they are decoded.
//
// The decoder writes straight into the buffer of a chunk; when that is full, the chunk ends after its last newline. Three
// things complicate it. First, what is behind the last newline begins the next chunk: it is copied aside, usually a hundred bytes,
// so that the chunk can be sent off before there is a buffer for the next. Second, where a piece's worth of bytes
// contains no newline, the buffer grows, up to MaxLine. Third, beyond MaxLine the line is read but not kept.

// pump reads a stream to its end: a pipe, or what else may keep a Read waiting for ever, or a small file, one of thousands perhaps, which
// is read before anybody could be called to take turns at it.
func (r *Reader) pump(i int, s *stream) {
	st := &r.states[i]
	if s.file != nil {
		defer r.unwatch(s.file)
	}
	defer s.close()
	s.src.report(&r.read)
	defer func() { st.disk.Store(s.src.in.n.Load()) }()
	l := lines{r: r, s: s, piece: r.o.ChunkSize, pieces: 1}
	for seq := int64(0); !l.end; seq++ {
		c := r.buffer(r.pipes, i, seq)
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
		r.ready.put(c)
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
func (r *Reader) buffer(p *pool, i int, seq int64) *Chunk {
	select {
	case <-p.slots:
		return p.take(i, seq)
	case <-r.stop:
		return nil
	}
}

// sendEmpty sends the only chunk of an input that has nothing to give.
func (r *Reader) sendEmpty(i int, seq int64) {
	if c := r.buffer(r.pipes, i, seq); c != nil {
		c.Last = true
		r.ready.put(c)
	}
}

// lines cuts a stream into chunks. Those of ordinary lines are one or more pieces long, and a piece is at most MaxLine bytes long: what
// lies in one piece and ends in a newline is no line that is too long.
type lines struct {
	r      *Reader
	s      *stream
	piece  int    // bytes of a piece
	pieces int    // pieces of a chunk
	carry  []byte // what was read behind the last chunk
	eof    bool   // the stream has ended, well or badly
	end    bool   // and all of it is in chunks

	turn *shared // whose next reader is to be called when the last piece is nearly full; nil once that is done
}

// fill makes the next chunk.
func (l *lines) fill(c *Chunk) {
	c.room(len(l.carry))
	n := copy(c.buf, l.carry)
	l.carry = l.carry[:0]
	end := 0 // of the pieces that are done
	for piece := 1; ; piece++ {
		var newline int
		n, newline = l.fillPiece(c, end, n, piece == l.pieces)
		switch {
		case newline < 0 && n-end > l.r.o.MaxLine: // only ever in the first piece, since the others do not grow
			l.cut(c, n)
			return
		case l.eof:
			c.Data, c.Last, l.end = c.buf[:n], true, true
			return
		case newline >= 0:
			end = newline + 1
		}
		if newline < 0 || piece == l.pieces {
			c.Data = c.buf[:end]
			l.carry = append(l.carry, c.buf[end:n]...)
			return
		}
	}
}

// fillPiece reads the piece that begins at end in the buffer, of which n bytes are filled. It returns how many are then, and where the
// last newline of the piece is: -1 if there is none, which in the first piece means that the stream has ended or the line is longer than
// MaxLine.
func (l *lines) fillPiece(c *Chunk, end, n int, last bool) (filled, newline int) {
	for want := l.piece; ; want = min(2*want, l.r.o.MaxLine+1) {
		c.room(end + want)
		n = l.read(c.buf, n, end+want, last)
		if i := bytes.LastIndexByte(c.buf[end:n], '\n'); i >= 0 {
			return n, end + i
		}
		if l.eof || end > 0 || n > l.r.o.MaxLine {
			return n, -1
		}
	}
}

// cut keeps the beginning of the line in the first n bytes of the buffer and reads on to the end of the line.
func (l *lines) cut(c *Chunk, n int) {
	keep := l.r.o.kept()
	c.Data, c.Cut = c.buf[:keep], int64(n-keep)
	skip := c.buf[keep:min(len(c.buf), keep+l.piece)]
	for !l.eof {
		m := l.read(skip, 0, 1, true) // whatever one Read gives
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

// read reads until buf holds at least want bytes, of which it has n, and more only as far as the last Read gave more. It returns their
// number; fewer than want at the end of the stream. Whether they are the last of the chunk says who waits for its end.
func (l *lines) read(buf []byte, n, want int, last bool) int {
	limit := max(want, min(len(buf), l.piece))
	for idle := 0; n < want && !l.eof; {
		if l.r.isStopped() {
			l.eof = true
			break
		}
		m, err := l.s.Read(buf[n:limit])
		n += m
		if last && l.turn != nil && n >= want-notice {
			l.r.callNext(l.turn)
			l.turn = nil
		}
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
