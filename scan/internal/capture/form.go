package capture

import (
	"bytes"
	"encoding/json"

	"github.com/robotsieve/robotsieve/compile"
	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// FormError is File's error for content that isn't a robots.txt.
type FormError struct {
	Form string // what the content is, such as "an ARC file"
	Want string // what the user should do instead
}

// Error returns both in one line.
func (e *FormError) Error() string { return e.Form + ", not a robots.txt: " + e.Want }

// Forms of content that users may mistake for a robots.txt.
var (
	errWARC = &FormError{"a WARC file", "its name must end in .warc, or in .warc.gz and the like"}
	errJSON = &FormError{"lines of JSON objects",
		"its name must end in .jsonl, .ndjson or .json, or in .jsonl.gz and the like"}
	errARC    = &FormError{"an ARC file, the format before WARC", "convert it to WARC"}
	errCDX    = &FormError{"an index of captures (CDX or CDXJ)", "give the WARC files that it points to"}
	errNoHost = &FormError{"a file whose name need not be a host",
		"if it is one, add the word to the name: HOST.robots.txt"}
	errBinary = &FormError{"binary data", "give text, plain or compressed once"}
)

// FormOf recognizes output or indexes of crawls and binary data by their first bytes. It returns
// nil if the file may be a robots.txt. That includes web pages and UTF-16, because servers send
// them and crawlers look for rules in them.
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

// isObject reports whether the first line of a text is an object for JSONLines.
func isObject(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var fields struct {
		Host *string `json:"host"`
	}
	return json.Unmarshal(line, &fields) == nil && fields.Host != nil
}

// isBinary reports whether a text has more than a few control characters. Random data has about one
// in ten bytes.
func isBinary(head []byte) bool {
	controls := 0
	for _, c := range head {
		if c < ' ' && (c < '\t' || c > '\r') {
			controls++
		}
	}
	return controls > 4+len(head)/20
}
