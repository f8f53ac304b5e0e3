package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/policy"
)

// answersOf reads answers to /robots.txt such as "example.com:443 -1000 27; example.com 0 7 206
// HEAD": by a host, so many seconds after someTime, with a size, perhaps a status and a method.
func answersOf(t *testing.T, text, agent string) (list []entry) {
	t.Helper()
	for answer := range strings.SplitSeq(text, "; ") {
		e, n := entry{agent: agent}, 0
		if found, _ := fmt.Sscan(answer, &e.vhost, &n, &e.size, &e.status, &e.method); found < 3 {
			t.Fatal(answer)
		}
		e.time, e.target = at(n), "/robots.txt"
		list = append(list, e)
	}
	return list
}

// Answers to /robots.txt whose size is of no version in force are listed, whoever
// asked, with when they were given.
func TestSizesOfRobotsTxt(t *testing.T) {
	short, long := "User-agent: *\nDisallow: /p\n", "User-agent: *\nDisallow: /p\nDisallow: /q\n" // 27 and 40 bytes
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -3 * day0, body: short}, version{from: 0, body: long}, version{from: day0, status: 404},
		version{at: "http://example.com", from: -3 * day0, body: long})})
	for name, c := range map[string]struct {
		log    string
		sizes  int64
		change bool
		want   string
	}{
		"as it should be":         {"example.com:443 -1000 27; example.com:443 500 40", 2, true, ""},
		"the same throughout":     {"example.com:443 -1000 27; example.com:443 -900 27", 2, false, ""},
		"either about the change": {"example.com:443 30 27; example.com:443 -30 40", 2, true, ""},
		"the old one afterwards": {"example.com:443 700 27; example.com:443 800 27", 2, false,
			"{https://example.com 27 [40] 2 2026-03-02T10:11:40Z 2026-03-02T10:13:20Z}"},
		"none about the change": {"example.com:443 10 7", 1, false,
			"{https://example.com 7 [27 40] 1 2026-03-02T10:00:10Z 2026-03-02T10:00:10Z}"},
		"none is there, sorted by time": {"example.com:443 172800 9; example.com:443 172799 8", 2, true,
			"{https://example.com 8 [] 1 2026-03-04T09:59:59Z 2026-03-04T09:59:59Z} " +
				"{https://example.com 9 [] 1 2026-03-04T10:00:00Z 2026-03-04T10:00:00Z}"},
		"before the first": {"example.com:443 -432000 7", 1, false,
			"{https://example.com 7 [] 1 2026-02-25T10:00:00Z 2026-02-25T10:00:00Z}"},
		"of either scheme": {"example.com -1000 27; example.com -900 40", 2, true, ""},
		"of no scheme": {"example.com -1000 7", 1, false,
			"{example.com 7 [27 40] 1 2026-03-02T09:43:20Z 2026-03-02T09:43:20Z}"},
		"two sites": {"example.com:443 -1000 27; example.com:80 -1000 40", 2, false, ""},
		"not told":  {"example.com:443 -1000 -", 0, false, ""},
		"no answers of it": {"example.com:443 -1000 7 304; example.com:443 -1000 7 404; example.com:443 -1000 7 204; " +
			"example.com:443 -1000 7 200 HEAD; example.com:443 -1000 0", 0, false, ""},
		"of a challenge page": {"example.com:443 -1000 570 202", 1, false,
			"{https://example.com 570 [27] 1 2026-03-02T09:43:20Z 2026-03-02T09:43:20Z}"},
		"of other hosts": {"other.example -1000 7", 0, false, ""},
	} {
		r := auditEntries(t, a, answersOf(t, c.log, browser)...).RobotsTxt
		differing := int64(0)
		for _, l := range r.Listed {
			differing += l.N
		}
		if got := strings.Trim(fmt.Sprint(r.Listed), "[]"); got != strings.Trim(c.want, "[]") || r.Sizes != c.sizes ||
			r.Differing != differing || r.SizesChange != c.change {
			t.Errorf("%s: %+v, want %d sizes, change %v, %+v", name, r, c.sizes, c.change, c.want)
		}
	}
	odd := []entry{{vhost: onSite, target: "/robots.txt", time: "-", size: "7"}, {vhost: onSite, target: "/robots.txt?x",
		size: "7", agent: browser}, {vhost: onSite, target: "/blog/robots.txt", size: "7", agent: browser}}
	if r := auditEntries(t, a, odd...).RobotsTxt; r.Sizes+r.Differing != 0 {
		t.Errorf("at no time, with a query and of a folder: %+v", r)
	}
}

