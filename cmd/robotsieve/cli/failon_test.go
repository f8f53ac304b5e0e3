package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// failOnFiles are a log and the flags to audit it. The log has three violations of GPTBot, two of them with content, and four of
// Googlebot, one of them verified and with content, one verified and refused.
func failOnFiles(t *testing.T) (args []string, log string) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	ranges := file(t, "googlebot.json", `{"creationTime":"2026-01-01T00:00:00","prefixes":[{"ipv4Prefix":"66.249.64.0/27"}]}`)
	log = strings.Join([]string{
		logLine("/p", "GPTBot/1"), logLine("/p", "GPTBot/1"), strings.Replace(logLine("/p", "GPTBot/1"), " 200 ", " 404 ", 1),
		logLineFrom("66.249.64.1", "/p", googleAgent), strings.Replace(logLineFrom("66.249.64.1", "/p", googleAgent), " 200 ", " 403 ", 1),
		logLine("/p", googleAgent), logLine("/p", googleAgent), logLine("/", "GPTBot/1"),
	}, "")
	return []string{"--robots", robots, "--ip-ranges", "Googlebot=" + ranges, "--output", "csv"}, file(t, "a.log", log)
}

func TestFailOn(t *testing.T) {
	args, log := failOnFiles(t)
	lines, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	log, args = file(t, "b.log", string(lines)+"not a request\n"), append(args, "--max-unparsed", "20")
	state := filepath.Join(t.TempDir(), "a.state")
	if r := command(t, "", append(append([]string{"audit", "--state", state}, args...), log)...); r.code != exitDone {
		t.Fatal(r.err)
	}
	for condition, says := range map[string]string{
		"violation>0":                     "there are 7",
		"violation>6":                     "there are 7",
		"violation>7":                     "",
		"violation>=7":                    "there are 7",
		"violation>=8":                    "",
		"violation=7":                     "there are 7",
		"violation==7":                    "there are 7",
		"violation=6":                     "",
		"violation<8":                     "there are 7",
		"violation<7":                     "",
		"violation<=7":                    "there are 7",
		"violation<=6":                    "",
		" violation  >  6 ":               "there are 7",
		"violation.content>4":             "there are 5",
		"violation.content>5":             "",
		"violation.verified>1":            "there are 2",
		"violation.verified>2":            "",
		"violation.verified.content=1":    "there is 1",
		"violation.content.verified>0":    "there is 1",
		"violation.content.verified>1":    "",
		"GPTBot:violation=3":              "there are 3",
		"gptbot:violation.content=2":      "there are 2",
		"GPTBot:violation.verified=0":     "there are 0",
		"Googlebot:violation=4":           "there are 4",
		"Googlebot-Image:violation>0":     "",
		"Googlebot-Image:violation<1":     "there are 0",
		"Google-Extended:violation=0":     "there are 0",
		"violation>9223372036854775807":   "",
		"violation>=00000000000000000001": "there are 7",
		"violation>87%":                   "there are 7 of 8",
		"violation>=87.5%":                "there are 7 of 8",
		"violation > 87.5 %":              "",
		"violation<0.01%":                 "",
		"violation.verified=100%":         "there are 2 of 2",
		"violation.verified.content>49%":  "there is 1 of 2",
		"GPTBot:violation=75%":            "there are 3 of 4",
		"Googlebot-Image:violation<1%":    "there are 0 of 0",
		"Googlebot-Image:violation>0%":    "",
		"unparsed>0":                      "there is 1",
		"unparsed>1":                      "",
		"unparsed>11.1%":                  "there is 1 of 9",
		"unparsed>11.2%":                  "",
		"unparsed=0":                      "",
	} {
		want := exitDone
		if strings.HasPrefix(says, "there ") {
			want = exitFound
		}
		for name, r := range map[string]result{
			"audit": command(t, "", append(append([]string{"audit", "--fail-on", condition}, args...), log)...),
			"merge": command(t, "", "merge", "--output", "csv", "--fail-on", condition, state),
		} {
			if r.code != want || !strings.Contains(r.err, says) || says == "" && r.err != "" || r.out == "" {
				t.Errorf("%s %q: code %d, stderr %q; want %d and %q", name, condition, r.code, r.err, want, says)
			}
		}
	}
	r := command(t, "", append(append([]string{"audit", "--fail-on", "violation>9", "--fail-on", "GPTBot:violation>0", "--fail-on", "violation.verified>0"}, args...), log)...)
	if r.code != exitFound || strings.Count(r.err, "--fail-on") != 2 {
		t.Errorf("several: %+v", r)
	}
}

