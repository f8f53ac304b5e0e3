package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// An envelope is what a program between the server and the file puts around each line of
// a log: syslog, a container runtime, a terminal. The lines within are of any format that
// needs no header. Up to two envelopes are opened, one in the other.
//
// The stream of an envelope often has the lines of several programs. A line that the
// format does not read is Other if its source, as the envelope names it, has no request at
// the beginning of the log; it is Unparsed if its source has some, if the envelope names no
// source, or if the line is not in the envelope. Lines that the envelope's program has cut
// into pieces are Unparsed, the last piece too: a client that sends a long request could
// choose what the piece begins with.
type envelope struct {
	name string
	by   string // what writes it
	// sample is an example of it; the line stands for %s, or for %q if it is a JSON string.
	sample string
	// open returns the line in an envelope, and its source: a program, a container or a
	// stream; nil if the envelope names none. buf has room for a line that is no view of
	// the outer one. It returns false if line is not in the envelope, or has a piece of a line.
	open func(line []byte, buf *[]byte) (source, inner []byte, ok bool)
	// piece tells of a line that open refuses whether it is a piece that goes on in the next
	// line of the same source. It is nil if the program cuts no lines.
	piece func(line []byte) (source []byte, ok bool)
}

// maxEnvelopes is how many envelopes may be around a line.
const maxEnvelopes = 2

// envelopes is the table of envelopes, the more specific first.
var envelopes = []*envelope{
	{"ansi", "programs that write colours for a terminal", "\x1b[32m%s\x1b[0m", openColours, nil},
	{"docker", "Docker's json-file, Fluent Bit", `{"log":%q,"stream":"stdout","time":"2026-03-04T05:06:07.089Z"}`, openDocker, pieceOfDocker},
	{"journald", "journalctl -o json", `{"__REALTIME_TIMESTAMP":"1772600767000000","MESSAGE":%q,"SYSLOG_IDENTIFIER":"nginx"}`, openJournald, pieceOfJournald},
	{"cri", "Kubernetes (containerd, CRI-O)", "2026-03-04T05:06:07.089000000Z stdout F %s", openCRI, pieceOfCRI},
	{"syslog5424", "syslog, RFC 5424", "<190>1 2026-03-04T05:06:07.089Z web1 nginx 71 - - %s", openSyslog5424, nil},
	{"timestamped", "docker logs -t, kubectl logs --timestamps", "2026-03-04T05:06:07.089000000Z %s", openTimestamped, nil},
	{"syslog", "syslog, RFC 3164; rsyslog; journalctl", "Mar  4 05:06:07 web1 nginx[71]: %s", openSyslog, nil},
	{"compose", "docker compose logs", "web-1  | %s", openCompose, nil},
}

// envelopeByName returns the envelope with a name, in any ASCII case.
func envelopeByName(name string) *envelope {
	for _, e := range envelopes {
		if strings.EqualFold(e.name, name) {
			return e
		}
	}
	return nil
}

// unwrap returns the line in all the envelopes, and its source: that which the outermost
// envelope names that names any. bufs has a buffer for each envelope.
func unwrap(around []*envelope, line []byte, bufs *[maxEnvelopes][]byte) (source, inner []byte, ok bool) {
	for i, e := range around {
		from, within, ok := e.open(line, &bufs[i])
		if !ok {
			return source, nil, false
		}
		if source == nil {
			source = from
		}
		line = within
	}
	return source, line, true
}

// wrap returns the format of lines of f in envelopes, the outermost first. sources are
// those of its requests, nil if they are not known.
func wrap(around []*envelope, f *Format, sources [][]byte) *Format {
	if len(around) == 0 {
		return f
	}
	g := *f
	for _, e := range slices.Backward(around) {
		g.name = e.name + ":" + g.name
	}
	if slices.ContainsFunc(around, func(e *envelope) bool { return e.piece != nil }) {
		g.state = func(chunk []byte) []byte { return lastPieces(around, chunk) }
	}
	g.newReader = func(g *Format) Reader {
		return &enveloped{around: around, sources: sources, inner: f.In(g.zone).NewReader()}
	}
	g.bind = func(g *Format, head []byte) *Format {
		return wrap(around, f.In(g.zone).boundTo(contents(around, head)), requestSources(g, head))
	}
	return &g
}

