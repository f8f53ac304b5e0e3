package spill

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// blob is the i-th test string; every third is empty or like one before.
func blob(i int) []byte {
	if i%3 == 0 {
		return []byte(strings.Repeat("x", i/3%2*1000))
	}
	return []byte(strings.Repeat(fmt.Sprint("Disallow: /", i, "\n"), i%40))
}

// TestBlobs: strings are kept once each, wherever they are.
func TestBlobs(t *testing.T) {
	for _, room := range []int64{0, 3000, 1 << 30} {
		b := NewBlobs(room)
		numbers := map[string]int{}
		var all []string
		for i := range 500 {
			data := blob(i)
			text := string(data)
			n, err := b.Add(data)
			if err != nil {
				t.Fatal(err)
			}
			if want, there := numbers[text]; there && n != want || !there && n != len(all) {
				t.Fatalf("room %d: string %d has number %d", room, i, n)
			} else if !there {
				numbers[text], all = n, append(all, text)
			}
			clear(data) // the copy is its own
		}
		if len(b.places) != len(all) || b.held > max(room, 1) || (b.file == nil) != (room == 1<<30) {
			t.Errorf("room %d: %d strings of %d, %d bytes in memory, file %v", room, len(b.places), len(all), b.held, b.file)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for n, want := range all {
					got, err := b.Append([]byte("head "), n)
					if err != nil || string(got) != "head "+want {
						t.Errorf("room %d: string %d: %.40q, error %v", room, n, got, err)
						return
					}
				}
			})
		}
		wg.Wait()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBlobsAreCompressed: small inputs cannot fill the disk with what they were decompressed to.
func TestBlobsAreCompressed(t *testing.T) {
	b := NewBlobs(0)
	defer b.Close()
	for i := range 20 {
		if _, err := b.Add([]byte(strings.Repeat("a", 500_000) + fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if b.end > 200_000 {
		t.Errorf("10 MB take %d bytes of the file", b.end)
	}
}

// TestBlobsFail: an error of the temporary file is told by the call that needs the file.
func TestBlobsFail(t *testing.T) {
	broken := errors.New("broken")
	for _, op := range []disk.Op{disk.OpOpen, disk.OpWrite, disk.OpRead} {
		b := NewBlobs(0)
		restore := disk.Inject(func(o disk.Op, _ string) error {
			if o == op {
				return broken
			}
			return nil
		})
		_, err := b.Add([]byte("x"))
		if (op == disk.OpRead) == errors.Is(err, broken) {
			t.Errorf("%s: adding: %v", op, err)
		}
		if err == nil {
			if _, err = b.Append(nil, 0); !errors.Is(err, broken) {
				t.Errorf("%s: reading: %v", op, err)
			}
		}
		restore()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkBlobs times strings of 2 KB that go to the file.
func BenchmarkBlobs(b *testing.B) {
	data := []byte(strings.Repeat("Disallow: /path/of/rule\nAllow: /other\n", 60))
	b.SetBytes(int64(len(data)))
	blobs := NewBlobs(0)
	defer blobs.Close()
	for i := 0; b.Loop(); i++ {
		copy(data, fmt.Sprint(i))
		if _, err := blobs.Add(data); err != nil {
			b.Fatal(err)
		}
	}
}
