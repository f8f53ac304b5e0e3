package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"slices"
	"strings"

	"github.com/ulikunitz/xz/lzma"

	"github.com/robotsieve/robotsieve/scan/sniff"
)

// xzDecoder reads the .xz container itself, after version 1.2.0 of the format, and leaves LZMA2 to
// the library.
//
//	file   = stream { stream | padding }
//	stream = header { block } index footer
//	block  = header LZMA2 padding check
//	LZMA2  = { chunk } 0
//
// One reader of the library decodes the chunks of all blocks, as if they were one sequence: each
// block begins with a chunk that resets the dictionary. A dictionary is allocated only when a block
// asks for a larger one, and then it is at least twice as large, so that any number of blocks,
// empty or not, costs no more than their bytes.
//
// Two libraries that read the container were tried in its place. github.com/ulikunitz/xz 0.5.17
// allocates any dictionary that a header asks for, up to 4 GiB, and keeps a record of each block.
// github.com/therootcompany/xz 1.0.1 (the code of github.com/xi2/xz, last released in 2020) bounds
// the dictionary, but it reports an error up to 8 KiB after its place, cannot tell a truncated
// file from a corrupt one, and refuses zero padding that is not a multiple of four bytes.
type xzDecoder struct {
	raw    *rawReader
	window *window       // the format allows 4 GiB, and the library allocates a whole dictionary at once
	lz     *lzma.Reader2 // nil before the first chunk
	dict   int           // capacity of its dictionary
	in     xzChunk       // what lz reads from
	buf    [1024]byte    // for read; no block header is longer
	warn   []string
	any    bool // a stream has begun

	// Of the stream.
	inside bool
	kind   byte       // of its checks
	blocks xzBlockSum // of the blocks that were read

	// Of the block.
	block        bool      // inside a block
	begun        bool      // a chunk of it has been read
	left         int       // decompressed bytes of its chunk that were not returned yet
	wanted       int       // capacity of the dictionary by its header
	check        hash.Hash // nil if the format does not define this kind of check
	checks       [16]hash.Hash
	header       int64 // length of the header
	start        int64 // offset of the LZMA2 data
	size         int64 // decompressed bytes so far
	packedSize   int64 // of the LZMA2 data by the header, or -1
	unpackedSize int64 // decompressed by the header, or -1
}

// The kinds of checks that are defined, and the length of each kind, also of those that are only
// reserved.
const (
	xzCRC32  = 1
	xzCRC64  = 4
	xzSHA256 = 10
)

