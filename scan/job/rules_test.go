package job

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/filter"
	"github.com/robotsieve/robotsieve/scan/internal/archived"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
)

// rulesFor opens the archive of some lines of JSON.
func rulesFor(t *testing.T, all bool, agent, lines string) *archived.Rules {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.rsv")
	o := CompileOptions{Sources: []string{"-"}, Output: path, AllVersions: all, Stdin: strings.NewReader(lines)}
	if strings.Contains(lines, `"date"`) {
		o.Fields = "host=host,body=body,status=status,date=date"
	}
	if _, err := Compile(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	found, err := Agent{Name: agent}.find(Messages{})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := openRules(context.Background(), path, found)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rules.Mapped.Close() })
	return rules
}

// answered is a line of JSON.
func answered(host, date string, status int, field, value string) string {
	if date != "" {
		date = fmt.Sprintf(`"date":%q,`, date)
	}
	return fmt.Sprintf("{\"host\":%q,%s\"status\":%d,%q:%q}\n", host, date, status, field, value)
}

// verdictAt is the verdict of some rules on /x of a host at an instant, and the span for which it is valid.
func verdictAt(t *testing.T, rules *archived.Rules, host string, at int64) (string, filter.Span) {
	t.Helper()
	var bound [1]filter.Rules
	valid, found, err := rules.Find(filter.Query{Origin: origin.Origin{Scheme: "http", Host: host, Port: 80}, At: at},
		bound[:])
	var s automaton.Scratch
	switch {
	case err != nil:
		t.Fatal(err)
	case !found:
		return "unknown", valid
	case bound[0].Unreachable:
		return "unreachable", valid
	case bound[0].Machine.Match(&s, []byte("/x")).Allowed():
		return "allowed", valid
	}
	return "disallowed", valid
}

const forbidsAll = "User-agent: *\nDisallow: /"

// TestRedirectThroughAForbiddenURL checks that a redirect through a URL that robots.txt forbids means that there is
// no robots.txt, as in an audit, because an obedient crawler does not get to its end.
func TestRedirectThroughAForbiddenURL(t *testing.T) {
	to := func(host, location string) string { return answered(host, "", 301, "location", location) }
	b := answered("b", "", 200, "body", "User-agent: *\nDisallow: /secret\n\nUser-agent: Bad\nDisallow: /r")
	for _, c := range []struct{ name, agent, lines, want string }{
		{"forbidden", "Good", to("a", "http://b/secret/r.txt") + b, "allowed"},
		{"permitted", "Good", to("a", "http://b/r.txt") + b, "unknown"},
		{"forbidden to this agent", "Bad", to("a", "http://b/r.txt") + b, "allowed"},
		{"behind another redirect", "Good", to("a", "http://c/robots.txt") + to("c", "http://b/secret/r.txt") + b, "allowed"},
		{"its host is not known", "Good", to("a", "http://b/secret/r.txt"), "unknown"},
		{"its host has no file", "Good", to("a", "http://b/secret/r.txt") + answered("b", "", 404, "body", ""), "unknown"},
		{"its host cannot be reached", "Good", to("a", "http://b/secret/r.txt") + answered("b", "", 503, "body", ""),
			"unknown"},
		{"its host is redirected there too", "Good", to("a", "http://b/secret/r.txt") + to("b", "http://b/secret/r.txt"),
			"unknown"},
		{"to a robots.txt that forbids all", "Good", to("a", "http://b/robots.txt") + answered("b", "", 200, "body",
			forbidsAll), "disallowed"},
	} {
		if got, _ := verdictAt(t, rulesFor(t, false, c.agent, c.lines), "a", newest); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestLastCopyCountsWhileRobotsTxtFails checks this beyond 60 days, and for an archive with one answer per origin.
func TestLastCopyCountsWhileRobotsTxtFails(t *testing.T) {
	day := func(n int) string { return fmt.Sprintf("1970-%02d-%02d", 1+n/28, 1+n%28) }
	at := func(status, n int, body string) string { return answered("a", day(n), status, "body", body) }
	for _, c := range []struct {
		name, agent, lines string
		newest, now        string // of an archive with one answer of each origin; of one with all of them
	}{
		{"200, then 503", "x", at(200, 0, forbidsAll) + at(503, 10, "") + at(500, 40, "") + at(503, 70, ""), "disallowed",
			"disallowed"},
		{"200 that allows, then 503", "x", at(200, 0, "") + at(503, 10, "") + at(503, 70, ""), "allowed", "allowed"},
		{"404, then 503", "x", at(200, 0, forbidsAll) + at(404, 10, "") + at(503, 20, ""), "allowed", "allowed"},
		{"503 alone", "x", at(503, 10, "") + at(500, 20, ""), "unreachable", "unreachable"},
		{"503, then 200", "x", at(503, 10, "") + at(200, 20, forbidsAll), "disallowed", "disallowed"},
		{"200, then 429", "x", at(200, 0, forbidsAll) + at(429, 10, ""), "allowed", "allowed"},
		{"200, then 429, for Google", "Googlebot", at(200, 0, forbidsAll) + at(429, 10, ""), "unreachable", "disallowed"},
	} {
		if got, _ := verdictAt(t, rulesFor(t, false, c.agent, c.lines), "a", newest); got != c.newest {
			t.Errorf("%s, the newest: %s, want %s", c.name, got, c.newest)
		}
		rules := rulesFor(t, true, c.agent, c.lines)
		if got, _ := verdictAt(t, rules, "a", newest); got != c.now {
			t.Errorf("%s: %s, want %s", c.name, got, c.now)
		}
		for at := int64(-86400); at < 100*86400; at += 86400 {
			want, valid := verdictAt(t, rules, "a", at)
			for other := int64(-86400); other < 100*86400; other += 86400 {
				if got, _ := verdictAt(t, rules, "a", other); got != want && valid.First <= other && other <= valid.Last {
					t.Fatalf("%s: %s at %d, valid for %v, but %s at %d", c.name, want, at, valid, got, other)
				}
			}
		}
	}
	rules := rulesFor(t, true, "x", at(200, 0, forbidsAll)+at(503, 10, "")+at(200, 20, ""))
	for n, want := range map[int64]string{-1: "unknown", 5: "disallowed", 15: "disallowed", 25: "allowed"} {
		if got, _ := verdictAt(t, rules, "a", n*86400); got != want {
			t.Errorf("day %d: %s, want %s", n, got, want)
		}
	}
}
