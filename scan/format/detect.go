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

// SampleBytes and sampleLines bound the part of a log that Detect reads.
const (
	SampleBytes = 256 << 10
	sampleLines = 1000
)

// fewLines is the number of lines that are tried as all formats. Later lines are first tried as the
// formats that these lines matched.
const fewLines = 64

// Detect returns the format of a log by its beginning, head. whole is set if head is the
// whole log; otherwise its last line may be incomplete and is skipped.
//
// A line counts for the first format of the table that explains it, with or without envelopes
// around it. A format that explains at least 95 per cent of the lines that any format
// explains is the format of the log, as that many unreadable lines are usually accepted. Otherwise the log
// is a mix of at most three formats, which together explain at least 90 per cent of these
// lines. A mix may also include lines of error logs. The format or the mix must explain
// more than half of all lines, not counting lines that are Other in it or access log lines with an
// invalid request, which anybody can send.
//
// The error says what the log is, or how it could be read, and quotes the first line that
// could not be.
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

// For returns the format as the beginning of a log, head, shows it: with the envelopes that are
// around its lines, and with the columns that it names; f itself if there are none. whole is as
// for Detect.
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

// unreadTime is an error if no object at the beginning of a log has a time that can be read, and quotes
// the first one.
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
	// ErrEmpty means that there is no line to look at.
	ErrEmpty = errors.New("no lines")
	// ErrNoHeader means that the columns of the log are named by a header that it lacks. The
	// header of the log before it in a set may be its own.
	ErrNoHeader = errors.New("its line #Fields is missing")
	// ErrErrorLog means that the log is one of a server's own messages.
	ErrErrorLog = errors.New("an error log")
)

// errorLogError names the program whose error log a log is. It is ErrErrorLog.
type errorLogError string

func (e errorLogError) Error() string { return "this is " + string(e) }

func (e errorLogError) Is(target error) bool { return target == ErrErrorLog }

// is returns the error that a log is something else than an access log.
func is(what string) error {
	if strings.HasPrefix(what, "an error log") {
		return errorLogError(what)
	}
	return errors.New("this is " + what)
}

// detection is what the beginning of a log looks like.
type detection struct {
	head     []byte     // without a byte order mark
	lines    [][]byte   // that are looked at: none is empty, or has its line end
	readings []*reading // the best first; each explains some line
}

// reading is a way to read the lines: with envelopes around them or without.
type reading struct {
	around  []*Envelope
	inner   [][]byte   // the lines in the envelopes; empty where there is none
	tries   []*attempt // one for each format
	total   int        // of the lines that count for one
	rich    int        // of these, those with a User-Agent, and those with a status
	errors  int        // lines of error logs among the others
	invalid int        // lines of access logs among the others, with requests that are none
}

// attempt is a format as which lines are read.
type attempt struct {
	*Format
	around []*Envelope
	reader Reader
	lines  int // that count for it
	// behind marks the lines that a format with headers explains.
	behind []bool
}

// examine reads the beginning of a log in all ways. It returns an error if head is not text or has
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
	if bytes.IndexByte(d.head, '{') >= 0 { // else no line is an object
		known = formats
	}
	d.read(known())
	return d, nil
}

// sample sets the lines that are looked at.
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

// read finds the readings of the lines as some formats.
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
	// The first field of some formats may hold anything, an envelope as well. But an object that has the
	// fields of a request may include the whole line as well, or just the path of the log that contains it.
	slices.SortStableFunc(d.readings, func(x, y *reading) int {
		return cmp.Or(cmp.Compare(y.total+y.rich, x.total+x.rich), cmp.Compare(members(x.around), members(y.around)),
			cmp.Compare(len(y.around), len(x.around)))
	})
}

// members returns how many of some envelopes are members of objects.
func members(around []*Envelope) (n int) {
	for _, e := range around {
		if e.isMember {
			n++
		}
	}
	return n
}

// spread returns up to n indexes of all parts of a list.
func spread(list, n int) []int {
	few := make([]int, min(list, n))
	for i := range few {
		few[i] = i * list / len(few)
	}
	return few
}

// pick returns the lines with some indexes.
func pick(lines [][]byte, indexes []int) [][]byte {
	picked := make([][]byte, len(indexes))
	for i, at := range indexes {
		picked[i] = lines[at]
	}
	return picked
}

// reading returns the reading of the lines as formats in envelopes. Of formats with a
// header those are left out whose header the log does not have, and in envelopes all.
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

// reads returns what a line that is not empty is as the format.
func (a *attempt) reads(line []byte, record *Record) Kind {
	if a.reader == nil {
		a.reader = a.NewReader()
		if j, ok := a.reader.(*jsonReader); ok {
			j.lax = true
		}
	}
	return explain(a.reader, line, record)
}

// excludes reports whether the last line read belongs to the format's log but is not one of its requests,
// in which case no other format may claim it.
func (a *attempt) excludes() bool {
	j, ok := a.reader.(*jsonReader)
	return ok && j.row.IsLike && j.row.Excluded
}

// name returns the name of the format in its envelopes.
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

// count counts lines for the first format that explains them; those that lines have counted for
// before are tried before the others.
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

// settle drops the format with X-Forwarded-For before the client if that field may be the requested host:
// some lines have a name there, or all have the same value, or there are fewer values than clients, as with
// the addresses of a server but not of proxies. It also drops the format if few lines match it, since
// servers write the field for all requests. It reports whether lines have to be counted again.
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

// format returns the format of the log, nil if no reading is good enough. Objects in which no row of
// the table finds a User-Agent are also read by a guess.
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

// readable returns the format of the first reading that is good enough, nil if there is none.
func (d *detection) readable() *Format {
	for _, r := range d.readings {
		if f := r.format(d); f != nil {
			return f
		}
	}
	return nil
}

// format returns the format or the mix of the reading if it is good enough.
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

// bestOf returns the formats that some lines count for, the best first.
func bestOf(tries []*attempt) []*attempt {
	tries = slices.DeleteFunc(slices.Clone(tries), func(a *attempt) bool { return a.lines == 0 })
	slices.SortStableFunc(tries, func(x, y *attempt) int { return cmp.Compare(y.lines, x.lines) })
	return tries
}

// enclose returns a format in envelopes, as the log shows both.
func enclose(around []*Envelope, f *Format, head []byte) *Format {
	if f.hasHeader() { // which reading has found
		return f
	}
	return wrap(around, f, nil).boundTo(head)
}

// hasInvalidRequest reports whether a line looks like the common log format but has an
// invalid request.
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

// Hosts returns up to ten different hosts named in head, the beginning of a log, by a
// field or by targets that are whole URLs. A name that cannot be a host is quoted. named is
// whether the log names hosts: by a field, or in most targets.
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

// isURL reports whether b is a URL and nothing else.
func isURL(b []byte) bool { return schemeEnd(b) > 0 && bytes.IndexByte(b, ' ') < 0 }
