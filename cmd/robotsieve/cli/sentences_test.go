package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/job"
)

// neverSaid are words that say more than a log can show (audit-rules 10).
var neverSaid = []string{
	"had read", "who read it", "ept to it", "published list", "had been sent", "proven", "lawful", "nobody outside", "was told", "got no robots.txt", "by 1 crawler", "by 2 crawlers",
}

// askedAt is a line of a combined log at a minute of a day.
func askedAt(minute int, request, answer, agent string) string {
	return fmt.Sprintf("192.0.2.%d - - [10/Nov/2026:12:%02d:00 +0000] \"%s HTTP/1.1\" %s \"-\" \"%s\"\n", 1+len(agent), minute, request, answer, agent)
}

// TestSentences: each sentence holds for its log, and none that does not is there.
func TestSentences(t *testing.T) {
	const body = "user-agent: *\ndisallow: /p\n"
	file273 := fmt.Sprint("200 ", len(body))
	violation := askedAt(50, "GET /p", "200 99", "GPTBot/1")
	for name, c := range map[string]struct {
		robots, log string
		args        []string
		says        []string
		saysNot     []string
	}{
		"sent the rule": {body, askedAt(1, "GET /robots.txt", file273, "GPTBot/1") + violation, nil,
			[]string{" informed GPTBot unverified 2 1 (50 %) 1 - 1 "}, []string{"?"}},
		"told by 304": {body, askedAt(1, "GET /robots.txt", "304 0", "GPTBot/1") + violation, nil,
			[]string{" GPTBot unverified 2 1 (50 %) 1 - ? "}, nil},
		"sent after the request": {body, violation + askedAt(55, "GET /robots.txt", file273, "GPTBot/1"), nil,
			[]string{" GPTBot unverified 2 1 (50 %) 1 - - "}, nil},
		"sent another size": {body, askedAt(1, "GET /robots.txt", "200 132", "GPTBot/1") + askedAt(2, "GET /robots.txt", file273, "bingbot/2.0") + askedAt(3, "GET /robots.txt", file273, "bingbot/2.0") + violation, nil,
			[]string{"For 1 request a robots.txt that is not known may count"}, []string{"broke identity"}},
		"never fetched": {body, askedAt(1, "GET /robots.txt", file273, "bingbot/2.0") + violation, nil,
			[]string{" GPTBot unverified 1 1 (100 %) 1 - ? "}, nil},
		"HEAD fetches nothing": {body, askedAt(1, "HEAD /robots.txt", "200 0", "GPTBot/1") + violation, []string{"--full"},
			nil, []string{"fetches of robots", "GETs of robots.txt by"}},

		"nothing undecided": {body, askedAt(1, "GET /robots.txt", file273, "GPTBot/1") + askedAt(2, "GET /q", "200 9", "GPTBot/1"), nil,
			[]string{"No violation: GPTBot. "}, nil},
		"the log contradicts the file": {body, askedAt(1, "GET /robots.txt", "200 132", "GPTBot/1") + askedAt(2, "GET /q", "200 9", "GPTBot/1"), nil,
			[]string{"If the robots.txt given is what was served,"}, []string{"No violation"}},
		"most were answered none": {body, askedAt(1, "GET /robots.txt", "404 9", "bingbot/2.0") + askedAt(2, "GET /q", "200 9", "GPTBot/1"), nil,
			[]string{"If the robots.txt given is what was served,"}, []string{"No violation"}},
		"a size that none of the files has": {body, askedAt(1, "GET /robots.txt", "200 132", "GPTBot/1") + violation, []string{"--full"},
			[]string{"a file that is not known, unless most files that others were sent have the size of no version either."}, nil},
		"without a name": {body, violation + askedAt(51, "GET /p", "200 9", "bot (+http://x.example)"), nil,
			[]string{"2 of 2 crawler requests broke robots.txt, under 1 name and without one;"}, nil},
		"no name at all": {body, askedAt(51, "GET /p", "200 9", "bot (+http://x.example)"), nil,
			[]string{"1 of 1 crawler request broke robots.txt, without a name;"}, nil},
		"an empty file": {"", askedAt(2, "GET /q", "200 9", "GPTBot/1"), nil,
			[]string{"Nothing is forbidden, because robots.txt has no rule: it is empty. So this audit says nothing about 1 crawler request."}, []string{"iolation:", "broke"}},
		"a page": {"<!DOCTYPE html>\n<html></html>\n", askedAt(2, "GET /q", "200 9", "GPTBot/1"), nil,
			[]string{"has no rule: it looks like a web page."}, []string{"iolation:", "broke"}},
		"a log": {strings.Repeat(violation, 3), askedAt(2, "GET /q", "200 9", "GPTBot/1"), nil,
			[]string{"has no rule: it looks like a log (combined)."}, []string{"iolation:", "broke"}},
		"no rule in a group": {"user-agent: *\ncrawl-delay: 1\n", askedAt(2, "GET /q", "200 9", "GPTBot/1"), nil,
			[]string{"has no rule: no group has a rule."}, []string{"iolation:", "broke"}},
		"a rule as Google reads it": {"user agent: *\ndisallow: /p\n", askedAt(2, "GET /q", "200 9", "GPTBot/1"), nil,
			[]string{"1 crawler request: none broke robots.txt."}, []string{"no rule"}},

		"answered without a body": {body, askedAt(1, "GET /robots.txt", "200 0", "GPTBot/1") + askedAt(2, "GET /robots.txt", file273, "bingbot/2.0") + askedAt(3, "GET /robots.txt", file273, "bingbot/2.0"), nil,
			[]string{"GETs of robots.txt as GPTBot got 200 with no body logged (1): let crawlers fetch it."}, nil},
		"different sizes in turn": {body, askedAt(1, "GET /robots.txt", file273, "GPTBot/1") + askedAt(2, "GET /robots.txt", "200 132", "bingbot/2.0") + askedAt(3, "GET /robots.txt", file273, "GPTBot/1"), []string{"--full"},
			[]string{"had different sizes in turn, so the file may depend on who asks", "What no log can show: what a robots.txt of another size said;"}, []string{"served differently by place"}},
		"another size from a time on": {body, askedAt(1, "GET /robots.txt", file273, "GPTBot/1") + askedAt(2, "GET /robots.txt", "200 132", "bingbot/2.0") + askedAt(3, "GET /robots.txt", "200 132", "GPTBot/1"), []string{"--full"},
			[]string{"What no log can show: a robots.txt served differently by place,"}, []string{"in turn"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"audit", "--robots", file(t, "robots.txt", c.robots), "--host", "https://h.example"}, c.args...)
			r := command(t, c.log, append(args, "-")...)
			if r.code != exitDone {
				t.Fatalf("%+v", r)
			}
			text := strings.Join(strings.Fields(r.out), " ") + " "
			text = strings.ReplaceAll(text, "in- robots.txt mod. formed", "informed")
			wants(t, text, c.says...)
			for _, not := range append(c.saysNot, neverSaid...) {
				if strings.Contains(text, not) {
					t.Errorf("says %q:\n%s", not, r.out)
				}
			}
		})
	}
}

