package crawler

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// TestReadNames reads valid files of names.
func TestReadNames(t *testing.T) {
	n, err := ReadNames(strings.NewReader("\ufeff# of October\r\n\r\n"+
		"192.0.2.1\tcrawl.example.com\ttrue\r\n"+
		"192.0.2.2\tCRAWL.Example.COM.\tYES\r\n"+
		"192.0.2.3\t crawl.example.com \t 1 \r\n"+
		"192.0.2.4\tcrawl.example.com\tFalse\r\n"+
		"192.0.2.5\tcrawl.example.com\tno\r\n"+
		"192.0.2.6\t\t0\r\n"+
		"192.0.2.7\ta.example\ttrue\r\n192.0.2.7\tb.example\tTrue\r\n192.0.2.7\tc.example\tfalse\r\n"+
		"2001:DB8:0::1\ta.example\tyes\r\n"+
		"::ffff:192.0.2.8\ta.example\tyes"), "names", 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"192.0.2.1": "crawl.example.com", "192.0.2.2": "crawl.example.com", "192.0.2.3": "crawl.example.com",
		"192.0.2.7": "a.example b.example", "2001:db8::1": "a.example", "192.0.2.8": "a.example",
	}
	for addr, names := range want {
		if got := strings.Join(n.names[netip.MustParseAddr(addr)], " "); got != names {
			t.Errorf("%s is called %q, want %q", addr, got, names)
		}
	}
	if len(n.names) != len(want) {
		t.Errorf("%d addresses have names, want %d", len(n.names), len(want))
	}
	if n, err := ReadNames(strings.NewReader(""), "names", 1<<30); err != nil || len(n.names) != 0 {
		t.Errorf("an empty file: %v", err)
	}
}

// TestRefusedNames has one case for each kind of invalid line.
func TestRefusedNames(t *testing.T) {
	const good = "192.0.2.1\ta.example\ttrue\n"
	for _, c := range []struct {
		name, line string
		is         error
	}{
		{"blanks for tabs", "192.0.2.1 a.example true", errColumns},
		{"two columns", "192.0.2.1\ta.example", errColumns},
		{"four columns", "192.0.2.1\ta.example\ttrue\t", errColumns},
		{"a name for an address", "a.example\t192.0.2.1\ttrue", errNoAddr},
		{"a range for an address", "192.0.2.0/24\ta.example\ttrue", errNoAddr},
		{"no address", "\ta.example\tfalse", errNoAddr},
		{"another word", "192.0.2.1\ta.example\tmaybe", errConfirmed},
		{"no word", "192.0.2.1\ta.example\t", errConfirmed},
		{"a header", "ip\tname\tconfirmed", errNoAddr},
		{"a confirmed name that is none", "192.0.2.1\t\ttrue", errNameless},
		{"a confirmed name of the root", "192.0.2.1\t.\ttrue", errNameless},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadNames(strings.NewReader(good+"\n"+c.line+"\n"+good), "names", 1<<30)
			if !errors.Is(err, c.is) || !strings.HasPrefix(err.Error(), "names:3: ") {
				t.Errorf("the error is %v, want names:3 and %v", err, c.is)
			}
		})
	}
}

// TestNamesOfGoogle compares Google's crawlers with the table of its page "Verify requests from Google crawlers and
// fetchers", https://developers.google.com/crawling/docs/crawlers-fetchers/verifying-googlebot: each kind has its own
// names, and the names of fetchers that users send anywhere, google-proxy, don't prove a crawler.
func TestNamesOfGoogle(t *testing.T) {
	set := builtinSet(t)
	masks := []string{
		"crawl-192-0-2-1.googlebot.com", "geo-crawl-192-0-2-1.geo.googlebot.com", "rate-limited-proxy-192-0-2-1.google.com",
		"google-proxy-192-0-2-1.google.com", "192-0-2-1.gae.googleusercontent.com", "1.2.0.192.bc.googleusercontent.com",
	}
	kinds := map[string][]string{ // by the page that lists the crawler, whose names prove it
		"google-common-crawlers":         masks[:2],
		"google-special-case-crawlers":   masks[2:4], // a domain doesn't distinguish proxies
		"google-user-triggered-fetchers": masks[2:4],
	}
	of := map[string]int{}
	for i := range set.Profiles() {
		p := &set.Profiles()[i]
		if p.Operator != "Google" || p.Verify == "" {
			if p.Operator == "Google" && len(p.Domains) > 0 {
				t.Errorf("%s has domains %q", p.Name, p.Domains)
			}
			continue
		}
		kind := p.Source[strings.LastIndexByte(p.Source, '/')+1:]
		of[kind]++
		for _, name := range masks {
			i := NewIdentities(set, IdentityOptions{Names: namesOf(t, "192.0.2.1 "+name+" true")})
			want := Unverified
			if slices.Contains(kinds[kind], name) {
				want = Verified
			}
			if got := i.identify(p, []byte("192.0.2.1"), 0, true); got != want {
				t.Errorf("%s at %s is %v, want %v", p.Name, name, got, want)
			}
		}
	}
	if len(of) != len(kinds) || of["google-special-case-crawlers"] < 6 {
		t.Errorf("crawlers of each kind: %v", of)
	}
}

// TestNamesOfOneAddressAreFew checks the limit of names per address, with all of which each request
// from it is compared.
func TestNamesOfOneAddressAreFew(t *testing.T) {
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("192.0.2.1 n%d.example true", i%500))
	}
	n := namesOf(t, lines...)
	if names := n.names[netip.MustParseAddr("192.0.2.1")]; len(names) != maxNamesKept {
		t.Errorf("%d names", len(names))
	}
}
