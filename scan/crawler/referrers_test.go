package crawler

import "testing"

func TestReferrer(t *testing.T) {
	s := builtinSet(t)
	for host, want := range map[string]string{
		"www.google.com": "Google", "google.de": "Google", "www.google.co.uk": "Google", "google.com.br": "Google",
		"gemini.google.com": "Google",
		"mail.google.com":   "", "google": "", "google.evil.example": "", "notgoogle.com": "", "google.com.evil": "",
		"www.": "", "": "", ".": "",
		"www.bing.com": "Microsoft", "copilot.microsoft.com": "Microsoft", "duckduckgo.com": "DuckDuckGo",
		"chatgpt.com": "OpenAI", "chat.openai.com": "OpenAI",
		"claude.ai": "Anthropic", "www.perplexity.ai": "Perplexity", "yandex.ru": "Yandex", "yandex.com.tr": "Yandex",
		"www.baidu.com":   "Baidu",
		"chat.mistral.ai": "Mistral", "kagi.com": "Kagi", "you.com": "You.com", "search.brave.com": "Brave", "brave.com": "",
	} {
		if got := s.Referrer([]byte(host)); got != want {
			t.Errorf("%s belongs to %q, want %q", host, got, want)
		}
	}
}

// TestReferrersAreOfOneProfile checks that each operator names its hosts once, and that no two operators name the same.
func TestReferrersAreOfOneProfile(t *testing.T) {
	profiles := Builtin()
	operators, hosts := map[string]string{}, map[string]string{}
	for _, p := range profiles {
		if other, known := operators[p.Operator]; known && len(p.Referrers) > 0 {
			t.Errorf("%s and %s of %s have referrers", other, p.Name, p.Operator)
		} else if len(p.Referrers) > 0 {
			operators[p.Operator] = p.Name
		}
		for _, host := range p.Referrers {
			if other := hosts[host]; other != "" {
				t.Errorf("%s belongs to %s and %s", host, other, p.Operator)
			}
			hosts[host] = p.Operator
		}
	}
	for _, bad := range []string{"", "WWW", "www.a.example", "https://a.example", "a.example:80", "*", ".*", "a.*.b",
		"a"} {
		if checkReferrer(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
