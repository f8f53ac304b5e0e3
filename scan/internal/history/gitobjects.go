package history

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// Limits on the memory that a repository can make git or this package use, in bytes.
const (
	maxGit    = 1 << 30 // of git
	maxCommit = 1 << 20
	maxTree   = 16 << 20
	maxRefs   = 64 << 20
	maxTrees  = 64 << 20 // cached trees, because one may occur in many places
)

// gitPatience limits the time that git may take for one object. The repository is given up after
// maxSilent timeouts.
var gitPatience = 30 * time.Second

const maxSilent = 3

// repository is an untrusted git repository. Git sees only its objects, from an empty repository of
// our own: no configuration, reference, hook, graft or replacement. It isn't safe for concurrent
// use.
type repository struct {
	ctx    context.Context
	dir    string // as the user names it
	own    string // folder with HEAD
	common string // folder with objects and references
	prefix string // path of dir in the repository, with slashes
	head   string // id of a commit
	home   string // our own repository

	git    *exec.Cmd // git cat-file; nil if it isn't running
	in     io.WriteCloser
	out    *bufio.Reader
	said   complaint
	silent int

	trees    map[string][]byte // trees already read, by id
	treeSize int               // bytes in trees
}

// openRepository opens the repository at or around a folder. Close closes it.
func openRepository(ctx context.Context, dir string) (*repository, error) {
	r := &repository{ctx: ctx, dir: dir}
	if _, err := exec.LookPath("git"); err != nil {
		return r, fmt.Errorf("the program git is needed: %w", err)
	}
	err := r.find()
	if err == nil {
		r.head, err = r.resolve("HEAD", 5)
	}
	// Git would block on a pipe here.
	_, odd := readSmall(filepath.Join(r.common, "objects/info/alternates"), maxRefs)
	if errors.Is(odd, disk.ErrIrregular) {
		err = cmp.Or(err, odd)
	}
	if err == nil {
		err = r.makeHome()
	}
	return r, err
}

// find locates the folders of the repository.
func (r *repository) find() error {
	start, err := filepath.Abs(r.dir)
	if err != nil {
		return err
	}
	for top := start; ; top = filepath.Dir(top) {
		for _, r.own = range []string{filepath.Join(top, ".git"), top} {
			if text, err := readSmall(r.own, 4<<10); err == nil { // for a worktree or a submodule
				r.own = inFolder(top, strings.TrimPrefix(text, "gitdir: "))
			}
			r.common = r.own
			if text, err := readSmall(filepath.Join(r.own, "commondir"), 4<<10); err == nil {
				r.common = inFolder(r.own, text)
			}
			_, noHead := disk.Lstat(filepath.Join(r.own, "HEAD"))
			objects, err := disk.Stat(filepath.Join(r.common, "objects"))
			if noHead == nil && err == nil && objects.IsDir() {
				if r.own != top {
					r.prefix, err = filepath.Rel(top, start)
				}
				r.prefix = filepath.ToSlash(r.prefix)
				return err
			}
		}
		if top == filepath.Dir(top) {
			return fmt.Errorf("%s: not a git repository", r.dir)
		}
	}
}

