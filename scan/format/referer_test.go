package format

import (
	"testing"
)

// The Referer is found by Next in each family of formats, and no line keeps that of the line
// before.
func TestReferer(t *testing.T) {
	const tail = ` "GET / HTTP/1.1" 200 1 `
	for name, log := range map[string]string{
		"combined": `192.0.2.1 - - [04/Mar/2026:05:06:07 +0000]` + tail + `"https://a.example/" "x"` + "\n" +
			`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000]` + tail + `"-" "x"`,
		"vhost_combined": `h:80 192.0.2.1 - - [04/Mar/2026:05:06:07 +0000]` + tail + `"https://a.example/" "a \" b"` + "\n" +
			`h:80 192.0.2.1 - - [04/Mar/2026:05:06:07 +0000]` + tail + `"-" "a \" b"`,
		"agent_referer": `192.0.2.1 - - [04/Mar/2026:05:06:07 +0000]` + tail + `"x" "https://a.example/"` + "\n" +
			`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000]` + tail + `"x" "-"`,
		"nginx_json": `{"time_iso8601":"2026-03-04T05:06:07+00:00","remote_addr":"192.0.2.1","request_uri":"/","status":200,"http_referer":"https:\/\/a.example\/","http_user_agent":"x"}` + "\n" + `{"time_iso8601":"2026-03-04T05:06:07+00:00","remote_addr":"192.0.2.1","request_uri":"/","status":200,"http_user_agent":"x"}`,
		"w3c":        "#Fields: date time c-ip cs-method cs-uri-stem cs(User-Agent) cs(Referer) sc-status\n2026-03-04 05:06:07 192.0.2.1 GET / x https://a.example/ 200\n2026-03-04 05:06:07 192.0.2.1 GET / x - 200",
	} {
		f, ok := ByName(name)
		if !ok {
			t.Fatalf("no format %s", name)
		}
		f, err := f.For([]byte(log+"\n"), true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		reader, got := f.NewReader(), []string{}
		for kind, r := range each(reader, []byte(log+"\n")) {
			if kind == Request {
				got = append(got, string(r.Referer))
			}
		}
		if len(got) != 2 || got[0] != "https://a.example/" || got[1] != "" && got[1] != "-" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
