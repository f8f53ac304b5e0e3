package format

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// columnFormats are the formats whose lines are columns.
var columnFormats = sync.OnceValue(func() []*Format {
	all := []*Format{
		incapsulaFormat, akamaiFormat, w3cFormat, cloudfrontFormat, cloudfrontRealtimeFormat, zeekFormat, gcsFormat,
	}
	for _, f := range all {
		f.complete()
	}
	return all
})

// w3cFormat is the extended log format of W3C's working draft WD-logfile, as IIS and others write
// it. Times are in UTC, except with date-local. IIS writes a blank as a plus (pluses), and decodes
// the path, where a plus may then be either. A server may instead quote fields that contain blanks.
// Repeated blanks count as one, because Oracle's Web Cache writes them.
//
// The server's port isn't the site's, because a proxy may use another one. Only 443 shows that the
// site was accessed by https. Sources: learn.microsoft.com, "W3C Extended Log File Format" and
// "Logging Fields" of IIS Advanced Logging and of ISA Server and TMG.
var w3cFormat = columnFormat(Format{
	name: "w3c", by: "IIS, and others that write W3C's extended format",
	head: "#Fields: date time cs-method cs-uri-stem cs-uri-query s-port c-ip cs(User-Agent) cs-host sc-status sc-bytes\n",
	sample: "2026-03-04 05:06:07 GET /a b=c 443 192.0.2.1 Mozilla/5.0+(compatible;+FooBot/1.0) " +
		"www.example.com 200 1234",
}, &dialect{
	Columns: field.Columns{Delimiter: ' ', Runs: true}, directive: '#', header: "#Fields:", day: isoUTC,
	table: `
		day date date-local
		clock time time-local
		ip@plus c-ip cs-ip
		xff@plus x-forwarded-for cs(x-forwarded-for)
		method cs-method s-operation
		decoded cs-uri-stem
		target cs-uri
		query cs-uri-query
		ua@plus cs(user-agent) cs-user-agent c-agent
		referer@plus cs(referer) cs-referer
		host cs-host cs(host)
		scheme x-forwarded-proto cs(x-forwarded-proto)
		server_port s-port
		status sc-status
		sent sc-bytes bytes`,
	of: func(d dialect, header []byte, lines [][]byte) *dialect {
		if isCloudFront(&d, header, lines) || isIncapsula(header) || isAkamai(header, lines) {
			return nil
		}
		if bytes.IndexByte(header, '\t') >= 0 {
			d.Delimiter, d.Runs = '\t', false
		}
		d.Quotes = d.quotesOf(header, lines)
		if bytes.Contains(header, []byte("-local")) {
			d.day = isoTime
		}
		return &d
	},
})

// incapsulaFormat is the form of W3C's format that Incapsula, now Imperva, writes. All fields are
// quoted, and cs-uri is the host and the path. Source: docs.imperva.com, "Log File Structure".
var incapsulaFormat = columnFormat(Format{
	name: "incapsula", by: "Incapsula, now Imperva Cloud WAF, in W3C's form",
	head: "#Fields: date time cs-vid cs-clapp c-ip cs(User-Agent) cs-uri cs-version s-ip s-port cs-method cs-uri-query " +
		"sc-status s-xff sc-bytes\n",
	sample: `"2026-03-04" "05:06:07" "a1f36498-c34a-45b9-b3a5-ee0bd00f91b6" "Other" "192.0.2.1" "` + fooBot +
		`" "www.example.com/a" "HTTP" "203.0.113.80" "443" "GET" "b=c" "200" "" "1234"`,
}, &dialect{
	Columns: field.Columns{Delimiter: ' ', Quotes: true}, directive: '#', header: "#Fields:", day: isoUTC,
	table: `
		day date
		clock time
		ip c-ip
		xff s-xff
		method cs-method
		host_path cs-uri
		query cs-uri-query
		ua cs(user-agent)
		server_port s-port
		status sc-status
		sent sc-bytes`,
	of: func(d dialect, header []byte, _ [][]byte) *dialect {
		if !isIncapsula(header) {
			return nil
		}
		return &d
	},
})

func isIncapsula(header []byte) bool { return bytes.Contains(header, []byte(" cs-clapp ")) }

