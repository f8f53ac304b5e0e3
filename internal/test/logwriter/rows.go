package logwriter

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
)

// listed is for logs with X-Forwarded-For instead of the client, where the proxies determine whose address it is.
const listed = "addr= divided=<user> forwarded=<list>"

// encodedAgent is the User-Agent of samples with percent-encoded values.
const encodedAgent = "Mozilla/5.0%20(compatible;%20FooBot/1.0)"

// textWriters write formats with literals between the fields, according to the documents cited at
// the rows in scan/format. Some add what samples lack.
func textWriters() []*Writer {
	const host = "host=<host>"
	const asked = "GET /a?b=c HTTP/1.1"
	const dashes = "agent=<agent|-> unclear=<agent|-><target>" // for formats without escaping
	const envoy = "host=<hostheader> forwarded=<forwarded> time=1ms " + dashes
	balanced := []string{"200 200", "<status|460> <status|->"}
	envoyForwarded := []string{`"-" "Moz`, `"<forwarded>" "Moz`}
	return []*Writer{
		{Format: "combined", Variant: "Apache", escape: Apache, says: "size=-"},
		{Format: "combined", Variant: "nginx", escape: Nginx},
		{Format: "combined", Variant: "nginx's package", escape: Nginx, says: "forwarded=<forwarded>",
			with: []string{`FooBot/1.0)"`, `FooBot/1.0)" "<forwarded>"`}},
		// varnishncsa escapes since 4.0.3 (github.com/varnishcache/varnish-cache/issues/1868), and its %r
		// includes the host, always with the scheme http.
		{Format: "combined", Variant: "varnishncsa", only: "http path", escape: Apache,
			with: []string{asked, "<method> http://<hostheader><target> <protocol>"},
			says: "size=- target=http://<hostheader><target>"},
		{Format: "combined", Variant: "ingress-nginx", escape: Nginx,
			with: []string{`0)"`, `0)" 300 0.010 [default-web-80] [] 10.42.0.5:8080 1234 0.010 200 5a1b4c0de`}},
		{Format: "vhost_combined", Variant: "Debian", escape: Apache, says: "host=<hostport>"},
		{Format: "common", Variant: "Apache", escape: Apache, says: "size=- agent="},
		{Format: "vhost_common", Variant: "Apache", escape: Apache, says: "size=- agent= host=<host>",
			with: []string{":443", ""}},

		{Format: "host_second_combined", escape: Apache, says: host + " size=-"},
		{Format: "gandi", escape: Apache, says: host + " size=-"},
		{Format: "virtualmin", escape: Apache, says: host + " size=-"},
		{Format: "host_last_combined", escape: Nginx, says: host},
		{Format: "host_end_combined", escape: Nginx, says: host},
		{Format: "client_forwarded_combined", escape: Apache, says: "size=- divided=<user> addr=10.0.0.9 forwarded=<client>"},
		{Format: "forwarded_dash_combined", escape: Nginx, says: "divided=<user> forwarded=<list>"},
		{Format: "vhost_in_quotes_combined", escape: Nginx, says: host},
		{Format: "openlitespeed_vhost", escape: Apache, says: host + " size=-"},
		{Format: "forwarded_client_combined", escape: Apache, says: "size=- divided=<user> forwarded=<list>"},
		{Format: "forwarded_combined", escape: Nginx, says: listed},
		{Format: "vhost_forwarded_combined", escape: Nginx, says: listed + " " + host},
		{Format: "quoted_forwarded_combined", escape: Nginx, says: "forwarded=<forwarded>"},
		{Format: "vhost_quoted_forwarded_combined", escape: Nginx, says: host + " forwarded=<forwarded>"},
		{Format: "tab_combined", escape: Nginx},
		{Format: "quoted_time_combined", escape: Nginx},
		{Format: "two_blanks_combined", escape: Nginx},
		{Format: "timed_combined", escape: Nginx},
		{Format: "quoted_brackets_combined", escape: Apache, says: "size=-"},
		{Format: "iso_combined", escape: Nginx},
		{Format: "vhost_iso_combined", escape: Nginx, says: host},
		{Format: "msec_combined", escape: Nginx, says: "time=1ms"},
		{Format: "vhost_msec_combined", escape: Nginx, says: host + " time=1ms"},
		{Format: "zoneless_combined", escape: Nginx},
		{Format: "vhost_zoneless_combined", escape: Nginx, says: host},
		{Format: "cpanel", escape: Apache, with: []string{`"-" 2083`, `"<proxies>" 2083`}},
		{Format: "agent_referer", escape: Nginx},

		{Format: "openlitespeed", escape: Apache, says: host + " size=-"},
		{Format: "apisix", escape: Nginx, says: "host=<hostheader>", with: []string{"] www.example.com", "] <hostheader>"}},
		{Format: "nginx_wiki", escape: Nginx, says: "forwarded=<forwarded>", with: []string{`)" "-"`, `)" "<forwarded>"`}},
		{Format: "jetty", escape: Apache, says: "size=-"},
		{Format: "unquoted_request", only: "http path !blank", escape: Apache, says: "size=-"},
		{Format: "unquoted_timed", only: "http path !blank", escape: Nginx, keep: afterReferer, with: []string{" - - [", " - -<?https><?> [", "- Moz", "<referer> Moz"}},
		{Format: "timed_unquoted", only: "http path !blank", escape: Nginx, keep: afterReferer, with: []string{" - - [", " - -<?https><?> [", "- Moz", "<referer> Moz"}},
		{Format: "bunny", only: "http path", escape: Nginx, says: "time=1ms target=<url>", keep: func(f *Facts, r *Request) {
			f.Method = "GET"
			f.Unclear = strings.Contains(f.Agent+f.Target+first(r.Referer, ""), "|") // separates fields
		}},

		// A header that is empty or was not sent is a dash in quotes.
		{Format: "traefik", only: "http", says: dashes + "<referer|->", with: []string{`"-" "Moz`, `"<referer|->" "Moz`}},
		{Format: "traefik_early", only: "http", says: dashes},
		// Two headers are captured, Host and User-Agent. There is no zone; the clock is the local one,
		// here UTC. Source: docs.haproxy.org/2.8/configuration.html, 8.6 and 8.8.
		{Format: "haproxy", only: "http", missing: "none",
			says:   "host=<hostheader> time=1ms agent=<agent> target=<urlheader>",
			escape: func(s string) string { return haproxy(s, `"{|}`) },
			inLine: func(s string) string { return haproxy(s, `"`) },
			with: []string{"05:06:07.000", "<utc:15:04:05.000>", "04/Mar/2026", "<utc:02/Jan/2006>", "http-in ",
				"http-in<?https>~<?> ", " 200 ", " <status|-1> ", `0/0 "`, `0/0 {<hostheader>|<agent>} {} "`}},
		// A response code of 0 means that no response was sent.
		{Format: "envoy", only: "http", with: append(envoyForwarded, " 200 ", " <status> "), says: "addr= " + envoy},
		{Format: "istio", only: "http", with: append(envoyForwarded, " 200 ", " <status> "), says: envoy},
		// A quote is logged as \x22 (github.com/DataBiosphere/azul/pull/4920). A status of 460 means that
		// the client closed the connection. The time is the request's where it is logged.
		{Format: "alb", only: "http path", escape: Nginx, says: "target=<urlport> host=<host> time=-1s status=<status|460>",
			with: append(balanced, "2026-03-04T05:06:08.000000Z", "<utc:2006-01-02T15:04:05.000000Z>",
				"2026-03-04T05:06:07.000000Z", "<created:2006-01-02T15:04:05.000000Z>")},
		{Format: "alb_early", only: "http path", escape: Nginx, with: balanced,
			says: "target=<urlport> status=<status|460> time=1us"},
		// A backslash precedes a quote (github.com/awslabs/athena-glue-service-logs/pull/3).
		{Format: "elb", only: "http path", escape: Apache, says: "target=<urlport> status=<status|504> time=1us",
			with: []string{"200 200", "<status|504> <status>"}},
		// Nothing is escaped (github.com/aws-samples/siem-on-amazon-opensearch-service/pull/34) except
		// the key, which is URL-encoded.
		{Format: "s3", only: "http path",
			says: "size=- host=<hostheader> target=<urlheader> unclear=<agent|-><target><referer|->",
			with: []string{"OBJECT a", "OBJECT <key>", " www.example.com [", " my-bucket [", "1234 1234", "<size|-> 3462992",
				"TLSv1.2 -", "<?https>TLSv1.3<?><?!https>-<?> -"}},
		{Format: "s3_early", only: "http path", says: "size=- unclear=<agent|-><target><referer|->",
			with: []string{"1234 1234", "<size|-> 3462992"}},
		{Format: "npm", escape: Nginx, says: host + " target=<url>", with: []string{"200 200", "<status|-> <status|000>"}},
		{Format: "npm_default", escape: Nginx, says: host + " target=<url>"},
		// Only the request is quoted.
		{Format: "npmplus", escape: Nginx, says: "host=<hostheader>", with: []string{"- Moz", "<referer> Moz"},
			keep: afterReferer},
		// Times are local, without a zone. A target ends at the first blank.
		{Format: "uwsgi", only: "http path !blank", missing: "none", says: "agent=",
			with: []string{"()", "(<user>)", "HTTP/1.1 200", "<protocol> <status>"}},
		// Blanks in names of users, and since 2.5 with uri_whitespace also in targets, are percent-encoded.
		{Format: "squid", only: "http path", escape: squid, says: "agent= time=1ms",
			with: []string{"/a?b=c - ", "<urlheader> <user> ", "200", "<status|000>"},
			keep: func(f *Facts, r *Request) { f.Target = squid(r.absolute(r.hostHeader())) }},
		{Format: "haproxy_clf", only: "http", missing: "none",
			says:   "host=<hostheader> agent=<agent> target=<urlheader>",
			escape: func(s string) string { return haproxy(s, `"`) },
			with:   []string{" - - [", " - -<?https><?> [", `0 0 0 "" ""`, `0 0 0 "" "" "<hostheader>" "<agent>"`, "http-in", "http-in<?https>~<?>", " 200 ", " <status|-1> "}},
		{Format: "apache_csv", only: "http path", escape: Apache, says: "host=<hostport> lossy=rewritten target=<shown>",
			with: []string{"-,[", "<plainuser>,[", `"/a"`, `"<decoded>"`, "?b=c", "<marked>"}},
	}
}

