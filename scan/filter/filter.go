// Package filter keeps or drops the URLs of lists, one per line, by robots.txt.
//
// The output depends on the input alone, not on the number of workers: it is the
// kept lines, byte for byte and in their order. Every line is counted in one Class.
//
// A worker cuts a line off its chunk (worker.go) and looks up the site of the scheme
// and authority that it begins with (sites.go); the site's machine judges the rest
// of the line, which is the path. Kept lines are moved together at the beginning of
// the chunk, and the chunks are written in order (run.go).
package filter

import (
	"fmt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// Config has the rules and tells which lines are kept. It must not be changed after
// it has been given to Run.
type Config struct {
	// Site, if not nil, has the rules for all lines, on any host. Then a request target,
	// which begins with a slash, is a valid line too.
	Site *Rules
	// Policy has the rules of each origin if Site is nil.
	Policy Policy
	// Epoch, if not nil, says that the policy frees rules: when the number that it returns is
	// another one, workers forget the rules that they have found. It is called by several
	// goroutines at once, and often.
	Epoch func() uint64
	// Dialect is the dialect of all rules: it tells which part of a URL is matched.
	Dialect automaton.Dialect

	// Disallowed keeps the URLs that are disallowed instead of those that are
	// allowed.
	Disallowed bool
	// NoPolicy keeps URLs of origins whose rules are not known.
	NoPolicy bool
	// Invalid prints lines that are not URLs; they still count as invalid.
	Invalid bool
	// Quotes is the number of invalid lines, the first ones, to quote in the Summary.
	Quotes int
}

// Rules are the rules for the crawler on one origin. The zero value allows
// everything.
type Rules struct {
	// Machine holds the rules; nil allows everything.
	Machine *automaton.Machine
	// Unreachable tells that robots.txt could not be fetched, such as because of a server
	// error: everything but /robots.txt itself is disallowed (RFC 9309 2.3.1.4).
	Unreachable bool
}

// Policy has the rules of many origins.
type Policy interface {
	// Find returns the rules for an origin; found is false if they are not known. The
	// strings of o are valid during the call only. An error ends the filtering.
	// Find is called by several goroutines at once, but not for each line: a worker
	// remembers the rules. After 128 lines of one site it calls Find again, with
	// busy, for rules that are worth more preparation.
	Find(o origin.Origin, busy bool) (rules Rules, found bool, err error)
}

// Class is the result for one line.
type Class uint8

const (
	// Allowed is a URL that robots.txt allows.
	Allowed Class = iota
	// Disallowed is a URL that robots.txt disallows.
	Disallowed
	// Unreachable is a URL that is disallowed because robots.txt is unreachable.
	Unreachable
	// NoPolicy is a URL of an origin whose rules are not known.
	NoPolicy
	// Blank is a line of spaces and tabs only. It is invalid, like all classes below.
	Blank
	// NotAbsolute is a line that does not begin with a scheme and "://".
	NotAbsolute
	// BadScheme is a URL whose scheme is not http, https or ftp.
	BadScheme
	// BadHost is a URL with an invalid host or port.
	BadHost
	// TooLong is a line longer than source.Options.MaxLine. Only its beginning was
	// read, and it is never printed.
	TooLong
	// CutOff is a line whose end could not be read.
	CutOff
	// Classes is the number of classes.
	Classes
)

var classNames = [Classes]string{
	"allowed", "disallowed", "unreachable", "no_policy",
	"blank", "not_absolute", "bad_scheme", "bad_host", "too_long", "cut_off",
}

// String returns the name of the class in reports, such as no_policy.
func (c Class) String() string {
	if c >= Classes {
		return fmt.Sprintf("Class(%d)", uint8(c))
	}
	return classNames[c]
}

// Valid tells whether a line of the class is a URL that rules can judge.
func (c Class) Valid() bool { return c <= NoPolicy }

// prints tells for each class whether its lines are printed.
func (c *Config) prints() (p [Classes]bool) {
	for class := range Classes {
		switch {
		case class == Allowed:
			p[class] = !c.Disallowed
		case class == Disallowed, class == Unreachable:
			p[class] = c.Disallowed
		case class == NoPolicy:
			p[class] = c.NoPolicy
		default:
			p[class] = c.Invalid && class != TooLong
		}
	}
	return p
}

// Summary counts the lines. Read is Kept + Dropped + Invalid.
type Summary struct {
	Read, Kept, Dropped, Invalid int64
	// Printed is the number of lines written: the kept ones and, with
	// Config.Invalid, the invalid ones that are not too long.
	Printed int64
	// Count is the number of lines of each class; their sum is Read.
	Count [Classes]int64
	// Misencoded counts URLs judged by rules of the dialect google that have an octet
	// outside ASCII, or a percent-encoded octet in lower case: no pattern that states such
	// an octet matches them, as its parser expects URLs in Google's own form.
	Misencoded int64
	// Quotes are the first invalid lines, in the order of the input.
	Quotes []Quote
	// Useless has, for each input that has lines, not all of them blank, but not one URL, its first line.
	Useless []Quote
}

// Quote is an invalid line.
type Quote struct {
	Input int   // index of its input
	Line  int64 // number of the line in its input, from 1
	Class Class
	Text  []byte // without its line end, and no more than its first 200 bytes
}