// TestUndecidedIsNotKept: of a crawler with undecided requests it is said that it has no violation, and
// that some are undecided.
func TestUndecidedIsNotKept(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	log := askedAt(1, "GET /q", "200 9", "GPTBot/1") + askedAt(2, "GET /p", "200 9", "GPTBot/1 bingbot/2.0")
	wants(t, command(t, log, "audit", "--robots", robots, "-").out, "No violation: GPTBot.\nNot held against anyone: 1 request (undecided).\n")
}

// TestNoOutputSaysMore: of the sample, in all forms for people and in a folder of evidence.
func TestNoOutputSaysMore(t *testing.T) {
	dir := t.TempDir()
	page, folder := filepath.Join(dir, "page.html"), filepath.Join(dir, "evidence")
	texts := map[string]string{}
	for _, output := range []string{"text", "full", "markdown"} {
		texts[output] = command(t, "", append(fullAudit(sample), "--output", output)...).out
	}
	if r := command(t, "", append(fullAudit(sample), "--html", page, "--evidence", folder, "--output", "json")...); r.code != exitDone {
		t.Fatalf("%+v", r)
	}
	letters, err := filepath.Glob(filepath.Join(folder, "*", "letter.txt"))
	if err != nil || len(letters) != 2 {
		t.Fatalf("%v, %v", letters, err)
	}
	for _, name := range append(letters, page) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(b)
	}
	for name, text := range texts {
		for _, not := range neverSaid {
			if strings.Contains(strings.Join(strings.Fields(text), " "), not) {
				t.Errorf("%s says %q", name, not)
			}
		}
	}
	var report audit.Report
	if err := json.Unmarshal([]byte(command(t, "", append(fullAudit(sample), "--output", "json")...).out), &report); err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Crawlers {
		if want := c.Crawler == "GrabbitBot"; c.Verdicts[audit.Violation] > 0 && c.InformedKnown != want {
			t.Errorf("%s: it is known what it was sent: %v", c.Crawler, c.InformedKnown)
		}
	}
}

