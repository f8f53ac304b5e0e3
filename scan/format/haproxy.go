package format

import (
	"bytes"
	"strings"
)

// HAProxy's HTTP log format has no field for the User-Agent or the host. An administrator
// may have it capture headers, which are then between braces before the request, in the
// order in which they were declared, with bars between them and without their names:
//
//	192.0.2.1:33317 [06/Feb/2009:12:14:14.655] http-in~ static/srv1 10/0/30/69/109 200 2750 - - ----
//	1/1/1/1/0 0/0 {1wt.eu|Mozilla/5.0} {} "GET / HTTP/1.1"
//
// So users have to name them, as in haproxy:host,user-agent, or their values are used to guess
// them. A tilde after the name of the frontend means that the connection was encrypted. Option
// httpslog and custom formats have more fields after the request. With option httplog clf, the
// captured headers are quoted at the end of the line. Source: HAProxy's configuration.txt, 8.2.3 to
// 8.2.5, 8.6 and 8.8.
const (
	haproxyWords  = "escape=hash $remote_addr [${time:%d/%b/%Y:%H:%M:%S}] $frontend $_ $_ $status $bytes_sent $_"
	haproxyPrefix = "haproxy:"
)

// haproxyRow returns a row for HAProxy, given the end of its words and of its sample.
func haproxyRow(name, by, end, captured string) row {
	return row{name: name, by: by, words: haproxyWords + end + "...", sample: haproxySample(captured)}
}

// haproxySample returns a line with captured headers, surrounded by blanks.
func haproxySample(captured string) string {
	return "192.0.2.1:33317 [04/Mar/2026:05:06:07.000] http-in static/srv1 10/0/30/69/109 200 1234 - - ---- " +
		"1/1/1/1/0 0/0" + captured + `"GET /a?b=c HTTP/1.1"`
}

// haproxyCLF is the row of option httplog clf.
var haproxyCLF = row{
	name: "haproxy_clf", by: "HAProxy with option httplog clf",
	words: `escape=hash $remote_addr - - [$time_local] "$request" $status $bytes_sent "" "" $_ $_ "$frontend" "$_" "$_" ` +
		`$_ $_ $_ $_ $_ "$_" $_ $_ $_ $_ $_ $_ $_ "$_" "$_"...`,
	sample: `192.0.2.1 - - [04/Mar/2026:05:06:07 +0000] "GET /a?b=c HTTP/1.1" 200 1234 "" "" 33317 000 "http-in" "static" ` +
		`"srv1" 10 0 30 69 109 "----" 1 1 1 1 0 0 0 "" ""`,
}

// captureRows are the formats with captured headers. Each has a prefix and a function for its row,
// given the words and the values of the headers.
var captureRows = []struct {
	prefix string
	row    func(words, values []string) row
}{
	{haproxyPrefix, func(words, values []string) row {
		return haproxyRow("", "HAProxy with option httplog and captured headers",
			" {"+strings.Join(words, "|")+`}$_"$request"`, " {"+strings.Join(values, "|")+"} {} ")
	}},
	{"haproxy_clf:", func(words, values []string) row {
		quoted := func(row string, list []string) string {
			return strings.TrimSuffix(row, "...") + ` "` + strings.Join(list, `" "`) + `"`
		}
		return row{by: "HAProxy with option httplog clf and captured headers",
			words: quoted(haproxyCLF.words, words) + "...", sample: quoted(haproxyCLF.sample, values)}
	}},
}

// capturedFormat returns the format for a prefix and the names of captured headers. It returns nil
// if there is none, or if the User-Agent isn't among the headers.
func capturedFormat(prefix string, headers []string) *Format {
	var words, values []string
	for _, h := range headers {
		word, value := "$_", "-"
		switch strings.ToLower(h) {
		case "host":
			word, value = "$host", "www.example.com"
		case "user-agent", "ua":
			word, value = "$http_user_agent", fooBot
		case "x-forwarded-for", "xff":
			word = "$http_x_forwarded_for"
		}
		words, values = append(words, word), append(values, value)
	}
	for _, c := range captureRows {
		if !strings.EqualFold(c.prefix, prefix) {
			continue
		}
		r := c.row(words, values)
		r.name = c.prefix + strings.ToLower(strings.Join(headers, ","))
		if f, err := r.format(parseNginx); err == nil && f.HasAgent() {
			return f
		}
	}
	return nil
}

// capturedByName returns the format with a name such as haproxy:host,user-agent.
func capturedByName(name string) (*Format, bool) {
	at := strings.IndexByte(name, ':') + 1
	if at == 0 || at == len(name) {
		return nil, false
	}
	f := capturedFormat(name[:at], strings.Split(name[at:], ","))
	return f, f != nil
}

// bindCaptures adapts the format to the captured headers in the lines of head. A header is the
// User-Agent if it begins with Mozilla/ in some line, which no other header does, unless it is a
// URL in as many lines, like a referrer that a client has forged. Another header is the host or
// X-Forwarded-For if all its values look like one. The name of the format says how each header was
// interpreted. It returns f if no header is the User-Agent.
func bindCaptures(f *Format, head []byte) *Format {
	var headers []captured
	reader := f.NewReader().(*programReader)
	for kind, r := range recordsOf(reader, head) {
		if kind != Request {
			continue
		}
		values := reader.captures(r.Line, f.name == haproxyCLF.name)
		if headers == nil {
			headers = make([]captured, len(values))
		}
		if len(values) == len(headers) {
			for i := range headers {
				headers[i].see(values[i])
			}
		}
	}
	names, agents := make([]string, len(headers)), 0
	for i := range headers {
		names[i] = headers[i].name()
		if names[i] == "user-agent" {
			agents++
		}
	}
	if agents != 1 {
		return f
	}
	return capturedFormat(f.name+":", names)
}

// captures returns the captured headers of the line that Next returned last. They are in the first
// braces before the request, or in quotes after all fields.
func (p *programReader) captures(line []byte, behind bool) (values [][]byte) {
	if !behind {
		_, block, found := bytes.Cut(p.field(p.request-1), []byte(" {"))
		if block, _, closed := bytes.Cut(block, []byte("}")); found && closed {
			return bytes.Split(block, []byte("|"))
		}
		return nil
	}
	at := p.places.Spans[len(p.places.Spans)-1].To + 1
	for {
		from, end := quotedAt(line, at)
		if from < 0 {
			return values
		}
		values, at = append(values, line[from:end]), end+1
	}
}

// captured counts what the values of a captured header look like.
type captured struct{ seen, agents, urls, hosts, lists int }

func (c *captured) see(value []byte) {
	for n, is := range map[*int]bool{
		&c.seen: true, &c.agents: bytes.HasPrefix(value, []byte("Mozilla/")), &c.urls: isURL(value),
		&c.hosts: isDomain(value) || bytes.HasPrefix(value, []byte("[")), &c.lists: areAddresses(value),
	} {
		if is && len(value) > 0 {
			*n++
		}
	}
}

func (c *captured) name() string {
	switch {
	case c.agents > c.urls:
		return "user-agent"
	case c.seen > 0 && c.lists == c.seen:
		return "x-forwarded-for"
	case c.seen > 0 && c.hosts == c.seen:
		return "host"
	}
	return "-"
}

// tilde is HAProxy's mark of an encrypted connection, after the name of the frontend.
var tilde = spelling{undo: func(dst, field []byte) []byte {
	if bytes.HasSuffix(field, []byte("~")) {
		return append(dst, "on"...)
	}
	return append(dst, "off"...)
}}