func TestFailOnThatIsNoCondition(t *testing.T) {
	args, log := failOnFiles(t)
	for _, condition := range []string{
		"", "violation", ">0", "violation>", "violation>x", "violation>-1", "violation>1.5", "violation>1e3", "violation=>1", "violation!=0", "violation><0",
		"violations>0", "Violation>0", "grace>0", "violation.grace>0", "violation.>0", "violation.Verified>0", "violation verified>0",
		":violation>0", "GPTBot:>0", "GPTBot:", "a:b:violation>0", "violation>0 and more", "violation>9223372036854775808",
		"violation>101%", "violation>100%", "violation>=100.5%", "violation<0%", "violation<0.0%", "violation>1%%", "violation>.5%", "violation>5.%", "violation>-1%", "violation>NaN%",
		"GPTBot:unparsed>0", "unparsed.content>0", "unparsed", "unparsed<0", "Unparsed>0",
	} {
		for _, r := range []result{
			command(t, "", append(append([]string{"audit", "--fail-on", condition}, args...), log)...),
			command(t, "", "merge", "--fail-on", condition, "a.state"),
		} {
			if r.code != exitUsage || !strings.Contains(r.err, "--fail-on \""+condition+"\": not of the form [CRAWLER:]violation") || r.out != "" {
				t.Errorf("%q: %+v", condition, r)
			}
		}
	}
}

// Unread lines could clear a violation, so a part of the input fails nothing.
// failOnNotChecked tells whether stderr says of --fail-on that it was not checked, and
// nothing else.
func failOnNotChecked(stderr string) bool {
	return strings.Count(stderr, "--fail-on") == 1 && strings.Contains(stderr, "--fail-on is not checked on a part of the input")
}

func TestFailOnNeedsAllOfTheInput(t *testing.T) {
	args, log := failOnFiles(t)
	zipped := compressed(t, strings.Repeat(logLine("/p", "GPTBot/1"), 20000))
	torn := file(t, "torn.log.gz", zipped[:len(zipped)-20])
	state := filepath.Join(t.TempDir(), "torn.state")
	for name, r := range map[string]result{
		"truncated":    command(t, "", append(append([]string{"audit", "--fail-on", "violation>0", "--state", state}, args...), torn)...),
		"missing":      command(t, "", append(append([]string{"audit", "--fail-on", "violation>0"}, args...), log, "missing.log")...),
		"merged later": command(t, "", "merge", "--output", "csv", "--fail-on", "violation>0", state),
	} {
		if r.code != exitInput || !failOnNotChecked(r.err) || !strings.Contains(r.out, ",true,") {
			t.Errorf("%s: code %d, stderr %q, stdout %.200q", name, r.code, r.err, r.out)
		}
	}
}

