package crawler

import (
	"bytes"
	"slices"
)

// extent is a part of a header: the bytes from start up to, but not including, end.
type extent struct{ start, end int }

// nextOf returns the first run of matching bytes in header[from:]; its end is 0 if there is none.
func nextOf(header []byte, from int, isOne func(byte) bool) (run extent) {
	for from < len(header) && !isOne(header[from]) {
		from++
	}
	if from == len(header) {
		return extent{}
	}
	run = extent{from, from}
	for run.end < len(header) && isOne(header[run.end]) {
		run.end++
	}
	return run
}

// appendContacts appends the extents of the URLs and e-mail addresses in a lower-case header, in order. It scans
// the header once instead of searching around each word, so the time is linear even for a long header with many
// words.
func appendContacts(dst []extent, low []byte) []extent {
	for from := 0; from < len(low); {
		to, seen := from, byte(0)
		for ; to < len(low); to++ {
			kind := kinds[low[to]]
			if kind == isBreak {
				break
			}
			seen |= kind
		}
		if seen != 0 {
			dst = appendContactsOf(dst, low[from:to], from)
		}
		from = to + 1
	}
	return dst
}

// Byte classes used by the search for contacts.
const (
	isBreak    = 1 << iota // ends a URL or an e-mail address
	mayContact             // every contact contains at least one of these
)

// kinds holds the classes of all 256 bytes. It is a table because every byte of every new header is looked
// up.
var kinds = func() (table [256]byte) {
	for c := range ' ' + 1 {
		table[c] = isBreak
	}
	for _, c := range []byte(`()<>[]{}"';,|`) {
		table[c] = isBreak
	}
	for _, c := range []byte(":@w") {
		table[c] = mayContact
	}
	return table
}()

// appendContactsOf is appendContacts for a text without breaks that starts at offset.
func appendContactsOf(dst []extent, text []byte, offset int) []extent {
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
			dst = append(dst, extent{offset + from, offset + to})
		}
		from = to + 1
	}
	if url < len(text) {
		dst = append(dst, extent{offset + url, offset + len(text)})
	}
	return dst
}

func inside(contacts []extent, i int) bool {
	n, _ := slices.BinarySearchFunc(contacts, i+1, func(c extent, i int) int { return c.start - i })
	return n > 0 && i < contacts[n-1].end
}

// urlStart returns the start of the first URL in a text without breaks, either with a scheme or starting with "www.";
// -1 if there is none.
func urlStart(text []byte) int {
	scheme := bytes.Index(text, []byte("://"))
	for scheme > 0 && 'a' <= text[scheme-1] && text[scheme-1] <= 'z' {
		scheme--
	}
	www := wwwStart(text)
	if scheme < 0 || www >= 0 && www < scheme {
		return www
	}
	return scheme
}

// wwwStart returns the start of the first word that begins with "www.", or -1 if none does.
func wwwStart(text []byte) int {
	for at := 0; ; at++ {
		n := bytes.Index(text[at:], []byte("www."))
		if n < 0 {
			return -1
		}
		at += n
		if at == 0 || !isWordByte(text[at-1]) {
			return at
		}
	}
}

// isEmailByte reports whether c can be part of an e-mail address. That includes '+', which many headers also put in
// front of the address.
func isEmailByte(c byte) bool {
	return isWordByte(c) || c == '.' || c == '+' || c == '@'
}
