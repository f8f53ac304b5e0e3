package automaton

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/internal/table"
)

// Dialect is a way of reading robots.txt. The zero value is RFC9309. A value from
// NumDialects on is refused: by an error where a function returns one, else, as a mistake
// of the program that no input can cause, by a panic.
type Dialect uint8

// Archives store these numbers, so that a new dialect comes last.
const (
	// RFC9309 is the Robots Exclusion Protocol as published in RFC 9309.
	RFC9309 Dialect = iota
	// Google is the behaviour of the open-source parser google/robotstxt.
	Google
	// Original is the note of 1994 with the Allow line of the draft of 1996:
	// records, substrings of names, and the first matching rule.
	Original
)

// dialectRow is how a dialect reads URLs and the names of crawlers. How it reads robots.txt
// and ranks rules is in the table of the same name in package compile.
type dialectRow struct {
	name string
	// ends has in its lower classes the bytes that end the authority of a URL, in its
	// higher classes those that end the path.
	ends *table.Classes
	// form is the form that patterns and paths are compared in. Where it is FormA, rules
	// may be in FormB as well.
	form Form
	// crawlers says how the name of a crawler finds the groups that bind it.
	crawlers naming
	// targets says that a URL which begins with a slash is a request target, so that
	// "//a" is a path and not a host.
	targets bool
	// firstMatch says that of the rules that match the first in the file decides, not the longest.
	firstMatch bool
	// exemptsItself says that /robots.txt is allowed by any rules.
	exemptsItself bool
}

// naming is how the name of a crawler finds the groups that bind it.
type naming uint8

const (
	namedWhole  naming = iota // the token equals the name, which may be empty
	namedCut                  // the token equals the product token that the name begins with
	namedWithin               // the first token of the file that is part of the name
)

// dialectRows has one row for each dialect.
var dialectRows = [...]dialectRow{
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

// NumDialects is the number of dialects. They are the numbers below it.
const NumDialects = Dialect(len(dialectRows))

var errUnknownDialect = errors.New("unknown dialect")

// row returns the dialect's row.
func (d Dialect) row() *dialectRow {
	if !d.Known() {
		panic("automaton: unknown dialect")
	}
	return &dialectRows[d]
}

// Known reports whether d is one of the dialects.
func (d Dialect) Known() bool { return d < NumDialects }

// FirstMatchDecides reports whether, of the rules that match, the first in the file decides. In
// the other dialects the longest does. It panics if the dialect is unknown.
func (d Dialect) FirstMatchDecides() bool { return d.row().firstMatch }

// String returns the name by which ParseDialect knows the dialect.
func (d Dialect) String() string {
	if d.Known() {
		return dialectRows[d].name
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

// ParseDialect returns the dialect with a name, which is one of DialectNames.
func ParseDialect(name string) (Dialect, error) {
	names := DialectNames()
	if i := slices.Index(names, name); i >= 0 {
		return Dialect(i), nil
	}
	return 0, fmt.Errorf("unknown dialect %q (known: %s)", name, strings.Join(names, ", "))
}

// Names reports whether a token of robots.txt, in lower case, names a crawler. Ruleset.Named
// finds the token by that name unless it finds another one first.
func (d Dialect) Names(name []byte, token string) bool {
	switch d.row().crawlers {
	case namedWithin:
		return token != "" && containsFold(name, token)
	case namedCut:
		name = CutToken(name)
	}
	return compareFold(name, token) == 0
}

// SearchesNames reports whether tokens of robots.txt are searched for in a crawler's name,
// which may then be a whole User-Agent header.
func (d Dialect) SearchesNames() bool { return d.row().crawlers == namedWithin }

// Exempts reports whether a path, as Path returns it, is allowed by any rules: in all dialects
// but google /robots.txt is (RFC 9309 2.2.2).
func (d Dialect) Exempts(path []byte) bool {
	return d.row().exemptsItself && string(path) == robotsTxt
}

// IsTokenByte reports whether c may stand in a product token as RFC 9309's
// dialect reads it: letters, digits, '_', '-' and '.'. The RFC allows only
// letters, '_' and '-'; digits and '.' are read too because crawlers called MJ12bot
// and archive.org_bot exist, and a group that names them must bind them.
func IsTokenByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.'
}

// CutToken returns the product token at the start of an agent's name: its
// longest prefix of bytes for which IsTokenByte holds. The result is a view.
func CutToken(name []byte) []byte {
	for i, c := range name {
		if !IsTokenByte(c) {
			return name[:i]
		}
	}
	return name
}
