// Package filter keeps, drops or annotates the rows of URL lists by robots.txt.
//
// The output depends only on the input, not on the number of workers. It consists of the kept rows, byte for byte
// and in order, or of one new line for each row. Every row is counted in one Class.
//
// A Judge finds the rules for the scheme and authority at the beginning of a URL (sites.go), and judges the rest,
// which is the path, for all agents (judge.go). A worker reads the rows of a chunk (worker.go). Kept rows are moved
// to the beginning of the chunk, annotations are written to a buffer (annotate.go), and the chunks are written in
// order (run.go).
package filter

import (
	"fmt"
	"math"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/internal/page"
)

// MaxAgents is the maximum number of agents in a run.
const MaxAgents = 64

// Config has the rules, and options that select the rows to keep. It must not be changed after it has been passed to
// Run or NewJudge.
type Config struct {
	// Dialects has the dialect of each agent's rules, in the order of the agents. It determines which part of a URL is
	// matched. There is one per agent, and at most MaxAgents.
	Dialects []automaton.Dialect
	// Site, if not nil, has the rules for all rows, on any host, one for each agent. Then a request target,
	// which begins with a slash, is a valid URL too.
	Site []Rules
	// Policy has the rules of each origin if Site is nil.
	Policy Policy
	// Epoch, if not nil, means that the policy frees rules: when the number that it returns changes, workers discard
	// the rules they have cached. It is called often, and by several goroutines at once.
	Epoch func() uint64

	// Guard, if not nil, calls a function that uses the rules, and returns its error or, if its findings may be
	// invalid, another error. It is called for each chunk or record before the outcome is written, by several
	// goroutines at once.
	Guard func(func() error) error

	// Layouts describe where the URL is in each row, one for each input. A nil or missing one means a list of URLs, one
	// per line.
	Layouts []*list.Layout
	// Swapped is set for each input whose line feeds and carriage returns have been exchanged because its lines end in
	// carriage returns. Its rows are printed as they were. It may be shorter than the list of inputs.
	Swapped []bool
	// Values is set for each input without a layout whose lines are the URLs of another format, such as a sitemap: a
	// blank in them is part of the URL, whatever follows.
	Values []bool
	// AsOf is the time, in Unix seconds, whose rules apply. With Dated, the time of a row takes precedence, if it has
	// one.
	AsOf  int64
	Dated bool

	// Page bars pages that state one of these directives, in WARC records. Tokens are the product tokens by which pages
	// may address each agent.
	Page   page.Directives
	Tokens [][]string

	// Any allows a URL if one of the agents may fetch it; otherwise all of them must.
	Any bool
	// Disallowed keeps the URLs that are disallowed instead of those that are allowed.
	Disallowed bool
	// NoPolicy keeps URLs of origins whose rules are not known.
	NoPolicy bool
	// Invalid prints rows that have no URL; they still count as invalid.
	Invalid bool
	// Annotate, if not nil, replaces each row by a line of its own, kept or not.
	Annotate Annotator
	// Quotes is the number of invalid rows, the first ones, to quote in the Summary.
	Quotes int
}

// guard calls a function that uses the rules.
func (c *Config) guard(f func() error) error {
	if c.Guard == nil {
		return f()
	}
	return c.Guard(f)
}

// Rules are the rules for one agent on one origin. The zero value allows everything.
type Rules struct {
	// Machine holds the rules; nil allows everything.
	Machine *automaton.Machine
	// Unreachable is set if robots.txt could not be fetched, for example because of a server error. Everything except
	// /robots.txt itself is then disallowed (RFC 9309 2.3.1.4).
	Unreachable bool
}

// Policy has the rules of many origins.
type Policy interface {
	// Find sets the rules of each agent on an origin. found is false if they are unknown. The answer applies to the
	// whole span. The strings of the query are only valid during the call. An error ends the run. Find is called by
	// several goroutines at once, but not for each row, since workers cache the rules. After 128 rows of one site it
	// is called again with Busy set, for rules that are worth more preparation.
	Find(q Query, rules []Rules) (valid Span, found bool, err error)
}

// Query asks for the rules of an origin.
type Query struct {
	Origin origin.Origin
	At     int64 // the instant for which the rules are wanted, in Unix seconds
	Busy   bool  // many URLs of the origin are being judged
}

// Span is a span of time, its first and its last second, both in Unix seconds.
type Span struct{ First, Last int64 }

