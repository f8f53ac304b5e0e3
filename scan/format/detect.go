package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/robotsieve/robotsieve/scan/internal/sniff"
)

// SampleBytes and sampleLines limit the part of a log that Detect reads.
const (
	SampleBytes = 256 << 10
	sampleLines = 1000
)

// fewLines is the number of lines that are tried in all formats. Later lines are first tried in the
// formats that matched these.
const fewLines = 64

// Detect returns the format of a log, given its beginning, head. whole means that head is the
// complete log; otherwise Detect skips its last line, which may be incomplete.
//
// A line counts for the first format of the table that explains it, with or without envelopes
// around it. A format that explains at least 95 per cent of the lines that any format
// explains is the format of the log, as that many unreadable lines are usually accepted. Otherwise the log
// is a mix of at most three formats, which together explain at least 90 per cent of these
// lines. A mix may also include lines of error logs. The format or the mix must explain
// more than half of all lines, not counting lines that are Other in it or access log lines with an
// invalid request, which anybody can send.
//
// The error says what the log is or how it could be read, and quotes the first line that couldn't
// be read.
func Detect(head []byte, whole bool) (*Format, error) {
	d, err := examine(head, whole)
	if err != nil {
		return nil, err
	}
	if f := d.format(); f != nil {
		return f, nil
	}
	return nil, d.err()
}

// For adapts the format to the beginning of a log, head: it adds the envelopes around the lines,
// and the columns that the log names. It returns f itself if there are none. whole is as for
// Detect.
func (f *Format) For(head []byte, whole bool) (*Format, error) {
	d := detection{head: bytes.TrimPrefix(head, BOM)}
	d.sample(whole)
	if len(d.lines) > 0 && !f.hasHeader() {
		if d.read([]*Format{f}); len(d.readings) > 0 {
			f = wrap(d.readings[0].around, f, nil)
		}
	}
	g := f.boundTo(d.head)
	if g == f && f.hasHeader() && len(d.head) > 0 {
		return nil, fmt.Errorf("%s: no line %q with a column for the path names its columns", f.name, f.dialect.header+"…")
	}
	return g, g.unreadTime(d.head)
}

// unreadTime returns an error that quotes the first time if no object at the beginning of a log has
// a readable time.
func (f *Format) unreadTime(head []byte) error {
	reader := f.NewReader()
	inner := reader
	if e, ok := reader.(*enveloped); ok {
		inner = e.inner
	}
	j, ok := inner.(*jsonReader)
	if !ok {
		return nil
	}
	var first []byte
	for kind, r := range recordsOf(reader, head) {
		switch {
		case kind == Request && r.HasTime:
			return nil
		case kind == Request && first == nil:
			first = slices.Concat(j.text[moment], j.text[day], []byte(" "), j.text[timeOfDay])
		}
	}
	first = bytes.TrimSpace(first)
	if len(first) == 0 {
		return nil
	}
	return fmt.Errorf("the times that the format %s finds are written in no known way, such as %s", f.name, quote(first))
}

// Errors of Detect that a caller may want to distinguish.
var (
	// ErrEmpty means that there are no lines to examine.
	ErrEmpty = errors.New("no lines")
	// ErrNoHeader means that the header with the names of the columns is missing. The previous log of
	// a set may contain it.
	ErrNoHeader = errors.New("its line #Fields is missing")
	// ErrErrorLog means that the log contains a server's own messages.
	ErrErrorLog = errors.New("an error log")
)

// errorLogError names the program that wrote an error log. It is ErrErrorLog.
type errorLogError string

func (e errorLogError) Error() string { return "this is " + string(e) }

func (e errorLogError) Is(target error) bool { return target == ErrErrorLog }

// is returns the error for a log that isn't an access log.
func is(what string) error {
	if strings.HasPrefix(what, "an error log") {
		return errorLogError(what)
	}
	return errors.New("this is " + what)
}

// detection holds the analysis of a log's beginning.
type detection struct {
	head     []byte     // without byte order mark
	lines    [][]byte   // the examined lines, nonempty and without line ends
	readings []*reading // best first; each explains some lines
}

