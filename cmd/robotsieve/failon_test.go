package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// failOnLog has three violations of GPTBot, two of them obtained, and four of
// Googlebot, one of them verified and obtained, one verified and refused.
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
		"violation.obtained>4":            "there are 5",
		"violation.obtained>5":            "",
		"violation.verified>1":            "there are 2",
		"violation.verified>2":            "",
		"violation.verified.obtained=1":   "there is 1",
		"violation.obtained.verified>0":   "there is 1",
		"violation.obtained.verified>1":   "",
		"GPTBot:violation=3":              "there are 3",
		"gptbot:violation.obtained=2":     "there are 2",
		"GPTBot:violation.verified>0":     "",
		"Googlebot:violation=4":           "there are 4",
		"Googlebot-Image:violation>0":     "",
		"Googlebot-Image:violation<1":     "there are 0",
		"GTPBot:violation>0":              "no crawler called GTPBot is known or was seen",
		"Google-Extended:violation>0":     "no crawler called Google-Extended is known or was seen",
		"violation>9223372036854775807":   "",
		"violation>=00000000000000000001": "there are 7",
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

// TestFailOnThatCannotHold: a gate that never closes is told, as is one that was not
// asked.
func TestFailOnThatCannotHold(t *testing.T) {
	args, log := failOnFiles(t)
	robots := args[1]
	const nobody, part = "no client can be verified without --ip-ranges", "--fail-on is not checked on a part of the input"
	for name, c := range map[string]struct {
		args []string
		says string
		code int
	}{
		"verified, with nothing to verify by": {[]string{"--robots", robots, "--fail-on", "violation.verified>0", log}, nobody, exitDone},
		"verified, with ranges":               {append(args, "--fail-on", "violation.verified>0", log), "there are 2", exitFound},
		"an input that is missing":            {append(args, "--fail-on", "violation>0", log, "missing.log"), part, exitInput},
		"a missing input and no condition":    {append(args, log, "missing.log"), "missing.log", exitInput},
	} {
		r := command(t, "", append([]string{"audit"}, c.args...)...)
		if r.code != c.code || !strings.Contains(r.err, c.says) {
			t.Errorf("%s: code %d, %q; want %d, %q", name, r.code, r.err, c.code, c.says)
		}
		for _, text := range []string{nobody, part} {
			if text != c.says && strings.Contains(r.err, text) {
				t.Errorf("%s: says %q", name, text)
			}
		}
	}
}
