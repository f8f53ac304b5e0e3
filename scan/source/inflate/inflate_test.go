package inflate_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// buffers are lengths that are decoded into directly and by way of the Reader's own buffer.
var buffers = []int{1, 7, 300, 4096, 65_535, 65_536, 65_537, 1 << 20}

func TestTextsOfEveryLevel(t *testing.T) {
	var r inflate.Reader
	for name, text := range texts() {
		for level := -2; level <= 9; level++ {
			streams := map[string][]byte{"whole": raw(t, text, level, false), "flushed": raw(t, text, level, true)}
			for how, stream := range streams {
				for _, buffer := range buffers {
					if buffer < 300 && len(text) > 30_000 && level != 6 {
						continue
					}
					check(t, &r, stream, buffer)
				}
				if want, _, err := reference(stream); err != nil || !bytes.Equal(want, text) {
					t.Fatalf("%s at level %d, %s: the test's own compression is wrong: %v", name, level, how, err)
				}
			}
		}
	}
}

func TestReadsOfEverySize(t *testing.T) {
	text := bytes.Repeat(texts()["log"], 3)
	stream := raw(t, text, 6, false)
	var r inflate.Reader
	for buffer := 1; buffer < 100_000; buffer += 1 + buffer/20 {
		check(t, &r, stream, buffer)
	}
	for buffer := 65_536; buffer < 65_536+300; buffer++ { // where a match crosses the end of the buffer
		check(t, &r, stream, buffer)
	}
}

func TestReadersThatGiveLittle(t *testing.T) {
	var r inflate.Reader
	for name, text := range texts() {
		stream := append(raw(t, text, 6, true), "behind the stream"...)
		for how, reader := range slow {
			t.Run(name+", "+how, func(t *testing.T) {
				checkFrom(t, &r, reader(bytes.NewReader(stream)), stream, 1<<17)
				checkFrom(t, &r, reader(bytes.NewReader(stream)), stream, 1000)
			})
		}
	}
}

func TestEveryTruncation(t *testing.T) {
	var r inflate.Reader
	for name, text := range texts() {
		text = text[:min(len(text), 2000)]
		for _, level := range []int{0, 1, 6, -2} {
			stream := raw(t, text, level, level == 1)
			for n := range stream {
				check(t, &r, stream[:n], 1<<16)
			}
			if t.Failed() {
				t.Fatal(name, level)
			}
		}
	}
}

func TestEveryBitFlipped(t *testing.T) {
	var r inflate.Reader
	for name, text := range texts() {
		text = text[:min(len(text), 700)]
		for _, level := range []int{0, 6, -2} {
			stream := raw(t, text, level, false)
			for i := range 8 * len(stream) {
				stream[i/8] ^= 1 << (i % 8)
				check(t, &r, stream, 1<<16)
				stream[i/8] ^= 1 << (i % 8)
			}
			if t.Failed() {
				t.Fatal(name, level)
			}
		}
	}
}

// TestPlaceOfDamage checks that an error has the same offset for any division of the input and any
// buffers.
func TestPlaceOfDamage(t *testing.T) {
	var r inflate.Reader
	place := func(in io.Reader, buffer int) (place int64) {
		r.Reset(bufio.NewReaderSize(in, 4096))
		_, err := readAll(&r, buffer)
		if e := (*inflate.Error)(nil); errors.As(err, &e) {
			place = e.Offset
		}
		return place
	}
	for name, c := range handmade() {
		want := place(bytes.NewReader(c.stream), 1<<16)
		if got := place(iotest.OneByteReader(bytes.NewReader(c.stream)), 1<<16); got != want {
			t.Errorf("%s: at octet %d, octet by octet at %d", name, want, got)
		}
		if got := place(bytes.NewReader(c.stream), 300); got != want {
			t.Errorf("%s: at octet %d, by small buffers at %d", name, want, got)
		}
	}
	stream := raw(t, texts()["urls"][:1500], 6, false)
	for i := range 8 * len(stream) {
		damaged := change(stream, i/8, 1<<(i%8))
		if want, got := place(bytes.NewReader(damaged), 1<<16), place(iotest.OneByteReader(bytes.NewReader(damaged)),
			1<<16); got != want {
			t.Errorf("flipped bit %d: at octet %d, octet by octet at %d", i, want, got)
		}
	}
}

// TestPrompt checks that flushed data is returned before the underlying reader is read again.
func TestPrompt(t *testing.T) {
	pr, pw := io.Pipe()
	defer pr.Close()
	stream := raw(t, []byte("a line\n"), 6, true)
	go func() { _, _ = pw.Write(stream[:len(stream)-5]) }() // without the final block: nothing more comes
	z := newReader(pr)
	for _, buffer := range []int{1 << 16} {
		p := make([]byte, buffer)
		if n, err := z.Read(p); string(p[:n]) != "a line\n" || err != nil {
			t.Fatalf("%q, %v", p[:n], err)
		}
	}
}

// TestErrorOfTheReader checks that it comes unchanged, after what was decoded.
func TestErrorOfTheReader(t *testing.T) {
	text := texts()["log"]
	stream := raw(t, text, 6, false)
	disk := errors.New("input/output error")
	z := newReader(io.MultiReader(bytes.NewReader(stream[:len(stream)/2]), failing{disk}))
	got, err := readAll(z, 1<<16)
	var e *inflate.Error
	if !errors.Is(err, disk) || !errors.As(err, &e) || e.Offset != int64(len(stream)/2) {
		t.Errorf("error %v, want %v at %d", err, disk, len(stream)/2)
	}
	if len(got) == 0 || !bytes.HasPrefix(text, got) {
		t.Errorf("%d octets before the error", len(got))
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
