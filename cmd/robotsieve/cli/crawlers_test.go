package cli

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

const fetcherLine = "  role       fetcher: it fetches single addresses that a person, a subscription or the site's own operator named; " +
	"it is counted apart from the crawlers, outside the headline\n"

// TestCrawlersExplainsAHeader has the whole answer for each kind of header.
func TestCrawlersExplainsAHeader(t *testing.T) {
	for header, want := range map[string]string{
		"Googlebot/2.1 Googlebot-Image/1.0 (+http://www.google.com/googlebot.html)": `
  crawler    Googlebot-Image of Google, search
  because    a word of a known crawler counts
  word       Googlebot at byte 1 does not count: no more specific than Googlebot-Image, which counts
  word       Googlebot-Image at byte 15 counts: the crawler that the client claims to be
  word       googlebot at byte 59, a word of Googlebot, does not count: in a URL or an e-mail address, which names a page and not the client
  bound by   groups for Googlebot-Image, else for Googlebot, else groups for *
  dialect    google: as Google's published parser reads it
  operator   says that it obeys robots.txt: https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers, as of 2026-11-21
  verify     its operator publishes address ranges; the names of its addresses can be looked up
`,
		"AdsBot-Google": `
  crawler    AdsBot-Google of Google, ads
  because    a word of a known crawler counts
  word       AdsBot-Google at byte 1 counts: the crawler that the client claims to be
  bound by   groups for AdsBot-Google, else by nothing: groups for * do not bind it
  dialect    google: as Google's published parser reads it
  operator   says that it obeys robots.txt: https://developers.google.com/crawling/docs/crawlers-fetchers/google-special-case-crawlers, as of 2026-11-21
  verify     its operator publishes address ranges; the names of its addresses can be looked up
`,
		"Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)": `
  crawler    ChatGPT-User of OpenAI, user-triggered
  because    a word of a known crawler counts
  word       ChatGPT-User at byte 26 counts: the crawler that the client claims to be
` + fetcherLine + `  bound by   groups for ChatGPT-User, else groups for *
  dialect    not known: a rule that google and rfc9309 read differently is contested
  exempt     its requests are not judged; user-triggered: actions of ChatGPT users; its page says that robots.txt may not apply
  operator   says that it may ignore robots.txt: https://developers.openai.com/api/docs/bots, as of 2026-11-21
  verify     its operator publishes address ranges
`,
		"bingbot/2.0 Googlebot/2.1": `
  crawler    bingbot of Microsoft, search
  because    ambiguous: the header also names Googlebot of Google. Requests are undecided, unless their address verifies one of them, and are counted under the first
  word       bingbot at byte 1 counts: the crawler as which the client is counted
  word       Googlebot at byte 13 counts: a crawler of another operator, which makes the header ambiguous
  bound by   groups for bingbot, else for msnbot, else groups for *
  dialect    not known: a rule that google and rfc9309 read differently is contested
  operator   says that it obeys robots.txt: https://blogs.bing.com/webmaster/June-2010/Bing-crawler-bingbot-on-the-horizon, as of 2026-11-21
  verify     its operator publishes address ranges; the names of its addresses can be looked up
`,
		"TelegramBot (like TwitterBot)": `
  crawler    TelegramBot of Telegram, preview
  because    a word of a known crawler counts
  word       TelegramBot at byte 1 counts: the crawler that the client claims to be
  word       TwitterBot at byte 19, a word of Twitterbot, does not count: after "like ", which names another program
` + fetcherLine + `  bound by   groups for TelegramBot, else groups for *
  dialect    not known: a rule that google and rfc9309 read differently is contested
  operator   does not say whether it obeys robots.txt, as far as is known
  verify     its operator is not known to publish anything that verifies its addresses
`,
		"Mozilla/5.0 (compatible; www.FooBot/1.0; bot; x.FooBot/1.0; me@foo.example) BarSpider": `
  crawler    FooBot, which is not known
  because    no word of a known crawler counts, but a word looks like the name of a crawler
  word       FooBot at byte 30 does not count: in a URL or an e-mail address, which names a page and not the client
  word       bot at byte 42 does not count: says that the client is a crawler, but not which one
  word       FooBot at byte 49 counts: contains "bot" and more, and the header has www.FooBot/1.0
  word       BarSpider at byte 77 does not count: contains "spider", but after another word that does
  bound by   groups for x.FooBot, else for FooBot, else groups for *
  or by      perhaps groups for a part of that word, of three letters or more: a request is contested if they make a difference
  dialect    not known: a rule that google and rfc9309 read differently is contested
  operator   not known
  verify     its operator is not known to publish anything that verifies its addresses
`,
		"MyFooBotX/1": `
  crawler    MyFooBotX, which is not known
  because    no word of a known crawler counts, but a word looks like the name of a crawler
  word       MyFooBotX at byte 1 counts: contains "bot" and more, and the header begins with it
  bound by   groups for MyFooBotX, else groups for *
  or by      perhaps groups for a part of that word, of three letters or more: a request is contested if they make a difference
  dialect    not known: a rule that google and rfc9309 read differently is contested
  operator   not known
  verify     its operator is not known to publish anything that verifies its addresses
`,
		"Mozilla/5.0 (Linux; Android 9; CUBOT_X18 Plus) AppleWebKit/537.36": `
  crawler    none
  because    none of these words counts; a client that does not claim to be a crawler is never counted as one
  word       CUBOT_X18 at byte 32 does not count: contains "bot", but the header does not begin with it, does not have it directly after "(compatible; ", and has no URL and no e-mail address
`,
		"Mozilla/5.0 (compatible; FooBot/1.0)": `
  crawler    FooBot, which is not known
  because    no word of a known crawler counts, but a word looks like the name of a crawler
  word       FooBot at byte 26 counts: contains "bot" and more, and is directly after "(compatible; "
  bound by   groups for FooBot, else groups for *
  or by      perhaps groups for a part of that word, of three letters or more: a request is contested if they make a difference
  dialect    not known: a rule that google and rfc9309 read differently is contested
  operator   not known
  verify     its operator is not known to publish anything that verifies its addresses
`,
		"WireReaderBot/1.0 (compatible; AdsBot-Google)": `
  crawler    AdsBot-Google of Google, ads
  because    ambiguous: the header has "WireReaderBot", which is no word of Google, so its client may be another. Requests are undecided, unless their address verifies AdsBot-Google
  word       AdsBot-Google at byte 32 counts: the crawler as which the client is counted
  bound by   groups for AdsBot-Google, else by nothing: groups for * do not bind it
  dialect    google: as Google's published parser reads it
  operator   says that it obeys robots.txt: https://developers.google.com/crawling/docs/crawlers-fetchers/google-special-case-crawlers, as of 2026-11-21
  verify     its operator publishes address ranges; the names of its addresses can be looked up
`,
		"my-crawler/1.0 bot (+http://foo.example/)": `
  crawler    (without a name)
  because    no word is a name, but a word says that the client is a crawler. All crawlers without a name are counted as one
  word       my-crawler at byte 1 counts: says that the client is a crawler, but not which one
  word       bot at byte 16 does not count: contains "bot", but after another word that does
  bound by   groups for my-crawler, else groups for *
  or by      perhaps groups for a part of that word, of three letters or more: a request is contested if they make a difference
  dialect    not known: a rule that google and rfc9309 read differently is contested
  operator   not known
  verify     its operator is not known to publish anything that verifies its addresses
`,
		"curl/7.58.0": `
  crawler    none
  because    the header begins with curl, an HTTP library or client that anybody may use; its requests are counted apart among those that are not of crawlers
`,
		"Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0": `
  crawler    none
  because    no word belongs to a known crawler, and none outside URLs and e-mail addresses contains bot, spider, crawl, scrap or fetch; a client that does not claim to be a crawler, as no browser does, is never counted as one, whatever it requests
`,
		"google-extended": `
  crawler    none
  because    Google-Extended of Google is a control token: it is for robots.txt only, no client sends it as its name, and no log shows whether it is obeyed
  word       google-extended at byte 1, a word of Google-Extended, does not count: a control token: it is for robots.txt only, no client sends it as its name, and no log shows whether it is obeyed
`,
		"Mozilla/5.0 (compatible; Applebot-Extended/0.1; +http://www.apple.com/go/apple)": `
  crawler    none
  because    Applebot-Extended of Apple is a control token: it is for robots.txt only, no client sends it as its name, and no log shows whether it is obeyed
  word       Applebot-Extended at byte 26 does not count: a control token: it is for robots.txt only, no client sends it as its name, and no log shows whether it is obeyed
`,
		"Mozilla/5.0 (Linux; Android 9; CUBOT_X19) https://x.example": `
  crawler    none
  because    none of these words counts; a client that does not claim to be a crawler is never counted as one
  word       CUBOT_X19 at byte 32 does not count: contains "bot", but is where a browser on Android names its device
`,
	} {
		r := command(t, "", "crawlers", header)
		if r.code != exitDone || r.err != "" || r.out != header+want {
			t.Errorf("code %d, stderr %q\n got %s\nwant %s%s", r.code, r.err, r.out, header, want)
		}
	}
}

