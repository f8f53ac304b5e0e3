package capture

import (
	"bytes"
	"encoding/json"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// FormError is returned by File for content that does not have the form of a robots.txt.
type FormError struct {
	Form string // what it is, such as "an ARC file"
	Want string // what File's user should do instead
}

// Error returns both in one line.
func (e *FormError) Error() string { return e.Form + ", not a robots.txt: " + e.Want }

// The forms that a user may give as a robots.txt.
var (
	errWARC = &FormError{"a WARC file", "its name must end in .warc, or in .warc.gz and the like"}
	errJSON = &FormError{"lines of JSON objects",
		"its name must end in .jsonl, .ndjson or .json, or in .jsonl.gz and the like"}
	errARC    = &FormError{"an ARC file, the format before WARC", "convert it to WARC"}
	errCDX    = &FormError{"an index of captures (CDX or CDXJ)", "give the WARC files that it points to"}
	errNoHost = &FormError{"a file whose name need not be that of a host",
		"if it is one, add the word to the name: HOST.robots.txt"}
	errBinary = &FormError{"binary data", "give text, plain or compressed once"}
)

// FormOf returns the form of a file, by its first bytes, if that is the output or the index of a
// crawl, or binary data; nil if it may be a robots.txt. Web pages and text in UTF-16 may be one:
// servers send them, and crawlers look for rules in them.
func FormOf(content []byte) *FormError {
	head := content[:min(len(content), 4096)]
	switch sniff.Form(head) {
	case "warc":
		return errWARC
	case "arc":
		return errARC
	case "cdx", "cdxj":
		return errCDX
	case "json":
		if isObject(bytes.TrimLeft(content, bom+" \t\r\n")) {
			return errJSON
		}
	}
	if isBinary(head) && !compile.IsUTF16(head) {
		return errBinary
	}
	return nil
}

// isObject reports whether the first line of a text is an object as JSONLines reads it.
func isObject(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var fields struct {
		Host *string `json:"host"`
	}
	return json.Unmarshal(line, &fields) == nil && fields.Host != nil
}

// isBinary reports whether a text has more control characters than a few. Data that look
// random have one among ten bytes.
func isBinary(head []byte) bool {
	controls := 0
	for _, c := range head {
		if c < ' ' && (c < '\t' || c > '\r') {
			controls++
		}
	}
	return controls > 4+len(head)/20
}
