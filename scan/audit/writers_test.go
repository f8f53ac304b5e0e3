package audit

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/internal/test/logwriter"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/policy"
	"github.com/robotsieve/robotsieve/scan/report"
)

// TestWritersAccuseAlike audits the log of a small site as each program would write it. A request
// is judged as in a log that has everything, or less is said of it: nobody is accused, verified or
// found out to be an impostor who is not there.
func TestWritersAccuseAlike(t *testing.T) {
	visits := siteVisits()
	var full *logwriter.Writer
	for _, w := range logwriter.Writers(format.ByName) {
		if w.Name() == "vhost_combined/Debian" {
			full = w
		}
	}
	truth, _ := judgeWritten(t, full, visits)
	n := 0
	for _, j := range truth {
		if j.Verdict == report.Violation {
			n++
		}
	}
	if n < 50 || len(truth) < len(visits)/2 {
		t.Fatalf("%d of %d requests are judged, %d violations", len(truth), len(visits), n)
	}
	for _, w := range logwriter.Writers(format.ByName) {
		t.Run(w.Name(), func(t *testing.T) {
			same := 0
			judged, written := judgeWritten(t, w, visits)
			for i, got := range judged {
				want, known := truth[i]
				says := written[i]
				switch {
				case slices.Contains([]string{"npmplus", "unquoted_timed", "timed_unquoted"}, w.Format) && strings.Contains(fmt.Sprint(visits[i].Referer), " "): // nothing tells where it ends
				// audit-rules 5
				case says.Lossy == "decoded" && strings.Contains(visits[i].Target, "rivate%2F") ||
					strings.Contains(visits[i].Target, "%70"):
				case (says.Addr == "" || w.Format == "client_forwarded_combined") && visits[i].Agent[0] == twoBots: // the address tells which
				case !known:
					t.Errorf("%s is judged as %s by %s", describe(visits[i]), got.Verdict, got.Name)
				case got.Name != want.Name:
					t.Errorf("%s is by %s, not %s: %s", describe(visits[i]), got.Name, want.Name, got.Line)
				case got.Verdict == report.Violation && want.Verdict != report.Violation, got.Verdict == report.Spoofed && want.Verdict != report.Spoofed,
					got.Verdict == report.Violation && got.Outcome == report.Content && want.Outcome != report.Content && says.Size != logwriter.NoSizes,
					got.Identity == report.Verified && want.Identity != report.Verified, got.Identity == report.SpoofedIdentity &&
						want.Identity != report.SpoofedIdentity:
					t.Errorf("%s: %s, identity %s, outcome %s; in a full log %s, identity %s, outcome %s", describe(visits[i]),
						got.Verdict, got.Identity, got.Outcome,
						want.Verdict, want.Identity, want.Outcome)
				case got.Verdict == want.Verdict:
					same++
				}
			}
			// which have no User-Agent
			if same < len(truth)/4 && !slices.Contains([]string{"common", "vhost_common", "uwsgi", "squid"}, w.Format) {
				t.Errorf("only %d of %d requests have the same verdict", same, len(truth))
			}
		})
	}
}

func describe(r *logwriter.Request) string {
	return fmt.Sprintf("%s %s%s at %s from %s (%d, %d bytes) by %.60q", r.Method, r.Host, r.Target,
		r.Time.Format(time.DateTime), r.Client, r.Status, r.Size, r.Agent)
}

// The files of the site, from so many seconds after moment(0) on.
const (
	firstFile = "User-agent: *\nDisallow: /private/\nDisallow: /a%20b\nDisallow: /*;jsession\nDisallow: /q?x=\nAllow: " +
		"/private/free,all\n"
	secondFile = "User-agent: *\nDisallow: /private/\nDisallow: /new/\n"
	secondFrom = 60_000
	thirdFrom  = 200_000
)

