package format

// sampleAgent is the User-Agent of the samples, which are all of the same request.
const sampleAgent = `Mozilla/5.0 (compatible; FooBot/1.0)`

// jsonFormats are the formats of which each line is a JSON object, the more specific first.
// The names of members are those of the documentation named at each.
var jsonFormats = []*Format{
	// caddyserver.com/docs/logging; modules/caddyhttp/marshalers.go in
	// github.com/caddyserver/caddy. client_ip is since 2.7, remote_ip since 2.5.
	jsonFormat("caddy", "Caddy since 2.5",
		`{"level":"info","ts":1772600767.0,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"192.0.2.1","remote_port":"51234","client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"www.example.com","uri":"/a?b=c","headers":{"User-Agent":["`+sampleAgent+`"]},"tls":{"version":772}},"duration":0.01,"size":1234,"status":200}`,
		[]string{"request.remote_ip"},
		caddyFields("request.client_ip", "request.remote_ip")),
	jsonFormat("caddy_old", "Caddy 2.0 to 2.4",
		`{"level":"info","ts":1772600767.0,"logger":"http.log.access","msg":"handled request","request":{"remote_addr":"192.0.2.1:51234","proto":"HTTP/2.0","method":"GET","host":"www.example.com","uri":"/a?b=c","headers":{"User-Agent":["`+sampleAgent+`"]},"tls":{"version":772}},"common_log":"192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] \"GET /a?b=c HTTP/2.0\" 200 1234","duration":0.01,"size":1234,"status":200}`,
		[]string{"request.remote_addr"},
		caddyFields("request.remote_addr")),

	// doc.traefik.io/traefik/observability/access-logs. The User-Agent is logged only with
	// accesslog.fields.headers.names.User-Agent=keep. ClientHost is X-Forwarded-For if there is one:
	// pkg/middlewares/accesslog/logger.go in github.com/traefik/traefik.
	jsonFormat("traefik_json", "Traefik with accesslog.format=json",
		`{"ClientAddr":"192.0.2.1:51234","ClientHost":"192.0.2.1","DownstreamContentSize":1234,"DownstreamStatus":200,"RequestAddr":"www.example.com","RequestHost":"www.example.com","RequestMethod":"GET","RequestPath":"/a?b=c","RequestProtocol":"HTTP/1.1","RequestScheme":"https","StartUTC":"2026-03-04T05:06:07Z","entryPointName":"websecure","level":"info","msg":"","request_User-Agent":"`+sampleAgent+`","time":"2026-03-04T05:06:07Z"}`,
		[]string{"RequestPath", "DownstreamStatus"},
		[]jsonField{
			{part: clientAddr, paths: []string{"ClientAddr", "ClientHost"}},
			{part: forwardedFor, paths: []string{"request_X-Forwarded-For", "ClientHost"}},
			{part: hostName, paths: []string{"RequestAddr", "RequestHost"}},
			{part: schemeName, paths: []string{"RequestScheme"}},
			{part: userAgent, paths: []string{"request_User-Agent"}},
			{part: referrer, paths: []string{"request_Referer"}},
			{part: methodName, paths: []string{"RequestMethod"}},
			{part: target, paths: []string{"RequestPath"}},
			{part: statusCode, paths: []string{"DownstreamStatus"}},
			{part: bodySize, paths: []string{"DownstreamContentSize"}},
			{part: moment, paths: []string{"StartUTC", "StartLocal", "time"}},
		}),

	// developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests. A job
	// chooses the fields, and writes times as nanoseconds, seconds or RFC 3339. ClientRequestPath
	// lacks the query.
	sampled(jsonFormat("cloudflare", "Cloudflare Logpush",
		`{"ClientIP":"192.0.2.1","ClientRequestHost":"www.example.com","ClientRequestMethod":"GET","ClientRequestScheme":"https","ClientRequestURI":"/a?b=c","ClientRequestUserAgent":"`+sampleAgent+`","EdgeResponseBytes":1234,"EdgeResponseStatus":200,"EdgeStartTimestamp":"2026-03-04T05:06:07Z","RayID":"7c0d1e2f3a4b5c6d","VerifiedBotCategory":""}`,
		[]string{"ClientRequestHost", "EdgeStartTimestamp"},
		[]jsonField{
			{part: clientAddr, paths: []string{"ClientIP"}},
			{part: hostName, paths: []string{"ClientRequestHost"}},
			{part: schemeName, paths: []string{"ClientRequestScheme"}},
			{part: userAgent, paths: []string{"ClientRequestUserAgent"}},
			{part: referrer, paths: []string{"ClientRequestReferer"}},
			{part: methodName, paths: []string{"ClientRequestMethod"}},
			{part: target, paths: []string{"ClientRequestURI"}},
			{part: rewrittenPath, paths: []string{"ClientRequestPath"}},
			{part: statusCode, paths: []string{"EdgeResponseStatus"}},
			{part: bodySize, paths: []string{"EdgeResponseBodyBytes"}},
			{part: sentSize, paths: []string{"EdgeResponseBytes"}},
			{part: moment, paths: []string{"EdgeStartTimestamp"}},
			{part: botClaim, paths: []string{"VerifiedBotCategory", "BotTags.0"}},
		})),

	// cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#HttpRequest: load balancers,
	// Cloud CDN and Cloud Run. The protoPayload is that of App Engine,
	// google.appengine.logging.v1.RequestLog.
	sampled(jsonFormat("gcp", "Google Cloud: load balancers, Cloud Run, App Engine",
		`{"httpRequest":{"latency":"0.058s","remoteIp":"192.0.2.1","requestMethod":"GET","requestSize":"220","requestUrl":"https://www.example.com/a?b=c","responseSize":"1234","status":200,"userAgent":"`+sampleAgent+`"},"insertId":"1oek5rg3l3fxj7","logName":"projects/p/logs/requests","resource":{"type":"http_load_balancer"},"timestamp":"2026-03-04T05:06:07Z"}`,
		[]string{"logName", "timestamp"},
		[]jsonField{
			{part: clientAddr, paths: []string{"httpRequest.remoteIp", "protoPayload.ip"}},
			{part: hostName, paths: []string{"protoPayload.host"}},
			{part: userAgent, paths: []string{"httpRequest.userAgent", "protoPayload.userAgent"}},
			{part: methodName, paths: []string{"httpRequest.requestMethod", "protoPayload.method"}},
			{part: target, paths: []string{"httpRequest.requestUrl", "protoPayload.resource"}},
			{part: statusCode, paths: []string{"httpRequest.status", "protoPayload.status"}},
			{part: sentSize, paths: []string{"httpRequest.responseSize", "protoPayload.responseSize"}},
			{part: moment, paths: []string{"protoPayload.startTime", "timestamp"}},
		})),

	// learn.microsoft.com/azure/frontdoor/front-door-diagnostics, and .../cdn/enable-raw-logs for
	// the classic tiers, where a request to the parent cache has a line of its own. Clients can set clientIp, by a
	// header: .../frontdoor/front-door-http-headers-protocol, X-Azure-SocketIP.
	jsonFormat("azure_front_door", "Azure Front Door and CDN",
		`{"time":"2026-03-04T05:06:07.0000000Z","category":"FrontDoorAccessLog","operationName":"Microsoft.Cdn/Profiles/AccessLog/Write","properties":{"httpMethod":"GET","httpVersion":"2.0.0.0","requestUri":"https://www.example.com:443/a?b=c","hostName":"www.example.com","responseBytes":"1234","userAgent":"`+sampleAgent+`","clientIp":"192.0.2.1","socketIp":"192.0.2.1","httpStatusCode":"200"}}`,
		[]string{"properties.requestUri", "properties.httpStatusCode", "properties.isReceivedFromClient!=false"},
		[]jsonField{
			{part: clientAddr, paths: []string{"properties.socketIp"}},
			{part: forwardedFor, paths: []string{"properties.clientIp", "properties.clientIP"}},
			{part: hostName, paths: []string{"properties.hostName", "properties.hostname"}},
			{part: userAgent, paths: []string{"properties.userAgent"}},
			{part: methodName, paths: []string{"properties.httpMethod"}},
			{part: target, paths: []string{"properties.requestUri"}},
			{part: statusCode, paths: []string{"properties.httpStatusCode"}},
			{part: sentSize, paths: []string{"properties.responseBytes"}},
			{part: moment, paths: []string{"time"}},
		}),

	// learn.microsoft.com/azure/application-gateway/monitor-application-gateway-reference. What
	// came in is originalRequestUriWithArgs; requestUri may be rewritten, and requestQuery has
	// the gateway's own words in v1.
	jsonFormat("azure_app_gateway", "Azure Application Gateway",
		`{"timeStamp":"2026-03-04T05:06:07+00:00","category":"ApplicationGatewayAccessLog","operationName":"ApplicationGatewayAccess","properties":{"clientIP":"192.0.2.1","httpMethod":"GET","originalRequestUriWithArgs":"/a?b=c","requestUri":"/a","requestQuery":"b=c","userAgent":"`+sampleAgent+`","httpStatus":200,"sentBytes":1234,"sslEnabled":"on","host":"www.example.com","originalHost":"www.example.com"}}`,
		[]string{"properties.requestUri", "properties.httpStatus"},
		[]jsonField{
			{part: clientAddr, paths: []string{"properties.clientIP", "properties.clientIp"}},
			{part: hostName, paths: []string{"properties.originalHost", "properties.host"}},
			{part: tlsInUse, paths: []string{"properties.sslEnabled"}},
			{part: userAgent, paths: []string{"properties.userAgent"}},
			{part: methodName, paths: []string{"properties.httpMethod"}},
			{part: target, paths: []string{"properties.originalRequestUriWithArgs"}},
			{part: rewrittenPath, paths: []string{"properties.requestUri"}},
			{part: query, paths: []string{"properties.requestQuery"}},
			{part: statusCode, paths: []string{"properties.httpStatus"}},
			{part: sentSize, paths: []string{"properties.sentBytes"}},
			{part: moment, paths: []string{"timeStamp", "time"}},
		}),

	// techdocs.akamai.com/datastream2/docs/data-set-parameters. Every value is a string; blanks
	// and what is no ASCII are percent-encoded.
	jsonFormat("akamai", "Akamai DataStream 2",
		`{"version":"1","streamId":"12345","cp":"123456","reqId":"1239f220","reqTimeSec":"1772600767.000","bytes":"1234","cliIP":"192.0.2.1","statusCode":"200","proto":"https","reqHost":"www.example.com","reqMethod":"GET","reqPath":"/a","queryStr":"b=c","UA":"Mozilla/5.0%20(compatible;%20FooBot/1.0)"}`,
		[]string{"reqTimeSec", "cliIP"},
		[]jsonField{
			{part: clientAddr, paths: []string{"cliIP"}},
			{part: forwardedFor, paths: []string{"xForwardedFor"}},
			{part: hostName, paths: []string{"reqHost"}},
			{part: serverPort, paths: []string{"reqPort"}},
			{part: schemeName, paths: []string{"proto"}},
			{part: userAgent, paths: []string{"UA"}, spell: percents},
			{part: methodName, paths: []string{"reqMethod"}},
			{part: path, paths: []string{"reqPath"}},
			{part: query, paths: []string{"queryStr"}},
			{part: statusCode, paths: []string{"statusCode"}},
			{part: bodySize, paths: []string{"bytes", "rspContentLen"}},
			{part: sentSize, paths: []string{"totalBytes"}},
			{part: moment, paths: []string{"reqTimeSec"}},
		}),

	// vercel.com/docs/drains/reference/logs. Entries without proxy are messages of functions
	// and builds.
	sampled(jsonFormat("vercel", "Vercel log drains",
		`{"id":"1573817250283254651097202070","source":"static","host":"my-app-abc123.vercel.app","timestamp":1772600767000,"proxy":{"timestamp":1772600767000,"method":"GET","host":"www.example.com","path":"/a?b=c","userAgent":["`+sampleAgent+`"],"statusCode":200,"clientIp":"192.0.2.1","scheme":"https","responseByteSize":1234}}`,
		[]string{"proxy.path", "proxy.timestamp"},
		[]jsonField{
			{part: clientAddr, paths: []string{"proxy.clientIp"}},
			{part: hostName, paths: []string{"proxy.host"}},
			{part: schemeName, paths: []string{"proxy.scheme"}},
			{part: userAgent, paths: []string{"proxy.userAgent.0"}},
			{part: methodName, paths: []string{"proxy.method"}},
			{part: target, paths: []string{"proxy.path"}},
			{part: statusCode, paths: []string{"proxy.statusCode", "statusCode"}},
			{part: sentSize, paths: []string{"proxy.responseByteSize"}},
			{part: moment, paths: []string{"proxy.timestamp"}},
		})),

	// docs.netlify.com/manage/monitoring/log-drains, traffic logs. Without personal data the
	// address and the User-Agent are missing.
	jsonFormat("netlify", "Netlify log drains",
		`{"client_ip":"192.0.2.1","log_type":"traffic","method":"GET","request_id":"01GAZ","response_size":1234,"status_code":200,"timestamp":"2026-03-04T05:06:07.000Z","url":"https://www.example.com/a?b=c","user_agent":"`+sampleAgent+`"}`,
		[]string{"log_type=traffic", "url"},
		[]jsonField{
			{part: clientAddr, paths: []string{"client_ip"}},
			{part: userAgent, paths: []string{"user_agent"}},
			{part: methodName, paths: []string{"method"}},
			{part: target, paths: []string{"url"}},
			{part: statusCode, paths: []string{"status_code"}},
			{part: sentSize, paths: []string{"response_size"}},
			{part: moment, paths: []string{"timestamp"}},
		}),

	// docs.aws.amazon.com/waf/latest/developerguide/logging-fields.html. The names of headers are
	// as the client sent them.
	sampled(jsonFormat("aws_waf", "AWS WAF",
		`{"timestamp":1772600767000,"formatVersion":1,"webaclId":"arn:aws:wafv2:us-east-1:0:regional/webacl/x","action":"ALLOW","httpSourceName":"ALB","httpRequest":{"clientIp":"192.0.2.1","country":"DE","headers":[{"name":"Host","value":"www.example.com"},{"name":"User-Agent","value":"`+sampleAgent+`"}],"uri":"/a","args":"b=c","httpVersion":"HTTP/1.1","httpMethod":"GET"}}`,
		[]string{"webaclId", "httpRequest.uri"},
		[]jsonField{
			{part: clientAddr, paths: []string{"httpRequest.clientIp"}},
			{part: forwardedFor, paths: []string{"httpRequest.headers.name=x-forwarded-for.value"}},
			{part: hostName, paths: []string{"httpRequest.headers.name=host.value", "httpRequest.host"}},
			{part: userAgent, paths: []string{"httpRequest.headers.name=user-agent.value"}},
			{part: methodName, paths: []string{"httpRequest.httpMethod"}},
			{part: path, paths: []string{"httpRequest.uri"}},
			{part: query, paths: []string{"httpRequest.args"}},
			{part: statusCode, paths: []string{"responseCodeSent"}},
			{part: moment, paths: []string{"timestamp"}},
		})),

	// istio.io/latest/docs/tasks/observability/logs/access-log, accessLogEncoding: JSON; Envoy's
	// json_format of the same names.
	jsonFormat("envoy_json", "Envoy, Istio and Envoy Gateway with JSON",
		`{"authority":"www.example.com","bytes_received":0,"bytes_sent":1234,"downstream_remote_address":"192.0.2.1:51234","duration":4,"method":"GET","path":"/a?b=c","protocol":"HTTP/1.1","response_code":200,"response_flags":"-","start_time":"2026-03-04T05:06:07.000Z","user_agent":"`+sampleAgent+`","x_forwarded_for":null}`,
		[]string{"start_time", "response_code"},
		[]jsonField{
			{part: clientAddr, paths: []string{"downstream_remote_address", "downstream_direct_remote_address"}},
			{part: forwardedFor, paths: []string{"x_forwarded_for", "x-forwarded-for"}},
			{part: hostName, paths: []string{"authority", ":authority", "host"}},
			{part: schemeName, paths: []string{"scheme"}},
			{part: userAgent, paths: []string{"user_agent", "user-agent"}},
			{part: methodName, paths: []string{"method"}},
			{part: target, paths: []string{"x_envoy_original_path", "x-envoy-origin-path", "path"}},
			{part: statusCode, paths: []string{"response_code"}},
			{part: bodySize, paths: []string{"bytes_sent"}},
			{part: moment, paths: []string{"start_time"}},
		}),

	// fastly.com/documentation/guides/integrations/logging/useful-log-formats, JSON. client_ip is
	// the header Fastly-Client-IP, which clients may send themselves: .../http-headers/Fastly-Client-IP.
	jsonFormat("fastly_json", "Fastly with its JSON template",
		`{"timestamp":"2026-03-04T05:06:07","client_ip":"192.0.2.1","host":"www.example.com","url":"/a?b=c","request_method":"GET","request_protocol":"HTTP/1.1","request_user_agent":"`+sampleAgent+`","response_state":"HIT","response_status":200,"response_body_size":1234}`,
		[]string{"url", "response_status"},
		[]jsonField{
			{part: forwardedFor, paths: []string{"client_ip"}},
			{part: hostName, paths: []string{"host"}},
			{part: userAgent, paths: []string{"request_user_agent"}},
			{part: methodName, paths: []string{"request_method"}},
			{part: target, paths: []string{"url"}},
			{part: statusCode, paths: []string{"response_status"}},
			{part: bodySize, paths: []string{"response_body_size"}},
			{part: moment, paths: []string{"timestamp", "time_start"}},
		}),

	// No document names the keys of this; they are those of the LogFormat that most guides give:
	// "time":"%t", "remoteIP":"%a", "host":"%V", "request":"%U", "query":"%q", "method":"%m",
	// "userAgent":"%{User-agent}i". Others have %r for the request.
	jsonFormat("apache_json", "Apache with a LogFormat of JSON",
		`{"time":"[04/Mar/2026:05:06:07 +0000]","remoteIP":"192.0.2.1","host":"www.example.com","request":"GET /a?b=c HTTP/1.1","status":"200","size":"1234","userAgent":"`+sampleAgent+`","referer":"-"}`,
		[]string{"remoteIP", "request"},
		[]jsonField{
			{part: clientAddr, paths: []string{"remoteIP"}},
			{part: hostName, paths: []string{"host"}},
			{part: userAgent, paths: []string{"userAgent"}},
			{part: methodName, paths: []string{"method"}},
			{part: requestLine, paths: []string{"request"}},
			{part: rewrittenPath, paths: []string{"request"}},
			{part: query, paths: []string{"query"}},
			{part: statusCode, paths: []string{"status"}},
			{part: bodySize, paths: []string{"size", "bytes"}},
			{part: sentSize, paths: []string{"bytesSent"}},
			{part: moment, paths: []string{"time"}},
		}),

	// nginx.org/en/docs/http/ngx_http_log_module.html#log_format. The keys are the user's own;
	// most are the names of nginx's variables, or those that guides use. uri may be $uri, which
	// nginx decodes and rewrites.
	jsonFormat("nginx_json", "nginx with a log_format of JSON",
		`{"time_iso8601":"2026-03-04T05:06:07+00:00","remote_addr":"192.0.2.1","host":"www.example.com","request_method":"GET","request_uri":"/a?b=c","status":200,"body_bytes_sent":1234,"http_referer":"","http_user_agent":"`+sampleAgent+`"}`,
		nil, []jsonField{
			{part: clientAddr, paths: []string{"remote_addr", "remote_ip", "client_ip", "clientip", "clientIp", "ip", "client", "remote_host", "remoteAddr", "src_ip", "realip_remote_addr"}},
			{part: forwardedFor, paths: []string{"http_x_forwarded_for", "x_forwarded_for", "xff", "forwarded_for", "http_x_forwarded"}},
			{part: hostName, paths: []string{"http_host", "host", "vhost", "server_name", "domain", "hostname", "site"}},
			{part: schemeName, paths: []string{"scheme", "request_scheme"}},
			{part: referrer, paths: []string{"http_referer", "referer", "referrer"}},
			{part: userAgent, paths: []string{"http_user_agent", "user_agent", "userAgent", "useragent", "http.useragent", "agent", "ua"}},
			{part: methodName, paths: []string{"request_method", "method", "verb", "http_method"}},
			{part: requestLine, paths: []string{"request"}},
			{part: target, paths: []string{"request_uri", "request_url", "url", "request_path", "request", "path"}},
			{part: rewrittenPath, paths: []string{"uri"}},
			{part: query, paths: []string{"args", "query_string", "query"}},
			{part: statusCode, paths: []string{"status", "status_code", "response", "response_status", "response_code", "code"}},
			{part: bodySize, paths: []string{"body_bytes_sent", "bytes", "size", "length", "response_size"}},
			{part: sentSize, paths: []string{"bytes_sent"}},
			{part: moment, paths: []string{"time_iso8601", "msec", "time_local", "time", "timestamp", "@timestamp", "date", "datetime", "date_time", "ts"}},
		}),

	// github.com/pinojs/pino-http; Kibana and OpenSearch Dashboards log in the same way.
	jsonFormat("pino", "Node.js: pino-http, Kibana, OpenSearch Dashboards",
		`{"level":30,"time":1772600767000,"pid":17,"req":{"id":1,"method":"GET","url":"/a?b=c","headers":{"host":"www.example.com","user-agent":"`+sampleAgent+`"},"remoteAddress":"192.0.2.1","remotePort":51234},"res":{"statusCode":200,"headers":{"content-length":"1234"}},"responseTime":4,"msg":"request completed"}`,
		[]string{"req.url"}, []jsonField{
			{part: clientAddr, paths: []string{"req.remoteAddress"}},
			{part: forwardedFor, paths: []string{"req.headers.x-forwarded-for"}},
			{part: hostName, paths: []string{"req.headers.host"}},
			{part: userAgent, paths: []string{"req.headers.user-agent"}},
			{part: methodName, paths: []string{"req.method", "method"}},
			{part: target, paths: []string{"req.url"}},
			{part: statusCode, paths: []string{"res.statusCode", "statusCode"}},
			{part: bodySize, paths: []string{"res.headers.content-length", "res.contentLength"}},
			{part: moment, paths: []string{"time", "@timestamp"}},
		}),

	ecsFormat("ecs_iis", "Filebeat's module iis",
		`{"@timestamp":"2026-03-04T05:06:07.000Z","event":{"module":"iis"},"source":{"address":"192.0.2.1"},"destination":{"domain":"www.example.com"},"url":{"path":"/a","query":"b=c"},"http":{"request":{"method":"GET"},"response":{"status_code":200,"body":{"bytes":1234}}},"user_agent":{"original":"`+sampleAgent+`"}}`,
		[]string{"event.module=iis"}, jsonField{part: decodedPath, paths: []string{"url.path"}}),
	ecsFormat("ecs", "Elastic Common Schema (Filebeat, Logstash), OpenSearch",
		`{"@timestamp":"2026-03-04T05:06:07.000Z","source":{"ip":"192.0.2.1"},"url":{"domain":"www.example.com","original":"/a?b=c","path":"/a","query":"b=c"},"http":{"request":{"method":"GET"},"response":{"status_code":200,"body":{"bytes":1234}}},"user_agent":{"original":"`+sampleAgent+`"}}`,
		[]string{"@timestamp", "event.module!=iis"}, jsonField{part: target, paths: []string{"url.original", "url.full", "http.url"}}, jsonField{part: path, paths: []string{"url.path"}}),
}

