package bench

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// shared returns the content of a file of the shared data, decompressed if its
// name ends in .gz. It skips the benchmark where there is none.
func shared(b *testing.B, name string) []byte {
	b.Helper()
	name = filepath.Join("../../shared", name)
	data, err := os.ReadFile(name)
	if err != nil {
		b.Skipf("no shared data: %v", err)
	}
	if strings.HasSuffix(name, ".gz") {
		return inflate(b, data)
	}
	return data
}

// sample returns a file of the sample site.
func sample(b *testing.B, name string) []byte {
	b.Helper()
	data, err := os.ReadFile(filepath.Join("../testdata/sample", name))
	if err != nil {
		b.Fatal(err)
	}
	if strings.HasSuffix(name, ".gz") {
		return inflate(b, data)
	}
	return data
}

func inflate(b *testing.B, data []byte) []byte {
	b.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	data, err = io.ReadAll(r)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func lines(data []byte) [][]byte {
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}
