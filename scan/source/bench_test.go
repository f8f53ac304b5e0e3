package source

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// The benchmark's log is the plain file that BENCH_LOG names; without it, 64 MB of made-up lines.
// Real logs compress differently, so figures worth telling come from a real one:
//
//	BENCH_LOG=access.log go test -run '^$' -bench Reader -count 6 | benchstat -col /how -
func benchLog(b *testing.B) []byte {
	if name := os.Getenv("BENCH_LOG"); name != "" {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	var text []byte
	for i := 0; len(text) < 64<<20; i++ {
		h := uint32(i) * 2654435761
		text = fmt.Appendf(text, `192.0.2.%d - - [10/Oct/2026:13:%02d:%02d +0000] "GET /page/%d/%x HTTP/1.1" 200 %d "-" "Mozilla/5.0 (compatible; agent %d)"`+"\n",
			h>>24, i/60%60, i%60, h>>20, h&0xfff, h>>12, h>>28)
	}
	return text
}

// BenchmarkReader compares the decompressor alone, in one goroutine and into nothing, with a Reader
// whose chunks are searched for newlines by one caller. Both must count the same.
func BenchmarkReader(b *testing.B) {
	text := benchLog(b)
	lines := int64(bytes.Count(text, []byte("\n")))
	size := int64(len(text))
	dir := b.TempDir()
	paths := map[string]string{
		"plain": write(b, filepath.Join(dir, "plain"), text),
		"gzip":  write(b, filepath.Join(dir, "gzip"), gz(b, text)),
		"zstd":  write(b, filepath.Join(dir, "zstd"), zst(b, text)),
	}
	alone := map[string]func(io.Reader) (io.Reader, error){
		"plain": func(r io.Reader) (io.Reader, error) { return r, nil },
		"gzip": func(r io.Reader) (io.Reader, error) {
			return gzip.NewReader(bufio.NewReaderSize(r, rawBuffer))
		},
		"zstd": func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		},
	}
	for _, codec := range []string{"plain", "gzip", "zstd"} {
		b.Run("codec="+codec+"/how=alone", func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				f, err := os.Open(paths[codec])
				if err != nil {
					b.Fatal(err)
				}
				r, err := alone[codec](f)
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, r); n != size || err != nil {
					b.Fatal(n, err)
				}
				f.Close()
			}
		})
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("codec=%s/how=reader%d", codec, workers), func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					if n := countLines(b, file(b, paths[codec]), workers); n != lines {
						b.Fatalf("%d lines, want %d", n, lines)
					}
				}
			})
		}
	}
}

func countLines(b *testing.B, in *Input, workers int) int64 {
	r := NewReader([]*Input{in}, Options{Workers: workers})
	var lines atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for c, ok := r.Next(); ok; c, ok = r.Next() {
				lines.Add(int64(bytes.Count(c.Data, []byte("\n"))))
				r.Release(c)
			}
		})
	}
	wg.Wait()
	if res := r.Results()[0]; !res.Complete {
		b.Fatal(res.Err)
	}
	return lines.Load()
}
