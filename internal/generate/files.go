package main

import (
	"fmt"
	"strings"
	"time"
)

// The site's robots.txt changed once in the four days, and for forty minutes of
// the first evening it could not be fetched: a fault of the server, which answered all
// requests with 500.
var (
	downFrom = november("16 21:10:00")
	downTo   = november("16 21:50:00")
	changed  = november("17 10:00:00")
)

// down tells whether the site was down.
func down(at time.Time) bool { return !at.Before(downFrom) && at.Before(downTo) }

// robotsAt is the robots.txt in force.
func robotsAt(at time.Time) string {
	if at.Before(changed) {
		return robotsBefore
	}
	return robotsTxt
}

// manifest is policy.csv.
const manifest = `from,origin,status,file
2026-09-07T08:00:00Z,https://lantern.example,200,robots-2026-09-07.txt
2026-11-16T21:10:00Z,https://lantern.example,500,
2026-11-16T21:50:00Z,https://lantern.example,200,robots-2026-09-07.txt
2026-11-17T10:00:00Z,https://lantern.example,200,robots-2026-11-17.txt
`

// The parts of robots.txt that never changed. The last rule for everybody is what
// the dialects disagree about: for rfc9309 "%7E" is "~", for google it is three
// bytes.
const (
	forAll = `# The Lantern, a small magazine. Mail about this file: web@lantern.example

User-agent: *
Disallow: /members/
Allow: /members/join
Disallow: /search?q=
Disallow: /*?sort=      # the same pages in another order
Disallow: /*.pdf$
Disallow: /drafts/%7Eanna/

`
	forGrabbit = `# Agreed with its makers in September: slowly, and not the archive.
User-agent: GrabbitBot
Crawl-delay: 10
Disallow: /archive/
Allow: /archive/covers/
Disallow: /*.pdf$

Sitemap: https://lantern.example/sitemap.xml
`
)

// robotsBefore is in force until changed, and robotsTxt from then on.
const (
	robotsBefore = forAll + forGrabbit
	robotsTxt    = forAll + `# The archive is for readers, not for training sets. Its covers may be shown.
User-agent: GPTBot
User-agent: CCBot
User-agent: ClaudeBot
User-agent: DormouseBot
Disallow: /archive/
Allow: /archive/covers/
Disallow: /members/
Disallow: /*.pdf$

` + forGrabbit
)

// crawlers is crawlers.json, the profiles of the invented crawlers.
const crawlers = `[
{"name":"DormouseBot","operator":"Dormouse","category":"ai-search","words":["DormouseBot"],"tokens":["DormouseBot"],
 "obeys":"yes","source":"https://dormouse.example/bot","date":"2026-11-20","verify":"ranges"},
{"name":"GrabbitBot","operator":"Grabbit","category":"ai-training","words":["GrabbitBot"],"tokens":["GrabbitBot"],
 "obeys":"yes","source":"https://grabbit.example/bot","date":"2026-11-20","verify":"ranges"},
{"name":"GullCrawler","operator":"Gull","category":"search","words":["GullCrawler"],"tokens":["GullCrawler"],"dialect":"google",
 "obeys":"yes","source":"https://gull.example/crawler","date":"2026-11-20","verify":"ranges"},
{"name":"MossCrawler","operator":"Moss","category":"monitoring","words":["MossCrawler"],"tokens":["MossCrawler"],
 "obeys":"yes","source":"https://moss.example/","date":"2026-11-20"}
]
`

// ranges are the files of addresses, all invented. Those of Googlebot and GPTBot are young
// enough to prove that a client is an impostor. The list of bingbot is too old for that, and
// those without a date prove it of nobody.
var ranges = map[string]string{
	"ranges/Googlebot.json":  prefixes("2026-11-20T14:46:09.000000", `{"ipv4Prefix": "192.0.2.128/28"}`, `{"ipv6Prefix": "2001:db8:600::/64"}`),
	"ranges/bingbot.json":    prefixes("2026-09-28T10:00:00.121331", `{"ipv4Prefix": "192.0.2.160/28"}`),
	"ranges/GPTBot.json":     prefixes("2026-11-21T17:00:00.000000", `{"ipv4Prefix": "192.0.2.190/31"}`, `{"ipv4Prefix": "192.0.2.192/31"}`, `{"ipv6Prefix": "2001:db8:790::/64"}`),
	"ranges/DormouseBot.txt": "198.51.100.32/30\n",
	"ranges/GrabbitBot.txt":  "# https://grabbit.example/addresses\n203.0.113.76/30\n",
}

// prefixes is a list in the form of Google's.
func prefixes(created string, list ...string) string {
	return fmt.Sprintf("{\n  \"creationTime\": %q,\n  \"prefixes\": [\n    %s\n  ]\n}\n", created, strings.Join(list, ",\n    "))
}

// identityOf returns the identity of a crawler's own clients in each audit: by robots.txt
// alone, and with the files above.
func identityOf(crawler string) (alone, full string) {
	switch crawler {
	case "AdsBot-Google", "AhrefsBot", "Applebot", "CCBot", "ChatGPT-User", "ClaudeBot", "Perplexity-User", "YandexBot":
		return unverified, unverified
	case "bingbot", "Googlebot", "Googlebot-Image", "GPTBot":
		return unverified, verified
	case "DormouseBot", "GrabbitBot":
		return unverifiable, verified
	case "GullCrawler":
		return unverifiable, unverified
	}
	return unverifiable, unverifiable // it publishes nothing, and has no list
}
