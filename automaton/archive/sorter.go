package archive

import (
	"bytes"
	"iter"
	"slices"
)

// Sorter holds the records of a Writer until they are written. It belongs to one goroutine.
type Sorter interface {
	// Add copies a record of up to 1 MiB.
	Add(record []byte) error
	// All yields all records in the order of bytes.Compare. Equal records may be yielded once or
	// several times. A record is valid until the next iteration. All may be called several times, but
	// Add is not called after it. An error ends the sequence.
	All() iter.Seq2[[]byte, error]
	// Close releases the resources of the Sorter, which is not used afterwards.
	Close() error
}

// memory is an unbounded Sorter in memory.
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
