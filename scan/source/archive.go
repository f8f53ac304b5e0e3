package source

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/spill"
)

// The members of an archive are inputs of their own. They are found when the archive is (index.go), and then read where they lie:
// nothing is unpacked into files. There are two kinds of archives.
//
// In a plain tar and in a zip, each member has its place in the file. It is opened, read by ranges or decompressed there, as a file
// of its own would be.
//
// A compressed tar can only be read from its beginning. A first pass finds the members; it keeps the first bytes of each for Head,
// and all bytes in a form that is faster to decompress (spool.go), both in temporary files when they are many. A second pass, by the
// Reader, gives the members to one goroutine one after the other. If there is no room for the spool, the whole is
// decompressed again for that, whatever the number of its members, and once more for Sum if two members begin alike.

// archiveKind is the kind of an archive by its first bytes.
type archiveKind string

const (
	noArchive  archiveKind = ""
	tarArchive archiveKind = "tar"
	zipArchive archiveKind = "zip"
)

// kindOf returns the kind of an archive by its first bytes; sampleLen are enough.
func kindOf(head []byte) archiveKind {
	switch magic := string(head[:min(len(head), 4)]); {
	case magic == "PK\x03\x04", magic == "PK\x05\x06": // the second is empty
		return zipArchive
	case isTar(head):
		return tarArchive
	}
	return noArchive
}

// tarBlock is the length of a header of a tar, and what the lengths of its members are rounded up to.
const tarBlock = 512

// isTar tells whether a header of a tar comes first: the sum of its bytes is at 148, in octal digits. Text has none there.
func isTar(head []byte) bool {
	if len(head) < tarBlock {
		return false
	}
	const at, end = 148, 156
	said := int64(0)
	for _, c := range strings.Trim(string(head[at:end]), " \x00") {
		if c < '0' || c > '7' {
			return false
		}
		said = said<<3 | int64(c-'0')
	}
	unsigned, signed := int64(0), int64(0) // some old writers added signed bytes
	for i, c := range head[:tarBlock] {
		if at <= i && i < end {
			c = ' '
		}
		unsigned, signed = unsigned+int64(c), signed+int64(int8(c))
	}
	return said > 0 && (said == unsigned || said == signed)
}

// archive is a tar or zip file.
type archive struct {
	name, path string
	info       fs.FileInfo // when its members were found
	kind       archiveKind
	codec      codec // of the whole file
	windows    *Windows
	members    []*member
	kept       *kept
	spool      atomic.Pointer[spool] // nil if there is none, or it is not needed any more
	summed     sync.Once
}

// member is a regular file in an archive.
type member struct {
	of     *archive
	name   string
	off    int64 // where its bytes begin: in the file, or in the decompressed tar
	size   int64 // of its bytes
	packed int64 // how many deflated bytes they are in the file; -1 if they are not deflated
	crc    uint32
	cut    bool // the archive ends inside it

	// Of a member of a compressed tar.
	codec   codec // of its bytes
	head    int   // number of its first bytes in heads
	headErr error // if there are none
	sum     [sha256.Size]byte
	sumErr  error
}

// headBytes is how many decoded bytes of each member of a compressed tar are kept for Head, and headRoom how many of all are in
// memory.
const (
	headBytes = 256 << 10
	headRoom  = 8 << 20
)

// inputName is the name of the member as an input.
func (m *member) inputName() string { return m.of.name + MemberSeparator + m.name }

// length is how many bytes of the file are those of the member.
func (m *member) length() int64 {
	if m.packed >= 0 {
		return m.packed
	}
	return m.size
}

// sequential tells whether the members can only be read one after the other.
func (a *archive) sequential() bool { return a.codec != plain }

var errChanged = errors.New("the archive has changed since its members were found")

