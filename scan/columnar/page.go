package columnar

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/pierrec/lz4/v4"

	"github.com/robotsieve/robotsieve/scan/source"
)

const (
	// maxPage bounds the bytes of a page, stored and decompressed.
	maxPage = 128 << 20
	// readAhead is how much of a column is read at once. The header of a page must fit in it.
	readAhead = 64 << 10
)

// Codecs of pages.
const (
	plainCodec  = 0
	snappyCodec = 1
	gzipCodec   = 2
	brotliCodec = 4
	oldLZ4Codec = 5
	zstdCodec   = 6
	lz4Codec    = 7
)

// chunk is where a row group has a column.
type chunk struct {
	present   bool // has metadata
	elsewhere bool // is in another file
	physical  int64
	codec     int64
	values    int64
	size      int64
	data      int64 // offset of the first page with data
	index     int64 // offset of the dictionary, if that is not 0
}

// start is the offset of the first page.
func (c *chunk) start() int64 {
	if c.index > 0 && c.index < c.data {
		return c.index
	}
	return c.data
}

func readChunk(t *compact) (c chunk) {
	for id, kind := range t.fields() {
		switch {
		case id == 1:
			c.elsewhere = len(t.binary()) > 0
		case id == 3 && kind == thriftStruct:
			c.present = true
			c.readMetadata(t)
		default:
			t.skip(kind)
		}
	}
	return c
}

func (c *chunk) readMetadata(t *compact) {
	for id, kind := range t.fields() {
		switch id {
		case 1:
			c.physical = t.number()
		case 4:
			c.codec = t.number()
		case 5:
			c.values = t.number()
		case 7:
			c.size = t.number()
		case 9:
			c.data = t.number()
		case 11:
			c.index = t.number()
		default:
			t.skip(kind)
		}
	}
}

// pageKind is the type of a page.
type pageKind int64

const (
	dataPage pageKind = iota
	indexPage
	dictionaryPage
	dataPage2
)

// header is the header of a page.
type header struct {
	kind        pageKind
	size        int64 // decompressed
	stored      int64
	sum         uint32
	hasSum      bool
	values      int64
	encoding    int64
	levelCoding int64
	repetition  int64 // bytes of levels of version 2
	definition  int64
	plain       bool // version 2, its values are not compressed
}

func readHeader(t *compact) (h header) {
	for id, kind := range t.fields() {
		switch id {
		case 1:
			h.kind = pageKind(t.number())
		case 2:
			h.size = t.number()
		case 3:
			h.stored = t.number()
		case 4:
			h.sum, h.hasSum = uint32(t.number()), true
		case 5, 7:
			h.readData(t, kind)
		case 8:
			h.readData2(t, kind)
		default:
			t.skip(kind)
		}
	}
	return h
}

// readData reads DataPageHeader, and DictionaryPageHeader, which begins in the same way.
func (h *header) readData(t *compact, kind byte) {
	if kind != thriftStruct {
		t.fail(false)
		return
	}
	h.levelCoding = rleEncoding
	for id, kind := range t.fields() {
		switch {
		case id == 1:
			h.values = t.number()
		case id == 2:
			h.encoding = t.number()
		case id == 3 && kind > thriftByte:
			h.levelCoding = t.number()
		default:
			t.skip(kind)
		}
	}
}

func (h *header) readData2(t *compact, kind byte) {
	if kind != thriftStruct {
		t.fail(false)
		return
	}
	h.levelCoding = rleEncoding
	for id, kind := range t.fields() {
		switch id {
		case 1:
			h.values = t.number()
		case 4:
			h.encoding = t.number()
		case 5:
			h.definition = t.number()
		case 6:
			h.repetition = t.number()
		case 7:
			h.plain = kind == thriftFalse
		default:
			t.skip(kind)
		}
	}
}

func (h *header) check() error {
	switch {
	case h.size < 0, h.stored < 0, h.values < 0, h.repetition < 0, h.definition < 0:
		return errors.New("the header of a page is damaged")
	case h.size > maxPage || h.stored > maxPage:
		return fmt.Errorf("a page of %d bytes is larger than %d", max(h.size, h.stored), maxPage)
	}
	if most := min(h.size, h.stored); h.repetition > most || h.definition > most-h.repetition {
		return errors.New("the levels of a page are longer than the page")
	}
	return nil
}

// pages reads the pages of a column of a row group.
type pages struct {
	codec  int64
	from   *bufio.Reader
	stored []byte
	blocks source.Blocks
}

// reset begins with another chunk.
func (p *pages) reset(f *File, c *chunk) {
	section := io.NewSectionReader(f.from, c.start(), c.size)
	if p.from == nil {
		p.from = bufio.NewReaderSize(nil, readAhead)
	}
	p.from.Reset(section)
	p.codec = c.codec
}

