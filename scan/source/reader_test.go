package source

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

var smallOptions = []Options{
	{ChunkSize: 16, MaxLine: 32},
	{ChunkSize: 1, MaxLine: 32},
	{ChunkSize: 16, MaxLine: 100},
	{ChunkSize: 64, MaxLine: 128},
	{},
}

// TestLinesSurvive checks that every byte is returned once, in whole lines, for any codec and
// number of goroutines, even from a reader that returns one or three bytes at a time, with and
// without a Head before.
func TestLinesSurvive(t *testing.T) {
	dir := t.TempDir()
	for name, text := range texts() {
		half := len(text) / 2
		for form, b := range map[string][]byte{"plain": text, "gzip": gz(t, text[:half], nil, text[half:]),
			"zstd": zst(t, text[:half], text[half:]), "xz": xzs(t, text[:half], text[half:])} {
			path := write(t, filepath.Join(dir, "log"), b)
			sum := sha256.Sum256(b) // of the bytes on disk
			sum64 := checkOf(b)
			read := func(in *Input, o Options) {
				t.Helper()
				in.Hash, in.Check = true, true
				got, res := readAll(t, []*Input{in}, o, max(o.Workers, 2))
				check(t, text, got[0], o)
				if res[0].Err != nil || !res[0].Complete || res[0].Bytes != int64(len(text)) || res[0].Disk != int64(len(b)) ||
					len(res[0].Warnings) > 0 || in.Codec() != form || !bytes.Equal(res[0].Sum, sum[:]) ||
					!bytes.Equal(res[0].Check, sum64) {
					t.Fatalf("%s as %s, %+v: %+v", name, form, o, res[0])
				}
			}
			for k, o := range smallOptions {
				pipe := NewInput("-", &slowly{r: bytes.NewReader(b)}, -1)
				pipe.Hash, pipe.Check = true, true
				for _, n := range []int{0, 5, 3, 50}[:k%5] {
					head, err := pipe.Head(n)
					if err != nil || !bytes.Equal(head, text[:min(n, len(text))]) {
						t.Fatalf("%s as %s: Head(%d) = %q, %v", name, form, n, head, err)
					}
				}
				read(pipe, o)
				for _, o.Workers = range []int{1, 8} {
					read(file(t, path), o)
				}
			}
		}
	}
}

// checkOf returns both CRCs of b.
func checkOf(b []byte) []byte {
	ieee, castagnoli := crc32.ChecksumIEEE(b), crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return binary.BigEndian.AppendUint64(nil, uint64(ieee)<<32|uint64(castagnoli))
}

// TestVeryLongLine checks that a line of many megabytes is counted, not kept.
func TestVeryLongLine(t *testing.T) {
	long := bytes.ReplaceAll(noise(16<<20), []byte("\n"), []byte("\t"))
	text := append([]byte("before\n"), long...)
	text = append(text, "\nafter\n"...)
	for form, b := range map[string][]byte{"plain": text, "gzip": gz(t, text), "zstd": zst(t, text)} {
		for _, workers := range []int{1, 4} {
			in := file(t, write(t, "log", b))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			r := NewReader([]*Input{in}, Options{Workers: workers})
			var cut, kept atomic.Int64
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					for c, ok := r.Next(); ok; c, ok = r.Next() {
						kept.Add(int64(len(c.Data)))
						cut.Add(c.Cut)
						r.Release(c)
					}
				})
			}
			wg.Wait()
			runtime.ReadMemStats(&after)
			if cut.Load() == 0 || cut.Load()+kept.Load() != int64(len(text)) || kept.Load() > 1<<20 {
				t.Errorf("%s: kept %d and cut %d of %d", form, kept.Load(), cut.Load(), len(text))
			}
			// A few buffers for each worker of at most 2.5 MiB, made by doubling; zstd has its
			// window besides.
			if used := after.TotalAlloc - before.TotalAlloc; form != "zstd" && used > uint64(workers)*16<<20 {
				t.Errorf("%s with %d workers allocated %d MiB", form, workers, used>>20)
			}
		}
	}
}

// finish waits, but not for ever.
func finish(t *testing.T, wg *sync.WaitGroup) {
	t.Helper()
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		buf := make([]byte, 1<<16)
		t.Fatalf("blocked:\n%s", buf[:runtime.Stack(buf, true)])
	}
}

func TestProgress(t *testing.T) {
	text := noise(500_000)
	a, b := file(t, write(t, "a", text)), file(t, write(t, "b", gz(t, text)))
	r := NewReader([]*Input{a, b}, Options{ChunkSize: 1000})
	var before int64
	for c, ok := r.Next(); ok; c, ok = r.Next() {
		done, total := r.Progress()
		if done < before || done > total || total != a.Size+b.Size {
			t.Fatalf("progress %d of %d after %d", done, total, before)
		}
		before = done
		r.Release(c)
	}
	if done, total := r.Progress(); done != total {
		t.Errorf("progress at the end: %d of %d", done, total)
	}
	r = NewReader([]*Input{NewInput("-", strings.NewReader("x\n"), -1)}, Options{})
	if _, total := r.Progress(); total != -1 {
		t.Errorf("total %d, of a pipe", total)
	}
	r.Stop()
}

