package spill

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// twin is the slow and obvious Sorter.
type twin map[string]int64

func (t twin) add(record []byte) { t[string(record)]++ }

func (t twin) keys() []string { return slices.Sorted(maps.Keys(t)) }

// check compares all that a sorter yields with the twin.
func (t twin) check(tb testing.TB, s *Sorter) {
	tb.Helper()
	keys := t.keys()
	i := 0
	for r, err := range s.All() {
		if err != nil {
			tb.Fatal(err)
		}
		if i == len(keys) {
			tb.Fatalf("more than %d records", len(keys))
		}
		if string(r.Data) != keys[i] || r.N != t[keys[i]] {
			tb.Fatalf("record %d is %.80q, %d times; want %.80q, %d times", i, r.Data, r.N, keys[i], t[keys[i]])
		}
		i++
	}
	if i != len(keys) {
		tb.Fatalf("%d records, want %d", i, len(keys))
	}
}

// tiny makes a sorter that spills often: arenas of 256 bytes, blocks of 64, memory for
// three arenas, and merges of four runs at once.
func tiny(tb testing.TB) *Sorter {
	return sized(tb, sizes{arena: 256, block: 64, arenas: 3, merge: 4 * 2 * 64})
}

func sized(tb testing.TB, size sizes) *Sorter {
	s := New(Options{Dir: tb.TempDir()})
	s.size = size
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// kinds of records, for tests that try them all.
var kinds = map[string]func(r *rand.Rand) []byte{
	"short": func(r *rand.Rand) []byte { return randomBytes(r, r.IntN(4), 3) },
	"zeros": func(r *rand.Rand) []byte { return randomBytes(r, r.IntN(40), 2) },
	"audit": func(r *rand.Rand) []byte { return auditRecord(nil, r) },
	"lines": func(r *rand.Rand) []byte {
		return fmt.Appendf(nil, "10.0.0.%d - - [10/Oct/2026] \"GET /%s", r.IntN(9), bytes.Repeat([]byte("x/"),
			r.IntN(900)))
	},
	"mixed": func(r *rand.Rand) []byte {
		if r.IntN(50) == 0 {
			return bytes.Repeat([]byte{byte(r.IntN(2))}, r.IntN(9000))
		}
		return randomBytes(r, r.IntN(20), 256)
	},
}

func randomBytes(r *rand.Rand, n, values int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(values))
	}
	return b
}

// auditRecord appends a record of 60 bytes as an audit makes them: crawler, origin and
// rule with few values, a time, and a little more.
func auditRecord(b []byte, r *rand.Rand) []byte {
	x := r.Uint64()
	b = append(b, "crawler\x00"...)
	b = append(b, byte(x%12), byte(x>>8%3))
	b = append(b, "https://www.example.com:443\x00"...)
	b = binary.BigEndian.AppendUint32(b, uint32(x>>16%40))
	b = binary.BigEndian.AppendUint64(b, 1_790_000_000_000_000_000+x>>24%86_400*1_000_000_000)
	b = append(b, byte(x>>40%2))
	for len(b) < 60 {
		b = append(b, byte(x>>44%16))
	}
	return b
}

// collect copies records.
func collect(seq iter.Seq2[Record, error]) (records []Record, err error) {
	for r, err := range seq {
		if err != nil {
			return records, err
		}
		records = append(records, Record{bytes.Clone(r.Data), r.N})
	}
	return records, nil
}

func add(tb testing.TB, s *Sorter, records ...[]byte) {
	tb.Helper()
	w := s.Writer()
	for _, r := range records {
		if err := w.Add(r); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
}

// state is what WriteRun writes.
func state(tb testing.TB, s *Sorter) []byte {
	tb.Helper()
	var b bytes.Buffer
	n, err := WriteRun(&b, s.All())
	if err != nil || n != int64(b.Len()) {
		tb.Fatalf("%d of %d bytes: %v", b.Len(), n, err)
	}
	return b.Bytes()
}

func addSaved(tb testing.TB, s *Sorter, state []byte) {
	tb.Helper()
	if err := s.AddSaved(bytes.NewReader(state), 0, int64(len(state))); err != nil {
		tb.Fatal(err)
	}
}

func empty(tb testing.TB, dir string) {
	tb.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		tb.Fatalf("temporary files are left: %v, %v", files, err)
	}
}
