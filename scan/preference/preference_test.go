package preference_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/crawler"
	"github.com/robotsieve/robotsieve/scan/preference"
)

// show writes preferences in lines "AGENTS: SIGNAL USE PATH VALUE @LINES", and faults in lines "LINE KIND TEXT (MORE)".
func show(robots string) string {
	list, faults := preference.Read(compile.Parse([]byte(robots)))
	var b strings.Builder
	for _, c := range list {
		for _, s := range c.Statements {
			fmt.Fprintf(&b, "%s: %s\n", strings.Join(c.Agents, ","), strings.Join(strings.Fields(fmt.Sprint(s.Signal, " ", s.Use,
				" ", s.Path, " ", s.Value, " ", strings.Trim(fmt.Sprint(s.Lines), "[]"))), " "))
		}
	}
	for _, f := range faults {
		fmt.Fprintf(&b, "%d %s %q (%s)\n", f.Line, f.Kind, f.Text, f.More)
	}
	return b.String()
}

// TestRead reads examples of the drafts and of real files.
func TestRead(t *testing.T) {
	for _, c := range []struct{ name, robots, want string }{
		{"no signal", "User-agent: *\nDisallow: /\n", ""},
		{"contentsignals.org", "User-Agent: *\nContent-Signal: ai-train=no, search=yes, ai-input=yes\nAllow: /\n",
			"*: content-signal ai-train no 2\n*: content-signal search yes 2\n*: content-signal ai-input yes 2\n"},
		// An absent key neither grants nor restricts, and a group of its own has nothing of that for *.
		{"managed", "User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n\nUser-agent: GPTBot\n" +
			"User-agent: CCBot\nDisallow: /\n",
			"*: content-signal search yes 2\n*: content-signal ai-train no 2\n*: content-signal use reference 2\n" +
				"*: content-signal ai-input unknown\n" +
				"CCBot,GPTBot: content-signal search unknown\nCCBot,GPTBot: content-signal ai-input unknown\n" +
				"CCBot,GPTBot: content-signal ai-train unknown\n"},
		{"keys and values in other letters, commas at the end", "User-agent: *\nContent-signal: Search=YES ,\nAllow: /\n",
			"*: content-signal search yes 2\n*: content-signal ai-input unknown\n*: content-signal ai-train unknown\n"},
		{"outside of a group", "Content-Signal: ai-train=no\nUser-agent: *\nDisallow: /a\n",
			"*: content-signal search unknown\n*: content-signal ai-input unknown\n*: content-signal ai-train unknown\n"},
		{"wrong key, wrong value", "User-agent: *\nContent-Signal: ai-retrieval=no, train-ai=no, search=maybe, ai-input\n" +
			"Content-Signal:\nContent-Signal: use=all\n",
			"*: content-signal search unknown 2\n*: content-signal ai-input unknown 2\n*: content-signal use unknown 4\n" +
				"*: content-signal ai-train unknown\n" +
				"2 signal-unknown-key \"ai-retrieval\" ()\n2 signal-unknown-key \"train-ai\" (ai-train meant?)\n" +
				"2 signal-wrong-value \"ai-input=\" (it must be yes or no)\n" +
				"2 signal-wrong-value \"search=maybe\" (it must be yes or no)\n3 signal-wrong-value \"\" ()\n" +
				"4 signal-wrong-value \"use=all\" (it must be immediate or reference or full)\n"},
		{"two groups for *, which contradict", "User-agent: *\nContent-Signal: search=yes\nAllow: /\n\nUser-agent: *\n" +
			"Content-Signal: search=no, ai-train=no\nDisallow: /lp\n",
			"*: content-signal search unknown 2 6\n*: content-signal ai-train no 6\n*: content-signal ai-input unknown\n" +
				"6 signal-contradiction \"search\" (line 2 says yes)\n"},
		// A wrong value states nothing: it hides neither a value nor a contradiction.
		{"wrong values among others", "User-agent: *\nContent-Signal: ai-train=perhaps, ai-train=yes, search=?, search=no\n" +
			"Content-Signal: ai-train=no, search=!\nContent-Signal: ai-train=yes\nAllow: /\n",
			"*: content-signal ai-train unknown 2 3 4\n*: content-signal search no 2 3\n*: content-signal ai-input unknown\n" +
				"2 signal-wrong-value \"ai-train=perhaps\" (it must be yes or no)\n" +
				"2 signal-wrong-value \"search=?\" (it must be yes or no)\n" +
				"3 signal-contradiction \"ai-train\" (line 2 says yes)\n" +
				"3 signal-wrong-value \"search=!\" (it must be yes or no)\n"},
		// draft-ietf-aipref-attach.
		{"example of attach", "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\n" +
			"Content-Usage: /ai-ok/ train-ai=y\n\nUser-Agent: ExampleBot\nAllow: /\nContent-Usage: / train-ai=y\n",
			"*: content-usage train-ai no 4\n*: content-usage train-ai /ai-ok/ yes 5\n*: content-usage search unknown\n" +
				"ExampleBot: content-usage train-ai / yes 9\nExampleBot: content-usage search unknown\n"},
		{"equal paths: any n is no", "User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n, search=y\n" +
			"Content-Usage: /a search=?\nContent-Usage: /a train-ai=y\nDisallow:\n",
			"*: content-usage train-ai /a no 2 3 5\n*: content-usage search /a yes 3\n*: content-usage train-ai unknown\n" +
				"*: content-usage search unknown\n" +
				"3 signal-contradiction \"train-ai\" (line 2 says yes)\n" +
				"4 signal-wrong-value \"search=?\" (it is no dictionary of RFC 9651)\n" +
				"5 signal-contradiction \"train-ai\" (line 2 says no)\n"},
		// draft-ietf-aipref-vocab.
		{"duplicates of one dictionary", "User-agent: *\nContent-Usage: train-ai=y, train-ai, search=n, search=\"n\"\n",
			"*: content-usage train-ai unknown 2\n*: content-usage search unknown 2\n" +
				"2 signal-wrong-value \"search=\\\"n\\\"\" (it must be y or n)\n" +
				"2 signal-wrong-value \"train-ai=?1\" (it must be y or n)\n"},
		{"parameters", "User-agent: *\nContent-Usage: train-ai;allow=n, train-ai=y; a=(\nContent-Usage: search=n;x=\"1;2\"\n",
			"*: content-usage search no 3\n*: content-usage train-ai unknown\n" +
				"2 signal-wrong-value \"train-ai;allow=n, train-ai=y; a=(\" (it is no dictionary of RFC 9651)\n"},
		{"a parameter is no value", "User-agent: *\nContent-Usage: train-ai;allow=n, train-ai=y\n",
			"*: content-usage train-ai yes 2\n*: content-usage search unknown\n"},
		{"case counts", "User-agent: *\nContent-Usage: Train-AI=n\nContent-Usage: train-ai=N\n",
			"*: content-usage train-ai unknown 3\n*: content-usage search unknown\n" +
				"2 signal-wrong-value \"Train-AI=n\" (it is no dictionary of RFC 9651)\n" +
				"3 signal-wrong-value \"train-ai=N\" (it must be y or n)\n"},
		{"lists, dates, bytes, a label of others", "User-agent: *\nContent-Usage: a=(1 \"b\";c d), e=@1659578233, f=:aGk=:, g=%\"z\", " +
			"h=-1.5, train-ai=n\n",
			"*: content-usage train-ai no 2\n*: content-usage search unknown\n2 signal-unknown-key \"a\" ()\n" +
				"2 signal-unknown-key \"e\" ()\n2 signal-unknown-key \"f\" ()\n2 signal-unknown-key \"g\" ()\n" +
				"2 signal-unknown-key \"h\" ()\n"},
		// Lines of sites on GitHub.
		{"yes for y, ai-train for train-ai", "User-agent: *\nContent-Usage: train-ai=yes, ai-train=n, cite=y\n",
			"*: content-usage train-ai unknown 2\n*: content-usage search unknown\n" +
				"2 signal-unknown-key \"ai-train\" (train-ai meant?)\n2 signal-unknown-key \"cite\" ()\n" +
				"2 signal-wrong-value \"train-ai=yes\" (it must be y or n)\n"},
		{"several drafts", "User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: / train-ai=y\nDisallow:\n",
			"*: content-signal ai-train no 2\n*: content-usage train-ai / yes 3\n*: content-signal search unknown\n" +
				"*: content-signal ai-input unknown\n*: content-usage search unknown\n"},
		// RSL 1.0.
		{"licenses are for all, in a group or not", "License: https://a.example/l.xml\nUser-agent: x\nDisallow: /\n" +
			"license: http://b.example/?l\nLicense: /license.xml\nLicense: https:// x\nLicense:\n",
			": license https://a.example/l.xml 1\n: license http://b.example/?l 4\n" +
				"5 license-not-url \"/license.xml\" ()\n6 license-not-url \"https:// x\" ()\n7 license-not-url \"\" ()\n"},
		{"control tokens", "User-agent: GPTBot\nUser-agent: Google-Extended\nDisallow: /\n\nUser-agent: Applebot-Extended\n" +
			"Disallow: /a\n\nUser-agent: *\nDisallow:\n",
			"Applebot-Extended: control-token applebot-extended partly 5\nGoogle-Extended: control-token google-extended no 1\n"},
		{"a control token that may use all", "User-agent: google-extended\nDisallow:\n",
			"google-extended: control-token google-extended yes 1\n"},
		{"* says nothing of a control token", "User-agent: *\nDisallow: /\n", ""},
	} {
		if got := show(c.robots); got != c.want {
			t.Errorf("%s:\n%sinstead of\n%s", c.name, got, c.want)
		}
	}
}

