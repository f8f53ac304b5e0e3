package logwriter

import (
	"net/url"
	"strings"
)

// columnWriters write formats with a header that names their columns.
func columnWriters() []*Writer {
	plus := strings.NewReplacer(" ", "+").Replace
	return []*Writer{
		// IIS writes a blank in a header as a plus sign, and a plus sign as it is; the path has
		// its percent-encoding undone, and blanks as plus signs; times are in UTC.
		// Sources: w3.org/TR/WD-logfile.html;
		// learn.microsoft.com/en-us/previous-versions/iis/6.0-sdk/ms525807(v=vs.90).
		{
			Format: "w3c", Variant: "IIS", only: "http path", escape: plus,
			Head: header(`Software: Microsoft Internet Information Services 10.0|Version: 1.0|Date: 2026-03-04
				 05:06:07|Fields: date time s-ip
				 cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus
				 sc-win32-status
				 sc-bytes cs-host time-taken`),
			line: `<utc:2006-01-02 15:04:05> 203.0.113.80 <method> <decoded> <query|-> <port> <user> <client> <agent|->
				 <referer|->
				 <status> 0 0 <size> <hostheader> 15`,
			says: "host=<hostheader> lossy=decoded", keep: func(f *Facts, r *Request) {
				f.Agent = or(readPlus(plus(first(r.Agent, ""))), "-")
				path, query := r.pathQuery()
				f.Target = siteOf(r, f.Host, joined(ends.Replace(plus(decoded(path))), plus(query)))
			},
		},
		// Source: docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/AccessLogs.html,
		// standard logging, version 1.0. The host that the client asked for is x-host-header.
		{
			Format: "cloudfront", only: "http path", escape: cloudfront,
			Head: header(`Version: 1.0|Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem
				 sc-status cs(Referer)
				 cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes
				 time-taken
				 x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version fle-status
				 fle-encrypted-fields
				 c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end`),
			line: tabs(`<utc:2006-01-02> <utc:15:04:05> LAX1 <size> <client> <method> d111111abcdef8.cloudfront.net <path>
				 <status|000>
				 <referer|-> <agent|-> <query|-> - Hit SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ== <host> <scheme>
				 23 0.001
				 <forwarded> TLSv1.2 ECDHE-RSA-AES128-GCM-SHA256 Hit <protocol> - - <clientport> 0.001 Hit text/html 78 - -`),
			says: "host=<host> forwarded=<forwarded> target=<scheme>://<host><joined>", keep: encodedTwice,
		},
		// Source: the same guide, real-time-logs.html: all fields in the order of the list,
		// without a header.
		{
			Format: "cloudfront_realtime", only: "http path", escape: cloudfront,
			line: tabs(`<unix:3> <client> 203.0.113.9 0.002 <status|000> <size> <method> <scheme> d111111abcdef8.cloudfront.net
				 <target> 50 FRA2-C1 q4VXlPWQEJKtHd2u9A6WZ4h9lWyVLJZ1vXRl9ZGvcJ9mDzG7dQyXKw== <host> 0.002 <protocol> IPv4 <agent|->
				 <referer|-> - <query|-> Hit <forwarded> TLSv1.3 TLS_AES_128_GCM_SHA256 Hit - - text/html 1000 - -
				 <clientport> Hit DE gzip */* * host:x host 1 E1 d111111abcdef8.cloudfront.net 0.001 0.001 64496`),
			says: "host=<host> forwarded=<forwarded> time=1ms target=<url>", keep: encodedTwice,
		},
		// Source: docs.imperva.com, "Log File Structure", in W3C's form: all fields are in quotes.
		// That quotes in them are doubled is not documented, but W3C's way.
		{
			Format: "incapsula", only: "http path", escape: doubled, missing: "none",
			Head: header(`Software: Incapsula LOGS API|Version: 1.1|Date: 04/Mar/2026 05:06:07|Fields: date time cs-vid cs-clapp
				 cs-browsertype c-ip cs(User-Agent) cs-sessionid cs-uri cs-version sc-action cs(Referrer) s-ip s-port cs-method
				 cs-uri-query sc-status s-xff cs-bytes`),
			line: inQuotes(`<utc:2006-01-02> <utc:15:04:05> a1f36498-c34a-45b9-b3a5-ee0bd00f91b6 Other Bot <client> <agent>
				 452000660051880893 <hostheader><path> HTTP REQ_PASSED <referer> 203.0.113.80 <port> <method> <query> <status|>
				 <forwarded> 220`, " "),
			says: "host=<hostheader> agent=<agent> forwarded=<forwarded> size=none", keep: func(f *Facts, r *Request) {
				f.Target = siteOf(r, f.Host, joined(r.pathQuery()))
			},
		},
		// Source: docs.zeek.org, scripts/base/protocols/http/main.zeek, and the ASCII writer.
		{
			Format: "zeek", only: "http", escape: zeek, empty: "(empty)",
			Head: "#separator \\x09\n" + header(tabs(`set_separator ,|empty_field (empty)|unset_field -|path http|open
				 2026-03-04-05-06-07|fields
				 ts uid id.orig_h id.orig_p id.resp_h id.resp_p trans_depth method host uri referrer version user_agent origin
				 request_body_len response_body_len status_code status_msg tags|types time string addr port addr port count
				 string string string string string string string count count count string set[enum]`)),
			line: tabs(`<unix:6> CwFs1P2UcUdlSxD2La <client> <clientport> 203.0.113.80 <port> 1 <method> <host> <target>
				 <referer> <version>
				 <agent> - 0 <size> <status|-> OK (empty)`),
			says: "host=<host> time=1us",
		},
		// An Apache format of a public set of logs: LogFormat
		// "%v,%p,%h,%l,%u,%t,%I,%O,%S,%B,%{ms}T,%D,%^FB,%>s,
		// \"%H\",\"%m\",\"%U\",\"%q\",\"%{Referer}i\",\"%{User-Agent}i\",…"
		{
			Format: "apache_csv", only: "http path", escape: apache,
			line: `<host>,<port>,<client>,-,<plainuser>,[` + clock + `],362,5528,5890,<size>,0,73,-,<status|->,"<protocol>",
				"<method>",
				"<decoded>","<marked>","<referer>","<agent>","-",-`,
			says: "host=<hostport> lossy=rewritten target=<shown>",
		},
		// Source: cloud.google.com/storage/docs/access-logs, "Usage log format". All values are in
		// quotes.
		{
			Format: "gcs_csv", only: "http path", escape: doubled, missing: "none",
			Head: inQuotes(`time_micros c_ip c_ip_type c_ip_region cs_method cs_uri sc_status cs_bytes sc_bytes time_taken_micros
				 cs_host cs_referer cs_user_agent s_request_id cs_operation cs_bucket cs_object`, ",") + "\n",
			line: inQuotes(`<micros> <client> <?!clientv6>1<?><?clientv6>2<?> <none> <method> <target> <status> 0 <size> 11000
				 <host>
				 <referer> <agent> AEnB2UqxuEQ GET_Object my-bucket a`, ","),
			says: "host=<host> agent=<agent> time=1us",
		},
	}
}

