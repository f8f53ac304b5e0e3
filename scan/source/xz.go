package source

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"strings"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// xzDecoder decodes the consecutive streams of an .xz file, and distinguishes padding from a
// damaged stream. The library decodes a stream. It gets the bytes through an xzFeed, which checks
// how much memory they will make it allocate.
type xzDecoder struct {
	feed xzFeed
	z    *xz.Reader // of the stream; nil between streams
	any  bool       // a stream has begun
	warn []string
}

var errXz = errors.New("xz: corrupt data")

// Read returns no bytes at the end of a stream.
func (d *xzDecoder) Read(p []byte) (n int, err error) {
	if d.z == nil {
		if err := d.next(); err != nil {
			return 0, err
		}
	}
	if n, err = d.z.Read(p); isEOF(err) {
		d.z, err = nil, nil
	}
	return n, err
}

// next begins a stream, or returns io.EOF after the last.
func (d *xzDecoder) next() (err error) {
	if d.any {
		magic, err := d.feed.raw.br.Peek(6)
		switch {
		case len(magic) == 0:
			return err // io.EOF is the proper end
		case magic[0] == 0:
			if err := d.padding(); err != nil {
				return err
			}
			return d.next()
		case !strings.HasPrefix("\xfd7zXZ\x00", string(magic)):
			return errTrailing
		}
	}
	d.any = true
	if err = d.feed.begin(); err == nil {
		d.z, err = xz.ReaderConfig{DictCap: lzma.MinDictCap, SingleStream: true}.NewReader(&d.feed)
	}
	return err
}

// padding skips the zero bytes after a stream: multiples of four are part of the format.
func (d *xzDecoder) padding() error {
	n, err := skipZeros(d.feed.raw)
	switch {
	case err == nil && n%4 != 0:
		return errTrailing
	case isEOF(err) && n%4 != 0:
		d.warn = append(d.warn, paddingWarning(n))
	}
	return err
}

func (d *xzDecoder) warnings() []string { return d.warn }
func (d *xzDecoder) free()              {}

// xzFeed passes one stream to the library, piece by piece, followed by io.EOF.
//
//	stream = header { block } index footer
//	block  = header LZMA2 padding check
//	LZMA2  = { chunk } 0
//
// For each block the library allocates the dictionary that the block's header declares, up to 4
// GiB. So the feed reserves the memory first, and declares a smaller size if the block has fewer
// bytes, so that any number of small blocks costs no more than their bytes. The library also keeps
// a record of each block, so their number is limited.
type xzFeed struct {
	raw    *rawReader
	window *window
	piece  func() error // makes the next piece, when the previous one has been passed on
	first  []byte       // replaces as many bytes of the input at the start of the piece
	left   int          // remaining bytes of the piece in the input
	check  int          // length of the check of each block
	packed int          // bytes of LZMA2 data so far, modulo 4
	blocks int
	taken  int64 // bytes of dictionaries since the last garbage collection
	index  int   // bytes of the index so far
	values int   // remaining values of the index
}

// maxXzBlocks is the maximum number of blocks in a stream, enough for 1 TiB by `xz --threads`.
const maxXzBlocks = 1 << 18

