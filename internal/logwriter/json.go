package logwriter

import "strings"

// caddy is a line of Caddy since 2.5.
const caddy = `{"level":"info","ts":<unix:7>,"logger":"http.log.access.log0","msg":"handled request",
	"request":{"remote_ip":"<client>","remote_port":"<clientport>","client_ip":"<client>","proto":"<protocol>",
	"method":"<method>",
	"host":"<hostheader>","uri":"<target>",` + caddyHeaders + `},"bytes_read":0,"user_id":"<user>","duration":0.000929675,
	"size":<size>,"status":<status>,"resp_headers":{"Server":["Caddy"],"Content-Type":["text/html; charset=utf-8"]}}`

const caddyHeaders = `"headers":{<?agent>"User-Agent":["<agent>"],<?><?referer>"Referer":["<referer>"],<?>
	"Accept":["*/*"],<?forwarded>"X-Forwarded-For":["<forwarded>"]<?>},
	<?https>"tls":{"resumed":false,"version":772,"cipher_suite":4865,"proto":"h2","server_name":"<host>"}<?>`

const caddySays = "host=<hostheader> time=100ns forwarded=<forwarded> target=<urlheader>"

// cloudflare returns a writer of Cloudflare's Logpush, with times in one of its ways.
func cloudflare(variant, at, says string) *Writer {
	return &Writer{
		Format: "cloudflare", Variant: variant, only: "http path", escape: quoted, json: true,
		line: strings.ReplaceAll(`{"BotTags":[<?claim>"verifiedBot","api"<?>],"ClientASN":64500,"ClientCountry":"de",
			"ClientIP":"<client>",
			"ClientRequestBytes":220,"ClientRequestHost":"<hostheader>","ClientRequestMethod":"<method>",
			"ClientRequestPath":"/never-read",
			"ClientRequestProtocol":"<protocol>","ClientRequestReferer":"<referer>","ClientRequestScheme":"<scheme>",
			"ClientRequestURI":"<target>","ClientRequestUserAgent":"<agent>","EdgeEndTimestamp":AT,"EdgeResponseBytes":<size>,
			"EdgeResponseStatus":<status>,"EdgeStartTimestamp":AT,"RayID":"7c0d1e2f3a4b5c6d","SecurityAction":"",
			"VerifiedBotCategory":"<claim>"}`, "AT", at),
		says: "host=<hostheader> claim=<claim> target=<urlheader> " + says,
	}
}

// nginxObject is log_format with escape=json or without.
const nginxObject = `{"time_iso8601":"<time:2006-01-02T15:04:05-07:00>","remote_addr":"<client>",
	"remote_user":"<user>","request":"<line>",
	"status":"<status|000>","body_bytes_sent":"<size>","http_referer":"<referer>","http_user_agent":"<agent>",
	"http_x_forwarded_for":"<forwarded>","host":"<host>","request_time":"0.010"}`

