package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// Inputs resolves command-line arguments into inputs, in order:
//
//   - "-" is stdin.
//   - The exact name of an existing file is that file, even if it contains *, ? or [.
//   - An existing directory stands for the regular files in it and in its subdirectories, sorted.
//     Hidden names are left out. Symbolic links to files are followed, links to directories aren't.
//   - A pattern with *, ? or [ stands for the matching files and directories, sorted. As in a shell, a
//     wildcard doesn't match a leading dot.
//
// Files are sorted by name, but those of a rotated set from oldest to newest: access.log.10.gz,
// access.log.2.gz, access.log.1, access.log.
//
// A file whose first bytes show a tar archive, compressed or not, or a zip archive, stands for the
// regular files in it, each a separate input named ARCHIVE:MEMBER. They are sorted in the same way.
// Hidden members and __MACOSX are left out.
//
// A file named twice, even through links, is read once, with a warning. Everything left out is
// reported. There is an error for each argument without anything to read, for each unreadable
// directory, for each directory entry that is a dangling link, a link to a directory that isn't
// itself read, or not a regular file, such as a pipe, for each damaged archive, and for each
// unreadable member. There is a warning about members that are links or devices. The returned
// inputs can be used in any case. They include files that can't be opened, which [Input.Head] or
// [Result] reports.
//
// A compressed tar is decompressed to its end, and its members go to a temporary file, which the
// Reader removes. If ctx ends earlier, the archive gets its error.
func Inputs(ctx context.Context, args []string, stdin io.Reader, l Limits) (
	ins []*Input, warnings []string, errs []error,
) {
	v := resolver{limits: l, room: newRoom(l.Memory), seen: seen{}, walked: seen{}}
	for _, arg := range args {
		if arg == "-" {
			v.stdin(stdin)
		} else {
			v.argument(arg)
		}
	}
	v.unfollowed()
	if !l.Closed {
		v.openArchives(ctx)
	}
	return v.ins, v.warnings, v.errs
}

// MemberSeparator separates the name of an archive from the name of its member in [Input.Name].
const MemberSeparator = ":"

// Limits limits Inputs. The zero value means no limits.
type Limits struct {
	// Memory limits the memory of the list of inputs, as ListedBytes counts it. Inputs beyond it are
	// left out, with a single error, ErrRoom.
	Memory  int64
	Windows *Windows // for all inputs, and for archives while their members are found
	Workers int      // archives examined in parallel; 0 means one
	Closed  bool     // archives aren't opened: each is one input
	Inside  bool     // only regular files within the folder are read, no links out of it
}

type resolver struct {
	limits   Limits
	room     *room
	full     bool // ErrRoom was reported
	ins      []*Input
	warnings []string
	errs     []error
	seen     seen
	walked   seen   // directories
	links    []link // to directories; not followed
	top      string // the directory that was named
	found    int    // directory entries, including duplicates
	hasStdin bool
}

type link struct {
	name string
	info fs.FileInfo // of the target
}

func (v *resolver) warn(format string, args ...any) {
	v.warnings = append(v.warnings, fmt.Sprintf(format, args...))
}

func (v *resolver) fail(name string, err error) { v.errs = append(v.errs, newError(name, -1, err)) }

func (v *resolver) argument(arg string) {
	info, err := disk.Stat(arg)
	switch {
	case err == nil:
		v.path(arg, info)
	case errors.Is(err, fs.ErrNotExist) && HasWildcards(arg) && !disk.IsURL(arg):
		v.pattern(arg)
	default:
		v.fail(arg, err)
	}
}

// noMatchError is the error for a pattern without matches, a kind of fs.ErrNotExist.
type noMatchError struct{}

func (noMatchError) Error() string        { return "no file matches" }
func (noMatchError) Is(target error) bool { return target == fs.ErrNotExist }

// pattern adds the files that match a pattern.
func (v *resolver) pattern(pattern string) {
	before := len(v.errs)
	names := v.glob(pattern)
	if len(names) == 0 && len(v.errs) == before {
		v.fail(pattern, noMatchError{})
	}
	slices.SortFunc(names, compareNames)
	for _, name := range names {
		if info, err := disk.Stat(name); err != nil {
			v.fail(name, err)
		} else {
			v.path(name, info)
		}
	}
}

