package inflate_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"hash/crc32"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// member compresses a text as a gzip member with this header.
func member(t testing.TB, text string, header gzip.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Header = header
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// withSum adds the checksum of a header of ten bytes.
func withSum(data []byte) []byte {
	header := bytes.Clone(data[:10])
	header[3] |= 2
	sum := crc32.ChecksumIEEE(header)
	return append(append(header, byte(sum), byte(sum>>8)), data[10:]...)
}

// change returns data with a byte changed.
func change(data []byte, at int, by byte) []byte {
	data = bytes.Clone(data)
	if at < 0 {
		at += len(data)
	}
	data[at] ^= by
	return data
}

// readMembers reads all members, and returns their text with a mark after each, and the error that
// is not the end.
func readMembers(z *inflate.Gzip, buffer int, mark string) (string, error) {
	var text []byte
	for {
		if err := z.Next(); err != nil {
			if err == io.EOF { //nolint:errorlint // the end itself
				err = nil
			}
			return string(text), err
		}
		member, err := readAll(z, buffer)
		if text = append(text, member...); err != nil {
			return string(text), err
		}
		text = append(text, mark...)
	}
}

func TestMembers(t *testing.T) {
	a := member(t, "first\n", gzip.Header{})
	b := member(t, "second\n", gzip.Header{Name: "access.log", Comment: "of yesterday",
		Extra: []byte("BC\x02\x00\x1b\x00"), ModTime: time.Unix(1e9, 0), OS: 3})
	empty := member(t, "", gzip.Header{})
	named := member(t, "x", gzip.Header{Name: strings.Repeat("n", 500)})
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, c := range []struct {
		name, text string
		data       []byte
		err        error
	}{
		{"nothing", "", nil, nil},
		{"one", "first\n|", a, nil},
		{"three", "first\n|second\n||", join(a, b, empty), nil},
		{"a long name", "x|", named, nil},
		{"the flag for text", "first\n|", change(a, 3, 1), nil},
		{"a header with its checksum", "first\n|", withSum(a), nil},
		{"a header with a wrong checksum", "", change(withSum(a), 10, 1), inflate.ErrHeader},
		{"a reserved flag", "", change(a, 3, 0x80), inflate.ErrHeader},
		{"another method", "", change(a, 2, 1), inflate.ErrHeader},
		{"no member", "", []byte("text"), inflate.ErrHeader},
		{"one octet that is none", "", []byte("t"), inflate.ErrHeader},
		{"text behind a member", "first\n|", join(a, []byte("text")), inflate.ErrHeader},
		{"zeros behind a member", "first\n|", join(a, make([]byte, 100)), inflate.ErrHeader},
		{"half of the magic number behind a member", "first\n|", join(a, []byte{0x1f}), io.ErrUnexpectedEOF},
		{"a wrong checksum", "first\n|second\n", join(a, change(b, -8, 1)), inflate.ErrChecksum},
		{"a wrong length", "first\n|second\n", join(a, change(b, -1, 1)), inflate.ErrChecksum},
		{"a damaged block", "first\n|", join(a, change(empty, 10, 7)), inflate.ErrCorrupt},
	} {
		var z inflate.Gzip
		for _, buffer := range []int{1, 5, 1 << 16} {
			for _, reader := range slow {
				z.Reset(bufio.NewReaderSize(reader(bytes.NewReader(c.data)), 16))
				text, err := readMembers(&z, buffer, "|")
				if text != c.text || !errors.Is(err, c.err) || (err != nil) != (c.err != nil) {
					t.Errorf("%s, buffer of %d: %q, %v; want %q, %v", c.name, buffer, text, err, c.text, c.err)
				}
			}
		}
	}
}

// TestMembersAreThoseOfTheReference checks that each truncation and each flipped bit of two members
// gives the same text as compress/gzip, and an error wherever that has one, except for the reserved
// flags, which it ignores although RFC 1952 (section 2.3.1.2) forbids them.
func TestMembersAreThoseOfTheReference(t *testing.T) {
	const text = "GET /robots.txt HTTP/1.1\nGET /robots.txt HTTP/1.1\n"
	data := append(member(t, text, gzip.Header{Name: "a", Comment: "b", Extra: []byte("c")}),
		withSum(member(t, text, gzip.Header{}))...)
	check := func(what string, i int, data []byte) {
		var want []byte
		r, wantErr := gzip.NewReader(bytes.NewReader(data))
		if wantErr == nil {
			want, wantErr = io.ReadAll(r)
		}
		if wantErr == io.EOF { //nolint:errorlint // nothing at all
			wantErr = nil
		}
		var z inflate.Gzip
		z.Reset(bufio.NewReader(bytes.NewReader(data)))
		got, err := readMembers(&z, 1000, "")
		if reserved := errors.Is(err, inflate.ErrHeader) && wantErr == nil; reserved {
			return
		}
		if (err == nil) != (wantErr == nil) || got[:min(len(got), len(want))] != string(want) || err == nil &&
			got != string(want) {
			t.Errorf("%s %d: %q, %v; the reference has %q, %v", what, i, got, err, want, wantErr)
		}
		if z.Offset() > int64(len(data)) {
			t.Errorf("%s %d: %d octets taken of %d", what, i, z.Offset(), len(data))
		}
	}
	for n := range data {
		check("truncated at", n, data[:n])
	}
	for i := range 8 * len(data) {
		check("flipped bit", i, change(data, i/8, 1<<(i%8)))
	}
}

// TestLongNamesAndExtras has a header longer than the underlying reader's buffer, and a name longer
// than any memory.
func TestLongNamesAndExtras(t *testing.T) {
	var z inflate.Gzip
	data := member(t, "x", gzip.Header{Extra: bytes.Repeat([]byte("e"), 65_535)})
	z.Reset(bufio.NewReaderSize(bytes.NewReader(data), 16))
	if text, err := readMembers(&z, 10, "|"); text != "x|" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	endless := append([]byte("\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03"), bytes.Repeat([]byte("n"), 1<<20)...)
	if got := testing.AllocsPerRun(1, func() {
		z.Reset(bufio.NewReaderSize(bytes.NewReader(endless), 16))
		if _, err := readMembers(&z, 10, "|"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("error %v", err)
		}
	}); got > 10 {
		t.Errorf("a name that does not end takes %v allocations", got)
	}
}

// TestSamplesOfTools reads testdata: the same text from other compressors, each of which chooses
// blocks and codes in its own way.
func TestSamplesOfTools(t *testing.T) {
	text := readFile(t, "testdata/text")
	samples, err := filepath.Glob("testdata/*.gz")
	if err != nil || len(samples) < 20 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	for _, name := range samples {
		var z inflate.Gzip
		z.Reset(bufio.NewReader(bytes.NewReader(readFile(t, name))))
		if got, err := readMembers(&z, 1<<17, ""); err != nil || got != string(text) {
			t.Errorf("%s: %d octets, not the %d that were compressed, %v", name, len(got), len(text), err)
		}
	}
}
