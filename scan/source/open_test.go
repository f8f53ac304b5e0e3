package source

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestOpenGivesTheBytesOfEveryCodec(t *testing.T) {
	want := []byte(strings.Repeat("one line without an end ", 10_000))
	for name, b := range map[string][]byte{
		"plain": want, "gzip": gz(t, want[:5], want[5:]), "zstd": zst(t, want), "xz": xzs(t, want), "empty": {},
	} {
		for _, in := range []*Input{file(t, write(t, "f", b)), NewInput("-", &slowly{r: bytes.NewReader(b)}, -1)} {
			head, err := in.Head(10)
			if err != nil {
				t.Fatal(err)
			}
			r, err := in.Open()
			if err != nil {
				t.Fatal(err)
			}
			if n, err := r.Read(nil); n != 0 || err != nil {
				t.Errorf("%s: a read of nothing gives %d, %v", name, n, err)
			}
			got, err := io.ReadAll(r)
			if closed := r.Close(); err != nil || closed != nil || !bytes.HasPrefix(got, head) {
				t.Errorf("%s: %v, %v", name, err, closed)
			}
			if name != "empty" && !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, want %d", name, len(got), len(want))
			}
		}
	}
}

func TestOpenSaysWhereItBroke(t *testing.T) {
	r, err := NewInput("disk", failing([]byte("abc")), -1).Open()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); string(got) != "abc" || !errors.Is(err, errDisk) ||
		!strings.Contains(err.Error(), "disk: at byte 3") {
		t.Errorf("%q, error %v", got, err)
	}
	if _, err := (&Input{Name: "none", path: t.TempDir() + "/none", regular: true}).Open(); err == nil {
		t.Error("a file that is not there can be opened")
	}
}

// TestFirstErrorStays: an error after the very first bytes, such as of a connection that is reset,
// is not taken for the end.
func TestFirstErrorStays(t *testing.T) {
	for _, text := range []string{"", "a", "a line\n", strings.Repeat("a line\n", 1000)} {
		for _, name := range []string{"-", "x.gz"} {
			once := io.MultiReader(strings.NewReader(text),
				iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab"))))
			in := NewInput(name, once, -1)
			head, failed := in.Head(10)
			r, err := in.Open()
			if err == nil {
				_, err = io.ReadAll(r)
				r.Close()
			}
			if !errors.Is(err, iotest.ErrTimeout) && !errors.Is(failed, iotest.ErrTimeout) {
				t.Errorf("%s, %d bytes: %q, %v, %v", name, len(text), head, failed, err)
			}
		}
	}
}

// What was not read to the end, or need not be hashed, has no hash.
func TestNoHashOfAPart(t *testing.T) {
	whole := gz(t, []byte(strings.Repeat("line\n", 10_000)))
	broken := NewInput("-", failing([]byte("line\n")), -1)
	ins := []*Input{asFile(t, whole[:len(whole)-4]), asFile(t, []byte("line\n")), broken}
	ins[0].Hash, ins[2].Hash = true, true
	_, res := readAll(t, ins, Options{}, 2)
	for i, r := range res {
		if r.Sum != nil {
			t.Errorf("%s: %x", ins[i].Name, r.Sum)
		}
	}
	shrunk := asFile(t, bytes.Repeat([]byte("line\n"), 1<<18))
	shrunk.Hash = true
	r := NewReader([]*Input{shrunk}, Options{Workers: 1, ChunkSize: 4096})
	for c, ok := r.Next(); ok; c, ok = r.Next() {
		if err := os.Truncate(shrunk.path, 5000); err != nil {
			t.Fatal(err)
		}
		r.Release(c)
	}
	if res := r.Result(0); res.Complete || res.Sum != nil {
		t.Errorf("%+v", res)
	}
}
