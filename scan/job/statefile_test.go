package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStateFilesAreReadInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	var files []*stateFile
	for i := range 192 {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, binary.BigEndian.AppendUint64([]byte("head"), uint64(i)), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := newStateFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		i := r.IntN(len(files))
		var b [8]byte
		if _, err := files[i].ReadAt(b[:], 4); err != nil || binary.BigEndian.Uint64(b[:]) != uint64(i) {
			t.Fatalf("file %d: % x, %v", i, b, err)
		}
	}
	// One that is changed or removed is not read as the same.
	const i = 7
	if err := os.WriteFile(files[i].name, []byte("of another length"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := files[i].ReadAt(make([]byte, 1), 0); err == nil ||
		!strings.Contains(err.Error(), "has changed while it was read") {
		t.Errorf("changed: %v", err)
	}
	if err := os.Remove(files[i].name); err != nil {
		t.Fatal(err)
	}
	if _, err := files[i].ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
}

// A part of a state that takes more memory than there is is not read, and the error says how
// much would do.
func TestStatePartIsBounded(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.state")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := newStateFile(name)
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
