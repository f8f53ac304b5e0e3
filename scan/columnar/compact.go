package columnar

import (
	"encoding/binary"
	"iter"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// compact reads the compact protocol of Apache Thrift, in which the footer and the headers of pages are written
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). It allocates nothing, whatever
// the counts say: an element of a list has one byte at least. After a mistake it is bad, and everything reads as zero.
//
// Structs are decoded by the library, but only within the bytes that skip has gone over: the library
// makes lists as long as they say, and calls itself for each struct within another.
type compact struct {
	rest []byte
	bad  bool
	// short is set if it is bad because the bytes ended.
	short bool
}

// The types of fields; a boolean field has its value as its type.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// maxThriftDepth bounds structs and lists within each other.
const maxThriftDepth = 32

func (t *compact) fail(short bool) {
	t.rest, t.bad, t.short = nil, true, short
}

// take returns the next n bytes.
func (t *compact) take(n uint64) []byte {
	if n > uint64(len(t.rest)) {
		t.fail(true)
		return nil
	}
	b := t.rest[:n]
	t.rest = t.rest[n:]
	return b
}

func (t *compact) byte() byte {
	if len(t.rest) == 0 {
		t.fail(true)
		return 0
	}
	c := t.rest[0]
	t.rest = t.rest[1:]
	return c
}

func (t *compact) varint() uint64 {
	v, n := binary.Uvarint(t.rest)
	if n <= 0 {
		t.fail(n == 0)
		return 0
	}
	t.rest = t.rest[n:]
	return v
}

// number reads a number of 16, 32 or 64 bits.
func (t *compact) number() int64 {
	v := t.varint()
	return int64(v>>1) ^ -int64(v&1)
}

// field reads the header of the next field of a struct, whose last field was id. At the end of
// the struct the type is 0.
func (t *compact) field(id *int64) (kind byte) {
	head := t.byte()
	kind = head & 15
	switch {
	case kind == 0:
	case head>>4 != 0:
		*id += int64(head >> 4)
	default:
		*id = t.number()
	}
	return kind
}

// fields reads the fields of a struct: the number and the type of each. The body of the loop reads its value, or
// skips it.
func (t *compact) fields() iter.Seq2[int64, byte] {
	return func(yield func(int64, byte) bool) {
		for id := int64(0); ; {
			if kind := t.field(&id); kind == 0 || !yield(id, kind) {
				return
			}
		}
	}
}

// list reads the header of a list: how many elements it has, and of which type.
func (t *compact) list() (n uint64, kind byte) {
	head := t.byte()
	if n, kind = uint64(head>>4), head&15; n == 15 {
		n = t.varint()
	}
	if n > uint64(len(t.rest)) {
		t.fail(true)
		return 0, 0
	}
	return n, kind
}

// structs reads a list of structs, each with the function.
func (t *compact) structs(kind byte, read func()) {
	n, element := t.list()
	if kind != thriftList || n > 0 && element != thriftStruct {
		t.fail(false)
	}
	for ; n > 0 && !t.bad; n-- {
		read()
	}
}

// read decodes a struct into one that has the fields which are wanted, and no list.
func (t *compact) read(v any) {
	b := t.rest
	if t.skip(thriftStruct); t.bad {
		return
	}
	defer func() {
		if recover() != nil {
			t.fail(false)
		}
	}()
	r := protocol.NewReaderFromBytes(b[:len(b)-len(t.rest)])
	if thrift.NewDecoder(r).Decode(v) != nil || r.BytesRead() != len(b)-len(t.rest) {
		t.fail(false)
	}
}

var protocol thrift.CompactProtocol

// skip reads a value of a type, whatever it is.
func (t *compact) skip(kind byte) { t.skipWithin(kind, maxThriftDepth) }

func (t *compact) skipWithin(kind byte, depth int) {
	if depth == 0 {
		t.fail(false)
		return
	}
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.byte()
	case 4, 5, 6:
		t.varint()
	case thriftDouble:
		t.take(8)
	case thriftBinary:
		t.take(t.varint())
	case thriftList, thriftSet:
		n, element := t.list()
		for ; n > 0 && !t.bad; n-- {
			t.skipElement(element, depth-1)
		}
	case thriftMap:
		t.skipMap(depth - 1)
	case thriftStruct:
		for _, kind := range t.fields() {
			t.skipWithin(kind, depth-1)
		}
	default:
		t.fail(false)
	}
}

// skipElement reads an element of a list or map, in which a boolean is a byte.
func (t *compact) skipElement(kind byte, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		kind = thriftByte
	}
	t.skipWithin(kind, depth)
}

func (t *compact) skipMap(depth int) {
	n := t.varint()
	if n == 0 {
		return
	}
	kinds := t.byte()
	if n > uint64(len(t.rest)) {
		t.fail(true)
	}
	for ; n > 0 && !t.bad; n-- {
		t.skipElement(kinds>>4, depth)
		t.skipElement(kinds&15, depth)
	}
}
