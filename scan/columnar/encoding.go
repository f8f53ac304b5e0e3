package columnar

import (
	"encoding/binary"
	"errors"

	"github.com/parquet-go/bitpack"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/format"
)

var (
	errEncoding = errors.New("a page has values in an encoding that is not known for its type")
	errDamaged  = errors.New("a page is damaged")
)

// values are the consecutive non-null values of a data page.
type values struct {
	// rest is what remains: texts with their lengths, texts without them, or numbers of width bytes.
	rest  []byte
	width int
	// indices are places in a dictionary, if there is one.
	indices hybrid
	dict    *dictionary
	// lengths are the lengths of the remaining texts, or of their suffixes after the common prefix, if
	// there are prefixes.
	lengths, prefixes []int32
	text              []byte // the previous text
}

// next returns the next stored value, a text or a number in little-endian order. It is valid until
// the next call. It returns false if there are no more, or if the page is damaged.
func (v *values) next() ([]byte, bool) {
	at, n := 0, v.width
	switch {
	case v.dict != nil:
		i, ok := v.indices.next()
		if !ok {
			return nil, false
		}
		return v.dict.value(i)
	case v.lengths != nil:
		return v.nextDelta()
	case n == 0:
		if len(v.rest) < plain.ByteArrayLengthSize {
			return nil, false
		}
		at, n = plain.ByteArrayLengthSize, plain.ByteArrayLength(v.rest)
	}
	if uint(n) > uint(len(v.rest)-at) {
		return nil, false
	}
	value := v.rest[at:][:n:n]
	v.rest = v.rest[at+n:]
	return value, true
}

func (v *values) nextDelta() ([]byte, bool) {
	if len(v.lengths) == 0 {
		return nil, false
	}
	n := int(v.lengths[0])
	if n < 0 || n > len(v.rest) {
		return nil, false
	}
	text := v.rest[:n:n]
	v.rest, v.lengths = v.rest[n:], v.lengths[1:]
	if v.prefixes == nil {
		return text, true
	}
	if len(v.prefixes) == 0 || v.prefixes[0] < 0 || int(v.prefixes[0]) > len(v.text) {
		return nil, false
	}
	v.text = append(v.text[:v.prefixes[0]], text...)
	v.prefixes = v.prefixes[1:]
	return v.text, true
}

// dictionary holds the values of a dictionary page.
type dictionary struct {
	page   []byte
	width  int      // of numbers
	starts []uint32 // of texts with their lengths, and the end of the last one
}

