package format

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"sync"
)

// row is a row of the table of formats, in a notation of --format.
type row struct {
	name, by string
	// fits distinguishes formats with similar lines: it reports whether a record is plausible for this
	// one. nil accepts all.
	fits          func(*Record) bool
	sampled       bool // logs may lack requests by design
	words, sample string
}

// Definitions shared by many formats, and their values in the samples.
const (
	wordsAsked  = `"$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	sampleAsked = `"GET /a?b=c HTTP/1.1" 200 1234 "-" "` + fooBot + `"`
	wordsLocal  = ` $ident $remote_user [$time_local] ` + wordsAsked
	sampleLocal = ` - - [04/Mar/2026:05:06:07 +0000] ` + sampleAsked
	fooBot      = `Mozilla/5.0 (compatible; FooBot/1.0)`
)

// textRows are the formats of text, in the words of nginx's log_format (nginx.go). Sources:
//   - gandi, host_second_combined (OVH, WP Engine), virtualmin, elb, s3: the formats and logs of
//     Matomo's log analytics (github.com/matomo-org/matomo-log-analytics).
//   - npm: docker/rootfs/etc/nginx/conf.d/include/log-proxy.conf of Nginx Proxy Manager.
//   - traefik: pkg/middlewares/accesslog/logger_formatters.go.
//   - envoy: Default Format String; istio: Default access log format in their documentation.
//   - alb, elb: Elastic Load Balancing, access logs; s3: Amazon S3, server access log format.
//   - uwsgi: the default of --logformat; squid: the predefined logformat squid.
//   - openlitespeed: github.com/litespeedtech/openlitespeed, issue 232; apisix: conf/config-default.yaml;
//     bunny: docs.bunny.net, CDN log format; nginx_wiki: nginx's wiki, "Full Example Configuration".
//   - forwarded_client_combined: AWS, "How do I capture client IP addresses" behind Elastic Load Balancing.
var textRows = []row{
	{"host_second_combined", "OVH, WP Engine, and others with the host in the second field", hostBesideAddress, false,
		`$remote_addr $host $remote_user [$time_local] ` + wordsAsked + `...`,
		`192.0.2.1 www.example.com - [04/Mar/2026:05:06:07 +0000] ` + sampleAsked},
	{"gandi", "Gandi", nil, false,
		`$http_host $remote_addr $ident $remote_user [$time_local] ($_) ` + wordsAsked + `...`,
		`www.example.com 192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] (0 s) ` + sampleAsked},
	{"virtualmin", "Virtualmin", hostBesideAddress, false,
		`$remote_addr - $host $remote_user [$time_local] ` + wordsAsked + `...`,
		`192.0.2.1 - www.example.com - [04/Mar/2026:05:06:07 +0000] ` + sampleAsked},
	{"host_last_combined", "nginx and Apache with the host in quotes behind the User-Agent", hostBesideAddress, false,
		`$remote_addr` + wordsLocal + ` "$host"`, `192.0.2.1` + sampleLocal + ` "www.example.com"`},
	{"host_end_combined", "nginx and Apache with the host behind the User-Agent", hostBesideAddress, false,
		`$remote_addr` + wordsLocal + ` $host`, `192.0.2.1` + sampleLocal + ` www.example.com`},
	{"client_forwarded_combined", "Apache and Tomcat with X-Forwarded-For behind the address of a proxy", isProxyFirst, false,
		`$remote_addr $http_x_forwarded_for` + wordsLocal + `...`, `10.0.0.9 192.0.2.1` + sampleLocal},
	{"forwarded_dash_combined", "nginx with X-Forwarded-For and a dash before the client", isForwardedFirst, false,
		`$http_x_forwarded_for - $remote_addr - $remote_user [$time_local] ` + wordsAsked + `...`,
		`192.0.2.1, 198.51.100.2 - 192.0.2.1` + sampleLocal},
	{forwardedClient, "nginx and Apache with X-Forwarded-For before the client", isForwardedFirst, false,
		`$http_x_forwarded_for $remote_addr` + wordsLocal + `...`, `192.0.2.1, 198.51.100.2 192.0.2.1` + sampleLocal},
	{"forwarded_combined", "nginx and Apache with X-Forwarded-For in the place of the client", isList, false,
		`$http_x_forwarded_for - $remote_user [$time_local] ` + wordsAsked + `...`, `192.0.2.1, 198.51.100.2` + sampleLocal},
	{"vhost_forwarded_combined", "nginx and Apache with the host and X-Forwarded-For in the place of the client",
		isList, false, `$http_host $http_x_forwarded_for - $remote_user [$time_local] ` + wordsAsked + `...`,
		`www.example.com 192.0.2.1, 198.51.100.2` + sampleLocal},
	{"vhost_in_quotes_combined", "nginx and Apache with the host in quotes before the client", hostBesideAddress, false,
		`"$host" $remote_addr` + wordsLocal + `...`, `"www.example.com" 192.0.2.1` + sampleLocal},
	{"quoted_forwarded_combined", "nginx and Apache with X-Forwarded-For in quotes before the client", fromAddress, false,
		`"$http_x_forwarded_for" $remote_addr` + wordsLocal + `...`, `"192.0.2.1, 198.51.100.2" 192.0.2.1` + sampleLocal},
	{"vhost_quoted_forwarded_combined", "nginx and Apache with the host and X-Forwarded-For in quotes before the client",
		hostBesideAddress, false, `$host "$http_x_forwarded_for" $remote_addr` + wordsLocal + `...`,
		`www.example.com "192.0.2.1, 198.51.100.2" 192.0.2.1` + sampleLocal},
	{"agent_referer", "nginx and Apache with the User-Agent before the referrer", isProduct, false,
		`$remote_addr $ident $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_user_agent" ` +
			`"$http_referer"...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET /a?b=c HTTP/1.1" 200 1234 "` + fooBot + `" "-"`},
	{"vhost_iso_combined", "nginx with $time_iso8601, with the host", hostBesideAddress, false,
		`$http_host $remote_addr $ident $remote_user [$time_iso8601] ` + wordsAsked + `...`,
		`www.example.com 192.0.2.1 - - [2026-03-04T05:06:07+00:00] ` + sampleAsked},
	{"iso_combined", "nginx with $time_iso8601", fromAddress, false,
		`$remote_addr $ident $remote_user [$time_iso8601] ` + wordsAsked + `...`,
		`192.0.2.1 - - [2026-03-04T05:06:07+00:00] ` + sampleAsked},
	{"vhost_msec_combined", "nginx with $msec, with the host", hostBesideAddress, false,
		`$http_host $remote_addr $ident $remote_user [$msec] ` + wordsAsked + `...`,
		`www.example.com 192.0.2.1 - - [1772600767.000] ` + sampleAsked},
	{"msec_combined", "nginx with $msec", fromAddress, false,
		`$remote_addr $ident $remote_user [$msec] ` + wordsAsked + `...`, `192.0.2.1 - - [1772600767.000] ` + sampleAsked},
	{"vhost_zoneless_combined", "Apache without a time zone, with the host", hostBesideAddress, false,
		`$http_host $remote_addr $ident $remote_user [${time:%d/%b/%Y:%H:%M:%S}] ` + wordsAsked + `...`,
		`www.example.com 192.0.2.1 - - [04/Mar/2026:05:06:07] ` + sampleAsked},
	{"zoneless_combined", "Apache without a time zone", fromAddress, false,
		`$remote_addr $ident $remote_user [${time:%d/%b/%Y:%H:%M:%S}] ` + wordsAsked + `...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07] ` + sampleAsked},
	{"cpanel", "cPanel's own server", fromAddress, false,
		`$remote_addr $ident $remote_user [${time:%m/%d/%Y:%H:%M:%S %z}] ` + wordsAsked + `...`,
		`192.0.2.1 - - [03/04/2026:05:06:07 -0000] ` + sampleAsked + ` "-" "-" 2083`},
	{"openlitespeed", "OpenLiteSpeed, for all its virtual hosts", fromAddress, false,
		`["$host"] $remote_addr` + wordsLocal + `...`, `["www.example.com"] 192.0.2.1` + sampleLocal},
	{"openlitespeed_vhost", "OpenLiteSpeed, for all its virtual hosts, with %v", hostBesideAddress, false,
		`["$_"] $host $remote_addr` + wordsLocal + `...`, `["www.example.com"] www.example.com 192.0.2.1` + sampleLocal},
	{"apisix", "Apache APISIX", nil, false,
		`$remote_addr - $remote_user [$time_local] $gateway_host "$request" $status $body_bytes_sent $request_time ` +
			`"$http_referer" "$http_user_agent"...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] www.example.com "GET /a?b=c HTTP/1.1" 200 1234 0.004 "-" "` + fooBot +
			`" 10.0.0.2:80 200 0.001 "http://www.example.com"`},
	{"nginx_wiki", "nginx with the format main of its wiki's full example", nil, false,
		`$remote_addr - $remote_user [$time_local]  $status "$request" $body_bytes_sent "$http_referer" ` +
			`"$http_user_agent" "$http_x_forwarded_for"...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000]  200 "GET /a?b=c HTTP/1.1" 1234 "-" "` + fooBot + `" "-"`},
	{"jetty", "Jetty before 12, with two blanks before the referrer", nil, false,
		`$remote_addr $ident $remote_user [$time_local] "$request" $status $body_bytes_sent  "$http_referer" ` +
			`"$http_user_agent"...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET /a?b=c HTTP/1.1" 200 1234  "-" "` + fooBot + `"`},
	{"tab_combined", "nginx and Apache with tabs between the fields", fromAddress, false,
		"$remote_addr\t$ident\t$remote_user\t[$time_local]\t\"$request\"\t$status\t$body_bytes_sent\t\"$http_referer\"\t" +
			"\"$http_user_agent\"...",
		"192.0.2.1\t-\t-\t[04/Mar/2026:05:06:07 +0000]\t\"GET /a?b=c HTTP/1.1\"\t200\t1234\t\"-\"\t\"" + fooBot + `"`},
	{"quoted_time_combined", "nginx and Apache with the time in quotes", fromAddress, false,
		`$remote_addr $ident $remote_user "$time_local" ` + wordsAsked + `...`,
		`192.0.2.1 - - "04/Mar/2026:05:06:07 +0000" ` + sampleAsked},
	{"quoted_brackets_combined", "Apache with \"%t\"", fromAddress, false,
		`$remote_addr $ident $remote_user "[$time_local]" ` + wordsAsked + `...`,
		`192.0.2.1 - - "[04/Mar/2026:05:06:07 +0000]" ` + sampleAsked},
	{"two_blanks_combined", "nginx with two blanks before the request", fromAddress, false,
		`$remote_addr $ident $remote_user [$time_local]  ` + wordsAsked + `...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000]  ` + sampleAsked},
	{"timed_combined", "nginx and Apache with the time taken before the referrer", isTimed, false,
		`$remote_addr $ident $remote_user [$time_local] "$request" $status $body_bytes_sent $request_time "$http_referer" ` +
			`"$http_user_agent"...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET /a?b=c HTTP/1.1" 200 1234 0.004 "-" "` + fooBot + `"`},
	{"unquoted_request", "Tomcat with %r not in quotes", fromAddress, false,
		`$remote_addr $ident $remote_user [$time_local] $request $status $body_bytes_sent "$http_referer" ` +
			`"$http_user_agent"...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] GET /a?b=c HTTP/1.1 200 1234 "-" "` + fooBot + `"`},
	{"unquoted_timed", "WSO2, and Tomcat without quotes, with the time taken behind the User-Agent", isUnquoted, false,
		`$remote_addr - - [$time_local] $request_method $target $server_protocol $status $body_bytes_sent $http_referer ` +
			`$http_user_agent $request_time`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] GET /a?b=c HTTP/1.1 200 1234 - ` + fooBot + ` 0.012`},
	{"timed_unquoted", "Tomcat without quotes, with times taken before the client", isUnquoted, false,
		`$_ $_ $remote_addr - - [$time_local] $request_method $target $server_protocol $status $body_bytes_sent $http_referer ` +
			`$http_user_agent`,
		`0.012 12 192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] GET /a?b=c HTTP/1.1 200 1234 - ` + fooBot},
	{"bunny", "bunny.net CDN", nil, false,
		`$_|$status|$msec|$bytes_sent|$_|$remote_addr|$http_referer|$target|$_|$http_user_agent|$_|$_`,
		`HIT|200|1772600767000|1234|390|192.0.2.1|-|https://www.example.com/a?b=c|DE|` + fooBot +
			`|322b688bd63fb63f2babe9de30a5d262|DE`},
	{"traefik", "Traefik", nil, false,
		`escape=none $remote_addr - $remote_user [$time_local] ` + wordsAsked + ` $_ "$_" "$_" ${_}ms`,
		`192.0.2.1` + sampleLocal + ` 17 "web@docker" "http://10.0.0.2:80" 3ms`},
	{"traefik_early", "Traefik 1, for requests without a referrer", nil, false,
		`escape=none $remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent - ` +
			`"$http_user_agent" $_ "$_" "$_" ${_}ms`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET /a?b=c HTTP/1.1" 200 1234 - "` + fooBot + `" 17 "web@docker" ` +
			`"http://10.0.0.2:80" 3ms`},
	{"istio", "Istio", nil, false,
		`escape=none [$time_iso8601] "$request" $status $_ $_ $_ "$_" $_ $body_bytes_sent $_ $_ ` +
			`"$http_x_forwarded_for" "$http_user_agent" "$_" "$host" "$_" $_ $_ $_ $remote_addr $_ $_`,
		`[2026-03-04T05:06:07.000Z] "GET /a?b=c HTTP/1.1" 200 - via_upstream - "-" 0 1234 4 1 "-" "` + fooBot + `" ` +
			`"84961386-6d84-929d-98bd-c5aee93b5c88" "www.example.com" "10.44.1.27:80" ` +
			`outbound|80||web.default.svc.cluster.local 10.44.1.23:37652 10.0.45.184:80 192.0.2.1:46520 - default`},
	{"envoy", "Envoy", nil, false,
		`escape=none [$time_iso8601] "$request" $status $_ $_ $body_bytes_sent $_ $_ "$http_x_forwarded_for" ` +
			`"$http_user_agent" "$_" "$host" "$_"`,
		`[2026-03-04T05:06:07.000Z] "GET /a?b=c HTTP/1.1" 200 - 0 1234 4 1 "-" "` + fooBot + `" ` +
			`"84961386-6d84-929d-98bd-c5aee93b5c88" "www.example.com" "10.0.35.28:80"`},
	{"alb", "AWS Application Load Balancer", nil, false,
		`$_ $_ $_ $remote_addr $_ $_ $_ $_ $status $_ $_ $bytes_sent "$request" "$http_user_agent" $_ $_ $_ "$_" ` +
			`"$host" "$_" $_ $time_iso8601 "$_"...`,
		`h2 2026-03-04T05:06:08.000000Z app/my-lb/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 ` +
			`200 34 1234 "GET https://www.example.com:443/a?b=c HTTP/2.0" "` + fooBot + `" ECDHE-RSA-AES128-GCM-SHA256 ` +
			`TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/web/73e2d6bc24d8a067 ` +
			`"Root=1-58337327-72bd00b0343d75b906739c42" "www.example.com" "-" 1 2026-03-04T05:06:07.000000Z "forward" "-" "-"`},
	{"alb_early", "AWS Application Load Balancer before 2018", nil, false,
		`$_ $time_iso8601 $_ $remote_addr $_ $_ $_ $_ $status $_ $_ $bytes_sent "$request" "$http_user_agent" $_ $_ $_ "$_"`,
		`h2 2026-03-04T05:06:07.000000Z app/my-lb/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 ` +
			`200 34 1234 "GET https://www.example.com:443/a?b=c HTTP/2.0" "` + fooBot + `" ECDHE-RSA-AES128-GCM-SHA256 ` +
			`TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/web/73e2d6bc24d8a067 ` +
			`"Root=1-58337327-72bd00b0343d75b906739c42"`},
	{"elb", "AWS Classic Load Balancer", nil, false,
		`$time_iso8601 $_ $remote_addr $_ $_ $_ $_ $status $_ $_ $body_bytes_sent "$request" "$http_user_agent" $_ $_`,
		`2026-03-04T05:06:07.000000Z my-lb 192.0.2.1:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 1234 "GET ` +
			`https://www.example.com:443/a?b=c HTTP/1.1" "` + fooBot + `" DHE-RSA-AES128-SHA TLSv1.2`},
	{"s3", "Amazon S3", nil, false,
		`escape=none $_ $_ [$time_local] $remote_addr $_ $_ $_ $_ "$request" $status $_ $body_bytes_sent $_ $_ $_ "$_" ` +
			`"$http_user_agent" $_ $_ $_ $_ $_ $host $ssl_protocol...`,
		`79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be www.example.com [04/Mar/2026:05:06:07 +0000] ` +
			`192.0.2.1 - 3E57427F3EXAMPLE WEBSITE.GET.OBJECT a "GET /a?b=c HTTP/1.1" 200 - 1234 1234 7 6 "-" ` +
			`"` + fooBot + `" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= - ` +
			`ECDHE-RSA-AES128-GCM-SHA256 - www.example.com TLSv1.2 - -`},
	{"s3_early", "Amazon S3 before 2019", nil, false,
		`escape=none $_ $_ [$time_local] $remote_addr $_ $_ $_ $_ "$request" $status $_ $body_bytes_sent $_ $_ $_ "$_" ` +
			`"$http_user_agent"...`,
		`79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be www.example.com [04/Mar/2026:05:06:07 +0000] ` +
			`192.0.2.1 - 3E57427F3EXAMPLE WEBSITE.GET.OBJECT a "GET /a?b=c HTTP/1.1" 200 - 1234 1234 7 6 "-" ` +
			`"` + fooBot + `" -`},
	{"npm", "Nginx Proxy Manager, for its hosts", nil, false,
		`[$time_local] $_ $_ $status - $request_method $scheme $host "$request_uri" [Client $remote_addr] [Length ` +
			`$body_bytes_sent] $_ "$http_user_agent" "$_"`,
		`[04/Mar/2026:05:06:07 +0000] - 200 200 - GET https www.example.com "/a?b=c" [Client 192.0.2.1] [Length 1234] ` +
			`[Gzip -] [Sent-to 10.0.0.2] "` + fooBot + `" "-"`},
	{"npm_default", "Nginx Proxy Manager, for all other hosts", nil, false,
		`[$time_local] $status - $request_method $scheme $host "$request_uri" [Client $remote_addr] [Length ` +
			`$body_bytes_sent] $_ "$http_user_agent" "$_"`,
		`[04/Mar/2026:05:06:07 +0000] 200 - GET https www.example.com "/a?b=c" [Client 192.0.2.1] [Length 1234] [Gzip ` +
			`-] "` + fooBot + `" "-"`},
	{"npmplus", "NPMplus", fromAddress, false,
		`[$time_local] $host $remote_addr $_ "$request" $status $body_bytes_sent $_ $remote_user $http_user_agent`,
		`[04/Mar/2026:05:06:07 +0000] www.example.com 192.0.2.1 0.227 "GET /a?b=c HTTP/2.0" 200 1234 1440 - ` + fooBot},
	{"uwsgi", "uWSGI by default", nil, false,
		`escape=none [pid: $_|app: $_|req: $_] $remote_addr ($_) {$_} [${time:%c}] $request_method $request_uri => ` +
			`generated $body_bytes_sent bytes in $_ ($_ $status) $_`,
		`[pid: 88185|app: 0|req: 1/1] 192.0.2.1 () {38 vars in 696 bytes} [Wed Mar  4 05:06:07 2026] GET /a?b=c => ` +
			`generated 1234 bytes in 129 msecs (HTTP/1.1 200) 9 headers in 378 bytes (1 switches on core 3)`},
	{"squid", "Squid in its own format", nil, false,
		`escape=none $msec $~$_ $remote_addr $_/$status $bytes_sent $request_method $request_uri $remote_user $_ $_`,
		`1772600767.000    310 192.0.2.1 TCP_MISS/200 1234 GET /a?b=c - HIER_DIRECT/203.0.113.5 text/html`},
}