// TestRefusedRobotsTxt: a crawler that is refused robots.txt where there is one with rules, or gets
// one without a body, whatever the status, was told that nothing is forbidden.
func TestRefusedRobotsTxt(t *testing.T) {
	a := New(Config{Crawlers: crawlers(t), Policy: history(t, policy.Options{},
		version{from: -9 * day0, body: robotsTxtBody}, version{from: 0, status: 404}, version{from: 2 * day0, status: 503},
		version{from: 4 * day0, body: robotsTxtBody}, version{at: "http://example.com", from: -9 * day0, status: 404},
		version{at: "https://www.example.com", from: -9 * day0})})
	for answer, refused := range map[string]bool{
		"example.com:443 -1000 9 403": true, "example.com:443 -1000 9 404": true, "example.com:443 -1000 9 429": true,
		"example.com:443 432000 9 401": true, "example.com:443 -1000 9 204": true, "example.com:443 -1000 0 200": true,
		"example.com:443 -1000 - 200":     true, // as Apache has it
		"example.com:443 -1000 9 200":     false,
		"www.example.com:443 -1000 0 200": false, // as empty as the file
		"example.com:443 -1000 9 503":     false, "example.com:443 -1000 9 444": false, "example.com:443 -1000 9 301": false,
		"example.com:443 86400 9 404":   false, // there is none
		"example.com:443 -30 9 403":     false, // about when there was none
		"example.com:443 259200 9 403":  false, // none can be had
		"example.com:443 -864000 9 403": false, // before the first
		"example.com:80 -1000 9 403":    false,
		"example.com -1000 9 403":       false, // of no scheme, and one has it
	} {
		r := auditEntries(t, a, answersOf(t, answer, gptbot)...)
		list, served := rowOf(r, "GPTBot").RobotsTxt.Cleared, strings.HasSuffix(answer, " 9 200")
		if len(list) == 1 != refused || len(list) == 1 && !strings.HasSuffix(answer, fmt.Sprint(list[0].Status)) ||
			r.RobotsTxt.Served == 1 != served {
			t.Errorf("%s: refused %v, served %d", answer, list, r.RobotsTxt.Served)
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
	r := checkOrder(t, auditorBy(t, version{from: farAgo, body: forbid}), "vhost_combined", log).RobotsTxt
	if r.Sizes != n+1 || r.Differing != n || len(r.Listed) > maxSizes {
		t.Errorf("%d of %d differ, %d listed", r.Differing, r.Sizes, len(r.Listed))
	}
}

// TestSizesOfAnUnknownScheme: the file of one of the schemes may have been sent, also where
// only that of the other has changed.
func TestSizesOfAnUnknownScheme(t *testing.T) {
	a := auditorBy(t, version{at: "http://example.com", from: farAgo, body: "0"}, version{from: farAgo, body: forbid},
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
		"204, a file": {version{from: farAgo, status: 204}, "9", 1},
		"404, a file": {version{from: farAgo, status: 404}, "9", 1},
		"a redirect, the file": {version{from: farAgo, status: 301, to: "https://www.example.com/robots.txt"},
			sizeOfBody(forbid), 0},
		"a redirect, another file": {version{from: farAgo, status: 301, to: "https://www.example.com/robots.txt"}, "9", 1},
	} {
		if r := auditEntries(t, auditorBy(t, c.is, www), gets(0, browser, "200", c.size)).RobotsTxt; r.Differing != c.other ||
			r.Sizes != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
