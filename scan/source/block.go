package source

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Blocks decompresses blocks that are in memory, as formats have them whose pages are compressed one by
// one. The zero value is ready. It is for one goroutine, and starts none.
type Blocks struct {
	zstd *zstd.Decoder
	gzip gzip.Reader
	from bytes.Reader
}

// Zstd decompresses Zstandard into dst and returns how much that is. It is an error if dst is too short.
func (b *Blocks) Zstd(dst, src []byte) (n int, err error) {
	if b.zstd == nil {
		b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
	}
	out, err := b.zstd.DecodeAll(src, dst[:0:len(dst)])
	return len(out), err
}

// Gzip returns a reader of what gzip has compressed, of one or several members. It is valid until the
// next call.
func (b *Blocks) Gzip(src []byte) (io.Reader, error) {
	b.from.Reset(src)
	return &b.gzip, b.gzip.Reset(&b.from)
}

// Close releases what the decoders hold.
func (b *Blocks) Close() {
	if b.zstd != nil {
		b.zstd.Close()
	}
}