func TestCrawlersExplainsAHeaderAsJSON(t *testing.T) {
	r := command(t, "", "crawlers", "--output", "json", "Googlebot-Image/1.0 Googlebot/2.1")
	want := `{"header":"Googlebot-Image/1.0 Googlebot/2.1","crawler":"Googlebot-Image","known":true,"operator":"Google","role":"crawler","category":"search",` +
		`"ambiguous":false,"nameless":false,"library":false,"words":[` +
		`{"byte":1,"word":"Googlebot-Image","crawler":"Googlebot-Image","operator":"Google","counts":true,"why":"the crawler that the client claims to be"},` +
		`{"byte":21,"word":"Googlebot","crawler":"Googlebot","operator":"Google","counts":false,"why":"no more specific than Googlebot-Image, which counts"}],` +
		`"tokens":["Googlebot-Image","Googlebot"],"wildcard":true,"also":[],"dialect":"google","exempt":"","obeys":"yes",` +
		`"source":"https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers","date":"2026-11-21",` +
		`"verify":["ranges","dns"],"why":"a word of a known crawler counts"}` + "\n"
	if r.code != exitDone || r.out != want {
		t.Errorf("code %d, stderr %q\n got %s\nwant %s", r.code, r.err, r.out, want)
	}
	r = command(t, "", "crawlers", "--output", "json", "Firefox/1")
	if !strings.HasPrefix(r.out, `{"header":"Firefox/1","crawler":"","known":false,"operator":"","role":"","category":"","ambiguous":false,"nameless":false,"library":false,"words":[],"tokens":[],"wildcard":false,"also":[],`) {
		t.Error(r.out)
	}
}

