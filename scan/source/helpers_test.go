package source

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// piece is a copy of a chunk.
type piece struct {
	seq  int64
	last bool
	data []byte
	cut  int64
}

// readAll reads everything with the given number of goroutines and returns the chunks of each input
// in order of Seq. It fails the test where the numbers of an input have a gap or its last chunk is
// not marked.
func readAll(t testing.TB, ins []*Input, o Options, goroutines int) ([][]piece, []Result) {
	t.Helper()
	r := NewReader(ins, o)
	got := make([][]piece, len(ins))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for {
				c, ok := r.Next()
				if !ok {
					return
				}
				p := piece{c.Seq, c.Last, bytes.Clone(c.Data), c.Cut}
				mu.Lock()
				got[c.Input] = append(got[c.Input], p)
				mu.Unlock()
				for i := range c.buf { // so that a use of the chunk after Release is noticed
					c.buf[i] = 0xee
				}
				r.Release(c)
			}
		})
	}
	wg.Wait()
	for i, ps := range got {
		slices.SortFunc(ps, func(a, b piece) int { return int(a.seq - b.seq) })
		for k, p := range ps {
			if p.seq != int64(k) {
				t.Fatalf("input %d: chunk %d has Seq %d", i, k, p.seq)
			}
			if p.last != (k == len(ps)-1) {
				t.Fatalf("input %d: chunk %d of %d has Last %v", i, k, len(ps), p.last)
			}
		}
		if len(ps) == 0 {
			t.Fatalf("input %d has no chunk", i)
		}
	}
	return got, r.Results()
}

// check compares the chunks of one input with its true content.
func check(t testing.TB, want []byte, got []piece, o Options) {
	t.Helper()
	o = o.filled()
	pos := 0
	for k, p := range got {
		if !bytes.HasPrefix(want[pos:], p.data) {
			t.Fatalf("chunk %d: other data than the input at %d:\n got %q\nwant %q", k, pos, clip(p.data),
				clip(want[pos:]))
		}
		line := want[pos:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		pos += len(p.data) + int(p.cut)
		if pos > len(want) {
			t.Fatalf("chunk %d: %d bytes more than the input has", k, pos-len(want))
		}
		if p.cut > 0 {
			if len(line) <= o.MaxLine {
				t.Fatalf("chunk %d: line of %d bytes was cut, MaxLine is %d", k, len(line), o.MaxLine)
			}
			if whole := len(p.data) + int(p.cut); whole != len(line) && (whole != len(line)+1 || want[pos-1] != '\n') {
				t.Fatalf("chunk %d: %d bytes kept and %d cut of a line of %d", k, len(p.data), p.cut, len(line))
			}
			continue
		}
		for l := range bytes.Lines(p.data) {
			if len(bytes.TrimSuffix(l, []byte("\n"))) > o.MaxLine {
				t.Fatalf("chunk %d: line of %d bytes was not cut, MaxLine is %d", k, len(l), o.MaxLine)
			}
		}
		if n := len(p.data); n > 0 && p.data[n-1] != '\n' && pos != len(want) {
			t.Fatalf("chunk %d ends inside a line: %q", k, clip(p.data))
		}
	}
	if pos != len(want) {
		t.Fatalf("%d of %d bytes were read", pos, len(want))
	}
}

func clip(b []byte) []byte { return b[:min(len(b), 80)] }

// joined is the data of all chunks.
func joined(ps []piece) []byte {
	var b []byte
	for _, p := range ps {
		b = append(b, p.data...)
	}
	return b
}

func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(t.TempDir(), name)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func file(t testing.TB, path string) *Input {
	t.Helper()
	in, err := NewFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// texts are inputs that differ in where their newlines are.
func texts() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	m := map[string][]byte{
		"empty":     {},
		"newline":   []byte("\n"),
		"newlines":  bytes.Repeat([]byte("\n"), 100),
		"one byte":  []byte("x"),
		"one line":  []byte("hello\n"),
		"odd bytes": []byte("\xef\xbb\xbfa\r\nb\x00c\n\x00\n\r\r\n\xff\n"),
		"no end":    []byte("first\nsecond\nlast without"),
		"endless":   bytes.Repeat([]byte("x"), 1000),
	}
	for n := 14; n <= 18; n++ { // around the size of a chunk
		m[fmt.Sprintf("lines of %d", n)] = bytes.Repeat(append(bytes.Repeat([]byte("a"), n-1), '\n'), 20)
	}
	for n := 30; n <= 34; n++ { // around the longest line
		m[fmt.Sprintf("long of %d", n)] = bytes.Repeat([]byte("ab\n"+string(bytes.Repeat([]byte("L"), n))+"\nc\n"), 9)
	}
	for k := range 20 {
		var b []byte
		for len(b) < 600 {
			n := rng.IntN(12)
			switch rng.IntN(8) {
			case 0:
				n = rng.IntN(40)
			case 1:
				n = rng.IntN(200)
			}
			for range n {
				b = append(b, 'a'+byte(rng.IntN(26)))
			}
			b = append(b, '\n')
		}
		m[fmt.Sprintf("random %d", k)] = b[:len(b)-rng.IntN(5)]
	}
	return m
}

func gz(_ testing.TB, parts ...[]byte) (all []byte) {
	for _, p := range parts {
		all = AppendMember(all, p)
	}
	return all
}

func zst(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, p := range parts {
		w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(p)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func xzs(t testing.TB, parts ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, p := range parts {
		w, err := xz.WriterConfig{DictCap: 1 << 16, BlockSize: max(200, int64(len(p))/10)}.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(p)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// slowly gives one to three bytes a Read, as a pipe may.
type slowly struct {
	r io.Reader
	n int
}

func (s *slowly) Read(p []byte) (int, error) {
	s.n++
	return s.r.Read(p[:min(len(p), 1+s.n%3)])
}

var errDisk = errors.New("disk on fire")

// failing gives its bytes and then an error.
func failing(b []byte) io.Reader { return io.MultiReader(bytes.NewReader(b), brokenReader{}) }

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errDisk }
