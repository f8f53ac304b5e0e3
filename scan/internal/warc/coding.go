package warc

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/robotsieve/robotsieve/scan/source"
)

// coding is a content coding of a body.
type coding struct {
	magic  string // how encoded data begins; "" if that varies
	decode func(*bufio.Reader) (io.Reader, error)
}

// codings are the tokens of Content-Encoding that are decoded. A body with any other token is used
// as it is.
//
// Source: https://www.iana.org/assignments/http-parameters/http-parameters.xhtml#content-coding
var codings = map[string]coding{
	"gzip":    {"\x1f\x8b", func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	"x-gzip":  {"\x1f\x8b", func(r *bufio.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	"zstd":    {"\x28\xb5\x2f\xfd", func(r *bufio.Reader) (io.Reader, error) { return source.NewZstdBody(r) }},
	"deflate": {"", inflate}, "x-deflate": {"", inflate},
	"br": {"", func(r *bufio.Reader) (io.Reader, error) { return source.NewBrotli(r), nil }},
}

// inflate decodes deflate in the zlib format, or without it, as some servers send it.
func inflate(r *bufio.Reader) (io.Reader, error) {
	if head, _ := r.Peek(2); len(head) == 2 && head[0]&0xf == 8 && (int(head[0])<<8+int(head[1]))%31 == 0 {
		return zlib.NewReader(r)
	}
	return flate.NewReader(r), nil
}

// decoded removes the codings of a body, the last one first. A body that isn't actually encoded is
// used as it is.
func decoded(in *bufio.Reader, tokens string) (io.Reader, error) {
	list := strings.Split(tokens, ",")
	if most := 4; len(list) > most {
		list = list[:most]
	}
	for i := len(list) - 1; i >= 0; i-- {
		c, ok := codings[strings.TrimSpace(list[i])]
		if !ok || !c.has(in) {
			continue
		}
		r, err := c.decode(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(r)
	}
	return in, nil
}

// has reports whether a body has the coding.
func (c coding) has(in *bufio.Reader) bool {
	if c.magic != "" {
		magic, _ := in.Peek(len(c.magic))
		return string(magic) == c.magic
	}
	const look = 512
	head, atEnd := in.Peek(look)
	r, err := c.decode(bufio.NewReader(bytes.NewReader(head)))
	n := int64(0)
	if err == nil {
		n, err = io.Copy(io.Discard, io.LimitReader(r, 64<<10))
	}
	switch {
	case err == nil && len(head) > 0:
		return !isText(head) || atEnd != nil && (n > 0 || len(head) == 1)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return !isText(head)
	}
	return n > 0 && !isText(head)
}

// isText reports whether bytes have no control characters except those of text.
func isText(head []byte) bool {
	return !bytes.ContainsFunc(head, func(c rune) bool { return c < ' ' && !strings.ContainsRune("\t\n\v\f\r", c) })
}
