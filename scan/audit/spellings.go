package audit

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// A format may log paths with their percent-encoding undone (audit-rules 5). Then both the logged path and the path
// encoded again are spellings of what the client sent, and a copy of robots.txt whose results differ among them
// gives no answer. Encoding again always covers the bytes that a URL must encode; it may or may not cover the
// reserved bytes; and a plus sign may stand for a blank, as in IIS. Slashes and unreserved octets are left alone: a
// server that treats %2F as a slash cannot show it, but most refuse it. A target that a format has rewritten
// altogether shows only whether robots.txt was requested.

// encoding is one way to encode a decoded path again.
type encoding struct {
	reserved bool // the reserved bytes are encoded, too
	blanks   bool // plus signs stand for blanks
}

// encodings are the ways to spell a decoded path, apart from the logged one.
var encodings = [...]encoding{{true, false}, {false, false}, {true, true}, {false, true}}

// spellings are the spellings of a target that differ from it and from each other.
type spellings struct {
	list [len(encodings)][]byte
	n    int
}

// findLoss finds the spellings of the record's target if its path is decoded. A path with only one
// spelling is exact.
func (t *target) findLoss(record *format.Record) {
	if record.Lossy != format.Decoded {
		return
	}
	path := record.Target
	if path[0] != '/' {
		path = path[authorityEnd(path):]
	}
	// Nearly all paths contain only bytes that no encoding changes.
	if i := bytes.IndexFunc(path, isEncoded); i >= 0 && path[i] != '?' {
		t.spellings.find(record.Target)
		if t.spellings.n > 0 {
			return
		}
	}
	record.Lossy = format.Exact
}

// isEncoded reports whether some encoding changes a character.
func isEncoded(c rune) bool { return c != '/' && (c >= utf8.RuneSelf || !isUnreserved(byte(c))) }

func (r *spellings) find(target []byte) {
	r.n = 0
	for _, e := range encodings {
		b := e.append(r.list[r.n][:0], target)
		r.list[r.n] = b
		isSame := func(other []byte) bool { return bytes.Equal(b, other) }
		if !isSame(target) && !slices.ContainsFunc(r.list[:r.n], isSame) {
			r.n++
		}
	}
}

// append appends a target with its path percent-encoded. %3F and %23 stay unchanged, because the
// format has made them from ? and #.
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

// reserved are the reserved octets that a path may contain unencoded (RFC 3986 3.3).
const reserved = "!$&'()*+,;=:@"

// isEnd reports whether a text begins with an encoded question mark or number sign.
func isEnd(text []byte) bool {
	return len(text) >= 3 && (string(text[:3]) == "%3F" || string(text[:3]) == "%23")
}

// mayBeAbnormal reports whether a target may differ from its normal form: whether it has a percent sign, two
// successive slashes or a segment that begins with a dot. Nearly no target has. It checks eight bytes per step and
// four steps at once, overlapping if necessary, because a branch per step would be mispredicted.
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

// abnormalAt sets the highest bit of each of the eight bytes from i on that is abnormal by itself
// or together with the next one. Bytes after the first abnormal one may be set as well.
func abnormalAt(target []byte, i int) uint64 {
	const ones, percents, slashes = 0x0101010101010101, 0x2525252525252525, 0x2f2f2f2f2f2f2f2f
	octets, next := binary.LittleEndian.Uint64(target[i:]), binary.LittleEndian.Uint64(target[i+1:])
	// A byte is 0 if it is the one sought. A dot with its lowest bit set is a slash.
	percent, slash := octets^percents, octets^slashes|(next|ones)^slashes
	return (percent-ones)&^percent | (slash-ones)&^slash
}

// appendNormal appends the normal form of a target in origin or absolute form. In the path, it
// decodes encoded octets that are unreserved, removes dot segments (RFC 3986 6.2.2) and merges runs
// of slashes. The query is unchanged. differs reports whether the normal form is different.
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
			if h, l := hexValue(path[i+1]), hexValue(path[i+2]); h < 16 && l < 16 && isUnreserved(h<<4|l) {
				dst = append(dst, h<<4|l)
				i += 2
				continue
			}
		}
		dst = append(dst, path[i])
	}
	return dst
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
	for len(path) > 0 { // path begins with a slash, or is a first segment without one
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

// oneSlash merges runs of slashes, in place.
func oneSlash(path []byte) []byte {
	out := path[:0]
	for i, c := range path {
		if c != '/' || i == 0 || path[i-1] != '/' {
			out = append(out, c)
		}
	}
	return out
}
