// Package compile reads robots.txt and makes the machines of package automaton.
//
// It is build time: clarity comes before speed, and nothing fails. Any bytes
// are a robots.txt; what means nothing becomes a Note with its line number, and
// what means something else than rules (sitemaps, crawl delays, fields of
// others) is kept as a Record.
//
// One body is read in one dialect at a time, in stages, each in a file of its
// own: the body is cut to lines (lines.go), lines become fields (fields.go),
// fields become groups (groups.go), values of rules become patterns with a
// specificity (pattern.go), tokens are bound to groups (bindings.go), rules are
// ranked (rank.go), and those of the groups that bind one crawler become a machine
// (machines.go), which may have tables (table.go, prefixes.go, segments.go,
// gaps.go).
package compile

import "github.com/robotsieve/robotsieve/automaton"

// DefaultMaxBytes is how much of a robots.txt is read unless told otherwise:
// 500 KiB, the least that RFC 9309 2.5 lets a crawler stop at.
const DefaultMaxBytes = 512_000

// Options say how a body is read. The zero value reads the first
// DefaultMaxBytes by RFC 9309.
type Options struct {
	// Dialect is by whose reading a body means what it does.
	Dialect automaton.Dialect
	// MaxBytes is how much of the body is read: 0 stands for DefaultMaxBytes, a
	// negative number for all of it. A line is dropped whole if a byte of it,
	// its line end not counted, lies past the limit.
	MaxBytes int
	// WideTokens reads the product tokens of dialect Google by RFC 9309's
	// dialect (automaton.CutToken), so that a group for MJ12bot binds MJ12bot,
	// where Google's parser would read MJ. This is the reading by which an
	// audit asks Google's matcher about other companies' crawlers.
	WideTokens bool
	// Engine is how the machines answer; it changes nothing but the time that
	// takes.
	Engine Engine
}

// Robots is one robots.txt as it was read. It is not changed after Compile
// returns, and is safe for any number of goroutines that only read it. Its
// strings share one copy of the body, but for those of Ruleset, which has a copy of
// what it needs.
type Robots struct {
	// Ruleset answers for the rules.
	Ruleset *automaton.Ruleset
	// Groups are the groups in file order, rules that can never match included.
	Groups []Group
	// Records are the lines with a field that is neither of a user agent nor a
	// rule, in file order.
	Records []Record
	// Notes are what a reader of the file may want to know of its lines, in
	// file order.
	Notes []Note
	// Lines is the number of lines that were read.
	Lines int

	made   []*automaton.Machine // of each group by its number, nil where it binds nobody
	joined []joined
}

// Compile reads body in a dialect. It never fails and keeps no reference to
// body.
func Compile(body []byte, o Options) *Robots {
	p := newParser(o)
	defer p.release()
	p.parse(p.cut(body))
	robots := p.take()
	p.ruleset(robots)
	return robots
}
