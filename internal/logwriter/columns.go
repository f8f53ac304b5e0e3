package logwriter

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// columnWriters write formats with a header that names their columns.
func columnWriters() []*Writer {
	plus := strings.NewReplacer(" ", "+")
	return []*Writer{
		// IIS writes a blank in a header as a plus sign, and a plus sign as it is; the path has
		// its percent-encoding undone, and blanks as plus signs; times are in UTC.
		// Sources: w3.org/TR/WD-logfile.html;
		// learn.microsoft.com/en-us/previous-versions/iis/6.0-sdk/ms525807(v=vs.90).
		{Format: "w3c", Variant: "IIS", Head: "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2026-03-04 05:06:07\n" +
			"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status sc-bytes cs-host time-taken\n",
			write: func(b []byte, r *Request) []byte {
				if r.Protocol == "" || !r.onPath() {
					return nil
				}
				path, query := r.pathQuery()
				return fmt.Appendf(b, "%s 203.0.113.80 %s %s %s %d %s %s %s %s %d 0 0 %d %s 15", r.utc("2006-01-02 15:04:05"), r.Method,
					plus.Replace(decoded(path)), or(plus.Replace(query), "-"), r.Port, or(plus.Replace(r.User), "-"), r.Client.Addr(),
					or(plus.Replace(first(r.Agent, "")), "-"), or(plus.Replace(first(r.Referer, "")), "-"), r.Status, r.Size, r.hostHeader())
			}, keep: func(f *Facts, r *Request) {
				// The server's port is not the site's, but 443 tells the scheme.
				f.Host, f.Lossy = r.hostHeader(), "decoded"
				f.Agent = or(readPlus(plus.Replace(first(r.Agent, ""))), "-")
				path, query := r.pathQuery()
				f.Target = joined(ends.Replace(plus.Replace(decoded(path))), plus.Replace(query))
				if r.Port == 443 && f.Target != "*" {
					f.Target = absoluteOf(r, f.Host, f.Target)
				}
			}},
		// Source: docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/AccessLogs.html,
		// standard logging, version 1.0. The host that the client asked for is x-host-header.
		{Format: "cloudfront", Head: "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) " +
			"x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version " +
			"fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end\n",
			write: func(b []byte, r *Request) []byte {
				if r.Protocol == "" || !r.onPath() {
					return nil
				}
				path, query := r.pathQuery()
				columns := []string{
					r.utc("2006-01-02"), r.utc("15:04:05"), "LAX1", fmt.Sprint(r.Size), r.Client.Addr().String(), r.Method, "d111111abcdef8.cloudfront.net", cloudfront(path),
					status(r, "000"), cloudfront(or(first(r.Referer, ""), "-")), cloudfront(or(first(r.Agent, ""), "-")), or(cloudfront(query), "-"), "-", "Hit",
					"SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==", r.bracketed(), r.Scheme, "23", "0.001", cloudfront(first(r.Forwarded, "-")), "TLSv1.2",
					"ECDHE-RSA-AES128-GCM-SHA256", "Hit", r.Protocol, "-", "-", fmt.Sprint(r.Client.Port()), "0.001", "Hit", "text/html", "78", "-", "-",
				}
				return append(b, strings.Join(columns, "\t")...)
			}, keep: func(f *Facts, r *Request) {
				f.Host, f.Forwarded, f.Agent = r.bracketed(), first(r.Forwarded, "-"), encodedTwice(or(first(r.Agent, ""), "-"))
				f.Target = absoluteOf(r, r.bracketed(), joined(r.pathQuery()))
			}},
		// Source: the same guide, real-time-logs.html: all fields in the order of the list, without a header.
		{Format: "cloudfront_realtime", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			_, query := r.pathQuery()
			columns := []string{
				fmt.Sprintf("%d.%03d", r.Time.Unix(), r.Time.Nanosecond()/1e6), r.Client.Addr().String(), "203.0.113.9", "0.002", status(r, "000"), fmt.Sprint(r.Size), r.Method, r.Scheme, "d111111abcdef8.cloudfront.net",
				cloudfront(r.Target), "50", "FRA2-C1", "q4VXlPWQEJKtHd2u9A6WZ4h9lWyVLJZ1vXRl9ZGvcJ9mDzG7dQyXKw==", r.bracketed(), "0.002", r.Protocol, "IPv4", cloudfront(or(first(r.Agent, ""), "-")),
				cloudfront(or(first(r.Referer, ""), "-")), "-", or(cloudfront(query), "-"), "Hit", cloudfront(first(r.Forwarded, "-")), "TLSv1.3", "TLS_AES_128_GCM_SHA256", "Hit", "-", "-", "text/html", "1000", "-", "-",
				fmt.Sprint(r.Client.Port()), "Hit", "DE", "gzip", "*/*", "*", "host:x", "host", "1", "E1", "d111111abcdef8.cloudfront.net", "0.001", "0.001", "64496",
			}
			return append(b, strings.Join(columns, "\t")...)
		}, keep: func(f *Facts, r *Request) {
			f.Host, f.Forwarded, f.Agent = r.bracketed(), first(r.Forwarded, "-"), encodedTwice(or(first(r.Agent, ""), "-"))
			f.Time, f.Target = r.Time.Truncate(time.Millisecond), absoluteOf(r, r.bracketed(), r.Target)
		}},
		// Source: docs.imperva.com, "Log File Structure", in W3C's form: all fields are in quotes. That quotes in
		// them are doubled is not documented, but W3C's way.
		{Format: "incapsula", Head: "#Software: Incapsula LOGS API\n#Version: 1.1\n#Date: 04/Mar/2026 05:06:07\n" +
			"#Fields: date time cs-vid cs-clapp cs-browsertype c-ip cs(User-Agent) cs-sessionid cs-uri cs-version sc-action cs(Referrer) s-ip s-port cs-method cs-uri-query sc-status s-xff cs-bytes\n",
			write: func(b []byte, r *Request) []byte {
				if r.Protocol == "" || !r.onPath() {
					return nil
				}
				path, query := r.pathQuery()
				columns := []string{
					r.utc("2006-01-02"), r.utc("15:04:05"), "a1f36498-c34a-45b9-b3a5-ee0bd00f91b6", "Other", "Bot", r.Client.Addr().String(), first(r.Agent, ""), "452000660051880893",
					r.hostHeader() + path, "HTTP", "REQ_PASSED", first(r.Referer, ""), "203.0.113.80", fmt.Sprint(r.Port), r.Method, query, status(r, ""), first(r.Forwarded, ""), "220",
				}
				for i, c := range columns {
					columns[i] = doubled(c)
				}
				return append(b, strings.Join(columns, " ")...)
			}, keep: func(f *Facts, r *Request) {
				f.Host, f.Agent, f.Forwarded, f.Size = r.hostHeader(), first(r.Agent, ""), first(r.Forwarded, ""), NoSizes
				path, query := r.pathQuery()
				f.Target = joined(path, query)
				if r.Port == 443 {
					f.Target = absoluteOf(r, f.Host, f.Target)
				}
			}},
		// Source: docs.zeek.org, scripts/base/protocols/http/main.zeek, and the ASCII writer.
		{Format: "zeek", Head: "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\thttp\n#open\t2026-03-04-05-06-07\n" +
			"#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\ttrans_depth\tmethod\thost\turi\treferrer\tversion\tuser_agent\torigin\trequest_body_len\tresponse_body_len\tstatus_code\tstatus_msg\ttags\n" +
			"#types\ttime\tstring\taddr\tport\taddr\tport\tcount\tstring\tstring\tstring\tstring\tstring\tstring\tstring\tcount\tcount\tcount\tstring\tset[enum]\n",
			write: func(b []byte, r *Request) []byte {
				if r.Protocol == "" {
					return nil
				}
				header := func(h []string) string {
					if len(h) == 0 {
						return "-"
					}
					if h[0] == "" {
						return "(empty)"
					}
					return zeek(h[0])
				}
				columns := []string{
					fmt.Sprintf("%d.%06d", r.Time.Unix(), r.Time.Nanosecond()/1000), "CwFs1P2UcUdlSxD2La", r.Client.Addr().String(), fmt.Sprint(r.Client.Port()),
					"203.0.113.80", fmt.Sprint(r.Port), "1", r.Method, r.bracketed(), zeek(r.Target), header(r.Referer), strings.TrimPrefix(r.Protocol, "HTTP/"), header(r.Agent), "-",
					"0", fmt.Sprint(r.Size), status(r, "-"), "OK", "(empty)",
				}
				return append(b, strings.Join(columns, "\t")...)
			}, keep: func(f *Facts, r *Request) {
				f.Host, f.Time = r.bracketed(), r.Time.Truncate(time.Microsecond)
			}},
		// An Apache format of a public set of logs: LogFormat "%v,%p,%h,%l,%u,%t,%I,%O,%S,%B,%{ms}T,%D,%^FB,%>s,\"%H\",\"%m\",\"%U\",\"%q\",\"%{Referer}i\",\"%{User-Agent}i\",…"
		{Format: "apache_csv", write: func(b []byte, r *Request) []byte {
			if r.Protocol == "" || !r.onPath() {
				return nil
			}
			path, query := r.pathQuery()
			if strings.Contains(r.Target, "?") {
				query = "?" + query // empty only if there is no question mark
			}
			return fmt.Appendf(b, `%s,%d,%s,-,%s,[%s],362,5528,5890,%d,0,73,-,%s,"%s","%s","%s","%s","%s","%s","-",-`, r.bracketed(), r.Port, r.Client.Addr(), or(r.User, "-"), r.clfTime(),
				r.Size, status(r, "-"), r.Protocol, r.Method, apache(decoded(path)), apache(query), apache(first(r.Referer, "-")), apache(first(r.Agent, "-")))
		}, keep: func(f *Facts, r *Request) {
			f.Host, f.Lossy = r.hostPort(), "rewritten"
			path, query := r.pathQuery()
			f.Target = joined(decoded(path), query)
		}},
		// Source: cloud.google.com/storage/docs/access-logs, "Usage log format". All values are in quotes.
		{Format: "gcs_csv", Head: `"time_micros","c_ip","c_ip_type","c_ip_region","cs_method","cs_uri","sc_status","cs_bytes","sc_bytes","time_taken_micros","cs_host","cs_referer","cs_user_agent","s_request_id","cs_operation","cs_bucket","cs_object"` + "\n",
			write: func(b []byte, r *Request) []byte {
				if r.Protocol == "" || !r.onPath() {
					return nil
				}
				ipType := "1"
				if r.Client.Addr().Is6() {
					ipType = "2"
				}
				columns := []string{
					fmt.Sprint(r.Time.UnixMicro()), r.Client.Addr().String(), ipType, "", r.Method, r.Target, fmt.Sprint(r.Status), "0", fmt.Sprint(r.Size), "11000", r.bracketed(),
					first(r.Referer, ""), first(r.Agent, ""), "AEnB2UqxuEQ", "GET_Object", "my-bucket", "a",
				}
				for i, c := range columns {
					columns[i] = doubled(c)
				}
				return append(b, strings.Join(columns, ",")...)
			}, keep: func(f *Facts, r *Request) {
				f.Host, f.Agent, f.Time = r.bracketed(), first(r.Agent, ""), r.Time.Truncate(time.Microsecond)
			}},
	}
}

// encodedTwice is the rule of CloudFront's User-Agents, which old logs encode twice: one with %20
// and without a blank is taken for such.
func encodedTwice(agent string) string {
	if strings.Contains(agent, " ") || !strings.Contains(agent, "%20") {
		return agent
	}
	return strings.NewReplacer("%20", " ", "%22", `"`, "%25", "%").Replace(agent)
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

// absoluteOf is a path as a whole URL.
func absoluteOf(r *Request, host, path string) string {
	v := *r
	v.Target = path
	return v.absolute(host)
}

// readPlus is the best that a reader can make of a header in which plus signs stand for
// blanks and for themselves: the second of two is one.
func readPlus(s string) string {
	return strings.NewReplacer("++", " +", "+", " ").Replace(s)
}
