package source

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestZstdBlocks(t *testing.T) {
	text := bytes.Repeat([]byte("robots.txt\n"), 1000)
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := packer.EncodeAll(text, nil)
	var z ZstdBlocks
	defer z.Close()
	for range 2 {
		dst := make([]byte, len(text))
		if n, err := z.Decode(dst, packed); n != len(text) || err != nil || !bytes.Equal(dst, text) {
			t.Error(n, err)
		}
		if _, err := z.Decode(dst[:len(text)-1], packed); err == nil {
			t.Error("a block larger than its place is no error")
		}
		if _, err := z.Decode(dst, packed[:len(packed)/2]); err == nil {
			t.Error("half a block is no error")
		}
	}
}