// reading is a way to read the lines: inside some envelopes or outside any.
type reading struct {
	around  []*Envelope
	inner   [][]byte   // the lines in the envelopes; empty outside of them
	tries   []*attempt // one per format
	total   int        // lines that count for an attempt
	rich    int        // of these, lines with a User-Agent and with a status
	errors  int        // other lines, from error logs
	invalid int        // other lines, from access logs with invalid requests
}

// attempt reads the lines in one format.
type attempt struct {
	*Format
	around []*Envelope
	reader Reader
	lines  int // lines that count for it
	// behind marks the lines that a format with headers explains.
	behind []bool
}

// examine reads the beginning of a log in all ways. It returns an error if head isn't text or has
// no lines.
func examine(head []byte, whole bool) (*detection, error) {
	d := &detection{head: bytes.TrimPrefix(head, BOM)}
	if err := sniff.NotText(head, whole); err != nil {
		return nil, err
	}
	d.sample(whole)
	if len(d.lines) == 0 {
		return nil, ErrEmpty
	}
	known := lineFormats
	if bytes.IndexByte(d.head, '{') >= 0 { // otherwise no line is an object
		known = formats
	}
	d.read(known())
	return d, nil
}

// sample selects the lines to examine.
func (d *detection) sample(whole bool) {
	for head := d.head; len(head) > 0 && len(d.lines) < sampleLines; {
		line, text := NextLine(head)
		if !whole && line[len(line)-1] != '\n' {
			break
		}
		head = head[len(line):]
		if len(text) > 0 {
			d.lines = append(d.lines, text)
		}
	}
}

// read makes the readings of the lines in the given formats.
func (d *detection) read(formats []*Format) {
	few := spread(len(d.lines), fewLines)
	for _, around := range envelopesAround(pick(d.lines, few)) {
		r := d.reading(around, formats)
		r.count(few)
		if r.total > 0 {
			all := spread(len(d.lines), len(d.lines))
			r.count(all)
			if r.settle() {
				r.count(all)
			}
		}
		if r.total > 0 {
			d.readings = append(d.readings, r)
		}
	}
	// In some formats the first field may hold anything, even an envelope. But an object with the
	// fields of a request may also contain the whole line, or just the path of its log.
	slices.SortStableFunc(d.readings, func(x, y *reading) int {
		return cmp.Or(cmp.Compare(y.total+y.rich, x.total+x.rich), cmp.Compare(members(x.around), members(y.around)),
			cmp.Compare(len(y.around), len(x.around)))
	})
}

// members returns how many of the envelopes are members of objects.
func members(around []*Envelope) (n int) {
	for _, e := range around {
		if e.isMember {
			n++
		}
	}
	return n
}

// spread returns up to n indexes spread over a list.
func spread(list, n int) []int {
	few := make([]int, min(list, n))
	for i := range few {
		few[i] = i * list / len(few)
	}
	return few
}

func pick(lines [][]byte, indexes []int) [][]byte {
	picked := make([][]byte, len(indexes))
	for i, at := range indexes {
		picked[i] = lines[at]
	}
	return picked
}

// reading returns the reading of lines in envelopes. It omits formats whose header the log lacks,
// and in envelopes all formats with a header.
func (d *detection) reading(around []*Envelope, formats []*Format) *reading {
	r := &reading{around: around, inner: unwrapAll(around, d.lines)}
	for _, f := range formats {
		a := &attempt{Format: f, around: around}
		if f.hasHeader() {
			if len(around) > 0 {
				continue
			}
			a.Format = f.bind(f, d.head)
			if a.Format == nil {
				continue
			}
			a.behind = d.explained(a.Format)
		}
		r.tries = append(r.tries, a)
	}
	return r
}

// reads returns the kind of a nonempty line in the format.
func (a *attempt) reads(line []byte, record *Record) Kind {
	if a.reader == nil {
		a.reader = a.NewReader()
		if j, ok := a.reader.(*jsonReader); ok {
			j.lax = true
		}
	}
	return explain(a.reader, line, record)
}

