package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/job"
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

// Both layers are shown, and whether the agent ever sees the second.
func TestCheckPages(t *testing.T) {
	for _, name := range []string{"crawl.warc", "crawl.warc.gz"} {
		crawl := warcFile(t, name, crawled...)
		r := command(t, "", "check", "--warc", crawl, "--agent", "GPTBot", "--agent", "Googlebot", "https://a.example/old/page")
		want := `disallowed  https://a.example/old/page
  agent     GPTBot
  rule      line 2: Disallow: /old
  because   the only rule that matches
  group     line 1: User-agent: GPTBot
  because   a group names GPTBot
  reading   rfc9309
  robots    https://a.example/robots.txt, status 200, captured 2024-05-01T00:00:00Z
  capture   status 200, text/html; charset=utf-8, 2024-05-01T00:00:01Z
  header    X-Robots-Tag: googlebot: nofollow (not for GPTBot)
  header    X-Robots-Tag: noarchive
  meta      robots: noindex, foo (unknown: foo)
  meta      bingbot: nosnippet (not for GPTBot)
  page      states noindex, noarchive
  unseen    robots.txt keeps GPTBot from fetching the page, so if it obeys it never sees what the page states: noindex has no effect, and the URL may be listed because other pages link to it
allowed     https://a.example/old/page
  agent     Googlebot
  because   no rule matches
  because   no group names Googlebot, and none is for *
  reading   google
  robots    https://a.example/robots.txt, status 200, captured 2024-05-01T00:00:00Z
  capture   status 200, text/html; charset=utf-8, 2024-05-01T00:00:01Z
  header    X-Robots-Tag: googlebot: nofollow
  header    X-Robots-Tag: noarchive
  meta      robots: noindex, foo (unknown: foo)
  meta      bingbot: nosnippet (not for Googlebot)
  page      states noindex, nofollow, noarchive
`
		if r.out != want || r.code != exitDone {
			t.Errorf("%s: code %d, %s\ngot\n%s\nwant\n%s", name, r.code, r.err, r.out, want)
		}
		r = command(t, "", "check", "--warc", crawl, "--agent", "x", "https://a.example/plain?x=1", "HTTPS://A.example:443/file.pdf#top")
		if r.code != exitDone || r.err != "" {
			t.Errorf("%+v", r)
		}
		wants(t, r.out, "disallowed  https://a.example/plain?x=1\n", "captured 2024-06-01T00:00:00Z\n", "2024-06-01T00:00:03Z, the newest of 2 captures\n", "  page      states noindex, nofollow\n  unseen    ",
			"allowed     HTTPS://A.example:443/file.pdf#top\n", "  page      states noindex, unavailable_after:2010-06-25T23:00:00Z\n")
	}
}

func TestCheckPagesAsJSON(t *testing.T) {
	crawl := warcFile(t, "crawl.warc.gz", crawled...)
	check := func(output string) string {
		r := command(t, "", "check", "--warc", crawl, "--agent", "GPTBot", "--output", output, "https://a.example/old/page", "https://a.example/file.pdf")
		if r.code != exitDone {
			t.Fatalf("%+v", r)
		}
		return r.out
	}
	var list []job.PageAnswer
	if err := json.Unmarshal([]byte(check("json")), &list); err != nil || len(list) != 2 {
		t.Fatalf("%v, %+v", err, list)
	}
	a := list[0]
	if a.Allowed || a.Line != 2 || a.Capture.Status != 200 || a.Capture.Record != 5 || a.Capture.Captures != 1 || len(a.Statements) != 4 || a.Statements[0].Applies || a.Statements[2].Unknown[0] != "foo" ||
		strings.Join(a.Directives, " ") != "noindex noarchive" || a.Unseen == "" || list[1].Unseen != "" {
		t.Errorf("%+v", list)
	}
	lines := strings.SplitAfter(check("ndjson"), "\n")
	wants(t, lines[0], `"url":"https://a.example/old/page","agent":"GPTBot",`, `"capture":{"file":`, `"statements":[{"source":"X-Robots-Tag","crawler":"googlebot","text":"googlebot: nofollow","applies":false,"unknown":[]},`)
	if len(lines) != 3 || lines[2] != "" {
		t.Errorf("%q", lines)
	}
}

