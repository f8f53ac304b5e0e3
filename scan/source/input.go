package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
)

// Input is one named source of bytes, made by [Inputs], [NewFile] or [NewInput]. It is read once, by one Reader or by the caller
// of Open; Head may be called before that. Its methods are safe for concurrent use. Its fields must not change once a Reader has it.
type Input struct {
	Name string // as a user would recognise it: a path, or "-"
	Size int64  // bytes on disk when it was found; -1 when unknown, as of a pipe

	path    string    // "" when bytes come from r
	r       io.Reader // nil when they come from path
	regular bool      // path was a regular file: it can be opened again and again

	kind atomic.Int32 // codec

	mu      sync.Mutex
	head    []byte  // decoded by Head, of an input that cannot be opened twice; nil before it is opened
	pending *stream // such an input, opened by Head and waiting for its Reader
}

// NewInput returns an input that reads r, size bytes long on disk or -1. If r must be closed, the caller closes it.
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
// read them all the same, from pipes too. It fails if the input cannot be opened, or not even its first byte decoded.
// On a pipe it blocks until the bytes are there. The caller may keep the slice and change it.
func (in *Input) Head(n int) ([]byte, error) {
	if in.r == nil && in.regular {
		// The file is closed again, so that thousands of inputs can be looked at before the first is read.
		f, err := in.openForReading(in.open(nil))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, int64(n)))
		if len(b) > 0 {
			err = nil
		}
		return b, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.head == nil {
		_, _, s, err := in.open(nil)
		if err != nil {
			return nil, newError(in.Name, -1, err)
		}
		in.pending, in.head = s, []byte{}
	}
	if s := in.pending; s != nil && len(in.head) < n {
		s.head = nil // decode on, where the last Head ended
		more, err := io.ReadAll(io.LimitReader(s, int64(n-len(in.head))))
		in.head = append(in.head, more...)
		s.head = in.head
		if len(in.head) == 0 && err != nil {
			return nil, newError(in.Name, s.raw.offset(), err)
		}
	}
	return append([]byte(nil), in.head[:min(n, len(in.head))]...), nil
}

// Open returns the decompressed bytes of the input from beginning to end, for inputs that are not made of lines. Errors of Read
// are *Error. The caller closes the reader, and only one goroutine at a time may use it.
func (in *Input) Open() (io.ReadCloser, error) {
	return in.openForReading(in.take(func(*os.File) {}))
}

func (in *Input) openForReading(f *os.File, _ int64, s *stream, err error) (io.ReadCloser, error) {
	if err != nil {
		return nil, newError(in.Name, -1, err)
	}
	return &openInput{name: in.Name, file: f, stream: s}, nil
}

// openInput reads a plain file, or a stream if that is not nil.
type openInput struct {
	name   string
	file   *os.File
	stream *stream
	read   int64 // of the plain file
}

func (o *openInput) Read(p []byte) (n int, err error) {
	at := o.read
	if o.stream != nil {
		n, err = o.stream.Read(p)
		at = o.stream.raw.offset()
	} else {
		n, err = o.file.Read(p)
		o.read += int64(n)
	}
	if err != nil && err != io.EOF {
		err = newError(o.name, at, err)
	}
	return n, err
}

func (o *openInput) Close() error {
	if o.stream != nil {
		o.stream.close()
		return nil
	}
	return o.file.Close()
}

// take gives the input to its only reader, and opens it unless Head has.
func (in *Input) take(opened func(*os.File)) (f *os.File, size int64, s *stream, err error) {
	in.mu.Lock()
	s, in.pending = in.pending, nil
	if in.head == nil {
		in.head = []byte{} // so that a Head that comes too late does not open the input again
	}
	in.mu.Unlock()
	if s == nil {
		return in.open(opened)
	}
	if s.file != nil {
		opened(s.file)
	}
	return nil, 0, s, nil
}

// open opens the input. A plain regular file has no stream and is read by ranges of its size. A file that is not regular is
// passed to opened, if that is not nil, before the first read, which may block.
func (in *Input) open(opened func(*os.File)) (f *os.File, size int64, s *stream, err error) {
	if in.r != nil {
		s, err = in.newStream(in.r)
		return nil, 0, s, err
	}
	file, err := os.Open(in.path)
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, nil, err
	}
	if info.IsDir() {
		return nil, 0, nil, errDirectory
	}
	// Files of /proc say that they are regular and 0 bytes long, and are not: a file without a size is read until it ends.
	if info.Mode().IsRegular() && info.Size() > 0 {
		k, err := sniffFile(file)
		if err != nil {
			return nil, 0, nil, err
		}
		if k == plain {
			in.kind.Store(int32(plain))
			return file, info.Size(), nil, nil
		}
	}
	if !info.Mode().IsRegular() && opened != nil {
		opened(file)
	}
	if s, err = in.newStream(file); err != nil {
		return nil, 0, nil, err
	}
	s.file = file
	return file, info.Size(), s, nil
}

// newStream makes a stream with the decoder that the first bytes of r require.
func (in *Input) newStream(r io.Reader) (*stream, error) {
	s, err := newStream(r)
	if err == nil {
		in.kind.Store(int32(s.codec))
	}
	return s, err
}

// looksPlain guesses from the first bytes whether an input will be read by ranges. A wrong guess costs only time.
func (in *Input) looksPlain() bool {
	if in.r != nil || !in.regular || in.Size == 0 {
		return false
	}
	if k := codec(in.kind.Load()); k != unknown {
		return k == plain
	}
	f, err := os.Open(in.path)
	if err != nil {
		return false
	}
	defer f.Close()
	k, err := sniffFile(f)
	return err == nil && k == plain
}

// sniffFile returns the codec of a file, by its first bytes.
func sniffFile(f *os.File) (codec, error) {
	var magic [magicLen]byte
	n, err := f.ReadAt(magic[:], 0)
	if n == 0 && err != nil {
		return unknown, err
	}
	return sniff(magic[:n]), nil
}