func (v *resolver) path(name string, info fs.FileInfo) {
	if !info.IsDir() {
		v.file(name, info)
		return
	}
	found, failed := v.found, len(v.errs)
	v.top = name
	v.walk(name, info)
	if v.found == found && len(v.errs) == failed {
		v.fail(name, errors.New("no files in this directory"))
	}
}

// walk adds the files of a directory in the order of their names, with each subdirectory at its
// place. It terminates because it follows no links.
func (v *resolver) walk(name string, info fs.FileInfo) {
	v.walked.before(name, info)
	entries, err := disk.ReadDir(name) // with an error, those read before it
	if err != nil {
		v.fail(name, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return compareNames(a.Name(), b.Name()) })
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(name, e.Name())
		info, err := disk.Stat(path)
		switch {
		case err != nil:
			v.fail(path, err)
		case v.limits.Inside && disk.LeadsOut(v.top, path):
			v.fail(path, disk.ErrLeadsOut)
		case e.IsDir():
			v.walk(path, info)
		case info.IsDir():
			v.links = append(v.links, link{path, info})
		case info.Mode().IsRegular():
			v.found++
			v.file(path, info)
		case v.limits.Inside:
			v.fail(path, disk.ErrIrregular)
		default:
			v.fail(path, errIrregular)
		}
	}
}

var (
	errIrregular = errors.New("not a regular file: name it as an argument if it shall be read")
	errLink      = errors.New("a link to a directory, which is not followed: " +
		"name it as an argument if it shall be read")
)

// unfollowed fails each link to a directory that was not read under its own name.
func (v *resolver) unfollowed() {
	for _, l := range v.links {
		if _, walked := v.walked.before(l.name, l.info); !walked {
			v.fail(l.name, errLink)
		}
	}
}

// glob returns the names that match a pattern. As in a shell, a wildcard doesn't match a leading
// dot. Unlike filepath.Glob, it reports unreadable directories.
func (v *resolver) glob(pattern string) (names []string) {
	dir, file := filepath.Split(pattern)
	dirs := []string{filepath.Clean(dir)}
	if HasWildcards(dir) {
		dirs = v.glob(dirs[0])
	}
	for _, dir := range dirs {
		names = append(names, v.matches(dir, file)...)
	}
	return names
}

