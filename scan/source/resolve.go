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

// Inputs resolves command-line arguments into inputs, in their order:
//
//   - "-" stands for stdin;
//   - the exact name of an existing file stands for that file, even if it contains *, ? or [;
//   - an existing directory stands for the regular files in it and in its subdirectories, sorted;
//     hidden names are left out, and a symbolic link to a file is followed, but none to a
//     directory;
//   - a pattern with *, ? or [ stands for the files and directories that match it, sorted; as in
//     a shell, a wildcard does not match a leading dot.
//
// Sorted is by name, but the files of a rotated set are sorted from the oldest to the newest:
// access.log.10.gz, access.log.2.gz, access.log.1, access.log.
//
// A file that is a tar archive, compressed or not, or a zip archive, by its first bytes, stands for
// the regular files in it, each an input of its own, with the name ARCHIVE:MEMBER. They are sorted
// in the same way. Hidden members and __MACOSX are left out.
//
// A file named twice, also through links, is read once, with a warning. Nothing is left out in
// silence. There is an error for each argument that gives nothing to read, for each directory that
// cannot be read, and for each entry of one that is a link to nowhere, a link to a directory that
// is not read under its own name, or no regular file, such as a pipe; for each archive that is
// damaged, and for its members that cannot be read; and a warning of members that are links or
// devices. The inputs that are returned can be used. A file that cannot be opened is among them,
// and is reported by [Input.Head] or in [Result].
//
// A compressed tar is decompressed to its end, and its members go to a temporary file, which the
// Reader removes. If ctx ends before, that is the error of the archive.
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

// Limits bound Inputs. The zero value means no limits.
type Limits struct {
	// Memory is how many bytes the list of inputs may take, by ListedBytes. What does not fit is
	// left out, with one error, ErrRoom.
	Memory  int64
	Windows *Windows // of all inputs, and of archives while their members are found
	Workers int      // how many archives are looked into at the same time; 0 is one
	Closed  bool     // archives are not looked into: each is one input
	Inside  bool     // links out of a folder are not read, nor is anything but regular files
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
	links    []link // to directories, which are not followed
	top      string // the directory that was named
	found    int    // entries of directories, those seen before among them
	hasStdin bool
}

type link struct {
	name string
	info fs.FileInfo // of where it leads
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

// noMatchError is the error for a pattern: a kind of fs.ErrNotExist.
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
	sortNames(names)
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

// walk adds the files of a directory in the order of their names, each directory in it at its
// place. It ends, because it goes into no link.
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

// glob returns the names that match a pattern. As in a shell, a wildcard does not match a leading
// dot. Unlike filepath.Glob, it reports directories that it cannot read.
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

// matches returns the names in a directory that match a pattern without a separator; none if it is
// not a directory.
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

// isNew reports whether a file has not been seen before, and warns if it has. If info is nil, the
// file is not known.
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

// seen remembers files by their identity. Where the system has none they are all compared.
type seen map[fileID][]seenFile

type seenFile struct {
	name string
	info fs.FileInfo
}

// fileID identifies a file, as os.SameFile does, and can be a map key: so a directory of a hundred
// thousand logs takes no comparisons in pairs.
type fileID struct{ device, inode uint64 }

// before returns the first name of a file that has been seen before.
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

// compareNames orders names of files as their folders are read: folder by folder, by name, but the
// files of a rotated set from the oldest to the newest: access.log-20260101.gz, access.log.10.gz,
// access.log.2.gz, access.log.1, access.log.
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

// compareRotated orders two names in one folder.
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

// rotation is the place of a file in a rotated set, as its name shows it.
type rotation struct {
	log    string // name of the file that is written to
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

// maxRotations is the highest number that counts rotations. Anything longer is a date.
const maxRotations = 99_999

// rotationOf reads a name without the end that shows how the file is compressed.
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

func sortNames(names []string) { slices.SortFunc(names, compareNames) }

// ErrRoom is the error of inputs that are left out because the list of inputs takes all of
// Limits.Memory.
var ErrRoom = errors.New("there are too many inputs for the memory")

// ListedBytes is about how many bytes of memory an input of that name takes before it is read.
func ListedBytes(name string) int64 { return int64(2<<10 + 4*len(name)) }

// room is the unused part of Limits.Memory. It is safe for concurrent use.
type room struct{ left atomic.Int64 }

// newRoom returns a room of that many bytes; 0 means no limit.
func newRoom(memory int64) *room {
	r := &room{}
	r.left.Store(cmp.Or(memory, math.MaxInt64))
	return r
}

// take takes the memory for an input of that name.
func (r *room) take(name string) error {
	if r.left.Add(-ListedBytes(name)) < 0 {
		return ErrRoom
	}
	return nil
}
