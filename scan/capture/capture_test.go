package capture_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/scan/capture"
	"github.com/robotsieve/robotsieve/scan/origin"
)

func TestKindIsToldByTheName(t *testing.T) {
	for name, want := range map[string]capture.Kind{
		"a.jsonl": capture.JSON, "dir.warc/a.JSONL.gz": capture.JSON, "a.ndjson.zst": capture.JSON,
		"a.warc": capture.Archive, "a.warc.gz": capture.Archive,
		"example.com": capture.RobotsTxt, "a.jsonl/robots.txt": capture.RobotsTxt, "warc": capture.RobotsTxt, "a.json": capture.RobotsTxt,
	} {
		if got := capture.KindOf(name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	for head, want := range map[string]capture.Kind{"\n {\"host\"": capture.JSON, "WARC/1.0\r\n": capture.Archive} {
		if got, err := capture.Detect([]byte(head)); got != want || err != nil {
			t.Errorf("%q: got %d, %v", head, got, err)
		}
	}
	if _, err := capture.Detect([]byte("User-agent: *")); err == nil {
		t.Error("a robots.txt from nobody knows where is taken for a dump")
	}
}

func TestHostIsToldByTheName(t *testing.T) {
	for path, want := range map[string]string{
		"example.com": "example.com", "a/example.com": "example.com", "a/example.com.txt": "example.com", "a/example.com:8080": "example.com:8080",
		"example.com/robots.txt": "example.com", "a/example.com/robots.txt": "example.com", "./example.com//robots.txt": "example.com",
		"example.com.gz": "example.com", "a/example.com.txt.ZST": "example.com", "example.com/robots.txt.xz": "example.com", "example.com.txt.bz2": "example.com",
		"robots.txt.gz": "", ".gz": "",
		"robots.txt": "", "./robots.txt": "", "../robots.txt": "", "/robots.txt": "", ".hidden": "", "a/.txt": "",
	} {
		got, err := capture.HostOf(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", path, got, err)
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

// copies writes what a set holds.
func copies(set *capture.Set) string {
	var all []string
	for _, c := range set.Copies() {
		for _, use := range c.Uses {
			body := "none"
			if c.Body != nil {
				body = fmt.Sprintf("%q", c.Body)
			}
			all = append(all, fmt.Sprintf("%s %d %s", use.Origin, use.Status, body))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func TestSetKeepsTheNewestCopy(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	one := mustParse(t, "http://h")
	for _, c := range []struct {
		captures []capture.Capture
		want     string
	}{
		{[]capture.Capture{{Time: day(1), Body: []byte("a")}, {Time: day(2), Body: []byte("b")}}, "b"},
		{[]capture.Capture{{Time: day(2), Body: []byte("a")}, {Time: day(1), Body: []byte("b")}}, "a"},
		{[]capture.Capture{{Time: day(1), Body: []byte("a")}, {Time: day(1), Body: []byte("b")}}, "b"},
		{[]capture.Capture{{Body: []byte("a")}, {Body: []byte("b")}}, "b"},
		{[]capture.Capture{{Body: []byte("a")}, {Time: day(1), Body: []byte("b")}}, "a"},
		{[]capture.Capture{{Time: day(1), Body: []byte("a")}, {Body: []byte("b")}}, "b"},
	} {
		var set capture.Set
		for _, x := range c.captures {
			x.Origins, x.Status = one, 200
			set.Add(x)
			copy(x.Body, "?") // what was added is the set's own
		}
		if got := copies(&set); got != fmt.Sprintf("http://h 200 %q", c.want) || set.Replaced() != 1 || set.Len() != 1 {
			t.Errorf("got %s, %d replaced, want %s", got, set.Replaced(), c.want)
		}
	}
}

func TestSetHoldsEqualBodiesOnce(t *testing.T) {
	var set capture.Set
	set.Add(capture.Capture{Origins: mustParse(t, "a"), Status: 200, Body: []byte("x")})
	set.Add(capture.Capture{Origins: mustParse(t, "b"), Status: 206, Body: []byte("x")})
	set.Add(capture.Capture{Origins: mustParse(t, "c"), Status: 200}) // empty, and a body
	set.Add(capture.Capture{Origins: mustParse(t, "d"), Status: 404})
	if got := set.Copies(); len(got) != 3 || len(got[0].Uses) != 4 {
		t.Errorf("got %v", got)
	}
	if got, want := copies(&set), `http://c 200 ""`; !strings.Contains(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestRedirectsAreFollowedInsideTheSet(t *testing.T) {
	var set capture.Set
	add := func(o string, status uint16, location, body string) {
		c := capture.Capture{Origins: mustParse(t, o), Status: status, Location: location}
		if body != "" {
			c.Body = []byte(body)
		}
		set.Add(c)
	}
	add("http://a", 301, "https://www.a/robots.txt", "")
	add("https://www.a", 200, "", "x")
	add("http://b", 301, "//WWW.a:443/robots.txt", "") // http://www.a:443, which is nowhere
	add("http://c", 302, "https://broken/robots.txt", "")
	add("https://broken", 503, "", "")
	add("http://d", 301, "https://www.a/", "")
	add("http://e", 301, "", "")
	add("http://self", 301, "/robots.txt", "")
	add("http://loop", 301, "http://pool/robots.txt", "")
	add("http://pool", 301, "http://loop/robots.txt", "")
	add("http://bad", 301, "http://[::/robots.txt", "")
	for i := range 6 {
		add(fmt.Sprintf("http://hop%d", i), 308, fmt.Sprintf("http://hop%d/robots.txt", i+1), "")
	}
	add("http://hop6", 200, "", "y")
	want := `http://a 200 "x"
http://b 301 none
http://bad 301 none
http://c 503 none
http://d 301 none
http://e 301 none
http://hop0 308 none
http://hop1 200 "y"
http://hop2 200 "y"
http://hop3 200 "y"
http://hop4 200 "y"
http://hop5 200 "y"
http://hop6 200 "y"
http://loop 301 none
http://pool 301 none
http://self 301 none
https://broken 503 none
https://www.a 200 "x"`
	if got := copies(&set); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
