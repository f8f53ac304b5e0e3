//go:build !unix

package disk

// Map returns the content of a file, read into memory.
func Map(name string) (data []byte, unmap func() error, err error) {
	data, err = ReadFile(name)
	return data, func() error { return nil }, err
}

// SyncDir does nothing: these systems have no such call.
func SyncDir(string) error { return nil }
