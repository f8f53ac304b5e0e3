package page

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

// now is the instant at which tests ask, unless it matters.
var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// read makes a page of headers and of a document.
func read(document string, headers ...string) *Page {
	p := &Page{}
	for _, h := range headers {
		p.Header([]byte(h))
	}
	p.HTML([]byte("text/html; charset=utf-8"), []byte(document))
	return p
}

// rules are the names of what the page states for a crawler.
func rules(p *Page, tokens ...string) string {
	return strings.Join(p.Rules(tokens, now).Names(), " ")
}

func meta(name, content string) string { return `<meta name="` + name + `" content="` + content + `">` }

// TestGoogleDirectives checks the table "valid indexing and serving rules" of Google's documentation, with its special
// values, its list of rules no longer used, and noai and noimageai; and the examples of the "HTML Author's Guide to the
// Robots META tag" of 1996, where "default = empty = ALL".
func TestGoogleDirectives(t *testing.T) {
	for _, row := range cases.Rows(t, "directives.txt") {
		content, want := row[0], row[1]
		for _, cased := range []string{content, strings.ToUpper(content), strings.ReplaceAll(content, ",", " , ")} {
			if got := rules(read(meta("robots", cased)), "Googlebot"); got != want {
				t.Errorf("meta %q: %q, want %q", cased, got, want)
			}
			if got := rules(read("", cased), "Googlebot"); got != want {
				t.Errorf("X-Robots-Tag: %s: %q, want %q", cased, got, want)
			}
		}
	}
}

// TestGoogleExamples checks the examples of Google's documentation, for the crawlers that they name and for another.
func TestGoogleExamples(t *testing.T) {
	for _, c := range cases.Texts(t, "examples.txt") {
		p := read(c.Parts[0], strings.Split(strings.TrimSuffix(c.Parts[1], "\n"), "\n")...)
		for line := range strings.Lines(c.Parts[2]) {
			crawler, want, _ := strings.Cut(line, ":")
			if got := rules(p, crawler); got != strings.TrimSpace(want) {
				t.Errorf("%s, %s: %q, want %q", c.Name, crawler, got, want)
			}
		}
	}
	p := read(meta("googlebot", "noindex") + meta("googlebot-news", "nosnippet"))
	if got := rules(p, "Googlebot-News", "Googlebot"); got != "noindex nosnippet" {
		t.Errorf("a crawler of two tokens: %q", got)
	}
}

// TestConflicts checks that the most restrictive of conflicting directives wins, regardless of order and source.
func TestConflicts(t *testing.T) {
	for _, row := range cases.Rows(t, "conflicts.txt") {
		a, b, want := row[0], row[1], row[2]
		for name, p := range map[string]*Page{
			"one tag":              read(meta("robots", a+","+b)),
			"two tags":             read(meta("robots", a) + meta("robots", b)),
			"in the other order":   read(meta("robots", b) + meta("robots", a)),
			"for all and a name":   read(meta("robots", a) + meta("x", b+", noodp")),
			"a header and a tag":   read(meta("robots", a), b),
			"a header with a name": read(meta("robots", b), "x: "+a),
		} {
			if got := rules(p, "x"); got != want {
				t.Errorf("%s and %s, %s: %q, want %q", a, b, name, got, want)
			}
		}
	}
}

func TestUnavailableAfterIsNoIndexOnlyLater(t *testing.T) {
	p := read("", "unavailable_after: 2026-11-22T12:00:00Z")
	for at, want := range map[time.Time]bool{{}: false, now.Add(-1): false, now: false, now.Add(1): true} {
		if got := p.Rules(nil, at).Set&NoIndex != 0; got != want {
			t.Errorf("at %v: %v", at, got)
		}
	}
}

// statements describes the statements of a page: source, crawler, text, and what is unknown.
func statements(p *Page) []string {
	var list []string
	for s := range p.Statements() {
		text := s.Source.String() + " " + string(s.Crawler) + "|" + string(s.Text)
		for unknown := range s.Unknown() {
			text += "|" + string(unknown)
		}
		list = append(list, text)
	}
	return list
}

