package cli

import (
	"fmt"
	"strings"
	"testing"
)

// warcRecord is one record of a WARC file with a response.
type warcRecord struct {
	url, date string
	status    int
	headers   string // each with its line end
	body      string
}

// warcRecords returns the records of a WARC file: of each response also that of its request.
func warcRecords(responses ...warcRecord) []string {
	list := []string{"WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2024-05-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"}
	for i, r := range responses {
		add := func(kind, block string) {
			list = append(list, fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%s:%d>\r\nWARC-Date: %s\r\nWARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
				kind, kind, i, r.date, r.url, len(block), block))
		}
		add("request", "GET / HTTP/1.1\r\n\r\n")
		add("response", fmt.Sprintf("HTTP/1.1 %d X\r\n%s\r\n%s", r.status, r.headers, r.body))
	}
	return list
}

func warcText(responses ...warcRecord) string { return strings.Join(warcRecords(responses...), "") }

// warcFile writes a WARC file, a gzip member for each record if the name ends so, and returns its path.
func warcFile(t *testing.T, name string, responses ...warcRecord) string {
	t.Helper()
	text := ""
	for _, record := range warcRecords(responses...) {
		if strings.HasSuffix(name, ".gz") {
			record = gzipped(t, record)
		}
		text += record
	}
	return file(t, name, text)
}

const htmlType = "Content-Type: text/html; charset=utf-8\r\n"

// crawled is a crawl of one site: a robots.txt that changes, and pages.
var crawled = []warcRecord{
	{"https://a.example/robots.txt", "2024-05-01T00:00:00Z", 200, "Content-Type: text/plain\r\n", "User-agent: GPTBot\nDisallow: /old\n"},
	{"https://a.example/old/page", "2024-05-01T00:00:01Z", 200, htmlType + "X-Robots-Tag: googlebot: nofollow\r\nx-robots-tag: noarchive\r\n", "<html><head><title>x</title>\n<meta name=robots content='noindex, foo'>\n<meta name=bingbot content=nosnippet></head><body></body></html>"},
	{"https://a.example/plain?x=1", "2024-05-01T00:00:02Z", 200, htmlType, "<p>hello</p><meta name=robots content=noindex>"},
	{"https://a.example/robots.txt", "2024-06-01T00:00:00Z", 200, "", "User-agent: *\nDisallow: /plain\n"},
	{"https://a.example/file.pdf", "2024-06-01T00:00:01Z", 200, "Content-Type: application/pdf\r\nX-Robots-Tag: noindex, unavailable_after: Friday, 25-Jun-10 15:00:00 PST\r\n", "%PDF"},
	{"https://a.example/plain?x=1", "2024-06-01T00:00:03Z", 200, htmlType + "X-Robots-Tag: none\r\n", ""},
}
