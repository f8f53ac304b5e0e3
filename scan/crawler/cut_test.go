package crawler

import "testing"

// TestKindOfCutAddresses checks IPv4 addresses cut to the network's, its first host's or its last address.
func TestKindOfCutAddresses(t *testing.T) {
	for address, want := range map[string]bool{"192.0.2.0": true, "192.0.2.1": true, "192.0.2.255": true,
		"192.0.2.2": false, "192.0.2.254": false, "192.0.2.25": false} {
		if got := KindOf([]byte(address)) == IPv4MayBeCut; got != want {
			t.Errorf("%s may be cut: %v", address, got)
		}
	}
}
