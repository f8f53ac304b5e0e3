package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rules compiles an archive of some origins.
func rules(t *testing.T, args ...string) string {
	t.Helper()
	sources := file(t, "robots.jsonl", `{"host":"a.example","body":"user-agent: *\ndisallow: /p\n\nuser-agent: gptbot\ndisallow: /g\n"}
{"host":"https://b.example:8443","body":"user-agent: *\ndisallow: /b%7E\n"}
{"host":"down.example","status":503}
{"host":"gone.example","status":404}
`)
	out := filepath.Join(t.TempDir(), "rules.rsv")
	if r := command(t, "", append([]string{"compile", sources, "-o", out}, args...)...); r.code != exitDone {
		t.Fatal(r.err)
	}
	return out
}

func TestFilterByTheRobotsOfEachOrigin(t *testing.T) {
	archive := rules(t)
	list := strings.Join([]string{
		"http://a.example/p", "HTTPS://A.example:443/g", "http://a.example:8080/p", "https://b.example:8443/b~", "https://b.example/b~",
		"http://down.example/robots.txt", "http://down.example/x", "https://gone.example/p", "https://nowhere.example/p", "/p", "",
	}, "\n")
	for name, c := range map[string]struct {
		args []string
		out  []string
	}{
		"allowed": {nil, []string{"HTTPS://A.example:443/g", "http://down.example/robots.txt", "https://gone.example/p"}},
		"of a known name": {[]string{"--agent", "GPTBot"},
			[]string{"http://a.example/p", "http://down.example/robots.txt", "https://gone.example/p"}},
		"disallowed":      {[]string{"--keep", "disallowed"}, []string{"http://a.example/p", "https://b.example:8443/b~", "http://down.example/x"}},
		"as Google reads": {[]string{"--keep", "disallowed", "--dialect", "google"}, []string{"http://a.example/p", "http://down.example/x"}},
		"without a policy too": {[]string{"--no-policy", "keep", "--invalid", "keep"}, []string{
			"HTTPS://A.example:443/g", "http://a.example:8080/p", "https://b.example/b~", "http://down.example/robots.txt",
			"https://gone.example/p", "https://nowhere.example/p", "/p"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, list, append([]string{"filter", "--rules", archive, "--agent", "FooBot", "-"}, c.args...)...)
			if want := strings.Join(c.out, "\n") + "\n"; r.out != want || r.code != exitDone || !strings.Contains(r.err, "10 lines read") {
				t.Errorf("code %d, printed %q, want %q; stderr %q", r.code, r.out, want, r.err)
			}
		})
	}
}

func TestFilterRefusesAnArchiveThatItCannotUse(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\n")
	for name, c := range map[string]struct{ archive, dialect, says string }{
		"a robots.txt":         {robots, "auto", "not an archive"},
		"another dialect":      {rules(t, "--dialect", "rfc9309"), "google", "holds no rules by the dialect google"},
		"the agent's own":      {rules(t, "--dialect", "google"), "auto", "holds no rules by the dialect rfc9309"},
		"an archive cut short": {cutShort(t, rules(t)), "auto", "header says"},
	} {
		r := command(t, "http://a.example/\n", "filter", "--rules", c.archive, "--agent", "FooBot", "--dialect", c.dialect, "-")
		if r.code != exitInput || !strings.Contains(r.err, c.says) || r.out != "" {
			t.Errorf("%s: code %d, printed %q, stderr %q", name, r.code, r.out, r.err)
		}
	}
}

func cutShort(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "short.rsv", string(data[:len(data)-5]))
}
