package inflate_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"os"
	"testing"
	"testing/iotest"

	"github.com/robotsieve/robotsieve/scan/source/inflate"
)

// texts are what is compressed, by name: small, and unlike each other.
func texts() map[string][]byte {
	dense := make([]byte, 20_000)
	for i, x := 0, uint32(1); i < len(dense); i++ {
		x = x*1664525 + 1013904223
		dense[i] = byte(x >> 24)
	}
	var log, json, urls bytes.Buffer
	for i := range 700 {
		a, b := dense[i], dense[i+700]
		log.WriteString("192.0.2." + string('0'+a%10) + " - - [17/Nov/2026:06:25:" + string('0'+b%6) + string('0'+a%10) +
			" +0000] \"GET /shop/" + string(rune('a'+b%26)) +
			"?page=" + string('0'+a%9) + " HTTP/1.1\" 200 51" + string('0'+b%10) +
			" \"-\" \"ExampleBot/1.0 (+https://bot.example)\"\n")
		json.WriteString(`{"host":"shop.example","status":200,"path":"/p/` + string(rune('a'+a%26)) +
			`","ua":"ExampleBot/2.` + string('0'+b%10) + `"}` + "\n")
		urls.WriteString("https://shop.example/" + string(rune('a'+a%26)) + "/" + string(rune('a'+b%26)) + "\n")
	}
	return map[string][]byte{
		"log":    log.Bytes(),
		"json":   json.Bytes(),
		"urls":   urls.Bytes(),
		"dense":  dense,
		"zeros":  make([]byte, 200_000),
		"pairs":  bytes.Repeat([]byte("ab"), 40_000),
		"far":    bytes.Repeat(dense[:15_000], 5), // matches that reach back nearly as far as they may
		"farest": append(append(bytes.Clone(dense), log.Bytes()[:32_768-len(dense)]...), dense...),
		"empty":  nil,
		"one":    []byte("x"),
		"robots": []byte("User-agent: *\nDisallow: /private/\nAllow: /private/open\n"),
	}
}

// raw compresses a text by the standard library. -2 is its level of Huffman codes alone.
func raw(t testing.TB, text []byte, level int, flushes bool) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(text); i += 1000 {
		_, _ = w.Write(text[i:min(i+1000, len(text))])
		if flushes && i%3000 == 0 {
			_ = w.Flush()
		}
	}
	_ = w.Close()
	return out.Bytes()
}

// standard is used again and again, as scratch is, so that the thousands of small streams are
// quick.
var (
	standard = flate.NewReader(nil)
	scratch  = make([]byte, 1<<20)
)

// reference is what the standard library makes of a stream, and how many bytes it takes for that
// if the stream is sound.
func reference(stream []byte) (text []byte, taken int, err error) {
	in := bytes.NewReader(stream)
	_ = standard.(flate.Resetter).Reset(in, nil)
	text, err = io.ReadAll(standard)
	return text, len(stream) - in.Len(), err
}

// check compares the Reader with the reference: the same text and the same end of it if the stream
// is sound; else an error, and all that the reference gives before its own. The input comes whole.
func check(t testing.TB, r *inflate.Reader, stream []byte, buffer int) {
	t.Helper()
	checkFrom(t, r, bytes.NewReader(stream), stream, buffer)
}

func checkFrom(t testing.TB, r *inflate.Reader, in io.Reader, stream []byte, buffer int) {
	t.Helper()
	want, taken, wantErr := reference(stream)
	br := bufio.NewReaderSize(in, 64)
	r.Reset(br)
	got, err := readAll(r, buffer)
	switch {
	case (err == nil) != (wantErr == nil):
		t.Fatalf("buffer of %d: error %v, the reference's is %v", buffer, err, wantErr)
	case err != nil:
		if !bytes.HasPrefix(got, want) {
			t.Fatalf("buffer of %d: %d octets before the error (%v), the reference has %d others", buffer, len(got),
				err, len(want))
		}
		checkError(t, err, int64(len(stream)))
	case !bytes.Equal(got, want):
		t.Fatalf("buffer of %d: %d octets, not the %d of the reference", buffer, len(got), len(want))
	default:
		if rest, _ := io.ReadAll(br); r.Offset() != int64(taken) || len(rest) != len(stream)-taken {
			t.Fatalf("buffer of %d: %d octets taken and %d left, the reference takes %d of %d", buffer, r.Offset(),
				len(rest), taken, len(stream))
		}
	}
}

// checkError verifies that an error has one of the causes, and a place in the stream.
func checkError(t testing.TB, err error, length int64) {
	t.Helper()
	var e *inflate.Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > length {
		t.Fatalf("error %v of a stream of %d octets", err, length)
	}
	if !errors.Is(err, inflate.ErrCorrupt) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("error %v", err)
	}
}

// readAll reads to the end by one buffer, and verifies that the end is final.
func readAll(r io.Reader, buffer int) (text []byte, err error) {
	p := scratch[:buffer]
	for {
		n, err := r.Read(p)
		text = append(text, p[:n]...)
		if err == nil {
			continue
		}
		if n2, err2 := r.Read(p); n2 != 0 || !errors.Is(err2, err) {
			return text, errors.Join(err, errors.New("another end at the next call"))
		}
		if err == io.EOF {
			err = nil
		}
		return text, err
	}
}

// slow are readers that give the same bytes in other pieces.
var slow = map[string]func(io.Reader) io.Reader{
	"octet by octet":     iotest.OneByteReader,
	"by halves":          iotest.HalfReader,
	"end with the last":  iotest.DataErrReader,
	"empty reads within": func(r io.Reader) io.Reader { return &hesitant{r: r} },
}

// hesitant gives nothing at every second call.
type hesitant struct {
	r     io.Reader
	calls int
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.calls++; h.calls%2 == 0 {
		return 0, nil
	}
	return h.r.Read(p[:min(len(p), 100)])
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func newReader(in io.Reader) *inflate.Reader {
	r := new(inflate.Reader)
	r.Reset(bufio.NewReader(in))
	return r
}
