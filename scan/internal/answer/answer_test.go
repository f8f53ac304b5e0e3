package answer

import (
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

func TestNext(t *testing.T) {
	at := func(host string) origin.Origin { return origin.Origin{Scheme: "http", Host: host, Port: 80} }
	has := func(o origin.Origin) bool { return o.Host != "elsewhere" }
	a, b := []origin.Origin{at("a")}, []origin.Origin{at("a"), at("b")}
	five := []origin.Origin{at("a"), at("b"), at("c"), at("d"), at("e")}
	for _, c := range []struct {
		chain    []origin.Origin
		location string
		origin   string
		path     string
		want     Kind
	}{
		{a, "http://b/robots.txt", "b", "/robots.txt", Followed},
		{a, "//B:80/robots.txt#x", "b", "/robots.txt", Followed},
		{a, "http://b/r.txt?x", "b", "/r.txt?x", OtherPath},
		{a, "http://b/robots.txt?", "b", "/robots.txt?", OtherPath},
		{a, "http://b", "b", "/", OtherPath},
		{a, "http://elsewhere/robots.txt", "elsewhere", "/robots.txt", Lost},
		{a, "", "", "", Lost},
		{a, "::", "", "", Lost},
		{a, "http://[::/robots.txt", "", "", Lost},
		{a, "mailto:a@b", "", "", Lost},
		{a, "/r.txt", "a", "/r.txt", Lost},
		{a, "/robots.txt", "a", "/robots.txt", Endless},
		{b, "http://a/robots.txt", "a", "/robots.txt", Endless},
		{five, "http://f/robots.txt", "f", "/robots.txt", Followed},
		{append(five, at("f")), "http://g/robots.txt", "g", "/robots.txt", Distant},
		{append(five, at("f"), at("g"), at("h")), "http://i/robots.txt", "i", "/robots.txt", Distant},
		{append(five, at("f")), "http://a/robots.txt", "a", "/robots.txt", Endless},
		{append(five, at("f")), "http://elsewhere/robots.txt", "elsewhere", "/robots.txt", Endless},
		{append(five, at("f")), "http://g/r.txt", "g", "/r.txt", Endless},
	} {
		to, got := Next(c.chain, c.location, has)
		if got != c.want || c.origin != "" && (to.Origin != at(c.origin) || to.Path != c.path) {
			t.Errorf("%q behind %v: %v, %v, want %v", c.location, c.chain, to, got, c.want)
		}
	}
}
