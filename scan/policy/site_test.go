package policy

import (
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/scan/answer"
	"github.com/robotsieve/robotsieve/scan/origin"
)

func TestSite(t *testing.T) {
	// Origins: a.example http:80, https:443, http:8080, https:8080, b.example https:443, and others.
	const rows = `https://b.example 0h 200 B; http://a.example:8080 0h 200 A; https://a.example:8080 0h 200 A
		http://a.example 0h 200 A; https://a.example 0h 200 A; ftp://c.example 0h 200 A; http://[2001:db8::1] 0h 200 A`
	p := newOf(t, rows, Options{})
	var names []string
	for _, o := range p.Origins() {
		names = append(names, o.String())
	}
	if want := []string{"http://[2001:db8::1]", "http://a.example", "https://a.example", "http://a.example:8080",
		"https://a.example:8080",
		"https://b.example", "ftp://c.example"}; !slices.Equal(names, want) {
		t.Fatalf("origins %v, want %v", names, want)
	}
	tests := []struct {
		name string
		o    origin.Origin
		want Site
	}{
		{"the origin itself", origin.Origin{Scheme: "https", Host: "a.example", Port: 443}, Site{2, 1}},
		{"host alone: every scheme and port", origin.Origin{Host: "a.example"}, Site{1, 4}},
		{"host alone, of one origin", origin.Origin{Host: "b.example"}, Site{5, 1}},
		{"a port that tells no scheme", origin.Origin{Host: "a.example", Port: 8080}, Site{3, 2}},
		{"a scheme without a port has its own", origin.Origin{Scheme: "https", Host: "a.example"}, Site{2, 1}},
		{"an address", origin.Origin{Host: "2001:db8::1", Port: 80, Scheme: "http"}, Site{0, 1}},
		{"ftp", origin.Origin{Scheme: "ftp", Host: "c.example"}, Site{6, 1}},
		{"another scheme", origin.Origin{Scheme: "http", Host: "b.example", Port: 80}, Site{}},
		{"another port", origin.Origin{Host: "a.example", Port: 81}, Site{}},
		{"a scheme that is none", origin.Origin{Scheme: "gopher", Host: "a.example"}, Site{}},
		{"a subdomain", origin.Origin{Host: "www.a.example"}, Site{}},
		{"a domain above", origin.Origin{Host: "example"}, Site{}},
		{"no host", origin.Origin{}, Site{}},
		{"a host behind all", origin.Origin{Host: "z"}, Site{}},
	}
	for _, test := range tests {
		got, ok := p.Site(test.o)
		if ok != (test.want.N > 0) || ok && got != test.want {
			t.Errorf("%s: %v, %v, want %v", test.name, got, ok, test.want)
		}
	}
}

func TestHosts(t *testing.T) {
	const rows = "a 0h 301 >http://b/robots.txt; https://a 0h 200 A; b 0h 200 B; c 0h 200 C"
	p := newOf(t, rows, Options{Hosts: slices.Concat(origins(t, "http://a"), origins(t, "c"))})
	if want := origins(t, "http://a", "http://c"); !slices.Equal(p.Origins(), want) {
		t.Errorf("origins %v, want %v", p.Origins(), want)
	}
	if _, ok := p.Site(origin.Origin{Host: "b"}); ok {
		t.Error("b is judged")
	}
	if got := describe(p, 0, p.Lawful(0, at(t, "50h"), answer.Others)); got != "B, cites 0" {
		t.Errorf("a leads to %s, want the body of b", got)
	}
	if p.Any() {
		t.Error("it is for any origin")
	}
}

func TestWhereNoHostIsNamed(t *testing.T) {
	tests := []struct {
		name string
		p    *Policy
		want Site
		any  bool
	}{
		{"one file for all", constant("x"), Site{0, 1}, true},
		{"one file for two schemes", constant("x", origins(t, "a")...), Site{0, 2}, false},
		{"one file, hosts named twice", constant("x", origins(t, "https://a", "a", "https://a:443")...), Site{0, 2}, false},
		{"a source without hosts", newOf(t, "a 0h 200 A", Options{}), Site{}, false},
		{"a source with hosts", newOf(t, "a 0h 200 A; b 0h 200 A; c 0h 200 A", Options{Hosts: origins(t, "a", "c")}),
			Site{0, 2}, false},
	}
	for _, test := range tests {
		got, ok := test.p.Unnamed()
		if got != test.want || ok != (test.want.N > 0) || test.p.Any() != test.any {
			t.Errorf("%s: %v, %v, any %v; want %v, any %v", test.name, got, ok, test.p.Any(), test.want, test.any)
		}
	}
	p := constant("x")
	if len(p.Origins()) != 1 || p.Origins()[0] != (origin.Origin{}) {
		t.Errorf("origins %v", p.Origins())
	}
	for _, o := range []origin.Origin{{}, {Scheme: "gopher", Host: "a"},
		{Scheme: "https", Host: "example.com", Port: 443}} {
		if s, ok := p.Site(o); !ok || s != (Site{0, 1}) {
			t.Errorf("%v is at %v, %v", o, s, ok)
		}
	}
}
