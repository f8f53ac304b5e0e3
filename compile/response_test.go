package compile_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

// TestFromResponse checks what a crawler may fetch after each answer.
func TestFromResponse(t *testing.T) {
	const body = "User-agent: *\nDisallow: /private/\n"
	header := http.Header{"Location": {"https://b.example/robots.txt"}}
	for _, c := range []struct {
		code             int
		private, public  bool
		redirect, stands bool
	}{
		{code: 200, public: true},
		{code: 204, private: true, public: true},
		{code: 301, redirect: true},
		{code: 304, stands: true},
		{code: 401, private: true, public: true},
		{code: 404, private: true, public: true},
		{code: 429},
		{code: 500},
		{code: 0},
		{code: 999},
	} {
		robots, location := compile.FromResponse(c.code, header, []byte(body))
		if c.redirect || c.stands {
			if robots != nil || (location == header.Get("Location")) != c.redirect {
				t.Errorf("%d: %v, %q", c.code, robots, location)
			}
			continue
		}
		allowed := func(url string) bool {
			return robots.Ruleset.Match(new(automaton.Scratch), []byte("ExampleBot"), []byte(url)).Allowed()
		}
		if allowed("/private/1") != c.private || allowed("/") != c.public || !allowed("/robots.txt") || location != "" {
			t.Errorf("%d: /private/1 %v, / %v, /robots.txt %v, %q", c.code, allowed("/private/1"), allowed("/"),
				allowed("/robots.txt"), location)
		}
	}
	if robots, location := compile.FromResponse(302, nil, nil); robots != nil || location != "" {
		t.Errorf("a redirect without a location: %v, %q", robots, location)
	}
}

// TestUnreachable checks that verdicts without a file have no line and no rule, for any crawler.
func TestUnreachable(t *testing.T) {
	for _, code := range []int{0, 429, 500, 503} {
		r, _ := compile.FromResponse(code, nil, []byte("User-agent: *\nAllow: /\n"))
		if !r.Unreachable || r.Lines+len(r.Groups)+len(r.Records)+len(r.Notes)+len(r.Sitemaps()) > 0 {
			t.Errorf("%d: %+v", code, r)
		}
		var s automaton.Scratch
		for _, agent := range []string{"GPTBot", "*", ""} {
			a := r.Agent(agent)
			delay, asks := a.CrawlDelay()
			matches := r.Matches(r.Ruleset.Machine([]byte(agent)), &s, []byte("/a"))
			want := automaton.Verdict{Disallowed: true}
			if a.Match("https://a.example/a?b") != want || a.Match("") != want || !a.Allows("/robots.txt") || a.Named() ||
				delay != 0 || asks || len(a.Groups())+len(matches) > 0 {
				t.Errorf("%d, %q: %v, %v, delay %v, groups %v, rules %v", code, agent, a.Match("/a"), a.Match(""), delay,
					a.Groups(), matches)
			}
		}
		if _, ok := r.Rule(0); ok {
			t.Errorf("%d: line 0 has a rule", code)
		}
	}
	for _, code := range []int{200, 204, 404} {
		if r, _ := compile.FromResponse(code, nil, nil); r.Unreachable {
			t.Errorf("%d is unreachable", code)
		}
	}
}

func TestSitemaps(t *testing.T) {
	r := compile.Compile([]byte("sitemap: https://a.example/1.xml # the first\nUser-agent: *\nDisallow: /\n"+
		"SITEMAP: https://a.example/2.xml\nSitemap:\nSite-map: /3.xml\nSitemap: https://a.example/1.xml\nSitemaps: no\n"),
		compile.Options{})
	want := []string{"https://a.example/1.xml", "https://a.example/2.xml", "/3.xml"}
	if got := r.Sitemaps(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
