package warc

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// encoders make what the tokens of Content-Encoding say, in every form that servers send.
var encoders = []struct {
	token string
	new   func(io.Writer) io.WriteCloser
}{
	{"gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }},
	{"deflate", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }},
	{"deflate", func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 6); return z }},
	{"br", func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }},
	{"br", func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 0) }},
	{"zstd", func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }},
}

func encoded(t *testing.T, new func(io.Writer) io.WriteCloser, body string) string {
	t.Helper()
	var b bytes.Buffer
	w := new(&b)
	_, err := io.WriteString(w, body)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func bodyOf(t *testing.T, coding, body string) string {
	t.Helper()
	p, err := ReadResponse(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\n\r\n" + body))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Body(1<<20, false)
	if err != nil {
		return err.Error()
	}
	return string(got)
}

// TestBodiesOfEveryCoding checks that a body is decoded if it is encoded as its header says, and
// otherwise used as it is.
func TestBodiesOfEveryCoding(t *testing.T) {
	var wide []byte
	for _, c := range utf16.Encode([]rune("User-agent: *\n")) {
		wide = append(wide, byte(c), byte(c>>8))
	}
	for _, body := range []string{"", "a", "User-agent: *\nDisallow: /private/\n", "User-agent: *\nDisallow: /caf\xe9\n",
		strings.Repeat("User-agent: *\nDisallow: /a/b/c\n# ä\n", 3000), "\ufeff" + string(wide)} {
		for _, e := range encoders {
			for _, token := range []string{e.token, strings.ToUpper(e.token), "utf-8, " + e.token, e.token + ", none"} {
				if got := bodyOf(t, token, encoded(t, e.new, body)); got != body {
					t.Errorf("%.40q by %s is %.40q", body, token, got)
				}
				if got := bodyOf(t, token, body); got != body {
					t.Errorf("%.40q, which is not %s, is %.40q", body, token, got)
				}
			}
			twice := encoded(t, encoders[0].new, encoded(t, e.new, body))
			if got := bodyOf(t, e.token+", gzip", twice); got != body {
				t.Errorf("%.40q by %s and gzip is %.40q", body, e.token, got)
			}
		}
	}
	for _, e := range encoders {
		whole := encoded(t, e.new, strings.Repeat("User-agent: *\nDisallow: /\n", 100)+"Disallow: /café")
		if got := bodyOf(t, e.token, whole[:len(whole)*2/3]); got != ErrBody.Error() {
			t.Errorf("%s that is cut off is %.60q", e.token, got)
		}
	}
}
