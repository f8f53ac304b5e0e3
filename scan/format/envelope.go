package format

import (
	"bytes"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/field"
)

// Envelope is what a program between the server and the file puts around each line of
// a log: syslog, a container runtime, a terminal. The lines within may have any format that
// needs no header. Up to three nested envelopes are opened.
//
// The stream of an envelope often has the lines of several programs. A line that the
// format does not read is Other if its source, as the envelope names it, has no request at
// the beginning of the log; it is Unparsed if its source has some, if the envelope names no
// source, or if the line is not in the envelope. Lines that the envelope's program has cut
// into pieces are Unparsed, the last piece too: a client that sends a long request could
// choose what the piece begins with.
type Envelope struct {
	Name string
	By   string // what writes it
	// Sample is an example of it, with an ellipsis for the line.
	Sample string
	// open returns the line in an envelope, and its source: a program, a container or a
	// stream; nil if the envelope names none. buf is for a line that is not a view of
	// the outer one.
	open func(line []byte, buf *[]byte) (source, inner []byte, has content)
	// cuts: the program cuts long lines into pieces.
	cuts bool
	// isMember: it is one of inMember.
	isMember bool
}

// content is what an envelope has in it.
type content uint8

const (
	nothing content = iota // the line is not in the envelope
	piece                  // a piece of a line, which goes on in the next line of the same source
	whole                  // a line
)

// maxEnvelopes is how many envelopes may be around a line.
const maxEnvelopes = 3

// envelopes is the table of envelopes, the more specific first.
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

// envelopeByName returns the envelope with a name, in any ASCII case.
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

// Envelopes returns the envelopes that may be around the lines of a log, the last one as an example
// of a member of objects, whose name may be any.
func Envelopes() []*Envelope {
	example := inMember("message")
	example.Sample = `{"message":"…","timestamp":"2026-03-04T05:06:07.089Z"}`
	return append(slices.Clone(envelopes), example)
}

// unwrap returns the line in all the envelopes, and its source: that which the outermost
// envelope names that names any. The source of a piece comes from the envelope that cuts. bufs holds
// a buffer for each envelope.
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

// wrap returns the format of lines of f in envelopes, the outermost first. sources are
// those of its requests, nil if they are not known.
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

// contents returns the lines in envelopes at the beginning of a log.
func contents(around []*Envelope, head []byte) (inner []byte) {
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
	reader := f.NewReader().(*enveloped)
	for kind := range recordsOf(reader, head) {
		if kind == Request && reader.source != nil && !contains(sources, reader.source) && len(sources) < maxSources {
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
	around  []*Envelope
	sources [][]byte // of requests; nil if they are not known
	inner   Reader
	chunk   []byte // still to be read
	size    int    // of the whole chunk
	bufs    [maxEnvelopes][]byte
	cut     [][]byte // the sources whose last line was a piece

	// Of the line that Next returned last:
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

// read reads a line with its envelopes.
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
		return Other // of another program
	default:
		return kind
	}
}

// isMessage reports whether a line is an object that lacks the member in which requests are, and has
// no User-Agent: what the same program ships of others.
func (e *enveloped) isMessage(line []byte) bool {
	if !e.around[0].isMember || field.ObjectLength(line) != len(line) || namesAgent(line, 0) {
		return false
	}
	_, _, has := e.around[0].open(line, &e.bufs[0])
	return has == nothing
}

// open returns the line in the envelopes, and false if none of them is whole.
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
		if bytes.Equal(cut, source) { // this is the end of what was cut
			e.cut = slices.Delete(e.cut, i, i+1)
			return nil, false
		}
	}
	return inner, true
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

// envelopesAround returns the envelopes that may be around lines, none first: those that
// at least half of the lines are in.
func envelopesAround(lines [][]byte) [][]*Envelope {
	all := [][]*Envelope{nil}
	for i := 0; i < len(all); i++ {
		if len(all[i]) == maxEnvelopes {
			break
		}
		inner := unwrapAll(all[i], lines)
		known := false // it is known which member of these objects has the line
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

// unwrapAll returns the lines in envelopes; empty where there is none.
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
