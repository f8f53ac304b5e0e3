package crawler

import (
	"bytes"
	"slices"

	"github.com/robotsieve/robotsieve/automaton"
)

// span is a range of a header.
type span struct{ start, end int }

// appendContacts appends where URLs and e-mail addresses stand in a header, in
// the order in which they begin. They are looked for once, and not around each
// word, because a header may be long and made of nothing but words: its reading
// must take time in proportion to its length.
func appendContacts(dst []span, header []byte) []span {
	for from := 0; from < len(header); {
		to, seen := from, byte(0)
		for ; to < len(header); to++ {
			kind := kinds[header[to]]
			if kind == isBreak {
				break
			}
			seen |= kind
		}
		if seen != 0 {
			dst = appendContactsOf(dst, header[from:to], from)
		}
		from = to + 1
	}
	return dst
}

// Kinds of bytes that matter to the search for contacts.
const (
	isBreak    = 1 << iota // ends a URL or an e-mail address
	mayContact             // without one of these there is neither
)

// kinds are the kinds of all bytes, in a table, since each byte of each header
// that is new is asked for its own.
var kinds = func() (table [256]byte) {
	for c := range ' ' + 1 {
		table[c] = isBreak
	}
	for _, c := range []byte(`()<>[]{}"';,|`) {
		table[c] = isBreak
	}
	for _, c := range []byte(":@wW") {
		table[c] = mayContact
	}
	return table
}()

// appendContactsOf does so for a text without breaks, which stands at offset.
func appendContactsOf(dst []span, text []byte, offset int) []span {
	url := urlStart(text)
	if url < 0 {
		url = len(text)
	}
	for from := 0; from < url; {
		to := from
		for to < len(text) && isEmailByte(text[to]) {
			to++
		}
		if to-from > 2 && bytes.IndexByte(text[from+1:to-1], '@') >= 0 {
			dst = append(dst, span{offset + from, offset + to})
		}
		from = to + 1
	}
	if url < len(text) {
		dst = append(dst, span{offset + url, offset + len(text)})
	}
	return dst
}

// inside tells whether the byte at i is in one of the spans.
func inside(spans []span, i int) bool {
	n, _ := slices.BinarySearchFunc(spans, i+1, func(s span, i int) int { return s.start - i })
	return n > 0 && i < spans[n-1].end
}

// urlStart returns where the first URL begins in a text without breaks, with a
// scheme or without one at "www.", -1 if there is none.
func urlStart(text []byte) int {
	scheme := bytes.Index(text, []byte("://"))
	for scheme > 0 && 'a' <= text[scheme-1]|0x20 && text[scheme-1]|0x20 <= 'z' {
		scheme--
	}
	www := wwwStart(text)
	if scheme < 0 || www >= 0 && www < scheme {
		return www
	}
	return scheme
}

// wwwStart returns where a word first begins with "www.", -1 if none does.
func wwwStart(text []byte) int {
	for at := 0; ; at++ {
		n := indexFold(text[at:], "www.")
		if n < 0 {
			return -1
		}
		if at += n; at == 0 || !automaton.IsWordByte(text[at-1]) {
			return at
		}
	}
}

// isEmailByte tells whether c may stand in an e-mail address. '+' does, which
// many write before the address too.
func isEmailByte(c byte) bool {
	return automaton.IsWordByte(c) || c == '.' || c == '+' || c == '@'
}
