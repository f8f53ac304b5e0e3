package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What stands in samples, for a test to change.
const (
	site   = "www.example.com:443"
	client = "192.0.2.1"
	noUser = "- - ["
	asked  = "GET /a?b=c HTTP/1.1"
)

// log is n lines of the sample of a format with texts in it replaced.
func log(t testing.TB, n int, format string, changes ...string) string {
	t.Helper()
	return strings.Repeat(lineOf(t, format, changes...)+"\n", n)
}

// TestDetect detects formats. TestFormats detects the sample of each format, and TestEnvelopes
// those in envelopes.
func TestDetect(t *testing.T) {
	const name, q = "crawl-1.example.net", "- John Q Public ["
	lines := func(n int, format string, changes ...string) string { return log(t, n, format, changes...) }
	garbage := func(n int) string { return strings.Repeat("what is this\n", n) }
	const nginxError = "2026/03/04 05:06:07 [error] 71#71: *5 open() failed, client: 192.0.2.1, request: \"GET / HTTP/1.1\"\n"
	const apacheError = "[Wed Mar 04 05:06:07.089 2026] [core:error] [pid 71:tid 1] [client 192.0.2.1:4711] AH00126: Invalid URI\n"
	for _, c := range []struct {
		name, head, want string // want is a format, or empty: an error
	}{
		{"headers as referrers", lines(8, "combined") + lines(2, "combined", `"-"`, `"FooBot/1.0"`), "combined"},
		{"a byte order mark", "\xef\xbb\xbf" + lines(3, "combined"), "combined"},

		{"vhost without a port", lines(3, "vhost_combined", site, "example.com"), "vhost_combined"},
		{"vhost that is an address with a port", lines(3, "vhost_combined", site, "[2001:db8::5]:443"), "vhost_combined"},
		{"IPv6 clients", lines(3, "combined", client, "2001:db8::5"), "combined"},
		{"clients by name", lines(3, "combined", client, name), "combined"},
		{"clients by name, of vhosts without one", lines(3, "vhost_combined", site, "a.b", client, name), "vhost_combined"},
		{"users with blanks", lines(3, "combined", noUser, q), "combined"},
		{"idents", lines(3, "combined", noUser, "joe - ["), "combined"},

		{"40 % garbage", lines(60, "combined") + garbage(40), "combined"},
		{"50 % garbage", lines(50, "combined") + garbage(50), ""},
		{"invalid requests", lines(2, "combined") + lines(8, "combined", asked, `\x16\x03`), "combined"},
		{"two formats", lines(66, "combined") + lines(33, "vhost_combined"), "combined+vhost_combined"},
		{"two formats, the second first", lines(40, "vhost_common") + lines(60, "common"), "common+vhost_common"},
		{"three formats", lines(50, "common") + lines(20, "combined") + lines(30, "vhost_combined"),
			"combined+vhost_combined+common"},
		{"four formats", lines(25, "common") + lines(25, "combined") + lines(25, "vhost_combined") +
			lines(25, "vhost_common"), ""},
		{"two formats and garbage", lines(30, "combined") + lines(25, "vhost_combined") + garbage(45),
			"combined+vhost_combined"},
		{"two formats and too much garbage", lines(25, "combined") + lines(25, "vhost_combined") + garbage(50), ""},
		{"another format, rare", lines(96, "combined") + lines(4, "vhost_combined"), "combined"},
		{"lines of nginx's error log", lines(80, "combined") + strings.Repeat(nginxError, 20), "combined+error_log"},
		{"lines of Apache's error log", lines(40, "combined") + strings.Repeat(apacheError, 60), "combined+error_log"},
		{"another format behind the sample", lines(sampleLines, "combined") + lines(10*sampleLines, "common"), "combined"},

		{"JSON", `{"ip":"192.0.2.1","path":"/","user_agent":"GPTBot"}` + "\n", ""},
		{"JSON around a line", fmt.Sprintf("{\"log\":%q}\n", lines(1, "combined")), "json.log:combined"},
		{"what functions printed", strings.Repeat(mustFormat(t, "vercel").Sample()+"\n"+strings.Replace(mustFormat(t, "vercel").Sample(),
			`{`, `{"path":"/a","statusCode":200,"message":"x",`, 1)+"\n", 3), "vercel"},
		{"vhosts that are none", lines(3, "vhost_combined", site, "(null)"), ""},
		{"clients that are none", lines(3, "combined", client, "(null)"), ""},
		{"clients with a port", lines(3, "combined", client, "192.0.2.1:4711"), "combined"},
		{"no clients", lines(3, "combined", client, "-"), "combined"},
		{"names of clients with a port", lines(3, "combined", client, name+":4711"), ""},
		{"no ident", lines(3, "combined", " - - [", " - ["), ""},
		{"a time in front", "[04/Mar/2026:05:06:07 +0000] " + lines(1, "combined"), ""},
		{"another format of times", lines(3, "combined", "04/Mar/2026", "2026-03-04"), ""},
		{"a field between size and referer", lines(3, "combined", " 1234 ", " 1234 0.003 "), "timed_combined"},
		{"a referer and no agent", lines(3, "common", " 1234", ` 1234 "-"`), ""},
		{"combined with more at the end", lines(3, "combined", `1.0)"`, `1.0)" "203.0.113.1" 0.003`), "combined"},
		{"no requests", lines(3, "combined", asked, "-"), ""},
		{"URLs", "https://example.com/\nhttps://example.com/a\n", ""},
		{"a number in front", "0.003 " + lines(1, "combined"), ""},
		{"a number in front, without a dot", "12 " + lines(1, "combined"), ""},
		{"prose", "Nobody reads logs.\nAlmost noUser.\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Detect([]byte(c.head), true)
			switch {
			case c.want == "" && err == nil:
				t.Errorf("detected as %s", f.Name())
			case c.want != "" && err != nil:
				t.Errorf("%v, want %s", err, c.want)
			case c.want != "" && f.Name() != c.want:
				t.Errorf("detected as %s, want %s", f.Name(), c.want)
			}
		})
	}
}

