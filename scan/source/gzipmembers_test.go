package source

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// oneMember makes each member a part of its own, so that small streams have several parts.
type oneMember struct {
	gzipMembers
	decoded *atomic.Int64
}

func (oneMember) member() {}

func (oneMember) split(br *bufio.Reader, p *part) bool {
	p.maxContents = max(p.maxContents, 1)
	if !p.member(br) {
		return false
	}
	p.size, p.whole = int(min(binary.LittleEndian.Uint32(p.src[len(p.src)-4:]), 1<<20)), len(p.src)
	return true
}

func (o oneMember) decode(p *part) error {
	err := o.gzipMembers.decode(p)
	if err == nil && o.decoded != nil {
		o.decoded.Add(1)
	}
	return err
}

type panickingMembers struct{ oneMember }

func (panickingMembers) decode(*part) error { panic("a decoder that has an error") }

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

// Members of each kind, in any order, cut anywhere and with anything behind them, are read side by
// side as they are serially.
func TestMembersSideBySide(t *testing.T) {
	members := smallMembers(t)
	whole := bytes.Join(members, nil)
	var decoded atomic.Int64
	sameAhead(t, "all", opens(whole), oneMember{decoded: &decoded})
	if decoded.Load() < 4 { // the first, and some behind a false header, are not
		t.Errorf("%d members were decoded side by side", decoded.Load())
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	for n := 2; n < len(whole); n += step {
		sameAhead(t, fmt.Sprintf("cut to %d", n), opens(whole[:n]), oneMember{})
		sameAhead(t, fmt.Sprintf("failing at %d", n), func() io.Reader { return failing(whole[:n]) }, oneMember{})
	}
	wrong, short, long := bytes.Clone(members[0]), bytes.Clone(members[1]), bytes.Clone(members[1])
	wrong[len(wrong)-5] ^= 1 // of the checksum
	short[16]--              // of the length
	long[16]++
	members = append(members, make([]byte, 30), []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"),
		[]byte("not compressed\n"), wrong, short, long)
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		b := bytes.Clone(members[0])
		for range rng.IntN(12) + 1 {
			b = append(b, members[rng.IntN(len(members))]...)
		}
		sameAhead(t, fmt.Sprintf("%x", b), opens(b), oneMember{})
		sameAhead(t, fmt.Sprintf("several at once, %x", b), opens(b), gzipForm{})
	}
}

// gzipForm is gzipMembers as it is.
type gzipForm struct{ gzipMembers }

func (gzipForm) member() {}

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
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for name, b := range files {
		counted := countedMembers{bytes: &atomic.Int64{}}
		if got, _ := readAs(t, bytes.NewReader(b), counted); !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes of %d", name, len(got), len(text))
		}
		if n := counted.bytes.Load(); n < int64(len(text)/3) {
			t.Errorf("%s: only %d of %d bytes were decoded side by side", name, n, len(text))
		}
		sameAhead(t, name, opens(b), gzipForm{})
		sameAhead(t, name+" with zeros", opens(append(bytes.Clone(b), make([]byte, 1000)...)), gzipForm{})
		for range rounds {
			damaged := bytes.Clone(b)
			damaged[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
			sameAhead(t, name+" damaged", opens(damaged), gzipForm{})
		}
	}
}

// countedMembers counts the bytes decoded side by side.
type countedMembers struct {
	gzipForm
	bytes *atomic.Int64
}

func (c countedMembers) decode(p *part) error {
	err := c.gzipMembers.decode(p)
	c.bytes.Add(int64(len(p.dst)))
	return err
}

// Members that decompress to more than a part may have, whatever they say of it, take no more
// memory.
func TestMembersSideBySideMemory(t *testing.T) {
	zeros := make([]byte, 20<<20)
	small := gz(t, []byte("a line\n"))
	bomb := gz(t, zeros)
	modest := bytes.Clone(bomb)
	binary.LittleEndian.PutUint32(modest[len(modest)-4:], 1000)
	for _, b := range [][]byte{bytes.Join([][]byte{small, bomb, small, gz(t, zeros[:7<<20]), bomb, small}, nil),
		slices.Concat(small, small, modest, small)} {
		if !testing.Short() {
			sameAhead(t, "a bomb", opens(b), gzipForm{})
		}
		s, err := newStream(newRawReader(bytes.NewReader(b)), "log", newWindow(nil, nil))
		if err != nil {
			t.Fatal(err)
		}
		done := readAhead(t, s, gzipForm{}, 3)
		a := s.dec.(*ahead)
		for buf := make([]byte, 1<<20); err == nil; {
			_, err = s.Read(buf)
			for _, p := range a.pool.idle {
				if int64(cap(p.src)+cap(p.dst)) > p.taken {
					t.Fatalf("a part takes %d and %d bytes, and %d are counted", cap(p.src), cap(p.dst), p.taken)
				}
			}
		}
		s.close()
		done()
	}
}
