//go:build !unix

package disk

import "math"

const nonblock = 0

// Map reads a file into memory.
func Map(name string) (*Mapped, error) {
	data, err := ReadLimited(name, math.MaxInt-1)
	return &Mapped{Data: data}, err
}

// Close ends the use of the file.
func (m *Mapped) Close() error { return nil }

// CheckWritable returns an error if there is no such folder.
func CheckWritable(dir string) error {
	_, err := Stat(dir)
	return err
}
