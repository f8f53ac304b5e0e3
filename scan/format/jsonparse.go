package format

import (
	"bytes"
	"encoding/hex"
	"unicode/utf8"
	"unsafe"

	"github.com/valyala/fastjson"
)

// parse finds the fields of an object by fastjson. It tells whether it is an object.
func (j *jsonReader) parse(text []byte) bool {
	j.begin()
	if !j.mend(text) {
		return false
	}
	v, err := j.parser.Parse(unsafe.String(unsafe.SliceData(j.mended), len(j.mended)))
	if err != nil || v.Type() != fastjson.TypeObject {
		return false
	}
	if j.visit == nil {
		j.visit = func(name []byte, v *fastjson.Value) {
			if child := j.node.member(name); child != nil {
				j.read(child, v)
			}
		}
	}
	j.readContainer(j.tree.root, v)
	return true
}

// read notes what is wanted of a value.
func (j *jsonReader) read(n *jsonNode, v *fastjson.Value) {
	switch v.Type() {
	case fastjson.TypeNull:
	case fastjson.TypeObject, fastjson.TypeArray:
		j.signs |= n.gives(nil)
		j.readContainer(n, v)
	case fastjson.TypeString:
		text, _ := v.StringBytes()
		j.found(n, text)
	case fastjson.TypeTrue:
		j.found(n, []byte("true"))
	case fastjson.TypeFalse:
		j.found(n, []byte("false"))
	default:
		from := len(j.buf)
		j.buf = v.MarshalTo(j.buf)
		j.found(n, j.buf[from:])
	}
}

// readContainer notes what is wanted of an object or array.
func (j *jsonReader) readContainer(n *jsonNode, v *fastjson.Value) {
	if array := v.GetArray(); array != nil {
		for i, element := range array {
			if child := n.item(i); child != nil {
				j.read(child, element)
			}
		}
		return
	}
	around := j.node
	j.node = n
	v.GetObject().Visit(j.visit)
	j.node = around
	if n.chooses != nil {
		j.choose(n.chooses)
	}
}

// mend sets j.mended to an object as fastjson reads it right, and tells whether it may be
// one. It mends what servers write although it is no JSON:
//
//   - \xHH for an octet, and \v: nginx by default, and Apache;
//   - values that are neither quoted nor JSON, as of nginx's "n":$upstream_response_time, for
//     which it logs nothing, or 0.001, 0.002: they become null;
//   - halves of surrogates, of which fastjson would take away what follows: they become U+FFFD;
//   - a comma or the end of an array behind the object, if each line is an element: left out.
//
// fastjson quotes in an error what it does not understand, once for each object around it;
// so words that are no JSON, and objects in objects without end, are refused here.
func (j *jsonReader) mend(text []byte) bool {
	j.mended = j.mended[:0]
	depth, commas, colon := 0, 0, false
	for i := 0; i < len(text); {
		c, n := text[i], 1
		switch c {
		case ' ', '\t', '\r':
			i++
			continue
		case '{', '[':
			if depth++; depth > jsonDepth {
				return false
			}
		case '}', ']', ',':
			if colon && c != ']' {
				j.mended = append(j.mended, "null"...)
			}
			if c == ',' {
				commas++
			} else {
				depth--
			}
		case ':':
		case '"':
			if n = j.mendString(text[i:]); n < 0 {
				return false
			}
		default:
			if n = bareLength(text[i:]); colon && (n == 0 || !endsMember(text[i+n:])) {
				n = junkLength(text[i:])
				j.mended = append(j.mended, "null"...)
			} else {
				j.mended = append(j.mended, text[i:i+n]...)
			}
			if n == 0 {
				return false
			}
		}
		if bytes.IndexByte([]byte("{}[],:"), c) >= 0 {
			j.mended = append(j.mended, c)
		}
		i += n
		colon = c == ':'
		switch {
		case commas == jsonCommas:
			return false
		case depth <= 0:
			return depth == 0 && closesElement(text[i:])
		}
	}
	return false
}

// endsMember tells whether b is what may follow a number or literal in an object: its end,
// or the next member.
func endsMember(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r")
	if len(b) > 0 && b[0] == ',' {
		b = bytes.TrimLeft(b[1:], " \t\r")
		return len(b) > 0 && b[0] == '"'
	}
	return len(b) > 0 && b[0] == '}'
}

// junkLength returns the length of a value that is neither quoted nor JSON: up to the end
// of its object, or the comma before the next member. It is 0 if there is no such end.
func junkLength(b []byte) int {
	for i, c := range b {
		switch c {
		case ',', '}':
			if endsMember(b[i:]) {
				return i
			}
		case '"', '{', '[', ']':
			return 0
		}
	}
	return 0
}

// closesElement tells whether nothing is behind an object but a comma or the end of an
// array.
func closesElement(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r")
	if len(b) > 0 && (b[0] == ',' || b[0] == ']') {
		b = bytes.TrimLeft(b[1:], " \t\r")
	}
	return len(b) == 0
}

// mendString mends the string that text begins with, and returns its length with the
// quotes, -1 if it does not end.
func (j *jsonReader) mendString(text []byte) int {
	j.mended = append(j.mended, '"')
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			j.mended = append(j.mended, c)
			return i + 1
		case c != '\\':
			j.mended = append(j.mended, c)
		case i+1 == len(text):
			return -1
		default:
			i += j.mendEscape(text[i:]) - 1
		}
	}
	return -1
}

// mendEscape mends the escape that text begins with, and returns its length. text has two
// octets or more.
func (j *jsonReader) mendEscape(text []byte) int {
	switch text[1] {
	case 'x':
		var octet [1]byte
		if len(text) < 4 {
			break
		}
		if _, err := hex.Decode(octet[:], text[2:4]); err != nil {
			break
		}
		if octet[0] == '"' || octet[0] == '\\' {
			j.mended = append(j.mended, '\\')
		}
		j.mended = append(j.mended, octet[0])
		return 4
	case 'v':
		j.mended = append(j.mended, '\v')
		return 2
	case 'u':
		first, second := surrogate(text), surrogate(text[min(6, len(text)):])
		switch {
		case first == 0:
		case first == 0xd8 && second == 0xdc:
			j.mended = append(j.mended, text[:12]...)
			return 12
		default:
			j.mended = utf8.AppendRune(j.mended, utf8.RuneError)
			return 6
		}
	}
	j.mended = append(j.mended, text[:2]...)
	return 2
}

// surrogate returns 0xd8 if text begins with \u and the first half of a surrogate pair,
// 0xdc if with the second, and otherwise 0.
func surrogate(text []byte) byte {
	var octets [2]byte
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	if _, err := hex.Decode(octets[:], text[2:6]); err != nil || octets[0]&0xf8 != 0xd8 {
		return 0
	}
	return octets[0] & 0xfc
}
