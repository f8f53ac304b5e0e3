package crawler

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestHeader reads headers by the rules of audit-rules 7. want is the claim as
// it is printed.
func TestHeader(t *testing.T) {
	const contact = " (+http://foo.example/)"
	long := strings.Repeat("x", 100) + "bot"
	set := builtinSet(t)
	spec := newNaive(set.Profiles())
	for _, c := range []struct{ name, header, want string }{
		// Known crawlers.
		{"Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot (Google)"},
		{"in a browser's clothes", "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot (Google)"},
		{"in lower case", "googlebot/2.1", "Googlebot (Google)"},
		{"in capitals", "GOOGLEBOT", "Googlebot (Google)"},
		{"the most specific", "Googlebot-Image/1.0", "Googlebot-Image (Google)"},
		{"the most specific, named later", "Googlebot/2.1 Googlebot-Image/1.0", "Googlebot-Image (Google)"},
		{"the most specific, named first", "Googlebot-Image/1.0 Googlebot/2.1", "Googlebot-Image (Google)"},
		{"a name with blanks", "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)",
			"Slurp (Yahoo)"},
		{"no URL is needed", "Mozilla/5.0 (compatible; bingbot/2.0)", "bingbot (Microsoft)"},
		{"between brackets", "Mozilla/5.0 [GPTBot]", "GPTBot (OpenAI)"},
		{"behind a plus", "Mozilla/5.0 (+GPTBot)", "GPTBot (OpenAI)"},

		// Words are whole.
		{"inside another word", "MyGooglebotX/1.0", "MyGooglebotX (unknown)"},
		{"before a hyphen", "Googlebot-Foo/1.0", "Googlebot-Foo (unknown)"},
		{"behind a hyphen", "not-Googlebot/1.0", "not-Googlebot (unknown)"},
		{"before an underscore", "Googlebot_2/1.0", "Googlebot_2 (unknown)"},
		{"before a letter of another script", "Googlebotä/1.0", "Googlebotä (unknown)"},
		{"before a digit", "GPTBot2", "GPTBot2 (unknown)"},

		// Two operators.
		{"two operators", "Mozilla/5.0 (compatible; bingbot/2.0) Googlebot/2.1", "bingbot (ambiguous)"},
		{"two operators the other way round", "Mozilla/5.0 (compatible; Googlebot/2.1) bingbot/2.0", "Googlebot (ambiguous)"},
		{"two operators, the first by two words", "Googlebot bingbot Googlebot-Image", "Googlebot-Image (ambiguous)"},
		{"two operators, the second by two words", "bingbot Googlebot Googlebot-Image", "bingbot (ambiguous)"},
		{"two crawlers of one operator", "GPTBot/1.0 OAI-SearchBot/1.0", "OAI-SearchBot (OpenAI)"},
		{"one crawler twice", "bingbot/2.0 bingbot/2.0", "bingbot (Microsoft)"},
		{"a known one and an unknown one", "FooBot GPTBot/1.0", "GPTBot (ambiguous)"},

		// What a client is like it is not.
		{"like another", "TelegramBot (like TwitterBot)", "TelegramBot (Telegram)"},
		{"like another, and no other name", "Mozilla/5.0 (compatible; like Googlebot)", "Googlebot (ambiguous)"},
		{"like Gecko, and a crawler", "Mozilla/5.0 (KHTML, like Gecko; compatible; bingbot/2.0)", "bingbot (Microsoft)"},
		{"an unknown one like a known one", "FooBot/1.0 (like Googlebot)", "Googlebot (ambiguous)"},
		{"like two others", "Mozilla/5.0 (like Googlebot, like bingbot)", "Googlebot (ambiguous)"},
		{"behind a slash, like another", "Mozilla/5.0 (/like Googlebot)", "Googlebot (ambiguous)"},
		{"like another, in a URL", "Mozilla/5.0 (like http://foo.example/Googlebot)", "no crawler"},
		{"like an unknown one", "Mozilla/5.0 (like FooBot; +http://foo.example/)", "no crawler"},
		{"LIKE", "TelegramBot (LIKE TwitterBot)", "TelegramBot (Telegram)"},
		{"-like", "inoreader.com-like FeedFetcher-Google", "Inoreader (Inoreader)"},
		{"like and another byte", "TelegramBot like\x00Twitterbot", "TelegramBot (ambiguous)"},
		{"unlike", "Mozilla/5.0 (unlike Googlebot)", "Googlebot (ambiguous)"},
		{"likes", "Mozilla/5.0 (likes Googlebot)", "Googlebot (ambiguous)"},
		{"like at the beginning", "like Googlebot", "Googlebot (ambiguous)"},

		// URLs and e-mail addresses are not names.
		{"a word in a URL", "FooBar/1.0 (+http://foo.example/googlebot.html)", "no crawler"},
		{"a word in a URL's host", "FooBar/1.0 (+https://googlebot.example/)", "no crawler"},
		{"a word in a URL without a scheme", "FooBar/1.0 (www.foo.example/googlebot)", "no crawler"},
		{"a word in a URL with a URL in it", "FooBar/1.0 (www.foo.example/googlebot?u=http://foo.example/)", "no crawler"},
		{"a word in a URL's query", "FooBar/1.0 (http://foo.example/?a=googlebot&b=GPTBot)", "no crawler"},
		{"a word before an at sign", "FooBar/1.0 (googlebot@foo.example)", "no crawler"},
		{"a word before a plus and an at sign", "FooBar/1.0 (googlebot+me@foo.example)", "no crawler"},
		{"a word behind an at sign", "FooBar/1.0 (me@googlebot.example)", "no crawler"},
		{"a word in a name behind an at sign", "FooBar/1.0 (me@a.googlebot)", "no crawler"},
		{"a word behind a URL", "Mozilla/5.0 (+http://foo.example/; Googlebot/2.1)", "Googlebot (Google)"},
		{"a word in a URL and one outside", "Googlebot/2.1 (+http://www.bing.com/bingbot.htm)", "Googlebot (Google)"},
		{"a word behind www and another byte", "Googlebot www\x0ebingbot", "Googlebot (ambiguous)"},
		{"an at sign alone", "Googlebot @ home", "Googlebot (Google)"},
		{"an at sign behind the word", "Googlebot@ home", "Googlebot (Google)"},

		// Unknown crawlers: the header begins with the word, or carries a contact.
		{"it begins with the word", "FooBot/1.0", "FooBot (unknown)"},
		{"it is the word", "foobot", "foobot (unknown)"},
		{"it carries a URL", "Mozilla/5.0 (compatible; FooBot/1.0; +http://foo.example/)", "FooBot (unknown)"},
		{"it carries a URL before the word", "http://foo.example/ FooBot", "FooBot (unknown)"},
		{"it carries a URL without a scheme", "Mozilla/5.0 (compatible; FooBot/1.0; www.foo.example)", "FooBot (unknown)"},
		{"it carries an e-mail address", "Mozilla/5.0 (compatible; FooBot/1.0; info@foo.example)", "FooBot (unknown)"},
		{"it carries an e-mail address behind an at sign", "Mozilla/5.0 (compatible; FooBot/1.0; @ops, info@foo.example)",
			"FooBot (unknown)"},
		{"it carries neither", "Mozilla/5.0 (X11; FooBot/1.0)", "no crawler"},
		{"it carries half an address", "Mozilla/5.0 (X11; FooBot/1.0; @foo)", "no crawler"},
		{"it is behind compatible", "Mozilla/5.0 (compatible; FooBot/1.0)", "FooBot (unknown)"},
		{"it is behind compatible, in any case", "Mozilla/5.0 (Compatible; FooBot/1.0)", "FooBot (unknown)"},
		{"it is behind compatible and another word", "Mozilla/5.0 (compatible; MSIE 6.0; FooBot)", "no crawler"},
		{"it is behind compatible without a bracket", "Mozilla/5.0 (X11; compatible; FooBot)", "no crawler"},
		{"it is behind compatible without a blank", "Mozilla/5.0 (compatible;FooBot)", "no crawler"},
		{"it is behind a word and compatible", "CUBOT Mozilla/5.0 (compatible; FooBot/1.0)", "CUBOT (unknown)"},
		{"it is behind a phone and compatible", "Mozilla/5.0 (Linux; Android 9; CUBOT_X19) (compatible; FooBot/1.0)",
			"FooBot (unknown)"},
		{"the word is not quite at the beginning", " FooBot/1.0", "no crawler"},
		{"a phone", "Mozilla/5.0 (Linux; Android 9; CUBOT_X18 Plus) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0 Mobile Safari/537.36", "no crawler"},
		{"a phone of another version", "Mozilla/5.0 (Linux; Android 6.0; CUBOT DINOSAUR Build/MRA58K) AppleWebKit/537.36",
			"no crawler"},
		{"a phone whose owner has a URL", "Mozilla/5.0 (Linux; Android 9; CUBOT_X19) https://x.example", "no crawler"},
		{"a phone whose owner has an e-mail address",
			"Dalvik/2.1.0 (Linux; U; Android 7.0; de-de; CUBOT_NOTE_S Build/NRD90M) me@x.example", "no crawler"},
		{"a phone without blanks", "Mozilla/5.0(Linux;Android8.1.0;CUBOT_POWER)AppleWebKit/537.36 https://x.example",
			"no crawler"},
		{"a crawler on a phone", "Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 (compatible; FooBot/1.0; +http://foo.example/)", "FooBot (unknown)"},
		{"a crawler in the place of a phone", "Mozilla/5.0 (Linux; Android 9; FooBot/1.0; +http://foo.example/)",
			"FooBot (unknown)"},
		{"a crawler before a phone's version", "Mozilla/5.0 (Linux FooBot; Android 9; Pixel) https://x.example",
			"FooBot (unknown)"},
		{"a crawler on a computer", "Mozilla/5.0 (X11; Linux x86_64; FooBot) https://x.example", "FooBot (unknown)"},
		{"a crawler behind a comment that does not end", "Mozilla/5.0 (Linux; Android 9; FooBot https://x.example",
			"FooBot (unknown)"},
		{"spider", "OurSpider/1.0", "OurSpider (unknown)"},
		{"crawl", "Foo-Crawler", "Foo-Crawler (unknown)"},
		{"scrap", "scrapyard/2", "scrapyard (unknown)"},
		{"fetch", "FeedFetcher", "FeedFetcher (unknown)"},
		{"in any case", "fOObOT", "fOObOT (unknown)"},
		{"the first word counts", "FooBot/1.0 BarSpider/1.0" + contact, "FooBot (unknown)"},
		{"the first word that is more than a bare word", "bot spider/1 FooBot" + contact, "FooBot (unknown)"},

		// Bare words: the header names nobody, if it begins with one or carries a contact.
		{"a bare bot", "bot/1.0" + contact, "(without a name) bot"},
		{"a bare spider", "Spider" + contact, "(without a name) Spider"},
		{"a bare crawl, scrap and fetch", "crawl scrap fetch" + contact, "(without a name) crawl"},
		{"a header that begins with a bare word", "BOT/0.1 (BOT for JCE)", "(without a name) BOT"},
		{"a bare word behind compatible", "Mozilla/5.0 (compatible; crawler)", "(without a name) crawler"},
		{"a bare word elsewhere", "Mozilla/5.0 (X11; crawler)", "no crawler"},
		{"a bare word at the beginning, a name elsewhere", "bot/1.0 FooBot", "(without a name) bot"},
		{"a bare word where a phone is named", "Mozilla/5.0 (Linux; Android 9; bot) https://x.example", "no crawler"},
		{"a bare word in a URL", "FooBar/1.0 (+http://foo.example/bot.html)", "no crawler"},
		{"a name of words, the last of them bare", "Mozilla/5.0 (compatible; Gluten Free Crawler/1.0; +http://foo.example/)",
			"(without a name) Crawler"},
		{"a bare word and a known crawler", "bot Mozilla/5.0 (compatible; Googlebot/2.1)", "Googlebot (ambiguous)"},
		{"a known crawler of a bare word", "360Spider", "360Spider (Qihoo 360)"},
		{"a long bare word", strings.Repeat("bot", 1365), "(without a name) " + strings.Repeat("bot", 1365)},
		{"a bare word longer than is read", strings.Repeat("bot", 1366), "(without a name) "},
		{"a name of 64 bytes", strings.Repeat("x", 61) + "bot", strings.Repeat("x", 61) + "bot (unknown)"},
		{"a name of 65 bytes", strings.Repeat("x", 62) + "bot", strings.Repeat("x", 62) +
			"bo (longer than 64 bytes) (unknown)"},
		{"a name of 4,096 bytes", strings.Repeat("x", 4093) + "bot", strings.Repeat("x", 64) +
			" (longer than 64 bytes) (unknown)"},
		{"a name longer than is read", strings.Repeat("x", 4094) + "bot", "(a name longer than 4096 bytes) (unknown)"},
		{"a name with dots longer than is read", "FooBot." + strings.Repeat("x", 4094),
			"(a name longer than 4096 bytes) (unknown)"},

		// Products in front.
		{"a product in front", "WireReaderBot/1.0 (compatible; Googlebot/2.1)", "Googlebot (ambiguous)"},
		{"a product of dots in front", "wire.reader/1.0 (compatible; Googlebot/2.1)", "Googlebot (ambiguous)"},
		{"a product of a phone in front",
			"DoCoMo/2.0 N905i(c100;TB;W24H16) (compatible; Googlebot-Mobile/2.1; +http://www.google.com/bot.html)",
			"Googlebot-Mobile (ambiguous)"},
		{"a product of a library in front", "curl/7.58.0 (compatible; Googlebot/2.1)", "Googlebot (ambiguous)"},
		{"a product of letters of another script in front", "é/1 Googlebot", "Googlebot (ambiguous)"},
		{"Mozilla with a letter more in front", "1Mozilla/5.0 (compatible; Googlebot/2.1)", "Googlebot (ambiguous)"},
		{"Mozilla in front, in any case", "mozilla/5.0 (compatible; Googlebot/2.1)", "Googlebot (Google)"},
		{"Opera in front", "Opera/9.80 (compatible; Googlebot/2.1)", "Googlebot (Google)"},
		{"its own word in front", "Googlebot/2.1 (+http://www.google.com/bot.html)", "Googlebot (Google)"},
		{"another of its own words in front", "Facebot/1.0 facebookexternalhit/1.1", "facebookexternalhit (Meta)"},
		{"another crawler of its operator in front", "Googlebot/2.1 Googlebot-Image/1.0", "Googlebot-Image (Google)"},
		{"its own word of dots in front", "archive.org_bot/1.0 (+http://www.archive.org/)",
			"archive.org_bot (Internet Archive)"},
		{"a word in front that is no product", "Wire Reader/1.0 Googlebot", "Googlebot (ambiguous)"},
		{"a slash in front", "/1.0 Googlebot", "Googlebot (Google)"},
		{"a URL in front", "www.foo.example/ Googlebot", "Googlebot (Google)"},
		{"a word in front of a product", "like Foo/1 Googlebot", "Googlebot (ambiguous)"},
		{"a bracket in front", "(compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Googlebot (Google)"},
		{"a product in front of two operators", "Foo/1 bingbot Googlebot", "bingbot (ambiguous)"},

		// Foreign words elsewhere.
		{"a word that would name an unknown crawler",
			"Mozilla/5.0 (compatible; Googlebot/2.1; Startmebot; +https://start.me/bot)", "Googlebot (ambiguous)"},
		{"the same without a contact", "Mozilla/5.0 (compatible; Googlebot/2.1; Startmebot)", "Googlebot (Google)"},
		{"the same behind compatible", "Mozilla/5.0 (compatible; Startmebot) Googlebot/2.1", "Googlebot (ambiguous)"},
		{"the same in the URL only", "Mozilla/5.0 (compatible; Googlebot/2.1; +https://start.me/startmebot)",
			"Googlebot (Google)"},
		{"a bare word", "Mozilla/5.0 (compatible; Googlebot/2.1; robot; +http://foo.example/)", "Googlebot (Google)"},
		{"startmebot is not Google's", "(compatible; Googlebot/2.1; startmebot/1.0)", "Googlebot (ambiguous)"},
		{"startmebot is not Google's, with its URL",
			"Mozilla/5.0 (compatible; Googlebot/2.1; startmebot/1.0; +https://start.me/bot)", "Googlebot (ambiguous)"},
		{"line-poker is not Meta's", "facebookexternalhit/1.1;line-poker/1.0", "facebookexternalhit (ambiguous)"},
		{"a product of dots", "Googlebot/2.1 line.me/1.0", "Googlebot (ambiguous)"},
		{"a version with a v", "Googlebot/2.1 Foo/v2", "Googlebot (ambiguous)"},
		{"a slash without a number", "Googlebot/2.1 (text/html)", "Googlebot (Google)"},
		{"a slash, and a v that is no version", "Googlebot/2.1 Foo/vx", "Googlebot (Google)"},
		{"a slash at the end", "Googlebot/2.1 Foo/", "Googlebot (Google)"},
		{"a product that it is like", "Googlebot/2.1 (like Foo/1.0)", "Googlebot (ambiguous)"},
		{"a product in a URL", "Googlebot/2.1 (http://foo.example/Foo/1.0)", "Googlebot (Google)"},
		{"products of browsers, systems and libraries",
			"Googlebot/2.1 Mozilla/5.0 (X11; Ubuntu/22) Gecko/20100101 Firefox/120.0 curl/7 UP.Browser/6.2",
			"Googlebot (Google)"},
		{"a product that the operator adds", "LinkedInBot/1.0, libot/Nutch-1.9 (http://www.linkedin.com)",
			"LinkedInBot (LinkedIn)"},
		{"words of dots, one of them added", "Mozilla/5.0 (compatible; Yahoo! Slurp) smp.prod.hlfs-rest_client/1602056200-0",
			"Slurp (Yahoo)"},
		{"the same of another operator", "Mozilla/5.0 (compatible; Googlebot/2.1) hlfs-rest_client/1602056200-0",
			"Googlebot (ambiguous)"},
		{"a word in front that the operator adds", "KDDI-CA31 UP.Browser/6.2 (compatible; ichiro/mobile goo)",
			"ichiro (NTT Resonant)"},
		{"a control token", "Googlebot/2.1 Google-Extended/1.0", "Googlebot (Google)"},
		{"another crawler's name behind like", "TelegramBot (like TwitterBot/1.0; +http://foo.example/)",
			"TelegramBot (Telegram)"},
		{"the name of a phone", "Mozilla/5.0 (Linux; Android 9; CUBOT_X19) Googlebot (+http://www.google.com/bot.html)",
			"Googlebot (Google)"},

		// Plain words right before the name.
		{"not bingbot", "Mozilla/5.0 (compatible; not bingbot)", "bingbot (ambiguous)"},
		{"NOT Googlebot", "Mozilla/5.0 (compatible; NOT Googlebot/2.1; +http://www.google.com/bot.html)",
			"Googlebot (ambiguous)"},
		{"with blanks between", "Mozilla/5.0 (compatible; not   bingbot)", "bingbot (ambiguous)"},
		{"with another byte between", "Mozilla/5.0 (compatible; not: bingbot)", "bingbot (Microsoft)"},
		{"a browser's word", "Mozilla/5.0 (Windows Phone 8.1) like Gecko BingPreview/1.0b", "BingPreview (Microsoft)"},
		{"a version", "Mozilla/5.0 Safari/537.36 bingbot/2.0", "bingbot (Microsoft)"},
		{"a number", "Mozilla/5.0 (MSIE 9.0 bingbot/2.0)", "bingbot (Microsoft)"},
		{"a hyphen", "Mozilla/5.0 - bingbot/2.0", "bingbot (Microsoft)"},
		{"a URL", "Mozilla/5.0 (http://foo.example/not bingbot)", "bingbot (Microsoft)"},
		{"the operator's word", "Yahoo Slurp", "Slurp (Yahoo)"},
		{"the same of two operators", "bingbot, not Googlebot", "bingbot (ambiguous)"},
		{"a product in front of an unknown one", "Foo/1 FooBot" + contact, "FooBot (unknown)"},
		{"a stem in the URL only", "FooBar/1.0 (+http://foo.example/foobot.html)", "no crawler"},
		{"a stem in the address only", "FooBar/1.0 (foobot@foo.example)", "no crawler"},
		{"no stem", "FooBar/1.0" + contact, "no crawler"},
		{"a long word is cut", long + "/1.0", long[:64] + " (longer than 64 bytes) (unknown)"},
		{"a word of 64 bytes is not", long[36+3:] + "/1.0", long[36+3:] + " (unknown)"},
		{"hyphens belong to it", "Foo-Bot-2/1.0", "Foo-Bot-2 (unknown)"},

		// Nobody.
		{"empty", "", "no crawler"},
		{"none sent", "-", "no crawler"},
		{"curl", "curl/7.58.0", "a library"},
		{"python-requests", "python-requests/2.31.0", "a library"},
		{"Go", "Go-http-client/1.1", "a library"},
		{"a library in any case", "CURL/7", "a library"},
		{"a library alone", "node", "a library"},
		{"a library with a dot", "http.rb/4.4.1", "a library"},
		{"a library and another library", "Python/3.7 aiohttp/3.6.2", "a library"},
		{"a library with a contact", "Apache-HttpClient/4.5 (http://foo.example/)", "a library"},
		{"a library with the name of a crawler", "python-requests/2.31.0 FooBot" + contact, "FooBot (unknown)"},
		{"a library with a bare word", "python-requests/2.31.0 bot" + contact, "(without a name) bot"},
		{"a library with a word more", "curl-foo/7", "no crawler"},
		{"a library with a dot more", "curl.foo/7", "no crawler"},
		{"a library that is not first", "Mozilla/5.0 curl/7.58.0", "no crawler"},
		{"a library without a slash", "Java client", "no crawler"},
		{"a long product", strings.Repeat("x", 100) + "/1", "no crawler"},
		{"Chrome", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36", "no crawler"},
		{"Firefox", "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", "no crawler"},
		{"Safari", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1", "no crawler"},
		{"Internet Explorer", "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.0; Trident/4.0)", "no crawler"},
		{"a control token", "Mozilla/5.0 (compatible; Google-Extended; +http://www.google.com/)", "no crawler"},
		{"a control token that looks like a crawler",
			"Mozilla/5.0 (compatible; Applebot-Extended/0.1; +http://www.apple.com/go/applebot)", "no crawler"},
		{"bytes of no text", "\x00\xff\xfe://\x80@", "no crawler"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checkHeader(t, set, set.Reader(), spec, []byte(c.header)); got.String() != c.want {
				t.Errorf("%q is %v, want %s", c.header, got, c.want)
			}
		})
	}
}

// TestReadClaims asks which crawlers a header may be of, by which tokens robots.txt may call the
// first, and by which word it calls itself if it is unknown. Nothing of a header is left for the
// next.
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

// TestBareWords asks which words say that a client is a crawler, but not which.
func TestBareWords(t *testing.T) {
	const bare = "bot bots Robot ROBOTS spider spiders crawl crawler crawlers crawling scrap scraper scrapers scraping fetch fetcher fetchers fetching " +
		"botsite spidersite robotspider crawlersite botspider my-web_bot 2bot bot2 007 crawl004 my.bot . - _ " +
		"TestCrawler webspider sitebot page-fetcher linkbot url_fetcher httpbot javabot python-bot PHPCrawl node-fetch gobot " +
		"web site page link url http my test java python php node go"
	const names = "Googlebot roboto botz crawled scrapy crawlerr spidering fetches FooBot Bot-Foo robots.txt crawler4j xbot botx bo b é boté\xff gopherbot mybotter"
	for _, word := range strings.Fields(bare) {
		if word = strings.ToLower(word); !isBare([]byte(word)) || !bareOf.MatchString(word) {
			t.Errorf("%s is no bare word", word)
		}
	}
	for _, word := range strings.Fields(names) {
		if word = strings.ToLower(word); isBare([]byte(word)) || bareOf.MatchString(word) {
			t.Errorf("%s is a bare word", word)
		}
	}
	word := []byte("my-robots-crawlersite004")
	if n := testing.AllocsPerRun(10, func() { isBare(word) }); n != 0 {
		t.Errorf("a bare word costs %v allocations", n)
	}
}

// TestLibraries holds the table against its law.
func TestLibraries(t *testing.T) {
	set := builtinSet(t)
	for name := range libraries {
		if name != strings.ToLower(name) || string(frontOf([]byte(name))) != name {
			t.Errorf("%q can never be found", name)
		}
		if p := set.requester(name); p != nil {
			t.Errorf("%q is the crawler %s too, which is found first", name, p.Name)
		}
	}
}

// TestNamed reads what users call an agent.
func TestNamed(t *testing.T) {
	set := builtinSet(t)
	for _, c := range []struct {
		text, want string
		is         error
	}{
		{"GPTBot", "GPTBot (OpenAI)", nil},
		{"gptbot", "GPTBot (OpenAI)", nil},
		{"GPTBot/1.2", "GPTBot (OpenAI)", nil},
		{"Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)", "GPTBot (OpenAI)", nil},
		{"Yahoo! Slurp", "Slurp (Yahoo)", nil},
		{"Google-Extended", "Google-Extended (Google)", nil},
		{"FooBot", "FooBot (unknown)", nil},
		{"FooBot/1.2", "FooBot (unknown)", nil},
		{"FooReader", "FooReader (unknown)", nil},
		{"bot", "bot (unknown)", nil},
		{"*", "* (unknown)", nil},
		{"Google-Extended/1.0", "no crawler", errNoCrawler},
		{"FooReader/1.2", "no crawler", errNoCrawler},
		{"curl/7.58.0", "no crawler", errNoCrawler},
		{"Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", "no crawler", errNoCrawler},
		{"bingbot/2.0 Googlebot/2.1", "no crawler", errAmbiguous},
		{"WireReaderBot/1.0 (compatible; Googlebot/2.1)", "no crawler", errAmbiguous},
		{"bot/1.0", "no crawler", errBareWords},
	} {
		got, err := set.Named(c.text)
		if got.String() != c.want || !errors.Is(err, c.is) {
			t.Errorf("%q is %v, %v; want %s, %v", c.text, got, err, c.want, c.is)
		}
	}
}

// TestControlTokenIsNobody reads headers that send the token by which robots.txt
// controls what another crawler's pages are used for. No log shows whether it is
// obeyed, so nobody is audited under it.
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
	" ", " ", " ", " ", "; ", ", ", "(", ")", "/1.0", "/", "+", "-", ".", "_", "@", ":", "like ", "Like ",
	"-like ", "unlike ",
	"Mozilla/5.0 (compatible; ", "(KHTML, like Gecko)", "Chrome/99.0", "é", "\xff", "\x00", "\t", "'", "\"", "|",
	"http://foo.example/", "+https://foo.example/bot.html", "://", "(www.foo.example/", " www.", "www.", "me@foo.example",
	"@foo.example",
	"(Linux; Android 9; ", "Linux", "Android 9; ", "Foo-Extended", "Applebot-Extended", "foo.bot-extended", "bot-extended",
	"FooBot", "bot", "Spider", "MySpider/2", "my", "go", "ing", "Curl/7", "php", "crawl", "Crawler", "CUBOT_X18", "fetch",
	"scrap", "prefetcher", "robot",
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

// TestReaderFollowsTheSpecification compares with the naive reader, on random
// headers, with one reader for all of them.
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

// TestHostileHeader reads headers of 256 kB made to be read slowly. If the
// time grew with the square of their length this test would not end.
func TestHostileHeader(t *testing.T) {
	const size = 1 << 18
	set := builtinSet(t)
	reader := set.Reader()
	for _, part := range []string{
		"Googlebot.", "Googlebot ", "Googlebot@", "xbot.", "xbot@", "xbot ", "bot ", "bot", "@", ".", "+", "://",
		"www.", "xwww.",
		"like xbot ", "(compatible; ", "(compatible; bot", "robots", "crawlers", "a.", "Applebot-Extended.",
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
	for _, header := range []string{
		"", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "bingbot/2.0 Googlebot/2.1",
		"WireReaderBot/1.0 (compatible; Googlebot/2.1)", "foo.bot/1 (compatible; FooBot", "my-bots004/1 me@foo.example",
		"(Linux; Android 9; CUBOT_X19) https://x.example", "curl/7.58.0", "like Googlebot", "Applebot-Extended www.",
	} {
		f.Add([]byte(header))
	}
	set := builtinSet(f)
	reader, spec := set.Reader(), newNaive(set.Profiles())
	f.Fuzz(func(t *testing.T, header []byte) {
		header = header[:min(len(header), 1<<10)] // the naive reader is slow
		checkHeader(t, set, reader, spec, header)
	})
}

// TestClaimKeepsNoView changes a header after it was read.
func TestClaimKeepsNoView(t *testing.T) {
	header := []byte("FooBot/1.0")
	got := builtinSet(t).Reader().Read(header)
	copy(header, "!!!!!!")
	if got.Name != "FooBot" {
		t.Errorf("the name has become %q", got.Name)
	}
}

// TestGuardAllocs fails when headers begin to cost memory. Only the name of an
// unknown crawler and the list of rivals are made anew.
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

// TestLoose: which claims have no token that a page of the operator names.
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

// TestOutside: what of a header is neither a URL nor an e-mail address.
func TestOutside(t *testing.T) {
	reader := builtinSet(t).Reader()
	for header, want := range map[string]string{
		"FooBot/1.0": "foobot/1.0",
		"FooBot/1.0 (+http://Bar.example/x; me@Bar.example) É": "foobot/1.0 (+ ;  ) É",
		"": "",
	} {
		if got := string(reader.Outside(nil, []byte(header))); got != want {
			t.Errorf("outside of %q is %q, want %q", header, got, want)
		}
	}
}
