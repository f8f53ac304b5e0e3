package source

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// tested is a form of parts, of which it may make each frame or member a part of its own, so that small streams have
// several.
type tested struct {
	splitter
	one            bool
	panics         bool
	decoded, bytes *atomic.Int64 // counted if it is not nil
}

func (f tested) split(br *bufio.Reader, p *part) bool {
	_, ofGzip := f.splitter.(gzipMembers)
	switch {
	case !f.one:
		return f.splitter.split(br, p)
	case ofGzip:
		if p.maxContents = max(p.maxContents, 1); !p.member(br) {
			return false
		}
		p.size = int(min(binary.LittleEndian.Uint32(p.src[len(p.src)-4:]), 1<<20))
	case !p.frame(br):
		return false
	}
	p.whole = len(p.src)
	p.ends = append(p.ends, p.whole)
	return true
}

func (f tested) decode(p *part) error {
	if f.panics {
		panic("a decoder that has an error")
	}
	err := f.splitter.decode(p)
	if err == nil && f.decoded != nil {
		f.decoded.Add(1)
		f.bytes.Add(int64(len(p.dst)))
	}
	return err
}

// counting returns a form that counts what it decodes.
func counting(f tested) tested {
	f.decoded, f.bytes = &atomic.Int64{}, &atomic.Int64{}
	return f
}

var (
	zstdParts, gzipParts = tested{splitter: zstdFrames{}}, tested{splitter: gzipMembers{}}
	oneFrame, oneMember  = tested{splitter: zstdFrames{}, one: true}, tested{splitter: gzipMembers{}, one: true}
)

// readAs returns all that can be told about the reading of a stream: its bytes, how it ended and
// where, warnings and hash. It is read by the serial decoder alone if there is no form of parts.
func readAs(t testing.TB, r io.Reader, form *tested) (text []byte, ending string) {
	t.Helper()
	windows := NewWindows(0)
	w := newWindow(windows, make(chan struct{}))
	raw := newRawReader(r)
	raw.sum = sha256.New()
	s, err := newStream(raw, "log", w)
	if err != nil {
		return nil, err.Error()
	}
	if form != nil {
		defer readAhead(t, s, *form, 3)()
	}
	var progress atomic.Int64
	s.raw.reportTo(&progress)
	buf := make([]byte, 5000)
	for err == nil {
		var n int
		n, err = s.Read(buf)
		text = append(text, buf[:n]...)
	}
	ending = fmt.Sprintf("%v, %q", newError("log", s.raw.offset(), err), s.dec.warnings())
	if isEOF(err) {
		ending += fmt.Sprintf(", %d read, %x", progress.Load(), s.raw.sum.Sum(nil))
	}
	s.close()
	if len(windows.reading) > 0 {
		t.Error("the memory of the parts was not given back")
	}
	return text, ending
}

// readAhead has the parts of a stream decoded as a Reader with so many workers does, which shall
// have done all when done is called.
func readAhead(t testing.TB, s *stream, form tested, workers int) (done func()) {
	t.Helper()
	r := &Reader{o: Options{Workers: workers}, parts: newPartPool(64 << 20)}
	r.waiting.Store(int32(workers))
	r.decoding.Store(1)
	r.readAhead(s)
	if a, ok := s.dec.(*ahead); ok && fmt.Sprintf("%T", a.form) == fmt.Sprintf("%T", form.splitter) {
		a.form = form
	}
	return func() {
		if r.decoding.Load() != 1 {
			t.Errorf("%d goroutines decode", r.decoding.Load())
		}
	}
}

// sameAhead fails the test if a stream is not read side by side as it is read serially.
func sameAhead(t testing.TB, what string, open func() io.Reader, form tested) {
	t.Helper()
	want, ending := readAs(t, open(), nil)
	if got, end := readAs(t, open(), &form); !bytes.Equal(got, want) || end != ending {
		t.Fatalf("%s: side by side %d bytes, %s\nserially %d bytes, %s", what, len(got), end, len(want), ending)
	}
}

