package source

import (
	"io"
	"os"
)

// Open returns the decompressed bytes of the input from front to end, for what is not made of lines. An input is read once, either
// by a Reader or by the caller of Open. Errors of Read are *Error. The caller closes it; it belongs to one goroutine.
func (in *Input) Open() (io.ReadCloser, error) {
	f, _, s, err := in.take(func(*os.File) {})
	if err != nil {
		return nil, newError(in.Name, -1, err)
	}
	return &opened{name: in.Name, file: f, stream: s}, nil
}

// opened is a plain file, or a stream where that is not nil.
type opened struct {
	name   string
	file   *os.File
	stream *stream
	read   int64 // of the plain file
}

func (o *opened) Read(p []byte) (n int, err error) {
	at := o.read
	if o.stream != nil {
		n, err = o.stream.Read(p)
		at = o.stream.offset()
	} else {
		n, err = o.file.Read(p)
		o.read += int64(n)
	}
	if err != nil && err != io.EOF {
		err = newError(o.name, at, err)
	}
	return n, err
}

func (o *opened) Close() error {
	if o.stream != nil {
		o.stream.close()
		return nil
	}
	return o.file.Close()
}
