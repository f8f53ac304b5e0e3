package page

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/net/html"

	"github.com/robotsieve/robotsieve/internal/test/cases"
)

const noindex = `<meta name="robots" content="noindex">`

func TestWhereTheHeadEnds(t *testing.T) {
	for _, row := range cases.Rows(t, "heads.txt") {
		document, want := row[0], row[1] == "true"
		if got := read(document).Rules(nil, now).Set&NoIndex != 0; got != want {
			t.Errorf("%q: %v", document, got)
		}
	}
}

func TestContentTypes(t *testing.T) {
	for contentType, want := range map[string]bool{
		"": true, "text/html": true, " TEXT/HTML ;charset=x": true, "application/xhtml+xml; charset=utf-8": true, "*/*": true,
		";charset=utf-8": true,
		"text/plain":     false, "application/pdf": false, "image/svg+xml": false, "text/htmlx": false, "application/json": false,
		"text/xml": false,
	} {
		p := &Page{}
		p.HTML([]byte(contentType), []byte(noindex))
		if got := p.Rules(nil, now).Set == NoIndex; got != want {
			t.Errorf("%q: %v", contentType, got)
		}
	}
	p := &Page{}
	p.HTML([]byte("application/xhtml+xml"), []byte(`<html><head><script src="x"/><title/><template/>`+noindex))
	if p.Rules(nil, now).Set != NoIndex {
		t.Error("XHTML closes elements so")
	}
}

// wide writes a text as UTF-16.
func wide(text string, order binary.AppendByteOrder) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

