package format

import (
	"bytes"
	"testing"
)

func TestNextLine(t *testing.T) {
	for _, c := range []struct{ name, data, line, text string }{
		{"a line of many", "http://a/\nhttp://b/\n", "http://a/\n", "http://a/"},
		{"the last line without an end", "http://a/", "http://a/", "http://a/"},
		{"CRLF", "http://a/\r\nx", "http://a/\r\n", "http://a/"},
		{"a carriage return at the end of all", "http://a/\r", "http://a/\r", "http://a/"},
		{"two carriage returns: one is the URL's", "http://a/\r\r\n", "http://a/\r\r\n", "http://a/\r"},
		{"a carriage return within", "http://a/\rb\n", "http://a/\rb\n", "http://a/\rb"},
		{"blanks are kept", " http://a/ \n", " http://a/ \n", " http://a/ "},
		{"an empty line", "\nx\n", "\n", ""},
		{"an empty line with a carriage return", "\r\nx\n", "\r\n", ""},
		{"any bytes", "\x00\xff\n\n", "\x00\xff\n", "\x00\xff"},
	} {
		if line, text := NextLine([]byte(c.data)); string(line) != c.line || string(text) != c.text {
			t.Errorf("%s: NextLine(%q) = %q, %q; want %q, %q", c.name, c.data, line, text, c.line, c.text)
		}
	}
}

func FuzzNextLine(f *testing.F) {
	f.Add([]byte("http://a/\r\n\nb"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var lines []byte
		for rest := data; len(rest) > 0; {
			line, text := NextLine(rest)
			if len(line) == 0 || !bytes.HasPrefix(line, text) || bytes.IndexByte(text, '\n') >= 0 {
				t.Fatalf("%q: line %q, text %q", rest, line, text)
			}
			lines, rest = append(lines, line...), rest[len(line):]
		}
		if !bytes.Equal(lines, data) {
			t.Errorf("the lines of %q are %q", data, lines)
		}
	})
}
