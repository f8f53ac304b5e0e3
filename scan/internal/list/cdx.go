package list

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/robotsieve/robotsieve/scan/internal/field"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// usualCDX are the first columns of CDX without a header. The forms with 11, 10, 9 and 7 columns
// share them.
const usualCDX = " CDX N b a"

// newCDX returns the layout of CDX. The header names columns by letters: a is the original URL, b
// the time of the capture, and N and A are keys.
//
// Source: https://iipc.github.io/warc-specifications/specifications/cdx-format/cdx-2015/
func newCDX(_ *kindRow, head []byte, o Options) (*Layout, error) {
	if o != (Options{}) {
		return nil, errors.New("CDX has its columns named by its header, and no others can be chosen")
	}
	header := []byte(usualCDX)
	if rows := sample(head, 1); len(rows) > 0 && sniff.IsCDXHeader(rows[0]) {
		header = rows[0]
	}
	l := &Layout{shape: field.Columns{Delimiter: header[0]}, url: -1, date: -1}
	for i, name := range bytes.Split(header[len(" CDX "):], header[:1]) {
		switch string(name) {
		case "a":
			l.url, l.surt = i, false
		case "N", "A":
			if l.url < 0 {
				l.url, l.surt = i, true
			}
		case "b":
			l.date = i
		}
	}
	if l.url < 0 {
		return nil, fmt.Errorf("its header %s names no column of URLs: a, N or A", shorten(string(header)))
	}
	return l, nil
}

// isIndexHeader reports whether a line of an index is metadata.
func isIndexHeader(line []byte) bool {
	switch line[0] {
	case '!', '#', '@':
		return true
	}
	return sniff.IsCDXHeader(line)
}

// newCDXJ returns the layout of CDXJ. pywb and Common Crawl write the member url, InterPlanetary
// Wayback original_uri.
func newCDXJ(_ *kindRow, _ []byte, o Options) (*Layout, error) {
	if o.Date != "" {
		return nil, errors.New("CDXJ has the time in its second column, and no other can be chosen")
	}
	l := &Layout{date: -1, surt: o.Column == "", object: objectOf(o.Column)}
	if l.surt {
		l.object = field.NewObject([]field.Member{{Path: "url"}, {Path: "original_uri"}}, nil)
	}
	return l, nil
}

// capture returns the URL and the timestamp of a row of CDXJ.
func (r *Reader) capture(row *Row) (url, stamp []byte) {
	key, rest, _ := bytes.Cut(row.Text, blank)
	stamp, rest, found := bytes.Cut(rest, blank)
	if !found || !r.skim(row, rest) {
		row.State = BadRow
		return nil, nil
	}
	if url = r.members.Text[urlMember]; r.layout.surt && len(url) == 0 {
		url = r.unkeyed(key)
	}
	return url, stamp
}

var blank = []byte(" ")

// unkeyed decodes the URL of a key into the reader's buffer. It returns nil if the key has none.
func (r *Reader) unkeyed(key []byte) []byte {
	from := len(r.buf)
	var ok bool
	if r.buf, ok = appendURL(r.buf, key); !ok {
		return nil
	}
	return r.buf[from:len(r.buf):len(r.buf)]
}

// appendURL appends to dst the URL whose sort-friendly form (SURT) is key, such as http://example.com:8080/a for
// com,example:8080)/a. A key without a scheme means http. ok is false if key is not a URL, as in records that are not
// pages.
//
// A comma may follow the host or the port. A user name precedes the host, as Python's surt writes it, or follows the
// port, as Heritrix does.
//
// Source: http://crawler.archive.org/articles/user_manual/glossary.html#surt and
// https://github.com/internetarchive/surt
func appendURL(dst, key []byte) (url []byte, ok bool) {
	scheme := []byte("http")
	if hasScheme(key) {
		scheme, key, _ = bytes.Cut(key, []byte("://"))
	}
	authority, path, found := bytes.Cut(bytes.TrimPrefix(key, []byte("(")), []byte(")"))
	if !found || len(path) > 0 && bytes.IndexByte([]byte("/?#"), path[0]) < 0 || bytes.IndexByte(authority, '/') >= 0 {
		return dst, false
	}
	host, user, hasUser := bytes.Cut(authority, []byte("@"))
	if hasUser && bytes.IndexByte(host, ',') < 0 {
		host, user = user, host
	}
	host = bytes.TrimSuffix(host, []byte(","))
	var port []byte
	if i := bytes.LastIndexByte(host, ':'); i > bytes.IndexByte(host, ']') {
		host, port = bytes.TrimSuffix(host[:i], []byte(",")), host[i:]
	}
	if len(host) == 0 {
		return dst, false
	}
	dst = append(append(dst, scheme...), "://"...)
	if hasUser {
		dst = append(append(dst, user...), '@')
	}
	for i := len(host); i >= 0; {
		i = bytes.LastIndexByte(host, ',')
		dst = append(dst, host[i+1:]...)
		if i >= 0 {
			dst = append(dst, '.')
			host = host[:i]
		}
	}
	return append(append(dst, port...), path...), true
}