// xzChecks has the length of each kind of check.
var xzChecks = [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

// begin reads the header of a stream.
func (f *xzFeed) begin() error {
	h, err := f.raw.br.Peek(12)
	if len(h) < 12 {
		return noEOF(err)
	}
	f.left, f.check, f.blocks, f.piece = 12, xzChecks[h[7]&15], 0, f.beginBlock
	return nil
}

// Read implements io.Reader for the library.
func (f *xzFeed) Read(p []byte) (n int, err error) {
	for len(f.first) == 0 && f.left == 0 {
		if err := f.piece(); err != nil {
			return 0, err
		}
	}
	if len(f.first) > 0 {
		n = copy(p, f.first)
		f.first = f.first[n:]
		return f.raw.br.Discard(n)
	}
	n, err = f.raw.br.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, noEOF(err)
}

// beginBlock passes on the header of a block, or the beginning of the index.
func (f *xzFeed) beginBlock() error {
	first, err := f.raw.br.Peek(1)
	if err != nil {
		return noEOF(err)
	}
	if first[0] == 0 {
		f.left, f.index, f.values, f.piece = 1, 1, 1+2*f.blocks, f.nextOfIndex
		return nil
	}
	f.blocks++
	if f.blocks > maxXzBlocks {
		return fmt.Errorf("xz: more than %d blocks", maxXzBlocks)
	}
	size := (int(first[0]) + 1) * 4
	h, err := f.raw.br.Peek(size)
	if err != nil {
		return noEOF(err)
	}
	f.first, f.packed, f.piece = append([]byte{}, h...), 0, f.nextChunk
	return f.bound(f.first)
}

// bound reserves memory for the dictionary that the header of a block declares, or reduces the
// declared size to what the block needs.
func (f *xzFeed) bound(header []byte) error {
	body, sum := header[:len(header)-4], header[len(header)-4:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return errors.New("xz: corrupt block header")
	}
	flags, rest := body[1], body[2:]
	for _, size := range [2]byte{0x40, 0x80} { // packed and unpacked size of the block, if present
		if flags&size != 0 {
			_, n := binary.Uvarint(rest)
			rest = rest[max(n, 0):]
		}
	}
	// One filter, LZMA2 (0x21), with one byte of properties. Other filters are for machine code.
	if len(rest) < 3 || flags&0x3f != 0 || rest[0] != 0x21 || rest[1] != 1 {
		return errors.New("xz: filters other than LZMA2 are not supported")
	}
	dict, err := lzma.DecodeDictCap(rest[2])
	if err != nil {
		return errXz
	}
	if size, known := f.unpacked(len(header)); known && size < dict {
		rest[2] = lzma.EncodeDictCap(max(size, lzma.MinDictCap))
		binary.LittleEndian.PutUint32(sum, crc32.ChecksumIEEE(body))
		dict = size
	}
	f.taken += dict
	if f.taken > 2*ordinaryWindow {
		runtime.GC() // of the dictionary before, which the library needs no more
		f.taken = dict
	}
	return f.window.widen(sniff.Xz, dict)
}

// unpacked returns the unpacked size of the next block, if its end is in the buffer.
func (f *xzFeed) unpacked(header int) (size int64, known bool) {
	b, _ := f.raw.br.Peek(f.raw.br.Buffered())
	size, known = unpackedChunks(b[header:])
	if !known && len(b) < rawBuffer {
		b, _ = f.raw.br.Peek(rawBuffer)
		size, known = unpackedChunks(b[header:])
	}
	return size, known
}

// unpackedChunks returns the unpacked size of chunks, if all of them are present.
func unpackedChunks(b []byte) (size int64, all bool) {
	for len(b) > 0 && b[0] != 0 {
		c, n := chunkOf(b)
		if n == 0 || n > len(b) {
			return 0, false
		}
		size, b = size+c, b[n:]
	}
	return size, len(b) > 0
}

// chunkOf returns the unpacked size of an LZMA2 chunk, and its packed size with its header of up to
// 6 bytes. It returns 0 if the header is incomplete.
func chunkOf(b []byte) (size int64, n int) {
	header := 3 // of an uncompressed chunk
	switch control := b[0]; {
	case control >= 0xc0:
		header = 6 // with properties
	case control >= 0x80:
		header = 5
	case control > 2:
		return 0, 0
	}
	if len(b) < header {
		return 0, 0
	}
	n = int(binary.BigEndian.Uint16(b[1:])) + 1
	if b[0] < 0x80 {
		return int64(n), header + n
	}
	return int64(b[0]&0x1f)<<16 + int64(n), header + int(binary.BigEndian.Uint16(b[3:])) + 1
}

// nextChunk passes on a chunk, or the end of the block.
func (f *xzFeed) nextChunk() error {
	first, err := f.raw.br.Peek(1)
	if err != nil {
		return noEOF(err)
	}
	if first[0] == 0 {
		f.left, f.piece = 1+(-(f.packed+1))&3+f.check, f.beginBlock
		return nil
	}
	b, err := f.raw.br.Peek(6)
	_, n := chunkOf(b)
	if n == 0 && err == nil {
		return errXz
	}
	if n == 0 {
		return noEOF(err)
	}
	f.left, f.packed = n, f.packed+n&3
	return nil
}

// nextOfIndex passes on a byte of the index, or after the last number what follows: padding, a CRC
// and the footer.
func (f *xzFeed) nextOfIndex() error {
	b, err := f.raw.br.Peek(1)
	switch {
	case f.values == 0:
		f.left, f.piece = -f.index&3+4+12, func() error { return io.EOF }
		return nil
	case err != nil:
		return noEOF(err)
	case b[0] < 0x80:
		f.values--
	}
	f.left = 1
	f.index++
	return nil
}
