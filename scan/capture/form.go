package capture

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// FormError is the error for content in a form that is not that of a robots.txt.
type FormError struct {
	Form string // what it is, such as "an ARC file"
	Want string // what the user should give instead
}

// Error returns both in one line.
func (e *FormError) Error() string { return e.Form + ", not a robots.txt: " + e.Want }

// The forms that a user may give as a robots.txt.
var (
	formWARC   = &FormError{"a WARC file", "its name must end in .warc, or in .warc.gz and the like"}
	formJSON   = &FormError{"lines of JSON objects", "its name must end in .jsonl or .ndjson, or in .jsonl.gz and the like"}
	formARC    = &FormError{"an ARC file, the format before WARC", "convert it to WARC"}
	formCDX    = &FormError{"an index of captures (CDX or CDXJ)", "give the WARC files that it points to"}
	formUTF16  = &FormError{"text in UTF-16", "crawlers read UTF-8 (RFC 9309 2.3) and find no rule in it; convert it to UTF-8"}
	formBinary = &FormError{"binary data", "give text, plain or compressed once"}
)

const (
	warcMagic = "WARC/"
	arcMagic  = "filedesc://"
)

// indexLine matches the beginning of an index: a line about it, or the key and the time of
// the first capture.
var indexLine = regexp.MustCompile(`^( CDX |[!@](context|meta|id|keys) |\S*[^\s:] [0-9]{14} )`)

// CheckForm returns a *FormError if a file or its first bytes are not one robots.txt, but
// the output or the index of a crawl, text in UTF-16, or binary data. A web page is no
// error: servers send web pages, and crawlers look for rules in them.
func CheckForm(content []byte) error {
	if form := formOf(content); form != nil {
		return form
	}
	return nil
}

// formOf returns nil for what may be a robots.txt.
func formOf(content []byte) *FormError {
	head := content[:min(len(content), 4096)]
	text := bytes.TrimLeft(content, " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte(warcMagic)):
		return formWARC
	case bytes.HasPrefix(text, []byte(arcMagic)):
		return formARC
	case indexLine.Match(head):
		return formCDX
	case bytes.HasPrefix(text, []byte("{")) && isObject(text):
		return formJSON
	case isUTF16(head):
		return formUTF16
	case isBinary(head):
		return formBinary
	}
	return nil
}

// isObject tells whether the first line of a text is an object as JSONLines reads it.
func isObject(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var fields struct {
		Host *string `json:"host"`
	}
	return json.Unmarshal(line, &fields) == nil && fields.Host != nil
}

// isUTF16 tells whether a text begins with the byte order mark of UTF-16, or with two ASCII
// characters in it.
func isUTF16(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	a, b, c, d := head[0], head[1], head[2], head[3]
	return a == 0xff && b == 0xfe || a == 0xfe && b == 0xff ||
		a == 0 && c == 0 && isText(b) && isText(d) || b == 0 && d == 0 && isText(a) && isText(c)
}

func isText(c byte) bool { return c >= ' ' && c < 0x7f || '\t' <= c && c <= '\r' }

// isBinary tells whether a text has more control characters than a few. Data that look
// random have one among ten bytes.
func isBinary(head []byte) bool {
	controls := 0
	for _, c := range head {
		if c < ' ' && !isText(c) {
			controls++
		}
	}
	return controls > 4+len(head)/20
}
