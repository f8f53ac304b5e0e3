package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

// Only a server error makes a robots.txt unreachable; what says nothing of one is as
// if it were not there.
func TestFilterByStatus(t *testing.T) {
	var sources, list strings.Builder
	for _, status := range []int{100, 200, 301, 304, 404, 500, 599, 600} {
		fmt.Fprintf(&sources, `{"host":"s%d.example","status":%d,"body":"user-agent: *\ndisallow: /p"}`+"\n", status, status)
		fmt.Fprintf(&list, "http://s%d.example/p\nhttp://s%d.example/q\n", status, status)
	}
	odd := "HTTP/1.1 999 Denied\r\n\r\n"
	warc := file(t, "x.warc", fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://s999.example/robots.txt\r\n"+
		"WARC-Date: 2026-11-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(odd), odd))
	list.WriteString("http://s999.example/p\n")
	out := filepath.Join(t.TempDir(), "rules.rsv")
	r := command(t, "", "compile", file(t, "s.jsonl", sources.String()), warc, "-o", out)
	if r.code != exitInput || !strings.Contains(r.err, "passed over: not an HTTP status: 1\n") ||
		!strings.Contains(r.err, "passed over: HTTP status without a body: 2\n") || strings.Count(r.err, "s.jsonl: line") != 1 {
		t.Errorf("%+v", r)
	}
	r = command(t, list.String(), "filter", "--rules", out, "--agent", "x", "-")
	want := "http://s200.example/q\nhttp://s301.example/p\nhttp://s301.example/q\nhttp://s404.example/p\nhttp://s404.example/q\nhttp://s999.example/p\n"
	if r.code != exitDone || r.out != want {
		t.Errorf("%+v", r)
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

// truncating cuts a file short when it is first read from.
type truncating struct {
	io.Reader
	name string
}

func (r *truncating) Read(p []byte) (int, error) {
	if err := os.Truncate(r.name, 0); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

func TestFilterSurvivesAnArchiveThatIsCutWhileInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("archives are not mapped into memory there")
	}
	for _, workers := range []string{"1", "4"} {
		archive := rules(t)
		in := &truncating{strings.NewReader(strings.Repeat("http://a.example/p\nhttps://a.example/\n", 100_000)), archive}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"filter", "--rules", archive, "--agent", "x", "--workers", workers, "-"}, streams{in, &stdout, &stderr})
		if code != exitInput || stdout.Len() > 0 || !strings.Contains(stderr.String(), "their file has been changed while in use") {
			t.Errorf("code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
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
