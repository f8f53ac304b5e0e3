package lint

import (
	"strings"

	"github.com/robotsieve/robotsieve/compile"
)

// knownKeys are the keys that an unknown one may be meant to be.
var knownKeys = wordsOf("User-agent", "Disallow", "Allow", "Sitemap", "Crawl-delay", "Clean-param", "Content-Signal",
	"Content-Usage")

// unsupported says of keys who reads them.
var unsupported = map[string]string{
	"noindex":       "Google did until September 2019, and nobody else is known to; state it in the page",
	"nofollow":      "nobody is known to; state it in the page",
	"noarchive":     "nobody is known to; state it in the page",
	"host":          "only Yandex did, until 2018; redirect to the main host",
	"request-rate":  "Google and Bing do not; Python's urllib.robotparser does",
	"visit-time":    "Google and Bing do not",
	"revisit-after": "nobody is known to",
	"domain":        "nobody is known to",
}

// readRecords adds the notes on the lines that are neither user agents nor rules.
func (l *linter) readRecords() {
	for _, r := range l.read[0].Records {
		key := strings.ToLower(r.Key)
		low := strings.ToLower(r.Value)
		switch {
		case key == "sitemap" || key == "site-map":
			if strings.Contains(r.Value, "*") {
				l.add(r.Line, "wildcard-sitemap", r.Value, "", "")
			}
			if !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://") {
				l.add(r.Line, "relative-sitemap", r.Value, "", "")
			}
		case key == "crawl-delay":
			if _, ok := compile.ParseDelay(r.Value); !ok {
				l.add(r.Line, "crawl-delay-not-a-number", r.Value, "", "")
			} else if r.Group >= 0 && l.controlled[r.Group] {
				l.add(r.Line, "control-token", r.Value, "a crawl delay means nothing to it", "")
			}
		case key == "content-signal" || key == "content-usage":
			if r.Group < 0 {
				l.add(r.Line, "signal-outside-group", r.Value, "", "")
			} else if l.isAmongAgents(r) {
				l.add(r.Line, "signal-misplaced", r.Value, "", "")
			}
		case unsupported[key] != "":
			l.add(r.Line, "not-supported", r.Key, unsupported[key], "")
		}
	}
}

// isAmongAgents reports whether a record stands between two user-agent lines of its group.
func (l *linter) isAmongAgents(r compile.Record) bool {
	agents := l.read[0].Groups[r.Group].Agents
	return agents[0].Line < r.Line && r.Line < agents[len(agents)-1].Line
}
