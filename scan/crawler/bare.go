package crawler

import "bytes"

// bareParts are what bare words are made of, beside digits, '-', '_' and '.'. A bare word
// says that a client is a crawler, or what it is for or made with, but not which it is.
var bareParts = [...]string{
	"bot", "bots", "robot", "robots", "spider", "spiders",
	"crawl", "crawler", "crawlers", "crawling", "scrap", "scraper", "scrapers", "scraping",
	"fetch", "fetcher", "fetchers", "fetching",
	"web", "site", "page", "link", "url", "http", "my", "test", "java", "python", "php", "node", "go", "nutch",
}

// isBare reports whether a word in lower case is made only of bare parts. Several ways
// to divide it may begin alike ("botsite" is no "bots" and more), so all are followed at
// once: bit i of ends is set if one of them has a part that ends i bytes further on. The
// time is in proportion to the length of the word.
func isBare(word []byte) bool {
	ends := uint(1)
	for i, c := range word {
		if here := ends & 1; here != 0 {
			ends |= partsAt(word[i:], c)
		}
		if ends >>= 1; ends == 0 {
			return false
		}
	}
	return ends&1 != 0
}

// partsAt returns the lengths of the bare parts at the beginning of a text, which begins
// with c, as bits.
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
