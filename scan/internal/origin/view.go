package origin

import (
	"bytes"
	"strings"
	"unsafe"
)

// maxView is the length of the longest host name that View reads. A longer one is
// rare, and may have a label that is too long for IDNA.
const maxView = 63

// View is like Of for a URL whose origin is already in normal form, as nearly all
// are: http or https, a host of lower-case letters, digits, single dots and
// hyphens, no port and no user. For any other URL ok is false, and Of may find the
// origin.
//
// It does not allocate: the host is a view of url, so the origin is valid only as
// long as url is not changed.
func View(url []byte) (o Origin, ok bool) {
	const http, https = "http://", "https://"
	start := len(https)
	switch {
	case bytes.HasPrefix(url, []byte(https)):
		o.Scheme, o.Port = "https", 443
	case bytes.HasPrefix(url, []byte(http)):
		o.Scheme, o.Port, start = "http", 80, len(http)
	default:
		return Origin{}, false
	}
	end, dot := start, true // dot: a label begins here, which must not be empty
scan:
	for ; end < len(url); end++ {
		switch c := url[end]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-':
			dot = false
		case c == '.' && !dot:
			dot = true
		case c == '/', c == '?', c == '#':
			break scan
		default:
			return Origin{}, false
		}
	}
	if dot || end-start > maxView {
		return Origin{}, false
	}
	o.Host = unsafe.String(&url[start], end-start)
	// Punycode may stand for a name with another normal form, or for none.
	return o, !strings.Contains(o.Host, "xn--")
}