// jsonWriters write formats of which each line is a JSON object.
func jsonWriters() []*Writer {
	const seconds, nanos = "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000000000Z"
	writers := []*Writer{
		// Sources: caddyserver.com/docs/logging, and the golang struct
		// LoggableHTTPRequest in github.com/caddyserver/caddy, modules/caddyhttp/marshalers.go.
		{Format: "caddy", only: "http", line: caddy, says: caddySays},
		// Before 2.5 there were remote_addr with the port and common_log.
		{
			Format: "caddy_old", only: "http", says: caddySays,
			line: `{"level":"info","ts":<unix:7>,"logger":"http.log.access","msg":"handled request",
				"request":{"remote_addr":"<peer>","proto":"<protocol>","method":"<method>","host":"<hostheader>",
				"uri":"<target>",` + caddyHeaders + `},
				"common_log":"<client> - - [` + clock + `] \"<line>\" <status> <size>","duration":0.000929675,"size":<size>,
				"status":<status>,"resp_headers":{"Server":["Caddy"]}}`,
		},
		// Sources: doc.traefik.io/traefik/observability/access-logs, with
		// accesslog.fields.headers.names.User-Agent=keep; pkg/middlewares/accesslog/logger.go in
		// github.com/traefik/traefik, where ClientHost is X-Forwarded-For if there is one.
		{
			Format: "traefik_json", only: "http", says: "time=1ns host=<hostheader> forwarded=<via> target=<urlheader>",
			line: `{"ClientAddr":"<peer>","ClientHost":"<via>","ClientPort":"<clientport>","ClientUsername":"<user|->",
				"DownstreamContentSize":<size>,"DownstreamStatus":<status>,"Duration":3201433,"OriginContentSize":<size>,
				"OriginStatus":<status>,
				"RequestAddr":"<hostheader>","RequestContentSize":0,"RequestCount":12,"RequestHost":"<host>",
				"RequestMethod":"<method>",
				"RequestPath":"<target>","RequestPort":"<?usual>-<?><?!usual><port><?>","RequestProtocol":"<protocol>",
				"RequestScheme":"<scheme>","RetryAttempts":0,"StartLocal":"<utc:` + nanos + `>","StartUTC":"<utc:` + nanos + `>",
				"entryPointName":"websecure","level":"info","msg":"",<?referer>"request_Referer":"<referer>",<?>
				<?agent>"request_User-Agent":"<agent>",<?>"time":"<utc:` + seconds + `>"}`,
		},
		// Source: developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests.
		cloudflare("nanoseconds", "<nanos>", "time=1ns"),
		cloudflare("RFC 3339", `"<utc:`+seconds+`>"`, ""),
		cloudflare("seconds", "<seconds>", ""),
		// Source: cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#HttpRequest. int64
		// values are strings.
		{
			Format: "gcp", only: "http path", says: "time=1ns target=<urlheader>",
			line: `{"insertId":"1oek5rg3l3fxj7",
				"jsonPayload":{"@type":"type.googleapis.com/google.cloud.loadbalancing.type.LoadBalancerLogEntry",
				"statusDetails":"response_sent_by_backend"},"httpRequest":{"requestMethod":"<method>","requestUrl":"<urlheader>",
				"requestSize":"220","status":<status>,
				"responseSize":"<size>",<?agent>"userAgent":"<agent>",<?>"remoteIp":"<client>",
				"serverIp":"10.0.0.2",<?referer>"referer":"<referer>",<?>"latency":"0.058s","protocol":"<protocol>"},
				"resource":{"type":"http_load_balancer"},"timestamp":"<utc:` + nanos + `>","severity":"INFO",
				"logName":"projects/p/logs/requests"}`,
		},
		// Source: learn.microsoft.com/en-us/azure/frontdoor/front-door-diagnostics, access log.
		// Numbers are strings. Clients can set clientIp.
		{
			Format: "azure_front_door", only: "http path", says: "time=1ns host=<host> target=<urlport> forwarded=<via>",
			line: `{"time":"<utc:2006-01-02T15:04:05.0000000Z>",
				"resourceId":"/SUBSCRIPTIONS/0/PROVIDERS/MICROSOFT.CDN/PROFILES/X",
				"category":"FrontDoorAccessLog","operationName":"Microsoft.Cdn/Profiles/AccessLog/Write",
				"properties":{"trackingReference":"0x","httpMethod":"<method>","httpVersion":"1.1.0.0","requestUri":"<urlport>",
				"hostName":"<host>","requestBytes":"220","responseBytes":"<size>",<?agent>"userAgent":"<agent>",<?>
				<?referer>"referer":"<referer>",<?>"clientIp":"<via>","clientPort":"<clientport>","socketIp":"<client>",
				"timeTaken":"0.046","httpStatusCode":"<status>"}}`,
		},
		// Source:
		// learn.microsoft.com/en-us/azure/application-gateway/application-gateway-diagnostics,
		// access log of v2.
		{
			Format: "azure_app_gateway", only: "http path", says: "host=<host> target=<url>",
			line: `{"timeStamp":"<utc:` + seconds + `>",
				"resourceId":"/SUBSCRIPTIONS/0/PROVIDERS/MICROSOFT.NETWORK/APPLICATIONGATEWAYS/X",
				"operationName":"ApplicationGatewayAccess","category":"ApplicationGatewayAccessLog",
				"properties":{"instanceId":"appgw_2","clientIP":"<client>","clientPort":<clientport>,"httpMethod":"<method>",
				"originalRequestUriWithArgs":"<target>","requestUri":"<path>",
				"requestQuery":"<query>",<?agent>"userAgent":"<agent>",<?>
				"httpStatus":<status>,"httpVersion":"<protocol>","receivedBytes":65,"sentBytes":<size>,"timeTaken":0.205,
				"sslEnabled":"<?https>on<?><?!https>off<?>","host":"<host>","originalHost":"<host>"}}`,
		},
		// Source: elastic.co/docs/reference/ecs, http, url, source and user_agent.
		{
			Format: "ecs", only: "http path", says: "host=<host> time=1ms target=<url>",
			line: `{"@timestamp":"<utc:` + iso + `>","ecs":{"version":"8.11.0"},"event":{"category":["web"],"type":["access"]},
				"source":{"ip":"<client>","port":<clientport>},
				"http":{"request":{"method":"<method>",<?referer>"referrer":"<referer>"<?>},
				"response":{"status_code":<status>,"body":{"bytes":<size>}},"version":"1.1"},
				"url":{"original":"<target>","domain":"<host>","scheme":"<scheme>"},
				"user_agent":{<?agent>"original":"<agent>"<?>}}`,
		},
		// Source: the ingest pipeline of Filebeat's module iis: url.path and url.query are
		// cs-uri-stem and cs-uri-query.
		{
			Format: "ecs_iis", only: "http path", says: "host=<host> time=1ms lossy=decoded",
			line: `{"@timestamp":"<utc:` + iso + `>","event":{"module":"iis"},"source":{"address":"<client>"},
				"destination":{"domain":"<host>"},
				"http":{"request":{"method":"<method>"},"response":{"status_code":<status>,"body":{"bytes":<size>}}},
				"url":{"path":"<decoded>","query":"<query>"},"user_agent":{<?agent>"original":"<agent>"<?>}}`,
			keep: func(f *Facts, r *Request) {
				path, query := r.pathQuery()
				f.Target = joined(ends.Replace(decoded(path)), query)
			},
		},
		// Sources: github.com/pinojs/pino-http and github.com/pinojs/pino-std-serializers. The
		// names of headers are in lower case.
		{
			Format: "pino", only: "http", says: "host=<hostheader> forwarded=<forwarded> time=1ms",
			line: `{"level":30,"time":<millis>,"pid":17,"hostname":"web1","req":{"id":1,"method":"<method>","url":"<target>",
				"headers":{"host":"<hostheader>",<?agent>"user-agent":"<agent>",<?><?referer>"referer":"<referer>",<?>
				<?forwarded>"x-forwarded-for":"<forwarded>"<?>},"remoteAddress":"<client>","remotePort":<clientport>},
				"res":{"statusCode":<status>,"headers":{"content-length":"<size>"}},"responseTime":4,"msg":"request completed"}`,
		},
		// Source: techdocs.akamai.com/datastream2/docs/data-set-parameters. Every value is a
		// string; UA and the query are URL-encoded, the path too.
		{
			Format: "akamai", only: "http path",
			says: "agent=<agent|-> time=1ms host=<hostport> target=<scheme>://<hostport><joined>",
			line: `{"version":"1","streamId":"12345","cp":"123456","reqId":"1239f220","reqTimeSec":"<unix:3>","bytes":"<size>",
				"cliIP":"<client>","statusCode":"<status>","proto":"<scheme>","reqHost":"<host>","reqMethod":"<method>",
				"reqPath":"<path>",
				"reqPort":"<port>","rspContentLen":"<size>","UA":"<?agent><agent%><?><?!agent>-<?>","queryStr":"<query|->",
				"referer":"<?referer><referer%><?><?!referer>-<?>"}`,
			keep: func(f *Facts, r *Request) { f.Agent = first(r.Agent, "-") },
		},
		// Source: the JSON template in Fastly's documentation of log streaming,
		// fastly.com/documentation/guides/integrations/logging/useful-log-formats. json.escape is
		// Varnish's. client_ip is of a header that clients can send.
		{
			Format: "fastly_json", only: "http path", says: "host=<host> addr= forwarded=<client>",
			line: `{"timestamp":"<utc:2006-01-02T15:04:05>","client_ip":"<client>","geo_country":"germany","host":"<host>",
				"url":"<target>",
				"request_method":"<method>","request_protocol":"<protocol>","request_referer":"<referer>",
				"request_user_agent":"<agent>",
				"response_state":"HIT","response_status":<status>,"response_reason":"OK","response_body_size":<size>,
				"fastly_server":"cache-fra1","fastly_is_edge":true}`,
		},
		// Source: vercel.com/docs/drains/reference/logs.
		{
			Format: "vercel", only: "http path", says: "time=1ms host=<host> target=<url>",
			line: `{"id":"1573817250283254651097202070","deploymentId":"dpl_233","source":"static",
				"host":"my-app-abc123.vercel.app",
				"timestamp":<millis>,"projectId":"gdufoJxB6b9b1fEqr1jUtFkyavUU","level":"info","path":"/x",
				"proxy":{"timestamp":<millis>,"method":"<method>","host":"<host>",
				"path":"<target>",<?agent>"userAgent":["<agent>"],<?>
				"region":"sfo1",<?referer>"referer":"<referer>",<?>"statusCode":<status>,"clientIp":"<client>","scheme":"<scheme>",
				"responseByteSize":<size>,"cacheId":"pdx1::v8g4b"}}`,
		},
		// Source: docs.netlify.com/monitor-sites/log-drains, traffic logs.
		{
			Format: "netlify", only: "http path", says: "time=1ms target=<url>",
			line: `{"account_id":"5a1b","client_ip":"<client>","content_type":"text/html","country":"DE","duration":12,
				"log_type":"traffic",
				"method":"<method>",<?referer>"referrer":"<referer>",<?>"request_id":"01GAZ","response_size":<size>,
				"site_id":"0d3a",
				"status_code":<status>,"timestamp":"<utc:` + iso + `>","url":"<url>",<?agent>"user_agent":"<agent>"<?>}`,
		},
		// Envoy with a json_format of the fields of its default text.
		// Source: envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage,
		// "Format Dictionaries".
		{
			Format: "envoy_json", only: "http", says: "host=<hostheader> forwarded=<forwarded> time=1ms",
			line: `{"start_time":"<utc:` + iso + `>","method":"<method>","path":"<target>","protocol":"<protocol>",
				"response_code":<status>,
				"response_flags":"-","bytes_received":0,"bytes_sent":<size>,"duration":4,
				"x_forwarded_for":<?forwarded>"<forwarded>"<?><?!forwarded>null<?>,
				"user_agent":<?agent>"<agent>"<?><?!agent>null<?>,
				"request_id":"f21e","authority":"<hostheader>","upstream_host":"172.18.0.4:80",
				"downstream_remote_address":"<peer>"}`,
		},
		// Source: docs.aws.amazon.com/waf/latest/developerguide/logging-fields.html. The uri has
		// no query.
		{
			Format: "aws_waf", only: "http path", says: "status=0 size=none host=<hostheader> time=1ms target=<joined>",
			line: `{"timestamp":<millis>,"formatVersion":1,"webaclId":"arn:aws:wafv2:us-east-1:0:regional/webacl/x",
				"terminatingRuleId":"Default_Action","action":"ALLOW","httpSourceName":"ALB",
				"httpRequest":{"clientIp":"<client>","country":"DE",
				"headers":[{"name":"Host","value":"<hostheader>"},<?referer>{"name":"Referer","value":"<referer>"},<?>
				<?agent>{"name":"User-Agent","value":"<agent>"}<?>],"uri":"<path>","args":"<query>","httpVersion":"<protocol>",
				"httpMethod":"<method>","requestId":"1-58337262"}}`,
		},
	}
	for _, w := range writers {
		w.escape, w.json = quoted, true
	}
	return append(writers,
		// The keys are the user's own; these are the usual names of nginx's variables.
		&Writer{
			Format: "nginx_json", Variant: "escape=json", escape: nginxJSON, missing: "none", line: nginxObject,
			says: "agent=<agent> host=<host> forwarded=<forwarded>",
		},
		&Writer{
			Format: "nginx_json", Variant: "default escaping", escape: nginx, line: nginxObject,
			says: "host=<host> forwarded=<forwarded>",
		},
		// Apache with a LogFormat that looks like JSON: what Apache escapes as \xhh is not valid
		// in JSON.
		&Writer{
			Format: "apache_json", only: "http path", escape: apache, says: "size=- host=<host>",
			line: `{"time":"` + clock + `","remoteIP":"<client>","host":"<host>","request":"<line>","status":"<status|->",
				"size":"<size|->",
				"userAgent":"<agent>","referer":"<referer>"}`,
		})
}
