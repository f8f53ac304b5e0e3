package logwriter

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// object writes one JSON object of keys and raw values, in their order; a key whose value
// is empty is left out.
func object(pairs ...string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", pairs[i], pairs[i+1])
	}
	return b.String() + "}"
}

// text is a JSON string, number one without quotes.
func text(s string) string { return `"` + quoted(s) + `"` }

func number(n any) string { return fmt.Sprint(n) }

// header is the value of a header, empty if it was not sent.
func header(h []string) string {
	if len(h) == 0 {
		return ""
	}
	return text(h[0])
}

// list is an array of strings.
func list(h []string) string {
	if len(h) == 0 {
		return ""
	}
	b, _ := json.Marshal(h)
	return string(b)
}

// keepJSON is the rule of strings in JSON: octets that are no UTF-8 are replaced, and what
// was not sent is empty.
func keepJSON(f *Facts, r *Request) {
	f.Agent, f.Target = valid(first(r.Agent, "")), valid(r.Target)
	if strings.ContainsRune(f.Target, '\ufffd') {
		f.Lossy = "rewritten" // an octet was replaced, or is a client's own U+FFFD
	}
}

// jsonWriters write formats of which each line is a JSON object.
func jsonWriters() []*Writer {
	const nanos = "2006-01-02T15:04:05.000000000Z"
	return []*Writer{
		// Sources: caddyserver.com/docs/logging, and the golang struct
		// LoggableHTTPRequest in github.com/caddyserver/caddy, modules/caddyhttp/marshalers.go.
		{Format: "caddy", write: func(b []byte, r *Request) []byte { return caddy(b, r, true) }, keep: keepCaddy},
		// Before 2.5 there were remote_addr with the port and common_log.
		{Format: "caddy_old", write: func(b []byte, r *Request) []byte { return caddy(b, r, false) }, keep: keepCaddy},
		// Sources: doc.traefik.io/traefik/observability/access-logs, with accesslog.fields.headers.names.User-Agent=keep;
		// pkg/middlewares/accesslog/logger.go in github.com/traefik/traefik, where ClientHost is X-Forwarded-For if there is one.
		{Format: "traefik_json", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" {
				return nil
			}
			port := "-"
			if !r.usualPort() {
				port = fmt.Sprint(r.Port)
			}
			return append(b, object("ClientAddr", text(r.Client.String()), "ClientHost", text(first(r.Forwarded, r.Client.Addr().String())), "ClientPort", text(fmt.Sprint(r.Client.Port())), "ClientUsername", text(or(r.User, "-")),
				"DownstreamContentSize", number(r.Size), "DownstreamStatus", number(r.Status), "Duration", "3201433", "OriginContentSize", number(r.Size), "OriginStatus", number(r.Status),
				"RequestAddr", text(r.hostHeader()), "RequestContentSize", "0", "RequestCount", "12", "RequestHost", text(r.bracketed()), "RequestMethod", text(r.Method), "RequestPath", text(r.Target),
				"RequestPort", text(port), "RequestProtocol", text(r.Protocol), "RequestScheme", text(r.Scheme), "RetryAttempts", "0", "StartLocal", text(r.utc(nanos)), "StartUTC", text(r.utc(nanos)),
				"entryPointName", text("websecure"), "level", text("info"), "msg", text(""), "request_Referer", header(r.Referer), "request_User-Agent", header(r.Agent), "time", text(r.utc(time.RFC3339)))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Time, f.Host, f.Forwarded = r.Time, r.hostHeader(), first(r.Forwarded, r.Client.Addr().String())
			f.Target = absoluteOf(r, f.Host, f.Target)
		}},
		// Source: developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests.
		{Format: "cloudflare", Variant: "nanoseconds", write: func(b []byte, r *Request) []byte {
			return cloudflare(b, r, number(r.Time.UnixNano()))
		}, keep: func(f *Facts, r *Request) { keepCloudflare(f, r); f.Time = r.Time }},
		{Format: "cloudflare", Variant: "RFC 3339", write: func(b []byte, r *Request) []byte {
			return cloudflare(b, r, text(r.utc(time.RFC3339)))
		}, keep: keepCloudflare},
		{Format: "cloudflare", Variant: "seconds", write: func(b []byte, r *Request) []byte {
			return cloudflare(b, r, number(r.Time.Unix()))
		}, keep: keepCloudflare},
		// Source: cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#HttpRequest. int64 values are strings.
		{Format: "gcp", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			request := object("requestMethod", text(r.Method), "requestUrl", text(r.absolute(r.hostHeader())), "requestSize", text("220"), "status", number(r.Status), "responseSize", text(fmt.Sprint(r.Size)),
				"userAgent", header(r.Agent), "remoteIp", text(r.Client.Addr().String()), "serverIp", text("10.0.0.2"), "referer", header(r.Referer), "latency", text("0.058s"), "protocol", text(r.Protocol))
			return append(b, object("insertId", text("1oek5rg3l3fxj7"), "jsonPayload", object("@type", text("type.googleapis.com/google.cloud.loadbalancing.type.LoadBalancerLogEntry"), "statusDetails", text("response_sent_by_backend")),
				"httpRequest", request, "resource", object("type", text("http_load_balancer")), "timestamp", text(r.utc(nanos)), "severity", text("INFO"), "logName", text("projects/p/logs/requests"))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Time, f.Target = r.Time, absoluteOf(r, r.hostHeader(), f.Target)
		}},
		// Source: learn.microsoft.com/en-us/azure/frontdoor/front-door-diagnostics, access log. Numbers are strings.
		{Format: "azure_front_door", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return append(b, object("time", text(r.utc("2006-01-02T15:04:05.0000000Z")), "resourceId", text("/SUBSCRIPTIONS/0/PROVIDERS/MICROSOFT.CDN/PROFILES/X"), "category", text("FrontDoorAccessLog"),
				"operationName", text("Microsoft.Cdn/Profiles/AccessLog/Write"), "properties", object("trackingReference", text("0x"), "httpMethod", text(r.Method), "httpVersion", text("1.1.0.0"),
					"requestUri", text(r.absolute(r.hostPort())), "hostName", text(r.bracketed()), "requestBytes", text("220"), "responseBytes", text(fmt.Sprint(r.Size)), "userAgent", header(r.Agent), "referer", header(r.Referer),
					"clientIp", text(first(r.Forwarded, r.Client.Addr().String())), "clientPort", text(fmt.Sprint(r.Client.Port())), "socketIp", text(r.Client.Addr().String()), "timeTaken", text("0.046"), "httpStatusCode", text(fmt.Sprint(r.Status))))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Time, f.Host, f.Target = r.Time, r.bracketed(), absoluteOf(r, r.hostPort(), f.Target)
			f.Forwarded = first(r.Forwarded, r.Client.Addr().String()) // clients can set clientIp
		}},
		// Source: learn.microsoft.com/en-us/azure/application-gateway/application-gateway-diagnostics, access log of v2.
		{Format: "azure_app_gateway", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			path, query := r.pathQuery()
			tls := "off"
			if r.Scheme == "https" {
				tls = "on"
			}
			return append(b, object("timeStamp", text(r.utc("2006-01-02T15:04:05Z")), "resourceId", text("/SUBSCRIPTIONS/0/PROVIDERS/MICROSOFT.NETWORK/APPLICATIONGATEWAYS/X"), "operationName", text("ApplicationGatewayAccess"),
				"category", text("ApplicationGatewayAccessLog"), "properties", object("instanceId", text("appgw_2"), "clientIP", text(r.Client.Addr().String()), "clientPort", number(r.Client.Port()), "httpMethod", text(r.Method),
					"originalRequestUriWithArgs", text(r.Target), "requestUri", text(path), "requestQuery", text(query), "userAgent", header(r.Agent), "httpStatus", number(r.Status), "httpVersion", text(r.Protocol), "receivedBytes", "65",
					"sentBytes", number(r.Size), "timeTaken", "0.205", "sslEnabled", text(tls), "host", text(r.bracketed()), "originalHost", text(r.bracketed())))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Host, f.Target = r.bracketed(), absoluteOf(r, r.bracketed(), f.Target)
		}},
		// Source: elastic.co/docs/reference/ecs, http, url, source and user_agent.
		{Format: "ecs", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return append(b, object("@timestamp", text(r.utc("2006-01-02T15:04:05.000Z")), "ecs", object("version", text("8.11.0")), "event", object("category", `["web"]`, "type", `["access"]`), "source", object("ip", text(r.Client.Addr().String()), "port", number(r.Client.Port())),
				"http", object("request", object("method", text(r.Method), "referrer", header(r.Referer)), "response", object("status_code", number(r.Status), "body", object("bytes", number(r.Size))), "version", text("1.1")),
				"url", object("original", text(r.Target), "domain", text(r.bracketed()), "scheme", text(r.Scheme)), "user_agent", object("original", header(r.Agent)))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Host, f.Time, f.Target = r.bracketed(), r.Time.Truncate(time.Millisecond), absoluteOf(r, r.bracketed(), f.Target)
		}},
		// Source: the ingest pipeline of Filebeat's module iis: url.path and url.query are cs-uri-stem
		// and cs-uri-query.
		{Format: "ecs_iis", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			path, query := r.pathQuery()
			return append(b, object("@timestamp", text(r.utc("2006-01-02T15:04:05.000Z")), "event", object("module", text("iis")), "source", object("address", text(r.Client.Addr().String())),
				"destination", object("domain", text(r.bracketed())), "http", object("request", object("method", text(r.Method)), "response", object("status_code", number(r.Status), "body", object("bytes", number(r.Size)))),
				"url", object("path", text(decoded(path)), "query", text(query)), "user_agent", object("original", header(r.Agent)))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			path, query := r.pathQuery()
			f.Host, f.Time, f.Lossy = r.bracketed(), r.Time.Truncate(time.Millisecond), "decoded"
			if f.Target = valid(joined(ends.Replace(decoded(path)), query)); strings.ContainsRune(f.Target, '\ufffd') {
				f.Lossy = "rewritten"
			}
		}},
		// Sources: github.com/pinojs/pino-http and github.com/pinojs/pino-std-serializers. The names of
		// headers are in lower case.
		{Format: "pino", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" {
				return nil
			}
			headers := object("host", text(r.hostHeader()), "user-agent", header(r.Agent), "referer", header(r.Referer), "x-forwarded-for", header(r.Forwarded))
			return append(b, object("level", "30", "time", number(r.Time.UnixMilli()), "pid", "17", "hostname", text("web1"), "req", object("id", "1", "method", text(r.Method), "url", text(r.Target), "headers", headers,
				"remoteAddress", text(r.Client.Addr().String()), "remotePort", number(r.Client.Port())), "res", object("statusCode", number(r.Status), "headers", object("content-length", text(fmt.Sprint(r.Size)))),
				"responseTime", "4", "msg", text("request completed"))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Host, f.Forwarded, f.Time = r.hostHeader(), first(r.Forwarded, ""), r.Time.Truncate(time.Millisecond)
		}},
		// Source: techdocs.akamai.com/datastream2/docs/data-set-parameters. Every value is a string; UA
		// and the query are URL-encoded, the path too.
		{Format: "akamai", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			path, query := r.pathQuery()
			return append(b, object("version", text("1"), "streamId", text("12345"), "cp", text("123456"), "reqId", text("1239f220"), "reqTimeSec", text(fmt.Sprintf("%d.%03d", r.Time.Unix(), r.Time.Nanosecond()/1e6)),
				"bytes", text(fmt.Sprint(r.Size)), "cliIP", text(r.Client.Addr().String()), "statusCode", text(fmt.Sprint(r.Status)), "proto", text(r.Scheme), "reqHost", text(r.bracketed()), "reqMethod", text(r.Method),
				"reqPath", text(path), "reqPort", text(fmt.Sprint(r.Port)), "rspContentLen", text(fmt.Sprint(r.Size)), "UA", text(akamai(first(r.Agent, "-"))), "queryStr", text(or(query, "-")), "referer", text(akamai(first(r.Referer, "-"))))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Agent = first(r.Agent, "-")
			f.Time, f.Host = r.Time.Truncate(time.Millisecond), r.hostPort()
			path, query := r.pathQuery()
			f.Target = absoluteOf(r, f.Host, valid(joined(path, query)))
		}},
		// Source: the JSON template in Fastly's documentation of log streaming,
		// fastly.com/documentation/guides/integrations/logging/useful-log-formats. json.escape is Varnish's.
		{Format: "fastly_json", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return append(b, object("timestamp", text(r.utc("2006-01-02T15:04:05")), "client_ip", text(r.Client.Addr().String()), "geo_country", text("germany"), "host", text(r.bracketed()), "url", text(r.Target),
				"request_method", text(r.Method), "request_protocol", text(r.Protocol), "request_referer", text(first(r.Referer, "")), "request_user_agent", text(first(r.Agent, "")), "response_state", text("HIT"),
				"response_status", number(r.Status), "response_reason", text("OK"), "response_body_size", number(r.Size), "fastly_server", text("cache-fra1"), "fastly_is_edge", "true")...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Host, f.Addr, f.Forwarded = r.bracketed(), "", r.Client.Addr().String() // of a header that clients can send
		}},
		// Source: vercel.com/docs/drains/reference/logs.
		{Format: "vercel", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			proxy := object("timestamp", number(r.Time.UnixMilli()), "method", text(r.Method), "host", text(r.bracketed()), "path", text(r.Target), "userAgent", list(r.Agent), "region", text("sfo1"),
				"referer", header(r.Referer), "statusCode", number(r.Status), "clientIp", text(r.Client.Addr().String()), "scheme", text(r.Scheme), "responseByteSize", number(r.Size), "cacheId", text("pdx1::v8g4b"))
			return append(b, object("id", text("1573817250283254651097202070"), "deploymentId", text("dpl_233"), "source", text("static"), "host", text("my-app-abc123.vercel.app"), "timestamp", number(r.Time.UnixMilli()),
				"projectId", text("gdufoJxB6b9b1fEqr1jUtFkyavUU"), "level", text("info"), "path", text("/x"), "proxy", proxy)...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Time, f.Host = r.Time.Truncate(time.Millisecond), r.bracketed()
			f.Target = absoluteOf(r, f.Host, f.Target)
		}},
		// Source: docs.netlify.com/monitor-sites/log-drains, traffic logs.
		{Format: "netlify", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return append(b, object("account_id", text("5a1b"), "client_ip", text(r.Client.Addr().String()), "content_type", text("text/html"), "country", text("DE"), "duration", "12", "log_type", text("traffic"), "method", text(r.Method),
				"referrer", header(r.Referer), "request_id", text("01GAZ"), "response_size", number(r.Size), "site_id", text("0d3a"), "status_code", number(r.Status), "timestamp", text(r.utc("2006-01-02T15:04:05.000Z")), "url", text(r.absolute(r.bracketed())), "user_agent", header(r.Agent))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Time, f.Target = r.Time.Truncate(time.Millisecond), absoluteOf(r, r.bracketed(), f.Target)
		}},
		// The keys are the user's own; these are the usual names of nginx's variables.
		{Format: "nginx_json", Variant: "escape=json", write: func(b []byte, r *Request) []byte { return nginxObject(b, r, nginxJSON, "") },
			keep: func(f *Facts, r *Request) {
				f.Agent, f.Host, f.Forwarded = first(r.Agent, ""), r.bracketed(), first(r.Forwarded, "")
			}},
		{Format: "nginx_json", Variant: "default escaping", write: func(b []byte, r *Request) []byte { return nginxObject(b, r, nginx, "-") },
			keep: func(f *Facts, r *Request) { f.Host, f.Forwarded = r.bracketed(), first(r.Forwarded, "-") }},
		// Envoy with a json_format of the fields of its default text.
		// Source: envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage, "Format Dictionaries".
		{Format: "envoy_json", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" {
				return nil
			}
			orNull := func(s string) string { return or(s, "null") }
			return append(b, object("start_time", text(r.utc("2006-01-02T15:04:05.000Z")), "method", text(r.Method), "path", text(r.Target), "protocol", text(r.Protocol), "response_code", number(r.Status), "response_flags", text("-"),
				"bytes_received", "0", "bytes_sent", number(r.Size), "duration", "4", "x_forwarded_for", orNull(header(r.Forwarded)), "user_agent", orNull(header(r.Agent)), "request_id", text("f21e"), "authority", text(r.hostHeader()),
				"upstream_host", text("172.18.0.4:80"), "downstream_remote_address", text(r.Client.String()))...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Host, f.Forwarded, f.Time = r.hostHeader(), first(r.Forwarded, ""), r.Time.Truncate(time.Millisecond)
		}},
		// Apache with a LogFormat that looks like JSON: what Apache escapes as \xhh is not valid in JSON.
		{Format: "apache_json", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			return fmt.Appendf(b, `{"time":"%s","remoteIP":"%s","host":"%s","request":"%s","status":"%s","size":"%s","userAgent":"%s","referer":"%s"}`,
				r.clfTime(), r.Client.Addr(), r.bracketed(), apache(r.line()), status(r, "-"), sizeOrDash(r), apache(first(r.Agent, "-")), apache(first(r.Referer, "-")))
		}, keep: func(f *Facts, r *Request) { noSizeOfZero(f); f.Host = r.bracketed() }},
		// Source: docs.aws.amazon.com/waf/latest/developerguide/logging-fields.html. The uri has no query.
		{Format: "aws_waf", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			var headers []string
			add := func(name string, h []string) {
				if len(h) > 0 {
					headers = append(headers, object("name", text(name), "value", text(h[0])))
				}
			}
			add("Host", []string{r.hostHeader()})
			add("Referer", r.Referer)
			add("User-Agent", r.Agent)
			path, query := r.pathQuery()
			request := object("clientIp", text(r.Client.Addr().String()), "country", text("DE"), "headers", "["+strings.Join(headers, ",")+"]", "uri", text(path), "args", text(query), "httpVersion", text(r.Protocol), "httpMethod", text(r.Method), "requestId", text("1-58337262"))
			return append(b, object("timestamp", number(r.Time.UnixMilli()), "formatVersion", "1", "webaclId", text("arn:aws:wafv2:us-east-1:0:regional/webacl/x"), "terminatingRuleId", text("Default_Action"), "action", text("ALLOW"), "httpSourceName", text("ALB"), "httpRequest", request)...)
		}, keep: func(f *Facts, r *Request) {
			keepJSON(f, r)
			f.Status, f.Size = 0, NoSizes
			f.Host, f.Time, f.Target = r.hostHeader(), r.Time.Truncate(time.Millisecond), valid(joined(r.pathQuery()))
		}},
	}
}