// The robots.txt is the newest that is not newer than the page, or else the oldest; redirects are followed.
func TestWhichRobotsOfTheFile(t *testing.T) {
	robots := func(date string, status int, headers, body string) warcRecord {
		return warcRecord{"http://b.example/robots.txt", date, status, headers, body}
	}
	page := warcRecord{"http://b.example/a", "2024-05-03T00:00:00Z", 200, htmlType, "<meta name=robots content=noindex>"}
	forbids := func(path string) string { return "user-agent: *\ndisallow: " + path + "\n" }
	for name, c := range map[string]struct {
		records []warcRecord
		want    []string
		code    int
	}{
		"the newest until then": {
			[]warcRecord{robots("2024-05-01T00:00:00Z", 200, "", forbids("/x")), page, robots("2024-05-02T00:00:00Z", 200, "", forbids("/a")), robots("2024-05-04T00:00:00Z", 200, "", "")},
			[]string{"disallowed  ", "captured 2024-05-02", "unseen"}, exitDone,
		},
		"the oldest after it": {
			[]warcRecord{robots("2024-06-02T00:00:00Z", 200, "", forbids("/x")), page, robots("2024-05-04T00:00:00Z", 200, "", forbids("/a"))},
			[]string{"disallowed  ", "captured 2024-05-04"}, exitDone,
		},
		"404": {[]warcRecord{page, robots("2024-05-01T00:00:00Z", 404, htmlType, "user-agent: *\ndisallow: /")}, []string{"allowed  ", "because   the answer to the request for robots.txt has status 404, so everything is allowed (RFC 9309 2.3.1.3)\n  reading"}, exitDone},
		"503": {[]warcRecord{page, robots("2024-05-01T00:00:00Z", 503, htmlType, "")}, []string{"disallowed  ", "because   robots.txt could not be fetched, so everything is forbidden"}, exitDone},
		"while it fails the last copy counts": {
			[]warcRecord{page, robots("2024-05-01T00:00:00Z", 200, "", forbids("/x")), robots("2024-05-02T00:00:00Z", 503, "", "")},
			[]string{"allowed  ", "captured 2024-05-01"}, exitDone,
		},
		"304 says nothing": {
			[]warcRecord{page, robots("2024-05-01T00:00:00Z", 200, "", forbids("/a")), robots("2024-05-02T00:00:00Z", 304, "", "")},
			[]string{"disallowed  ", "captured 2024-05-01"}, exitDone,
		},
		"none": {[]warcRecord{page}, []string{"unknown  ", "has no answer to the request for http://b.example/robots.txt\n", "page      states noindex\n"}, exitInput},
		"redirects": {
			[]warcRecord{
				{"https://c.example/real.txt", "2024-05-01T00:00:09Z", 200, "", forbids("/a")},
				{"https://b.example/robots.txt", "2024-05-01T00:00:08Z", 301, "Location: //c.example/real.txt\r\n", ""},
				page, robots("2024-05-01T00:00:00Z", 301, "Location: https://b.example/robots.txt\r\n", ""),
			},
			[]string{"disallowed  ", "robots    https://c.example/real.txt, status 200"}, exitDone,
		},
		"a redirect that its own site forbids": {
			[]warcRecord{
				{"https://c.example/real.txt", "2024-05-01T00:00:09Z", 200, "", forbids("/a")},
				{"https://c.example/robots.txt", "2024-05-01T00:00:08Z", 301, "Location: //www.c.example/robots.txt\r\n", ""},
				{"https://www.c.example/robots.txt", "2024-05-01T00:00:07Z", 200, "", forbids("/real")},
				page, robots("2024-05-01T00:00:00Z", 301, "Location: https://c.example/real.txt\r\n", ""),
			},
			[]string{"allowed  ", "because   robots.txt redirects to https://c.example/real.txt, which the robots.txt of its own site forbids, so everything is allowed\n  reading"}, exitDone,
		},
		"a redirect whose own robots.txt is behind such a redirect": {
			[]warcRecord{
				{"https://c.example/real.txt", "2024-05-01T00:00:09Z", 200, "", forbids("/a")},
				{"https://c.example/robots.txt", "2024-05-01T00:00:08Z", 301, "Location: /other.txt\r\n", ""},
				{"https://c.example/other.txt", "2024-05-01T00:00:08Z", 200, "", forbids("/real")},
				page, robots("2024-05-01T00:00:00Z", 301, "Location: https://c.example/real.txt\r\n", ""),
			},
			[]string{"disallowed  ", "robots    https://c.example/real.txt, status 200"}, exitDone,
		},
		"a redirect to itself": {
			[]warcRecord{page, robots("2024-05-01T00:00:00Z", 301, "Location: /robots.txt\r\n", "")},
			[]string{"unknown  ", "but a redirect that cannot be followed"}, exitInput,
		},
		"a redirect out of the file": {
			[]warcRecord{page, robots("2024-05-01T00:00:00Z", 301, "Location: https://c.example/\r\n", "")},
			[]string{"unknown  ", "has no answer to the request for https://c.example/\n"}, exitInput,
		},
	} {
		r := command(t, "", "check", "--warc", warcFile(t, "x.warc", c.records...), "--agent", "x", "http://b.example/a")
		if r.code != c.code {
			t.Errorf("%s: %+v", name, r)
		}
		wants(t, r.out, c.want...)
	}
}

