//go:build !unix

package disk

import "math"

const nonblock = 0

// Map reads a file into memory.
func Map(name string) (*Mapped, error) {
	data, err := ReadLimited(name, math.MaxInt-1)
	return &Mapped{Data: data}, err
}

// Close releases the file.
func (m *Mapped) Close() error { return nil }

// CheckWritable returns an error if the folder doesn't exist.
func CheckWritable(dir string) error {
	_, err := Stat(dir)
	return err
}
