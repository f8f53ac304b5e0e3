package audit

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// A format may log a path with its percent-encoding undone (audit-rules 5). Then the path as
// logged and the path encoded again are spellings of what the client sent, and a copy of
// robots.txt on which they differ gives no answer. What has to be encoded in a URL is encoded
// again; the reserved bytes may have been or not; and a plus sign may stand for a blank, as IIS
// writes it. Slashes and unreserved octets are unchanged: a server that takes %2F for a slash
// has no way to show it, but most refuse it. A target that a format has rewritten altogether shows only
// whether robots.txt was requested.

// encoding is a way to encode a decoded path again.
type encoding struct {
	reserved bool // so are the reserved bytes
	blanks   bool // plus signs stand for blanks
}

// encodings are the spellings of a decoded path, besides the logged one.
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

// mayBeAbnormal reports whether the normal form of a target may be another one: it has a
// percent sign, two slashes in a row or a segment that begins with a dot. Nearly all
// targets have none of these. So it looks at eight bytes in a step and at four steps at
// once, some of them twice, because a branch for each step would be mispredicted.
func mayBeAbnormal(target []byte) bool {
	if len(target) > 0 && target[0] != '/' {
		if slash := bytes.IndexByte(target, '/'); slash > 1 && target[slash-1] == ':' {
			target = target[slash+1:]
		}
	}
	last := len(target) - 9
	if last < 0 {
		for i, c := range target {
			if c == '%' || c == '/' && i+1 < len(target) && (target[i+1] == '/' || target[i+1] == '.') {
				return true
			}
		}
		return false
	}
	const highs = 0x8080808080808080
	for i := 0; ; i += 32 {
		found := abnormalAt(target, min(i, last)) | abnormalAt(target, min(i+8, last)) | abnormalAt(target,
			min(i+16, last)) | abnormalAt(target, min(i+24, last))
		if found&highs != 0 || i+24 >= last {
			return found&highs != 0
		}
	}
}

// abnormalAt has the highest bit of each of the eight bytes from i on that is abnormal by
// itself or with the next one. Octets after the first of these may have it, too.
func abnormalAt(target []byte, i int) uint64 {
	const ones, percents, slashes = 0x0101010101010101, 0x2525252525252525, 0x2f2f2f2f2f2f2f2f
	octets, next := binary.LittleEndian.Uint64(target[i:]), binary.LittleEndian.Uint64(target[i+1:])
	// A byte is 0 if it is the one sought. A dot with its lowest bit set is a slash.
	percent, slash := octets^percents, octets^slashes|(next|ones)^slashes
	return (percent-ones)&^percent | (slash-ones)&^slash
}

// appendNormal appends the normal form of a target in origin or absolute form: in its path,
// encoded octets that are unreserved are decoded, dot segments are removed (RFC 3986
// 6.2.2), and runs of slashes are merged into one. The query is kept as it is. differs is
// whether the normal form is different.
func appendNormal(dst, target []byte) (_ []byte, differs bool) {
	start := len(dst)
	path := target
	if target[0] != '/' {
		path = target[authorityEnd(target):]
		dst = append(dst, target[:len(target)-len(path)]...)
	}
	end := bytes.IndexAny(path, "?#")
	if end < 0 {
		end = len(path)
	}
	from := len(dst)
	dst = appendDecoded(dst, path[:end])
	dst = dst[:from+len(oneSlash(withoutDots(dst[from:])))]
	dst = append(dst, path[end:]...)
	return dst, !bytes.Equal(dst[start:], target)
}

// authorityEnd returns the index of the path in a target in absolute form.
func authorityEnd(target []byte) int {
	n, _ := origin.Prefix(target)
	return n
}

// appendDecoded appends a path with its unreserved octets decoded.
func appendDecoded(dst, path []byte) []byte {
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if c, ok := unhex(path[i+1], path[i+2]); ok && isUnreserved(c) {
				dst = append(dst, c)
				i += 2
				continue
			}
		}
		dst = append(dst, path[i])
	}
	return dst
}

func unhex(high, low byte) (byte, bool) {
	h, l := hexValue(high), hexValue(low)
	return h<<4 | l&15, h < 16 && l < 16
}

func hexValue(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 16
}

// isUnreserved reports whether an octet is unreserved (RFC 3986 2.3).
func isUnreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// withoutDots removes the dot segments of a path, in place (RFC 3986 5.2.4).
func withoutDots(path []byte) []byte {
	out := path[:0]
	for len(path) > 0 { // path begins with a slash, or is the beginning of one without
		end := bytes.IndexByte(path[1:], '/') + 1
		if end == 0 {
			end = len(path)
		}
		segment := path[:end]
		path = path[end:]
		last := len(path) == 0
		switch string(segment) {
		case "/.":
			if last {
				out = append(out, '/')
			}
		case "/..":
			out = out[:max(0, bytes.LastIndexByte(out, '/'))]
			if last {
				out = append(out, '/')
			}
		default:
			out = append(out, segment...)
		}
	}
	return out
}

// oneSlash makes one slash of each run of them, in place.
func oneSlash(path []byte) []byte {
	out := path[:0]
	for i, c := range path {
		if c != '/' || i == 0 || path[i-1] != '/' {
			out = append(out, c)
		}
	}
	return out
}