// ecsFormat returns a row for the fields url, http, client, source and user_agent of the Elastic
// Common Schema (elastic.co/guide/en/ecs/current/ecs-field-reference.html), with these targets.
// A shipper takes the original line apart. OpenSearch has the same but for http.url,
// http.user_agent and communication (opensearch.org/docs/latest/observing-your-data/ss4o).
func ecsFormat(name, by, sample string, signature []string, targets ...jsonField) *Format {
	return jsonFormat(name, by, sample, signature, append(targets,
		jsonField{part: clientAddr, paths: []string{"client.ip", "source.ip", "client.address", "source.address", "communication.source.ip", "communication.source.address"}},
		jsonField{part: hostName, paths: []string{"url.domain", "destination.domain"}},
		jsonField{part: schemeName, paths: []string{"url.scheme"}},
		jsonField{part: userAgent, paths: []string{"user_agent.original", "http.user_agent.original"}},
		jsonField{part: methodName, paths: []string{"http.request.method"}},
		jsonField{part: referrer, paths: []string{"http.request.referrer"}},
		jsonField{part: query, paths: []string{"url.query"}},
		jsonField{part: statusCode, paths: []string{"http.response.status_code"}},
		jsonField{part: bodySize, paths: []string{"http.response.body.bytes"}},
		jsonField{part: sentSize, paths: []string{"http.response.bytes"}},
		jsonField{part: moment, paths: []string{"@timestamp"}}))
}

// sampled says of a format that its logs may lack requests by design.
func sampled(f *Format) *Format {
	f.sampled = true
	return f
}

// caddyFields are the fields of Caddy, whose versions differ in where the client's address
// is.
func caddyFields(addr ...string) []jsonField {
	return []jsonField{
		{part: clientAddr, paths: addr},
		{part: forwardedFor, paths: []string{"request.headers.X-Forwarded-For.0"}},
		{part: hostName, paths: []string{"request.host"}},
		{part: tlsInUse, paths: []string{"request.tls.version"}},
		{part: userAgent, paths: []string{"request.headers.User-Agent.0"}},
		{part: referrer, paths: []string{"request.headers.Referer.0"}},
		{part: methodName, paths: []string{"request.method"}},
		{part: target, paths: []string{"request.uri"}},
		{part: statusCode, paths: []string{"status"}},
		{part: bodySize, paths: []string{"size"}},
		{part: moment, paths: []string{"ts", "time"}},
	}
}
