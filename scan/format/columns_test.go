package format

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// slowSplit splits a line byte by byte; nil if a field in quotes does not end where it should.
// runs says that several delimiters are one.
func slowSplit(d *dialect, line string, runs bool) (fields []string) {
	field, inside, closed, began := "", false, false, false
	end := func() {
		fields = append(fields, field)
		field, closed, began = "", false, false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case inside && strings.HasPrefix(line[i:], `""`):
			field += `""`
			i++
		case inside && c == '"':
			inside, closed = false, true
		case inside:
			field += line[i : i+1]
		case c == d.Delimiter && runs && !began:
		case c == d.Delimiter:
			end()
		case closed:
			return nil
		case c == '"' && !began && d.Quotes:
			inside, began = true, true
		default:
			field, began = field+line[i:i+1], true
		}
	}
	if inside {
		return nil
	}
	if !runs || began {
		end()
	}
	return fields
}

// TestColumnsAreThoseOfOctets checks that lines are split like byte by byte.
func TestColumnsAreThoseOfOctets(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	shapes := []field.Columns{
		{Delimiter: '\t'}, {Delimiter: ' ', Runs: true}, {Delimiter: ' ', Runs: true, Quotes: true},
		{Delimiter: ',', Quotes: true},
	}
	for range 100_000 {
		d := &dialect{Columns: shapes[rng.IntN(len(shapes))]}
		line := make([]byte, rng.IntN(100))
		often := 1 + rng.IntN(20)
		for i := range line {
			if line[i] = "abcde\xff#x"[rng.IntN(8)]; rng.IntN(often) == 0 {
				line[i] = []byte{d.Delimiter, d.Delimiter, '"', '\\', '"', d.Delimiter}[rng.IntN(6)]
			}
		}
		count := 1 + rng.IntN(5)
		if got, want := fieldsIn(d, line, count), wantFields(d, string(line), count); !slices.Equal(got, want) {
			t.Fatalf("%+v: %q in %d columns\n got %q\nwant %q", *d, line, count, got, want)
		}
	}
}

// fieldsIn returns the fields of a line if there are as many as columns, else nil.
func fieldsIn(d *dialect, line []byte, count int) (fields []string) {
	spans := make([]field.Span, count)
	if d.Split(spans, line) != count {
		return nil
	}
	for _, f := range spans {
		fields = append(fields, string(line[f.From:f.To]))
	}
	return fields
}

func wantFields(d *dialect, line string, count int) []string {
	fields := slowSplit(d, line, false)
	if len(fields) != count && d.Runs {
		fields = slowSplit(d, line, true)
	}
	if len(fields) != count {
		return nil
	}
	return fields
}

// FuzzColumns checks that no log makes a reader of columns lose a line, or read it differently when
// it is cut into chunks.
func FuzzColumns(f *testing.F) {
	for _, row := range columnFormats() {
		f.Add([]byte(row.head+row.sample+"\n"), uint16(5))
	}
	f.Add([]byte("#Fields: a\n#Fields: cs-uri-stem cs(User-Agent)\n/ \"x\"\"\" \n  / \"y\n"), uint16(3))
	f.Fuzz(func(t *testing.T, log []byte, at uint16) {
		for _, row := range columnFormats() {
			bound, err := row.For(log, true)
			if err != nil {
				continue
			}
			whole := kindsOf(bound, log)
			if n := bytes.Count(log, []byte("\n")); len(whole) < n || len(whole) > n+1 {
				t.Fatalf("%s: %d lines of %q", row.name, len(whole), log)
			}
			cut := bytes.LastIndexByte(log[:min(int(at), len(log))], '\n') + 1
			if parts := kindsOf(bound, log[:cut], log[cut:]); !slices.Equal(parts, whole) {
				t.Fatalf("%s: %q is %q, cut at %d %q", row.name, log, whole, cut, parts)
			}
		}
	})
}

