package format

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestSigns identifies files that aren't logs, or that can't be read.
func TestSigns(t *testing.T) {
	lines := func(line string) string { return strings.Repeat(line+"\n", 3) }
	utf16le := strings.Join(strings.Split(log(t, 3, "combined"), ""), "\x00") + "\x00"
	for _, c := range []struct{ name, head, says string }{
		{"a zip archive", "PK\x03\x04\x14\x00", "zip archive"},
		{"a tar archive", strings.Repeat("a", 257) + "ustar\x0000", "tar archive"},
		{"RAR", "Rar!\x1a\x07\x01\x00", "unrar"},
		{"UTF-16 with its mark", "\xff\xfe1\x00", "iconv -f utf-16 -t utf-8"},
		{"UTF-16 without", utf16le, "iconv -f utf-16le -t utf-8"},
		{"Parquet", "PAR1\x15\x04", "Parquet"},
		{"SQLite", "SQLite format 3\x00\x10", "SQLite"},
		{"packets", "\xd4\xc3\xb2\xa1\x02\x00", "network packets"},
		{"a journal", "LPKSHHRH\x00", "journalctl --file"},
		{"WARC", "WARC/1.0\r\n", "web archive"},
		{"zeros", strings.Repeat("\x00", 5000), "zero bytes"},
		{"a state", "robotsieve state 18 semantics 5 schema robotsieve.audit/3\n\x00\x00", "robotsieve merge"},
		{"an archive", "\x89rsv\r\n\x1a\n", "filter option Archive"},
		{"HTML", "\n<!DOCTYPE html>\n<p>\n", "HTML"},
		{"a dump", "-- MySQL dump 10.13\n--\n", "dump of a database"},
		{"journalctl -o export", "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1\nMESSAGE=x\n\n", "use -o json"},
		{"an object over lines", "{\n  \"a\": 1\n}\n", "jq -c"},
		{"nginx's error log", lines("2026/03/04 05:06:07 [error] 71#71: *5 open() failed"), "error log of nginx"},
		{"Apache's error log", lines("[Wed Mar 04 05:06:07.089 2026] [core:error] [pid 71] x"), "error log of Apache"},
		{"HAProxy's TCP log", lines("192.0.2.1:40962 [04/Mar/2026:05:06:07.285] main app/<NOSRV> -1/-1/1 212 SC 1/1/0/0/0 0/0"), "TCP log of HAProxy"},
		{"Caddy's console", lines("2026/03/04 05:06:07.089\t\x1b[34mINFO\x1b[0m\thttp.log.access\thandled request\t{\"request\": {}}"), "log { format json } (in ansi)"},
		{"CDXJ", lines(`com,example)/ 20260304050607 {"url":"https://example.com/"}`), "CDXJ"},
		{"URLs", lines("https://example.com/a"), "robotsieve filter"},
		{"robots.txt", "# ours\nUser-agent: *\nDisallow: /\n", "option Robots"},
		{"CEF", lines("CEF:0|Incapsula|SIEMintegration|1|1|Normal|0| fileId=1"), "Common Event Format"},
		{"logfmt", lines(`time=2026-03-04 level=info msg="a b" status=200 x`), "logfmt"},
		{"CloudFront without #Fields",
			lines("2026-03-04\t05:06:07\tFRA2-C1\t1234\t192.0.2.1\tGET\td1.cloudfront.net\t/a\t200"),
			"a log of Amazon CloudFront, but its line #Fields is missing"},
		{"a request between tabs", lines("2018-10-02\t05:06:07\t200\tGET /a HTTP/1.1\tFooBot/1.0"),
			"no known format fits"},
		{"HTTPERR", "#Software: Microsoft HTTP API 2.0\n#Fields: date time c-ip cs-method cs-uri\n2026-03-04 05:06:07 ::1 - -\n", "an error log of Windows"},
		{"columns of others", "#Fields: time cs-uri-stem\n05:06:07\n",
			"none of its lines is a request with the columns that it names: `#Fields: time cs-uri-stem`"},
		{"a month in French", lines(lineOf(t, "combined", "Mar", "mars")), `"mars"`},
		{"messages of others", lines("Mar  4 05:06:07 web1 sshd[5]: Accepted publickey"), "they come from sshd"},
		{"JSON without an agent", lines(`{"time":"2026-03-04T05:06:07Z","message":{"x":1}}`),
			"without the URL and the User-Agent, which an audit needs: have the server log it. The keys of its first line are time message.x"},
		{"broken JSON", lines(`{"time":"2026-03-04T05:06:07Z","host":web","url":"/","agent":"FooBot/1.0"}`),
			"this is like JSON, but at byte 39 there is an invalid character 'w' looking for beginning of value in the line"},
		{"W3C with its header", "#Fields: date time cs-method cs-uri-stem cs(User-Agent)\n" +
			"2026-03-04 05:06:07 GET /a FooBot/1.0\n2026-03-04 05:06:07 GET /a\n2026-03-04 05:06:07 GET /a\n",
			"The first line that is not read is `2026-03-04 05:06:07 GET /a`"},
		{"W3C whose #Fields comes late", "2026-03-04 05:06:07 GET /a FooBot/1.0\n2026-03-04 05:06:08 GET /a FooBot/1.0\n" +
			"#Fields: date time cs-method cs-uri-stem cs(User-Agent)\n2026-03-04 05:06:07 GET /a FooBot/1.0\n",
			"its line #Fields is missing"},
		{"no requests", lines(lineOf(t, "combined", asked, "-")), "like an access log"},
		{"one line", "x", "its only line"},
		{"JSON of unknown fields", lines(`{"zeit":1,"datetime_x":2,"request_x":"/","agent_x":"y"}`), "option Format 'time="},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Detect([]byte(c.head), true)
			if err == nil {
				t.Fatalf("detected as %s", f.Name())
			}
			if text := fmt.Sprint(err); !strings.Contains(text, c.says) || strings.ContainsAny(text, "\x00\n\x1b") {
				t.Errorf("%q does not say %q", text, c.says)
			}
			if strings.Contains(c.name, "#Fields") != errors.Is(err, ErrNoHeader) {
				t.Errorf("%v is an ErrNoHeader: %v", err, errors.Is(err, ErrNoHeader))
			}
		})
	}
}

