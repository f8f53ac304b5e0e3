package source

import (
	"bufio"
	"bytes"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// Blocks decompresses blocks that are in memory: parts of a stream, and pages of formats that
// compress them one by one. The zero value is ready. It is for one goroutine, and starts none.
type Blocks struct {
	zstd  *zstd.Decoder
	gzip  inflate.Gzip
	from  *bufio.Reader // nil until it is needed
	bytes bytes.Reader
	over  [1]byte // what there is no room for
}

// Zstd decompresses a frame of Zstandard into dst and returns how many bytes that are. It is an
// error if dst is too short.
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

// Gzip decompresses members of gzip into dst and returns how many bytes that are, one more than
// there is room for if dst is too short.
func (b *Blocks) Gzip(dst, src []byte) (n int, err error) {
	if b.from == nil {
		b.from = bufio.NewReaderSize(nil, 64<<10)
	}
	b.bytes.Reset(src)
	b.from.Reset(&b.bytes)
	b.gzip.Reset(b.from)
	for err = b.gzip.Next(); err == nil && n <= len(dst); {
		to := dst[n:]
		if len(to) == 0 {
			to = b.over[:]
		}
		var m int
		m, err = b.gzip.Read(to)
		if n += m; isEOF(err) {
			err = b.gzip.Next()
		}
	}
	if isEOF(err) {
		err = nil
	}
	return n, err
}

// Close releases what the decoders hold.
func (b *Blocks) Close() {
	if b.zstd != nil {
		b.zstd.Close()
	}
}
