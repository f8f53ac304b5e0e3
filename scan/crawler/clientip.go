//go:build !js

package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/gaissmai/bart"
)

// ClientIP determines the client's address for a log line. It is immutable and safe for concurrent use. The zero value
// uses the address that the line itself records.
type ClientIP struct {
	trusted *bart.Lite // xff: the trusted proxies
	nth     int        // xff:-N: N
}

var (
	errMode        = errors.New("neither addr, xff nor xff:-N")
	errNoTrusted   = errors.New("xff needs to know which proxies to trust")
	errTrustedIdle = errors.New("trusted proxies are for xff only")
)

// ParseClientIP parses a mode, which selects how the client's address is found:
//
//	addr    the line's address: the peer of the connection
//	xff     the peer; if it is one of the trusted proxies, its own peer
//	        according to the list of X-Forwarded-For, and so on
//	xff:-N  the Nth address of X-Forwarded-For from the right, for N proxies of your own
//
// trusted lists addresses and CIDR ranges; it applies to xff only.
func ParseClientIP(mode string, trusted []string) (ClientIP, error) {
	switch nth, isNth := strings.CutPrefix(mode, "xff:-"); {
	case len(trusted) > 0 && mode != "xff":
		return ClientIP{}, fmt.Errorf("%q: %w", mode, errTrustedIdle)
	case mode == "addr":
		return ClientIP{}, nil
	case isNth:
		n, err := strconv.ParseUint(nth, 10, 16)
		if err != nil || n == 0 {
			return ClientIP{}, fmt.Errorf("%q: %w", mode, errMode)
		}
		return ClientIP{nth: int(n)}, nil
	case mode != "xff":
		return ClientIP{}, fmt.Errorf("%q: %w", mode, errMode)
	case len(trusted) == 0:
		return ClientIP{}, errNoTrusted
	}
	c := ClientIP{trusted: new(bart.Lite)}
	for _, text := range trusted {
		prefix, err := parsePrefix(text)
		if err != nil {
			return ClientIP{}, fmt.Errorf("%q: %w", cut(text), err)
		}
		c.trusted.Insert(prefix)
	}
	return c, nil
}

// Of returns the client's address, given the address recorded on the line and its X-Forwarded-For list. The
// result is a slice of one of them, without a port. It is nil if the client is unknown: the list is missing
// or too short, a relevant element is not an address, or every address is a trusted proxy. Of does not
// allocate.
func (c ClientIP) Of(addr, forwarded []byte) []byte {
	switch {
	case c.nth > 0:
		return element(forwarded, c.nth)
	case c.trusted == nil || !c.trusts(addr):
		return addr
	}
	for len(forwarded) > 0 {
		var last []byte
		forwarded, last = cutLast(forwarded)
		last = bare(last)
		if last == nil || !c.trusts(last) {
			return last
		}
	}
	return nil
}

// trusts reports whether an address belongs to a trusted proxy.
func (c ClientIP) trusts(addr []byte) bool {
	ip, ok := parseAddr(addr)
	return ok && c.trusted.Contains(ip)
}

// element returns the nth address of a list from the right, or nil if there is none.
func element(list []byte, nth int) (last []byte) {
	for ; nth > 0; nth-- {
		if len(list) == 0 {
			return nil
		}
		list, last = cutLast(list)
	}
	return bare(last)
}

// cutLast splits off the last element of a list.
func cutLast(list []byte) (rest, last []byte) {
	comma := bytes.LastIndexByte(list, ',')
	return list[:max(comma, 0)], list[comma+1:]
}

// bare strips the quotes and the port from a list element, as in 192.0.2.1:567 and [2001:db8::1]:567. It returns nil if
// the element is not an address.
func bare(b []byte) []byte {
	b = bytes.TrimFunc(b, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
	switch colon := bytes.LastIndexByte(b, ':'); {
	case len(b) > 0 && b[0] == '[':
		end := bytes.IndexByte(b, ']')
		if end < 0 || end+1 < len(b) && !(b[end+1] == ':' && isPort(b[end+2:])) || bytes.IndexByte(b[:end], ':') < 0 {
			return nil
		}
		b = b[1:end]
	case colon >= 0 && bytes.IndexByte(b, ':') == colon:
		if !isPort(b[colon+1:]) {
			return nil
		}
		b = b[:colon]
	}
	if _, ok := parseAddr(b); !ok {
		return nil
	}
	return b
}

func isPort(b []byte) bool {
	return 1 <= len(b) && len(b) <= 5 && len(bytes.Trim(b, "0123456789")) == 0
}
