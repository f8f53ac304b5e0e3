package list

import (
	"bytes"
	"strconv"

	"github.com/robotsieve/robotsieve/scan/format"
)

// Bare strips from a URL the surrounding text that does not belong to it: white space and control characters
// (WHATWG URL, 4.1), a byte order mark, as in the middle of files that were concatenated, and anything after a tab.
// With isNoted it also strips the notes that URL lists put after URLs, which are a comment (URL # text), fields in
// brackets (URL [200] [title]), a status and other numbers (URL 200 5120), or a timestamp of an archive and anything
// else (URL 20240102030405 200). Other blanks are part of the URL. ok is false if the text contains a line break,
// since it may then hold several URLs.
//
// Source: https://url.spec.whatwg.org/#concept-basic-url-parser
func Bare(text []byte, isNoted bool) (url []byte, ok bool) {
	url = trim(bytes.TrimPrefix(text, format.BOM))
	if i := bytes.IndexByte(url, '\t'); i >= 0 {
		url = trim(url[:i])
	}
	if isNoted && bytes.IndexByte(url, ' ') >= 0 {
		url = withoutNote(url)
	}
	return url, bytes.IndexByte(url, '\r') < 0 && bytes.IndexByte(url, '\n') < 0
}

// trim removes control characters and blanks around a text.
func trim(text []byte) []byte {
	for len(text) > 0 && text[0] <= ' ' {
		text = text[1:]
	}
	for len(text) > 0 && text[len(text)-1] <= ' ' {
		text = text[:len(text)-1]
	}
	return text
}

// withoutNote removes the note after a URL.
func withoutNote(url []byte) []byte {
	isOther := func(c rune) bool { return c != ' ' && c != '.' && (c < '0' || c > '9') }
	numbers := bytes.LastIndexFunc(bytes.TrimSuffix(url, []byte(" OK")), isOther) // the last byte before them
	for at := range url {
		if url[at] != ' ' {
			continue
		}
		note := url[at+1:]
		isFields := note[0] == '[' && note[len(note)-1] == ']' // trim has removed blanks at the end
		if note[0] == '#' || isFields || at > numbers && isStatus(note) || isStamped(note) {
			return trim(url[:at])
		}
	}
	return url
}

// isStamped reports whether a text begins with a timestamp of 14 digits.
func isStamped(text []byte) bool {
	stamp, _, _ := bytes.Cut(text, blank)
	_, ok := format.Stamp(stamp)
	return ok && len(stamp) == len("20060102150405")
}

// isStatus reports whether a text begins with a status, or the 000 of curl.
func isStatus(text []byte) bool {
	number, _, _ := bytes.Cut(text, blank)
	n, err := strconv.Atoi(string(number))
	return err == nil && len(number) == 3 && n < 600 && (n >= 100 || n == 0)
}
