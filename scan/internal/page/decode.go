package page

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

var (
	utf16LE = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	utf16BE = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

// encodings are the encodings that need decoding, by name (WHATWG Encoding, section 4.2). In all
// other web encodings the bytes below 128 are ASCII, and so are the names of tags, attributes,
// crawlers and directives. Some have characters whose second byte is below 128 (Shift_JIS, GBK,
// gb18030, Big5), but that byte is never one of `"&'<=>`, a separator or a blank, so the tags are
// the same.
var encodings = map[string]encoding.Encoding{
	"utf-16": utf16LE, "utf-16le": utf16LE, "unicode": utf16LE, "unicodefeff": utf16LE,
	"ucs-2": utf16LE, "iso-10646-ucs-2": utf16LE, "csunicode": utf16LE,
	"utf-16be": utf16BE, "unicodefffe": utf16BE,
	"iso-2022-jp": japanese.ISO2022JP, "csiso2022jp": japanese.ISO2022JP,
}

// decoded returns a document as UTF-8, or in another encoding whose bytes below 128 are ASCII. charset comes from
// Content-Type, in lower case, and may be "".
//
// The encoding is determined as in the WHATWG Encoding and HTML standards, by a byte order mark,
// then the charset of Content-Type, then a meta tag in the first 1,024 bytes, which cannot specify
// UTF-16.
func decoded(document []byte, charset string) io.Reader {
	from := encodings[charset]
	cut := func(mark string) (ok bool) {
		document, ok = bytes.CutPrefix(document, []byte(mark))
		return ok
	}
	switch {
	case cut("\xEF\xBB\xBF"):
		from = nil
	case cut("\xFF\xFE"):
		from = utf16LE
	case cut("\xFE\xFF"):
		from = utf16BE
	case bytes.HasPrefix(document, []byte("<\x00")): // part of an XML declaration, for which the HTML standard looks
		from = utf16LE
	case bytes.HasPrefix(document, []byte("\x00<")):
		from = utf16BE
	case charset == "" && bytes.IndexByte(document, escape) >= 0 &&
		bytes.Contains(bytes.ToLower(document[:min(len(document), 1024)]), []byte("iso-2022-jp")):
		from = japanese.ISO2022JP
	}
	if from == nil {
		return bytes.NewReader(document)
	}
	return transform.NewReader(bytes.NewReader(document), from.NewDecoder())
}

const escape = 0x1B