// clfRows are the common log format and its relatives. clf.go reads most of their lines faster than
// their definitions would; TestCombinedTwins compares the two.
var clfRows = []row{
	{"combined", "nginx by default, Apache", nil, false,
		`$remote_addr` + wordsLocal + `...`, `192.0.2.1` + sampleLocal},
	{"vhost_combined", "Apache on Debian, and many hosters", nil, false,
		`$http_host $remote_addr` + wordsLocal + `...`, `www.example.com:443 192.0.2.1` + sampleLocal},
	{"common", "Apache of old", nil, false,
		`$remote_addr $ident $remote_user [$time_local] "$request" $status $body_bytes_sent...`,
		`192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET /a?b=c HTTP/1.1" 200 1234`},
	{"vhost_common", "Apache of old, with several sites", nil, false,
		`$http_host $remote_addr $ident $remote_user [$time_local] "$request" $status $body_bytes_sent...`,
		`www.example.com:443 192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET /a?b=c HTTP/1.1" 200 1234`},
}

// apacheRows are text formats in the notation of Apache's LogFormat.
var apacheRows = []row{
	{"apache_csv", "Apache with the LogFormat of ApacheLogs2MySQL", nil, false,
		`%v,%p,%h,%l,%u,%t,%I,%O,%S,%B,%{ms}T,%D,%^FB,` +
			`%>s,"%H","%m","%U","%q","%{Referer}i","%{User-Agent}i","%{VARNAME}C",%L`,
		`www.example.com,443,192.0.2.1,-,-,[04/Mar/2026:05:06:07 ` +
			`+0000],399,3345,3744,1234,1,1105,357,200,"HTTP/1.1","GET","/a","?b=c","-","` + fooBot + `","-",-`},
}

