package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
)

// Input is one named source of bytes, made by [Inputs], [NewFile] or [NewInput]. It is read once, by one Reader; Head may be
// called before that. Its methods are safe for concurrent use, its fields are not to be changed once a Reader has it.
type Input struct {
	Name string // as a user would recognise it: a path, or "-"
	Size int64  // bytes on disk when it was found; -1 when unknown, as of a pipe

	path    string    // "" when bytes come from r
	r       io.Reader // nil when they come from path
	regular bool      // path was a regular file: it can be opened again and again

	kind atomic.Int32 // codec

	mu      sync.Mutex
	head    []byte  // what Head has decoded of an input that cannot be opened twice
	pending *stream // such an input, opened by Head and waiting for its Reader
}

// NewInput returns an input that reads r, size bytes long on disk or -1. If r must be closed, that is the caller's business.
func NewInput(name string, r io.Reader, size int64) *Input {
	return &Input{Name: name, Size: size, r: r}
}

// NewFile returns an input that reads the file, pipe or device of that name. It is not opened yet.
func NewFile(name string) (*Input, error) {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		err = errDirectory
	}
	if err != nil {
		return nil, newError(name, -1, err)
	}
	return newFile(name, info), nil
}

var errDirectory = errors.New("is a directory")

func newFile(name string, info fs.FileInfo) *Input {
	in := &Input{Name: name, Size: -1, path: name, regular: info.Mode().IsRegular()}
	if in.regular {
		in.Size = info.Size()
	}
	return in
}

// Codec is "plain", "gzip", "zstd", "bzip2" or "xz", and "" before Head or a Reader has seen the first bytes.
func (in *Input) Codec() string { return codec(in.kind.Load()).String() }

// Head returns the first decompressed bytes, at most n, and fewer only if the input ends or breaks before. The Reader will
// read them all the same, from pipes too. It fails if the input cannot be opened, or decoded not even to its first byte.
// On a pipe it blocks until the bytes are there. The caller may keep the slice and change it.
func (in *Input) Head(n int) ([]byte, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.again() {
		return in.headOfFile(n)
	}
	if in.pending == nil && in.head == nil {
		s, err := in.openOnce()
		if err != nil {
			return nil, newError(in.Name, -1, err)
		}
		in.pending, in.head = s, []byte{}
	}
	if s := in.pending; s != nil && len(in.head) < n {
		s.head = nil // decode on, where the last Head left off
		more, err := readUpTo(s, n-len(in.head))
		in.head = append(in.head, more...)
		s.head = in.head
		if len(in.head) == 0 && err != nil && err != io.EOF {
			return nil, newError(in.Name, s.offset(), err)
		}
	}
	return append([]byte(nil), in.head[:min(n, len(in.head))]...), nil
}

// again reports whether the input can be opened a second time and give the same bytes.
func (in *Input) again() bool { return in.r == nil && in.regular }

// headOfFile opens and closes the file, so that thousands of inputs can be looked at before the first is read.
func (in *Input) headOfFile(n int) ([]byte, error) {
	f, _, s, err := in.open(nil)
	if err != nil {
		return nil, newError(in.Name, -1, err)
	}
	defer f.Close()
	if s == nil {
		b, err := readUpTo(io.NewSectionReader(f, 0, int64(n)), n)
		if len(b) == 0 && err != nil && err != io.EOF {
			return nil, newError(in.Name, 0, err)
		}
		return b, nil
	}
	defer s.close()
	b, err := readUpTo(s, n)
	if len(b) == 0 && err != nil && err != io.EOF {
		return nil, newError(in.Name, s.offset(), err)
	}
	return b, nil
}

// open opens a path. A plain regular file has no stream and is read by ranges of its size. What is not a regular file is shown to
// opened, if that is not nil, before the first read, which may block.
func (in *Input) open(opened func(*os.File)) (f *os.File, size int64, s *stream, err error) {
	f, err = os.Open(in.path)
	if err != nil {
		return nil, 0, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errDirectory
	}
	if err != nil {
		f.Close()
		return nil, 0, nil, err
	}
	// Files of /proc say that they are regular and 0 bytes long, and are not: what has no size is read until it ends.
	if info.Mode().IsRegular() && info.Size() > 0 {
		var magic [magicLen]byte
		n, err := f.ReadAt(magic[:], 0)
		if n == 0 && err != nil {
			f.Close()
			return nil, 0, nil, err
		}
		if k := sniff(magic[:n]); k == plain {
			in.kind.Store(int32(plain))
			return f, info.Size(), nil, nil
		}
	}
	if !info.Mode().IsRegular() && opened != nil {
		opened(f)
	}
	s, err = in.stream(f)
	if err != nil {
		f.Close()
		return nil, 0, nil, err
	}
	s.file = f
	return f, info.Size(), s, nil
}

// openOnce opens an input that cannot be opened again.
func (in *Input) openOnce() (*stream, error) {
	if in.r != nil {
		return in.stream(in.r)
	}
	_, _, s, err := in.open(nil)
	return s, err
}

// take gives the input to its Reader, which opens it unless Head has.
func (in *Input) take(opened func(*os.File)) (f *os.File, size int64, s *stream, err error) {
	in.mu.Lock()
	s, in.pending = in.pending, nil
	if in.head == nil {
		in.head = []byte{} // so that a Head that comes too late does not open the input again
	}
	in.mu.Unlock()
	switch {
	case s != nil:
		if s.file != nil {
			opened(s.file)
		}
	case in.r != nil:
		s, err = in.stream(in.r)
	default:
		f, size, s, err = in.open(opened)
	}
	return f, size, s, err
}

// stream makes the decoder that the first bytes of r ask for.
func (in *Input) stream(r io.Reader) (*stream, error) {
	s, err := newStream(r)
	if err != nil {
		return nil, err
	}
	in.kind.Store(int32(s.codec))
	return s, nil
}

// readUpTo reads n bytes, or fewer and the error that prevented more. It allocates as it goes, n being whatever a caller
// liked to ask for.
func readUpTo(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, 0, min(n, 64<<10))
	for idle := 0; len(b) < n; {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		m, err := r.Read(b[len(b):min(n, cap(b))])
		b = b[:len(b)+m]
		if err != nil {
			return b, err
		}
		if idle++; m > 0 {
			idle = 0
		} else if idle == maxIdleReads {
			return b, io.ErrNoProgress
		}
	}
	return b, nil
}

// maxIdleReads is how often a Read may return nothing and no error, the number that bufio uses.
const maxIdleReads = 100
