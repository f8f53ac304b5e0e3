package archive

import (
	"bytes"
	"iter"
	"slices"
)

// Sorter keeps the records of a Writer until they are written. It belongs to one goroutine.
type Sorter interface {
	// Add keeps a copy of a record of up to 1 MiB.
	Add(record []byte) error
	// All yields all records in the order of bytes.Compare. Of equal records it may yield any
	// number, but one at least. A record is valid until the next one. All may be called several
	// times, but no record is added after it. An error is the last element.
	All() iter.Seq2[[]byte, error]
	// Close frees what the records take. Nothing is called after it.
	Close() error
}

// memory is a Sorter without bounds.
type memory struct{ records [][]byte }

func (m *memory) Add(record []byte) error {
	m.records = append(m.records, slices.Clone(record))
	return nil
}

func (m *memory) All() iter.Seq2[[]byte, error] {
	slices.SortFunc(m.records, bytes.Compare)
	return func(yield func([]byte, error) bool) {
		for _, r := range m.records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (m *memory) Close() error { return nil }
