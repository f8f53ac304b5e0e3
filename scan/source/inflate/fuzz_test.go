package inflate_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// FuzzInflate compares the Reader with the reference, with buffers that are decoded into and with
// shorter ones.
func FuzzInflate(f *testing.F) {
	for _, text := range texts() {
		text = text[:min(len(text), 3000)]
		for _, level := range []int{-2, 0, 1, 6} {
			f.Add(raw(f, text, level, level == 1))
		}
	}
	for _, c := range handmade() {
		f.Add(c.stream[:min(len(c.stream), 3000)])
	}
	var r inflate.Reader
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, buffer := range []int{1 << 16, 1000, 1 << 20} {
			check(t, &r, stream, buffer)
		}
	})
}

// FuzzBlocks turns the input into blocks with complete codes, so that most of them get far: a
// fuzzer that changes a stream itself seldom finds a complete code.
func FuzzBlocks(f *testing.F) {
	f.Add([]byte{5, 9, 200, 3, 1, 7, 77, 150, 9},
		[]byte("symbols that follow one another, again and again, again and again"))
	f.Add(bytes.Repeat([]byte{1}, 14), bytes.Repeat([]byte{255, 3, 9}, 200))
	var r inflate.Reader
	f.Fuzz(func(t *testing.T, shape, symbols []byte) {
		shape, symbols = append(shape, 0), symbols[:min(len(symbols), 5000)]
		used := []int{256, 257 + int(shape[0])%29}
		for _, s := range shape[:min(len(shape), 14)] {
			if s := int(s); !slices.Contains(used, s) {
				used = append(used, s)
			}
		}
		if shape[0]%2 == 0 { // the end and the lengths get the longest codes
			slices.Reverse(used)
		}
		far := make([]int, 2+int(shape[0])%15) // codes of distances
		for i := range far {
			far[i] = i
		}
		w := new(bitWriter).stored(0, 300, 0xffff-300, string(bytes.Repeat([]byte("stored"), 50)))
		l, d := w.dynamic(ladder(286, used...), ladder(30, far...))
		for i, b := range symbols {
			symbol := used[int(b)%len(used)]
			if symbol == 256 {
				continue
			}
			w.code(l[symbol])
			if symbol > 256 {
				if symbol < 285 {
					w.bits(uint(i), uint(max(0, symbol-261)/4))
				}
				s := far[i%len(far)]
				w.code(d[s]).bits(uint(b), uint(max(0, s/2-1)))
			}
		}
		w.code(l[256])
		for _, buffer := range []int{1 << 16, 1000} {
			check(t, &r, append(w.out, "behind"...), buffer)
		}
	})
}
