package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// gzipDecoder reads member after member, and tells padding from a broken member.
type gzipDecoder struct {
	raw   *rawReader
	z     *inflate.Gzip
	in    bool  // inside a member
	small bool  // that has ended was small enough for a part
	at    int64 // where on disk the last one did
	warn  []string
}

var gzips = sync.Pool{New: func() any { return new(inflate.Gzip) }}

func newGzip(raw *rawReader) *gzipDecoder {
	z := gzips.Get().(*inflate.Gzip)
	z.Reset(raw.br)
	return &gzipDecoder{raw: raw, z: z}
}

// Read returns no bytes where a member ends.
func (d *gzipDecoder) Read(p []byte) (int, error) {
	if !d.in {
		if err := d.next(); err != nil {
			return 0, err
		}
	}
	n, err := d.z.Read(p)
	if isEOF(err) {
		d.in, d.small = false, d.raw.offset()-d.at <= maxContents/sourceShare
		err = nil
	}
	return n, err
}

// betweenSmall reports whether a member has ended that is so small that the next ones may be a part.
func (d *gzipDecoder) betweenSmall() bool { return !d.in && d.small }

// next begins a member, or returns io.EOF after the last.
func (d *gzipDecoder) next() error {
	if d.raw.offset() > 0 {
		magic, err := d.raw.br.Peek(2)
		if len(magic) == 0 {
			return err // io.EOF: the proper end
		}
		if string(magic) != "\x1f\x8b" {
			w, err := padding(d.raw, 0)
			if err != nil {
				return err
			}
			d.warn = append(d.warn, w)
			return io.EOF
		}
	}
	d.at = d.raw.offset()
	if err := d.z.Next(); err != nil {
		return noEOF(err)
	}
	d.in = true
	return nil
}

func (d *gzipDecoder) warnings() []string { return d.warn }

func (d *gzipDecoder) free() {
	gzips.Put(d.z)
	d.z = nil
}

// gzipMembers splits a gzip stream into parts of whole members, as bgzip, servers that compress
// each buffer of their log, and the concatenation of rotated logs make them. A member of bgzip says
// how long it is. RFC 1952 does not, so any other is taken to end where the next octets look like
// the header of another. Both may be wrong: then the part does not end with its last byte, and is
// none.
type gzipMembers struct{}

const (
	gzipHeader  = 10
	leastGzip   = gzipHeader + 2 + 8 // with an empty block and the trailer
	bgzipHeader = gzipHeader + 2 + 6 // with an extra field of six bytes
)

func (gzipMembers) split(br *bufio.Reader, p *part) bool {
	for len(p.src) < enoughSource && p.size < enoughContents {
		if !p.member(br) {
			return false
		}
		// The last four bytes of a member are the size of its contents, modulo 2^32.
		size := binary.LittleEndian.Uint32(p.src[len(p.src)-4:])
		if size > uint32(p.maxContents-p.size) {
			return false
		}
		p.size += int(size)
		p.whole = len(p.src)
	}
	return true
}

// member moves the next member from the input to src. It returns false where there is none that a
// part may have.
func (p *part) member(br *bufio.Reader) bool {
	b, _ := br.Peek(bgzipHeader)
	if n := bgzipLength(b); n >= leastGzip {
		return p.take(br, n)
	}
	if findMember(b) != 0 || !p.take(br, leastGzip) {
		return false
	}
	for {
		_, err := br.Peek(gzipHeader)
		if err != nil && !isEOF(err) {
			return false
		}
		b, _ := br.Peek(br.Buffered())
		n := findMember(b)
		switch {
		case n >= 0:
			return p.take(br, n)
		case err != nil: // fewer bytes are left than a header has
			return p.take(br, len(b))
		case !p.take(br, len(b)-gzipHeader+1):
			return false
		}
	}
}

// bgzipLength returns the length of a member by the extra field that bgzip writes, and 0 without
// one (SAM specification, section 4.1).
func bgzipLength(header []byte) int {
	const flagExtra = "\x1f\x8b\x08\x04"
	const field = "\x06\x00BC\x02\x00"
	if len(header) < bgzipHeader || string(header[:len(flagExtra)]) != flagExtra ||
		string(header[gzipHeader:gzipHeader+len(field)]) != field {
		return 0
	}
	return int(binary.LittleEndian.Uint16(header[gzipHeader+len(field):])) + 1
}

// findMember returns where in b a header of a member begins, -1 if none does: the three bytes that
// all have, flags without a reserved one, and XFL and OS as RFC 1952 lists them, section 2.3.1.
func findMember(b []byte) int {
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], []byte("\x1f\x8b\x08"))
		if at += i; i < 0 || len(b)-at < gzipHeader {
			return -1
		}
		flags, xfl, os := b[at+3], b[at+8], b[at+9]
		if flags < 0x20 && (xfl == 0 || xfl == 2 || xfl == 4) && (os < 14 || os == 255) {
			return at
		}
	}
}

var errNoPart = errors.New("the contents have another size")

func (gzipMembers) decode(p *part) error {
	n, err := p.blocks.Gzip(p.dst[:cap(p.dst)], p.src)
	if err == nil && n != p.size {
		err = errNoPart
	}
	if err == nil {
		p.dst = p.dst[:n]
	}
	return err
}
