package spill

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestAddSavedSameAsTwin checks that saved runs, some of them within a larger file, give the same
// bytes as the records when added again.
func TestAddSavedSameAsTwin(t *testing.T) {
	for name, record := range kinds {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 1))
			whole, all, want := tiny(t), tiny(t), twin{}
			for part := range 20 {
				var records [][]byte
				for range r.IntN(200) {
					records = append(records, record(r))
					want.add(records[len(records)-1])
				}
				add(t, whole, records...)
				if part%5 == 0 { // some are added, the others saved
					add(t, all, records...)
					continue
				}
				s := tiny(t)
				add(t, s, records...)
				b := state(t, s)
				file := strings.NewReader("before" + string(b) + "behind")
				if err := all.AddSaved(file, int64(len("before")), int64(len(b))); err != nil {
					t.Fatal(err)
				}
			}
			want.check(t, all)
			if !bytes.Equal(state(t, all), state(t, whole)) {
				t.Error("saved runs are written as other bytes")
			}
		})
	}
}

// sample is a state of two blocks with short records and long ones.
func sample(t testing.TB) []byte {
	s := tiny(t)
	records := [][]byte{bytes.Repeat([]byte("l"), 1500), bytes.Repeat([]byte("m"), stateBlock)}
	for i := range 40 {
		records = append(records, numbered(i*37))
	}
	add(t, s, records...)
	return state(t, s)
}

// readState returns what is wrong with a state, at AddSaved or when it is read, after
// checking that what is read before is in order.
func readState(t testing.TB, r io.ReaderAt, size int64) error {
	s := New(Options{Dir: "/nonexistent", Memory: 1})
	defer s.Close()
	if err := s.AddSaved(r, 0, size); err != nil {
		return err
	}
	var last []byte
	var failed error
	n := 0
	for r, err := range s.All() {
		if failed != nil {
			t.Fatal("something after the error")
		}
		if failed = err; err != nil {
			if r.Data != nil || r.N != 0 {
				t.Fatal("record with an error")
			}
			continue
		}
		if n > 0 && bytes.Compare(last, r.Data) >= 0 {
			t.Fatalf("%q after %q", r.Data, last)
		}
		if r.N < 1 {
			t.Fatalf("%d times", r.N)
		}
		last = append(last[:0], r.Data...)
		n++
	}
	return failed
}

// TestDamageAnywhere checks that every changed, missing or additional byte is an error.
func TestDamageAnywhere(t *testing.T) {
	b := sample(t)
	size := int64(len(b))
	if err := readState(t, bytes.NewReader(b), size); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		if i > 4096 && i%7 > 0 { // within long records
			continue
		}
		for _, mask := range []byte{0x01, 0x80, 0xff} {
			b[i] ^= mask
			if readState(t, bytes.NewReader(b), size) == nil {
				t.Errorf("byte %d changed by %#x: no error", i, mask)
			}
			b[i] ^= mask
		}
		// The second file is shorter than it was when the state was found in it.
		for _, announced := range []int64{int64(i), size} {
			if readState(t, bytes.NewReader(b[:i]), announced) == nil {
				t.Errorf("first %d of %d bytes, announced as %d: no error", i, size, announced)
			}
		}
	}
	for _, more := range []string{"\x00", string(b)} {
		long := append(bytes.Clone(b), more...)
		if readState(t, bytes.NewReader(long), int64(len(long))) == nil {
			t.Errorf("%d bytes more: no error", len(more))
		}
	}
}

// forge makes a state of payloads, all checksums right.
func forge(records, longest int, payloads ...string) []byte {
	var blocks []byte
	crc := uint32(0)
	for _, p := range payloads {
		head := binary.LittleEndian.AppendUint32(nil, uint32(len(p)))
		crc = crc32.Update(crc32.Update(crc, castagnoli, head), castagnoli, []byte(p))
		blocks = append(blocks, head...)
		blocks = binary.LittleEndian.AppendUint32(blocks, crc)
		blocks = append(blocks, p...)
	}
	return append(blocks, footer{int64(footerLen + len(blocks)), int64(records), longest}.encode()...)
}

