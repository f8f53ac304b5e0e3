//go:build !unix

package job

import "os"

// mapFile returns the content of a file, read into memory.
func mapFile(path string) (data []byte, unmap func() error, err error) {
	data, err = os.ReadFile(path)
	return data, func() error { return nil }, err
}

// syncDir does nothing: these systems have no such call.
func syncDir(string) error { return nil }
