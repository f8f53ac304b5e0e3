package source

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// contents finds the members of an archive. It returns those found before an error together with
// the error, and nil if the input isn't an archive.
func (in *Input) contents(ctx context.Context, room *room, spool *spool) *contents {
	kind := in.archiveKind()
	if kind == "" {
		return nil
	}
	c := &contents{of: &archive{in, kind, sniff.Codec(in.codec.Load())}, ctx: ctx, room: room, spool: spool}
	if kind == "zip" {
		c.err = c.findZip()
	} else {
		c.err = c.findTar()
	}
	slices.SortStableFunc(c.members, func(x, y *member) int { return compareNames(x.name, y.name) })
	c.replaceDoubles()
	return c
}

// contents is the result of examining an archive.
type contents struct {
	of      *archive
	ctx     context.Context
	room    *room
	spool   *spool // for a compressed tar
	members []*member
	others  []others
	err     error // why there may be more
}

// others are members of an archive that aren't inputs.
type others struct {
	why   string
	lost  bool     // they may be logs
	names []string // the first ones
	n     int
}

// maxOthers limits how many of the others are named. maxMemberName limits the name of a member to
// the length of a path, in bytes.
const (
	maxOthers     = 3
	maxMemberName = 4096
)

// leaveOut counts a member that isn't an input.
func (c *contents) leaveOut(name, why string, lost bool) {
	i := slices.IndexFunc(c.others, func(o others) bool { return o.why == why })
	if i < 0 {
		i = len(c.others)
		c.others = append(c.others, others{why: why, lost: lost})
	}
	o := &c.others[i]
	o.n++
	if o.n <= maxOthers {
		o.names = append(o.names, name[:min(len(name), maxMemberName)])
	}
}

// String lists the members, and explains why they aren't inputs.
func (o others) String() string {
	names := strings.Join(o.names, ", ")
	if more := o.n - len(o.names); more > 0 {
		names = fmt.Sprintf("%s and %d more", names, more)
	}
	return names + ": " + o.why
}

func (c *contents) add(m *member) error {
	if err := c.room.take(m.inputName()); err != nil {
		return err
	}
	c.members = append(c.members, m)
	return nil
}

// wants reports whether the name of a member permits it to be an input.
func (c *contents) wants(name string) bool {
	if len(name) > maxMemberName {
		c.leaveOut(name, fmt.Sprintf("a name of more than %d bytes", maxMemberName), true)
		return false
	}
	return !hiddenMember(name)
}

// hiddenMember reports whether a member or one of its folders has a hidden name, including those in
// archives made by macOS.
func hiddenMember(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "__MACOSX" || len(part) > 1 && part[0] == '.' && part != ".." {
			return true
		}
	}
	return false
}

// replaceDoubles keeps the last of the members with the same name, like unpacking does.
func (c *contents) replaceDoubles() {
	kept := c.members[:0]
	for i, m := range c.members {
		if i+1 == len(c.members) || c.members[i+1].name != m.name {
			kept = append(kept, m)
		} else {
			c.leaveOut(m.name, "replaced by a later member of that name, as unpacking does", false)
		}
	}
	c.members = kept
}

// tarPosition is the input of package tar. After the header of a member, at is the beginning of its
// bytes.
type tarPosition struct {
	ctx   context.Context
	r     io.Reader // the file, or the stream of a compressed one
	at    int64
	zeros int64 // zero bytes read last
}

func (t *tarPosition) Read(p []byte) (int, error) {
	if err := context.Cause(t.ctx); err != nil {
		return 0, err
	}
	n, err := t.r.Read(p)
	t.at += int64(n)
	if rest := len(bytes.TrimRight(p[:n], "\x00")); rest > 0 {
		t.zeros = int64(n - rest)
	} else {
		t.zeros += int64(n)
	}
	return n, err
}

var errNoSeek = errors.New("cannot seek")

// Seek lets package tar skip the members of a plain file.
func (t *tarPosition) Seek(offset int64, whence int) (int64, error) {
	file, ok := t.r.(io.Seeker)
	if !ok {
		return 0, errNoSeek
	}
	at, err := file.Seek(offset, whence)
	if err == nil && at != t.at {
		t.at, t.zeros = at, 0
	}
	return at, err
}

// findTar finds the members of a tar. It copies those of a compressed tar to the spool.
func (c *contents) findTar() error {
	file, err := c.of.openWhole()
	if err != nil {
		return err
	}
	defer file.Close()
	size := c.of.info.Size()
	if c.of.packed == sniff.Plain {
		return c.readTar(&tarPosition{ctx: c.ctx, r: io.NewSectionReader(file, 0, size)})
	}
	c.spool.left.Add(spoolFactor * size)
	s, err := newStream(newRawReader(file), c.of.Name, newWindow(c.of.Windows, nil))
	if err != nil {
		return err
	}
	defer s.close()
	return c.readTar(&tarPosition{ctx: c.ctx, r: s})
}

func (c *contents) readTar(at *tarPosition) error {
	for r, last := tar.NewReader(at), ""; ; {
		h, err := r.Next()
		switch {
		case isEOF(err):
			return c.endTar(at)
		case err != nil && !errors.Is(err, tar.ErrInsecurePath): // names are never used as file names
			if n := len(c.members); n > 0 && c.of.packed == sniff.Plain { // a plain tar may end within the last one
				m := c.members[n-1]
				m.cut = m.size > c.of.info.Size()-m.off
			}
			if last != "" {
				err = fmt.Errorf("in or after the member %s: %w", last[:min(len(last), maxMemberName)], noEOF(err))
			}
			return err
		}
		last = h.Name
		if err := c.addTar(h, r, at.at); err != nil {
			return err
		}
	}
}

// addTar adds the member with a header, if it is a regular file.
func (c *contents) addTar(h *tar.Header, r *tar.Reader, at int64) error {
	name := strings.TrimPrefix(h.Name, "./")
	switch {
	case h.Typeflag == tar.TypeDir, h.Typeflag == tar.TypeXGlobalHeader, !c.wants(name):
		return nil
	case h.Typeflag == tar.TypeGNUSparse, isSparse(h):
		c.leaveOut(name, "sparse, which is not supported: unpack it", true)
		return nil
	case h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeCont:
		c.leaveOut(name, noFile, false)
		return nil
	}
	m := &member{of: c.of, name: name, off: at, length: h.Size, packed: sniff.Plain, size: h.Size}
	if c.of.packed != sniff.Plain {
		if err := c.spool.add(m, r); err != nil {
			return err
		}
	}
	return c.add(m)
}

const noFile = "a link or a device, so its bytes are not in the archive"

// isSparse reports whether a member is a sparse file of GNU tar in the PAX format, whose bytes are
// in several pieces.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// tarBuffer is the size of reads after the end of a tar.
const tarBuffer = 64 << 10

var errAfterEnd = errors.New("data after the end of the archive: perhaps another archive, which is not read")

// endTar reads the rest of the input after the end of a tar, where only zeros are permitted. This
// also verifies the checksum of a compressed tar.
func (c *contents) endTar(at *tarPosition) error {
	marked := at.zeros >= tarBlock
	buf := make([]byte, tarBuffer)
	for {
		n, err := at.Read(buf)
		switch {
		case at.zeros < int64(n) && n > 0:
			return errAfterEnd
		case isEOF(err) && !marked:
			c.leaveOut("the end mark", "missing, so the archive may have been cut off between two members", false)
			return nil
		case isEOF(err):
			return nil
		case err != nil:
			return err
		}
	}
}