// format returns the format of a row in the given notation.
func (r *row) format(parse func(words string) (*Format, error)) (*Format, error) {
	f, err := parse(r.words)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	f.name, f.by, f.words, f.sample = r.name, r.by, r.words, r.sample
	f.sampled, f.fits, f.doubts = r.sampled, r.fits, nil
	return f, nil
}

// formatsOf returns the formats of some rows in the given notation.
func formatsOf(rows []row, parse func(words string) (*Format, error)) (list []*Format) {
	for _, r := range rows {
		f, err := r.format(parse)
		if err != nil {
			panic(err) // TestFormats reads all rows
		}
		if strings.HasSuffix(r.words, "...") && !f.HasHost() && f.HasAgent() {
			f.bind = bindTail
		}
		list = append(list, f)
	}
	return list
}

// programFormats are the text formats that a program reads. HAProxy's may be extended by captured
// headers, which it doesn't name.
var programFormats = sync.OnceValue(func() []*Format {
	haproxy := haproxyRow("haproxy", "HAProxy with option httplog or httpslog", ` "$request"`, " ")
	list := formatsOf(append(textRows, haproxyCLF, haproxy), parseNginx)
	for _, f := range list[len(list)-2:] {
		f.bind = bindCaptures
	}
	return append(list, formatsOf(apacheRows, parseApache)...)
})

