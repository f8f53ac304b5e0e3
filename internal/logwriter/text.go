package logwriter

import (
	"fmt"
	"strings"
	"time"
)

// combined appends from the address to the User-Agent of the combined log format.
// middle stands between the address and the time, behind between the time and the request.
func combined(b []byte, r *Request, escape func(string) string, middle, behind, size string) []byte {
	return fmt.Appendf(b, `%s %s [%s]%s "%s" %s %s "%s" "%s"`, r.Client.Addr(), middle, r.clfTime(), behind,
		escape(r.line()), status(r, "-"), size, escape(first(r.Referer, "-")), escape(first(r.Agent, "-")))
}

// status is the status, or what the log writes if there was no answer.
func status(r *Request, none string) string {
	if r.Status == 0 {
		return none
	}
	return fmt.Sprint(r.Status)
}

// user is the user's name as it stands in common logs.
func user(r *Request, escape func(string) string) string { return escape(or(r.User, "-")) }

// sizeOrDash is Apache's %b and a size of 0 for others: a dash for 0.
func sizeOrDash(r *Request) string {
	if r.Size == 0 {
		return "-"
	}
	return fmt.Sprint(r.Size)
}

// noSizeOfZero is the rule of logs that write a dash for 0.
func noSizeOfZero(f *Facts) {
	if f.Size == 0 {
		f.Size = NoSize
	}
}

// clfWriters write the common log format and its extensions.
// Sources: httpd.apache.org/docs/2.4/mod/mod_log_config.html; the predefined format combined
// in nginx.org/en/docs/http/ngx_http_log_module.html; LogFormat in Debian's apache2.conf.
func clfWriters() []*Writer {
	agentless := func(f *Facts) { f.Agent = "" }
	return []*Writer{
		{Format: "combined", Variant: "Apache", write: func(b []byte, r *Request) []byte {
			return combined(b, r, apache, "- "+user(r, apache), "", sizeOrDash(r))
		}, keep: func(f *Facts, r *Request) { noSizeOfZero(f) }},
		{Format: "combined", Variant: "nginx", write: func(b []byte, r *Request) []byte {
			return combined(b, r, nginx, "- "+user(r, nginx), "", fmt.Sprint(r.Size))
		}},
		{Format: "combined", Variant: "nginx's package", write: func(b []byte, r *Request) []byte {
			b = combined(b, r, nginx, "- "+user(r, nginx), "", fmt.Sprint(r.Size))
			return fmt.Appendf(b, ` "%s"`, nginx(first(r.Forwarded, "-")))
		}, keep: func(f *Facts, r *Request) { f.Forwarded = first(r.Forwarded, "-") }},
		// varnishncsa escapes since 4.0.3 (github.com/varnishcache/varnish-cache/issues/1868),
		// and %r has the host in it, with the scheme http whatever it was.
		// Source: varnish-cache.org/docs/7.5/reference/varnishncsa.html.
		{Format: "combined", Variant: "varnishncsa", write: func(b []byte, r *Request) []byte {
			if !r.onPath() || r.Protocol == "" {
				return nil
			}
			v := *r
			v.Scheme = "http"
			v.Target = v.absolute(r.hostHeader())
			return combined(b, &v, apache, "- "+user(r, apache), "", sizeOrDash(r))
		}, keep: func(f *Facts, r *Request) {
			noSizeOfZero(f)
			if r.onPath() {
				f.Target = "http://" + r.hostHeader() + r.Target
			}
		}},
		{Format: "vhost_combined", Variant: "Debian", write: func(b []byte, r *Request) []byte {
			return combined(fmt.Appendf(b, "%s ", r.hostPort()), r, apache, "- "+user(r, apache), "", fmt.Sprint(r.Size))
		}, keep: func(f *Facts, r *Request) { f.Host = r.hostPort() }},
		{Format: "common", Variant: "Apache", write: func(b []byte, r *Request) []byte {
			return fmt.Appendf(b, `%s - %s [%s] "%s" %s %s`, r.Client.Addr(), user(r, apache), r.clfTime(), apache(r.line()), status(r, "-"), sizeOrDash(r))
		}, keep: func(f *Facts, r *Request) { noSizeOfZero(f); agentless(f) }},
		{Format: "vhost_common", Variant: "Apache", write: func(b []byte, r *Request) []byte {
			return fmt.Appendf(b, `%s %s - %s [%s] "%s" %s %s`, r.bracketed(), r.Client.Addr(), user(r, apache), r.clfTime(), apache(r.line()), status(r, "-"), sizeOrDash(r))
		}, keep: func(f *Facts, r *Request) { noSizeOfZero(f); agentless(f); f.Host = r.bracketed() }},
	}
}

