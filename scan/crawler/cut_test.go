package crawler

import "testing"

// TestKindOfCutAddresses checks IPv4 addresses cut to the network's, its first host's or its last address.
func TestKindOfCutAddresses(t *testing.T) {
	for address, want := range map[string]bool{"192.0.2.0": true, "192.0.2.1": true, "192.0.2.255": true,
		"192.0.2.2": false, "151.101.0.0": false, "192.0.2.254": false, "192.0.2.25": false} {
		if got := KindOf([]byte(address)) == IPv4MayBeCut; got != want {
			t.Errorf("%s may be cut: %v", address, got)
		}
	}
}

// TestKindOfCDNs checks addresses at the bounds of Cloudflare's and Fastly's.
func TestKindOfCDNs(t *testing.T) {
	for address, want := range map[string]bool{"172.64.0.0": true, "172.71.255.255": true, "::ffff:162.158.1.2": true,
		"2a06:98c7::1": true, "199.232.0.9": true, "172.72.0.0": false, "172.63.255.255": false, "2a06:98c8::1": false,
		"17.1.2.3": false, "-": false} {
		if got := KindOf([]byte(address)) == CDNAddress; got != want {
			t.Errorf("%s is a CDN's: %v", address, got)
		}
	}
}
