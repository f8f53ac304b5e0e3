package disk

import (
	"fmt"
	"io"
	"strings"
)

// Text returns a reader of a text that fails with an error that says so if the text is compressed:
// the forms of side files have no compression, and their own error about it would be a riddle. It
// belongs to one goroutine.
func Text(r io.Reader) io.Reader { return &text{r: r} }

type text struct {
	r     io.Reader
	begun bool
	err   error
}

func (t *text) Read(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.r.Read(p)
	if t.begun || n == 0 {
		return n, err
	}
	t.begun = true
	for _, c := range [...]struct{ name, magic string }{{"gzip", "\x1f\x8b"}, {"zstd", "\x28\xb5\x2f\xfd"},
		{"bzip2", "BZh91AY&SY"}, {"xz", "\xfd7zXZ\x00"}} {
		if strings.HasPrefix(string(p[:n]), c.magic) {
			t.err = fmt.Errorf("compressed with %s: decompress it first", c.name)
			return 0, t.err
		}
	}
	return n, err
}
