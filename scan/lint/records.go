package lint

import (
	"bytes"
	"cmp"
	"strings"
	"sync"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/internal/english"
	"github.com/robotsieve/robotsieve/internal/lazy"
	"github.com/robotsieve/robotsieve/scan/preference"
)

// knownKeys are the keys that an unknown one is compared with.
var knownKeys = sync.OnceValue(func() []word {
	words := wordsOf("User-agent", "Disallow", "Allow", "Sitemap", "Crawl-delay", "Clean-param", "Content-Signal",
		"Content-Usage", "License")
	for i := range words { // with so few keys, more mistakes still leave no doubt
		words[i].part += shortPart
	}
	return append(words, word{"Sitemap", "http", 4}, word{"Sitemap", "https", 5}) // for lines that are just a URL
})

// ruleKeys are the keys that lose a rule, or bind others by it, if misspelled.
var ruleKeys = []string{"User-agent", "Disallow", "Allow"}

// lacksColon matches the text before the first colon of a rule or user-agent line that lacks its own colon; the match
// belongs to the value.
var lacksColon = lazy.Regexp(`(?i)^(allow|disallow|user-agent)[ \t]+(https?$|[/*])`)

// unsupported names the crawlers that read a key.
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
			l.readSitemapLine(r, low)
		case key == "crawl-delay":
			if _, ok := compile.ParseDelay(r.Value); !ok {
				l.add(r.Line, "crawl-delay-not-a-number", r.Value, "", "")
			} else if r.Group >= 0 && l.controlled[r.Group] == len(l.read[0].Groups[r.Group].Agents) {
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
	_, faults := preference.Read(l.read[0])
	for _, f := range faults {
		l.add(f.Line, f.Kind, f.Text, f.More, "")
	}
	l.readBlocks()
}

// severalURLs matches URLs with a blank or a comma between them. A URL in the query of another has neither.
var severalURLs = lazy.Regexp(`(?i)^https?://\S*[\s,;]+https?://`)

// readSitemapLine adds the notes on a Sitemap line, whose value in lower case is low.
func (l *linter) readSitemapLine(r compile.Record, low string) {
	if strings.Contains(r.Value, "*") {
		l.add(r.Line, "wildcard-sitemap", r.Value, "", "")
	}
	switch {
	case strings.ContainsAny(r.Value, "<>{}"):
		l.add(r.Line, "placeholder", r.Value, "", "")
	case severalURLs().MatchString(r.Value):
		l.add(r.Line, "several-sitemaps", r.Value, "", "")
	case !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://"):
		l.add(r.Line, "relative-sitemap", r.Value, "", "")
	}
}

// isAmongAgents reports whether a record stands between two user-agent lines of its group.
func (l *linter) isAmongAgents(r compile.Record) bool {
	agents := l.read[0].Groups[r.Group].Agents
	return agents[0].Line < r.Line && r.Line < agents[len(agents)-1].Line
}

// blocked describes a line that forbids URLs of the sitemaps.
type blocked struct {
	urls int64
	path string // the shortest, the first of these by bytes
}

// readSitemap adds a note on each line that forbids a URL of the site's own sitemaps to unnamed crawlers, or to a
// search engine, in every reading.
func (l *linter) readSitemap() {
	if l.o.Sitemap == nil {
		return
	}
	machines := map[*automaton.Machine][]*automaton.Machine{} // of the readings, by the first reading's machine
	for _, a := range tokensOf(l.read[0]) {
		if p := l.crawler.by[a.Token]; a.Token != "*" && (p == nil || p.Category != "search") {
			continue
		}
		machines[a.Machine] = nil
		for _, r := range l.read {
			machines[a.Machine] = append(machines[a.Machine], r.Ruleset.Machine([]byte(a.Token)))
		}
	}
	delete(machines, nil)
	lines := map[int]*blocked{}
	for url := range l.o.Sitemap {
		for _, list := range machines {
			l.block(url, list, lines)
		}
	}
	for line, b := range lines {
		rule, _ := l.read[0].Rule(line)
		l.add(line, "blocks-sitemap", rule.String(), english.Plural(b.urls, "URL"), b.path)
	}
}

// block notes the line that forbids a URL, if the machines of all readings forbid it.
func (l *linter) block(url []byte, machines []*automaton.Machine, lines map[int]*blocked) {
	if !bytes.HasPrefix(url, []byte("/")) && !bytes.Contains(url, []byte("://")) {
		return
	}
	var first automaton.Verdict
	var path string
	for i, m := range machines {
		p := l.o.Readings[i].Dialect().TargetPath(&l.scratch, url)
		v := m.Match(&l.scratch, p)
		if v.Allowed() {
			return
		}
		if i == 0 {
			first, path = v, string(p)
		}
	}
	b := lines[int(first.Line)]
	if b == nil {
		b = &blocked{path: path}
		lines[int(first.Line)] = b
	}
	b.urls++
	if cmp.Or(cmp.Compare(len(path), len(b.path)), strings.Compare(path, b.path)) < 0 {
		b.path = path
	}
}
