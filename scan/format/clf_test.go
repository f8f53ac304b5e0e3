package format

import (
	"bytes"
	"strings"
	"testing"
)

// records are lines of each format, with what is in them.
var records = []struct {
	name, format, line string
	want               fields
}{
	{
		"AhrefsBot at an nginx", "combined",
		`54.36.149.41 - - [22/Jan/2019:03:56:14 +0330] "GET /filter/27|13%20%D9%85 HTTP/1.1" 200 30577 "-" "Mozilla/5.0 (compatible; AhrefsBot/6.1; +http://ahrefs.com/robot/)"`,
		fields{
			Agent: "Mozilla/5.0 (compatible; AhrefsBot/6.1; +http://ahrefs.com/robot/)",
			Addr:  "54.36.149.41", Method: "GET", Target: "/filter/27|13%20%D9%85",
			Time: "2019-01-22T00:26:14Z", Status: 200, Size: 30577,
		},
	},
	{
		"common", "common",
		`1.2.3.4 - theuser [10/Feb/2012:16:42:07 -0500] "GET / HTTP/1.0" 301 368`,
		fields{Addr: "1.2.3.4", Method: "GET", Target: "/", Time: "2012-02-10T21:42:07Z", Status: 301, Size: 368},
	},
	{
		"common read from a combined line", "common",
		`1.2.3.4 - - [10/Feb/2012:16:42:07 -0500] "GET / HTTP/1.0" 301 368 "-" "curl"`,
		fields{Addr: "1.2.3.4", Method: "GET", Target: "/", Time: "2012-02-10T21:42:07Z", Status: 301, Size: 368},
	},
	{
		"vhost_combined as Debian logs it", "vhost_combined",
		`www.example.com:443 1.2.3.4 - - [10/Feb/2012:16:42:07 -0500] "GET / HTTP/1.1" 200 368 "-" "UA"`,
		fields{Agent: "UA", Host: "www.example.com:443", Addr: "1.2.3.4", Method: "GET", Target: "/",
			Time: "2012-02-10T21:42:07Z", Status: 200, Size: 368},
	},
	{
		"vhost_combined without a port", "vhost_combined",
		`www.example.com 1.2.3.4 - - [10/Feb/2012:16:42:07 -0500] "GET / HTTP/1.1" 200 368 "-" "UA"`,
		fields{Agent: "UA", Host: "www.example.com", Addr: "1.2.3.4", Method: "GET", Target: "/",
			Time: "2012-02-10T21:42:07Z", Status: 200, Size: 368},
	},
	{
		"vhost_combined with an address for a host", "vhost_combined",
		`[2001:db8::1]:8080 2001:db8::2 - - [10/Feb/2012:16:42:07 -0500] "GET / HTTP/1.1" 200 368 "-" "UA"`,
		fields{Agent: "UA", Host: "[2001:db8::1]:8080", Addr: "2001:db8::2", Method: "GET", Target: "/",
			Time: "2012-02-10T21:42:07Z", Status: 200, Size: 368},
	},
	{
		"vhost_common", "vhost_common",
		`example.com 1.2.3.4 - - [10/Feb/2012:16:42:07 -0500] "HEAD /x HTTP/1.1" 404 -`,
		fields{Host: "example.com", Addr: "1.2.3.4", Method: "HEAD", Target: "/x", Time: "2012-02-10T21:42:07Z",
			Status: 404, Size: -1},
	},
}

