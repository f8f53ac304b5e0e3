package source

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
	"github.com/robotsieve/robotsieve/scan/internal/spill"
)

// A spool is a temporary file with the members of compressed tars, which can only be read from
// their beginnings. The pass that finds the members copies each to the spool, compressed, so that
// members can be read in any order and in parallel. One goroutine adds members; after that any
// number may read.
type spool struct {
	left *atomic.Int64    // remaining bytes for all spools of a list of inputs
	file *spill.Temporary // nil until there is a member
	end  int64            // end of the last member
	once sync.Once        // for Close, after which no member can be opened

	// The member being added: compressed bytes go from z to the spool, and from there to the file.
	z      *spill.Packer
	to     *bufio.Writer
	length int64
}

// The budget of the spools of one list of inputs, in bytes: spoolRoom, plus spoolFactor for each
// byte of its compressed tars. Real logs need at most two. A hostile archive expands a
// thousandfold, and would fill the disk.
const (
	spoolRoom   = 1 << 30
	spoolFactor = 4
)

var (
	errSpool     = errors.New("its members could not be put into a temporary file (TMPDIR): unpack it")
	errSpoolRoom = fmt.Errorf("they take more than %d bytes for each of its own", spoolFactor)
)

// add copies the bytes of a member to the spool, and marks the member if the archive breaks within
// it. An error comes from the spool, which then lacks the member.
func (s *spool) add(m *member, bytes io.Reader) (err error) {
	if s.file == nil {
		if s.file, err = spill.CreateTemp(""); err != nil {
			return fmt.Errorf("%w (%v)", errSpool, err) //nolint:errorlint // an Error would drop what surrounds a PathError
		}
		s.to = bufio.NewWriterSize(nil, rawBuffer)
		s.z = spill.NewPacker() // concurrent with the goroutine that decompresses
	}
	s.length = 0
	s.to.Reset(io.NewOffsetWriter(s.file, s.end))
	s.z.Reset(s)
	n, _ := io.Copy(struct{ io.Writer }{s.z}, bytes)         // without ReadFrom, which drops the bytes before an error
	if err = cmp.Or(s.z.Close(), s.to.Flush()); err != nil { // Close waits for the goroutines of z
		s.left.Add(s.length)
		return fmt.Errorf("%w (%v)", errSpool, err) //nolint:errorlint // an Error would drop what surrounds a PathError
	}
	m.spool, m.packed, m.off, m.length, m.cut = s, sniff.S2, s.end, s.length, n < m.size
	s.end += s.length
	return nil
}

// Write is for z.
func (s *spool) Write(p []byte) (int, error) {
	s.length += int64(len(p))
	if s.left.Add(-int64(len(p))) < 0 {
		return 0, errSpoolRoom
	}
	return s.to.Write(p)
}

// unspooler decodes a member in a spool. If the archive only has the beginning of the member, it
// ends with an error.
type unspooler struct {
	simpleDecoder
	z *spill.Unpacker // from the pool
}

var unspoolers = sync.Pool{New: func() any { return spill.NewUnpacker() }}

func newUnspooling(m *member) *stream {
	raw := newRawReader(io.NewSectionReader(m.spool.file, m.off, m.length))
	z := unspoolers.Get().(*spill.Unpacker)
	z.Reset(raw.br)
	dec := &unspooler{simpleDecoder{&span{z, m.size}}, z}
	return &stream{codec: sniff.S2, raw: raw, dec: dec, window: newWindow(nil, nil)}
}

func (d *unspooler) free() { unspoolers.Put(d.z) }
