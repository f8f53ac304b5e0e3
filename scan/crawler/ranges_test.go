package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/robotsieve/robotsieve/internal/disk"
)

// ranges reads a list that is right.
func ranges(t testing.TB, text string) *Ranges {
	t.Helper()
	r, err := ReadRanges(strings.NewReader(text), "list", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReadRanges reads each form of list that operators publish.
func TestReadRanges(t *testing.T) {
	const day = "2026-08-20T14:46:45Z"
	for _, c := range []struct{ name, text, created, want string }{
		{"Google's form", `{"creationTime":"2026-08-20T14:46:45.000000","prefixes":[{"ipv6Prefix":"2001:4860:4801:10::/64"},{"ipv4Prefix":"66.249.79.32/27"}]}`, day, "2001:4860:4801:10::/64 66.249.79.32/27"},
		{"Ahrefs' form", `{"ips":[{"ip_address":"5.39.1.224"},{"ip_address":"2001:db8::1"}]}`, "",
			"5.39.1.224/32 2001:db8::1/128"},
		{"Ahrefs' form with a date and a range",
			`{"creationTime":"2026-08-20T14:46:45Z","ips":[{"ip_address":"5.39.1.224/30"}]}`, day, "5.39.1.224/30"},
		{"both prefixes in one entry", `{"prefixes":[{"ipv4Prefix":"192.0.2.0/24","ipv6Prefix":"2001:db8::/32"}]}`, "",
			"192.0.2.0/24 2001:db8::/32"},
		{"fields that nobody knows", `{"syncToken":1,"prefixes":[{"ipv4Prefix":"192.0.2.0/24","service":"x"}],"more":"x"}`,
			"", "192.0.2.0/24"},
		{"JSON behind blank lines", "\r\n {\"prefixes\":[{\"ipv4Prefix\":\"192.0.2.0/24\"}]}\r\n", "", "192.0.2.0/24"},
		{"JSON behind a byte order mark", "\ufeff{\"prefixes\":[{\"ipv4Prefix\":\"192.0.2.0/24\"}]}", "", "192.0.2.0/24"},
		{"an address or range a line", "192.0.2.1\n192.0.2.128/25\n2001:db8::1\n2001:DB8:1::/48\n", "",
			"192.0.2.1/32 192.0.2.128/25 2001:db8::1/128 2001:db8:1::/48"},
		{"blank lines and comments", "# of 2026\n\n \t\n  192.0.2.1  # one\n#192.0.2.2\n", "", "192.0.2.1/32"},
		{"lines from Windows", "\ufeff192.0.2.1\r\n\r\n192.0.2.2\r\n", "", "192.0.2.1/32 192.0.2.2/32"},
		{"no final newline", "192.0.2.1\n192.0.2.2", "", "192.0.2.1/32 192.0.2.2/32"},
		{"bits behind the length", "192.0.2.77/24\n2001:db8::77/32", "", "192.0.2.0/24 2001:db8::/32"},
		{"IPv4 in IPv6", "::ffff:192.0.2.1\n::ffff:198.51.100.0/120", "", "192.0.2.1/32 198.51.100.0/24"},
		{"IPv4, as a translator writes it", "64:ff9b::192.0.2.1\n64:ff9b::198.51.100.0/120", "",
			"192.0.2.1/32 198.51.100.0/24"},
		{"the widest ranges", "17.0.0.0/8\n2001:e000::/19", "", "17.0.0.0/8 2001:e000::/19"},
		{"documentation ranges are not private", "192.0.2.0/24\n198.51.100.0/24\n203.0.113.0/24\n2001:db8::/32", "",
			"192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32"},
		{"beside private ranges", "172.15.0.0/16\n172.32.0.0/16\n100.63.0.0/16\n100.128.0.0/16\n192.167.0.0/16", "",
			"172.15.0.0/16 172.32.0.0/16 100.63.0.0/16 100.128.0.0/16 192.167.0.0/16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ranges(t, c.text)
			var prefixes []string
			for _, p := range got.prefixes {
				prefixes = append(prefixes, p.String())
			}
			if joined := strings.Join(prefixes, " "); joined != c.want {
				t.Errorf("ranges %s, want %s", joined, c.want)
			}
			created := ""
			if got.Created != 0 {
				created = time.Unix(0, got.Created).UTC().Format(time.RFC3339Nano)
			}
			if created != c.created || got.File != "list" {
				t.Errorf("%s was made at %q, want %q", got.File, created, c.created)
			}
		})
	}
}

// TestCreationTime reads the times at which lists were made.
func TestCreationTime(t *testing.T) {
	for text, want := range map[string]string{
		"2026-08-20T14:46:45":         "2026-08-20T14:46:45Z", // without a zone it is UTC
		"2026-08-20T14:46:45.000000":  "2026-08-20T14:46:45Z",
		"2026-08-20T14:46:45.25":      "2026-08-20T14:46:45.25Z",
		"2026-08-20T14:46:45Z":        "2026-08-20T14:46:45Z",
		"2026-08-20T14:46:45.5+02:00": "2026-08-20T12:46:45.5Z",
		"":                            "",
		"yesterday":                   "",
		"2026-08-20":                  "",
		"2026-08-20T14:46":            "",
		"2026-02-30T14:46:45Z":        "",
		"2026-08-20T14:46:45 UTC":     "",
		"1970-01-01T00:00:00Z":        "",
		"0001-01-01T00:00:00Z":        "",
		"9999-12-31T23:59:59Z":        "",
	} {
		got := ""
		r, err := ReadRanges(strings.NewReader(fmt.Sprintf(`{"creationTime":%q,"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`,
			text)), "list", 1<<30)
		if err == nil {
			got = time.Unix(0, r.Created).UTC().Format(time.RFC3339Nano)
		} else if !errors.Is(err, errCreation) {
			t.Errorf("%q: %v", text, err)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestRefusedRanges has one case for each way in which a list is wrong, and what
// the error must say.
func TestRefusedRanges(t *testing.T) {
	entry := func(e string) string { return `{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"},` + e + `]}` }
	for _, c := range []struct {
		name, text string
		is         error
		says       string
	}{
		{"empty", "", errNoRange, "list: "},
		{"only comments", "# nothing\n\n", errNoRange, "list: "},
		{"no prefix in JSON", `{"creationTime":"2026-08-20T14:46:45Z","prefixes":[]}`, errNoRange, "list: "},
		{"an empty object", `{}`, errNoRange, "list: "},
		{"addresses that would not be read",
			`{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}],"ipv6_prefixes":[{"ipv6Prefix":"2001:db8::/32"}]}`,
			errUnread, "list: "},
		{"a list twice", `{"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}],"Prefixes":[{"ipv4Prefix":"198.51.100.0/24"}]}`,
			errTwice, "list: "},
		{"services that are none", entry(`{"ipv4Prefix":"198.51.100.0/24","services":[]}`), errNoService,
			"list: prefixes[1]: "},
		{"services that are no array", entry(`{"ipv4Prefix":"198.51.100.0/24","services":"GPTBot"}`), nil, "services"},
		{"an entry without a prefix", entry(`{}`), errNoPrefix, "list: prefixes[1]: "},
		{"an empty prefix", entry(`{"ipv4Prefix":""}`), errNoPrefix, "list: prefixes[1]: "},
		{"no entry", entry(`null`), errNoPrefix, "list: prefixes[1]: "},
		{"an entry without an address", `{"ips":[{"ip_address":"192.0.2.1"},{"ip":"192.0.2.2"}]}`, errNoAddress,
			"list: ips[1]: "},
		{"no address in JSON", entry(`{"ipv6Prefix":"x"}`), errNotRange, `list: prefixes[1]: "x"`},
		{"no address among ips", `{"ips":[{"ip_address":"x"}]}`, errNotRange, `list: ips[0]: "x"`},
		{"no address in a line", "192.0.2.1\n\ncrawl.example.com\n", errNotRange, `list:3: "crawl.example.com"`},
		{"two addresses in a line", "192.0.2.1 192.0.2.2", errNotRange, "list:1: "},
		{"an address with a zone", "2001:db8::1%eth0", errNotRange, "list:1: "},
		{"an address with leading zeros", "192.000.002.001", errNotRange, "list:1: "},
		{"a length that is none", "192.0.2.0/33", errNotRange, "list:1: "},
		{"a page instead of a list", "<!DOCTYPE html>\n<html>", errNotRange, "list:1: "},
		{"a JSON array", `["192.0.2.1"]`, errNotRange, "list:1: "},

		{"JSON that ends early", "{\"prefixes\":[\n{", io.ErrUnexpectedEOF, "list:"},
		{"JSON of another form", "{\n\"prefixes\":\"192.0.2.0/24\"}", nil, "list:2: "},
		{"JSON that is none", "{\n\n,}", nil, "list:3: "},
		{"more behind the object", "{\"prefixes\":[{\"ipv4Prefix\":\"192.0.2.0/24\"}]}\n{}", errJSONBehind, "list:2: "},
		{"a time that is a number", `{"creationTime":1,"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}`, nil, "creationTime"},

		{"the whole of IPv4", "0.0.0.0/0", errWideRange, "list:1: "},
		{"wider than /8", "16.0.0.0/7", errWideRange, "list:1: "},
		{"wider than /19", "2001:c000::/18", errWideRange, "list:1: "},
		{"the whole of IPv6", "::/0", errWideRange, "list:1: "},
		{"the whole of IPv4 in IPv6", "::ffff:0:0/96", errWideRange, "list:1: "},
		{"more than IPv4 in IPv6", "::ffff:0:0/90", errWideRange, "list:1: "},
		{"wider than /8 in IPv6", "::ffff:16.0.0.0/103", errWideRange, "list:1: "},
		{"a wide one in JSON", entry(`{"ipv6Prefix":"2000::/3"}`), errWideRange, "list: prefixes[1]: "},

		{"RFC 1918, 10", "192.0.2.1\n10.1.2.0/24", errSpecial, `list:2: "10.1.2.0/24"`},
		{"a private range in a public one", "172.0.0.0/8", errSpecial, "list:1: "},
		{"private in IPv6", "::ffff:10.0.0.1", errSpecial, "list:1: "},
		{"private in JSON", entry(`{"ipv4Prefix":"10.0.0.0/8"}`), errSpecial, "list: prefixes[1]: "},
		{"a benchmark's", "198.18.0.0/16", errSpecial, "198.18.0.0/15 is for benchmarks"},
		{"private, as a translator writes it", "64:ff9b::10.0.0.0/104", errSpecial, "list:1: "},
		{"the whole of IPv4, as a translator writes it", "64:ff9b::/96", errWideRange, "list:1: "},
		{"more than IPv4, as a translator writes it", "64:ff9b::/64", errWideRange, "list:1: "},
		{"private among ips", `{"ips":[{"ip_address":"192.168.1.1"}]}`, errSpecial, "list: ips[0]: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ReadRanges(strings.NewReader(c.text), "list", 1<<30)
			if err == nil {
				t.Fatalf("read as %v", got.prefixes)
			}
			if c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the error is %q, want %q and %v", err, c.says, c.is)
			}
		})
	}
}

// TestUnreadableRanges reads lists that break off and lists without end.
func TestUnreadableRanges(t *testing.T) {
	broken := errors.New("broken")
	if _, err := ReadRanges(iotest.ErrReader(broken), "list", 1<<30); !errors.Is(err, broken) ||
		!strings.Contains(err.Error(), "list") {
		t.Errorf("a broken file: %v", err)
	}
	list := "192.0.2.1\n"
	if _, err := ReadRanges(strings.NewReader(strings.Repeat(list, 100)), "list",
		int64(10*99*len(list))); !errors.Is(err, disk.ErrMemory) || !strings.Contains(err.Error(), "list") {
		t.Errorf("a file that is too large: %v", err)
	}
	if got, err := ReadRanges(strings.NewReader(list), "list", int64(10*len(list))); err != nil ||
		got.Bytes() != prefixBytes {
		t.Errorf("a file that is not: %v, %v", got, err)
	}
	long := strings.Repeat("9", 1<<20)
	if _, err := ReadRanges(strings.NewReader(long), "list", 1<<30); err == nil || len(err.Error()) > 300 {
		t.Errorf("the error of a long line has %d bytes", len(fmt.Sprint(err)))
	}
}

// naiveRanges is a slow twin of ReadRanges for lines, from the registries of IANA.
func naiveRanges(text string) (list []netip.Prefix, ok bool) {
	for _, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		p, err := netip.ParsePrefix(line)
		if addr, errAddr := netip.ParseAddr(line); errAddr == nil && addr.Zone() == "" {
			p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, false
		}
		for _, v4 := range []string{"::ffff:0:0/96", "64:ff9b::/96"} {
			if in6 := netip.MustParsePrefix(v4); in6.Contains(p.Addr()) && p.Bits() >= 96 {
				all := p.Addr().As16()
				p = netip.PrefixFrom(netip.AddrFrom4([4]byte(all[12:])), p.Bits()-96)
			} else if in6.Overlaps(p) {
				return nil, false
			}
		}
		if p = p.Masked(); p.Bits() < 8 || p.Addr().Is6() && p.Bits() < 19 || !naivelyRoutable(p) {
			return nil, false
		}
		list = append(list, p)
	}
	return list, len(list) > 0
}

// naivelyRoutable reports whether all addresses of a range may be clients'.
func naivelyRoutable(p netip.Prefix) bool {
	for _, block := range strings.Fields(`
		0.0.0.0-0.255.255.255 10.0.0.0-10.255.255.255 100.64.0.0-100.127.255.255 127.0.0.0-127.255.255.255 169.254.0.0-169.254.255.255
		172.16.0.0-172.31.255.255 192.0.0.0-192.0.0.255 192.168.0.0-192.168.255.255 198.18.0.0-198.19.255.255 224.0.0.0-255.255.255.255
		::-::ffff:ffff 64:ff9b:1::-64:ff9b:1:ffff:ffff:ffff:ffff:ffff 100::-100::1:ffff:ffff:ffff:ffff 2001:2::-2001:2:0:ffff:ffff:ffff:ffff:ffff
		2001:10::-2001:1f:ffff:ffff:ffff:ffff:ffff:ffff 5f00::-5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff
		fc00::-fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff`) {
		from, to, _ := strings.Cut(block, "-")
		if first := netip.MustParseAddr(from); first.Is4() == p.Addr().Is4() &&
			p.Addr().Compare(netip.MustParseAddr(to)) <= 0 && lastOf(p).Compare(first) >= 0 {
			return false
		}
	}
	return true
}

// lastOf returns the last address of a range.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Addr().AsSlice()
	for bit := p.Bits(); bit < 8*len(b); bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	last, _ := netip.AddrFromSlice(b)
	return last
}

