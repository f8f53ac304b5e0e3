package logwriter

import "strings"

// userWriters write what users define in the configuration of their servers.
func userWriters() []*Writer {
	const main = `'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" ` +
		`"$http_user_agent" "$http_x_forwarded_for" $scheme $host $server_port'`
	const mainLine = `<client> - <user> [` + clock + `] "<line>" <status|000> <size> "<referer>" "<agent>" "<forwarded>"
		 <scheme> <host> <port>`
	// $server_port is the server's, which need not be that of the site.
	const mainSays = "host=<host> agent=<agent> forwarded=<forwarded> target=<url>"
	return []*Writer{
		{Text: `log_format main ` + main + `;`, escape: nginx, line: mainLine, says: mainSays},
		{
			Text: `log_format main escape=json ` + main + `;`, escape: nginxJSON, missing: "none",
			line: mainLine, says: mainSays,
		},
		{
			Text: `log_format main escape=none ` + main + `;`, missing: "none",
			line: mainLine, says: mainSays + " unclear=<agent><target><referer>",
		},
		{
			Text: `log_format t escape=json '$time_iso8601\t$http_x_forwarded_for\t$remote_addr\t$request_method\t$request_uri` +
				`\t$status\t$http_user_agent\t$http_host';`,
			escape: nginxJSON, missing: "none",
			line: tabs(`<time:2006-01-02T15:04:05-07:00> <forwarded> <client> <method> <target> <status|000> <agent>
				 <hostheader>`),
			says: "host=<hostheader> agent=<agent> forwarded=<forwarded> size=none",
		},
		{
			Text: `LogFormat "%V:%{local}p %a %l %u %{%Y-%m-%dT%H:%M:%S}t.%{msec_frac}t %{%z}t \"%m %U%q %H\" %>s %B ` +
				`\"%{User-Agent}i\" \"%{Referer}i\"" site`,
			only: "http path", escape: apache,
			line: `<hostport> <client> - <user> <time:2006-01-02T15:04:05.000> <time:-0700> "<method> <decoded><marked>
				 <protocol>" <status|-> <size>
				 "<agent>" "<referer>"`,
			says: "host=<hostport> lossy=rewritten time=1ms target=<decoded><marked>",
		},
		{
			Text:   `LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %v" combined_host`,
			escape: apache, line: dashed + " <host>", says: "size=- host=<host>",
		},
		// GoAccess's own name for the common log format with virtual hosts. A colon ends %v, and
		// the zone is skipped. Source: goaccess.io/man, CUSTOM LOG/DATE FORMAT.
		{
			Text: `%v:%^ %h %^[%d:%t %^] "%r" %s %b "%R" "%u"`, only: "!hostv6", escape: apache,
			line: "<hostport> " + strings.Replace(combined, "<time:", "<utc:", 1), says: "host=<host>",
		},
		{
			Text: `ua=request.headers.User-Agent.0 time=ts ip=request.client_ip host=request.host method=request.method ` +
				`target=request.uri status=status bytes=size`,
			only: "http", escape: quoted, json: true, line: caddy, says: "host=<hostheader> time=100ns",
		},
		{
			Text:   `^(?P<ip>\S+) (?P<time>\S+) (?P<host>\S+) (?P<request>.*?) (?P<status>\d{3}|-) \| (?P<ua>.*)$`,
			escape: nginx, line: "<client> <time:2006-01-02T15:04:05Z07:00> <host> <line> <status|-> | <agent>",
			says: "host=<host> size=none",
		},
	}
}
