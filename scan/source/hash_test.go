package source

import (
	"bytes"
	"crypto/sha256"
	"os"
	"slices"
	"strings"
	"testing"
)

// The hash is that of the bytes on disk, however they are compressed and whoever reads them.
func TestHashIsOfTheBytesOnDisk(t *testing.T) {
	text := bytes.Repeat([]byte("a line of a log\n"), 20_000)
	for name, data := range map[string][]byte{
		"plain": text, "empty": {}, "gzip": gz(t, text), "members": gz(t, text, text, nil), "zstd": zst(t, text,
			text), "xz": xzs(t, text),
		"bzip2":  slices.Concat(bzFirst, bzEmpty, bzSecond),
		"padded": append(gz(t, text), make([]byte, 1000)...),
	} {
		want := sha256.Sum256(data)
		asFile, asPipe := file(t, write(t, "log", data)), NewInput("-", bytes.NewReader(data), -1)
		for _, in := range []*Input{asFile, asPipe} {
			in.Hash = true
			if _, err := in.Head(100); err != nil {
				t.Fatal(name, err)
			}
		}
		_, res := readAll(t, []*Input{asFile, asPipe}, Options{Workers: 2, ChunkSize: 4096}, 2)
		for i, r := range res {
			if !bytes.Equal(r.Sum, want[:]) || !r.Complete {
				t.Errorf("%s, input %d: %x, want %x; %v", name, i, r.Sum, want, r.Err)
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