// excludes reports whether the last line belongs to a log of this format but isn't one of its
// requests. No other format may claim the line then.
func (a *attempt) excludes() bool {
	j, ok := a.reader.(*jsonReader)
	return ok && j.row.IsLike && j.row.Excluded
}

func (a *attempt) name() string { return wrap(a.around, a.Format, nil).name }

// explained marks the lines that a format with headers explains.
func (d *detection) explained(f *Format) []bool {
	var r Record
	reader := f.NewReader()
	reader.Reset(d.head)
	list := make([]bool, len(d.lines))
	for i := 0; i < len(list); {
		switch reader.Next(&r) {
		case End:
			return list
		case Request:
			reader.Complete(&r)
			list[i] = reader.Plausible(&r)
			i++
		case Unparsed, Other, NoRequest:
			i++
		}
	}
	return list
}

// count assigns each line to the first format that explains it. Formats that have explained earlier
// lines are tried first.
func (r *reading) count(lines []int) {
	tries := slices.Clone(r.tries)
	slices.SortStableFunc(tries, func(x, y *attempt) int { return cmp.Compare(min(y.lines, 1), min(x.lines, 1)) })
	for _, a := range tries {
		a.lines = 0
	}
	r.total, r.rich, r.errors, r.invalid = 0, 0, 0, 0
	var record Record
	for _, at := range lines {
		line := r.inner[at]
		i := slices.IndexFunc(tries, func(a *attempt) bool {
			if a.behind != nil {
				return a.behind[at]
			}
			return len(line) > 0 && (a.reads(line, &record) == Request || a.excludes())
		})
		switch {
		case i >= 0 && tries[i].behind == nil && tries[i].excludes():
		case i >= 0:
			tries[i].lines++
			r.total++
			if tries[i].behind != nil || len(record.Agent) > 0 {
				r.rich++
			}
			if tries[i].behind != nil || record.Status > 0 {
				r.rich++
			}
		case isErrorLine(line):
			r.errors++
		case hasInvalidRequest(line):
			r.invalid++
		}
	}
}

// settle drops the format with X-Forwarded-For before the client if that field could be the
// requested host. That is the case if some values are names, if all are equal, or if there are
// fewer values than clients, as with a server's addresses but not proxies'. It also drops the
// format if few lines match, because servers write the field for all requests. It reports whether
// lines must be counted again.
func (r *reading) settle() bool {
	find := func(name string) int {
		return slices.IndexFunc(r.tries, func(a *attempt) bool { return a.Format.name == name })
	}
	at, other := find(forwardedClient), find("vhost_combined")
	if at < 0 || r.tries[at].lines == 0 {
		return false
	}
	hasLists, before, behind := false, map[string]bool{}, map[string]bool{}
	var record Record
	for _, line := range r.inner {
		if len(line) == 0 || r.tries[at].reads(line, &record) != Request || string(record.Forwarded) == "-" {
			continue
		}
		hasLists = hasLists || bytes.IndexByte(record.Forwarded, ',') >= 0
		before[string(record.Forwarded)], behind[string(record.Addr)] = true, true
	}
	lists, hosts := r.tries[at].lines, 0
	if other >= 0 {
		hosts = r.tries[other].lines
	}
	if 20*lists >= 19*(lists+hosts) && 4*lists >= r.total && (hasLists || len(before) >= max(2, len(behind))) {
		return false
	}
	r.tries = slices.Delete(r.tries, at, at+1)
	return true
}

// format returns the format of the log, or nil if no reading is good enough. It also guesses the
// format of objects in which no row of the table finds a User-Agent.
func (d *detection) format() *Format {
	f := d.readable()
	if f != nil && f.HasAgent() || bytes.IndexByte(d.head, '{') < 0 {
		return f
	}
	d.guessed()
	if guessed := d.readable(); guessed != nil {
		return guessed
	}
	return f
}

