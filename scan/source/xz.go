package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// xzMaxDict is the largest dictionary accepted. xz -9 uses 64 MiB; the format allows 4 GiB, and the decoder takes at once as much as a
// block asks for.
const xzMaxDict = 128 << 20

// xzDecoder reads the container itself, after the .xz format 1.2.0, and leaves LZMA2 to the library. The library's reader of the
// whole format does not bound the dictionary, keeps a record of each block in memory, and calls no error what
// follows the last stream.
//
//	file   = stream { stream | padding }
//	stream = header { block } index footer
//	block  = header LZMA2 padding check
type xzDecoder struct {
	raw   *rawReader
	lz    *lzma.Reader2 // of the block, nil between blocks
	check hash.Hash     // of the block; nil if the stream has none that is known here
	warn  []string
	any   bool // a stream has begun
	inner bool // inside a stream

	flags  [2]byte
	blocks xzTally // as they were read
	start  int64   // offset of the LZMA2 data of the block
	header int64   // length of the block's header
	size   int64   // decompressed bytes of the block so far
	wantC  int64   // sizes that the header of the block promises, or -1
	wantU  int64
}

// xzTally sums up a list of blocks, so that the index can be checked against what was read without keeping both.
type xzTally struct {
	n    uint64
	hash uint64
}

func (t *xzTally) add(unpadded, uncompressed uint64) {
	t.n++
	for _, v := range [2]uint64{unpadded, uncompressed} {
		t.hash = (t.hash ^ v) * 0x9e3779b97f4a7c15
		t.hash ^= t.hash >> 29
	}
}

var (
	errXz      = errors.New("xz: corrupt data")
	errXzIndex = errors.New("xz: index does not match the blocks")
	xzCRC64    = crc64.MakeTable(crc64.ECMA)
)

func newXz(raw *rawReader) *xzDecoder { return &xzDecoder{raw: raw} }

