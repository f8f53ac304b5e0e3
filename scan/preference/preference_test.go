package preference_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/test/cases"
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
	for _, c := range cases.Texts(t, "read.txt") {
		if got := show(c.Parts[0]); got != c.Parts[1] {
			t.Errorf("%s:\n%sinstead of\n%s", c.Name, got, c.Parts[1])
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

// TestHostile checks that files consisting of signals are read within a second each and within the limit.
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
