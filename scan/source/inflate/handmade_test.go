package inflate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// bitWriter writes a stream by hand: bits lowest first, Huffman codes highest first (RFC 1951,
// section 3.1.1).
type bitWriter struct {
	out  []byte
	used uint // bits of the last byte
}

func (w *bitWriter) bits(value, n uint) *bitWriter {
	for i := range n {
		if w.used == 0 {
			w.out = append(w.out, 0)
		}
		w.out[len(w.out)-1] |= byte(value>>i&1) << w.used
		w.used = (w.used + 1) % 8
	}
	return w
}

func (w *bitWriter) code(c code) *bitWriter {
	for i := c.bits; i > 0; i-- {
		w.bits(c.value>>(i-1)&1, 1)
	}
	return w
}

func (w *bitWriter) stored(final uint, length, complement int, text string) *bitWriter {
	w.bits(final, 1).bits(0, 2)
	w.used = 0
	w.bits(uint(length), 16).bits(uint(complement), 16)
	w.out = append(w.out, text...)
	return w
}

type code struct{ value, bits uint }

// codesOf makes the codes of lengths (RFC 1951, section 3.2.2), also where there are too few or too
// many.
func codesOf(lengths []uint) []code {
	codes := make([]code, len(lengths))
	next := uint(0)
	for n := uint(1); n <= 15; n++ {
		for symbol, length := range lengths {
			if length == n {
				codes[symbol] = code{next, n}
				next++
			}
		}
		next <<= 1
	}
	return codes
}

// fixedCodes are the codes of RFC 1951, section 3.2.6.
func fixedCodes() (literals, distances []code) {
	lengths := make([]uint, 288)
	for i := range lengths {
		lengths[i] = 8
		if i >= 144 && i < 256 {
			lengths[i] = 9
		} else if i >= 256 && i < 280 {
			lengths[i] = 7
		}
	}
	of := make([]uint, 32)
	for i := range of {
		of[i] = 5
	}
	return codesOf(lengths), codesOf(of)
}

// dynamic begins a last block with codes of these lengths, each written as it is: the codes for
// lengths have five bits, of 0 to 15.
func (w *bitWriter) dynamic(literals, distances []uint) (ofLiterals, ofDistances []code) {
	w.bits(1, 1).bits(2, 2).bits(uint(len(literals)-257), 5).bits(uint(len(distances)-1), 5).bits(19-4, 4)
	for _, symbol := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15} {
		if symbol < 16 {
			w.bits(4, 3)
		} else {
			w.bits(0, 3)
		}
	}
	for _, length := range append(append([]uint{}, literals...), distances...) {
		w.code(code{length, 4})
	}
	return codesOf(literals), codesOf(distances)
}

// lengths returns n lengths, all 0 but those given.
func lengths(n int, of map[int]uint) []uint {
	l := make([]uint, n)
	for symbol, length := range of {
		l[symbol] = length
	}
	return l
}

// ladder gives symbols the lengths 1, 2 … n-1, n, n: a complete code.
func ladder(count int, symbols ...int) []uint {
	l := make([]uint, count)
	for i, symbol := range symbols {
		l[symbol] = uint(min(i+1, len(symbols)-1))
	}
	return l
}

