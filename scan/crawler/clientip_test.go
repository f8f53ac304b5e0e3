package crawler

import (
	"strings"
	"testing"
)

func mustClientIP(t testing.TB, mode string, trusted ...string) ClientIP {
	t.Helper()
	c, err := ParseClientIP(mode, trusted)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClientIP finds the client in a line's address and its list. "nobody" is
// that nobody can tell.
func TestClientIP(t *testing.T) {
	trusted := []string{"10.0.0.0/8", "2001:db8:ffff::/48", "203.0.113.7"}
	for _, c := range []struct{ name, mode, addr, forwarded, want string }{
		{"addr", "addr", "192.0.2.1", "198.51.100.1", "192.0.2.1"},
		{"addr, a proxy", "addr", "10.0.0.1", "198.51.100.1", "10.0.0.1"},
		{"addr that is none", "addr", "-", "198.51.100.1", "-"},

		{"a peer that is not trusted", "xff", "192.0.2.1", "198.51.100.1", "192.0.2.1"},
		{"a peer that is no address", "xff", "crawl.example.com", "198.51.100.1", "crawl.example.com"},
		{"one proxy", "xff", "10.0.0.1", "198.51.100.1", "198.51.100.1"},
		{"one proxy, an address", "xff", "203.0.113.7", "198.51.100.1", "198.51.100.1"},
		{"one proxy, IPv4 in IPv6", "xff", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"},
		{"two proxies", "xff", "10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"},
		{"proxies of IPv6", "xff", "2001:db8:ffff::1", "2001:db8::1, 2001:db8:ffff::2", "2001:db8::1"},
		{"what a client has put before itself", "xff", "10.0.0.1", "66.249.66.1, 198.51.100.1, 10.0.0.2", "198.51.100.1"},
		{"nonsense that a client has put before itself", "xff", "10.0.0.1", "unknown, 198.51.100.1", "198.51.100.1"},
		{"a client on a private network", "xff", "10.0.0.1", "192.168.1.1", "192.168.1.1"},
		{"no address in the list", "xff", "10.0.0.1", "198.51.100.1, unknown, 10.0.0.2", "nobody"},
		{"an empty element", "xff", "10.0.0.1", "198.51.100.1, ", "nobody"},
		{"all of them proxies", "xff", "10.0.0.1", "10.0.0.3, 10.0.0.2", "nobody"},
		{"a proxy and no list", "xff", "10.0.0.1", "", "nobody"},
		{"a proxy and a list that was not sent", "xff", "10.0.0.1", "-", "nobody"},

		{"a port", "xff", "10.0.0.1", "198.51.100.1:567", "198.51.100.1"},
		{"brackets", "xff", "10.0.0.1", "[2001:db8::1]", "2001:db8::1"},
		{"brackets and a port", "xff", "10.0.0.1", "[2001:db8::1]:567", "2001:db8::1"},
		{"a proxy with a port", "xff", "10.0.0.1", "198.51.100.1,10.0.0.2:80", "198.51.100.1"},
		{"quotes", "xff", "10.0.0.1", `"198.51.100.1"`, "198.51.100.1"},
		{"quotes around brackets and a port", "xff", "10.0.0.1", `"[2001:db8::1]:567", 10.0.0.2`, "2001:db8::1"},
		{"quotes and blanks", "xff", "10.0.0.1", `" 198.51.100.1 " `, "198.51.100.1"},
		{"blanks and tabs", "xff", "10.0.0.1", "\t 198.51.100.1 \t,\t10.0.0.2 ", "198.51.100.1"},
		{"a port that is none", "xff", "10.0.0.1", "198.51.100.1:http", "nobody"},
		{"a port too long", "xff", "10.0.0.1", "198.51.100.1:123456", "nobody"},
		{"no port behind the colon", "xff", "10.0.0.1", "198.51.100.1:", "nobody"},
		{"brackets that do not end", "xff", "10.0.0.1", "[2001:db8::1", "nobody"},
		{"brackets and more", "xff", "10.0.0.1", "[2001:db8::1]567", "nobody"},
		{"brackets around IPv4", "xff", "10.0.0.1", "[198.51.100.1]", "nobody"},
		{"empty brackets", "xff", "10.0.0.1", "[]", "nobody"},
		{"a zone", "xff", "10.0.0.1", "fe80::1%eth0", "nobody"},
		{"a lone quote", "xff", "10.0.0.1", `"`, "nobody"},
		{"a name", "xff", "10.0.0.1", "_hidden", "nobody"},

		{"the first from the right", "xff:-1", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"},
		{"the second from the right", "xff:-2", "10.0.0.1", "1.1.1.1, 198.51.100.1:80, 10.0.0.2", "198.51.100.1"},
		{"the first of all", "xff:-3", "10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2", "1.1.1.1"},
		{"more than there are", "xff:-4", "10.0.0.1", "1.1.1.1, 198.51.100.1, 10.0.0.2", "nobody"},
		{"of no list", "xff:-1", "192.0.2.1", "", "nobody"},
		{"of a list that was not sent", "xff:-1", "192.0.2.1", "-", "nobody"},
		{"whoever the peer is", "xff:-1", "192.0.2.1", "198.51.100.1", "198.51.100.1"},
		{"one that is no address", "xff:-1", "192.0.2.1", "198.51.100.1, unknown", "nobody"},
		{"behind one that is no address", "xff:-2", "192.0.2.1", "198.51.100.1, unknown", "198.51.100.1"},
		{"an element that is empty", "xff:-1", "192.0.2.1", "198.51.100.1,", "nobody"},
		{"before one that is empty", "xff:-2", "192.0.2.1", "198.51.100.1,", "198.51.100.1"},
		{"of a list that begins with a comma", "xff:-2", "192.0.2.1", ",198.51.100.1", "nobody"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var proxies []string
			if c.mode == "xff" {
				proxies = trusted
			}
			client := mustClientIP(t, c.mode, proxies...)
			addr, forwarded := []byte(c.addr), []byte(c.forwarded)
			got := "nobody"
			if b := client.Of(addr, forwarded); b != nil {
				got = string(b)
			}
			if got != c.want {
				t.Errorf("the client of %q, %q is %q, want %q", c.addr, c.forwarded, got, c.want)
			}
			if n := testing.AllocsPerRun(10, func() { client.Of(addr, forwarded) }); n != 0 {
				t.Errorf("that costs %v allocations", n)
			}
		})
	}
	if got := (ClientIP{}).Of([]byte("192.0.2.1"), []byte("198.51.100.1")); string(got) != "192.0.2.1" {
		t.Errorf("the zero value says %q", got)
	}
}

// TestHostileList walks lists of a megabyte. If the time grew with the square of
// their length this test would not end.
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
