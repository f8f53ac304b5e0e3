package audit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// Answers to /robots.txt whose size is of no version in force are listed, whoever
// asked, with when they were given.
func TestSizesOfRobotsTxt(t *testing.T) {
	short, long := "User-agent: *\nDisallow: /p\n", "User-agent: *\nDisallow: /p\nDisallow: /q\n"
	shortSize, longSize := fmt.Sprint(len(short)), fmt.Sprint(len(long))
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -3 * day0, body: short}, version{from: 0, body: long}, version{from: day0, status: 404},
		version{at: "http://example.com", from: -3 * day0, body: long})})
	answer := func(vhost string, n int, size string) entry {
		return entry{vhost: vhost, target: "/robots.txt", time: at(n), size: size, agent: browser}
	}
	status := func(status string, e entry) entry { e.status = status; return e }
	method := func(method string, e entry) entry { e.method = method; return e }
	const https = "example.com:443"
	for name, c := range map[string]struct {
		entries []entry
		sizes   int64
		change  bool
		want    []SizeInfo
	}{
		"as it should be":         {[]entry{answer(https, -1000, shortSize), answer(https, 500, longSize)}, 2, true, nil},
		"the same throughout":     {[]entry{answer(https, -1000, shortSize), answer(https, -900, shortSize)}, 2, false, nil},
		"either about the change": {[]entry{answer(https, 30, shortSize), answer(https, -30, longSize)}, 2, true, nil},
		"the old one afterwards": {[]entry{answer(https, 700, shortSize), answer(https, 800, shortSize)}, 2, false,
			[]SizeInfo{{"https://example.com", int64(len(short)), []int64{int64(len(long))}, 2, "2026-03-02T10:11:40Z",
				"2026-03-02T10:13:20Z"}}},
		"none about the change": {[]entry{answer(https, 10, "7")}, 1, false,
			[]SizeInfo{{"https://example.com", 7, []int64{int64(len(short)), int64(len(long))}, 1, "2026-03-02T10:00:10Z",
				"2026-03-02T10:00:10Z"}}},
		"none is there": {[]entry{answer(https, 2*day0, "7")}, 1, false,
			[]SizeInfo{{"https://example.com", 7, []int64{}, 1, "2026-03-04T10:00:00Z", "2026-03-04T10:00:00Z"}}},
		"before the first": {[]entry{answer(https, -5*day0, "7")}, 1, false,
			[]SizeInfo{{"https://example.com", 7, []int64{}, 1, "2026-02-25T10:00:00Z", "2026-02-25T10:00:00Z"}}},
		"of either scheme": {[]entry{answer("example.com", -1000, shortSize), answer("example.com", -900, longSize)}, 2,
			true, nil},
		"of no scheme": {[]entry{answer("example.com", -1000, "7")}, 1, false,
			[]SizeInfo{{"example.com", 7, []int64{int64(len(short)), int64(len(long))}, 1, "2026-03-02T09:43:20Z",
				"2026-03-02T09:43:20Z"}}},
		"the other's": {[]entry{answer("example.com:80", -1000, longSize)}, 1, false, nil},
		"two sites": {[]entry{answer(https, -1000, shortSize), answer("example.com:80", -1000, longSize)}, 2, false,
			nil},
		"not told": {[]entry{answer(https, -1000, "-")}, 0, false, nil},
		"no answers of it": {[]entry{status("304", answer(https, -1000, "7")), status("404", answer(https, -1000, "7")),
			status("206", answer(https, -1000, "7")), method("HEAD", answer(https, -1000, "7"))}, 0, false, nil},
		"at no time":     {[]entry{{vhost: https, target: "/robots.txt", time: "-", size: "7"}}, 0, false, nil},
		"of other hosts": {[]entry{answer("other.example", -1000, "7")}, 0, false, nil},
		"sorted by time": {[]entry{answer(https, 2*day0, "9"), answer(https, 2*day0-1, "8")}, 2, true,
			[]SizeInfo{{"https://example.com", 8, []int64{}, 1, "2026-03-04T09:59:59Z", "2026-03-04T09:59:59Z"},
				{"https://example.com", 9, []int64{}, 1, "2026-03-04T10:00:00Z", "2026-03-04T10:00:00Z"}}},
		"of an empty file": {[]entry{answer(https, -1000, "0")}, 1, false,
			[]SizeInfo{{"https://example.com", 0, []int64{int64(len(short))}, 1, "2026-03-02T09:43:20Z",
				"2026-03-02T09:43:20Z"}}},
		"with a query":      {[]entry{{vhost: https, target: "/robots.txt?x", size: "7", agent: browser}}, 0, false, nil},
		"of another folder": {[]entry{{vhost: https, target: "/blog/robots.txt", size: "7", agent: browser}}, 0, false, nil},
	} {
		r := auditEntries(t, a, c.entries...).RobotsTxt
		differing := int64(0)
		for _, d := range c.want {
			differing += d.N
		}
		same := slices.EqualFunc(r.Listed, c.want, func(x, y SizeInfo) bool { return fmt.Sprint(x) == fmt.Sprint(y) })
		if !same || r.Sizes != c.sizes || r.Differing != differing || r.SizesChange != c.change {
			t.Errorf("%s: %+v, want %d sizes, change %v, %+v", name, r, c.sizes, c.change, c.want)
		}
	}
}