// TestDetectNothing distinguishes a log without lines from an unknown format.
func TestDetectNothing(t *testing.T) {
	for _, head := range []string{"", "\n", "\r\n\n\r\n"} {
		for _, whole := range []bool{true, false} {
			if f, err := Detect([]byte(head), whole); !errors.Is(err, ErrEmpty) {
				t.Errorf("Detect(%q, %v) = %v, %v", head, whole, f, err)
			}
		}
	}
	if _, err := Detect([]byte("x\n"), true); err == nil || errors.Is(err, ErrEmpty) {
		t.Errorf("a line of garbage: %v", err)
	}
	if Default().Name() != "combined" {
		t.Errorf("the format of no lines is %s", Default().Name())
	}
}

// TestDetectCutHead cuts the beginning of a log anywhere in its second line, which must not be
// mistaken for a line of common.
func TestDetectCutHead(t *testing.T) {
	for _, f := range clfFormats() {
		one := log(t, 1, f.Name())
		both := one + one
		for cut := len(one); cut < len(both); cut++ {
			got, err := Detect([]byte(both[:cut]), false)
			if err != nil || got.Name() != f.Name() {
				t.Fatalf("%s cut at %d: %v, %v", f.Name(), cut-len(one), got, err)
			}
		}
		// Nothing follows: now the piece is a line, one that does not explain itself.
		if got, err := Detect([]byte(both[:len(one)+20]), true); err == nil {
			t.Errorf("%s with a cut last line, one of two: detected as %s", f.Name(), got.Name())
		}
		if got, err := Detect([]byte(one[:len(one)-1]), false); err == nil {
			t.Errorf("no line ends: detected as %s", got.Name())
		}
	}
}

// TestDetectError checks that errors name what was found, and quote the unknown lines.
func TestDetectError(t *testing.T) {
	long := "\x1b[31m" + strings.Repeat("é", 5000)
	for _, c := range []struct {
		name, head string
		says       []string
	}{
		{"nothing known", "\nfirst line\nsecond\n", []string{"`first line`", "first 2", "robotsieve formats"}},
		{"too little", log(t, 2, "common") + "garbage 1\ngarbage 2\n",
			[]string{"4 lines", "common reads 2", "`garbage 1`", "option Format"}},
		{"a long line", long, []string{fmt.Sprintf("(%d bytes)", len(long))}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Detect([]byte(c.head), true)
			if err == nil {
				t.Fatal("detected")
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if strings.ContainsAny(err.Error(), "\x1b\x00\n") || len(err.Error()) > 1000 {
				t.Errorf("%q is not fit to print", err)
			}
		})
	}
}

// TestHosts lists the hosts in a log's beginning, for a message.
func TestHosts(t *testing.T) {
	f := mustFormat(t, "vhost_combined")
	of := func(host string) string { return log(t, 1, "vhost_combined", site, host) }
	head := of("b.example:80") + "garbage\n\n" + of("a.example") + of("b.example:80") + of("\\x1b[31m")
	got, named := Hosts(f, []byte(head))
	if want := []string{"b.example:80", "a.example", `"\x1b[31m"`}; !slices.Equal(got, want) || !named {
		t.Errorf("got %q, want %q", got, want)
	}
	crlf := strings.ReplaceAll(head, "\n", "\r\n")
	if again, _ := Hosts(f, []byte(crlf)); !slices.Equal(again, got) {
		t.Errorf("with CRLF: got %q, want %q", again, got)
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString(of(fmt.Sprintf("h%d.example", i)))
	}
	if got, _ := Hosts(f, []byte(many.String())); len(got) != 10 || got[9] != "h9.example" {
		t.Errorf("of a hundred hosts: %q", got)
	}
	const path, whole = `"GET /a HTTP/1.1" 200 1 "-" "x"` + "\n",
		`"GET http://a.example:8080/a HTTP/1.1" 200 1 "-" "x"` + "\n"
	const client = "192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "
	for text, want := range map[string]bool{client + path: false, client + path + client + whole: false, client + path +
		client + whole + client + whole: true} {
		hosts, named := Hosts(Default(), []byte(text))
		if named != want || strings.Contains(text, "http:") != slices.Equal(hosts, []string{"a.example:8080"}) {
			t.Errorf("%q: %q, %v", text, hosts, named)
		}
	}
}
