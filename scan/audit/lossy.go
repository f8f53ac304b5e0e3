package audit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/format"
)

// A format may log a path with its percent-encoding undone (audit-rules 5). Then the path as
// logged and the path encoded again are spellings of what the client sent, and a copy of
// robots.txt on which they differ gives no answer. What has to be encoded in a URL is encoded
// again; the reserved bytes may have been or not; and a plus sign may stand for a blank, as IIS
// writes it. Slashes and unreserved octets are as they are: a server that takes %2F for a slash
// has no way of telling, but most refuse it. What a format has rewritten altogether tells nothing
// but whether robots.txt was asked for.

// encoding says how a decoded path is encoded again.
type encoding struct {
	reserved bool // so are the reserved bytes
	blanks   bool // plus signs stand for blanks
}

// encodings are the spellings of a decoded path, beside that as logged.
var encodings = [...]encoding{{true, false}, {false, false}, {true, true}, {false, true}}

// spellings are the spellings of a target that differ from it and from each other.
type spellings struct {
	list [len(encodings)][]byte
	n    int
}

// findLoss finds the spellings of the record's target if its path is decoded. A path that is the same in
// all spellings is exact.
func (t *target) findLoss(r *format.Record) {
	if r.Lossy != format.Decoded {
		return
	}
	path := r.Target
	if path[0] != '/' {
		path = path[authorityEnd(path):]
	}
	// Nearly all paths have only bytes that no encoding changes.
	if i := bytes.IndexFunc(path, isEncoded); i >= 0 && path[i] != '?' {
		t.spellings.find(r.Target)
		if t.spellings.n > 0 {
			return
		}
	}
	r.Lossy = format.Exact
}

// isEncoded reports whether some encoding changes a character.
func isEncoded(c rune) bool { return c != '/' && (c >= utf8.RuneSelf || !isUnreserved(byte(c))) }

func (r *spellings) find(target []byte) {
	r.n = 0
	for _, e := range encodings {
		b := e.append(r.list[r.n][:0], target)
		r.list[r.n] = b
		if !bytes.Equal(b, target) && !r.has(b) {
			r.n++
		}
	}
}

// has reports whether a spelling is among those found.
func (r *spellings) has(b []byte) bool {
	for _, other := range r.list[:r.n] {
		if bytes.Equal(b, other) {
			return true
		}
	}
	return false
}

// append appends a target with its path percent-encoded. %3F and %23 stay as they are, because
// the format has made them of ? and #.
func (e encoding) append(dst, target []byte) []byte {
	const digits = "0123456789ABCDEF"
	path := 0
	if target[0] != '/' {
		path = authorityEnd(target)
	}
	dst = append(dst, target[:path]...)
	for i := path; i < len(target); i++ {
		c := target[i]
		if c == '+' && e.blanks {
			c = ' '
		}
		switch {
		case c == '?':
			return append(dst, target[i:]...)
		case isUnreserved(c), c == '/', c == '%' && isEnd(target[i:]), !e.reserved && strings.IndexByte(reserved, c) >= 0:
			dst = append(dst, c)
		default:
			dst = append(dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return dst
}

// reserved are the reserved octets that a path may have as they are (RFC 3986 3.3).
const reserved = "!$&'()*+,;=:@"

// isEnd reports whether an encoded question mark or number sign begins a text.
func isEnd(text []byte) bool {
	return len(text) >= 3 && (string(text[:3]) == "%3F" || string(text[:3]) == "%23")
}
