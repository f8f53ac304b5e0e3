package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

const (
	site        = "https://lantern.example"
	linuxChrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36"
)

// browsers are the headers of people, the common ones repeated.
var browsers = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 " +
		"Safari/537.36 Edg/154.0.0.0",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:157.0) Gecko/20100101 Firefox/157.0",
	"Mozilla/5.0 (X11; Linux x86_64; rv:157.0) Gecko/20100101 Firefox/157.0",
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 " +
		"Safari/605.1.15",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 " +
		"Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 " +
		"Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 " +
		"Mobile Safari/537.36",
}

// cubot is a phone that a few readers have. It isn't a bot.
const cubot = "Mozilla/5.0 (Linux; Android 13; CUBOT KINGKONG 9) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/150.0.7390.44 Mobile Safari/537.36"

// hourly is how many of a day's visits begin in each hour.
var hourly = [24]int{2, 1, 1, 1, 1, 2, 4, 7, 8, 7, 6, 6, 8, 7, 6, 6, 6, 7, 8, 9, 10, 10, 7, 3}

// entrances are the pages where visits begin, and wanders those where they continue. Readers
// search, download PDFs and open the members' pages, as people may; some even search for crawlers.
var (
	entrances = slices.Concat([]string{"/", "/", "/", "/", "/", "/", "/issues/", "/archive/"}, essays, poems[:4])
	wanders   = slices.Concat(front, essays, poems, archive[:12], pdfs[6:], []string{
		"/search?q=lighthouse", "/search?q=GPTBot", "/essays/?sort=date", "/members/letters", "/drafts/~anna/winter"})
	sources = []string{"", "", "", "https://www.google.com/", "https://www.google.com/", "https://www.bing.com/",
		"https://duckduckgo.com/", "https://letters.example/weekly/212"}
)

func readers(r *rand.Rand) []line {
	var lines []line
	for day, visits := range []int{88, 99, 93, 83} {
		for range visits {
			at := monday.AddDate(0, 0, day).Add(time.Duration(hourOf(r))*time.Hour + time.Duration(r.IntN(50*60))*time.Second)
			lines = append(lines, visit(r, at)...)
		}
	}
	return lines
}

// visit is one reader's visit from the first page, with everything that a page loads, to the last.
// A page is read before the next begins.
func visit(r *rand.Rand, at time.Time) []line {
	var lines []line
	addr, agent := readerAddr(r), pick(r, browsers)
	if r.IntN(40) == 0 {
		agent = cubot
	}
	load := func(path, referrer string, status int) {
		req := request{at: at, addr: addr, line: "GET " + path + " HTTP/2.0", status: status, referrer: referrer,
			agent: agent}
		lines = append(lines, logged(req))
	}
	end := at.Add(4 * time.Minute)
	page, from := pick(r, entrances), pick(r, sources)
	returning, assets := r.IntN(3) == 0, 200
	if returning {
		assets = 304
	}
	for first := true; at.Before(end); first = false {
		load(page, from, pageStatus(page))
		from = site + page
		if first {
			for _, asset := range []string{"/static/site.css", "/static/lantern.svg", "/static/site.js"} {
				load(asset, from, assets)
				at = at.Add(time.Duration(r.IntN(2)) * time.Second)
			}
			if !returning {
				load("/favicon.ico", from, 200)
				if strings.Contains(agent, "iPhone") {
					load("/apple-touch-icon.png", "", 404)
				}
			}
		}
		if strings.HasPrefix(page, "/essays/") || page == "/" {
			load(pick(r, images), from, 200)
		}
		at = at.Add(time.Duration(25+r.IntN(260)) * time.Second)
		page = pick(r, wanders)
	}
	return lines
}

// pageStatus is the status of a page for a reader without membership.
func pageStatus(path string) int {
	if strings.HasPrefix(path, "/members/") && path != "/members/join" {
		return 302
	}
	return 200
}

func readerAddr(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return pick(r, addresses("2001:db8:77:%x::2", 0x1a0, 60))
	case 1, 2:
		return pick(r, addresses("203.0.113.%d", 100, 150))
	}
	return pick(r, addresses("198.51.100.%d", 60, 190))
}

func hourOf(r *rand.Rand) int {
	var hours []int // of each visit of a day
	for hour, n := range hourly {
		hours = append(hours, slices.Repeat([]int{hour}, n)...)
	}
	return hours[r.IntN(len(hours))]
}
