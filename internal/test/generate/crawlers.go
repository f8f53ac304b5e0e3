package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A crawler requests one page at a time, evenly over the day. Its robots.txt group permits all
// pages it requests.
type crawler struct {
	name    string
	addrs   []string
	robots  int // fetches of robots.txt per day
	pages   int // other requests per day
	asksFor []string
	agents  []string // headers resembling real ones
}

// obedient are the crawlers that break no rule. robots.txt keeps only AI crawlers out of the
// archive, so search engines may read it. No crawler here requests PDFs, searches or the members'
// pages except three that robots.txt doesn't bind: AdsBot-Google ignores "*", and ChatGPT-User and
// Perplexity-User go where a person sends them.
var obedient = []crawler{
	{
		"Googlebot", addresses("192.0.2.%d", 130, 6), 6, 82, slices.Concat(front, feeds, essays, poems, archive, paged),
		[]string{
			"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) " +
				"Chrome/154.0.7500.40 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
			"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; " +
				"+http://www.google.com/bot.html) Chrome/154.0.7500.40 Safari/537.36",
			"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
		},
	}, {
		"Googlebot-Image", addresses("192.0.2.%d", 140, 3), 1, 22, slices.Concat(images, covers),
		[]string{"Googlebot-Image/1.0"},
	}, {
		"AdsBot-Google", addresses("192.0.2.%d", 150, 1), 1, 3, []string{"/members/offer?utm_source=ads",
			"/members/gift?utm_source=ads", "/members/join"},
		[]string{"AdsBot-Google (+http://www.google.com/adsbot.html)"},
	}, {
		"bingbot", addresses("192.0.2.%d", 160, 5), 4, 68, slices.Concat(front, feeds, essays, poems, archive),
		[]string{bingAgent},
	}, {
		"Applebot", addresses("192.0.2.%d", 170, 2), 1, 21, slices.Concat(front, essays, poems),
		[]string{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)"},
	}, {
		"YandexBot", addresses("2001:db8:0:5a::%x", 0x10, 4), 3, 24, slices.Concat(front, essays, archive, paged),
		[]string{"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)"},
	}, {
		"AhrefsBot", addresses("192.0.2.%d", 180, 6), 2, 32, slices.Concat(front, essays, poems, archive),
		[]string{"Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)"},
	}, {
		"GPTBot", addresses("192.0.2.%d", 190, 4), 2, 40, slices.Concat(essays, poems, covers,
			[]string{"/", "/about", "/issues/"}),
		[]string{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)"},
	}, {
		"ClaudeBot", addresses("192.0.2.%d", 200, 3), 3, 30, slices.Concat(essays, poems,
			[]string{"/", "/essays/", "/poems/"}),
		[]string{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)"},
	}, {
		"CCBot", addresses("192.0.2.%d", 210, 1), 1, 14, slices.Concat(essays, poems, feeds),
		[]string{"CCBot/2.0 (https://commoncrawl.org/faq/)"},
	}, {
		"ChatGPT-User", addresses("192.0.2.%d", 220, 3), 0, 4, []string{"/members/letters", "/issues/2026-10.pdf",
			"/essays/salt", "/search?q=lighthouse"},
		[]string{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot"},
	}, {
		"Perplexity-User", addresses("192.0.2.%d", 226, 1), 0, 2, []string{"/archive/1987/editorial", "/search?q=ferry",
			"/essays/rust"},
		[]string{"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; " +
			"+https://perplexity.ai/perplexity-user)"},
	}, {
		"TildeCrawler", addresses("198.51.100.%d", 44, 1), 1, 5, slices.Concat(essays, []string{"/", "/about"}),
		[]string{tildeAgent},
	}, {
		// "?sort=" is forbidden, "&sort=" is not
		"PageHoover-spider", addresses("2001:db8:c0de::%x", 0xa1, 3), 0, 9, slices.Concat(front, essays,
			[]string{"/essays/?page=2&sort=date"}),
		[]string{hooverAgent},
	},
}

const (
	bingAgent = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; " +
		"+http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36"
	grabbitAgent  = "GrabbitBot/2.1 (+https://grabbit.example/bot)"
	tildeAgent    = "TildeCrawler/1.0 (+https://tilde.example/)"
	dormouseAgent = "DormouseBot/3.0 (+https://dormouse.example/bot)"
	hooverAgent   = "Mozilla/5.0 (compatible; PageHoover-spider/0.9; hoover@pagehoover.example)"
)

// addresses returns n consecutive addresses.
func addresses(format string, first, n int) []string {
	var addrs []string
	for i := range n {
		addrs = append(addrs, fmt.Sprintf(format, first+i))
	}
	return addrs
}

// requests returns the lines of a crawler. Its first request of each day is for robots.txt. A page
// that it fetched before may be answered with 304.
func (c crawler) requests(r *rand.Rand) []line {
	var lines []line
	has := copies{}
	n := c.robots + c.pages
	for day := range days {
		for i, at := range evenly(r, day, n) {
			path := pick(r, c.asksFor)
			if i*c.robots%n < c.robots { // spreads that many over n
				path = robotsPath
			}
			status, had := 200, has.fetch(path, at)
			switch {
			case path == "/members/letters":
				status = 302 // redirects to the page that sells membership
			case had && r.IntN(4) == 0:
				status = 304
			}
			lines = append(lines, asked(at, pick(r, c.addrs), pick(r, c.agents), path, status))
		}
	}
	return lines
}

// copies are the pages that a crawler has, or for robots.txt its versions.
type copies map[string]bool

// fetch reports whether the crawler already has a page, and records that it has it.
func (c copies) fetch(path string, at time.Time) bool {
	if path == robotsPath {
		path = fmt.Sprint(path, robotsSize(at))
	}
	had := c[path]
	c[path] = had || !down(at)
	return had
}

// grabbitRefused is when the editors had enough. From then on the server refuses GrabbitBot
// everything but robots.txt, because refusing that would have told it that there are no rules.
var grabbitRefused = monday.Add(2*24*time.Hour + 14*time.Hour + 20*time.Minute)

// grabbit returns the lines of GrabbitBot. Each of its sweeps begins with robots.txt, whose
// Crawl-delay is 10 seconds, and continues with the archive, a page every few seconds.
func grabbit(r *rand.Rand) []line {
	// a rule that ends in $ says nothing of it
	permitted := slices.Concat(essays, poems, covers, front[:5], []string{"/issues/2026-10.pdf?download=1"})
	forbidden := slices.Concat(archive, archive, pdfs, pdfs, lost, bare)
	has := copies{}
	var lines []line
	for _, sweep := range []struct {
		begins time.Duration
		pages  int
	}{
		{1*time.Hour + 12*time.Minute, 38}, {15*time.Hour + 3*time.Minute, 34},
		{25*time.Hour + 14*time.Minute, 52}, {39*time.Hour + 2*time.Minute, 40},
		{49*time.Hour + 13*time.Minute, 36}, {62*time.Hour + 18*time.Minute, 44}, // refused in the midst of it
		{73*time.Hour + 12*time.Minute, 20}, {95*time.Hour + 57*time.Minute, 8},
	} {
		at := monday.Add(sweep.begins)
		addr := pick(r, addresses("203.0.113.%d", 77, 3))
		ask := func(path string) {
			lines = append(lines, asked(at, addr, grabbitAgent, path, grabbitStatus(r, path, at, has.fetch(path, at))))
			at = at.Add(time.Duration(1+r.IntN(4)) * time.Second)
			if r.IntN(8) == 0 {
				at = at.Add(15 * time.Second)
			}
		}
		ask(robotsPath)
		for i := range sweep.pages {
			// The sweep's last request is for the archive: the log ends on it.
			if i < sweep.pages-1 && r.IntN(3) == 0 {
				ask(pick(r, permitted))
			} else {
				ask(pick(r, forbidden))
			}
		}
	}
	return lines
}

func grabbitStatus(r *rand.Rand, path string, at time.Time, had bool) int {
	switch {
	case path != robotsPath && !at.Before(grabbitRefused):
		return 403
	case slices.Contains(lost, path):
		return 404
	case slices.Contains(bare, path):
		return 301
	case had && r.IntN(2) == 0:
		return 304
	}
	return 200
}

// evenly returns n sorted moments of a day, none in its last minutes, which are GrabbitBot's.
func evenly(r *rand.Rand, day, n int) []time.Time {
	var times []time.Time
	for range n {
		times = append(times, monday.AddDate(0, 0, day).Add(time.Duration(r.IntN(23*60*60+50*60))*time.Second))
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }
