// Package compile parses robots.txt and compiles it to the machines of package automaton:
//
//	gptbot := compile.Parse(body).Agent("GPTBot")
//	gptbot.Allows("https://example.com/private/")
//
// Agent.Match returns the verdict with its line, Agent.CrawlDelay the crawl delay. For a
// single question about a body, Allowed is faster, since it builds nothing.
//
// Any bytes are a valid robots.txt. Questionable lines are reported as Notes with their line
// numbers. Fields other than rules, such as sitemaps and crawl delays, are kept as Records.
//
// A body is read in one dialect, in stages, each in its own file. The parser (parser.go)
// splits the body into lines (lines.go), lines into fields (fields.go), and gathers fields
// into groups (groups.go) and values of rules into patterns (pattern.go). A single question is
// answered at the same time (question.go). Otherwise, when a crawler is first needed, tokens
// are bound to groups, rules are ranked (rank.go), and the groups that bind the crawler become
// a machine (machines.go). One table holds the differences between dialects (dialects.go).
package compile

import (
	"math"

	"github.com/robotsieve/robotsieve/automaton"
)

// Allowed reports whether a crawler may fetch a URL according to robots.txt and RFC 9309. It parses
// the first DefaultMaxBytes of body on each call.
//
// agent is the product token of the crawler, such as GPTBot, or a string that begins with it, such
// as GPTBot/1.2: it is read up to the first byte other than letters, digits, '_', '-' and '.'. Do
// not pass a whole User-Agent header, whose token is usually Mozilla. Case does not matter. A
// crawler that no group names is bound by the groups for *.
//
// url is a URL or path; its scheme and host are ignored. A URL that has no path or cannot be parsed
// is read as the path "/".
func Allowed(body []byte, agent, url string) bool {
	return Ask(body, octetsOf(agent), octetsOf(url), Options{}).Allowed()
}

// DefaultMaxBytes is how much of a robots.txt is read by default: 500 KiB, the lowest limit that
// RFC 9309 2.5 permits.
const DefaultMaxBytes = 512_000

// Options configure how a body is read. The zero value reads the first DefaultMaxBytes according to
// RFC 9309.
type Options struct {
	// Dialect is the dialect in which the body is read. It must be valid.
	Dialect automaton.Dialect
	// MaxBytes limits how many bytes of the body are read. 0 means DefaultMaxBytes, a negative number
	// no limit. A line is dropped if any byte of it, apart from its line end, lies beyond the limit.
	MaxBytes int
	// WideTokens makes dialect Google read product tokens as RFC9309 does (automaton.CutToken), so
	// that a group for MJ12bot binds MJ12bot, where Google's parser would read MJ. Audits use it to
	// judge crawlers of other companies by Google's matcher. Other dialects are not affected.
	WideTokens bool
	// EndRuns ends a run of user-agent lines at any record with a colon and a key that the dialect
	// does not know, such as Crawl-delay or Sitemap, so that the next user-agent line begins a new
	// group. RFC 9309 and Google's parser ignore such records; most other parsers do not.
	// Robots.SplitRuns reports whether a body has such a run.
	EndRuns bool
	// Engine selects how machines match. It affects only speed.
	Engine automaton.Engine
}

// Limit returns the number of bytes read for a value of Options.MaxBytes: DefaultMaxBytes for 0,
// and math.MaxInt for a negative number.
func Limit(maxBytes int) int {
	switch {
	case maxBytes == 0:
		return DefaultMaxBytes
	case maxBytes < 0:
		return math.MaxInt
	}
	return maxBytes
}

// Robots is a parsed robots.txt. It is immutable and safe for concurrent use. Its strings,
// including those in Ruleset, share one copy of the body. The machine of a crawler is made on first
// use.
type Robots struct {
	// Ruleset answers questions about the rules. It keeps the Robots in memory.
	Ruleset *automaton.Ruleset
	// Groups are the groups in file order, including rules that never match.
	Groups []Group
	// Records are all other fields, such as sitemaps and crawl delays, in file order.
	Records []Record
	// Notes are remarks on single lines, in file order.
	Notes []Note
	// Lines is the number of lines read, including a last one without a line end.
	Lines int
	// SplitRuns is true if another record stands between two user-agent lines of a group, so that
	// Options.EndRuns would split it.
	SplitRuns bool
	// Unreachable is true if FromResponse was given a response after which everything but /robots.txt
	// is forbidden. There is no file then.
	Unreachable bool

	machines machines
}

// Compile parses body and never fails. It retains no reference to body. It panics if the dialect is
// unknown (automaton.Dialect.Known).
func Compile(body []byte, o Options) *Robots {
	p := newParser(o)
	defer p.release()
	p.parse(string(p.cut(body)))
	return p.take()
}
