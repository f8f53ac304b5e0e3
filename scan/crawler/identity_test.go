package crawler

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

// at returns a time in nanoseconds since 1970.
func at(t testing.TB, text string) int64 {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return when.UnixNano()
}

// listOf returns a list as of a time, in RFC 3339 or empty for none.
func listOf(t testing.TB, created string, prefixes ...string) *Ranges {
	t.Helper()
	var b strings.Builder
	for i, p := range prefixes {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"ipv4Prefix":%q}`, p)
	}
	date := ""
	if created != "" {
		date = fmt.Sprintf(`"creationTime":%q,`, created)
	}
	return ranges(t, fmt.Sprintf(`{%s"prefixes":[%s]}`, date, b.String()))
}

// namesOf reads lines of names with blanks for tabs.
func namesOf(t testing.TB, lines ...string) *HostNames {
	t.Helper()
	n, err := ReadNames(strings.NewReader(strings.ReplaceAll(strings.Join(lines, "\n"), " ", "\t")), "names", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestIdentity has a case for each sentence of audit-rules 8 about one request. The lists are dated
// 1 October 2026, like the request, or older, or undated.
func TestIdentity(t *testing.T) {
	set := builtinSet(t)
	const october = "2026-10-01T00:00:00"
	i := NewIdentities(set, IdentityOptions{
		Series: []Series{
			{set.ByName("Googlebot"), []*Ranges{ranges(t,
				`{"creationTime":"`+october+`","prefixes":[{"ipv4Prefix":"66.249.64.0/19"},{"ipv6Prefix":"2001:4860:4801::/48"}]}`)}},
			{set.ByName("GPTBot"), []*Ranges{listOf(t, october, "192.0.2.0/25")}},
			{set.ByName("Bytespider"), []*Ranges{listOf(t, october, "198.51.100.0/24")}},
			{set.ByName("PerplexityBot"), []*Ranges{listOf(t, "", "192.0.2.0/25")}},
			// Bingbot's list is dated long before the request.
			{set.ByName("bingbot"), []*Ranges{listOf(t, "2026-01-01T00:00:00Z", "157.55.39.0/24")}},
		},
		Names: namesOf(t,
			"203.0.113.1 crawl-203-0-113-1.googlebot.com true",
			"203.0.113.2 RATE-LIMITED-PROXY-2.Google.COM. YES",
			"203.0.113.3 3.113.0.203.bc.googleusercontent.com true",
			"203.0.113.4 crawl-203-0-113-4.googlebot.com false",
			"203.0.113.5 googlebot.com.example.net true",
			"203.0.113.6 evilgooglebot.com true",
			"203.0.113.7 host.example.net 1", "203.0.113.7 msnbot-7.search.msn.com 1",
			"203.0.113.8 search.msn.com 1",
			"2001:db8::9 spider-9.yandex.com true",
			"10.0.0.1 crawl-10-0-0-1.googlebot.com true",
		),
	})
	day := at(t, "2026-10-01T12:00:00Z")
	for _, row := range cases.Rows(t, "identity.txt") {
		name, crawler, addr, want := row[0], row[1], []byte(row[2]), row[3]
		p := set.ByName(crawler)
		if (p == nil) != (crawler == "") {
			t.Fatalf("no profile %q", crawler)
		}
		if got := i.identify(p, addr, day, true); got.String() != want {
			t.Errorf("%s: %s at %q is %v, want %v", name, crawler, addr, got, want)
		}
		claim := Claim{Profile: p, Name: "x"}
		if got, state := i.Identify(claim, addr, day, true); !same(got, claim) || state.String() != want {
			t.Errorf("%s: the claim is %v, %v, want %v", name, got, state, want)
		}
		if got := NewIdentities(set, IdentityOptions{}).identify(p, addr, day, true); got < Unverified {
			t.Errorf("%s: nothing was given, and %s at %q is %v", name, crawler, addr, got)
		}
	}
}

// TestServices has a list for two crawlers whose entries name their crawlers.
func TestServices(t *testing.T) {
	set := builtinSet(t)
	list := ranges(t, `{"creationTime":"2026-10-01T00:00:00Z","prefixes":[
		{"ipv4Prefix":"192.0.2.0/28","services":["GPTBot"]},
		{"ipv4Prefix":"192.0.2.16/28","services":["oai-searchbot","GPTBot"]},
		{"ipv4Prefix":"192.0.2.32/28"},
		{"ipv4Prefix":"192.0.2.48/28","services":["NoSuchService"]},
		{"ipv4Prefix":"192.0.2.64/28","ipv6Prefix":"2001:db8::/64","services":["OAI-SearchBot"]}]}`)
	var series []Series
	for _, name := range []string{"GPTBot", "OAI-SearchBot"} {
		series = append(series, Series{set.ByName(name), []*Ranges{list}})
	}
	i := NewIdentities(set, IdentityOptions{Series: series})
	for _, c := range []struct {
		addr              string
		gptbot, searchBot State
	}{
		{"192.0.2.1", Verified, Spoofed},
		{"192.0.2.17", Verified, Verified},
		{"192.0.2.33", Verified, Verified},
		{"192.0.2.49", Unverified, Unverified}, // it may be of either
		{"192.0.2.65", Spoofed, Verified},
		{"192.0.2.81", Spoofed, Spoofed},
		{"2001:db8::1", Unverified, Verified}, // no IPv6 is GPTBot's
		{"2001:db9::1", Unverified, Spoofed},
	} {
		for name, want := range map[string]State{"GPTBot": c.gptbot, "OAI-SearchBot": c.searchBot} {
			if got := i.identify(set.ByName(name), []byte(c.addr), at(t, "2026-10-01T00:00:00Z"), true); got != want {
				t.Errorf("%s at %s is %v, want %v", name, c.addr, got, want)
			}
		}
	}
}

// TestListsMissing checks that absence proves nothing while fewer lists are given for a crawler
// than its operator publishes.
func TestListsMissing(t *testing.T) {
	published := func(name, url string) List {
		return List{Name: name, URL: "https://foo.example/" + url, Seen: "2026-11-01"}
	}
	set := newSet(t, []Profile{{
		Name: "FooBot", Operator: "Foo", Words: []string{"FooBot"}, Tokens: []string{"FooBot"}, Obeys: "unknown",
		Lists: []List{published("a.json", "a"), published("b.json", "b"), published("former-b.json", "b")},
	}})
	p := set.ByName("FooBot")
	series := Series{p, []*Ranges{listOf(t, "2026-10-01T00:00:00", "192.0.2.0/24")}}
	for _, c := range []struct {
		series []Series
		want   State
	}{{[]Series{series}, Unverified}, {[]Series{series, series}, Spoofed}} {
		i := NewIdentities(set, IdentityOptions{Series: c.series})
		if got := i.identify(p, []byte("198.51.100.1"), at(t, "2026-10-01T00:00:00Z"), true); got != c.want {
			t.Errorf("%d of 2 lists: %v, want %v", len(c.series), got, c.want)
		}
		if got := i.identify(p, []byte("192.0.2.1"), at(t, "2026-10-01T00:00:00Z"), true); got != Verified {
			t.Errorf("%d of 2 lists: the address in one is %v", len(c.series), got)
		}
	}
}

// TestEndsOfTime uses times at which sums could overflow.
func TestEndsOfTime(t *testing.T) {
	set := builtinSet(t)
	p := set.ByName("GPTBot")
	i := NewIdentities(set, IdentityOptions{
		Series: []Series{{p, []*Ranges{listOf(t, "2026-10-01T00:00:00", "192.0.2.0/25")}}},
		MaxAge: math.MaxInt64,
	})
	for when, want := range map[int64][2]State{
		math.MinInt64:                 {Unverified, Unverified}, // farther from the list than MaxAge
		-1:                            {Verified, Unverified},
		0:                             {Verified, Unverified},
		at(t, "2026-10-01T00:00:00Z"): {Verified, Spoofed},
		math.MaxInt64:                 {Verified, Unverified},
	} {
		for n, addr := range []string{"192.0.2.1", "198.51.100.1"} {
			if got := i.identify(p, []byte(addr), when, true); got != want[n] {
				t.Errorf("%s at %d is %v, want %v", addr, when, got, want[n])
			}
		}
	}
}

// TestAmbiguousClaim has headers that name crawlers of several operators.
func TestAmbiguousClaim(t *testing.T) {
	set := builtinSet(t)
	reader := set.Reader()
	i := NewIdentities(set, IdentityOptions{Series: []Series{
		{set.ByName("Googlebot"), []*Ranges{listOf(t, "2026-11-01T00:00:00", "192.0.2.0/24")}},
		{set.ByName("bingbot"), []*Ranges{listOf(t, "2026-11-01T00:00:00", "198.51.100.0/24", "192.0.2.128/25")}},
		{set.ByName("ClaudeBot"), []*Ranges{listOf(t, "2026-01-01T00:00:00", "203.0.113.0/24")}},
	}})
	for _, row := range cases.Rows(t, "ambiguous.txt") {
		name, header, addr, want := row[0], row[1], row[2], row[3]+", "+row[4]
		claim := reader.Read([]byte(header))
		got, state := i.Identify(claim, []byte(addr), at(t, "2026-11-01T00:00:00Z"), true)
		if is := fmt.Sprint(got, ", ", state); is != want || got.Ambiguous != (got.Rivals != nil) {
			t.Errorf("%s: it is %s with %d rivals, want %s", name, is, len(got.Rivals), want)
		}
	}
}

// TestClaimWithOneRival has a claim that is ambiguous although it names one crawler: the address
// may resolve it, but doesn't prove an impostor.
func TestClaimWithOneRival(t *testing.T) {
	set := builtinSet(t)
	p := set.ByName("GPTBot")
	series := Series{p, []*Ranges{listOf(t, "2026-10-01T00:00:00", "192.0.2.0/25")}}
	i := NewIdentities(set, IdentityOptions{Series: []Series{series}})
	claim := Claim{Profile: p, Name: p.Name, Ambiguous: true, Foreign: true, Rivals: []*Profile{p}}
	for _, c := range []struct {
		addr, when string
		ambiguous  bool
		state      State
	}{
		{"192.0.2.1", "2026-10-01T00:00:00Z", false, Verified},
		{"198.51.100.1", "2026-10-01T00:00:00Z", true, Unverified},
		{"198.51.100.1", "2026-10-03T00:00:00Z", true, Unverified},
		{"10.0.0.1", "2026-10-01T00:00:00Z", true, Unverifiable},
	} {
		got, state := i.Identify(claim, []byte(c.addr), at(t, c.when), true)
		if got.Profile != p || got.Ambiguous != c.ambiguous || state != c.state {
			t.Errorf("%s at %s: %v, %v; want ambiguous: %v, %v", c.addr, c.when, got, state, c.ambiguous, c.state)
		}
	}
}

// naiveIdentity is Identify as audit-rules 8 has it, list by list.
func naiveIdentity(series []Series, maxAge time.Duration, p *Profile, addr string, t int64, hasTime bool) State {
	ip, err := netip.ParseAddr(addr)
	if err != nil || ip.IsPrivate() || netip.MustParsePrefix("100.64.0.0/10").Contains(ip) {
		return Unverifiable
	}
	const days = int64(24 * time.Hour)
	given, proof := 0, true
	for _, s := range series {
		if s.Profile != p {
			continue
		}
		given++
		near := false
		for _, l := range s.Lists {
			after := l.Created - t
			dated := hasTime && l.Created != 0
			has, has6 := false, false
			for _, prefix := range l.prefixes {
				has = has || prefix.Contains(ip)
				has6 = has6 || prefix.Addr().Is4() == ip.Is4()
			}
			if has && (l.Created == 0 || dated && after >= -int64(maxAge) && after <= int64(maxAge)) {
				return Verified
			}
			if has && dated && after >= -30*days && after <= 30*days {
				proof = false
			}
			near = near || has6 && dated && after >= -days && after <= 30*days
		}
		proof = proof && near
	}
	switch {
	case given == 0 && p.Verify == "":
		return Unverifiable
	case hasTime && given > 0 && proof && given >= len(p.Lists):
		return Spoofed
	default:
		return Unverified
	}
}

// TestIdentityFollowsTheSpecification compares with a naive implementation on random lists, addresses and times.
func TestIdentityFollowsTheSpecification(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	set := builtinSet(t)
	crawlers := []*Profile{set.ByName("Googlebot"), set.ByName("GPTBot"), set.ByName("DotBot")}
	rounds := 3000
	if testing.Short() {
		rounds = 300
	}
	addr := func() netip.Addr {
		bases := []string{"192.0.2.0", "192.0.3.0", "100.64.0.0", "10.0.0.0", "2001:db8::"}
		a := netip.MustParseAddr(bases[r.IntN(len(bases))]).AsSlice()
		a[len(a)-1] = byte(r.IntN(16)*16 + 1)
		ip, _ := netip.AddrFromSlice(a)
		return ip
	}
	seen := map[State]int{}
	for range rounds {
		var series []Series
		for range r.IntN(4) {
			s := Series{Profile: crawlers[r.IntN(len(crawlers))]}
			for range 1 + r.IntN(3) {
				list := &Ranges{Created: int64(r.IntN(6)) * 10 * day}
				for range 1 + r.IntN(4) {
					ip := addr()
					list.prefixes = append(list.prefixes, netip.PrefixFrom(ip, ip.BitLen()-r.IntN(9)).Masked())
				}
				s.Lists = append(s.Lists, list)
			}
			series = append(series, s)
		}
		maxAge := time.Duration(1+r.IntN(60)) * 24 * time.Hour
		i := NewIdentities(set, IdentityOptions{Series: series, MaxAge: maxAge})
		for range 20 {
			p, ip, when, hasTime := crawlers[r.IntN(len(crawlers))], addr().String(), int64(r.IntN(80))*day, r.IntN(4) > 0
			got, want := i.identify(p, []byte(ip), when, hasTime), naiveIdentity(series, maxAge, p, ip, when, hasTime)
			if got != want {
				t.Fatalf("%s at %s, %d %v, is %v, to the specification %v\n%+v", p.Name, ip, when, hasTime, got, want, series)
			}
			seen[got]++
		}
	}
	for s := Verified; s <= Unverifiable; s++ {
		if seen[s] < rounds/2 {
			t.Errorf("hardly an address was %v: %v", s, seen)
		}
	}
}

// addrs are spellings of addresses and of what is none.
var addrs = []string{
	"", "-", "0.0.0.0", "1.2.3.4", "255.255.255.255", "256.1.1.1", "1.2.3", "1.2.3.4.5", "1.2.3.4.", ".1.2.3.4", "1..2.3",
	"01.2.3.4", "1.2.3.00", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4:80", "1.2.3.a", "999999999999.1.1.1", "1.2.3.+4", "::",
	"::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9",
	"1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7", "1::2::3", ":::", ":", "1:", ":1", "12345::", "fFfF:AbCd::",
	"g::", "::1.2.3.4", "::ffff:1.2.3.4", "::ffff:0102:0304", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4",
	"1:2:3:4:5:1.2.3.4", "::1.2.3", "::1.2.3.4:5", "::1.2.3.256", "::01.2.3.4", "::1.2.3.4::", "1:2:3:4:5:6:7:8::",
	"::1:2:3:4:5:6:7:8", "fe80::1%eth0", "::%", "1.2.3.4%x", "[::1]", "1:2:3:4:5::6:7:8", "1:2:3:4::5:6:7:8",
	"0001:0002::", "00001::", "1:2:3:4:5:6::1.2.3.4", "::1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5::1.2.3.4",
}

// checkAddr compares with netip, which reads zones too.
func checkAddr(t *testing.T, text string) {
	want, err := netip.ParseAddr(text)
	ok := err == nil && want.Zone() == ""
	got, gotOK := parseAddr([]byte(text))
	if gotOK != ok || ok && got != want.Unmap() {
		t.Errorf("%q is %v %v, to netip %v %v", text, got, gotOK, want, err)
	}
}

func FuzzParseAddr(f *testing.F) {
	for _, text := range addrs {
		f.Add(text)
	}
	f.Fuzz(checkAddr)
}

// TestGuardIdentityAllocs checks that identifying a client doesn't allocate, for any address.
func TestGuardIdentityAllocs(t *testing.T) {
	set := builtinSet(t)
	google := set.ByName("Googlebot")
	i := NewIdentities(set, IdentityOptions{
		Series: []Series{{google, []*Ranges{listOf(t, "2026-10-01T00:00:00", "192.0.2.0/25", "2001:db8::/32")}}},
		Names:  namesOf(t, "203.0.113.1 crawl-203-0-113-1.googlebot.com true"),
	})
	when := at(t, "2026-10-01T00:00:00Z")
	for _, text := range append([]string{"192.0.2.1", "203.0.113.1", "203.0.113.2", "2001:db8::1", "2001:db9::1",
		"d41d8cd98f00b204e9800998ecf8427e"}, addrs...) {
		addr := []byte(text)
		claim := set.Reader().Read([]byte("Googlebot bingbot"))
		if n := testing.AllocsPerRun(100, func() {
			i.identify(google, addr, when, true)
			i.Identify(claim, addr, when, true)
		}); n != 0 {
			t.Errorf("%q costs %v allocations", text, n)
		}
	}
}

// TestSpecialBlocks checks that range files are rejected exactly where clients are anonymous, at
// both ends of each block and next to them.
func TestSpecialBlocks(t *testing.T) {
	for _, b := range special {
		first, last := b.prefix.Addr(), lastOf(b.prefix)
		for _, a := range []netip.Addr{first.Prev(), first, last, last.Next()} {
			if !a.IsValid() || mapped.Contains(a) {
				continue
			}
			one := netip.PrefixFrom(a, a.BitLen())
			want := slices.ContainsFunc(special, func(b block) bool { return b.prefix.Contains(a) })
			if want == naivelyRoutable(one) || unroutable().Contains(a) != want ||
				errors.Is(checkRange(one), errSpecial) != want || want && !anonymous(a) {
				t.Errorf("%v, of %v or beside it: special %v, anonymous %v, refused: %v", a, b.prefix, want, anonymous(a),
					checkRange(one))
			}
		}
	}
}

// TestAnonymous compares with netip and the registries, for all first two bytes.
func TestAnonymous(t *testing.T) {
	for first := range 256 {
		for second := range 256 {
			for _, rest := range []byte{0, 1} {
				a := netip.AddrFrom4([4]byte{byte(first), byte(second), rest, rest})
				want := a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || first == 0 || first >= 224 ||
					first == 100 && second&0xc0 == 64 || first == 192 && second == 0 && rest == 0 || first == 198 && second&0xfe == 18
				if got := anonymous(a); got != want {
					t.Errorf("%v: %v, want %v", a, got, want)
				}
			}
		}
	}
	for first := range 1 << 16 {
		a := netip.AddrFrom16([16]byte{byte(first >> 8), byte(first), 5: 1, 15: 1})
		want := a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || first>>6 == 0xfec0>>6 || first == 0x5f00
		if got := anonymous(a); got != want {
			t.Errorf("%v: %v, want %v", a, got, want)
		}
		if a = netip.AddrFrom16([16]byte{byte(first >> 8), byte(first), 5: 1}); !anonymous(a) {
			t.Errorf("%v was cut, and is taken as a client's", a)
		}
	}
}
