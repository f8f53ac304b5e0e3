package crawler

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

// headerCase is a header and its claim, as it is printed.
type headerCase struct{ name, want, header string }

// headersOf returns the cases of testdata/headers.txt.
func headersOf(t testing.TB) (list []headerCase) {
	for _, row := range cases.Rows(t, "headers.txt") {
		list = append(list, headerCase{row[0], row[1], row[2]})
	}
	return list
}

// TestHeader reads headers by the rules of audit-rules 7.
func TestHeader(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	bots := func(n int) string { return strings.Repeat("bot", n) }
	set := builtinSet(t)
	spec := newNaive(set.Profiles())
	for _, c := range append(headersOf(t), []headerCase{
		{"a long bare word", "(without a name) " + bots(1365), bots(1365)},
		{"a bare word longer than is read", "(without a name) ", bots(1366)},
		{"a name of 64 bytes", x(61) + "bot (unknown)", x(61) + "bot"},
		{"a name of 65 bytes", x(62) + "bo (longer than 64 bytes) (unknown)", x(62) + "bot/1.0"},
		{"a name of 4,096 bytes", x(64) + " (longer than 64 bytes) (unknown)", x(4093) + "bot"},
		{"a name longer than is read", "(a name longer than 4096 bytes) (unknown)", x(4094) + "bot"},
		{"a name with dots longer than is read", "(a name longer than 4096 bytes) (unknown)", "FooBot." + x(4094)},
		{"a long product", "no crawler", x(100) + "/1"},
	}...) {
		t.Run(c.name, func(t *testing.T) {
			if got := checkHeader(t, set, set.Reader(), spec, []byte(c.header)); got.String() != c.want {
				t.Errorf("%q is %v, want %s", c.header, got, c.want)
			}
		})
	}
}

// TestReadClaims checks which crawlers a header may belong to, by which tokens robots.txt may name
// the first, and how an unknown crawler calls itself. Nothing of a header may affect the next.
func TestReadClaims(t *testing.T) {
	const contact = " (http://foo.example/)"
	long := "a." + strings.Repeat("x", 100) + "bot"
	reader := builtinSet(t).Reader()
	for _, c := range []struct{ header, rivals, tokens, word string }{
		{"Googlebot-Image/2.1", "", "Googlebot-Image Googlebot", ""},
		{"FooReader/1 (Googlebot/2.1)", "Googlebot", "Googlebot", ""},
		{"FooReader/1 Googlebot Googlebot-Image", "Googlebot-Image", "Googlebot-Image Googlebot", ""},
		{"GPTBot/1.0 OAI-SearchBot/1.0", "", "OAI-SearchBot", ""},
		{"FooBot/1.0", "", "FooBot", "FooBot"},
		{"Turbotax/3 CFNetwork/1485 Darwin/23.1.0", "", "", ""}, // an app that a person runs
		{"FooBot/3 CFNetwork/1485 Darwin/23.1.0" + contact, "", "FooBot", "FooBot"},
		{"", "", "", ""},
		{"curl/7", "", "", ""},
		{"bingbot Googlebot", "bingbot Googlebot", "bingbot msnbot", ""},
		{"Googlebot bingbot Googlebot-Image", "Googlebot-Image bingbot", "Googlebot-Image Googlebot", ""},
		{"bingbot Googlebot Googlebot-Image msnbot-media", "msnbot-media Googlebot-Image", "msnbot-media", ""},
		{"GPTBot ClaudeBot bingbot GPTBot", "GPTBot ClaudeBot bingbot", "GPTBot", ""},
		{"GPTBot (like Googlebot) bingbot", "GPTBot bingbot", "GPTBot", ""},
		// Dots end a word, but not a product token.
		{"Mozilla/5.0 (compatible; example.com_bot; http://foo.example/)", "", "example.com_bot com_bot", "example.com_bot"},
		{"FooBot.example.com/1.0", "", "FooBot.example.com FooBot", "FooBot.example.com"},
		{"www-a.foobot.b/1" + contact, "", "www-a.foobot.b foobot", "www-a.foobot.b"},
		{"foo.bot/1" + contact, "", "foo.bot bot", "foo.bot"},
		{"FooBot." + contact, "", "FooBot", "FooBot"},
		{"web-crawler bot/1" + contact, "", "web-crawler", "web-crawler"},
		{long + contact, "", long + " " + long[2:], long}, // though it is listed by its beginning
	} {
		for range 2 {
			claim := reader.Read([]byte(c.header))
			var rivals []string
			for _, p := range claim.Rivals {
				rivals = append(rivals, p.Name)
			}
			got := [...]string{strings.Join(rivals, " "), strings.Join(claim.Tokens(), " "), claim.Word()}
			if want := [...]string{c.rivals, c.tokens, c.word}; got != want || claim.Ambiguous != (c.rivals != "") {
				t.Errorf("%q: rivals, tokens and word %q, want %q", c.header, got, want)
			}
		}
	}
}

