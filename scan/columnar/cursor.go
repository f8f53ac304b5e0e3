package columnar

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"
)

// cursor reads the values of a column in row order.
type cursor struct {
	file   *File
	column *Column
	leaf   int   // index of the column
	group  int   // number of the current row group, from 1
	rows   int64 // its remaining rows on later pages
	work   int64 // remaining budget

	pages      pages
	data       []byte // buffer of the page
	dict       dictionary
	dictData   []byte // buffer of the dictionary page
	hasDict    bool
	inPage     int64 // remaining rows of the page
	definition hybrid
	values     values
	written    []byte // the value as text, if it isn't stored as text
}

func (f *File) cursor(name string) (*cursor, error) {
	leaf, err := f.find(name)
	if err != nil {
		return nil, err
	}
	column := &f.columns[leaf]
	switch {
	case column.List:
		err = errors.New("it is a list, of which a row may have several values")
	case column.meaning == otherValues:
		err = fmt.Errorf("it has values of the type %s, which cannot be read", column.Type)
	default:
		err = f.check(leaf)
	}
	if err != nil {
		return nil, fail(fmt.Errorf("column %s: %w", shorten(column.Name), err))
	}
	return &cursor{file: f, column: column, leaf: leaf, work: f.mostWork()}, nil
}

// spend subtracts from the work budget.
func (c *cursor) spend(work int64) error {
	c.work -= work
	if c.work < 0 {
		return fmt.Errorf("it becomes more than %d bytes, the most for a file of %d bytes", c.file.mostWork(), c.file.size)
	}
	return nil
}

// next returns the stored value of the next row, nil if it is null. It is valid until the next
// call. After the last row the error is io.EOF.
func (c *cursor) next() ([]byte, error) {
	for c.inPage == 0 {
		if err := c.page(); err != nil {
			return nil, err
		}
	}
	c.inPage--
	var v []byte
	has := true
	if c.column.levels > 0 {
		level, ok := c.definition.next()
		if !ok || level > uint32(c.column.levels) {
			return nil, c.fail(errDamaged)
		}
		has = level == uint32(c.column.levels)
	}
	if has {
		var ok bool
		if v, ok = c.values.next(); !ok {
			return nil, c.fail(errDamaged)
		}
	}
	if err := c.spend(rowWork + int64(len(v))); err != nil {
		return nil, c.fail(err)
	}
	return v, nil
}

func (c *cursor) fail(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fail(fmt.Errorf("column %s, row group %d: %w", shorten(c.column.Name), c.group, err))
}

// page advances to the next page with data, in this or a later row group.
func (c *cursor) page() error {
	for c.rows == 0 {
		if c.group == len(c.file.groups) {
			return io.EOF
		}
		group := &c.file.groups[c.group]
		c.group++
		c.rows, c.hasDict = group.Rows, false
		if c.rows > 0 {
			c.pages.reset(c.file, &group.Columns[c.leaf])
		}
	}
	if err := guarded(c.readPage); err != nil {
		return c.fail(err)
	}
	return nil
}

// readPage reads pages up to the next one that has data.
func (c *cursor) readPage() error {
	for {
		h, err := c.pages.header()
		if err = cmp.Or(err, c.spend(int64(h.UncompressedPageSize))); err != nil {
			return err
		}
		switch h.Type {
		case format.DictionaryPage:
			err = c.readDictionary(&h)
		case format.DataPage, format.DataPageV2:
			if c.data, err = c.pages.body(&h, c.data); err != nil {
				return err
			}
			return c.begin(&h)
		default:
			c.pages.left -= int64(h.CompressedPageSize)
			_, err = c.pages.from.Discard(int(h.CompressedPageSize))
		}
		if err != nil {
			return err
		}
	}
}

func (c *cursor) readDictionary(h *header) (err error) {
	if c.hasDict {
		return errors.New("a row group has two dictionaries")
	}
	if of := h.DictionaryPageHeader.V.Encoding; of != format.Plain && of != format.PlainDictionary {
		return errEncoding
	}
	if c.dictData, err = c.pages.body(h, c.dictData); err != nil {
		return err
	}
	c.dict.set(c.dictData, widths[c.column.physical])
	c.hasDict = true
	return nil
}

// begin starts the values of the page that has been read.
func (c *cursor) begin(h *header) error {
	if h.values > c.rows {
		return errors.New("the pages have more values than the row group has rows")
	}
	levels, data, err := c.split(h)
	if err != nil {
		return err
	}
	c.definition.reset(levels, uint(bits.Len(uint(c.column.levels))))
	dict := &c.dict
	if !c.hasDict {
		dict = nil
	}
	c.inPage = h.values
	c.rows -= h.values
	return c.values.reset(data, h.values, h.encoding, c.column.physical, dict)
}

// split returns the definition levels and the values of the page.
func (c *cursor) split(h *header) (levels, data []byte, err error) {
	if h.Type == format.DataPageV2 {
		data = c.data[h.repetition:]
		return data[:h.definition], data[h.definition:], nil
	}
	if c.column.levels == 0 {
		return nil, c.data, nil
	}
	if h.DataPageHeader.V.DefinitionLevelEncoding != format.RLE {
		return nil, nil, errors.New("a page has levels in the deprecated encoding BIT_PACKED")
	}
	if len(c.data) < 4 || uint64(binary.LittleEndian.Uint32(c.data)) > uint64(len(c.data)-4) {
		return nil, nil, errDamaged
	}
	end := 4 + int(binary.LittleEndian.Uint32(c.data))
	return c.data[4:end], c.data[end:], nil
}

// text returns the next value as text, nil if it is null. It is valid until the next call.
func (c *cursor) text() ([]byte, error) {
	raw, err := c.next()
	if raw == nil || err != nil || c.column.meaning == text {
		return raw, err
	}
	written, ok := c.column.meaning.appendText(c.written[:0], raw)
	if c.written = written; !ok {
		return nil, nil
	}
	return written, nil
}

// close releases the buffers.
func (c *cursor) close() {
	c.pages.blocks.Close()
	*c = cursor{file: c.file, column: c.column}
}
