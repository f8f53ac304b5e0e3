package list

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Limits of a sitemap, without which a hostile one could use any amount of memory. The protocol
// limits URLs to 2,048 characters.
const (
	maxToken = 1 << 20 // bytes of a tag, a comment, or a text between two tags
	maxName  = 1 << 10 // bytes of an element's name
	maxDepth = 1000    // nested elements
)

// NewSitemap returns the URLs of a sitemap or an index of sitemaps, one per line, in order: the
// text of the element loc of each url or sitemap, without surrounding white space. For RSS and Atom
// feeds these are the links of items and entries. Bytes that would end a line are percent-encoded;
// an empty element yields an empty line.
//
// At an error in the XML the reader first returns the lines before it, then the error with its
// offset. Memory is bounded for any input. The encoding must be UTF-8, US-ASCII, ISO-8859-1 or
// windows-1252.
//
// Source: https://www.sitemaps.org/protocol.html
func NewSitemap(r io.Reader) io.Reader {
	s := &sitemap{in: &counted{Reader: bufio.NewReaderSize(r, 64<<10)}}
	s.xml = xml.NewDecoder(s.in)
	s.xml.Strict = false // many have unescaped & in URLs
	s.xml.CharsetReader = charset
	return s
}

type sitemap struct {
	in    *counted
	xml   *xml.Decoder
	open  []string // names of the open elements, without prefixes, in lower case
	at    int      // number of open elements at the start of the URL element, 0 outside of one
	text  []byte
	lines []byte // not yet returned
	err   error
}

func (s *sitemap) Read(p []byte) (int, error) {
	for len(s.lines) == 0 && s.err == nil {
		if err := s.next(); errors.Is(err, io.EOF) {
			s.err = err
		} else if err != nil {
			s.err = fmt.Errorf("at byte %d: %w", s.in.offset, err)
		}
	}
	n := copy(p, s.lines)
	if s.lines = s.lines[n:]; n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, s.err
}

// next reads the next token.
func (s *sitemap) next() error {
	s.in.token = 0
	token, err := s.xml.RawToken()
	switch {
	case errors.Is(err, io.EOF) && len(s.open) > 0:
		return fmt.Errorf("it ends within the element %s", shorten(s.open[len(s.open)-1]))
	case errors.Is(err, io.EOF) && s.open == nil:
		return errors.New("it has no element: it is not a sitemap")
	case err != nil:
		return err
	}
	switch t := token.(type) {
	case xml.StartElement:
		return s.start(t)
	case xml.EndElement:
		return s.end(t)
	case xml.CharData:
		if s.at > 0 {
			if s.text = append(s.text, t...); len(s.text) > maxToken {
				return errTooLong
			}
		}
	}
	return nil
}

func (s *sitemap) start(t xml.StartElement) error {
	name := strings.ToLower(t.Name.Local)
	switch {
	case s.open == nil && !roots[name]:
		return fmt.Errorf("its root element is %s: it is not a sitemap", shorten(name))
	case s.open != nil && len(s.open) == 0:
		return fmt.Errorf("the element %s is behind the end of the root element", shorten(name))
	case len(s.open) == maxDepth:
		return fmt.Errorf("more than %d elements are within each other", maxDepth)
	case len(name) > maxName:
		return fmt.Errorf("the name of an element is longer than %d bytes", maxName)
	}
	parent := ""
	if len(s.open) > 0 {
		parent = s.open[len(s.open)-1]
	}
	s.open = append(s.open, name)
	switch place := parent + " " + name; {
	case place == "url loc", place == "sitemap loc",
		place == "item link" && t.Name.Space == "": // atom:link isn't an RSS link
		s.at, s.text = len(s.open), s.text[:0]
	case place == "entry link":
		if href, ok := alternate(t.Attr); ok {
			s.line([]byte(href))
		}
	}
	return nil
}

// alternate returns the address of an Atom link if it is the page of its entry.
//
// Source: RFC 4287, 4.2.7.2
func alternate(attributes []xml.Attr) (href string, ok bool) {
	page := true
	for _, a := range attributes {
		switch strings.ToLower(a.Name.Local) {
		case "href":
			href, ok = a.Value, true
		case "rel":
			page = strings.EqualFold(strings.TrimSpace(a.Value), "alternate")
		}
	}
	return href, ok && page
}

func (s *sitemap) end(t xml.EndElement) error {
	name := strings.ToLower(t.Name.Local)
	if len(s.open) == 0 || s.open[len(s.open)-1] != name {
		return fmt.Errorf("the element %s ends that is not open", shorten(name))
	}
	s.open = s.open[:len(s.open)-1]
	if s.at > len(s.open) {
		s.at = 0
		s.line(s.text)
	}
	return nil
}

func (s *sitemap) line(url []byte) {
	s.lines = s.lines[:0]
	for _, c := range bytes.TrimSpace(url) {
		if c == '\n' || c == '\r' {
			s.lines = fmt.Appendf(s.lines, "%%%02X", c)
		} else {
			s.lines = append(s.lines, c)
		}
	}
	s.lines = append(s.lines, '\n')
}

var errTooLong = fmt.Errorf("a tag or a text is longer than %d bytes", maxToken)

// counted counts bytes, and fails when a token has more than maxToken. It has the method Read
// because xml.Decoder requires it of an encoding's reader, but only ReadByte is called.
type counted struct {
	*bufio.Reader
	offset int64
	token  int // bytes of the token
}

func (c *counted) ReadByte() (byte, error) {
	if c.token == maxToken {
		return 0, errTooLong
	}
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.token++
		c.offset++
	}
	return b, err
}

// charset returns a reader for a declared encoding.
func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1", "windows-1252", "cp1252":
		return &western{Reader: in, in: in.(io.ByteReader)}, nil
	case "utf8", "utf-16": // .NET declares UTF-16 in what it saves as UTF-8; real UTF-16 is refused before
		return in, nil
	}
	return nil, errEncoding
}

var errEncoding = errors.New("this encoding is not read; convert the file to UTF-8")

// western converts windows-1252 to UTF-8. Browsers treat ISO-8859-1 and ASCII as windows-1252 too.
// Only ReadByte is called.
//
// Source: https://encoding.spec.whatwg.org/#names-and-labels
type western struct {
	io.Reader
	in      io.ByteReader // also in
	pending []byte
	buf     [utf8.UTFMax]byte
}

func (l *western) ReadByte() (byte, error) {
	if len(l.pending) == 0 {
		c, err := l.in.ReadByte()
		if err != nil {
			return 0, err
		}
		char := rune(c)
		if 0x80 <= c && c < 0xa0 {
			char = windows1252[c-0x80]
		}
		l.pending = utf8.AppendRune(l.buf[:0], char)
	}
	c := l.pending[0]
	l.pending = l.pending[1:]
	return c, nil
}

// windows1252 has the characters from 0x80 to 0x9f.
var windows1252 = [...]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}
