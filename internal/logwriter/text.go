package logwriter

import "strings"

// The fields of the combined log format.
const (
	clock    = `<time:02/Jan/2006:15:04:05 -0700>`
	asked    = `] "<line>" <status|-> `
	headers  = ` "<referer>" "<agent>"`
	combined = `<client> - <user> [` + clock + asked + `<size>` + headers
	dashed   = `<client> - <user> [` + clock + asked + `<size|->` + headers
	iso      = "2006-01-02T15:04:05.000Z"
	micros   = "2006-01-02T15:04:05.000000Z"
)

// clfWriters write the common log format and its extensions.
// Sources: httpd.apache.org/docs/2.4/mod/mod_log_config.html; the predefined format combined
// in nginx.org/en/docs/http/ngx_http_log_module.html; LogFormat in Debian's apache2.conf.
func clfWriters() []*Writer {
	return []*Writer{
		{Format: "combined", Variant: "Apache", escape: apache, line: dashed, says: "size=-"},
		{Format: "combined", Variant: "nginx", escape: nginx, line: combined},
		{
			Format: "combined", Variant: "nginx's package", escape: nginx, line: combined + ` "<forwarded>"`,
			says: "forwarded=<forwarded>",
		},
		// varnishncsa escapes since 4.0.3 (github.com/varnishcache/varnish-cache/issues/1868),
		// and %r has the host in it, with the scheme http whatever it was.
		// Source: varnish-cache.org/docs/7.5/reference/varnishncsa.html.
		{
			Format: "combined", Variant: "varnishncsa", only: "http path", escape: apache,
			line: strings.Replace(dashed, "<line>", "<method> http://<hostheader><target> <protocol>", 1),
			says: "size=- target=http://<hostheader><target>",
		},
		{
			Format: "vhost_combined", Variant: "Debian", escape: apache, line: `<hostport> ` + combined,
			says: "host=<hostport>",
		},
		{
			Format: "common", Variant: "Apache", escape: apache, line: strings.TrimSuffix(dashed, headers),
			says: "size=- agent=",
		},
		{
			Format: "vhost_common", Variant: "Apache", escape: apache, line: `<host> ` + strings.TrimSuffix(dashed, headers),
			says: "size=- agent= host=<host>",
		},
	}
}

