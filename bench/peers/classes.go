package main

import (
	"bytes"
	"cmp"
	"net/url"
	"regexp"
	"sort"
	"strings"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/bench"
	"github.com/robotsieve/robotsieve/compile"
)

// A reading is one way in which a parser departs from Google's. It rewrites a question so that Google's reading of
// the result is that parser's reading of the original: where it gives the peer's verdict, it explains the difference.
type reading struct {
	name  string
	apply func(q question) question
}

type question struct {
	agent, url string
	body       []byte
	known      map[string]*compile.Robots // by their bodies
}

// allowed answers by Google's reading.
func (q question) allowed() (verdict automaton.Verdict) {
	robots := q.known[string(q.body)]
	if robots == nil {
		robots = compile.Compile(q.body, googleWhole)
		q.known[string(q.body)] = robots
	}
	return robots.Ruleset.Match(new(automaton.Scratch), []byte(q.agent), []byte(q.url))
}

// noPath is a pattern that no URL has.
const noPath = "/\x01"

// certain is how many of the first readings cover behavior unique to Google, so they are the reason if they matter.
const certain = 3

// readings are those that explain what the peers do with real files.
var readings = []reading{
	{"`Allow: /dir/index.html` does not allow `/dir/`", rule("allow", `(.*/)index(\.html?)`, "$1$2*ndex$3")},
	{"`Disallow: /dir/index.html` forbids `/dir/`, too", rule("disallow", `(.*/)index\.html?[ \t\r]*$`, "$1$2$$")},
	{"`|`, `[` or `]` is percent-encoded before it is compared", encoded},
	{"a rule with no `/` in front gets one", rule("(?:dis)?allow", `([^/\s#$])`, "$1/$2")},
	{"a pattern ends at its first blank", rule("(?:dis)?allow", `(\S+)[ \t]+[^\s#][^\n]*`, "$1$2")},
	{"a `Crawl-delay` above 300 s forbids everything", rule("crawl-delay", `(?:[3-9]\d\d|\d{4,})`,
		"Disallow: /$$\nDisallow: /*")},
	{"a group without a rule is no group", withoutEmptyGroups},
	{"an empty `Disallow` does not end a run of `User-agent` lines", rule("disallow", `[\r]?$`, "")},
	{"a `User-agent` that is a part of the agent's name names it", byPart},
	{"the first rule that matches decides", firstMatch},
	{"`Disallow` wins where an `Allow` is as long", rule("disallow", `(\S+[^\s$])`, "$1$2*")},
	{"`$` does not count as length, and `Disallow` wins a tie", rule("disallow", `(\S+[^\s$])`, "$1$2**")},
	{"a `?` at the end of a pattern or URL is dropped", withoutQuestionMark},
	{"patterns and URLs are percent-decoded first", decoded},
	{"a pattern with `*` or `$` is not found to match", rule("(?:dis)?allow", `([^\n]*)[*$][^\n]*`, "$1$2"+noPath)},
	{"a blank line ends a group", rewrite(`(?m)^[ \t]*\r?$`, "Allow: "+noPath+"\nUser-agent: nobody")},
}

// explanation says which readings give a peer's verdicts about one site.
type explanation struct {
	site   int
	differ []int          // URLs on which its verdict is not the one wanted
	gives  []map[int]bool // for each reading, the URLs of which it gives the verdict
	known  map[string]*compile.Robots
}

// explain tries the readings on the URLs of a site on which a peer differs, and on some on which it does not.
func (c *corpus) explain(site int, got []bench.Verdict) *explanation {
	s, want := &c.sites[site], c.want[site]
	e := &explanation{site: site, known: map[string]*compile.Robots{}}
	for j := range got {
		if got[j] != want[j] {
			e.differ = append(e.differ, j)
		}
	}
	if e.differ == nil {
		return e
	}
	for _, r := range readings {
		gives := map[int]bool{}
		for j, url := range s.URLs[:len(got)] {
			if got[j] == want[j] && j%(1+len(got)/20) != 0 {
				continue // some twenty of those tell enough
			}
			q := question{s.Agent, url, s.Body, e.known}
			if bench.VerdictOf(r.apply(q).allowed().Allowed()) == got[j] {
				gives[j] = true
			}
		}
		e.gives = append(e.gives, gives)
	}
	return e
}

