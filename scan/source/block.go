package source

import (
	"bufio"
	"bytes"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// Blocks decompresses blocks that are in memory, as formats have them whose pages are compressed
// one by one. The zero value is ready. It is for one goroutine, and starts none.
type Blocks struct {
	zstd  *zstd.Decoder
	gzip  inflate.Gzip
	from  *bufio.Reader // nil until it is needed
	bytes bytes.Reader
}

// Zstd decompresses Zstandard into dst and returns how much that is. It is an error if dst is too
// short.
func (b *Blocks) Zstd(dst, src []byte) (n int, err error) {
	if b.zstd == nil {
		b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
	}
	out, err := b.zstd.DecodeAll(src, dst[:0:len(dst)])
	return len(out), err
}

// Gzip returns a reader of what gzip has compressed, of one or several members. It is valid until
// the next call.
func (b *Blocks) Gzip(src []byte) (io.Reader, error) {
	b.bytes.Reset(src)
	if b.from == nil {
		b.from = bufio.NewReader(&b.bytes)
	}
	b.from.Reset(&b.bytes)
	b.gzip.Reset(b.from)
	return (*concatenated)(&b.gzip), noEOF(b.gzip.Next())
}

// concatenated reads the members of gzip as one.
type concatenated inflate.Gzip

func (c *concatenated) Read(p []byte) (n int, err error) {
	z := (*inflate.Gzip)(c)
	for {
		if n, err = z.Read(p); n > 0 || !isEOF(err) {
			if isEOF(err) {
				err = nil // there may be another member
			}
			return n, err
		}
		if err := z.Next(); err != nil {
			return 0, err
		}
	}
}

// Close releases what the decoders hold.
func (b *Blocks) Close() {
	if b.zstd != nil {
		b.zstd.Close()
	}
}