// columnWriters write formats with a header that names their columns.
func columnWriters() []*Writer {
	plus := strings.NewReplacer(" ", "+").Replace
	return []*Writer{
		// IIS writes a blank in a header as a plus sign, and leaves plus signs unchanged. The path is
		// percent-decoded, with blanks as plus signs. Times are in UTC. Source:
		// learn.microsoft.com/en-us/previous-versions/iis/6.0-sdk/ms525807(v=vs.90).
		{Format: "w3c", Variant: "IIS", only: "http path", escape: plus, says: "host=<hostheader> lossy=decoded",
			with: []string{"/a ", "<decoded> ", "b=c", "<query|->", "Mozilla/5.0+(compatible;+FooBot/1.0)", "<agent|->"},
			keep: func(f *Facts, r *Request) {
				f.Agent = cmp.Or(readPlus(plus(first(r.Agent, ""))), "-")
				path, query := r.pathQuery()
				f.Target = siteOf(r, f.Host, joined(ends.Replace(plus(decoded(path))), plus(query)))
			}},
		// The requested host is x-host-header.
		{Format: "cloudfront", only: "http path", escape: cloudfront, says: "host=<host> target=<joined>", keep: encodedTwice,
			with: []string{encodedAgent, "<agent|->", "b=c", "<query|->", "200", "<status|000>"}},
		// cs-uri is the host and the path with its query.
		{Format: "akamai_lds", only: "http path", escape: akamaiText, says: "host=<host>", keep: func(f *Facts, r *Request) {
			if f.Target, f.Agent = akamaiText(f.Target), akamaiText(f.Agent); !strings.Contains(f.Agent, " ") {
				f.Agent = strings.NewReplacer("%20", " ", "%22", `"`, "%25", "%", "%09", "\t").Replace(f.Agent)
			}
		}},
		{Format: "cloudfront_realtime", only: "http path", escape: cloudfront, keep: encodedTwice,
			with: []string{encodedAgent, "<agent|->", "\t200\t", "\t<status|000>\t",
				"Hit\t-\tTLSv1.3", "Hit\t<forwarded>\tTLSv1.3"},
			says: "host=<host> forwarded=<forwarded> time=1ms target=<url>"},
		// All fields are quoted. Doubling the quotes in them isn't documented, but is W3C's way.
		{Format: "incapsula", only: "http path", escape: doubled, missing: "none",
			with: []string{`"200" ""`, `"<status|>" "<forwarded>"`, "www.example.com/a", "<hostheader><path>"},
			says: "host=<hostheader> agent=<agent> forwarded=<forwarded>", keep: func(f *Facts, r *Request) {
				f.Target = siteOf(r, f.Host, joined(r.pathQuery()))
			}},
		{Format: "zeek", only: "http", escape: zeek, empty: "(empty)", says: "host=<host> time=1us"},
		{Format: "gcs_csv", only: "http path", escape: doubled, missing: "none",
			with: []string{`"200"`, `"<status>"`, `"www.example.com",""`, `"<host>","<referer>"`},
			says: "host=<host> agent=<agent> time=1us"},
	}
}

