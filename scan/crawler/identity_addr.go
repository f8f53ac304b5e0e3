package crawler

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// parseAddr reads an IPv4 or IPv6 address as a log spells it: what
// netip.ParseAddr accepts, but for zones, which say nothing of a client from
// elsewhere. An IPv4 address in IPv6 clothes (::ffff:192.0.2.1) is returned as
// the former. Unlike netip it never allocates, also not for what is no address:
// logs with names or hashes for addresses have one on every line.
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

// nat64 is where translators put the addresses of IPv4 (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// unmap returns the IPv4 address that one of IPv6 stands for, if it does.
func unmap(a netip.Addr) netip.Addr {
	if nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a.Unmap()
}

// parseIPv4 reads four decimal numbers without leading zeros, which some take
// for octal ones.
func parseIPv4(b []byte) (a [4]byte, ok bool) {
	field, n, digits := 0, 0, 0
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
			if digits == 1 && n == 0 {
				return a, false
			}
			n = n*10 + int(c-'0')
			if digits++; n > 255 {
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

// parseIPv6 reads up to eight groups of hexadecimal digits, of which one run of
// zeros may be left out at "::", and the last two may be an IPv4 address.
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
		if b = b[digits:]; len(b) == 0 {
			break
		}
		if b[0] != ':' || len(b) == 1 {
			return a, false
		}
		if b = b[1:]; b[0] == ':' {
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

// hexDigit returns the value of a hexadecimal digit, -1 if c is none.
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

// anonymous4 is anonymous for IPv4, without the way through netip.
func anonymous4(a [4]byte) bool {
	switch {
	case a[0] == 10, a[0] == 127, a[0] == 0, a[0] >= 224:
		return true
	case a[0] == 100:
		return a[1]&0xc0 == 64
	case a[0] == 169:
		return a[1] == 254
	case a[0] == 172:
		return a[1]&0xf0 == 16
	case a[0] == 192:
		return a[1] == 168 || a[1] == 0 && a[2] == 0
	case a[0] == 198:
		return a[1]&0xfe == 18
	}
	return false
}

// nowhere are ranges from which no client on the internet comes, though servers log
// them: shared (RFC 6598), those of this network, of protocols and of benchmarks,
// multicast and what was once reserved, which a CDN writes over IPv6 addresses; site
// local, and IPv4 in forms of IPv6 that were given up.
var nowhere = func() (list []netip.Prefix) {
	for _, text := range []string{
		"100.64.0.0/10", "0.0.0.0/8", "192.0.0.0/24", "198.18.0.0/15", "224.0.0.0/3", "fec0::/10", "ff00::/8", "::/96",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}()

// anonymous tells whether an address is one that anybody may have on a network
// of their own, or nobody has, so that it says nothing of who the client was:
// private (RFC 1918, unique local), loopback, link-local, unspecified ones, which
// some write over addresses that they do not want to keep, and those nowhere on the
// internet. Those set aside for documentation are none of them.
func anonymous(a netip.Addr) bool {
	if a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsUnspecified() {
		return true
	}
	return slices.ContainsFunc(nowhere, func(p netip.Prefix) bool { return p.Contains(a) })
}
