package spill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// TestRecords: each distinct record comes once, in order, as often as they are read, from
// memory and from compressed blocks.
func TestRecords(t *testing.T) {
	n := 6_000
	if testing.Short() {
		n = 2_000
	}
	for _, o := range []Options{{}, {Memory: 1 << 20}, {Memory: 1 << 20, Compress: true}} {
		r := NewRecords(o)
		var want []string
		size := int64(0)
		for i := range n { // of up to 12 kB, some of them twice
			record := append(fmt.Appendf(nil, "%04d", i*7919%n/2), bytes.Repeat([]byte("Disallow: /\n"), i*7919%n/2%1000)...)
			size += int64(len(record))
			want = append(want, string(record))
			if err := r.Add(record); err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		for range 2 {
			var got []string
			for record, err := range r.All() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(record))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: %d records, want %d", o, len(got), len(want))
			}
		}
		if (r.sorter.file != nil) != (o.Memory > 0) {
			t.Errorf("%+v: the file is %v", o, r.sorter.file)
		}
		if o.Compress && r.sorter.end > size/12 {
			t.Errorf("%d bytes that repeat themselves take %d of the file", size, r.sorter.end)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestShortRecordsAreNotCompressed: that would take longer and save little.
func TestShortRecordsAreNotCompressed(t *testing.T) {
	block := append(make([]byte, blockHead), bytes.Repeat([]byte("x"), 1000)...)
	for records, want := range map[int]byte{1: packedFlate, 3: packedFlate, 4: packedPlain} {
		packed := slices.Clone(newPacker().pack(block, records)[blockHead:])
		var u unpacker
		if got, err := u.unpack(packed); err != nil || packed[0] != want || !bytes.Equal(got, block[blockHead:]) {
			t.Errorf("%d records: %d bytes as %d, error %v", records, len(got), packed[0], err)
		}
	}
}

// TestDamagedTemporaryFileIsFound: also where its blocks are compressed.
func TestDamagedTemporaryFileIsFound(t *testing.T) {
	r := NewRecords(Options{Memory: 1 << 20, Compress: true})
	defer r.Close()
	for i := range 2_000 {
		if err := r.Add(append(fmt.Appendf(nil, "%04d", i), make([]byte, 5_000)...)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.sorter.file.WriteAt([]byte{0xff, 0xff}, r.sorter.end/2); err != nil {
		t.Fatal(err)
	}
	for _, err := range r.All() {
		if err != nil {
			return
		}
	}
	t.Error("no error")
}

// TestRecordsStop: reading ends when the context has ended.
func TestRecordsStop(t *testing.T) {
	r := NewRecords(Options{})
	defer r.Close()
	if err := r.Add([]byte("x")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.StopAt(ctx)
	for record, err := range r.All() {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%q, error %v", record, err)
		}
	}
}
