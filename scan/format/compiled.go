package format

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// program defines the meaning of a text line's fields and the text between them. It is compiled
// once, from a user's format or a row of the table, and immutable.
type program struct {
	*field.Template
	fields      []part    // part of each field
	early, late []located // the parts that Reader.Next needs, with their fields; the others
	request     int       // field of the request line, 0 if there is none
}

// holds says what fields of the parts can hold. All others can hold any text.
var holds = [allParts]field.Content{
	clientAddr: field.Address, hostName: field.Unbroken, schemeName: field.Token, tlsInUse: field.Token,
	methodName: field.Token, statusCode: field.Number, bodySize: field.Number, sentSize: field.Number,
	serverPort: field.Number, ownPort: field.Number,
	moment: field.Token, day: field.Token, timeOfDay: field.Token,
}

// beginsWithSlash are the parts whose first byte is a slash, so that they need no separator before
// them.
var beginsWithSlash = [allParts]bool{target: true, path: true, rewrittenPath: true}

// isSolid are the parts that contain no blanks.
var isSolid = [allParts]bool{
	clientAddr: true, serverPort: true, schemeName: true, methodName: true, statusCode: true, bodySize: true,
	sentSize: true,
}

// add adds a field to the program, and completes the rule according to the part.
func (p *program) add(r field.Rule, of part) {
	r.Ignored, r.Code, r.Solid = of == ignored, of == statusCode, isSolid[of]
	r.List, r.Free = of == forwardedFor, of == requestLine
	r.Bracketed = of == moment && len(p.fields) > 0 && len(r.Before) > 0 && r.Before[len(r.Before)-1] == '['
	if r.Holds == field.Address {
		r.Fits = isAddressField
	}
	if of == userAgent && !strings.HasSuffix(r.Before, `"`) {
		r.IsOne = isOneAgent(r.Before)
	}
	at := located{of, len(p.fields)}
	switch {
	case of.isEarly():
		p.early = append(p.early, at)
	case of != ignored:
		p.late = append(p.late, at)
	}
	if of == requestLine {
		p.request = at.at
	}
	p.Rules, p.fields = append(p.Rules, r), append(p.fields, of)
}

// format compiles a program into a format. layout is the layout of its times, and spell the
// spelling of its parts.
// parts are written.
func (p *program) format(l layout, spell [allParts]spelling) *Format {
	f := &Format{meaning: meaning{layout: l, spell: spell}}
	for _, of := range p.fields {
		f.has[of] = of != ignored
	}
	p.Template = p.Compile()
	f.newReader = func(f *Format) Reader {
		r := &programReader{program: *p, lines: lines{marked: quoted}, values: values{meaning: f.meaning}}
		r.fits = f.fits
		switch {
		case f.isCommon && f.has[userAgent]:
			r.quotes = 6
		case f.isCommon:
			r.quotes = 2
		}
		r.places.Spans = make([]field.Span, len(p.fields))
		return r
	}
	return f
}

// isAddressField reports whether a text can be a field with a client's address.
func isAddressField(b []byte) bool {
	const longest = 100 // longer than any IP address with zone and port
	return len(b) <= longest && isAddress(bareAddress(b)) || string(b) == "unix:"
}

type programReader struct {
	program
	lines
	values
	fits   func(*Record) bool // nil if all records fit
	quotes int                // of an ordinary line, see clf.go: 6, or 2 without User-Agent; 0 if no line is one

	// About the line that Next returned last:
	places   field.Places
	ordinary bool // nextOrdinary has read it, so places is empty

	// For an ordinary line, in lines.part: where the address begins, the quotes of the request and its
	// target, the quote after the User-Agent, and the end of the line.
	addr, open, target, end, agentEnd, stop int
}

// Reset begins a chunk.
func (p *programReader) Reset(chunk []byte) { p.lines.Reset(chunk) }

func (p *programReader) Next(r *Record) Kind {
	if p.at >= len(p.chunk) {
		return End
	}
	r.Offset = p.at
	if p.ordinary = p.quotes > 0 && p.nextOrdinary(r); p.ordinary {
		return Request
	}
	line, quotes, back := p.cut()
	r.Line = line
	places := &p.places
	places.Line, places.Marks, places.Back = line, quotes, back
	if p.Find(places) {
		if p.quotes > 0 && p.hidesHost() {
			return Unparsed
		}
		p.buf, p.plain = p.buf[:0], places.Marks != nil
		p.take(p.early)
		if p.next(r) {
			return Request
		}
		p.take(p.late)
		return p.without(r)
	}
	if len(places.Line) == 0 {
		return Blank
	}
	return Unparsed
}

