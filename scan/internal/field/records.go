package field

import "bytes"

// Records returns how many bytes of data are whole records (RFC 4180, 2.6), which may have line ends
// in quotes. Data begins with a record; final is set if nothing follows it. lines says that each line
// of them is a record, whose quotes are sound.
//
// A line whose quotes do not end, or have text behind their end, is a record by itself: a stray quote
// does not take the lines below with it.
func (c *Columns) Records(data []byte, final bool) (end int, lines bool) {
	lines = true
	for at := 0; ; {
		quote := bytes.IndexByte(data[at:], '"')
		if quote < 0 {
			quote = len(data) - at
		}
		at += bytes.LastIndexByte(data[at:at+quote], '\n') + 1
		n, isLine := c.Record(data[at:], final)
		if n == 0 {
			return at, lines
		}
		at, lines = at+n, lines && isLine
	}
}

// Record returns how long the first record of data is, with its line end; 0 if data has only its
// beginning. isLine is set if it is a line whose quotes are sound.
func (c *Columns) Record(data []byte, final bool) (n int, isLine bool) {
	first := lineFrom(data, 0)
	if n = first; n == 0 || data[n-1] != '\n' && !final {
		return 0, true
	}
	for at := 0; ; {
		quote := bytes.IndexByte(data[at:n], '"')
		if quote < 0 {
			break
		}
		if at += quote; at > 0 && data[at-1] != c.Delimiter {
			at++ // it stands for itself
			continue
		}
		end := closing(data, at+1)
		if at = end + 1; end < 0 && !final {
			return 0, true
		}
		if end >= 0 && at < n && data[at] == c.Delimiter {
			continue // as nearly always
		}
		behind := bytes.TrimLeft(data[at:], "\r")
		switch {
		case end >= 0 && len(behind) == 0 && !final: // a second quote, or the rest of a line end, may follow
			return 0, true
		case end < 0, len(behind) > 0 && behind[0] != '\n' && data[at] != c.Delimiter:
			return first, false
		}
		if at > n {
			n = lineFrom(data, at)
		}
	}
	if data[n-1] != '\n' && !final {
		return 0, true
	}
	return n, n == first
}

// lineFrom returns where the line ends that goes on at a place in data.
func lineFrom(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}