// TestVerdictsStay checks that signals don't change what a file forbids.
func TestVerdictsStay(t *testing.T) {
	rules := "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nAllow: /a\nDisallow: /b\n"
	signals := strings.ReplaceAll(rules, "\nDisallow", "\nContent-Signal: ai-train=no, search=no\nContent-Usage: /c train-ai=n\n"+
		"License: https://example.com/\nDisallow")
	for _, agent := range []string{"GPTBot", "CCBot", "Google-Extended"} {
		for _, path := range []string{"/", "/a", "/b", "/c"} {
			with, without := compile.Parse([]byte(signals)).Agent(agent), compile.Parse([]byte(rules)).Agent(agent)
			if with.Allows(path) != without.Allows(path) {
				t.Errorf("%s %s: signals change the verdict", agent, path)
			}
		}
	}
}

// TestHostile checks that files consisting of signals are read within a second each and within the
// limit.
func TestHostile(t *testing.T) {
	var paths, agents, groups strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&paths, "Content-Usage: /%d train-ai=n\n", i)
		fmt.Fprintf(&agents, "User-agent: a%d\n", i)
		fmt.Fprintf(&groups, "User-agent: g%d\nContent-Signal: ai-train=no\nDisallow: /\n", i)
	}
	for name, body := range map[string]string{
		"paths of many crawlers": agents.String()[:250_000] + "\n" + paths.String()[:200_000], "groups": groups.String(),
		"keys": "User-agent: *\nContent-Signal: " + strings.Repeat("a,", 240_000), "licenses": strings.Repeat("License: https://a\n", 30_000),
		"brackets": "User-agent: *\nContent-Usage: a=" + strings.Repeat("(", 400_000),
		"list":     "User-agent: *\nContent-Usage: a=(" + strings.Repeat("a;a ", 100_000),
	} {
		start, robots := time.Now(), compile.Parse([]byte(body))
		list, _ := preference.Read(robots)
		n := 0
		for _, c := range list {
			for _, s := range c.Statements {
				n += len(s.Lines)
			}
		}
		if d := time.Since(start); d > 5*time.Second || n > preference.MaxStatements {
			t.Errorf("%s: %v, %d statements", name, d, n)
		}
	}
}

