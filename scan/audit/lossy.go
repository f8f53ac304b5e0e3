package audit

import "github.com/robotsieve/robotsieve/scan/format"

// A format may log a path with its percent-encoding undone (audit-rules 5). Then the path as
// logged and the path encoded again are two readings of what the client sent, and a copy of
// robots.txt on which they differ gives no answer. In the second one all octets are encoded
// but the unreserved ones and slashes: a server that takes %2F for a slash has no way of
// telling, but most refuse it. What a format has rewritten altogether tells nothing but
// whether robots.txt was asked for.

// findLoss sets w.encoded if the path of the record is decoded. A path that is the same in
// both readings is exact.
func (w *Worker) findLoss() {
	if w.record.Lossy != format.Decoded {
		return
	}
	var differs bool
	if w.encoded, differs = appendReencoded(w.encoded[:0], w.record.Target); !differs {
		w.record.Lossy = format.Exact
	}
}

// appendReencoded appends a target with its path percent-encoded. %3F and %23 stay as they
// are, because the format has made them of ? and #. differs tells whether the result is
// another target.
func appendReencoded(dst, target []byte) (_ []byte, differs bool) {
	const digits = "0123456789ABCDEF"
	path := 0
	if target[0] != '/' {
		path = authorityEnd(target)
	}
	dst = append(dst, target[:path]...)
	for i := path; i < len(target); i++ {
		switch c := target[i]; {
		case c == '?':
			return append(dst, target[i:]...), differs
		case isUnreserved(c), c == '/', c == '%' && isEnd(target[i:]):
			dst = append(dst, c)
		default:
			dst, differs = append(dst, '%', digits[c>>4], digits[c&15]), true
		}
	}
	return dst, differs
}

// isEnd tells whether an encoded question mark or number sign begins a text.
func isEnd(text []byte) bool {
	return len(text) >= 3 && (string(text[:3]) == "%3F" || string(text[:3]) == "%23")
}
