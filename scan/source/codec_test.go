package source

import (
	"bytes"
	stdgzip "compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// bzTwo is 216,000 bytes in three blocks, an empty file, and a second file, one after the other.
// Made by Python's bz2 module.
var (
	bzFirst = unhex("425a68313141592653590bdc71400073da5980001040007f0023679c00300119805034d0c8c98826aa9069a034cd014aa864d304c837152a" +
		"2b554a8ad21063083cc20ca107a8419c20d2107fa828fa2147c10a3d0851b0851a8851810a302147710a3c0851810a3410a3610a3710a302" +
		"1466214662147410a3410a3a8851c08519085190851c98a0ac9329ac85ee38a00039ed2cc0000820003f8011b3ce0018008cc0281a686464" +
		"c413554834d01a6680a554326982641b8a9515aaa545690831841e61065083d420ce1069083fd4147d10a3e0851e8428d8428d4428c08518" +
		"10a3b8851e0428c0851a0851b0851b8851810a3310a3310a3a0851a0851d4428e0428c8428c8428e4c50564994d66e96a81cc004ae966000" +
		"0410001fc008d9e7000c003e00a069a1919310a069a19193102954864d3d41a69936448f2448c126349277926b24f124c493324e5123da24" +
		"7a448c2246e891b22470891c22466891dd1238448d51237448fc891c22468891a22474448d5123aa2472891922464891fc5dc914e142420a" +
		"4e1fcc")
	bzEmpty  = unhex("425a683917724538509000000000")
	bzSecond = unhex("425a6839314159265359f43e86f9000011d180001040002e039c00200022bfd540d0c840d03421b459c792ea52a4a90f8bb9229c28487a1f437c80")
	bzTwo    = bytes.Join([][]byte{bzFirst, bzEmpty, bzSecond}, nil)
)

func bzText() (first, second []byte) {
	for i := range 8000 {
		first = fmt.Appendf(first, "line %d of the first stream\n", i%7)
	}
	return first, bytes.Repeat([]byte("second stream\n"), 3)
}

// decoded reads an archive from a pipe and returns its bytes and result. It fails the test if
// reading it from a file differs.
func decoded(t testing.TB, b []byte) ([]byte, Result) {
	t.Helper()
	got, res := readAll(t, []*Input{NewInput("archive", bytes.NewReader(b), int64(len(b)))},
		Options{Workers: 2, ChunkSize: 16 << 10}, 1)
	o := Options{Workers: 2, ChunkSize: min(16<<10, len(b)/2)}
	if o.ChunkSize == 0 {
		return joined(got[0]), res[0]
	}
	fromFile, again := readAll(t, []*Input{file(t, write(t, "archive", b))}, o, 2)
	if !bytes.Equal(joined(fromFile[0]), joined(got[0])) {
		t.Errorf("%d bytes from a pipe, %d from a file", len(joined(got[0])), len(joined(fromFile[0])))
	}
	text := func(r Result) string {
		r.Name = ""
		var e *Error
		if errors.As(r.Err, &e) {
			r.Err = fmt.Errorf("at %d: %w", e.Offset, e.Err)
		}
		return fmt.Sprintf("%+v", r)
	}
	if text(res[0]) != text(again[0]) {
		t.Errorf("from a pipe %s, from a file %s", text(res[0]), text(again[0]))
	}
	return joined(got[0]), res[0]
}

func TestBzip2(t *testing.T) {
	first, second := bzText()
	want := append(bytes.Clone(first), second...)
	got, res := decoded(t, bzTwo)
	if !bytes.Equal(got, want) || res.Err != nil || !res.Complete || res.Codec != "bzip2" {
		t.Fatalf("%d bytes of %d: %+v", len(got), len(want), res)
	}
	for _, o := range smallOptions {
		ps, _ := readAll(t, []*Input{file(t, write(t, "log", bzTwo))}, o, 2)
		check(t, want, ps[0], o)
	}
	if got, res := decoded(t, bzEmpty); len(got) > 0 || res.Err != nil {
		t.Errorf("empty file: %q %+v", got, res)
	}
	for n := 10; n < len(bzTwo); n++ {
		if n > 20 && n < len(bzFirst)-20 && n%60 > 0 {
			continue // inside the large blocks, which are slow, not every byte
		}
		got, res := decoded(t, bzTwo[:n])
		whole := n == len(bzFirst) || n == len(bzFirst)+len(bzEmpty)
		if !bytes.HasPrefix(want, got) || (res.Err == nil) != whole || res.Complete != whole {
			t.Fatalf("truncated to %d of %d: %d bytes, %+v", n, len(bzTwo), len(got), res)
		}
		if n >= len(bzFirst)-10 && len(got) < len(first) { // the blocks are all there
			t.Fatalf("truncated to %d of %d: %d bytes, of blocks of %d bytes", n, len(bzTwo), len(got), len(first))
		}
	}
}

// TestTruncatedAnywhere checks that an archive cut anywhere is read as far as by another decoder,
// with the error near its end.
func TestTruncatedAnywhere(t *testing.T) {
	a, b := []byte("first line\nsecond line\n"), bytes.Repeat([]byte("a line of the second member\n"), 30)
	text := append(bytes.Clone(a), b...)
	for form, pack := range map[string]func(testing.TB, ...[]byte) []byte{"gzip": gz, "zstd": zst, "xz": xzs} {
		whole, member, first := pack(t, a, b), len(pack(t, a)), map[string]int{"gzip": 2, "zstd": 6, "xz": 6}[form]
		for n := first; n < len(whole); n++ {
			least := 0
			if n >= member {
				least = len(a)
			}
			if z, err := stdgzip.NewReader(bytes.NewReader(whole[:n])); err == nil {
				decodable, _ := io.ReadAll(z)
				least = len(decodable)
			}
			got, res := decoded(t, whole[:n])
			if ok := n == member; !bytes.HasPrefix(text, got) || len(got) < least || (res.Err == nil) != ok ||
				res.Complete != ok {
				t.Fatalf("%s truncated to %d of %d: got %d bytes, %d can be decoded, %+v", form, n, len(whole), len(got),
					least, res)
			}
			var e *Error
			if form == "gzip" && n != member && (!errors.As(res.Err, &e) || e.Offset > int64(n) || e.Offset < int64(n)-30 ||
				!errors.Is(e, io.ErrUnexpectedEOF) && !errors.Is(e, errTrailing)) {
				t.Fatalf("truncated to %d of %d: %+v", n, len(whole), res)
			}
		}
	}
}

// packed is a small archive of each kind.
func packed(t testing.TB) (text []byte, forms map[string][]byte) {
	_, text = bzText()
	return text, map[string][]byte{"gzip": gz(t, text), "zstd": zst(t, text), "xz": xzs(t, text), "bzip2": bzSecond}
}

func TestZeroPadding(t *testing.T) {
	text, forms := packed(t)
	for form, b := range forms {
		for _, n := range []int{6, 512, 3 << 10, 300<<10 + 1} {
			got, res := decoded(t, append(bytes.Clone(b), make([]byte, n)...))
			warned := len(res.Warnings) == 1 && strings.Contains(res.Warnings[0], fmt.Sprint(n))
			if form == "xz" && n%4 == 0 {
				warned = len(res.Warnings) == 0 // part of the format
			}
			if form == "bzip2" { // an error, but all of the text is there
				if !bytes.Equal(got, text) || res.Err == nil {
					t.Errorf("bzip2 with %d zeros: %q, %+v", n, got, res)
				}
				continue
			}
			if !bytes.Equal(got, text) || res.Err != nil || !res.Complete || !warned {
				t.Errorf("%s with %d zeros: %q, %+v", form, n, got, res)
			}
		}
	}
}

func TestTrailingGarbage(t *testing.T) {
	text, forms := packed(t)
	for form, b := range forms {
		for _, tail := range []string{"10.0.0.1 - - a log line\n", "\x00\x00\x00\x00\x00\x00\x00\x00garbage",
			string(b[:len(b)/2])} {
			got, res := decoded(t, append(bytes.Clone(b), tail...))
			var e *Error
			if !bytes.HasPrefix(got, text) || !errors.As(res.Err, &e) || res.Complete || len(res.Warnings) > 0 ||
				e.Offset < int64(len(b)) {
				t.Errorf("%s with %q behind it: %q, %+v", form, tail, got, res)
			}
		}
	}
}

// TestCorruptBytes changes every byte of small archives: no panic, no hang, and no wrong data
// without an error. Where the format doesn't protect a byte (names, times), the data must be right.
func TestCorruptBytes(t *testing.T) {
	text, forms := packed(t)
	first, _ := bzText()
	check := func(form string, b, text []byte, step int) {
		for i := 0; i < len(b); i += step {
			for _, x := range []byte{0x01, 0x80, 0xff} {
				c := bytes.Clone(b)
				c[i] ^= x
				got, res := decoded(t, c)
				if res.Codec != form {
					continue
				}
				if res.Err == nil && !bytes.Equal(got, text) {
					t.Fatalf("%s with byte %d ^ %#x: %q and no error", form, i, x, clip(got))
				}
			}
		}
	}
	for form, b := range forms {
		check(form, b, text, 1)
	}
	check("bzip2", bzFirst, first, 67) // large blocks: slow
}

func TestZstdWindow(t *testing.T) {
	// A frame header with a window of 256 MiB, and one block of a byte.
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 18 << 3, 0x09, 0x00, 0x00, 'x'}
	if got, res := decoded(t, b); res.Err == nil || !strings.Contains(res.Err.Error(), "128 MiB") {
		t.Errorf("%q %+v", got, res)
	}
	b[5] = 17 << 3 // 128 MiB
	if got, res := decoded(t, b); res.Err != nil || string(got) != "x" {
		t.Errorf("%q %+v", got, res)
	}
	// A checksum that is wrong is an error, and the data is delivered.
	b = zstFrame(t, []byte("some line\n"), true, zstd.WithEncoderCRC(true))
	b[len(b)-1] ^= 1
	if got, res := decoded(t, b); res.Err == nil || string(got) != "some line\n" {
		t.Errorf("%q %+v", got, res)
	}
	// Skippable frames before, between and after.
	skip := []byte("\x53\x2a\x4d\x18\x03\x00\x00\x00abc")
	frame := zst(t, []byte("line\n"))
	if got, res := decoded(t, bytes.Join([][]byte{skip, frame, skip, frame, skip}, nil)); res.Err != nil ||
		string(got) != "line\nline\n" {
		t.Errorf("%q %+v", got, res)
	}
}

