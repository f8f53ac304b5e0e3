package twin

import "bytes"

// whitespace is what all dialects trim from lines, keys and values.
const whitespace = " \t\n\v\f\r"

// A line is the text of one line of a robots.txt, without its line end.
type line struct {
	number int // from 1
	text   []byte
}

// splitLines splits body at CRLF, CR and LF. The text after the last line end is a line too, though it may be empty.
// The limit is counted on the body as it was received, so a byte order mark uses it up but is in no line.
func splitLines(body []byte, maxBytes int) []line {
	var lines []line
	start := byteOrderMark(body)
	for {
		end := len(body)
		if length := bytes.IndexAny(body[start:], "\r\n"); length >= 0 {
			end = start + length
		}
		if maxBytes > 0 && end > maxBytes {
			return lines
		}
		lines = append(lines, line{len(lines) + 1, body[start:end]})
		if end == len(body) {
			return lines
		}
		start = end + 1
		if bytes.HasPrefix(body[end:], []byte("\r\n")) {
			start++
		}
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

// beforeByte returns what precedes the first c in text, or all of text.
func beforeByte(text []byte, c byte) []byte {
	before, _, _ := bytes.Cut(text, []byte{c})
	return before
}

func trim(text []byte) []byte { return bytes.Trim(text, whitespace) }

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
