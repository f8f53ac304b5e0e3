package source

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// Input is one named source of bytes, made by [Inputs], [NewFile] or [NewInput]. It is read once,
// by one Reader or by the caller of Open; Head may be called before that. Its methods are safe for
// concurrent use. Its fields must not change once a Reader has it.
type Input struct {
	Name string // as a user would recognise it: a path, or "-"
	// Size is the number of bytes on disk when it was found, or the unpacked bytes of a member of an
	// archive; -1 if unknown, as for a pipe.
	Size int64
	// Windows bounds the decompression windows of all inputs that share it. If nil, windows of up to
	// 128 MiB are allowed, shared with all other inputs of the process.
	Windows *Windows
	Hash    bool // whether a Reader finds the SHA-256 of its bytes; for a pipe, it must be set before Head
	// Records, if not nil, returns how many bytes of data, which begins with a record, are whole
	// records, and whether each line of them is one; final is set if nothing follows. Chunks then
	// end with a record, and a record may have Options.MaxLine bytes. A line whose end it does not
	// find in so many bytes is cut off as final.
	Records func(data []byte, final bool) (end int, lines bool)

	member  *member     // of an archive; nil when the input is a file
	fault   error       // why it cannot be opened, if that is known
	lines   bool        // it was made by Inputs: an archive is refused, whose members would be inputs
	path    string      // "" when bytes come from r
	r       io.Reader   // nil when they come from path
	info    fs.FileInfo // of path, when it was found
	regular bool        // path was a regular file: it can be opened again and again
	parts   bool        // it is read by OpenParts
	decoded bool        // it is not compressed, whatever its first bytes

	codec atomic.Int32 // the zero value is unknown

	mu      sync.Mutex
	head    []byte  // decoded by Head, of an input that cannot be opened twice; nil before it is opened
	pending *stream // such an input, opened by Head and waiting for its Reader
}

// NewInput returns an input that reads r, size bytes long on disk or -1. If r must be closed, the
// caller closes it.
func NewInput(name string, r io.Reader, size int64) *Input {
	return &Input{Name: name, Size: size, r: r}
}

