package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReopenedFilesAreReadInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	var all reopening
	defer all.close()
	var files []*reopened
	for i := range 3 * maxOpen {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, binary.BigEndian.AppendUint64([]byte("head"), uint64(i)), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := all.add(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		i := r.IntN(len(files))
		if r.IntN(3) > 0 {
			i %= maxOpen - 1
		}
		var b [8]byte
		if _, err := files[i].ReadAt(b[:], 4); err != nil || binary.BigEndian.Uint64(b[:]) != uint64(i) {
			t.Fatalf("file %d: % x, %v", i, b, err)
		}
		open := 0
		for _, f := range files {
			if f.file != nil {
				open++
			}
		}
		if open > maxOpen || open != len(all.open) || all.open[open-1] != files[i] {
			t.Fatalf("%d files are open, %d in the list", open, len(all.open))
		}
	}
	// One that is closed and then changed or removed is not read as the same.
	i := slices.IndexFunc(files, func(f *reopened) bool { return f.file == nil })
	if err := os.WriteFile(files[i].name, []byte("of another length"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := files[i].ReadAt(make([]byte, 1), 0); err == nil || !strings.Contains(err.Error(), "has changed while it was read") {
		t.Errorf("changed: %v", err)
	}
	if err := os.Remove(files[i].name); err != nil {
		t.Fatal(err)
	}
	if _, err := files[i].ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
}
