package main

import (
	_ "embed"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// dormouse returns the lines of DormouseBot, which obeys: it fetches robots.txt each morning and
// follows it until the next. When the archive was closed to it, it continued there until its next
// fetch.
func dormouse(r *rand.Rand) []line {
	const pages = 22
	addrs := addresses("198.51.100.%d", 32, 2)
	open := slices.Concat(archive, essays, poems, covers)
	closed := slices.Concat(essays, poems, covers, []string{"/", "/archive/covers/"})
	var lines []line
	ask := func(at time.Time, addr, path string) {
		lines = append(lines, asked(at, addr, dormouseAgent, path, 200))
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
	// Its other machine had a separate copy.
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
		agent, addr, from    string
		forbidden, permitted []string
		requests             int
	}{
		{
			"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "198.51.100.23", "18 13:05:11",
			slices.Concat(pdfs, []string{"/search?q=salt", "/search?q=ferry", "/essays/?sort=date",
				"/members/letters"}), slices.Concat(front, essays), 24,
		}, {
			"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)",
			"2001:db8:bad:5::7", "17 13:40:29", archive, essays, 16,
		},
	} {
		at := november(who.from)
		for range who.requests {
			path := pick(r, who.forbidden)
			if r.IntN(4) == 0 {
				path = pick(r, who.permitted)
			}
			lines = append(lines, asked(at, who.addr, who.agent, path, pageStatus(path)))
			at = at.Add(time.Duration(1+r.IntN(5)) * time.Second)
		}
	}
	return lines
}

//go:embed byhand.txt
var written string

// byHand returns the lines written by hand: three small crawlers, single requests that break a rule
// or nearly do, and what every log has, lines that are no record or a strange one. Each row is the
// time of a line and its text, in which TIME stands for the time.
func byHand() []line {
	var lines []line
	for row := range strings.Lines(written) {
		at, text := row[:len("16 02:44:10")], strings.TrimSpace(row[len("16 02:44:10"):])
		lines = append(lines, lineAt(at, text))
	}
	lines = append(lines,
		// The disk was full, and the machine went down.
		lineAt("18 00:58:07", strings.Repeat("\x00", 48)),
		lineAt("18 01:02:00", "\x7fELF\x02\x01\x01\x00\x00\xff\xfe\x80lantern\x00\x9c\xf3\xe2\x00\x00"),
		// The server reads 1,024 bytes of a request line and logs what it read.
		logged(request{at: november("17 01:17:00"), addr: "203.0.113.77", status: 414, agent: grabbitAgent,
			line: ("GET /issues/?ids=" + strings.Repeat("2026-10,", 128))[:1024]}))

	// Two minutes were repaired by hand, on another system.
	mended := []line{lineAt("19 09:00:31", ""), asked(november("19 09:00:30"), "203.0.113.78", grabbitAgent,
		"/archive/1987/editorial", 403)}
	for _, at := range []string{"19 09:00:00", "19 09:00:20", "19 09:01:05", "19 09:01:40"} {
		mended = append(mended, logged(request{at: november(at), addr: "198.51.100.120", line: get("/poems/tinder"),
			status:   200,
			referrer: site + "/poems/", agent: linuxChrome}))
	}
	for _, l := range mended {
		lines = append(lines, line{l.at, l.text + "\r"})
	}
	return lines
}

// lineAt returns a line, replacing TIME by the time.
func lineAt(when, text string) line {
	at := november(when)
	return line{at, strings.Replace(text, "TIME", logTime(at), 1)}
}

// november is a moment of the log, from the day of the month and the time.
func november(s string) time.Time {
	at, err := time.Parse("2006-01-02 15:04:05", "2026-11-"+s)
	if err != nil {
		panic(err)
	}
	return at
}
