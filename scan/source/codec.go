package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// decoder gives decompressed bytes. Read returns what it has before it returns an error, and io.EOF
// only at the proper end.
type decoder interface {
	io.Reader
	// warnings returns oddities that lost nothing, after io.EOF.
	warnings() []string
	// free gives buffers back. The decoder is not used after it.
	free()
}

// rawReader reads the bytes on disk for a decoder, and counts them.
type rawReader struct {
	br *bufio.Reader // of the rawReader itself; the gzip decoder is fastest with this very type

	r    io.Reader
	n    atomic.Int64
	also *atomic.Int64 // progress of the Reader, once there is one
	sum  hash.Hash     // of the bytes; nil if it is not wanted
	tape *tape         // the last bytes of r, if someone may want them
	err  error         // of r but io.EOF: it stays, since a Peek that looks at few bytes loses it
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
	if raw.err != nil {
		return 0, raw.err
	}
	n, err := raw.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("reader returned an impossible count")
	}
	raw.count(n)
	if raw.sum != nil {
		raw.sum.Write(p[:n])
	}
	if raw.tape != nil {
		raw.tape.add(p[:n])
	}
	if !isEOF(err) {
		raw.err = err
	}
	return n, err
}

func (raw *rawReader) count(n int) {
	raw.n.Add(int64(n))
	if raw.also != nil {
		raw.also.Add(int64(n))
	}
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

// simpleDecoder is a decoder that warns of nothing and has nothing to give back. bzip2 is decoded
// by the standard library, on one goroutine, at 10 to 20 MB/s. (pbzip2 uses all cores, but decodes
// on goroutines where a panic cannot be caught, and drops the sound blocks of a truncated file.)
// Data after the last bzip2 stream, also zero padding, is an error.
type simpleDecoder struct{ io.Reader }

func (simpleDecoder) warnings() []string { return nil }
func (simpleDecoder) free()              {}

// plainReader passes on the bytes of an uncompressed stream.
type plainReader struct{ raw *rawReader }

func (d plainReader) Read(p []byte) (int, error) {
	if d.raw.br.Buffered() > 0 {
		return d.raw.br.Read(p)
	}
	return d.raw.Read(p) // past the buffer: one copy less
}

var errTrailing = errors.New("data after the end of the compressed data")

// padding reads to the end of the input after the end of the compressed data and the zero bytes
// already seen. Tapes and some copying tools fill files up with zeros: these lose nothing and give
// a warning. Anything else could be a log, and is an error.
func padding(raw *rawReader, seen int64) (warning string, err error) {
	n, err := skipZeros(raw)
	switch {
	case err == nil:
		return "", errTrailing
	case isEOF(err):
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

// isEOF reports whether err is io.EOF itself. An error that wraps io.EOF is damage, not the end.
func isEOF(err error) bool {
	return err == io.EOF //nolint:errorlint // see above
}

// noEOF turns io.EOF, where the data should go on, into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if isEOF(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Blocks decompresses blocks that are in memory: pages of formats that compress them one by one. The
// zero value is ready. It is for one goroutine, and starts none.
type Blocks struct {
	zstd  *zstd.Decoder
	gzip  inflate.Gzip
	from  *bufio.Reader // nil until it is needed
	bytes bytes.Reader
	over  [1]byte // a byte that does not fit into dst
}

// Zstd decompresses a frame of Zstandard into dst and returns how many bytes that are. It is an
// error if dst is too short.
func (b *Blocks) Zstd(dst, src []byte) (n int, err error) {
	if b.zstd == nil {
		b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
	}
	out, err := b.zstd.DecodeAll(src, dst[:0:len(dst)])
	return len(out), err
}

// Gzip decompresses members of gzip into dst and returns how many bytes that are, one more than
// fit if dst is too short.
func (b *Blocks) Gzip(dst, src []byte) (n int, err error) {
	if b.from == nil {
		b.from = bufio.NewReaderSize(nil, 64<<10)
	}
	b.bytes.Reset(src)
	b.from.Reset(&b.bytes)
	b.gzip.Reset(b.from)
	err = b.gzip.Next()
	for err == nil && n <= len(dst) {
		to := dst[n:]
		if len(to) == 0 {
			to = b.over[:]
		}
		var m int
		m, err = b.gzip.Read(to)
		if n += m; isEOF(err) {
			err = b.gzip.Next()
		}
	}
	if isEOF(err) {
		err = nil
	}
	return n, err
}

// Close releases what the decoders hold.
func (b *Blocks) Close() {
	if b.zstd != nil {
		b.zstd.Close()
	}
}
