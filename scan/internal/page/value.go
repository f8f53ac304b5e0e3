package page

import (
	"math"
	"math/bits"
)

// reader parses the directives in the content of a meta tag or in a header.
//
// Directives are separated by commas. White space and semicolons also separate them, because pages
// have "noindex nofollow", and no directive except a date contains one.
type reader struct {
	text  []byte
	i     int  // offset in text
	named bool // directives may be preceded by names of crawlers
}

// item is the result of reader.next.
type item struct {
	at   int    // offset in the value
	text []byte // as written
	// crawler means that the text names the crawler for what follows.
	crawler bool
	entry   *entry // nil for an unknown directive or an unreadable value
	rules   Rules  // effect of the directive
}

// next reads the next directive or name of a crawler. It returns false at the end of the value.
func (v *reader) next() (item, bool) {
	for v.i < len(v.text) && (isSeparator(v.text[v.i]) || v.text[v.i] == ':') {
		v.i++
	}
	if v.i == len(v.text) {
		return item{}, false
	}
	start := v.i
	word := v.word()
	it := item{at: start, text: word, entry: lookup(word)}
	switch colon := v.colon(); {
	case it.entry == nil && colon && v.named && v.namesCrawler():
		it.crawler = true
		return it, true
	case it.entry == nil && colon:
		v.word()
	case it.entry == nil:
	case it.entry.set&valued == 0:
		it.rules.Set = it.entry.set
		if colon {
			it.entry = nil // such as "noindex: yes"
		}
	case !colon || !v.value(&it):
		it.entry = nil
	}
	if it.entry == nil {
		it.rules = Rules{Unknown: 1}
	}
	it.text = v.text[start:v.i]
	return it, true
}

// word reads the text before the next separator or colon.
func (v *reader) word() []byte {
	start := v.i
	for v.i < len(v.text) && !isSeparator(v.text[v.i]) && v.text[v.i] != ':' {
		v.i++
	}
	return v.text[start:v.i]
}

// colon consumes a colon and the white space around it, if there is one next.
func (v *reader) colon() bool {
	i := v.skipBlanks(v.i)
	if i == len(v.text) || v.text[i] != ':' {
		return false
	}
	v.i = v.skipBlanks(i + 1)
	return true
}

// skipBlanks returns the offset after the white space at an offset.
func (v *reader) skipBlanks(i int) int {
	for i < len(v.text) && isBlank(v.text[i]) {
		i++
	}
	return i
}

// namesCrawler reports whether an unknown word before a colon names a crawler, which is the case if
// directives follow, or nothing. Anything that doesn't begin with a letter is a value, as in
// "max-pages: 3".
func (v *reader) namesCrawler() bool {
	return v.i == len(v.text) || isLetter(v.text[v.i]) || isSeparator(v.text[v.i])
}

// value parses the value of a directive. It returns false for an unreadable value, with which
// Google ignores the directive.
func (v *reader) value(it *item) (ok bool) {
	r := &it.rules
	r.Set = it.entry.set
	n := &r.values[bits.TrailingZeros32(uint32(r.Set/MaxSnippet))]
	switch r.Set {
	case MaxImagePreview:
		*n, ok = v.preview()
	case UnavailableAfter:
		*n, ok = v.date()
	default:
		*n, ok = v.bound()
	}
	return ok
}

// date parses a date, which may contain commas, colons and white space. An unreadable date ends at
// a comma.
func (v *reader) date() (unix int64, ok bool) {
	t, n := cutDate(v.text[v.i:])
	if n > 0 && (v.i+n == len(v.text) || isSeparator(v.text[v.i+n])) {
		v.i += n
		return t.Unix(), true
	}
	for v.i < len(v.text) && v.text[v.i] != ',' {
		v.i++
	}
	return 0, false
}

// preview parses the size of an image.
func (v *reader) preview() (n int64, ok bool) {
	word := v.word()
	for i, name := range previews {
		if equalFold(word, name) {
			return int64(i), true
		}
	}
	return 0, false
}

// bound parses a non-negative number or unlimited. Numbers above 32 bits become the maximum.
func (v *reader) bound() (n int64, ok bool) {
	word := v.word()
	if string(word) == "-1" {
		return unlimited, true
	}
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(10*n+int64(c-'0'), math.MaxInt32)
	}
	return n, len(word) > 0
}

// blanks are HTML's white space.
const blanks = " \t\n\f\r"

// separators separate directives.
const separators = blanks + ",;"

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

func isSeparator(c byte) bool { return isBlank(c) || c == ',' || c == ';' }

func isLetter(c byte) bool { c = lower(c); return 'a' <= c && c <= 'z' }

// equalFold compares bytes, ignoring ASCII case.
func equalFold[T, U []byte | string](a T, b U) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}
