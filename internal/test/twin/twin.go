// Package twin is the slow, obvious reading of robots.txt that the compiled
// one is tested against. No shipped program contains it.
//
// Every call parses the whole body again, collects the rules that bind the
// agent and tries each of them on the path. Nothing is remembered and nothing
// is shared with the packages under test, so that a mistake made there is not
// made here as well. The only promise about cost is that it is polynomial.
//
// The dialects are:
//
//   - "google": what google/robotstxt (C++) does, byte for byte, including
//     what its documentation does not mention.
//   - "rfc9309": RFC 9309, with decisions where it leaves points open (the
//     length of a rule, several * groups, digits and dots in product tokens).
//   - "original": the 1994 note "A Standard for Robot Exclusion" with the
//     Allow line of the 1996 Internet-Draft: the first rule that is a prefix
//     of the path decides, and there are no wildcards.
package twin

// Dialect is the name of a way of reading robots.txt. Any function that is given another than these panics.
type Dialect string

const (
	Google   Dialect = "google"
	RFC9309  Dialect = "rfc9309"
	Original Dialect = "original"
)

// A reading is what one dialect does, step by step.
type reading struct {
	// text returns what is read of a line.
	text func(line []byte) []byte
	// field splits such a text in its key, in lower case and spelled as in the standard,
	// and its value. The key of any other field is of no importance.
	field func(text []byte) (key string, value []byte)
	// blankEnds says that a blank line ends a group.
	blankEnds bool
	// wildcard reports whether the value of a user-agent line stands for all crawlers.
	wildcard func(value []byte) bool
	// token returns the name in another user-agent line, in lower case, and whether it counts.
	token func(value []byte, wide bool) (token string, ok bool)
	// pattern returns the value of a rule as it is compared, and whether the rule counts.
	pattern func(value []byte) (pattern []byte, formB, ok bool)
	// path returns the part of a URL that rules are compared with.
	path func(url []byte) []byte
	// match gives the verdict about a path for an agent.
	match func(groups []*group, agent, path []byte) (allowed bool, line int)
}

// readings has one row for each dialect.
var readings = map[Dialect]reading{
	Google: {
		text: googleText, field: googleField, wildcard: isGoogleWildcard, token: googleToken,
		pattern: googlePattern, path: googlePath, match: matchGoogle,
	},
	RFC9309: {
		text: plainText, field: colonField, wildcard: isWildcard, token: rfc9309Token,
		pattern: rfc9309Pattern, path: requestPath, match: matchRFC9309,
	},
	Original: {
		text: plainText, field: colonField, blankEnds: true, wildcard: isWildcard, token: originalToken,
		pattern: originalPattern, path: requestPath, match: matchOriginal,
	},
}

func readingOf(dialect Dialect) reading {
	r, known := readings[dialect]
	if !known {
		panic("twin: unknown dialect " + dialect)
	}
	return r
}

// Match answers whether agent may fetch url under body in the given dialect,
// and the 1-based line of the deciding rule, 0 if no rule decided.
//
// In "google" an empty Disallow or Allow can be the deciding rule of an
// allowed URL, as in the C++ library's matching_line().
//
// maxBytes limits the body: a line one of whose bytes lies past the limit is
// dropped whole, with all that follows; its line end is not counted, a byte
// order mark is. 0 means no limit.
//
// wideTokens is for "google" only: the product tokens of the groups may then
// hold digits and dots as in "rfc9309", so that a group for MJ12bot is found.
// The agent is still compared as it is. The other dialects ignore wideTokens.
//
// Any bytes are good as body, agent or url.
func Match(dialect Dialect, body, agent, url []byte, maxBytes int, wideTokens bool) (allowed bool, line int) {
	r := readingOf(dialect)
	return r.match(r.parse(splitLines(body, maxBytes), wideTokens, false), agent, r.path(url))
}

// MatchEnded is [Match] where any other record ends a run of user-agent lines: a line with a colon and a key that is
// neither a user agent's nor a rule's. The next agent line then opens a group.
func MatchEnded(dialect Dialect, body, agent, url []byte, maxBytes int, wideTokens bool) (allowed bool, line int) {
	r := readingOf(dialect)
	return r.match(r.parse(splitLines(body, maxBytes), wideTokens, true), agent, r.path(url))
}

// Path returns the part of url that rules are compared with, in the given
// dialect: the path and the query, never empty, without the fragment, and
// neither decoded nor normalised.
//
// "google" is the C++ library's reading, in which a ; too ends the authority,
// a bare path that begins with // loses its first segment, and a NUL ends the
// path. In the other two a url that begins with / is a request target without
// an authority, // included.
func Path(dialect Dialect, url []byte) []byte { return readingOf(dialect).path(url) }
