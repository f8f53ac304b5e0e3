package archive_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
)

var update = flag.Bool("update", false, "write the fixture of the present version anew")

var fixture = filepath.Join("testdata", "version4.rsv")

// fixtureBodies have what compiled rules can hold: groups that are merged, agents that share
// a group, gaps, anchors, escapes, an order that decides, and rules that never match.
var fixtureBodies = map[string]string{
	"https://groups.example:443": "User-agent: one\nUser-agent: two\nDisallow: /ab\nCrawl-delay: 2\n\nUser-agent: " +
		"two\nUser-agent: Three/1.0\nAllow: /ab/c\nDisallow: /b\n\n" +
		"User-agent: *\nDisallow: /\nAllow: /$\n",
	"https://patterns.example:443": "User-agent: *\nDisallow: /*?sort=*&page=\nDisallow: *.pdf$\nAllow: " +
		"/index.html\nDisallow: /*a*b*c\nAllow: /same\nDisallow: /same\nDisallow:\n",
	"https://escapes.example:443": "\xef\xbb\xbfuser-agent: *\r\ndisallow: /%7Euser/ # home\r\nDisallow: " +
		"/\xc3\xa9?q=http%3A//x\nDisallow: /%2f%zz\nDisalow: /typo\rdisallow /blank\n",
	"http://plain.example:8080": "Disallow: /nobody\nUser-agent: Google*bot\nDisallow: /g\n",
	"http://empty.example:80":   "",
}

// fixtureVerdicts are the lines that decide by RFC 9309, Google and the original draft;
// those that forbid are negative.
var fixtureVerdicts = []struct {
	origin, agent, path string
	want                [3]int
}{
	{"https://groups.example:443", "one", "/abc", [3]int{-3, -3, -3}},
	{"https://groups.example:443", "two", "/ab/c", [3]int{8, 8, -3}},
	{"https://groups.example:443", "two", "/b", [3]int{-9, -9, 0}},
	{"https://groups.example:443", "three", "/ab", [3]int{0, 0, 0}},
	{"https://groups.example:443", "four", "/", [3]int{13, 13, -12}},
	{"https://groups.example:443", "four", "/x", [3]int{-12, -12, -12}},
	{"https://patterns.example:443", "x", "/s?sort=a&page=2", [3]int{-2, -2, 0}},
	{"https://patterns.example:443", "x", "/a.pdf", [3]int{-3, -3, 0}},
	{"https://patterns.example:443", "x", "/a.pdf?", [3]int{0, 8, 0}},
	{"https://patterns.example:443", "x", "/index.html", [3]int{4, 4, 4}},
	{"https://patterns.example:443", "x", "/1a2b3c", [3]int{-5, -5, 0}},
	{"https://patterns.example:443", "x", "/same", [3]int{6, 6, 6}},
	{"https://escapes.example:443", "x", "/~user/", [3]int{-2, 0, -2}},
	{"https://escapes.example:443", "x", "/%7Euser/", [3]int{-2, -2, -2}},
	{"https://escapes.example:443", "x", "/%C3%A9?q=http%3A//x", [3]int{-3, -3, -3}},
	{"https://escapes.example:443", "x", "/typo", [3]int{0, -5, 0}},
	{"https://escapes.example:443", "x", "/blank", [3]int{0, -6, 0}},
	{"http://plain.example:8080", "Google", "/g", [3]int{-3, -3, 0}},
	{"http://empty.example:80", "x", "/", [3]int{0, 0, 0}},
}

var fixtureDialects = []automaton.Dialect{rfc9309, google, original}

func fixtureOrigins() (origins []origin) {
	for _, key := range slices.Sorted(maps.Keys(fixtureBodies)) {
		body := fixtureBodies[key]
		o := origin{key: key, status: 200}
		for _, d := range fixtureDialects {
			o.rulesets = append(o.rulesets,
				compile.Compile([]byte(body), compile.Options{Dialect: d, Engine: automaton.EngineList}).Ruleset)
		}
		origins = append(origins, o)
	}
	dated := origin{key: "https://dated.example:443", status: 404,
		rulesets: make([]*automaton.Ruleset, len(fixtureDialects)), from: 1_500_000_000}
	dated.older = []version{{1_000_000_000, 200, origins[0].rulesets}}
	origins = append(origins, dated)
	return append(origins, origin{key: "https://gone.example:443", status: 404, rulesets: make([]*automaton.Ruleset,
		len(fixtureDialects))})
}

// ofNoRelease returns an archive without the release that wrote it.
func ofNoRelease(data []byte) []byte {
	data = slices.Clone(data)
	clear(data[68:headerLen])
	return sealed(data)
}

// TestFixture checks that the stored archive of this version and semantics is written in the same way today, and
// that its verdicts hold. Archives in use depend on both.
func TestFixture(t *testing.T) {
	now := written(t, fixtureDialects, fixtureOrigins()...)
	if *update {
		if err := os.WriteFile(fixture, now, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(ofNoRelease(data), ofNoRelease(now)) {
		t.Errorf("the same robots.txt files give another archive than %s. If the format has changed, raise its "+
			"version; if compiled rules or their meaning have, raise automaton.Semantics. Then make a new one with -update",
			fixture)
	}
	a := opened(t, data)
	var s automaton.Scratch
	for _, c := range fixtureVerdicts {
		for i, d := range fixtureDialects {
			v := lookedUp(t, a, c.origin, d).Ruleset.Match(&s, []byte(c.agent), []byte(c.path))
			got := int(v.Line)
			if v.Disallowed {
				got = -got
			}
			if got != c.want[i] {
				t.Errorf("%v: %s may fetch %s of %s: line %d, want %d", d, c.agent, c.path, c.origin, got, c.want[i])
			}
		}
	}
	if e, _, err := a.LookupAt([]byte("https://dated.example:443"), google, 1_499_999_999); err != nil ||
		e.Ruleset == nil || e.Until != 1_500_000_000 {
		t.Errorf("dated: %+v, error %v", e, err)
	}
	if e := lookedUp(t, a, "https://gone.example:443", google); e.Status != 404 || e.Ruleset != nil {
		t.Errorf("gone: %+v", e)
	}
}
