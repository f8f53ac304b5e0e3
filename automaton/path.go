package automaton

import (
	"bytes"
	"math/bits"

	"github.com/robotsieve/robotsieve/internal/table"
)

var slash = []byte("/")

// Path returns the part of a URL that the dialect compares with rules: path and query exactly as
// they stand in url, without the fragment. It does not normalize and accepts any bytes. The result
// is never empty and begins with a slash. Path panics if the dialect is unknown.
//
// Google's parser ends the authority at '?' and ';', skips one "//" at the start, and reads a
// string such as "a/b" as a host with a path. So put a scheme and host before a request target from
// a log, or use TargetPath. The other dialects read a string that begins with a slash as a request
// target.
//
// The result aliases url or s and is valid until either changes. Do not write to it.
func (d Dialect) Path(s *Scratch, url []byte) []byte {
	r := d.row()
	at := schemeEnd(url)
	if at == 0 {
		if len(url) > 0 && url[0] == '/' && r.targets {
			return url[:r.ends.IndexHigh(url)]
		}
		url = bytes.TrimPrefix(url, []byte("//"))
		at = anySchemeEnd(url, r.ends)
	}
	return s.split(url[at:], r.ends)
}

// TargetPath is Path for a request target from an access log. If target begins with a slash, it
// returns what Path returns for the whole URL, so that "//a" is a path and not a host. Any other
// target is read as a URL. Like the result of Path, the result aliases target or s.
func (d Dialect) TargetPath(s *Scratch, target []byte) []byte {
	if len(target) == 0 || target[0] != '/' {
		return d.Path(s, target)
	}
	return target[:d.row().ends.IndexHigh(target)]
}

// split returns the path of a URL that begins with its authority. See urlReading.ends.
func (s *Scratch) split(rest []byte, ends *table.Classes) []byte {
	if len(rest) == 0 {
		return slash
	}
	low, high := ends.In64(rest)
	for ; low == 0; low, high = ends.In64(rest) { // a long authority
		if len(rest) <= 64 {
			return slash
		}
		rest = rest[64:]
	}
	from := bits.TrailingZeros64(low)
	high >>= from
	if high != 0 {
		rest = rest[:from+bits.TrailingZeros64(high)]
	} else if len(rest) > 64 {
		rest = rest[:64+ends.IndexHigh(rest[64:])]
	}
	if from == len(rest) { // a fragment
		return slash
	}
	return s.rooted(rest[from:])
}

// schemeEnd returns where the authority begins in a URL with the scheme http or https, in lower
// case; otherwise 0.
func schemeEnd(url []byte) int {
	const http, https = "http://", "https://"
	switch {
	case len(url) < len(https):
		return 0
	case string(url[:len(https)]) == https:
		return len(https)
	case string(url[:len(http)]) == http:
		return len(http)
	}
	return 0
}

// anySchemeEnd returns where the authority of url begins: after its first "://" if none of the ends
// comes before that, otherwise at its start.
func anySchemeEnd(url []byte, ends *table.Classes) int {
	at := 0
	for ; at < len(url) && ends.Of(url[at])&0x0f == 0; at++ {
	}
	if at > 0 && at+1 < len(url) && url[at-1] == ':' && url[at] == '/' && url[at+1] == '/' {
		return at + 2
	}
	return 0
}

// rooted prefixes path with a slash unless it has one.
func (s *Scratch) rooted(path []byte) []byte {
	if path[0] == '/' {
		return path
	}
	s.path = append(append(s.path[:0], '/'), path...)
	return s.path
}
