package crawler

import "bytes"

// bareParts are the building blocks of bare words, besides digits, '-', '_' and '.'. A bare word shows that a client is
// a crawler, its purpose or its software, but not which crawler it is.
var bareParts = [...]string{
	"bot", "bots", "robot", "robots", "spider", "spiders",
	"crawl", "crawler", "crawlers", "crawling", "scrap", "scraper", "scrapers", "scraping",
	"fetch", "fetcher", "fetchers", "fetching",
	"web", "site", "page", "link", "url", "http", "my", "test", "java", "python", "php", "node", "go", "nutch",
}

// isBare reports whether a lower-case word consists only of bare parts. A word can be split in several ways
// that start alike ("botsite" does not split after "bots"), so all of them are followed at once: bit i of
// ends is set if one of them has a part that ends i bytes further on. The time is linear in the length of the
// word.
func isBare(word []byte) bool {
	ends := uint(1)
	for i, c := range word {
		if here := ends & 1; here != 0 {
			ends |= partsAt(word[i:], c)
		}
		ends >>= 1
		if ends == 0 {
			return false
		}
	}
	return ends&1 != 0
}

// partsAt returns the lengths of the bare parts that text starts with, as a bit set. c is the first byte of
// text.
func partsAt(text []byte, c byte) (lengths uint) {
	if '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.' {
		return 1 << 1
	}
	for _, part := range bareParts {
		if c == part[0] && bytes.HasPrefix(text, []byte(part)) {
			lengths |= 1 << len(part)
		}
	}
	return lengths
}
