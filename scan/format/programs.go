package format

import (
	"bytes"
	"net/netip"
	"strings"
)

// textFormat is a row of the table of formats that a program reads.
type textFormat struct {
	name, by string
	// line is a line with its fields as $name, $_ for those that mean nothing. Two blanks
	// stand for one or more, and dots at the end for a blank and more fields.
	line   string
	spell  spelling // of all fields; a format without one escapes nothing
	layout layout
	fits   func(*Record) bool
	sample string
}

// What lines like combined have in common.
const (
	clfRequest = ` [$time] "$request" $status $size "$referer" "$agent"`
	anyUser    = " $_ $_"
	sampleTime = `[04/Mar/2026:05:06:07 +0000]`
	sampleTail = ` "GET /a?b=c HTTP/1.1" 200 1234 "-" "Mozilla/5.0 (compatible; FooBot/1.0)"`
	sampleIso  = `[2026-03-04T05:06:07+00:00]`
)

// textFormats are the rows of programFormats. Sources:
//   - gandi, host_second_combined (OVH, WP Engine), virtualmin, elb, s3: the formats and logs of
//     Matomo's log analytics (github.com/matomo-org/matomo-log-analytics).
//   - npm: docker/rootfs/etc/nginx/conf.d/include/log-proxy.conf of Nginx Proxy Manager.
//   - traefik: pkg/middlewares/accesslog/logger_formatters.go.
//   - haproxy: configuration.txt 8.2.3 and 8.6.
//   - envoy: Default Format String; istio: Default access log format in their documentation.
//   - alb, elb: Elastic Load Balancing, access logs; s3: Amazon S3, server access log format.
//   - uwsgi: the default of --logformat; squid: the predefined logformat squid.
var textFormats = []textFormat{
	{"host_second_combined", "OVH, WP Engine, and others with the host in the second field",
		"$addr $host $_" + clfRequest + "...", backslashed, clfTime, hostBesideAddress,
		"192.0.2.1 www.example.com - " + sampleTime + sampleTail},
	{"gandi", "Gandi",
		`$host $addr $_ $_ [$time] ($_) "$request" $status $size "$referer" "$agent"...`, backslashed, clfTime, nil,
		"www.example.com 192.0.2.1 - - " + sampleTime + " (0 s)" + sampleTail},
	{"virtualmin", "Virtualmin",
		"$addr - $host $_" + clfRequest + "...", backslashed, clfTime, hostBesideAddress,
		"192.0.2.1 - www.example.com - " + sampleTime + sampleTail},
	{"host_last_combined", "nginx and Apache with the host in quotes behind the User-Agent",
		"$addr" + anyUser + clfRequest + ` "$host"`, backslashed, clfTime, hostBesideAddress,
		"192.0.2.1 - - " + sampleTime + sampleTail + ` "www.example.com"`},
	{"host_end_combined", "nginx and Apache with the host behind the User-Agent",
		"$addr" + anyUser + clfRequest + ` $host`, backslashed, clfTime, hostBesideAddress,
		"192.0.2.1 - - " + sampleTime + sampleTail + ` www.example.com`},
	{"forwarded_combined", "nginx and Apache with X-Forwarded-For in the place of the client",
		"$forwarded - $_" + clfRequest + "...", backslashed, clfTime, isList,
		"192.0.2.1, 198.51.100.2 - - " + sampleTime + sampleTail},
	{"vhost_forwarded_combined", "nginx and Apache with the host and X-Forwarded-For in the place of the client",
		"$host $forwarded - $_" + clfRequest + "...", backslashed, clfTime, isList,
		"www.example.com 192.0.2.1, 198.51.100.2 - - " + sampleTime + sampleTail},
	{"quoted_forwarded_combined", "nginx and Apache with X-Forwarded-For in quotes before the client",
		`"$forwarded" $addr` + anyUser + clfRequest + "...", backslashed, clfTime, fromAddress,
		`"192.0.2.1, 198.51.100.2" 192.0.2.1 - - ` + sampleTime + sampleTail},
	{"vhost_quoted_forwarded_combined", "nginx and Apache with the host and X-Forwarded-For in quotes before the client",
		`$host "$forwarded" $addr` + anyUser + clfRequest + "...", backslashed, clfTime, hostBesideAddress,
		`www.example.com "192.0.2.1, 198.51.100.2" 192.0.2.1 - - ` + sampleTime + sampleTail},
	{"agent_referer", "nginx and Apache with the User-Agent before the referrer",
		"$addr" + anyUser + ` [$time] "$request" $status $size "$agent" "$referer"...`, backslashed, clfTime, isProduct,
		"192.0.2.1 - - " + sampleTime + ` "GET /a?b=c HTTP/1.1" 200 1234 "Mozilla/5.0 (compatible; FooBot/1.0)" "-"`},
	{"vhost_iso_combined", "nginx with $time_iso8601, with the host",
		"$host $addr" + anyUser + clfRequest + "...", backslashed, isoTime, hostBesideAddress,
		"www.example.com 192.0.2.1 - - " + sampleIso + sampleTail},
	{"iso_combined", "nginx with $time_iso8601",
		"$addr" + anyUser + clfRequest + "...", backslashed, isoTime, fromAddress,
		"192.0.2.1 - - " + sampleIso + sampleTail},
	{"vhost_msec_combined", "nginx with $msec, with the host",
		"$host $addr" + anyUser + clfRequest + "...", backslashed, epochTime, hostBesideAddress,
		"www.example.com 192.0.2.1 - - [1772600767.000]" + sampleTail},
	{"msec_combined", "nginx with $msec",
		"$addr" + anyUser + clfRequest + "...", backslashed, epochTime, fromAddress,
		"192.0.2.1 - - [1772600767.000]" + sampleTail},
	{"vhost_zoneless_combined", "Apache without a time zone, with the host",
		"$host $addr" + anyUser + clfRequest + "...", backslashed, zonelessTime, hostBesideAddress,
		"www.example.com 192.0.2.1 - - [04/Mar/2026:05:06:07]" + sampleTail},
	{"zoneless_combined", "Apache without a time zone",
		"$addr" + anyUser + clfRequest + "...", backslashed, zonelessTime, fromAddress,
		"192.0.2.1 - - [04/Mar/2026:05:06:07]" + sampleTail},
	{"cpanel", "cPanel's own server",
		"$addr" + anyUser + clfRequest + "...", backslashed, cpanelTime, fromAddress,
		`192.0.2.1 - - [03/04/2026:05:06:07 -0000]` + sampleTail + ` "-" "-" 2083`},
	{"traefik", "Traefik",
		`$addr - $_` + clfRequest + ` $_ "$_" "$_" $_ms`, spelling{}, clfTime, nil,
		"192.0.2.1 - - " + sampleTime + sampleTail + ` 17 "web@docker" "http://10.0.0.2:80" 3ms`},
	{"traefik_early", "Traefik 1, for requests without a referrer",
		`$addr - $_ [$time] "$request" $status $size - "$agent" $_ "$_" "$_" $_ms`, spelling{}, clfTime, nil,
		"192.0.2.1 - - " + sampleTime + ` "GET /a?b=c HTTP/1.1" 200 1234 - "Mozilla/5.0 (compatible; FooBot/1.0)" 17 "web@docker" "http://10.0.0.2:80" 3ms`},
	{"istio", "Istio",
		`[$time] "$request" $status $_ $_ $_ "$_" $_ $size $_ $_ "$forwarded" "$agent" "$_" "$host" "$_" $_ $_ $_ $addr $_ $_`, spelling{}, isoTime, nil,
		`[2026-03-04T05:06:07.000Z] "GET /a?b=c HTTP/1.1" 200 - via_upstream - "-" 0 1234 4 1 "-" "Mozilla/5.0 (compatible; FooBot/1.0)" "84961386-6d84-929d-98bd-c5aee93b5c88" "www.example.com" "10.44.1.27:80" outbound|80||web.default.svc.cluster.local 10.44.1.23:37652 10.0.45.184:80 192.0.2.1:46520 - default`},
	{"envoy", "Envoy",
		`[$time] "$request" $status $_ $_ $size $_ $_ "$forwarded" "$agent" "$_" "$host" "$_"`, spelling{}, isoTime, nil,
		`[2026-03-04T05:06:07.000Z] "GET /a?b=c HTTP/1.1" 200 - 0 1234 4 1 "-" "Mozilla/5.0 (compatible; FooBot/1.0)" "84961386-6d84-929d-98bd-c5aee93b5c88" "www.example.com" "10.0.35.28:80"`},
	{"alb", "AWS Application Load Balancer",
		`$_ $_ $_ $addr $_ $_ $_ $_ $status $_ $_ $sent "$request" "$agent" $_ $_ $_ "$_" "$host" "$_" $_ $time "$_"...`, backslashed, isoTime, nil,
		`h2 2026-03-04T05:06:08.000000Z app/my-lb/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 1234 "GET https://www.example.com:443/a?b=c HTTP/2.0" "Mozilla/5.0 (compatible; FooBot/1.0)" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/web/73e2d6bc24d8a067 "Root=1-58337327-72bd00b0343d75b906739c42" "www.example.com" "-" 1 2026-03-04T05:06:07.000000Z "forward" "-" "-"`},
	{"alb_early", "AWS Application Load Balancer before 2018",
		`$_ $time $_ $addr $_ $_ $_ $_ $status $_ $_ $sent "$request" "$agent" $_ $_ $_ "$_"`, backslashed, isoTime, nil,
		`h2 2026-03-04T05:06:07.000000Z app/my-lb/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 1234 "GET https://www.example.com:443/a?b=c HTTP/2.0" "Mozilla/5.0 (compatible; FooBot/1.0)" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/web/73e2d6bc24d8a067 "Root=1-58337327-72bd00b0343d75b906739c42"`},
	{"elb", "AWS Classic Load Balancer",
		`$time $_ $addr $_ $_ $_ $_ $status $_ $_ $size "$request" "$agent" $_ $_`, backslashed, isoTime, nil,
		`2026-03-04T05:06:07.000000Z my-lb 192.0.2.1:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 1234 "GET https://www.example.com:443/a?b=c HTTP/1.1" "Mozilla/5.0 (compatible; FooBot/1.0)" DHE-RSA-AES128-SHA TLSv1.2`},
	{"s3", "Amazon S3",
		`$_ $_ [$time] $addr $_ $_ $_ $_ "$request" $status $_ $size $_ $_ $_ "$_" "$agent" $_ $_ $_ $_ $_ $host $tls...`, spelling{}, clfTime, nil,
		`79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be www.example.com ` + sampleTime + ` 192.0.2.1 - 3E57427F3EXAMPLE WEBSITE.GET.OBJECT a "GET /a?b=c HTTP/1.1" 200 - 1234 1234 7 6 "-" "Mozilla/5.0 (compatible; FooBot/1.0)" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= - ECDHE-RSA-AES128-GCM-SHA256 - www.example.com TLSv1.2 - -`},
	{"s3_early", "Amazon S3 before 2019",
		`$_ $_ [$time] $addr $_ $_ $_ $_ "$request" $status $_ $size $_ $_ $_ "$_" "$agent"...`, spelling{}, clfTime, nil,
		`79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be www.example.com ` + sampleTime + ` 192.0.2.1 - 3E57427F3EXAMPLE WEBSITE.GET.OBJECT a "GET /a?b=c HTTP/1.1" 200 - 1234 1234 7 6 "-" "Mozilla/5.0 (compatible; FooBot/1.0)" -`},
	{"npm", "Nginx Proxy Manager, for its hosts",
		`[$time] $_ $_ $status - $method $scheme $host "$target" [Client $addr] [Length $size] $_ "$agent" "$_"`, backslashed, clfTime, nil,
		sampleTime + ` - 200 200 - GET https www.example.com "/a?b=c" [Client 192.0.2.1] [Length 1234] [Gzip -] [Sent-to 10.0.0.2] "Mozilla/5.0 (compatible; FooBot/1.0)" "-"`},
	{"npm_default", "Nginx Proxy Manager, for all other hosts",
		`[$time] $status - $method $scheme $host "$target" [Client $addr] [Length $size] $_ "$agent" "$_"`, backslashed, clfTime, nil,
		sampleTime + ` 200 - GET https www.example.com "/a?b=c" [Client 192.0.2.1] [Length 1234] [Gzip -] "Mozilla/5.0 (compatible; FooBot/1.0)" "-"`},
	{"npmplus", "NPMplus",
		`[$time] $host $addr $_ "$request" $status $size $_ $_ $agent`, backslashed, clfTime, fromAddress,
		sampleTime + ` www.example.com 192.0.2.1 0.227 "GET /a?b=c HTTP/2.0" 200 1234 1440 - Mozilla/5.0 (compatible; FooBot/1.0)`},
	{"uwsgi", "uWSGI by default",
		`[pid: $_|app: $_|req: $_] $addr ($_) {$_} [$time] $method $target => generated $size bytes in $_ ($_ $status) $_`, spelling{}, ctimeTime, nil,
		`[pid: 88185|app: 0|req: 1/1] 192.0.2.1 () {38 vars in 696 bytes} [Wed Mar  4 05:06:07 2026] GET /a?b=c => generated 1234 bytes in 129 msecs (HTTP/1.1 200) 9 headers in 378 bytes (1 switches on core 3)`},
	{"squid", "Squid in its own format",
		`$time  $_ $addr $_/$status $sent $method $target $_ $_ $_`, spelling{}, epochTime, nil,
		`1772600767.000    310 192.0.2.1 TCP_MISS/200 1234 GET /a?b=c - HIER_DIRECT/203.0.113.5 text/html`},
}