// TestXzDictionary checks block headers that declare a dictionary of 4 GiB, in any block of any
// stream. A small block doesn't need it, and a large one is rejected before it is allocated.
func TestXzDictionary(t *testing.T) {
	ask := func(text []byte) []byte {
		var to bytes.Buffer
		w, err := xz.WriterConfig{DictCap: 1 << 16}.NewWriter(&to)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(text)
		w.Close()
		b := to.Bytes()
		h := b[12 : 12+(int(b[12])+1)*4]
		h[bytes.Index(h, []byte{0x21, 0x01})+2] = 40
		binary.LittleEndian.PutUint32(h[len(h)-4:], crc32.ChecksumIEEE(h[:len(h)-4]))
		return b
	}
	small, large := []byte("some line\n"), ask(noise(1<<20))
	if got, res := decoded(t, ask(small)); !bytes.Equal(got, small) || res.Err != nil {
		t.Errorf("%q %+v", got, res)
	}
	for before, b := range map[string][]byte{
		"":                       large,
		"some line\n":            append(xzs(t, small), large...),
		"some line\nsome line\n": slices.Concat(ask(small), xzs(t, small), large),
	} {
		var err error
		var got []byte
		took := allocated(func() {
			r, e := NewInput("log.xz", bytes.NewReader(b), -1).Open()
			if err = e; err == nil {
				got, err = io.ReadAll(r)
			}
		})
		var refused *WindowError
		if !errors.As(err, &refused) || refused.Window < 4<<30-1 || string(got) != before || took > 4<<20 {
			t.Errorf("%q, %v, %d bytes were allocated", got, err, took)
		}
	}
}