// clfFormats are the common log format and its relatives.
var clfFormats = sync.OnceValue(func() []*Format {
	list := formatsOf(clfRows, parseNginx)
	for _, f := range list {
		f.isCommon = true
	}
	return list
})

// fromAddress reports whether the client is named by its address.
func fromAddress(r *Record) bool {
	_, err := netip.ParseAddr(string(r.Addr))
	return err == nil
}

// isUnquoted reports whether the client is named by its address, and the request is not in quotes.
func isUnquoted(r *Record) bool { return fromAddress(r) && methodEnd(r.Method) == len(r.Method) }

// hostBesideAddress distinguishes a host from an address where both are adjacent in either order,
// and from other fields.
func hostBesideAddress(r *Record) bool { return fromAddress(r) && isDomain(r.Host) }

// isDomain reports whether b is a domain name with a dot or with a port. It rejects addresses,
// versions, numbers, and other pairs of words such as cache:HIT.
func isDomain(b []byte) bool {
	const longestPort = 5
	name, port, hasPort := bytes.Cut(b, []byte(":"))
	last := name[bytes.LastIndexByte(name, '.')+1:]
	if hasPort && (len(port) == 0 || len(port) > longestPort || !isDigits(port)) {
		return false
	}
	return plausibleHost(name) && (hasPort || len(last) < len(name)) && len(last) > 0 && !isDigit(last[0])
}