// akamaiFormat is Akamai's Log Delivery Service in W3C's form. The header is separated by blanks,
// the lines by tabs, and request headers are quoted. cs-uri is the path, possibly after the host of
// the origin. Source: Akamai, "Log Delivery Service User Guide".
var akamaiFormat = columnFormat(Format{
	name: "akamai_lds", by: "Akamai, Log Delivery Service in W3C's form",
	head: "#Version: 1.0\n#Fields: date time cs-ip cs-method cs-uri sc-status sc-bytes time-taken cs(Referer) " +
		"cs(User-Agent) cs(Cookie)\n",
	sample: "2026-03-04\t05:06:07\t192.0.2.1\tGET\t/www.example.com/a?b=c\t200\t1234\t5\t\"-\"\t\"" + fooBot + "\"\t\"-\"",
}, &dialect{
	Columns: field.Columns{Delimiter: '\t', Quotes: true}, directive: '#', header: "#Fields:", day: isoUTC,
	ownSpelling: true,
	table: `
		day date
		clock time
		ip cs-ip
		method cs-method
		target cs-uri
		status sc-status
		sent sc-bytes
		referer cs(referer)
		ua@blankless cs(user-agent)`,
	of: func(d dialect, header []byte, lines [][]byte) *dialect {
		if !isAkamai(header, lines) {
			return nil
		}
		fields := make([]field.Span, len(strings.Fields(string(header)))-1)
		at := slices.Index(strings.Fields(string(header)), "cs-uri") - 1
		hosts := 0
		for _, line := range lines {
			if at < 0 || d.Split(fields, line) != len(fields) {
				continue
			}
			uri := bytes.TrimPrefix(line[fields[at].From:fields[at].To], []byte("/"))
			if host, _, hasPath := bytes.Cut(uri, []byte("/")); hasPath && isDomain(host) {
				hosts++
			}
		}
		if 10*hosts >= 9*len(lines) {
			others := slices.DeleteFunc(slices.Clone(d.names), func(c column) bool { return c.part == target })
			d.names = slices.Concat(columnsNamed("host_target cs-uri"), others)
		}
		return &d
	},
})

func isAkamai(header []byte, lines [][]byte) bool {
	return bytes.Contains(header, []byte(" cs-ip ")) && bytes.IndexByte(header, '\t') < 0 &&
		len(lines) > 0 && bytes.IndexByte(lines[0], '\t') >= 0
}

// cloudfrontFormat is the standard log of Amazon CloudFront. Fields are separated by tabs, and
// bytes outside a set are percent-encoded once more than in the request. The column cs(Host) is the
// distribution, x-host-header the site. Source: docs.aws.amazon.com, "Standard logging reference".
var cloudfrontFormat = columnFormat(Format{
	name: "cloudfront", by: "Amazon CloudFront, standard logs",
	head: "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status " +
		"cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header\n",
	sample: strings.ReplaceAll("2026-03-04 05:06:07 FRA2-C1 1234 192.0.2.1 GET d111111abcdef8.cloudfront.net /a 200 - "+
		"Mozilla/5.0%20(compatible;%20FooBot/1.0) b=c - Hit "+
		"q4VXlPWQEJKtHd2u9A6WZ4h9lWyVLJZ1vXRl9ZGvcJ9mDzG7dQyXKw== www.example.com", " ", "\t"),
}, &dialect{
	Columns: field.Columns{Delimiter: '\t'}, directive: '#', header: "#Fields:", day: isoUTC, instant: epochTime,
	table: "path" + cloudfrontNames + " x-host-header",
	of: func(d dialect, header []byte, lines [][]byte) *dialect {
		if !isCloudFront(&d, header, lines) {
			return nil
		}
		if bytes.Contains(header, []byte(" timestamp ")) && !bytes.Contains(header, []byte(" date ")) {
			d.names = cloudfrontRealtimeFormat.dialect.names
		}
		return &d
	},
})

