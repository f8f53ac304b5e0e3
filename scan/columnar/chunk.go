package columnar

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// columnChunk is a column of the row group being written: complete pages, and the values of the
// next page.
type columnChunk struct {
	field *Field
	pages []byte // with headers, compressed
	raw   int64  // uncompressed bytes of the pages
	all   format.ColumnMetaData

	// dictionary maps values to their places, if there is a dictionary. It has terms values in words.
	dictionary map[string]int32
	terms      int32
	words      []byte

	repetitions, definitions []byte  // of the page
	indices                  []int32 // places in the dictionary, or values
	values                   []byte  // as stored; a Bool has a byte until the page ends

	least, most []byte // nil if there are no values, or one is longer than boundBytes
	unbounded   bool
}

// begin empties a chunk for a row group.
func (c *columnChunk) begin(f *Field) {
	*c = columnChunk{field: f, repetitions: c.repetitions, definitions: c.definitions, indices: c.indices,
		values: c.values}
	if f.Dictionary {
		c.dictionary = map[string]int32{}
	}
}

// levels returns the highest definition level, which values have.
func (c *columnChunk) levels() byte {
	if c.field.Required && c.field.Kind != textList {
		return 0
	}
	return 1
}

// null adds a null, or an empty list.
func (c *columnChunk) null() {
	c.all.Statistics.NullCount++
	c.repetitions, c.definitions = append(c.repetitions, 0), append(c.definitions, 0)
}

// list reads the texts of a list. length is their number plus one.
func (c *columnChunk) list(rest []byte, length uint64) []byte {
	if length <= 1 {
		c.null()
		return rest
	}
	for i := range length - 1 {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		c.add(rest[:n-1], byte(min(i, 1)))
		rest = rest[n-1:]
	}
	return rest
}

func (c *columnChunk) add(value []byte, repetition byte) {
	c.repetitions, c.definitions = append(c.repetitions, repetition), append(c.definitions, c.levels())
	if c.dictionary == nil {
		c.bound(value)
		c.values = c.store(c.values, value)
		return
	}
	i, known := c.dictionary[string(value)]
	if !known {
		i = c.terms
		c.dictionary[string(value)] = i
		c.terms++
		c.bound(value)
		c.words = c.store(c.words, value)
	}
	c.indices = append(c.indices, i)
}

func (c *columnChunk) store(b, value []byte) []byte {
	if c.isText() {
		return plain.AppendByteArray(b, value)
	}
	return append(b, value...)
}

func (c *columnChunk) isText() bool { return c.field.Kind == Text || c.field.Kind == textList }

// bound updates the least and the greatest value.
func (c *columnChunk) bound(value []byte) {
	c.unbounded = c.unbounded || len(value) > boundBytes
	switch {
	case c.unbounded:
		c.least, c.most = nil, nil
	case c.least == nil:
		c.least, c.most = append([]byte{}, value...), append([]byte{}, value...)
	case c.compare(value, c.least) < 0:
		c.least = append(c.least[:0], value...)
	case c.compare(value, c.most) > 0:
		c.most = append(c.most[:0], value...)
	}
}

func (c *columnChunk) compare(a, b []byte) int {
	n := len(a) - 1
	if c.isText() || n < 0 {
		return bytes.Compare(a, b)
	}
	if a[n]>>7 != b[n]>>7 { // one of two numbers is negative
		return int(b[n]>>7) - int(a[n]>>7)
	}
	for ; n > 0 && a[n] == b[n]; n-- {
	}
	return int(a[n]) - int(b[n])
}

// endRow ends the page if it is large enough, and gives up the dictionary if it is too large.
func (c *columnChunk) endRow() error {
	full := len(c.words) > dictionaryBytes && c.dictionary != nil
	if !full && len(c.values)+4*len(c.indices)+len(c.definitions)/8 < pageBytes {
		return nil
	}
	err := c.endPage()
	if full {
		c.dictionary = nil
	}
	return err
}

// endPage encodes the current page and appends it to pages.
func (c *columnChunk) endPage() error {
	if len(c.definitions) == 0 {
		return nil
	}
	var b []byte
	if c.field.Kind == textList {
		b = appendLevels(b, c.repetitions)
	}
	if c.levels() > 0 {
		b = appendLevels(b, c.definitions)
	}
	header := format.DataPageHeader{NumValues: int32(len(c.definitions)), Encoding: format.Plain,
		DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}
	switch {
	case len(c.indices) > 0:
		header.Encoding = format.RLEDictionary
		numbers := rle.Encoding{BitWidth: max(bits.Len(uint(c.terms-1)), 1)}
		packed, err := numbers.EncodeInt32(nil, c.indices)
		if err != nil {
			return err
		}
		b = append(append(b, byte(numbers.BitWidth)), packed...)
	case c.field.Kind == Bool:
		packed := make([]byte, (len(c.values)+7)/8)
		for i, v := range c.values {
			packed[i/8] |= v << (i % 8)
		}
		b = append(b, packed...)
	default:
		b = append(b, c.values...)
	}
	c.all.NumValues += int64(header.NumValues)
	c.repetitions, c.definitions, c.indices, c.values = c.repetitions[:0], c.definitions[:0], c.indices[:0], c.values[:0]
	page, err := c.page(format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(header)}, b)
	c.pages = append(c.pages, page...)
	return err
}

// appendLevels appends levels of 0 and 1 with their length.
func appendLevels(b, levels []byte) []byte {
	packed, _ := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, levels) // only an invalid width is an error
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(packed))), packed...)
}

// page returns a page: its header, and its compressed data.
func (c *columnChunk) page(header format.PageHeader, data []byte) ([]byte, error) {
	packed := snappy.Encode(nil, data)
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(data)), int32(len(packed))
	head, err := thrift.Marshal(&protocol, &header)
	c.raw += int64(len(head) + len(data))
	return append(head, packed...), err
}

// end returns the chunk at a given place of the file, and its description for the footer.
func (c *columnChunk) end(at int64) (data []byte, about format.ColumnMetaData, err error) {
	if err := c.endPage(); err != nil {
		return nil, about, err
	}
	about = c.all
	about.Type, about.Codec, about.PathInSchema = stored[c.field.Kind].as, format.Snappy, []string{c.field.Name}
	if c.field.Kind == textList {
		about.PathInSchema = append(about.PathInSchema, "list", "element")
	}
	about.Encoding = []format.Encoding{format.Plain, format.RLE}
	about.Statistics.MinValue, about.Statistics.MaxValue = c.least, c.most
	if len(c.words) > 0 {
		header := format.DictionaryPageHeader{NumValues: c.terms, Encoding: format.Plain}
		data, err = c.page(format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(header)}, c.words)
		about.DictionaryPageOffset = at
		about.Encoding = append(about.Encoding, format.RLEDictionary)
	}
	about.DataPageOffset = at + int64(len(data))
	data = append(data, c.pages...)
	about.TotalUncompressedSize, about.TotalCompressedSize = c.raw, int64(len(data))
	return data, about, err
}