func TestForgedRuns(t *testing.T) {
	long := string(binary.AppendUvarint(nil, 2000)) + strings.Repeat("x", 2000)
	// Sorted either way if nothing is shared, so that only the checksum shows that blocks are swapped.
	swapped := forge(2, 99, "\x00\x01a\x01", "\x00\x01b\x01")
	const block = blockHead + 4
	swapped = slices.Concat(swapped[block:2*block], swapped[:block], swapped[2*block:])
	for _, c := range []struct {
		name  string
		state []byte
		want  string // "" if it is sound
	}{
		{"blocks swapped", swapped, "checksum"},
		{"sound", forge(2, 99, "\x00\x01a\x01\x01\x01b\x01"), ""},
		{"two blocks", forge(2, 99, "\x00\x01a\x01", "\x01\x01b\x01"), ""},
		{"whole record", forge(2, 9999, "\x00\x01a\x01\x00"+long+"\x01"), ""},
		{"after a whole record", forge(2, 9999, "\x00"+long+"\x01", "\x05\x01y\x01"), ""},
		{"descending", forge(2, 99, "\x00\x01b\x01\x00\x01a\x01"), "out of order"},
		{"equal", forge(2, 99, "\x00\x01a\x01\x01\x00\x01"), "out of order"},
		{"equal, nothing shared", forge(2, 99, "\x00\x01a\x01\x00\x01a\x01"), "out of order"},
		{"beginning of the one before", forge(2, 99, "\x00\x02ab\x01\x01\x00\x01"), "out of order"},
		{"shares more than it says", forge(2, 99, "\x00\x02ab\x01\x00\x02ac\x01"), "out of order"},
		{"descending between blocks", forge(2, 99, "\x00\x01b\x01", "\x00\x01a\x01"), "out of order"},
		{"whole record descending", forge(2, 9999, "\x00\x01y\x01\x00"+long+"\x01"), "out of order"},
		{"whole record twice", forge(2, 9999, "\x00"+long+"\x01", "\x00"+long+"\x01"), "out of order"},
		{"long record that shares", forge(2, 9999, "\x00\x01w\x01\x01"+long+"\x01"), "impossible length"},
		{"first shares", forge(1, 99, "\x01\x01a\x01"), "impossible length"},
		{"shares more than there is", forge(2, 99, "\x00\x01a\x01\x02\x01b\x01"), "impossible length"},
		{"suffix behind the block", forge(1, 99, "\x00\x05a\x01"), "impossible length"},
		{"huge length", forge(1, 99, "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a\x01"), "impossible length"},
		{"endless number", forge(1, 99, strings.Repeat("\xff", 20)), "impossible length"},
		{"no length", forge(1, 99, "\x00"), "impossible length"},
		{"no count", forge(1, 99, "\x00\x01a"), "impossible count"},
		{"count 0", forge(1, 99, "\x00\x01a\x00"), "impossible count"},
		{"count of 64 bits", forge(1, 99, "\x00\x01a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "impossible count"},
		{"too few records", forge(3, 99, "\x00\x01a\x01\x01\x01b\x01"), "fewer records"},
		{"too many records in a block", forge(1, 99, "\x00\x01a\x01\x01\x01b\x01"), "more records"},
		{"too many blocks", forge(1, 99, "\x00\x01a\x01", "\x01\x01b\x01"), "more blocks"},
		{"blocks of no records", forge(0, 99, "\x00\x01a\x01"), "more blocks"},
		{"empty block", forge(1, 99, "", "\x00\x01a\x01"), "length of a block"},
		{"block longer than announced", forge(1, 3, "\x00\x01a\x01"), "length of a block"},
		{"block longer than any", forge(1, maxPayload+1, "\x00\x01a\x01"), "impossible number"},
		{"records beyond 63 bits", forge(-1, 99, "\x00\x01a\x01"), "impossible number"},
	} {
		err := readState(t, bytes.NewReader(c.state), int64(len(c.state)))
		if (err == nil) != (c.want == "") || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestCountsBeyond63Bits(t *testing.T) {
	most := string(binary.AppendUvarint([]byte("\x00\x01a"), math.MaxInt64))
	s := tiny(t)
	addSaved(t, s, forge(1, 99, most))
	twin{"a": math.MaxInt64}.check(t, s)
	add(t, s, []byte("a"))
	if got, err := collect(s.All()); !errors.Is(err, errOverflow) || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNoPlaceForARun(t *testing.T) {
	b := sample(t)
	for _, c := range [][2]int64{{-1, 32}, {0, -1}, {0, 0}, {0, 31}, {math.MaxInt64, 32}, {32, math.MaxInt64},
		{1, int64(len(b))}, {int64(len(b)), 100}} {
		if err := tiny(t).AddSaved(bytes.NewReader(b), c[0], c[1]); err == nil {
			t.Errorf("%d bytes from %d on: no error", c[1], c[0])
		}
	}
}

// odd is a ReaderAt that misbehaves from a place on.
type odd struct {
	b    []byte
	from int64
	n    func(int) int
	err  error
}

func (o odd) ReadAt(p []byte, off int64) (int, error) {
	n, err := bytes.NewReader(o.b).ReadAt(p, off)
	if off >= o.from {
		return o.n(n), o.err
	}
	return n, err
}

func TestReaderFails(t *testing.T) {
	b := sample(t)
	cause := errors.New("cable is out")
	for _, from := range []int64{0, blockHead, int64(len(b) - footerLen)} {
		for name, o := range map[string]odd{
			"error": {b, from, func(int) int { return 0 }, cause},
			"short": {b, from, func(n int) int { return n / 2 }, nil},
			"lies":  {b, from, func(n int) int { return n + 5 }, nil},
		} {
			err := readState(t, o, int64(len(b)))
			if err == nil || o.err != nil && !errors.Is(err, o.err) {
				t.Errorf("%s from %d on: error %v", name, from, err)
			}
		}
		// All is well if io.EOF comes with the last byte.
		if err := readState(t, odd{b, from, func(n int) int { return n }, io.EOF}, int64(len(b))); err != nil {
			t.Error(err)
		}
	}
}

// TestDamageAmongManyRuns checks that one damaged run among many is an error when runs are merged
// into the file, too, and doesn't spoil the file.
func TestDamageAmongManyRuns(t *testing.T) {
	s := tiny(t)
	b := sample(t)
	for range 20 {
		addSaved(t, s, b)
	}
	bad := bytes.Clone(b)
	bad[blockHead+50] ^= 1
	addSaved(t, s, bad)
	for range 2 {
		if got, err := collect(s.All()); err == nil || !strings.Contains(err.Error(), "checksum") || len(got) > 0 {
			t.Errorf("%d records, %v", len(got), err)
		}
	}
	if s.err != nil {
		t.Errorf("the sorter is unusable: %v", s.err)
	}
	empty(t, s.dir)
}

// shortWriter takes n bytes.
type shortWriter struct{ n int }

func (w *shortWriter) Write(p []byte) (int, error) {
	n := min(len(p), w.n)
	w.n -= n
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

func TestWriteRunFails(t *testing.T) {
	s := tiny(t)
	addSaved(t, s, sample(t))
	for _, room := range []int{0, 10, 100, len(sample(t)) - 1} {
		n, err := WriteRun(&shortWriter{room}, s.All())
		if n != int64(room) || !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("room for %d: wrote %d, %v", room, n, err)
		}
	}
}

// FuzzAddSaved reads anything as a state, and as a payload with valid checksums. What can be read
// must be writable and readable again.
func FuzzAddSaved(f *testing.F) {
	f.Add(sample(f), uint8(2))
	f.Add(forge(2, 99, "\x00\x01a\x01\x01\x01b\x01"), uint8(0))
	f.Add([]byte("\x00\x01a\x01\x01\x01b\x01"), uint8(2))
	f.Add([]byte("\x00\x00\x01\x00\x03abc\x7f\x02\x02de\x01"), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, records uint8) {
		readState(t, bytes.NewReader(b), int64(len(b)))
		forged := forge(int(records), maxPayload, string(b[:len(b)/2]), string(b[len(b)/2:]))
		if len(b) < 2 {
			forged = forge(int(records), maxPayload, string(b))
		}
		if readState(t, bytes.NewReader(forged), int64(len(forged))) != nil {
			return
		}
		s, copied := New(Options{}), New(Options{})
		defer s.Close()
		defer copied.Close()
		addSaved(t, s, forged)
		once := state(t, s)
		addSaved(t, copied, once)
		if !bytes.Equal(state(t, copied), once) {
			t.Error("written again, other bytes")
		}
	})
}

// TestStopAt checks that a context that has ended stops reading, soon and not permanently.
func TestStopAt(t *testing.T) {
	s, want := tiny(t), twin{}
	for i := range 3 * stopEvery {
		add(t, s, numbered(i))
		want.add(numbered(i))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s.StopAt(ctx)
	n := 0
	for _, err := range s.All() {
		if n++; n == 10 {
			stop()
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if n < 10 || n > 2*stopEvery {
		t.Errorf("%d records after the end of the context", n)
	}
	if n, err := WriteRun(io.Discard, s.All()); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d bytes, error %v", n, err)
	}
	for i := range 1000 { // what spills does not end
		add(t, s, numbered(i))
		want.add(numbered(i))
	}
	s.StopAt(t.Context())
	want.check(t, s)
}