// open opens the file, in which the members must lie as they were found.
func (a *archive) open() (*disk.File, error) {
	file, err := disk.Open(a.path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !(os.SameFile(info, a.info) && info.Size() == a.info.Size() && info.ModTime().Equal(a.info.ModTime())) {
		err = errChanged
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// pass reads a compressed tar once. It belongs to one goroutine.
type pass struct {
	of *archive
	s  *stream
	r  *Reader // nil if it is not that of a Reader
	at int64   // in the decompressed tar
}

// begin opens the archive for a pass of a Reader, which may be nil.
func (a *archive) begin(r *Reader) (*pass, error) {
	if spool := a.spool.Load(); spool != nil {
		return &pass{of: a, s: spool.stream(), r: r}, nil
	}
	file, err := a.open()
	if err != nil {
		return nil, err
	}
	r.watch(file)
	s, err := newStream(file, a.name, false, nil, newWindow(a.windows, r.stopping()))
	if err != nil {
		r.unwatch(file)
		file.Close()
		return nil, err
	}
	s.file = file
	return &pass{of: a, s: s, r: r}, nil
}

func (p *pass) close() {
	if p.s.file != nil {
		p.r.unwatch(p.s.file)
	}
	p.s.close()
}

// passing is a pass for members that are read one after the other. The zero value has not begun.
type passing struct{ *pass }

// to makes the pass one that has not come further than where a member begins.
func (p *passing) to(m *member, r *Reader) (err error) {
	if p.pass != nil && p.of == m.of && p.at <= m.off {
		return nil
	}
	p.end()
	p.pass, err = m.of.begin(r)
	return err
}

func (p *passing) end() {
	if p.pass != nil {
		p.close()
		p.pass = nil
	}
}

// Read implements io.Reader.
func (p *pass) Read(b []byte) (n int, err error) {
	n, err = p.s.Read(b)
	p.at += int64(n)
	return n, err
}

// skipTo reads up to where a member begins.
func (p *pass) skipTo(off int64) error {
	buf := skipBuffers.Get().(*[skipBuffer]byte)
	defer skipBuffers.Put(buf)
	for p.at < off {
		if p.r.isStopped() {
			return errStoppedSkipping
		}
		if n, err := p.Read(buf[:min(off-p.at, skipBuffer)]); err != nil && n == 0 {
			return noEOF(err)
		}
	}
	return nil
}

const skipBuffer = 64 << 10

var skipBuffers = sync.Pool{New: func() any { return new([skipBuffer]byte) }}

var errStoppedSkipping = errors.New("reading was stopped before the member")

// kept is what is kept of the archives of one list of inputs until a Reader has read them: the first decoded bytes of the members of
// compressed tars. It is safe for concurrent use.
type kept struct {
	spoolRoom atomic.Int64 // left

	mu    sync.RWMutex
	heads *spill.Blobs // nil when they are not needed any more
}

func newKept() *kept {
	k := &kept{heads: spill.NewBlobs(headRoom)}
	k.spoolRoom.Store(spoolRoom)
	return k
}

// add keeps the first bytes of a member, and returns their number.
func (k *kept) add(head []byte) (number int, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.heads.Add(head)
}

// keptHead returns the first decoded bytes of a member of a compressed tar: enough for a Head of n bytes, or ok is false, and only
// another pass has them.
func (m *member) keptHead(n int) (head []byte, ok bool, err error) {
	k := m.of.kept
	k.mu.RLock()
	defer k.mu.RUnlock()
	switch {
	case k.heads == nil:
		return nil, false, nil
	case m.headErr != nil:
		return nil, true, m.headErr
	}
	head, err = k.heads.Append(nil, m.head)
	return head, n <= len(head) || len(head) < headBytes, err
}

// release frees what is kept of an archive, and of all others the heads.
func (a *archive) release() {
	if spool := a.spool.Swap(nil); spool != nil {
		_ = spool.file.Close() // nothing can be done about an error
	}
	a.kept.mu.Lock()
	defer a.kept.mu.Unlock()
	if a.kept.heads != nil {
		_ = a.kept.heads.Close()
		a.kept.heads = nil
	}
}

// decodedSum returns the SHA-256 of the decoded bytes of a member of a compressed tar. One pass finds those of all members.
func (m *member) decodedSum() ([sha256.Size]byte, error) {
	m.of.summed.Do(m.of.sumAll)
	return m.sum, m.sumErr
}

func (a *archive) sumAll() {
	p, err := a.begin(nil)
	if err != nil {
		for _, m := range a.members {
			m.sumErr = err
		}
		return
	}
	defer p.close()
	for _, m := range a.members {
		m.sum, m.sumErr = m.sumOf(p)
	}
}

func (m *member) sumOf(p *pass) (sum [sha256.Size]byte, err error) {
	s, err := m.stream(p, false)
	if err != nil {
		return sum, err
	}
	defer s.close()
	h := sha256.New()
	if _, err := io.Copy(h, s); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// stream opens a member of a compressed tar in a pass that has not come further.
func (m *member) stream(p *pass, hashed bool) (*stream, error) {
	if err := p.skipTo(m.off); err != nil {
		return nil, err
	}
	return newStream(&span{p, m.size}, m.name, hashed, nil, newWindow(ordinaryWindows, nil))
}

// ordinaryWindows is the bound of members of a compressed tar, which itself may have a larger window.
var ordinaryWindows = NewWindows(ordinaryWindow)

// span is the next bytes of a reader, so many that fewer are an error.
type span struct {
	r    io.Reader
	left int64
}

func (s *span) Read(p []byte) (n int, err error) {
	if s.left > 0 {
		n, err = s.r.Read(p[:min(int64(len(p)), s.left)])
		s.left -= int64(n)
		err = noEOF(err)
	}
	if s.left == 0 {
		err = io.EOF
	}
	return n, err
}
