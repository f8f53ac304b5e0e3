package source

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRangesHaveEachLineOnce divides texts of all kinds, reads the ranges as inputs of their own,
// and compares the lines.
func TestRangesHaveEachLineOnce(t *testing.T) {
	for name, text := range texts() {
		path := write(t, "access.log", text)
		for _, size := range []int64{1, 7, 1000, 64 << 10, int64(len(text)) - 1, int64(len(text))} {
			whole := file(t, path)
			ranges, err := whole.Divide(size)
			if err != nil {
				t.Fatal(err)
			}
			if alone := size <= 0 || int64(len(text)) <= size; alone && ranges != nil || len(ranges) == 1 {
				t.Errorf("%s: %d bytes by %d: %d ranges", name, len(text), size, len(ranges))
			}
			if len(ranges) > 500 || ranges == nil {
				continue
			}
			var all []byte
			for _, r := range ranges {
				part, err := NewRange(path, r)
				if err != nil {
					t.Fatal(err)
				}
				if r.To < int64(len(text)) && text[r.To-1] != '\n' || r.From != int64(len(all)) {
					t.Fatalf("%s: a range from %d to %d", name, r.From, r.To)
				}
				if head, err := part.Head(100); err != nil || !bytes.Equal(head, text[:min(100, len(text))]) {
					t.Errorf("%s: the beginning is %q, %v", name, head, err)
				}
				if sum, err := part.Sum(); err != nil || sum != sha256.Sum256(text[r.From:r.To]) {
					t.Errorf("%s: wrong sum of %v, %v", name, r, err)
				}
				part.Hash = true
				o := Options{Workers: 2, ChunkSize: 64, MaxLine: 300}
				chunks, results := readAll(t, []*Input{part}, o, 2)
				check(t, text[r.From:r.To], chunks[0], o)
				if x := results[0]; x.Err != nil || !x.Complete || x.Bytes != r.To-r.From || x.Disk != x.Bytes ||
					x.Codec != "plain" {
					t.Errorf("%s: %+v", name, x)
				} else if sum := sha256.Sum256(text[r.From:r.To]); !bytes.Equal(x.Sum, sum[:]) {
					t.Errorf("%s: wrong sum of what was read", name)
				}
				all = append(all, text[r.From:r.To]...)
			}
			if !bytes.Equal(all, text) {
				t.Errorf("%s: ranges have %d bytes of %d", name, len(all), len(text))
			}
		}
	}
}

// TestUnreadInputs say once why they cannot be read, and which part of their file they are.
func TestUnreadInputs(t *testing.T) {
	_, missing := NewRange(filepath.Join(t.TempDir(), "missing.log"), Range{To: 5})
	path := write(t, "short.log", []byte("abc"))
	_, short := NewRange(path, Range{From: 3, To: 5})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a.log": {missing, "open a.log: no such file or directory"}, path: {short,
			path + ": has no bytes from 3 to 5"}, "b.log": {errors.New("broken"), "b.log: broken"},
	} {
		in := NewUnread(name, Range{From: 3, To: 5}, c.err)
		if _, err := in.Head(10); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		_, results := readAll(t, []*Input{in}, Options{Workers: 1}, 1)
		if err := results[0].Err; err == nil || !strings.HasSuffix(err.Error(), c.want) || results[0].Complete ||
			in.Range() != (Range{From: 3, To: 5}) {
			t.Errorf("%+v, want %s", results[0], c.want)
		}
	}
}

// TestWhatIsNotDivided: members, compressed files and archives are read from their beginning.
func TestWhatIsNotDivided(t *testing.T) {
	lines := []byte(strings.Repeat("a line\n", 10_000))
	for name, path := range map[string]string{
		"gzip":  write(t, "a.log.gz", gz(t, lines)),
		"zstd":  write(t, "a.log.zst", zst(t, lines)),
		"short": write(t, "a.log", lines[:100]),
	} {
		if ranges, err := file(t, path).Divide(100); ranges != nil || err != nil {
			t.Errorf("%s: %v, %v", name, ranges, err)
		}
	}
	path := write(t, "a.log", lines)
	for _, r := range []Range{{From: -1, To: 7}, {From: 7, To: 7}, {From: 0, To: 70_001}} {
		if in, err := NewRange(path, r); err == nil {
			t.Errorf("%v is taken: %v", r, in)
		}
	}
	ranges, err := file(t, path).Divide(30_000)
	if err != nil || len(ranges) != 3 {
		t.Fatal(ranges, err)
	}
	part, err := NewRange(path, ranges[2])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 40_000); err != nil {
		t.Fatal(err)
	}
	if _, results := readAll(t, []*Input{part}, Options{}, 1); results[0].Err == nil {
		t.Error("a file that shrank is no error")
	}
}
