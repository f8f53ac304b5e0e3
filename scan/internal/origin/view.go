package origin

import (
	"bytes"
	"math/bits"
	"unsafe"

	"github.com/robotsieve/robotsieve/internal/table"
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
	end := viewHost(url[start:])
	if end > 0 {
		o.Host = unsafe.String(&url[start], end)
	}
	return o, end > 0
}

// viewHost returns the length of a host that View reads at the beginning of an authority and what follows it; 0 if there
// is none.
func viewHost(b []byte) (end int) {
	if len(b) == 0 {
		return 0
	}
	others, marks := hostClasses.In64(b)
	end = min(bits.TrailingZeros64(others&^marks), len(b))
	if end == 0 || end > maxView || end < len(b) && b[end] != '/' && b[end] != '?' && b[end] != '#' {
		return 0
	}
	// Most hosts have single dots and hyphens inside only, so that no label is empty or begins with "xn--".
	if marks &= 1<<end - 1; marks&(marks<<1|1|1<<(end-1)) == 0 {
		return end
	}
	// Punycode may stand for a name with another normal form, or for none.
	host := b[:end]
	isEmpty := host[0] == '.' || host[end-1] == '.' || bytes.Contains(host, []byte(".."))
	if isEmpty || bytes.Contains(host, []byte("xn--")) {
		return 0
	}
	return end
}

// hostClasses has in its lower classes all bytes that are neither lower-case letters nor digits, and in a higher one
// the dot and the hyphen.
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
