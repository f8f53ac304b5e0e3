package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// SidecarRow is a row of a sidecar without its key.
type SidecarRow struct {
	// Known is set if there is a verdict; if not, allowed is null.
	Known   bool
	Allowed bool
	Class   string
	// Barred lists the agents that may not fetch the URL.
	Barred []string
	// Line is the line number of the deciding rule, 0 if none decided.
	Line int32
}

// AppendSidecarRow appends a row as Sidecar.Write reads it.
func AppendSidecarRow(b []byte, r *SidecarRow) []byte {
	switch {
	case !r.Known:
		b = AppendNull(b)
	case r.Allowed:
		b = AppendNumber(b, 1)
	default:
		b = AppendNumber(b, 0)
	}
	b = AppendText(b, r.Class)
	b = binary.AppendUvarint(b, uint64(len(r.Barred))+1)
	for _, text := range r.Barred {
		b = AppendText(b, text)
	}
	return AppendNumber(b, int64(r.Line))
}

// Keys are the values of a column, one per row of the file in order. A Sidecar reads them.
type Keys struct{ from *cursor }

// Keys returns the values of a column.
func (f *File) Keys(column string) (*Keys, error) {
	c, err := f.cursor(column)
	if err != nil {
		return nil, err
	}
	return &Keys{c}, nil
}

// isNumber reports whether the keys are signed 64-bit numbers.
func (k *Keys) isNumber() bool { return k.from.column.meaning == integer }

func (k *Keys) append(b []byte) ([]byte, error) {
	var value []byte
	var err error
	if k.isNumber() {
		value, err = k.from.next()
	} else {
		value, err = k.from.text()
	}
	switch {
	case err != nil:
		return b, err
	case value == nil:
		return AppendNull(b), nil
	case k.isNumber():
		return AppendNumber(b, whole(value)), nil
	}
	return AppendText(b, value), nil
}

// Sidecar writes verdicts as Parquet to accompany a Parquet file, one row for each row of that
// file, in the same order. Its columns are position, the number of the row from 0, or key, the
// value of a column of the file; and allowed, class, barred and line. It isn't safe for concurrent
// use.
type Sidecar struct {
	to   *Writer
	keys *Keys
	key  []byte
	rows int64
}

// NewSidecar returns a writer of a sidecar. Without keys the rows have positions.
func NewSidecar(w io.Writer, keys *Keys) *Sidecar {
	key := Field{Name: "position", Kind: Int64, Required: true}
	if keys != nil {
		key = Field{Name: "key", Kind: Text}
		if keys.isNumber() {
			key.Kind = Int64
		}
	}
	return &Sidecar{keys: keys, to: NewWriter(w, "verdicts", []Field{key,
		{Name: "allowed", Kind: Bool}, {Name: "class", Kind: Text, Dictionary: true, Required: true},
		{Name: "barred", Kind: textList, Dictionary: true}, {Name: "line", Kind: Int32, Dictionary: true, Required: true}})}
}

// Write writes whole rows made by AppendRow.
func (s *Sidecar) Write(rows []byte) (int, error) {
	for rest := rows; len(rest) > 0; {
		if err := s.lead(); err != nil {
			return 0, err
		}
		rest = s.to.row(rest, 1)
		if err := s.to.end(); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// lead adds the position or key of the next row.
func (s *Sidecar) lead() (err error) {
	if s.keys == nil {
		s.key = AppendNumber(s.key[:0], s.rows)
	} else if s.key, err = s.keys.append(s.key[:0]); errors.Is(err, io.EOF) {
		return fmt.Errorf("more than %d verdicts for as many keys", s.rows)
	} else if err != nil {
		return fmt.Errorf("key of row %d: %w", s.rows, err)
	}
	s.rows++
	s.to.held += len(s.key)
	s.to.value(s.key, 0)
	return nil
}

// Rows is the number of rows written.
func (s *Sidecar) Rows() int64 { return s.rows }

// Close writes the footer. A file without it isn't valid Parquet.
func (s *Sidecar) Close() error { return s.to.Close() }