func TestCrawlersReadsHeadersFromStdin(t *testing.T) {
	const headers = "GPTBot/1.2\n\nFirefox/120.0"
	r := command(t, headers, "crawlers", "-")
	if r.code != exitDone || !strings.HasPrefix(r.out, "GPTBot/1.2\n  crawler    GPTBot of OpenAI") ||
		!strings.Contains(r.out, "\n\n\n  crawler    none\n") || !strings.Contains(r.out, "\n\nFirefox/120.0\n  crawler    none\n") {
		t.Errorf("%+v", r)
	}
	r = command(t, headers, "crawlers", "--output", "json", "-")
	var names []string
	for line := range strings.Lines(r.out) {
		var reading headerReading
		if err := json.Unmarshal([]byte(line), &reading); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		names = append(names, reading.Header+"="+reading.Crawler)
	}
	if got := strings.Join(names, " "); got != "GPTBot/1.2=GPTBot = Firefox/120.0=" {
		t.Error(got)
	}
	if r := command(t, strings.Repeat("x", maxLine+1), "crawlers", "-"); r.code != exitInput || !strings.Contains(r.err, "line 1 is longer than") {
		t.Errorf("code %d, stderr %q", r.code, r.err)
	}
}

func TestCrawlersListsWhatIsKnown(t *testing.T) {
	profiles := crawler.Builtin()
	r := command(t, "", "crawlers")
	lines := strings.Split(r.out, "\n")
	if r.code != exitDone || len(lines) != len(profiles)+4 || !strings.HasPrefix(lines[0], "crawler ") {
		t.Fatalf("code %d, %d lines, stderr %q", r.code, len(lines), r.err)
	}
	if !regexp.MustCompile(`\n\n[1-9]\d* crawlers, [1-9]\d* of them fetchers; [1-9]\d* are exempt, and [1-9]\d* have a source page\.\n$`).MatchString(r.out) {
		t.Errorf("the last line is %q", lines[len(lines)-2])
	}
	roles := map[string]string{}
	for i, p := range profiles {
		roles[p.Name] = cmp.Or(p.Role, "crawler")
		if !strings.HasPrefix(lines[i+1], p.Name+" ") {
			t.Errorf("line %d is not of %s: %s", i+2, p.Name, lines[i+1])
		}
	}
	for _, want := range []string{
		"AdsBot-Google Google crawler ads AdsBot-Google AdsBot-Google no - google yes ranges,dns 2026-11-21 " +
			"https://developers.google.com/crawling/docs/crawlers-fetchers/google-special-case-crawlers",
		"Google-Extended Google crawler ai-training (control token) Google-Extended yes - google yes - 2026-11-21 " +
			"https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers",
		"ChatGPT-User OpenAI " + roles["ChatGPT-User"] + " user-triggered ChatGPT-User ChatGPT-User yes yes - no ranges 2026-11-21 https://developers.openai.com/api/docs/bots",
	} {
		name, _, _ := strings.Cut(want, " ")
		for _, line := range lines {
			if fields := strings.Fields(line); len(fields) > 0 && fields[0] == name && strings.Join(fields, " ") != want {
				t.Errorf("got %s\nwant %s", strings.Join(fields, " "), want)
			}
		}
	}
}