// unescaped is the rule of a format that escapes nothing: a quote in a field leaves open
// where the field ends.
func unescaped(f *Facts, r *Request, fields ...string) {
	f.Unclear = strings.Contains(strings.Join(fields, ""), `"`)
}

// textWriters write formats with literals between the fields.
func textWriters() []*Writer {
	host := func(f *Facts, r *Request) { f.Host = r.bracketed(); noSizeOfZero(f) }
	const iso = "2006-01-02T15:04:05.000Z"
	exact := func(f *Facts, r *Request, unit time.Duration) { f.Time = r.Time.Truncate(unit) }
	return []*Writer{
		// OVH and WP Engine have %v in the place of %l.
		{Format: "host_second_combined", write: func(b []byte, r *Request) []byte {
			return combined(b, r, apache, r.bracketed()+" "+user(r, apache), "", sizeOrDash(r))
		}, keep: host},
		// Source: the regular expression of gandi in Matomo's log analytics.
		{Format: "gandi", write: func(b []byte, r *Request) []byte {
			return combined(fmt.Appendf(b, "%s ", r.bracketed()), r, apache, "- "+user(r, apache), " (0 s)", sizeOrDash(r))
		}, keep: host},
		// Source: the regular expression of ncsa_extended for Virtualmin in the same: %h - %v - [..].
		{Format: "virtualmin", write: func(b []byte, r *Request) []byte {
			return combined(b, r, apache, "- "+r.bracketed()+" "+user(r, apache), "", sizeOrDash(r))
		}, keep: host},
		{Format: "host_last_combined", write: func(b []byte, r *Request) []byte {
			b = combined(b, r, nginx, "- "+user(r, nginx), "", fmt.Sprint(r.Size))
			return fmt.Appendf(b, ` "%s"`, r.bracketed())
		}, keep: func(f *Facts, r *Request) { f.Host = r.bracketed() }},
		// nginx with $http_x_forwarded_for in the place of $remote_addr.
		{Format: "forwarded_combined", write: func(b []byte, r *Request) []byte {
			list := nginx(first(r.Forwarded, r.Client.Addr().String()+", 10.0.0.1"))
			return fmt.Appendf(b, `%s - %s [%s] "%s" %s %d "%s" "%s"`, list, user(r, nginx), r.clfTime(), nginx(r.line()), status(r, "-"), r.Size,
				nginx(first(r.Referer, "-")), nginx(first(r.Agent, "-")))
		}, keep: func(f *Facts, r *Request) {
			f.Addr = "" // whose address it is depends on the proxies
			f.Unclear = strings.Contains(r.User, " ")
			f.Forwarded = first(r.Forwarded, r.Client.Addr().String()+", 10.0.0.1")
		}},
		{Format: "vhost_forwarded_combined", write: func(b []byte, r *Request) []byte {
			list := nginx(first(r.Forwarded, r.Client.Addr().String()+", 10.0.0.1"))
			return fmt.Appendf(b, `%s %s - %s [%s] "%s" %s %d "%s" "%s"`, r.bracketed(), list, user(r, nginx), r.clfTime(), nginx(r.line()), status(r, "-"), r.Size,
				nginx(first(r.Referer, "-")), nginx(first(r.Agent, "-")))
		}, keep: func(f *Facts, r *Request) {
			f.Addr, f.Host, f.Unclear = "", r.bracketed(), strings.Contains(r.User, " ")
			f.Forwarded = first(r.Forwarded, r.Client.Addr().String()+", 10.0.0.1")
		}},
		// nginx with "$http_x_forwarded_for" in front of $remote_addr.
		{Format: "quoted_forwarded_combined", write: func(b []byte, r *Request) []byte {
			return combined(fmt.Appendf(b, `"%s" `, nginx(first(r.Forwarded, "-"))), r, nginx, "- "+user(r, nginx), "", fmt.Sprint(r.Size))
		}, keep: func(f *Facts, r *Request) { f.Forwarded = first(r.Forwarded, "-") }},
		{Format: "vhost_quoted_forwarded_combined", write: func(b []byte, r *Request) []byte {
			return combined(fmt.Appendf(b, `%s "%s" `, r.bracketed(), nginx(first(r.Forwarded, "-"))), r, nginx, "- "+user(r, nginx), "", fmt.Sprint(r.Size))
		}, keep: func(f *Facts, r *Request) { f.Host, f.Forwarded = r.bracketed(), first(r.Forwarded, "-") }},
		{Format: "host_end_combined", write: func(b []byte, r *Request) []byte {
			b = combined(b, r, nginx, "- "+user(r, nginx), "", fmt.Sprint(r.Size))
			return append(append(b, ' '), r.bracketed()...)
		}, keep: func(f *Facts, r *Request) { f.Host = r.bracketed() }},
		{Format: "iso_combined", write: timed("2006-01-02T15:04:05-07:00", "")},
		{Format: "vhost_iso_combined", write: timed("2006-01-02T15:04:05-07:00", "host"), keep: func(f *Facts, r *Request) { f.Host = r.bracketed() }},
		{Format: "msec_combined", write: timed("", ""), keep: func(f *Facts, r *Request) { exact(f, r, time.Millisecond) }},
		{Format: "vhost_msec_combined", write: timed("", "host"), keep: func(f *Facts, r *Request) { exact(f, r, time.Millisecond); f.Host = r.bracketed() }},
		{Format: "zoneless_combined", write: timed("02/Jan/2006:15:04:05", "")},
		{Format: "vhost_zoneless_combined", write: timed("02/Jan/2006:15:04:05", "host"), keep: func(f *Facts, r *Request) { f.Host = r.bracketed() }},
		// Source: docs.cpanel.net/knowledge-base/cpanel-product/cpanel-log-files, access_log: the month comes first.
		{Format: "cpanel", write: func(b []byte, r *Request) []byte {
			return fmt.Appendf(b, `%s - %s [%s -0000] "%s" %s %d "%s" "%s" "-" "%s" 2083`, r.Client.Addr(), user(r, apache), r.utc("01/02/2006:15:04:05"), apache(r.line()), status(r, "-"), r.Size,
				apache(first(r.Referer, "-")), apache(first(r.Agent, "-")), first(r.Forwarded, "-"))
		}},
		{Format: "agent_referer", write: func(b []byte, r *Request) []byte {
			v := *r
			v.Agent, v.Referer = r.Referer, r.Agent
			return combined(b, &v, nginx, "- "+user(r, nginx), "", fmt.Sprint(r.Size))
		}},
		// Traefik escapes nothing. A header that is empty or was not sent is a dash in quotes.
		// Source: github.com/traefik/traefik, pkg/middlewares/accesslog/logger_formatters.go.
		{Format: "traefik", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" {
				return nil
			}
			quote := func(header []string) string { return `"` + or(first(header, ""), "-") + `"` }
			return fmt.Appendf(b, `%s - %s [%s] "%s" %d %d %s %s 17 "web@docker" "http://10.0.0.2:80" 3ms`,
				r.Client.Addr(), or(r.User, "-"), r.clfTime(), r.line(), r.Status, r.Size, quote(r.Referer), quote(r.Agent))
		}, keep: func(f *Facts, r *Request) {
			f.Agent = or(first(r.Agent, ""), "-")
			unescaped(f, r, f.Agent, r.Target, first(r.Referer, ""))
		}},
		// Traefik 1 wrote a missing referrer as a dash without quotes.
		{Format: "traefik_early", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" {
				return nil
			}
			return fmt.Appendf(b, `%s - %s [%s] "%s" %d %d - "%s" 13 "Host-host1-com-0" "http://172.19.0.6:14008" 247ms`,
				r.Client.Addr(), or(r.User, "-"), r.clfTime(), r.line(), r.Status, r.Size, or(first(r.Agent, ""), "-"))
		}, keep: func(f *Facts, r *Request) {
			f.Agent = or(first(r.Agent, ""), "-")
			unescaped(f, r, f.Agent, r.Target)
		}},
		haproxyWriter(),
		// Envoy's text formats escape nothing.
		// Source: envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage,
		// "Default Format String". A response code of 0 tells that none was sent.
		{Format: "envoy", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" {
				return nil
			}
			return fmt.Appendf(b, `[%s] "%s" %d - 0 %d 4 1 "%s" "%s" "f21e2bcc-0a5c-4a7f-9a3e-000000000001" "%s" "172.18.0.4:80"`,
				r.utc(iso), r.line(), r.Status, r.Size, first(r.Forwarded, "-"), or(first(r.Agent, ""), "-"), r.hostHeader())
		}, keep: keepEnvoy},
		// Source: istio.io/latest/docs/tasks/observability/logs/access-log, "Default access log format".
		{Format: "istio", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" {
				return nil
			}
			return fmt.Appendf(b, `[%s] "%s" %d - via_upstream - "-" 0 %d 4 1 "%s" "%s" "84961386-6d84-929d-98bd-000000000001" "%s" "10.44.1.27:80" `+
				`outbound|80||web.default.svc.cluster.local 10.44.1.23:37652 10.0.45.184:80 %s - default`,
				r.utc(iso), r.line(), r.Status, r.Size, first(r.Forwarded, "-"), or(first(r.Agent, ""), "-"), r.hostHeader(), r.Client)
		}, keep: func(f *Facts, r *Request) { keepEnvoy(f, r); f.Addr = r.Client.Addr().String() }},
		// Source: docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html.
		// The escaping is not documented; a quote is logged as \x22 (github.com/DataBiosphere/azul/pull/4920).
		{Format: "alb", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			elb := or(status(r, ""), "460") // the client closed the connection
			return fmt.Appendf(b, `h2 %s app/my-lb/50dc6c495c0c9188 %s 10.0.0.1:80 0.000 0.001 0.000 %s %s 34 %d "%s %s %s" "%s" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 `+
				`arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe354" `+
				`"%s" "arn:aws:acm:us-east-2:123456789012:certificate/12345678" 1 %s "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1234abcd5678ef90`,
				r.utc("2006-01-02T15:04:05.000000Z"), r.Client, elb, status(r, "-"), r.Size, r.Method, nginx(r.absolute(r.hostPort())), r.Protocol,
				nginx(first(r.Agent, "-")), r.bracketed(), r.Time.Add(-time.Second).UTC().Format("2006-01-02T15:04:05.000000Z"))
		}, keep: func(f *Facts, r *Request) {
			f.Target = r.absolute(r.hostPort())
			f.Host = r.bracketed()
			f.Time = r.Time.Add(-time.Second) // when the request was created, where it is logged
			if f.Status == 0 {
				f.Status = 460
			}
		}},
		// As it was before the fields from domain_name on were added, in 2018.
		{Format: "alb_early", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return fmt.Appendf(b, `https %s app/my-lb/50dc6c495c0c9188 %s 10.0.0.1:80 0.000 0.001 0.000 %d %s 34 %d "%s %s %s" "%s" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 `+
				`arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe354"`,
				r.utc("2006-01-02T15:04:05.000000Z"), r.Client, or0(r.Status, 460), status(r, "-"), r.Size, r.Method, nginx(r.absolute(r.hostPort())), r.Protocol, nginx(first(r.Agent, "-")))
		}, keep: func(f *Facts, r *Request) {
			f.Target = r.absolute(r.hostPort())
			f.Status = or0(r.Status, 460)
			exact(f, r, time.Microsecond)
		}},
		// Source: docs.aws.amazon.com/elasticloadbalancing/latest/classic/access-log-collection.html.
		// The classic one writes a backslash before a quote (github.com/awslabs/athena-glue-service-logs/pull/3).
		{Format: "elb", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return fmt.Appendf(b, `%s my-loadbalancer %s 10.0.0.1:80 0.000073 0.001048 0.000057 %d %d 0 %d "%s %s %s" "%s" - -`,
				r.utc("2006-01-02T15:04:05.000000Z"), r.Client, or0(r.Status, 504), r.Status, r.Size, r.Method, apache(r.absolute(r.hostPort())), r.Protocol,
				apache(first(r.Agent, "-")))
		}, keep: func(f *Facts, r *Request) {
			f.Target = r.absolute(r.hostPort())
			f.Status = or0(r.Status, 504)
			exact(f, r, time.Microsecond)
		}},
		// Source: docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html, which names no
		// escaping, and there is none (github.com/aws-samples/siem-on-amazon-opensearch-service/pull/34)
		// but of the key, which is URL-encoded.
		{Format: "s3", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			path, _ := r.pathQuery()
			tls := map[string]string{"http": "-", "https": "TLSv1.3"}[r.Scheme]
			return fmt.Appendf(b, `79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be my-bucket [%s] %s - 3E57427F3EXAMPLE WEBSITE.%s.OBJECT %s "%s" %s - %s 3462992 70 10 "%s" "%s" - `+
				`s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= - ECDHE-RSA-AES128-GCM-SHA256 - %s %s - -`,
				r.utc("02/Jan/2006:15:04:05 -0700"), r.Client.Addr(), r.Method, or(cloudfront(strings.TrimPrefix(path, "/")), "-"), r.line(),
				status(r, "-"), sizeOrDash(r), first(r.Referer, "-"), first(r.Agent, "-"), r.hostHeader(), tls)
		}, keep: func(f *Facts, r *Request) {
			noSizeOfZero(f)
			f.Host, f.Target = r.hostHeader(), r.absolute(r.hostHeader())
			unescaped(f, r, f.Agent, r.Target, first(r.Referer, ""))
		}},
		// As it was before the fields behind the version were added, in 2019.
		{Format: "s3_early", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return fmt.Appendf(b, `79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be my-bucket [%s] %s - 3E57427F3EXAMPLE WEBSITE.GET.OBJECT a "%s" %s - %s 3462992 70 10 "%s" "%s" -`,
				r.utc("02/Jan/2006:15:04:05 -0700"), r.Client.Addr(), r.line(), status(r, "-"), sizeOrDash(r), first(r.Referer, "-"), first(r.Agent, "-"))
		}, keep: func(f *Facts, r *Request) {
			noSizeOfZero(f)
			unescaped(f, r, f.Agent, r.Target, first(r.Referer, ""))
		}},
		// Source: github.com/NginxProxyManager/nginx-proxy-manager,
		// docker/rootfs/etc/nginx/conf.d/include/log-proxy.conf, both of its formats.
		{Format: "npm", write: func(b []byte, r *Request) []byte {
			return fmt.Appendf(b, `[%s] - %s %s - %s %s %s "%s" [Client %s] [Length %d] [Gzip -] [Sent-to 10.0.0.2] "%s" "%s"`,
				r.clfTime(), status(r, "-"), status(r, "000"), r.Method, r.Scheme, r.bracketed(), nginx(r.Target), r.Client.Addr(), r.Size,
				nginx(first(r.Agent, "-")), nginx(first(r.Referer, "-")))
		}, keep: keepNPM},
		{Format: "npm_default", write: func(b []byte, r *Request) []byte {
			return fmt.Appendf(b, `[%s] %s - %s %s %s "%s" [Client %s] [Length %d] [Gzip -] "%s" "%s"`,
				r.clfTime(), status(r, "000"), r.Method, r.Scheme, r.bracketed(), nginx(r.Target), r.Client.Addr(), r.Size,
				nginx(first(r.Agent, "-")), nginx(first(r.Referer, "-")))
		}, keep: keepNPM},
		// Source: github.com/ZoeyVid/NPMplus, rootfs/usr/local/nginx/conf/nginx.conf. Nothing has quotes but the request.
		{Format: "npmplus", write: func(b []byte, r *Request) []byte {
			return fmt.Appendf(b, `[%s] %s %s 0.227 "%s" %s %d 440 %s %s`, r.clfTime(), r.hostHeader(), r.Client.Addr(), nginx(r.line()), status(r, "000"), r.Size,
				nginx(first(r.Referer, "-")), nginx(first(r.Agent, "-")))
		}, keep: func(f *Facts, r *Request) {
			f.Host = r.hostHeader()
			if _, behind, blank := strings.Cut(nginx(first(r.Referer, "-")), " "); blank {
				// Nothing tells where the referrer ends, so what is behind its first blank is
				// read as the beginning of the User-Agent.
				f.Agent = strings.ReplaceAll(behind, `\x5C`, `\`) + " " + f.Agent
			}
		}},
		// Source: uwsgi-docs.readthedocs.io/en/latest/LogFormat.html and the default in core/logging.c. Times are local, without a zone.
		// Its parser ends a target at the first blank.
		{Format: "uwsgi", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() || strings.Contains(r.Target, " ") {
				return nil
			}
			return fmt.Appendf(b, `[pid: 88185|app: 0|req: 1/1] %s (%s) {38 vars in 696 bytes} [%s] %s %s => generated %d bytes in 129 msecs (%s %d) 9 headers in 378 bytes (1 switches on core 3)`,
				r.Client.Addr(), r.User, r.utc(time.ANSIC), r.Method, r.Target, r.Size, r.Protocol, r.Status)
		}, keep: func(f *Facts, r *Request) { f.Agent = "" }},
		// Source: wiki.squid-cache.org/Features/LogFormat, "squid": %ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %un %Sh/%<a %mt.
		{Format: "squid", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return fmt.Appendf(b, `%d.%03d %6d %s TCP_MISS/%03d %d %s %s %s HIER_DIRECT/203.0.113.80 text/html`, r.Time.Unix(), r.Time.Nanosecond()/1e6, 129, r.Client.Addr(), r.Status, r.Size, r.Method,
				squid(r.absolute(r.hostHeader())), or(squid(r.User), "-"))
		}, keep: func(f *Facts, r *Request) {
			f.Agent, f.Target = "", squid(r.absolute(r.hostHeader()))
			exact(f, r, time.Millisecond)
		}},
		// Source: kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/log-format.
		{Format: "combined", Variant: "ingress-nginx", write: func(b []byte, r *Request) []byte {
			b = combined(b, r, nginx, "- "+user(r, nginx), "", fmt.Sprint(r.Size))
			return append(b, ` 300 0.010 [default-web-80] [] 10.42.0.5:8080 1234 0.010 200 5a1b4c0de`...)
		}},
	}
}

// timed writes the combined log format with another time; an empty layout is $msec of nginx.
func timed(layout, host string) func(b []byte, r *Request) []byte {
	return func(b []byte, r *Request) []byte {
		at := fmt.Sprintf("%d.%03d", r.Time.Unix(), r.Time.Nanosecond()/1e6)
		if layout != "" {
			at = r.Time.Format(layout)
			if !strings.Contains(layout, "-07") {
				at = r.utc(layout)
			}
		}
		if host != "" {
			b = append(append(b, r.bracketed()...), ' ')
		}
		return fmt.Appendf(b, `%s - %s [%s] "%s" %s %d "%s" "%s"`, r.Client.Addr(), user(r, nginx), at, nginx(r.line()), status(r, "-"), r.Size, nginx(first(r.Referer, "-")), nginx(first(r.Agent, "-")))
	}
}

// squid percent-encodes blanks, as Squid does since 2.5 with uri_whitespace and in names of users.
func squid(s string) string { return strings.ReplaceAll(s, " ", "%20") }

// or0 returns n, or another number for 0.
func or0(n, zero int) int {
	if n == 0 {
		return zero
	}
	return n
}

func keepNPM(f *Facts, r *Request) {
	f.Host = r.bracketed()
	f.Target = r.absolute(r.bracketed())
}

// keepEnvoy: Envoy's formats name no client but by the header, and the host as it was sent.
func keepEnvoy(f *Facts, r *Request) {
	f.Addr, f.Host, f.Forwarded = "", r.hostHeader(), first(r.Forwarded, "-")
	f.Time = r.Time.Truncate(time.Millisecond)
	f.Agent = or(first(r.Agent, ""), "-")
	unescaped(f, r, f.Agent, r.Target)
}

// haproxyWriter writes what option httplog does, with two captured headers, Host and
// User-Agent. HAProxy names no zone; its clock is the local one, here UTC. A tilde behind
// the frontend tells that the connection was encrypted.
// Source: docs.haproxy.org/2.8/configuration.html, 8.2.3 "HTTP log format", 8.8 "Capturing
// HTTP headers".
func haproxyWriter() *Writer {
	captured := func(s string) string { return haproxy(s, `"{|}`) }
	return &Writer{Format: "haproxy", write: func(b []byte, r *Request) []byte {
		if r.Protocol == "" {
			return nil
		}
		tls := ""
		if r.Scheme == "https" {
			tls = "~"
		}
		answer := status(r, "-1")
		return fmt.Appendf(b, `%s [%s] http-in%s static/srv1 10/0/30/69/109 %s %d - - ---- 1/1/1/1/0 0/0 {%s|%s} {} "%s"`,
			r.Client, r.utc("02/Jan/2006:15:04:05.000"), tls, answer, r.Size, captured(r.hostHeader()), captured(first(r.Agent, "")), haproxy(r.line(), `"`))
	}, keep: func(f *Facts, r *Request) {
		f.Host, f.Time, f.Agent = r.hostHeader(), r.Time.Truncate(time.Millisecond), first(r.Agent, "")
		f.Target = r.absolute(r.hostHeader())
	}}
}
