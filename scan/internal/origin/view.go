package origin

import (
	"bytes"
	"math/bits"
	"unsafe"

	"github.com/robotsieve/robotsieve/internal/table"
)

// maxView is the maximum length of a host name in View. Longer names are rare, and may have a label
// too long for IDNA.
const maxView = 63

// View is a fast version of Of for URLs with a normalized origin, as nearly all are: http or https,
// a host of lower-case letters, digits, single dots and hyphens, no port and no user. For other
// URLs ok is false, and Of may find the origin.
//
// It doesn't allocate. The host is a view of url, so the origin is valid only until url changes.
func View(url []byte) (o Origin, ok bool) {
	end := ViewLen(url)
	if end == 0 {
		return Origin{}, false
	}
	o, start := Origin{Scheme: "http", Port: 80}, len(http)
	if url[len("http")] == 's' {
		o.Scheme, o.Port, start = "https", 443, len(https)
	}
	o.Host = unsafe.String(&url[start], end-start)
	return o, true
}

const http, https = "http://", "https://"

// ViewLen returns the length of the origin at the beginning of a URL, or 0 if View can't read it.
func ViewLen(url []byte) int {
	start := len(https)
	switch {
	case bytes.HasPrefix(url, []byte(https)):
	case bytes.HasPrefix(url, []byte(http)):
		start = len(http)
	default:
		return 0
	}
	end := viewHost(url[start:])
	if end == 0 {
		return 0
	}
	return start + end
}

// viewHost returns the length of the host at the beginning of b, or 0 if View can't read it. b
// begins with an authority.
func viewHost(b []byte) (end int) {
	if len(b) == 0 {
		return 0
	}
	others, marks := hostClasses.In64(b)
	end = min(bits.TrailingZeros64(others&^marks), len(b))
	if end == 0 || end > maxView || end < len(b) && b[end] != '/' && b[end] != '?' && b[end] != '#' {
		return 0
	}
	// Most hosts have only single inner dots and hyphens, so no label is empty or begins with "xn--".
	if marks &= 1<<end - 1; marks&(marks<<1|1|1<<(end-1)) == 0 {
		return end
	}
	// Punycode may decode to a name with another normal form, or be invalid.
	host := b[:end]
	isEmpty := host[0] == '.' || host[end-1] == '.' || bytes.Contains(host, []byte(".."))
	if isEmpty || bytes.Contains(host, []byte("xn--")) {
		return 0
	}
	return end
}

// hostClasses has all bytes that are neither lower-case letters nor digits in its lower classes, and
// the dot and the hyphen in a higher one.
var hostClasses = func() *table.Classes {
	var c table.Classes
	for i := range 256 {
		switch octet := byte(i); {
		case 'a' <= octet && octet <= 'z', '0' <= octet && octet <= '9':
		case octet >= '{' && octet <= 0x7f:
			c.Add(octet, 1)
		case octet >= ':' && octet <= '?':
			c.Add(octet, 1<<1)
		case octet == '`':
			c.Add(octet, 1<<2)
		default:
			c.Add(octet, 1<<3)
		}
	}
	c.Add('.', 1<<4)
	c.Add('-', 1<<4)
	return &c
}()
