package lint_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/lint"
)

// recipes are robots.txt as pages for authors teach them, in other words, with all that is noted about them
// and with verdicts: an agent, a path, and yes or no.
var recipes = []struct {
	name, body string
	notes      string // LINE+LINE KIND SEVERITY, in lines
	verdicts   string
}{
	{"1994: everybody is welcome", "User-agent: *\nDisallow:\n", "", "GPTBot /a yes"},
	{"1994: nobody", "User-agent: *\nDisallow: /\n", "2 everything-forbidden warning", "GPTBot /a no"},
	{"1994: three folders", "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /tmp/\nDisallow: /~joe/\n", "",
		"GPTBot /tmp/a no\nGPTBot /tmp yes"},
	{"1994: one robot is kept out", "User-agent: BadBot\nDisallow: /\n", "1 unknown-name note",
		"BadBot /a no\nGPTBot /a yes"},
	{"1994: only one robot", "User-agent: Googlebot\nDisallow:\n\nUser-agent: *\nDisallow: /\n",
		"1 star-not-for-named note", "Googlebot /a yes\nGPTBot /a no"},
	{"1994: all but one file", "User-agent: *\nDisallow: /~joe/junk.html\nDisallow: /~joe/foo.html\n", "",
		"GPTBot /~joe/bar.html yes"},
	{"Google: one folder for one crawler",
		"User-agent: Googlebot\nDisallow: /nogooglebot/\n\nUser-agent: *\nAllow: /\n\n" +
			"Sitemap: https://www.example.com/sitemap.xml\n", "5 dead-rule note",
		"Googlebot /nogooglebot/a no\nbingbot /nogooglebot/a yes"},
	{"Google: two names in one group",
		"# Both names.\nUser-agent: Googlebot\nUser-agent: AdsBot-Google\nDisallow: /\n", "",
		"Googlebot /a no\nAdsBot-Google /a no\nbingbot /a yes"},
	{"Google: only a public folder", "User-agent: *\nDisallow: /\nAllow: /public/\n", "",
		"GPTBot /public/a yes\nGPTBot /a no"},
	{"Google: only one page", "User-agent: *\nDisallow: /\nAllow: /$\n",
		"", "GPTBot / yes\nGPTBot /a no"},
	{"Google: only news", "User-agent: Googlebot-news\nAllow: /\n\nUser-agent: *\nDisallow: /\n",
		"1 control-token note\n1 star-not-for-named note\n2 dead-rule note", "Googlebot-News /a yes\nGPTBot /a no"},
	{"Google: one picture", "User-agent: Googlebot-Image\nDisallow: /images/dogs.jpg\n", "",
		"Googlebot-Image /images/dogs.jpg no"},
	{"Google: files of one type", "User-agent: Googlebot\nDisallow: /*.gif$\n",
		"", "Googlebot /a.gif no\nGooglebot /a.gif?b yes"},
	{"Google: order of precedence, a longer path", "User-agent: *\nAllow: /p\nDisallow: /\n", "",
		"GPTBot /page yes"},
	{"Google: order of precedence, equal paths", "User-agent: *\nAllow: /folder\nDisallow: /folder\n",
		"3 dead-rule warning", "GPTBot /folder/page yes"},
	{"Google: order of precedence, a wildcard", "User-agent: *\nAllow: /page\nDisallow: /*.htm\n",
		"2 contradicted note\n2 dead-rule note",
		"GPTBot /page.htm no"},
	{"Google: order of precedence, a wildcard of equal length", "User-agent: *\nAllow: /page\nDisallow: /*.ph\n",
		"", "GPTBot /page.php5 yes"},
	{"RFC 9309, 5.1", "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n" +
		"User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n" +
		"User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n\nEOF\n",
		"6 star-not-for-named note\n6 unknown-name note\n11+15 star-not-for-named note\n15 no-rules warning\n" +
			"17 no-field error",
		"foobot /example/page.html yes\nquxbot /a.gif yes"},
	{"WordPress", "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\n" +
		"Sitemap: https://example.com/wp-sitemap.xml\n", "", "GPTBot /wp-admin/admin-ajax.php yes"},
	{"no training of AI", "User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: ClaudeBot\nUser-agent: Google-Extended\n" +
		"User-agent: Applebot-Extended\nDisallow: /\n", "4+5 control-token note",
		"GPTBot /a no\nbingbot /a yes"},
	{"content signals",
		"User-agent: *\nContent-Signal: search=yes,ai-train=no\nAllow: /\n", "3 dead-rule note", "GPTBot /a yes"},
	{"parameters", "User-agent: *\nDisallow: /*?sort=\nDisallow: /*&sort=\n", "", "GPTBot /a?sort=b no\nGPTBot /a?b yes"},
	{"an apostrophe", "User-agent: *\nDisallow: /it\u2019s/\n", "2 encoding note", "GPTBot /it\u2019s/ no"},
	{"rules that only Google's parser reads", "UserAgent: *\nDisallow: /lang/\n",
		"1 misspelled-key error\n2 contested warning", "GPTBot /lang/ yes"},
	{"a group whose rule only Google's parser reads", "User-agent: *\nAllow /\n", "2 dead-rule note\n2 no-colon error",
		"GPTBot / yes"},
	{"two words that are one name", "User-agent: Yahoo Slurp\nDisallow: /\n",
		"1 after-token warning\n1 unknown-name note", "Yahoo / no"},
	{"HTML after a name", "User-agent: *<br/>Sitemap: https://example.com/a.xml\nDisallow: /\n", "1 no-token error",
		"GPTBot / yes"},
	{"a name beside *, which has another group", "User-agent: *\nUser-agent: GPTBot\nDisallow: /a/\n\n" +
		"User-agent: *\nDisallow: /b/\n", "2 star-not-for-named note\n5 repeated-group warning", "GPTBot /b/ yes"},
	{"rules that keep groups apart", "User-agent: bingbot/2.0\nDisallow: /\n\nUser-agent: bingbot\nDisallow: /\n\n" +
		"User-agent: CCBot\nDisallow: /\n", "4 repeated-group warning\n5 dead-rule note",
		"bingbot / no"},
	{"a gap before what ends an escape", "User-agent: *\nDisallow: /*Angora\nDisallow: /?a=b\n", "", "GPTBot /Angora no"},
	{"a delay for more than a control token", "User-agent: GPTBot\nUser-agent: Applebot-Extended\nDisallow: /a/\n" +
		"Crawl-delay: 5\n", "2 control-token note", "GPTBot /a/ no"},
	{"names that are like known ones", "User-agent: YodaoBot\nUser-agent: WebZip\nUser-agent: spider\nDisallow: /a/\n",
		"1 unknown-name note", "spider /a/ no"},
	{"Drupal", "User-agent: *\nDisallow: /?q=filter/tips/\n", "2 contested note", "GPTBot /?q=filter%2Ftips/ no"},
	{"everything is allowed twice", "User-agent: *\nDisallow:\nAllow: /\n", "3 dead-rule note", "GPTBot /a yes"},
	{"slower", "User-agent: bingbot\nCrawl-delay: 10\nDisallow:\n", "", "bingbot /a yes"},
}