// akamai percent-encodes a header for DataStream 2.
func akamai(s string) string {
	return each(s, func(c byte) string {
		if c <= ' ' || c >= 127 || strings.IndexByte(`"%<>\^{|}`, c) >= 0 {
			return fmt.Sprintf("%%%02X", c)
		}
		return ""
	})
}

func caddy(b []byte, r *Request, addresses bool) []byte {
	if r.Protocol == "" {
		return nil
	}
	proto := text(r.Protocol)
	headers := object("User-Agent", list(r.Agent), "Referer", list(r.Referer), "Accept", `["*/*"]`, "X-Forwarded-For", list(r.Forwarded))
	tls := ""
	if r.Scheme == "https" {
		tls = object("resumed", "false", "version", "772", "cipher_suite", "4865", "proto", text("h2"), "server_name", text(r.bracketed()))
	}
	ts := fmt.Sprintf("%d.%07d", r.Time.Unix(), r.Time.Nanosecond()/100)
	if addresses {
		request := object("remote_ip", text(r.Client.Addr().String()), "remote_port", text(fmt.Sprint(r.Client.Port())), "client_ip", text(r.Client.Addr().String()), "proto", proto, "method", text(r.Method),
			"host", text(r.hostHeader()), "uri", text(r.Target), "headers", headers, "tls", tls)
		return append(b, object("level", text("info"), "ts", ts, "logger", text("http.log.access.log0"), "msg", text("handled request"), "request", request, "bytes_read", "0", "user_id", text(r.User), "duration", "0.000929675",
			"size", number(r.Size), "status", number(r.Status), "resp_headers", object("Server", `["Caddy"]`, "Content-Type", `["text/html; charset=utf-8"]`))...)
	}
	request := object("remote_addr", text(r.Client.String()), "proto", proto, "method", text(r.Method), "host", text(r.hostHeader()), "uri", text(r.Target), "headers", headers, "tls", tls)
	return append(b, object("level", text("info"), "ts", ts, "logger", text("http.log.access"), "msg", text("handled request"), "request", request,
		"common_log", text(fmt.Sprintf(`%s - - [%s] "%s" %d %d`, r.Client.Addr(), r.clfTime(), r.line(), r.Status, r.Size)), "duration", "0.000929675",
		"size", number(r.Size), "status", number(r.Status), "resp_headers", object("Server", `["Caddy"]`))...)
}

