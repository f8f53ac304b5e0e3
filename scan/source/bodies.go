package source

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// maxBodyWindow is the largest permitted Zstandard window of a body.
//
// Source: RFC 9659
const maxBodyWindow = 8 << 20

// NewZstdBody decodes the body of an HTTP response with the Content-Encoding zstd.
func NewZstdBody(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxBodyWindow), zstd.WithDecoderMaxMemory(maxBodyWindow))
}

// NewBrotli decodes a Brotli stream. The library's decoder takes the end of its input for the end
// of the stream, even in the middle of it. So the input is extended by one byte, which is
// superfluous only after a complete stream.
func NewBrotli(r io.Reader) io.Reader {
	return unbrotli{brotli.NewReader(io.MultiReader(r, bytes.NewReader([]byte{0})))}
}

type unbrotli struct{ *brotli.Reader }

// Read reads decoded bytes. It returns io.ErrUnexpectedEOF if the stream is cut off.
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
