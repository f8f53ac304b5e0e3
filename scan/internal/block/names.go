package block

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// Name is the name of a crawler as a rule finds it in a header: where the audit would take it for the
// client's. No text of it has bytes that mean something to a server.
type Name struct {
	// Words are the words of the crawler in small letters, and Others words of other crawlers: a header
	// with one of them is theirs.
	Words, Others []string
	// Pattern is a regular expression for headers with one of Words, and Except one for those among them that
	// are another's. All servers read them alike if letters of either case are the same.
	Pattern, Except string
	match, except   *regexp.Regexp
}

// foremost are words which name the client in headers that have the names of other crawlers too, such as
// "facebookexternalhit/1.1 Facebot Twitterbot/1.0".
var foremost = []string{"archive.org_bot", "arquivo-web-crawler", "barkrowler", "bingbot", "daumoa",
	"facebookexternalhit", "facebot", "googlebot"}

// The parts of a pattern around a word: what may be before one that is in no URL, e-mail address or longer word,
// and behind it. Both name the bytes that may be there, since servers differ in what a letter is beyond ASCII.
const (
	before = "(^|[] !(-,;<>[])"
	behind = "([] -*,./:-?[^]|[+][ (),;]|[+]?$)"
)

// nameOf returns the name of a crawler with some words; p is nil if it is not known. ok is false if no server
// could be sure to read the words as meant.
func nameOf(p *crawler.Profile, words []string, known *crawler.Set) (n Name, ok bool) {
	pattern, ok := anyOf(words)
	if !ok || len(words) == 0 || p != nil && p.Anybodys() {
		return n, false
	}
	for _, word := range words {
		n.Words = append(n.Words, strings.ToLower(word))
	}
	n.Others = othersThan(p, n.Words, known)
	others, _ := anyOf(n.Others)
	n.Pattern = before + pattern + behind
	n.Except = before + others + behind + "|like " + pattern + "|; " + pattern + "( build|[)] applewebkit)|device/"
	n.match, n.except = regexp.MustCompile("(?i)"+n.Pattern), regexp.MustCompile("(?i)"+n.Except)
	return n, true
}

// othersThan returns the words of other crawlers that decide whose a header is that has one of words too: those
// of its operator that are as long, of which the longest counts, those that are longer by some letters, and foremost.
func othersThan(p *crawler.Profile, words []string, known *crawler.Set) []string {
	others := slices.Clone(foremost)
	shortest := len(slices.MinFunc(words, func(x, y string) int { return len(x) - len(y) }))
	profiles := known.Profiles()
	for i := range profiles {
		for _, word := range profiles[i].Words {
			word = strings.ToLower(word)
			isIn := func(own string) bool { return strings.Contains(word, own) }
			sameOperator := p != nil && profiles[i].Operator == p.Operator && len(word) >= shortest
			if _, ok := anyOf([]string{word}); ok && &profiles[i] != p && (sameOperator || slices.ContainsFunc(words, isIn)) {
				others = append(others, word)
			}
		}
	}
	others = slices.DeleteFunc(others, func(other string) bool {
		return slices.ContainsFunc(words, func(own string) bool { return strings.Contains(own, other) })
	})
	slices.Sort(others)
	return slices.Compact(others)
}

// anyOf returns a regular expression for one of some words. ok is false if a word has bytes that have a meaning
// to some server.
func anyOf(words []string) (pattern string, ok bool) {
	var list []string
	for _, word := range words {
		var b strings.Builder
		for _, c := range []byte(strings.ToLower(word)) {
			switch {
			case isWordByte(c), c == ' ':
				b.WriteByte(c)
			case strings.IndexByte("./()!+@:", c) >= 0:
				b.WriteString("[" + string(c) + "]")
			default:
				return "", false
			}
		}
		list = append(list, b.String())
	}
	return "(" + strings.Join(list, "|") + ")", true
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// isWord reports whether a text has only bytes of words.
func isWord(text string) bool {
	return !strings.ContainsFunc(strings.ToLower(text), func(r rune) bool { return r > '~' || !isWordByte(byte(r)) })
}

// starts and ends are what may stand around a word where servers have no regular expressions, beside the
// beginning and the end.
var (
	starts = [...]string{" ", "("}
	ends   = [...]string{"/", " ", ";", ")", ","}
)

// isIn reports whether a header has the name, for servers with regular expressions, and for those that only
// find parts of it.
func (n *Name) isIn(header []byte) (whole, part bool) {
	if n.match == nil {
		return false, false
	}
	whole = n.match.Match(header) && !n.except.Match(header)
	low := bytes.ToLower(header)
	isPart := func(text string) bool { return bytes.Contains(low, []byte(text)) }
	for _, word := range n.Words {
		part = part || string(low) == word || bytes.HasSuffix(low, []byte(" "+word))
		for _, end := range ends {
			part = part || bytes.HasPrefix(low, []byte(word+end)) ||
				slices.ContainsFunc(starts[:], func(start string) bool { return isPart(start + word + end) })
		}
	}
	return whole, part && !slices.ContainsFunc(n.otherParts(), isPart)
}

// otherParts are the parts of headers that are another's.
func (n *Name) otherParts() []string {
	parts := slices.Concat(n.Others, []string{"device/"})
	for _, word := range n.Words {
		parts = append(parts, "like "+word, "; "+word+" build", "; "+word+") applewebkit") // phones have their names
	}
	return parts
}