// siteVisits returns the requests of four days. No two have the same second.
func siteVisits() (visits []*logwriter.Request) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	agents := []string{googlebot, googlebot, gptbot, gptbot, chatgpt, mj12bot, twoBots, acmebot, browser,
		"GPTBot/1.0 (a, b; [c] {d|e})"}
	clients := []string{"203.0.113.5", "203.0.113.9", "198.51.100.77", "198.51.100.78", "2001:db8::7"}
	targets := []string{
		"/", "/private/", "/private/x", "/private/x?y=z", "/private/free,all", "/private/free%2Call", "/a%20b", "/a+b",
		"/a%2Bb", "/a%2520b", "/a%2Fb", "/private%2Fx", "/%70rivate/x", "//private/x",
		"/x;jsession=1", "/x%3Bjsession=1", "/x%3Fjsession", "/q?x=1", "/q?y=1&x=2", "/q%3Fx=1", "/new/a", "/new%20/a",
		"/caf%C3%A9/", "/caf\xc3\xa9/", "/\xe9", "/private/\xe9", "/a#22b", "/a\\x22b", "/index.html",
		"/robots.txt", "/robots.txt", "/robots.txt", "/robots.txt", "/robots.txt?x", "/private/robots.txt",
	}
	for i := range 1500 {
		r := logwriter.Ordinary()
		r.Time = time.Unix(0, moment(0)).Add(time.Duration(i*211)*time.Second +
			time.Duration(random.IntN(1000))*time.Millisecond).UTC()
		r.Client = netip.AddrPortFrom(netip.MustParseAddr(pick(clients)), 40000)
		if r.Agent = []string{pick(agents)}; random.IntN(80) == 0 {
			r.Agent[0] = pick([]string{`x" 200 9 "-" "Googlebot/2.1`, `GPTBot/1.0" "x`})
		}
		r.Target, r.Method = pick(targets), pick([]string{"GET", "GET", "GET", "HEAD"})
		r.Status = []int{200, 200, 200, 404, 403, 301, 304, 206}[random.IntN(8)]
		if r.Status == 304 || r.Method == http.MethodHead || r.Target != robotsTxt && random.IntN(20) == 0 {
			r.Size = 0
		}
		if random.IntN(3) == 0 {
			r.Scheme, r.Port = "http", 80
		}
		if random.IntN(10) == 0 {
			r.Host = "other.example.com"
		}
		if random.IntN(4) == 0 {
			r.Forwarded = []string{pick([]string{"203.0.113.5", "198.51.100.77", "10.0.0.1, 203.0.113.5", `203.0.113.5" "-`})}
		}
		if random.IntN(40) == 0 {
			r.Referer = []string{pick([]string{"https://example.org/?q=GPTBot/1.0", `"`, `x" "GPTBot/1.0`, `\`, "Mozilla/5.0"})}
		}
		if random.IntN(8) == 0 {
			r.User = pick([]string{"John Q Public", "x [02/Mar/2020:10:00:00 +0000]", `y "GET /private/ HTTP/1.1" 200 1`, "a,b"})
		}
		if r.Target == robotsTxt { // what it shows is a fact for others, so the line is one that all formats read
			plain := logwriter.Ordinary()
			plain.Time, plain.Client, plain.Target, plain.Agent = r.Time, r.Client, r.Target, []string{gptbot}
			if r = plain; i*211 > secondFrom && i*211 < thirdFrom {
				r.Size = int64(len(secondFile))
			} else {
				r.Size = int64(len(firstFile))
			}
		}
		visits = append(visits, r)
	}
	return visits
}

// judgeWritten returns what is said of each visit, by its index, in the log that a writer writes.
func judgeWritten(t *testing.T, w *logwriter.Writer, visits []*logwriter.Request) (judged map[int]Event,
	written map[int]logwriter.Facts) {
	t.Helper()
	log, of := []byte(w.Head), map[string]int{}
	judged, written = map[int]Event{}, map[int]logwriter.Facts{}
	for i, r := range visits {
		line, says, ok := w.Write(nil, r)
		if !ok || r.Host != "www.example.com" && says.Host == "" && !strings.Contains(says.Target, "://") {
			continue // it is another site's, and has a log of its own
		}
		of[string(line)], written[i] = i, says
		log = append(append(log, line...), '\n')
	}
	f, err := format.Detect(log, true)
	if err != nil {
		t.Fatal(err)
	}
	p := history(t, policy.Options{},
		version{from: -90 * day0, at: "www.example.com", body: firstFile},
		version{from: secondFrom, at: "www.example.com", body: secondFile},
		version{from: thirdFrom, at: "www.example.com", body: firstFile})
	set := crawlers(t)
	a := New(Config{
		Crawlers: set, Policy: p,
		Identities: known(t, set, map[string]string{"Googlebot": "203.0.113.0/24\n", "GPTBot": "203.0.113.9\n"}),
		Listeners: Listeners{Judged: listen(func(j *Event) {
			i, known := of[string(j.Line)]
			if !known {
				t.Errorf("a line that nobody wrote: %.300s", j.Line)
			}
			judged[i] = *j
		})},
	})
	run := begin(t, a)
	worker := run.Worker()
	worker.SetSite(policy.Site{N: 2}, false) // by http and https
	worker.Chunk(f, nil, log)
	resultOf(t, run)
	return judged, written
}
