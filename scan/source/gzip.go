package source

import (
	"io"
	"sync"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// gzipDecoder reads consecutive members, and distinguishes padding from a damaged member.
type gzipDecoder struct {
	raw  *rawReader
	z    *inflate.Gzip
	in   bool  // inside a member
	at   int64 // where on disk the last one began
	warn []string
}

var gzips = sync.Pool{New: func() any { return new(inflate.Gzip) }}

func newGzip(raw *rawReader) *gzipDecoder {
	z := gzips.Get().(*inflate.Gzip)
	z.Reset(raw.br)
	return &gzipDecoder{raw: raw, z: z}
}

// Read returns no bytes at the end of a member.
func (d *gzipDecoder) Read(p []byte) (int, error) {
	if !d.in {
		if err := d.next(); err != nil {
			return 0, err
		}
	}
	n, err := d.z.Read(p)
	if isEOF(err) {
		d.in, err = false, nil
	}
	return n, err
}

// next begins a member, or returns io.EOF after the last.
func (d *gzipDecoder) next() error {
	if d.raw.offset() > 0 {
		magic, err := d.raw.br.Peek(2)
		if len(magic) == 0 {
			return err // io.EOF is the proper end
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
