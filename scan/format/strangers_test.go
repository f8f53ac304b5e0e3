package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// crawled is a request of a crawler, as it stands behind the client and the user.
const crawled = `[04/Mar/2026:05:06:07 +0000] "GET /private/a HTTP/1.1" 200 12 "-" "Mozilla/5.0 (compatible; GPTBot/1.2)"`

// TestLogsOfStrangers reads the logs of testdata/strangers.txt, whose last lines have GPTBot's request for /private/a.
func TestLogsOfStrangers(t *testing.T) {
	for _, block := range readFormats(t, "strangers.txt") {
		t.Run(block.source, func(t *testing.T) {
			says, log, _ := strings.Cut(block.text, "\n")
			want := strings.Split(says, "|")
			f, err := Detect([]byte(log+"\n"), true)
			if err != nil {
				t.Fatal(err)
			}
			list := readLog(f, []byte(log+"\n"))
			got := list[len(list)-1]
			if got.Forwarded == "-" {
				got.Forwarded = ""
			}
			target := got.Target[max(strings.Index(got.Target, "/private"), 0):]
			if !slices.Equal(want, []string{f.Name(), got.Addr, got.Host, got.Forwarded}) || target != "/private/a" ||
				got.Agent != "Mozilla/5.0 (compatible; GPTBot/1.2)" {
				t.Errorf("%s reads %+v", f.Name(), got)
			}
		})
	}
}

// TestOpenLiteSpeedFormat uses OpenLiteSpeed's own logFormat as it appears in files and on the
// administration page; lines are read with and without quotes.
func TestOpenLiteSpeedFormat(t *testing.T) {
	for _, text := range []string{
		`logFormat               "%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""`,
		`logFormat %h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"`,
		`logFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\""`,
		`LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\"" combined`,
	} {
		parsed, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, line := range []string{`192.0.2.1 - - ` + crawled, `"192.0.2.1 - - ` + crawled + `"`} {
			f, err := parsed.For([]byte(line+"\n"), true)
			if err != nil {
				t.Fatal(err)
			}
			var r Record
			if got, ok := read(f.NewReader(), &r, line); !ok || got.Addr != "192.0.2.1" || got.Target != "/private/a" ||
				!bytes.Contains(r.Agent, []byte("GPTBot")) {
				t.Errorf("%s, %s: %s", text, line, fmt.Sprintf("%+v", got))
			}
		}
	}
}