// contents returns the lines in envelopes at the beginning of a log.
func contents(around []*envelope, head []byte) (inner []byte) {
	for len(head) > 0 {
		var bufs [maxEnvelopes][]byte
		line, outer := NextLine(head)
		_, text, _ := unwrap(around, outer, &bufs)
		head, inner = head[len(line):], append(append(inner, text...), '\n')
	}
	return inner
}

// maxSources bounds the sources that a format knows.
const maxSources = 20

// requestSources returns the sources of the requests at the beginning of a log.
func requestSources(f *Format, head []byte) (sources [][]byte) {
	var r Record
	reader := f.NewReader().(*enveloped)
	reader.Reset(head)
	for kind := reader.Next(&r); kind != End && len(sources) < maxSources; kind = reader.Next(&r) {
		if kind == Request && reader.source != nil && !contains(sources, reader.source) {
			sources = append(sources, bytes.Clone(reader.source))
		}
	}
	return sources
}

func contains(list [][]byte, b []byte) bool {
	for _, one := range list {
		if bytes.Equal(one, b) {
			return true
		}
	}
	return false
}

// enveloped reads lines in envelopes.
type enveloped struct {
	around  []*envelope
	sources [][]byte // of requests; nil if they are not known
	inner   Reader
	chunk   []byte // what has not been read
	bufs    [maxEnvelopes][]byte
	cut     [][]byte // the sources whose last line was a piece

	// Of the line that Next returned last:
	source []byte // nil if the envelopes name none
	within []byte // Record.Line of inner
}

// Reset begins a chunk.
func (e *enveloped) Reset(chunk []byte) { e.chunk = chunk }

func (e *enveloped) Next(r *Record) Kind {
	if len(e.chunk) == 0 {
		return End
	}
	line, outer := NextLine(e.chunk)
	e.chunk = e.chunk[len(line):]
	kind := e.read(r, outer)
	e.within, r.Line = r.Line, outer
	return kind
}

// read reads a line with its envelopes.
func (e *enveloped) read(r *Record, line []byte) Kind {
	if len(line) == 0 {
		return Blank
	}
	inner, ok := e.open(line)
	if !ok || bytes.IndexByte(inner, '\n') >= 0 {
		return Unparsed
	}
	e.inner.Reset(inner)
	switch kind := e.inner.Next(r); {
	case kind == End || kind == Blank:
		return Other // an empty message
	case kind == Unparsed && e.source != nil && e.sources != nil && !contains(e.sources, e.source):
		return Other // of another program
	default:
		return kind
	}
}

// open returns the line in the envelopes, and false if there is none that is whole.
func (e *enveloped) open(line []byte) (inner []byte, ok bool) {
	source, inner, ok := unwrap(e.around, line, &e.bufs)
	e.source = source
	if !ok {
		if source, is := pieceOf(e.around, line, &e.bufs); is && !contains(e.cut, source) {
			e.cut = append(e.cut, bytes.Clone(source))
		}
		return nil, false
	}
	for i, cut := range e.cut {
		if bytes.Equal(cut, source) { // this is the end of what was cut
			e.cut = slices.Delete(e.cut, i, i+1)
			return nil, false
		}
	}
	return inner, true
}

// pieceOf is envelope.piece for a line in several envelopes.
func pieceOf(around []*envelope, line []byte, bufs *[maxEnvelopes][]byte) (source []byte, ok bool) {
	for i, e := range around {
		if e.piece != nil {
			if source, ok := e.piece(line); ok {
				return source, true
			}
		}
		if _, line, ok = e.open(line, &bufs[i]); !ok {
			return nil, false
		}
	}
	return nil, false
}

// SetHeader implements Headed: what stands before a chunk are the sources of lastPieces.
func (e *enveloped) SetHeader(sources []byte) {
	e.cut = e.cut[:0]
	for source := range bytes.SplitSeq(sources, []byte("\n")) {
		if len(source) > 0 {
			e.cut = append(e.cut, bytes.Clone(source))
		}
	}
}

// lookBack is how many lines at the end of a chunk lastPieces looks at. The pieces of a line
// follow each other at once, with few lines of other sources between them.
const lookBack = 100

// lastPieces returns the sources whose last line in a chunk is a piece, with line breaks between
// them, not nil.
func lastPieces(around []*envelope, chunk []byte) []byte {
	from := len(chunk)
	for n := 0; n <= lookBack && from > 0; n++ {
		from = bytes.LastIndexByte(chunk[:from-1], '\n') + 1
	}
	e := enveloped{around: around}
	for chunk = chunk[from:]; len(chunk) > 0; {
		line, text := NextLine(chunk)
		chunk = chunk[len(line):]
		e.open(text)
	}
	return append([]byte{}, bytes.Join(e.cut, []byte("\n"))...)
}

