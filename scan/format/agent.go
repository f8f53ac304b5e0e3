package format

import (
	"bytes"
	"slices"
	"strings"
)

// furtherProducts never begin a User-Agent. Browsers and crawlers that are like them write them behind
// their first product.
var furtherProducts = strings.Fields("AppleWebKit Chrome Safari Gecko Version Mobile Firefox HeadlessChrome Chromium " +
	"CriOS FxiOS Edge Edg EdgA EdgiOS OPR Presto Trident YaBrowser UCBrowser SamsungBrowser CFNetwork Darwin " +
	"OpenSSL PHP like compatible; compatible")

// isOneAgent returns a function that reports whether a text is one User-Agent, and not the end of another
// header before one: behind none of the separators that stand outside of comments may one begin. What
// follows them is a further product, a comment, a URL, an address of e-mail, or the name of a crawler
// after "compatible;". No quotes are in it, which no crawler sends, and Mozilla/5.0 only at its beginning.
func isOneAgent(separator string) func(text []byte) bool {
	first := []byte(separator + "Mozilla/")
	return func(text []byte) bool {
		if bytes.IndexByte(text, '"') >= 0 || bytes.Contains(text, first) {
			return false
		}
		const longest = 200 // of a word
		var before []byte
		closed := bytes.LastIndexByte(text, ')')
		for at, depth := 0, 0; at < len(text); at++ {
			switch c := text[at]; {
			case c == '(' && at < closed:
				depth++
			case c == ')':
				depth = max(0, depth-1)
			case depth == 0 && bytes.HasPrefix(text[at:], []byte(separator)):
				word := text[at+len(separator):]
				word, _, _ = bytes.Cut(word[:min(len(word), longest)], []byte(" "))
				if string(before) != "compatible;" && !isFurther(word) {
					return false
				}
				before = word
			}
		}
		return true
	}
}

// isFurther reports whether a word cannot begin a User-Agent.
func isFurther(word []byte) bool {
	name, _, _ := bytes.Cut(bytes.TrimPrefix(word, []byte("(")), []byte("/"))
	return len(word) == 0 || word[0] == '(' && len(word) > 1 || bytes.IndexByte(word, '@') >= 0 || bytes.Contains(word, []byte("://")) ||
		slices.ContainsFunc(furtherProducts, func(known string) bool { return string(name) == known })
}
