package crawler

import (
	"encoding/binary"
	"net/netip"
	"sync"

	"github.com/gaissmai/bart"
)

// block is a block of special-purpose addresses.
type block struct {
	prefix  netip.Prefix
	purpose string
}

// special lists the blocks of addresses that may appear in logs but that no client on the
// internet has: those that IANA's special-purpose address registries (RFC 6890) mark as not
// globally reachable, except the ones for documentation; multicast; and former special-purpose
// blocks. A client with such an address is Unverifiable, and a file of ranges that contains one
// is rejected.
//
// IPv4 addresses embedded in IPv6 (mapped, nat64) are not listed, because they are treated as IPv4. Neither are blocks
// in which some addresses belong to clients (2001::/23 with Teredo, 2002::/16).
var special = []block{
	of("0.0.0.0/8", "unspecified addresses (RFC 791)"),
	of("10.0.0.0/8", "private networks (RFC 1918)"),
	of("100.64.0.0/10", "shared addresses (RFC 6598)"),
	of("127.0.0.0/8", "loopback (RFC 1122)"),
	of("169.254.0.0/16", "link-local addresses (RFC 3927)"),
	of("172.16.0.0/12", "private networks (RFC 1918)"),
	of("192.0.0.0/24", "protocols (RFC 6890)"),
	of("192.168.0.0/16", "private networks (RFC 1918)"),
	of("198.18.0.0/15", "benchmarks (RFC 2544)"),
	of("224.0.0.0/4", "multicast (RFC 5771)"),
	of("240.0.0.0/4", "reserved addresses (RFC 1112), which a CDN may write in place of IPv6"),

	of("::/96", "unspecified addresses, loopback and an abandoned form of IPv4 (RFC 4291)"),
	of("64:ff9b:1::/48", "local translation of IPv4 (RFC 8215)"),
	of("100::/64", "packets to be discarded (RFC 6666)"),
	of("100:0:0:1::/64", "dummy addresses (RFC 9780)"),
	of("2001:2::/48", "benchmarks (RFC 5180)"),
	of("2001:10::/28", "hashes of names (RFC 4843)"),
	of("5f00::/16", "segments of routes (RFC 9602)"),
	of("fc00::/7", "private networks (RFC 4193)"),
	of("fe80::/10", "link-local addresses (RFC 4291)"),
	of("fec0::/10", "site-local addresses (RFC 3879)"),
	of("ff00::/8", "multicast (RFC 4291)"),
}

func of(prefix, purpose string) block { return block{netip.MustParsePrefix(prefix), purpose} }

// unroutable is a lookup table of the special blocks.
var unroutable = sync.OnceValue(func() *bart.Lite {
	table := new(bart.Lite)
	for _, b := range special {
		table.Insert(b.prefix)
	}
	return table
})

// AddressKind is the family of an address, and whether it looks truncated by the log.
type AddressKind uint8

// The kinds of addresses. For anonymity, logs replace the last octet of IPv4 by 0, 1 or 255, and the last 64 bits of
// IPv6 by zeros.
const (
	NoAddress AddressKind = iota
	IPv4Address
	IPv4MayBeCut
	IPv6Address
	IPv6MayBeCut
)

// KindOf returns the kind of an address as written in a log.
func KindOf(addr []byte) AddressKind {
	a, ok := parseAddr(addr)
	switch {
	case !ok:
		return NoAddress
	case a.Is4():
		if last := a.As4()[3]; last <= 1 || last == 255 {
			return IPv4MayBeCut
		}
		return IPv4Address
	}
	if b := a.As16(); binary.BigEndian.Uint64(b[8:]) == 0 {
		return IPv6MayBeCut
	}
	return IPv6Address
}

// anonymous reports whether an address does not identify a client. Either it is in a special block, or it is an
// IPv6 address whose interface half is empty: a log truncated it, since no client has that address (RFC 4291
// 2.6.1). An IPv4 address that ends in .0 may belong to a client. Documentation addresses count as clients,
// too.
func anonymous(a netip.Addr) bool {
	switch {
	case unroutable().Contains(a):
		return true
	case a.Is4():
		return false
	}
	b := a.As16()
	return binary.BigEndian.Uint64(b[8:]) == 0
}
