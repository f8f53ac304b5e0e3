package format

import "sync"

// caddyWords are common to all versions of Caddy.
const caddyWords = `xff=request.headers.X-Forwarded-For.0 host=request.host tls=request.tls.version
	ua=request.headers.User-Agent.0 claim=request.headers.Signature-Agent.0 referer=request.headers.Referer.0
	method=request.method target=request.uri
	status=status bytes=size time=ts time=time`

// ecsWords are common to all programs that write fields of the Elastic Common Schema.
const ecsWords = `ip=client.ip ip=source.ip ip=client.address ip=source.address ip=communication.source.ip
	ip=communication.source.address host=url.domain host=destination.domain scheme=url.scheme ua=user_agent.original
	ua=http.user_agent.original method=http.request.method referer=http.request.referrer query=url.query
	status=http.response.status_code bytes=http.response.body.bytes sent=http.response.bytes time=@timestamp`

// jsonRows are the formats with one JSON object per line, more specific ones first, in the notation
// of parseJSONMap. The names of members come from the documentation cited with each row.
var jsonRows = []row{
	// caddyserver.com/docs/logging; modules/caddyhttp/marshalers.go in
	// github.com/caddyserver/caddy. client_ip is since 2.7, remote_ip since 2.5.
	{"caddy", "Caddy since 2.5", nil, false,
		`needs=request.remote_ip ip=request.client_ip ip=request.remote_ip ` + caddyWords,
		`{"level":"info","ts":1772600767.0,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"192.0.2.1","remote_port":"51234","client_ip":"192.0.2.1","proto":"HTTP/2.0","method":"GET","host":"www.example.com","uri":"/a?b=c","headers":{"User-Agent":["Mozilla/5.0 (compatible; FooBot/1.0)"]},"tls":{"version":772}},"duration":0.01,"size":1234,"status":200}`},
	{"caddy_old", "Caddy 2.0 to 2.4", nil, false,
		`needs=request.remote_addr ip=request.remote_addr ` + caddyWords,
		`{"level":"info","ts":1772600767.0,"logger":"http.log.access","msg":"handled request","request":{"remote_addr":"192.0.2.1:51234","proto":"HTTP/2.0","method":"GET","host":"www.example.com","uri":"/a?b=c","headers":{"User-Agent":["Mozilla/5.0 (compatible; FooBot/1.0)"]},"tls":{"version":772}},"common_log":"192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] \"GET /a?b=c HTTP/2.0\" 200 1234","duration":0.01,"size":1234,"status":200}`},
	// doc.traefik.io/traefik/observability/access-logs. The User-Agent is logged only with
	// accesslog.fields.headers.names.User-Agent=keep. ClientHost is X-Forwarded-For if there is one:
	// pkg/middlewares/accesslog/logger.go in github.com/traefik/traefik.
	{"traefik_json", "Traefik with accesslog.format=json", nil, false,
		`needs=RequestPath needs=DownstreamStatus ip=ClientAddr ip=ClientHost xff=request_X-Forwarded-For
			xff=ClientHost host=RequestAddr host=RequestHost scheme=RequestScheme ua=request_User-Agent
			referer=request_Referer method=RequestMethod target=RequestPath status=DownstreamStatus
			bytes=DownstreamContentSize time=StartUTC time=StartLocal time=time`,
		`{"ClientAddr":"192.0.2.1:51234","ClientHost":"192.0.2.1","DownstreamContentSize":1234,"DownstreamStatus":200,"RequestAddr":"www.example.com","RequestHost":"www.example.com","RequestMethod":"GET","RequestPath":"/a?b=c","RequestProtocol":"HTTP/1.1","RequestScheme":"https","StartUTC":"2026-03-04T05:06:07Z","entryPointName":"websecure","level":"info","msg":"","request_User-Agent":"Mozilla/5.0 (compatible; FooBot/1.0)","time":"2026-03-04T05:06:07Z"}`},
	// developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests. A job chooses
	// its fields, and writes times as nanoseconds, seconds or RFC 3339. ClientRequestPath omits the
	// query. What a Worker fetches has a line with the client's headers: .../logs/reference/clientrequestsource.
	{"cloudflare", "Cloudflare Logpush", nil, true,
		`needs=ClientRequestHost needs=EdgeStartTimestamp needs=WorkerSubrequest!=true
			needs=ClientRequestSource~eyeball|orangeToOrange|inBrowserChallenge|unknown ip=ClientIP host=ClientRequestHost
			scheme=ClientRequestScheme ua=ClientRequestUserAgent referer=ClientRequestReferer
			method=ClientRequestMethod target=ClientRequestURI rewritten=ClientRequestPath status=EdgeResponseStatus
			bytes=EdgeResponseBodyBytes sent=EdgeResponseBytes time=EdgeStartTimestamp claim=VerifiedBotCategory
			claim=BotTags.0`,
		`{"ClientIP":"192.0.2.1","ClientRequestHost":"www.example.com","ClientRequestMethod":"GET","ClientRequestScheme":"https","ClientRequestURI":"/a?b=c","ClientRequestUserAgent":"Mozilla/5.0 (compatible; FooBot/1.0)","EdgeResponseBytes":1234,"EdgeResponseStatus":200,"EdgeStartTimestamp":"2026-03-04T05:06:07Z","RayID":"7c0d1e2f3a4b5c6d","VerifiedBotCategory":""}`},
	// cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry#HttpRequest: load balancers,
	// Cloud CDN and Cloud Run. The protoPayload comes from App Engine,
	// google.appengine.logging.v1.RequestLog.
	{"gcp", "Google Cloud: load balancers, Cloud Run, App Engine", nil, true,
		`needs=logName needs=timestamp ip=httpRequest.remoteIp ip=protoPayload.ip host=protoPayload.host
			ua=httpRequest.userAgent ua=protoPayload.userAgent method=httpRequest.requestMethod
			method=protoPayload.method target=httpRequest.requestUrl target=protoPayload.resource
			status=httpRequest.status status=protoPayload.status sent=httpRequest.responseSize
			sent=protoPayload.responseSize time=protoPayload.startTime time=timestamp`,
		`{"httpRequest":{"latency":"0.058s","remoteIp":"192.0.2.1","requestMethod":"GET","requestSize":"220","requestUrl":"https://www.example.com/a?b=c","responseSize":"1234","status":200,"userAgent":"Mozilla/5.0 (compatible; FooBot/1.0)"},"insertId":"1oek5rg3l3fxj7","logName":"projects/p/logs/requests","resource":{"type":"http_load_balancer"},"timestamp":"2026-03-04T05:06:07Z"}`},
	// learn.microsoft.com/azure/frontdoor/front-door-diagnostics, and .../cdn/enable-raw-logs for the
	// classic tiers, where a request to the parent cache has a separate line. Clients can set clientIp
	// with a header: .../frontdoor/front-door-http-headers-protocol, X-Azure-SocketIP.
	{"azure_front_door", "Azure Front Door and CDN", nil, false,
		`needs=properties.requestUri needs=properties.httpStatusCode needs=properties.isReceivedFromClient!=false
			ip=properties.socketIp xff=properties.clientIp xff=properties.clientIP host=properties.hostName
			host=properties.hostname ua=properties.userAgent method=properties.httpMethod target=properties.requestUri
			status=properties.httpStatusCode sent=properties.responseBytes time=time`,
		`{"time":"2026-03-04T05:06:07.0000000Z","category":"FrontDoorAccessLog","operationName":"Microsoft.Cdn/Profiles/AccessLog/Write","properties":{"httpMethod":"GET","httpVersion":"2.0.0.0","requestUri":"https://www.example.com:443/a?b=c","hostName":"www.example.com","responseBytes":"1234","userAgent":"Mozilla/5.0 (compatible; FooBot/1.0)","clientIp":"192.0.2.1","socketIp":"192.0.2.1","httpStatusCode":"200"}}`},
	// learn.microsoft.com/azure/application-gateway/monitor-application-gateway-reference. The
	// received target is originalRequestUriWithArgs; requestUri may be rewritten, and requestQuery
	// contains the gateway's own words in v1.
	{"azure_app_gateway", "Azure Application Gateway", nil, false,
		`needs=properties.requestUri needs=properties.httpStatus ip=properties.clientIP ip=properties.clientIp
			host=properties.originalHost host=properties.host tls=properties.sslEnabled ua=properties.userAgent
			method=properties.httpMethod target=properties.originalRequestUriWithArgs rewritten=properties.requestUri
			query=properties.requestQuery status=properties.httpStatus sent=properties.sentBytes time=timeStamp
			time=time`,
		`{"timeStamp":"2026-03-04T05:06:07+00:00","category":"ApplicationGatewayAccessLog","operationName":"ApplicationGatewayAccess","properties":{"clientIP":"192.0.2.1","httpMethod":"GET","originalRequestUriWithArgs":"/a?b=c","requestUri":"/a","requestQuery":"b=c","userAgent":"Mozilla/5.0 (compatible; FooBot/1.0)","httpStatus":200,"sentBytes":1234,"sslEnabled":"on","host":"www.example.com","originalHost":"www.example.com"}}`},
	// techdocs.akamai.com/datastream2/docs/data-set-parameters. Every value is a string; blanks
	// and non-ASCII bytes are percent-encoded. isMidgress is 0 for what clients ask.
	{"akamai", "Akamai DataStream 2", nil, false,
		`needs=reqTimeSec needs=cliIP needs=isMidgress~0 ip=cliIP xff=xForwardedFor host=reqHost port=reqPort scheme=proto
			ua@percent=UA method=reqMethod path@rootless=reqPath query=queryStr status=statusCode bytes=bytes
			bytes=rspContentLen sent=totalBytes time=reqTimeSec`,
		`{"version":"1","streamId":"12345","cp":"123456","reqId":"1239f220","reqTimeSec":"1772600767.000","bytes":"1234","cliIP":"192.0.2.1","statusCode":"200","proto":"https","reqHost":"www.example.com","reqMethod":"GET","reqPath":"/a","queryStr":"b=c","UA":"Mozilla/5.0%20(compatible;%20FooBot/1.0)"}`},
	// vercel.com/docs/drains/reference/logs. Entries without proxy are messages of functions and
	// builds. A function's output has its request's proxy too; the entry of the request has no
	// message, or the report on it.
	{"vercel", "Vercel log drains", nil, true,
		`needs=proxy.path needs=proxy.timestamp needs=message~REPORT|status= ip=proxy.clientIp host=proxy.host scheme=proxy.scheme
			ua=proxy.userAgent.0 method=proxy.method target=proxy.path status=proxy.statusCode status=statusCode
			sent=proxy.responseByteSize time=proxy.timestamp`,
		`{"id":"1573817250283254651097202070","source":"static","host":"my-app-abc123.vercel.app","timestamp":1772600767000,"proxy":{"timestamp":1772600767000,"method":"GET","host":"www.example.com","path":"/a?b=c","userAgent":["Mozilla/5.0 (compatible; FooBot/1.0)"],"statusCode":200,"clientIp":"192.0.2.1","scheme":"https","responseByteSize":1234}}`},
	// docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging.html, version 2 with the
	// output format JSON. A delivery chooses its fields.
	{"cloudfront_json", "Amazon CloudFront, standard logging (v2) as JSON", nil, false,
		`needs=cs-uri-stem needs=sc-status ip@percent=c-ip xff@percent=x-forwarded-for host@percent=x-host-header
			host@percent=cs(Host) scheme=cs-protocol ua@percents=cs(User-Agent) referer@percents=cs(Referer)
			method=cs-method path@percent=cs-uri-stem query@percent=cs-uri-query status=sc-status sent=sc-bytes
			time=timestamp(ms) time=timestamp time=date+time`,
		`{"date":"2026-03-04","time":"05:06:07","x-edge-location":"FRA2-C1","sc-bytes":"1234","c-ip":"192.0.2.1","cs-method":"GET","cs(Host)":"d111111abcdef8.cloudfront.net","cs-uri-stem":"/a","sc-status":"200","cs(Referer)":"-","cs(User-Agent)":"Mozilla/5.0%20(compatible;%20FooBot/1.0)","cs-uri-query":"b=c","x-host-header":"www.example.com","cs-protocol":"https"}`},
	// learn.microsoft.com/azure/app-service/monitor-app-service-reference, AppServiceHTTPLogs. The
	// member properties is an object, or a string that holds one. CsUriStem is decoded, as in IIS. A table
	// of Log Analytics has the same names without properties.
	{"azure_app_service", "Azure App Service (AppServiceHTTPLogs)", nil, false,
		`ip=properties.CIp ip=CIp host=properties.CsHost host=CsHost ua=properties.UserAgent ua=UserAgent
			referer=properties.Referer referer=Referer method=properties.CsMethod method=CsMethod
			decoded=properties.CsUriStem decoded=CsUriStem query=properties.CsUriQuery query=CsUriQuery
			status=properties.ScStatus status=ScStatus sent=properties.ScBytes sent=ScBytes time=time time=TimeGenerated`,
		`{"time":"2026-03-04T05:06:07.000Z","category":"AppServiceHTTPLogs","operationName":"Microsoft.Web/sites/log","properties":{"CsMethod":"GET","CsUriStem":"/a","CsUriQuery":"b=c","CIp":"192.0.2.1","UserAgent":"Mozilla/5.0 (compatible; FooBot/1.0)","CsHost":"www.example.com","ScStatus":200,"ScBytes":1234}}`},
	// developer.konghq.com/plugins/file-log. http-log and tcp-log write the same objects.
	{"kong_json", "Kong's plugins file-log, http-log and tcp-log", nil, false,
		`needs=request.uri needs=response.status ip=client_ip xff=request.headers.x-forwarded-for
			host=request.headers.host ua=request.headers.user-agent referer=request.headers.referer
			method=request.method target=request.uri status=response.status sent=response.size time=started_at`,
		`{"started_at":1772600767000,"client_ip":"192.0.2.1","request":{"method":"GET","uri":"/a?b=c","url":"http://www.example.com:8000/a?b=c","size":220,"headers":{"host":"www.example.com","user-agent":"Mozilla/5.0 (compatible; FooBot/1.0)"}},"response":{"status":200,"size":1234},"latencies":{"request":12}}`},
	// docs.fastly.com: the fields of its guides for Sumo Logic and others, of which client_ip and fastly_is_edge are as
	// in fastly_json.
	{"fastly_fields", "Fastly with time_start, as its guides for endpoints have it", nil, false,
		`needs=time_start needs=url needs=fastly_is_edge!=false xff=client_ip host=host ua=request_user_agent ua=user_agent
			referer=request_referer method=request method=request_method target=url status=status
			status=response_status bytes=resp_body_size bytes=response_body_size time=time_start`,
		`{"service_id":"abc","time_start":1772600767000,"time_end":1772600767012,"client_ip":"192.0.2.1","request":"GET","protocol":"HTTP/1.1","host":"www.example.com","url":"/a?b=c","request_user_agent":"Mozilla/5.0 (compatible; FooBot/1.0)","status":200,"resp_header_size":400,"resp_body_size":1234}`},
	// github.com/owasp-modsecurity/ModSecurity/wiki, audit log as JSON. Version 3 has everything in
	// transaction, version 2 has request and response next to it. The log usually contains only
	// requests that a rule selected.
	{"modsecurity_json", "ModSecurity's audit log as JSON", nil, true,
		`needs=transaction ip=transaction.client_ip ip=transaction.remote_address
			host=transaction.request.headers.Host host=transaction.request.headers.host host=request.headers.Host
			ua=transaction.request.headers.User-Agent ua=transaction.request.headers.user-agent
			ua=request.headers.User-Agent method=transaction.request.method request=request.request_line
			target=transaction.request.uri status=transaction.response.http_code status=response.status
			time=transaction.time_stamp time=transaction.time`,
		`{"transaction":{"client_ip":"192.0.2.1","time_stamp":"Wed Mar  4 05:06:07 2026","client_port":51234,"host_port":443,"unique_id":"151","request":{"method":"GET","http_version":1.1,"uri":"/a?b=c","headers":{"Host":"www.example.com","User-Agent":"Mozilla/5.0 (compatible; FooBot/1.0)"}},"response":{"http_code":200,"headers":{"Server":"nginx"}}}}`},
	// docs.netlify.com/manage/monitoring/log-drains, traffic logs. Without personal data the
	// address and the User-Agent are missing.
	{"netlify", "Netlify log drains", nil, false,
		`needs=log_type=traffic needs=url ip=client_ip ua=user_agent method=method target=url status=status_code
			sent=response_size time=timestamp`,
		`{"client_ip":"192.0.2.1","log_type":"traffic","method":"GET","request_id":"01GAZ","response_size":1234,"status_code":200,"timestamp":"2026-03-04T05:06:07.000Z","url":"https://www.example.com/a?b=c","user_agent":"Mozilla/5.0 (compatible; FooBot/1.0)"}`},
	// docs.aws.amazon.com/waf/latest/developerguide/logging-fields.html. The names of headers are
	// spelled as the client sent them.
	{"aws_waf", "AWS WAF", nil, true,
		`needs=webaclId needs=httpRequest.uri ip=httpRequest.clientIp
			xff=httpRequest.headers.name=x-forwarded-for.value host=httpRequest.headers.name=host.value
			host=httpRequest.host ua=httpRequest.headers.name=user-agent.value method=httpRequest.httpMethod
			path=httpRequest.uri query=httpRequest.args status=responseCodeSent time=timestamp`,
		`{"timestamp":1772600767000,"formatVersion":1,"webaclId":"arn:aws:wafv2:us-east-1:0:regional/webacl/x","action":"ALLOW","httpSourceName":"ALB","httpRequest":{"clientIp":"192.0.2.1","country":"DE","headers":[{"name":"Host","value":"www.example.com"},{"name":"User-Agent","value":"Mozilla/5.0 (compatible; FooBot/1.0)"}],"uri":"/a","args":"b=c","httpVersion":"HTTP/1.1","httpMethod":"GET"}}`},
	// istio.io/latest/docs/tasks/observability/logs/access-log, accessLogEncoding: JSON; also Envoy's
	// json_format with the same names.
	{"envoy_json", "Envoy, Istio and Envoy Gateway with JSON", nil, false,
		`needs=start_time needs=response_code ip=downstream_remote_address ip=downstream_direct_remote_address
			xff=x_forwarded_for xff=x-forwarded-for host=authority host=:authority host=host scheme=scheme
			ua=user_agent ua=user-agent method=method target=x_envoy_original_path target=x-envoy-origin-path
			target=path status=response_code bytes=bytes_sent time=start_time`,
		`{"authority":"www.example.com","bytes_received":0,"bytes_sent":1234,"downstream_remote_address":"192.0.2.1:51234","duration":4,"method":"GET","path":"/a?b=c","protocol":"HTTP/1.1","response_code":200,"response_flags":"-","start_time":"2026-03-04T05:06:07.000Z","user_agent":"Mozilla/5.0 (compatible; FooBot/1.0)","x_forwarded_for":null}`},
	// fastly.com/documentation/guides/integrations/logging/useful-log-formats, JSON. client_ip is the
	// header Fastly-Client-IP, which clients can send: .../http-headers/Fastly-Client-IP. A shield logs again what the
	// edge asks it for.
	{"fastly_json", "Fastly with its JSON template", nil, false,
		`needs=url needs=response_status needs=fastly_is_edge!=false xff=client_ip host=host ua=request_user_agent method=request_method
			target=url status=response_status bytes=response_body_size time=timestamp time=time_start`,
		`{"timestamp":"2026-03-04T05:06:07","client_ip":"192.0.2.1","host":"www.example.com","url":"/a?b=c","request_method":"GET","request_protocol":"HTTP/1.1","request_user_agent":"Mozilla/5.0 (compatible; FooBot/1.0)","response_state":"HIT","response_status":200,"response_body_size":1234}`},
	// No document names these keys; they come from the LogFormat that most guides give:
	// "time":"%t", "remoteIP":"%a", "host":"%V", "request":"%U", "query":"%q", "method":"%m",
	// "userAgent":"%{User-agent}i". Others have %r for the request.
	{"apache_json", "Apache with a LogFormat of JSON", nil, false,
		`needs=remoteIP needs=request ip=remoteIP host=host ua=userAgent method=method request=request
			rewritten=request query=query status=status bytes=size bytes=bytes sent=bytesSent time=time`,
		`{"time":"[04/Mar/2026:05:06:07 +0000]","remoteIP":"192.0.2.1","host":"www.example.com","request":"GET /a?b=c HTTP/1.1","status":"200","size":"1234","userAgent":"Mozilla/5.0 (compatible; FooBot/1.0)","referer":"-"}`},
	// nginx.org/en/docs/http/ngx_http_log_module.html#log_format. Users choose the keys. Most are
	// names of nginx's variables or come from guides. uri may be $uri, which nginx decodes and
	// rewrites. Fastly's keys may be the same.
	{"nginx_json", "nginx with a log_format of JSON", nil, false,
		`needs=fastly_is_edge!=false ip=remote_addr ip=remote_ip ip=client_ip ip=clientip ip=clientIp ip=ip ip=client ip=remote_host
			ip=remoteAddr ip=remote ip=src_ip ip=realip_remote_addr xff=http_x_forwarded_for xff=x_forwarded_for xff=xff
			xff=forwarded_for xff=http_x_forwarded ip=address host=http_host host=host host=vhost host=virtual_host host=request_host
			host=server_name host=domain host=domain_name
			host=hostname host=site scheme=scheme scheme=request_scheme referer=http_referer referer=referer
			referer=referrer ua=http_user_agent ua=user_agent ua=userAgent ua=useragent ua=http.useragent ua=agent
			ua=ua ua=user-agent ua=UserAgent ua=User-Agent ua=http_useragent ua=http_user-agent ua=request_user_agent
			claim=http_signature_agent claim=signature_agent method=request_method method=method method=verb method=http_method request=request
			target=request_uri target=request_url target=url target=request_path target=request target=path
			rewritten=uri query=args query=query_string query=query status=status status=status_code status=response
			status=response_status status=response_code status=code bytes=body_bytes_sent bytes=bytes bytes=size
			bytes=length bytes=response_size bytes=resp_body_size sent=bytes_sent time=time_iso8601 time=msec time=time_local time=time
			time=timestamp time=@timestamp time=date time=datetime time=date_time time=ts`,
		`{"time_iso8601":"2026-03-04T05:06:07+00:00","remote_addr":"192.0.2.1","host":"www.example.com","request_method":"GET","request_uri":"/a?b=c","status":200,"body_bytes_sent":1234,"http_referer":"","http_user_agent":"Mozilla/5.0 (compatible; FooBot/1.0)"}`},
	// github.com/pinojs/pino-http; Kibana and OpenSearch Dashboards log the same way.
	{"pino", "Node.js: pino-http, Kibana, OpenSearch Dashboards", nil, false,
		`needs=req.url ip=req.remoteAddress xff=req.headers.x-forwarded-for host=req.headers.host
			ua=req.headers.user-agent method=req.method method=method target=req.url status=res.statusCode
			status=statusCode bytes=res.headers.content-length bytes=res.contentLength time=time time=@timestamp`,
		`{"level":30,"time":1772600767000,"pid":17,"req":{"id":1,"method":"GET","url":"/a?b=c","headers":{"host":"www.example.com","user-agent":"Mozilla/5.0 (compatible; FooBot/1.0)"},"remoteAddress":"192.0.2.1","remotePort":51234},"res":{"statusCode":200,"headers":{"content-length":"1234"}},"responseTime":4,"msg":"request completed"}`},
	// elastic.co/guide/en/ecs/current/ecs-field-reference.html. A shipper parses the original line.
	// OpenSearch has the same except for http.url, http.user_agent and communication:
	// opensearch.org/docs/latest/observing-your-data/ss4o.
	{"ecs_iis", "Filebeat's module iis", nil, false,
		`needs=event.module=iis decoded=url.path ` + ecsWords,
		`{"@timestamp":"2026-03-04T05:06:07.000Z","event":{"module":"iis"},"source":{"address":"192.0.2.1"},"destination":{"domain":"www.example.com"},"url":{"path":"/a","query":"b=c"},"http":{"request":{"method":"GET"},"response":{"status_code":200,"body":{"bytes":1234}}},"user_agent":{"original":"Mozilla/5.0 (compatible; FooBot/1.0)"}}`},
	{"ecs", "Elastic Common Schema (Filebeat, Logstash), OpenSearch", nil, false,
		`needs=@timestamp needs=event.module!=iis target=url.original target=url.full target=http.url path=url.path ` +
			ecsWords,
		`{"@timestamp":"2026-03-04T05:06:07.000Z","source":{"ip":"192.0.2.1"},"url":{"domain":"www.example.com","original":"/a?b=c","path":"/a","query":"b=c"},"http":{"request":{"method":"GET"},"response":{"status_code":200,"body":{"bytes":1234}}},"user_agent":{"original":"Mozilla/5.0 (compatible; FooBot/1.0)"}}`},
}

var jsonFormats = sync.OnceValue(func() []*Format { return formatsOf(jsonRows, parseJSONMap) })
