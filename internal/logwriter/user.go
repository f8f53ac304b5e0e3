package logwriter

import (
	"fmt"
	"strings"
	"time"
)

// userWriters write what users define in the configuration of their servers.
func userWriters() []*Writer {
	const main = `'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$http_x_forwarded_for" $scheme $host $server_port'`
	nginxMain := func(escape func(string) string, missing string) func([]byte, *Request) []byte {
		return func(b []byte, r *Request) []byte {
			return fmt.Appendf(b, `%s - %s [%s] "%s" %s %d "%s" "%s" "%s" %s %s %d`, r.Client.Addr(), escape(or(r.User, missing)), r.clfTime(), escape(r.line()), status(r, "000"), r.Size,
				escape(first(r.Referer, missing)), escape(first(r.Agent, missing)), escape(first(r.Forwarded, missing)), r.Scheme, r.bracketed(), r.Port)
		}
	}
	keepMain := func(missing string, quotes bool) func(*Facts, *Request) {
		return func(f *Facts, r *Request) {
			// $server_port is the server's, which need not be that of the site.
			f.Host, f.Agent, f.Forwarded = r.bracketed(), first(r.Agent, missing), first(r.Forwarded, missing)
			f.Target = r.absolute(r.bracketed())
			if quotes {
				unescaped(f, r, f.Agent, r.Target, first(r.Referer, ""))
			}
		}
	}
	return []*Writer{
		{Text: `log_format main ` + main + `;`, write: nginxMain(nginx, "-"), keep: keepMain("-", false)},
		{Text: `log_format main escape=json ` + main + `;`, write: nginxMain(nginxJSON, ""), keep: keepMain("", false)},
		{Text: `log_format main escape=none ` + main + `;`, write: nginxMain(raw, ""), keep: keepMain("", true)},
		{Text: `log_format t escape=json '$time_iso8601\t$http_x_forwarded_for\t$remote_addr\t$request_method\t$request_uri\t$status\t$http_user_agent\t$http_host';`,
			write: func(b []byte, r *Request) []byte {
				return fmt.Appendf(b, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", r.Time.Format("2006-01-02T15:04:05-07:00"), nginxJSON(first(r.Forwarded, "")), r.Client.Addr(), r.Method, nginxJSON(r.Target),
					status(r, "000"), nginxJSON(first(r.Agent, "")), r.hostHeader())
			}, keep: func(f *Facts, r *Request) {
				f.Host, f.Agent, f.Forwarded, f.Size = r.hostHeader(), first(r.Agent, ""), first(r.Forwarded, ""), NoSizes
			}},
		{Text: `LogFormat "%V:%{local}p %a %l %u %{%Y-%m-%dT%H:%M:%S}t.%{msec_frac}t %{%z}t \"%m %U%q %H\" %>s %B \"%{User-Agent}i\" \"%{Referer}i\"" site`,
			write: func(b []byte, r *Request) []byte {
				if r.Protocol == "" || !r.onPath() {
					return nil
				}
				path, query := r.pathQuery()
				if strings.Contains(r.Target, "?") {
					query = "?" + query
				}
				return fmt.Appendf(b, `%s:%d %s - %s %s %s "%s %s%s %s" %s %d "%s" "%s"`, r.bracketed(), r.Port, r.Client.Addr(), user(r, apache), r.Time.Format("2006-01-02T15:04:05.000"), r.Time.Format("-0700"),
					r.Method, apache(decoded(path)), apache(query), r.Protocol, status(r, "-"), r.Size, apache(first(r.Agent, "-")), apache(first(r.Referer, "-")))
			}, keep: func(f *Facts, r *Request) {
				f.Host, f.Lossy, f.Time = r.hostPort(), "rewritten", r.Time.Truncate(time.Millisecond)
				path, query, has := strings.Cut(r.Target, "?")
				if f.Target = decoded(path); has {
					f.Target += "?" + query
				}
			}},
		{Text: `LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %v" combined_host`,
			write: func(b []byte, r *Request) []byte {
				b = combined(b, r, apache, "- "+user(r, apache), "", sizeOrDash(r))
				return append(append(b, ' '), r.bracketed()...)
			}, keep: func(f *Facts, r *Request) { noSizeOfZero(f); f.Host = r.bracketed() }},
		// GoAccess's own name for the common log format with virtual hosts.
		// Source: goaccess.io/man, CUSTOM LOG/DATE FORMAT.
		{Text: `%v:%^ %h %^[%d:%t %^] "%r" %s %b "%R" "%u"`,
			write: func(b []byte, r *Request) []byte {
				if strings.Contains(r.Host, ":") {
					return nil // the colon ends %v
				}
				v := *r
				v.Time = r.Time.UTC() // the zone is skipped
				return combined(fmt.Appendf(b, "%s ", r.hostPort()), &v, apache, "- "+user(r, apache), "", fmt.Sprint(r.Size))
			}, keep: func(f *Facts, r *Request) { f.Host = r.bracketed() }},
		{Text: `ua=request.headers.User-Agent.0 time=ts ip=request.client_ip host=request.host method=request.method target=request.uri status=status bytes=size`,
			write: func(b []byte, r *Request) []byte { return caddy(b, r, true) },
			keep:  func(f *Facts, r *Request) { keepCaddy(f, r); f.Forwarded = ""; f.Target = valid(r.Target) }},
		{Text: `^(?P<ip>\S+) (?P<time>\S+) (?P<host>\S+) (?P<request>.*?) (?P<status>\d{3}|-) \| (?P<ua>.*)$`,
			write: func(b []byte, r *Request) []byte {
				return fmt.Appendf(b, "%s %s %s %s %s | %s", r.Client.Addr(), r.Time.Format(time.RFC3339), r.bracketed(), nginx(r.line()), status(r, "-"), nginx(first(r.Agent, "-")))
			}, keep: func(f *Facts, r *Request) { f.Host, f.Size = r.bracketed(), NoSizes }},
	}
}