// allocated is how many bytes a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestXzPadding checks that another stream may follow padding (xz file format, 2.2).
func TestXzPadding(t *testing.T) {
	one := xzFile(1, []byte("a line\n"))
	for _, zeros := range []int{4, 8, 512} {
		got, res := decoded(t, slices.Concat(one, make([]byte, zeros), one, make([]byte, zeros)))
		if string(got) != "a line\na line\n" || res.Err != nil || len(res.Warnings) > 0 {
			t.Errorf("%d zero bytes: %q, %+v", zeros, got, res)
		}
	}
	got, res := decoded(t, slices.Concat(one, make([]byte, 6), one))
	if string(got) != "a line\n" || !errors.Is(res.Err, errTrailing) {
		t.Errorf("6 zero bytes: %q, %+v", got, res)
	}
}

// TestXzBlocks checks the limit on blocks, of each of which the library keeps a record.
func TestXzBlocks(t *testing.T) {
	got, err := length(t, []*Input{NewInput("a", bytes.NewReader(xzFile(maxXzBlocks+1, nil)), -1)}, Options{Workers: 1})
	if got > 0 || err == nil || !strings.Contains(err.Error(), "more than 262144 blocks") {
		t.Errorf("%d bytes, %v", got, err)
	}
}

// FuzzDecoders checks that archives with any damage end, or continue within bounded memory, without
// a panic.
func FuzzDecoders(f *testing.F) {
	_, forms := packed(f)
	for _, b := range forms {
		f.Add(b)
	}
	f.Add(bzTwo)
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader([]*Input{NewInput("archive", bytes.NewReader(b), -1)}, Options{Workers: 1, ChunkSize: 16 << 10})
		limit := time.AfterFunc(200*time.Millisecond, r.Stop) // a few kilobytes may well expand to gigabytes
		for c, ok := r.Next(); ok; c, ok = r.Next() {
			r.Release(c)
		}
		limit.Stop()
		if err := r.Results()[0].Err; err != nil && strings.Contains(err.Error(), "decoder failed") {
			t.Error(err) // caught, but worth knowing
		}
	})
}

