package spill

import (
	"context"
	"iter"
)

// Records sorts the records of one goroutine, as a Sorter and a Writer do, for a caller that does
// not need to know how often a record was added. It is made by NewRecords.
type Records struct {
	sorter *Sorter
	writer *Writer
}

// NewRecords returns empty Records. It holds no memory, and makes no file, until a record is
// added.
func NewRecords(o Options) *Records {
	s := New(o)
	return &Records{s, s.Writer()}
}

// StopAt makes All end with the error of ctx when ctx has ended.
func (r *Records) StopAt(ctx context.Context) { r.sorter.StopAt(ctx) }

// Add adds a copy of a record of up to MaxRecord bytes. An error of the temporary file is permanent.
func (r *Records) Add(record []byte) error { return r.writer.Add(record) }

// All yields all records, each distinct one once, in the order of bytes.Compare. A record is
// valid until the next. It may be called several times, but nothing is added after it. An error
// is the last element.
func (r *Records) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if err := r.writer.Flush(); err != nil {
			yield(nil, err)
			return
		}
		for record, err := range r.sorter.All() {
			if !yield(record.Data, err) {
				return
			}
		}
	}
}

// Close frees the memory and removes the temporary file, if there is one.
func (r *Records) Close() error { return r.sorter.Close() }
