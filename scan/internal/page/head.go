package page

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// HTML reads the robots meta tags in the head of a document, which is a response body without transfer and content
// codings. contentType is the response's Content-Type. Only HTML and XHTML are read; a document without a type is read
// as HTML.
//
// The head is what a browser treats as the head (HTML, section 13.2.6.4, with scripting). It ends before the first tag
// or text that cannot be in it, with or without an end tag. Tags in comments, scripts, styles, titles, templates and
// noscript elements are ignored.
func (p *Page) HTML(contentType, body []byte) {
	kind, charset := parseType(contentType)
	if kind == notHTML {
		return
	}
	tags := html.NewTokenizer(decoded(body[:min(len(body), MaxHead)], charset))
	h := headReader{page: p, tags: tags, xml: kind == xhtml}
	for h.next() {
	}
	p.partial = p.partial || h.cut || h.atEnd && len(body) > MaxHead
}

type docKind uint8

const (
	notHTML docKind = iota
	htmlDoc
	xhtml
)

func parseType(contentType []byte) (kind docKind, charset string) {
	media, parameters, _ := strings.Cut(strings.ToLower(string(contentType)), ";")
	switch strings.TrimSpace(media) {
	case "text/html", "", "unknown/unknown", "application/unknown", "*/*":
		// The last four aren't types (WHATWG MIME Sniffing, section 7).
		kind = htmlDoc
	case "application/xhtml+xml", "application/vnd.wap.xhtml+xml":
		kind = xhtml
	}
	for parameter := range strings.SplitSeq(parameters, ";") {
		if name, value, _ := strings.Cut(parameter, "="); strings.TrimSpace(name) == "charset" {
			return kind, strings.Trim(value, `"' `+"\t")
		}
	}
	return kind, ""
}

type headReader struct {
	page  *Page
	tags  *html.Tokenizer
	xml   bool // elements can be closed as <title/>
	after bool // the head was closed, but a few later tags still belong to it
	raw   bool // the following text belongs to a title, a script or the like
	depth int  // nested templates
	atEnd bool // the input ended within the head
	cut   bool // a tag exceeded the limits
}

// next reads one token. It returns false at the end of the head.
func (h *headReader) next() bool {
	token := h.tags.Next()
	raw := h.raw
	h.raw = false
	switch token {
	case html.ErrorToken:
		h.atEnd = true
		return false
	case html.TextToken:
		return raw || h.depth > 0 || len(bytes.TrimLeft(valueOf(h.tags.Raw()), blanks)) == 0
	case html.StartTagToken, html.SelfClosingTagToken:
		return h.start(h.xml && token == html.SelfClosingTagToken)
	case html.EndTagToken:
		return h.end()
	}
	return true
}

func (h *headReader) start(closed bool) bool {
	size := len(h.tags.Raw())
	name, attributes := h.tags.TagName()
	tag := string(name)
	switch tag {
	case "title", "style", "script", "noscript", "noframes":
		h.raw = !closed
		if closed {
			h.tags.NextIsNotRawText()
		}
	case "template":
		if !closed {
			h.depth++
		}
	}
	if size > largeTag || attributes && tag == "meta" && h.depth == 0 {
		h.attributes(tag == "meta" && h.depth == 0)
	}
	return !h.cut && (h.depth > 0 || h.inHead(tag))
}

// inHead reports whether a start tag neither ends the head nor comes after it.
func (h *headReader) inHead(tag string) bool {
	switch tag {
	case "html", "head", "base", "basefont", "bgsound", "link", "meta", "title", "style", "script", "template", "noframes":
		return true
	}
	return tag == "noscript" && !h.after
}

// end reads an end tag. Like a browser, it ignores tags that close nothing.
func (h *headReader) end() bool {
	name, _ := h.tags.TagName()
	switch tag := string(name); {
	case h.depth > 0:
		if tag == "template" {
			h.depth--
		}
	case tag == "head":
		h.after = true
	case tag == "body", tag == "html", tag == "br":
		return false
	}
	return true
}

const (
	// maxAttributes limits the attributes of a tag. A Tokenizer keeps the attribute names of the
	// largest tag in a map that it clears for each tag, so one tag with very many would slow down all
	// others.
	maxAttributes = 256
	// largeTag is the size in bytes from which the attributes of a tag are counted.
	largeTag = 4096
)

// attributes reads the attributes of relevant meta tags, and only counts those of others. Of several with one name the
// first counts.
func (h *headReader) attributes(meta bool) {
	var name, content []byte
	seen := map[string]bool{}
	rest := h.tags.Raw()[1:]
	rest = rest[before(rest, blanks+"/>"):]
	for rest = bytes.TrimLeft(rest, blanks); len(rest) > 0 && rest[0] != '>'; rest = bytes.TrimLeft(rest, blanks) {
		var key, value []byte
		key, value, rest = nextAttribute(rest)
		low := lowered(key)
		if low == "" || seen[low] {
			continue
		}
		switch low {
		case "name":
			name = valueOf(value)
		case "content":
			content = valueOf(value)
		}
		if seen[low] = true; len(seen) > maxAttributes+1 {
			h.cut = true
			return
		}
	}
	if meta && name != nil && content != nil {
		h.page.Meta(name, content)
	}
}
