package job

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/source"
)

// RobotsFile names one robots.txt, plain or compressed.
type RobotsFile struct {
	Name  string    // of the file; "-" is Stdin
	Stdin io.Reader // nil stands for os.Stdin
	// MaxBytes limits how much of it is read, decompressed, as in compile.Options: 0
	// stands for compile.DefaultMaxBytes, and a negative number for no limit.
	MaxBytes int
}

// Read returns the content, decompressed. If it is longer than MaxBytes, Read returns
// one byte more than MaxBytes, which tells the compiler that there is more.
// It returns when ctx ends, also while it waits for Stdin. Its errors are of type
// *Error.
func (f RobotsFile) Read(ctx context.Context) ([]byte, error) {
	body, _, err := f.read(ctx, 0)
	return body, err
}

// maxCounted limits how many bytes are counted beyond those that are read.
const maxCounted = 64 << 20

// read is like Read, and also returns the size of the content, decompressed. It counts up
// to most bytes beyond those that it returns; the size is -1 if there are more of them, or
// if they cannot be read.
func (f RobotsFile) read(ctx context.Context, most int64) (body []byte, size int64, err error) {
	defer func() {
		if ctx.Err() != nil { // which may have caused another error
			err = errNothingDone
		} else if err != nil {
			err = inputError(err)
		}
	}()
	in := source.NewInput(f.Name, until(ctx, cmp.Or[io.Reader](f.Stdin, os.Stdin)), -1)
	if f.Name != "-" {
		if in, err = source.NewFile(f.Name); err != nil {
			return nil, 0, err
		}
	}
	opened, err := in.Open()
	if err != nil {
		return nil, 0, err
	}
	defer opened.Close()
	r, limit := io.Reader(opened), int64(cmp.Or(f.MaxBytes, compile.DefaultMaxBytes))
	if limit > 0 {
		r = io.LimitReader(r, limit+1)
	}
	if body, err = io.ReadAll(r); err != nil {
		return nil, 0, err
	}
	if form := capture.FormOf(body); form != nil {
		return nil, 0, fmt.Errorf("%s: %s, not a robots.txt", f.Name, form.Form)
	}
	size = int64(len(body))
	if limit > 0 && size > limit && most > 0 {
		// An error in the rest leaves only the size unknown.
		n, err := io.Copy(io.Discard, io.LimitReader(opened, most+1))
		if size += n; err != nil || n > most {
			size = -1
		}
	}
	return body, size, err
}

// compile reads and compiles the file, and warns of its oddities.
func (f RobotsFile) compile(ctx context.Context, o compile.Options, messages Messages) (r *compile.Robots, body []byte, err error) {
	if body, err = f.Read(ctx); err != nil {
		return nil, nil, err
	}
	o.MaxBytes = f.MaxBytes
	r = compile.Compile(body, o)
	for _, w := range Oddities(r, f.Name) {
		messages.warn("%s", w)
	}
	return r, body, nil
}

// WholeLines returns the part of a body that the compiler reads: without the lines
// that go past the limit. A negative limit is none.
func WholeLines(body []byte, limit int) []byte {
	if limit < 0 || len(body) <= limit {
		return body
	}
	if body[limit] == '\n' || body[limit] == '\r' {
		return body[:limit]
	}
	return body[:bytes.LastIndexAny(body[:limit], "\r\n")+1]
}

// Oddities returns warnings about a robots.txt, by the name of its file: it looks
// like a web page or like UTF-16, is cut at the limit, or has no rule.
func Oddities(r *compile.Robots, file string) []string {
	var list []string
	for _, n := range r.Notes {
		switch n.Kind {
		case compile.NoteMarkup, compile.NoteUTF16, compile.NoteTruncated:
			list = append(list, fmt.Sprintf("%s: %s", file, n))
		}
	}
	rules := 0
	for _, g := range r.Groups {
		rules += len(g.Rules)
	}
	switch {
	case len(r.Groups) == 0:
		list = append(list, file+": no line names a user agent, so it forbids nothing")
	case rules == 0:
		list = append(list, file+": no group has a rule, so it forbids nothing")
	}
	return list
}
