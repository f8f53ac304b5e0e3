package source

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// large is a frame with a window, of more bytes than fit into it.
func large(t *testing.T, window int, text string) []byte {
	t.Helper()
	return zstFrame(t, []byte(strings.Repeat(text, window/len(text)+1)), false, zstd.WithWindowSize(window),
		zstd.WithEncoderLevel(zstd.SpeedFastest))
}

// length reads all inputs, and returns the decompressed bytes and the first error.
func length(t *testing.T, ins []*Input, o Options) (n int64, err error) {
	t.Helper()
	_, results := readAll(t, ins, o, 1)
	for _, result := range results {
		n += result.Bytes
		err = errors.Join(err, result.Err)
	}
	return n, err
}

// Streams whose windows are large wait for each other, in any number, and none for itself: also
// where a later frame has the larger window, and where a pipe has been opened before.
func TestLargeWindowsWait(t *testing.T) {
	const ordinary, most = 1 << 20, 16 << 20
	text := strings.Repeat("a line of a log\n", 1<<12)
	small, big := large(t, ordinary, text), large(t, most, text)
	one := int64((ordinary/len(text) + 1 + most/len(text) + 1) * len(text))
	for _, inOrder := range []bool{false, true} {
		windows := NewWindows(32 << 20)
		var ins []*Input
		for i := range 5 {
			ins = append(ins, file(t, write(t, fmt.Sprint(i), slices.Concat(small, big))))
		}
		ins = append(ins, asPipe(t, slices.Concat(big, small)))
		for _, in := range ins {
			in.Windows = windows
			if head, err := in.Head(100); err != nil || string(head) != text[:100] {
				t.Fatalf("%q, %v", head, err)
			}
		}
		if n, err := length(t, ins, Options{Workers: 3, InOrder: inOrder}); err != nil || n != one*int64(len(ins)) {
			t.Errorf("%d bytes of %d, %v", n, one*int64(len(ins)), err)
		}
		for _, slot := range []chan struct{}{windows.reading, windows.glance, windows.pipe} {
			if len(slot) > 0 {
				t.Error("the right to a large window was not given back")
			}
		}
	}
}

// A window that is larger than the bound is an error that has both sizes. What comes before it
// is read.
func TestWindowIsRefused(t *testing.T) {
	text := strings.Repeat("a line of a log\n", 1<<12)
	in := NewInput("a", bytes.NewReader(append(large(t, 1<<20, text), large(t, 16<<20, text)...)), -1)
	in.Windows = NewWindows(1)
	n, err := length(t, []*Input{in}, Options{Workers: 1})
	var refused *WindowError
	if !errors.As(err, &refused) || refused.Window != 16<<20 || refused.Limit != 8<<20 || n != int64(17*len(text)) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// With little memory the chunks are few and small, and as many in all as there is room for.
func TestReaderMemory(t *testing.T) {
	for _, c := range []struct{ workers, mib, chunk, chunks int }{
		{2, 0, defaultChunk, 12},
		{2, 32, defaultChunk, 12},
		{16, 256, defaultChunk, 96},
		{16, 96, defaultChunk, 75},
		{16, 60, minChunk, 39},
		{2, 1, minChunk, 3},
		{64, 1, minChunk, 65},
	} {
		o := Options{Workers: c.workers, Memory: int64(c.mib) << 20}.filled()
		if o.ChunkSize != c.chunk || o.buffers() != c.chunks {
			t.Errorf("%+v: %d chunks of %d bytes", c, o.buffers(), o.ChunkSize)
		}
	}
}

// No buffer becomes longer than there is memory for, whatever the lines are.
func TestBuffersOfLongLines(t *testing.T) {
	data := strings.Repeat(strings.Repeat("x", defaultMaxLine-1)+"\n"+strings.Repeat("y", 3000)+"\n", 20)
	for _, in := range []*Input{asFile(t, []byte(data)), asPipe(t, []byte(data))} {
		r := NewReader([]*Input{in}, Options{Workers: 1, Memory: 1})
		for c, ok := r.Next(); ok; c, ok = r.Next() {
			if len(c.buf) > r.o.longest() {
				t.Errorf("%s: a buffer of %d bytes", in.Name, len(c.buf))
			}
			r.Release(c)
		}
		if res := r.Result(0); !res.Complete || res.Bytes != int64(len(data)) {
			t.Errorf("%+v", res)
		}
	}
}