func TestEncodings(t *testing.T) {
	document := "<title>Grüße, 世界 😀</title>" + strings.Repeat("<!-- ü😀 -->", 2000) + noindex +
		meta("robots", "noai, Größe😀")
	for name, c := range map[string]struct{ contentType, document string }{
		"UTF-8":                  {"text/html; charset=utf-8", document},
		"UTF-8 with mark":        {"text/html", "\xEF\xBB\xBF" + document},
		"mark before the header": {"text/html; charset=utf-16", "\xEF\xBB\xBF" + document},
		"UTF-16 with mark":       {"text/html; charset=utf-8", string(wide("\uFEFF"+document, binary.LittleEndian))},
		"UTF-16BE with mark":     {"text/html", string(wide("\uFEFF"+document, binary.BigEndian))},
		"UTF-16":                 {`text/html; Charset="UTF-16"`, string(wide(document, binary.LittleEndian))},
		"UTF-16BE":               {"text/html;x=y; charset = utf-16be ", string(wide(document, binary.BigEndian))},
		"UTF-16 unsaid":          {"", string(wide(document, binary.LittleEndian))},
		"UTF-16BE unsaid":        {"text/html", string(wide(document, binary.BigEndian))},
		"UTF-16 in a meta tag":   {"text/html", `<meta charset="utf-16">` + document},
		"half a character":       {"text/html", string(wide("\uFEFF"+document, binary.LittleEndian)) + "\x3d"},
	} {
		p := &Page{}
		p.HTML([]byte(c.contentType), []byte(c.document))
		if got := statements(p); !slices.Equal(got, []string{"meta |noindex", "meta |noai, Größe😀|Größe😀"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	// The second bytes of these characters are quotes, angle brackets and letters of ASCII.
	for name, c := range map[string]struct{ contentType, document string }{
		"Shift_JIS": {"text/html; charset=shift_jis",
			"<meta name=description content=\"\x83\x5C\x95\x5C\">" + noindex},
		"GBK": {"text/html; charset=gbk", "<meta name=description content=\"\x81\x5C\x81\x7C\">" + noindex},
		"gb18030": {"text/html; charset=gb18030",
			"<meta name=description content=\"\x81\x30\x81\x30\">" + noindex},
		"ISO-2022-JP": {"text/html; charset=ISO-2022-JP",
			"<meta name=description content=\"\x1b$B\"\"<>\x1b(B\">" + noindex},
		"ISO-2022-JP, katakana": {"text/html; charset=ISO-2022-JP", "<title>\x1b(I</title><body>\x1b(B</title>" + noindex},
		"ISO-2022-JP, stated": {"text/html",
			"<meta http-equiv=Content-Type content=\"text/html; charset=iso-2022-jp\"><meta name=description content='\x1b$@'\"\x1b(J'>" + noindex},
		"ISO-2022-JP, at once": {"text/html; charset=csISO2022JP", "<meta name=robots content=\"\x1b(Bnoindex\x1b(B\">"},
		"escapes of nothing":   {"text/html; charset=utf-8", "<meta name=description content=\"\x1b$B\">" + noindex},
		"another escape": {"text/html; charset=iso-2022-jp", "<meta name=description content=\"\x1b[1m\x1b\">" +
			noindex + "<!--\x1b$"},
	} {
		p := &Page{}
		p.HTML([]byte(c.contentType), []byte(c.document))
		if got := statements(p); !slices.Equal(got, []string{"meta |noindex"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// inTree returns what the meta tags in the head of a document state, as the tree shows them that
// x/net/html builds of the whole document.
func inTree(document []byte) *Page {
	p := &Page{}
	root, err := html.Parse(bytes.NewReader(document))
	if err != nil {
		return p
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			switch n.Data {
			case "body", "frameset", "template":
				return
			case "meta":
				var name, content *string
				for _, a := range n.Attr {
					switch a.Key {
					case "name":
						name = &a.Val
					case "content":
						content = &a.Val
					}
				}
				if name != nil && content != nil {
					p.Meta([]byte(*name), []byte(*content))
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return p
}

// TestHeadsAsTheTreeHasThem compares the meta tags of documents made of the relevant pieces with
// those in the head of the document's tree.
func TestHeadsAsTheTreeHasThem(t *testing.T) {
	pieces := []string{
		"<html>", "<head>", "</head>", "<body>", "</body>", "</html>", "<title>", "</title>", "<script>", "</script>",
		"<noscript>", "</noscript>", "<style>", "</style>",
		"<template>", "</template>", "<!--", "-->", "x", " ", "<link>", "<base/>", "<p>", "</p>", "<br>", "</br>",
		"<frameset>", "<noframes>", "</noframes>", "<!doctype html>", "&#9;", "</>", "<?x?>",
	}
	n := 0
	for _, a := range pieces {
		for _, b := range pieces {
			for _, c := range pieces {
				document := a + meta("a", "noai") + b + meta("b", "noai") + c + meta("c", "noai")
				if got, want := statements(read(document)), statements(inTree([]byte(document))); !slices.Equal(got, want) {
					if n++; n < 10 {
						t.Errorf("%s:\n got %q\nwant %q", document, got, want)
					}
				}
			}
		}
	}
}

// ordinary is a page of some 100 kB with a head of some 5 kB, as they are.
var ordinary = func() []byte {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en-US\" class=\"no-js\">\n<head>\n<meta charset=\"UTF-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<title>Things to see &amp; do - Example</title>\n<meta name=\"description\" content=\"All the things to see and do in Example, and how to get there by train, by bus or on foot.\">\n" +
		"<meta name=\"robots\" content=\"max-snippet:-1, max-image-preview:large, max-video-preview:-1\">\n<link rel=\"canonical\" href=\"https://www.example.com/things-to-see/\">\n")
	for _, p := range []string{"title", "description", "url", "site_name", "image", "type", "locale"} {
		fmt.Fprintf(&b, "<meta property=\"og:%s\" content=\"https://www.example.com/wp-content/uploads/2024/05/%s.jpg\">\n",
			p, p)
	}
	for i := range 12 {
		fmt.Fprintf(&b, "<link rel='stylesheet' id='style-%d-css' href='https://www.example.com/wp-content/plugins/plugin-%d/css/style.min.css?ver=6.5.%d' type='text/css' media='all'>\n", i, i, i)
	}
	for i := range 4 {
		fmt.Fprintf(&b, "<script type=\"text/javascript\" id=\"x-%d\">\nwindow.settings = {\"a\":{\"url\":\"https:\\/\\/s.w.org\\/images\\/core\\/\",\"ext\":\".png\",\"svg\":\".svg\"}};\n!function(i,n){var o,s,e;function c(e){try{var t={supportTests:e,timestamp:(new Date).valueOf()};sessionStorage.setItem(o,JSON.stringify(t))}catch(e){}}}();\n</script>\n", i)
	}
	fmt.Fprintf(&b, "<style>%s</style>\n</head>\n<body>\n",
		strings.Repeat("img.emoji{display:inline !important;border:none}\n", 12))
	for b.Len() < 100_000 {
		b.WriteString("<div class=\"entry\"><p>Lorem ipsum dolor sit amet, <a href=\"/x\">consectetur</a> adipiscing elit.</p></div>\n")
	}
	return b.Bytes()
}()

// hostile are documents that cost as much as their makers can think of.
func hostile() map[string]string {
	const n = 4 * MaxHead
	fill := func(text string) string { return strings.Repeat(text, n/len(text)+1)[:n] }
	var names strings.Builder
	for i := 0; names.Len() < n; i++ {
		fmt.Fprintf(&names, " %x", i)
	}
	var large strings.Builder
	large.WriteString("<link")
	for i := range 1000 {
		fmt.Fprintf(&large, " %x", i)
	}
	large.WriteString(">")
	return map[string]string{
		"attributes":               "<meta" + names.String(),
		"attributes, then an end":  "<meta" + names.String()[:MaxHead-100] + ">" + fill("<meta x>"),
		"attributes below a bound": large.String() + fill("<link x>"),
		"equal attributes":         "<meta" + fill(" a=b"),
		"a comment":                "<!--" + fill("-- >"),
		"comments":                 fill("<!---->"),
		"abrupt comments":          fill("<!-->"),
		"a script":                 "<script>" + fill("<!--<script></script>"),
		"ends of scripts":          "<script>" + fill("</scrip"),
		"an attribute":             "<meta content='" + fill("&notit;"),
		"references":               meta("robots", fill("&#110;,")[:MaxHead/2]),
		"templates":                fill("<template>"),
		"small tags":               fill("<meta a>"),
		"statements":               fill("<meta name=robots content=all>"),
		"names of crawlers":        fill("<meta name=x content=none>"),
		"directives":               meta("robots", fill("all,")[:MaxHead/2]),
		"dates":                    meta("robots", fill("unavailable_after:2020 ,")[:MaxHead/2]),
		"digits":                   meta("robots", "unavailable_after:"+fill("1")[:MaxHead/2]),
		"colons":                   meta("robots", fill("a:")[:MaxHead/2]),
		"blanks":                   fill(" "),
		"blanks before a colon":    meta("robots", fill("a ")[:MaxHead/4]+fill(" ")[:MaxHead/4]),
		"octets":                   fill("\x00"),
		"angles":                   fill("<"),
		"UTF-16":                   "\xFF\xFE" + fill("\x00\xD8"),
		"end tags":                 fill("</a b c d>"),
	}
}

func TestHostileDocuments(t *testing.T) {
	for name, document := range hostile() {
		p := &Page{}
		start := time.Now()
		p.HTML([]byte("text/html"), []byte(document))
		took := time.Since(start)
		if took > 2*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if cap(p.text) > 2<<20 {
			t.Errorf("%s: %d octets of text", name, cap(p.text))
		}
		t.Logf("%-25s %v, partial %v, %d statements", name, took, p.Partial(), len(p.list))
	}
	for name, document := range map[string]string{"cut": strings.Repeat(" ", MaxHead) + noindex,
		"attributes": "<link" + strings.Repeat(" a=b", 2000) + ">" + noindex} {
		if p := read(document); p.Partial() == (name == "attributes") {
			t.Errorf("%s: partial %v", name, p.Partial())
		}
	}
}

// FuzzPage checks that a document has the tags of its tree, and that a header is independent of case and white space.
func FuzzPage(f *testing.F) {
	for _, document := range hostile() {
		f.Add([]byte(document[:2000]), "noindex, googlebot: nofollow, unavailable_after: Friday, 25-Jun-10 15:00:00 PST")
	}
	f.Add(ordinary[:4000], "max-snippet : 20 ;max-image-preview:large,x")
	f.Add([]byte("<head><template>"+noindex+"</template>"+noindex+"</head><link><body>"),
		"a: b: c, 2020-01-01T00:00+02:00")
	f.Fuzz(func(t *testing.T, document []byte, header string) {
		p, q := &Page{}, &Page{}
		p.HTML([]byte("text/html; charset=utf-8"), document)
		if want := inTree(document); !bytes.Contains(bytes.ToLower(document), []byte("<template")) &&
			!slices.Equal(statements(p), statements(want)) &&
			!p.Partial() && !bytes.HasPrefix(document, []byte("\xEF\xBB\xBF")) {
			t.Errorf("%q:\n got %q\nwant %q", document, statements(p), statements(want))
		}
		for _, contentType := range []string{"", "text/html; charset=utf-16", "text/html; charset=iso-2022-jp",
			"application/xhtml+xml"} {
			q.HTML([]byte(contentType), document)
		}
		want := read("", header)
		for _, other := range []string{
			strings.Map(func(r rune) rune { return rune(lower(byte(r))) | r&^0xFF }, header),
			strings.ReplaceAll(header, " ", "\n\t "),
			strings.ReplaceAll(header, ",", " , "), header + " ,", " " + header,
		} {
			for _, token := range []string{"googlebot", "x"} {
				if got, want := read("", other).Rules([]string{token}, now), want.Rules([]string{token}, now); got != want {
					t.Errorf("%q: %+v; %q: %+v", header, want, other, got)
				}
			}
		}
	})
}

// TestGuardAllocations checks that reading allocates a Tokenizer with its buffer per page, and copies of the names of
// tags and attributes, but nothing proportional to the body. Statements and rules don't allocate, except for dates.
func TestGuardAllocations(t *testing.T) {
	p := &Page{}
	tokens := []string{"Googlebot-News", "Googlebot"}
	contentType := []byte("text/html; charset=utf-8")
	header := []byte("noarchive, googlebot: nofollow, max-snippet:20")
	name, content := []byte("robots"), []byte("noindex, max-image-preview:large")
	if n := testing.AllocsPerRun(100, func() {
		p.Reset()
		p.Header(header)
		p.Meta(name, content)
		if p.Rules(tokens, now).Set&NoFollow == 0 {
			t.Error("no rules")
		}
	}); n > 0 {
		t.Errorf("a header and a meta tag: %v allocations", n)
	}
	n := testing.AllocsPerRun(100, func() {
		p.Reset()
		p.HTML(contentType, ordinary)
	})
	t.Logf("an ordinary page: %v allocations", n)
	if n > 350 {
		t.Errorf("an ordinary page: %v allocations", n)
	}
}
