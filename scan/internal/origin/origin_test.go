package origin

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

// mustParse reads an origin with a scheme.
func mustParse(t *testing.T, s string) Origin {
	t.Helper()
	origins, err := Parse(s)
	if err != nil || len(origins) != 1 {
		t.Fatalf("Parse(%q) = %v, %v", s, origins, err)
	}
	return origins[0]
}

// TestScope checks which URLs a robots.txt applies to.
func TestScope(t *testing.T) {
	for _, c := range []struct {
		want bool
		list []string // the origin of the robots.txt, and the URL
	}{
		// The examples of Google's documentation.
		{true, []string{
			"https://example.com https://example.com/", "https://example.com https://example.com/folder/file",
			"https://www.exämple.com https://www.xn--exmple-cua.com/",
			"https://www.xn--exmple-cua.com https://www.exämple.com/",
			"ftp://example.com ftp://example.com/file", "https://212.96.82.21 https://212.96.82.21/",
			"https://example.com:443 https://example.com/", "https://example.com https://example.com:443/",
			"https://example.com:8181 https://example.com:8181/",
		}},
		{false, []string{
			"https://example.com https://other.example.com/", "https://example.com http://example.com/",
			"https://example.com https://example.com:8181/", "https://www.example.com https://example.com/",
			"https://www.example.com https://shop.www.example.com/",
			"https://www.example.com https://www.shop.example.com/",
			"https://www.exämple.com https://www.example.com/", "ftp://example.com https://example.com/",
			"https://212.96.82.21 https://example.com/", "https://example.com:443 https://example.com:444/",
			"https://example.com:8181 https://example.com/",
		}},
		// Spellings of one origin, and other ones.
		{true, []string{
			"https://Example.COM HTTPS://eXAMPLE.com/X", "https://example.com. https://example.com/",
			"https://example.com https://example.com.:443/", "http://example.com http://example.com:80/",
			"ftp://example.com:21 ftp://example.com/", "https://example.com: https://example.com/",
			"https://WWW.EXÄMPLE.COM https://www.exämple.com/", "https://exa\u0308mple.com https://exämple.com/",
			"https://www。example。com https://www.example.com/",
			"https://[2001:DB8:0:0::1] https://[2001:db8::1]/",
			"https://[2001:db8::1]:443 https://[2001:db8::1]/",
			"https://example.com https://user:pass@example.com/", "https://example.com https://example.com?x",
		}},
		{false, []string{
			"https://example.com https://www.example.com/", "http://example.com http://example.com:443/",
			"https://faß.de https://fass.de/", "https://[2001:db8::1] https://[2001:db8::2]/",
			"https://example.com https://example.com@example.org/",
			"https://example.com https://example.org/@example.com/",
			"https://example.com https://example.org?@example.com",
			"https://example.com https://example.org#@example.com", "https://example.com wss://example.com:443/",
		}},
	} {
		for _, text := range c.list {
			robots, url, _ := strings.Cut(text, " ")
			got, err := Of([]byte(url))
			if of := mustParse(t, robots); err != nil || (got == of) != c.want {
				t.Errorf("%+v is for %+v: %v, %v, want %v", of, got, !c.want, err, c.want)
			}
		}
	}
}

