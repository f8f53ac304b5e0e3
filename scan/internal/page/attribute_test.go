package page

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// FuzzAttributes compares the attributes of a tag with those that the Tokenizer finds.
func FuzzAttributes(f *testing.F) {
	for _, tag := range []string{
		`<meta name=robots content="a, b">`, `<META Name = 'a"b' content= x/ />`, `<meta a / b/c =d =e ==f "g"=h>`, "<meta/a\x00b=c\x00>",
		"<meta\tname\n=\r\n\"a\r\nb\rc\">", `<meta name="" content>`, `<meta name=a name=b NAME=c>`, `<meta a=&amp;b=&amp&AMP;=&ampx>`,
		`<meta a="&notin;&notit;&not=&not;&not &notx;" b='&#65;&#65;&'>`, `<meta a=&semi;&fjlig;&nbsp;&NotEqualTilde;>`,
		`<meta ſ=a İ=b K=c>`, `<meta a='>'b=">"c>`, "<A \xbf \xc4=>",
	} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		if strings.Contains(tag, "&nGt;") || strings.Contains(tag, "&nLt;") || strings.Count(tag, "&#") != strings.Count(tag, "&#65;") {
			return // package html does not know the two, nor some wrong numbers
		}
		tags := html.NewTokenizer(strings.NewReader(tag))
		if kind := tags.Next(); kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			return
		}
		rest := bytes.Clone(tags.Raw()[1:])
		rest = bytes.TrimLeft(rest[before(rest, blanks+"/>"):], blanks)
		seen := map[string]bool{}
		_, more := tags.TagName()
		for len(rest) > 0 && rest[0] != '>' {
			var name, value []byte
			name, value, rest = nextAttribute(rest)
			rest = bytes.TrimLeft(rest, blanks)
			low := lowered(name)
			if low == "" || seen[low] {
				continue
			}
			seen[low] = true
			var wantName, want []byte
			if wantName, want, more = tags.TagAttr(); strings.ReplaceAll(low, "\x00", "\ufffd") != string(wantName) ||
				!bytes.Equal(valueOf(value), want) {
				t.Fatalf("%q: %q = %q, want %q = %q", tag, name, valueOf(value), wantName, want)
			}
		}
		if more {
			t.Fatalf("%q: there are more", tag)
		}
	})
}