// TestGuessedJSON reads JSON with unknown keys by keys and values, with a doubt, and its words are
// a valid custom format. If only some fields can be guessed, the error proposes these.
func TestGuessedJSON(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"reqId":"x","level":1,"timeStamp":"2026-03-04T05:06:07Z","remoteAddr":"192.0.2.1","method":"GET","url":"/a","message":"m","userAgent":"FooBot/1.0"}`,
			"time=timeStamp ip=remoteAddr method=method url=url ua=userAgent"},
		{`{"a b":1,"event":{"ts":1772600767,"src_ip":"192.0.2.1"},"http":{"hostname":"h.example","url":"/a","status":200,"h":{"User-Agent":["FooBot/1.0"]}}}`,
			"time=event.ts ip=event.src_ip host=http.hostname url=http.url status=http.status ua=http.h.User-Agent.0"},
		{`{"requestTime":"04/Mar/2026:05:06:07 +0000","domainName":"h.example","httpMethod":"GET","path":"/a","userAgent":"FooBot/1.0"}`,
			"time=requestTime host=domainName method=httpMethod url=path ua=userAgent"},
		{`{"Time":"2026-03-04 05:06:07 +0000 UTC","Peer":"192.0.2.1:4711","cs-user-agent":"FooBot/1.0","request":"GET /a HTTP/1.1"}`,
			"time=Time request=request ua=cs-user-agent"},
		{`{"received":"2026-03-04T05:06:07Z","asked":"/a","who":"FooBot/1.0 (compatible; x)","log":"/var/log/a","Referrer":"/b"}`,
			"time=received url=asked ua=who"},
		{`{"created_at":"2026-03-04T05:06:07Z","uri_path":"/a","path":"/a","qs":"x","query":"b=c","UserAgent":"FooBot/1.0","http_code":200.0,"responseBytes":34.0}`,
			"time=created_at path=path status=http_code bytes=responseBytes ua=UserAgent query=query"},
		{`{"ev":"{\"event_time\":1772600767123,\"target\":\"/a\",\"ua\":\"FooBot/1.0\"}"}`,
			"time=ev.event_time url=ev.target ua=ev.ua"},
		{`{"datetime_x":2,"it's.time":1,"request_x":"y","agent_x":"y"}`, "time=TIME url=URL ua=UA"},
		{`{"datetime_x":2,"it's.time":1,"request_x":"/","agent_x":"y"}`, "time=TIME url=request_x ua=UA"},
	} {
		detected, err := Detect([]byte(c.line+"\n"+c.line+"\n"), true)
		_, text, _ := strings.Cut(fmt.Sprint(err), "option Format '")
		text, _, _ = strings.Cut(text, "'")
		if err == nil {
			text = strings.TrimSuffix(strings.TrimPrefix(detected.Name(), "json("), ")")
			if g, ok := ByName(detected.Name()); !ok || g.Name() != detected.Name() || !strings.Contains(fmt.Sprint(g.Doubts()), text) ||
				!detected.HasAgent() {
				t.Errorf("ByName(%q) = %v", detected.Name(), g)
			}
		}
		if text != c.want {
			t.Errorf("%q, %v does not propose %q", text, err, c.want)
			continue
		}
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var r Record
		if got, ok := read(f.NewReader(), &r, c.line); strings.Contains(text, "UA") == ok && detected != nil || ok && detected != nil &&
			(!strings.HasPrefix(string(r.Agent), "FooBot/1.0") || !r.HasTime) {
			t.Errorf("%s: %+v, %v", text, got, ok)
		}
	}
}

// TestExplainFaults says where a line couldn't be read.
func TestExplainFaults(t *testing.T) {
	combined := mustFormat(t, "combined")
	good := combined.Sample()
	for _, c := range []struct{ format, line, says string }{
		{"combined", "garbage", `the client does not end before " " as in the format`},
		{"combined", `192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET / HTTP/1.1`, `the request does not end before "\" "`},
		{"combined", `192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "-" 400 0 "-" "-"`, "its request has no method and target"},
		{"combined", mustFormat(t, "common").Sample(), `the size does not end before " \""`},
		{"combined+common", "garbage", "none of the formats"},
		{"syslog:combined", good, "not in the envelope syslog"},
		{"syslog:combined", "Mar  4 05:06:07 web1 nginx: x", "the client does not end"},
		{"caddy", `{"a":1`, "no JSON object"},
		{"caddy", `{"request":{"uri":""}}`, "lacks a field"},
		{"npm", "garbage", `it does not begin with "["`},
	} {
		if got := fault(mustReader(t, c.format), []byte(c.line)); !strings.Contains(got, c.says) {
			t.Errorf("%s %q: %q does not say %q", c.format, c.line, got, c.says)
		}
	}
	e := Explain([]byte(good+"\n\nx\n"+good+"\n"+good), true, nil, 2)
	if e.Err != nil || e.Lines != 4 || e.Requests != 3 || e.Unparsed != 1 || len(e.Examples) != 3 ||
		e.Examples[1].Number != 3 || e.Readings[0] != (Count{"combined", 3}) {
		t.Errorf("%+v", e)
	}
}
