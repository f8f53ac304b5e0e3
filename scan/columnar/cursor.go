package columnar

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go/format"
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
	work   int64   // that may still be done
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
	column := &f.columns[leaf]
	switch {
	case column.List:
		return nil, fail(fmt.Errorf("column %s is a %s: a row may have several values", shorten(column.Name), column.Type))
	case column.meaning == otherValues:
		return nil, fail(fmt.Errorf("column %s has values of the type %s, which cannot be read", shorten(column.Name), column.Type))
	}
	c := &cursor{file: f, column: column, leaf: leaf, groups: compact{rest: f.groups}, left: f.groupCount, work: f.mostWork()}
	if err := c.checkPlaces(); err != nil {
		return nil, fail(fmt.Errorf("column %s: %w", shorten(column.Name), err))
	}
	return c, nil
}

// checkPlaces returns an error if two row groups have the column in the same bytes.
func (c *cursor) checkPlaces() error {
	type place struct{ begin, end int64 }
	var places []place
	groups := c.groups
	for n := c.left; n > 0 && !groups.bad; n-- {
		if chunk, rows := readGroup(&groups, c.leaf); rows > 0 && chunk.Meta != nil && chunk.Meta.Size > 0 {
			places = append(places, place{chunk.start(), chunk.start() + chunk.Meta.Size})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(a.begin, b.begin) })
	for i := 1; i < len(places); i++ {
		if places[i].begin < places[i-1].end {
			return fmt.Errorf("two row groups have the same bytes, from %d on", places[i].begin)
		}
	}
	return nil
}

// spend counts work.
func (c *cursor) spend(work int64) error {
	if c.work -= work; c.work < 0 {
		return fmt.Errorf("it becomes more than %d bytes, the most for a file of %d bytes", c.file.mostWork(), c.file.size)
	}
	return nil
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
	case chunk.File != "":
		return errors.New("the column is in another file")
	case chunk.Meta == nil:
		return errors.New("the column is missing or encrypted")
	case chunk.Meta.Type != c.column.physical:
		return errors.New("the row group has another type than the schema")
	case chunk.Meta.Values > rows:
		return fmt.Errorf("%d rows have %d values", rows, chunk.Meta.Values)
	case chunk.start() < 0 || chunk.Meta.Size < 0 || chunk.Meta.Size > c.file.size-chunk.start():
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
					t.read(&c)
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
		if err := cmp.Or(h.check(), c.spend(int64(h.Size))); err != nil {
			return err
		}
		switch h.Kind {
		case format.DictionaryPage:
			if c.hasDict {
				return errors.New("a row group has two dictionaries")
			}
			if of := h.Dictionary.Encoding; of != format.Plain && of != format.PlainDictionary {
				return errEncoding
			}
			if c.dictData, err = c.pages.body(&h, c.dictData); err != nil {
				return err
			}
			c.dict.set(c.dictData, widths[c.column.physical])
			c.hasDict = true
		case format.DataPage, format.DataPageV2:
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
	if int64(h.Data.Values) > c.rows {
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
	if c.values, err = decode(data, h.Data.Encoding, c.column.physical, dict); err != nil {
		return err
	}
	c.inPage = int64(h.Data.Values)
	c.rows -= int64(h.Data.Values)
	return nil
}

// split returns the definition levels and the values of the page.
func (c *cursor) split(h *header) (levels, data []byte, err error) {
	if h.Kind == format.DataPageV2 {
		data = c.data[h.Data2.Repetition:]
		return data[:h.Data2.Definition], data[h.Data2.Definition:], nil
	}
	if c.column.levels == 0 {
		return nil, c.data, nil
	}
	if h.Data.LevelCoding.Valid && h.Data.LevelCoding.V != format.RLE {
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
