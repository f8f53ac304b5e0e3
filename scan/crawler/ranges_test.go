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
	"github.com/robotsieve/robotsieve/internal/test/cases"
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

// TestReadRanges reads each format of list that operators publish.
func TestReadRanges(t *testing.T) {
	for _, row := range cases.Rows(t, "ranges.txt") {
		name, text, created, want := row[0], row[1], row[2], row[3]
		got := ranges(t, text)
		var prefixes []string
		for _, p := range got.prefixes {
			prefixes = append(prefixes, p.String())
		}
		if joined := strings.Join(prefixes, " "); joined != want {
			t.Errorf("%s: ranges %s, want %s", name, joined, want)
		}
		made := ""
		if got.Created != 0 {
			made = time.Unix(0, got.Created).UTC().Format(time.RFC3339Nano)
		}
		if made != created || got.File != "list" {
			t.Errorf("%s: %s was made at %q, want %q", name, got.File, made, created)
		}
	}
}

// TestCreationTime reads the dates of lists.
func TestCreationTime(t *testing.T) {
	for _, row := range cases.Rows(t, "created.txt") {
		text, want := row[0], row[1]
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

// TestRefusedRanges has one case for each kind of invalid list, with its error.
func TestRefusedRanges(t *testing.T) {
	named := map[string]error{"errNoRange": errNoRange, "errUnread": errUnread, "errTwice": errTwice,
		"errNoService": errNoService, "errNoPrefix": errNoPrefix, "errNoAddress": errNoAddress, "errNotRange": errNotRange,
		"io.ErrUnexpectedEOF": io.ErrUnexpectedEOF, "errJSONBehind": errJSONBehind, "errWideRange": errWideRange,
		"errSpecial": errSpecial}
	for _, row := range cases.Rows(t, "refused_ranges.txt") {
		name, text, is, says := row[0], row[1], row[2], row[3]
		_, err := ReadRanges(strings.NewReader(text), "list", 1<<30)
		if err == nil || is != "nil" && (named[is] == nil || !errors.Is(err, named[is])) ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v, want %q and %s", name, err, says, is)
		}
	}
}

// TestUnreadableRanges reads truncated and endless lists.
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

// FuzzReadRanges reads any bytes as a list. Accepted lists stay within what may be published, and
// their addresses identify clients. The twin must agree on lists of lines.
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
				unroutable().Contains(p.Addr()) || unroutable().Contains(lastOf(p)) {
				t.Errorf("%v", p)
			}
		}
	})
}