// handmade are streams that no compressor writes, or seldom, and whether the reference accepts
// them.
func handmade() map[string]struct {
	stream []byte
	sound  bool
} {
	cases := map[string]struct {
		stream []byte
		sound  bool
	}{}
	add := func(name string, sound bool, w *bitWriter) {
		cases[name] = struct {
			stream []byte
			sound  bool
		}{append(w.out, make([]byte, 40)...), sound} // zeros: what is decoded beyond the end is seen
	}
	var (
		lit, dist = fixedCodes()
		end       = 256
		fixed     = func() *bitWriter { return new(bitWriter).bits(1, 1).bits(1, 2) }
	)
	add("an empty stored block", true, new(bitWriter).stored(1, 0, 0xffff, ""))
	add("a stored block", true, new(bitWriter).stored(1, 3, 0xfffc, "abc"))
	add("a stored block whose length is not its complement", false, new(bitWriter).stored(1, 3, 0xfffd, "abc"))
	add("the longest stored block", true, new(bitWriter).stored(1, 0xffff, 0, strings.Repeat("x", 0xffff)))
	add("the reserved type of block", false, new(bitWriter).bits(1, 1).bits(3, 2))
	add("an empty fixed block", true, fixed().code(lit[end]))
	many := new(bitWriter)
	for range 5000 {
		many.bits(0, 1).bits(1, 2).code(lit[end]).stored(0, 0, 0xffff, "")
	}
	add("thousands of empty blocks", true, many.bits(1, 1).bits(1, 2).code(lit[end]))
	add("the literal 286 of the fixed code", false, fixed().code(lit[286]).code(dist[0]).code(lit[end]))
	add("the literal 287 of the fixed code", false, fixed().code(lit[287]).code(dist[0]).code(lit[end]))
	for _, d := range []int{30, 31} {
		add(fmt.Sprintf("the distance code %d", d), false,
			fixed().code(lit['a']).code(lit[257]).code(dist[d]).code(lit[end]))
	}
	add("a match before anything", false, fixed().code(lit[257]).code(dist[0]).code(lit[end]))
	add("a match one octet too far back", false, fixed().code(lit['a']).code(lit[257]).code(dist[1]).code(lit[end]))
	add("258 by the code 285", true, fixed().code(lit['a']).code(lit[285]).code(dist[0]).code(lit[end]))
	add("258 by the code 284", true, fixed().code(lit['a']).code(lit[284]).bits(31, 5).code(dist[0]).code(lit[end]))
	farthest := new(bitWriter).stored(0, 32_768, 0x7fff, strings.Repeat("0123456789abcdef", 2048))
	add("the greatest distance", true, farthest.bits(1, 1).bits(1, 2).code(lit[285]).code(dist[29]).bits(8191,
		13).code(lit[end]))
	near := fixed()
	for i := range 40 {
		near.code(lit['a'+i%26])
	}
	for distance := 1; distance <= 40; distance++ {
		for _, length := range []int{257, 258, 264, 265, 273, 284, 285} {
			near.code(lit[length]).bits(1, uint(max(0, length-261)/4)*b2u(length < 285))
			symbol, extra, rest := distanceCode(distance)
			near.code(dist[symbol]).bits(rest, extra)
		}
	}
	add("overlapping copies", true, near.code(lit[end]))

	var w *bitWriter
	begin := func(literals, distances []uint) (l, d []code) {
		w = new(bitWriter)
		return w.dynamic(literals, distances)
	}
	l, d := begin(ladder(286, 256, 'a', 257), lengths(1, map[int]uint{0: 1}))
	add("a single distance code", true, w.code(l['a']).code(l[257]).code(d[0]).code(l[end]))
	l, _ = begin(ladder(286, 256, 'a', 257), lengths(1, map[int]uint{0: 1}))
	add("the missing half of a single distance code", false, w.code(l['a']).code(l[257]).bits(1, 1).code(l[end]))
	l, d = begin(ladder(286, 256, 'a', 257), lengths(1, map[int]uint{0: 2}))
	add("a single distance code of two bits", false, w.code(l['a']).code(l[257]).code(d[0]).code(l[end]))
	l, _ = begin(ladder(257, 'a', 256), lengths(1, nil))
	add("no distance codes, and none is used", true, w.code(l['a']).code(l[end]))
	l, _ = begin(ladder(258, 'a', 257, 256), lengths(1, nil))
	add("no distance codes, and one is used", false, w.code(l['a']).code(l[257]).bits(0, 15).code(l[end]))
	l, _ = begin(lengths(257, map[int]uint{256: 1}), lengths(1, nil))
	add("the end as the only code", true, w.code(l[end]))
	_, _ = begin(lengths(257, map[int]uint{256: 1}), lengths(1, nil))
	add("the missing half of the only code", false, w.bits(1, 1))
	l, _ = begin(lengths(257, map[int]uint{'a': 1}), lengths(1, nil))
	add("a block that cannot end", false, w.code(l['a']).code(l['a']))
	_, _ = begin(lengths(257, nil), lengths(1, nil))
	add("no codes at all", false, w)
	l, _ = begin(lengths(257, map[int]uint{'a': 1, 'b': 1, 256: 1}), lengths(1, nil))
	add("too many codes", false, w.code(l['a']))
	l, _ = begin(lengths(257, map[int]uint{'a': 2, 256: 2}), lengths(1, nil))
	add("too few codes", false, w.code(l['a']).code(l[end]))
	longest := []int{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 256, 257, 285}
	l, d = begin(ladder(286, longest...), ladder(30, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
	for i := range 13 {
		w.code(l['a'+i])
	}
	for range 50 {
		w.code(l[257]).code(d[0]).code(l[285]).code(d[3]).code(l['m'])
	}
	add("codes of fifteen bits", true, w.code(l[end]))
	l, d = begin(append(ladder(286, longest...), 0), lengths(1, map[int]uint{0: 1}))
	add("287 literals", false, w.code(l['a']).code(d[0]).code(l[end]))
	l, _ = begin(ladder(286, longest...), lengths(31, map[int]uint{0: 1}))
	add("31 distances", false, w.code(l['a']).code(l[end]))

	// The lengths of codes by a code of their own: a repetition first, and one beyond the end.
	repeat := func(symbol int, extra, n uint) *bitWriter {
		w := new(bitWriter).bits(1, 1).bits(2, 2).bits(0, 5).bits(0, 5).bits(19-4, 4)
		of := map[int]uint{symbol: 1, 1: 2, 0: 2}
		for _, s := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15} {
			w.bits(of[s], 3)
		}
		for range 40 {
			w.code(code{0, 1}).bits(extra, n)
		}
		return w
	}
	// 97 zeros, a literal, 158 zeros, the end, a length; 29 zeros, of which the last one is of the
	// distances; two distances.
	w = new(bitWriter).bits(1, 1).bits(2, 2).bits(286-257, 5).bits(3-1, 5).bits(18-4, 4)
	of := map[int]uint{1: 2, 2: 2, 17: 2, 18: 2}
	for _, s := range []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1} {
		w.bits(of[s], 3)
	}
	one, two, zeros := code{0, 2}, code{1, 2}, code{3, 2}
	w.code(zeros).bits(97-11, 7).code(one).code(zeros).bits(138-11, 7).code(zeros).bits(20-11,
		7).code(two).code(two).code(zeros).bits(29-11, 7).code(one).code(one)
	add("zeros across the lengths of literals and distances", true,
		w.code(code{0, 1}).code(code{0, 1}).code(code{3, 2}).bits(0, 1).code(code{2, 2}))
	add("a length that repeats nothing", false, repeat(16, 0, 2))
	add("zeros beyond the last length", false, repeat(18, 127, 7))
	add("zeros only", false, repeat(17, 6, 3))
	return cases
}

func b2u(b bool) uint {
	if b {
		return 1
	}
	return 0
}

// distanceCode returns the code of a distance, its extra bits and their number (RFC 1951, section
// 3.2.5).
func distanceCode(distance int) (symbol int, extra, rest uint) {
	base := 1
	for symbol = 0; ; symbol++ {
		extra = uint(max(0, symbol/2-1))
		if distance < base+1<<extra {
			return symbol, extra, uint(distance - base)
		}
		base += 1 << extra
	}
}

func TestHandmade(t *testing.T) {
	var r inflate.Reader
	for name, c := range handmade() {
		t.Run(name, func(t *testing.T) {
			if _, _, err := reference(c.stream); (err == nil) != c.sound {
				t.Fatalf("the reference says %v", err)
			}
			for _, buffer := range []int{1, 100, 1 << 16} {
				check(t, &r, c.stream, buffer)
			}
			for n := range min(len(c.stream), 400) {
				check(t, &r, c.stream[:n], 1<<16)
			}
		})
	}
}
