package format

import "bytes"

// NextURL returns the first line of a list of URLs, one a line: the line as it
// stands, with its line end if it has one, and the URL in it. A carriage return
// before the newline, or at the end of data, is part of the line end. Nothing
// else is taken off, and whether it is a URL is not asked. Both are views of
// data, which is not empty.
func NextURL(data []byte) (line, url []byte) {
	line, url = data, data
	if end := bytes.IndexByte(data, '\n'); end >= 0 {
		line, url = data[:end+1], data[:end]
	}
	if n := len(url); n > 0 && url[n-1] == '\r' {
		url = url[:n-1]
	}
	return line, url
}

// BOM is the byte order mark that some programs begin a file of UTF-8 with. It is
// no part of the first line.
var BOM = []byte("\xef\xbb\xbf")