// TestBareWords checks which words say that a client is a crawler, but not which.
func TestBareWords(t *testing.T) {
	const bare = "bot bots Robot ROBOTS spider spiders crawl crawler crawlers crawling scrap scraper scrapers scraping fetch fetcher fetchers fetching " +
		"botsite spidersite robotspider crawlersite botspider my-web_bot 2bot bot2 007 crawl004 my.bot . - _ " +
		"TestCrawler webspider sitebot page-fetcher linkbot url_fetcher httpbot javabot python-bot PHPCrawl node-fetch gobot " +
		"web site page link url http my test java python php node go nutch nutch-1 MyNutch"
	const names = "Googlebot roboto botz crawled scrapy crawlerr spidering fetches FooBot Bot-Foo robots.txt crawler4j xbot botx bo b é boté\xff gopherbot mybotter"
	for words, want := range map[string]bool{bare: true, names: false} {
		for word := range strings.FieldsSeq(strings.ToLower(words)) {
			if got := isBare([]byte(word)); got != want || bareOf.MatchString(word) != want {
				t.Errorf("%s is a bare word: %v, want %v", word, got, want)
			}
		}
	}
}

// TestLibraries checks the requirements of the table of libraries.
func TestLibraries(t *testing.T) {
	set := builtinSet(t)
	for name := range libraries() {
		if name != strings.ToLower(name) || string(frontOf([]byte(name))) != name {
			t.Errorf("%q can never be found", name)
		}
		if p := set.requester(name); p != nil {
			t.Errorf("%q is the crawler %s too, which is found first", name, p.Name)
		}
	}
}

// TestNamed reads users' names of agents.
func TestNamed(t *testing.T) {
	set := builtinSet(t)
	named := map[string]error{"errNoCrawler": errNoCrawler, "errAmbiguous": errAmbiguous, "errBareWords": errBareWords}
	for _, row := range cases.Rows(t, "named.txt") {
		text, want, is := row[0], row[1], named[row[2]]
		if got, err := set.Named(text); got.String() != want || !errors.Is(err, is) {
			t.Errorf("%q is %v, %v; want %s, %v", text, got, err, want, is)
		}
	}
}

// TestControlTokenIsNobody reads headers that contain the token by which robots.txt controls the use of another
// crawler's pages. No log shows whether it is obeyed, so no client is audited under it.
func TestControlTokenIsNobody(t *testing.T) {
	own, err := Read([]byte(`[{"name":"Foo Control","operator":"F","tokens":["FooBot-Extended","foo.bot-extended"],"control":true,"obeys":"yes"}]`))
	if err != nil {
		t.Fatal(err)
	}
	builtin := builtinSet(t)
	all, err := Extend(builtin.Profiles(), own)
	if err != nil {
		t.Fatal(err)
	}
	set := newSet(t, all)
	const contact = "; +http://foo.example/)"
	for header, want := range map[string]string{
		"Applebot-Extended":                     "no crawler",
		"applebot-extended/0.1 (x" + contact:    "no crawler",
		"APPLEBOT-EXTENDED FooSpider":           "no crawler", // neither first nor with a contact
		"Applebot-Extended FooSpider" + contact: "FooSpider (unknown)",
		"(Applebot-Extended; Applebot":          "Applebot (Apple)",
		"Applebot-Extended.example.com":         "no crawler",
		"Applebot-Extended2":                    "Applebot-Extended2 (unknown)",
		"FooBot-Extended/1.0":                   "no crawler",
		"x foo.Bot-Extended" + contact:          "no crawler",
		"x .foo.bot-extended." + contact:        "no crawler",
		"x bar.foo.bot-extended" + contact:      "bot-extended (unknown)",
		"x bot-extended" + contact:              "bot-extended (unknown)",
		"(Linux; Android 9; FooBot-Extended) @": "no crawler",
	} {
		if got := set.Reader().Read([]byte(header)).String(); got != want {
			t.Errorf("%q is %s, want %s", header, got, want)
		}
		checkHeader(t, set, set.Reader(), newNaive(all), []byte(header))
	}
	for _, p := range builtin.Profiles() {
		for _, name := range append(p.Tokens, p.Name) {
			for _, header := range []string{name, strings.ToLower(name) + "/1.0",
				"Mozilla/5.0 (compatible; " + name + "/1.0" + contact} {
				if got := builtin.Reader().Read([]byte(header)); p.Control && got.Name != "" && builtin.requester(name) == nil {
					t.Errorf("%q is %v", header, got)
				}
			}
		}
	}
}