// programFormats are the formats that a program reads.
var programFormats = func() (rows []*Format) {
	for _, t := range textFormats {
		p := programOf(t.line, t.spell)
		p.fits = t.fits
		rows = append(rows, programFormat(t.name, t.by, t.sample, p, t.layout))
	}
	return append(rows, haproxyFormat())
}()

// partNames are the names of parts in the lines of textFormats.
var partNames = map[string]part{
	"_": ignored, "addr": clientAddr, "forwarded": forwardedFor, "host": hostName, "scheme": schemeName, "tls": tlsInUse,
	"agent": userAgent, "referer": referrer, "request": requestLine, "method": methodName, "target": target, "status": statusCode, "size": bodySize, "sent": sentSize, "time": moment,
}

// programOf returns the program of a line as textFormat.line has it.
func programOf(line string, spell spelling) program {
	var p program
	line, p.more = strings.CutSuffix(line, "...")
	for {
		before, rest, found := strings.Cut(line, "$")
		if !found {
			p.after = before
			return p
		}
		n := 1
		for rest[0] != '_' && n < len(rest) && 'a' <= rest[n] && rest[n] <= 'z' {
			n++
		}
		literal, padded := strings.CutSuffix(before, "  ")
		if padded {
			literal += " "
		}
		s := step{before: literal, padded: padded, part: partNames[rest[:n]], spell: spell}
		if last := len(p.steps) - 1; last >= 0 && p.steps[last].part == forwardedFor && literal == " - " {
			s.without = ' ' // the name of a user, or a piece of the list, which a client may have sent
		}
		p.steps = append(p.steps, s)
		line = rest[n:]
	}
}

