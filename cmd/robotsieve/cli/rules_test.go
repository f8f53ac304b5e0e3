package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
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
		"allowed":       {nil, []string{"HTTPS://A.example:443/g", "http://down.example/robots.txt", "https://gone.example/p"}},
		"by all of two": {[]string{"--agent", "GPTBot"}, []string{"http://down.example/robots.txt", "https://gone.example/p"}},
		"by any of two": {[]string{"--agent", "GPTBot", "--any"},
			[]string{"http://a.example/p", "HTTPS://A.example:443/g", "http://down.example/robots.txt", "https://gone.example/p"}},
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

// TestFilterByStatus: the words of an audit (2.3.1). What a redirect leads to and the
// sources do not have is not known.
func TestFilterByStatus(t *testing.T) {
	var sources, list strings.Builder
	statuses := []int{100, 200, 204, 206, 301, 304, 404, 408, 429, 444, 499, 500, 599, 600, 999, 1000}
	for _, status := range statuses {
		fmt.Fprintf(&sources, `{"host":"s%d.example","status":%d,"body":"user-agent: *\ndisallow: /p"}`+"\n", status, status)
		fmt.Fprintf(&list, "http://s%d.example/p\nhttp://s%d.example/q\n", status, status)
	}
	odd := "HTTP/1.1 998 Denied\r\n\r\n"
	warc := file(t, "x.warc", fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://s998.example/robots.txt\r\n"+
		"WARC-Date: 2026-11-01T00:00:00Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(odd), odd))
	list.WriteString("http://s998.example/p\n")
	out := filepath.Join(t.TempDir(), "rules.rsv")
	r := command(t, "", "compile", file(t, "s.jsonl", sources.String()), warc, "-o", out)
	if r.code != exitInput || !strings.Contains(r.err, "passed over: not an HTTP status: 1\n") ||
		!strings.Contains(r.err, "passed over: HTTP status that says nothing about robots.txt (1xx or 304): 2\n") || strings.Count(r.err, "s.jsonl: line") != 1 ||
		!strings.Contains(r.err, "redirects that cannot be followed in the sources: the robots.txt of 2 origins") {
		t.Errorf("%+v", r)
	}
	for _, c := range []struct {
		agent, keep, noPolicy string
		p, q                  []int
	}{
		{"FooBot", "allowed", "drop", []int{204, 404, 408, 429}, []int{200, 204, 206, 404, 408, 429}},
		{"FooBot", "allowed", "keep", []int{100, 204, 301, 304, 404, 408, 429, 1000}, []int{100, 200, 204, 206, 301, 304, 404, 408, 429, 1000}},
		{"FooBot", "disallowed", "drop", []int{200, 206, 444, 499, 500, 599, 600, 998, 999}, []int{444, 499, 500, 599, 600, 999}},
		{"Googlebot", "allowed", "drop", []int{204, 404, 408}, []int{200, 204, 206, 404, 408}},
		{"Googlebot", "disallowed", "drop", []int{200, 206, 429, 444, 499, 500, 599, 600, 998, 999}, []int{429, 444, 499, 500, 599, 600, 999}},
	} {
		// The class of a crawler does not depend on the dialect.
		for _, dialect := range []string{"rfc9309", "google"} {
			r = command(t, list.String(), "filter", "--rules", out, "--agent", c.agent, "--dialect", dialect, "--keep", c.keep, "--no-policy", c.noPolicy, "-")
			want := map[string]bool{}
			for path, statuses := range map[string][]int{"p": c.p, "q": c.q} {
				for _, status := range statuses {
					want[fmt.Sprintf("http://s%d.example/%s", status, path)] = true
				}
			}
			for _, url := range strings.Fields(list.String()) {
				if got := strings.Contains(r.out, url+"\n"); got != want[url] {
					t.Errorf("%s in %s, %s, no policy %s: %s is printed: %v", c.agent, dialect, c.keep, c.noPolicy, url, got)
				}
			}
		}
	}
}

// TestFilterFollowsRedirects inside the sources: from JSON lines and WARC files, to another
// origin and to another path, which may be captured before the redirect.
func TestFilterFollowsRedirects(t *testing.T) {
	record := func(url, head, body string) string {
		block := "HTTP/1.1 " + head + "\r\n\r\n" + body
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2026-11-01\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, len(block), block)
	}
	const body = "user-agent: *\ndisallow: /p\n"
	sources := []string{
		file(t, "a.warc", record("https://www.a.example/robots_v2.txt", "200 OK", body)+record("http://c.example/rules", "200 OK", body)+
			record("https://www.a.example/robots.txt", "301 Moved\r\nLocation: /robots_v2.txt", "")+
			record("http://d.example/robots.txt", "302 Found\r\nLocation: rules?v=2", "")+record("http://d.example/rules?v=2", "200 OK", body)),
		file(t, "b.jsonl", `{"host":"http://a.example","status":301,"location":"https://www.a.example/robots.txt"}
{"host":"http://b.example","status":308,"location":"//a.example/robots.txt"}
{"host":"http://c.example","status":301,"location":"/rules"}
{"host":"http://e.example","status":301,"location":"https://login.example/"}
{"host":"http://f.example","status":301}
`),
	}
	out := filepath.Join(t.TempDir(), "rules.rsv")
	r := command(t, "", "compile", sources[0], sources[1], "-o", out)
	if r.code != exitDone || !strings.Contains(r.err, "the robots.txt of 3 origins") {
		t.Errorf("%+v", r)
	}
	var list strings.Builder
	for _, host := range []string{"a", "www.a", "b", "c", "d", "e", "f"} {
		fmt.Fprintf(&list, "http://%s.example/p\nhttp://%s.example/q\n", host, host)
	}
	text := strings.ReplaceAll(list.String(), "http://www", "https://www")
	for noPolicy, want := range map[string]string{
		"drop": "http://a.example/q\nhttps://www.a.example/q\nhttp://b.example/q\nhttp://d.example/q\n",
		// c, since its page was captured before it was known to be more than a page.
		"keep": "http://a.example/q\nhttps://www.a.example/q\nhttp://b.example/q\nhttp://c.example/p\nhttp://c.example/q\nhttp://d.example/q\n" +
			"http://e.example/p\nhttp://e.example/q\nhttp://f.example/p\nhttp://f.example/q\n",
	} {
		r = command(t, text, "filter", "--rules", out, "--agent", "FooBot", "--no-policy", noPolicy, "-")
		if r.out != want || !strings.Contains(r.err, "6 of origins whose robots.txt is not known") {
			t.Errorf("%s: printed %q, want %q; stderr %q", noPolicy, r.out, want, r.err)
		}
	}
}