// headerParts are what random headers are made of, beside the words of profiles.
var headerParts = []string{
	" ", " ", " ", " ", "; ", ", ", "(", ")", "/1.0", "/", "+", "-", ".", "_", "@", ":", "like ", "Like ", "-like ",
	"unlike ", "Mozilla/5.0 (compatible; ", "(KHTML, like Gecko)", "Chrome/99.0", "é", "\xff", "\x00", "\t", "'", "\"",
	"|", "http://foo.example/", "+https://foo.example/bot.html", "://", "(www.foo.example/", " www.", "www.",
	"me@foo.example", "@foo.example", "(Linux; Android 9; ", "Linux", "Android 9; ", "Foo-Extended", "Applebot-Extended",
	"foo.bot-extended", "bot-extended", "FooBot", "bot", "Spider", "MySpider/2", "my", "go", "ing", "Curl/7", "php",
	"crawl", "Crawler", "CUBOT_X18", "fetch", "scrap", "prefetcher", "robot",
	" CFNetwork/1485 Darwin/23.1.0", "%20", "%20", "%2", "Boto3/1", "fetch libfetch/2.0", " Device/foo",
}

// randomHeader makes a header of words, URLs, addresses and what stands between.
func randomHeader(r *rand.Rand, words []string) []byte {
	var b []byte
	for range 1 + r.IntN(8) {
		part := headerParts[r.IntN(len(headerParts))]
		if r.IntN(3) == 0 {
			part = words[r.IntN(len(words))]
		}
		switch r.IntN(8) {
		case 0:
			part = strings.ToUpper(part)
		case 1:
			part = strings.ToLower(part)
		}
		b = append(b, part...)
	}
	return b
}

// TestReaderFollowsTheSpecification compares with a naive reader on random headers, using one reader for all of them.
func TestReaderFollowsTheSpecification(t *testing.T) {
	few, err := Read([]byte(`[
		{"name":"Foo","operator":"A","words":["Foo","Foo-Image","Foo Bar"],"tokens":["Foo"],"obeys":"yes"},
		{"name":"Bar","operator":"B","words":["Bar","Bar Foo","a.Bar"],"tokens":["Bar"],"obeys":"yes"},
		{"name":"Odd","operator":"C","words":["Odd!","!Odd","Foo Bar Foo","at@odd","b c d"],"tokens":["Odd"],"obeys":"yes"},
		{"name":"Fox","operator":"A","words":["Fox","b c","a b c d"],"tokens":["Fox"],"obeys":"yes"},
		{"name":"Image","operator":"A","words":["Image"],"tokens":["Image"],"obeys":"yes"},
		{"name":"Foo Extended","operator":"A","tokens":["Foo-Extended","foo.bot-extended"],"control":true,"obeys":"yes"}]`))
	if err != nil {
		t.Fatal(err)
	}
	many := builtinSet(t)
	const rounds = 12_000
	for name, set := range map[string]*Set{"few words that overlap": newSet(t, few), "all of the builtin": many} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			reader, spec, words := set.Reader(), newNaive(set.Profiles()), wordsOf(set.Profiles())
			seen := map[string]int{}
			for range rounds {
				header := randomHeader(r, words)
				switch got := checkHeader(t, set, reader, spec, header); {
				case got.Ambiguous:
					seen["ambiguous"]++
				case got.Profile != nil:
					seen["known"]++
				case got.Name != "":
					seen["unknown"]++
				default:
					seen["none"]++
				}
			}
			for _, kind := range []string{"ambiguous", "known", "unknown", "none"} {
				if seen[kind] < rounds/100 {
					t.Errorf("hardly a header was %s: %v", kind, seen)
				}
			}
		})
	}
}

// TestHostileHeader reads headers of 128 kB designed to be slow, with which quadratic work would time out.
func TestHostileHeader(t *testing.T) {
	const size = 1 << 17
	set := builtinSet(t)
	reader := set.Reader()
	for _, part := range []string{
		"Googlebot.", "Googlebot ", "Googlebot@", "xbot.", "xbot@", "xbot ", "bot ", "bot", "@", ".", "+", "://", "www.",
		"xwww.", "like xbot ", "(compatible; ", "(compatible; bot", "robots", "crawlers", "a.", "Applebot-Extended.",
		"Applebot-Extended ", "(Linux; Android;", "Netcraft Web ", "x", "http://xbot ", "a@b ", "Googlebot.bingbot.",
	} {
		for _, around := range [][2]string{{"", ""}, {"http://", ""}, {"(", "/ +http://foo.example/)"},
			{"(Linux; Android 9; ", ") http://foo.example/"}, {"", "@foo.example"}} {
			header := around[0] + strings.Repeat(part, size/len(part)) + around[1]
			if got := reader.Read([]byte(header)); len(got.Name) > maxName+len(cutName) {
				t.Errorf("%q and so on has a name of %d bytes", part, len(got.Name))
			}
			set.Explain([]byte(header))
		}
	}
}

