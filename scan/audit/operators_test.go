package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Visitors are counted for the operators whose search engines and assistants sent them, and
// requests of crawlers without impostors and fetches of robots.txt; in any order, and in states.
func TestOperators(t *testing.T) {
	a := newAuditor(t, robotsTxtBody)
	profiles := a.config.Crawlers.Profiles()
	for i := range profiles {
		switch profiles[i].Name {
		case "Googlebot":
			profiles[i].Referrers = []string{"google.*"}
		case "GPTBot":
			profiles[i].Referrers = []string{"chatgpt.com"}
		}
	}
	c := a.config
	c.Crawlers = setOf(t, profiles)
	a = New(c)
	line := func(referer, agent, target string) string {
		return strings.Replace(entry{agent: agent, target: target}.String(), ` "-" "`, ` "`+referer+`" "`, 1)
	}
	lines := []string{
		line("-", gptbot, "/"), line("https://chatgpt.com/", gptbot, "/private/x"), line("-", gptbot, "/robots.txt"),
		line("-", chatgpt, "/"), line("-", chatgpt, "/robots.txt"),
		line("-", browser, "/"), line("", browser, "/"), line("https://example.com/a", browser, "/b"),
		line("https://www.google.de/", browser, "/"), line("http://google.com", browser, "/"),
		line("https://www.google.com:443/?q", browser, "/"),
		line("https://chatgpt.com?utm", browser, "/"), line("android-app://com.google.android", browser, "/"),
		line("https://", browser, "/"), line("httpx://google.com/", browser, "/"),
		line("https://google.com.evil.example/", browser, "/"), line(strings.Repeat("https://", 1000), browser, "/"),
	}
	r := checkOrder(t, a, "combined", lines)
	if got, want := fmt.Sprint(r.Operators), "[{OpenAI 3 1 [chatgpt.com]} {Google 0 3 [google.*]}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r := auditText(t, a, "combined", strings.Join(lines[:7], "\n")); r.Operators == nil || len(r.Operators) != 0 {
		t.Errorf("no visitor has a Referer, and %+v", r.Operators)
	}
	if r := auditText(t, a, "combined", strings.Join(slices.Concat(lines[:5], lines[7:8]),
		"\n")); len(r.Operators) != 1 || r.Operators[0].Referred != 0 {
		t.Errorf("%+v", r.Operators)
	}
}
