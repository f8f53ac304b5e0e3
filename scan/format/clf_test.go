package format

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// variants are combined lines that differ from plain in one place, and what
// that makes different in the record.
const plain = `192.0.2.1 - - [10/Feb/2012:16:42:07 +0000] "GET /x HTTP/1.1" 200 368 "-" "UA"`

var plainFields = fields{
	Agent: "UA", Addr: "192.0.2.1", Method: "GET", Target: "/x",
	Time: "2012-02-10T16:42:07Z", Status: 200, Size: 368,
}

var variants = []struct {
	name, old, new string
	change         string // Field=value; bars divide several
}{
	{"nothing", "", "", ""},

	{"Apache's escapes in the target", "/x", `/a\"b\\c\n\t\r\v\b\xc3\xa9`, "Target=/a\"b\\c\n\t\r\v\b\xc3\xa9"},
	{"an escaped x is no escape", "/x", `/\\x41`, `Target=/\x41`},
	{"a backslash that nobody escaped", "/x", `/c:\windows`, `Target=/c:\windows`},
	{"a target that ends in an escaped quote", "/x HTTP/1.1", `/x\"`, `Target=/x"`},

	{"escapes in the agent", `"UA"`, `"a \"quoted\" \x22b\x22 \\"`, `Agent=a "quoted" "b" \`},
	{"quotes in the referer", `"-"`, `"http://a/?\"b\" \\"`, ""},
	{"a status in the referer", `"-"`, `"\" 200 5 \"-\" \"Googlebot\""`, ""},

	{"further fields at the end", `"UA"`, `"UA" 0.003 [x] -`, ""},
	{"X-Forwarded-For as nginx's packages log it", `"UA"`, `"UA" "203.0.113.9"`, "Forwarded=203.0.113.9"},
	{"X-Forwarded-For and more", `"UA"`, `"UA" "203.0.113.9, 10.0.0.1" 0.003 [x] - "other"`,
		"Forwarded=203.0.113.9, 10.0.0.1"},
	{"X-Forwarded-For behind other fields", `"UA"`, `"UA" 0.003 x"y" "203.0.113.9"`, "Forwarded=203.0.113.9"},
	{"X-Forwarded-For that was not sent", `"UA"`, `"UA" "-"`, "Forwarded=-"},
	{"escapes in X-Forwarded-For", `"UA"`, `"UA" "\"[2001:db8::1]:80\", \x22x\x22"`,
		`Forwarded="[2001:db8::1]:80", "x"`},
	{"X-Forwarded-For that does not end", `"UA"`, `"UA" "203.0.113.9`, ""},
	{"a quote within a field behind the agent", `"UA"`, `"UA" x"203.0.113.9"`, ""},
	{"a blank at the end", `"UA"`, `"UA" `, ""},

	{"a user with blanks", "- - [", "- John Q Public [", ""},
	{"a user with a bracket", "- - [", "- joe[2] [", ""},
	{"a user with a time", "- - [", "- [01/Jan/2000:00:00:00 +0000] [", ""},
	{"a user with a bracket and a time with a fraction", "- - [10/Feb/2012:16:42:07", "- a[b [10/Feb/2012:16:42:07.5",
		"Time=2012-02-10T16:42:07.5Z"},
	{"a user in raw quotes, with a bracket", "- - [", `- "[a]b" [`, ""},
	{"a user with a request", "- - [", `- x] \"GET /y HTTP/1.1\" 200 1 \"-\" \"z\" [`, ""},

	{"no size", "368", "-", "Size=-1"},
	{"a size past 64 bits", "368", "99999999999999999999", "Size=-1"},
	{"a size that is none", "368", "+3", "Size=-1"},
	{"no status", " 200 ", " - ", "Status=0"},
	{"a status of zeros", " 200 ", " 000 ", "Status=0"},

	{"HTTP/0.9", "GET /x HTTP/1.1", "GET /x", ""},
	{"a protocol in the target", "/x", "/x HTTP/1.0 y", "Target=/x HTTP/1.0 y"},
	{"something like a protocol in the target", "/x HTTP/1.1", "/x HTTP/1 y", "Target=/x HTTP/1 y"},
	{"a blank behind the protocol", "HTTP/1.1", "HTTP/1.1 ", ""},
	{"a blank behind the target", "/x HTTP/1.1", "/x ", "Target=/x "},
	{"raw quotes in the target", "/x", `/a"b" c"`, `Target=/a"b" c"`},
	{"robots.txt", "/x", "/robots.txt", "Target=/robots.txt|Robots=true"},
	{"robots.txt by another method", "GET /x", "HEAD /robots.txt", "Method=HEAD|Target=/robots.txt|Robots=true"},
	{"robots.txt by an absolute target", "/x", "http://a.example/robots.txt",
		"Target=http://a.example/robots.txt|Robots=true"},
	{"robots.txt and an escape elsewhere", `/x HTTP/1.1" 200 368 "-"`, `/robots.txt HTTP/1.1" 200 368 "\""`,
		"Target=/robots.txt|Robots=true"},
	{"robots.txt in a directory", "/x", "/a/robots.txt", "Target=/a/robots.txt"},
	{"absolute form", "/x", "HTTPS://u:p@example.com:8443/x?y", "Target=HTTPS://u:p@example.com:8443/x?y"},
	{"authority form", "GET /x", "CONNECT example.com:443", "Method=CONNECT|Target=example.com:443"},
	{"an authority like a protocol", "GET /x", "CONNECT", "Method=CONNECT|Target=HTTP/1.1"},

	{"a target too long", "GET /x HTTP/1.1\" 200", "GET /xxxxxx\" 414", "Target=/xxxxxx|Status=414|Truncated=true"},
	{"a target too long, logged whole", "\" 200", "\" 414", "Status=414"},
	{"HTTP/0.9 refused", "GET /x HTTP/1.1\" 200", "GET /x\" 400", "Status=400"},

	{"a time with a fraction", ":07 ", ":07.125 ", "Time=2012-02-10T16:42:07.125Z"},
	{"a zone in the east", "+0000", "+1400", "Time=2012-02-10T02:42:07Z"},
	{"29 February of another year", "10/Feb/2012", "29/Feb/2013", "Time="},
	{"a leap second", ":16:42:07", ":23:59:60", "Time=2012-02-11T00:00:00Z"},
	{"no zone", " +0000", "", "Time="},
	{"a year that nanoseconds do not hold", "2012", "2500", "Time="},
	{"a time in another format", "10/Feb/2012:16:42:07 +0000", "2012-02-10T16:42:07Z", "Time="},
}

// TestCombinedLine reads lines that differ from an ordinary one in one place. The common format
// gives the same results, without the agent.
func TestCombinedLine(t *testing.T) {
	for _, c := range variants {
		t.Run(c.name, func(t *testing.T) {
			line := strings.Replace(plain, c.old, c.new, 1)
			if c.old != "" && line == plain {
				t.Fatalf("the case changes nothing")
			}
			want := plainFields
			for change := range strings.SplitSeq(c.change, "|") {
				name, text, _ := strings.Cut(change, "=")
				switch f := reflect.ValueOf(&want).Elem().FieldByName(name); {
				case name == "":
				case f.Kind() == reflect.String:
					f.SetString(text)
				default:
					if _, err := fmt.Sscan(text, f.Addr().Interface()); err != nil {
						t.Fatal(err)
					}
				}
			}
			check := func(format, line string, want fields) {
				got, ok := read(mustReader(t, format), new(Record), line)
				if !ok {
					t.Fatalf("not a record of %s: %s", format, line)
				}
				if got != want {
					t.Errorf("as %s\n got %+v\nwant %+v", format, got, want)
				}
				if err := checkNext(mustFormat(t, format), mustReader(t, format), new(Record), []byte(line)); err != nil {
					t.Error(err)
				}
			}
			check("combined", line, want)
			for _, want.Host = range []string{"example.com", "www.example.com:443", "[2001:db8::1]:8080"} {
				check("vhost_combined", want.Host+" "+line, want)
			}
			want.Agent, want.Forwarded = "", ""
			check("vhost_common", want.Host+" "+line, want)
			want.Host = ""
			check("common", line, want)
		})
	}
}

// TestDamagedLine reads lines with a few bytes replaced, inserted or missing, at any place, in a chunk and alone.
func TestDamagedLine(t *testing.T) {
	for name, line := range map[string]string{
		"combined": plain, "vhost_combined": "a.example:80 " + plain, "common": strings.TrimSuffix(plain, ` "-" "UA"`),
	} {
		f := mustFormat(t, name)
		reader, r := f.NewReader(), new(Record)
		for _, text := range []string{
			"", `"`, " ", "x", "0", "\\", "\x00", "\xff", `" "`, "- ", "HEAD /", "POST /r", "PUT ", "192.0.2.", "2001:db8::1",
		} {
			for from := range len(line) {
				for _, to := range []int{from, min(from+1, len(line)), min(from+len(text), len(line))} {
					if err := checkNext(f, reader, r, []byte(line[:from]+text+line[to:])); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

// TestLineAtEndOfIndex reads lines that are cut and the last ones of a chunk that the index has whole.
func TestLineAtEndOfIndex(t *testing.T) {
	for _, name := range []string{"combined", "common"} {
		for cut := range len(plain) {
			line := plain[:cut] + "\n"
			before := strings.Repeat("x", 3*64-1-len(line)) + "\n"
			kinds := kindsIn(mustReader(t, name), []byte(before+line))
			if alone := kindsIn(mustReader(t, name), []byte(line[:cut])); cut > 0 && kinds[1] != alone[0] {
				t.Errorf("%s: %s is a %v in a chunk, alone a %v", name, line, kinds[1], alone[0])
			}
		}
	}
}

// TestForwardedWithRawQuote reads a field with an ambiguous end: the client may have sent the quote
// and what follows it.
func TestForwardedWithRawQuote(t *testing.T) {
	got, ok := read(mustReader(t, "combined"), new(Record), plain+` "203.0.113.9"x" y`)
	if !ok || got != plainFields {
		t.Errorf("\n got %+v %v\nwant %+v", got, ok, plainFields)
	}
}

// TestNoRecord has lines that no format may take for a request, or that combined may not because
// the User-Agent is ambiguous.
func TestNoRecord(t *testing.T) {
	const head, tail = `192.0.2.1 - - [10/Feb/2012:16:42:07 +0000] `, ` 200 368 "-" "UA"`
	lines := []string{
		"", " ", `"`, `"GET / HTTP/1.1" 200 368 "-" "UA"`, `[10/Feb/2012:16:42:07 +0000] "GET / HTTP/1.1" 200 368 "-" "UA"`,
		`192.0.2.1 - - "GET / HTTP/1.1" 200 368 "-" "UA"`, head + `"GET / HTTP/1.1 200 368`, head + `"GET / HTTP/1.1\" 200 368`,
		head + `"GET / HTTP/1.1" 368`, head + `"GET / HTTP/1.1" 20 368`, head + `"GET / HTTP/1.1" 2000 368`,
		head + `"GET / HTTP/1.1" 2x0 368`, head + `"GET / HTTP/1.1" -5 368 "-" "UA"`, head + `"GET / HTTP/1.1"`,
	}
	for _, request := range []string{
		`-`, ``, `\n`, `\x16\x03\x01\x02\x00\x01`, `GET`, `GET `, ` / HTTP/1.1`, `G(T / HTTP/1.1`, `GET  / HTTP/1.1`,
		`GET x HTTP/1.1`, `GET example.com:443 HTTP/1.1`, `GET http:/x HTTP/1.1`, `GET ://x HTTP/1.1`, `GET 1a://x HTTP/1.1`,
		`OPTIONS *x HTTP/1.1`, `CONNECT  HTTP/1.1`,
	} {
		lines = append(lines, head+`"`+request+`"`+tail)
	}
	check := func(line string, formats ...string) {
		for _, name := range formats {
			if got, ok := read(mustReader(t, name), new(Record), line); ok {
				t.Errorf("%s reads %s as %+v", name, line, got)
			}
		}
	}
	for _, line := range lines {
		check(line, Names()...)
	}
	for _, before := range []string{ // the host would be lost
		"example.com:443 ", "example.com ", "localhost ", "example.com:443 2001:db8::1 - - ", "example.com ::1 user ",
	} {
		if strings.Count(before, " ") == 1 {
			before += "192.0.2.1 - - "
		}
		check(before+plain[len("192.0.2.1 - - "):], "combined", "common")
	}
	for _, forwarded := range []string{"- ", "unknown, ", "203.0.113.9, "} { // no host
		if _, ok := read(mustReader(t, "combined"), new(Record), forwarded+plain); !ok {
			t.Errorf("a line with X-Forwarded-For first is not read: %s", forwarded)
		}
	}
	for _, end := range []string{ // the User-Agent is not known
		` "-"`, ``, ` "-" "UA`, ` "-" "UA\"`, ` "-" UA`, ` "-" "U"A"`, ` "a"b" "UA"`, ` "-"."UA"`, ` 0.001 "-" "UA"`,
	} {
		check(head+`"GET / HTTP/1.1" 200 368`+end, "combined", "vhost_combined")
	}
}

// TestHostsBehindAreDoubted checks that a format without a host warns of what may be hosts behind its fields.
func TestHostsBehindAreDoubted(t *testing.T) {
	for _, c := range []struct {
		format, a, b string // formats and ends of lines
		want         bool
	}{
		{"combined", "", "", false}, {"combined", ` "-" 0.1 [a.example] TLSv1.3`, ` "-" 0.1 [a.example] TLSv1.3`, false},
		{"combined", ` "-" "a.example" rt=0.1`, ` "-" "b.example" rt=0.1`, true}, {"combined", " 1.2.3.4:80", " web:80", false},
		{"combined", " a.example", "", false}, {"timed_combined", " vhost=a.example", " vhost=b.example", true},
		{"vhost_combined", " a.example 1", " b.example 1", false}, {"iso_combined", " a.example 1", " b.example 1", true},
	} {
		f := mustFormat(t, c.format)
		log := strings.Repeat(f.Sample()+c.a+"\n"+f.Sample()+c.b+"\n", 25)
		if got := len(f.boundTo([]byte(log)).Doubts()) > 0; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestCutLine cuts lines at every byte, as a full disk does. The rest is a record only if its
// request, status and User-Agent are complete and equal the whole line's. A cut field after them
// counts as missing.
func TestCutLine(t *testing.T) {
	type line struct{ format, text string }
	var lines []line
	for _, c := range variants {
		text := strings.Replace(plain, c.old, c.new, 1)
		lines = append(lines, line{"combined", text}, line{"vhost_combined", "example.com:80 " + text},
			line{"common", text}, line{"vhost_common", "example.com:80 " + text})
	}
	for _, l := range lines {
		f := mustFormat(t, l.format)
		reader := f.NewReader()
		whole, ok := read(reader, new(Record), l.text)
		if !ok {
			t.Fatalf("%s: not a record: %s", l.format, l.text)
		}
		for cut := range len(l.text) {
			got, ok := read(reader, new(Record), l.text[:cut])
			if !ok {
				continue
			}
			if f.HasAgent() && !bytes.Contains(unescape(nil, []byte(l.text[:cut])), []byte(` "`+whole.Agent+`"`)) {
				t.Errorf("%s: its agent is not whole, and is %q: %s", l.format, got.Agent, l.text[:cut])
			}
			got.Size = whole.Size // a cut number is a number
			if got.Forwarded == "" {
				got.Forwarded = whole.Forwarded
			}
			if got != whole {
				t.Errorf("%s: %s\n got %+v\nwant %+v", l.format, l.text[:cut], got, whole)
			}
		}
	}
}

// TestHostileLine reads lines of a megabyte designed to be slow, with which quadratic work would
// time out.
func TestHostileLine(t *testing.T) {
	const size = 1 << 16 // what takes time with its square takes minutes
	head := `192.0.2.1 - - [10/Feb/2012:16:42:07 +0000] "GET /`
	for name, part := range map[string]string{
		"quotes": `"`, "escaped quotes": `\"`, "backslashes": `\`, "ends of requests": `" `,
		"half statuses": `" 20`, "ends of times": `] "`, "blanks": ` `, "protocols": ` HTTP/`, "brackets": `[`,
		"schemes": `://`, "half fields": ` x"`,
	} {
		t.Run(name, func(t *testing.T) {
			long := strings.Repeat(part, size/len(part))
			for _, f := range formats() {
				for _, line := range []string{long, head + long, head + long + `" 200 3 "-" "UA"`, head + `" 200 3 "-" "UA" ` +
					long, head + `" 200 3 "-" "` + long, "a " + long + " [x] \"GET / HTTP/1.1\" 200 3"} {
					if got, ok := read(f.NewReader(), new(Record), line); ok && got.Target == "" {
						t.Errorf("%s: a record without a target", f.Name())
					}
				}
			}
		})
	}
}
