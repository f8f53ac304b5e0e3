package job

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// A state that is changed or removed while it is added up is not read as the same.
func TestStateFilesThatChange(t *testing.T) {
	f, err := newStateFile(file(t, "a.state", "headnumber"))
	if err != nil {
		t.Fatal(err)
	}
	var b [6]byte
	if _, err := f.ReadAt(b[:], 4); err != nil || string(b[:]) != "number" {
		t.Errorf("%s, %v", b, err)
	}
	if err := os.WriteFile(f.name, []byte("of another length"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(b[:], 0); err == nil || !strings.Contains(err.Error(), "has changed while it was read") {
		t.Errorf("changed: %v", err)
	}
	if err := os.Remove(f.name); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(b[:], 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
}

// A part of a state that takes more memory than there is is not read, and the error says how
// much would do.
func TestStatePartIsBounded(t *testing.T) {
	f, err := newStateFile(file(t, "a.state", strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	f.most = 1 << 19
	if n, err := f.ReadAt(make([]byte, 1<<19), 0); n != 1<<19 || err != nil {
		t.Error(n, err)
	}
	if _, err := f.ReadAt(make([]byte, 1<<20), 0); err == nil || !strings.Contains(err.Error(), "--memory 5MB would do") {
		t.Error(err)
	}
}
