package source

import (
	"bytes"
	"io"
	"testing"
)

func TestBlocks(t *testing.T) {
	text := bytes.Repeat([]byte("robots.txt\n"), 1000)
	var b Blocks
	defer b.Close()
	for range 2 {
		packed, dst := zst(t, text), make([]byte, len(text))
		if n, err := b.Zstd(dst, packed); n != len(text) || err != nil || !bytes.Equal(dst, text) {
			t.Error(n, err)
		}
		if _, err := b.Zstd(dst[:len(text)-1], packed); err == nil {
			t.Error("a block larger than its place is no error")
		}
		if _, err := b.Zstd(dst, packed[:len(packed)/2]); err == nil {
			t.Error("half a block is no error")
		}
		r, err := b.Gzip(gz(t, text[:5], text[5:]))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
			t.Error(len(got), err)
		}
		if _, err := b.Gzip(packed); err == nil {
			t.Error("Zstandard is read as gzip")
		}
	}
}
