// Package page reads what a web page itself states for robots, in robots meta tags and X-Robots-Tag
// headers.
//
// robots.txt controls what a crawler may fetch; these directives control the use of a page once it
// is fetched. A crawler that obeys robots.txt never sees the directives of a page that it may not
// fetch.
//
// The directives and the way they combine follow Google's "Robots meta tag, data-nosnippet, and
// X-Robots-Tag specifications"
// (https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag): directives for all
// crawlers and for a particular crawler add up, and the most restrictive of conflicting ones wins.
// docs/reference/pages.md describes what is read and what is not.
package page

import (
	"bytes"
	"iter"
	"slices"
	"time"
)

// Limits on what is read and kept of one page. A page that exceeds them is Partial.
const (
	// MaxHead limits the HTML that is searched for the end of the head, in bytes.
	MaxHead = 1 << 20
	// MaxStatements limits the statements that are kept.
	MaxStatements = 1000
	// maxText limits the text of a statement, and the name of its crawler, in bytes.
	maxText = 1000
)

// Page collects the statements of one page. The zero value is an empty page. Reset prepares it for
// the next page and keeps its memory. A Page isn't safe for concurrent use.
type Page struct {
	list    []Statement
	text    []byte // texts of the statements
	partial bool
}

// Reset forgets the page.
func (p *Page) Reset() { p.list, p.text, p.partial = p.list[:0], p.text[:0], false }

// Partial reports whether a limit kept some of the page from being read: the head doesn't end
// within MaxHead bytes, a tag has hundreds of attributes, or there are more than MaxStatements
// statements.
func (p *Page) Partial() bool { return p.partial }

// Source is where a statement was made.
type Source uint8

// The sources.
const (
	Header Source = iota // an X-Robots-Tag header
	Meta                 // a meta tag
)

// String returns "X-Robots-Tag" or "meta".
func (s Source) String() string {
	if s == Header {
		return "X-Robots-Tag"
	}
	return "meta"
}

// Statement is what one meta tag, or one header, states for one crawler or for all crawlers. A
// header that names several crawlers makes several statements. The texts belong to the Page and are
// valid until its next Reset; they are the bytes of the page, in no particular encoding.
type Statement struct {
	Source Source
	// Crawler is the name of the crawler as written. It is empty if the statement is for all crawlers.
	Crawler []byte
	// Text is the content of the meta tag, or the crawler's part of the header including its name.
	// Only its first 1,000 bytes are kept.
	Text []byte
	// Rules is the effect of the statement, regardless of time.
	Rules Rules

	directives int  // number of directives, including unknown ones
	distinct   bool // a known directive isn't an English word
}

// Unknown returns the parts of the text that count as unknown: unknown directives and unreadable
// values.
func (s Statement) Unknown() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		v := reader{text: s.Text, named: s.Source == Header}
		for it, ok := v.next(); ok; it, ok = v.next() {
			if it.rules.Unknown > 0 && !yield(it.text) {
				return
			}
		}
	}
}

// Statements returns the statements in the order in which they were read.
func (p *Page) Statements() iter.Seq[Statement] { return slices.Values(p.list) }

// Applies reports whether a statement is for all crawlers, or for a crawler that answers to one of
// the tokens. It ignores case.
func (s Statement) Applies(tokens []string) bool {
	is := func(token string) bool { return equalFold(s.Crawler, token) }
	return len(s.Crawler) == 0 || slices.ContainsFunc(tokens, is)
}

// Rules returns the rules of the page at a given time for a crawler that answers to tokens, such as
// "Googlebot-News" and "Googlebot". It combines all statements that apply, and the most restrictive
// wins a conflict. After the time of unavailable_after the rules include NoIndex; the zero time is
// before any such time. IndexIfEmbedded counts only with NoIndex. max-snippet:0 is NoSnippet, and
// NoSnippet wins over other limits of the text.
func (p *Page) Rules(tokens []string, at time.Time) Rules {
	var r Rules
	for i := range p.list {
		if p.list[i].Applies(tokens) {
			r.add(p.list[i].Rules)
		}
	}
	return r.at(at)
}

// Header reads the value of one X-Robots-Tag header. A name before a colon is the crawler that the
// following directives apply to, up to the next name; directives before the first name apply to all
// crawlers.
func (p *Page) Header(value []byte) {
	v := reader{text: value, named: true}
	s, start := Statement{Source: Header}, 0
	for it, ok := v.next(); ok; it, ok = v.next() {
		if it.crawler {
			p.keep(s, value[start:it.at])
			s, start = Statement{Source: Header, Crawler: it.text}, it.at
			continue
		}
		s.add(it)
	}
	p.keep(s, value[start:])
}

// Meta reads one meta tag, given its name and content attributes with character references resolved. The name
// is "robots" or a crawler. No list of crawler names is complete, so a tag with another name counts if its
// content has a directive that is not an English word, or consists only of directives; all other tags are
// ignored.
func (p *Page) Meta(name, content []byte) {
	s := Statement{Source: Meta, Crawler: bytes.Trim(name, blanks)}
	v := reader{text: content}
	for it, ok := v.next(); ok; it, ok = v.next() {
		s.add(it)
	}
	if len(s.Crawler) > 0 && (forAll(s.Crawler) || s.distinct || s.Rules.Unknown == 0) {
		p.keep(s, content)
	}
}

// add adds a directive to a statement.
func (s *Statement) add(it item) {
	s.directives++
	s.distinct = s.distinct || it.entry != nil && !it.entry.common
	s.Rules.add(it.rules)
}

// forAll reports whether the name of a crawler means all crawlers.
func forAll(crawler []byte) bool { return equalFold(crawler, "robots") || string(crawler) == "*" }

// keep adds a statement with its text, unless it has no directives.
func (p *Page) keep(s Statement, text []byte) {
	switch {
	case s.directives == 0:
		return
	case len(p.list) == MaxStatements:
		p.partial = true
		return
	case forAll(s.Crawler):
		s.Crawler = nil
	}
	s.Crawler, s.Text = p.copy(s.Crawler), p.copy(bytes.Trim(text, separators))
	p.list = append(p.list, s)
}

// copy returns a copy of the beginning of a text, valid until Reset.
func (p *Page) copy(text []byte) []byte {
	n := len(p.text)
	p.text = append(p.text, text[:min(len(text), maxText)]...)
	return p.text[n:len(p.text):len(p.text)]
}
