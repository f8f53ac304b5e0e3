package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/must"
)

// TestInject checks that every operation fails with the injected error, has no effect, and works
// again afterwards.
func TestInject(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(name, []byte("0123456789"), 0o600))
	f := must.Get(OpenFile(name, os.O_RDWR, 0))(t)
	defer f.Close()
	errOnly := func(_ any, err error) error { return err }
	steps := []struct {
		op Op
		do func() error
	}{
		{OpRead, func() error { return errOnly(f.Read(make([]byte, 1))) }},
		{OpRead, func() error { return errOnly(f.ReadAt(make([]byte, 1), 3)) }},
		{OpWrite, func() error { return errOnly(f.Write([]byte("a"))) }},
		{OpWrite, func() error { return errOnly(f.WriteAt([]byte("a"), 1)) }},
		{OpOpen, func() error { return errOnly(Open(name)) }},
		{OpOpen, func() error { return errOnly(CreateTemp(dir, "x")) }},
		{OpOpen, func() error { return errOnly(ReadLimited(name, 100)) }},
		{OpOpen, func() error { return errOnly(Map(name)) }},
		{OpReadDir, func() error { return errOnly(ReadDir(dir)) }},
		{OpReadDir, func() error { return errOnly(glob(name + "*")) }},
		{OpStat, func() error { return errOnly(Stat(name)) }},
		{OpStat, func() error { return errOnly(Lstat(name)) }},
		{OpMkdir, func() error { return MkdirAll(filepath.Join(dir, "folder"), 0o700) }},
		{OpRename, func() error { return rename(name, name+"2") }},
		{OpRemove, func() error { return Remove(name + "2") }},
	}
	for _, s := range steps {
		restore := Inject(func(op Op, _ string) error {
			if op != s.op {
				t.Errorf("operation %q, not %q", op, s.op)
			}
			return syscall.EIO
		})
		err := s.do()
		restore()
		var path *fs.PathError
		if !errors.Is(err, syscall.EIO) || !errors.As(err, &path) || path.Op != string(s.op) {
			t.Errorf("%s: error %v", s.op, err)
		}
		if err := s.do(); err != nil {
			t.Errorf("%s: afterwards: %v", s.op, err)
		}
	}
}

func TestMapped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are not mapped, or cannot be made shorter while they are")
	}
	name := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(name, []byte(strings.Repeat("x", 1<<16)), 0o600))
	m := must.Get(Map(name))(t)
	sum := 0
	add := func() error { sum += int(m.Data[1<<15]); return nil }
	if err := m.Use(add); err != nil || sum != 'x' {
		t.Errorf("%d, error %v", sum, err)
	}
	must.Do(t, os.Rename(name, name+"2"))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a panic has become an error, though nobody has changed the file")
			}
		}()
		_ = m.Use(func() error { panic("negative shift amount") })
	}()
	must.Do(t, os.WriteFile(name+"2", []byte(strings.Repeat("y", 1<<16)), 0o600))
	if err := os.Chtimes(name+"2", time.Time{}, time.Now().Add(time.Hour)); err != nil { // some clocks are slow
		t.Fatal(err)
	}
	for _, f := range []func() error{add, func() error { panic("negative shift amount") }} {
		if err := m.Use(f); !errors.Is(err, ErrChanged) {
			t.Errorf("changed: error %v", err)
		}
	}
	must.Do(t, os.Truncate(name+"2", 1))
	if err := m.Use(add); !errors.Is(err, ErrChanged) {
		t.Errorf("cut short: error %v", err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestPending checks that a name has the old or the new content, whether writing or renaming fails
// or neither, and that no other file remains.
func TestPending(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(name, []byte("old"), 0o640))
	for _, op := range []Op{OpOpen, OpWrite, OpRename, ""} {
		restore := Inject(func(o Op, _ string) error {
			if o == op {
				return syscall.ENOSPC
			}
			return nil
		})
		p, err := newPending(name, 0o600)
		if err == nil {
			if _, err = p.Write([]byte("new")); err == nil {
				err = p.Commit()
			} else {
				err = errors.Join(err, p.Discard())
			}
		}
		restore()
		want := "old"
		if op == "" {
			want = "new"
		}
		data, _ := os.ReadFile(name)
		entries, _ := os.ReadDir(dir)
		if (err == nil) != (op == "") || string(data) != want || len(entries) != 1 {
			t.Errorf("%q fails: error %v, %q, %v", op, err, data, entries)
		}
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
