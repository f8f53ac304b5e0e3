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
	whole := gz(t, []byte(strings.Repeat("x", 100)))
	r, err := file(t, write(t, "f.gz", whole[:len(whole)-3])).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var broken *Error
	if got, err := io.ReadAll(r); len(got) != 100 || !errors.As(err, &broken) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
	r, err = NewInput("disk", failing([]byte("abc")), -1).Open()
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
	cut := file(t, write(t, "cut.gz", whole[:len(whole)-4]))
	shrunk := file(t, write(t, "shrunk", bytes.Repeat([]byte("line\n"), 1<<18)))
	plain := file(t, write(t, "plain", []byte("line\n")))
	cut.Hash, shrunk.Hash = true, true
	broken := NewInput("broken", failing([]byte("line\n")), -1)
	broken.Hash = true
	ins := []*Input{cut, plain, broken}
	_, res := readAll(t, ins, Options{}, 2)
	for i, r := range res {
		if r.Sum != nil {
			t.Errorf("%s: %x", ins[i].Name, r.Sum)
		}
	}
	r := NewReader([]*Input{shrunk}, Options{Workers: 1, ChunkSize: 4096})
	c, _ := r.Next()
	if err := os.Truncate(shrunk.path, 5000); err != nil {
		t.Fatal(err)
	}
	for ok := true; ok; c, ok = r.Next() {
		r.Release(c)
	}
	if res := r.Result(0); res.Complete || res.Sum != nil {
		t.Errorf("%+v", res)
	}
}
