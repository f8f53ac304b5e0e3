package crawler

import (
	"strings"
	"testing"
)

// TestKindOf checks IPv4 addresses cut to the network's, its first host's or its last address, and addresses at the
// bounds of Cloudflare's and Fastly's.
func TestKindOf(t *testing.T) {
	for kind, addresses := range map[AddressKind]string{
		IPv4MayBeCut: "192.0.2.0 192.0.2.1 192.0.2.255 172.72.0.0 172.63.255.255",
		IPv4Address:  "192.0.2.2 192.0.2.254 192.0.2.25 17.1.2.3",
		CDNAddress:   "172.64.0.0 172.71.255.255 151.101.0.0 ::ffff:162.158.1.2 2a06:98c7::1 199.232.0.9",
		IPv6Address:  "2a06:98c8::1",
		NoAddress:    "- a.example",
	} {
		for address := range strings.FieldsSeq(addresses) {
			if got := KindOf([]byte(address)); got != kind {
				t.Errorf("%s is of the kind %d, want %d", address, got, kind)
			}
		}
	}
}
