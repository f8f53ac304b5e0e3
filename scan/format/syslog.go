package format

import "bytes"

// openSyslog opens lines with the header of RFC 3164, whose priority, host and tag may be
// missing, and whose time may be as in RFC 3339.
func openSyslog(line []byte, _ *[]byte) (source, inner []byte, has content) {
	line = line[priorityLength(line):]
	n := max(isoTimeLength(line), stampLength(line))
	if n == 0 || n >= len(line) || line[n] != ' ' {
		return nil, nil, nothing
	}
	rest := line[n+1:]
	for range 2 { // the host, the tag
		word, behind, found := bytes.Cut(rest, []byte(" "))
		if !found || len(word) == 0 {
			return nil, bytes.TrimLeft(rest, " "), whole
		}
		rest = behind
		if tag, is := bytes.CutSuffix(word, []byte(":")); is {
			tag, _, _ = bytes.Cut(tag, []byte("["))
			return tag, messageOf(rest), whole
		}
		if bytes.HasPrefix(rest, []byte(" ")) || bytes.HasPrefix(rest, []byte("{")) { // no tag
			return nil, bytes.TrimLeft(rest, " "), whole
		}
	}
	return nil, nil, nothing
}

// messageOf removes from a message what only says that it is structured (Common Event
// Expression).
func messageOf(b []byte) []byte {
	if after, ok := bytes.CutPrefix(b, []byte("@cee:")); ok {
		return bytes.TrimLeft(after, " ")
	}
	return b
}

// openSyslog5424 opens lines with the header of RFC 5424, whose priority may be missing.
func openSyslog5424(line []byte, _ *[]byte) (source, inner []byte, has content) {
	rest, ok := bytes.CutPrefix(line[priorityLength(line):], []byte("1 "))
	if !ok {
		return nil, nil, nothing
	}
	for i := range 5 { // time, host, program, process, kind of message
		word, behind, found := bytes.Cut(rest, []byte(" "))
		switch {
		case !found || i == 0 && string(word) != "-" && isoTimeLength(word) != len(word):
			return nil, nil, nothing
		case i == 2 && string(word) != "-":
			source = word
		}
		rest = behind
	}
	if rest, ok = withoutStructure(rest); !ok {
		return nil, nil, nothing
	}
	return source, messageOf(bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte(" ")), BOM)), whole
}

// withoutStructure removes structured data (RFC 5424 6.3): a dash, or elements in brackets,
// whose values are in quotes, with a backslash before quotes, backslashes and brackets.
func withoutStructure(b []byte) (rest []byte, ok bool) {
	if len(b) > 0 && b[0] == '-' {
		return b[1:], true
	}
	quoted, inside := false, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case !inside && c != '[':
			return b[i:], i > 0
		case !inside:
			inside = true
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			inside = false
		}
	}
	return nil, !inside && len(b) > 0
}

// priorityLength returns the length of the priority at the start of a message: <190>.
func priorityLength(b []byte) int {
	end := bytes.IndexByte(b[:min(len(b), len("<190>"))], '>')
	if end < 2 || b[0] != '<' {
		return 0
	}
	if !isDigits(b[1:end]) {
		return 0
	}
	return end + 1
}

// stampLength returns the length of the time at the start of a message of RFC 3164, 0 if
// there is none: Mar  4 05:06:07, perhaps with a year before the time of day, or with a
// fraction.
func stampLength(b []byte) int {
	if len(b) < 3 || monthOf(b[:3]) == 0 {
		return 0
	}
	for _, shape := range [...]string{" 00 00:00:00", "  0 00:00:00", " 00 0000 00:00:00", "  0 0000 00:00:00"} {
		if n := 3 + len(shape); looksLike(b[3:], shape) {
			return n + fractionLength(b[n:])
		}
	}
	return 0
}
