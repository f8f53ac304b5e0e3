package format

import (
	"bytes"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/logwriter"
)

// TestParseErrors checks that unreadable or unauditable formats are rejected with what is missing.
func TestParseErrors(t *testing.T) {
	for text, says := range map[string]string{
		"":                                "no format in words of",
		"$remote_addr$host [$time_local]": "nothing stands between $remote_addr and $host",
		`$remote_addr "$request" "$http_user_agent"`:     "no field for the time",
		`$remote_addr [$time_local] "$http_user_agent"`:  "no field for what was requested",
		`log_format main 'a`:                             "a quote is not closed",
		`log_format main escape=xml '$request';`:         "escape=xml is neither",
		`$request $`:                                     "the name of a variable is missing",
		"$time_local $remote_addr\n$request":             "it has a line break",
		`$time_local $request $remote_addr`:              "$request is not in quotes, and a blank follows it",
		`%>s %{User-Agent`:                               "a brace is not closed",
		`%h %{%Q}t "%r"`:                                 "has a conversion that cannot be read",
		`%h %^ %w`:                                       "which GoAccess does not know",
		`%h %{%H:%M:%S}t "%r"`:                           "no field for the time",
		`(?P<ip>`:                                        "missing closing )",
		`(?P<address>\S+) (?P<time>\S+) (?P<request>.*)`: `no field is called "address"`,
		`(?P<ip>\S+) (?P<ip>\S+)`:                        "comes twice",
		`log_format j '{"ua":"$http_user_agent" "time":"$time_local"}';`:   "it begins as JSON",
		`log_format j '{"ua":"$http_user_agent","time":"$time_iso8601"}';`: "no field for what was requested",
		`%ci:%cp [%tr] %ft %b/%s %ST %B %hr %{+Q}r`:                        "haproxy:host,ua",
		strings.Repeat(`$request `, maxUserFormat):                         "longer than",
		strings.Repeat(`$request `, 2*maxWords):                            "more than",
		"log_format a '$request'; log_format b '$request';":                "not one directive",
	} {
		if f, err := Parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: %v, %v; want %q", text, f, err, says)
		}
	}
}

// TestDoubts checks the doubts about formats with ambiguous lines.
func TestDoubts(t *testing.T) {
	for text, says := range map[string]string{
		`log_format main escape=none '$time_local "$request" "$http_user_agent"';`: "escape=none",
		`%h %t "%r" %>s "%400,501{User-Agent}i"`:                                   "for some statuses only",
		`$time_local "$request" $http_user_agent|$http_cookie`:                     `a line that has "|" in it is not read`,
		`$time_local "$request" $http_referer $http_user_agent`:                    `a line is not read if the User-Agent may begin after several " "`,
		`$time_local "$request" $http_user_agent $http_cookie`:                     `a line that has " " in it is not read`,
		`(?P<time>\S+) "(?P<request>[^"]*)" "(?P<ua>[^"]*)"`:                       "does not begin with ^ and end with $",
	} {
		f, err := Parse(text)
		if err != nil || len(f.Doubts()) != 1 || !strings.Contains(f.Doubts()[0], says) {
			t.Errorf("%s: %v, %v", text, f, err)
		}
	}
	for _, text := range []string{`$time_local "$request" "$http_user_agent" $status`,
		`$time_local "$request" $http_user_agent $status`} {
		if f, _ := Parse(text); len(f.Doubts()) > 0 || f.HasHost() || !f.HasAgent() {
			t.Errorf("%s: %v", text, f.Doubts())
		}
	}
}

const nginxConfig = `
# log_format main 'old';
http {
    include mime.types;
    log_format  main  '$remote_addr [$time_local] "$request" '  # the first
                      '"${http_user_agent}"';
    log_format short "$remote_addr [$time_local] \"$request\"";
    server { listen 80; location ~ ^/a{2} { return 204; } }
}
`

