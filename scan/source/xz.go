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
)

// xzDecoder reads the .xz container itself, after version 1.2.0 of the format, and leaves LZMA2 to the library.
//
//	file   = stream { stream | padding }
//	stream = header { block } index footer
//	block  = header LZMA2 padding check
//
// Two libraries that read the container were tried in its place. github.com/ulikunitz/xz 0.5.17 allocates any dictionary that a
// header asks for, up to 4 GiB, and keeps a record of each block. github.com/therootcompany/xz 1.0.1 (the code of
// github.com/xi2/xz, last released in 2020) bounds the dictionary, but it reports an error up to 8 KiB behind its place, cannot
// tell a truncated file from a corrupt one, and refuses zero padding that is not a multiple of four bytes.
type xzDecoder struct {
	raw    *rawReader
	window *window       // xz -9 has a dictionary of 64 MiB; the format allows 4 GiB, and the library allocates the whole dictionary of a block at once
	lz     *lzma.Reader2 // of the block, nil between blocks
	warn   []string
	any    bool // a stream has begun

	// Of the stream.
	inside bool
	kind   byte       // of its checks
	blocks xzBlockSum // of the blocks that were read

	// Of the block.
	check        hash.Hash // nil if the format does not define this kind of check
	header       int64     // length of the header
	start        int64     // offset of the LZMA2 data
	size         int64     // decompressed bytes so far
	packedSize   int64     // of the LZMA2 data by the header, or -1
	unpackedSize int64     // decompressed by the header, or -1
}

// The kinds of checks that are defined, and the length of each kind, also of those that are only reserved.
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

// xzBlockSum is the number of blocks and a hash of their sizes, to compare blocks with the index without keeping either.
type xzBlockSum struct{ n, hash uint64 }

func (s *xzBlockSum) add(unpadded, uncompressed uint64) {
	s.n++
	for _, v := range [2]uint64{unpadded, uncompressed} {
		s.hash = (s.hash ^ v) * 0x9e3779b97f4a7c15
		s.hash ^= s.hash >> 29
	}
}

func newXz(raw *rawReader, w *window) *xzDecoder { return &xzDecoder{raw: raw, window: w} }

func (d *xzDecoder) Read(p []byte) (int, error) {
	for d.lz == nil {
		if err := d.next(); err != nil {
			return 0, err
		}
	}
	n, err := d.lz.Read(p)
	d.size += int64(n)
	if d.check != nil {
		d.check.Write(p[:n])
	}
	if isEOF(err) {
		d.lz = nil
		err = d.endBlock()
	}
	return n, err
}

// next begins a block, or ends or begins a stream, or returns io.EOF after the last.
func (d *xzDecoder) next() error {
	if !d.inside {
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

// read returns the next n bytes.
func (d *xzDecoder) read(n int) ([]byte, error) {
	b := make([]byte, n)
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
	if err := d.window.widen(xzipped, dict); err != nil {
		return err
	}
	d.header, d.start, d.size = int64(size), d.raw.offset(), 0
	switch d.kind {
	case xzCRC32:
		d.check = crc32.NewIEEE()
	case xzCRC64:
		d.check = crc64.New(crc64Table)
	case xzSHA256:
		d.check = sha256.New()
	default:
		d.check = nil
	}
	d.lz, err = lzma.Reader2Config{DictCap: max(int(dict), lzma.MinDictCap)}.NewReader2(d.raw.br)
	return err
}

func (d *xzDecoder) endBlock() error {
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
	case crc32.ChecksumIEEE(b[8:14]) != binary.LittleEndian.Uint32(b[4:]), size != in.n+4, b[12] != 0, b[13] != d.kind, string(b[14:]) != "YZ":
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
