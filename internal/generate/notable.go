package main

import (
	"strings"
	"time"
)

// notable returns single requests: those of the invented crawlers that break a rule or
// nearly do, and one of a header that names two operators. Both dialects forbid the
// violations; rfc9309 alone forbids the contested requests, or their normal form.
func notable() []line {
	const (
		hoover = "PageHoover-spider"
		tilde  = "TildeCrawler"
		grab   = "GrabbitBot"
		two    = "Mozilla/5.0 (compatible; bingbot/2.0; Googlebot/2.1)"
		v6     = "2001:db8:c0de::"
	)
	var lines []line
	for _, n := range []struct {
		at, addr, crawler, agent, line string
		status                         int
		verdict, reason                string
	}{
		// It only ever asks for robots.txt by HEAD, so it was never told.
		{"16 03:41:07", v6 + "a1", hoover, hooverAgent, "HEAD /robots.txt HTTP/1.1", 200, robotsFetch, ""},
		{"16 03:41:09", v6 + "a1", hoover, hooverAgent, "GET /search?q=essays HTTP/1.1", 200, violation, ""},
		{"16 03:41:12", v6 + "a1", hoover, hooverAgent, "GET /essays/?sort=date HTTP/1.1", 200, violation, ""},
		{"16 03:41:15", v6 + "a1", hoover, hooverAgent, "GET /essays/?sort=author HTTP/1.1", 200, violation, ""},
		{"16 17:20:31", v6 + "a2", hoover, hooverAgent, "HEAD /issues/2026-07.pdf HTTP/1.1", 200, violation, ""},
		{"16 17:20:33", v6 + "a2", hoover, hooverAgent, "HEAD /issues/2026-10.pdf HTTP/1.1", 200, violation, ""},
		{"16 17:20:36", v6 + "a2", hoover, hooverAgent, "HEAD /issues/2026-11.pdf HTTP/1.1", 404, violation, ""},
		{"17 05:02:55", v6 + "a3", hoover, hooverAgent, "GET /members/letters HTTP/1.1", 302, violation, ""},
		{"17 05:03:01", v6 + "a3", hoover, hooverAgent, "POST /members/login HTTP/1.1", 401, violation, ""},
		{"17 05:03:30", v6 + "a3", hoover, hooverAgent, "OPTIONS * HTTP/1.1", 200, notJudged, ""},
		{"17 05:03:34", v6 + "a3", hoover, hooverAgent, "CONNECT mail.example:25 HTTP/1.1", 405, notJudged, ""},
		{"18 11:45:18", v6 + "a1", hoover, hooverAgent, `GET /search?q=\x22night+ferry\x22 HTTP/1.1`, 200, violation, ""},
		{"18 11:45:26", v6 + "a1", hoover, hooverAgent, "GET https://lantern.example/search?q=salt HTTP/1.1", 200, violation, ""},
		{"19 02:10:44", v6 + "a2", hoover, hooverAgent, "GET /drafts/%7Eanna/winter HTTP/1.1", 200, indeterminate, "contested"}, // as its normal form
		{"19 02:10:46", v6 + "a2", hoover, hooverAgent, "GET //search?q=tide HTTP/1.1", 200, allowed, ""},                       // robots.txt has one slash
		{"19 02:10:49", v6 + "a2", hoover, hooverAgent, `GET /essays/caf\xc3\xa9-at-closing-time HTTP/1.1`, 200, allowed, ""},

		{"17 08:30:12", "198.51.100.44", tilde, tildeAgent, "GET /drafts/~anna/winter HTTP/1.1", 200, indeterminate, "contested"},
		{"17 08:30:20", "198.51.100.44", tilde, tildeAgent, "GET /drafts/~anna/thaw HTTP/1.1", 200, indeterminate, "contested"},
		{"18 08:31:02", "198.51.100.44", tilde, tildeAgent, "GET /drafts/%7eanna/winter HTTP/1.1", 200, indeterminate, "contested"},

		// It is not known which of the two this was, so neither is accused.
		{"18 22:14:39", "198.51.100.9", "bingbot", two, "GET /members/letters HTTP/1.1", 302, indeterminate, "ambiguous_agent"},

		// This may be bingbot: it has none of its addresses, but the list of these is too old.
		{"18 03:12:08", "198.51.100.11", "bingbot", bingAgent, get("/essays/rust"), 200, allowed, ""},
		{"18 03:12:20", "198.51.100.11", "bingbot", bingAgent, get("/poems/stair"), 200, allowed, ""},

		// The server reads 1,024 bytes of a request line and logs what it read.
		{"17 01:17:00", "203.0.113.77", grab, grabbitAgent, ("GET /issues/?ids=" + strings.Repeat("2026-10,", 128))[:1024], 414, indeterminate, "truncated"},
	} {
		t := truth{crawler: n.crawler, verdict: n.verdict, reason: n.reason}
		t.evasive = strings.HasPrefix(n.line, "GET //")
		if strings.HasPrefix(n.line, "GET https:") {
			t.alone = otherHost // a log of one site says nothing of where other lines went
		}
		if n.addr == "198.51.100.9" || n.addr == "198.51.100.11" {
			t.identity = unverified
		}
		lines = append(lines, logged(request{at: november(n.at), addr: n.addr, line: n.line, status: n.status, agent: n.agent}, t))
	}
	return lines
}

