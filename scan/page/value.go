package page

import "math"

// values reads the directives of a value: of the content of a meta tag, or of a header.
//
// Directives are separated by commas. White space and semicolons separate them too, because pages
// have "noindex nofollow" as well, and no directive contains one of them outside of a date.
type values struct {
	text  []byte
	i     int  // offset in text
	named bool // crawlers may be named before directives
}

// item is what values.next read.
type item struct {
	at   int    // offset in the value
	text []byte // as it is written
	// crawler says that the text is the name of a crawler: what follows is for this one.
	crawler bool
	entry   *entry // nil for an unknown directive, and for one whose value cannot be read
	rules   Rules  // what it states
}

// next reads the next directive or name of a crawler; it returns false at the end of the value.
func (v *values) next() (item, bool) {
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
		if it.rules.Set = it.entry.set; colon {
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
func (v *values) word() []byte {
	start := v.i
	for v.i < len(v.text) && !isSeparator(v.text[v.i]) && v.text[v.i] != ':' {
		v.i++
	}
	return v.text[start:v.i]
}

// colon reads a colon, and the white space around it, if it is what follows.
func (v *values) colon() bool {
	i := v.skipBlanks(v.i)
	if i == len(v.text) || v.text[i] != ':' {
		return false
	}
	v.i = v.skipBlanks(i + 1)
	return true
}

// skipBlanks returns the offset after the white space at an offset.
func (v *values) skipBlanks(i int) int {
	for i < len(v.text) && isBlank(v.text[i]) {
		i++
	}
	return i
}

// namesCrawler reports whether an unknown word before a colon is the name of a crawler: directives
// follow, or nothing. What follows is a value if it begins with anything but a letter, as in
// "max-pages: 3".
func (v *values) namesCrawler() bool {
	return v.i == len(v.text) || isLetter(v.text[v.i]) || isSeparator(v.text[v.i])
}

// value reads the value of a directive. It returns false if the value cannot be read: then Google
// ignores the directive.
func (v *values) value(it *item) bool {
	r := &it.rules
	r.Set = it.entry.set
	if r.Set == UnavailableAfter {
		return v.date(r)
	}
	word, ok := v.word(), false
	switch r.Set {
	case MaxImagePreview:
		for i, name := range previews {
			if equalFold(word, name) {
				r.MaxImagePreview, ok = Preview(i), true
			}
		}
	case MaxSnippet:
		r.MaxSnippet, ok = bound(word)
	case MaxVideoPreview:
		r.MaxVideoPreview, ok = bound(word)
	}
	return ok
}

// date reads a date, which may have commas, colons and white space. One that cannot be read ends at
// a comma.
func (v *values) date(r *Rules) bool {
	t, n := cutDate(v.text[v.i:])
	if n > 0 && (v.i+n == len(v.text) || isSeparator(v.text[v.i+n])) {
		v.i += n
		r.UnavailableAfter = t
		return true
	}
	for v.i < len(v.text) && v.text[v.i] != ',' {
		v.i++
	}
	return false
}

// bound reads a number that is not negative, or Unlimited. A number that is too large for 32 bits
// is the largest of these.
func bound(b []byte) (n int, ok bool) {
	if string(b) == "-1" {
		return Unlimited, true
	}
	large := int64(0)
	for _, c := range b {
		if !isDigit(c) {
			return 0, false
		}
		large = min(10*large+int64(c-'0'), math.MaxInt32)
	}
	return int(large), len(b) > 0
}

// blanks is the white space of HTML.
const blanks = " \t\n\f\r"

// separators separate directives.
const separators = blanks + ",;"

func isBlank(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }

func isSeparator(c byte) bool { return isBlank(c) || c == ',' || c == ';' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { c = lower(c); return 'a' <= c && c <= 'z' }

// equalFold compares bytes; the case of the letters of ASCII does not count.
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
