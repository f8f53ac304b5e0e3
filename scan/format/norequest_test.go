package format

import (
	"fmt"
	"testing"
)

// TestNoRequest distinguishes a connection without an HTTP request from an unreadable line, in
// formats of every sort: the answer was 400, 408 or none, and there is no User-Agent.
func TestNoRequest(t *testing.T) {
	const at = `192.0.2.1 - - [05/Aug/2026:09:00:06 +0000] `
	for _, c := range []struct {
		format, line string
		want         Kind
	}{
		{"combined", at + `"-" 408 - "-" "-"`, NoRequest},
		{"combined", at + `"" 400 0 "-" ""`, NoRequest},
		{"combined", at + `"-" 000 0 "-" "-"`, NoRequest},
		{"combined", at + `"\x16\x03\x01\x02" 400 226 "-" "-"`, NoRequest},
		{"combined", at + `"\x03\x00\x00/*\xE0 Cookie: mstshash=Administr" 400 226 "-" "-"`, NoRequest},
		{"common", at + `"-" 408 -`, NoRequest},
		{"vhost_combined", `example.com:443 ` + at + `"-" 408 0 "-" "-"`, NoRequest},
		{"syslog:combined", `<190>Aug  5 09:00:06 web1 nginx: ` + at + `"-" 408 0 "-" "-"`, NoRequest},
		{"combined+vhost_combined", at + `"-" 408 0 "-" "-"`, NoRequest},
		{`combined`, at + `"-" 408 0 "-" "GPTBot/1.0"`, Unparsed},
		{`combined`, at + `"-" 200 5 "-" "-"`, Unparsed},
		{`combined`, at + `"GET private HTTP/1.1" 400 5 "-" "-"`, Unparsed},
		{`combined`, at + `"GET /private HTTP/1.1" 400 5 "-" "-"`, Request},
		{`combined`, at + `"-" 408 0 "-`, Unparsed},
		{`time=ts ip=ip url=uri status=st ua=ua`, `{"ts":"2026-08-05T09:00:06Z","ip":"192.0.2.1","uri":"","st":"400","ua":""}`, NoRequest},
		{`time=ts ip=ip url=uri status=st ua=ua`, `{"ts":"2026-08-05T09:00:06Z","ip":"192.0.2.1","uri":"-","st":400,"ua":"X"}`, Unparsed},
	} {
		f, ok := ByName(c.format)
		if !ok {
			var err error
			if f, err = Parse(c.format); err != nil {
				t.Fatal(err)
			}
		}
		reader, r := f.NewReader(), Record{}
		reader.Reset([]byte(c.line + "\n"))
		if kind := reader.Next(&r); kind != c.want || kind == NoRequest && (!r.HasTime || string(r.Line) != c.line) {
			t.Errorf("%s: %s has kind %d, want %d; its time is %s", c.format, c.line, kind, c.want, fmt.Sprint(r.Time))
		}
	}
}
