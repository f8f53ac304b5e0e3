//go:build !unix

package disk

import "math"

// Map returns the content of a file, read into memory.
func Map(name string) (data []byte, unmap func() error, err error) {
	data, err = ReadLimited(name, math.MaxInt-1)
	return data, func() error { return nil }, err
}

// SyncDir does nothing: these systems have no such call.
func SyncDir(string) error { return nil }
