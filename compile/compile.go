// Package compile reads robots.txt and makes the machines of package automaton that
// answer by it:
//
//	gptbot := compile.Parse(body).Agent("GPTBot")
//	gptbot.Allows("https://example.com/private/")
//
// Agent.Match returns the verdict with its line, Agent.CrawlDelay the delay. For one question about a body
// Allowed is faster, as it builds nothing.
//
// Any bytes are a robots.txt: a line without meaning becomes a Note with its line number. A line
// that is not a rule, such as a sitemap or a crawl delay, is kept as a Record.
//
// One body is read in one dialect at a time, in stages, each in a file of its own. The
// parser (parser.go) cuts the body to lines (lines.go), and makes lines to fields
// (fields.go), fields to groups (groups.go) and values of rules to patterns (pattern.go). One
// question is answered while that goes on (question.go). Else, when a crawler is first asked
// for, tokens are bound to groups, rules are ranked (rank.go), and the groups that bind the
// crawler become a machine (machines.go). Where the dialects differ is one table (dialects.go).
package compile

import (
	"math"

	"github.com/robotsieve/robotsieve/automaton"
)

// Allowed reports whether a crawler may fetch a URL by a robots.txt, according to RFC 9309.
// It reads the first DefaultMaxBytes of body, each time anew.
//
// agent is the product token of the crawler, such as GPTBot, or a string that begins with
// it, such as GPTBot/1.2: letters, digits, '_', '-' and '.' are read up to the first other
// byte. A whole User-Agent header mostly begins with Mozilla, which is then the token.
// Case does not matter. A crawler that no group names is bound by the groups for *.
//
// url is a URL or the path of one; its scheme and host are not looked at. Any
// url has an answer: one without a path, or that cannot be parsed, is taken for the path "/".
func Allowed(body []byte, agent, url string) bool {
	return Ask(body, octetsOf(agent), octetsOf(url), Options{}).Allowed()
}

// DefaultMaxBytes is how much of a robots.txt is read unless told otherwise:
// 500 KiB, the least that RFC 9309 2.5 lets a crawler stop at.
const DefaultMaxBytes = 512_000

// Options say how a body is read. The zero value reads the first
// DefaultMaxBytes by RFC 9309.
type Options struct {
	// Dialect is the way in which the body is read. It must be a known one.
	Dialect automaton.Dialect
	// MaxBytes is how many bytes of the body are read: 0 stands for DefaultMaxBytes, a
	// negative number for all of it. A line is dropped whole if a byte of it,
	// its line end not counted, lies past the limit.
	MaxBytes int
	// WideTokens reads the product tokens of dialect Google as RFC 9309's dialect does
	// (automaton.CutToken), so that a group for MJ12bot binds MJ12bot, where Google's
	// parser would read MJ. An audit reads so when it asks what Google's matcher says
	// about crawlers of other companies. It changes no other dialect.
	WideTokens bool
	// EndRuns ends a run of user-agent lines at any other record, which is a line with a colon
	// whose key the dialect does not know, such as Crawl-delay or Sitemap: the next user-agent
	// line begins a group. RFC 9309 and Google's parser pass over such a record, most other
	// parsers do not. Robots.SplitRuns says whether a body has such a run.
	EndRuns bool
	// Engine is how the machines answer. It changes only the time that takes.
	Engine automaton.Engine
}

// Limit returns how many bytes of a body are read with Options.MaxBytes: DefaultMaxBytes for 0,
// and math.MaxInt, which stands for all of it, for a negative number.
func Limit(maxBytes int) int {
	switch {
	case maxBytes == 0:
		return DefaultMaxBytes
	case maxBytes < 0:
		return math.MaxInt
	}
	return maxBytes
}

// Robots is one robots.txt as it was read. It is not changed after Compile
// returns, and is safe for any number of goroutines that only read it. Its strings
// share one copy of the body, also those of Ruleset, which makes the machine of a crawler when
// it is first asked for it.
type Robots struct {
	// Ruleset answers for the rules. It keeps the Robots in memory.
	Ruleset *automaton.Ruleset
	// Groups are the groups in file order, rules that can never match included.
	Groups []Group
	// Records are the fields that are neither a user agent nor a rule, in file order.
	Records []Record
	// Notes are remarks on single lines, in file order.
	Notes []Note
	// Lines is the number of lines that were read, the last also without a line end.
	Lines int
	// SplitRuns says that another record stands between two user-agent lines of one group, so
	// that Options.EndRuns makes two groups of it.
	SplitRuns bool
	// Unreachable says that there is no file, and everything but /robots.txt is forbidden: FromResponse
	// was given an answer from which a crawler cannot know what is allowed.
	Unreachable bool

	machines machines
}

// Compile reads body in a dialect. It keeps no reference to body. It never fails,
// whatever the bytes; it panics if the dialect is unknown (automaton.Dialect.Known).
func Compile(body []byte, o Options) *Robots {
	p := newParser(o)
	defer p.release()
	p.parse(string(p.cut(body)))
	return p.take()
}
