package page

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
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

// TestGoogleDirectives checks the table "valid indexing and serving rules" of Google's
// documentation, with its special values, its list of rules no longer used, and noai and noimageai;
// and the examples of the "HTML Author's Guide to the Robots META tag" of 1996, where "default =
// empty = ALL".
func TestGoogleDirectives(t *testing.T) {
	for content, want := range map[string]string{
		"all":                                  "",
		"":                                     "",
		"index,follow":                         "",
		"noindex,follow":                       "noindex",
		"index,nofollow":                       "nofollow",
		"index,noindex,nofollow,follow,follow": "noindex nofollow", // which the guide calls a mistake
		"noindex":                              "noindex",
		"nofollow":                             "nofollow",
		"none":                                 "noindex nofollow",
		"nosnippet":                            "nosnippet",
		"indexifembedded":                      "", // only beside noindex
		"noindex, indexifembedded":             "noindex indexifembedded",
		"max-snippet:20":                       "max-snippet:20",
		"max-snippet: 20":                      "max-snippet:20",
		"max-snippet:0":                        "nosnippet",
		"max-snippet:-1":                       "max-snippet:-1",
		"max-snippet":                          "",
		"max-snippet:many":                     "",
		"max-snippet:-2":                       "",
		"max-snippet:1.5":                      "",
		"max-snippet:99999999999999999999":     "max-snippet:2147483647",
		"max-image-preview:none":               "max-image-preview:none",
		"max-image-preview:standard":           "max-image-preview:standard",
		"max-image-preview:large":              "max-image-preview:large",
		"max-image-preview:huge":               "",
		"max-video-preview:-1":                 "max-video-preview:-1",
		"max-video-preview:0":                  "max-video-preview:0",
		"max-video-preview:10":                 "max-video-preview:10",
		"notranslate":                          "notranslate",
		"noimageindex":                         "noimageindex",
		"unavailable_after: 2020-09-21":        "noindex unavailable_after:2020-09-21T00:00:00Z",
		"unavailable_after: 2030-09-21":        "unavailable_after:2030-09-21T00:00:00Z",
		"unavailable_after: soon":              "",
		"unavailable_after":                    "",
		"noarchive":                            "noarchive",
		"nositelinkssearchbox":                 "",
		"nocache":                              "nocache",
		"noai, noimageai":                      "noai noimageai",
		"max-snippet:20, max-image-preview:large":            "max-snippet:20 max-image-preview:large",
		"unavailable_after: 21-Sep-2030 10:00 GMT, nofollow": "nofollow unavailable_after:2030-09-21T10:00:00Z",
	} {
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

// TestGoogleExamples checks the examples of Google's documentation, for the crawlers that they name
// and for another.
func TestGoogleExamples(t *testing.T) {
	for name, c := range map[string]struct {
		document           string
		headers            []string
		google, news, misc string
	}{
		"robots for all": {document: "<!DOCTYPE html>\n<html><head>\n" + meta("robots", "noindex") +
			"\n(...)\n</head>\n<body>(...)</body>\n</html>", google: "noindex", news: "noindex", misc: "noindex"},
		"one crawler": {document: meta("googlebot", "noindex"), google: "noindex"},
		"another":     {document: meta("googlebot-news", "nosnippet"), news: "nosnippet"},
		"several tags": {document: meta("googlebot", "notranslate") + meta("googlebot-news", "nosnippet"),
			google: "notranslate", news: "nosnippet"},
		"negative rules add up": {document: meta("robots", "nofollow") + meta("googlebot", "noindex"),
			google: "noindex nofollow", news: "nofollow", misc: "nofollow"},
		"multiple rules": {document: meta("robots", "noindex, nofollow"), google: "noindex nofollow",
			news: "noindex nofollow", misc: "noindex nofollow"},
		"multiple tags": {document: meta("robots", "noindex") + meta("robots", "nofollow"),
			google: "noindex nofollow", news: "noindex nofollow", misc: "noindex nofollow"},
		"the more restrictive": {document: meta("robots", "max-snippet:50, nosnippet"), google: "nosnippet",
			news: "nosnippet", misc: "nosnippet"},
		"header": {headers: []string{"noindex"}, google: "noindex", news: "noindex", misc: "noindex"},
		"several headers": {
			headers: []string{"noimageindex", "unavailable_after: 25 Jun 2010 15:00:00 PST"},
			google:  "noindex noimageindex unavailable_after:2010-06-25T23:00:00Z",
			news:    "noindex noimageindex unavailable_after:2010-06-25T23:00:00Z",
			misc:    "noindex noimageindex unavailable_after:2010-06-25T23:00:00Z",
		},
		"headers with names": {headers: []string{"googlebot: nofollow", "otherbot: noindex, nofollow"},
			google: "nofollow", misc: "noindex nofollow"},
		"embedded": {headers: []string{"googlebot:noindex,indexifembedded"},
			google: "noindex indexifembedded"},
		"embedded, in several": {headers: []string{"googlebot:noindex", "googlebot:indexifembedded"},
			google: "noindex indexifembedded"},
		"embedded, in tags": {document: meta("googlebot", "noindex") + meta("googlebot", "indexifembedded"),
			google: "noindex indexifembedded"},
		"embedded for a crawler": {document: meta("robots", "noindex") + meta("googlebot", "indexifembedded"),
			google: "noindex indexifembedded", news: "noindex", misc: "noindex"},
		"max-image-preview for all": {document: meta("robots", "max-image-preview:standard"),
			google: "max-image-preview:standard", news: "max-image-preview:standard", misc: "max-image-preview:standard"},
		"a header and a tag": {headers: []string{"googlebot: max-snippet:10"},
			document: meta("robots", "max-snippet:5, nofollow"), google: "nofollow max-snippet:5",
			news: "nofollow max-snippet:5", misc: "nofollow max-snippet:5"},
		"headers that a proxy combined": {headers: []string{"noarchive, googlebot: nofollow, otherbot: noindex, nofollow"},
			google: "nofollow noarchive", news: "noarchive", misc: "noindex nofollow noarchive"},
	} {
		p := read(c.document, c.headers...)
		for crawler, want := range map[string]string{"Googlebot": c.google, "Googlebot-News": c.news, "OtherBot": c.misc} {
			if got := rules(p, crawler); got != want {
				t.Errorf("%s, %s: %q, want %q", name, crawler, got, want)
			}
		}
	}
	p := read(meta("googlebot", "noindex") + meta("googlebot-news", "nosnippet"))
	if got := rules(p, "Googlebot-News", "Googlebot"); got != "noindex nosnippet" {
		t.Errorf("a crawler of two tokens: %q", got)
	}
}

// TestConflicts checks that the most restrictive of conflicting directives wins, regardless of
// order and source.
func TestConflicts(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"index", "noindex", "noindex"},
		{"all", "none", "noindex nofollow"},
		{"follow", "nofollow", "nofollow"},
		{"max-snippet:50", "max-snippet:20", "max-snippet:20"},
		{"max-snippet:-1", "max-snippet:20", "max-snippet:20"},
		{"max-snippet:-1", "max-snippet:-1", "max-snippet:-1"},
		{"max-snippet:0", "max-snippet:20", "nosnippet"},
		{"max-snippet:-1", "nosnippet", "nosnippet"},
		{"max-image-preview:large", "max-image-preview:none", "max-image-preview:none"},
		{"max-image-preview:large", "max-image-preview:standard", "max-image-preview:standard"},
		{"max-video-preview:-1", "max-video-preview:0", "max-video-preview:0"},
		{"max-video-preview:7", "max-video-preview:6", "max-video-preview:6"},
		{"max-snippet:3", "max-video-preview:7", "max-snippet:3 max-video-preview:7"},
		{"unavailable_after:2030-01-02", "unavailable_after:2030-01-01", "unavailable_after:2030-01-01T00:00:00Z"},
		{"unavailable_after:2030-01-02", "unavailable_after:2020-01-01, indexifembedded",
			"noindex indexifembedded unavailable_after:2020-01-01T00:00:00Z"},
		{"unavailable_after:never", "unavailable_after:2030-01-01", "unavailable_after:2030-01-01T00:00:00Z"},
	} {
		for name, p := range map[string]*Page{
			"one tag":              read(meta("robots", c.a+","+c.b)),
			"two tags":             read(meta("robots", c.a) + meta("robots", c.b)),
			"in the other order":   read(meta("robots", c.b) + meta("robots", c.a)),
			"for all and a name":   read(meta("robots", c.a) + meta("x", c.b+", noodp")),
			"a header and a tag":   read(meta("robots", c.a), c.b),
			"a header with a name": read(meta("robots", c.b), "x: "+c.a),
		} {
			if got := rules(p, "x"); got != c.want {
				t.Errorf("%s and %s, %s: %q, want %q", c.a, c.b, name, got, c.want)
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
