package columnar

import (
	"encoding/binary"
	"errors"

	"github.com/parquet-go/parquet-go/format"
)

// values returns the values of a page that are not null, one after the other, as they are stored:
// an octet string, or a number in little-endian order. A value is valid until the next one. It
// returns false if there are no more, or if the page is damaged.
type values interface {
	next() ([]byte, bool)
}

// plainTexts are texts, each behind its length in four bytes.
type plainTexts struct{ rest []byte }

func (p *plainTexts) next() ([]byte, bool) {
	if len(p.rest) < 4 {
		return nil, false
	}
	n, rest := uint64(binary.LittleEndian.Uint32(p.rest)), p.rest[4:]
	if n > uint64(len(rest)) {
		return nil, false
	}
	p.rest = rest[n:]
	return rest[:n:n], true
}

// plainNumbers are numbers, each of so many bytes.
type plainNumbers struct {
	rest  []byte
	width int
}

func (p *plainNumbers) next() ([]byte, bool) {
	if len(p.rest) < p.width {
		return nil, false
	}
	v := p.rest[:p.width]
	p.rest = p.rest[p.width:]
	return v, true
}

// dictionary is the values of a dictionary page.
type dictionary struct {
	page  []byte
	ends  []uint32 // for texts: where each ends
	width int      // for numbers
}

// set reads the page, which the dictionary keeps.
func (d *dictionary) set(page []byte, width int) {
	d.page, d.width, d.ends = page, width, d.ends[:0]
	if width > 0 {
		return
	}
	for texts := (plainTexts{page}); ; {
		if _, ok := texts.next(); !ok {
			return
		}
		d.ends = append(d.ends, uint32(len(page)-len(texts.rest)))
	}
}

func (d *dictionary) value(i uint32) ([]byte, bool) {
	if d.width > 0 {
		at := uint64(i) * uint64(d.width)
		if at+uint64(d.width) > uint64(len(d.page)) {
			return nil, false
		}
		return d.page[at:][:d.width], true
	}
	if uint64(i) >= uint64(len(d.ends)) {
		return nil, false
	}
	from := uint32(4)
	if i > 0 {
		from += d.ends[i-1]
	}
	return d.page[from:d.ends[i]], true
}

// indexed are the indices of values in a dictionary.
type indexed struct {
	indices hybrid
	of      *dictionary
}

func (x *indexed) next() ([]byte, bool) {
	i, ok := x.indices.next()
	if !ok {
		return nil, false
	}
	return x.of.value(i)
}

// hybrid reads numbers of few bits: runs of one number, and numbers packed eight at a time.
type hybrid struct {
	rest   []byte
	width  uint
	value  uint32
	run    uint64 // how many times value follows
	packed uint64 // how many packed numbers follow
	bits   bitReader
}

func (h *hybrid) next() (uint32, bool) {
	for h.run == 0 {
		if h.packed > 0 {
			h.packed--
			v, ok := h.bits.take(h.width)
			return uint32(v), ok
		}
		if !h.begin() {
			return 0, false
		}
	}
	h.run--
	return h.value, true
}

// begin reads the header of the next run.
func (h *hybrid) begin() bool {
	head, n := binary.Uvarint(h.rest)
	if n <= 0 {
		return false
	}
	h.rest = h.rest[n:]
	if head&1 != 0 {
		groups := head >> 1
		size := min(groups, uint64(len(h.rest))) * uint64(h.width) // of groups of eight
		size = min(size, uint64(len(h.rest)))
		h.packed, h.bits = groups<<3, bitReader{rest: h.rest[:size]}
		h.rest = h.rest[size:]
		return true
	}
	size := int(h.width+7) / 8
	if size > len(h.rest) {
		return false
	}
	h.value = 0
	for i, c := range h.rest[:size] {
		h.value |= uint32(c) << (8 * i)
	}
	h.run, h.rest = head>>1, h.rest[size:]
	return true
}

// delta reads numbers as differences: DELTA_BINARY_PACKED.
type delta struct {
	rest   []byte
	value  uint64
	left   uint64 // numbers that follow
	first  bool   // value is the next one
	mini   uint64 // numbers of a miniblock
	count  uint64 // miniblocks of a block
	least  uint64 // the least difference of the block
	widths []byte // of the miniblocks of the block that follow
	inMini uint64 // numbers that the miniblock still has
	width  uint
	bits   bitReader
}

// maxBlock bounds how many numbers a block has; writers use 128.
const maxBlock = 1 << 20

// begin reads the header.
func (d *delta) begin(data []byte) bool {
	t := compact{rest: data}
	block, count, total := t.varint(), t.varint(), t.varint()
	first := t.number()
	if t.bad || block == 0 || block > maxBlock || count == 0 || count > block || block%count != 0 || block/count%8 != 0 {
		return false
	}
	*d = delta{rest: t.rest, value: uint64(first), left: total, first: true, mini: block / count, count: count}
	return true
}

func (d *delta) next() (int64, bool) {
	if d.left == 0 {
		return 0, false
	}
	d.left--
	if d.first {
		d.first = false
		return int64(d.value), true
	}
	if d.inMini == 0 && !d.miniblock() {
		return 0, false
	}
	d.inMini--
	v, ok := d.bits.take(d.width)
	d.value += d.least + v
	return int64(d.value), ok
}