// Complete sets the other fields of the request that Next returned last.
func (e *enveloped) Complete(r *Record) {
	outer := r.Line
	r.Line = e.within
	e.inner.Complete(r)
	r.Line = outer
}

// Plausible tells whether the line in the envelopes looks as it does in a log of its format.
func (e *enveloped) Plausible(r *Record) bool {
	outer := r.Line
	r.Line = e.within
	plausible := e.inner.Plausible(r)
	r.Line = outer
	return plausible
}

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
	for key, value := range members(line) {
		switch string(key) {
		case `"log"`:
			raw = value
		case `"stream"`:
			stream = value
		case `"time"`:
			at = value
		}
	}
	if !isString(raw) || stream == nil && at == nil {
		return nil, dst, false
	}
	return textOf(stream), unescapeJSON(dst, raw[1:len(raw)-1]), true
}

// openJournald opens the objects that journalctl -o json writes. A message that is not
// UTF-8, or has control characters, is an array of its octets; one that is too long is null.
func openJournald(line []byte, buf *[]byte) (source, inner []byte, ok bool) {
	source, message, isPiece := journaldParts(line)
	switch {
	case isPiece:
		return nil, nil, false
	case isString(message):
		*buf = unescapeJSON((*buf)[:0], message[1:len(message)-1])
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
	for key, value := range members(line) {
		switch string(key) {
		case `"MESSAGE"`:
			message = value
		case `"SYSLOG_IDENTIFIER"`:
			source = textOf(value)
		case `"_COMM"`:
			if source == nil {
				source = textOf(value)
			}
		case `"_LINE_BREAK"`:
			isPiece = isPiece || string(value) == `"line-max"`
		case `"CONTAINER_PARTIAL_MESSAGE"`:
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

// openSyslog opens lines with the header of RFC 3164, whose priority, host and tag may be
// missing, and whose time may be as in RFC 3339.
func openSyslog(line []byte, _ *[]byte) (source, inner []byte, ok bool) {
	line = line[priorityLength(line):]
	n := max(isoTimeLength(line), stampLength(line))
	if n == 0 || n >= len(line) || line[n] != ' ' {
		return nil, nil, false
	}
	rest := line[n+1:]
	for range 2 { // the host, the tag
		word, behind, found := bytes.Cut(rest, []byte(" "))
		if !found || len(word) == 0 {
			return nil, bytes.TrimLeft(rest, " "), true
		}
		rest = behind
		if tag, is := bytes.CutSuffix(word, []byte(":")); is {
			tag, _, _ = bytes.Cut(tag, []byte("["))
			return tag, messageOf(rest), true
		}
		if bytes.HasPrefix(rest, []byte(" ")) || bytes.HasPrefix(rest, []byte("{")) { // no tag
			return nil, bytes.TrimLeft(rest, " "), true
		}
	}
	return nil, nil, false
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
func openSyslog5424(line []byte, _ *[]byte) (source, inner []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line[priorityLength(line):], []byte("1 "))
	if !ok {
		return nil, nil, false
	}
	for i := range 5 { // time, host, program, process, kind of message
		word, behind, found := bytes.Cut(rest, []byte(" "))
		switch {
		case !found || i == 0 && string(word) != "-" && isoTimeLength(word) != len(word):
			return nil, nil, false
		case i == 2 && string(word) != "-":
			source = word
		}
		rest = behind
	}
	if rest, ok = withoutStructure(rest); !ok {
		return nil, nil, false
	}
	return source, messageOf(bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte(" ")), BOM)), true
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
	for _, c := range b[1:end] {
		if !isDigit(c) {
			return 0
		}
	}
	return end + 1
}

// stampLength returns the length of the time at the start of a message of RFC 3164, 0 if
// there is none: Mar  4 05:06:07, perhaps with a year before the time of day, or with a
// fraction.
func stampLength(b []byte) int {
	const date, clock = len("Mar  4 "), len("05:06:07")
	if len(b) < date+clock || !isMonth(b[:3]) || b[3] != ' ' || b[4] != ' ' && !isDigit(b[4]) || !isDigit(b[5]) || b[6] != ' ' {
		return 0
	}
	n := date
	if isDigits(b[n:n+4]) && b[n+4] == ' ' && len(b) >= date+clock+5 {
		n += 5
	}
	if !isClock(b[n : n+clock]) {
		return 0
	}
	return n + clock + fractionLength(b[n+clock:])
}

// isoTimeLength returns the length of the time at the start of b, as RFC 3339 writes it,
// 0 if there is none. Its zone may lack the colon.
func isoTimeLength(b []byte) int {
	const clock = len("2026-03-04T05:06:07")
	if len(b) <= clock || !isDigits(b[:4]) || b[4] != '-' || !isDigits(b[5:7]) || b[7] != '-' || !isDigits(b[8:10]) || b[10] != 'T' || !isClock(b[11:clock]) {
		return 0
	}
	n := clock + fractionLength(b[clock:])
	zone := b[n:]
	switch {
	case len(zone) > 0 && zone[0] == 'Z':
		return n + 1
	case len(zone) < 5 || zone[0] != '+' && zone[0] != '-' || !isDigits(zone[1:3]):
		return 0
	case isDigits(zone[3:5]):
		return n + 5
	case len(zone) >= 6 && zone[3] == ':' && isDigits(zone[4:6]):
		return n + 6
	}
	return 0
}

// fractionLength returns the length of the fraction of a second at the start of b.
func fractionLength(b []byte) int {
	if len(b) < 2 || b[0] != '.' && b[0] != ',' {
		return 0
	}
	n := 1
	for n < len(b) && isDigit(b[n]) {
		n++
	}
	return n
}

// isClock tells whether b is hh:mm:ss.
func isClock(b []byte) bool {
	return isDigits(b[:2]) && b[2] == ':' && isDigits(b[3:5]) && b[5] == ':' && isDigits(b[6:8])
}

// isMonth tells whether three octets are the name of a month.
func isMonth(b []byte) bool {
	at := strings.Index(months, string(b))
	return at >= 0 && at%3 == 0
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// members yields the keys and values of the JSON object that begins a line, as they are
// written. It ends where the line is no valid JSON.
func members(line []byte) func(yield func(key, value []byte) bool) {
	return func(yield func(key, value []byte) bool) {
		line = bytes.TrimLeft(line, " \t")
		if len(line) == 0 || line[0] != '{' {
			return
		}
		for rest := line[1:]; ; {
			rest = bytes.TrimLeft(rest, " \t,")
			n := valueLength(rest)
			if n == 0 || rest[0] != '"' {
				return
			}
			key := rest[:n]
			rest = bytes.TrimLeft(rest[n:], " \t")
			if len(rest) == 0 || rest[0] != ':' {
				return
			}
			rest = bytes.TrimLeft(rest[1:], " \t")
			if n = valueLength(rest); n == 0 || !yield(key, rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// valueLength returns the length of the JSON value at the start of b, 0 if there is none
// or it does not end.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if i >= len(b) {
				return 0
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// isString tells whether a JSON value is a string.
func isString(value []byte) bool { return len(value) >= 2 && value[0] == '"' }

// textOf returns what is between the quotes of a JSON string, as it is written; nil if it
// is no string.
func textOf(value []byte) []byte {
	if !isString(value) {
		return nil
	}
	return value[1 : len(value)-1]
}

// unescapeJSON appends what is between the quotes of a JSON string to dst, with its escapes
// undone. An escape that JSON does not have stands for itself.
func unescapeJSON(dst, raw []byte) []byte {
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 || at+1 == len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:at]...)
		raw = raw[at:]
		if i := strings.IndexByte(`"\/bfnrt`, raw[1]); i >= 0 {
			dst, raw = append(dst, "\"\\/\b\f\n\r\t"[i]), raw[2:]
			continue
		}
		r, n := escapedRune(raw)
		if n == 0 {
			dst, raw = append(dst, raw[:2]...), raw[2:]
			continue
		}
		dst, raw = utf8.AppendRune(dst, r), raw[n:]
	}
}

// escapedRune returns the character that \uHHHH at the start of b stands for, or two of
// them that are a pair of surrogates, and its length; 0 if there is none.
func escapedRune(b []byte) (r rune, n int) {
	high, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(high) {
		if low, ok := hex4(b[6:]); ok && utf16.DecodeRune(high, low) != utf8.RuneError {
			return utf16.DecodeRune(high, low), 12
		}
	}
	return high, 6
}

// hex4 reads \uHHHH.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