// FuzzHeader compares with the naive reader.
func FuzzHeader(f *testing.F) {
	for _, c := range headersOf(f) {
		f.Add([]byte(c.header))
	}
	set := builtinSet(f)
	reader, spec := set.Reader(), newNaive(set.Profiles())
	f.Fuzz(func(t *testing.T, header []byte) {
		header = header[:min(len(header), 1<<10)] // the naive reader is slow
		checkHeader(t, set, reader, spec, header)
		reader.Outside(nil, header) // it must not panic
	})
}

// TestClaimKeepsNoView modifies a header after it was read.
func TestClaimKeepsNoView(t *testing.T) {
	header := []byte("FooBot/1.0")
	got := builtinSet(t).Reader().Read(header)
	copy(header, "!!!!!!")
	if got.Name != "FooBot" {
		t.Errorf("the name has become %q", got.Name)
	}
}

// TestGuardAllocs limits the allocations for headers. Only the name of an unknown crawler and the
// list of rivals are allocated.
func TestGuardAllocs(t *testing.T) {
	reader := builtinSet(t).Reader()
	for _, c := range []struct {
		name, header string
		want         float64
	}{
		{"known", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", 0},
		{"ambiguous", "bingbot Googlebot Googlebot-Image", 1},
		{"browser", "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/46.0.2490.71 Safari/537.36",
			0},
		{"contacts", "Foo (http://a.example/ http://b.example/ me@a.example me@b.example)", 0},
		{"unknown", "FooBot/1.0 (+http://foo.example/)", 1},
		{"behind a product", "FooReader/1.0 (compatible; Googlebot/2.1)", 0},
		{"without a name", "my-web-crawler/1.0 (+http://foo.example/)", 1},
		{"library", "Python-Requests/2.31.0", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := []byte(c.header)
			reader.Read(header)
			if n := testing.AllocsPerRun(100, func() { reader.Read(header) }); n > c.want {
				t.Errorf("%v allocations a header, want %v", n, c.want)
			}
		})
	}
}

// TestLoose checks which claims have no token named on an operator's page.
func TestLoose(t *testing.T) {
	set := builtinSet(t)
	for _, c := range []struct {
		name, header string
		loose        bool
		rivals       string // those as which it would be loose
	}{
		{"a token of a page", "Googlebot/2.1", false, ""},
		{"a token of a page, in another case", "PETALBOT", false, ""},
		{"a word that is none of the tokens", "Mozilla/5.0 (compatible; AspiegelBot)", true, ""},
		{"both", "PetalBot AspiegelBot", true, ""}, // the longer word counts
		{"a profile without a page", "YisouSpider/5.0", true, ""},
		{"an unknown crawler", "FooBot/1.0", true, ""},
		{"no name", "bot/1.0", true, ""},
		{"no crawler", "curl/7", false, ""},
		{"two, the first of them", "AspiegelBot bingbot", true, "PetalBot"},
		{"two, the second of them", "bingbot AspiegelBot", false, "PetalBot"},
		{"a foreign word", "Foo/1 AspiegelBot", true, "PetalBot"},
	} {
		claim := set.Reader().Read([]byte(c.header))
		var rivals []string
		for _, p := range claim.Rivals {
			if claim.LooseAs(p) {
				rivals = append(rivals, p.Name)
			}
		}
		if got := strings.Join(rivals, " "); claim.Loose != c.loose || got != c.rivals {
			t.Errorf("%s: %q is loose: %v, as %q; want %v, %q", c.name, c.header, claim.Loose, got, c.loose, c.rivals)
		}
	}
}

// TestOutside checks which part of a header is outside URLs and e-mail addresses.
func TestOutside(t *testing.T) {
	reader := builtinSet(t).Reader()
	for header, want := range map[string]string{
		"FooBot/1.0": "foobot/1.0",
		"FooBot/1.0 (+http://Bar.example/x; me@Bar.example) É": "foobot/1.0 (+ ;  ) É",
		"":                                   "",
		"FooBot/@-@http-@https://x.example)": "foobot/  )",
	} {
		if got := string(reader.Outside(nil, []byte(header))); got != want {
			t.Errorf("outside of %q is %q, want %q", header, got, want)
		}
	}
}
