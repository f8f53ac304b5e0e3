package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// decoder decompresses bytes. Read returns the bytes before an error first, and io.EOF only at a
// proper end.
type decoder interface {
	io.Reader
	// warnings returns harmless oddities, after io.EOF.
	warnings() []string
	// free releases buffers. The decoder must not be used after it.
	free()
}

// rawReader reads and counts the bytes on disk for a decoder.
type rawReader struct {
	br *bufio.Reader // reads the rawReader itself; the gzip decoder is fastest with this type

	r    io.Reader
	n    atomic.Int64
	also *atomic.Int64 // progress of the Reader, once there is one
	sum  hash.Hash     // hash of the bytes; nil if not wanted
	tape *tape         // the last bytes of r, if they may be needed
	err  error         // error of r except io.EOF; kept because a short Peek loses it

	check *checksum // nil if not wanted
}

// rawBuffer is 256 KiB, from which size on reads of compressed data no longer show in a profile.
const rawBuffer = 256 << 10

var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, rawBuffer) }}

func newRawReader(r io.Reader) *rawReader {
	raw := &rawReader{br: buffers.Get().(*bufio.Reader), r: r}
	raw.br.Reset(raw)
	return raw
}

// Read reads without the buffer.
func (raw *rawReader) Read(p []byte) (int, error) {
	if raw.err != nil {
		return 0, raw.err
	}
	n, err := raw.r.Read(p)
	if n < 0 || n > len(p) {
		return 0, errors.New("reader returned an impossible count")
	}
	raw.n.Add(int64(n))
	if raw.also != nil {
		raw.also.Add(int64(n))
	}
	if raw.sum != nil {
		raw.sum.Write(p[:n])
	}
	if raw.check != nil {
		raw.check.add(p[:n])
	}
	if raw.tape != nil {
		raw.tape.add(p[:n])
	}
	if !isEOF(err) {
		raw.err = err
	}
	return n, err
}

// checksum has two CRCs of the same bytes, whose polynomials have no common factor. So together they are a CRC of 64
// bits, which hash/crc64 would compute much more slowly.
type checksum struct{ ieee, castagnoli uint32 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (c *checksum) add(p []byte) {
	c.ieee, c.castagnoli = crc32.Update(c.ieee, crc32.IEEETable, p), crc32.Update(c.castagnoli, castagnoli, p)
}

func (c *checksum) sum() []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, c.ieee), c.castagnoli)
}

func (raw *rawReader) free() {
	raw.br.Reset(nil)
	buffers.Put(raw.br)
	raw.br = nil
}

// offset is the position on disk up to which a decoder has consumed bytes.
func (raw *rawReader) offset() int64 {
	if raw.br == nil {
		return raw.n.Load()
	}
	return raw.n.Load() - int64(raw.br.Buffered())
}

// simpleDecoder is a decoder without warnings and without buffers to release. bzip2 uses the
// standard library, on one goroutine, at 10 to 20 MB/s. (pbzip2 uses all cores, but decodes on
// goroutines where a panic can't be caught, and drops the undamaged blocks of a truncated file.)
// Data after the last bzip2 stream is an error, even zero padding.
type simpleDecoder struct{ io.Reader }

func (simpleDecoder) warnings() []string { return nil }
func (simpleDecoder) free()              {}

// plainReader passes through the bytes of an uncompressed stream.
type plainReader struct{ raw *rawReader }

func (d plainReader) Read(p []byte) (int, error) {
	if d.raw.br.Buffered() > 0 {
		return d.raw.br.Read(p)
	}
	return d.raw.Read(p) // without the buffer, to avoid a copy
}

var errTrailing = errors.New("data after the end of the compressed data")

// padding reads to the end of the input after the compressed data and the zero bytes already seen.
// Tapes and some copying tools pad files with zeros, which is harmless and gives a warning.
// Anything else could be a log, and is an error.
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

// skipZeros skips zero bytes and returns their number, with io.EOF if nothing follows.
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

// noEOF turns an early io.EOF into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if isEOF(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Blocks decompresses blocks in memory, for formats that compress pages one by one. The zero value
// is ready for use. It isn't safe for concurrent use, and starts no goroutines.
type Blocks struct {
	zstd  *zstd.Decoder
	gzip  inflate.Gzip
	from  *bufio.Reader // nil until it is needed
	bytes bytes.Reader
	over  [1]byte // a byte beyond dst
}

// Zstd decompresses a Zstandard frame into dst and returns the number of bytes. It is an error if
// dst is too short.
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

// Gzip decompresses gzip members into dst and returns the number of bytes. If dst is too short, it
// returns its length plus one.
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

// Close releases the decoders.
func (b *Blocks) Close() {
	if b.zstd != nil {
		b.zstd.Close()
	}
}
