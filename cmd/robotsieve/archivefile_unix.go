//go:build unix

package main

import "os"

// syncDir brings the names in a directory to the disk.
func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
