package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
)

// codec is how an input is compressed. The zero value is "not known yet".
type codec int32

const (
	unknown codec = iota
	plain
	gzipped
	zstandard
	bzipped
	xzipped
)

func (c codec) String() string {
	return [...]string{"", "plain", "gzip", "zstd", "bzip2", "xz"}[c]
}

// magicLen is how many bytes sniff wants: bzip2 needs ten, since "BZh9" alone could be the beginning of a text.
const magicLen = 10

// sniff tells the codec by the first bytes of an input. Names say nothing: logs are renamed, and pipes have none.
func sniff(b []byte) codec {
	has := func(magic string) bool { return len(b) >= len(magic) && string(b[:len(magic)]) == magic }
	switch {
	case has("\x1f\x8b"):
		return gzipped
	case has("\x28\xb5\x2f\xfd"), len(b) >= 4 && b[0]&0xf0 == 0x50 && string(b[1:4]) == "\x2a\x4d\x18": // or a skippable frame
		return zstandard
	case has("\xfd7zXZ\x00"):
		return xzipped
	case len(b) >= 10 && has("BZh") && '1' <= b[3] && b[3] <= '9' &&
		(bytes.Equal(b[4:10], bzBlockMagic[:]) || bytes.Equal(b[4:10], bzEndMagic[:])):
		return bzipped
	}
	return plain
}

// decoder gives decompressed bytes. Read returns what it has before it returns an error, and io.EOF only at the proper end.
type decoder interface {
	io.Reader
	// warnings says what was odd, after io.EOF.
	warnings() []string
	// free gives buffers back. The decoder is not used after it.
	free()
}

// stream is an input that is read from front to end: compressed, or not seekable. One goroutine at a time uses it.
type stream struct {
	codec codec
	src   *source
	dec   decoder
	file  *os.File // nil if it is the caller's to close
	head  []byte   // decoded by Head, to be read again
	err   error    // what Read says after head: io.EOF or what broke
	bad   bool     // a decoder panicked, its buffers are in an unknown state
}

func newStream(r io.Reader) (*stream, error) {
	s := &stream{src: newSource(r)}
	magic, err := s.src.br.Peek(magicLen)
	if err != nil && err != io.EOF && len(magic) == 0 {
		s.src.free()
		return nil, err
	}
	s.codec = sniff(magic)
	switch s.codec {
	case gzipped:
		s.dec = newGzip(s.src)
	case zstandard:
		z, err := newZstd(s.src)
		if err != nil {
			s.src.free()
			return nil, err
		}
		s.dec = z
	case bzipped:
		s.dec = newBzip2(s.src)
	case xzipped:
		s.dec = newXz(s.src)
	default:
		s.dec = plainDecoder{s.src}
	}
	return s, nil
}

// Read returns decompressed bytes; an error is final.
func (s *stream) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil // not every decoder comes back from that
	}
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.decode(p)
	if err != nil {
		s.err = err
	}
	return n, err
}

// decode turns a panic of the decoder into an error. The decoders are other people's code, run on bytes that anyone may have
// written, and one hostile archive among a thousand must not end the reading of the others. None of them
// has goroutines of its own, so that there is no panic this cannot catch.
func (s *stream) decode(p []byte) (n int, err error) {
	defer func() {
		if e := recover(); e != nil {
			s.bad = true
			n, err = 0, fmt.Errorf("%s decoder failed: %v", s.codec, e)
		}
	}()
	return s.dec.Read(p)
}

// offset is the position on disk that an error is about.
func (s *stream) offset() int64 { return s.src.offset() }

func (s *stream) close() {
	if s.file != nil {
		s.file.Close()
	}
	if !s.bad {
		s.dec.free()
		s.src.free()
	}
}

// source is the bytes on disk on their way to a decoder, counted.
type source struct {
	br *bufio.Reader // the gzip decoder is fastest with this very type
	in counter
}

// counter counts what is read through it.
type counter struct {
	r    io.Reader
	n    atomic.Int64
	also *atomic.Int64 // progress of the Reader, once there is one
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("reader returned an impossible count")
	}
	c.n.Add(int64(n))
	if c.also != nil {
		c.also.Add(int64(n))
	}
	return n, err
}

// sourceBuffer: at 256 KiB the reads of compressed data no longer show in a profile.
const sourceBuffer = 256 << 10

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, sourceBuffer) }}

func newSource(r io.Reader) *source {
	s := &source{br: readers.Get().(*bufio.Reader)}
	s.in.r = r
	s.br.Reset(&s.in)
	return s
}

func (s *source) free() {
	s.br.Reset(nil)
	readers.Put(s.br)
	s.br = nil
}

// offset is the position on disk up to which a decoder has taken bytes.
func (s *source) offset() int64 {
	if s.br == nil {
		return s.in.n.Load()
	}
	return s.in.n.Load() - int64(s.br.Buffered())
}

// report lets progress take part in the counting; what Head has read is added at once.
func (s *source) report(progress *atomic.Int64) {
	progress.Add(s.in.n.Load())
	s.in.also = progress
}

// plainDecoder passes bytes on.
type plainDecoder struct{ src *source }

func (d plainDecoder) Read(p []byte) (int, error) {
	if d.src.br.Buffered() > 0 {
		return d.src.br.Read(p)
	}
	return d.src.in.Read(p) // past the buffer: one copy less
}

func (plainDecoder) warnings() []string { return nil }
func (plainDecoder) free()              {}

var errTrailing = errors.New("data after the end of the compressed data")

// padding reads to the end of the source, in which the compressed data has ended, seen zero bytes ago. Tapes and some copying
// tools fill files up with zeros: these lose nothing and give a warning. Anything else could be a log, and is an error.
func padding(src *source, seen int64) (warning string, err error) {
	n := seen
	for {
		b, err := src.br.ReadByte()
		if err == io.EOF {
			return fmt.Sprintf("%d zero bytes after the end of the compressed data", n), nil
		}
		if err != nil {
			return "", err
		}
		if b != 0 {
			src.br.UnreadByte()
			return "", errTrailing
		}
		n++
	}
}

// noEOF turns an end where there should be none into the error that says so.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
