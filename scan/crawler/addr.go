package crawler

import (
	"encoding/binary"
	"net/netip"
)

// parseAddr parses an IPv4 or IPv6 address as written in a log. It accepts the same
// addresses as netip.ParseAddr, except those with a zone, which only has a meaning on the
// client's own network. IPv4-mapped IPv6 addresses (::ffff:192.0.2.1) are returned as
// IPv4.
//
// It is called for every record and never allocates. netip.ParseAddr allocates its errors, and some logs have a host
// name or a hash on every line.
func parseAddr(b []byte) (netip.Addr, bool) {
	for _, c := range b[:min(len(b), 5)] {
		if c == ':' {
			a, ok := parseIPv6(b)
			return unmap(netip.AddrFrom16(a)), ok
		}
	}
	a, ok := parseIPv4(b)
	return netip.AddrFrom4(a), ok
}

// Client parses a client address as written in a log. ok is false if the field is not an address, or if the address
// does not identify a client because it is private or was truncated for anonymity.
func Client(field []byte) (a netip.Addr, ok bool) {
	a, ok = parseAddr(field)
	return a, ok && !anonymous(a)
}

// nat64 is the prefix that NAT64 translators use to embed IPv4 addresses (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// unmap returns the IPv4 address embedded in an IPv6 address, or a itself if there is none.
func unmap(a netip.Addr) netip.Addr {
	if nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a.Unmap()
}

// parseIPv4 parses four decimal numbers. It rejects leading zeros, because some programs read them as
// octal.
func parseIPv4(b []byte) (a [4]byte, ok bool) {
	field, n, digits := 0, 0, 0
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
			if digits == 1 && n == 0 {
				return a, false
			}
			n = n*10 + int(c-'0')
			digits++
			if n > 255 {
				return a, false
			}
		case c == '.' && digits > 0 && field < 3:
			a[field] = byte(n)
			field, n, digits = field+1, 0, 0
		default:
			return a, false
		}
	}
	a[field] = byte(n)
	return a, field == 3 && digits > 0
}

// parseIPv6 parses eight groups of hexadecimal digits. "::" may stand for one run of zero groups, and the last two
// groups may be written as an IPv4 address.
func parseIPv6(b []byte) (a [16]byte, ok bool) {
	gap := -1 // where in a the run of zeros belongs
	if len(b) >= 2 && b[0] == ':' && b[1] == ':' {
		gap, b = 0, b[2:]
	}
	n := 0
	for len(b) > 0 {
		group, digits := 0, 0
		for digits < len(b) && digits < 5 && hexDigit(b[digits]) >= 0 {
			group = group<<4 | hexDigit(b[digits])
			digits++
		}
		if digits < len(b) && b[digits] == '.' {
			last, isIPv4 := parseIPv4(b)
			if !isIPv4 || n > 12 {
				return a, false
			}
			n += copy(a[n:], last[:])
			break
		}
		if digits == 0 || digits > 4 || n == 16 {
			return a, false
		}
		binary.BigEndian.PutUint16(a[n:], uint16(group))
		n += 2
		b = b[digits:]
		if len(b) == 0 {
			break
		}
		if b[0] != ':' || len(b) == 1 {
			return a, false
		}
		b = b[1:]
		if b[0] == ':' {
			if gap >= 0 {
				return a, false
			}
			gap, b = n, b[1:]
		}
	}
	if gap < 0 {
		return a, n == 16
	}
	if n == 16 {
		return a, false
	}
	moved := copy(a[16-(n-gap):], a[gap:n])
	clear(a[gap : 16-moved])
	return a, true
}

// hexDigit returns the value of a hexadecimal digit, or -1 if c is not one.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	default:
		return -1
	}
}