// header returns the lines that name the columns: each begins with a number sign, and a bar is
// between them.
func header(lines string) string {
	return "#" + strings.ReplaceAll(lineBreak.ReplaceAllString(lines, ""), "|", "\n#") + "\n"
}

// tabs puts tabs between columns.
func tabs(columns string) string {
	return strings.ReplaceAll(lineBreak.ReplaceAllString(columns, ""), " ", "\t")
}

// inQuotes puts columns in quotes, with a separator between them.
func inQuotes(columns, separator string) string {
	return `"` + strings.ReplaceAll(lineBreak.ReplaceAllString(columns, ""), " ", `"`+separator+`"`) + `"`
}

// siteOf is a path as a whole URL if the server's port tells the scheme: it is not the site's, but
// for 443.
func siteOf(r *Request, host, path string) string {
	if r.Port != 443 {
		return path
	}
	v := *r
	v.Target = path
	return v.absolute(host)
}

// encodedTwice is the rule of CloudFront's User-Agents, which old logs encode twice: one with %20
// and without a blank is taken for such.
func encodedTwice(f *Facts, r *Request) {
	f.Agent = or(first(r.Agent, ""), "-")
	if !strings.Contains(f.Agent, " ") && strings.Contains(f.Agent, "%20") {
		f.Agent = strings.NewReplacer("%20", " ", "%22", `"`, "%25", "%").Replace(f.Agent)
	}
}

// decoded is a path as servers log it that undo its percent-encoding.
func decoded(path string) string {
	s, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return s
}

// ends encodes what would end a path: in one that was decoded it was encoded.
var ends = strings.NewReplacer("?", "%3F", "#", "%23")

// joined puts path and query together; without a query there is no question mark.
func joined(path, query string) string { return strings.TrimSuffix(path+"?"+query, "?") }

// readPlus is the best that a reader can make of a header in which plus signs stand for
// blanks and for themselves: the second of two is one.
func readPlus(s string) string {
	return strings.NewReplacer("++", " +", "+", " ").Replace(s)
}
