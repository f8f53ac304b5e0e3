package automaton

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Dialect is a way of reading robots.txt. The zero value is RFC9309. Values from NumDialects on are
// invalid: functions that return an error reject them, and all others panic, since no input can
// cause them.
type Dialect uint8

// Archives store these numbers: append new dialects at the end.
const (
	// RFC9309 is the Robots Exclusion Protocol as published in RFC 9309.
	RFC9309 Dialect = iota
	// Google is the behaviour of the open-source parser google/robotstxt.
	Google
	// Original is the note of 1994 with the Allow line of the 1996 draft. It has records instead of
	// groups, finds crawlers by substrings of their names, and the first rule that matches decides.
	Original
)

// urlReading describes how a dialect reads URLs and names of crawlers. How it reads robots.txt and
// ranks rules is in the table of the same name in package compile.
type urlReading struct {
	name string
	// ends marks the bytes that end the authority of a URL in its lower classes, and the bytes that
	// end the path in its higher classes.
	ends *table.Classes
	// form is the form in which patterns and paths are compared. If it is FormA, rules may be in FormB
	// as well.
	form Form
	// crawlers is how a crawler's name is matched with groups.
	crawlers naming
	// targets means that a URL beginning with a slash is a request target, so that "//a" is a path and
	// not a host.
	targets bool
	// firstMatch means that the first matching rule of the file decides, not the longest.
	firstMatch bool
	// exemptsItself means that /robots.txt is always allowed.
	exemptsItself bool
}

// naming is how a crawler's name is matched with groups.
type naming uint8

const (
	namedWhole  naming = iota // the token equals the name, which may be empty
	namedCut                  // the token equals the product token that the name begins with
	namedWithin               // the first token of the file that is part of the name
)

// urlReadings has one row for each dialect.
var urlReadings = [...]urlReading{
	RFC9309: {
		name: "rfc9309", form: FormA, crawlers: namedCut,
		ends: table.NewClasses("/?#", "#"), targets: true, exemptsItself: true,
	},
	Google: {
		name: "google", form: FormRaw, crawlers: namedWhole,
		ends: table.NewClasses("/?;#", "#\x00"),
	},
	Original: {
		name: "original", form: FormDecoded, crawlers: namedWithin, firstMatch: true,
		ends: table.NewClasses("/?#", "#"), targets: true, exemptsItself: true,
	},
}

// NumDialects is the number of dialects; valid dialects are less than it.
const NumDialects = Dialect(len(urlReadings))

var errUnknownDialect = errors.New("unknown dialect")

func (d Dialect) row() *urlReading {
	if !d.Known() {
		panic("automaton: unknown dialect")
	}
	return &urlReadings[d]
}

// Known reports whether d is one of the dialects.
func (d Dialect) Known() bool { return d < NumDialects }

// FirstMatchDecides reports whether the first matching rule of the file decides, rather than the
// longest. It panics if the dialect is unknown.
func (d Dialect) FirstMatchDecides() bool { return d.row().firstMatch }

// String returns the name that ParseDialect accepts for the dialect.
func (d Dialect) String() string {
	if d.Known() {
		return urlReadings[d].name
	}
	return fmt.Sprintf("Dialect(%d)", uint8(d))
}

// DialectNames returns the names of all dialects, such as rfc9309.
func DialectNames() []string {
	names := make([]string, NumDialects)
	for d := range NumDialects {
		names[d] = d.String()
	}
	return names
}

// ParseDialect returns the dialect with one of the DialectNames.
func ParseDialect(name string) (Dialect, error) {
	names := DialectNames()
	if i := slices.Index(names, name); i >= 0 {
		return Dialect(i), nil
	}
	return 0, fmt.Errorf("unknown dialect %q (known: %s)", name, strings.Join(names, ", "))
}

// Names reports whether a lowercase token of robots.txt names a crawler: Ruleset.Named finds the
// token by that name unless it finds another one first.
func (d Dialect) Names(name []byte, token string) bool {
	switch d.row().crawlers {
	case namedWithin:
		return token != "" && containsFold(name, token)
	case namedCut:
		name = CutToken(name)
	}
	return compareFold(name, token) == 0
}

// SearchesNames reports whether a crawler's name is searched for the tokens of robots.txt, so that
// it may be a whole User-Agent header.
func (d Dialect) SearchesNames() bool { return d.row().crawlers == namedWithin }

// Exempts reports whether a path, as returned by Path, is allowed whatever the rules say. In all
// dialects but Google this holds for /robots.txt (RFC 9309 2.2.2).
func (d Dialect) Exempts(path []byte) bool {
	return d.row().exemptsItself && string(path) == robotsTxt
}

// IsTokenByte reports whether c may occur in a product token of dialect RFC9309: letters, digits,
// '_', '-' and '.'. The RFC allows only letters, '_' and '-', but crawlers such as MJ12bot and
// archive.org_bot exist, and a group that names them must bind them.
func IsTokenByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// CutToken returns the product token at the start of name, the longest prefix for which IsTokenByte
// holds. The result aliases name.
func CutToken(name []byte) []byte {
	for i, c := range name {
		if !IsTokenByte(c) {
			return name[:i]
		}
	}
	return name
}