func keepCaddy(f *Facts, r *Request) {
	keepJSON(f, r)
	f.Host, f.Time, f.Forwarded = r.hostHeader(), r.Time.Truncate(100*time.Nanosecond), first(r.Forwarded, "")
	f.Target = absoluteOf(r, f.Host, f.Target)
}

func cloudflare(b []byte, r *Request, at string) []byte {
	if r.Protocol == "" || !r.onPath() {
		return nil
	}
	tags := "[]"
	if r.Claim != "" {
		tags = `["verifiedBot","api"]`
	}
	return append(b, object("BotTags", tags, "ClientASN", "64500", "ClientCountry", text("de"), "ClientIP", text(r.Client.Addr().String()), "ClientRequestBytes", "220", "ClientRequestHost", text(r.hostHeader()),
		"ClientRequestMethod", text(r.Method), "ClientRequestPath", text("/never-read"), "ClientRequestProtocol", text(r.Protocol), "ClientRequestReferer", text(first(r.Referer, "")), "ClientRequestScheme", text(r.Scheme),
		"ClientRequestURI", text(r.Target), "ClientRequestUserAgent", text(first(r.Agent, "")), "EdgeEndTimestamp", at, "EdgeResponseBytes", number(r.Size), "EdgeResponseStatus", number(r.Status), "EdgeStartTimestamp", at,
		"RayID", text("7c0d1e2f3a4b5c6d"), "SecurityAction", text(""), "VerifiedBotCategory", text(r.Claim))...)
}

func keepCloudflare(f *Facts, r *Request) {
	keepJSON(f, r)
	f.Host, f.Claim = r.hostHeader(), r.Claim
	f.Target = absoluteOf(r, f.Host, f.Target)
}

// nginxObject is log_format with escape=json or without.
func nginxObject(b []byte, r *Request, escape func(string) string, missing string) []byte {
	return fmt.Appendf(b, `{"time_iso8601":"%s","remote_addr":"%s","remote_user":"%s","request":"%s","status":"%s","body_bytes_sent":"%d","http_referer":"%s","http_user_agent":"%s","http_x_forwarded_for":"%s","host":"%s","request_time":"0.010"}`,
		r.Time.Format("2006-01-02T15:04:05-07:00"), r.Client.Addr(), escape(or(r.User, missing)), escape(r.line()), status(r, "000"), r.Size, escape(first(r.Referer, missing)),
		escape(first(r.Agent, missing)), escape(first(r.Forwarded, missing)), r.bracketed())
}
