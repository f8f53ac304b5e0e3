package source

import (
	"bytes"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// Parts reads an input part by part, for inputs that don't consist of lines. Each gzip member is a
// part; any other input is a single part. Parts keeps the compressed bytes of a gzip member, so
// that it can be copied without compressing it again. It isn't safe for concurrent use.
type Parts struct {
	*openInput // for gzip, the bytes of the current member
	in         *Input
	zip        *gzipDecoder // for gzip; otherwise nil
	at         int64        // where the part begins on disk
	begun      bool
}

// OpenParts opens an input part by part. keep limits how many bytes of a gzip member are kept.
// Errors are *Error. The caller closes the Parts.
func (in *Input) OpenParts(keep int) (*Parts, error) {
	in.parts = true
	o, err := in.reader(in.take(nil))
	if err != nil {
		return nil, err
	}
	p := &Parts{openInput: o, in: in}
	if s := o.stream; s != nil && s.codec == sniff.Gzip {
		if d := s.dec.(*gzipDecoder); d.at == 0 { // Head has read no further than the first member
			p.zip, p.bytes = d, memberReader{s}
			s.raw.tape.limit = keep
		}
	}
	return p, nil
}

// Next advances to the next part, skipping the rest of the current one. It returns io.EOF after the
// last.
func (p *Parts) Next() error {
	if p.zip == nil {
		if p.begun {
			return io.EOF
		}
		p.begun = true
		return nil
	}
	if !p.begun && p.stream.raw.offset() > 0 {
		p.begun = true
		return nil // Head has begun it
	}
	p.begun = true
	if p.zip.in {
		if _, err := io.Copy(io.Discard, p); err != nil {
			return err
		}
	}
	raw := p.stream.raw
	p.at = raw.offset()
	raw.tape.drop(int(p.at - raw.tape.from)) // what is before it
	raw.tape.over = false
	return p.error(p.zip.next())
}

// Compressed reports whether parts are members of gzip.
func (p *Parts) Compressed() bool { return p.zip != nil }

// Offset returns the beginning of the part on disk, in bytes.
func (p *Parts) Offset() int64 { return p.at }

// Disk returns the number of bytes read from disk or pipe.
func (p *Parts) Disk() int64 { return p.offset() }

// Member returns the compressed bytes of a gzip member that has been read to its end. ok is false
// if they are no longer available, because they exceed keep and the input isn't a file.
func (p *Parts) Member() (member io.Reader, ok bool) {
	if p.zip == nil || p.zip.in {
		return nil, false
	}
	end, t := p.stream.raw.offset(), p.stream.raw.tape
	if !t.over {
		return bytes.NewReader(t.bytes[t.begin : t.begin+int(end-t.from)]), true
	}
	return p.section(p.at, end)
}

// Section returns the bytes between two offsets of a part that isn't a gzip member. ok is false if
// they are no longer available, because the input isn't a plain file.
func (p *Parts) Section(from, to int64) (section io.Reader, ok bool) {
	if p.stream != nil {
		return nil, false
	}
	return p.section(from, to)
}

// section returns bytes on disk.
func (p *Parts) section(from, to int64) (io.Reader, bool) {
	if p.file == nil || !p.in.regular || p.in.around() != sniff.Plain {
		return nil, false
	}
	return io.NewSectionReader(p.file, p.off+from, to-from), true
}

// Warnings returns harmless oddities, after the last part.
func (p *Parts) Warnings() []string {
	if p.zip == nil {
		return nil
	}
	return p.zip.warnings()
}

// memberReader reads the current gzip member, including the bytes already read by Head.
type memberReader struct{ s *stream }

func (m memberReader) Read(b []byte) (int, error) {
	if head := m.s.head; len(head) > 0 {
		n := copy(b, head)
		m.s.head = head[n:]
		return n, nil
	}
	d := m.s.dec.(*gzipDecoder)
	if !d.in {
		return 0, io.EOF
	}
	n, err := m.s.decode(d.z, b)
	d.in = !isEOF(err)
	return n, err
}

// tape keeps the last bytes read from an input.
type tape struct {
	bytes []byte
	begin int   // bytes before it are no longer needed
	from  int64 // offset of bytes[begin]
	limit int
	over  bool // limit was exceeded, so only the last bytes are kept
}

func (t *tape) add(b []byte) {
	if len(t.bytes)-t.begin+len(b) > t.limit+rawBuffer {
		t.over = true
	}
	// The bytes in the decoder's buffer belong to the next member.
	if t.over && len(t.bytes)-t.begin > rawBuffer {
		t.drop(len(t.bytes) - t.begin - rawBuffer)
	}
	if t.begin > len(t.bytes)/2 {
		t.bytes = t.bytes[:copy(t.bytes, t.bytes[t.begin:])]
		t.begin = 0
	}
	t.bytes = append(t.bytes, b...)
}

func (t *tape) drop(n int) { t.begin, t.from = t.begin+n, t.from+int64(n) }

var memberWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// AppendMember appends data to dst as a gzip member.
func AppendMember(dst, data []byte) []byte {
	b := bytes.NewBuffer(dst)
	z := memberWriters.Get().(*gzip.Writer)
	z.Reset(b)
	_, _ = z.Write(data) // a buffer returns no error
	_ = z.Close()
	memberWriters.Put(z)
	return b.Bytes()
}
