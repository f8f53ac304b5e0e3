package crawler

import (
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

func mustClientIP(t testing.TB, mode string, trusted ...string) ClientIP {
	t.Helper()
	c, err := ParseClientIP(mode, trusted)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClientIP finds the client, given a line's address and its list. "nobody" means that the client is unknown.
func TestClientIP(t *testing.T) {
	trusted := []string{"10.0.0.0/8", "2001:db8:ffff::/48", "203.0.113.7"}
	for _, row := range cases.Rows(t, "clientip.txt") {
		name, mode, addr, forwarded, want := row[0], row[1], []byte(row[2]), []byte(row[3]), row[4]
		var proxies []string
		if mode == "xff" {
			proxies = trusted
		}
		client, got := mustClientIP(t, mode, proxies...), "nobody"
		if b := client.Of(addr, forwarded); b != nil {
			got = string(b)
		}
		if got != want {
			t.Errorf("%s: the client of %q, %q is %q, want %q", name, addr, forwarded, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { client.Of(addr, forwarded) }); n != 0 {
			t.Errorf("%s: that costs %v allocations", name, n)
		}
	}
	if got := (ClientIP{}).Of([]byte("192.0.2.1"), []byte("198.51.100.1")); string(got) != "192.0.2.1" {
		t.Errorf("the zero value says %q", got)
	}
}

// TestHostileList traverses lists of a megabyte, with which quadratic work would time out.
func TestHostileList(t *testing.T) {
	xff, nth := mustClientIP(t, "xff", "10.0.0.0/8"), mustClientIP(t, "xff:-65535")
	for _, part := range []string{"10.0.0.1,", ",", `"`, `\x22`, `\`, "[", "[::1]:", ":", "1.1.1.1", " "} {
		list := []byte(strings.Repeat(part, (1<<20)/len(part)))
		for _, end := range []string{"", ",10.0.0.1", `"`} {
			xff.Of([]byte("10.0.0.1"), append(list, end...))
			nth.Of([]byte("10.0.0.1"), append(list, end...))
		}
	}
}
