package format

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// crawled is a request of a crawler, as it stands behind the client and the user.
const crawled = `[04/Mar/2026:05:06:07 +0000] "GET /private/a HTTP/1.1" 200 12 "-" "Mozilla/5.0 (compatible; GPTBot/1.2)"`

// lineOfHAProxy is a line of option httplog without what stands behind its counters.
const lineOfHAProxy = "192.0.2.9:27368 [04/Mar/2026:05:06:07.995] fe~ be/srv1 24/0/0/3/27 200 453 - - ---- 27/1/1/0/0 0/0 "

// TestLogsOfStrangers has kinds of logs that people have posted, rebuilt with documentation
// addresses, with the format that reads them and what their last line contains. Each line has
// GPTBot's request for /private/a.
func TestLogsOfStrangers(t *testing.T) {
	const captured = `{www.example.com|Mozilla/5.0 (compatible; GPTBot/1.2)}`
	const clf = ` 33317 000 "fe" "be" "srv1" 10 0 30 69 109 "----" 1 1 1 1 0 0 0 "" ""`
	const akamai = "#Fields: date time cs-ip cs-method cs-uri sc-status sc-bytes time-taken cs(Referer) cs(User-Agent) cs(Cookie)\n"
	const akamaiEnd = "\t200\t12\t5\t\"-\"\t\"Mozilla/5.0%20(compatible;%20GPTBot/1.2)\"\t\"-\""
	const realtime = "#Fields: timestamp c-ip sc-status cs-method cs-protocol cs-host cs-uri-stem x-edge-location x-host-header " +
		"cs-user-agent\n"
	alb := func(client string) string {
		return `h2 2026-03-04T05:06:08.0Z app/a/1 ` + client + ` 10.0.0.1:80 0.0 0.1 0.0 200 200 34 12 ` +
			`"GET https://www.example.com:443/private/a HTTP/2.0" "Mozilla/5.0 (compatible; GPTBot/1.2)" E T arn "Root=1" ` +
			`"www.example.com" "-" 1 2026-03-04T05:06:07.0Z "forward" "-" "-"`
	}
	for _, c := range []struct{ name, head, format, addr, host, forwarded string }{
		{"IPv6 with a port, as the ninth group", alb("2001:db8:4538:1:bcf4:5264:e01c:f215:1718"), "alb",
			"2001:db8:4538:1:bcf4:5264:e01c:f215", "www.example.com", ""},
		{"IPv6 with a port that is no group", alb("2001:db8::f215:50718"), "alb", "2001:db8::f215", "www.example.com", ""},
		{"IPv6 whose port may be a group", alb("2001:db8::f215:1718"), "alb", "2001:db8::f215:1718", "www.example.com", ""},
		{"X-Forwarded-For behind, with a port", `10.0.0.9 - - ` + crawled + ` "203.0.113.7:4711"`, "combined",
			"10.0.0.9", "", "203.0.113.7:4711"},
		{"X-Forwarded-For behind, of IPv6 with a port", `10.0.0.9 - - ` + crawled + ` "[2001:db8::5]:41234"`, "combined",
			"10.0.0.9", "", "[2001:db8::5]:41234"},
		{"X-Forwarded-For behind, of IPv6 with letters", `10.0.0.9 - - ` + crawled + ` "fd00:db8::5"`, "combined",
			"10.0.0.9", "", "fd00:db8::5"},
		{"X-Forwarded-For behind, as a list without blanks", `10.0.0.9 - - ` + crawled + ` "203.0.113.7,198.51.100.2"`,
			"combined", "10.0.0.9", "", "203.0.113.7,198.51.100.2"},
		{"X-Forwarded-For behind, not known", `10.0.0.9 - - ` + crawled + ` "unknown"`, "combined", "10.0.0.9", "", "unknown"},
		{"a state of a cache behind", `192.0.2.1 - - ` + crawled + ` cache:HIT`, "combined", "192.0.2.1", "", ""},
		{"Squid's combined", `192.0.2.1 - - ` + crawled + ` TCP_MISS:HIER_DIRECT`, "combined", "192.0.2.1", "", ""},
		{"a cipher behind", `192.0.2.1 - - ` + crawled + ` TLSv1.3:TLS_AES_256_GCM_SHA384`, "combined", "192.0.2.1", "", ""},
		{"a host with a port behind", `192.0.2.1 - - ` + crawled + ` localhost:8080`, "host_end_combined", "192.0.2.1",
			"localhost:8080", ""},

		{"X-Forwarded-For in front", "203.0.113.7 10.0.0.9 - - " + crawled + "\n203.0.113.8 10.0.0.9 - - " + crawled,
			forwardedClient, "10.0.0.9", "", "203.0.113.8"},
		{"X-Forwarded-For in front, with ports, unknown and missing", "203.0.113.7:4711 10.0.0.9 - - " + crawled +
			"\n- 10.0.0.9 - - " + crawled + "\nunknown 10.0.0.9 - - " + crawled + "\n[2001:db8::5]:41234 10.0.0.9 - - " + crawled,
			forwardedClient, "10.0.0.9", "", "[2001:db8::5]:41234"},
		{"X-Forwarded-For in front, as a list", "203.0.113.7, 198.51.100.2 10.0.0.9 - - " + crawled, forwardedClient,
			"10.0.0.9", "", "203.0.113.7, 198.51.100.2"},
		{"X-Forwarded-For in front, as a list without blanks", "203.0.113.7,198.51.100.2 10.0.0.9 - - " + crawled,
			forwardedClient, "10.0.0.9", "", "203.0.113.7,198.51.100.2"},
		{"X-Forwarded-For behind a proxy's address", "10.0.0.9 203.0.113.7 - - " + crawled, "client_forwarded_combined",
			"10.0.0.9", "", "203.0.113.7"},
		{"X-Forwarded-For behind a proxy's address, as a list", "10.0.0.9 203.0.113.7, 10.0.0.4 - - " + crawled,
			"client_forwarded_combined", "10.0.0.9", "", "203.0.113.7, 10.0.0.4"},
		{"a virtual host without a name", "10.0.0.9:80 203.0.113.7 - - " + crawled, "vhost_combined", "203.0.113.7",
			"10.0.0.9:80", ""},
		{"X-Forwarded-For and a dash in front", "203.0.113.7 - 10.0.0.9 - - " + crawled, "forwarded_dash_combined",
			"10.0.0.9", "", "203.0.113.7"},
		{"a host in quotes in front", `"www.example.com" 192.0.2.1 - - ` + crawled, "vhost_in_quotes_combined", "192.0.2.1",
			"www.example.com", ""},
		{"the addresses of a server in front", "203.0.113.7 192.0.2.1 - - " + crawled + "\n203.0.113.8 192.0.2.2 - - " +
			crawled + "\n203.0.113.8 192.0.2.3 - - " + crawled, "vhost_combined", "192.0.2.3", "203.0.113.8", ""},
		{"hosts in front, some of them addresses", strings.Repeat("www.example.com 192.0.2.1 - - "+crawled+"\n", 9) +
			"203.0.113.7 192.0.2.1 - - " + crawled + "\n203.0.113.8 192.0.2.1 - - " + crawled, "vhost_combined",
			"192.0.2.1", "203.0.113.8", ""},

		{"HAProxy's option httpslog", lineOfHAProxy + captured +
			` "GET https://www.example.com/private/a HTTP/2.0" 0/0/0/0/0 www.example.com/TLSv1.3/TLS_AES_256_GCM_SHA384`,
			"haproxy:host,user-agent", "192.0.2.9", "www.example.com", ""},
		{"HAProxy with more in quotes", lineOfHAProxy + captured + ` "GET /private/a HTTP/1.1" "x" 5`,
			"haproxy:host,user-agent", "192.0.2.9", "www.example.com", ""},
		{"HAProxy with X-Forwarded-For of IPv6 with ports", lineOfHAProxy +
			"{[2001:db8::5]:41234|Mozilla/5.0 (compatible; GPTBot/1.2)} \"GET /private/a HTTP/1.1\"",
			"haproxy:x-forwarded-for,user-agent", "192.0.2.9", "", "[2001:db8::5]:41234"},
		{"HAProxy in CLF with captured headers", `192.0.2.9 - - [04/Mar/2026:05:06:07 +0000] "GET /private/a HTTP/1.1" ` +
			`200 453 "" ""` + clf + ` "www.example.com" "Mozilla/5.0 (compatible; GPTBot/1.2)" ""`,
			"haproxy_clf:host,user-agent,-", "192.0.2.9", "www.example.com", ""},

		{"OpenLiteSpeed, wholly in quotes", `"192.0.2.1 - - ` + crawled + `"`, "quoted:combined", "192.0.2.1", "", ""},
		{"OpenLiteSpeed, with a quote in front", `"192.0.2.1 - - ` + crawled, "quoted:combined", "192.0.2.1", "", ""},
		{"OpenLiteSpeed, with the host in quotes too", `"www.example.com 192.0.2.1 - - ` + crawled + `"`,
			"quoted:vhost_combined", "192.0.2.1", "www.example.com", ""},
		{"OpenLiteSpeed, for all hosts", `["www.example.com"] 192.0.2.1 - - ` + crawled, "openlitespeed", "192.0.2.1",
			"www.example.com", ""},
		{"OpenLiteSpeed, for all hosts, with %v", `["www.example.com"] www.example.com 192.0.2.1 - - ` + crawled,
			"openlitespeed_vhost", "192.0.2.1", "www.example.com", ""},
		{"OpenLiteSpeed, for all hosts, with the line in quotes", `["www.example.com"] "192.0.2.1 - - ` + crawled + `"`,
			"quoted:openlitespeed", "192.0.2.1", "www.example.com", ""},
		{"Upsun's log forwarding", `{"message":` + strconv.Quote("app-0 nginx: 192.0.2.1 - - "+crawled) + `,"timestamp":"T"}`,
			"json.message:syslog:combined", "192.0.2.1", "", ""},
		{"a message of syslog without its time", "nginx[71]: 192.0.2.1 - - " + crawled, "syslog:combined", "192.0.2.1", "", ""},
		{"tabs", "192.0.2.1\t-\t-\t" + strings.NewReplacer(`] `, "]\t", `" `, "\"\t", "200 ", "200\t", "12 ", "12\t").Replace(crawled),
			"tab_combined", "192.0.2.1", "", ""},
		{"a time in quotes", "192.0.2.1 - - " + strings.NewReplacer("[", `"`, "]", `"`).Replace(crawled), "quoted_time_combined",
			"192.0.2.1", "", ""},
		{"Caddy 1 by Go's package log", "2026/03/04 05:06:07 www.example.com 192.0.2.1 - - " + crawled + " 3",
			"timestamped:vhost_combined", "192.0.2.1", "www.example.com", ""},
		{"Docker Swarm", "web_nginx.1.x2k@node1    | 192.0.2.1 - - " + crawled, "compose:combined", "192.0.2.1", "", ""},
		{"PM2", "0|nginx  | 192.0.2.1 - - " + crawled, "compose:combined", "192.0.2.1", "", ""},
		{"kubectl logs --prefix", "[pod/web-5d9/nginx] 192.0.2.1 - - " + crawled, "compose:combined", "192.0.2.1", "", ""},
		{"one column of CSV", `"192.0.2.1 - - ` + strings.ReplaceAll(crawled, `"`, `""`) + `"`, "quoted:combined",
			"192.0.2.1", "", ""},

		{"Akamai", akamai + "2026-03-04\t05:06:07\t192.0.2.1\tGET\t/www.example.com/private/a" + akamaiEnd, "akamai_lds",
			"192.0.2.1", "www.example.com", ""},
		{"Akamai with paths alone", akamai + "2026-03-04\t05:06:07\t192.0.2.1\tGET\t/private/a" + akamaiEnd, "akamai_lds",
			"192.0.2.1", "", ""},
		{"CloudFront's real-time log by its fields", realtime + "1772600767.123\t192.0.2.1\t200\tGET\thttps\twww.example.com\t" +
			"/private/a\tFRA2-C1\td111111abcdef8.cloudfront.net\tMozilla/5.0%20(compatible;%20GPTBot/1.2)", "cloudfront",
			"192.0.2.1", "www.example.com", ""},
		{"Tomcat with a blank for the user", `192.0.2.1:8081 - - - [04/Mar/2026:05:06:07 +0000] GET /private/a HTTP/1.1 200 ` +
			`12 "-" "Mozilla/5.0 (compatible; GPTBot/1.2)" - 2 2`, "unquoted_request", "192.0.2.1", "", ""},
		{"APISIX on its own port", `192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] www.example.com:9080 "GET /private/a HTTP/1.1" ` +
			`200 12 0.000 "-" "Mozilla/5.0 (compatible; GPTBot/1.2)" - - - "http://www.example.com:9080"`, "apisix",
			"192.0.2.1", "www.example.com", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Detect([]byte(c.head+"\n"), true)
			if err != nil {
				t.Fatal(err)
			}
			list := readLog(f, []byte(c.head+"\n"))
			got := list[len(list)-1]
			if got.Forwarded == "-" {
				got.Forwarded = ""
			}
			target := got.Target[max(strings.Index(got.Target, "/private"), 0):]
			if f.Name() != c.format || got.Addr != c.addr || got.Host != c.host || got.Forwarded != c.forwarded ||
				target != "/private/a" || got.Agent != "Mozilla/5.0 (compatible; GPTBot/1.2)" {
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
