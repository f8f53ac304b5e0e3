package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// cursor reads the values of a column in the order of the rows.
type cursor struct {
	file   *File
	column *Column
	leaf   int // the place of the column

	groups compact // row groups that follow
	left   uint64  // how many
	group  int     // the number of the current one, from 1
	rows   int64   // rows of it that follow on later pages
	seen   int64   // rows of all groups so far

	pages      pages
	data       []byte // the buffer of the page
	dict       dictionary
	dictData   []byte // the buffer of its page
	hasDict    bool
	inPage     int64 // rows of the page that follow
	definition hybrid
	values     values
}

// cursor returns a cursor of the column with a name.
func (f *File) cursor(name string) (*cursor, error) {
	leaf, err := f.find(name)
	if err != nil {
		return nil, err
	}
	return f.newCursor(leaf)
}

func (f *File) newCursor(leaf int) (*cursor, error) {
	column := &f.columns[leaf]
	switch {
	case column.List:
		return nil, fail(fmt.Errorf("column %s is a %s: a row may have several values", shorten(column.Name), column.Type))
	case column.meaning == otherValues:
		return nil, fail(fmt.Errorf("column %s has values of the type %s, which cannot be read", shorten(column.Name), column.Type))
	}
	return &cursor{file: f, column: column, leaf: leaf, groups: compact{rest: f.groups}, left: f.groupCount}, nil
}

// next returns the value of the next row as it is stored, nil if it is null. It is valid until the
// next call. Behind the last row the error is io.EOF.
func (c *cursor) next() ([]byte, error) {
	for c.inPage == 0 {
		if err := c.page(); err != nil {
			return nil, err
		}
	}
	c.inPage--
	if c.column.levels > 0 {
		level, ok := c.definition.next()
		if !ok || level > uint32(c.column.levels) {
			return nil, c.fail(errDamaged)
		}
		if level < uint32(c.column.levels) {
			return nil, nil
		}
	}
	v, ok := c.values.next()
	if !ok {
		return nil, c.fail(errDamaged)
	}
	return v, nil
}

func (c *cursor) fail(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fail(fmt.Errorf("column %s, row group %d: %w", shorten(c.column.Name), c.group, err))
}

// page begins the next page with data.
func (c *cursor) page() error {
	for c.rows == 0 {
		if c.left == 0 {
			return c.end()
		}
		if err := c.nextGroup(); err != nil {
			return c.fail(err)
		}
	}
	if err := c.readPage(); err != nil {
		return c.fail(err)
	}
	return nil
}

// end is the error behind the last row.
func (c *cursor) end() error {
	if c.seen != c.file.rows {
		return fail(fmt.Errorf("the file has %d rows, and its row groups %d", c.file.rows, c.seen))
	}
	return io.EOF
}

// nextGroup begins the next row group.
func (c *cursor) nextGroup() error {
	c.left--
	c.group++
	chunk, rows := readGroup(&c.groups, c.leaf)
	c.rows, c.hasDict = rows, false
	switch {
	case c.groups.bad, rows < 0, rows > c.file.rows-c.seen:
		return errors.New("the footer is damaged: the row groups have more rows than the file")
	case rows == 0:
		return nil
	case chunk.elsewhere:
		return errors.New("the column is in another file")
	case !chunk.present:
		return errors.New("the column is missing or encrypted")
	case chunk.physical != int64(c.column.physical):
		return errors.New("the row group has another type than the schema")
	case chunk.values > rows:
		return fmt.Errorf("%d rows have %d values", rows, chunk.values)
	case chunk.start() < 0 || chunk.size < 0 || chunk.size > c.file.size-chunk.start():
		return errors.New("the column is not within the file")
	}
	c.seen += rows
	c.pages.reset(c.file, &chunk)
	return nil
}

// readGroup reads a row group, and what it says of a column.
func readGroup(t *compact, leaf int) (c chunk, rows int64) {
	for id, kind := range t.fields() {
		switch {
		case id == 1:
			at := 0
			t.structs(kind, func() {
				if at == leaf {
					c = readChunk(t)
				} else {
					t.skip(thriftStruct)
				}
				at++
			})
		case id == 3:
			rows = t.number()
		default:
			t.skip(kind)
		}
	}
	return c, rows
}

// readPage reads pages up to the next one that has data.
func (c *cursor) readPage() error {
	for {
		h, err := c.pages.header()
		if err != nil {
			return err
		}
		if err := h.check(); err != nil {
			return err
		}
		switch h.kind {
		case dictionaryPage:
			if h.encoding != plainEncoding && h.encoding != oldDictionaryEncoding {
				return errEncoding
			}
			if c.dictData, err = c.pages.body(&h, c.dictData); err != nil {
				return err
			}
			c.dict.set(c.dictData, c.column.physical.width())
			c.hasDict = true
		case dataPage, dataPage2:
			if c.data, err = c.pages.body(&h, c.data); err != nil {
				return err
			}
			return c.begin(&h)
		default:
			if err := c.pages.discard(&h); err != nil {
				return err
			}
		}
	}
}

// begin begins with the values of the page that has been read.
func (c *cursor) begin(h *header) (err error) {
	if h.values > c.rows {
		return errors.New("the pages have more values than the row group has rows")
	}
	levels, data, err := c.split(h)
	if err != nil {
		return err
	}
	c.definition = hybrid{rest: levels, width: uint(bits.Len(uint(c.column.levels)))}
	dict := &c.dict
	if !c.hasDict {
		dict = nil
	}
	if c.values, err = decode(data, h.encoding, c.column.physical, dict); err != nil {
		return err
	}
	c.inPage = h.values
	c.rows -= h.values
	return nil
}

// split returns the definition levels and the values of the page.
func (c *cursor) split(h *header) (levels, data []byte, err error) {
	if h.kind == dataPage2 {
		data = c.data[h.repetition:]
		return data[:h.definition], data[h.definition:], nil
	}
	if c.column.levels == 0 {
		return nil, c.data, nil
	}
	if h.levelCoding != rleEncoding {
		return nil, nil, errors.New("a page has levels in the deprecated encoding BIT_PACKED")
	}
	if len(c.data) < 4 || uint64(binary.LittleEndian.Uint32(c.data)) > uint64(len(c.data)-4) {
		return nil, nil, errDamaged
	}
	end := 4 + int(binary.LittleEndian.Uint32(c.data))
	return c.data[4:end], c.data[end:], nil
}

// text returns the next value as text, nil if it is null. It is valid until the next call; a value
// that is not text is written to the buffer.
func (c *cursor) text(buffer *[]byte) ([]byte, error) {
	raw, err := c.next()
	if raw == nil || err != nil || c.column.meaning == text {
		return raw, err
	}
	written, ok := c.column.meaning.appendText((*buffer)[:0], raw)
	if *buffer = written; !ok {
		return nil, nil
	}
	return written, nil
}

// close releases the buffers.
func (c *cursor) close() {
	c.pages.blocks.Close()
	*c = cursor{file: c.file, column: c.column}
}
