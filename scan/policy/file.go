package policy

import (
	"fmt"
	"io"
	"os"
)

// file is what was read of a file, and its size.
type file struct {
	body []byte
	size int64
}

// readFile reads a file, and one byte more of it than max, which tells the compiler
// that there is more; all of it if max is negative. Only regular files are opened:
// a pipe might never answer.
func readFile(path string, max int) (file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return file{}, err
	}
	if !info.Mode().IsRegular() {
		return file{}, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return file{}, err
	}
	defer f.Close()
	r := io.Reader(f)
	if max >= 0 {
		r = io.LimitReader(f, int64(max)+1)
	}
	body, err := io.ReadAll(r)
	return file{body, info.Size()}, err
}