func (d *xzDecoder) Read(p []byte) (int, error) {
	for {
		if d.lz == nil {
			if err := d.next(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := d.lz.Read(p)
		d.size += int64(n)
		if d.check != nil {
			d.check.Write(p[:n])
		}
		if err == io.EOF {
			err = d.endBlock()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next begins a block, or ends or begins a stream, or returns io.EOF after the last.
func (d *xzDecoder) next() error {
	if !d.inner {
		return d.beginStream()
	}
	size, err := d.raw.br.ReadByte()
	if err != nil {
		return noEOF(err)
	}
	if size == 0 {
		return d.endStream()
	}
	return d.beginBlock(size)
}

func (d *xzDecoder) beginStream() error {
	h, err := d.raw.br.Peek(12)
	if len(h) == 0 && d.any {
		return err // io.EOF: the proper end
	}
	if d.any && h[0] == 0 {
		return d.padding()
	}
	if len(h) >= 6 && string(h[:6]) != "\xfd7zXZ\x00" {
		if d.any {
			return errTrailing
		}
		return errXz
	}
	if len(h) < 12 {
		return noEOF(err)
	}
	if crc32.ChecksumIEEE(h[6:8]) != binary.LittleEndian.Uint32(h[8:]) || h[6] != 0 || h[7] > 15 {
		return errors.New("xz: corrupt or unknown stream header")
	}
	d.flags = [2]byte(h[6:8])
	d.raw.br.Discard(12)
	d.any, d.inner, d.blocks = true, true, xzTally{}
	return nil
}

// padding skips the zero bytes after a stream: multiples of four between streams are part of the format.
func (d *xzDecoder) padding() error {
	var n int64
	for {
		b, err := d.raw.br.ReadByte()
		if err != nil {
			if err == io.EOF && n%4 != 0 {
				d.warn = append(d.warn, fmt.Sprintf("%d zero bytes after the end of the compressed data", n))
			}
			return err
		}
		if b != 0 {
			d.raw.br.UnreadByte()
			if n%4 != 0 || b != 0xfd {
				return errTrailing
			}
			return nil
		}
		n++
	}
}

func (d *xzDecoder) beginBlock(size byte) error {
	h := make([]byte, (int(size)+1)*4)
	h[0] = size
	if _, err := io.ReadFull(d.raw.br, h[1:]); err != nil {
		return noEOF(err)
	}
	body := h[:len(h)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(h[len(body):]) {
		return errors.New("xz: corrupt block header")
	}
	flags := body[1]
	r := bytes.NewReader(body[2:])
	d.wantC, d.wantU = -1, -1
	var err error
	if flags&0x40 != 0 {
		if d.wantC, err = xzSize(r); err != nil {
			return err
		}
	}
	if flags&0x80 != 0 {
		if d.wantU, err = xzSize(r); err != nil {
			return err
		}
	}
	// One filter, LZMA2 (0x21), with one byte of properties. The others are for machine code.
	var filter [3]byte
	if _, err := io.ReadFull(r, filter[:]); err != nil || flags&0x3f != 0 || filter[0] != 0x21 || filter[1] != 1 {
		return errors.New("xz: filters other than LZMA2 are not supported")
	}
	dict, err := lzma.DecodeDictCap(filter[2])
	if err != nil {
		return errXz
	}
	if d.wantU >= 0 {
		dict = min(dict, d.wantU) // many small blocks do not each need a large dictionary
	}
	if dict > xzMaxDict {
		return fmt.Errorf("xz dictionary of %d MiB is larger than %d MiB", dict>>20, xzMaxDict>>20)
	}
	d.header, d.start, d.size = int64(len(h)), d.raw.offset(), 0
	d.check = newXzCheck(d.flags[1])
	d.lz, err = lzma.Reader2Config{DictCap: max(int(dict), lzma.MinDictCap)}.NewReader2(d.raw.br)
	return err
}

func newXzCheck(kind byte) hash.Hash {
	switch kind {
	case 1:
		return crc32.NewIEEE()
	case 4:
		return crc64.New(xzCRC64)
	case 10:
		return sha256.New()
	}
	return nil
}

// xzCheckLen is the length of a check by its kind, also of those that are only reserved.
var xzCheckLen = [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

func (d *xzDecoder) endBlock() error {
	d.lz = nil
	packed := d.raw.offset() - d.start
	if d.wantC >= 0 && d.wantC != packed || d.wantU >= 0 && d.wantU != d.size {
		return errors.New("xz: block has another size than its header says")
	}
	pad, n := int(-packed&3), xzCheckLen[d.flags[1]]
	var b [3 + 64]byte
	if _, err := io.ReadFull(d.raw.br, b[:pad+n]); err != nil {
		return noEOF(err)
	}
	if len(bytes.Trim(b[:pad], "\x00")) > 0 {
		return errors.New("xz: block padding is not zero")
	}
	d.blocks.add(uint64(d.header+packed)+uint64(n), uint64(d.size))
	if d.check == nil {
		return nil
	}
	sum := d.check.Sum(nil)
	if d.flags[1] != 10 { // the CRCs are stored low byte first, hash.Hash gives the high one first
		for i, j := 0, len(sum)-1; i < j; i, j = i+1, j-1 {
			sum[i], sum[j] = sum[j], sum[i]
		}
	}
	if !bytes.Equal(sum, b[pad:pad+n]) {
		return errors.New("xz: checksum error")
	}
	return nil
}

// endStream reads index and footer; the zero byte at the beginning of the index is read already.
func (d *xzDecoder) endStream() error {
	in := xzIndex{raw: d.raw, crc: crc32.ChecksumIEEE([]byte{0}), n: 1}
	count, err := binary.ReadUvarint(&in)
	if err != nil {
		return noEOF(err)
	}
	var listed xzTally
	for listed.n < count {
		unpadded, err := binary.ReadUvarint(&in)
		if err != nil {
			return noEOF(err)
		}
		uncompressed, err := binary.ReadUvarint(&in)
		if err != nil {
			return noEOF(err)
		}
		listed.add(unpadded, uncompressed)
	}
	if listed != d.blocks {
		return errXzIndex
	}
	for in.n%4 != 0 {
		if b, err := in.ReadByte(); err != nil || b != 0 {
			return cmpErr(err, errXzIndex)
		}
	}
	var b [4 + 12]byte
	if _, err := io.ReadFull(d.raw.br, b[:]); err != nil {
		return noEOF(err)
	}
	size := (int64(binary.LittleEndian.Uint32(b[8:])) + 1) * 4
	switch {
	case binary.LittleEndian.Uint32(b[:]) != in.crc:
		return errXzIndex
	case crc32.ChecksumIEEE(b[8:14]) != binary.LittleEndian.Uint32(b[4:]), size != in.n+4, [2]byte(b[12:14]) != d.flags, string(b[14:]) != "YZ":
		return errors.New("xz: corrupt footer")
	}
	d.inner = false
	return nil
}

// cmpErr returns what reading said, if it said anything, and otherwise what is wrong with what was read.
func cmpErr(read, content error) error {
	if read != nil {
		return noEOF(read)
	}
	return content
}

// xzIndex reads the index, counting and summing.
type xzIndex struct {
	raw *rawReader
	crc uint32
	n   int64
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

// xzSize reads a size from a block header; they have up to 63 bits.
func xzSize(r io.ByteReader) (int64, error) {
	v, err := binary.ReadUvarint(r)
	if err != nil || v > 1<<63-1 {
		return 0, errXz
	}
	return int64(v), nil
}

func (d *xzDecoder) warnings() []string { return d.warn }
func (d *xzDecoder) free()              {}