// Always is the span of rules that have no dates.
var Always = Span{math.MinInt64, math.MaxInt64}

func (s Span) has(at int64) bool { return s.First <= at && at <= s.Last }

// Class is the result for one row.
type Class uint8

const (
	// Allowed is a URL that robots.txt allows.
	Allowed Class = iota
	// Disallowed is a URL that robots.txt disallows.
	Disallowed
	// Unreachable is a URL that is disallowed because robots.txt is unreachable.
	Unreachable
	// ByPage is a URL that robots.txt allows, but whose page states one of Config.Page.
	ByPage
	// NoPolicy is a URL of an origin whose rules are not known.
	NoPolicy
	// Blank is a line of white space only. It is invalid, like all classes below but Header.
	Blank
	// NotAbsolute is a URL that does not begin with a scheme and "://".
	NotAbsolute
	// BadScheme is a URL whose scheme is not http, https or ftp.
	BadScheme
	// BadHost is a URL with an invalid host or port.
	BadHost
	// NoURL is a row whose URL column or member is missing or empty.
	NoURL
	// BadRow is a line that is not a valid row in the list's format.
	BadRow
	// BadTime is a row that lacks a time although one is needed.
	BadTime
	// TooLong is a line longer than source.Options.MaxLine. Only its beginning was read, and it is never printed.
	TooLong
	// CutOff is a line whose end could not be read.
	CutOff
	// Header is a line with the names of a list's columns. It is neither valid nor invalid, and is always printed.
	Header
	// Classes is the number of classes.
	Classes
)

var classNames = [Classes]string{
	"allowed", "disallowed", "unreachable", "barred_by_page", "no_policy",
	"blank", "not_absolute", "bad_scheme", "bad_host", "no_url", "bad_row", "bad_time", "too_long", "cut_off", "header",
}

// String returns the name of the class in reports, such as no_policy.
func (c Class) String() string {
	if c >= Classes {
		return fmt.Sprintf("Class(%d)", uint8(c))
	}
	return classNames[c]
}

// Valid reports whether a row of the class has a URL that rules can judge.
func (c Class) Valid() bool { return c <= NoPolicy }

// Invalid reports whether a row of the class has no such URL, but should have one.
func (c Class) Invalid() bool { return !c.Valid() && c != Header }

// prints returns for each class whether its rows are printed.
func (c *Config) prints() (p [Classes]bool) {
	for class := range Classes {
		switch {
		case c.Annotate != nil, class == Header:
			p[class] = true
		case class.Valid():
			p[class] = c.keeps(class)
		default:
			p[class] = c.Invalid && class != TooLong
		}
	}
	return p
}

// keeps reports whether rows of a valid class count as kept.
func (c *Config) keeps(class Class) bool {
	switch class {
	case Allowed:
		return !c.Disallowed
	case NoPolicy:
		return c.NoPolicy
	}
	return c.Disallowed
}

// Summary counts the rows. Read is Kept + Dropped + Invalid.
type Summary struct {
	Read, Kept, Dropped, Invalid int64
	// Printed is the number of lines, or records, written: the kept rows, the headers and, with Config.Invalid, the
	// invalid rows that are not too long. With Config.Annotate, it is the number of rows and headers. Otherwise, a
	// header equal to the one printed last is not printed again.
	Printed int64
	// Count is the number of rows of each class. Their sum, without the headers, is Read.
	Count [Classes]int64
	// Barred is the number of URLs that each agent may not fetch.
	Barred []int64
	// Misencoded counts URLs judged by rules of the dialect google that have an octet
	// outside ASCII, or a percent-encoded octet in lower case: no pattern that states such
	// a byte matches them, as its parser expects URLs in Google's own form.
	Misencoded int64
	// Spaced counts URLs with a blank in them, which may be the end of the URL.
	Spaced int64
	// Slashed counts paths that begin with two slashes, as URLs without a scheme do.
	Slashed int64
	// Quotes are the first invalid rows, in the order of the input.
	Quotes []Quote
	// Useless has the first row of each input that has non-blank rows but not a single URL.
	Useless []Quote
}

// Quote is an invalid row.
type Quote struct {
	Input int   // index of its input
	Line  int64 // number of the line in its input, from 1
	Class Class
	Text  []byte // without its line end, and no more than its first 200 bytes
}