// oddities are what every log has: lines that are no record, or a strange one.
// TIME stands for the time of the line.
func oddities() []line {
	const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36"
	var lines []line
	for _, o := range []struct {
		at   string
		not  string // "" is a browser's line or a tool's: read, and no crawler's
		text string
	}{
		// No request came, or one that is not HTTP.
		{"16 02:44:10", unparsed, `192.0.2.61 - - [TIME] "-" 408 - "-" "-"`},
		{"18 19:03:52", unparsed, `2001:db8:77:1b2::2 - - [TIME] "-" 408 - "-" "-"`},
		{"16 06:12:33", unparsed, `192.0.2.18 - - [TIME] "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\xd2\xc6\x1e" 400 484 "-" "-"`},
		{"19 04:55:01", unparsed, `192.0.2.19 - - [TIME] "\x16\x03\x01" 400 484 "-" "-"`},
		{"17 03:20:47", unparsed, `192.0.2.18 - - [TIME] "t3 12.1.2" 400 484 "-" "-"`},
		{"17 03:21:15", unparsed, `192.0.2.18 - - [TIME] "\n" 400 484 "-" "-"`},

		// The disk was full, and the machine went down.
		{"18 00:58:06", unparsed, `203.0.113.140 - - [TIME] "GET /essays/the-mo`},
		{"18 00:58:07", unparsed, strings.Repeat("\x00", 48)},
		{"18 01:02:00", unparsed, "\x7fELF\x02\x01\x01\x00\x00\xff\xfe\x80lantern\x00\x9c\xf3\xe2\x00\x00"},
		{"18 01:02:01", blank, ""},

		// Requests that are strange and yet are read.
		{"16 08:01:12", "", `192.0.2.70 - - [TIME] "GET /" 200 7214 "-" "-"`}, // HTTP/0.9
		{"16 12:30:00", "", `192.0.2.2 - - [TIME] "OPTIONS * HTTP/1.0" 200 - "-" "Apache/2.4.66 (Debian) (internal dummy connection)"`},
		{"17 02:09:41", "", `192.0.2.18 - - [TIME] "GET http://lantern.example/ HTTP/1.1" 200 7214 "-" "` + chrome + `"`},
		{"17 02:09:42", "", `192.0.2.18 - - [TIME] "CONNECT mail.example:25 HTTP/1.1" 405 305 "-" "` + chrome + `"`},
		{"17 02:09:44", "", `192.0.2.18 - - [TIME] "PRI * HTTP/2.0" 400 484 "-" "-"`},
		{"17 20:15:30", "", `203.0.113.201 - anna lund [TIME] "GET /members/letters HTTP/1.1" 200 18112 "https://lantern.example/members/" "` + chrome + `"`},
		{"17 20:19:02", "", `203.0.113.201 - anna lund [TIME] "GET /drafts/~anna/winter HTTP/1.1" 200 9120 "https://lantern.example/members/letters" "` + chrome + `"`},
		{"19 13:37:37", "", `2001:db8:77:1a4::2 - - [TIME] "GET /essays/%63af%c3%a9-at-closing-time HTTP/1.1" 200 15118 "-" "` + chrome + `"`},

		// Quotes: Apache writes \", nginx, which answers for the search, \x22.
		{"16 20:41:19", "", `198.51.100.88 - - [TIME] "GET /essays/salt HTTP/1.1" 200 21004 "-" "Mozilla/5.0 (X11; Linux x86_64; \"the reading room\") Gecko/20100101 Firefox/157.0"`},
		{"18 21:07:55", "", `198.51.100.90 - - [TIME] "GET /essays/?tag=\"night\" HTTP/1.1" 200 8340 "https://lantern.example/essays/" "` + chrome + `"`},
		{"18 21:09:10", "", `198.51.100.90 - - [TIME] "GET /search?q=\x22blue+hour\x22 HTTP/1.1" 200 6120 "https://lantern.example/essays/?tag=\x22night\x22" "` + chrome + `"`},
		{"18 21:09:31", "", `198.51.100.90 - - [TIME] "GET /search?q=GPTBot\\ HTTP/1.1" 200 6104 "https://lantern.example/search?q=caf\xc3\xa9" "` + chrome + `"`},
	} {
		at := november(o.at)
		text := strings.Replace(o.text, "TIME", logTime(at), 1)
		lines = append(lines, line{at: at, text: text, truth: truth{not: o.not}})
	}

	// Two minutes were repaired by hand, on another system.
	mended := len(lines)
	for _, at := range []string{"19 09:00:00", "19 09:00:20", "19 09:01:05", "19 09:01:40"} {
		req := request{at: november(at), addr: "198.51.100.120", line: get("/poems/tinder"), status: 200, referrer: site + "/poems/", agent: chrome}
		lines = append(lines, logged(req, truth{}))
	}
	t := november("19 09:00:30")
	lines = append(lines, asked(t, "203.0.113.78", grabbitAgent, "/archive/1987/editorial", 403, truth{crawler: "GrabbitBot", verdict: violation}),
		line{at: t.Add(time.Second), truth: truth{not: blank}})
	for i := range lines[mended:] {
		lines[mended+i].text += "\r"
	}
	return lines
}

// november is a moment of the log, from the day of the month and the time.
func november(s string) time.Time {
	at, err := time.Parse("2006-01-02 15:04:05", "2026-11-"+s)
	if err != nil {
		panic(err)
	}
	return at
}
