package source

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/scan/sniff"
)

// zstdDecoder decodes all frames on the calling goroutine (concurrency 1), where a panic can be
// caught. A concurrency of 2 or 4 is slower.
//
// A decoder accepts ordinary windows. When a frame has a larger one, and the stream may have that,
// another decoder takes over.
type zstdDecoder struct {
	raw    *rawReader
	z      *zstd.Decoder
	window *window
	wide   bool // z accepts windows of up to MaxWindow
	last   lastBytes
	err    error // found, but returned only after all that was decoded
	warn   []string
}

var zstds sync.Pool // of *zstd.Decoder for ordinary windows

func takeZstd() (*zstd.Decoder, error) {
	if z, ok := zstds.Get().(*zstd.Decoder); ok {
		return z, nil
	}
	return newDecoder(ordinaryWindow)
}

func newDecoder(window uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(window))
}

func newZstd(raw *rawReader, w *window) (*zstdDecoder, error) {
	z, err := takeZstd()
	if err != nil {
		return nil, err
	}
	d := &zstdDecoder{raw: raw, z: z, window: w, last: lastBytes{r: raw.br}}
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
		if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			d.err = d.widen(err)
		} else {
			d.err = d.explain(err)
		}
		if n > 0 || d.err == nil {
			return n, nil
		}
	}
	// A block whose checksum is wrong is still in the decoder. It is returned before the error.
	if n, _ := d.z.Read(p); n > 0 {
		return n, nil
	}
	return 0, d.err
}

// widen goes on with a decoder for larger windows, if the stream may have one as large as that of
// the frame whose header was read last. refused is the error of the decoder that does not accept
// it.
func (d *zstdDecoder) widen(refused error) error {
	header, size := d.last.header()
	if header == nil || size <= ordinaryWindow || d.wide && size <= MaxWindow {
		return refused // no header was too much: a block is damaged
	}
	if err := d.window.widen(sniff.Zstd, size); err != nil {
		return err
	}
	z, err := newDecoder(MaxWindow)
	if err != nil {
		return err
	}
	d.free()
	d.z, d.wide = z, true
	return d.z.Reset(io.MultiReader(bytes.NewReader(header), &d.last))
}

// explain finds out whether a frame without a magic number is only padding.
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
	if d.z.Reset(nil) == nil && !d.wide {
		zstds.Put(d.z)
	}
	d.z = nil
}

// lastBytes keeps the last bytes read, as many as the header of a frame may have. When the decoder
// reports a wrong magic number, the last four are its bytes; when it reports a window that is too
// large, a header is the last that it has read.
type lastBytes struct {
	r io.Reader
	b [18]byte
}

// header returns a copy of the header that ends with the last byte, and the window of its frame;
// nil if there is none.
func (l *lastBytes) header() (header []byte, window int64) {
	for i := range l.b {
		var h zstd.Header
		// The error is that the first block does not follow.
		if _ = h.Decode(l.b[i:]); h.HeaderSize == len(l.b)-i && !h.Skippable && (h.HasFCS || h.WindowSize > 0) {
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

// zstdFrames splits a zstd stream into parts of whole frames. The end of a frame is found without
// decoding it, by the lengths of its blocks: RFC 8878, section 3.1.1. Skippable frames are frames
// of a part as others are: pzstd writes one before each other frame, and the seekable format has
// one at the end.
type zstdFrames struct{}

// zstdFeeds: a log is decoded at 2 GB/s, and a worker audits 1.2 GB/s.
const zstdFeeds = 2

const (
	maxZstdHeader = 18 // of a frame, with its magic number
	maxZstdBlock  = 128 << 10
)

func (zstdFrames) split(br *bufio.Reader, p *part) bool {
	for len(p.src) < enoughSource && p.size < enoughContents {
		if b, err := br.Peek(1); len(b) == 0 && isEOF(err) && len(p.src) > 0 {
			return true
		}
		if !p.frame(br) {
			return false
		}
		p.whole = len(p.src)
		p.ends = append(p.ends, p.whole)
	}
	return true
}

// frame moves the next frame from the input to src, and adds the size of its contents. It returns
// false where there is no frame that a part may have.
func (p *part) frame(br *bufio.Reader) bool {
	b, _ := br.Peek(maxZstdHeader)
	var h zstd.Header
	if h.Decode(b) != nil || !p.take(br, h.HeaderSize) {
		return false
	}
	if h.Skippable {
		return p.take(br, int(min(h.SkippableSize, uint32(p.maxSource)+1)))
	}
	window, contents := h.WindowSize, uint64(0)
	if h.HasFCS {
		contents = h.FrameContentSize
	}
	if h.SingleSegment {
		window = contents
	}
	if window > ordinaryWindow || contents > uint64(p.maxContents-p.size) {
		return false
	}
	blocks := 0
	for last := false; !last; {
		if !p.take(br, 3) {
			return false
		}
		header := p.src[len(p.src)-3:]
		bits := int(header[0]) | int(header[1])<<8 | int(header[2])<<16
		last = bits&1 > 0
		length, size := bits>>3, bits>>3
		switch bits >> 1 & 3 {
		case 1: // a byte that is repeated
			length = 1
		case 2: // compressed
			size = int(min(window, maxZstdBlock))
		}
		blocks += size
		if !h.HasFCS && p.size+blocks > p.maxContents || !p.take(br, length) {
			return false
		}
	}
	if !h.HasFCS {
		contents = uint64(blocks)
	}
	p.size += int(contents)
	return !h.HasCheckSum || p.take(br, 4)
}

// take moves n bytes from the input to src.
func (p *part) take(br *bufio.Reader, n int) bool {
	at := len(p.src)
	if at+n > p.maxSource {
		return false
	}
	p.src = slices.Grow(p.src, n)[:at+n]
	n, err := io.ReadFull(br, p.src[at:])
	p.src = p.src[:at+n]
	return err == nil
}

// decode decodes frame after frame: of several at once the library would copy the contents of all
// but the first.
func (zstdFrames) decode(p *part) error {
	p.dst = p.dst[:0]
	begin := 0
	for _, end := range p.ends {
		at := len(p.dst)
		n, err := p.blocks.Zstd(p.dst[at:cap(p.dst)], p.src[begin:end])
		if err != nil {
			return err
		}
		p.dst, begin = p.dst[:at+n], end
	}
	return nil
}