// inFolder resolves a name relative to a folder.
func inFolder(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// readSmall returns the text of a regular file, without surrounding blanks.
func readSmall(name string, limit int64) (string, error) {
	f, err := disk.OpenRegular(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(disk.Limited(f, limit))
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(string(text)), err
}

// resolve returns the id of a reference, following symbolic ones.
func (r *repository) resolve(name string, depth int) (id string, err error) {
	for _, dir := range slices.Compact([]string{r.own, r.common}) {
		var failed error
		id, failed = readSmall(filepath.Join(dir, name), 4<<10)
		if failed == nil {
			break
		}
		err = cmp.Or(err, failed)
	}
	if id == "" {
		packed, _ := readSmall(filepath.Join(r.common, "packed-refs"), maxRefs)
		for line := range strings.Lines(packed) {
			if of, ok := strings.CutSuffix(strings.TrimSpace(line), " "+name); ok {
				id = of
			}
		}
	}
	if to, symbolic := strings.CutPrefix(id, "ref: "); symbolic && fs.ValidPath(to) && depth > 0 {
		return r.resolve(to, depth-1)
	}
	if _, odd := hex.DecodeString(id); odd == nil && (len(id) == 2*sha1.Size || len(id) == 2*sha256.Size) {
		return id, nil
	}
	if _, none := disk.Stat(filepath.Join(r.common, "reftable")); none == nil {
		return "", fmt.Errorf("%s: its references are a reftable, which is not read: git clone --ref-format=files it", r.dir)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no commit is checked out")
	}
	return "", fmt.Errorf("%s: %w", r.dir, err)
}

// makeHome creates the repository from which git reads the objects.
func (r *repository) makeHome() (err error) {
	if r.home, err = disk.MkdirTemp("robotsieve-git-*"); err != nil {
		return err
	}
	config := "[core]\n bare = true\n multiPackIndex = false\n commitGraph = false\n bigFileThreshold = 16m\n" +
		" deltaBaseCacheLimit = 32m\n repositoryFormatVersion = 1\n"
	if len(r.head) == 2*sha256.Size {
		config += "[extensions]\n objectFormat = sha256\n"
	}
	err = disk.MkdirAll(filepath.Join(r.home, "refs"), 0o700)
	for name, text := range map[string]string{"config": config, "HEAD": "ref: refs/heads/none\n"} {
		f, failed := disk.OpenFile(filepath.Join(r.home, name), os.O_CREATE|os.O_WRONLY, 0o600)
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		_, err = f.Write([]byte(text))
		err = errors.Join(err, f.Close())
	}
	return err
}

// Close ends git and removes what openRepository created.
func (r *repository) Close() error {
	r.stop()
	if r.home == "" {
		return nil
	}
	return disk.RemoveAll(r.home)
}

// start runs git cat-file.
func (r *repository) start() error {
	name, args := "git", []string{"cat-file", "--batch"}
	if runtime.GOOS != "windows" { // where there is no such limit, the shell continues
		limited := fmt.Sprintf(`ulimit -d %d 2>/dev/null; exec git "$@"`, maxGit>>10)
		name, args = "sh", append([]string{"-c", limited, "git"}, args...)
	}
	cmd := exec.CommandContext(r.ctx, name, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", "GIT_DIR=" + r.home, "GIT_OBJECT_DIRECTORY=" + filepath.Join(r.common, "objects")}
	r.said = nil
	cmd.Stderr = &r.said
	in, err := cmd.StdinPipe()
	var out io.ReadCloser
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		r.git, r.in, r.out = cmd, in, bufio.NewReaderSize(out, 64<<10)
	}
	return err
}

// stop ends git.
func (r *repository) stop() {
	if r.git != nil {
		_ = r.git.Process.Kill()
		_ = r.git.Wait()
		r.git = nil
	}
}

// complaint keeps the beginning of git's stderr.
type complaint []byte

func (c *complaint) Write(p []byte) (int, error) {
	*c = append(*c, p[:min(len(p), 400-len(*c))]...)
	return len(p), nil
}

// unreadableError says why an object can't be read. Other objects may be readable.
type unreadableError string

func (e unreadableError) Error() string { return string(e) }

// isUnreadable reports whether an error affects a single object only.
func isUnreadable(err error) bool {
	_, one := errors.AsType[unreadableError](err)
	return one
}

// object returns the content of an object of a given kind, if it is no longer than a limit.
func (r *repository) object(id, kind string, limit int64) (content []byte, err error) {
	if r.git == nil {
		if err := r.start(); err != nil {
			return nil, fmt.Errorf("git: %w", err)
		}
	}
	git := r.git
	timer := time.AfterFunc(gitPatience, func() { _ = git.Process.Kill() })
	content, err = r.ask(id, kind, limit)
	late := !timer.Stop()
	if err == nil || errors.Is(err, errMissing) {
		return content, err
	}
	r.stop() // the rest of the answer won't be read
	switch {
	case r.ctx.Err() != nil:
		return nil, r.ctx.Err()
	case late && r.silent == maxSilent:
		return nil, fmt.Errorf("%s: git does not answer, as where a pipe or a device is in place of an object", r.dir)
	case late:
		r.silent++
		return nil, unreadableError(fmt.Sprintf("git has not answered for %v", gitPatience))
	case isUnreadable(err):
		return nil, err
	}
	return nil, unreadableError(fmt.Sprintf("%v; git says: %s", err, bytes.TrimSpace(r.said)))
}

const errMissing = unreadableError("it is missing")

// ask is object with git running. After an error other than errMissing, the rest of git's answer is
// unread.
func (r *repository) ask(id, kind string, limit int64) ([]byte, error) {
	if _, err := fmt.Fprintln(r.in, id); err != nil {
		return nil, err
	}
	line, err := r.out.ReadSlice('\n')
	head := strings.Fields(string(line))
	switch {
	case err != nil:
		return nil, err
	case len(head) == 2:
		return nil, errMissing
	case len(head) != 3 || head[1] != kind:
		return nil, unreadableError("it is no " + kind)
	}
	size, err := strconv.ParseInt(head[2], 10, 64)
	if err != nil || size > limit {
		return nil, unreadableError(fmt.Sprintf("it is longer than %d MiB", limit>>20))
	}
	// For a damaged object git prints fewer bytes than announced, then continues to read its input and
	// ends when that does. If git is merely slow, it is started again for the next object.
	end := time.AfterFunc(100*time.Millisecond, func() { _ = r.in.Close() })
	content := make([]byte, size+1) // and a newline
	_, err = io.ReadFull(r.out, content)
	if !end.Stop() {
		defer r.stop()
	}
	if err != nil {
		return nil, unreadableError("it is damaged")
	}
	content = content[:size]
	if sum := objectSum(len(id), kind, content); sum != id { // git leaves this check to fsck
		return nil, unreadableError("it is damaged")
	}
	return content, nil
}

// objectSum returns the id of an object with the given number of digits.
func objectSum(digits int, kind string, content []byte) string {
	h := sha1.New()
	if digits == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "%s %d\x00", kind, len(content))
	_, _ = h.Write(content) // it never fails
	return hex.EncodeToString(h.Sum(nil))
}

// madeCommit has the relevant fields of a commit.
type madeCommit struct {
	tree, parent string // first parent only, "" if there is none
	date         int64  // committer's date; noDate if missing
}

// noDate is later than any date.
const noDate = 1 << 62

// commit reads a commit. Its date may be missing, and git itself might reject it.
func (r *repository) commit(id string) (c madeCommit, err error) {
	text, err := r.object(id, "commit", maxCommit)
	c.date = noDate
	for line := range bytes.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), " ")
		isID := len(value) == len(r.head)
		switch {
		case key == "":
			return c, err
		case key == "tree" && isID && c.tree == "":
			c.tree = value
		case key == "parent" && isID && c.parent == "":
			c.parent = value
		case key == "committer":
			of := strings.Fields(value[strings.LastIndexByte(value, '>')+1:])
			if len(of) > 0 {
				if at, err := strconv.ParseInt(of[0], 10, 64); err == nil && at >= 0 {
					c.date = min(at, noDate)
				}
			}
		}
	}
	return c, err
}

type entry struct{ mode, id string }

const (
	noFile = "" // mode of an entry that doesn't exist
	folder = "40000"
)

// eachEntry calls each for the entries of a tree, until it returns false. No name is longer than 4
// KiB.
func (r *repository) eachEntry(tree string, each func(name string, e entry) bool) error {
	b, seen := r.trees[tree]
	if !seen {
		var err error
		if b, err = r.object(tree, "tree", maxTree); err != nil {
			return err
		}
		r.treeSize += len(b) + nameBytes
		if r.treeSize > maxTrees || r.trees == nil {
			r.trees, r.treeSize = map[string][]byte{}, len(b)+nameBytes
		}
		r.trees[tree] = b
	}
	idSize := len(r.head) / 2
	for text := string(b); text != ""; {
		head, rest, whole := strings.Cut(text, "\x00")
		mode, name, named := strings.Cut(head, " ")
		if !whole || !named || name == "" || len(name) > 4<<10 || len(rest) < idSize {
			return unreadableError("tree " + tree + " is damaged")
		}
		if !each(name, entry{strings.TrimLeft(mode, "0"), hex.EncodeToString([]byte(rest[:idSize]))}) {
			return nil
		}
		text = rest[idSize:]
	}
	return nil
}