// xzFile returns an xz file whose blocks each hold the same text, at most 64 KiB of it, and whose
// headers ask for a dictionary of 128 MiB.
func xzFile(blocks int, text []byte) []byte {
	le := binary.LittleEndian.AppendUint32
	sum := func(b []byte) []byte { return le(b, crc32.ChecksumIEEE(b)) }
	header := sum([]byte{2, 0, 0x21, 1, 30, 0, 0, 0})
	lzma2 := []byte{}
	if len(text) > 0 {
		lzma2 = append(binary.BigEndian.AppendUint16([]byte{1}, uint16(len(text)-1)), text...)
	}
	lzma2 = append(lzma2, 0)
	block := append(append(bytes.Clone(header), lzma2...), make([]byte, -len(lzma2)&3)...)
	block = le(block, crc32.ChecksumIEEE(text))
	record := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(header)+len(lzma2)+4)), uint64(len(text)))
	index := append(binary.AppendUvarint([]byte{0}, uint64(blocks)), bytes.Repeat(record, blocks)...)
	index = sum(append(index, make([]byte, -len(index)&3)...))
	end := append(le(nil, uint32(len(index)/4-1)), 0, 1)
	file := append([]byte("\xfd7zXZ\x00"), sum([]byte{0, 1})[0:2]...)
	file = le(file, crc32.ChecksumIEEE([]byte{0, 1}))
	file = append(append(file, bytes.Repeat(block, blocks)...), index...)
	return append(append(le(file, crc32.ChecksumIEEE(end)), end...), "YZ"...)
}

// TestXzSmallBlocks checks that blocks that each declare a large dictionary get only as much as
// they need. One large dictionary per block took 13 s for 50 KB.
func TestXzSmallBlocks(t *testing.T) {
	for _, text := range []string{"", "a line\n"} {
		const blocks = 2000
		b := xzFile(blocks, []byte(text))
		took := allocated(func() {
			for _, part := range [][]byte{b, bytes.Repeat(xzFile(1, []byte(text)), blocks)} {
				r, err := NewInput("log.xz", bytes.NewReader(part), -1).Open()
				if err != nil {
					t.Fatal(err)
				}
				data, err := io.ReadAll(r)
				r.Close()
				if want := strings.Repeat(text, blocks); err != nil || string(data) != want {
					t.Fatalf("%d bytes of %d: %v", len(data), len(want), err)
				}
			}
		})
		// the library takes 64 KiB for a chunk
		if took > 2*MaxWindow+blocks*(128<<10) {
			t.Errorf("%d MiB were allocated for %d times %q", took>>20, 2*blocks, text)
		}
	}
}

// TestXzBlockBeginsAnew checks that a block that doesn't reset the dictionary is damaged, although
// the library still has the previous block's.
func TestXzBlockBeginsAnew(t *testing.T) {
	b := xzFile(2, []byte("a line\n"))
	at := bytes.LastIndex(b, []byte("\x01\x00\x06a line"))
	b[at] = 2 // an uncompressed chunk that keeps the dictionary
	got, res := decoded(t, b)
	if string(got) != "a line\n" || res.Err == nil {
		t.Errorf("%q, %v", got, res.Err)
	}
}