func TestFilterRefusesAnArchiveThatItCannotUse(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\n")
	for name, c := range map[string]struct{ archive, dialect, says string }{
		"a robots.txt":         {robots, "auto", "not an archive"},
		"another dialect":      {rules(t, "--dialect", "rfc9309"), "google", "holds no rules by the dialect google, only by rfc9309\n"},
		"the agent's own":      {rules(t, "--dialect", "google"), "auto", "holds no rules by the dialect rfc9309"},
		"an archive cut short": {cutShort(t, rules(t)), "auto", "header says"},
	} {
		r := command(t, "http://a.example/\n", "filter", "--rules", c.archive, "--agent", "FooBot", "--dialect", c.dialect, "-")
		if r.code != exitInput || !strings.Contains(r.err, c.says) || r.out != "" {
			t.Errorf("%s: code %d, printed %q, stderr %q", name, r.code, r.out, r.err)
		}
	}
}

// truncating cuts a file short when it is first read from or, if there are other contents, writes
// them over it in place.
type truncating struct {
	io.Reader
	name  string
	other []byte
}

func (r *truncating) Read(p []byte) (int, error) {
	if r.other == nil {
		if err := os.Truncate(r.name, 0); err != nil {
			return 0, err
		}
		return r.Reader.Read(p)
	}
	f, err := os.OpenFile(r.name, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	_, err = f.Write(r.other)
	later := time.Now().Add(time.Minute) // the clock of a disk may be slow
	if err := cmp.Or(err, f.Close(), os.Chtimes(r.name, later, later)); err != nil {
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
		in := &truncating{Reader: strings.NewReader(strings.Repeat("http://a.example/p\nhttps://a.example/\n", 100_000)), name: archive}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"filter", "--rules", archive, "--agent", "x", "--workers", workers, "-"}, streams{in: in, out: &stdout, err: &stderr})
		if code != exitInput || stdout.Len() > 0 || !strings.Contains(stderr.String(), archive+": changed while in use") {
			t.Errorf("code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
		}
	}
}

// TestArchiveChangedInPlace: an archive of the same length, but with other rules or with noise behind
// its index, gives neither false verdicts nor a panic.
func TestArchiveChangedInPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("archives are not mapped into memory there")
	}
	crawl := warcFile(t, "x.warc", warcRecord{"http://a.example/p", "2024-05-03T00:00:00Z", 200, "", ""})
	for name, change := range map[string]func(data []byte){
		"another rule": func(data []byte) { copy(data[bytes.Index(data, []byte("/p")):], "/q") },
		"noise": func(data []byte) {
			for i := range data[len(data)/2:] {
				data[len(data)/2+i] ^= byte(i*7 + 1)
			}
		},
		"nothing but the time": func([]byte) {},
	} {
		for _, c := range []struct {
			args []string
			in   string
		}{
			{[]string{"filter", "--agent", "x", "-"}, strings.Repeat("http://a.example/p\nhttp://a.example/q\n", 1000)},
			{[]string{"filter", "--agent", "x", "--annotate", "json", "-"}, "http://a.example/p\n"},
			{[]string{"filter", "--agent", "x", "-"}, string(plain(t, crawl))},
			{[]string{"check", "--agent", "x", "-"}, "http://a.example/p\n"},
		} {
			archive := rules(t)
			other := plain(t, archive)
			change(other)
			in := &truncating{strings.NewReader(c.in), archive, other}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append(c.args, "--rules", archive), streams{in: in, out: &stdout, err: &stderr})
			judged := strings.Contains(stdout.String(), "a.example") || strings.Contains(stdout.String(), "allowed")
			if code != exitInput || judged || !strings.Contains(stderr.String(), archive+": changed while in use") {
				t.Errorf("%s, %v: code %d, stdout %q, stderr %q", name, c.args, code, stdout.String(), stderr.String())
			}
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
