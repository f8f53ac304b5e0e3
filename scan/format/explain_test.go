package format

import (
	"testing"
	"time"
)

// TestNamesZones checks which logs name no zone, so that their times are in the zone of Format.In.
func TestNamesZones(t *testing.T) {
	for _, c := range []struct {
		format, log string
		want        bool
	}{
		{"combined", "", true},
		{"combined", formats()[0].Sample() + "\n", true},
		// W3C: in UTC
		{"w3c", "#Fields: date time cs-method cs-uri-stem c-ip cs(User-Agent) sc-status\n2026-03-04 05:06:07 GET /a 192.0.2.1 Foo 200\n", true},
		{"w3c", "#Fields: date-local time-local cs-method cs-uri-stem c-ip cs(User-Agent) sc-status\n2026-03-04 05:06:07 GET /a 192.0.2.1 Foo 200\n", false},
		{"haproxy", `10.0.1.2:33317 [06/Feb/2026:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"` + "\n", false},
	} {
		f := mustFormat(t, c.format)
		if bound, err := f.For([]byte(c.log), true); err == nil {
			f = bound
		}
		if got := NamesZones(f, []byte(c.log)); got != c.want {
			t.Errorf("%s: %v, want %v, of %q", c.format, got, c.want, c.log)
		}
		for kind, r := range each(f.In(time.FixedZone("", 7200)).NewReader(), []byte(c.log)) {
			if at := time.Unix(0, r.Time).UTC(); kind == Request && (at.Hour() == 5 || at.Hour() == 12) != c.want {
				t.Errorf("%s: %v", c.format, at)
			}
		}
	}
}

// TestLoss checks, by the beginning of a log, how it changes paths.
func TestLoss(t *testing.T) {
	for _, c := range []struct {
		text, line string
		want       Lossy
	}{
		{`$remote_addr [$time_local] "$request" "$http_user_agent"`,
			`192.0.2.1 [04/Mar/2026:05:06:07 +0000] "GET /a HTTP/1.1" "x"`, Exact},
		{"#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query cs(User-Agent)",
			"2026-03-04 05:06:07 192.0.2.1 GET /a - x", Decoded},
		// the query is not logged
		{"#Fields: date time c-ip cs-method cs-uri-stem cs(User-Agent)", "2026-03-04 05:06:07 192.0.2.1 GET /a x", Rewritten},
		{`$remote_addr [$time_local] $request_method $uri "$http_user_agent"`,
			`192.0.2.1 [04/Mar/2026:05:06:07 +0000] GET /a "x"`, Rewritten},
	} {
		f, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Loss(f, []byte("garbage\n"+c.line+"\n")); got != c.want {
			t.Errorf("%s: %d, want %d", c.text, got, c.want)
		}
	}
}

// TestSimilar checks the suggestions for unknown names.
func TestSimilar(t *testing.T) {
	for text, want := range map[string]string{"combind": "combined", "Comined": "combined", "iis": "w3c",
		"apache": "combined", "caddyy": "caddy", "": "", "nosuch": ""} {
		got := Similar(text)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestReferer checks that Next finds the Referer in each family of formats, and never keeps the
// previous line's.
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
		f, err := mustFormat(t, name).For([]byte(log+"\n"), true)
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