// What is listed as JSON may be given back, changed or not.
func TestCrawlersListIsAFileOfCrawlers(t *testing.T) {
	list := command(t, "", "crawlers", "--output", "json")
	again := command(t, "", "crawlers", "--output", "json", "--crawlers", file(t, "all.json", list.out))
	if list.code != exitDone || again.code != exitDone || again.out != list.out {
		t.Errorf("codes %d and %d, stderr %q", list.code, again.code, again.err)
	}
}

func TestCrawlersOfTheUser(t *testing.T) {
	mine := file(t, "mine.json", `[
		{"name":"FooBot","operator":"Foo Inc.","words":["FooBot"],"tokens":["FooBot","Foo"],"also":[["FooBot-News","FooBot"]],"role":"fetcher","obeys":"unknown"},
		{"name":"gptbot","operator":"Ours","words":["GPTBot","OAI-SearchBot"],"tokens":["gptbot"],"ignores_wildcard":true,"dialect":"rfc9309","obeys":"unknown"}]`)
	for header, want := range map[string]string{
		"FooBot/1": "crawler    FooBot of Foo Inc., of no category\n",
		"FooBot/2": "groups for FooBot, else for Foo, else groups for *\n",
		"FooBot/3": "\n  and by     groups for FooBot-News, else for FooBot, else groups for *, because its header serves this product too: " +
			"only what both forbid is forbidden\n",
		"FooBot/4": "\n  role       fetcher: it fetches single addresses that a person, a subscription or the site's own operator named; " +
			"it is counted apart from the crawlers, outside the headline\n",
		"GPTBot/1":        "crawler    gptbot of Ours, of no category\n",
		"OAI-SearchBot/1": "crawler    gptbot of Ours, of no category\n",
		"OAI-SearchBot/2": "dialect    rfc9309\n",
		"ClaudeBot/1":     "crawler    ClaudeBot of Anthropic",
	} {
		if r := command(t, "", "crawlers", "--crawlers", mine, header); r.code != exitDone || !strings.Contains(r.out, want) {
			t.Errorf("code %d, stderr %q, no %q in\n%s", r.code, r.err, want, r.out)
		}
	}
	r := command(t, "", "crawlers", "--crawlers", mine)
	if strings.Contains(r.out, "\nOAI-SearchBot ") || !strings.Contains(r.out, "\ngptbot ") || strings.Contains(r.out, "\nGPTBot ") {
		t.Error("the list is not changed")
	}
}

