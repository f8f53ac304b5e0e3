package source

import (
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// zstdMaxWindow is the largest window accepted, 2 to the 27, as by the zstd command without special flags (levels up to --ultra
// -22, and --long=27). A larger window is an error. Each stream takes up to twice its window of memory; ordinary levels have a
// window of 8 MiB or less.
const zstdMaxWindow = 128 << 20

// zstdDecoder decodes all frames on the calling goroutine (concurrency 1), where a panic can be caught. A concurrency
// of 2 or 4 is slower.
type zstdDecoder struct {
	raw  *rawReader
	z    *zstd.Decoder
	last lastBytes
	err  error // found, but returned only after all that was decoded
	warn []string
}

var zstds sync.Pool // of *zstd.Decoder

func takeZstd() (*zstd.Decoder, error) {
	if z, ok := zstds.Get().(*zstd.Decoder); ok {
		return z, nil
	}
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(zstdMaxWindow), zstd.WithDecoderMaxMemory(zstdMaxWindow))
}

func newZstd(raw *rawReader) (*zstdDecoder, error) {
	z, err := takeZstd()
	if err != nil {
		return nil, err
	}
	d := &zstdDecoder{raw: raw, z: z, last: lastBytes{r: raw.br}}
	if err := d.z.Reset(&d.last); err != nil {
		d.err = err
	}
	return d, nil
}

func (d *zstdDecoder) Read(p []byte) (int, error) {
	if d.err == nil {
		n, err := d.z.Read(p)
		if err == nil || isEOF(err) {
			return n, err
		}
		d.err = d.explain(err)
		if n > 0 {
			return n, nil
		}
	}
	// A block whose checksum is wrong is still in the decoder. It is returned before the error.
	if n, _ := d.z.Read(p); n > 0 {
		return n, nil
	}
	return 0, d.err
}

// explain finds out whether a frame without a magic number is only padding.
func (d *zstdDecoder) explain(err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return errors.New("zstd window is larger than 128 MiB")
	}
	if !errors.Is(err, zstd.ErrMagicMismatch) || d.raw.offset() <= 4 {
		return err
	}
	if d.last.b != [4]byte{} {
		return errTrailing
	}
	w, err := padding(d.raw, 4)
	if err != nil {
		return err
	}
	d.warn = append(d.warn, w)
	return io.EOF
}

func (d *zstdDecoder) warnings() []string { return d.warn }

func (d *zstdDecoder) free() {
	if d.z.Reset(nil) == nil {
		zstds.Put(d.z)
	}
	d.z = nil
}

// lastBytes keeps the last four bytes read. When the decoder reports a wrong magic number, these are its bytes.
type lastBytes struct {
	r io.Reader
	b [4]byte
}

func (l *lastBytes) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if n >= len(l.b) {
		copy(l.b[:], p[n-len(l.b):n])
	} else {
		copy(l.b[:], l.b[n:])
		copy(l.b[len(l.b)-n:], p[:n])
	}
	return n, err
}
