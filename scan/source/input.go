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

// Input is a named source of bytes, made by [Inputs], [NewFile] or [NewInput]. It is read once, by
// a Reader or by the caller of Open; Head may be called before. Its methods are safe for concurrent
// use. Its fields must not change once a Reader has it.
type Input struct {
	Name string // as a user would recognize it: a path, or "-"
	// Size is the number of bytes on disk when the input was found, or the unpacked bytes of an
	// archive member. It is -1 if unknown, as for a pipe.
	Size int64
	// Windows limits the decompression windows of all inputs that share it. nil allows windows of up
	// to 128 MiB, shared with all other inputs of the process.
	Windows *Windows
	Hash    bool // a Reader computes the SHA-256 of its bytes; for a pipe, it must be set before Head
	Check   bool // a Reader computes a checksum, at a tenth of the cost; the same holds for a pipe
	// Records, if not nil, returns how many bytes of data are whole records, and whether each line of
	// them is a record. data begins with a record, and final means that nothing follows. Chunks then
	// end with a record, and a record may have up to Options.MaxLine bytes. Longer ones are cut off.
	Records func(data []byte, final bool) (end int, lines bool)

	member  *member     // of an archive; nil if the input is a file
	fault   error       // why it can't be opened, if known
	lines   bool        // Inputs made it: an archive is refused, because its members would be inputs
	path    string      // "" if the bytes come from r
	r       io.Reader   // nil if they come from path
	info    fs.FileInfo // of path, when it was found
	regular bool        // path was a regular file, which can be opened repeatedly
	parts   bool        // OpenParts reads it
	decoded bool        // not compressed, whatever its first bytes

	codec atomic.Int32 // the zero value is unknown

	mu      sync.Mutex
	head    []byte  // from Head, if the input can't be opened twice; nil before
	pending *stream // of such an input, opened by Head and waiting for its Reader
}

// NewInput returns an input that reads r, with a size on disk or -1. If r must be closed, the
// caller closes it.
func NewInput(name string, r io.Reader, size int64) *Input {
	return &Input{Name: name, Size: size, r: r}
}

// NewLines returns an input for lines made by another reader. They are never decompressed.
func NewLines(name string, r io.Reader) *Input {
	in := NewInput(name, r, -1)
	in.decoded = true
	return in
}

// NewFile returns an input for the file, pipe or device with a name. It doesn't open it yet.
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
// first bytes. If an archive or a zip compresses its member, the archive's compression or "deflate"
// comes first: "gzip" also stands for a plain member of a .tar.gz, and "xz+gzip" for a .gz in a
// .tar.xz.
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

// around is the archive's compression of the input.
func (in *Input) around() sniff.Codec {
	if in.member == nil {
		return sniff.Plain
	}
	return in.member.around()
}

// Regular reports whether the input is a regular file or a member of one, which can be read
// repeatedly.
func (in *Input) Regular() bool { return in.regular }

// SameFile reports whether two inputs read the same file, as two members of an archive do, or
// standard input.
func (in *Input) SameFile(other *Input) bool {
	if in.info == nil || other.info == nil {
		return in.info == other.info && in.Name == "-" && other.Name == "-"
	}
	return os.SameFile(in.info, other.info)
}

// Sum returns the SHA-256 of the decompressed bytes of a regular file. It reads all of them, in
// addition to the Reader.
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
// earlier. The Reader will read them nevertheless, even from pipes. Head fails if the input can't
// be opened or its first byte can't be decoded. On a pipe it blocks until the bytes are available.
// The caller may keep and modify the slice.
func (in *Input) Head(n int) ([]byte, error) {
	if in.r == nil && in.regular {
		// The file is closed again, so that thousands of inputs can be examined before the first is read.
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
		s.head = nil // continue where the last Head ended
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
	const usual = 64 << 10 // for long heads, because many files are shorter
	b, got := make([]byte, min(n, usual)), 0
	for {
		m, err := io.ReadFull(r, b[got:])
		switch got += m; {
		case got == 0 && !isEOF(err):
			return nil, err
		case err != nil || got == n:
			return b[:got], nil //nolint:nilerr // later readers get it again
		}
		b = append(make([]byte, 0, n), b...)[:n]
	}
}

// Open returns the decompressed bytes of the input from beginning to end, for inputs that don't
// consist of lines. Errors of Read are *Error. The caller closes the reader. It isn't safe for
// concurrent use.
func (in *Input) Open() (io.ReadCloser, error) {
	r, err := in.reader(in.take(nil))
	if err != nil {
		return nil, err
	}
	return r, nil
}

// OpenAt returns the bytes of a plain file and their number, for random access. The caller closes
// it.
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
	off, size int64 // place of its bytes in the file
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
		o.stream.close() // also closes its file
	} else {
		o.file.Close()
	}
}

