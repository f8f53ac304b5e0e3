package logwriter

import (
	"net/netip"
	"strings"
	"time"
)

// Ordinary returns a request without anything special.
func Ordinary() *Request {
	return &Request{
		Name:   "ordinary",
		Time:   time.Date(2026, time.March, 4, 5, 6, 7, 281_000_000, time.UTC),
		Client: netip.MustParseAddrPort("192.0.2.7:51234"),
		Scheme: "https", Host: "www.example.com", Port: 443,
		Method: "GET", Target: "/a/b?c=d", Protocol: "HTTP/1.1", Status: 200, Size: 1234,
		Agent:   []string{"Mozilla/5.0 (compatible; FooBot/1.0)"},
		Referer: []string{"https://example.org/"}, Cookie: "a=b",
	}
}

// Requests returns forty requests, each with a trap for some format.
func Requests() []*Request {
	requests := []*Request{
		Ordinary(),
		agent("quotes", `He said "no" and left`),
		agent("forged fields in quotes", `x" "Googlebot/2.1" "y`),
		agent("backslashes", `C:\bot\\x \" \`),
		agent(`a literal \x22`, `a \x22b\x22 \u0022 \n`),
		agent("percent-encoding in a User-Agent", "Bot%20One%2520Two%22%"),
		agent("two plus signs", "Bot/1 (compatible;++http://b.example/)"),
		agent("a blank and a plus sign", "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"),
		agent("octets as HAProxy escapes them", "Bot #22 #23#7C"),
		agent("separators", "a|b;c,d:e=f'g"),
		agent("braces and brackets", "Bot {x} [y] (z) <w> $v {} []"),
		agent("a tab", "Bot\tTwo"),
		agent("control characters", "Bot \x01\x1b[31m\x7f"),
		agent("UTF-8", "Bot é 日本 \U0001f916"),
		agent("octets that are no UTF-8", "Bot \xff\xfe\xc3"),
		agent("a dash", "-"),
		agent("empty", ""),
		agent("a long User-Agent", "Bot "+strings.Repeat("0123456789abcdef", 600)),
		changed("no User-Agent", func(r *Request) { r.Agent = nil }),
		changed("no referrer", func(r *Request) { r.Referer = nil }),
		changed("a referrer with quotes", func(r *Request) { r.Referer = []string{`http://x/?"a" \`} }),
		target("a query that is empty", "/a?"),
		target("two question marks and plus signs", "/a+b?c=d+e?f"),
		target("a percent sign encoded twice", "/a%2520b?c=%2520"),
		target("encoded octets", "/caf%C3%A9%2Fx%3Fy?q=%26%3D%22"),
		target("a fragment, and octets as HAProxy escapes them", "/a#22b"),
		target("quotes and backslashes", `/a"b\c\x22?d="e"`),
		target("raw UTF-8 and an octet that is none", "/é/\xe9"),
		target("raw blanks", "/a b  c?d e"),
		target("braces and bars", "/{a}|b;c,d"),
		target("robots.txt", "/robots.txt"),
		target("two slashes", "//a//b/"),
		target("an absolute target", "http://www.example.com/abs?x=y"),
		target("a long target", "/"+strings.Repeat("0123456789/", 700)),
		changed("an asterisk", func(r *Request) { r.Method, r.Target = "OPTIONS", "*" }),
		changed("HTTP/0.9", func(r *Request) { r.Protocol, r.Target, r.Agent, r.Referer = "", "/", nil, nil }),
		changed("IPv6 and another port", func(r *Request) {
			r.Client, r.Host, r.Port = netip.MustParseAddrPort("[2001:db8::7]:51234"), "2001:db8::80", 8443
		}),
		changed("proxies", func(r *Request) {
			r.Forwarded = []string{"203.0.113.9, 198.51.100.3"}
			r.Scheme, r.Port, r.Claim = "http", 80, "Search Engine Crawler"
		}),
		changed("not modified, by a user with blanks, in another time zone", func(r *Request) {
			r.Method, r.Status, r.Size, r.User = "HEAD", 304, 0, "John Q Public"
			r.Time = r.Time.In(time.FixedZone("", (3*60+30)*60))
		}),
		changed("no answer", func(r *Request) { r.Method, r.Status, r.Size, r.Protocol = "POST", 0, 0, "HTTP/2.0" }),
	}
	return requests
}

// changed returns an ordinary request with a modification.
func changed(name string, change func(*Request)) *Request {
	r := Ordinary()
	r.Name = name
	change(r)
	return r
}

func agent(name, agent string) *Request {
	return changed(name, func(r *Request) { r.Agent = []string{agent} })
}

func target(name, target string) *Request {
	return changed(name, func(r *Request) { r.Target = target })
}