// name names the reading that explains the verdict on a URL: that which gives most on this site, and everywhere.
func (e *explanation) name(s *bench.Site, url int, got bench.Verdict, total []int) string {
	if got == bench.NoAnswer {
		return "no answer: it rejects the file, or fails"
	}
	for i, gives := range e.gives[:certain] {
		if gives[url] {
			return readings[i].name
		}
	}
	best := -1
	for i, gives := range e.gives {
		if gives[url] && (best < 0 || cmp.Or(cmp.Compare(len(gives), len(e.gives[best])),
			cmp.Compare(total[i], total[best])) > 0) {
			best = i
		}
	}
	if best >= 0 {
		return readings[best].name
	}
	return explainByTwo(question{s.Agent, s.URLs[url], s.Body, e.known}, got)
}

func explainByTwo(q question, got bench.Verdict) string {
	for _, first := range readings {
		once := first.apply(q)
		for _, second := range readings {
			if bench.VerdictOf(second.apply(once).allowed().Allowed()) == got {
				return first.name + "; " + second.name
			}
		}
	}
	return "not explained"
}

// rule returns a reading that replaces lines of one key, which is $1 with its colon.
func rule(key, value, by string) func(question) question {
	return rewrite(`(?im)^([ \t]*`+key+`[ \t]*:[ \t]*)`+value, by)
}

// rewrite returns a reading that replaces what matches in the robots.txt.
func rewrite(pattern, by string) func(question) question {
	find := regexp.MustCompile(pattern)
	return func(q question) question {
		q.body = find.ReplaceAll(q.body, []byte(by))
		return q
	}
}

var encodedCharacters = strings.NewReplacer("|", "%7C", "[", "%5B", "]", "%5D")

func encoded(q question) question {
	q.body, q.url = []byte(encodedCharacters.Replace(string(q.body))), encodedCharacters.Replace(q.url)
	return q
}

var userAgent = regexp.MustCompile(`(?im)^[ \t]*user-agent[ \t]*:[ \t]*([^\s#/]*)[^\n]*$`)

// withoutEmptyGroups takes away the User-agent lines after the last rule.
func withoutEmptyGroups(q question) question {
	rules := ruleLine.FindAllIndex(q.body, -1)
	if rules == nil {
		return q
	}
	end := rules[len(rules)-1][1]
	q.body = append(bytes.Clone(q.body[:end]), userAgent.ReplaceAll(q.body[end:], nil)...)
	return q
}

func byPart(q question) question {
	q.body = userAgent.ReplaceAllFunc(q.body, func(line []byte) []byte {
		name := userAgent.FindSubmatch(line)[1]
		if string(name) == "*" || !strings.Contains(q.agent, strings.ToLower(string(name))) {
			return line
		}
		return []byte("User-agent: " + q.agent)
	})
	return q
}

var emptyQuery = rule("(?:dis)?allow", `([^\n]*)\?[ \t\r]*$`, "$1$2")

func withoutQuestionMark(q question) question {
	q = emptyQuery(q)
	q.url = strings.TrimSuffix(q.url, "?")
	return q
}

func decoded(q question) question {
	if u, err := url.PathUnescape(q.url); err == nil {
		q.url = u
	}
	q.body = ruleLine.ReplaceAllFunc(q.body, func(line []byte) []byte {
		if u, err := url.PathUnescape(string(line)); err == nil {
			return []byte(u)
		}
		return line
	})
	return q
}

var (
	ruleLine  = regexp.MustCompile(`(?im)^[ \t]*((?:dis)?allow)[ \t]*:[ \t]*([^\r\n#]*)`)
	emptyRule = regexp.MustCompile(`(?im)^[ \t]*disallow[ \t]*:[ \t\r]*$`)
)

// firstMatch leaves only the first rule that matches, where an empty Disallow allows everything.
func firstMatch(q question) question {
	q.body = emptyRule.ReplaceAll(q.body, []byte("Allow: /"))
	rules := ruleLine.FindAllIndex(q.body, -1)
	upTo := func(n int) question {
		end := rules[n][1]
		rest := ruleLine.ReplaceAll(q.body[end:], []byte("$1: "+noPath))
		return question{q.agent, q.url, append(bytes.Clone(q.body[:end]), rest...), q.known}
	}
	first := sort.Search(len(rules), func(n int) bool { return upTo(n).allowed().Line > 0 })
	if first == len(rules) {
		return q
	}
	return upTo(first)
}
