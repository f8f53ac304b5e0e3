package prove

import (
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
)

// A unit is one character of a path as sent by a client: a raw byte, or from escaped on the escape
// of a byte. Searches go from unit to unit, so that no path contains half an escape.
type unit uint16

const (
	escaped unit = 256
	units   unit = 512
)

// String returns the unit as it appears in a path.
func (u unit) String() string {
	if u < escaped {
		return string([]byte{byte(u)})
	}
	const hex = "0123456789ABCDEF"
	return string([]byte{'%', hex[u&0xf0>>4], hex[u&0x0f]})
}

// length returns the number of bytes of the unit.
func (u unit) length() int32 {
	if u < escaped {
		return 1
	}
	return 3
}

// sender says who sends a unit.
type sender uint8

const (
	nobody   sender = iota
	escapers        // some clients, although the byte means the same (RFC 3986 2.3): distinguished only in FormRaw
	clients         // some clients, although a URL escapes the byte; includes a '%' without two digits
	urls            // any URL may contain it
)

// odd are the bytes that only clients send.
const odd = "\"%<>[\\]^`{|}"

func (u unit) sender() sender {
	const reserved = "!$&'()*+,/:;=?@"
	c := byte(u)
	switch {
	case u < escaped && (isUnreserved(c) || strings.IndexByte(reserved, c) >= 0), u >= escaped && !isUnreserved(c):
		return urls
	case u >= escaped:
		return escapers
	case u < escaped && strings.IndexByte(odd, c) >= 0:
		return clients
	}
	return nobody
}

// isUnreserved reports whether URLs never need to escape c.
func isUnreserved(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// spellings has the bytes of each unit in each form, in the path and in the query.
var spellings = sync.OnceValue(func() *[automaton.FormDecoded + 1][2][units]string {
	s := &[automaton.FormDecoded + 1][2][units]string{}
	for form := range s {
		for u := range units {
			for query := range 2 {
				if from := u.sender(); from == nobody || from == escapers && automaton.Form(form) != automaton.FormRaw {
					continue
				}
				text := []byte(u.String())
				if automaton.Form(form) != automaton.FormRaw { // in FormRaw paths are as they were sent
					text, _ = automaton.AppendForm(nil, text, automaton.Form(form), query == 1)
				}
				s[form][query][u] = string(text)
			}
		}
	}
	return s
})

// percent is the number of bytes at the end of a path that could become an escape: 1 after a raw
// '%', and 2 after that and one digit, when no second digit may follow.
type percent uint8

// after returns the state after a unit, and false if the unit may not follow.
func (p percent) after(u unit) (percent, bool) {
	isDigit := '0' <= u && u <= '9' || 'a' <= u|0x20 && u|0x20 <= 'f'
	switch {
	case u == '%':
		return 1, true
	case isDigit && p == 2:
		return 0, false
	case isDigit && p == 1:
		return 2, true
	}
	return 0, true
}