func opens(b []byte) func() io.Reader { return func() io.Reader { return bytes.NewReader(b) } }

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

func skippable(b []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte("\x50\x2a\x4d\x18"), uint32(len(b))), b...)
}

// runs is a frame of blocks of a repeated byte, with a window of 128 KiB and without the size of
// its contents.
func runs(blocks, size int) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 7 << 3}
	for i := range blocks {
		bits := size<<3 | 1<<1
		if i == blocks-1 {
			bits |= 1
		}
		b = append(b, byte(bits), byte(bits>>8), byte(bits>>16), 'a'+byte(i%3))
	}
	return b
}

// smallFrames are frames of each kind, together of about a kilobyte.
func smallFrames(t testing.TB) [][]byte {
	lines := func(n int) []byte { return bytes.Repeat([]byte("a line of a log\nand another\n"), n) }
	return [][]byte{
		zstFrame(t, lines(20), true),
		skippable([]byte("pzst")),
		zstFrame(t, lines(30), false),
		zstFrame(t, noise(120), false, zstd.WithEncoderCRC(false)),
		zstFrame(t, nil, true, zstd.WithZeroFrames(true)),
		zstFrame(t, noise(90), true, zstd.WithSingleSegment(true)),
		skippable(nil),
		runs(3, 2000),
		zstFrame(t, lines(700), true, zstd.WithWindowSize(1<<10), zstd.WithEncoderCRC(false)),
		zstFrame(t, []byte("no end"), false),
	}
}

// Frames and members of each kind, in any order, cut anywhere and with anything after them, are read side by side as
// they are serially.
func TestSideBySide(t *testing.T) {
	small := smallMembers(t)
	wrong, short, long := bytes.Clone(small[0]), bytes.Clone(small[1]), bytes.Clone(small[1])
	wrong[len(wrong)-5] ^= 1 // of the checksum
	short[16]--              // of the length
	long[16]++
	for _, c := range []struct {
		one, several   tested
		pieces, others [][]byte
		least, rounds  int // of the pieces that are decoded ahead, and of random orders
		begin          []byte
	}{
		{oneFrame, zstdParts, smallFrames(t), nil, len(smallFrames(t)), 150, nil},
		// The first member, and some after a false header, are not decoded ahead.
		{oneMember, gzipParts, small, [][]byte{make([]byte, 30), []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"),
			[]byte("not compressed\n"), wrong, short, long}, 4, 60, small[0]},
	} {
		whole := bytes.Join(c.pieces, nil)
		counted := counting(c.one)
		sameAhead(t, "all", opens(whole), counted)
		if n := int(counted.decoded.Load()); n < c.least {
			t.Errorf("%d of %d pieces were decoded ahead", n, len(c.pieces))
		}
		step, rounds := 2, c.rounds
		if testing.Short() {
			step, rounds = 9, rounds/4
		}
		for n := 4; n < len(whole); n += step {
			sameAhead(t, fmt.Sprintf("cut to %d", n), opens(whole[:n]), c.one)
			sameAhead(t, fmt.Sprintf("failing at %d", n), func() io.Reader { return failing(whole[:n]) }, c.one)
		}
		pieces := append(c.pieces, c.others...)
		rng := rand.New(rand.NewPCG(5, 6))
		for range rounds {
			b := bytes.Clone(c.begin)
			for range rng.IntN(12) + 1 {
				b = append(b, pieces[rng.IntN(len(pieces))]...)
			}
			sameAhead(t, fmt.Sprintf("%x", b), opens(b), c.one)
			sameAhead(t, fmt.Sprintf("several at once, %x", b), opens(b), c.several)
		}
	}
}

