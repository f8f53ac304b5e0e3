package source

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxBodyWindow is the largest window of a body in Zstandard.
//
// Source: RFC 9659
const maxBodyWindow = 8 << 20

// NewZstdBody returns what the body of an HTTP response decodes to whose Content-Encoding is zstd.
func NewZstdBody(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxBodyWindow), zstd.WithDecoderMaxMemory(maxBodyWindow))
}

// NewBrotli returns what a stream of Brotli decodes to. The decoder of the library takes the end of
// its input for that of the stream, wherever it is; so it is given a byte more, which is too much only
// for a stream that is whole.
func NewBrotli(r io.Reader) io.Reader {
	return unbrotli{brotli.NewReader(io.MultiReader(r, bytes.NewReader([]byte{0})))}
}

type unbrotli struct{ *brotli.Reader }

// Read reads decoded bytes. It returns io.ErrUnexpectedEOF where the stream is cut off.
func (u unbrotli) Read(p []byte) (n int, err error) {
	n, err = u.Reader.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	case err != nil && strings.Contains(err.Error(), "excessive input"):
		err = io.EOF
	}
	return n, err
}