// openInput reads an open input from beginning to end.
type openInput struct {
	opened
	name  string
	bytes io.Reader // decoded
	read  int64     // bytes of a plain file so far
}

// Read reads decompressed bytes. Errors except io.EOF are *Error.
func (o *openInput) Read(p []byte) (n int, err error) {
	n, err = o.bytes.Read(p)
	if o.stream == nil {
		o.read += int64(n)
	}
	return n, o.error(err)
}

// error adds the name of the input and the offset on disk to an error, except at the end.
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

// take passes the input to its only reader, and opens it unless Head has. If that is a Reader, it
// watches the file of a stream before any Read that may block or be slow.
func (in *Input) take(r *Reader) (opened, error) {
	in.mu.Lock()
	s := in.pending
	in.pending = nil
	if in.head == nil {
		in.head = []byte{} // so that a late Head doesn't open the input again
	}
	in.mu.Unlock()
	if s == nil {
		return in.open(r)
	}
	if s.file != nil {
		r.watch(s.file)
	}
	if r != nil {
		s.raw.tape = nil // only Parts needs it
	}
	return opened{stream: s}, nil
}

// open opens the input, for take and Head. It refuses archives whose members would be inputs.
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
		sample, _ = o.stream.peek(sniff.SampleLen, false)
	case o.stream != nil:
		sample, _ = o.stream.peek(sniff.SampleLen, true)
	}
	if err = in.refuse(sample); err != nil {
		if o.stream != nil && o.stream.file != nil {
			r.unwatch(o.stream.file)
		}
		o.close()
	}
	return o, err
}

// refuse returns an error if the decoded bytes of an input begin like an archive.
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

// openFile opens an input that is a file or is inside one. It returns the first bytes if they are
// plain.
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
	isCut := in.member != nil && in.member.cut // by the end of the archive: a stream that ends with an error
	if o.size > 0 && in.around() == sniff.Plain && !isCut {
		var c sniff.Codec
		if c, sample, err = sniffFile(o.plain()); err == nil && c == sniff.Plain {
			isPlain, err = true, sniff.CheckName(in.Name, sample)
			in.codec.Store(int32(sniff.Plain))
		}
		if err != nil {
			return o, nil, err
		}
	}
	if isPlain && (r == nil || !in.Hash && !in.Check && in.Records == nil) {
		return o, sample, nil
	}
	r.watch(o.file)
	if o.stream, err = in.fileStream(o, isPlain, r); err != nil {
		r.unwatch(o.file)
	}
	return o, nil, err
}

// place returns the place of the input's bytes in an open file. If there are no bytes, the file is
// read until it ends.
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
	return 0, info.Size(), nil // files in /proc claim to be regular and empty
}

// fileStream makes the stream of an input in a file. isPlain means that its first bytes aren't
// compressed.
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

// unpacking makes the stream of a member that its archive compresses, given the stream of the
// unpacked bytes.
func (in *Input) unpacking(below *stream, r *Reader) (*stream, error) {
	s, err := in.newStream(below, r)
	if err != nil {
		below.close()
		return nil, err
	}
	s.below = below
	return s, nil
}

// newStream makes a stream with the decoder for the first bytes. The Reader may be nil.
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

// plainStream makes a stream without a decoder.
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
	if in.Check {
		raw.check = new(checksum)
	}
	return &stream{codec: sniff.Plain, raw: raw, window: w, dec: simpleDecoder{plainReader{raw}}}
}

// archiveKind reports whether a file begins like an archive whose members are inputs: any tar, or
// an uncompressed zip. An unreadable file doesn't count. If the file can't be opened now, it won't
// be opened later either, because it might be an archive.
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
	sample, _ = o.stream.peek(sniff.SampleLen, false)
	if sniff.Archive(sample) == "tar" {
		return "tar"
	}
	return ""
}

func sniffFile(f io.ReaderAt) (sniff.Codec, []byte, error) {
	sample := make([]byte, sniff.SampleLen)
	n, err := f.ReadAt(sample, 0)
	if n == 0 && err != nil {
		return sniff.Unknown, nil, err
	}
	return sniff.CodecOf(sample[:n]), sample[:n], nil
}
