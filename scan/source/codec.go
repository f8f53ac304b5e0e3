package source

import (
	"bufio"
	"compress/bzip2"
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

// magicLen is how many bytes sniff needs: ten for bzip2, since "BZh9" alone could be the beginning of a text.
const magicLen = 10

// sniff returns the codec of an input, by its first bytes. Names are not looked at: logs are renamed, and pipes have none.
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
		(string(b[4:10]) == "1AY&SY" || string(b[4:10]) == "\x17\x72\x45\x38\x50\x90"): // a block or the end of the stream
		return bzipped
	}
	return plain
}

// decoder gives decompressed bytes. Read returns what it has before it returns an error, and io.EOF only at the proper end.
type decoder interface {
	io.Reader
	// warnings returns oddities that lost nothing, after io.EOF.
	warnings() []string
	// free gives buffers back. The decoder is not used after it.
	free()
}

// stream is an input that is read from beginning to end: compressed, or not seekable. One goroutine at a time uses it.
type stream struct {
	codec codec
	raw   *rawReader
	dec   decoder
	file  *os.File // nil if the caller closes it
	head  []byte   // decoded by Head, to be read again
	err   error    // returned by Read after head: io.EOF or what broke
	bad   bool     // a decoder panicked, its buffers are in an unknown state
}

func newStream(r io.Reader) (*stream, error) {
	s := &stream{raw: newRawReader(r)}
	magic, err := s.raw.br.Peek(magicLen)
	if err != nil && err != io.EOF && len(magic) == 0 {
		s.raw.free()
		return nil, err
	}
	s.codec = sniff(magic)
	switch s.codec {
	case gzipped:
		s.dec = newGzip(s.raw)
	case zstandard:
		z, err := newZstd(s.raw)
		if err != nil {
			s.raw.free()
			return nil, err
		}
		s.dec = z
	case bzipped:
		s.dec = simpleDecoder{bzip2.NewReader(s.raw.br)}
	case xzipped:
		s.dec = newXz(s.raw)
	default:
		s.dec = simpleDecoder{plainReader{s.raw}}
	}
	return s, nil
}

// Read returns decompressed bytes, at least one or an error, which is final.
func (s *stream) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil // not every decoder returns from that
	}
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	for range maxIdleReads {
		if n > 0 || s.err != nil {
			return n, s.err
		}
		n, s.err = s.decode(p)
	}
	if n == 0 && s.err == nil {
		s.err = io.ErrNoProgress
	}
	return n, s.err
}

// maxIdleReads is how often a decoder may return nothing and no error, the number that bufio uses.
const maxIdleReads = 100

// decode turns a panic of the decoder into an error. The decoders come from libraries, and run on bytes that anyone may have
// written: one hostile archive among a thousand must not end the reading of the others. None of them
// has goroutines of its own, so every panic can be caught here.
func (s *stream) decode(p []byte) (n int, err error) {
	defer func() {
		if e := recover(); e != nil {
			s.bad = true
			n, err = 0, fmt.Errorf("%s decoder failed: %v", s.codec, e)
		}
	}()
	return s.dec.Read(p)
}

func (s *stream) close() {
	if s.file != nil {
		s.file.Close()
	}
	if !s.bad {
		s.dec.free()
		s.raw.free()
	}
}

// rawReader reads the bytes on disk for a decoder, and counts them.
type rawReader struct {
	br *bufio.Reader // of the rawReader itself; the gzip decoder is fastest with this very type

	r    io.Reader
	n    atomic.Int64
	also *atomic.Int64 // progress of the Reader, once there is one
}

// rawBuffer: at 256 KiB the reads of compressed data no longer show in a profile.
const rawBuffer = 256 << 10

var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, rawBuffer) }}

func newRawReader(r io.Reader) *rawReader {
	raw := &rawReader{br: buffers.Get().(*bufio.Reader), r: r}
	raw.br.Reset(raw)
	return raw
}

// Read reads past the buffer.
func (raw *rawReader) Read(p []byte) (int, error) {
	n, err := raw.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("reader returned an impossible count")
	}
	raw.n.Add(int64(n))
	if raw.also != nil {
		raw.also.Add(int64(n))
	}
	return n, err
}

func (raw *rawReader) free() {
	raw.br.Reset(nil)
	buffers.Put(raw.br)
	raw.br = nil
}

// offset is the position on disk up to which a decoder has taken bytes.
func (raw *rawReader) offset() int64 {
	if raw.br == nil {
		return raw.n.Load()
	}
	return raw.n.Load() - int64(raw.br.Buffered())
}

// reportTo adds all bytes read to progress, those that Head has read at once.
func (raw *rawReader) reportTo(progress *atomic.Int64) {
	progress.Add(raw.n.Load())
	raw.also = progress
}

// simpleDecoder is a decoder that warns of nothing and has nothing to give back. For bzip2 it is that of the standard library,
// which decodes on one goroutine, at 10 to 20 MB/s. (pbzip2 uses all cores, but decodes on goroutines where a panic cannot be
// caught, and drops the sound blocks of a truncated file.) Data behind the last bzip2 stream, also zero padding, is an error.
type simpleDecoder struct{ io.Reader }

func (simpleDecoder) warnings() []string { return nil }
func (simpleDecoder) free()              {}

// plainReader passes bytes on.
type plainReader struct{ raw *rawReader }

func (d plainReader) Read(p []byte) (int, error) {
	if d.raw.br.Buffered() > 0 {
		return d.raw.br.Read(p)
	}
	return d.raw.Read(p) // past the buffer: one copy less
}

var errTrailing = errors.New("data after the end of the compressed data")

// padding reads to the end of the input after the end of the compressed data and the zero bytes already seen. Tapes and some copying
// tools fill files up with zeros: these lose nothing and give a warning. Anything else could be a log, and is an error.
func padding(raw *rawReader, seen int64) (warning string, err error) {
	n, err := skipZeros(raw)
	switch err {
	case nil:
		return "", errTrailing
	case io.EOF:
		return paddingWarning(seen + n), nil
	}
	return "", err
}

func paddingWarning(n int64) string {
	return fmt.Sprintf("%d zero bytes after the end of the compressed data", n)
}

// skipZeros skips zero bytes and returns their number, and io.EOF if nothing follows.
func skipZeros(raw *rawReader) (n int64, err error) {
	for {
		b, err := raw.br.ReadByte()
		if err != nil {
			return n, err
		}
		if b != 0 {
			return n, raw.br.UnreadByte()
		}
		n++
	}
}

// noEOF turns io.EOF, where the data should go on, into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