// TestRecord reads a line of each format, each field of it.
func TestRecord(t *testing.T) {
	for _, c := range records {
		t.Run(c.name, func(t *testing.T) {
			got, ok := read(mustReader(t, c.format), new(Record), c.line)
			if !ok {
				t.Fatal("not a record")
			}
			if got != c.want {
				t.Errorf("\n got %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// variants are combined lines that differ from plain in one place, and what
// that makes different in the record.
const plain = `192.0.2.1 - - [10/Feb/2012:16:42:07 +0000] "GET /x HTTP/1.1" 200 368 "-" "UA"`

var plainFields = fields{
	Agent: "UA", Addr: "192.0.2.1", Method: "GET", Target: "/x",
	Time: "2012-02-10T16:42:07Z", Status: 200, Size: 368,
}

var variants = []struct {
	name, old, new string
	change         func(*fields)
}{
	{"nothing", "", "", func(*fields) {}},

	{"Apache's escapes in the target", "/x", `/a\"b\\c\n\t\r\v\b\xc3\xa9`,
		func(f *fields) { f.Target = "/a\"b\\c\n\t\r\v\b\xc3\xa9" }},
	{"nginx's escapes in the target", "/x", `/a\x22b\x5Cc\xC3\xA9`, func(f *fields) { f.Target = "/a\"b\\c\xc3\xa9" }},
	{"percent-encoding is the URL's own", "/x", `/%41%2f%5C%22`, func(f *fields) { f.Target = "/%41%2f%5C%22" }},
	{"an escaped x is no escape", "/x", `/\\x41`, func(f *fields) { f.Target = `/\x41` }},
	{"a backslash that nobody escaped", "/x", `/c:\windows`, func(f *fields) { f.Target = `/c:\windows` }},
	{"a target that ends in an escaped backslash", "/x HTTP/1.1", `/x\\`, func(f *fields) { f.Target = `/x\` }},
	{"a target that ends in an escaped quote", "/x HTTP/1.1", `/x\"`, func(f *fields) { f.Target = `/x"` }},
	{"the fragment is left to the reader of the path", "/x", "/x#y", func(f *fields) { f.Target = "/x#y" }},

	{"escapes in the agent", `"UA"`, `"a \"quoted\" \x22b\x22 \\"`, func(f *fields) { f.Agent = `a "quoted" "b" \` }},
	{"an empty agent", `"UA"`, `""`, func(f *fields) { f.Agent = "" }},
	{"no agent sent", `"UA"`, `"-"`, func(f *fields) { f.Agent = "-" }},
	{"quotes in the referer", `"-"`, `"http://a/?\"b\" \\"`, func(*fields) {}},
	{"an empty referer", `"-"`, `""`, func(*fields) {}},
	{"a status in the referer", `"-"`, `"\" 200 5 \"-\" \"Googlebot\""`, func(*fields) {}},

	{"further fields at the end", `"UA"`, `"UA" 0.003 [x] -`, func(*fields) {}},
	{"X-Forwarded-For as nginx's packages log it", `"UA"`, `"UA" "203.0.113.9"`,
		func(f *fields) { f.Forwarded = "203.0.113.9" }},
	{"X-Forwarded-For and more", `"UA"`, `"UA" "203.0.113.9, 10.0.0.1" 0.003 [x] - "other"`,
		func(f *fields) { f.Forwarded = "203.0.113.9, 10.0.0.1" }},
	{"X-Forwarded-For behind other fields", `"UA"`, `"UA" 0.003 x"y" "203.0.113.9"`,
		func(f *fields) { f.Forwarded = "203.0.113.9" }},
	{"X-Forwarded-For that was not sent", `"UA"`, `"UA" "-"`, func(f *fields) { f.Forwarded = "-" }},
	{"escapes in X-Forwarded-For", `"UA"`, `"UA" "\"[2001:db8::1]:80\", \x22x\x22"`,
		func(f *fields) { f.Forwarded = `"[2001:db8::1]:80", "x"` }},
	{"X-Forwarded-For that does not end", `"UA"`, `"UA" "203.0.113.9`, func(*fields) {}},
	{"a quote within a field behind the agent", `"UA"`, `"UA" x"203.0.113.9"`, func(*fields) {}},
	{"a blank at the end", `"UA"`, `"UA" `, func(*fields) {}},

	{"a user with blanks", "- - [", "- John Q Public [", func(*fields) {}},
	{"a quoted empty user", "- - [", `- "" [`, func(*fields) {}},
	{"a user with a bracket", "- - [", "- joe[2] [", func(*fields) {}},
	{"a user with a time", "- - [", "- [01/Jan/2000:00:00:00 +0000] [", func(*fields) {}},
	{"a user with a bracket and a time with a fraction", "- - [10/Feb/2012:16:42:07", "- a[b [10/Feb/2012:16:42:07.5",
		func(f *fields) { f.Time = "2012-02-10T16:42:07.5Z" }},
	{"a user in raw quotes, with a bracket", "- - [", `- "[a]b" [`, func(*fields) {}},
	{"a user with a request", "- - [", `- x] \"GET /y HTTP/1.1\" 200 1 \"-\" \"z\" [`, func(*fields) {}},
	{"an ident", "- - [", "joe - [", func(*fields) {}},
	{"an IPv6 client", "192.0.2.1", "2001:db8::1", func(f *fields) { f.Addr = "2001:db8::1" }},
	{"a client's name", "192.0.2.1", "crawl.example.net", func(f *fields) { f.Addr = "crawl.example.net" }},

	{"no size", "368", "-", func(f *fields) { f.Size = -1 }},
	{"a size of 0", "368", "0", func(f *fields) { f.Size = 0 }},
	{"a size past 32 bits", "368", "123456789012345678", func(f *fields) { f.Size = 123456789012345678 }},
	{"a size past 64 bits", "368", "99999999999999999999", func(f *fields) { f.Size = -1 }},
	{"a size that is none", "368", "+3", func(f *fields) { f.Size = -1 }},
	{"no status", " 200 ", " - ", func(f *fields) { f.Status = 0 }},
	{"a status of nginx's own", " 200 ", " 499 ", func(f *fields) { f.Status = 499 }},
	{"a status of zeros", " 200 ", " 000 ", func(f *fields) { f.Status = 0 }},

	{"HTTP/0.9", "GET /x HTTP/1.1", "GET /x", func(*fields) {}},
	{"HTTP/1.0", "HTTP/1.1", "HTTP/1.0", func(*fields) {}},
	{"HTTP/2.0", "HTTP/1.1", "HTTP/2.0", func(*fields) {}},
	{"HTTP/3", "HTTP/1.1", "HTTP/3", func(*fields) {}},
	{"raw blanks in the target", "/x", "/a b  c", func(f *fields) { f.Target = "/a b  c" }},
	{"raw blanks and no protocol", "/x HTTP/1.1", "/a b", func(f *fields) { f.Target = "/a b" }},
	{"a protocol in the target", "/x", "/x HTTP/1.0 y", func(f *fields) { f.Target = "/x HTTP/1.0 y" }},
	{"something like a protocol in the target", "/x HTTP/1.1", "/x HTTP/1 y",
		func(f *fields) { f.Target = "/x HTTP/1 y" }},
	{"a blank behind the protocol", "HTTP/1.1", "HTTP/1.1 ", func(*fields) {}},
	{"a blank behind the target", "/x HTTP/1.1", "/x ", func(f *fields) { f.Target = "/x " }},
	{"raw quotes in the target", "/x", `/a"b" c"`, func(f *fields) { f.Target = `/a"b" c"` }},
	{"robots.txt", "/x", "/robots.txt", func(f *fields) { f.Target, f.Robots = "/robots.txt", true }},
	{"robots.txt by another method", "GET /x", "HEAD /robots.txt",
		func(f *fields) { f.Method, f.Target, f.Robots = "HEAD", "/robots.txt", true }},
	{"robots.txt by an absolute target", "/x", "http://a.example/robots.txt",
		func(f *fields) { f.Target, f.Robots = "http://a.example/robots.txt", true }},
	{"robots.txt with a query", "/x", "/robots.txt?x", func(f *fields) { f.Target, f.Robots = "/robots.txt?x", true }},
	{"robots.txt and an escape elsewhere", `/x HTTP/1.1" 200 368 "-"`, `/robots.txt HTTP/1.1" 200 368 "\""`,
		func(f *fields) { f.Target, f.Robots = "/robots.txt", true }},
	{"robots.txt in a directory", "/x", "/a/robots.txt", func(f *fields) { f.Target = "/a/robots.txt" }},
	{"robots.txt cut short", "/x", "/robots.tx", func(f *fields) { f.Target = "/robots.tx" }},
	{"the root", "/x", "/", func(f *fields) { f.Target = "/" }},
	{"a double slash", "/x", "//a/x", func(f *fields) { f.Target = "//a/x" }},
	{"absolute form", "/x", "HTTPS://u:p@example.com:8443/x?y",
		func(f *fields) { f.Target = "HTTPS://u:p@example.com:8443/x?y" }},
	{"absolute form of another scheme", "/x", "a+b-c.9://x", func(f *fields) { f.Target = "a+b-c.9://x" }},
	{"asterisk form", "GET /x", "OPTIONS *", func(f *fields) { f.Method, f.Target = "OPTIONS", "*" }},
	{"authority form", "GET /x", "CONNECT example.com:443",
		func(f *fields) { f.Method, f.Target = "CONNECT", "example.com:443" }},
	{"a method in lower case", "GET", "get", func(f *fields) { f.Method = "get" }},
	{"a method of odd bytes", "GET", "M-SEARCH!", func(f *fields) { f.Method = "M-SEARCH!" }},

	{"a target too long", "GET /x HTTP/1.1\" 200", "GET /xxxxxx\" 414",
		func(f *fields) { f.Target, f.Status, f.Truncated = "/xxxxxx", 414, true }},
	{"a target too long, logged whole", "\" 200", "\" 414", func(f *fields) { f.Status = 414 }},
	{"HTTP/0.9 refused", "GET /x HTTP/1.1\" 200", "GET /x\" 400", func(f *fields) { f.Status = 400 }},

	{"a time with a fraction", ":07 ", ":07.125 ", func(f *fields) { f.Time = "2012-02-10T16:42:07.125Z" }},
	{"a time with a comma", ":07 ", ":07,5 ", func(f *fields) { f.Time = "2012-02-10T16:42:07.5Z" }},
	{"a zone in the west", "+0000", "-0930", func(f *fields) { f.Time = "2012-02-11T02:12:07Z" }},
	{"a zone in the east", "+0000", "+1400", func(f *fields) { f.Time = "2012-02-10T02:42:07Z" }},
	{"29 February", "10/Feb/2012", "29/Feb/2012", func(f *fields) { f.Time = "2012-02-29T16:42:07Z" }},
	{"29 February of another year", "10/Feb/2012", "29/Feb/2013", func(f *fields) { f.Time = "" }},
	{"31 February", "10/Feb", "31/Feb", func(f *fields) { f.Time = "" }},
	{"31 April", "10/Feb", "31/Apr", func(f *fields) { f.Time = "" }},
	{"32 January", "10/Feb", "32/Jan", func(f *fields) { f.Time = "" }},
	{"day 0", "10/Feb", "00/Feb", func(f *fields) { f.Time = "" }},
	{"24 o'clock", ":16:42:07", ":24:00:00", func(f *fields) { f.Time = "" }},
	{"minute 60", ":16:42:07", ":16:60:00", func(f *fields) { f.Time = "" }},
	{"a leap second", ":16:42:07", ":23:59:60", func(f *fields) { f.Time = "2012-02-11T00:00:00Z" }},
	{"second 61", ":16:42:07", ":23:59:61", func(f *fields) { f.Time = "" }},
	{"a month of another language", "Feb", "Fév", func(f *fields) { f.Time = "" }},
	{"no zone", " +0000", "", func(f *fields) { f.Time = "" }},
	{"a zone's name", "+0000", "UTC", func(f *fields) { f.Time = "" }},
	{"a zone past the day", "+0000", "+2400", func(f *fields) { f.Time = "" }},
	{"a dot and no fraction", ":07 ", ":07. ", func(f *fields) { f.Time = "" }},
	{"a year that nanoseconds do not hold", "2012", "2500", func(f *fields) { f.Time = "" }},
	{"a time in another format", "10/Feb/2012:16:42:07 +0000", "2012-02-10T16:42:07Z", func(f *fields) { f.Time = "" }},
	{"an empty time", "10/Feb/2012:16:42:07 +0000", "", func(f *fields) { f.Time = "" }},
}

// TestCombinedLine reads lines that differ from an ordinary one in one place.
// The common format reads them to the same, but for the agent.
func TestCombinedLine(t *testing.T) {
	for _, c := range variants {
		t.Run(c.name, func(t *testing.T) {
			line := strings.Replace(plain, c.old, c.new, 1)
			if c.old != "" && line == plain {
				t.Fatalf("the case changes nothing")
			}
			want := plainFields
			c.change(&want)
			check := func(format, line string, want fields) {
				got, ok := read(mustReader(t, format), new(Record), line)
				if !ok {
					t.Fatalf("not a record of %s: %s", format, line)
				}
				if got != want {
					t.Errorf("as %s\n got %+v\nwant %+v", format, got, want)
				}
			}
			check("combined", line, want)
			want.Host = "example.com"
			check("vhost_combined", "example.com "+line, want)
			want.Agent, want.Forwarded = "", ""
			check("vhost_common", "example.com "+line, want)
			want.Host = ""
			check("common", line, want)
		})
	}
}

// TestForwardedWithRawQuote reads a field whose end cannot be told: the client
// may have sent the quote, and what follows it.
func TestForwardedWithRawQuote(t *testing.T) {
	got, ok := read(mustReader(t, "combined"), new(Record), plain+` "203.0.113.9"x" y`)
	if !ok || got != plainFields {
		t.Errorf("\n got %+v %v\nwant %+v", got, ok, plainFields)
	}
}

// TestNoRecord has lines that no format may take for a request, or that combined
// may not because it cannot say what the User-Agent is.
func TestNoRecord(t *testing.T) {
	const head, tail = `192.0.2.1 - - [10/Feb/2012:16:42:07 +0000] `, ` 200 368 "-" "UA"`
	all := Names()
	withAgent := []string{"combined", "vhost_combined"}
	for _, c := range []struct {
		name, line string
		formats    []string
	}{
		{"empty", "", all},
		{"a blank", " ", all},
		{"a quote", `"`, all},
		{"nothing before the request", `"GET / HTTP/1.1" 200 368 "-" "UA"`, all},
		{"nothing before the time", `[10/Feb/2012:16:42:07 +0000] "GET / HTTP/1.1" 200 368 "-" "UA"`, all},
		{"no time", `192.0.2.1 - - "GET / HTTP/1.1" 200 368 "-" "UA"`, all},
		{"no request sent", head + `"-"` + tail, all},
		{"an empty request", head + `""` + tail, all},
		{"an empty line for a request", head + `"\n"` + tail, all},
		{"TLS sent to a plain port", head + `"\x16\x03\x01\x02\x00\x01"` + tail, all},
		{"a method alone", head + `"GET"` + tail, all},
		{"a method and a blank", head + `"GET "` + tail, all},
		{"no method", head + `" / HTTP/1.1"` + tail, all},
		{"a method that is none", head + `"G(T / HTTP/1.1"` + tail, all},
		{"two blanks before the target", head + `"GET  / HTTP/1.1"` + tail, all},
		{"a target of no form", head + `"GET x HTTP/1.1"` + tail, all},
		{"an authority without CONNECT", head + `"GET example.com:443 HTTP/1.1"` + tail, all},
		{"a scheme alone", head + `"GET http:/x HTTP/1.1"` + tail, all},
		{"an absolute target without a scheme", head + `"GET ://x HTTP/1.1"` + tail, all},
		{"a scheme that begins with a digit", head + `"GET 1a://x HTTP/1.1"` + tail, all},
		{"an asterisk with more", head + `"OPTIONS *x HTTP/1.1"` + tail, all},
		{"CONNECT to nothing", head + `"CONNECT  HTTP/1.1"` + tail, all},
		{"a request that does not end", head + `"GET / HTTP/1.1 200 368`, all},
		{"a request whose quote is escaped", head + `"GET / HTTP/1.1\" 200 368`, all},
		{"no status", head + `"GET / HTTP/1.1" 368`, all},
		{"a status of two digits", head + `"GET / HTTP/1.1" 20 368`, all},
		{"a status of four digits", head + `"GET / HTTP/1.1" 2000 368`, all},
		{"a status of letters", head + `"GET / HTTP/1.1" 2x0 368`, all},
		{"a negative status", head + `"GET / HTTP/1.1" -5 368 "-" "UA"`, all},
		{"nothing behind the request", head + `"GET / HTTP/1.1"`, all},
		{"no agent", head + `"GET / HTTP/1.1" 200 368 "-"`, withAgent},
		{"no referer", head + `"GET / HTTP/1.1" 200 368`, withAgent},
		{"an agent that does not end", head + `"GET / HTTP/1.1" 200 368 "-" "UA`, withAgent},
		{"an agent whose quote is escaped", head + `"GET / HTTP/1.1" 200 368 "-" "UA\"`, withAgent},
		{"an agent without quotes", head + `"GET / HTTP/1.1" 200 368 "-" UA`, withAgent},
		{"raw quotes in the agent", head + `"GET / HTTP/1.1" 200 368 "-" "U"A"`, withAgent},
		{"raw quotes in the referer", head + `"GET / HTTP/1.1" 200 368 "a"b" "UA"`, withAgent},
		{"no blank before the agent", head + `"GET / HTTP/1.1" 200 368 "-"."UA"`, withAgent},
		{"a number before the referer", head + `"GET / HTTP/1.1" 200 368 0.001 "-" "UA"`, withAgent},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range c.formats {
				if got, ok := read(mustReader(t, name), new(Record), c.line); ok {
					t.Errorf("%s reads it as %+v", name, got)
				}
			}
		})
	}
}

// TestCutLine cuts lines at every byte, as a full disk does. What is left is a
// record only if its request, its status and its User-Agent are whole, and then
// they are those of the whole line. A cut field after them is none.
func TestCutLine(t *testing.T) {
	type line struct{ format, text string }
	var lines []line
	for _, c := range records {
		lines = append(lines, line{c.format, c.line})
	}
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

// TestHostileLine reads lines of a megabyte that are made to be read slowly. If
// the time grew with the square of their length this test would not end.
func TestHostileLine(t *testing.T) {
	const size = 1 << 17 // what takes time with its square takes minutes
	head := `192.0.2.1 - - [10/Feb/2012:16:42:07 +0000] "GET /`
	for name, part := range map[string]string{
		"quotes":           `"`,
		"escaped quotes":   `\"`,
		"backslashes":      `\`,
		"ends of requests": `" `,
		"half statuses":    `" 20`,
		"ends of times":    `] "`,
		"blanks":           ` `,
		"protocols":        ` HTTP/`,
		"brackets":         `[`,
		"schemes":          `://`,
		"half fields":      ` x"`,
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