// FuzzReadRanges reads any bytes as a list. What is not refused is within what may be
// published, and its addresses identify clients. Lists of lines are read as the twin does.
func FuzzReadRanges(f *testing.F) {
	f.Add([]byte(`{"creationTime":"2026-08-20T14:46:45.000000","prefixes":[{"ipv4Prefix":"66.249.79.32/27"}]}`))
	f.Add([]byte(`{"ips":[{"ip_address":"5.39.1.224"}]}`))
	f.Add([]byte("\ufeff192.0.2.1/7 # x\r\n::ffff:1.2.3.4/100\n"))
	for _, line := range []string{"::f", "240.0.0.1", "198.18.0.0/16", "64:ff9b::102:304/120", "64:ff9b::a00:1",
		"2001::/32", "172.0.0.0/8"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadRanges(bytes.NewReader(data), "list", 1<<30)
		if err != nil {
			if r = new(Ranges); !strings.HasPrefix(err.Error(), "list:") {
				t.Errorf("an error that does not name its file: %v", err)
			}
		} else if len(r.prefixes) == 0 || r.Created < 0 {
			t.Errorf("%d ranges, made at %d", len(r.prefixes), r.Created)
		}
		isJSON := bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n"), []byte("{"))
		if twin, ok := naiveRanges(string(data)); !isJSON && (ok != (err == nil) || !slices.Equal(r.prefixes, twin)) {
			t.Errorf("read as %v (%v), by the twin as %v", r.prefixes, err, twin)
		}
		for _, p := range r.prefixes {
			if p != p.Masked() || p.Bits() < 8 || p.Addr().Is6() && p.Bits() < 19 || !naivelyRoutable(p) ||
				unroutable.Contains(p.Addr()) || unroutable.Contains(lastOf(p)) {
				t.Errorf("%v", p)
			}
		}
	})
}
