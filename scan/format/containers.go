package format

import (
	"bytes"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// openColours removes colours and other terminal control sequences (ECMA-48 5.4, CSI). Every line
// is in this envelope. Text between the first and the last quote of a line stays unchanged, because
// a client may have sent the sequences there.
func openColours(line []byte, buf *[]byte) (source, inner []byte, has content) {
	if !bytes.Contains(line, csi) {
		return nil, line, whole
	}
	first, last := bytes.IndexByte(line, '"'), bytes.LastIndexByte(line, '"')
	if first < 0 {
		first, last = len(line), len(line)-1
	}
	b := appendPlain((*buf)[:0], line[:first])
	b = append(b, line[first:last+1]...)
	*buf = appendPlain(b, line[last+1:])
	return nil, *buf, whole
}

// csi begins a terminal control sequence.
var csi = []byte("\x1b[")

// appendPlain appends a text without its control sequences.
func appendPlain(dst, text []byte) []byte {
	for {
		before, rest, found := bytes.Cut(text, csi)
		dst = append(dst, before...)
		if !found {
			return dst
		}
		for len(rest) > 0 && 0x20 <= rest[0] && rest[0] < 0x40 { // parameters
			rest = rest[1:]
		}
		text = rest[min(1, len(rest)):] // without the final byte
	}
}

// openDocker opens the objects of Docker's driver json-file: {"log":"…\n",
// "stream":"stdout","time":"…"}. Docker cuts lines of more than 16 KiB into pieces, of which only
// the last has a line end.
func openDocker(line []byte, buf *[]byte) (source, inner []byte, has content) {
	var raw, stream, at []byte
	for name, value := range field.Members(line) {
		switch string(name) {
		case "log":
			raw = value
		case "stream":
			stream = value
		case "time":
			at = value
		}
	}
	if !isString(raw) || stream == nil && at == nil {
		return nil, nil, nothing
	}
	*buf = field.Unescape((*buf)[:0], raw[1:len(raw)-1])
	inner, isWhole := bytes.CutSuffix(*buf, []byte("\n"))
	if !isWhole {
		return textOf(stream), nil, piece
	}
	return textOf(stream), withoutReturn(inner), whole
}

// isString reports whether a JSON value is a string.
func isString(value []byte) bool { return len(value) >= 2 && value[0] == '"' }

// textOf returns the raw text between the quotes of a JSON string, or nil if value
// is not a string.
func textOf(value []byte) []byte {
	if !isString(value) {
		return nil
	}
	return value[1 : len(value)-1]
}

// openJournald opens the objects of journalctl -o json. A message that isn't UTF-8 or contains
// control characters is an array of its bytes, and one that is too long is null. It is a piece if
// it was cut by journald (systemd.journal-fields, _LINE_BREAK), or before that by Docker (journald
// logging driver, CONTAINER_PARTIAL_MESSAGE).
func openJournald(line []byte, buf *[]byte) (source, inner []byte, has content) {
	var message []byte
	ok := true
	for name, value := range field.Members(line) {
		switch string(name) {
		case "MESSAGE":
			message = value
		case "SYSLOG_IDENTIFIER":
			source = textOf(value)
		case "_COMM":
			if source == nil {
				source = textOf(value)
			}
		case "_LINE_BREAK", "CONTAINER_PARTIAL_MESSAGE":
			if string(value) == `"line-max"` || string(value) == `"true"` {
				has = piece
			}
		}
	}
	switch {
	case has == piece:
		return source, nil, piece
	case isString(message):
		*buf = field.Unescape((*buf)[:0], message[1:len(message)-1])
	case len(message) > 0 && message[0] == '[':
		*buf, ok = numbers((*buf)[:0], message)
	default:
		ok = false
	}
	if !ok {
		return source, nil, nothing
	}
	return source, bytes.TrimRight(*buf, "\r\n"), whole
}

// numbers appends the bytes in a JSON array of numbers.
func numbers(dst, array []byte) ([]byte, bool) {
	n, digits := 0, 0
	for _, c := range array[1:] {
		switch {
		case isDigit(c) && digits < 3:
			n, digits = n*10+int(c-'0'), digits+1
		case (c == ',' || c == ']') && digits > 0 && n < 256:
			dst, n, digits = append(dst, byte(n)), 0, 0
		case c != ' ':
			return dst, false
		}
	}
	return dst, digits == 0
}

// openCRI opens lines of the Container Runtime Interface: a time, the stream, and F for a full line
// or P for a piece that continues.
func openCRI(line []byte, _ *[]byte) (source, inner []byte, has content) {
	rest := line[isoTimeLength(line):]
	for _, stream := range [...]string{" stdout ", " stderr "} {
		if len(rest) == len(line) || len(rest) <= len(stream) || string(rest[:len(stream)]) != stream {
			continue
		}
		source = rest[1 : len(stream)-1]
		tags, text, _ := bytes.Cut(rest[len(stream):], []byte(" "))
		switch tag, _, _ := bytes.Cut(tags, []byte(":")); string(tag) {
		case "F":
			return source, text, whole
		case "P":
			return source, nil, piece
		}
	}
	return nil, nil, nothing
}

// openTimestamped opens lines after a UTC time as Docker and Kubernetes write it, or after a time
// as Go's package log writes it.
func openTimestamped(line []byte, _ *[]byte) (source, inner []byte, has content) {
	if stamp := "0000/00/00 00:00:00"; looksLike(line, stamp) {
		n := len(stamp) + fractionLength(line[len(stamp):])
		if n+1 < len(line) && line[n] == ' ' && line[n+1] != '[' { // otherwise it is a line of nginx's error log
			return nil, line[n+1:], whole
		}
	}
	n := isoTimeLength(line)
	if n == 0 || n == len(line) || line[n-1] != 'Z' || line[n] != ' ' {
		return nil, nil, nothing
	}
	return nil, line[n+1:], whole
}

// openCompose opens lines after the name of a container: web-1  | …, web.1.id@node | … from Docker
// Swarm, 0|web | … from PM2, and [pod/web-1/nginx] … from kubectl logs --prefix.
func openCompose(line []byte, buf *[]byte) (source, inner []byte, has content) {
	if end := bytes.IndexByte(line, ' '); end > 0 && line[end-1] == ']' && bytes.HasPrefix(line, []byte("[pod/")) {
		return line[:end], line[end+1:], whole
	}
	n, named := 0, false // an address isn't a name but the first field of a log with bars between fields
	if digits := digitsAt(line); digits > 0 && digits < len(line) && line[digits] == '|' {
		n = digits + 1
	}
	for n < len(line) && (isLetter(line[n]) || isDigit(line[n]) ||
		n > 0 && bytes.IndexByte([]byte("-_.@"), line[n]) >= 0) {
		named = named || isLetter(line[n])
		n++
	}
	rest := bytes.TrimLeft(line[n:], " ")
	if !named || len(rest) == len(line)-n || len(rest) == 0 || rest[0] != '|' {
		return nil, nil, nothing
	}
	rest = bytes.TrimPrefix(rest[1:], []byte(" "))
	const length = len("2026-03-04T05:06:07.089000000Z")
	if _, inner, has := openTimestamped(rest, buf); has == whole && isoTimeLength(rest) == length {
		rest = inner // docker compose logs -t
	}
	return line[:n], rest, whole
}

// openQuoted opens lines that are quoted as a whole, as OpenLiteSpeed writes them if its logFormat
// is quoted. Inner quotes are unchanged, or all doubled as in CSV. If the number of unescaped
// quotes is even, the line has only the opening quote. The server's log of all hosts has the host
// in front of the quote, and keeps it.
func openQuoted(line []byte, buf *[]byte) (source, inner []byte, has content) {
	if end := bytes.Index(line, []byte(`"] "`)); end > 0 && bytes.HasPrefix(line, []byte(`["`)) {
		var rest []byte
		if _, inner, has = openQuoted(line[end+len(`"] `):], &rest); has != whole {
			return nil, nil, nothing
		}
		*buf = append(append((*buf)[:0], line[:end+len(`"] `)]...), inner...)
		return nil, *buf, whole
	}
	inner, ok := bytes.CutPrefix(line, []byte(`"`))
	if !ok {
		return nil, nil, nothing
	}
	quotes := 0
	for i, c := range inner {
		if c == '"' && !field.IsEscaped(inner[:i]) {
			quotes++
		}
	}
	if quotes%2 == 1 {
		if inner, ok = bytes.CutSuffix(inner, []byte(`"`)); !ok {
			return nil, nil, nothing
		}
	}
	pairs := bytes.Count(inner, []byte(`""`))
	if pairs == 0 || 2*pairs < bytes.Count(inner, []byte(`"`)) {
		return nil, inner, whole
	}
	b := (*buf)[:0]
	for before, rest, found := bytes.Cut(inner, []byte(`""`)); ; before, rest, found = bytes.Cut(rest, []byte(`""`)) {
		b = append(b, before...)
		if !found {
			break
		}
		b = append(b, '"')
	}
	*buf = b
	return nil, b, whole
}

// openSyslog opens lines with the header of RFC 3164. Priority, host and tag are optional, and the
// time may be as in RFC 3339 or as journalctl -o writes it. The time is optional too, if there are
// a host and a tag or a process in it, because collectors keep the time in a separate member.
func openSyslog(line []byte, _ *[]byte) (source, inner []byte, has content) {
	line = line[priorityLength(line):]
	n := max(isoTimeLength(line), stampLength(line), journalLength(line))
	rest := line
	if n > 0 && (n >= len(line) || line[n] != ' ') {
		return nil, nil, nothing
	} else if n > 0 {
		rest = line[n+1:]
	}
	for i := range 2 { // the host, the tag
		word, behind, found := bytes.Cut(rest, []byte(" "))
		if n == 0 && (!found || letters(word) == 0 || !plausibleHost(bytes.Trim(word, "/[]:")) ||
			i == 0 && word[len(word)-1] == ':' && word[len(word)-2] != ']') {
			return nil, nil, nothing
		}
		if !found || len(word) == 0 {
			return nil, bytes.TrimLeft(rest, " "), whole
		}
		rest = behind
		if tag, is := bytes.CutSuffix(word, []byte(":")); is {
			tag, _, _ = bytes.Cut(tag, []byte("["))
			return tag, messageOf(rest), whole
		}
		if n > 0 && bytes.HasPrefix(rest, []byte(" ")) || n > 0 && bytes.HasPrefix(rest, []byte("{")) { // no tag
			return nil, bytes.TrimLeft(rest, " "), whole
		}
	}
	return nil, nil, nothing
}

// messageOf removes the prefix that marks a message as structured (Common Event Expression).
func messageOf(b []byte) []byte {
	if after, ok := bytes.CutPrefix(b, []byte("@cee:")); ok {
		return bytes.TrimLeft(after, " ")
	}
	return b
}

// openSyslog5424 opens lines with the header of RFC 5424. The priority is optional.
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

// withoutStructure removes structured data (RFC 5424 6.3): a dash, or elements in brackets whose
// quoted values escape quotes, backslashes and brackets with a backslash.
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

// priorityLength returns the length of the priority, such as <190>, at the start of a message.
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

// stampLength returns the length of the time at the start of a message of RFC 3164, or 0 if there
// is none. It has the form Mar  4 05:06:07, optionally with a year before the time of day or with a
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

// journalLength returns the length of the time at the start of a line of journalctl -o short-unix,
// short-monotonic, short-full or with-unit, or 0 if there is none.
func journalLength(b []byte) int {
	const full = "0000-00-00 00:00:00"
	switch {
	case looksLike(b, "0000000000.000000 "):
		return len("0000000000.000000")
	case len(b) > 0 && b[0] == '[':
		end := bytes.IndexByte(b[:min(len(b), len("[1234567890.123456]"))], ']')
		text := bytes.TrimLeft(b[1:max(end, 1)], " ")
		if len(text) > len(".000000") && isNumeric(text) && bytes.Count(text, []byte(".")) == 1 {
			return end + 1
		}
	case len(b) > 4 && letters(b) == 3 && b[3] == ' ' && looksLike(b[4:], full):
		n := len("Wed ") + len(full)
		n += fractionLength(b[n:])
		if n < len(b) && b[n] == ' ' {
			return n + 1 + max(letters(b[n+1:]), zoneLength(b[n+1:]))
		}
	}
	return 0
}

// zoneLength returns the length of a UTC offset at the start of b.
func zoneLength(b []byte) int { _, n := zoneAt(b); return n }