// jsonWriters write formats with one JSON object per line.
func jsonWriters() []*Writer {
	const headers, says = `"headers":{`, "host=<hostheader> time=100ns forwarded=<forwarded> target=<urlheader>"
	const cloudflare = "host=<hostheader> claim=<claim> target=<urlheader> "
	claims := func(at string) []string {
		return []string{`"2026-03-04T05:06:07Z"`, at, `Category":""`,
			`Category":"<claim>","BotTags":[<?claim>"verifiedBot"<?>]`}
	}
	caddy := []string{headers, headers + `<?forwarded>"X-Forwarded-For":["<forwarded>"],<?>`,
		`,"tls":{"version":772}`, `<?https>,"tls":{"version":772}<?>`}
	writers := []*Writer{
		{Format: "caddy", only: "http", with: caddy, says: says},
		{Format: "caddy_old", only: "http", with: caddy, says: says},
		// ClientHost is X-Forwarded-For if there is one.
		{Format: "traefik_json", only: "http", with: []string{`Host":"192.0.2.1"`, `Host":"<via>"`},
			says: "host=<hostheader> forwarded=<via> target=<urlheader>"},
		{Format: "cloudflare", Variant: "nanoseconds", only: "http path", with: claims("<nanos>"),
			says: cloudflare + "time=1ns"},
		{Format: "cloudflare", Variant: "RFC 3339", only: "http path", with: claims(`"<utc:2006-01-02T15:04:05Z>"`),
			says: cloudflare},
		{Format: "cloudflare", Variant: "seconds", only: "http path", with: claims("<seconds>"), says: cloudflare},
		{Format: "gcp", only: "http path", with: []string{"05:06:07Z", "05:06:07.000Z"}, says: "time=1ms target=<urlheader>"},
		// Clients can set clientIp.
		{Format: "azure_front_door", only: "http path", with: []string{`clientIp":"192.0.2.1"`, `clientIp":"<via>"`},
			says: "time=1ns host=<host> target=<urlport> forwarded=<via>"},
		{Format: "azure_app_gateway", only: "http path", with: []string{`"on"`, `"<?https>on<?><?!https>off<?>"`},
			says: "host=<host> target=<url>"},
		{Format: "ecs", only: "http path", with: []string{`"path":"/a"`, `"scheme":"<scheme>"`},
			says: "host=<host> time=1ms target=<url>"},
		// url.path and url.query are cs-uri-stem and cs-uri-query.
		{Format: "ecs_iis", only: "http path", with: []string{`"/a"`, `"<decoded>"`},
			says: "host=<host> time=1ms lossy=decoded",
			keep: func(f *Facts, r *Request) {
				path, query := r.pathQuery()
				f.Target = joined(ends.Replace(decoded(path)), query)
			}},
		// The names of headers are in lower case.
		{Format: "pino", only: "http",
			with: []string{headers + `"h`, headers + `<?forwarded>"x-forwarded-for":"<forwarded>",<?>"h`},
			says: "host=<hostheader> forwarded=<forwarded> time=1ms"},
		// Every value is a string; UA is URL-encoded.
		{Format: "akamai", only: "http path",
			says: "agent=<agent|-> time=1ms host=<hostport> target=<scheme>://<hostport><joined>",
			with: []string{encodedAgent, "<?agent><agent%><?><?!agent>-<?>", `"www.example.com"`, `"<host>","reqPort":"<port>"`,
				`"b=c"`, `"<query|->"`},
			keep: func(f *Facts, r *Request) { f.Agent = first(r.Agent, "-") }},
		// client_ip comes from a header that clients can send.
		{Format: "fastly_json", only: "http path", says: "host=<host> addr= forwarded=<client>"},
		{Format: "fastly_fields", only: "http path", says: "host=<host> addr= forwarded=<client> time=1ms"},
		{Format: "kong_json", only: "http", says: "host=<hostheader> time=1ms"},
		{Format: "modsecurity_json", only: "http", says: "host=<hostheader> size=none"},
		// CsUriStem is cs-uri-stem.
		{Format: "azure_app_service", only: "http path", with: []string{`"/a"`, `"<decoded>"`},
			says: "host=<host> time=1ms lossy=decoded",
			keep: func(f *Facts, r *Request) {
				path, query := r.pathQuery()
				f.Target = joined(ends.Replace(decoded(path)), query)
			}},
		{Format: "vercel", only: "http path", says: "time=1ms host=<host> target=<url>"},
		{Format: "netlify", only: "http path", says: "time=1ms target=<url>"},
		{Format: "envoy_json", only: "http",
			with: []string{`for":null`, `for":<?forwarded>"<forwarded>"<?><?!forwarded>null<?>`},
			says: "host=<hostheader> forwarded=<forwarded> time=1ms"},
		// The uri has no query.
		{Format: "aws_waf", only: "http path", says: "status=0 size=none host=<hostheader> time=1ms target=<joined>"},
	}
	for _, w := range writers {
		w.escape, w.json = quoted, true
	}
	nginx := []string{`"request_method":"GET","request_uri":"/a?b=c","status":200,`,
		`"request":"<line>","status":"<status|000>",`,
		`"http_referer":""`, `"http_referer":"<referer>","http_x_forwarded_for":"<forwarded>"`}
	return append(writers,
		// Users choose the keys; these are the usual names of nginx's variables.
		&Writer{Format: "nginx_json", Variant: "escape=json", escape: NginxJSON, missing: "none", with: nginx,
			says: "agent=<agent> host=<host> forwarded=<forwarded>"},
		&Writer{Format: "nginx_json", Variant: "default escaping", escape: Nginx, with: nginx,
			says: "host=<host> forwarded=<forwarded>"},
		// Its values are written as in its columns.
		&Writer{Format: "cloudfront_json", only: "http path", escape: cloudfront, keep: encodedTwice,
			says: "host=<host> target=<scheme>://<host><joined>",
			with: []string{encodedAgent, "<agent|->", `"b=c"`, `"<query|->"`, `"200"`, `"<status|000>"`}},
		// Apache with a LogFormat that looks like JSON; Apache's escape \xhh isn't valid in JSON.
		&Writer{Format: "apache_json", only: "http path", escape: Apache, says: "size=- host=<host>",
			with: []string{`"referer":"-"`, `"referer":"<referer>"`}})
}