// TestCheckNamesWhoIsBound: by the names that a dialect reads in the user-agent lines.
func TestCheckNamesWhoIsBound(t *testing.T) {
	const two = "User-agent: GPTBot, CCBot\nDisallow: /\n"
	for _, c := range []struct {
		robots, dialect, says string
		binds                 []string
		forbidden             string // of GPTBot, CCBot and MJ12bot those that may not fetch /x
	}{
		{two, "rfc9309", "line 1: GPTBot\n  may not fetch  everything", []string{"GPTBot"}, "GPTBot"},
		{two, "google", "line 1: GPTBot\n  may not fetch  everything", []string{"GPTBot"}, "GPTBot"},
		{two, "original", "line 1: crawlers whose name contains GPTBot, CCBot, and that no group before names\n", []string{"GPTBot, CCBot"}, ""},
		{two, "rfc9309", "line 1: user agent with more than a product token; only the token at its beginning counts: \"GPTBot, CCBot\"\n", []string{"GPTBot"}, "GPTBot"},
		{"User-agent: (x)\nDisallow: /\n", "rfc9309", "line 1: no crawler\n  forbids        nothing, because no user-agent line of the group names a crawler\n", nil, ""},
		{"User-agent: MJ12bot\nDisallow: /\n", "google", "line 1: MJ\n", []string{"MJ"}, ""},
		{"User-agent: MJ12bot\nDisallow: /\n", "rfc9309", "line 1: MJ12bot\n", []string{"MJ12bot"}, "MJ12bot"},
		{"User-agent: CCBot/1.0\nUser-agent: ccbot\nUser-agent: *\nDisallow: /\n", "rfc9309", "line 1: CCBot, *\n", []string{"CCBot", "*"}, "GPTBotCCBotMJ12bot"},
	} {
		robots := file(t, "robots.txt", c.robots)
		check := func(args ...string) string {
			return command(t, "", append([]string{"check", "--robots", robots, "--dialect", c.dialect}, args...)...).out
		}
		wants(t, check(), c.says)
		var d job.Description
		if err := json.Unmarshal([]byte(check("--output", "json")), &d); err != nil || !slices.Equal(d.Groups[0].Binds, c.binds) {
			t.Errorf("%v, %+v", err, d.Groups)
		}
		forbidden := ""
		for _, name := range []string{"GPTBot", "CCBot", "MJ12bot"} {
			if strings.HasPrefix(check("--agent", name, "/x"), "disallowed") {
				forbidden += name
			}
		}
		if forbidden != c.forbidden {
			t.Errorf("by %s, %q may not fetch /x, want %q: %s", c.dialect, forbidden, c.forbidden, c.robots)
		}
	}
	r := command(t, "", "check", "--robots", file(t, "robots.txt", "User-agent: bot\nDisallow: /\n"), "--dialect", "original", "--agent", "GPTBot")
	wants(t, r.out, "GPTBot: a group names a part of GPTBot\n")
}
