package source

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/sniff"
)

// The members of an archive are inputs of their own. They are found when the archive is (index.go),
// and each has its place in a file: those of a plain tar and of a zip in the archive itself, and
// those of a compressed tar in a temporary file (spool.go). A member is opened there, and read by
// ranges or decompressed, as a file of its own would be.

// tarBlock is the length of a header of a tar, and what the lengths of its members are rounded up
// to.
const tarBlock = 512

// archive is a tar or zip file.
type archive struct {
	name, path string
	info       fs.FileInfo // when its members were found
	kind       string      // "tar" or "zip"
	codec      sniff.Codec // of the whole file
	windows    *Windows
}

// member is a regular file in an archive.
type member struct {
	of    *archive
	name  string
	spool *spool // in which its bytes are; nil if they are in the archive itself

	off, length int64       // where in that file they are
	packed      sniff.Codec // how: plain, deflated or spooled
	size        int64       // unpacked
	crc         uint32
	cut         bool // the archive ends inside it
}

// inputName is the name of the member as an input.
func (m *member) inputName() string { return m.of.name + MemberSeparator + m.name }

// around is how the archive compresses the member.
func (m *member) around() sniff.Codec {
	if m.packed == sniff.S2 {
		return m.of.codec
	}
	return m.packed
}

var errChanged = errors.New("the archive has changed since its members were found")

// open opens the file, in which the members must lie as they were found.
func (a *archive) open() (*disk.File, error) {
	file, err := disk.Open(a.path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && (!os.SameFile(info, a.info) || info.Size() != a.info.Size() ||
		!info.ModTime().Equal(a.info.ModTime())) {
		err = errChanged
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

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
