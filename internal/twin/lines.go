package twin

import "bytes"

// whitespace is what all dialects trim from lines, keys and values.
const whitespace = " \t\n\v\f\r"

// A line is the text of one line of a robots.txt, without its line end.
type line struct {
	number int // from 1
	text   []byte
}

// splitLines splits body at CRLF, CR and LF. The text after the last line end
// is a line too, though it may be empty. The limit is counted on the body as
// it was received, so a byte order mark uses it up but is in no line.
func splitLines(body []byte, maxBytes int) []line {
	var lines []line
	start := byteOrderMark(body)
	for {
		end := lineEnd(body, start)
		if maxBytes > 0 && end > maxBytes {
			return lines
		}
		lines = append(lines, line{len(lines) + 1, body[start:end]})
		if end == len(body) {
			return lines
		}
		start = end + terminator(body[end:])
	}
}

// byteOrderMark returns the length of the longest prefix of EF BB BF that body
// begins with: a mark cut short is skipped as well.
func byteOrderMark(body []byte) int {
	const mark = "\xef\xbb\xbf"
	n := 0
	for n < len(mark) && n < len(body) && body[n] == mark[n] {
		n++
	}
	return n
}

// lineEnd returns the offset of the first CR or LF from start on, or the
// length of the body.
func lineEnd(body []byte, start int) int {
	for i := start; i < len(body); i++ {
		if body[i] == '\r' || body[i] == '\n' {
			return i
		}
	}
	return len(body)
}

// terminator returns the length of the line end that rest begins with.
func terminator(rest []byte) int {
	if bytes.HasPrefix(rest, []byte("\r\n")) {
		return 2
	}
	return 1
}

// beforeByte returns what precedes the first c in text, or all of text.
func beforeByte(text []byte, c byte) []byte {
	before, _, _ := bytes.Cut(text, []byte{c})
	return before
}

func trim(text []byte) []byte { return bytes.Trim(text, whitespace) }

// strictField reads a line as "rfc9309" and "original" do: the colon is
// required, and a line with a NUL anywhere is no field. The key is in lower
// case.
func strictField(text []byte) (key string, value []byte, ok bool) {
	if bytes.IndexByte(text, 0) >= 0 {
		return "", nil, false
	}
	k, v, ok := bytes.Cut(beforeByte(text, '#'), []byte(":"))
	return lower(trim(k)), trim(v), ok
}

// lower returns text with A-Z in lower case. The functions of package bytes
// will not do: they also fold letters outside ASCII.
func lower(text []byte) string {
	out := bytes.Clone(text)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}