// TestSignals checks that each row has a source and a day, and that the control tokens are those of
// the known crawlers that concern more than parts of one search engine.
func TestSignals(t *testing.T) {
	set, err := crawler.New(crawler.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range preference.Signals() {
		if _, err := time.Parse(time.DateOnly, s.Date); err != nil || !strings.HasPrefix(s.Source, "https://") {
			t.Errorf("%s %s: no source or day", s.Name, s.Use)
		}
		isControl := func(p crawler.Profile) bool {
			return p.Control && strings.EqualFold(p.Name, s.Use) && p.Source == s.Source && p.Date == s.Date
		}
		if s.Name == preference.ControlToken && !slices.ContainsFunc(set.Profiles(), isControl) {
			t.Errorf("%s is no control token with this source among the known crawlers", s.Use)
		}
	}
}

// TestReadTDMRep reads examples of the specification, and others.
func TestReadTDMRep(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`[{"location": "/*", "tdm-reservation": 1, "tdm-policy": "https://provider.com/policies/policy.json"}]`,
			"tdm /* no, tdm-policy /* https://provider.com/policies/policy.json"},
		{`[{"location":"/directory-a/","tdm-reservation":1},{"location":"/directory-b/html/","tdm-reservation":0},
			{"location":"/*.jpg$","tdm-reservation":1}]`,
			"tdm /directory-a/ no, tdm /directory-b/html/ yes, tdm /*.jpg$ no"},
		{"\ufeff[]", ""},
		{`[{"location":"/","tdm-reservation":2},{"location":"/a"},{"location":"/b","tdm-reservation":"1"},{"location":"/c",` +
			`"tdm-reservation":1.0,"tdm-policy":"/p"},{"tdm-reservation":1},{"location":7,"tdm-reservation":1}]`,
			"tdm / unknown, tdm /a unknown, tdm /b unknown, tdm /c unknown; " +
				"1 tdm-reservation: 2, 2 tdm-reservation: , 3 tdm-reservation: \"1\", 4 tdm-reservation: 1.0, " +
				"4 tdm-policy: \"/p\", 5 location, 6 location"},
		{`{"location":"/"}`, "error"}, {"<!doctype html>", "error"}, {"", "error"}, {`[1]`, "error"},
		{strings.Repeat("[", 100_000), "error"},
	} {
		list, faults, err := preference.ReadTDMRep([]byte(c.body))
		var stated, wrong []string
		for _, s := range list {
			stated = append(stated, s.Use+" "+s.Path+" "+s.Value)
		}
		for _, f := range faults {
			wrong = append(wrong, fmt.Sprint(f.Line, " ", f.Text))
		}
		got := strings.Join(stated, ", ")
		if len(wrong) > 0 {
			got += "; " + strings.Join(wrong, ", ")
		}
		if err != nil {
			got = "error"
		}
		if got != c.want {
			t.Errorf("%.100s: %s", c.body, got)
		}
	}
}