func TestCrawlersOfTheUserThatAreWrong(t *testing.T) {
	for says, content := range map[string]string{
		`mine.json: crawler profile 2, "Bar", in line 3: shares "foo" with "Foo"`: `[
{"name":"Foo","operator":"F","words":["Foo"],"tokens":["foo"],"obeys":"yes"},
{"name":"Bar","operator":"F","words":["foo"],"tokens":["foo"],"obeys":"yes"}]`,
		`mine.json: crawler profile 1, "Foo", in line 1: no operator`: `[{"name":"Foo"}]`,
		"mine.json: crawler profiles: not a JSON array of":            ``,
		`mine.json: crawler profiles: not a JSON array`:               `{"name":"Foo"}`,
	} {
		r := command(t, "", "crawlers", "--crawlers", file(t, "mine.json", content), "Foo/1")
		if r.code != exitInput || !strings.Contains(r.err, says) || r.out != "" {
			t.Errorf("code %d, stderr %q, want %q", r.code, r.err, says)
		}
	}
	if r := command(t, "", "crawlers", "--crawlers", "none.json"); r.code != exitInput || !strings.Contains(r.err, "none.json") {
		t.Errorf("%+v", r)
	}
}

func TestCrawlersUsage(t *testing.T) {
	for _, args := range [][]string{{"crawlers", "a", "b"}, {"crawlers", "--output", "csv"}} {
		if r := command(t, "", args...); r.code != exitUsage || r.out != "" || !strings.Contains(r.err, "--help'") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := command(t, "", "crawlers", "Mozilla/5.0", "(compatible;"); !strings.Contains(r.err, "put it in quotes") {
		t.Errorf("%+v", r)
	}
	if r := command(t, "", "crawlers", "--help"); r.code != exitDone || !strings.Contains(r.out, "Examples:\n  robotsieve crawlers") {
		t.Errorf("%+v", r)
	}
	for want, args := range map[string][]string{
		"GPTBot\tOpenAI\n": {"crawlers", ""},
		"json\n":           {"crawlers", "--output", ""},
		"json\n:8":         {"crawlers", "--crawlers", ""},
	} {
		if r := command(t, "", append([]string{"__complete"}, args...)...); !strings.Contains(r.out, want) {
			t.Errorf("%v offers %q", args, r.out)
		}
	}
}

// Headers and files are written by strangers.
func TestCrawlersShowsNoControlCharacters(t *testing.T) {
	const evil = "\x1b[31m\x9b\u009b\u202e\x07\x7f"
	mine := file(t, "mine.json", `[{"name":"E\u001b[31mBot","operator":"\u202eX","words":["E\u001bBot"],"tokens":["x"],"exempt":"\u009b","obeys":"no","source":"\u001b","date":"\u007f","verify":"\u0007"}]`)
	for _, args := range [][]string{
		{"crawlers", "FooBot" + evil + " http://x" + evil + " YBot" + evil},
		{"crawlers", evil + "YBot http://x" + evil},
		{"crawlers", "--output", "json", "FooBot" + evil},
		{"crawlers", "--crawlers", mine},
		{"crawlers", "--crawlers", mine, "E\x1bBot"},
		{"crawlers", "--crawlers", mine, "E\x1bBot Googlebot"},
		{"crawlers", "--crawlers", mine, "Googlebot E\x1bBot"},
		{"crawlers", "--crawlers", mine, "--output", "json"},
		{"crawlers", "--crawlers", mine, "--output", "json", "E\x1bBot"},
		{"crawlers", "--crawlers", "missing" + evil},
	} {
		r := command(t, "", args...)
		for _, text := range []string{r.out, r.err} {
			if !utf8.ValidString(text) {
				t.Errorf("%q: not UTF-8: %q", args, text)
			}
			for _, c := range text {
				if c != '\n' && (c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x202e) {
					t.Errorf("%q: %U in %q", args, c, text)
					break
				}
			}
		}
	}
}

// A name that is longer than is read says so, and no group is said to bind it.
func TestCrawlersOfANameTooLong(t *testing.T) {
	r := runCommand(t, []string{"crawlers", strings.Repeat("x", 5000) + "-bot/1"})
	if r.code != exitDone || !strings.Contains(r.out, "crawler    (a name longer than 4096 bytes)") || !strings.Contains(r.out, "longer than is read") || strings.Contains(r.out, "bound by") {
		t.Errorf("%+v", r)
	}
}
