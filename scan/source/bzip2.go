package source

import (
	"compress/bzip2"
	"io"
)

// bzBlockMagic and bzEndMagic begin a block and end a stream: one of them is what follows the first four bytes of a file.
var (
	bzBlockMagic = [6]byte{0x31, 0x41, 0x59, 0x26, 0x53, 0x59}
	bzEndMagic   = [6]byte{0x17, 0x72, 0x45, 0x38, 0x50, 0x90}
)

// bzip2Decoder decodes with the standard library, block by block on one goroutine, at 10 to 20 MB/s. pbzip2, which is built on it
// and uses all cores, decodes on goroutines where a panic cannot be caught, and drops the sound blocks of a truncated file.
// Anything behind the last stream, zero padding too, is an error; what came before it has been handed out.
type bzip2Decoder struct{ io.Reader }

func newBzip2(src *source) bzip2Decoder { return bzip2Decoder{bzip2.NewReader(src.br)} }

func (bzip2Decoder) warnings() []string { return nil }
func (bzip2Decoder) free()              {}