var xzCheckLen = [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

var (
	errXz      = errors.New("xz: corrupt data")
	errXzIndex = errors.New("xz: index does not match the blocks")
	crc64Table = crc64.MakeTable(crc64.ECMA)
)

// xzBlockSum is the number of blocks and a hash of their sizes, to compare blocks with the index
// without keeping either.
type xzBlockSum struct{ n, hash uint64 }

func (s *xzBlockSum) add(unpadded, uncompressed uint64) {
	s.n++
	for _, v := range [2]uint64{unpadded, uncompressed} {
		s.hash = (s.hash ^ v) * 0x9e3779b97f4a7c15
		s.hash ^= s.hash >> 29
	}
}

func newXz(raw *rawReader, w *window) *xzDecoder {
	return &xzDecoder{raw: raw, window: w, in: xzChunk{raw: raw}}
}

func (d *xzDecoder) Read(p []byte) (int, error) {
	if d.left == 0 {
		if err := d.next(); d.left == 0 || err != nil {
			return 0, err
		}
	}
	n, err := d.lz.Read(p[:min(len(p), d.left)])
	d.left -= n
	d.size += int64(n)
	if d.check != nil {
		d.check.Write(p[:n])
	}
	if err == nil && d.left == 0 && d.in.left > 0 {
		err = errXz
	}
	return n, noEOF(err)
}

// next begins a chunk, or ends or begins a block or a stream, or returns io.EOF after the last.
func (d *xzDecoder) next() error {
	switch {
	case d.block:
		return d.nextChunk()
	case !d.inside:
		return d.beginStream()
	}
	first, err := d.raw.br.Peek(1)
	if err != nil {
		return noEOF(err)
	}
	if first[0] == 0 { // of the index
		return d.endStream()
	}
	return d.beginBlock((int(first[0]) + 1) * 4)
}

// read returns the next n bytes, at most 1,024. They are valid until the next call.
func (d *xzDecoder) read(n int) ([]byte, error) {
	b := d.buf[:n]
	_, err := io.ReadFull(d.raw.br, b)
	return b, noEOF(err)
}

func (d *xzDecoder) beginStream() error {
	h, err := d.raw.br.Peek(12)
	switch {
	case d.any && len(h) == 0:
		return err // io.EOF: the proper end
	case d.any && h[0] == 0:
		return d.padding()
	case d.any && !strings.HasPrefix("\xfd7zXZ\x00", string(h[:min(len(h), 6)])):
		return errTrailing
	case len(h) < 12:
		return noEOF(err)
	case crc32.ChecksumIEEE(h[6:8]) != binary.LittleEndian.Uint32(h[8:]), h[6] != 0, h[7] > 15:
		return errors.New("xz: corrupt or unknown stream header")
	}
	d.kind, d.any, d.inside, d.blocks = h[7], true, true, xzBlockSum{}
	_, err = d.raw.br.Discard(12)
	return err
}

// padding skips the zero bytes after a stream: multiples of four are part of the format.
func (d *xzDecoder) padding() error {
	n, err := skipZeros(d.raw)
	switch {
	case err == nil && n%4 != 0:
		return errTrailing
	case isEOF(err) && n%4 != 0:
		d.warn = append(d.warn, paddingWarning(n))
	}
	return err
}

func (d *xzDecoder) beginBlock(size int) error {
	h, err := d.read(size)
	if err != nil {
		return err
	}
	body := h[:size-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(h[len(body):]) {
		return errors.New("xz: corrupt block header")
	}
	flags, rest := body[1], body[2:]
	sizes := [2]int64{-1, -1}
	for i, present := range [2]byte{0x40, 0x80} {
		if flags&present != 0 {
			v, n := binary.Uvarint(rest)
			if n <= 0 || v > 1<<63-1 {
				return errXz
			}
			sizes[i], rest = int64(v), rest[n:]
		}
	}
	d.packedSize, d.unpackedSize = sizes[0], sizes[1]
	// One filter, LZMA2 (0x21), with one byte of properties. The others are for machine code.
	if len(rest) < 3 || flags&0x3f != 0 || rest[0] != 0x21 || rest[1] != 1 {
		return errors.New("xz: filters other than LZMA2 are not supported")
	}
	dict, err := lzma.DecodeDictCap(rest[2])
	if err != nil {
		return errXz
	}
	if d.unpackedSize >= 0 {
		dict = min(dict, d.unpackedSize) // many small blocks do not each need a large dictionary
	}
	if err := d.window.widen(sniff.Xz, dict); err != nil {
		return err
	}
	d.block, d.begun, d.wanted = true, false, max(int(dict), lzma.MinDictCap)
	d.header, d.start, d.size = int64(size), d.raw.offset(), 0
	d.beginCheck()
	return nil
}

func (d *xzDecoder) beginCheck() {
	known := &d.checks[d.kind]
	switch {
	case *known != nil:
		(*known).Reset()
	case d.kind == xzCRC32:
		*known = crc32.NewIEEE()
	case d.kind == xzCRC64:
		*known = crc64.New(crc64Table)
	case d.kind == xzSHA256:
		*known = sha256.New()
	}
	d.check = *known
}

// nextChunk begins a chunk, or ends the block.
func (d *xzDecoder) nextChunk() error {
	control, err := d.raw.br.ReadByte()
	if err != nil {
		return noEOF(err)
	}
	resets := control == 1 || control >= 0xe0 // the dictionary
	switch {
	case control == 0:
		return d.endBlock()
	case !d.begun && !resets, 2 < control && control < 0x80:
		return errXz
	}
	d.begun = true
	if d.left, err = d.in.begin(control); err != nil {
		return err
	}
	if d.dict < d.wanted {
		d.dict = max(d.wanted, min(2*d.dict, int(d.window.most())))
		d.lz = nil // before the new one is there
		d.lz, err = lzma.Reader2Config{DictCap: d.dict}.NewReader2(&d.in)
	}
	return err
}

func (d *xzDecoder) endBlock() error {
	d.block = false
	packed := d.raw.offset() - d.start
	if d.packedSize >= 0 && d.packedSize != packed || d.unpackedSize >= 0 && d.unpackedSize != d.size {
		return errors.New("xz: block has another size than its header says")
	}
	pad, n := int(-packed&3), xzCheckLen[d.kind]
	b, err := d.read(pad + n)
	if err != nil {
		return err
	}
	if len(bytes.Trim(b[:pad], "\x00")) > 0 {
		return errors.New("xz: block padding is not zero")
	}
	d.blocks.add(uint64(d.header+packed)+uint64(n), uint64(d.size))
	if d.check == nil {
		return nil
	}
	sum := d.check.Sum(nil)
	if d.kind != xzSHA256 {
		slices.Reverse(sum) // CRCs are stored low byte first, and hash.Hash gives the high one first
	}
	if !bytes.Equal(sum, b[pad:]) {
		return errors.New("xz: checksum error")
	}
	return nil
}

// xzChunk is the encoded chunk that the library reads next: its header and its data, and nothing
// behind it.
type xzChunk struct {
	raw    *rawReader
	buf    [6]byte
	header []byte // the part of it, in buf, that was not read yet
	left   int    // bytes of the data that were not read yet
}

// begin reads the header of a chunk after its first byte, and returns how many bytes the chunk has
// when it is decoded.
func (c *xzChunk) begin(control byte) (size int, err error) {
	n := 3 // of an uncompressed chunk
	switch {
	case control >= 0xc0:
		n = 6 // with properties
	case control >= 0x80:
		n = 5
	}
	c.buf[0], c.header = control, c.buf[:n]
	if _, err = io.ReadFull(c.raw.br, c.header[1:]); err != nil {
		return 0, noEOF(err)
	}
	size = int(binary.BigEndian.Uint16(c.buf[1:])) + 1
	c.left = size
	if control >= 0x80 {
		size += int(control&0x1f) << 16
		c.left = int(binary.BigEndian.Uint16(c.buf[3:])) + 1
	}
	return size, nil
}

// Read implements io.Reader for the library.
func (c *xzChunk) Read(p []byte) (n int, err error) {
	switch {
	case len(c.header) > 0:
		n = copy(p, c.header)
		c.header = c.header[n:]
	case c.left == 0:
		err = errXz // the chunk should go on
	default:
		n, err = c.raw.br.Read(p[:min(len(p), c.left)])
		c.left -= n
	}
	return n, noEOF(err)
}

// endStream reads index and footer.
func (d *xzDecoder) endStream() error {
	in := xzIndex{raw: d.raw}
	in.number() // the zero byte that marks an index
	count := in.number()
	var listed xzBlockSum
	for in.err == nil && listed.n < count {
		unpadded := in.number()
		listed.add(unpadded, in.number())
	}
	for in.err == nil && in.n%4 != 0 {
		if in.number() != 0 { // padding
			return errXzIndex
		}
	}
	if in.err != nil {
		return in.err
	}
	b, err := d.read(4 + 12)
	if err != nil {
		return err
	}
	size := (int64(binary.LittleEndian.Uint32(b[8:])) + 1) * 4
	switch {
	case listed != d.blocks, binary.LittleEndian.Uint32(b) != in.crc:
		return errXzIndex
	case crc32.ChecksumIEEE(b[8:14]) != binary.LittleEndian.Uint32(b[4:]), size != in.n+4,
		b[12] != 0, b[13] != d.kind, string(b[14:]) != "YZ":
		return errors.New("xz: corrupt footer")
	}
	d.inside = false
	return nil
}

// xzIndex reads the index, counts its bytes and computes their CRC. The first error is kept.
type xzIndex struct {
	raw *rawReader
	crc uint32
	n   int64
	err error
}

func (x *xzIndex) ReadByte() (byte, error) {
	b, err := x.raw.br.ReadByte()
	if err != nil {
		return 0, noEOF(err)
	}
	x.crc = crc32.Update(x.crc, crc32.IEEETable, []byte{b})
	x.n++
	return b, nil
}

func (x *xzIndex) number() (v uint64) {
	if x.err == nil {
		v, x.err = binary.ReadUvarint(x)
	}
	return v
}

func (d *xzDecoder) warnings() []string { return d.warn }
func (d *xzDecoder) free()              {}
