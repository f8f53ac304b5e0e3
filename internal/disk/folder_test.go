package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestLeftFolders: what a process that was killed has left beside a folder is removed by the next
// one that makes it, unless another one that makes it too is still at work.
func TestLeftFolders(t *testing.T) {
	dir := t.TempDir()
	working, err := NewFolder(filepath.Join(dir, "ev"), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if working.lock == nil {
		t.Skip("this system does not lock folders")
	}
	killed, err := NewFolder(filepath.Join(dir, "ev"), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := killed.Create("a/b", 0o600); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	killed.unlock() // as the system does when a process ends
	for _, other := range []string{".ev.tmp", ".ev.0000000x.more", ".other.12345678.tmp", "ev.12345678.tmp"} {
		if err := os.Mkdir(filepath.Join(dir, other), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	made, err := NewFolder(filepath.Join(dir, "ev"), 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Commit(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 6 {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := os.Stat(killed.temp); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was left: %v", err)
	}
	if _, err := os.Stat(working.temp); err != nil {
		t.Errorf("what is at work: %v", err)
	}
	if err := working.Discard(); err != nil {
		t.Error(err)
	}
}
