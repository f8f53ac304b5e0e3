package format

import (
	"bytes"

	shape "github.com/robotsieve/robotsieve/scan/field"
)

// openColours opens lines with colours and other control sequences of terminals (ECMA-48
// 5.4, CSI). All lines are in this envelope. What is between the first quote of a line and
// the last is left as it is: there a client may have sent them.
func openColours(line []byte, buf *[]byte) (source, inner []byte, ok bool) {
	if !bytes.Contains(line, csi) {
		return nil, line, true
	}
	first, last := bytes.IndexByte(line, '"'), bytes.LastIndexByte(line, '"')
	if first < 0 {
		first, last = len(line), len(line)-1
	}
	b := appendPlain((*buf)[:0], line[:first])
	b = append(b, line[first:last+1]...)
	*buf = appendPlain(b, line[last+1:])
	return nil, *buf, true
}

// csi begins a control sequence of a terminal.
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

// openDocker opens the objects that Docker's driver json-file writes: {"log":"…\n",
// "stream":"stdout","time":"…"}. Docker cuts lines of more than 16 KiB into pieces, which
// have no line end but the last.
func openDocker(line []byte, buf *[]byte) (source, inner []byte, ok bool) {
	if source, *buf, ok = dockerLog(line, (*buf)[:0]); !ok {
		return nil, nil, false
	}
	if inner, ok = bytes.CutSuffix(*buf, []byte("\n")); !ok {
		return nil, nil, false
	}
	return source, withoutReturn(inner), true
}

func pieceOfDocker(line []byte) (source []byte, ok bool) {
	source, log, ok := dockerLog(line, nil)
	return source, ok && !bytes.HasSuffix(log, []byte("\n"))
}

// dockerLog appends what an object of Docker's driver has logged.
func dockerLog(line, dst []byte) (source, log []byte, ok bool) {
	var raw, stream, at []byte
	for name, value := range shape.Members(line) {
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
		return nil, dst, false
	}
	return textOf(stream), shape.Unescape(dst, raw[1:len(raw)-1]), true
}

// isString reports whether a JSON value is a string.
func isString(value []byte) bool { return len(value) >= 2 && value[0] == '"' }

// textOf returns what is between the quotes of a JSON string, as it is written; nil if it
// is no string.
func textOf(value []byte) []byte {
	if !isString(value) {
		return nil
	}
	return value[1 : len(value)-1]
}

// openJournald opens the objects that journalctl -o json writes. A message that is not
// UTF-8, or has control characters, is an array of its octets; one that is too long is null.
func openJournald(line []byte, buf *[]byte) (source, inner []byte, ok bool) {
	source, message, isPiece := journaldParts(line)
	switch {
	case isPiece:
		return nil, nil, false
	case isString(message):
		*buf = shape.Unescape((*buf)[:0], message[1:len(message)-1])
	case len(message) > 0 && message[0] == '[':
		*buf, ok = numbers((*buf)[:0], message)
		if !ok {
			return nil, nil, false
		}
	default:
		return nil, nil, false
	}
	return source, bytes.TrimRight(*buf, "\r\n"), true
}

func pieceOfJournald(line []byte) (source []byte, ok bool) {
	source, _, ok = journaldParts(line)
	return source, ok
}

// journaldParts returns the source and the raw message of an object, and whether the message
// is a piece: one that journald has cut for its length (systemd.journal-fields, _LINE_BREAK),
// or Docker before it (journald logging driver, CONTAINER_PARTIAL_MESSAGE).
func journaldParts(line []byte) (source, message []byte, isPiece bool) {
	for name, value := range shape.Members(line) {
		switch string(name) {
		case "MESSAGE":
			message = value
		case "SYSLOG_IDENTIFIER":
			source = textOf(value)
		case "_COMM":
			if source == nil {
				source = textOf(value)
			}
		case "_LINE_BREAK":
			isPiece = isPiece || string(value) == `"line-max"`
		case "CONTAINER_PARTIAL_MESSAGE":
			isPiece = isPiece || string(value) == `"true"`
		}
	}
	return source, message, isPiece
}

// numbers appends the octets that a JSON array of numbers has.
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

// openCRI opens lines of the Container Runtime Interface: a time, the stream, and F, or P
// for a piece of a line that does not end there.
func openCRI(line []byte, _ *[]byte) (source, inner []byte, ok bool) {
	source, tag, inner := criParts(line)
	return source, inner, string(tag) == "F"
}

func pieceOfCRI(line []byte) (source []byte, ok bool) {
	source, tag, _ := criParts(line)
	return source, string(tag) == "P"
}

// criParts returns the stream, the first tag and the text of a line, all nil if it is none of
// the interface.
func criParts(line []byte) (source, tag, text []byte) {
	rest := line[isoTimeLength(line):]
	for _, stream := range [...]string{" stdout ", " stderr "} {
		if len(rest) < len(line) && len(rest) > len(stream) && string(rest[:len(stream)]) == stream {
			tags, text, _ := bytes.Cut(rest[len(stream):], []byte(" "))
			tag, _, _ := bytes.Cut(tags, []byte(":"))
			return rest[1 : len(stream)-1], tag, text
		}
	}
	return nil, nil, nil
}

// openTimestamped opens lines with a time in UTC before them, as Docker and Kubernetes
// write it.
func openTimestamped(line []byte, _ *[]byte) (source, inner []byte, ok bool) {
	n := isoTimeLength(line)
	if n == 0 || n == len(line) || line[n-1] != 'Z' || line[n] != ' ' {
		return nil, nil, false
	}
	return nil, line[n+1:], true
}

// openCompose opens lines behind the name of a container: web-1  | …
func openCompose(line []byte, buf *[]byte) (source, inner []byte, ok bool) {
	n := 0
	for n < len(line) && (isLetter(line[n]) || isDigit(line[n]) || n > 0 && (line[n] == '-' || line[n] == '_' || line[n] == '.')) {
		n++
	}
	rest := bytes.TrimLeft(line[n:], " ")
	if n == 0 || len(rest) == len(line)-n || len(rest) == 0 || rest[0] != '|' {
		return nil, nil, false
	}
	rest = bytes.TrimPrefix(rest[1:], []byte(" "))
	const length = len("2026-03-04T05:06:07.089000000Z")
	if _, inner, ok := openTimestamped(rest, buf); ok && isoTimeLength(rest) == length { // docker compose logs -t
		rest = inner
	}
	return line[:n], rest, true
}