const apacheConfig = `
ServerRoot "/etc/apache2"
#LogFormat "%h" main
LogFormat "%h %l %u %t \"%r\" %>s %b \
\"%{User-Agent}i\"" main
  logformat "%t \"%r\" \"%{User-agent}i\"" agent
LogFormat "%h" main2
CustomLog logs/access_log main
`

// TestParseConfig finds named formats in configurations.
func TestParseConfig(t *testing.T) {
	for _, c := range []struct{ config, name, line, says string }{
		{nginxConfig, "main", `192.0.2.1 [04/Mar/2026:05:06:07 +0000] "GET / HTTP/1.1" "Bot\x22"`, ""},
		{nginxConfig, "short", `192.0.2.1 [04/Mar/2026:05:06:07 +0000] "GET / HTTP/1.1"`, ""},
		{nginxConfig, "other", "", `no log_format or LogFormat called "other", but main, short; files that it includes are not read`},
		{apacheConfig, "main", `192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET / HTTP/1.1" 200 12 "Bot\""`, ""},
		{apacheConfig, "agent", `[04/Mar/2026:05:06:07 +0000] "GET / HTTP/1.1" "Bot"`, ""},
		{apacheConfig, "main2", "", "no field for what was requested"},
		{"", "main", "", `no log_format or LogFormat called "main"`},
		{"log_format main 'a", "main", "", "a quote is not closed"},
	} {
		f, err := ParseConfig([]byte(c.config), c.name)
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, %v", c.name, f, err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := ConfigText([]byte(c.config), c.name)
		if err != nil {
			t.Error(err)
		}
		again, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %s: %v", c.name, text, err)
			continue
		}
		for _, f := range []*Format{f, again} {
			if got, ok := read(f.NewReader(), new(Record), c.line); !ok || got.Target != "/" || got.Time == "" {
				t.Errorf("%s: %+v, %v", c.name, got, ok)
			}
		}
	}
}

// TestGuardUserFormats limits allocations for lines of custom formats.
func TestGuardUserFormats(t *testing.T) {
	for _, found := range foundFormats(t) {
		f, err := Parse(found.text)
		if err != nil {
			t.Fatal(err)
		}
		log, _ := scribeOf(found.text).log(logwriter.Requests()...)
		checkAllocs(t, f, log)
	}
}

// FuzzFormatText passes texts in all notations to Parse, and lines to the result: no line may be
// lost.
func FuzzFormatText(f *testing.F) {
	lines := []byte("192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] \"GET /a?b=c HTTP/1.1\" 200 12 \"-\" \"Bot\"\n\n{\"a\":1}\n")
	for _, found := range foundFormats(f) {
		log, _ := scribeOf(found.text).log(logwriter.Ordinary())
		f.Add(found.text, log)
		f.Add(found.text, lines)
	}
	f.Add("%~%~", lines) // once a crash
	f.Add(nginxConfig, lines)
	f.Add(apacheConfig, lines)
	f.Fuzz(func(t *testing.T, text string, log []byte) {
		if _, err := ParseConfig([]byte(text), "main"); err == nil {
			if again, err := ConfigText([]byte(text), "main"); err != nil {
				t.Error(err)
			} else if _, err := Parse(again); err != nil && len(again) <= maxUserFormat {
				t.Errorf("%q: %v", again, err)
			}
		}
		format, err := Parse(text)
		if err != nil {
			return
		}
		format.For(log, true)
		reader, n := format.NewReader(), 0
		for kind, r := range each(reader, log) {
			if n++; kind == Request {
				if len(r.Target) == 0 || len(r.Method) == 0 {
					t.Errorf("a request without a target or a method: %+v", fieldsOf(r))
				}
				reader.Plausible(r)
			}
		}
		want := bytes.Count(log, []byte("\n"))
		if len(log) > 0 && log[len(log)-1] != '\n' {
			want++
		}
		if _, isJSON := reader.(*jsonReader); !isJSON && n != want { // a line of JSON may have several records
			t.Errorf("%d lines, want %d", n, want)
		} else if n < want {
			t.Errorf("%d lines, want %d or more", n, want)
		}
	})
}