// What is not a frame that can be decoded ahead is left to the serial decoder, with all that
// follows.
func TestNotSideBySide(t *testing.T) {
	small := smallFrames(t)
	text := strings.Repeat("a line of a log\n", 1<<12)
	wide := large(t, 16<<20, text) // needs a large window
	long := zstFrame(t, bytes.Repeat([]byte(text), 200), false)
	for what, b := range map[string][]byte{
		"zeros":             make([]byte, 1000),
		"zeros and more":    append(make([]byte, 1000), 'x'),
		"two zeros":         make([]byte, 2),
		"a log line":        []byte("10.0.0.1 - - a log line\n"),
		"half a magic":      small[0][:2],
		"gzip":              gz(t, []byte("a line\n")),
		"a dictionary":      {0x28, 0xb5, 0x2f, 0xfd, 0x21, 0x07, 0x01, 0x09, 0x00, 0x00, 'x'},
		"a window of 1 GiB": {0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 0x09, 0x00, 0x00, 'x'},
		"a reserved block":  {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0, 0x0f, 0x00, 0x00, 'x'},
		"a wrong size":      {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x05, 0x09, 0x00, 0x00, 'x'},
		"a large window":    wide,
		"a long frame":      long,
		"an endless frame":  runs(70, 128<<10),
		"a long block":      runs(3, 1<<20),
		"a long skippable":  skippable(make([]byte, 3<<20)),
		"a false skippable": append(skippable(nil)[:4], 0xff, 0xff, 0xff, 0xff, 'x'),
	} {
		for _, form := range []tested{oneFrame, zstdParts} {
			for _, n := range []int{3, 0} {
				if n == 0 && testing.Short() {
					continue
				}
				stream := slices.Concat(bytes.Join(small[:n], nil), b, bytes.Join(small[n:], nil))
				sameAhead(t, what, opens(stream), form)
				sameAhead(t, what+" at the end", opens(slices.Concat(bytes.Join(small[:n+1], nil), b)), form)
			}
		}
	}
}

// A bit of any byte that is wrong has the same consequence, and a panic of a decoder in another goroutine is caught.
func TestSideBySideFlips(t *testing.T) {
	step := 5
	if testing.Short() {
		step = 17
	}
	for _, c := range []struct {
		parts      [][]byte
		form       tested
		magicBytes int
	}{{smallFrames(t), oneFrame, 4}, {smallMembers(t), oneMember, 3}} {
		whole := bytes.Join(c.parts, nil)
		for i := 8 * c.magicBytes; i < 8*len(whole); i += step {
			b := bytes.Clone(whole)
			b[i/8] ^= 1 << (i % 8)
			sameAhead(t, fmt.Sprintf("bit %d", i), opens(b), c.form)
		}
		c.form.panics = true
		sameAhead(t, "panic", opens(whole), c.form)
	}
}

// The parts take no more memory than is meant for them, whatever a few bytes decode to and whatever they say of it.
func TestSideBySideMemory(t *testing.T) {
	const n = 12
	zeros := make([]byte, 20<<20)
	small, bomb := gz(t, []byte("a line\n")), gz(t, zeros)
	modest := bytes.Clone(bomb)
	binary.LittleEndian.PutUint32(modest[len(modest)-4:], 1000)
	for _, c := range []struct {
		form  tested
		bytes []byte
		want  int
	}{
		{zstdParts, bytes.Repeat(runs(maxContents/(128<<10), 128<<10), n), n * maxContents},
		{gzipParts, bytes.Join([][]byte{small, bomb, small, gz(t, zeros[:7<<20]), bomb, small}, nil), 47<<20 + 3*7},
		{gzipParts, slices.Concat(small, small, modest, small), -1},
	} {
		if !testing.Short() && c.form == gzipParts {
			sameAhead(t, "a bomb", opens(c.bytes), gzipParts)
		}
		s, err := newStream(newRawReader(bytes.NewReader(c.bytes)), "log", newWindow(NewWindows(0), make(chan struct{})))
		if err != nil {
			t.Fatal(err)
		}
		done := readAhead(t, s, c.form, 3)
		a, total, most := s.dec.(*ahead), 0, 0
		for buf := make([]byte, 1<<20); err == nil; {
			var read int
			read, err = s.Read(buf)
			total += read
			most = max(most, len(a.queue))
			if p := a.given; p != nil && cap(p.src)+cap(p.dst) > a.pool.bytes() { // the others may be decoding
				t.Fatalf("a part takes %d and %d bytes, and %d are counted", cap(p.src), cap(p.dst), a.pool.bytes())
			}
		}
		if c.want >= 0 && (!isEOF(err) || total != c.want) || most > 4 {
			t.Errorf("%d bytes, %v, %d parts at a time", total, err, most)
		}
		s.close()
		done()
	}
}