// The rules may come from elsewhere, as without --warc.
func TestCheckPagesByOtherRules(t *testing.T) {
	crawl := warcFile(t, "crawl.warc", crawled...)
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /file\n")
	r := command(t, "", "check", "--warc", crawl, "--robots", robots, "--agent", "GPTBot", "https://a.example/file.pdf", "https://a.example/old/page")
	wants(t, r.out, "disallowed  https://a.example/file.pdf\n", "allowed     https://a.example/old/page\n")
	if strings.Contains(r.out, "\n  robots ") || r.code != exitDone {
		t.Errorf("%+v", r)
	}
	if r := command(t, "", "check", "--quiet", "--warc", crawl, "--robots", robots, "--agent", "GPTBot", "https://a.example/file.pdf"); r.code != exitFound || r.out+r.err != "" {
		t.Errorf("%+v", r)
	}
}

// What is odd about a robots.txt is said once, however many URLs it is for.
func TestCheckPagesWarnsOnce(t *testing.T) {
	page := func(path string) warcRecord {
		return warcRecord{"http://b.example" + path, "2024-05-03T00:00:00Z", 200, htmlType, ""}
	}
	crawl := warcFile(t, "x.warc", warcRecord{"http://b.example/robots.txt", "2024-05-01T00:00:00Z", 200, "", "<html><p>no rules"}, page("/a"), page("/b"))
	r := command(t, "", "check", "--warc", crawl, "--agent", "x", "http://b.example/a", "http://b.example/b")
	if strings.Count(r.err, "http://b.example/robots.txt in "+crawl+": no line names a user agent") != 1 || r.code != exitDone {
		t.Errorf("%+v", r)
	}
}

func TestCheckPagesRefuses(t *testing.T) {
	crawl := warcFile(t, "crawl.warc", crawled...)
	for name, c := range map[string]struct {
		args []string
		code int
		err  string
	}{
		"no agent":    {[]string{"https://a.example/file.pdf"}, exitUsage, "no agent"},
		"no URL":      {[]string{"--agent", "x"}, exitUsage, "no URL"},
		"a path":      {[]string{"--agent", "x", "/file.pdf"}, exitUsage, `"/file.pdf" is not a URL`},
		"csv":         {[]string{"--agent", "x", "--output", "csv", "https://a.example/file.pdf"}, exitUsage, "no form csv"},
		"stdin":       {[]string{"--agent", "x", "-"}, exitUsage, "nothing is read from stdin"},
		"jsonl":       {[]string{"--jsonl"}, exitUsage, "--jsonl"},
		"not in it":   {[]string{"--agent", "x", "https://a.example/none", "https://a.example/file.pdf"}, exitInput, "crawl.warc has no response for https://a.example/none"},
		"two rules":   {[]string{"--agent", "x", "--robots", "a", "--rules", "b", "https://a.example/file.pdf"}, exitUsage, "cannot be given together"},
		"lists twice": {[]string{"--agent", "x", "--robots", "missing.txt", "https://a.example/file.pdf"}, exitInput, "missing.txt"},
	} {
		r := command(t, "", append([]string{"check", "--warc", crawl}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.err) {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "not in it" && !strings.Contains(r.out, "https://a.example/file.pdf\n") {
			t.Errorf("%s: what is in it is not answered: %+v", name, r)
		}
	}
	for name, text := range map[string]string{"x.warc": "hello", "x.arc": "filedesc://x.arc 0.0.0.0 20080430204825 text/plain 10\n1 0 x\n\n", "missing": ""} {
		path := filepath.Join(t.TempDir(), name)
		if text != "" {
			path = file(t, name, text)
		}
		if r := command(t, "", "check", "--warc", path, "--agent", "x", "https://a.example/"); r.code != exitInput || !strings.Contains(r.err, name) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A file that is damaged answers for what was read, and says so.
func TestCheckPagesOfADamagedFile(t *testing.T) {
	whole, err := os.ReadFile(warcFile(t, "crawl.warc", crawled...))
	if err != nil {
		t.Fatal(err)
	}
	cut := file(t, "cut.warc", string(whole[:len(whole)-300]))
	r := command(t, "", "check", "--warc", cut, "--agent", "GPTBot", "https://a.example/old/page")
	if r.code != exitInput || !strings.HasPrefix(r.out, "disallowed  https://a.example/old/page\n") || !strings.Contains(r.err, "cut.warc") {
		t.Errorf("%+v", r)
	}
}
