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
// So they have to be named, as in haproxy:host,user-agent, or are guessed by what is in them.
// A tilde after the name of the frontend tells that the connection was encrypted.
// Source: HAProxy's configuration.txt, 8.2.3, 8.6 and 8.8.
const (
	haproxyWords  = "escape=hash $remote_addr [${time:%d/%b/%Y:%H:%M:%S}] $frontend $_ $_ $status $bytes_sent $_"
	haproxyPrefix = "haproxy:"
)

// haproxyRow returns a row for HAProxy by the end of its words and what its sample has there.
func haproxyRow(name, by, end, captured string) row {
	return row{name: name, by: by, words: haproxyWords + end, sample: haproxySample(captured)}
}

// haproxySample returns a line with captured headers, which have blanks around them.
func haproxySample(captured string) string {
	return "192.0.2.1:33317 [04/Mar/2026:05:06:07.000] http-in static/srv1 10/0/30/69/109 200 1234 - - ---- " +
		"1/1/1/1/0 0/0" + captured + `"GET /a?b=c HTTP/1.1"`
}

// capturedFormat returns the format haproxy with captured headers, given their names,
// nil if the User-Agent is none of them.
func capturedFormat(headers []string) *Format {
	line, values := "", ""
	for _, h := range headers {
		name, value := "_", "-"
		switch strings.ToLower(h) {
		case "host":
			name, value = "host", "www.example.com"
		case "user-agent", "ua":
			name, value = "http_user_agent", "Mozilla/5.0 (compatible; FooBot/1.0)"
		case "x-forwarded-for", "xff":
			name = "http_x_forwarded_for"
		}
		line, values = line+"|$"+name, values+"|"+value
	}
	name := haproxyPrefix + strings.ToLower(strings.Join(headers, ","))
	r := haproxyRow(name, "HAProxy with option httplog and captured headers",
		" {"+line[1:]+`}$_"$request"`, " {"+values[1:]+"} {} ")
	if f, err := r.format(parseNginx); err == nil && f.HasAgent() {
		return f
	}
	return nil
}

// capturedByName returns the format with a name such as haproxy:host,user-agent.
func capturedByName(name string) (*Format, bool) {
	if len(name) <= len(haproxyPrefix) || !strings.EqualFold(name[:len(haproxyPrefix)], haproxyPrefix) {
		return nil, false
	}
	f := capturedFormat(strings.Split(name[len(haproxyPrefix):], ","))
	return f, f != nil
}

// bindCaptures returns the format with the headers that the lines of head show: one is
// the User-Agent if it begins with Mozilla/ in some line, which no other header does, unless it
// is a URL in as many, as a referrer is that a client has forged. Next
// to it a header is the host or X-Forwarded-For if all that is in it looks so. The name of
// the format says what was taken for what. It returns f if no header is the User-Agent.
func bindCaptures(f *Format, head []byte) *Format {
	var headers []captured
	reader := f.NewReader().(*programReader)
	for kind := range recordsOf(reader, head) {
		if kind != Request {
			continue
		}
		_, block, found := bytes.Cut(reader.field(reader.request-1), []byte(" {"))
		block, _, closed := bytes.Cut(block, []byte("}"))
		values := bytes.Split(block, []byte("|"))
		if headers == nil && found && closed {
			headers = make([]captured, len(values))
		}
		if found && closed && len(values) == len(headers) {
			for i := range headers {
				headers[i].see(values[i])
			}
		}
	}
	names, agents := make([]string, len(headers)), 0
	for i := range headers {
		if names[i] = headers[i].name(); names[i] == "user-agent" {
			agents++
		}
	}
	if agents != 1 {
		return f
	}
	return capturedFormat(names)
}

// captured says how many values of a captured header look like what.
type captured struct{ seen, agents, urls, hosts, lists int }

func (c *captured) see(value []byte) {
	for n, is := range map[*int]bool{
		&c.seen: true, &c.agents: bytes.HasPrefix(value, []byte("Mozilla/")), &c.urls: isURL(value),
		&c.hosts: isDomain(value), &c.lists: areAddresses(value),
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
	case c.seen > 0 && c.hosts == c.seen:
		return "host"
	case c.seen > 0 && c.lists == c.seen:
		return "x-forwarded-for"
	}
	return "-"
}

// tilde is how HAProxy writes that a connection was encrypted: after the name of the
// frontend.
var tilde = spelling{undo: func(dst, field []byte) []byte {
	if bytes.HasSuffix(field, []byte("~")) {
		return append(dst, "on"...)
	}
	return append(dst, "off"...)
}}