// set reads the page, which the dictionary retains.
func (d *dictionary) set(page []byte, width int) {
	d.page, d.width, d.starts = page, width, append(d.starts[:0], 0)
	for rest := page; width == 0 && len(rest) > 0; {
		var err error
		if _, rest, err = plain.NextByteArray(rest); err != nil {
			return
		}
		d.starts = append(d.starts, uint32(len(page)-len(rest)))
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
	if uint64(i)+1 >= uint64(len(d.starts)) {
		return nil, false
	}
	return d.page[d.starts[i]+plain.ByteArrayLengthSize : d.starts[i+1]], true
}

// hybrid reads numbers with few bits: runs of a repeated number, and numbers packed eight at a
// time. It unpacks a few of them at a time, because a few bytes can declare any number of equal
// ones.
type hybrid struct {
	rest   []byte
	width  uint
	run    uint64 // remaining numbers of the run, without the ready ones
	packed []byte // bits of unequal numbers
	equal  bool

	ready   uint64 // number of decoded numbers in batch, and the next of them
	at      uint64
	numbers [hybridBatch]uint32
}

// hybridBatch is how many numbers are unpacked at once. They begin and end at byte boundaries.
const hybridBatch = 64

func (h *hybrid) reset(b []byte, width uint) {
	h.rest, h.width, h.run, h.ready, h.at = b, width, 0, 0, 0
}

func (h *hybrid) next() (uint32, bool) {
	if h.at == h.ready && !h.more() {
		return 0, false
	}
	h.at++
	return h.numbers[h.at-1], true
}

// more decodes the next numbers.
func (h *hybrid) more() bool {
	for h.run == 0 {
		if !h.begin() {
			return false
		}
	}
	h.at, h.ready = 0, min(h.run, hybridBatch)
	h.run -= h.ready
	if !h.equal {
		var bits [hybridBatch/8*32 + bitpack.PaddingInt32]byte // the library reads beyond the end
		h.packed = h.packed[copy(bits[:hybridBatch/8*h.width], h.packed):]
		bitpack.Unpack(h.numbers[:], bits[:], h.width)
	}
	return true
}

// begin reads the header of the next run.
func (h *hybrid) begin() bool {
	head, n := binary.Uvarint(h.rest)
	if n <= 0 {
		return false
	}
	h.rest = h.rest[n:]
	h.run, h.equal = head>>1, head&1 == 0
	if !h.equal && h.width > 0 {
		// Some writers cut the last run off after its last number.
		size := min(h.run*uint64(h.width), uint64(len(h.rest)))
		h.packed, h.rest = h.rest[:size], h.rest[size:]
		h.run = size * 8 / uint64(h.width)
		return true
	}
	if !h.equal { // numbers without bits
		h.run, h.equal = h.run*8, true
	}
	size := (h.width + 7) / 8
	if size > uint(len(h.rest)) {
		return false
	}
	var value [4]byte
	copy(value[:], h.rest[:size])
	h.rest = h.rest[size:]
	for i := range h.numbers {
		h.numbers[i] = binary.LittleEndian.Uint32(value[:])
	}
	return true
}

// maxDelta limits the numbers on a DELTA_BINARY_PACKED page, which are all decoded at once and
// copied: they use no more memory than a page.
const maxDelta = maxPage / 16

// deltaNumbers decodes numbers stored as differences, DELTA_BINARY_PACKED, at most most of them. It
// returns the remaining bytes.
func deltaNumbers(b []byte, most int64) (n []int32, rest []byte, ok bool) {
	end, ok := deltaEnd(b, most, 32)
	if !ok {
		return nil, nil, false
	}
	n, err := new(delta.BinaryPackedEncoding).DecodeInt32([]int32{}, b[:end])
	return n, b[end:], err == nil
}

// deltaEnd returns the end of the encoded numbers. It is needed because the library produces as
// many numbers as the header declares, even if they are missing.
func deltaEnd(b []byte, most int64, bits byte) (end int, ok bool) {
	at, ok := 0, true
	varint := func() uint64 {
		v, n := binary.Uvarint(b[at:])
		at, ok = at+max(n, 0), ok && n > 0
		return v
	}
	block, count, total := varint(), varint(), varint()
	varint() // the first number
	if !ok || total > uint64(min(most, maxDelta)) {
		return 0, false
	}
	if block > 1<<16 || count == 0 || block%count != 0 || block/count%8 != 0 {
		return 0, false
	}
	mini := block / count // numbers in a miniblock
	for left := max(total, 1) - 1; left > 0; {
		varint() // the least difference
		if !ok || count > uint64(len(b)-at) {
			return 0, false
		}
		widths := b[at:][:count]
		at += len(widths)
		for i := 0; i < len(widths) && left > 0; i++ {
			if widths[i] > bits {
				return 0, false
			}
			// Some writers cut the last miniblock off after its last number.
			at = min(at+int(mini)/8*int(widths[i]), len(b))
			left -= min(left, mini)
		}
	}
	return at, true
}

// reset starts the data of a page with at most most values. The dictionary is nil if there is none.
func (v *values) reset(data []byte, most int64, encoding format.Encoding, of format.Type, d *dictionary) error {
	*v = values{rest: data, width: widths[of], text: []byte{}} // nil would be a null
	ok := true
	switch {
	case len(data) == 0: // only nulls
	case encoding == format.RLEDictionary || encoding == format.PlainDictionary:
		if d == nil {
			return errors.New("a page has values of a dictionary that is missing")
		}
		v.dict, ok = d, data[0] <= 32
		v.indices.reset(data[1:], uint(data[0]))
	case encoding == format.Plain:
	case encoding == format.DeltaBinaryPacked && of == format.Int32:
		var numbers []int32
		numbers, _, ok = deltaNumbers(data, most)
		v.rest, _ = binary.Append(nil, binary.LittleEndian, numbers)
	case encoding == format.DeltaBinaryPacked && of == format.Int64:
		var end int
		if end, ok = deltaEnd(data, most, 64); ok {
			numbers, err := new(delta.BinaryPackedEncoding).DecodeInt64([]int64{}, data[:end])
			ok = err == nil
			v.rest, _ = binary.Append(nil, binary.LittleEndian, numbers)
		}
	case encoding == format.DeltaLengthByteArray && v.width == 0:
		v.lengths, v.rest, ok = deltaNumbers(data, most)
	case encoding == format.DeltaByteArray && v.width == 0:
		if v.prefixes, v.rest, ok = deltaNumbers(data, most); ok {
			v.lengths, v.rest, ok = deltaNumbers(v.rest, most)
		}
	default:
		return errEncoding
	}
	if !ok {
		return errDamaged
	}
	return nil
}