// TestParse reads origins as users write them.
func TestParse(t *testing.T) {
	for _, row := range cases.Rows(t, "parse.txt") {
		name, in, want := row[0], row[1], row[2]
		t.Run(name, func(t *testing.T) {
			origins, err := Parse(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range origins {
				if o.Scheme == "" || o.Port == 0 {
					t.Errorf("%+v is not complete", o)
				}
				got = append(got, o.String())
			}
			if strings.Join(got, " ") != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestParseError has invalid origins. Each message quotes the input.
func TestParseError(t *testing.T) {
	for want, list := range map[error][]string{
		errHost: {
			"", "/", "https://", "https://:443", "https://example.com:80:80", "https://exa mple.com",
			"https://example.com ", "https://example.com\t", "https://exam\nple.com",
			"https://exam\x00ple.com", "https://exam\x1bple.com", "https://exam\x7fple.com",
			"https://ex%61mple.com", `https://"example.com"`, "https://<host>", "https://exa[mple.com",
			"https://example.com]", "https://.", "https://example..com", "https://.example.com",
			"https://example.com..", "https://[2001:db8::1", "https://[192.0.2.1", "https://[2001:db8::1:",
			"https://[]", "https://[example.com]", "https://xn--a.example", "https://\xff\xfe.example",
			"https://example.com／foo", "https://example.com：80", "https://℀.example",
			"https://exa\u00a0mple.com", "https://\u00ad",
		},
		errPath: {
			"https://example.com/robots.txt", "https://example.com//", "example.com/a",
			"https://example.com?x", "https://example.com#x", "https://user@example.com",
			`https://example.com\a`,
		},
		errScheme: {
			"gopher://example.com", "://example.com", " https://example.com",
		},
		errPort: {
			"https://example.com:0", "https://example.com:65536", "https://example.com:abc",
			"https://example.com:+80", "https://example.com:-1", "https://example.com: 80",
			"https://[2001:db8::1]:x", "https://[2001:db8::1]x",
		},
	} {
		for _, text := range list {
			got, err := Parse(text)
			if !errors.Is(err, want) {
				t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
			} else if strings.ContainsAny(err.Error(), "\x00\x1b\n\t") {
				t.Errorf("%q is not fit to print", err)
			}
		}
	}
}

// TestLogged reads the host fields of logs.
func TestLogged(t *testing.T) {
	for _, c := range []struct {
		field string
		want  Origin
		text  string
	}{
		{"www.example.com:443", Origin{"https", "www.example.com", 443}, "https://www.example.com"},
		{"www.example.com:80", Origin{"http", "www.example.com", 80}, "http://www.example.com"},
		{"www.example.com:21", Origin{"ftp", "www.example.com", 21}, "ftp://www.example.com"},
		{"www.example.com:8080", Origin{"", "www.example.com", 8080}, "www.example.com:8080"},
		{"www.example.com", Origin{"", "www.example.com", 0}, "www.example.com"},
		{"WWW.Example.com.", Origin{"", "www.example.com", 0}, "www.example.com"},
		{"192.0.2.1:443", Origin{"https", "192.0.2.1", 443}, "https://192.0.2.1"},
		{"[2001:db8::1]:8080", Origin{"", "2001:db8::1", 8080}, "[2001:db8::1]:8080"},
		{"2001:db8::1", Origin{"", "2001:db8::1", 0}, "[2001:db8::1]"},
	} {
		got, err := Logged(c.field)
		if err != nil || got != c.want {
			t.Errorf("Logged(%q) = %+v, %v, want %+v", c.field, got, err, c.want)
		}
		if got.String() != c.text {
			t.Errorf("Logged(%q) is printed as %s, want %s", c.field, got, c.text)
		}
	}
	for _, field := range []string{"", ":80", "a b", "example.com:0", "example.com:http", "https://example.com", "\x00"} {
		if got, err := Logged(field); err == nil {
			t.Errorf("Logged(%q) = %+v", field, got)
		}
	}
}

// TestOf takes absolute URLs apart.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		url  string
		want Origin
	}{
		{"https://example.com", Origin{"https", "example.com", 443}},
		{"http://example.com:8080/x?y#z", Origin{"http", "example.com", 8080}},
		{"http://a:b@c@example.com/", Origin{"http", "example.com", 80}},
		{"http://example.com?u=http://example.org/", Origin{"http", "example.com", 80}},
		{"http://http://x", Origin{"http", "http", 80}},
		{"WS://example.com/", Origin{"ws", "example.com", 0}},
		{"ftp://example.com/", Origin{"ftp", "example.com", 21}},
		{"http://[fe80::1]:81/", Origin{"http", "fe80::1", 81}},
	} {
		if got, err := Of([]byte(c.url)); err != nil || got != c.want {
			t.Errorf("Of(%q) = %+v, %v, want %+v", c.url, got, err, c.want)
		}
	}
	for want, list := range map[error][]string{
		errNotAbsolute: {
			"", "/path", "/path?u=http://example.com", "?http://example.com", "#http://example.com",
			"example.com", "http:/example.com", "//example.com", "://example.com",
		},
		errHost: {
			"http://", "http:///x", "http://user@/x", "http://exa mple/",
		},
		errPort: {
			"http://example.com:99999/",
		},
	} {
		for _, url := range list {
			if got, err := Of([]byte(url)); !errors.Is(err, want) {
				t.Errorf("Of(%q) = %+v, %v, want %v", url, got, err, want)
			}
		}
	}
}

// TestAuthority gives views of the URL as it stands.
func TestAuthority(t *testing.T) {
	for _, c := range []struct{ url, scheme, authority string }{
		{"HTTP://Example.COM:80/x", "HTTP", "Example.COM:80"},
		{"http://u@h", "http", "h"},
		{"http://u@", "http", ""},
		{"x://[::1]?", "x", "[::1]"},
	} {
		url := []byte(c.url)
		scheme, authority, err := splitAuthority(url)
		if err != nil || string(scheme) != c.scheme || string(authority) != c.authority {
			t.Errorf("splitAuthority(%q) = %q, %q, %v", c.url, scheme, authority, err)
		}
		for i := range url {
			url[i] = '!'
		}
		if s := string(scheme) + string(authority); strings.Trim(s, "!") != "" {
			t.Errorf("of %q, %q is not a view", c.url, s)
		}
	}
}

// TestDisputedHosts has the spellings that clients interpret differently, with the source of each
// interpretation. Whatever any client would take for another host is rejected. Each is treated
// alike in a URL, in the host field of a log and as an option, where it can occur there.
func TestDisputedHosts(t *testing.T) {
	for _, row := range cases.Rows(t, "disputed.txt") {
		name, source, authority, want := row[0], row[1], row[2], row[3]
		read := func(what, host string, err error) {
			t.Helper()
			if host != want || (err == nil) != (want != "") {
				t.Errorf("%s (%s): %s %q is %q, %v; want %q", name, source, what, authority, host, err, want)
			}
		}
		for _, url := range []string{"http://" + authority, "https://" + authority + "/evil.example/",
			"ftp://" + authority + "?@evil.example"} {
			o, err := Of([]byte(url))
			read("the URL", o.Host, err)
			if o, ok := View([]byte(url)); ok {
				read("the view of the URL", o.Host, nil)
			}
			o, err = Authority([]byte(url))
			read("the authority of the URL", o.Host, err)
		}
		if strings.Contains(authority, "@") {
			continue
		}
		o, err := Logged(authority)
		read("the host field", o.Host, err)
		if origins, err := Parse("http://" + authority); err == nil {
			read("the option", origins[0].Host, nil)
		} else {
			read("the option", "", err)
		}
	}
	for _, url := range []string{`http:\\good.example/`, `http:\\good.example\http://evil.example/`,
		`http:/\good.example/`, `\\http://evil.example/`, "ht\ttp://evil.example/", "http ://evil.example/"} {
		if o, err := Of([]byte(url)); !errors.Is(err, errNotAbsolute) {
			t.Errorf("%q has the origin %+v, %v", url, o, err)
		}
	}
}

// TestLongName rejects impossibly long names at once: Punycode of a megabyte would take half an hour.
func TestLongName(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		b.WriteRune(rune(0x4e00 + i))
	}
	for _, name := range []string{strings.Repeat(b.String(), 20), strings.Repeat("a.", 1<<20),
		strings.Repeat("[", 1<<20)} {
		if host, _, err := parseHost(name); err == nil || len(err.Error()) > 2*len(name) {
			t.Errorf("a name of %d bytes became one of %d", len(name), len(host))
		}
	}
	longest := strings.Repeat(strings.Repeat("a", 62)+".", 4)[:251] + "a."
	if host, _, err := parseHost(longest); err != nil || host+"." != longest {
		t.Errorf("a name of 252 bytes and its dot: %q, %v", host, err)
	}
}

// randomHost returns bytes that are often nearly a host.
func randomHost(r *rand.Rand) string {
	parts := []string{"a", "EXAMPLE", "com", ".", ".", "..", ":", ":80", ":443", ":0", "[", "]", "[::1]", "::", "%",
		"1", "192.0.2.1",
		"ä", "ß", "。", "．", "：", "／", "℀", "１", "xn--", "xn--exmple-cua", "-", "--", "_", " ", "\x00", "\x7f", "\xff",
		"\u00ad", "\u200d",
		"@", "/", "?", "://", "http://", "https", "ftp://", "\u0308", "\u0130", "ſ", "K", "א", "٣"}
	var b strings.Builder
	for range 1 + r.IntN(6) {
		if r.IntN(20) == 0 {
			b.WriteByte(byte(r.Uint32()))
		}
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

// TestNormalFormIsStable reads back what it has printed for random spellings: a normalized host is
// its own normal form, and an origin can be parsed from its text.
func TestNormalFormIsStable(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const rounds = 60_000
	hosts, origins := 0, 0
	for range rounds {
		s := randomHost(r)
		checkStable(t, s)
		if _, _, err := parseHost(s); err == nil {
			hosts++
		}
		if _, err := Of([]byte(s)); err == nil {
			origins++
		}
	}
	if hosts < rounds/20 || origins < rounds/1000 {
		t.Errorf("only %d hosts and %d URLs of %d were any", hosts, origins, rounds)
	}
}

func checkStable(t *testing.T, s string) {
	t.Helper()
	if host, port, err := parseHost(s); err == nil {
		again, _, err := parseHost(host)
		if again != host || err != nil {
			t.Errorf("parseHost(%q) = %q, of which it makes %q, %v", s, host, again, err)
		}
		if strings.ContainsAny(host, " \x00\x1b\n/?#@\\") || host == "" || strings.ToLower(host) != host {
			t.Errorf("parseHost(%q) = %q", s, host)
		}
		if logged, err := Logged(s); err != nil || logged.Host != host || logged.Port != port {
			t.Errorf("Logged(%q) = %+v, %v", s, logged, err)
		}
	}
	origins, _ := Parse(s)
	if o, err := Of([]byte(s)); err == nil && defaultPorts[o.Scheme] != 0 {
		origins = append(origins, o)
	}
	for _, o := range origins {
		again, err := Parse(o.String())
		if err != nil || len(again) != 1 || again[0] != o {
			t.Errorf("%q is %+v, printed as %s, which is read as %+v, %v", s, o, o, again, err)
		}
	}
}

// FuzzOrigin looks for spellings that have no stable normal form.
func FuzzOrigin(f *testing.F) {
	for _, s := range []string{"https://www.exämple.com:443/", "[::1%x]:80", "a。", "／", "xn--exmple-cua", "ftp://u@h"} {
		f.Add(s)
	}
	f.Fuzz(checkStable)
}

func TestKeysAreOfOneSpellingAndDistinct(t *testing.T) {
	of := map[string]Origin{}
	for want, o := range map[string]Origin{
		"https://example.com:443": {Scheme: "https", Host: "example.com", Port: 443},
		"http://example.com:443":  {Scheme: "http", Host: "example.com", Port: 443},
		"https://::1:443":         {Scheme: "https", Host: "::1", Port: 443},
		"https://::1:443:80":      {Scheme: "https", Host: "::1:443", Port: 80},
		"://example.com:0":        {Host: "example.com"},
	} {
		got := string(o.AppendKey([]byte("x")))
		if got != "x"+want {
			t.Errorf("%v: got %q, want %q", o, got, "x"+want)
		}
		if other, there := of[got]; there {
			t.Errorf("%v and %v have the key %q", o, other, got)
		}
		of[got] = o
	}
	for key, want := range map[string]string{
		"https://example.com:443": "https://example.com:443", "https://::1:443": "https://[::1]:443", "a": "a",
	} {
		if got := OfKey([]byte(key)); got != want {
			t.Errorf("%q is shown as %q, want %q", key, got, want)
		}
	}
	for _, spelling := range []string{"HTTPS://Example.COM", "https://example.com.:443/"} {
		origins, err := Parse(spelling)
		if err != nil || len(origins) != 1 || string(origins[0].AppendKey(nil)) != "https://example.com:443" {
			t.Errorf("%q: %v, %v", spelling, origins, err)
		}
	}
}

func TestGuardAppendKeyDoesNotAllocate(t *testing.T) {
	o := Origin{Scheme: "https", Host: "example.com", Port: 443}
	buf := make([]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() { o.AppendKey(buf) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