// cloudfrontRealtimeFormat is CloudFront's real-time log with all fields in the order of its
// console. It has no header, and its path includes the query. cs-host is the site and x-host-header
// the distribution, unlike in standard logs. Logs with fewer fields can't be detected, but users
// can name their fields. Source: docs.aws.amazon.com, "Real-time log configuration fields".
var cloudfrontRealtimeFormat = columnFormat(Format{
	name: "cloudfront_realtime", by: "Amazon CloudFront, real-time logs with all fields", sampled: true,
	words: `#Fields: timestamp c-ip s-ip time-to-first-byte sc-status sc-bytes cs-method cs-protocol cs-host cs-uri-stem
		cs-bytes x-edge-location x-edge-request-id x-host-header time-taken cs-protocol-version c-ip-version cs-user-agent
		cs-referer cs-cookie cs-uri-query x-edge-response-result-type x-forwarded-for ssl-protocol ssl-cipher
		x-edge-result-type fle-encrypted-fields fle-status sc-content-type sc-content-len sc-range-start sc-range-end c-port
		x-edge-detailed-result-type c-country cs-accept-encoding cs-accept cache-behavior-path-pattern cs-headers
		cs-header-names cs-headers-count primary-distribution-id primary-distribution-dns-name origin-fbl origin-lbl asn`,
	sample: strings.ReplaceAll("1772600767.000 192.0.2.1 203.0.113.9 0.001 200 1234 GET https "+
		"www.example.com /a?b=c 50 FRA2-C1 "+
		"q4VXlPWQEJKtHd2u9A6WZ4h9lWyVLJZ1vXRl9ZGvcJ9mDzG7dQyXKw== d111111abcdef8.cloudfront.net 0.001 HTTP/2.0 IPv4 "+
		"Mozilla/5.0%20(compatible;%20FooBot/1.0) - - - Hit - TLSv1.3 TLS_AES_128_GCM_SHA256 Hit - - text/html "+
		"1000 - - 40000 Hit DE - - * - - 0 - - - - 64496", " ", "\t"),
}, &dialect{
	Columns: field.Columns{Delimiter: '\t'}, instant: epochTime,
	table: "target" + cloudfrontNames + " cs-host",
})

// cloudfrontNames are the columns of CloudFront. The meaning of the URI precedes them, and the name
// of the host's column follows.
const cloudfrontNames = `@percent cs-uri-stem
	day date
	clock time
	time timestamp(ms) timestamp
	ip@percent c-ip
	xff@percent x-forwarded-for
	method cs-method
	query@percent cs-uri-query
	ua@percents cs(user-agent) cs-user-agent
	referer@percents cs(referer) cs-referer
	scheme cs-protocol
	status sc-status
	sent sc-bytes
	host@percent`

// isCloudFront reports whether a header and the lines after it come from CloudFront. Either the
// column names show it, or the lines have tabs where the header has blanks.
func isCloudFront(d *dialect, header []byte, lines [][]byte) bool {
	if bytes.Contains(header, []byte(" x-edge-")) || bytes.IndexByte(header, '\t') >= 0 || len(lines) == 0 ||
		isAkamai(header, lines) {
		return bytes.Contains(header, []byte(" x-edge-"))
	}
	tabs := bytes.Count(lines[0], []byte("\t"))
	return tabs > 0 && tabs+1 == d.named(header).count
}

// zeekFormat is http.log of Zeek, formerly Bro, in its default form with tabs. Source:
// docs.zeek.org, base/frameworks/logging/writers/ascii.zeek.
var zeekFormat = columnFormat(Format{
	name: "zeek", by: "Zeek, http.log",
	head: "#separator \\x09\n" +
		"#fields\tts\tuid\tid.orig_h\tid.orig_p\tmethod\thost\turi\tuser_agent\tresponse_body_len\tstatus_code\n" +
		"#types\ttime\tstring\taddr\tport\tstring\tstring\tstring\tstring\tcount\tcount\n",
	sample: "1772600767.000000\tCwFs1P2UcUdlSxD2La\t192.0.2.1\t40000\tGET\twww.example.com\t/a?b=c\t" +
		fooBot + "\t1234\t200",
}, &dialect{
	Columns: field.Columns{Delimiter: '\t'}, directive: '#', header: "#fields\t", empty: "(empty)", instant: epochTime,
	table: `time ts
		ip@backslash id.orig_h
		method@backslash method
		host@backslash host
		target@backslash uri
		ua@backslash user_agent
		referer@backslash referrer
		bytes response_body_len
		status status_code`,
})

// gcsFormat is the usage log of Google Cloud Storage.
// Source: cloud.google.com/storage/docs/access-logs.
var gcsFormat = columnFormat(Format{
	name: "gcs_csv", by: "Google Cloud Storage, usage logs",
	head: `"time_micros","c_ip","c_ip_type","c_ip_region","cs_method","cs_uri","sc_status","cs_bytes","sc_bytes",` +
		`"time_taken_micros","cs_host","cs_referer","cs_user_agent","s_request_id","cs_operation",` +
		`"cs_bucket","cs_object"` + "\n",
	sample: `"1772600767000000","192.0.2.1","1","","GET","/a?b=c","200","0","1234","25000","www.example.com",` +
		`"","` + fooBot + `","AAANsUmuS9-fC8A","GET_Object","a","b"`,
}, &dialect{
	Columns: field.Columns{Delimiter: ',', Quotes: true}, header: `"time_micros"`, instant: epochTime,
	table: `
		time time_micros
		ip c_ip
		method cs_method
		target cs_uri
		status sc_status
		sent sc_bytes
		host cs_host
		ua cs_user_agent
		referer cs_referer`,
})