// TestEmptyMembers checks that any number of empty members, frames or streams is an empty input, in
// linear time.
func TestEmptyMembers(t *testing.T) {
	frame := []byte("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00")
	for form, b := range map[string][]byte{"gzip": gz(t, nil), "zstd": frame, "bzip2": bzEmpty, "xz": xzFile(0, nil),
		"xz blocks": xzFile(1, nil)} {
		got, res := decoded(t, bytes.Repeat(b, 30000))
		if len(got) > 0 || res.Err != nil || !res.Complete {
			t.Errorf("%s: %d bytes, %+v", form, len(got), res)
		}
	}
}

// TestNameOfCompressed checks that a file with a compression extension must be compressed, in any
// format, or text. Anything else, including an empty file, is an error in all functions.
func TestNameOfCompressed(t *testing.T) {
	text, forms := packed(t)
	ends := map[string]string{"gzip": ".gz", "zstd": ".zst", "xz": ".xz", "bzip2": ".BZ2"}
	refused := func(name string, b []byte) {
		t.Helper()
		path := write(t, name, b)
		_, head := file(t, path).Head(100)
		_, open := file(t, path).Open()
		_, pipe := NewInput(path, bytes.NewReader(b), -1).Head(100)
		_, res := readAll(t, []*Input{file(t, path)}, Options{}, 1)
		for _, err := range []error{head, open, pipe, res[0].Err} {
			if err == nil || !strings.HasPrefix(err.Error(), path+": ") || res[0].Complete {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for form, b := range forms {
		refused("empty"+ends[form], nil)
		for n := range map[string]int{"gzip": 2, "zstd": 4, "xz": 6, "bzip2": 10}[form] {
			damaged := bytes.Clone(b)
			damaged[n] ^= 0x80
			refused("damaged.log"+ends[form], damaged)
			if n > 0 {
				refused("short"+ends[form], b[:n])
			}
		}
		for _, other := range forms {
			if got, err := file(t, write(t, "other"+ends[form], other)).Head(len(text)); err != nil ||
				!bytes.Equal(got, text) {
				t.Errorf("%s: %d bytes, %v", form, len(got), err)
			}
		}
		if got, err := file(t, write(t, "text"+ends[form], text)).Head(len(text)); err != nil ||
			!bytes.Equal(got, text) {
			t.Errorf("text as %s: %d bytes, %v", form, len(got), err)
		}
	}
	if _, err := file(t, write(t, "empty.log", nil)).Head(1); err != nil {
		t.Error(err)
	}
}

func TestBlocks(t *testing.T) {
	text := bytes.Repeat([]byte("robots.txt\n"), 1000)
	var b Blocks
	defer b.Close()
	for range 2 {
		packed, dst := zst(t, text), make([]byte, len(text))
		if n, err := b.Zstd(dst, packed); n != len(text) || err != nil || !bytes.Equal(dst, text) {
			t.Error(n, err)
		}
		if _, err := b.Zstd(dst[:len(text)-1], packed); err == nil {
			t.Error("a block larger than its place is no error")
		}
		if _, err := b.Zstd(dst, packed[:len(packed)/2]); err == nil {
			t.Error("half a block is no error")
		}
		packed = gz(t, text[:5], text[5:])
		if n, err := b.Gzip(dst, packed); n != len(text) || err != nil || !bytes.Equal(dst, text) {
			t.Error(n, err)
		}
		if n, err := b.Gzip(dst[:len(text)-1], packed); n != len(text) || err != nil {
			t.Error("a block larger than its place:", n, err)
		}
		if _, err := b.Gzip(dst, zst(t, text)); err == nil {
			t.Error("Zstandard is read as gzip")
		}
	}
}

// zstFrame is a frame as the options of the library have it. Without size its header does not tell
// the size of the contents.
func zstFrame(t testing.TB, text []byte, size bool, o ...zstd.EOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, append(o, zstd.WithEncoderConcurrency(1))...)
	if err != nil {
		t.Fatal(err)
	}
	if size {
		return w.EncodeAll(text, nil)
	}
	for part := range slices.Chunk(text, len(text)/2+1) {
		w.Write(part)
		w.Flush()
	}
	w.Close()
	return b.Bytes()
}

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

// TestLargeWindowsWait checks that streams with large windows wait for each other, in any number,
// but never for themselves, even if a later frame has the larger window or a pipe was opened
// before.
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

// TestWindowIsRefused checks that a window above the limit is an error with both sizes, and that
// what precedes it is read.
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

// TestReaderMemory checks that little memory gives few and small chunks, as many in all as fit.
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
