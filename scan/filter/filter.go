// Package filter keeps or drops the URLs of lists, one a line, by robots.txt.
//
// Its law is that the output depends on the input alone: the lines that are
// kept, byte for byte and in their order, however many workers read them; and
// that every line is counted in one Class.
//
// The way of a line: a worker cuts it out of its chunk (worker.go) and looks up
// what is known of the scheme and authority that it begins with (sites.go), for
// lists are grouped by host and hosts come back; the rest of it is the path
// that the machine of that site judges. Kept lines are moved together at the
// beginning of the chunk, which then waits for its turn to be written (run.go).
package filter

import (
	"fmt"

	"github.com/robotsieve/robotsieve/automaton"
	"github.com/robotsieve/robotsieve/scan/origin"
)

// Config says what is kept, and by whose rules. It is not changed once Run has
// it.
type Config struct {
	// Site, if not nil, are the rules for all lines, whatever their host. Then a
	// line that begins with a slash is valid too: a request target.
	Site *Rules
	// Policy is asked for the rules of each origin where Site is nil.
	Policy Policy
	// Dialect is that of all rules: it tells what of a URL is matched.
	Dialect automaton.Dialect

	// Disallowed keeps the URLs that are disallowed instead of those that are
	// allowed.
	Disallowed bool
	// NoPolicy keeps URLs for whose origin there are no rules.
	NoPolicy bool
	// Invalid prints lines that are no URL; they count as invalid all the same.
	Invalid bool
	// Quotes is how many invalid lines, the first ones, are quoted in the Summary.
	Quotes int
}

// Rules are what binds the crawler on one origin. The zero value allows
// everything.
type Rules struct {
	// Machine holds the rules; nil allows everything.
	Machine *automaton.Machine
	// Unreachable says that robots.txt could not be had for a fault of the server:
	// then everything but /robots.txt itself is disallowed (RFC 9309 2.3.1.4).
	Unreachable bool
}

// Policy knows the rules of many origins.
type Policy interface {
	// Find returns the rules for an origin, in normal form; found is false if
	// nothing is known of it. The strings of o are views that are valid during the
	// call. An error ends the filtering. Find is called by any number of
	// goroutines, but not for each line: workers remember what it said. After 128
	// lines one asks again, with busy, in case that there is then something
	// faster for them.
	Find(o origin.Origin, busy bool) (rules Rules, found bool, err error)
}

// Class is what a line turned out to be.
type Class uint8

const (
	// Allowed is a URL that robots.txt allows.
	Allowed Class = iota
	// Disallowed is one that it disallows.
	Disallowed
	// Unreachable is a URL that is disallowed because robots.txt is unreachable.
	Unreachable
	// NoPolicy is a URL for whose origin there are no rules.
	NoPolicy
	// Blank is an invalid line with nothing but spaces and tabs in it.
	Blank
	// NotAbsolute is one that does not begin with a scheme and "://".
	NotAbsolute
	// BadScheme is one whose scheme is none of http, https and ftp.
	BadScheme
	// BadHost is one whose host or port cannot be one.
	BadHost
	// TooLong is one longer than source.Options.MaxLine, of which only the
	// beginning was read: it is never printed.
	TooLong
	// CutOff is one whose end could not be read.
	CutOff
	// Classes is their number.
	Classes
)

var classNames = [Classes]string{
	"allowed", "disallowed", "unreachable", "no_policy",
	"blank", "not_absolute", "bad_scheme", "bad_host", "too_long", "cut_off",
}

// String returns the name of the class as reports have it, such as no_policy.
func (c Class) String() string {
	if c >= Classes {
		return fmt.Sprintf("Class(%d)", uint8(c))
	}
	return classNames[c]
}

// Valid tells whether a line of the class is a URL that was judged, or would
// have been if there were rules.
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

// Summary is what became of the lines. Kept + Dropped + Invalid is Read.
type Summary struct {
	Read, Kept, Dropped, Invalid int64
	// Printed is how many lines were written: those kept, and the invalid ones if
	// they were asked for and could be.
	Printed int64
	// Count is the number of lines of each class; together they are Read.
	Count [Classes]int64
	// Quotes are the first invalid lines, in the order of the input.
	Quotes []Quote
}

// Quote is an invalid line.
type Quote struct {
	Input int   // index of its input
	Line  int64 // number of the line in its input, from 1
	Class Class
	Text  []byte // without its line end, and no more than its first 200 bytes
}

func summarize(c *Config, count [Classes]int64, quotes []Quote) Summary {
	s := Summary{Count: count, Quotes: quotes}
	prints := c.prints()
	for class, n := range count {
		s.Read += n
		if prints[class] {
			s.Printed += n
		}
		switch {
		case !Class(class).Valid():
			s.Invalid += n
		case prints[class]:
			s.Kept += n
		default:
			s.Dropped += n
		}
	}
	return s
}