// matches returns the names in a directory that match a pattern without a separator. It returns
// none if it isn't a directory.
func (v *resolver) matches(dir, pattern string) (names []string) {
	path := filepath.Join(dir, pattern)
	if _, err := filepath.Match(pattern, ""); err != nil {
		v.fail(path, err)
		return nil
	}
	if !HasWildcards(pattern) {
		switch _, err := disk.Lstat(path); {
		case err == nil:
			return []string{path}
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			v.fail(path, err)
		}
		return nil
	}
	info, err := disk.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil
	}
	entries, err := disk.ReadDir(dir)
	if err != nil {
		v.fail(dir, err)
	}
	for _, e := range entries {
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(pattern, ".")
		if match, _ := filepath.Match(pattern, e.Name()); match && !hidden {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names
}

func (v *resolver) stdin(r io.Reader) {
	if v.hasStdin {
		v.warn("- is given twice: read once")
		return
	}
	v.hasStdin = true
	in := NewInput("-", r, -1)
	var info fs.FileInfo
	if f, ok := disk.Of(r); ok {
		if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() {
			info = fi
			if at, err := f.Seek(0, io.SeekCurrent); err == nil {
				in.Size = max(0, fi.Size()-at)
			}
		}
	}
	if v.isNew(in.Name, info) {
		v.ins = append(v.ins, in)
	}
}

// file adds a file unless it is there already.
func (v *resolver) file(name string, info fs.FileInfo) {
	if v.full || !v.isNew(name, info) {
		return
	}
	if v.limits.Inside && disk.CheckRegular(name) != nil {
		v.fail(name, disk.ErrIrregular)
		return
	}
	if err := v.room.take(name); err != nil {
		v.failFull(name, err)
		return
	}
	in := newFile(name, info)
	in.Windows = v.limits.Windows
	v.ins = append(v.ins, in)
}

// failFull adds an error that may be ErrRoom, which is added only once.
func (v *resolver) failFull(name string, err error) {
	if full := errors.Is(err, ErrRoom); !full || !v.full {
		v.full = v.full || full
		v.fail(name, err)
	}
}

// isNew reports whether a file hasn't been seen before, and warns if it has. info is nil if the
// file couldn't be examined.
func (v *resolver) isNew(name string, info fs.FileInfo) bool {
	if info == nil {
		return true
	}
	first, seen := v.seen.before(name, info)
	if seen {
		v.warn("%s is the same file as %s: read once", name, first)
	}
	return !seen
}

// seen remembers files by identity. On systems without one it compares all of them.
type seen map[fileID][]seenFile

type seenFile struct {
	name string
	info fs.FileInfo
}

// fileID identifies a file like os.SameFile, but can be a map key, so that a directory of a hundred
// thousand logs needs no pairwise comparisons.
type fileID struct{ device, inode uint64 }

// before returns the name under which a file was first seen.
func (s seen) before(name string, info fs.FileInfo) (string, bool) {
	id := identify(info)
	for _, f := range s[id] {
		if os.SameFile(f.info, info) {
			return f.name, true
		}
	}
	s[id] = append(s[id], seenFile{name, info})
	return "", false
}

// compareNames orders file names folder by folder and then by name, but the files of a rotated set
// from oldest to newest: access.log-20260101.gz, access.log.10.gz, access.log.2.gz, access.log.1,
// access.log.
func compareNames(a, b string) int {
	for {
		partA, restA, moreA := strings.Cut(a, "/")
		partB, restB, moreB := strings.Cut(b, "/")
		switch c := compareRotated(partA, partB); {
		case c != 0:
			return c
		case !moreB && moreA:
			return 1
		case !moreA && moreB:
			return -1
		case !moreA:
			return 0
		}
		a, b = restA, restB
	}
}

// compareRotated orders two names in the same folder.
func compareRotated(a, b string) int {
	if a == b {
		return 0
	}
	x, y := rotationOf(a), rotationOf(b)
	return cmp.Or(
		strings.Compare(x.log, y.log),
		cmp.Compare(x.kind, y.kind),
		strings.Compare(x.date, y.date),
		cmp.Compare(y.number, x.number), // the highest number is the oldest
		strings.Compare(a, b))
}

// rotation is the place of a file in a rotated set, according to its name.
type rotation struct {
	log    string // name of the current file
	kind   rotationKind
	date   string // if dated
	number int    // if numbered
}

// rotationKind is in the order of reading.
type rotationKind int

const (
	dated    rotationKind = iota // access.log-20260101, access.log.2026-01-01
	numbered                     // access.log.2
	current                      // access.log
)

// maxRotations is the highest number of a rotation. Longer numbers are dates.
const maxRotations = 99_999

// rotationOf parses a name without its compression extension.
func rotationOf(name string) rotation {
	if sniff.CodecOfName(name) != sniff.Unknown {
		name = name[:strings.LastIndexByte(name, '.')]
	}
	log := strings.TrimRight(name, "0123456789-._")
	suffix := name[len(log):]
	digits := strings.Trim(suffix, "-._")
	if log == "" || digits == "" || !strings.ContainsRune("-._", rune(suffix[0])) {
		return rotation{log: name, kind: current}
	}
	if n, err := strconv.Atoi(digits); err == nil && n <= maxRotations && suffix == "."+digits {
		return rotation{log: log, kind: numbered, number: n}
	}
	return rotation{log: log, kind: dated, date: suffix}
}

// ErrRoom is the error for inputs left out because the list of inputs exceeds Limits.Memory.
var ErrRoom = errors.New("there are too many inputs for the memory")

// ListedBytes is the approximate memory of an input with that name before it is read.
func ListedBytes(name string) int64 { return int64(2<<10 + 4*len(name)) }

// room is the unused part of Limits.Memory. It is safe for concurrent use.
type room struct{ left atomic.Int64 }

// newRoom returns a room of that many bytes; 0 means no limit.
func newRoom(memory int64) *room {
	r := &room{}
	r.left.Store(cmp.Or(memory, math.MaxInt64))
	return r
}

// take reserves the memory for an input with that name.
func (r *room) take(name string) error {
	if r.left.Add(-ListedBytes(name)) < 0 {
		return ErrRoom
	}
	return nil
}