// kindsOf says what the lines of the chunks of a log are.
func kindsOf(f *Format, chunks ...[]byte) (list []string) {
	for kind, r := range each(f.NewReader(), chunks...) {
		text := fmt.Sprint(kind)
		if kind == Request {
			text = fmt.Sprintf("%+v", fieldsOf(r))
		}
		list = append(list, fmt.Sprintf("%q %s", r.Line, text))
	}
	return list
}

// TestColumnLogs reads lines of servers as written, each after its header. TestWritten reads the
// headers in package logwriter.
func TestColumnLogs(t *testing.T) {
	tabs := func(s string) string { return strings.ReplaceAll(s, "|", "\t") }
	for _, c := range []struct{ name, format, header, line, want string }{
		{"a header that a user added", "w3c",
			"#Fields: date time cs-uri-stem c-ip X-Forwarded-For X-FORWARDED-PROTO cs(Host)",
			"2015-01-13 00:32:17 /a 10.0.0.1 203.0.113.9,+198.51.100.1 https www.example.com",
			`GET "https://www.example.com/a" Lossy2 "" "10.0.0.1" "www.example.com" "203.0.113.9, 198.51.100.1" 2015-01-13T00:32:17Z 0 -2`},
		{"an address with a zone", "w3c", "#Fields: date time c-ip cs-uri-stem", "2018-01-01 10:11:12 fe80::1%0 /",
			`GET "/" Lossy2 "" "fe80::1%0" "" "" 2018-01-01T10:11:12Z 0 -2`},
		{"a time of day without a day", "w3c", "#Fields: time c-ip cs-uri-stem", "16:44:49 192.0.2.1 /a",
			`GET "/a" Lossy2 "" "192.0.2.1" "" "" - 0 -2`},
		{"IIS Advanced Logging", "w3c",
			"#Fields:   date-local time-local   s-ip   cs-method cs-uri-stem s-port c-ip cs(User-Agent) cs(Host) sc-status sc-substatus",
			`2012-08-15 17:00:00.675 10.10.28.140 GET /hello/6,68 80 "173.5.0.0" "Mozilla/5.0 (X; +http://x) ""quoted""" "hello.example.com" 404 " ""garbage"" w/ spaces "`,
			`GET "/hello/6,68" Lossy2 "Mozilla/5.0 (X; +http://x) \"quoted\"" "173.5.0.0" "hello.example.com" "" 2012-08-15T17:00:00.675Z 404 -2`},
		{"Oracle's Web Cache pads", "w3c",
			"#Fields:  c-ip  c-dns  date  time  cs-method  cs-uri  sc-status  bytes  cs(User-Agent)",
			`64.103.37.2      client_joaz7      2001-10-31     00:00:18      GET      /admin/a.gif?b=c    200     350    "Mozilla/4.5 [en] (WinNT; I)"`,
			`GET "/admin/a.gif?b=c" Lossy0 "Mozilla/4.5 [en] (WinNT; I)" "64.103.37.2" "" "" 2001-10-31T00:00:18Z 200 -2`},
		{"ISA Server has tabs", "w3c",
			tabs("#Fields:|c-ip|cs-username|c-agent|date|time|s-operation|cs-uri|sc-status|sc-bytes"),
			tabs("192.0.2.1|John Q Public|Mozilla/4.0 (compatible; X)|2015-01-13|00:32:17|GET|http://www.example.com/a?b|200|12"),
			`GET "http://www.example.com/a?b" Lossy0 "Mozilla/4.0 (compatible; X)" "192.0.2.1" "" "" 2015-01-13T00:32:17Z 200 -2`},
		{"HTTP.sys, without a User-Agent", "w3c",
			"#Fields: date time c-ip c-port s-ip s-port cs-version cs-method cs-uri sc-status s-siteid s-reason s-queuename",
			"2018-01-01 08:09:10 172.31.77.6 2094 172.31.77.6 80 HTTP/1.1 GET /qos/1kbfile.txt 503 - ConnLimit -",
			`GET "/qos/1kbfile.txt" Lossy0 "" "172.31.77.6" "" "" 2018-01-01T08:09:10Z 503 -2`},
		{"too many fields", "w3c", "#Fields: date time cs-uri-stem", "2015-01-13 00:32:17 /a b", "Unparsed"},
		{"too few", "w3c", "#Fields: date time cs-uri-stem", "2015-01-13 00:32:17", "Unparsed"},
		{"no path", "w3c", "#Fields: date time cs-uri-stem", "2015-01-13 00:32:17 -", "NoRequest"},
		{"a directive", "w3c", "#Fields: date time cs-uri-stem", "#Date: 2015-01-13 00:32:17", "Other"},

		{"CloudFront: encoded once more", "cloudfront",
			"#Fields: date time x-edge-location c-ip cs-method cs(Host) cs-uri-stem sc-status cs(User-Agent) cs-uri-query x-host-header cs-protocol x-forwarded-for",
			tabs("2019-12-04|21:02:31|LAX1|192.0.2.100|GET|d1.cloudfront.net|/a%2520b%2522|000|Mozilla/5.0%20(X;%20%2522)|q=%2520|www.example.com|https|192.0.2.1,%20192.0.2.2"),
			`GET "https://www.example.com/a%20b%22?q=%20" Lossy0 "Mozilla/5.0 (X; %22)" "192.0.2.100" "www.example.com" "192.0.2.1, 192.0.2.2" 2019-12-04T21:02:31Z 0 -2`},
		{"CloudFront of old has no host but its own", "cloudfront", "#Fields: date time x-edge-location cs(Host) cs-uri-stem",
			tabs("2019-12-04|21:02:31|LAX1|d1.cloudfront.net|/a"), `GET "/a" Lossy2 "" "" "" "" 2019-12-04T21:02:31Z 0 -2`},
		{"CloudFront of new has a time in milliseconds", "cloudfront", "#Fields: timestamp(ms) x-edge-location cs-uri-stem",
			tabs("1575493351123|LAX1|/a"), `GET "/a" Lossy2 "" "" "" "" 2019-12-04T21:02:31.123Z 0 -2`},

		{"Zeek", "zeek", tabs("#fields|ts|id.orig_h|method|host|uri|user_agent|status_code"),
			tabs(`1320279566.452687|192.168.2.76|GET|www.reddit.com|/\x09\\|(empty)|-`),
			`GET "/\t\\" Lossy0 "" "192.168.2.76" "www.reddit.com" "" 2011-11-03T00:19:26.452687Z 0 -2`},
		{"Zeek: another protocol on the port", "zeek", tabs("#fields|ts|id.orig_h|method|host|uri|user_agent|status_code"),
			tabs(`1320279566.452687|192.168.2.76|-|-|-|-|-`), "NoRequest"},

		{"a quote that does not end", "gcs_csv", `"time_micros","cs_uri"`, `"1772600767000001","/a`, "Unparsed"},
		{"a quote in the middle", "gcs_csv", `"time_micros","cs_uri"`, `"1772600767000001","/a"b`, "Unparsed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := []byte(c.header + "\n" + c.line + "\n")
			f, err := Detect(log, true)
			if err == nil && f.Name() != c.format {
				t.Errorf("detected as %s", f.Name())
			}
			if f, err = mustFormat(t, c.format).For(log, true); err != nil {
				t.Fatal(err)
			}
			got := ""
			for kind, r := range each(f.NewReader(), []byte(c.line+"\r\n")) {
				got = map[Kind]string{Unparsed: "Unparsed", Other: "Other", NoRequest: "NoRequest"}[kind]
				if kind == Request {
					f := fieldsOf(r)
					got = fmt.Sprintf("%s %q Lossy%d %q %q %q %q %s %d %d", f.Method, f.Target, f.Lossy, f.Agent, f.Addr, f.Host,
						f.Forwarded, cmp.Or(f.Time, "-"), f.Status, f.Size)
				}
			}
			if got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}
