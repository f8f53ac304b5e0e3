package disk

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ReadLimited is os.ReadFile for a file of at most limit bytes. For larger files it fails like a
// reader from Limited, so that an endless device or pipe uses no more memory than a file of that
// size.
func ReadLimited(name string, limit int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(Limited(Text(f), limit))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// Limited returns a reader of r that fails with a LimitError after limit bytes, if there are more.
// It isn't safe for concurrent use.
func Limited(r io.Reader, limit int64) io.Reader { return &limited{r, limit, LimitError(limit)} }

// Within is Limited for bytes that are all kept, with a memory budget of memory bytes. Reading uses
// twice the bytes it returns. If memory is the smaller limit, the error is ErrMemory.
func Within(r io.Reader, limit, memory int64) io.Reader {
	memory = max(memory/2, 0)
	if memory < limit {
		return &limited{r, memory, ErrMemory}
	}
	return Limited(r, limit)
}

// ErrMemory is the error for a file that exceeds the memory budget.
var ErrMemory = errors.New("takes more memory than there is for it")

// LimitError is the error of a reader from Limited: there are more bytes than it says.
type LimitError int64

func (e LimitError) Error() string {
	if e > 0 && e%(1<<20) == 0 {
		return fmt.Sprintf("longer than the limit of %d MiB", e>>20)
	}
	return fmt.Sprintf("longer than the limit of %d bytes", int64(e))
}

type limited struct {
	r    io.Reader
	left int64
	err  error // after the limit
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		n = int(l.left)
		err = l.err
	}
	l.left -= int64(n)
	return n, err
}

// Text returns a reader of a text. If the text is compressed, it fails with an error that says so,
// because side files are never decompressed, and parsing them would give a confusing error. It
// isn't safe for concurrent use.
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