// forwardedClient is the format with X-Forwarded-For before the client. It looks like the format
// with the host there: see reading.settle.
const forwardedClient = "forwarded_client_combined"

// isForwardedFirst reports whether the X-Forwarded-For before the client's address is none, or a
// list of addresses.
func isForwardedFirst(r *Record) bool {
	return fromAddress(r) && (string(r.Forwarded) == "-" || areAddresses(r.Forwarded))
}

// isProxyFirst reports whether the line begins with a private address without a port (a virtual
// host would have one), followed by other addresses.
func isProxyFirst(r *Record) bool {
	proxy, err := netip.ParseAddr(string(r.Addr))
	first, _, _ := bytes.Cut(r.Forwarded, []byte(","))
	client, _ := netip.ParseAddr(string(bareAddress(first)))
	return err == nil && proxy.IsPrivate() && bytes.HasPrefix(r.Line[len(r.Addr):], []byte(" ")) &&
		areAddresses(r.Forwarded) && !client.IsPrivate()
}

// isList reports whether X-Forwarded-For is a list of several addresses or names.
func isList(r *Record) bool {
	for element := range bytes.SplitSeq(r.Forwarded, []byte(",")) {
		if !plausibleAddress(bytes.TrimSpace(element)) {
			return false
		}
	}
	return bytes.IndexByte(r.Forwarded, ',') >= 0
}

// areAddresses reports whether b is a comma-separated list of addresses, with or without ports,
// which may include unknown.
func areAddresses(b []byte) bool {
	for element := range bytes.SplitSeq(b, []byte(",")) {
		element = bareAddress(bytes.TrimSpace(element))
		if _, err := netip.ParseAddr(string(element)); err != nil && string(element) != "unknown" {
			return false
		}
	}
	return true
}

// isProduct reports whether the User-Agent begins with a product and its version (RFC 9110 10.1.5),
// unlike a URL or a dash, and the referrer doesn't. In a log with these two swapped, a client may
// have sent anything as its referrer.
func isProduct(r *Record) bool { return beginsWithProduct(r.Agent) && !beginsWithProduct(r.Referer) }

// isTimed reports whether there is a User-Agent, and no quoted field besides it, the referrer and
// the request. In a line with one more, the referrer isn't a time.
func isTimed(r *Record) bool { return isProduct(r) && bytes.Count(r.Line, []byte(`"`)) == 6 }

func beginsWithProduct(field []byte) bool {
	name, version, _ := bytes.Cut(field, []byte("/"))
	return len(name) > 0 && methodEnd(name) == len(name) && len(version) > 0 && isDigit(version[0])
}
