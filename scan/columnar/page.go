package columnar

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/robotsieve/robotsieve/scan/source"
)

const (
	// maxPage bounds the bytes of a page, stored and decompressed.
	maxPage = 128 << 20
	// readAhead is how much of a column is read at once. The header of a page must fit in it.
	readAhead = 64 << 10
)

// chunk is ColumnChunk: where a row group has a column.
type chunk struct {
	File string `thrift:"1"` // empty if it is in this file
	Meta *struct {
		Type   format.Type             `thrift:"1"`
		Codec  format.CompressionCodec `thrift:"4"`
		Values int64                   `thrift:"5"`
		Size   int64                   `thrift:"7"`
		Data   int64                   `thrift:"9"`  // offset of the first page with data
		Index  int64                   `thrift:"11"` // offset of the dictionary, if that is not 0
	} `thrift:"3"`
}

// start is the offset of the first page.
func (c *chunk) start() int64 {
	if c.Meta.Index > 0 && c.Meta.Index < c.Meta.Data {
		return c.Meta.Index
	}
	return c.Meta.Data
}

// header is PageHeader.
type header struct {
	Kind       format.PageType    `thrift:"1"`
	Size       int32              `thrift:"2"` // decompressed
	Stored     int32              `thrift:"3"`
	Sum        thrift.Null[int32] `thrift:"4"`
	Data       dataHeader         `thrift:"5"`
	Dictionary dataHeader         `thrift:"7"`
	Data2      struct {
		Values     int32             `thrift:"1"`
		Encoding   format.Encoding   `thrift:"4"`
		Definition int32             `thrift:"5"` // bytes of levels
		Repetition int32             `thrift:"6"`
		Compressed thrift.Null[bool] `thrift:"7"`
	} `thrift:"8"`
}

// dataHeader is DataPageHeader, and DictionaryPageHeader, which begins in the same way.
type dataHeader struct {
	Values      int32                        `thrift:"1"`
	Encoding    format.Encoding              `thrift:"2"`
	LevelCoding thrift.Null[format.Encoding] `thrift:"3"`
}

// levels is how many bytes before the values are levels, which are not compressed.
func (h *header) levels() int64 { return int64(h.Data2.Repetition) + int64(h.Data2.Definition) }

func (h *header) check() error {
	if h.Kind == format.DataPageV2 {
		h.Data = dataHeader{Values: h.Data2.Values, Encoding: h.Data2.Encoding}
	}
	switch {
	case h.Size < 0, h.Stored < 0, h.Data.Values < 0, h.Data2.Repetition < 0, h.Data2.Definition < 0:
		return errors.New("the header of a page is damaged")
	case h.Size > maxPage || h.Stored > maxPage:
		return fmt.Errorf("a page of %d bytes is larger than %d", max(h.Size, h.Stored), maxPage)
	case h.levels() > int64(min(h.Size, h.Stored)):
		return errors.New("the levels of a page are longer than the page")
	}
	return nil
}

// pages reads the pages of a column of a row group.
type pages struct {
	codec  format.CompressionCodec
	from   *bufio.Reader
	stored []byte
	blocks source.Blocks
}

// reset begins with another chunk.
func (p *pages) reset(f *File, c *chunk) {
	section := io.NewSectionReader(f.from, c.start(), c.Meta.Size)
	if p.from == nil {
		p.from = bufio.NewReaderSize(nil, readAhead)
	}
	p.from.Reset(section)
	p.codec = c.Meta.Codec
}

// body reads the page behind its header into dst, decompressed.
func (p *pages) body(h *header, dst []byte) (data []byte, err error) {
	if p.stored, err = appendSized(p.stored[:0], p.from, int(h.Stored)); err != nil {
		return dst, err
	}
	if h.Sum.Valid && crc32.ChecksumIEEE(p.stored) != uint32(h.Sum.V) {
		return dst, errors.New("the checksum of a page is wrong")
	}
	levels := int(h.levels())
	data = append(dst[:0], p.stored[:levels]...)
	codec := p.codec
	if h.Data2.Compressed.Valid && !h.Data2.Compressed.V {
		codec = format.Uncompressed
	}
	return p.decompress(data, p.stored[levels:], int(h.Size)-levels, codec)
}

// discard goes on behind a page whose header has been read.
func (p *pages) discard(h *header) error {
	_, err := p.from.Discard(int(h.Stored))
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
func (p *pages) header() (h header, err error) {
	for n := 256; ; n *= 2 {
		peeked, err := p.from.Peek(min(n, readAhead))
		if len(peeked) == 0 {
			return header{}, err
		}
		t := compact{rest: peeked}
		h = header{}
		t.read(&h)
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
func (p *pages) decompress(dst, src []byte, size int, codec format.CompressionCodec) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a page cannot be decompressed: %v", r)
		}
	}()
	if size == 0 && len(src) == 0 { // levels only
		return dst, nil
	}
	block, isBlock := blockCodecs[codec]
	switch {
	case codec == format.Gzip:
		r, err := p.blocks.Gzip(src)
		if err != nil {
			return dst, err
		}
		return appendStream(dst, r, size)
	case codec == format.Brotli:
		return appendStream(dst, brotli.NewReader(bytes.NewReader(src)), size)
	case codec == format.Lz4:
		return dst, errors.New("the codec LZ4 is deprecated and cannot be read; LZ4_RAW can")
	case !isBlock:
		return dst, fmt.Errorf("the codec %d is not known", int(codec))
	case len(src) < size/block.most:
		return dst, errSize
	}
	at := len(dst)
	dst = grow(dst, size)
	n, err := block.decode(&p.blocks, dst[at:], src)
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

// blockCodecs are the codecs without a stream: how many bytes they make of one at most, and how src is
// decompressed into dst, which is as long as the result must be. The function returns how much that is.
var blockCodecs = map[format.CompressionCodec]struct {
	most   int
	decode func(_ *source.Blocks, dst, src []byte) (int, error)
}{
	format.Uncompressed: {1, func(_ *source.Blocks, dst, src []byte) (int, error) { return copy(dst, src), sized(len(src), dst) }},
	format.Snappy: {22, func(_ *source.Blocks, dst, src []byte) (int, error) { // a copy of 64 bytes has three
		n, err := snappy.DecodedLen(src)
		if err = cmp.Or(err, sized(n, dst)); err == nil {
			_, err = snappy.Decode(dst, src)
		}
		return n, err
	}},
	format.Lz4Raw: {255, func(_ *source.Blocks, dst, src []byte) (int, error) { return lz4.UncompressBlock(src, dst) }},
	format.Zstd:   {1 << 16, (*source.Blocks).Zstd}, // a block of 128 KiB has three
}

// sized returns an error if dst is not n bytes long.
func sized(n int, dst []byte) error {
	if n != len(dst) {
		return errSize
	}
	return nil
}
