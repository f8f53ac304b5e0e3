package source

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// Input is one named source of bytes, made by [Inputs], [NewFile] or [NewInput]. It is read once, by one Reader or by the caller
// of Open; Head may be called before that. Its methods are safe for concurrent use. Its fields must not change once a Reader has it.
type Input struct {
	Name string // as a user would recognise it: a path, or "-"
	Size int64  // bytes on disk when it was found; -1 when unknown, as of a pipe
	// Windows bounds the windows of decompressors of all inputs that have it. Nil: windows of up to 128 MiB, together with all
	// other inputs of the process.
	Windows *Windows
	Hash    bool // a Reader shall find the SHA-256 of its bytes; that of a pipe must be set before Head

	path    string      // "" when bytes come from r
	r       io.Reader   // nil when they come from path
	info    fs.FileInfo // of path, when it was found
	regular bool        // path was a regular file: it can be opened again and again

	codec atomic.Int32 // the zero value is unknown

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
	info, err := disk.Stat(name)
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
	in := &Input{Name: name, Size: -1, path: name, info: info, regular: info.Mode().IsRegular()}
	if in.regular {
		in.Size = info.Size()
	}
	return in
}

// Codec is "plain", "gzip", "zstd", "bzip2" or "xz", and "" before Head or a Reader has seen the first bytes.
func (in *Input) Codec() string { return codec(in.codec.Load()).String() }

// Regular tells whether the input is a regular file, which can be read again and again.
func (in *Input) Regular() bool { return in.regular }

// SameFile tells whether two inputs read one file, or are both standard input.
func (in *Input) SameFile(other *Input) bool {
	if in.info == nil || other.info == nil {
		return in.info == other.info && in.Name == "-" && other.Name == "-"
	}
	return os.SameFile(in.info, other.info)
}

// Sum returns the SHA-256 of the decompressed bytes of a regular file. It reads them all, and the Reader will read them again.
func (in *Input) Sum() (sum [sha256.Size]byte, err error) {
	o, err := in.open(nil, nil)
	if err != nil {
		return sum, newError(in.Name, -1, err)
	}
	r := &openInput{name: in.Name, opened: o}
	defer r.Close()
	h := sha256.New()
	if _, err = io.Copy(h, r); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// Head returns the first decompressed bytes, at most n, and fewer only if the input ends or breaks before. The Reader will
// read them all the same, from pipes too. It fails if the input cannot be opened, or not even its first byte decoded.
// On a pipe it blocks until the bytes are there. The caller may keep the slice and change it.
func (in *Input) Head(n int) ([]byte, error) {
	if in.r == nil && in.regular {
		// The file is closed again, so that thousands of inputs can be looked at before the first is read.
		o, err := in.open(nil, nil)
		if err != nil {
			return nil, newError(in.Name, -1, err)
		}
		r := &openInput{name: in.Name, opened: o}
		defer r.Close()
		b, err := io.ReadAll(io.LimitReader(r, int64(n)))
		if len(b) > 0 {
			err = nil
		}
		return b, err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.head == nil {
		o, err := in.open(nil, nil)
		if err != nil {
			return nil, newError(in.Name, -1, err)
		}
		in.pending, in.head = o.stream, []byte{}
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
	o, err := in.take(nil, nil)
	if err != nil {
		return nil, newError(in.Name, -1, err)
	}
	return &openInput{name: in.Name, opened: o}, nil
}

// opened is an open input: a stream, or a plain file if stream is nil.
type opened struct {
	stream *stream
	file   *disk.File
	size   int64 // of the file
}

// openInput reads an open input from beginning to end.
type openInput struct {
	opened
	name string
	read int64 // of the plain file
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
	if err != nil && !isEOF(err) {
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

// take gives the input to its only reader, and opens it unless Head has. The file of a stream is passed to watch, if that is not nil,
// before a Read that may block or may take long to return a byte.
func (in *Input) take(watch func(*disk.File), stop <-chan struct{}) (opened, error) {
	in.mu.Lock()
	s := in.pending
	in.pending = nil
	if in.head == nil {
		in.head = []byte{} // so that a Head that comes too late does not open the input again
	}
	in.mu.Unlock()
	if s == nil {
		return in.open(watch, stop)
	}
	if s.file != nil && watch != nil {
		watch(s.file)
	}
	return opened{stream: s}, nil
}

// open opens the input, for take and Head.
func (in *Input) open(watch func(*disk.File), stop <-chan struct{}) (o opened, err error) {
	if in.r != nil {
		o.stream, err = in.newStream(in.r, stop)
		return o, err
	}
	file, err := disk.Open(in.path)
	if err != nil {
		return o, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return o, err
	}
	if info.IsDir() {
		return o, errDirectory
	}
	// Files of /proc say that they are regular and 0 bytes long, and are not: a file without a size is read until it ends.
	if info.Mode().IsRegular() && info.Size() > 0 {
		c, sample, err := sniffFile(file)
		if err != nil {
			return o, err
		}
		if c == plain {
			if err = checkName(in.Name, sample); err != nil {
				return o, err
			}
			in.codec.Store(int32(plain))
			return opened{file: file, size: info.Size()}, nil
		}
	}
	if watch != nil {
		watch(file)
	}
	if o.stream, err = in.newStream(file, stop); err == nil {
		o.stream.file = file
	}
	return o, err
}

// newStream makes a stream with the decoder that the first bytes of r require. stop is that of the Reader, nil if there is none.
func (in *Input) newStream(r io.Reader, stop <-chan struct{}) (*stream, error) {
	w := &window{of: cmp.Or(in.Windows, defaultWindows), stop: stop, waits: in.regular}
	switch {
	case !in.regular:
		w.slot = w.of.pipe
	case stop == nil:
		w.slot = w.of.glance
	default:
		w.slot = w.of.reading
	}
	s, err := newStream(r, in.Name, in.Hash, w)
	if err == nil {
		in.codec.Store(int32(s.codec))
	}
	return s, err
}

// looksPlain guesses from the first bytes whether an input will be read by ranges. A wrong guess costs only time.
func (in *Input) looksPlain() bool {
	if in.r != nil || !in.regular || in.Size == 0 {
		return false
	}
	if c := codec(in.codec.Load()); c != unknown {
		return c == plain
	}
	f, err := disk.Open(in.path)
	if err != nil {
		return false
	}
	defer f.Close()
	c, _, err := sniffFile(f)
	return err == nil && c == plain
}

// sniffFile returns the codec of a file, by its first bytes, and these.
func sniffFile(f *disk.File) (codec, []byte, error) {
	sample := make([]byte, sampleLen)
	n, err := f.ReadAt(sample, 0)
	if n == 0 && err != nil {
		return unknown, nil, err
	}
	return sniff(sample[:n]), sample[:n], nil
}
