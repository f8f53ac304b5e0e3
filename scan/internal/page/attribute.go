package page

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"
)

// nextAttribute cuts the first attribute off the rest of a start tag, as HTML has it (13.2.5.32 to 13.2.5.40). Its name
// is empty at a stray slash. Tokenizer.TagAttr would do the same, and every start of the program would make the maps
// of two thousand entities for it.
func nextAttribute(tag []byte) (name, value, rest []byte) {
	tag = bytes.TrimLeft(tag, blanks)
	first := len(tag) - len(bytes.TrimPrefix(tag, []byte("="))) // it belongs to the name there
	end := first + before(tag[first:], blanks+"=/>")
	name, rest = tag[:end], bytes.TrimLeft(tag[end:], blanks)
	if slash, found := bytes.CutPrefix(rest, []byte("/")); found {
		return name, nil, slash
	}
	rest, found := bytes.CutPrefix(rest, []byte("="))
	if !found {
		return name, nil, rest
	}
	rest = bytes.TrimLeft(rest, blanks)
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') {
		value, rest, _ = bytes.Cut(rest[1:], rest[:1])
		return name, value, rest
	}
	end = before(rest, blanks+">")
	return name, rest[:end], rest[end:]
}

// lowered returns a name with its ASCII letters in lower case, as HTML compares names.
func lowered(name []byte) string {
	low := bytes.Clone(name)
	for i, c := range low {
		low[i] = lower(c)
	}
	return string(low)
}

// before returns the index of the first of some characters in b, or its length.
func before(b []byte, any string) int {
	if n := bytes.IndexAny(b, any); n >= 0 {
		return n
	}
	return len(b)
}

// valueOf returns an attribute's value, with its newlines, NULs and character references replaced as in HTML. It is
// nil if it is empty.
func valueOf(text []byte) []byte {
	if bytes.IndexAny(text, "&\r\x00") < 0 {
		return append([]byte(nil), text...)
	}
	var value []byte
	clean := strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\r", "\n")
	for i, part := range strings.Split(strings.ReplaceAll(clean, "\x00", "\ufffd"), "&") {
		if i > 0 {
			part = resolved("&" + part)
		}
		value = append(value, part...)
	}
	return value
}

// resolved returns a text of an attribute with the character that its reference stands for. The reference is at its
// beginning. In an attribute it does not end before a letter, a digit or an equals sign (13.2.5.73), as in a URL.
func resolved(text string) string {
	end := len(text) - len(strings.TrimLeft(text[1:], alphanumeric))
	switch {
	case end == 1: // perhaps a number
		return html.UnescapeString(text)
	case end < len(text) && text[end] == ';':
		end++
	case end < len(text) && text[end] == '=':
		return text
	}
	// Elsewhere a known name may end within a longer one, whose last character then remains.
	character := html.UnescapeString(text[:end])
	if utf8.RuneCountInString(character) > 1 && character[len(character)-1] == text[end-1] {
		return text
	}
	return character + text[end:]
}

const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
