package source

import (
	"cmp"
	"errors"
	"math"
	"sync/atomic"
)

// ErrRoom is the error of inputs that are left out because the list of inputs takes all of
// Limits.Memory.
var ErrRoom = errors.New("there are too many inputs for the memory")

// ListedBytes is about how many bytes of memory an input of that name takes before it is read.
func ListedBytes(name string) int64 { return int64(2<<10 + 4*len(name)) }

// room is what is left of Limits.Memory. It is safe for concurrent use.
type room struct{ left atomic.Int64 }

// newRoom returns the room of so many bytes; 0 is no bound.
func newRoom(memory int64) *room {
	r := &room{}
	r.left.Store(cmp.Or(memory, math.MaxInt64))
	return r
}

// take takes the room of an input of that name.
func (r *room) take(name string) error {
	if r.left.Add(-ListedBytes(name)) < 0 {
		return ErrRoom
	}
	return nil
}