// An answer without a body says that there is no robots.txt, whatever its status; it is
// odd only where there is one.
func TestEmptyRobotsTxt(t *testing.T) {
	for name, c := range map[string]struct {
		body, size      string
		served, refused int64
	}{
		"empty":                   {robotsTxtBody, "0", 0, 1},
		"empty, as Apache has it": {robotsTxtBody, "-", 0, 1},
		"the file":                {robotsTxtBody, "99", 1, 0},
		"as empty as the file":    {"", "0", 0, 0},
	} {
		a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{}, version{from: -day0, body: c.body})})
		r := auditEntries(t, a, entry{vhost: "example.com:443", target: "/robots.txt", size: c.size})
		refused := int64(0)
		for _, s := range r.row("GPTBot").RobotsTxt.Cleared {
			refused += s.N
		}
		if r.RobotsTxt.Served != c.served || refused != c.refused {
			t.Errorf("%s: served %d, refused %d, want %d and %d", name, r.RobotsTxt.Served, refused, c.served, c.refused)
		}
	}
}

// A crawler that is refused robots.txt where there is one with rules was told that
// nothing is forbidden.
func TestRefusedRobotsTxt(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: robotsTxtBody}, version{from: 0, status: 404}, version{from: 2 * day0, status: 503},
		version{from: 4 * day0, body: robotsTxtBody},
		version{at: "http://example.com", from: -9 * day0, status: 404})})
	for name, c := range map[string]struct {
		vhost, status string
		at            int
		want          int64
	}{
		"forbidden":                    {"example.com:443", "403", -1000, 1},
		"not found":                    {"example.com:443", "404", -1000, 1},
		"too many":                     {"example.com:443", "429", -1000, 1},
		"not allowed":                  {"example.com:443", "401", 5 * day0, 1},
		"an error":                     {"example.com:443", "503", -1000, 0},
		"no answer":                    {"example.com:443", "444", -1000, 0},
		"moved":                        {"example.com:443", "301", -1000, 0},
		"no content":                   {"example.com:443", "204", -1000, 1},
		"there is none":                {"example.com:443", "404", day0, 0},
		"about when there was none":    {"example.com:443", "403", -30, 0},
		"none can be had":              {"example.com:443", "403", 3 * day0, 0},
		"before the first":             {"example.com:443", "403", -10 * day0, 0},
		"of the other scheme":          {"example.com:80", "403", -1000, 0},
		"of no scheme, and one has it": {"example.com", "403", -1000, 0},
	} {
		r := auditEntries(t, a, entry{vhost: c.vhost, target: "/robots.txt", status: c.status, time: at(c.at)})
		got := int64(0)
		for _, s := range r.row("GPTBot").RobotsTxt.Cleared {
			got += s.N
			if fmt.Sprint(s.Status) != c.status {
				t.Errorf("%s: status %d", name, s.Status)
			}
		}
		if got != c.want {
			t.Errorf("%s: refused %d, want %d", name, got, c.want)
		}
	}
}

// TestSizesThatDifferAreAllCounted: also those of more sizes than are listed.
func TestSizesThatDifferAreAllCounted(t *testing.T) {
	const n = 3 * maxSizes
	var log []string
	for i := range n {
		log = append(log, gets(i, browser, "200", fmt.Sprint(1000+i)).String())
	}
	log = append(log, gets(n, browser, "200", sizeOfBody(forbid)).String())
	r := checkOrder(t, judging(t, version{from: farAgo, body: forbid}), "vhost_combined", log).RobotsTxt
	if r.Sizes != n+1 || r.Differing != n || len(r.Listed) > maxSizes {
		t.Errorf("%d of %d differ, %d listed", r.Differing, r.Sizes, len(r.Listed))
	}
}

// TestSizesOfAnUnknownScheme: the file of one of the schemes may have been sent, also where
// only that of the other has changed.
func TestSizesOfAnUnknownScheme(t *testing.T) {
	a := judging(t, version{at: "http://example.com", from: farAgo, body: "0"}, version{from: farAgo, body: forbid},
		version{from: 0, body: permit})
	old, now := gets(-hours, browser, "200", sizeOfBody(permit)), gets(hours, browser, "200", sizeOfBody(permit))
	old.vhost, now.vhost = "example.com", "example.com"
	for n, log := range [][]entry{{now}, {old}, {old, now}} {
		r := auditEntries(t, a, log...).RobotsTxt
		if want := int64(min(n, 1)); r.Differing != want || int64(len(r.Listed)) != want {
			t.Errorf("%d: %+v", n, r)
		}
	}
}

// TestSizesWithoutAFileOfTheOrigin: nothing where the source says that there is nothing, and
// the file that a redirect leads to, are what was to be sent.
func TestSizesWithoutAFileOfTheOrigin(t *testing.T) {
	www := version{at: "https://www.example.com", from: farAgo, body: forbid}
	for name, c := range map[string]struct {
		is    version
		size  string
		other int64
	}{
		"204, nothing": {version{from: farAgo, status: 204}, "0", 0},
		"204, a file":  {version{from: farAgo, status: 204}, "9", 1},
		"404, nothing": {version{from: farAgo, status: 404}, "0", 1},
		"a redirect, the file": {version{from: farAgo, status: 301, to: "https://www.example.com/robots.txt"},
			sizeOfBody(forbid), 0},
		"a redirect, another file": {version{from: farAgo, status: 301, to: "https://www.example.com/robots.txt"}, "9", 1},
	} {
		if r := auditEntries(t, judging(t, c.is, www), gets(0, browser, "200", c.size)).RobotsTxt; r.Differing != c.other ||
			r.Sizes != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
