package job

import (
	"fmt"
	"testing"

	"github.com/robotsieve/robotsieve/scan/source"
)

// TestDecodersShare checks that memory is reserved only for as many decoders as run concurrently.
func TestDecodersShare(t *testing.T) {
	var inputs []*source.Input
	for i := range 101 {
		in, err := source.NewFile(file(t, fmt.Sprint(i), "\x28\xb5\x2f\xfd\x20\x02\x11\x00\x00x\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Head(1); err != nil || in.Codec() != "zstd" {
			t.Fatal(in.Codec(), err)
		}
		inputs = append(inputs, in)
	}
	divide := func(memory int64, workers, files int) shares {
		t.Helper()
		b := newBudget(memory)
		s, err := b.divide(workers, inputs[:files])
		decoders := int64(min(files, s.workers)) * decoderBytes
		if all := s.reading + s.rest + decoders + b.windows().Largest(); err != nil || memory > 150_000_000 && all > memory {
			t.Errorf("%d MB, %d workers, %d files: %+v, %v", memory, workers, files, s, err)
		}
		return s
	}
	one, three, nine := divide(DefaultMemory, 4, 1), divide(DefaultMemory, 4, 3), divide(DefaultMemory, 4, 9)
	if one.workers != 4 || three.workers != 4 || nine.workers != 4 {
		t.Errorf("%+v, %+v, %+v", one, three, nine)
	}
	if one.rest-three.rest != 2*decoderBytes || three.rest-nine.rest != decoderBytes {
		t.Errorf("%d, %d and %d bytes for the rest", one.rest, three.rest, nine.rest)
	}
	for _, memory := range []int64{1_000_000, 30_000_000, 60_000_000, 100_000_000, 160_000_000, 256_000_000,
		1_000_000_000} {
		for _, files := range []int{1, 2, 5, 100} {
			if few, many := divide(memory, 100, files).workers, divide(memory, 100, files+1).workers; few < many {
				t.Errorf("%d bytes: %d workers for %d files, %d for one more", memory, few, files, many)
			}
		}
	}
}
