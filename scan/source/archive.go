package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// The members of an archive are inputs of their own. They are found when the archive is (index.go), and each has its place in a
// file: those of a plain tar and of a zip in the archive itself, and those of a compressed tar in a temporary file (spool.go). A
// member is opened there, and read by ranges or decompressed, as a file of its own would be.

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
}

// member is a regular file in an archive.
type member struct {
	of    *archive
	name  string
	spool *spool // in which its bytes are; nil if they are in the archive itself

	off, length int64 // where in that file they are
	packed      codec // how: plain, deflated or spooled
	size        int64 // unpacked
	crc         uint32
	cut         bool // the archive ends inside it
}

// inputName is the name of the member as an input.
func (m *member) inputName() string { return m.of.name + MemberSeparator + m.name }

// around is how the archive compresses the member.
func (m *member) around() codec {
	if m.packed == spooled {
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
	if err == nil && !(os.SameFile(info, a.info) && info.Size() == a.info.Size() && info.ModTime().Equal(a.info.ModTime())) {
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
