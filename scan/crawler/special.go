package crawler

import (
	"encoding/binary"
	"net/netip"
	"strings"
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

// ofCDNs has the published addresses of two CDNs that name no client in the logs of the servers behind them.
// Sources: https://www.cloudflare.com/ips, https://api.fastly.com/public-ip-list.
var ofCDNs = sync.OnceValue(func() *bart.Lite {
	table := new(bart.Lite)
	for prefix := range strings.FieldsSeq(`
		103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 104.16.0.0/13 104.24.0.0/14 108.162.192.0/18 131.0.72.0/22
		141.101.64.0/18 162.158.0.0/15 172.64.0.0/13 173.245.48.0/20 188.114.96.0/20 190.93.240.0/20 197.234.240.0/22
		198.41.128.0/17 2400:cb00::/32 2405:8100::/32 2405:b500::/32 2606:4700::/32 2803:f800::/32 2a06:98c0::/29
		2c0f:f248::/32

		23.235.32.0/20 43.249.72.0/22 103.244.50.0/24 103.245.222.0/23 103.245.224.0/24 104.156.80.0/20
		140.248.64.0/18 140.248.128.0/17 146.75.0.0/17 151.101.0.0/16 157.52.64.0/18 167.82.0.0/17 167.82.128.0/20
		167.82.160.0/20 167.82.224.0/20 172.111.64.0/18 185.31.16.0/22 199.27.72.0/21 199.232.0.0/16
		2a04:4e40::/32 2a04:4e42::/32`) {
		table.Insert(netip.MustParsePrefix(prefix))
	}
	return table
})

// AddressKind is the family of an address, and whether it looks truncated by the log or is a CDN's.
type AddressKind uint8

// The kinds of addresses. For anonymity, logs replace the last octet of IPv4 by 0, 1 or 255, and the last 64 bits of
// IPv6 by zeros.
const (
	NoAddress AddressKind = iota
	IPv4Address
	IPv4MayBeCut
	IPv6Address
	IPv6MayBeCut
	CDNAddress
)

// KindOf returns the kind of an address as written in a log.
func KindOf(addr []byte) AddressKind {
	a, ok := parseAddr(addr)
	switch {
	case !ok:
		return NoAddress
	case ofCDNs().Contains(a):
		return CDNAddress
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
