package disk

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ReadLimited is os.ReadFile for a file of at most limit bytes. It fails for larger files like a reader
// from Limited, so that a device or a pipe that never ends takes no more memory than a file of that
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
// It belongs to one goroutine.
func Limited(r io.Reader, limit int64) io.Reader { return &limited{r, limit, LimitError(limit)} }

// Within is Limited for bytes that are all kept, with memory bytes left for them: reading takes
// twice as many as it returns. If the memory is the smaller limit, the error is ErrMemory.
func Within(r io.Reader, limit, memory int64) io.Reader {
	memory = max(memory/2, 0)
	if memory < limit {
		return &limited{r, memory, ErrMemory}
	}
	return Limited(r, limit)
}

// ErrMemory is the error of a file that takes more memory than is left for it.
var ErrMemory = errors.New("takes more memory than there is for it")

// LimitError is the error of a reader of Limited: more bytes than it says.
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
	err  error // behind that
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
