package source

import (
	"bufio"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
)

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
	zstdSlack     = 32 // bytes behind the contents with which the library can copy faster
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
func (zstdFrames) decode(p *part) (err error) {
	if p.zstd == nil {
		if p.zstd, err = newDecoder(ordinaryWindow, zstd.WithDecodeAllCapLimit(true)); err != nil {
			return err
		}
	}
	p.dst = slices.Grow(p.dst[:0], p.size+zstdSlack)
	begin := 0
	for _, end := range p.ends {
		at := len(p.dst)
		contents, err := p.zstd.DecodeAll(p.src[begin:end], p.dst[at:at])
		if err != nil {
			return err
		}
		p.dst, begin = p.dst[:at+len(contents)], end
	}
	return nil
}
