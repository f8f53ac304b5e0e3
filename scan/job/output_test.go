package job

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// file writes a file into a new directory, and returns its name.
func file(t *testing.T, name, content string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// onlyOld: the directory holds the old archive and nothing else.
func onlyOld(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, error %v", entries, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "rules.rsv")); err != nil || string(data) != "old" {
		t.Errorf("the archive is %q, error %v", data, err)
	}
}

func TestWritingThatFailsLeavesTheOldFile(t *testing.T) {
	dir := filepath.Dir(file(t, "rules.rsv", "old"))
	ctx, cancel := context.WithCancel(t.Context())
	failures := map[string]func(io.Writer) error{
		"full disk": func(w io.Writer) error {
			io.WriteString(w, "new")
			return io.ErrShortWrite
		},
		"interrupt": func(w io.Writer) error {
			s := ending{ctx: ctx, w: w}
			if _, err := io.WriteString(s, "new"); err != nil {
				return err
			}
			cancel()
			_, err := io.WriteString(s, "new")
			return err
		},
	}
	for _, name := range slices.Sorted(maps.Keys(failures)) {
		err := (output{"-o", filepath.Join(dir, "rules.rsv"), anArchive, true}).write(failures[name])
		if !errors.Is(err, io.ErrShortWrite) && !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: error %v", name, err)
		}
		onlyOld(t, dir)
	}
	if err := (output{"-o", filepath.Join(dir, "rules.rsv"), anArchive,
		true}).write(func(io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "rules.rsv")); err != nil || len(data) != 0 {
		t.Errorf("the new file is %q, error %v", data, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "rules.rsv")); err != nil || runtime.GOOS == "linux" &&
		info.Mode().Perm()&0o400 == 0 {
		t.Errorf("%v, error %v", info.Mode(), err)
	}
}

func TestOpenArchiveRefusesWhatIsNone(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{file(t, "robots.txt", "User-agent: *"), "robots.txt: not an archive"},
		{file(t, "empty", ""), "empty: not an archive"},
		{t.TempDir(), ""},
		{filepath.Join(t.TempDir(), "none"), "no such file"},
	} {
		if _, err := openRules(t.Context(), c.name, subject{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}
