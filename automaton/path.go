package automaton

import (
	"bytes"
	"math/bits"

	"github.com/robotsieve/robotsieve/internal/table"
)

var slash = []byte("/")

// Path returns the part of a URL that the dialect's rules are compared with:
// path and query, exactly as they stand in url, without the fragment. It never
// normalises anything and accepts any bytes; the result is never empty and
// starts with a slash. It panics if the dialect is unknown.
//
// Google's reading takes '?' and ';' as ends of the authority, skips one "//" at the
// start, and takes a string such as "a/b" as a host with a path; a request target from a
// log is therefore given to it after a scheme and a host, or to TargetPath. The other
// dialects take a string that begins with a slash as a request target.
//
// The result is a view of url or of s, valid until either changes, and not to
// be written to.
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

// TargetPath is Path for a request target as an access log has it: of one that
// begins with a slash it returns what Path returns of the URL that it is part
// of, so that also "//a" is a path, not a host. Any other target is a URL. The result is a
// view of target or of s, as that of Path is.
func (d Dialect) TargetPath(s *Scratch, target []byte) []byte {
	if len(target) == 0 || target[0] != '/' {
		return d.Path(s, target)
	}
	return target[:d.row().ends.IndexHigh(target)]
}

// split returns the path in what begins with an authority. The lower classes of ends end
// the authority, the higher end the path.
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
	if high >>= from; high != 0 {
		rest = rest[:from+bits.TrailingZeros64(high)]
	} else if len(rest) > 64 {
		rest = rest[:64+ends.IndexHigh(rest[64:])]
	}
	if from == len(rest) { // a fragment
		return slash
	}
	return s.rooted(rest[from:])
}

// schemeEnd returns where the authority of a URL begins whose scheme is http or
// https, in lower case; 0 of any other.
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

// anySchemeEnd returns where the authority of url begins: after its first
// "://", if none of the ends precedes that, else at its start.
func anySchemeEnd(url []byte, ends *table.Classes) int {
	at := 0
	for ; at < len(url) && ends.Of(url[at])&0x0f == 0; at++ {
	}
	if at > 0 && at+1 < len(url) && url[at-1] == ':' && url[at] == '/' && url[at+1] == '/' {
		return at + 2
	}
	return 0
}

// rooted returns path with a slash before it if it has none.
func (s *Scratch) rooted(path []byte) []byte {
	if path[0] == '/' {
		return path
	}
	s.path = append(append(s.path[:0], '/'), path...)
	return s.path
}