// A condition that no log can fulfil is refused before a log is read, and one that these
// logs did not test is never passed in silence.
func TestFailOnThatCannotHold(t *testing.T) {
	args, log := failOnFiles(t)
	robots := args[1]
	constant := []string{"--robots", robots}
	common := file(t, "common.log", `192.0.2.1 - - [10/Nov/2026:12:00:00 +0000] "GET /p HTTP/1.1" 200 5`+"\n")
	vhosts := file(t, "vhosts.log", "other.example:443 "+logLine("/p", "GPTBot/1"))
	policy := manifest(t, map[string]string{"a.txt": "user-agent: *\ndisallow: /p\n"}, "2026-11-01T00:00:00Z,https://example.com,200,a.txt")
	state := filepath.Join(t.TempDir(), "a.state")
	if r := command(t, "", "audit", "--robots", robots, "--state", state, log); r.code != exitDone {
		t.Fatal(r.err)
	}
	rubbish := file(t, "rubbish.log", strings.Repeat(logLine("/p", "GPTBot/1"), 9)+"rubbish\n")
	lists, proxied := file(t, "lists.txt", "198.51.100.0/24\n"), file(t, "proxied.log", strings.Repeat(logLine("/p", "GPTBot/1"), 3000))
	const nobody, never = "can be verified without --ip-ranges, --resolved-names or --resolve", "can never hold: "
	for name, c := range map[string]struct {
		condition string
		args      []string // and a log
		code      int
		says      string
	}{
		"verified, with nothing to verify by":  {"violation.verified>0", append(constant, log), exitUsage, never + "no client " + nobody},
		"verified, with nothing, merged":       {"violation.verified>0", []string{state}, exitUsage, never + "no client " + nobody},
		"verified, with ranges":                {"violation.verified>0", append(args, log), exitFound, "there are 2"},
		"verified, with ranges of another":     {"GPTBot:violation.verified>0", append(args, log), exitUsage, never + "no client called GPTBot " + nobody},
		"verified, and unknown":                {"FooBot:violation.verified>0", append(args, log), exitUsage, never + "no client called FooBot " + nobody},
		"fewer than none":                      {"violation<0", append(constant, log), exitUsage, "not below 0"},
		"a control token":                      {"Google-Extended:violation>0", append(constant, log), exitUsage, never + "Google-Extended is a control token"},
		"an exempt crawler":                    {"ChatGPT-User:violation>0", append(constant, log), exitUsage, never + "robots.txt does not bind ChatGPT-User"},
		"an exempt crawler, which has none":    {"ChatGPT-User:violation=0", append(constant, log), exitFound, "there are 0"},
		"a crawler that is not known":          {"GTPBot:violation>0", append(constant, log), exitInput, "no crawler called GTPBot is known or was seen"},
		"an unknown one, merged":               {"GTPBot:violation>0", []string{state}, exitInput, "no crawler called GTPBot is known or was seen"},
		"an unknown one, and one that holds":   {"GTPBot:violation>0", append(constant, "--fail-on", "violation>0", log), exitInput, "there are 7"},
		"a crawler that is known, but no seen": {"Bingbot:violation>0", append(constant, log), exitDone, ""},
		"logs without a User-Agent":            {"violation>0", append(constant, common), exitInput, "the logs have no User-Agent"},
		"a User-Agent in one log":              {"violation>0", append(constant, common, log), exitFound, "there are 7"},
		"hosts that are not judged":            {"violation>0", append(constant, "--host", "https://example.com", vhosts), exitInput, "all requests of crawlers were to hosts that are not judged"},
		"a host that is not known":             {"violation>0", []string{"--policy", policy, log}, exitInput, "it is not known to which host"},
		"verified, by lists of another time":   {"violation.verified>0", append(constant, "--ip-ranges", "GPTBot="+lists+"@2024-11-01", log), exitInput, "no list of --ip-ranges was made near enough to the time of the logs"},
		"verified, by lists of the year":       {"GPTBot:violation.verified>0", append(constant, "--ip-ranges", "GPTBot="+lists+"@2025-11-20", log), exitDone, ""},
		"verified, by a proxy's address":       {"violation.verified>0", append(constant, "--ip-ranges", "GPTBot="+lists, proxied), exitInput, "the log has the addresses of a proxy"},
		"a period past the log":                {"violation>0", append(constant, "--since", "2031-01-01", log), exitInput, "no line is of the period: the lines are from 20"},
		"a period before it, and rubbish":      {"violation>0%", append(constant, "--until", "2001-01-01", log, rubbish, "--max-unparsed", "100"), exitInput, "no line is of the period"},
		"unparsed lines, past the log":         {"unparsed>90%", append(constant, "--since", "2031-01-01", rubbish, "--max-unparsed", "100"), exitDone, ""},
		"an empty log":                         {"violation>0", append(constant, file(t, "empty.log", "")), exitDone, ""},
	} {
		verb := "audit"
		if c.args[0] == state {
			verb = "merge"
		}
		r := command(t, "", append([]string{verb, "--fail-on", c.condition}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.says) || c.code == exitUsage && r.out != "" {
			t.Errorf("%s: code %d, %q; want %d, %q", name, r.code, r.err, c.code, c.says)
		}
	}
}

// Fetchers fetch what a person or a subscription names: only a condition that names one
// counts its violations.
func TestFailOnCountsFetchersOnlyByName(t *testing.T) {
	robots := file(t, "robots.txt", "user-agent: *\ndisallow: /p\n")
	mine := file(t, "mine.json", `[{"name":"MyReader","operator":"Me","category":"feed","words":["MyReader"],"tokens":["MyReader"],"obeys":"yes","role":"fetcher"}]`)
	log := file(t, "a.log", logLine("/p", "MyReader/1")+logLine("/p", "GPTBot/1"))
	for condition, says := range map[string]string{"violation>0": "there is 1", "violation>1": "", "myreader:violation>0": "there is 1", "MyReader:violation.content>0": "there is 1"} {
		r := command(t, "", "audit", "--robots", robots, "--crawlers", mine, "--fail-on", condition, log)
		if (r.code == exitFound) != (says != "") || !strings.Contains(r.err, says) {
			t.Errorf("%s: code %d, stderr %q", condition, r.code, r.err)
		}
	}
	ranges := file(t, "mine.txt", "192.0.2.0/24\n")
	for condition, code := range map[string]int{"violation.verified>0": exitUsage, "MyReader:violation.verified>0": exitFound} {
		r := command(t, "", "audit", "--robots", robots, "--crawlers", mine, "--ip-ranges", "MyReader="+ranges, "--fail-on", condition, log)
		if r.code != code {
			t.Errorf("%s, with lists of a fetcher alone: code %d, stderr %q", condition, r.code, r.err)
		}
	}
}
