// Package twin is the slow, obvious reading of robots.txt that the compiled
// one is tested against.
//
// Every call parses the whole body again, collects the rules that bind the
// agent and tries each of them on the path. Nothing is remembered and nothing
// is shared with the packages under test, so that a mistake made there is not
// made here as well. The only promise about cost is that it is polynomial.
//
// Three dialects are known:
//
//   - "google": what google/robotstxt (C++) does, byte for byte, including
//     what its documentation does not mention.
//   - "rfc9309": RFC 9309, with its open points decided where it leaves them
//     open (the length of a rule, several * groups, digits and dots in product
//     tokens).
//   - "original": the 1994 note "A Standard for Robot Exclusion" with the
//     Allow line of the 1996 Internet-Draft: the first rule that is a prefix
//     of the path decides, and there are no wildcards.
package twin

// Dialect is the name of a way of reading robots.txt. Any that is none of these is
// read as RFC9309, as robots.txt of unknown crawlers is.
type Dialect string

const (
	Google   Dialect = "google"
	RFC9309  Dialect = "rfc9309"
	Original Dialect = "original"
)

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
	lines := splitLines(body, maxBytes)
	switch dialect {
	case Google:
		return matchGoogle(parseGoogle(lines, wideTokens), [][]byte{agent}, url)
	case Original:
		return matchOriginal(parseOriginal(lines), agent, url)
	default:
		return matchRFC9309(parseRFC9309(lines), agent, url)
	}
}

// MatchAgents is [Match] in the "google" dialect, without a body limit, for a
// caller with several names: the rules of every group that names any of them
// are pooled, and only if there is no such group do the groups for * count.
// The order of agents is irrelevant.
func MatchAgents(body []byte, agents [][]byte, url []byte) (allowed bool, line int) {
	return matchGoogle(parseGoogle(splitLines(body, 0), false), agents, url)
}
