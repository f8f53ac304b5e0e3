package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/report"
)

// anyEntry returns an entry of any kind: of crawlers, browsers and others, with all verdicts.
func anyEntry(rng *rand.Rand) entry {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	return entry{
		vhost: pick("example.com", "example.com:443", "example.com:443", "www.example.com", "other.example",
			"example.com:8080", "b\xfccher.example", "h\xff\x00", "-"),
		addr: pick("192.0.2.1", "192.0.2.2", "198.51.100.7", "10.0.0.1"), time: at(rng.IntN(20*day0) - 10*day0),
		method: pick("GET", "GET", "GET", "HEAD", "POST"),
		target: pick("/", "/about", "/private/", "/private/x", "/?s=1", "/a~b", "/a%7Eb", "/typo", "/robots.txt",
			"/robots.txt", "/robots.txt", "/robots.txt?x", "*", "//private/x", "https://www.example.com/private/",
			"http://example.com/private/", "/a b", `/\x22`, "/\x00\xff"),
		status: pick("200", "200", "200", "304", "301", "403", "404", "414", "429", "503", "-"),
		size:   pick("512", "70", "0", "-"),
		agent: pick(gptbot, gptbot, googlebot, chatgpt, adsbot, mj12bot, twoBots, acmebot, browser, browser, "curl/8",
			"bot", "-", "acmebot", "WireReader/1 (compatible; GPTBot/1)", "AcmeBot/2 (+https://x.example)",
			"ÄcmeBot\xff/1 (+https://x.example)", fmt.Sprintf("X%d-Bot/1 (+http://x.example)", rng.IntN(40))),
	}
}

// messyLog returns lines of a log in which everything occurs, garbage and mutated lines too.
func messyLog(rng *rand.Rand, n int, vhost bool) []string {
	lines := make([]string, n)
	for i := range lines {
		e := anyEntry(rng)
		if e.target == "/robots.txt" && rng.IntN(20) > 0 {
			e.status, e.size = []string{"200", "304"}[rng.IntN(2)], "" // others clear the requests of days
		}
		if rng.IntN(20) == 0 {
			e.time = "-"
		}
		if rng.IntN(20) == 0 {
			e.protocol = noProtocol
		}
		if !vhost {
			e.vhost = ""
		}
		line := e.String()
		switch rng.IntN(20) {
		case 0:
			line = ""
		case 1:
			line = randomBytes(rng, rng.IntN(200))
		case 2, 3:
			line = mutate(rng, line)
		case 4:
			line += "\r"
		}
		lines[i] = strings.ReplaceAll(line, "\n", "")
	}
	return lines
}

func randomBytes(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return string(b)
}

// mutate changes a line where it hurts.
func mutate(rng *rand.Rand, line string) string {
	b := []byte(line)
	for range 1 + rng.IntN(3) {
		i := rng.IntN(len(b) + 1)
		j := min(len(b), i+rng.IntN(20))
		switch rng.IntN(4) {
		case 0:
			b = append(b[:i:i], b[j:]...)
		case 1:
			b = append(b[:j:j], b[i:]...)
		case 2:
			b = append(append(b[:i:i], "\"\\ []\r\x00*"[rng.IntN(8)]), b[i:]...)
		default:
			b = append(append(b[:i:i], randomBytes(rng, 3)...), b[j:]...)
		}
	}
	return string(b)
}

// TestEveryLineIsCountedOnce: whatever the lines are, the numbers of the report
// add up.
func TestEveryLineIsCountedOnce(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	plain := newAuditor(t, robotsTxtBody)
	hosts := newAuditor(t, robotsTxtBody, "https://example.com", "http://example.com:8080")
	for round := range rounds {
		rng := rand.New(rand.NewPCG(5, uint64(round)))
		for _, test := range []struct {
			a      *Auditor
			format string
			vhost  bool
		}{
			{plain, "combined", false}, {hosts, "combined", false}, {hosts, "vhost_combined", true},
			{plain, "common", false}, {hosts, "vhost_common", true}, {hosts, "vhost_combined", false},
		} {
			lines := messyLog(rng, 200, test.vhost)
			want := int64(0)
			for _, line := range lines {
				if line != "" && line != "\r" {
					want++
				}
			}
			r := auditText(t, test.a, test.format, strings.Join(lines, "\n")+"\n")
			if r.Lines != want || r.Blank != int64(len(lines))-want {
				t.Fatalf("round %d, %s: %d lines and %d blank, want %d and %d", round, test.format, r.Lines, r.Blank, want,
					int64(len(lines))-want)
			}
			if t.Failed() {
				t.Fatalf("round %d, %s", round, test.format)
			}
		}
	}
}

func TestLines(t *testing.T) {
	one := entry{target: "/private/"}.String()
	tests := []struct {
		name                   string
		log                    string
		lines, blank, unparsed int64
	}{
		{"nothing", "", 0, 0, 0},
		{"one line", one + "\n", 1, 0, 0},
		{"no final newline", one + "\n" + one, 2, 0, 0},
		{"CRLF", one + "\r\n" + one + "\r\n", 2, 0, 0},
		{"CRLF without the last LF", one + "\r\n" + one + "\r", 2, 0, 0},
		{"blank lines", "\n\r\n" + one + "\n\n\n", 1, 4, 0},
		{"a newline only", "\n", 0, 1, 0},
		{"a blank is not a blank line", " \n", 1, 0, 1},
		{"a bare CR is not a line end", one + "\r" + one + "\n", 1, 0, 1},
		{"two CRs: one belongs to the line", one + "\r\r\n", 1, 0, 1},
		{"NULs", "\x00\x00\x00\n" + one + "\n\x00", 3, 0, 2},
		{"garbage", "not a log\n" + one + "\n", 2, 0, 1},
		{"a line cut in its middle", one[:len(one)/2], 1, 0, 1},
		{"other ends of lines are none", one + "\v" + one + "\n" + one + "\u2028" + one + "\n", 2, 0, 2},
	}
	for _, test := range tests {
		r := auditText(t, newAuditor(t, robotsTxtBody), "combined", test.log)
		if r.Lines != test.lines || r.Blank != test.blank || r.Unparsed != test.unparsed ||
			r.Totals.Verdicts[report.Violation] != test.lines-test.unparsed {
			t.Errorf("%s: %d lines, %d blank, %d unparsed, %d violations; want %d, %d, %d", test.name, r.Lines, r.Blank,
				r.Unparsed, r.Totals.Verdicts[report.Violation], test.lines, test.blank, test.unparsed)
		}
	}
}

func TestOverlong(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	run := begin(t, a)
	w := run.Worker()
	// Not even the beginning that is a whole record is judged.
	w.Overlong([]byte(entry{target: "/private/"}.String()))
	beginning := bytes.Repeat([]byte("x"), 64<<10)
	w.Overlong(beginning)
	for i := range beginning {
		beginning[i] = 0xff
	}
	w.Overlong(nil)
	r := resultOf(t, run)
	if r.Lines != 3 || r.Unparsed != 3 || len(r.Crawlers) != 0 {
		t.Error(marshal(t, r))
	}
	if got := r.UnparsedSamples[2]; got != strings.Repeat("x", maxSample) {
		t.Errorf("a sample of %d bytes: %.20q", len(got), got)
	}
}
