package columnar

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/robotsieve/robotsieve/scan/source"
)

const (
	// maxPage limits a page, stored and decompressed, in bytes.
	maxPage = 128 << 20
	// readAhead is how much of a column is read at once, in bytes. The header of a page must fit into
	// it.
	readAhead = 64 << 10
)

var (
	errSize   = errors.New("a page has another size than its header says")
	errHeader = errors.New("the header of a page is damaged")
)

type header struct {
	format.PageHeader
	values   int64
	encoding format.Encoding
	// repetition and definition are the lengths of the uncompressed levels before the values of a
	// version 2 page.
	repetition, definition int
}

// set stores the contents of a header after checking them. left is the number of remaining bytes of
// the column.
func (h *header) set(left int64) error {
	v1, v2 := &h.DataPageHeader.V, &h.DataPageHeaderV2.V
	h.values, h.encoding = int64(v1.NumValues), v1.Encoding
	if h.Type == format.DataPageV2 {
		h.values, h.encoding = int64(v2.NumValues), v2.Encoding
		h.repetition, h.definition = int(v2.RepetitionLevelsByteLength), int(v2.DefinitionLevelsByteLength)
	}
	switch size, stored := h.UncompressedPageSize, h.CompressedPageSize; {
	case size < 0, stored < 0, h.values < 0, h.repetition < 0, h.definition < 0:
		return errHeader
	case size > maxPage || stored > maxPage:
		return fmt.Errorf("a page of %d bytes is larger than %d", max(size, stored), maxPage)
	case int64(stored) > left:
		return io.ErrUnexpectedEOF
	case int64(h.repetition)+int64(h.definition) > int64(min(size, stored)):
		return errors.New("the levels of a page are longer than the page")
	}
	return nil
}

// pages reads the pages of a column in a row group.
type pages struct {
	codec  format.CompressionCodec
	from   *bufio.Reader
	left   int64 // remaining bytes of the column
	stored []byte
	blocks source.Blocks
}

// reset starts another chunk.
func (p *pages) reset(f *File, c *chunk) {
	if p.from == nil {
		p.from = bufio.NewReaderSize(nil, readAhead)
	}
	p.codec, p.left = c.Meta.V.Codec, c.Meta.V.Size
	p.from.Reset(io.NewSectionReader(f.from, c.start(), p.left))
}

func (p *pages) header() (h header, err error) {
	for n := 256; ; n *= 2 {
		peeked, err := p.from.Peek(min(n, readAhead))
		if len(peeked) == 0 {
			return h, err
		}
		h = header{}
		switch size, wrong := decode(peeked, &h.PageHeader); {
		case wrong == nil:
			p.left -= int64(size)
			_, err := p.from.Discard(size)
			return h, errors.Join(err, h.set(p.left))
		case !errors.Is(wrong, io.ErrUnexpectedEOF):
			return h, errHeader
		case err != nil:
			return h, err
		case n >= readAhead:
			return h, fmt.Errorf("the header of a page is longer than %d bytes", readAhead)
		}
	}
}

// body reads and decompresses the page after its header, reusing the memory of old.
func (p *pages) body(h *header, old []byte) ([]byte, error) {
	p.left -= int64(h.CompressedPageSize)
	p.stored = sized(p.stored, int(h.CompressedPageSize))
	if _, err := io.ReadFull(p.from, p.stored); err != nil {
		return old, err
	}
	if h.CRC != 0 && crc32.ChecksumIEEE(p.stored) != uint32(h.CRC) {
		return old, errors.New("the checksum of a page is wrong")
	}
	codec := p.codec
	if compressed := h.DataPageHeaderV2.V.IsCompressed; compressed.Valid && !compressed.V {
		codec = format.Uncompressed
	}
	size, levels := int(h.UncompressedPageSize), h.repetition+h.definition
	if codec == format.Uncompressed && size == len(p.stored) {
		data := p.stored
		p.stored = old
		return data, nil
	}
	data := sized(old, size)
	copy(data, p.stored[:levels])
	if size == levels && len(p.stored) == levels {
		return data, nil
	}
	n, err := p.decompress(data[levels:], p.stored[levels:], codec)
	if err == nil && n != size-levels {
		err = errSize
	}
	return data, err
}

// sized returns n bytes, reusing the memory of b if it is large enough.
func sized(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// decompress decompresses src into dst, and returns the number of bytes, or the number needed if dst is too short.
func (p *pages) decompress(dst, src []byte, codec format.CompressionCodec) (int, error) {
	switch codec {
	case format.Uncompressed:
		return len(src), nil
	case format.Snappy:
		n, err := snappy.DecodedLen(src)
		if err == nil && n == len(dst) {
			_, err = snappy.Decode(dst, src)
		}
		return n, err
	case format.Lz4Raw:
		return lz4.UncompressBlock(src, dst)
	case format.Zstd:
		return p.blocks.Zstd(dst, src)
	case format.Gzip:
		return p.blocks.Gzip(dst, src)
	case format.Brotli:
		return readWhole(source.NewBrotli(bytes.NewReader(src)), dst)
	case format.Lz4:
		return 0, errors.New("the codec LZ4 is deprecated and cannot be read; LZ4_RAW can")
	}
	return 0, fmt.Errorf("the codec %d is not known", int(codec))
}

// readWhole fills dst from r.
func readWhole(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	more, err := io.ReadFull(r, make([]byte, 1))
	if err == io.EOF { //nolint:errorlint // an error that wraps io.EOF is damage
		err = nil
	}
	return n + more, err
}