// A Reader gives the same lines and results with any number of workers, and no goroutine is left when
// it is stopped anywhere. Frames are read side by side by more workers than one decoder can feed.
func TestReaderSideBySide(t *testing.T) {
	before := runtime.NumGoroutine()
	_, files := logMembers(t)
	text := bytes.Repeat([]byte("a line of a log, as long as lines of logs are: GET /index.html 200 4711\n"), 2000)
	frame := zstFrame(t, text, false)
	files["frames"] = bytes.Repeat(frame, 60)
	paths := []string{write(t, "frame", frame)}
	for name, b := range files {
		paths = append(paths, write(t, name, b), write(t, name+".cut", b[:len(b)/3]))
		b[len(b)/2] ^= 0x55
		paths = append(paths, write(t, name+".bad", b))
	}
	inputs := func() (ins []*Input) {
		for _, path := range paths {
			in := file(t, path)
			in.Hash = true
			ins = append(ins, in)
		}
		return ins
	}
	for workers, want := range map[int]bool{1: false, zstdFeeds: false, zstdFeeds + 1: true} {
		o, err := inputs()[0].open(&Reader{o: Options{Workers: workers}, blocking: map[*disk.File]bool{}})
		if _, is := o.stream.dec.(*ahead); err != nil || is != want {
			t.Errorf("%d workers: %T, %v", workers, o.stream.dec, err)
		}
		o.close()
	}
	want, results := readAll(t, inputs(), Options{Workers: 1}, 1)
	for _, o := range []Options{
		{Workers: 3}, {Workers: 2, InOrder: true}, {Workers: 16, InOrder: true}, {Workers: 16, Ahead: 8 << 20,
			ChunkSize: 10_000},
	} {
		got, res := readAll(t, inputs(), o, o.Workers)
		for i := range paths {
			if !bytes.Equal(joined(got[i]), joined(want[i])) || fmt.Sprint(res[i]) != fmt.Sprint(results[i]) {
				t.Errorf("%+v: %d bytes, %v; want %d, %v", o, len(joined(got[i])), res[i], len(joined(want[i])),
					results[i])
			}
		}
		for n := 0; n < 12; n += 3 {
			r := NewReader(inputs(), o)
			var wg sync.WaitGroup
			for k := range o.Workers {
				wg.Go(func() {
					for c, ok := r.Next(); ok; c, ok = r.Next() {
						if k == 0 && c.Seq >= int64(n) {
							r.Stop()
						}
						r.Release(c)
					}
				})
			}
			finish(t, &wg)
		}
	}
	until(t, func() bool { return runtime.NumGoroutine() <= before })
}