// TestFileChanges checks that a file that shrinks while being read is an error, and that appended
// bytes aren't read.
func TestFileChanges(t *testing.T) {
	text := bytes.Repeat([]byte("some line\n"), 1000)
	for _, size := range []int64{5555, 12_000} {
		path := write(t, "log", text)
		r := NewReader([]*Input{file(t, path)}, Options{Workers: 1, ChunkSize: 1000})
		var got []byte
		for c, ok := r.Next(); ok; c, ok = r.Next() {
			got = append(got, c.Data...)
			if c.Seq == 1 {
				os.Truncate(path, size)
			}
			r.Release(c)
		}
		res := r.Results()[0]
		want := min(size, int64(len(text)))
		var e *Error
		if shrunk := want == size; res.Complete == shrunk || shrunk && (!errors.As(res.Err, &e) || e.Offset != size ||
			e.Name != path || !errors.Is(res.Err, io.ErrUnexpectedEOF)) {
			t.Errorf("result %+v", res)
		}
		if !bytes.Equal(got, text[:want]) || res.Disk != want || res.Bytes != want {
			t.Errorf("%d bytes read, %d and %d counted", len(got), res.Disk, res.Bytes)
		}
	}
}

func TestReadErrors(t *testing.T) {
	text := bytes.Repeat([]byte("some line\n"), 100)
	for form, b := range map[string][]byte{"plain": text, "gzip": gz(t, text), "zstd": zst(t, text), "xz": xzs(t, text),
		"bzip2": bzTwo} {
		_, res := readAll(t, []*Input{NewInput("pipe", failing(b[:len(b)-3]), -1)}, Options{}, 2)
		if err := res[0].Err; !errors.Is(err, errDisk) || res[0].Complete ||
			!strings.HasPrefix(err.Error(), "pipe: at byte ") {
			t.Errorf("%s: %v", form, err)
		}
	}
	_, res := readAll(t, []*Input{NewInput("pipe", failing(nil), -1)}, Options{}, 2)
	if !errors.Is(res[0].Err, errDisk) {
		t.Error(res[0].Err)
	}
	if _, err := NewInput("pipe", failing(nil), -1).Head(10); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	_, res = readAll(t, []*Input{NewInput("pipe", idleReader{}, -1)}, Options{}, 2)
	if !errors.Is(res[0].Err, io.ErrNoProgress) {
		t.Error(res[0].Err)
	}
}

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

type panicking struct{ decoder }

func (panicking) Read([]byte) (int, error) { panic("index out of range") }

// TestDecoderPanics checks that a panic of a decoder becomes the error of its input.
func TestDecoderPanics(t *testing.T) {
	in := NewInput("a", strings.NewReader("x\n"), -1)
	if _, err := in.Head(0); err != nil {
		t.Fatal(err)
	}
	in.pending.dec = panicking{in.pending.dec}
	_, res := readAll(t, []*Input{in}, Options{}, 1)
	if res[0].Err == nil || !strings.Contains(res[0].Err.Error(), "index out of range") {
		t.Errorf("%+v", res[0])
	}
}

// endless is a pipe that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "line after line\n"), nil }

// TestNoAllocationPerChunk checks that chunks need no allocations, for any number of them.
func TestNoAllocationPerChunk(t *testing.T) {
	text := bytes.Repeat([]byte("a line of a log, as long as lines of logs are: GET /index.html 200 4711\n"), 300_000)
	frames := bytes.Repeat(zst(t, text[:len(text)/8]), 8)
	members := bytes.Repeat(gz(t, text[:1<<20]), len(text)>>20)
	for form, b := range map[string][]byte{"plain": text, "gzip": gz(t, text), "zstd": zst(t, text), "frames": frames,
		"members": members} {
		in := file(t, write(t, "log", b))
		r := NewReader([]*Input{in}, Options{Workers: 1, ChunkSize: 1 << 10})
		chunks := 0
		next := func(n int) {
			for range n {
				c, ok := r.Next()
				if !ok {
					t.Fatalf("%s: only %d chunks", form, chunks)
				}
				chunks++
				r.Release(c)
			}
		}
		next(14_000) // until each decoder has been used
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		next(4000)
		runtime.ReadMemStats(&after)
		// The runtime allocates now and then for itself; 1 in 100 chunks is far from 1 a chunk.
		if n := after.Mallocs - before.Mallocs; n > 40 {
			t.Errorf("%s: %d allocations for 4000 chunks", form, n)
		}
		r.Stop()
	}
}