// body reads the page behind its header into dst, decompressed.
func (p *pages) body(h *header, dst []byte) (data []byte, err error) {
	if p.stored, err = appendSized(p.stored[:0], p.from, int(h.stored)); err != nil {
		return dst, err
	}
	if h.hasSum && crc32.ChecksumIEEE(p.stored) != h.sum {
		return dst, errors.New("the checksum of a page is wrong")
	}
	levels := int(h.repetition + h.definition)
	data = append(dst[:0], p.stored[:levels]...)
	codec := p.codec
	if h.plain {
		codec = plainCodec
	}
	return p.decompress(data, p.stored[levels:], int(h.size)-levels, codec)
}

// discard goes on behind a page whose header has been read.
func (p *pages) discard(h *header) error {
	_, err := p.from.Discard(int(h.stored))
	return err
}

// appendSized appends n bytes of r. It grows b by what there is to read.
func appendSized(b []byte, r io.Reader, n int) ([]byte, error) {
	const step = 1 << 20
	for n > 0 {
		at := len(b)
		b = grow(b, min(step, n))
		if _, err := io.ReadFull(r, b[at:]); err != nil {
			return b, err
		}
		n -= len(b) - at
	}
	return b, nil
}

// grow makes b longer by n bytes.
func grow(b []byte, n int) []byte { return append(b, make([]byte, n)...) }

// header reads the header of the next page.
func (p *pages) header() (header, error) {
	for n := 256; ; n *= 2 {
		peeked, err := p.from.Peek(min(n, readAhead))
		if len(peeked) == 0 {
			return header{}, err
		}
		t := compact{rest: peeked}
		h := readHeader(&t)
		switch {
		case !t.bad:
			_, err := p.from.Discard(len(peeked) - len(t.rest))
			return h, err
		case !t.short:
			return h, errors.New("the header of a page is damaged")
		case err != nil:
			return h, err
		case n >= readAhead:
			return h, fmt.Errorf("the header of a page is longer than %d bytes", readAhead)
		}
	}
}

var errSize = errors.New("a page has another size than its header says")

// decompress appends what src is decompressed, which must have size bytes. A panic of a codec is an error.
func (p *pages) decompress(dst, src []byte, size int, codec int64) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a page cannot be decompressed: %v", r)
		}
	}()
	if size == 0 && len(src) == 0 { // levels only
		return dst, nil
	}
	switch codec {
	case gzipCodec:
		r, err := p.blocks.Gzip(src)
		if err != nil {
			return dst, err
		}
		return appendStream(dst, r, size)
	case brotliCodec:
		return appendStream(dst, brotli.NewReader(bytes.NewReader(src)), size)
	}
	most, err := mostExpansion(codec)
	switch {
	case err != nil:
		return dst, err
	case len(src) < size/most:
		return dst, errSize
	}
	at := len(dst)
	dst = grow(dst, size)
	n, err := p.decode(dst[at:], src, codec)
	if err == nil && n != size {
		err = errSize
	}
	return dst, err
}

// appendStream appends a stream, which must have n bytes.
func appendStream(b []byte, r io.Reader, n int) ([]byte, error) {
	b, err := appendSized(b, r, n)
	if err != nil {
		return b, err
	}
	switch n, err := io.ReadFull(r, make([]byte, 1)); {
	case n > 0:
		return b, errSize
	case err != io.EOF:
		return b, err
	}
	return b, nil
}

// mostExpansion is how many bytes a codec of blocks makes of one, at most.
func mostExpansion(codec int64) (int, error) {
	switch codec {
	case plainCodec:
		return 1, nil
	case snappyCodec:
		return 22, nil // a copy of 64 bytes has three
	case lz4Codec:
		return 255, nil
	case zstdCodec:
		return 1 << 16, nil // a block of 128 KiB has three
	case oldLZ4Codec:
		return 0, errors.New("the codec LZ4 is deprecated and cannot be read; LZ4_RAW can")
	}
	return 0, fmt.Errorf("the codec %d is not known", codec)
}

// decode decompresses src into dst, which is as long as the result must be, and returns how much that
// is.
func (p *pages) decode(dst, src []byte, codec int64) (int, error) {
	switch codec {
	case snappyCodec:
		if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
			return 0, errSize
		}
		_, err := snappy.Decode(dst, src)
		return len(dst), err
	case zstdCodec:
		return p.blocks.Zstd(dst, src)
	case lz4Codec:
		return lz4.UncompressBlock(src, dst)
	}
	if len(src) > len(dst) {
		return 0, errSize
	}
	return copy(dst, src), nil
}