// fromAddress tells whether the client is named by its address.
func fromAddress(r *Record) bool {
	_, err := netip.ParseAddr(string(r.Addr))
	return err == nil
}

// hostBesideAddress tells a host from an address, where both are next to each other and
// either may come first, and from other fields.
func hostBesideAddress(r *Record) bool { return fromAddress(r) && isDomain(r.Host) }

// isDomain tells whether b is a domain name with a dot or has a port: no address, no
// version and no number.
func isDomain(b []byte) bool {
	name, _, hasPort := bytes.Cut(b, []byte(":"))
	last := name[bytes.LastIndexByte(name, '.')+1:]
	return plausibleHost(b) && (hasPort || len(last) < len(name)) && len(last) > 0 && !isDigit(last[0])
}

// isList tells whether X-Forwarded-For is a list of several addresses or names.
func isList(r *Record) bool {
	for element := range bytes.SplitSeq(r.Forwarded, []byte(",")) {
		if !plausibleAddress(bytes.TrimSpace(element)) {
			return false
		}
	}
	return bytes.IndexByte(r.Forwarded, ',') >= 0
}

// areAddresses tells whether b is a list of addresses with commas between them.
func areAddresses(b []byte) bool {
	for element := range bytes.SplitSeq(b, []byte(",")) {
		if _, err := netip.ParseAddr(string(bytes.TrimSpace(element))); err != nil {
			return false
		}
	}
	return true
}

// isProduct tells whether the User-Agent begins with a product and its version (RFC 9110
// 10.1.5), which neither a URL nor a dash does.
func isProduct(r *Record) bool {
	name, version, _ := bytes.Cut(r.Agent, []byte("/"))
	return len(name) > 0 && methodEnd(name) == len(name) && len(version) > 0 && isDigit(version[0])
}
