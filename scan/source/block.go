package source

import "github.com/klauspost/compress/zstd"

// ZstdBlocks decompresses blocks of Zstandard that are in memory, as formats have them whose pages are
// compressed one by one. The zero value is ready. It is for one goroutine, and starts none.
type ZstdBlocks struct{ decoder *zstd.Decoder }

// Decode decompresses src into dst and returns how much that is. It is an error if dst is too short.
func (z *ZstdBlocks) Decode(dst, src []byte) (n int, err error) {
	if z.decoder == nil {
		z.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
	}
	out, err := z.decoder.DecodeAll(src, dst[:0:len(dst)])
	return len(out), err
}

// Close releases what the decoder holds.
func (z *ZstdBlocks) Close() {
	if z.decoder != nil {
		z.decoder.Close()
	}
}
