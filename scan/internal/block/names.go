package block

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/crawler"
)

// Name is a crawler's name as rules match it in a header, where the audit would take it as the
// client's. Its texts contain no bytes with a special meaning to a server.
type Name struct {
	// Words are the lower-case words of the crawler. Others are words of other crawlers, whose
	// presence means that the header is theirs.
	Words, Others []string
	// Pattern is a regular expression for headers with one of Words, and Except one for those among
	// them that belong to another crawler. All servers interpret them alike if they ignore case.
	Pattern, Except string
	match, except   *regexp.Regexp
}

// foremost are words that name the client even if the header also names other crawlers, such as
// "facebookexternalhit/1.1 Facebot Twitterbot/1.0".
var foremost = []string{"archive.org_bot", "arquivo-web-crawler", "barkrowler", "bingbot", "daumoa",
	"facebookexternalhit", "facebot", "googlebot"}

// These surround a word in a pattern: what may come before and after a word outside URLs, e-mail
// addresses and longer words. Both list the permitted bytes, because servers differ in what they
// consider a letter beyond ASCII.
const (
	before = "(^|[] !(-,;<>[])"
	behind = "([] -*,./:-?[^]|[+][ (),;]|[+]?$)"
)

// nameOf returns the name of a crawler with some words. p is nil if the crawler is unknown. ok is
// false if some server could misinterpret the words.
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

// othersThan returns the words of other crawlers that take precedence over some words in a header:
// words of the same operator that are at least as long, of which the longest counts, words that
// extend them by letters, and foremost.
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

// anyOf returns a regular expression for any of some words. ok is false if a word contains bytes
// that are special to some server.
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

func isWord(text string) bool {
	return !strings.ContainsFunc(strings.ToLower(text), func(r rune) bool { return r > '~' || !isWordByte(byte(r)) })
}

// starts and ends are what may surround a word on servers without regular expressions, besides the
// beginning and the end of the header.
var (
	starts = [...]string{" ", "("}
	ends   = [...]string{"/", " ", ";", ")", ","}
)

// isIn reports whether a header contains the name, first for servers with regular expressions, then
// for those that only search for substrings.
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

// otherParts returns substrings of headers that belong to another client.
func (n *Name) otherParts() []string {
	parts := slices.Concat(n.Others, []string{"device/"})
	for _, word := range n.Words {
		parts = append(parts, "like "+word, "; "+word+" build", "; "+word+") applewebkit") // names of phones
	}
	return parts
}