func TestHeaderNamesCrawlers(t *testing.T) {
	for header, want := range map[string][]string{
		"googlebot: nofollow": {"X-Robots-Tag googlebot|googlebot: nofollow"},
		"noindex, BadBot: noindex, nofollow, googlebot:nofollow,": {"X-Robots-Tag |noindex",
			"X-Robots-Tag BadBot|BadBot: noindex, nofollow", "X-Robots-Tag googlebot|googlebot:nofollow"},
		"Googlebot : max-snippet : 10, noindex":                                   {"X-Robots-Tag Googlebot|Googlebot : max-snippet : 10, noindex"},
		"otherbot: unavailable_after: Friday, 25-Jun-10 15:00:00 PST, x: noindex": {"X-Robots-Tag otherbot|otherbot: unavailable_after: Friday, 25-Jun-10 15:00:00 PST", "X-Robots-Tag x|x: noindex"},
		"robots: noindex":            {"X-Robots-Tag |robots: noindex"},
		"*: noindex":                 {"X-Robots-Tag |*: noindex"},
		"googlebot:":                 nil,
		"":                           nil,
		" , ;:":                      nil,
		"max-pages: 3, noindex":      {"X-Robots-Tag |max-pages: 3, noindex|max-pages: 3"},
		"x: noodp, noindex":          {"X-Robots-Tag x|x: noodp, noindex"},
		"x: foo, noindex":            {"X-Robots-Tag x|x: foo, noindex|foo"},
		"noindex: yes, nofollow":     {"X-Robots-Tag |noindex: yes, nofollow|noindex: |yes"},
		"noindex nofollow;noarchive": {"X-Robots-Tag |noindex nofollow;noarchive"},
	} {
		if got := statements(read("", header)); !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", header, got, want)
		}
	}
}

// TestNamesOfMetaTags checks that a meta tag with another name is kept if it may be a crawler's.
func TestNamesOfMetaTags(t *testing.T) {
	for tag, want := range map[string][]string{
		meta("BingBot", "noindex, foo"):                                 {"meta BingBot|noindex, foo|foo"},
		meta(" GPTBot ", "noodp,noydir,noai"):                           {"meta GPTBot|noodp,noydir,noai"},
		meta("robots", "foo, max-snippet: x bar"):                       {"meta |foo, max-snippet: x bar|foo|max-snippet: x|bar"},
		meta("robots", "googlebot: noindex"):                            {"meta |googlebot: noindex|googlebot: noindex"},
		meta("description", "There is none like it. Follow all of us."): nil,
		meta("keywords", "index, everything"):                           nil,
		meta("viewport", "width=device-width, initial-scale=1"):         nil,
		meta("", "noindex"):                                             nil,
		`<meta content="noindex">`:                                      nil,
		`<meta name="robots">`:                                          nil,
		`<meta property="robots" content="noindex">`:                    nil,
		`<meta name=robots name=x content=none content=all>`:            {"meta |none"},
		`<meta content='no&#105;ndex' NAME='r&#x6f;bots'/>`:             {"meta |noindex"},
		"<meta\nname\n=\nrobots\ncontent\n=\n'\n noindex\n,\n'\n>":      {"meta |noindex"},
	} {
		if got := statements(read(tag)); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", tag, got, want)
		}
	}
}

func TestUnknownDirectivesAreCounted(t *testing.T) {
	p := read(meta("robots", "foo, noindex, max-snippet:x")+meta("x", "bar, noindex")+meta("y", "baz, noindex"), "qux")
	for token, want := range map[string]int{"x": 4, "z": 3} {
		if got := p.Rules([]string{token}, now).Unknown; got != want {
			t.Errorf("%s: %d, want %d", token, got, want)
		}
	}
}

func TestParseDirectives(t *testing.T) {
	set, err := ParseDirectives("NoIndex, noarchive")
	if err != nil || set != NoIndex|NoArchive || set.String() != "noindex,noarchive" {
		t.Errorf("%v, %v", set, err)
	}
	if set, err = ParseDirectives("none"); err != nil || set != NoIndex|NoFollow {
		t.Errorf("%v, %v", set, err)
	}
	for _, list := range []string{"", "noindex,", "all", "foo", "indexifembedded", "max-snippet", "max-snippet:3",
		"unavailable_after", "noodp"} {
		if _, err := ParseDirectives(list); err == nil ||
			!strings.Contains(err.Error(), "those are none, noindex, nofollow, noarchive,") {
			t.Errorf("%q: %v", list, err)
		}
	}
}

func TestDirectivesAreDescribed(t *testing.T) {
	text, err := os.ReadFile("../../../docs/reference/pages.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !regexp.MustCompile("\\| [^|]*`" + e.name + "\\b").Match(text) {
			t.Errorf("docs/reference/pages.md does not describe %s", e.name)
		}
	}
}

func TestResetForgets(t *testing.T) {
	p := read(meta("x", "noindex, foo"), "none")
	p.Reset()
	if got := statements(p); got != nil || p.Partial() || p.Rules([]string{"x"}, now) != (Rules{}) {
		t.Errorf("%q", got)
	}
}

func TestStatementsAreBounded(t *testing.T) {
	p := &Page{}
	long := strings.Repeat("noindex,", 2_000)
	for range MaxStatements {
		p.Header([]byte(long))
	}
	if p.Partial() || cap(p.text) > 2*MaxStatements*maxText {
		t.Errorf("partial %v, %d octets", p.Partial(), cap(p.text))
	}
	p.Header([]byte("nofollow"))
	if n := len(slices.Collect(p.Statements())); n != MaxStatements || !p.Partial() {
		t.Errorf("%d statements, partial %v", n, p.Partial())
	}
}
