package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// The members of an archive are separate inputs. They are found together with the archive
// (index.go), and each has its place in a file: members of a plain tar or a zip in the archive
// itself, and members of a compressed tar in a temporary file (spool.go). There a member is opened,
// and read by ranges or decompressed, like a separate file.

// tarBlock is the length of a tar header. The lengths of members are rounded up to a multiple of
// it.
const tarBlock = 512

// archive is a tar or zip file, as an input that was found.
type archive struct {
	*Input
	kind   string      // "tar" or "zip"
	packed sniff.Codec // compression of the whole file
}

// member is a regular file in an archive.
type member struct {
	of    *archive
	name  string
	spool *spool // contains its bytes; nil if the archive itself does

	off, length int64       // place of its bytes in that file
	packed      sniff.Codec // their compression: plain, deflated or spooled
	size        int64       // unpacked
	crc         uint32
	cut         bool // the archive ends within it
}

// inputName is the name of the member as an input.
func (m *member) inputName() string { return m.of.Name + MemberSeparator + m.name }

// around is the archive's compression of the member.
func (m *member) around() sniff.Codec {
	if m.packed == sniff.S2 {
		return m.of.packed
	}
	return m.packed
}

var errChanged = errors.New("the archive has changed since its members were found")

// openWhole opens the file, in which the members must still be at the same places.
func (a *archive) openWhole() (*disk.File, error) {
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

// span is the next bytes of a reader. It is an error if there are fewer.
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

// openArchives replaces each archive by its members. It examines archives concurrently, because
// finding the members of a compressed one requires decompressing it.
func (v *resolver) openArchives(ctx context.Context) {
	files := v.ins
	opened := make([]*contents, len(files))
	var spoolLeft atomic.Int64
	spoolLeft.Store(spoolRoom)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(v.limits.Workers, 1), len(files)) {
		wg.Go(func() {
			spool := &spool{left: &spoolLeft}
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				opened[i] = files[i].contents(ctx, v.room, spool)
			}
		})
	}
	wg.Wait()
	v.ins = nil
	for i, in := range files {
		in.lines = true
		if opened[i] == nil {
			v.ins = append(v.ins, in)
		} else {
			v.members(in, opened[i])
		}
	}
}

// members adds the members of an archive, and reports those that aren't inputs.
func (v *resolver) members(in *Input, c *contents) {
	for _, o := range c.others {
		if o.lost {
			v.fail(in.Name, errors.New(o.String()))
		} else {
			v.warn("%s: %s", in.Name, o)
		}
	}
	for _, m := range c.members {
		v.ins = append(v.ins, m.input(in))
	}
	switch {
	case c.err != nil:
		v.failFull(in.Name, c.err)
	case len(c.members)+len(c.others) == 0:
		v.fail(in.Name, fmt.Errorf("no files in this %s archive", c.of.kind))
	}
}

func (m *member) input(of *Input) *Input {
	in := &Input{
		Name: m.inputName(), Size: m.size, Windows: of.Windows,
		member: m, lines: true, path: of.path, info: of.info, regular: true,
	}
	if m.cut {
		in.Size = -1
	}
	return in
}
