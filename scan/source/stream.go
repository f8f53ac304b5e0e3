package source

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"fmt"
	"io"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// stream is an input that is read sequentially, because it is compressed or not seekable. It isn't
// safe for concurrent use.
type stream struct {
	codec  sniff.Codec
	raw    *rawReader
	dec    decoder
	window *window
	file   *disk.File // nil if the caller closes it
	inFile bool       // its bytes equal those in a file from begin on
	begin  int64      // position in the file
	below  *stream    // for a compressed member, the stream of its bytes
	head   []byte     // decoded by Head, to be read again
	err    error      // returned by Read after head: io.EOF, or the error that ended the stream
	bad    bool       // a decoder panicked, and its buffers are in an unknown state
}

// newStream makes a stream with the decoder for the first bytes.
func newStream(raw *rawReader, name string, w *window) (*stream, error) {
	s := &stream{raw: raw, window: w}
	magic, err := peekMagic(s.raw.br)
	if err != nil && !isEOF(err) && len(magic) == 0 {
		s.raw.free()
		return nil, err
	}
	s.codec = sniff.CodecOf(magic)
	if s.codec == sniff.Plain && sniff.CodecOfName(name) != sniff.Unknown {
		sample, _ := raw.br.Peek(sniff.SampleLen)
		if err := sniff.CheckName(name, sample); err != nil {
			raw.free()
			return nil, err
		}
	}
	switch s.codec {
	case sniff.Gzip:
		s.dec = newGzip(raw)
	case sniff.Zstd:
		z, err := newZstd(raw, w)
		if err != nil {
			raw.free()
			return nil, err
		}
		s.dec = z
	case sniff.Bzip2:
		s.dec = simpleDecoder{bzip2.NewReader(raw.br)}
	case sniff.Xz:
		s.dec = &xzDecoder{feed: xzFeed{raw: s.raw, window: w}}
	default:
		s.dec = simpleDecoder{plainReader{s.raw}}
	}
	return s, nil
}

// peekMagic returns the first bytes of an input, as many as package sniff needs. For text it
// returns what is available, because a pipe may have a short line that must be answered before the
// next one comes.
func peekMagic(br *bufio.Reader) ([]byte, error) {
	first, err := br.Peek(1)
	if err != nil {
		return first, err
	}
	if sniff.MayBeCompressed(first[0]) {
		return br.Peek(sniff.CodecLen)
	}
	return br.Peek(min(br.Buffered(), sniff.CodecLen))
}

// Read returns decompressed bytes, at least one, or an error, which is final.
func (s *stream) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil // not every decoder returns from that
	}
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	for idle, at := 0, s.raw.offset(); n == 0 && s.err == nil; {
		n, s.err = s.decode(s.dec, p)
		if now := s.raw.offset(); now != at {
			idle, at = 0, now
		} else if idle++; idle > maxIdleReads && n == 0 && s.err == nil {
			s.err = io.ErrNoProgress
		}
	}
	return n, s.err
}

// shift returns by how much a buffer must be shifted from an aligned address, so that the bytes
// that follow in the file are read to an address that suits their position.
func (s *stream) shift(read int) int {
	if !s.inFile {
		return 0
	}
	at := s.begin + s.raw.offset() - int64(len(s.head)+read)
	return int(at - aligned(at))
}

// peek returns the first n decoded bytes, or fewer with the error that follows them. They will be
// read again. With atLine it doesn't wait for more after the end of a line, because the writer may
// first wait for an answer.
func (s *stream) peek(n int, atLine bool) (head []byte, err error) {
	head = make([]byte, n)
	for got := 0; ; {
		m, err := s.Read(head[got:])
		got += m
		if s.head = head[:got]; got == n || err != nil || atLine && bytes.IndexByte(head[got-m:got], '\n') >= 0 {
			return s.head, err
		}
		s.head = nil
	}
}

// maxIdleReads limits how often in succession a decoder may neither return nor consume a byte, as
// in bufio. A decoder that consumes bytes may return nothing any number of times, because an
// archive may have a million empty members.
const maxIdleReads = 100

// decode turns a panic of the stream's decoder into an error. The decoders come from libraries and
// process untrusted bytes, and one hostile archive among a thousand must not end the reading of the
// others. None of them starts goroutines, so every panic can be caught here.
func (s *stream) decode(dec io.Reader, p []byte) (n int, err error) {
	defer func() {
		if e := recover(); e != nil {
			s.bad = true
			n, err = 0, fmt.Errorf("%s decoder failed: %v", s.codec, e)
		}
	}()
	return dec.Read(p)
}

func (s *stream) close() {
	if s.file != nil {
		s.file.Close()
	}
	if !s.bad {
		s.dec.free()
		s.raw.free()
	}
	s.window.free()
	if s.below != nil {
		s.below.close()
	}
}

// readStream decodes a stream to its end and sends its chunks to the callers of Next.
func (r *Reader) readStream(i int, s *stream) {
	if s.file != nil {
		defer r.unwatch(s.file)
	}
	defer s.close()
	r.read.Add(s.raw.n.Load()) // that Head has read
	s.raw.also = &r.read
	defer r.conclude(i, s)
	k := chunker{r: r, s: s, records: r.ins[i].Records}
	for seq := int64(0); !k.end; seq++ {
		if !r.takeSlot() {
			return // stopped
		}
		c := r.chunks.take(i, seq)
		k.fill(c)
		if r.isStopped() {
			r.Release(c) // Stop may have cut it short
			return
		}
		if c.Last {
			r.conclude(i, s)
		}
		r.ready <- item{chunk: c}
	}
}

