package columnar

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

const (
	// maxThriftDepth limits the nesting of structs and lists.
	maxThriftDepth = 32
	// maxElements limits the elements of the lists that are decoded: the schema, the row groups, and
	// their columns, which are in the top-level struct and in the elements of its lists.
	maxElements = 1 << 20
	listDepth   = maxThriftDepth - 4
)

var (
	errThrift = errors.New("it is damaged")
	protocol  thrift.CompactProtocol
)

// decode decodes the struct at the beginning of b into v, and returns its length in bytes. The
// footer and the headers of pages are such structs, in the compact protocol of Apache Thrift
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). The library
// allocates lists of the declared length, and recurses into nested structs, so it only decodes what
// a walker has validated. v has views of b. If b ends within the struct, the error is
// io.ErrUnexpectedEOF.
func decode(b []byte, v any) (int, error) {
	w := walker{protocol.NewReaderFromBytes(b), len(b), 0}
	switch err := w.value(thrift.STRUCT, maxThriftDepth); {
	case errors.Is(err, io.EOF):
		return 0, io.ErrUnexpectedEOF
	case err != nil:
		return 0, err
	}
	n := w.BytesRead()
	w.ResetBytes(b[:n])
	err := guarded(func() error { return thrift.NewDecoder(w.BytesReader).Decode(v) })
	if err != nil || w.BytesRead() != n {
		return 0, errThrift
	}
	return n, nil
}

// guarded calls a function that passes bytes of a file to the library, and turns a panic into an
// error.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be decoded: %v", r)
		}
	}()
	return f()
}

// walker validates values of the compact protocol. It doesn't allocate.
type walker struct {
	thrift.BytesReader
	size     int
	elements int // in the lists that are decoded
}

// value skips a value of a type.
func (w *walker) value(of thrift.Type, depth int) (err error) {
	switch {
	case depth == 0:
		return errThrift
	case of == thrift.TRUE || of == thrift.FALSE: // the type of a field is its value
	case of == thrift.I8:
		_, err = w.ReadInt8()
	case of == thrift.I16 || of == thrift.I32 || of == thrift.I64:
		_, err = w.ReadInt64()
	case of == thrift.DOUBLE:
		_, err = w.ReadFloat64()
	case of == thrift.BINARY:
		_, err = w.ReadBytes()
	case of == thrift.LIST || of == thrift.SET:
		return w.list(depth)
	case of == thrift.STRUCT:
		for {
			f, err := w.ReadField()
			if err != nil || f.Type == thrift.STOP {
				return err
			}
			if err := w.value(f.Type, depth-1); err != nil {
				return err
			}
		}
	default: // Parquet has no maps
		return errThrift
	}
	return err
}

func (w *walker) list(depth int) error {
	l, err := w.ReadList()
	switch {
	case err != nil:
		return err
	case int(l.Size) > w.size-w.BytesRead(): // an element has at least one byte
		return io.ErrUnexpectedEOF
	case l.Type == thrift.TRUE || l.Type == thrift.FALSE:
		l.Type = thrift.I8
	}
	if depth > listDepth {
		w.elements += int(l.Size)
	}
	if w.elements > maxElements {
		return fmt.Errorf("it has more than %d elements", maxElements)
	}
	for range l.Size {
		if err := w.value(l.Type, depth-1); err != nil {
			return err
		}
	}
	return nil
}