// Frames with every mix of harm are read side by side as they are serially.
func FuzzSideBySide(f *testing.F) {
	small := smallFrames(f)
	for n := range small {
		f.Add(bytes.Join(small[n:], nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		open := func() io.Reader { return io.LimitReader(bytes.NewReader(b), 4<<10) } // which decode to 128 MiB at most
		sameAhead(t, "fuzzed", open, oneFrame)
	})
}

// gzMember is a member with a header of the caller's.
func gzMember(t testing.TB, level int, header gzip.Header, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w.Header = header
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bgzf is a member as bgzip writes it: an extra field has its length less 1.
func bgzf(t testing.TB, text []byte) []byte {
	b := gzMember(t, 6, gzip.Header{Extra: []byte("BC\x02\x00\x00\x00"), OS: 255}, text)
	binary.LittleEndian.PutUint16(b[16:], uint16(len(b)-1))
	return b
}

// allFlags is a member whose header has each optional field, and a checksum.
func allFlags(t testing.TB, text []byte) []byte {
	b := gzMember(t, 9, gzip.Header{Extra: []byte("ab\x03\x00xyz"), Name: "access.log", Comment: "of a day", OS: 3},
		text)
	b[3] |= 1<<1 | 1 // FHCRC and FTEXT
	end := 10 + 2 + 7 + len("access.log\x00of a day\x00")
	return slices.Insert(b, end, binary.LittleEndian.AppendUint16(nil, uint16(crc32.ChecksumIEEE(b[:end])))...)
}

// smallMembers are members of each kind, together of about a kilobyte.
func smallMembers(t testing.TB) [][]byte {
	lines := func(n int) []byte { return bytes.Repeat([]byte("a line of a log\nand another\n"), n) }
	return [][]byte{
		gz(t, lines(20)),
		bgzf(t, lines(30)),
		allFlags(t, lines(9)),
		gz(t, nil),
		gzMember(t, 0, gzip.Header{OS: 255}, gz(t, lines(3), lines(4))), // files of gzip, stored
		gz(t, noise(120)),
		gz(t, lines(4000)),
		bgzf(t, nil), // ends a file of bgzip
		gz(t, []byte("no end")),
	}
}

// logMembers are files as bgzip, a server and the concatenation of rotated logs make them.
func logMembers(t testing.TB) (text []byte, files map[string][]byte) {
	rng := rand.New(rand.NewPCG(7, 8))
	for len(text) < 4<<20 {
		text = append(text, bytes.Repeat(fmt.Appendf(nil, "192.0.2.1 GET /page/%x\n", rng.Uint64()), 1+rng.IntN(9))...)
	}
	files = map[string][]byte{}
	for c := range slices.Chunk(text, 65280) {
		b := bgzf(t, c)
		files["bgzf"] = append(files["bgzf"], b...)
		b[9] = 200 // no operating system of RFC 1952: only its length tells where it ends
		files["bgzf of another system"] = append(files["bgzf of another system"], b...)
	}
	for rest := text; len(rest) > 0; {
		n := bytes.LastIndexByte(rest[:min(len(rest), 64<<10)], '\n') + 1
		files["server"] = append(files["server"], gzMember(t, 1, gzip.Header{OS: 3}, rest[:n])...)
		rest = rest[n:]
	}
	for rest, n := text, 100; len(rest) > 0; n *= 2 {
		n = min(n, len(rest))
		files["rotated"] = append(files["rotated"], gzMember(t, 6, gzip.Header{Name: "access.log", OS: 3}, rest[:n])...)
		rest = rest[n:]
	}
	return text, files
}

// Files of ordinary members are read side by side from the second to the last, and any damage has
// the consequence that it has serially.
func TestMembersOfLogs(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	text, files := logMembers(t)
	for name, b := range files {
		counted := counting(gzipParts)
		if got, _ := readAs(t, bytes.NewReader(b), &counted); !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes of %d", name, len(got), len(text))
		}
		if n := counted.bytes.Load(); n < int64(len(text)/3) {
			t.Errorf("%s: only %d of %d bytes were decoded side by side", name, n, len(text))
		}
		sameAhead(t, name, opens(b), gzipParts)
		sameAhead(t, name+" with zeros", opens(append(bytes.Clone(b), make([]byte, 1000)...)), gzipParts)
		b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
		sameAhead(t, name+" damaged", opens(b), gzipParts)
	}
}