// conclude records how far a stream was read and, before its last chunk is sent, how it ended.
func (r *Reader) conclude(i int, s *stream) {
	st, at := &r.states[i], s.raw.offset()
	if r.ins[i].decoded { // the reader that makes the lines adds the place
		at = -1
	}
	if s.err != nil && !isEOF(s.err) && !r.isStopped() { // Stop closes the file
		st.fail(newError(r.ins[i].Name, at, s.err))
	}
	st.Lock()
	defer st.Unlock()
	st.Disk = s.raw.offset()
	if isEOF(s.err) {
		st.Warnings = s.dec.warnings()
		if s.raw.sum != nil {
			st.Sum = s.raw.sum.Sum(nil)
		}
		if s.raw.check != nil {
			st.Check = s.raw.check.sum()
		}
	}
}

// chunker splits a stream into chunks.
//
// The decoder writes directly into the buffer of a chunk. When that is full, the chunk ends after
// its last newline. There are three complications. The bytes after the last newline begin the next
// chunk; they are copied aside, usually a hundred bytes, so that the chunk can be sent before there
// is a buffer for the next. If ChunkSize bytes contain no newline, the buffer grows, up to MaxLine.
// Beyond MaxLine the line is read but not kept.
type chunker struct {
	r     *Reader
	s     *stream
	carry []byte // bytes read after the last chunk
	eof   bool   // the stream has ended, with or without an error
	end   bool   // all of the stream is in chunks

	records func(data []byte, final bool) (end int, lines bool) // of the input
}

// fill makes the next chunk.
func (k *chunker) fill(c *Chunk) {
	maxLine, begin := k.r.o.MaxLine, k.s.shift(len(k.carry))
	c.grow(begin + len(k.carry))
	n := begin + copy(c.buf[begin:], k.carry)
	k.carry = k.carry[:0]
	for want := k.r.o.ChunkSize; ; {
		c.grow(begin + want)
		n = k.read(c.buf, n, begin+want)
		whole := k.whole(c, c.buf[begin:n])
		switch {
		case whole == 0 && n-begin > maxLine:
			k.cut(c, begin, n)
			return
		case k.eof:
			c.Data, c.Last, k.end = c.buf[begin:n], true, true
			return
		case whole > 0:
			end := begin + whole
			c.Data = c.buf[begin:end]
			k.carry = append(k.carry, c.buf[end:n]...)
			return
		}
		if n-begin >= want { // otherwise it is a line of a pipe within a record
			want = min(2*want, maxLine+1)
		}
	}
}

// whole returns how many bytes of data are whole lines or records. data begins with one.
func (k *chunker) whole(c *Chunk, data []byte) (end int) {
	if k.records == nil {
		return bytes.LastIndexByte(data, '\n') + 1
	}
	end, c.Lines = k.records(data, k.eof)
	if maxLine := k.r.o.MaxLine; end == 0 && len(data) > maxLine && !k.eof {
		end = bytes.IndexByte(data[:maxLine+1], '\n') + 1 // quotes that don't end within it don't count
		c.Lines = false
	}
	return end
}

// cut keeps the beginning of the line in c.buf[begin:n] and reads to the end of the line.
func (k *chunker) cut(c *Chunk, begin, n int) {
	end := begin + k.r.o.kept()
	c.Data, c.Cut = c.buf[begin:end], int64(n-end)
	room := c.buf[aligned(int64(end)+alignment-1):] // sufficient, because kept and ChunkSize are at most half of MaxLine
	for !k.eof {
		skip := room[k.s.shift(0):]
		skip = skip[:min(k.r.o.ChunkSize, len(skip))]
		m := k.read(skip, 0, 1) // as much as one Read returns
		if i := bytes.IndexByte(skip[:m], '\n'); i >= 0 {
			c.Cut += int64(i + 1)
			k.carry = append(k.carry, skip[i+1:m]...)
			break
		}
		c.Cut += int64(m)
	}
	if k.eof && len(k.carry) == 0 {
		c.Last, k.end = true, true
	}
}

// kept is the number of bytes kept of a line that is too long.
func (o Options) kept() int { return min(o.ChunkSize, maxKept) }

// read fills buf, which holds n bytes, until it holds at least want. The last Read may return more,
// but read makes no further call for that. It returns the number of bytes that buf holds then,
// which is less than want at the end of the stream, and with Options.Prompt at the end of a line.
func (k *chunker) read(buf []byte, n, want int) int {
	limit := max(want, min(len(buf), k.r.o.ChunkSize))
	for n < want && !k.eof {
		if k.r.isStopped() {
			k.eof = true
			break
		}
		m, err := k.s.Read(buf[n:limit])
		k.eof = err != nil
		n += m
		if k.r.o.Prompt && bytes.IndexByte(buf[n-m:n], '\n') >= 0 {
			break
		}
	}
	return n
}
