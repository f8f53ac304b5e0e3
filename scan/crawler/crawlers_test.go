package crawler

import (
	"cmp"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestClaims checks that nobody speaks for all users of a program, and that exempt crawlers don't claim to obey.
func TestClaims(t *testing.T) {
	for _, p := range builtinSet(t).Profiles() {
		if p.Anybodys() && (p.Obeys != "unknown" || p.CrawlDelay != "" || p.Verify != "") {
			t.Errorf("%s of %s: obeys %q, delays %q, verified by %q", p.Name, p.Operator, p.Obeys, p.CrawlDelay, p.Verify)
		}
		if p.Exempt != "" && p.Obeys != "no" {
			t.Errorf("%s is exempt and obeys: %q", p.Name, p.Obeys)
		}
		if ofGoogle := p.Operator == "Google" && !p.Control; ofGoogle && p.CrawlDelay != "no" {
			t.Errorf("%s of Google: delays %q", p.Name, p.CrawlDelay)
		}
	}
}

// TestSoftwareThatAnybodyRuns reads the headers of programs with many users.
func TestSoftwareThatAnybodyRuns(t *testing.T) {
	set := builtinSet(t)
	for _, header := range []string{
		"crawler4j (https://github.com/yasserg/crawler4j/)",
		"Scrapy/2.11.0 (+https://scrapy.org)", "Tiny Tiny RSS/1.11 (http://tt-rss.org/)",
		"BUbiNG (+http://law.di.unimi.it/BUbiNG.html)", "Screaming Frog SEO Spider/16.0",
		"Mozilla/5.0 (compatible; Google-Gemini-CLI/1.0; +https://github.com/google-gemini/gemini-cli)",
	} {
		if got := set.Reader().Read([]byte(header)); got.Profile == nil || !got.Profile.Anybodys() {
			t.Errorf("%q is %v, not of the users of a program", header, got)
		}
	}
	const header = "Claude-User (claude-code/2.1.86; +https://support.anthropic.com/)"
	if got := set.Reader().Read([]byte(header)); got.Name != "Claude-Code" || got.Ambiguous {
		t.Errorf("%q is %v: it comes from its user's machine, which is in no list of Claude-User", header, got)
	}
}

// TestFurtherProducts checks that a header only serves products with separate profiles.
func TestFurtherProducts(t *testing.T) {
	set := builtinSet(t)
	for _, p := range set.Profiles() {
		for _, tokens := range p.Also {
			if other := set.ByName(tokens[0]); other == nil || !slices.Equal(other.Tokens, tokens) || other.Name == p.Name {
				t.Errorf("%s serves %q too, which is %+v", p.Name, tokens, other)
			}
		}
	}
	if got := set.ByName("Googlebot").Also; len(got) != 1 || got[0][0] != "Googlebot-News" {
		t.Errorf("the header of Googlebot serves %q", got)
	}
}

// TestLists checks that crawlers verified by ranges have lists, each under the name of its file.
func TestLists(t *testing.T) {
	// Their operators publish ranges on a page, or in a database of routes.
	unlisted := []string{"Amazonbot", "Amzn-SearchBot", "Amzn-User", "Blekkobot", "CensysInspect", "GrapeshotCrawler",
		"Kagibot", "Site24x7",
		"facebookexternalhit", "Meta-ExternalAds", "Meta-ExternalAgent", "Meta-ExternalFetcher", "Meta-WebIndexer"}
	named := map[string]string{
		"googlebot.json":   "common-crawlers.json", // since March 2026
		"pingdom-ipv4.txt": "ipv4",
		"pingdom-ipv6.txt": "ipv6",
		"statuscake.txt":   "Locations.php",
	}
	names, urls := map[string]string{}, map[string]string{}
	for _, p := range builtinSet(t).Profiles() {
		if want := strings.Contains(p.Verify, "ranges") && !slices.Contains(unlisted, p.Name); want != (len(p.Lists) > 0) {
			t.Errorf("%s: %d lists, verified by %q", p.Name, len(p.Lists), p.Verify)
		}
		for _, list := range p.Lists {
			u, err := url.Parse(list.URL)
			if file := cmp.Or(named[list.Name], list.Name); err != nil || u.Host == "" || path.Base(u.Path) != file {
				t.Errorf("%s: %q is not the name of %s", p.Name, list.Name, list.URL)
			}
			if list.Seen > readOn {
				t.Errorf("%s: %s was seen on %s", p.Name, list.Name, list.Seen)
			}
			if names[list.URL] == "" && urls[list.Name] == "" {
				names[list.URL], urls[list.Name] = list.Name, list.URL
			}
			if names[list.URL] != list.Name || urls[list.Name] != list.URL {
				t.Errorf("%s: %s is at %s, and %s is %s", p.Name, list.Name, urls[list.Name], list.URL, names[list.URL])
			}
		}
	}
}

// TestListsOfGoogle checks which list serves which crawler according to Google's pages.
func TestListsOfGoogle(t *testing.T) {
	ofPages := map[string][]string{
		"google-common-crawlers":       {"googlebot.json"},
		"google-special-case-crawlers": {"special-crawlers.json"},
		"google-user-triggered-fetchers": {"user-triggered-fetchers-google.json", "user-triggered-fetchers.json",
			"user-triggered-agents.json"},
	}
	for _, p := range builtinSet(t).Profiles() {
		if p.Operator != "Google" || p.Control {
			continue
		}
		var got []string
		for _, list := range p.Lists {
			got = append(got, list.Name)
		}
		if want := ofPages[p.Source[strings.LastIndexByte(p.Source, '/')+1:]]; !slices.Equal(got, want) {
			t.Errorf("%s of %s has the lists %q, want %q", p.Name, p.Source, got, want)
		}
	}
}

// TestDocsCountTheCrawlers checks the counts in README.md and docs, such as "463 crawlers are
// known, 189 of them with a page of their operator".
func TestDocsCountTheCrawlers(t *testing.T) {
	known, paged := 0, 0
	for _, p := range builtinSet(t).Profiles() {
		known++
		if p.Source != "" {
			paged++
		}
	}
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	sentence := regexp.MustCompile(`([0-9,]+)\s+crawlers\s+are\s+known(?:,\s+([0-9,]+)\s+of\s+them\s+with\s+a\s+page\s+of\s+their\s+operator)?`)
	said := 0
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sentence.FindAllSubmatch(text, -1) {
			said++
			if string(m[1]) != strconv.Itoa(known) || string(m[2]) != strconv.Itoa(paged) {
				t.Errorf("%s says %q, but %d crawlers are known, %d of them with a page of their operator", page, m[0], known,
					paged)
			}
		}
	}
	if said == 0 {
		t.Errorf("no page says: %d crawlers are known, %d of them with a page of their operator", known, paged)
	}
}