// linesOf returns notes as LINE+LINE KIND SEVERITY, in lines, sorted.
func linesOf(notes []lint.Note) string {
	var list []string
	for _, n := range notes {
		lines := strings.ReplaceAll(strings.Trim(fmt.Sprint(n.Lines), "[]"), " ", "+")
		list = append(list, fmt.Sprint(lines, " ", n.Kind, " ", n.Severity))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// TestDefaults checks that the notes on the robots.txt of content management systems are useful to
// their users.
func TestDefaults(t *testing.T) {
	o := options(t)
	o.Sitemap = nil
	for name, want := range map[string]string{
		"shopify": "4 dead-rule warning\n8 dead-rule warning\n8+10 encoding note\n10 dead-rule warning\n" +
			"16+23 star-not-for-named note\n17 dead-rule warning\n23 no-rules warning",
		"drupal": "", "squarespace": "", "wordpress": "",
		"wix": "3 dead-rule note\n15 no-rules warning",
		"magento": "8 dead-rule warning\n9 dead-rule warning\n10 no-field error\n12 dead-rule warning\n" +
			"13 dead-rule warning",
	} {
		body, err := os.ReadFile("testdata/defaults/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(want, "\n")
		slices.Sort(lines)
		if got := linesOf(lint.Check(body, o)); got != strings.Join(lines, "\n") {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// TestRecipes checks that there are no false notes on what pages for authors teach.
func TestRecipes(t *testing.T) {
	o := options(t)
	o.Sitemap = nil
	for _, r := range recipes {
		want := strings.Split(r.notes, "\n")
		slices.Sort(want)
		if got := linesOf(lint.Check([]byte(r.body), o)); got != strings.Join(want, "\n") {
			t.Errorf("%s: got %q, want %q", r.name, got, want)
		}
		for line := range strings.SplitSeq(r.verdicts, "\n") {
			asked := strings.Fields(line)
			if compile.Allowed([]byte(r.body), asked[0], asked[1]) != (asked[2] == "yes") {
				t.Errorf("%s: %s", r.name, line)
			}
		}
	}
}

// planted is a robots.txt with a fault of nearly every kind. A comment says which the line after it has.
const planted = "\ufeff#! late-user-agent\n" + `Disallow: /early/
#! signal-outside-group
Content-Signal: ai-train=no

User-agent: *
#! private-exposed missing-slash
Disallow: /backup
#! dead-rule
Disallow: /backup/
Allow: /shop/index.html
Disallow: /shop/
#! contradicted
Disallow: /tmp/
Allow: /*.xyz
#! no-slash
Disallow: shop/
#! full-url
Disallow: https://example.com/shop/
#! hash-in-path
Disallow: /page/#top
#! space-in-path
Disallow: /my shop/
#! encoding
Disallow: /café/
#! not-at-end
Disallow: /*.pdf$?
#! case
Disallow: /SHOP/
#! curly-quotes no-slash
Disallow: “/quoted/”
#! no-colon
Disallow /colon/
#! misspelled-key
Dissallow: /typo/
#! unknown-key
Dizallow: /unknown/
#! no-field
please keep out
#! crawl-delay-not-a-number
Crawl-delay: 5s
#! not-supported
Noindex: /old/
#! relative-sitemap
Sitemap: /sitemap.xml
#! placeholder
Sitemap: <https://example.com/sitemap.xml>
#! several-sitemaps
Sitemap: https://example.com/a.xml,https://example.com/b.xml
#! wildcard-sitemap
Sitemap: https://example.com/sitemap*.xml
` + "#! not-utf8\nDisallow: /\xff/\n#! nul contested\nDisallow: /n\x00/\n#! line-too-long\nDisallow: /%s\n" + `
#! unknown-name
User-agent: GPT-Bot
Disallow: /shop/

#! several-names
User-agent: CCBot, Bytespider
Disallow: /shop/

#! whole-header
User-agent: Mozilla/5.0 (compatible; ClaudeBot/1.0)
Disallow: /shop/

#! other-operator
User-agent: AdsBot
Disallow: /shop/

#! control-token
User-agent: Google-Extended
Disallow: /shop/

#! not-obeyed
User-agent: ChatGPT-User
Disallow: /shop/

#! no-token
User-agent:
Disallow: /shop/

#! after-token
User-agent: Googlebot*
Disallow: /shop/
#! crawl-delay-for-google
Crawl-delay: 5
#! signal-unknown-key
Content-Signal: ai-retrieval=no
#! signal-wrong-value
Content-Signal: search=maybe, ai-train=yes
#! signal-contradiction
Content-Signal: ai-train=no
#! license-not-url
License: /license.xml
#! generated-block
# BEGIN Cloudflare Managed content
# END Cloudflare Managed Content

User-agent: Amazonbot
#! signal-misplaced
Content-Usage: train-ai=n
#! run-together
User-agent: Applebot
#! contested
Disallow: /shop/

#! star-not-for-named
User-agent: bingbot
Disallow: /bing/

#! repeated-group
User-agent: *
#! bom-inside
` + "\ufeff# of another file\n" + `Disallow: /again/

#! no-rules
User-agent: DuckDuckBot
#! past-limit
#`

// TestPlanted checks that each fault of a file is found on its line.
func TestPlanted(t *testing.T) {
	body := fmt.Sprintf(planted, strings.Repeat("x", 17_000))
	body += strings.Repeat("x", compile.DefaultMaxBytes-len(body)+1)
	notes := lint.Check([]byte(body), options(t))
	has := func(line int, kind string) bool {
		return slices.ContainsFunc(notes, func(n lint.Note) bool { return slices.Contains(n.Lines, line) && n.Kind == kind })
	}
	absent := map[string]bool{}
	for _, k := range lint.Kinds() {
		absent[k.Name] = true
	}
	for i, line := range strings.Split(body, "\n") {
		_, kinds, _ := strings.Cut(line, "#! ")
		for _, kind := range strings.Fields(kinds) {
			delete(absent, kind)
			if !has(i+2, kind) {
				t.Errorf("line %d has no note %s", i+2, kind)
			}
		}
	}
	if !has(1, "bom") {
		t.Error("no note of the byte order mark")
	}
	// The others need a file of their own, as in TestKinds.
	for _, kind := range []string{"bom", "html", "utf-16", "log", "everything-forbidden", "not-decided",
		"blocks-sitemap"} {
		delete(absent, kind)
	}
	if len(absent) > 0 {
		t.Errorf("not planted: %v", absent)
	}
	if t.Failed() {
		t.Log("\n" + show(notes))
	}
}
