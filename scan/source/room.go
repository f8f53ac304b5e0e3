package source

import "errors"

// ErrRoom is the error of inputs that are left out because the list of inputs takes all of Limits.Memory.
var ErrRoom = errors.New("there are too many inputs for the memory")

// ListedBytes is about how many bytes of memory an input of that name takes before it is read.
func ListedBytes(name string) int64 { return int64(2<<10 + 4*len(name)) }

// room is what is left of Limits.Memory.
type room struct {
	left  int64
	bound bool
}

// take takes the room of an input of that name.
func (r *room) take(name string) error {
	if r.left -= ListedBytes(name); r.left < 0 && r.bound {
		return ErrRoom
	}
	return nil
}
