package main

import (
	"math/rand/v2"
	"slices"
	"time"
)

// dormouse returns the lines of DormouseBot, which obeys: it fetches robots.txt each
// morning and goes by that until the next. When the archive was closed to it, it went on
// there until its next fetch.
func dormouse(r *rand.Rand) []line {
	const pages = 22
	addrs := addresses("198.51.100.%d", 32, 2)
	open := slices.Concat(archive, essays, poems, covers)
	closed := slices.Concat(essays, poems, covers, []string{"/", "/archive/covers/"})
	var lines []line
	ask := func(at time.Time, addr, path string) {
		t := truth{crawler: "DormouseBot", verdict: allowed}
		switch {
		case path == robotsPath:
			t.verdict = robotsFetch
		case slices.Contains(archive, path):
			t.alone = violation // by the new rules, which were not there yet
			if !at.Before(changed) {
				t.verdict = grace
			}
		}
		lines = append(lines, asked(at, addr, dormouseAgent, path, 200, t))
	}
	for day, paths := range [days][]string{open, open, closed, closed} {
		wakes := monday.AddDate(0, 0, day).Add(6*time.Hour + time.Duration(r.IntN(300))*time.Second)
		ask(wakes, addrs[0], robotsPath)
		hours := 23
		if day == days-1 {
			hours = 17
		}
		for range pages {
			ask(wakes.Add(10*time.Minute+time.Duration(r.IntN(hours*3600))*time.Second), addrs[0], pick(r, paths))
		}
	}
	// Its other machine had a copy of its own.
	for _, at := range []string{"18 06:31:10", "18 06:44:52", "18 07:02:30"} {
		ask(november(at), addrs[1], pick(r, archive))
	}
	return lines
}

// impostors returns the lines of clients that use well-known names from other
// addresses. An audit by robots.txt alone cannot tell them apart.
func impostors(r *rand.Rand) []line {
	var lines []line
	for _, who := range []struct {
		name, agent, addr, from string
		forbidden, permitted    []string
		requests                int
	}{
		{
			"Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "198.51.100.23", "18 13:05:11",
			slices.Concat(pdfs, []string{"/search?q=salt", "/search?q=ferry", "/essays/?sort=date", "/members/letters"}), slices.Concat(front, essays), 24,
		}, {
			"GPTBot", "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)", "2001:db8:bad:5::7", "17 13:40:29",
			archive, essays, 16,
		},
	} {
		at := november(who.from)
		for range who.requests {
			path, alone := pick(r, who.forbidden), violation
			if r.IntN(4) == 0 {
				path, alone = pick(r, who.permitted), allowed
			}
			t := truth{crawler: who.name, verdict: spoofed, alone: alone, identity: spoofed}
			lines = append(lines, asked(at, who.addr, who.agent, path, pageStatus(path), t))
			at = at.Add(time.Duration(1+r.IntN(5)) * time.Second)
		}
	}
	return lines
}

// moss returns the lines of MossCrawler. The site's firewall takes its request for
// robots.txt for an attack, and answers 403: by RFC 9309 it may then fetch everything.
func moss() []line {
	var lines []line
	for day := range days {
		at := monday.AddDate(0, 0, day).Add(4*time.Hour + 10*time.Minute + time.Duration(37*day)*time.Second)
		for _, n := range []struct {
			path, verdict string
			status        int
		}{
			{robotsPath, robotsFetch, 403},
			{"/", allowed, 200},
			{"/search?q=salt", noPolicy, 200},
			{"/essays/rust", allowed, 200},
			{"/issues/2026-10.pdf", noPolicy, 200},
			{"/members/letters", noPolicy, 302},
			{"/members/gift", noPolicy, 302},
		} {
			lines = append(lines, asked(at, "198.51.100.52", mossAgent, n.path, n.status, truth{crawler: "MossCrawler", verdict: n.verdict}))
			at = at.Add(11 * time.Second)
		}
	}
	return lines
}

// gull returns the lines of GullCrawler, which reads robots.txt by Google's published
// parser. As Google does, it may take a robots.txt that cannot be fetched for one that does
// not exist. An audit by robots.txt alone does not know that either.
func gull() []line {
	var lines []line
	for _, n := range []struct {
		at, path, verdict string
	}{
		{"16 08:12:40", robotsPath, robotsFetch},
		{"16 08:12:44", "/", allowed},
		{"16 08:12:51", "/essays/salt", allowed},
		{"16 08:12:58", "/archive/1987/editorial", allowed},
		{"16 21:14:03", robotsPath, robotsFetch},
		{"16 21:14:06", "/poems/stair", allowed},
		{"16 21:39:03", robotsPath, robotsFetch},
		{"16 21:54:10", "/search?q=lighthouse", unreachable},
		{"16 21:54:17", "/issues/2026-10.pdf", unreachable},
		{"16 21:54:25", "/essays/?sort=date", unreachable},
		{"16 22:18:09", "/members/letters", unreachable},
		{"16 22:18:16", "/essays/low-sun", allowed},
		{"16 23:02:30", "/issues/2026-07.pdf", unreachable},
		{"17 06:40:11", robotsPath, robotsFetch},
		{"17 06:40:15", "/poems/", allowed},
		{"17 06:40:22", "/archive/1992/reviews", allowed},
		{"18 08:20:53", robotsPath, robotsFetch},
		{"18 08:20:57", "/essays/", allowed},
		{"19 08:31:26", robotsPath, robotsFetch},
		{"19 08:31:30", "/issues/", allowed},
	} {
		t := truth{crawler: "GullCrawler", verdict: n.verdict}
		if n.verdict == unreachable {
			t.alone = violation
		}
		lines = append(lines, asked(november(n.at), "198.51.100.56", gullAgent, n.path, pageStatus(n.path), t))
	}
	return lines
}
