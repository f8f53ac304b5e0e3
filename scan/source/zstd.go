package source

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// zstdDecoder decodes all frames on the calling goroutine (concurrency 1), where a panic can be
// caught. A concurrency of 2 or 4 is slower.
//
// A decoder accepts ordinary windows. If a frame has a larger one, and the stream may use it,
// another decoder takes over.
type zstdDecoder struct {
	raw    *rawReader
	z      *zstd.Decoder
	window *window
	wide   bool // z accepts windows of up to MaxWindow
	last   lastBytes
	dicts  [][]byte // the dictionary for all frames, if there is one
	err    error    // returned only after everything that was decoded before it
	warn   []string
}

var zstds sync.Pool // *zstd.Decoder for ordinary windows

func newDecoder(window uint64, dicts ...[]byte) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(window), zstd.WithDecoderDicts(dicts...))
}

// The beginning of a skippable frame that holds the dictionary for the following frames, and its
// maximum length.
//
// Source: https://iipc.github.io/warc-specifications/specifications/warc-zstd/
const (
	dictFrame = "\x5d\x2a\x4d\x18"
	maxDict   = 16 << 20
)

// dictionary reads the dictionary at the beginning of a file, which may be compressed. It returns
// nil if there is none.
func dictionary(raw *rawReader) ([]byte, error) {
	head, err := raw.br.Peek(12)
	if err != nil || string(head[:4]) != dictFrame {
		return nil, nil //nolint:nilerr // the decoder returns it
	}
	const trained = "\x37\xa4\x30\xec"
	size, magic := binary.LittleEndian.Uint32(head[4:]), string(head[8:])
	isPacked := sniff.CodecOf(head[8:]) == sniff.Zstd
	if magic != trained && !isPacked {
		return nil, nil // another skippable frame
	}
	if size > maxDict {
		return nil, fmt.Errorf("its dictionary has %d bytes, more than %d", size, maxDict)
	}
	dict := make([]byte, size)
	_, _ = raw.br.Discard(8) // it is in the buffer
	if _, err := io.ReadFull(raw.br, dict); err != nil {
		return nil, noEOF(err)
	}
	if isPacked {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDict))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return z.DecodeAll(dict, nil)
	}
	return dict, nil
}

func newZstd(raw *rawReader, w *window) (*zstdDecoder, error) {
	dict, err := dictionary(raw)
	if err != nil {
		return nil, err
	}
	d := &zstdDecoder{raw: raw, window: w, last: lastBytes{r: raw.br}}
	if dict != nil {
		d.dicts = [][]byte{dict}
	} else {
		d.z, _ = zstds.Get().(*zstd.Decoder)
	}
	if d.z == nil {
		if d.z, err = newDecoder(ordinaryWindow, d.dicts...); err != nil {
			return nil, err
		}
	}
	d.err = d.z.Reset(&d.last)
	return d, nil
}

func (d *zstdDecoder) Read(p []byte) (int, error) {
	if d.err == nil {
		n, err := d.z.Read(p)
		if err == nil || isEOF(err) {
			return n, err
		}
		if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			d.err = d.widen(err)
		} else {
			d.err = d.explain(err)
		}
		if n > 0 || d.err == nil {
			return n, nil
		}
	}
	// A block with a wrong checksum is still in the decoder. It is returned before the error.
	if n, _ := d.z.Read(p); n > 0 {
		return n, nil
	}
	return 0, d.err
}

// widen continues with a decoder for larger windows, if the stream may use the window of the frame
// whose header was read last. refused is the error of the decoder that rejected it.
func (d *zstdDecoder) widen(refused error) error {
	header, size := d.last.header()
	if header == nil || size <= ordinaryWindow || d.wide && size <= MaxWindow {
		return refused // no header was rejected: a block is damaged
	}
	if err := d.window.widen(sniff.Zstd, size); err != nil {
		return err
	}
	z, err := newDecoder(MaxWindow, d.dicts...)
	if err != nil {
		return err
	}
	d.free()
	d.z, d.wide = z, true
	return d.z.Reset(io.MultiReader(bytes.NewReader(header), &d.last))
}

// explain determines whether a frame without a magic number is only padding.
func (d *zstdDecoder) explain(err error) error {
	if !errors.Is(err, zstd.ErrMagicMismatch) || d.raw.offset() <= 4 {
		return err
	}
	if [4]byte(d.last.b[len(d.last.b)-4:]) != [4]byte{} {
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
	if d.z.Reset(nil) == nil && !d.wide && d.dicts == nil {
		zstds.Put(d.z)
	}
	d.z = nil
}

// lastBytes keeps the last bytes read, as many as a frame header can have. When the decoder reports
// a wrong magic number, the last four are its bytes; when it reports a window that is too large,
// the last bytes are a header.
type lastBytes struct {
	r io.Reader
	b [18]byte
}

// header returns a copy of the header that ends with the last byte, and the window of its frame, or
// nil if there is none.
func (l *lastBytes) header() (header []byte, window int64) {
	for i := range l.b {
		var h zstd.Header
		// The error is that the first block does not follow.
		_ = h.Decode(l.b[i:])
		if h.HeaderSize == len(l.b)-i && !h.Skippable && (h.HasFCS || h.WindowSize > 0) {
			return bytes.Clone(l.b[i:]), int64(min(cmp.Or(h.WindowSize, h.FrameContentSize), math.MaxInt64))
		}
	}
	return nil, 0
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