// NewLines returns an input that reads lines that another reader has made. They are never
// decompressed.
func NewLines(name string, r io.Reader) *Input {
	in := NewInput(name, r, -1)
	in.decoded = true
	return in
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

// Codec is "plain", "gzip", "zstd", "bzip2" or "xz", and "" until Head or a Reader has seen the
// first bytes. For a member of an archive it is the member's compression, preceded by that of
// the archive, or "deflate", if it is compressed too: "gzip" also stands for a plain member of a
// .tar.gz, and "xz+gzip" for a .gz in a .tar.xz.
func (in *Input) Codec() string {
	own := sniff.Codec(in.codec.Load())
	switch around := in.around(); {
	case around == sniff.Plain:
		return own.String()
	case own <= sniff.Plain:
		return around.String()
	default:
		return around.String() + "+" + own.String()
	}
}

// around is how an archive compresses the bytes of the input.
func (in *Input) around() sniff.Codec {
	if in.member == nil {
		return sniff.Plain
	}
	return in.member.around()
}

// cut reports whether the input is a member in which its archive ends. It is a stream, whose end is
// an error.
func (in *Input) cut() bool { return in.member != nil && in.member.cut }

// Regular reports whether the input is a regular file or a member of one, which can be read again and
// again.
func (in *Input) Regular() bool { return in.regular }

// SameFile reports whether two inputs read one file, as two members of one archive do, or are both
// standard input.
func (in *Input) SameFile(other *Input) bool {
	if in.info == nil || other.info == nil {
		return in.info == other.info && in.Name == "-" && other.Name == "-"
	}
	return os.SameFile(in.info, other.info)
}

// Sum returns the SHA-256 of the decompressed bytes of a regular file. It reads them all, and the
// Reader will read them again.
func (in *Input) Sum() (sum [sha256.Size]byte, err error) {
	r, err := in.reader(in.open(nil))
	if err != nil {
		return sum, err
	}
	defer r.Close()
	h := sha256.New()
	if _, err = io.Copy(h, r); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// Head returns the first decompressed bytes, at most n, and fewer only if the input ends or breaks
// before. The Reader will read them all the same, from pipes too. It fails if the input cannot be
// opened, or not even its first byte decoded. On a pipe it blocks until the bytes are there. The
// caller may keep the slice and change it.
func (in *Input) Head(n int) ([]byte, error) {
	if in.r == nil && in.regular {
		// The file is closed again, so that thousands of inputs can be looked at before the first
		// is read.
		r, err := in.reader(in.open(nil))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return readHead(r, n)
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.head == nil {
		o, err := in.open(nil)
		if err != nil {
			return nil, newError(in.Name, -1, err)
		}
		in.pending, in.head = o.stream, append([]byte{}, o.stream.head...)
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

// readHead returns the first n bytes of r, or fewer if it ends or breaks after the first.
func readHead(r io.Reader, n int) ([]byte, error) {
	const usual = 64 << 10 // of a longer beginning, since many files are shorter
	b, got := make([]byte, min(n, usual)), 0
	for {
		m, err := io.ReadFull(r, b[got:])
		switch got += m; {
		case got == 0 && !isEOF(err):
			return nil, err
		case err != nil || got == n:
			return b[:got], nil //nolint:nilerr // who reads on has it again
		}
		b = append(make([]byte, 0, n), b...)[:n]
	}
}

// Open returns the decompressed bytes of the input from beginning to end, for inputs that are not
// made of lines. Errors of Read are *Error. The caller closes the reader, and only one goroutine at
// a time may use it.
func (in *Input) Open() (io.ReadCloser, error) {
	r, err := in.reader(in.take(nil))
	if err != nil {
		return nil, err
	}
	return r, nil
}

// OpenAt returns the bytes of a plain file, for inputs that are not read from beginning to end, and
// how many there are. The caller closes it.
func (in *Input) OpenAt() (r io.ReaderAt, size int64, closer io.Closer, err error) {
	if !in.regular {
		return nil, 0, nil, newError(in.Name, -1, errNotPlain)
	}
	o, err := in.open(nil)
	switch {
	case err != nil:
		return nil, 0, nil, newError(in.Name, -1, err)
	case o.stream != nil:
		o.close()
		return nil, 0, nil, newError(in.Name, -1, errNotPlain)
	}
	return o.plain(), o.size, o.file, nil
}

var errNotPlain = errors.New("it can be read only from a file that is not compressed")

// reader reads an input that has been opened.
func (in *Input) reader(o opened, err error) (*openInput, error) {
	if err != nil {
		return nil, newError(in.Name, -1, err)
	}
	r := &openInput{name: in.Name, opened: o, bytes: o.stream}
	if o.stream == nil {
		r.bytes = &span{o.plainReader(), o.size}
	}
	return r, nil
}

// opened is an open input: a stream, or if that is nil plain bytes in a file.
type opened struct {
	stream    *stream
	file      *disk.File
	off, size int64 // of its bytes in the file
}

// plain returns the bytes in the file.
func (o opened) plain() io.ReaderAt {
	if o.off == 0 {
		return o.file // an input that is a whole file
	}
	return io.NewSectionReader(o.file, o.off, o.size)
}

// plainReader reads them from the first to the last.
func (o opened) plainReader() io.Reader { return io.NewSectionReader(o.file, o.off, o.size) }

func (o opened) close() {
	if o.stream != nil {
		o.stream.close() // and its file
	} else {
		o.file.Close()
	}
}

// openInput reads an open input from beginning to end.
type openInput struct {
	opened
	name  string
	bytes io.Reader // decoded
	read  int64     // of those of a plain file
}

// Read reads decompressed bytes. An error but io.EOF is an *Error.
func (o *openInput) Read(p []byte) (n int, err error) {
	n, err = o.bytes.Read(p)
	if o.stream == nil {
		o.read += int64(n)
	}
	return n, o.error(err)
}

// error names the input in an error that is not the end, and where on disk it is.
func (o *openInput) error(err error) error {
	if err == nil || isEOF(err) {
		return err
	}
	return newError(o.name, o.offset(), err)
}

func (o *openInput) offset() int64 {
	if o.stream != nil {
		return o.stream.raw.offset()
	}
	return o.read
}

// Close closes the file and releases the decoder.
func (o *openInput) Close() error {
	o.close()
	return nil
}

// take gives the input to its only reader, and opens it unless Head has. If that is a Reader, it
// watches the file of a stream before a Read that may block or may take long to return a byte.
func (in *Input) take(r *Reader) (opened, error) {
	in.mu.Lock()
	s := in.pending
	in.pending = nil
	if in.head == nil {
		in.head = []byte{} // so that a Head that comes too late does not open the input again
	}
	in.mu.Unlock()
	if s == nil {
		return in.open(r)
	}
	if s.file != nil {
		r.watch(s.file)
	}
	if r != nil {
		s.raw.tape = nil // only Parts need it
	}
	return opened{stream: s}, nil
}

// open opens the input, for take and Head. It refuses an archive whose members would be inputs.
func (in *Input) open(r *Reader) (o opened, err error) {
	var sample []byte
	switch {
	case in.fault != nil:
		return o, in.fault
	case in.member != nil && in.member.packed == sniff.S2:
		o.stream, err = in.unpacking(newUnspooling(in.member), r)
	case in.r != nil:
		o.stream, err = in.newStream(in.r, r)
	default:
		o, sample, err = in.openFile(r)
	}
	if err != nil || !in.lines || in.parts {
		return o, err
	}
	switch { // the next Read returns the error
	case o.stream != nil && in.regular:
		sample, _ = o.stream.peek(sniff.SampleLen)
	case o.stream != nil:
		sample, _ = o.stream.peekLine(sniff.SampleLen)
	}
	if err = in.refuse(sample); err != nil {
		if o.stream != nil && o.stream.file != nil {
			r.unwatch(o.stream.file)
		}
		o.close()
	}
	return o, err
}

// refuse returns an error if the decoded bytes of an input begin as an archive does.
func (in *Input) refuse(head []byte) error {
	kind := sniff.Archive(head)
	switch {
	case kind == "":
		return nil
	case in.member != nil:
		return fmt.Errorf("a %s archive inside an archive, which is not read: unpack it, and name it as an argument",
			kind)
	case !in.regular:
		return fmt.Errorf("a %s archive, which cannot be read from a pipe or from standard input, "+
			"because its members are looked at before they are read: name a file", kind)
	default:
		return fmt.Errorf("a %s archive that is compressed with %s: decompress it, and name it as an argument",
			kind, sniff.Codec(in.codec.Load()))
	}
}

// openFile opens an input that is a file or has its place in one. It returns the first bytes of a
// plain one.
func (in *Input) openFile(r *Reader) (o opened, sample []byte, err error) {
	if in.member != nil {
		o.file, err = in.member.of.openWhole()
	} else {
		o.file, err = disk.Open(in.path)
	}
	if err != nil {
		return o, nil, err
	}
	defer func() {
		if err != nil {
			o.file.Close()
		}
	}()
	if o.off, o.size, err = in.place(o.file); err != nil {
		return o, nil, err
	}
	isPlain := false
	if o.size > 0 && in.around() == sniff.Plain && !in.cut() {
		var c sniff.Codec
		if c, sample, err = sniffFile(o.plain()); err == nil && c == sniff.Plain {
			isPlain, err = true, sniff.CheckName(in.Name, sample)
			in.codec.Store(int32(sniff.Plain))
		}
		if err != nil {
			return o, nil, err
		}
	}
	if isPlain && (r == nil || !in.Hash && in.Records == nil) {
		return o, sample, nil
	}
	r.watch(o.file)
	if o.stream, err = in.fileStream(o, isPlain, r); err != nil {
		r.unwatch(o.file)
	}
	return o, nil, err
}

// place returns where in an open file the bytes of the input are. No bytes: it is read until it
// ends.
func (in *Input) place(file *disk.File) (off, size int64, err error) {
	if m := in.member; m != nil {
		return m.off, m.length, nil
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		return 0, 0, err
	case info.IsDir():
		return 0, 0, errDirectory
	case !info.Mode().IsRegular():
		return 0, 0, nil
	}
	return 0, info.Size(), nil // files of /proc say that they are regular and 0 bytes long, and are not
}

// fileStream makes the stream of an input that has its place in a file. isPlain: its first bytes
// have shown that it is not compressed.
func (in *Input) fileStream(o opened, isPlain bool, r *Reader) (s *stream, err error) {
	switch m := in.member; {
	case isPlain:
		s = in.plainStream(&span{o.plainReader(), o.size}, r)
		s.inFile, s.begin = true, o.off
	case m == nil:
		s, err = in.newStream(o.file, r)
	case m.packed == sniff.Plain:
		s, err = in.newStream(&span{o.plainReader(), o.size}, r)
	default:
		s, err = in.unpacking(newInflating(&span{o.plainReader(), o.size}, m), r)
	}
	if err == nil {
		s.file = o.file
	}
	return s, err
}

// unpacking makes the stream of a member that is packed in its archive, from the stream of the
// bytes that it unpacks to.
func (in *Input) unpacking(below *stream, r *Reader) (*stream, error) {
	s, err := in.newStream(below, r)
	if err != nil {
		below.close()
		return nil, err
	}
	s.below = below
	return s, nil
}

// newStream makes a stream with the decoder that the first bytes require. The Reader is nil if
// there is none.
func (in *Input) newStream(bytes io.Reader, r *Reader) (*stream, error) {
	plain := in.plainStream(bytes, r)
	if in.decoded {
		return plain, nil
	}
	s, err := newStream(plain.raw, in.Name, plain.window)
	if err == nil {
		in.codec.Store(int32(s.codec))
	}
	return s, err
}

// plainStream makes a stream that passes on the bytes.
func (in *Input) plainStream(bytes io.Reader, r *Reader) *stream {
	w := newWindow(in.Windows, r.stopping())
	if !in.regular {
		w.slot, w.waits = w.of.pipe, false
	}
	raw := newRawReader(bytes)
	if in.parts || !in.regular && r == nil { // OpenParts comes after Head
		raw.tape = &tape{limit: rawBuffer}
	}
	if in.Hash {
		raw.sum = sha256.New()
	}
	return &stream{codec: sniff.Plain, raw: raw, window: w, dec: simpleDecoder{plainReader{raw}}}
}

// archiveKind reports by its first bytes whether a file is an archive whose members are inputs: any
// tar, and a zip that is not compressed. One that cannot be read is none. If it cannot be opened
// now, nobody knows whether it is one: then it is not opened later either.
func (in *Input) archiveKind() string {
	if !in.regular || in.Size == 0 {
		return ""
	}
	o, sample, err := in.openFile(nil)
	if err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok && failed.Op == string(disk.OpOpen) {
			in.fault = err
		}
		return ""
	}
	defer o.close()
	if o.stream == nil {
		return sniff.Archive(sample)
	}
	sample, _ = o.stream.peek(sniff.SampleLen)
	if sniff.Archive(sample) == "tar" {
		return "tar"
	}
	return ""
}

// sniffFile returns the codec of a file, by its first bytes, and these.
func sniffFile(f io.ReaderAt) (sniff.Codec, []byte, error) {
	sample := make([]byte, sniff.SampleLen)
	n, err := f.ReadAt(sample, 0)
	if n == 0 && err != nil {
		return sniff.Unknown, nil, err
	}
	return sniff.CodecOf(sample[:n]), sample[:n], nil
}
