package capture_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/cases"
	"github.com/robotsieve/robotsieve/scan/internal/answer"
	"github.com/robotsieve/robotsieve/scan/internal/capture"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

func TestKindIsToldByTheName(t *testing.T) {
	for name, want := range map[string]capture.Kind{
		"a.jsonl": capture.JSON, "dir.warc/a.JSONL.gz": capture.JSON, "a.ndjson.zst": capture.JSON,
		"a.warc": capture.Archive, "a.warc.gz": capture.Archive,
		"example.com": capture.RobotsTxt, "a.jsonl/robots.txt": capture.RobotsTxt, "warc": capture.RobotsTxt,
		"a.json.gz": capture.JSON, "a.parquet": capture.Table,
	} {
		if got := capture.KindOf(name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	for head, want := range map[string]capture.Kind{"\n {\"host\"": capture.JSON, "\ufeff{": capture.JSON,
		"WARC/1.0\r\n": capture.Archive} {
		if got, err := capture.Detect([]byte(head)); got != want || err != nil {
			t.Errorf("%q: got %d, %v", head, got, err)
		}
	}
	if _, err := capture.Detect([]byte("User-agent: *")); err == nil {
		t.Error("a robots.txt from nobody knows where is taken for a dump")
	}
}

func TestHostIsToldByTheName(t *testing.T) {
	for _, row := range cases.Rows(t, "names.txt") {
		path, want := row[0], row[1]
		got, err := capture.HostOf(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", path, got, err)
		}
	}
}

// TestFilesBesideRobotsAreNoHosts checks that an ambiguous name is a host only if the file is a robots.txt.
func TestFilesBesideRobotsAreNoHosts(t *testing.T) {
	const rules, text = "\ufeff# site\n\nUser-agent: *\nDisallow: /\n", "# Files\n\nof sites\n"
	for _, name := range []string{"README.md", "a/2025-01.md", "go.mod", "index.html", "sites.csv", "LICENSE", "notes.txt",
		"main.py", "package.JSON", "x.xlsx", "page.html.gz", "Makefile", "robots.csv",
		"all_robots.tsv.gz", "robots-2026.xml", "robots_top.csv"} {
		if err := capture.CheckNamed(name, []byte(text)); err == nil {
			t.Errorf("%s is taken for a host", name)
		}
		if err := capture.CheckNamed(name, []byte(rules)); err != nil {
			t.Errorf("%s with rules: %v", name, err)
		}
	}
	for _, name := range []string{"example.com", "example.com.txt", "a.md/robots.txt", "example.md.robots.txt",
		"example.md-robots.txt", "192.0.2.1", "example.com:8080", "example.com.gz",
		"robots.example.com", "https___example.md_robots.txt"} {
		if err := capture.CheckNamed(name, []byte("<html>")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mustParse(t *testing.T, s string) []origin.Origin {
	t.Helper()
	origins, err := origin.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return origins
}

// copies writes what a set holds, and closes it. Default ports are left out.
func copies(t *testing.T, set *capture.Set) string {
	t.Helper()
	var all []string
	for c, err := range set.Copies(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		text := "none"
		if c.Body != nil {
			text = fmt.Sprintf("%q", c.Body)
		}
		for _, use := range c.Uses {
			key := strings.TrimSuffix(strings.TrimSuffix(use.Key, ":80"), ":443")
			all = append(all, fmt.Sprintf("%s %d %s", key, use.Status, text))
		}
	}
	if err := set.Close(); err != nil {
		t.Error(err)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// add adds captures to a set.
func add(t *testing.T, set *capture.Set, captures ...capture.Capture) {
	t.Helper()
	for _, c := range captures {
		if err := set.Add(c); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSetHoldsEqualBodiesOnce(t *testing.T) {
	var set capture.Set
	add(t, &set, capture.Capture{Origins: mustParse(t, "a"), Status: 200, Body: []byte("x")},
		capture.Capture{Origins: mustParse(t, "b"), Status: 206, Body: []byte("x")},
		capture.Capture{Origins: mustParse(t, "c"), Status: 200}, // empty, and a body
		capture.Capture{Origins: mustParse(t, "d"), Status: 404})
	var got []string
	for c, err := range set.Copies(t.Context()) {
		text := "none"
		if c.Body != nil {
			text = fmt.Sprintf("%q", c.Body)
		}
		got = append(got, fmt.Sprintf("%s %d %v", text, len(c.Uses), err))
	}
	slices.Sort(got)
	if want := []string{`"" 2 <nil>`, `"x" 4 <nil>`, "none 2 <nil>"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := set.Close(); err != nil {
		t.Error(err)
	}
}

// adder adds captures to a set, with a path where the URL has one.
func adder(t *testing.T, set *capture.Set) func(url string, status uint16, location, body string) {
	return func(url string, status uint16, location, body string) {
		t.Helper()
		to, ok := answer.Resolve(answer.Target{}, url)
		if !ok {
			t.Fatal(url)
		}
		c := capture.Capture{Origins: []origin.Origin{to.Origin}, Status: status, Location: location}
		if to.Path != "/" {
			c.Path = to.Path
		}
		if body != "" {
			c.Body = []byte(body)
		}
		add(t, set, c)
	}
}

// TestRedirects checks that redirects are followed inside the set, even beyond the fifth, because a crawler that obeys
// what it finds there is right, though it might have assumed that there is no robots.txt. It also checks the limit.
func TestRedirects(t *testing.T) {
	var set capture.Set
	var want []string
	add := adder(t, &set)
	for _, c := range []struct {
		url            string
		status         uint16
		location, body string
		want           string // "" for another path
	}{
		{"http://a", 301, "https://www.a/robots.txt", "", `200 "x"`},
		{"https://www.a", 200, "", "x", `200 "x"`},
		{"http://b", 301, "//WWW.a:443/robots.txt", "", "301 none"}, // http://www.a:443, which is nowhere
		{"http://c", 302, "https://broken/robots.txt?", "", "503 none"},
		{"https://broken", 503, "", "", "503 none"},
		{"http://d", 301, "https://www.a/", "", "301 none"},
		{"http://e", 301, "", "", "301 none"},
		{"http://empty", 307, "http://f/robots.txt", "", "204 none"},
		{"http://f", 204, "", "", "204 none"},
		{"http://self", 301, "/robots.txt", "", "301 none"},
		{"http://loop", 301, "http://pool/robots.txt", "", "301 none"},
		{"http://pool", 301, "http://loop/robots.txt", "", "301 none"},
		{"http://bad", 301, "http://[::/robots.txt", "", "301 none"},
		{"http://long", 301, "https://www.a/robots.txt#" + strings.Repeat("x", 4<<10), "", "301 none"},
		{"http://g", 301, "https://www.g/robots_v2.txt#x", "", `200 "x"`},
		{"https://www.g/robots_v2.txt", 302, "v3/%72obots.txt?", "", ""},
		{"https://www.g/v3/%72obots.txt", 200, "", "x", ""},
		{"https://www.g", 200, "", "y", `200 "y"`},
	} {
		if add(c.url, c.status, c.location, c.body); c.want != "" {
			want = append(want, c.url+" "+c.want)
		}
	}
	const hops = 22
	for i := range hops {
		status, body := uint16(308), ""
		if i == hops-1 {
			status, body = 200, "y"
		}
		add(fmt.Sprintf("http://hop%02d", i), status, fmt.Sprintf("http://hop%02d/robots.txt", i+1), body)
		want = append(want, fmt.Sprintf("http://hop%02d %s", i, map[bool]string{true: "308 none", false: `200 "y"`}[i == 0]))
	}
	slices.Sort(want)
	if got := copies(t, &set); got != strings.Join(want, "\n") || set.Len() != len(want) || set.Replaced() != 0 {
		t.Errorf("got\n%s\nwant\n%s\n%d origins, %d replaced", got, strings.Join(want, "\n"), set.Len(), set.Replaced())
	}
}

func TestSetWantsWhatRedirectsLeadTo(t *testing.T) {
	var set capture.Set
	wants := func(url string) bool {
		to, ok := answer.Resolve(answer.Target{}, url)
		return ok && set.Wants(to)
	}
	for url, want := range map[string]bool{
		"http://a/": false, "http://a/r?x": false, "http://a/robots": false, "http://a/robots/x.txt": false,
		"http://a/robots_v2.txt": true, "http://a/x/Robots.TXT?y": true,
	} {
		if wants(url) != want {
			t.Errorf("%s: %v", url, !want)
		}
	}
	add := adder(t, &set)
	add("http://a", 301, "/r?x#y", "")
	add("http://b", 404, "/unseen", "")
	if !wants("http://a/r?x") || wants("http://a/r") || wants("http://b/unseen") || wants("http://b/r?x") {
		t.Error("not what the redirect leads to")
	}
}

// TestSetHoldsNoEndOfWhatNothingLeadsTo checks the limit for a site with any number of robots_1.txt.
func TestSetHoldsNoEndOfWhatNothingLeadsTo(t *testing.T) {
	var set capture.Set
	add := adder(t, &set)
	body := strings.Repeat("#", 1<<20)
	n := 0
	for ; n < 1000 && set.Wants(answer.Target{Path: "/robots_x.txt"}); n++ {
		add(fmt.Sprintf("http://a/robots_%d.txt", n), 200, "", fmt.Sprint(body, n))
	}
	if n < 60 || n > 70 {
		t.Errorf("%d MiB are kept", n)
	}
	add("http://a", 301, "/robots_1000.txt", "")
	if !set.Wants(answer.Target{Origin: mustParse(t, "http://a")[0], Path: "/robots_1000.txt"}) {
		t.Error("what a redirect leads to is not wanted")
	}
}

func TestFormsThatAreNoRobotsTxt(t *testing.T) {
	// web pages and UTF-16 are no errors
	utf16 := func(bom string) string { return bom + "U\x00s\x00e\x00r\x00\r\x00\n\x00" }
	for content, want := range map[string]string{
		"\r\nWARC/1.0\r\n": "a WARC file",
		"filedesc://x.arc 0.0.0.0 20140301000000 text/plain 76\n":            "an ARC file",
		"com,a)/robots.txt?x=y: 20140301000000 {\"url\": \"http://a.com/\"}": "",
		"com,a:8080)/robots.txt 20140301000000 {\"url\": \"x\"}":             "an index",
		`{"src":1,"host":"a","body":"` + strings.Repeat("x", 5000) + "\"}\n": "lines of JSON",
		"\ufeff" + `{"host":"a"}`:                                            "lines of JSON",
		`{"error":"not found"}`:                                              "",
		"{":                                                                  "",
		utf16("\xff\xfe"):                                                    "",
		utf16(""):                                                            "",
		utf16("") + "\x00":                                                   "",
		"\x00U\x00s":                                                         "",
		strings.Repeat("\x00", 100) + strings.Repeat("x", 900):               "binary data",
		gz(strings.Repeat(gz("User-agent: *\n"), 50)):                        "binary data",
		"":                            "",
		"User-agent: *\n\x00\x00\x1a": "",
		"<!DOCTYPE html>":             "",
	} {
		_, err := capture.File(strings.NewReader(content), "a", all)
		var form *capture.FormError
		if errors.As(err, &form) != (want != "") || want != "" && !strings.HasPrefix(form.Form, want) {
			t.Errorf("%.60q: got %v, want %q", content, err, want)
		}
	}
	if _, err := capture.Detect([]byte("filedesc://x")); err == nil ||
		!strings.Contains(err.Error(), "but an ARC file") {
		t.Error(err)
	}
}