// miniblock begins the next miniblock.
func (d *delta) miniblock() bool {
	if len(d.widths) == 0 && !d.block() {
		return false
	}
	d.width, d.widths = uint(d.widths[0]), d.widths[1:]
	size := d.mini / 8 * uint64(d.width)
	if d.width > 64 {
		return false
	}
	if size > uint64(len(d.rest)) {
		// Some writers cut the last miniblock off behind its last number.
		size = uint64(len(d.rest))
	}
	d.bits = bitReader{rest: d.rest[:size]}
	d.rest, d.inMini = d.rest[size:], d.mini
	return true
}

// block reads the header of the next block.
func (d *delta) block() bool {
	t := compact{rest: d.rest}
	d.least = uint64(t.number())
	d.widths = t.take(d.count)
	d.rest = t.rest
	return !t.bad
}

// end returns what follows behind the numbers. It looks at the header of each block only.
func (d *delta) end() ([]byte, bool) {
	last := *d
	if last.left > 0 {
		last.left--
	}
	for last.left > 0 {
		if !last.miniblock() {
			return nil, false
		}
		last.left -= min(last.left, last.mini)
	}
	return last.rest, true
}

// bitReader takes numbers of up to 64 bits, the low bits first.
type bitReader struct {
	rest []byte
	held uint64 // bits that have been taken from rest, of which there are so many
	bits uint
}

func (b *bitReader) take(width uint) (v uint64, ok bool) {
	if width > 32 {
		low, _ := b.take(32)
		high, ok := b.take(width - 32)
		return high<<32 | low, ok
	}
	for b.bits < width {
		if len(b.rest) == 0 {
			return 0, false
		}
		b.held |= uint64(b.rest[0]) << b.bits
		b.rest = b.rest[1:]
		b.bits += 8
	}
	v = b.held & (1<<width - 1)
	b.held >>= width
	b.bits -= width
	return v, true
}

// deltaNumbers are numbers of so many bytes.
type deltaNumbers struct {
	from  delta
	width int
	value [8]byte
}

func (d *deltaNumbers) next() ([]byte, bool) {
	v, ok := d.from.next()
	binary.LittleEndian.PutUint64(d.value[:], uint64(v))
	return d.value[:d.width], ok
}

// deltaLengths are texts behind all their lengths: DELTA_LENGTH_BYTE_ARRAY.
type deltaLengths struct {
	lengths delta
	rest    []byte
}

func (d *deltaLengths) begin(data []byte) (ok bool) {
	if !d.lengths.begin(data) {
		return false
	}
	d.rest, ok = d.lengths.end()
	return ok
}

func (d *deltaLengths) next() ([]byte, bool) {
	n, ok := d.lengths.next()
	if !ok || n < 0 || n > int64(len(d.rest)) {
		return nil, false
	}
	v := d.rest[:n:n]
	d.rest = d.rest[n:]
	return v, true
}

// deltaTexts are texts without what they have in common with the one before: DELTA_BYTE_ARRAY.
type deltaTexts struct {
	prefixes delta
	suffixes deltaLengths
	value    []byte
}

func (d *deltaTexts) begin(data []byte) bool {
	if !d.prefixes.begin(data) {
		return false
	}
	rest, ok := d.prefixes.end()
	d.value = []byte{} // not nil, which would be a null
	return ok && d.suffixes.begin(rest)
}

func (d *deltaTexts) next() ([]byte, bool) {
	n, ok := d.prefixes.next()
	suffix, more := d.suffixes.next()
	if !ok || !more || n < 0 || n > int64(len(d.value)) {
		return nil, false
	}
	d.value = append(d.value[:n], suffix...)
	return d.value, true
}

var (
	errEncoding = errors.New("a page has values in an encoding that is not known for its type")
	errDamaged  = errors.New("a page is damaged")
)

// decode returns the values of a page with data. The dictionary is nil if there is none.
func decode(data []byte, encoding format.Encoding, of format.Type, d *dictionary) (values, error) {
	width := widths[of]
	var v values
	begun := true
	switch {
	case len(data) == 0: // no value but null
		v = &plainTexts{}
	case encoding == format.RLEDictionary || encoding == format.PlainDictionary:
		if d == nil {
			return nil, errors.New("a page has values of a dictionary that is missing")
		}
		begun, v = data[0] <= 32, &indexed{hybrid{rest: data[1:], width: uint(data[0])}, d}
	case encoding == format.Plain && width == 0:
		v = &plainTexts{data}
	case encoding == format.Plain:
		v = &plainNumbers{data, width}
	case encoding == format.DeltaBinaryPacked && (of == format.Int32 || of == format.Int64):
		numbers := &deltaNumbers{width: width}
		begun, v = numbers.from.begin(data), numbers
	case encoding == format.DeltaLengthByteArray && width == 0:
		texts := &deltaLengths{}
		begun, v = texts.begin(data), texts
	case encoding == format.DeltaByteArray && width == 0:
		texts := &deltaTexts{}
		begun, v = texts.begin(data), texts
	default:
		return nil, errEncoding
	}
	if !begun {
		return nil, errDamaged
	}
	return v, nil
}
