package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/logwriter"
)

// log is n lines of an entry in a format, as Apache writes them.
func log(n int, format string, e entry) string {
	return strings.Repeat(e.line(format, logwriter.Apache)+"\n", n)
}

// with returns an ordinary entry with its host, client and user changed; an
// empty one is left as it is.
func with(host, addr, user string) entry {
	e := visit()
	if host != "" {
		e.host = host
	}
	if addr != "" {
		e.addr = addr
	}
	if user != "" {
		e.user = user
	}
	return e
}

func TestDetect(t *testing.T) {
	const garbage = "what is this\n"
	const nginxError = "2026/03/04 05:06:07 [error] 71#71: *5 open() failed, client: 192.0.2.1, request: \"GET / HTTP/1.1\"\n"
	const apacheError = "[Wed Mar 04 05:06:07.089 2026] [core:error] [pid 71:tid 1] [client 192.0.2.1:4711] AH00126: Invalid URI\n"
	syslog := "Jul  8 11:07:07 web1 nginx[2869]: "
	identd := visit()
	identd.ident = "joe"
	for _, c := range []struct {
		name, head, want string // want is a format, or empty: an error
	}{
		{"combined", log(3, "combined", visit()), "combined"},
		{"common", log(3, "common", visit()), "common"},
		{"vhost_combined", log(3, "vhost_combined", visit()), "vhost_combined"},
		{"vhost_common", log(3, "vhost_common", visit()), "vhost_common"},

		{"one line", log(1, "combined", visit()), "combined"},
		{"one line without an end", strings.TrimSpace(log(1, "combined", visit())), "combined"},
		{"CRLF", strings.ReplaceAll(log(3, "common", visit()), "\n", "\r\n"), "common"},
		{"empty lines between", strings.ReplaceAll(log(3, "common", visit()), "\n", "\n\n\r\n"), "common"},
		{"a byte order mark", "\xef\xbb\xbf" + log(3, "combined", visit()), "combined"},

		{"vhost without a port", log(3, "vhost_combined", with("example.com", "", "")), "vhost_combined"},
		{"vhost of one label", log(3, "vhost_common", with("localhost", "", "")), "vhost_common"},
		{"vhost that is an address", log(3, "vhost_combined", with("203.0.113.5", "", "")), "vhost_combined"},
		{"vhost that is an address with a port", log(3, "vhost_combined", with("[2001:db8::5]:443", "", "")),
			"vhost_combined"},
		{"IPv6 clients", log(3, "combined", with("", "2001:db8::5", "")), "combined"},
		{"IPv6 clients of vhosts", log(3, "vhost_combined", with("example.com", "2001:db8::5", "")), "vhost_combined"},
		{"clients by name", log(3, "combined", with("", "crawl-1.example.net", "")), "combined"},
		{"clients by name, of vhosts with a port", log(3, "vhost_combined", with("", "crawl-1.example.net", "")),
			"vhost_combined"},
		{"clients by name, of vhosts without a port",
			log(3, "vhost_combined", with("example.com", "crawl-1.example.net", "")), "vhost_combined"},
		{"clients by name, in common", log(3, "common", with("", "crawl-1.example.net", "")), "common"},
		{"clients by name, in vhost_common", log(3, "vhost_common", with("example.com", "crawl-1.example.net", "")),
			"vhost_common"},
		{"users with blanks", log(3, "combined", with("", "", "John Q Public")), "combined"},
		{"users with blanks, of vhosts", log(3, "vhost_combined", with("", "", "John Q Public")), "vhost_combined"},
		{"users with blanks, clients by name", log(3, "combined", with("", "crawl-1.example.net", "John Q Public")),
			"combined"},
		{"idents", log(3, "combined", identd), "combined"},
		{"idents and clients by name", strings.ReplaceAll(log(3, "combined", identd), visit().addr, "crawl-1.example.net"),
			"combined"},
		{"idents, of vhosts", log(3, "vhost_combined", identd), "vhost_combined"},

		{"40 % garbage", log(60, "combined", visit()) + strings.Repeat(garbage, 40), "combined"},
		{"40 % garbage before", strings.Repeat(garbage, 40) + log(60, "vhost_common", visit()), "vhost_common"},
		{"50 % garbage", log(50, "combined", visit()) + strings.Repeat(garbage, 50), ""},
		{"invalid requests", log(2, "combined", visit()) +
			strings.Repeat(strings.Replace(log(1, "combined", visit()), visit().request, `\x16\x03`, 1), 8), "combined"},
		{"two formats", log(66, "combined", visit()) + log(33, "vhost_combined", visit()), "combined+vhost_combined"},
		{"two formats, the second first", log(40, "vhost_common", visit()) + log(60, "common", visit()),
			"common+vhost_common"},
		{"two formats, half and half", log(50, "common", visit()) + log(50, "combined", visit()), "combined+common"},
		{"three formats", log(50, "common", visit()) + log(20, "combined", visit()) + log(30, "vhost_combined", visit()),
			"combined+vhost_combined+common"},
		{"four formats", log(25, "common", visit()) + log(25, "combined", visit()) + log(25, "vhost_combined", visit()) +
			log(25, "vhost_common", visit()), ""},
		{"two formats and garbage", log(30, "combined", visit()) + log(25, "vhost_combined", visit()) +
			strings.Repeat(garbage, 45), "combined+vhost_combined"},
		{"two formats and too much garbage", log(25, "combined", visit()) + log(25, "vhost_combined", visit()) +
			strings.Repeat(garbage, 50), ""},
		{"another format, rare", log(96, "combined", visit()) + log(4, "vhost_combined", visit()), "combined"},
		{"lines of nginx's error log", log(80, "combined", visit()) + strings.Repeat(nginxError, 20), "combined+error_log"},
		{"lines of Apache's error log", log(40, "combined", visit()) + strings.Repeat(apacheError, 60), "combined+error_log"},
		{"another format behind the sample", log(sampleLines, "combined", visit()) + log(10*sampleLines, "common", visit()),
			"combined"},

		{"JSON", `{"ip":"192.0.2.1","path":"/","user_agent":"GPTBot"}` + "\n", ""},
		{"JSON around a line", fmt.Sprintf("{\"log\":%q}\n", log(1, "combined", visit())), ""},
		{"Docker", fmt.Sprintf("{\"log\":%q,\"stream\":\"stdout\"}\n", log(1, "combined", visit())), "docker:combined"},
		{"W3C", "#Fields: date time c-ip cs-uri-stem\n2026-03-04 05:06:07 192.0.2.1 /\n", "w3c"},
		{"a syslog header before each line", syslog + log(1, "combined", visit()), "syslog:combined"},
		{"a syslog header before each line of a vhost", syslog + log(1, "vhost_combined", visit()), "syslog:vhost_combined"},
		{"a container runtime's header before each line", "2022-01-28T16:04:05.413656027Z stdout F " +
			log(1, "combined", visit()), "cri:combined"},
		{"colours", "\x1b[32m" + strings.TrimSpace(log(1, "combined", visit())) + "\x1b[0m\n", "ansi:combined"},
		{"vhosts that are none", log(3, "vhost_combined", with("(null)", "", "")), ""},
		{"vhosts without a letter", log(3, "vhost_combined", with("-", "", "")), ""},
		{"clients that are none", log(3, "combined", with("", "(null)", "")), ""},
		{"clients with a port", log(3, "combined", with("", "192.0.2.1:4711", "")), "combined"},
		{"clients with a port, in brackets", log(3, "combined", with("", "[2001:db8::1]:4711", "")), "combined"},
		{"no clients", log(3, "combined", with("", "-", "")), "combined"},
		{"names of clients with a port", log(3, "combined", with("", "crawl.example.net:4711", "")), ""},
		{"no ident", strings.ReplaceAll(log(3, "combined", visit()), " - - [", " - ["), ""},
		{"a time in front", "[04/Mar/2026:05:06:07 +0000] " + log(1, "combined", visit()), ""},
		{"another format of times", strings.ReplaceAll(log(3, "combined", visit()), "04/Mar/2026", "2026-03-04"), ""},
		{"a field between size and referer", strings.ReplaceAll(log(3, "combined", visit()), " 1234 ", " 1234 0.003 "), ""},
		{"a referer and no agent", strings.ReplaceAll(log(3, "common", visit()), " 1234", ` 1234 "-"`), ""},
		{"common with numbers at the end", strings.ReplaceAll(log(3, "common", visit()), " 1234", " 1234 0.003"), "common"},
		{"combined with more at the end", strings.ReplaceAll(log(3, "combined", visit()), "\n", " \"203.0.113.1\" 0.003\n"),
			"combined"},
		{"no requests", strings.ReplaceAll(log(3, "combined", visit()), visit().request, "-"), ""},
		{"URLs", "https://example.com/\nhttps://example.com/a\n", ""},
		{"NULs", strings.Repeat("\x00", 1000) + "\n", ""},
		{"binary", "\x1f\x8b\x08\x00\n\xff\xfe\n", ""},
		{"prose", "Nobody reads logs.\nAlmost nobody.\n", ""},
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

// TestDetectNothing tells a log without lines from one that is not understood.
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

// TestDetectCutHead cuts the beginning of a log anywhere in its second line: the
// piece of it must not be mistaken for a line of common.
func TestDetectCutHead(t *testing.T) {
	for _, f := range clfFormats() {
		one := log(1, f.Name(), visit())
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

// TestDetectError names what was found and quotes what was not understood.
func TestDetectError(t *testing.T) {
	long := "\x1b[31m" + strings.Repeat("é", 5000)
	for _, c := range []struct {
		name, head string
		says       []string
	}{
		{"nothing known", "\nfirst line\nsecond\n", []string{"`first line`", "first 2", "robotsieve formats"}},
		{"too little", log(2, "common", visit()) + "garbage 1\ngarbage 2\n",
			[]string{"4 lines", "common reads 2", "`garbage 1`", "--format"}},
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

// TestHosts lists the hosts of a log's beginning, for a message.
func TestHosts(t *testing.T) {
	f := mustFormat(t, "vhost_combined")
	head := log(2, "vhost_combined", with("b.example:80", "", "")) + "garbage\n\n" +
		log(2, "vhost_combined", with("a.example", "", "")) +
		log(1, "vhost_combined", with("b.example:80", "", "")) +
		log(1, "vhost_combined", with("\x1b[31m", "", ""))
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
		many.WriteString(log(1, "vhost_combined", with(fmt.Sprintf("h%d.example", i), "", "")))
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