// textWriters write formats with literals between the fields.
func textWriters() []*Writer {
	const host = "host=<host>"
	const listed = "addr= divided=<user> forwarded=<list>" // whose address it is depends on the proxies
	const envoy = "host=<hostheader> forwarded=<forwarded> time=1ms agent=<agent|-> unclear=<agent|-><target>"
	const escaped = "unclear=<agent|-><target><referer|->"
	timed := func(layout string) string { return strings.Replace(combined, clock, layout, 1) }
	return []*Writer{
		// OVH and WP Engine have %v in the place of %l.
		{
			Format: "host_second_combined", escape: apache, line: strings.Replace(dashed, " - ", " <host> ", 1),
			says: host + " size=-",
		},
		// Source: the regular expression of gandi in Matomo's log analytics.
		{
			Format: "gandi", escape: apache, line: `<host> ` + strings.Replace(dashed, "] ", "] (0 s) ", 1),
			says: host + " size=-",
		},
		// Source: the regular expression of ncsa_extended for Virtualmin in the same: %h - %v -
		// [..].
		{Format: "virtualmin", escape: apache, line: strings.Replace(dashed, " - ", " - <host> ", 1), says: host + " size=-"},
		{Format: "host_last_combined", escape: nginx, line: combined + ` "<host>"`, says: host},
		// nginx with $http_x_forwarded_for in the place of $remote_addr.
		{Format: "forwarded_combined", escape: nginx, line: strings.Replace(combined, "<client>", "<list>", 1), says: listed},
		{
			Format: "vhost_forwarded_combined", escape: nginx, says: listed + " " + host,
			line: `<host> ` + strings.Replace(combined, "<client>", "<list>", 1),
		},
		// nginx with "$http_x_forwarded_for" in front of $remote_addr.
		{
			Format: "quoted_forwarded_combined", escape: nginx, line: `"<forwarded>" ` + combined,
			says: "forwarded=<forwarded>",
		},
		{
			Format: "vhost_quoted_forwarded_combined", escape: nginx, line: `<host> "<forwarded>" ` + combined,
			says: host + " forwarded=<forwarded>",
		},
		{Format: "host_end_combined", escape: nginx, line: combined + ` <host>`, says: host},
		{Format: "iso_combined", escape: nginx, line: timed("<time:2006-01-02T15:04:05-07:00>")},
		{
			Format: "vhost_iso_combined", escape: nginx, line: `<host> ` + timed("<time:2006-01-02T15:04:05-07:00>"),
			says: host,
		},
		{Format: "msec_combined", escape: nginx, line: timed("<unix:3>"), says: "time=1ms"},
		{Format: "vhost_msec_combined", escape: nginx, line: `<host> ` + timed("<unix:3>"), says: host + " time=1ms"},
		{Format: "zoneless_combined", escape: nginx, line: timed("<utc:02/Jan/2006:15:04:05>")},
		{Format: "vhost_zoneless_combined", escape: nginx, line: `<host> ` + timed("<utc:02/Jan/2006:15:04:05>"), says: host},
		// Source: docs.cpanel.net/knowledge-base/cpanel-product/cpanel-log-files, access_log: the
		// month comes first.
		{Format: "cpanel", escape: apache, line: timed("<utc:01/02/2006:15:04:05> -0000") + ` "-" "<proxies>" 2083`},
		{Format: "agent_referer", escape: nginx, line: strings.TrimSuffix(combined, headers) + ` "<agent>" "<referer>"`},
		// Traefik escapes nothing. A header that is empty or was not sent is a dash in quotes.
		// Source: github.com/traefik/traefik, pkg/middlewares/accesslog/logger_formatters.go.
		{
			Format: "traefik", only: "http", line: `<client> - <user> [` + clock + `] "<line>" <status> <size> "<referer|->"
				 "<agent|->"
				 17 "web@docker" "http://10.0.0.2:80" 3ms`,
			says: "agent=<agent|-> " + escaped,
		},
		// Traefik 1 wrote a missing referrer as a dash without quotes.
		{
			Format: "traefik_early", only: "http", line: `<client> - <user> [` + clock + `] "<line>" <status> <size> -
				 "<agent|->"
				 13 "Host-host1-com-0" "http://172.19.0.6:14008" 247ms`,
			says: "agent=<agent|-> unclear=<agent|-><target>",
		},
		// Option httplog with two captured headers, Host and
		// User-Agent. HAProxy names no zone; its clock is the local one, here UTC. A tilde after
		// the frontend tells that the connection was encrypted.
		// Source: docs.haproxy.org/2.8/configuration.html, 8.2.3 "HTTP log format", 8.8 "Capturing
		// HTTP headers".
		{
			Format: "haproxy", only: "http", missing: "none",
			escape: func(s string) string { return haproxy(s, `"{|}`) },
			inLine: func(s string) string { return haproxy(s, `"`) },
			line: `<peer> [<utc:02/Jan/2006:15:04:05.000>] http-in<?https>~<?> static/srv1 10/0/30/69/109 <status|-1> <size>
				 - - ---- 1/1/1/1/0 0/0 {<hostheader>|<agent>} {} "<line>"`,
			says: "host=<hostheader> time=1ms agent=<agent> target=<urlheader>",
		},
		// Envoy's text formats escape nothing. They name no client but by the header, and the host
		// as it was sent. Source:
		// envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage, "Default
		// Format String". A response code of 0 tells that none was sent.
		{
			Format: "envoy", only: "http", line: `[<utc:` + iso + `>] "<line>" <status> - 0 <size> 4 1 "<forwarded>" "<agent|->"
				 "f21e2bcc-0a5c-4a7f-9a3e-000000000001" "<hostheader>" "172.18.0.4:80"`,
			says: "addr= " + envoy,
		},
		// Source: istio.io/latest/docs/tasks/observability/logs/access-log, "Default access log
		// format".
		{
			Format: "istio", only: "http", line: `[<utc:` + iso + `>] "<line>" <status> - via_upstream - "-" 0 <size> 4 1
				 "<forwarded>" "<agent|->"
				 "84961386-6d84-929d-98bd-000000000001" "<hostheader>" "10.44.1.27:80" outbound|80||web.default.svc.cluster.local
				 10.44.1.23:37652 10.0.45.184:80 <peer> - default`,
			says: envoy,
		},
		// Source:
		// docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html.
		// The escaping is not documented; a quote is logged as \x22
		// (github.com/DataBiosphere/azul/pull/4920). A status of 460 tells that the client closed
		// the connection. The time is that of the request where it is logged.
		{
			Format: "alb", only: "http path", escape: nginx, line: `h2 <utc:` + micros + `> app/my-lb/50dc6c495c0c9188 <peer>
				 10.0.0.1:80
				 0.000 0.001 0.000 <status|460> <status|-> 34 <size> "<method> <urlport> <protocol>" "<agent>"
				 ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2
				 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067
				 "Root=1-58337262-36d228ad5d99923122bbe354" "<host>" "arn:aws:acm:us-east-2:123456789012:certificate/12345678" 1
				 <created:` + micros + `> "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1234abcd5678ef90`,
			says: "target=<urlport> host=<host> time=-1s status=<status|460>",
		},
		// As it was before the fields from domain_name on were added, in 2018.
		{
			Format: "alb_early", only: "http path", escape: nginx, line: `https <utc:` + micros + `>
				 app/my-lb/50dc6c495c0c9188 <peer> 10.0.0.1:80
				 0.000 0.001 0.000 <status|460> <status|-> 34 <size> "<method> <urlport> <protocol>" "<agent>"
				 ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2
				 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067
				 "Root=1-58337262-36d228ad5d99923122bbe354"`,
			says: "target=<urlport> status=<status|460> time=1us",
		},
		// Source:
		// docs.aws.amazon.com/elasticloadbalancing/latest/classic/access-log-collection.html. The
		// classic one writes a backslash before a quote
		// (github.com/awslabs/athena-glue-service-logs/pull/3).
		{
			Format: "elb", only: "http path", escape: apache, line: `<utc:` + micros + `> my-loadbalancer <peer> 10.0.0.1:80
				 0.000073 0.001048 0.000057 <status|504> <status> 0 <size> "<method> <urlport> <protocol>" "<agent>" - -`,
			says: "target=<urlport> status=<status|504> time=1us",
		},
		// Source: docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html, which names no
		// escaping, and there is none
		// (github.com/aws-samples/siem-on-amazon-opensearch-service/pull/34) but of the key, which
		// is URL-encoded.
		{
			Format: "s3", only: "http path", line: `79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be my-bucket
				 [<utc:02/Jan/2006:15:04:05 -0700>] <client> - 3E57427F3EXAMPLE WEBSITE.<method>.OBJECT <key> "<line>" <status|->
				 - <size|->
				 3462992 70 10 "<referer>" "<agent>" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234=
				 - ECDHE-RSA-AES128-GCM-SHA256 - <hostheader> <?https>TLSv1.3<?><?!https>-<?> - -`,
			says: "size=- host=<hostheader> target=<urlheader> " + escaped,
		},
		// As it was before the fields after the version were added, in 2019.
		{
			Format: "s3_early", only: "http path", line: `79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be
				 my-bucket
				 [<utc:02/Jan/2006:15:04:05 -0700>] <client> - 3E57427F3EXAMPLE WEBSITE.GET.OBJECT a "<line>" <status|-> - <size|->
				 3462992 70 10 "<referer>" "<agent>" -`,
			says: "size=- " + escaped,
		},
		// Source: github.com/NginxProxyManager/nginx-proxy-manager,
		// docker/rootfs/etc/nginx/conf.d/include/log-proxy.conf, both of its formats.
		{
			Format: "npm", escape: nginx, line: `[` + clock + `] - <status|-> <status|000> - <method> <scheme> <host> "<target>"
				 [Client <client>] [Length <size>] [Gzip -] [Sent-to 10.0.0.2] "<agent>" "<referer>"`,
			says: host + " target=<url>",
		},
		{
			Format: "npm_default", escape: nginx, line: `[` + clock + `] <status|000> - <method> <scheme> <host> "<target>"
				 [Client <client>] [Length <size>] [Gzip -] "<agent>" "<referer>"`,
			says: host + " target=<url>",
		},
		// Source: github.com/ZoeyVid/NPMplus, rootfs/usr/local/nginx/conf/nginx.conf. Nothing has
		// quotes but the request.
		{
			Format: "npmplus", escape: nginx, line: `[` + clock + `] <hostheader> <client> 0.227 "<line>" <status|000> <size>
				 440 <referer> <agent>`,
			says: "host=<hostheader>", keep: func(f *Facts, r *Request) {
				if _, after, blank := strings.Cut(nginx(first(r.Referer, "-")), " "); blank {
					// Nothing tells where the referrer ends, so what is after its first blank is
					// read as the beginning of the User-Agent.
					f.Agent = strings.ReplaceAll(after, `\x5C`, `\`) + " " + f.Agent
				}
			},
		},
		// Source: uwsgi-docs.readthedocs.io/en/latest/LogFormat.html and the default in
		// core/logging.c. Times are local, without a zone. Its parser ends a target at the first
		// blank.
		{
			Format: "uwsgi", only: "http path !blank", missing: "none", line: `[pid: 88185|app: 0|req: 1/1] <client> (<user>)
				 {38 vars in 696 bytes}
				 [<utc:Mon Jan _2 15:04:05 2006>] <method> <target> => generated <size> bytes in 129 msecs (<protocol> <status>)
				 9 headers in 378 bytes (1 switches on core 3)`,
			says: "agent=",
		},
		// Source: wiki.squid-cache.org/Features/LogFormat, "squid": %ts.%03tu %6tr %>a %Ss/%03>Hs
		// %<st %rm %ru %un %Sh/%<a %mt. It percent-encodes blanks since 2.5 with uri_whitespace,
		// and in names of users.
		{
			Format: "squid", only: "http path", escape: squid,
			line: `<unix:3>    129 <client> TCP_MISS/<status|000> <size> <method> <urlheader> <user> HIER_DIRECT/203.0.113.80
				 text/html`,
			says: "agent= time=1ms", keep: func(f *Facts, r *Request) { f.Target = squid(r.absolute(r.hostHeader())) },
		},
		// Source: kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/log-format.
		{
			Format: "combined", Variant: "ingress-nginx", escape: nginx,
			line: combined + ` 300 0.010 [default-web-80] [] 10.42.0.5:8080 1234 0.010 200 5a1b4c0de`,
		},
	}
}

// squid percent-encodes blanks.
func squid(s string) string { return strings.ReplaceAll(s, " ", "%20") }