// readable returns the format of the first reading that is good enough, or nil.
func (d *detection) readable() *Format {
	for _, r := range d.readings {
		if f := r.format(d); f != nil {
			return f
		}
	}
	return nil
}

// format returns the format or the mix of the reading, if the reading is good enough.
func (r *reading) format(d *detection) *Format {
	tries := bestOf(r.tries)
	of, explained := []*Format{tries[0].Format}, tries[0].lines
	hasLists := slices.ContainsFunc(tries, func(a *attempt) bool { return a.isOfLists() })
	if known := r.total + r.errors; 20*explained < 19*known || hasLists {
		tries = slices.DeleteFunc(tries, func(a *attempt) bool { return a.hasHeader() })
		of, explained = nil, 0
		tries = tries[:min(len(tries), maxMixed)]
		slices.SortFunc(tries, func(x, y *attempt) int {
			return cmp.Compare(slices.Index(r.tries, x), slices.Index(r.tries, y))
		})
		for _, a := range tries {
			of, explained = append(of, a.Format), explained+a.lines
		}
		if r.errors > 0 {
			of = append(of, errorLog)
		}
		if 10*(explained+r.errors) < 9*known || explained == 0 {
			return nil
		}
	}
	f := enclose(r.around, mix(of), d.head)
	if 2*explained <= len(d.lines)-r.invalid-d.others(f) {
		return nil
	}
	return f
}

// bestOf returns the formats that explain some lines, best first.
func bestOf(tries []*attempt) []*attempt {
	tries = slices.DeleteFunc(slices.Clone(tries), func(a *attempt) bool { return a.lines == 0 })
	slices.SortStableFunc(tries, func(x, y *attempt) int { return cmp.Compare(y.lines, x.lines) })
	return tries
}

// enclose returns a format inside envelopes, adapted to the log.
func enclose(around []*Envelope, f *Format, head []byte) *Format {
	if f.hasHeader() { // reading has found the header
		return f
	}
	return wrap(around, f, nil).boundTo(head)
}

// hasInvalidRequest reports whether a line looks like the common log format, but with an invalid
// request.
func hasInvalidRequest(line []byte) bool {
	p := clfFormats()[2].NewReader().(*programReader)
	p.Reset(line)
	if kind := p.Next(new(Record)); kind != Unparsed && kind != NoRequest || !p.Split(&p.places) {
		return false
	}
	p.take(p.late)
	_, ok := p.time()
	return ok
}

// others returns how many of the lines are Other in a format.
func (d *detection) others(f *Format) (n int) {
	if _, hasNone := f.NewReader().(*programReader); hasNone {
		return 0
	}
	seen := 0
	for kind := range f.records(d.head) {
		switch kind {
		case Other:
			n++
			seen++
		case Request, Unparsed, NoRequest:
			seen++
		}
		if seen == len(d.lines) {
			break
		}
	}
	return n
}

// Hosts returns up to ten different hosts named in head, the beginning of a log, in a field or in
// targets that are whole URLs. It quotes names that can't be hosts. named reports whether the log
// names hosts in a field or in most targets.
func Hosts(f *Format, head []byte) (hosts []string, named bool) {
	const most = 10
	requests, absolute := 0, 0
	for kind, r := range f.records(head) {
		if kind != Request {
			continue
		}
		requests++
		if requests > sampleLines {
			break
		}
		host := r.Host
		if n := schemeEnd(r.Target); n > 0 {
			absolute++
			host, _, _ = bytes.Cut(r.Target[n+len("://"):], []byte("/"))
		}
		if len(host) == 0 || string(host) == "-" || len(hosts) == most {
			continue
		}
		name := string(host)
		if !plausibleHost(host) {
			name = quote(host)
		}
		if !slices.Contains(hosts, name) {
			hosts = append(hosts, name)
		}
	}
	return hosts, f.HasHost() || 2*absolute > requests
}

func isURL(b []byte) bool { return schemeEnd(b) > 0 && bytes.IndexByte(b, ' ') < 0 }
