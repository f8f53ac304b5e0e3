package format

import (
	"bytes"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// Envelope describes what a program between the server and the file puts around each line, such as
// syslog, a container runtime or a terminal. The lines inside may have any format without a header.
// Up to three envelopes may be nested.
//
// An envelope often carries the lines of several programs. A line that the format can't read is
// Other if its source, as the envelope names it, had no request at the beginning of the log. It is
// Unparsed if its source had requests, if the envelope names no source, or if the line isn't in the
// envelope. Lines cut into pieces by the envelope's program are Unparsed, including the last piece,
// because a client could send a long request to choose what that piece begins with.
type Envelope struct {
	Name string
	By   string // the program that writes it
	// Sample is an example, with an ellipsis for the line.
	Sample string
	// open returns the line in an envelope and its source, which is a program, a container or a
	// stream, or nil if the envelope names none. buf holds a line that isn't a view of the outer one.
	open func(line []byte, buf *[]byte) (source, inner []byte, has content)
	// cuts means that the program cuts long lines into pieces.
	cuts bool
	// isMember means that inMember made it.
	isMember bool
}

// content is the kind of an envelope's content.
type content uint8

const (
	nothing content = iota // the line is not in the envelope
	piece                  // a piece of a line, continued in the next line of the same source
	whole                  // a whole line
)

// maxEnvelopes limits the nesting of envelopes.
const maxEnvelopes = 3

// envelopes is the table of envelopes, more specific ones first.
var envelopes = []*Envelope{
	{"ansi", "programs that write colours for a terminal", "\x1b[32m…\x1b[0m", openColours, false, false},
	{"docker", "Docker's json-file, Fluent Bit",
		`{"log":"…","stream":"stdout","time":"2026-03-04T05:06:07.089Z"}`, openDocker, true, false},
	{"journald", "journalctl -o json",
		`{"__REALTIME_TIMESTAMP":"1772600767000000","MESSAGE":"…","SYSLOG_IDENTIFIER":"nginx"}`, openJournald, true, false},
	{"cri", "Kubernetes (containerd, CRI-O)", "2026-03-04T05:06:07.089000000Z stdout F …", openCRI, true, false},
	{"syslog5424", "syslog, RFC 5424", "<190>1 2026-03-04T05:06:07.089Z web1 nginx 71 - - …", openSyslog5424, false, false},
	{"timestamped", "docker logs -t, kubectl logs --timestamps, Go's package log",
		"2026-03-04T05:06:07.089000000Z …", openTimestamped, false, false},
	{"syslog", "syslog, RFC 3164; rsyslog; journalctl; Upsun", "Mar  4 05:06:07 web1 nginx[71]: …", openSyslog, false, false},
	{"compose", "docker compose logs, docker service logs, pm2, kubectl logs --prefix", "web-1  | …", openCompose, false,
		false},
	{"quoted", "OpenLiteSpeed, CyberPanel, exports of one column as CSV", `"…"`, openQuoted, false, false},
}

// envelopeByName returns the envelope with a name, ignoring ASCII case.
func envelopeByName(name string) *Envelope {
	for _, e := range envelopes {
		if strings.EqualFold(e.Name, name) {
			return e
		}
	}
	if path, ok := strings.CutPrefix(name, memberPrefix); ok && path != "" && !slices.Contains(field.Steps(path), "") {
		return inMember(path)
	}
	return nil
}

// Envelopes returns the envelopes that lines can have. The last one is an example of a member of
// objects, which can have any name.
func Envelopes() []*Envelope {
	example := inMember("message")
	example.Sample = `{"message":"…","timestamp":"2026-03-04T05:06:07.089Z"}`
	return append(slices.Clone(envelopes), example)
}

// unwrap returns the line inside all the envelopes, and the source that the outermost possible
// envelope names. For a piece, the source comes from the envelope that cuts. bufs holds one buffer
// per envelope.
func unwrap(around []*Envelope, line []byte, bufs *[maxEnvelopes][]byte) (source, inner []byte, has content) {
	for i, e := range around {
		from, within, has := e.open(line, &bufs[i])
		if has != whole {
			return from, nil, has
		}
		if source == nil {
			source = from
		}
		line = within
	}
	return source, line, whole
}

// wrap returns a format that reads lines of f in envelopes, the outermost first. sources are the
// sources of its requests, nil if they aren't known.
func wrap(around []*Envelope, f *Format, sources [][]byte) *Format {
	if len(around) == 0 {
		return f
	}
	g := *f
	g.words = ""
	for _, e := range slices.Backward(around) {
		g.name = e.Name + ":" + g.name
	}
	if slices.ContainsFunc(around, func(e *Envelope) bool { return e.cuts }) {
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

// contents returns the lines inside the envelopes at the beginning of a log.
func contents(around []*Envelope, head []byte) (inner []byte) {
	for len(head) > 0 {
		var bufs [maxEnvelopes][]byte
		line, outer := NextLine(head)
		_, text, _ := unwrap(around, outer, &bufs)
		head, inner = head[len(line):], append(append(inner, text...), '\n')
	}
	return inner
}

// maxSources limits the sources that a format remembers.
const maxSources = 20

// requestSources returns the sources of the requests at the beginning of a log.
func requestSources(f *Format, head []byte) (sources [][]byte) {
	reader := f.NewReader().(*enveloped)
	for kind := range recordsOf(reader, head) {
		if kind == Request && reader.source != nil && !contains(sources, reader.source) && len(sources) < maxSources {
			sources = append(sources, bytes.Clone(reader.source))
		}
	}
	return sources
}

func contains(list [][]byte, b []byte) bool {
	return slices.ContainsFunc(list, func(one []byte) bool { return bytes.Equal(one, b) })
}

// enveloped reads lines in envelopes.
type enveloped struct {
	around  []*Envelope
	sources [][]byte // sources of requests; nil if unknown
	inner   Reader
	chunk   []byte // not yet read
	size    int    // of the whole chunk
	bufs    [maxEnvelopes][]byte
	cut     [][]byte // the sources whose last line was a piece

	// About the line that Next returned last:
	source []byte // nil if the envelopes name none
	within []byte // Record.Line of inner
}

// Reset begins a chunk.
func (e *enveloped) Reset(chunk []byte) { e.chunk, e.size = chunk, len(chunk) }

func (e *enveloped) Next(r *Record) Kind {
	if len(e.chunk) == 0 {
		return End
	}
	line, outer := NextLine(e.chunk)
	at := e.size - len(e.chunk)
	e.chunk = e.chunk[len(line):]
	kind := e.read(r, outer)
	e.within, r.Line, r.Offset = r.Line, outer, at
	return kind
}

func (e *enveloped) read(r *Record, line []byte) Kind {
	if len(line) == 0 {
		return Blank
	}
	inner, ok := e.open(line)
	if !ok && e.isMessage(line) {
		return Other
	}
	if !ok || bytes.IndexByte(inner, '\n') >= 0 {
		return Unparsed
	}
	e.inner.Reset(inner)
	switch kind := e.inner.Next(r); {
	case kind == End || kind == Blank:
		return Other // an empty message
	case kind == Unparsed && e.source != nil && e.sources != nil && !contains(e.sources, e.source):
		return Other // from another program
	default:
		return kind
	}
}

// isMessage reports whether a line is an object without a User-Agent and without the member that
// holds requests, as collectors ship for other messages.
func (e *enveloped) isMessage(line []byte) bool {
	if !e.around[0].isMember || field.ObjectLength(line) != len(line) || namesAgent(line, 0) {
		return false
	}
	_, _, has := e.around[0].open(line, &e.bufs[0])
	return has == nothing
}

// open returns the line inside the envelopes. It returns false if there is no whole line.
func (e *enveloped) open(line []byte) (inner []byte, ok bool) {
	source, inner, has := unwrap(e.around, line, &e.bufs)
	e.source = source
	if has == piece && !contains(e.cut, source) {
		e.cut = append(e.cut, bytes.Clone(source))
	}
	if has != whole {
		return nil, false
	}
	for i, cut := range e.cut {
		if bytes.Equal(cut, source) { // the end of a cut line
			e.cut = slices.Delete(e.cut, i, i+1)
			return nil, false
		}
	}
	return inner, true
}

// SetHeader implements Headed. Before a chunk it gets the sources from lastPieces.
func (e *enveloped) SetHeader(sources []byte) {
	e.cut = e.cut[:0]
	for source := range bytes.SplitSeq(sources, []byte("\n")) {
		if len(source) > 0 {
			e.cut = append(e.cut, bytes.Clone(source))
		}
	}
}

// lookBack is the number of lines at the end of a chunk that lastPieces examines. The pieces of a
// line are close together, with few lines of other sources between them.
const lookBack = 100

// lastPieces returns the sources whose last line in a chunk is a piece, separated by line breaks.
// It never returns nil.
func lastPieces(around []*Envelope, chunk []byte) []byte {
	from := len(chunk)
	for n := 0; n <= lookBack && from > 0; n++ {
		from = bytes.LastIndexByte(chunk[:from-1], '\n') + 1
	}
	e := enveloped{around: around}
	chunk = chunk[from:]
	for len(chunk) > 0 {
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

// Plausible reports whether the line in the envelopes looks as it does in a log of its format.
func (e *enveloped) Plausible(r *Record) bool {
	outer := r.Line
	r.Line = e.within
	plausible := e.inner.Plausible(r)
	r.Line = outer
	return plausible
}

// envelopesAround returns the envelopes around at least half of the lines, beginning with none.
func envelopesAround(lines [][]byte) [][]*Envelope {
	all := [][]*Envelope{nil}
	for i := 0; i < len(all); i++ {
		if len(all[i]) == maxEnvelopes {
			break
		}
		inner := unwrapAll(all[i], lines)
		known := false // the member of these objects with the line is already known
		for _, e := range envelopes {
			opened := 0
			for _, line := range inner {
				var buf []byte
				if _, within, has := e.open(line, &buf); has == whole && len(within) < len(line) {
					opened++
				}
			}
			if opened > 0 && 2*opened >= len(lines) {
				all = append(all, append(slices.Clone(all[i]), e))
				known = known || e.Sample[0] == '{'
			}
		}
		if known {
			continue
		}
		for _, e := range membersWithLines(inner) {
			all = append(all, append(slices.Clone(all[i]), e))
		}
	}
	return all
}

// unwrapAll returns the lines inside envelopes, empty for lines outside.
func unwrapAll(around []*Envelope, lines [][]byte) [][]byte {
	if len(around) == 0 {
		return lines
	}
	inner := make([][]byte, len(lines))
	for i, line := range lines {
		var bufs [maxEnvelopes][]byte
		_, inner[i], _ = unwrap(around, line, &bufs)
	}
	return inner
}