// take sets the texts of parts.
func (p *programReader) take(parts []located) {
	for _, l := range parts {
		p.text[l.part] = p.field(l.at)
	}
}

func (p *programReader) field(i int) []byte {
	at := p.places.Spans[i]
	return p.places.Line[at.From:at.To]
}

// Complete sets the other fields of the request that Next returned last.
func (p *programReader) Complete(r *Record) {
	if p.ordinary {
		p.completeOrdinary(r)
		return
	}
	p.take(p.late)
	p.complete(r)
	if p.quotes == 6 {
		r.Forwarded = p.undone(quotedField(r.Line, p.places.Spans[len(p.places.Spans)-1].To+1), backslashed)
	}
}

// Plausible reports whether the record looks like one from a log of the format.
func (p *programReader) Plausible(r *Record) bool {
	if p.ordinary {
		p.places.Line, p.places.Marks, p.plain = r.Line, nil, false
		if !p.Find(&p.places) {
			return false
		}
		p.take(p.late)
	}
	return p.plausible(r) && (p.fits == nil || p.fits(r)) && (p.quotes == 0 || p.isPlausibleCommon(r))
}

// bindTail adds a doubt to a format without a host whose lines have several domains behind the fields that it reads.
func bindTail(f *Format, head []byte) *Format {
	const atMost, share = 20, 9 // lines without a domain, unless there are so many times more with one
	p := f.NewReader().(*programReader)
	var names []string
	with, without := 0, 0
	for kind, r := range recordsOf(p, head) {
		if kind != Request {
			continue
		}
		at := p.agentEnd - (r.Offset - p.from)
		if !p.ordinary {
			at = p.places.Spans[len(p.places.Spans)-1].To
		}
		if name := domainIn(r.Line[min(at, len(r.Line)):]); name == nil {
			without++
		} else if with++; len(names) < 2 && !slices.Contains(names, string(name)) {
			names = append(names, string(name))
		}
		if without > max(atMost, with/share) {
			return f
		}
	}
	if len(names) < 2 || with < share*without {
		return f
	}
	g := *f
	g.doubts = append(slices.Clip(f.doubts), fmt.Sprintf("the format %s does not read names such as %s that stand behind "+
		"its fields: if they are hosts, say so with option Format, or the requests to all of them count for one site",
		f.name, strings.Join(names, " and ")))
	return &g
}

// domainIn returns the first word that is a domain without a port, which those of a proxy's backends have, or nil.
func domainIn(text []byte) []byte {
	for word := range bytes.FieldsFuncSeq(text, func(c rune) bool { return strings.ContainsRune(` "='[](),;`, c) }) {
		if bytes.IndexByte(word, ':') < 0 && isDomain(word) {
			return word
		}
	}
	return nil
}

// fault explains the line that Next read last.
func (p *programReader) fault() string {
	says := p.Fault(&p.places, func(i int) string {
		if word := partWords[p.fields[i]]; word != "" {
			return "the " + word
		}
		return fmt.Sprintf("field %d of the format", i+1)
	})
	if says == "" {
		return noTarget
	}
	return says
}

// furtherProducts never begin a User-Agent. Browsers and similar crawlers write them after their
// first product.
var furtherProducts = strings.Fields("AppleWebKit Chrome Safari Gecko Version Mobile Firefox HeadlessChrome Chromium " +
	"CriOS FxiOS Edge Edg EdgA EdgiOS OPR Presto Trident YaBrowser UCBrowser SamsungBrowser CFNetwork Darwin " +
	"Thunderbird OpenSSL PHP like compatible; compatible")

// isOneAgent returns a function that reports whether a text is a single User-Agent, and not the end
// of another header followed by one. It is if no User-Agent could begin after any separator outside
// comments. What may follow a separator is a further product, a comment, a URL, an e-mail address,
// or a crawler's name after "compatible;". Quotes are not allowed, as no crawler sends them, nor is
// Mozilla/5.0 after the beginning.
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
	return len(word) == 0 || word[0] == '(' && len(word) > 1 || bytes.IndexByte(word, '@') >= 0 ||
		bytes.Contains(word, []byte("://")) ||
		slices.ContainsFunc(furtherProducts, func(known string) bool { return string(name) == known })
}