// TestGuardAlignment checks that each read of a plain file goes to an address equal to the position
// in the file modulo the alignment: for files and members of archives, lines of any length, with
// and without hashing. Only the sample of some hundred bytes for detecting compression may be
// anywhere.
func TestGuardAlignment(t *testing.T) {
	text := bytes.Repeat([]byte("a line that is neither short nor long\n"), 60_000)
	text = append(append(text, bytes.Repeat([]byte("x"), 3<<20)...), text...)
	files := []archived{{name: "a.log", data: text[1:]}, {name: "b.log", data: text}}
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.log"), text)
	inputs := map[string]func() []*Input{
		"a file": func() []*Input { return []*Input{file(t, path)} },
	}
	for name, archive := range map[string][]byte{"a.tar": tarOf(t, files...), "a.zip": zipOf(t, zip.Store, files...)} {
		name := write(t, filepath.Join(dir, name), archive)
		inputs["members of "+filepath.Base(name)] = func() []*Input { return found(t, name) }
	}
	for name, make := range inputs {
		for _, hash := range []bool{false, true} {
			ins, size := make(), int64(0)
			for _, in := range ins {
				in.Hash = hash
				size += in.Size
			}
			var reads, odd atomic.Int64
			restore := disk.WatchReads(func(p []byte, off int64) {
				reads.Add(1)
				if len(p) > sniff.SampleLen && (int64(uintptr(unsafe.Pointer(&p[0])))-off)%alignment != 0 {
					odd.Add(1)
				}
			})
			pieces, _ := readAll(t, ins, Options{Workers: 2}, 2)
			restore()
			for _, p := range slices.Concat(pieces...) {
				size -= int64(len(p.data)) + p.cut
			}
			if size != 0 || reads.Load() < 8 || odd.Load() > 0 {
				t.Errorf("%s, hashed %v: %d bytes too few, %d of %d reads at another address", name, hash, size, odd.Load(),
					reads.Load())
			}
		}
	}
}

// TestReadsOnWhileAChunkIsUsed checks that a goroutine that holds a chunk of a compressed file
// doesn't stop the others.
func TestReadsOnWhileAChunkIsUsed(t *testing.T) {
	text := noise(1000)
	for form, b := range map[string][]byte{"gzip": gz(t, text), "zstd": zst(t, text), "xz": xzs(t, text)} {
		r := NewReader([]*Input{file(t, write(t, "log", b))}, Options{Workers: 2, ChunkSize: 100, MaxLine: 200})
		kept, ok := r.Next()
		if !ok || kept.Seq != 0 {
			t.Fatalf("%s: %+v", form, kept)
		}
		got := bytes.Clone(kept.Data)
		var wg sync.WaitGroup
		wg.Go(func() {
			for c, ok := r.Next(); ok; c, ok = r.Next() {
				got = append(got, c.Data...)
				r.Release(c)
			}
		})
		finish(t, &wg)
		if !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes of %d", form, len(got), len(text))
		}
		if _, ok := r.Next(); ok {
			t.Errorf("%s: a chunk after the last", form)
		}
		r.Release(kept)
	}
}

// TestStop checks that Stop, anywhere in a file, leaves no goroutine and no open file.
func TestStop(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which closes files that are lost
	before, open := runtime.NumGoroutine(), openFiles()
	text := noise(200_000)
	dir := t.TempDir()
	var paths []string
	for i, b := range [][]byte{gz(t, text), text, zst(t, text), gz(t, text[:100]), xzs(t, text), text[:100]} {
		paths = append(paths, write(t, filepath.Join(dir, fmt.Sprint(i)), b))
	}
	for k := range 50 {
		var ins []*Input
		for _, path := range paths[k%6:] {
			ins = append(ins, file(t, path))
		}
		ins = append(ins, NewInput("pipe", endless{}, -1))
		r := NewReader(ins, Options{Workers: 1 + k%5, ChunkSize: 1 << 10, InOrder: k%2 == 1})
		var wg sync.WaitGroup
		var n atomic.Int64
		for range 1 + k%5 {
			wg.Go(func() {
				for c, ok := r.Next(); ok; c, ok = r.Next() {
					if n.Add(1) == int64(k*10) {
						r.Stop()
					}
					r.Release(c)
				}
			})
		}
		if k == 0 {
			r.Stop()
		}
		finish(t, &wg)
		if res := r.Results()[len(ins)-1]; res.Complete {
			t.Error("an endless input was read completely")
		}
	}
	until(t, func() bool { return runtime.NumGoroutine() <= before && openFiles() <= open })
}

// noise is n bytes in short lines that do not compress.
func noise(n int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, n)
	for i := range b {
		if b[i] = byte(rng.Uint32()); i%20 == 0 {
			b[i] = '\n'
		}
	}
	return b
}

func until(t *testing.T, f func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !f(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatal("it has not happened")
		}
	}
}

// openFiles is how many files the process has open, 0 where the system does not say.
func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}
