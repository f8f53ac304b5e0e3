package compile_test

import (
	"testing"

	"github.com/robotsieve/robotsieve/compile"
)

func TestUnknownDialectPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "compile: unknown dialect Dialect(200)" {
			t.Errorf("got %v", got)
		}
	}()
	compile.Compile(nil, compile.Options{Dialect: 200})
}

func TestAllowed(t *testing.T) {
	const body = "User-agent: GPTBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\nDisallow: /\nAllow: /c\nAllow: /$\n"
	for _, c := range []struct {
		agent, url string
		want       bool
	}{
		{"GPTBot", "https://h/a", false},
		{"gptbot", "https://h/b", true},
		{"GPTBot/1.2; +https://openai.com/gptbot", "https://h/a", false},
		{"Mozilla/5.0 (compatible; GPTBot/1.2)", "https://h/a", false}, // by the group for *
		{"Mozilla/5.0 (compatible; GPTBot/1.2)", "https://h/c", true},
		{"other", "/c?d", true},
		{"other", "/d", false},
		{"", "/c", true},
		{"other", "/robots.txt", true},
		{"other", "", true}, // the path is "/"
		{"other", "://%zz\x00", true},
		{"other", "://%zz\x00/b", false},
	} {
		if got := compile.Allowed([]byte(body), c.agent, c.url); got != c.want {
			t.Errorf("%q, %q: got %v", c.agent, c.url, got)
		}
	}
	if !compile.Allowed(nil, "a", "/b") {
		t.Error("an empty body forbids")
	}
}