// afterReferer is the rule for unquoted referrers: unless both headers are as usual, the end of the
// first one is ambiguous.
func afterReferer(f *Facts, r *Request) {
	f.Unclear = !usualHeaders.MatchString(Nginx(first(r.Referer, "-")) + " " + Nginx(first(r.Agent, "-")))
}

var usualHeaders = regexp.MustCompile(`^\S+ [^ ()"]+( \([^()]*\))*$`)

// siteOf is a path as a whole URL if the server's port shows the scheme. The port isn't the site's, except 443.
func siteOf(r *Request, host, path string) string {
	if r.Port != 443 {
		return path
	}
	v := *r
	v.Target = path
	return v.absolute(host)
}

// akamaiText encodes what ends fields of Akamai's logs. This isn't documented.
var akamaiText = strings.NewReplacer("\t", "%09", `"`, "%22").Replace

// encodedTwice is the rule for CloudFront's User-Agents, which old logs encode twice: one with %20
// and without a blank counts as such.
func encodedTwice(f *Facts, r *Request) {
	f.Agent = cmp.Or(first(r.Agent, ""), "-")
	if !strings.Contains(f.Agent, " ") && strings.Contains(f.Agent, "%20") {
		f.Agent = strings.NewReplacer("%20", " ", "%22", `"`, "%25", "%").Replace(f.Agent)
	}
}

// decoded returns a path as logged by servers that percent-decode it.
func decoded(path string) string {
	s, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return s
}

// ends encodes what would end a path. In a decoded path it must have been encoded.
var ends = strings.NewReplacer("?", "%3F", "#", "%23")

// joined joins path and query, with a question mark only if there is a query.
func joined(path, query string) string { return strings.TrimSuffix(path+"?"+query, "?") }

// readPlus is the best possible reading of a header in which plus signs stand for blanks and for
// themselves: the second of two is a plus.
func readPlus(s string) string {
	return strings.NewReplacer("++", " +", "+", " ").Replace(s)
}
