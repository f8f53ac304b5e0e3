package source

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// findZip finds the members listed in a zip's directory.
func (c *contents) findZip() error {
	file, err := c.of.openWhole()
	if err != nil {
		return err
	}
	defer file.Close()
	size := c.of.info.Size()
	r, err := zip.NewReader(&directory{c.ctx, file, c.room.left.Load() / entryBytes}, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are never used as file names
		if errors.Is(err, zip.ErrFormat) {
			err = fmt.Errorf(
				"a zip archive without a sound directory, which is at its end: it may be truncated (%w)", err)
		}
		return err
	}
	if is := document(r.File); is != "" {
		return fmt.Errorf("%s: save it as CSV, and give that", is)
	}
	for _, f := range r.File {
		if err := c.addZip(f, size); err != nil {
			return err
		}
	}
	c.refuseOverlaps()
	return nil
}

// documents maps a member of a zip to the kind of office document that contains it.
var documents = []struct{ member, is string }{
	{"xl/workbook.xml", "an Excel workbook"},
	{"xl/workbook.bin", "an Excel workbook"},
	{"content.xml", "an OpenDocument spreadsheet or text"},
	{"Index/Document.iwa", "a Numbers or Pages document"},
	{"[Content_Types].xml", "an Office document"},
}

// document returns the kind of office document that an archive is, or "".
func document(files []*zip.File) string {
	for _, d := range documents {
		isMember := func(f *zip.File) bool { return f.Name == d.member }
		if slices.ContainsFunc(files, isMember) {
			return d.is
		}
	}
	return ""
}

// directory is a zip file while its directory is read into memory, with a limit on its bytes.
type directory struct {
	ctx  context.Context
	r    io.ReaderAt
	left int64
}

func (d *directory) ReadAt(p []byte, off int64) (int, error) {
	if err := context.Cause(d.ctx); err != nil {
		return 0, err
	}
	d.left -= int64(len(p))
	if d.left < 0 {
		return 0, ErrRoom
	}
	return d.r.ReadAt(p, off)
}

// entryBytes is the maximum memory of a directory entry per byte of its length, which is at least
// 46.
const entryBytes = 8

// methods are the names of compression methods from section 4.4.5 of the format's APPNOTE.TXT.
// Windows writes Deflate64 for large files.
var methods = map[uint16]string{9: "Deflate64", 12: "bzip2", 14: "LZMA", 93: "zstd", 95: "xz"}

// maxDeflation is more than the maximum ratio of deflate.
const maxDeflation = 1100

// addZip adds the member of an entry, if it is a readable file.
func (c *contents) addZip(f *zip.File, size int64) error {
	const encrypted = 1
	if strings.HasSuffix(f.Name, "/") || !c.wants(f.Name) {
		return nil
	}
	switch {
	case !f.Mode().IsRegular():
		c.leaveOut(f.Name, noFile, false)
		return nil
	case f.Flags&encrypted != 0:
		c.leaveOut(f.Name, "encrypted: unpack it", true)
		return nil
	case f.Method != zip.Store && f.Method != zip.Deflate:
		method := cmp.Or(methods[f.Method], fmt.Sprintf("method %d", f.Method))
		c.leaveOut(f.Name, "compressed by "+method+", which is not supported in a zip: unpack it", true)
		return nil
	}
	off, err := f.DataOffset()
	if err != nil {
		c.leaveOut(f.Name, fmt.Sprintf("damaged (%v)", noEOF(err)), true)
		return nil
	}
	m := &member{of: c.of, name: f.Name, off: off, packed: sniff.Plain, crc: f.CRC32}
	m.size = int64(min(f.UncompressedSize64, math.MaxInt64))
	m.length = int64(min(f.CompressedSize64, math.MaxInt64))
	if f.Method == zip.Deflate {
		m.packed = sniff.Deflate
	}
	switch {
	case off > size || m.length > size-off:
		c.leaveOut(f.Name, "truncated: its bytes end behind the end of the file", true)
		return nil
	case m.packed == sniff.Plain && m.length != m.size, m.size/maxDeflation > m.length:
		c.leaveOut(f.Name, "damaged (its two sizes contradict each other)", true)
		return nil
	}
	return c.add(m)
}

// refuseOverlaps leaves out members that share bytes with another one. An archive with such members
// can hold terabytes in a few kilobytes.
func (c *contents) refuseOverlaps() {
	byPlace := slices.Clone(c.members)
	slices.SortStableFunc(byPlace, func(a, b *member) int { return cmp.Compare(a.off, b.off) })
	overlaps, end := map[*member]bool{}, int64(0)
	for _, m := range byPlace {
		if m.length > 0 && m.off < end {
			c.leaveOut(m.name, "it shares its bytes with another member, as in a zip bomb", true)
			overlaps[m] = true
		}
		end = max(end, m.off+m.length)
	}
	c.members = slices.DeleteFunc(c.members, func(m *member) bool { return overlaps[m] })
}

// inflater decodes a deflated member of a zip, and verifies its size and checksum.
type inflater struct {
	raw  *rawReader
	z    *inflate.Reader // from the pool
	left int64           // bytes remaining of the member's size
	crc  uint32          // so far
	want uint32
}

var inflaters = sync.Pool{New: func() any { return new(inflate.Reader) }}

// newInflating returns a stream of the decoded bytes of a deflated member.
func newInflating(bytes io.Reader, m *member) *stream {
	raw := newRawReader(bytes)
	d := &inflater{raw: raw, z: inflaters.Get().(*inflate.Reader), left: m.size, want: m.crc}
	d.z.Reset(raw.br)
	return &stream{codec: sniff.Deflate, raw: raw, dec: d, window: newWindow(nil, nil)}
}

var errZipSum = errors.New("zip: checksum error")

func (d *inflater) Read(p []byte) (n int, err error) {
	n, err = d.z.Read(p)
	d.left -= int64(n)
	d.crc = crc32.Update(d.crc, crc32.IEEETable, p[:n])
	switch {
	case d.left < 0, isEOF(err) && d.left > 0:
		err = errors.New("zip: the member has another size than the directory says")
	case isEOF(err) && d.crc != d.want:
		err = errZipSum
	}
	return n, err
}

func (d *inflater) warnings() []string { return nil }

func (d *inflater) free() {
	inflaters.Put(d.z)
	d.z = nil
}
