package filter

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/internal/plain"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/internal/origin"
	"github.com/robotsieve/robotsieve/scan/source"
)

// worker judges the rows of chunks, one chunk at a time. It belongs to one goroutine.
type worker struct {
	config *Config
	prints [Classes]bool
	judge  *Judge
	rows   rows
	quoted *atomic.Bool // no more quotes are needed
	free   *sync.Pool

	out     outcome   // of the chunk
	epoch   uint64    // of the rules at the beginning of the chunk
	crowded bool      // the rules of all sites do not fit into memory
	batched bool      // the rest of the chunk has been judged
	ahead   []Verdict // on the remaining URLs
	batch   batch
}

// batch is a set of URLs from rows, in the order of their sites.
type batch struct {
	text     []byte
	urls     []batched
	verdicts []Verdict
}

type batched struct {
	begin, site, end int // bounds in the text; scheme and authority end at site
	at               int64
	number           int // in the order of the rows
}

// outcome is the result for one chunk.
type outcome struct {
	kept   []byte  // what to print: a view of the chunk or, with Config.Annotate, of the buffer
	buffer *[]byte // from the pool; nil without Config.Annotate
	header int     // length of the header at the beginning of kept
	open   bool    // the last line has no newline
	count  [Classes]int64
	barred []int64 // Summary.Barred
	// misencoded is Summary.Misencoded.
	misencoded int64
	spaced     int64   // Summary.Spaced
	slashed    int64   // Summary.Slashed
	more       int64   // lines of records beyond their first
	quotes     []Quote // Line counts from the beginning of the chunk
	err        error   // of the policy; makes the other fields invalid
}

func newWorker(c *Config, quoted *atomic.Bool, free *sync.Pool) *worker {
	return &worker{
		config: c, prints: c.prints(), judge: NewJudge(c), quoted: quoted, free: free,
		rows: rows{config: c, readers: make([]*list.Reader, len(c.Layouts))},
	}
}

// guarded is chunk within Config.Guard.
func (w *worker) guarded(c *source.Chunk, failed func() bool) (out outcome) {
	err := w.config.guard(func() error {
		out = w.chunk(c, failed)
		return nil
	})
	if err != nil {
		out = outcome{err: err}
	}
	return out
}

// chunk judges the rows of a chunk. failed reports whether its input could not be
// read to the end; it is called only if the last line has no newline.
func (w *worker) chunk(c *source.Chunk, failed func() bool) outcome {
	w.out = outcome{}
	w.judge.sites.refresh()
	w.judge.misencoded, w.judge.slashed = 0, 0
	w.epoch, w.batched = w.judge.sites.epoch, false
	if len(w.config.Dialects) > 1 {
		w.out.barred = make([]int64, len(w.config.Dialects))
	}
	w.rows.reset(c, failed)
	if w.config.Annotate != nil {
		w.annotate(c.Data)
	} else {
		w.keep(c.Data)
	}
	w.crowded = w.judge.sites.epoch != w.epoch && w.batched
	w.out.misencoded, w.out.slashed, w.out.err = w.judge.misencoded, w.judge.slashed, w.judge.err
	return w.out
}

// judgeAhead judges the rest of a chunk site by site if the rules of its sites do not fit into memory together:
// otherwise each row might require decoding the rules of its site again. The first row is excluded, because it may
// be a header.
func (w *worker) judgeAhead(rest []byte, at int) {
	if at == 0 || w.batched || w.rows.inHeader() || !w.crowded && w.judge.sites.epoch-w.epoch < 2 {
		return
	}
	b := &w.batch
	b.text, b.urls = b.text[:0], b.urls[:0]
	w.rows.again(rest)
	for len(w.rows.data) > 0 {
		_, url, class := w.rows.next()
		if class != Allowed {
			continue
		}
		begin := len(b.text)
		site, _ := origin.Prefix(url)
		b.text = append(b.text, url...)
		b.urls = append(b.urls, batched{begin, begin + site, len(b.text), w.instant(), len(b.urls)})
	}
	w.rows.again(rest)
	slices.SortFunc(b.urls, func(x, y batched) int {
		sites := bytes.Compare(b.text[x.begin:x.site], b.text[y.begin:y.site])
		return cmp.Or(sites, cmp.Compare(x.at, y.at), cmp.Compare(x.number, y.number))
	})
	b.verdicts = slices.Grow(b.verdicts[:0], len(b.urls))[:len(b.urls)]
	for _, u := range b.urls {
		b.verdicts[u.number] = w.judge.Judge(b.text[u.begin:u.end], u.at)
	}
	w.batched, w.ahead = true, b.verdicts
}

// keep moves the rows to print to the beginning of the chunk, over the dropped
// ones. Adjacent rows are moved together.
func (w *worker) keep(data []byte) {
	end, from, at := 0, 0, 0 // data[:end] has been moved, data[from:at] is to be moved
	for at < len(data) {
		if w.crowded || w.judge.sites.epoch != w.epoch {
			w.judgeAhead(data[at:], at)
		}
		line, url, class := w.rows.next()
		if class == Allowed {
			class = w.verdict(url).Class
		} else {
			w.unjudged(class, line)
		}
		w.out.more += w.rows.more
		next := at + len(line)
		if !w.prints[class] {
			if from < at {
				end += copy(data[end:], data[from:at])
			}
			from = next
		} else if class == Header && w.out.header == at {
			w.out.header = next // all rows so far are headers
		}
		at = next
	}
	if from < at {
		end += copy(data[end:], data[from:at])
	}
	w.out.kept = data[:end]
	w.out.open = end > 0 && data[end-1] != '\n'
}

// annotate writes a line for each row to a buffer.
func (w *worker) annotate(data []byte) {
	buffer, _ := w.free.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	b := (*buffer)[:0]
	for at := 0; at < len(data); {
		if w.crowded || w.judge.sites.epoch != w.epoch {
			w.judgeAhead(data[at:], at)
		}
		line, url, class := w.rows.next()
		v := Verdict{Class: class}
		if class == Allowed {
			v = w.verdict(url)
		} else {
			w.unjudged(class, line)
		}
		w.out.more += w.rows.more
		b = w.config.Annotate(b, w.rows.layout, w.rows.full(line, url), v)
		at += len(line)
	}
	*buffer = b
	w.out.kept, w.out.buffer = b, buffer
}

// verdict judges the URL of the current row, and counts the row.
func (w *worker) verdict(url []byte) (v Verdict) {
	if w.batched {
		v, w.ahead = w.ahead[0], w.ahead[1:]
	} else {
		v = w.judge.judge(url, w.instant(), w.rows.isPlain)
	}
	w.out.count[v.Class]++
	switch {
	case !v.Class.Valid():
		if !w.rows.isPlain {
			url = w.rows.raw // with the surrounding text
		}
		w.quote(v.Class, url)
		return v
	case !w.rows.isPlain && bytes.IndexByte(url, ' ') >= 0:
		w.out.spaced++
	}
	switch {
	case w.out.barred != nil:
		for set := v.Barred; set != 0; set &= set - 1 {
			w.out.barred[bits.TrailingZeros64(set)]++
		}
	}
	return v
}

// instant returns the time whose rules apply to the current row.
func (w *worker) instant() int64 {
	if w.config.Dated && w.rows.reader != nil && w.rows.row.HasTime {
		return w.rows.row.Time
	}
	return w.config.AsOf
}

// unjudged counts a row that has no URL.
func (w *worker) unjudged(class Class, line []byte) {
	w.out.count[class]++
	if class != Header {
		w.quote(class, bytes.TrimRight(line, "\r\n"))
	}
}

// maxQuoted limits the bytes of a row in a Quote.
const maxQuoted = 200

// quote records the beginning of an invalid row, if more quotes may be needed.
func (w *worker) quote(class Class, text []byte) {
	if len(w.out.quotes) >= w.config.Quotes || w.quoted.Load() {
		return
	}
	number := w.out.more
	for _, n := range w.out.count {
		number += n
	}
	text = bytes.Clone(text[:min(len(text), maxQuoted)])
	w.out.quotes = append(w.out.quotes, Quote{Line: number, Class: class, Text: text})
}

// rows reads the rows of chunks.
type rows struct {
	config  *Config
	readers []*list.Reader // of each input with a layout, made on demand
	layout  *list.Layout   // of the current input; nil for a list of URLs
	reader  *list.Reader   // of the current input; nil likewise
	timed   bool           // each row must have a time
	row     list.Row       // without a reader, the last one made by full

	lines format.Lines
	data  []byte // the unread rest
	plain int    // length of its beginning in which all bytes are plain
	cut   bool   // the chunk is the beginning of a line that is too long
	// isPlain means that all bytes of the current URL are plain.
	isPlain bool
	raw     []byte // the URL as written, unless isPlain
	lined   bool   // each line of the chunk is a row
	more    int64  // how many lines the row has beyond its first
	isNoted bool   // notes may follow the URLs
	failed  func() bool
}

// reset starts a chunk. failed is as in worker.chunk.
func (r *rows) reset(c *source.Chunk, failed func() bool) {
	r.data, r.plain, r.isPlain, r.cut, r.failed = c.Data, 0, false, c.Cut > 0, failed
	r.layout, r.reader, r.more = nil, nil, 0
	r.isNoted = c.Input >= len(r.config.Values) || !r.config.Values[c.Input]
	if c.Input >= len(r.readers) || r.config.Layouts[c.Input] == nil {
		r.lines.Reset(c.Data)
		return
	}
	r.layout, r.isNoted = r.config.Layouts[c.Input], false
	if r.readers[c.Input] == nil {
		r.readers[c.Input] = r.layout.NewReader()
		r.readers[c.Input].Cutter = &r.lines
	}
	r.reader = r.readers[c.Input]
	r.timed = r.config.Dated && r.config.Policy != nil && r.layout.Timed()
	r.lined = c.Lines || r.layout.Records() == nil
	r.resetReader(c.Data, c.Seq == 0)
}

// resetReader starts the rows of the chunk. first means that they are the first of their input.
func (r *rows) resetReader(data []byte, first bool) {
	r.reader.Reset(data, first)
	if r.lined {
		r.reader.Lines()
	}
}

func (r *rows) inHeader() bool { return r.reader != nil && r.reader.InHeader() }

// again continues at a row of the chunk other than the first.
func (r *rows) again(rest []byte) {
	r.data, r.plain = rest, 0
	if r.reader != nil {
		r.resetReader(rest, false)
	} else {
		r.lines.Reset(rest)
	}
}

// next reads the next row; the chunk must have one. class is Allowed if the row has a URL to be judged.
func (r *rows) next() (line, url []byte, class Class) {
	switch {
	case r.cut:
		return r.data, nil, TooLong
	case r.reader != nil:
		r.reader.Next(&r.row)
		line, url, class = r.row.Line, r.row.URL, classOf[r.row.State]
		if class == Allowed {
			url, class = r.bare(url, NoURL, true)
		}
		if class == Allowed && r.timed && !r.row.HasTime {
			class = BadTime
		}
		if r.more = 0; !r.lined {
			r.more = int64(bytes.Count(line[:len(line)-1], newline))
		}
	default:
		line, url = r.lines.Next()
		if r.plain < len(line) {
			r.plain = plain.Lines(r.data[:min(len(r.data), plainAhead)])
		}
		r.isPlain = r.plain >= len(line)
		r.plain = max(r.plain-len(line), 0)
		if !r.isPlain {
			url, class = r.bare(url, Blank, len(line)-len(url) > 1) // CRLF is not plain, but the URL may be
		}
	}
	if r.data = r.data[len(line):]; len(r.data) == 0 && line[len(line)-1] != '\n' && r.failed() {
		class = CutOff
	}
	return line, url, class
}

// bare returns a URL without the surrounding text, and sets isPlain. empty is the class to return if there is no
// URL. mayBePlain means that the URL may be plain.
func (r *rows) bare(url []byte, empty Class, mayBePlain bool) ([]byte, Class) {
	r.isPlain = false
	if mayBePlain {
		at := bytes.IndexByte(url, '/')
		isBare := at == 0 || at > 0 && at <= len("https:") && url[0] > ' ' && url[at-1] == ':'
		if r.isPlain = isBare && plain.Is(url[at:]); r.isPlain {
			return url, Allowed
		}
	}
	r.raw = url
	bare, ok := list.Bare(url, r.isNoted)
	switch {
	case !ok:
		return bare, BadRow
	case len(bare) == 0 && len(bytes.TrimSpace(bytes.TrimPrefix(url, format.BOM))) == 0:
		return bare, empty
	case len(bare) == 0: // only control characters, such as the zero bytes left by a system crash
		return url, NotAbsolute
	}
	return bare, Allowed
}

// plainAhead is the number of bytes examined together: few enough to stay in the first-level cache.
const plainAhead = 4 << 10

func (r *rows) full(line, url []byte) *list.Row {
	if r.reader == nil || r.cut {
		r.row = list.Row{Line: line, Text: url, URL: url}
	}
	return &r.row
}

// classOf maps the states of rows to classes.
var classOf = [...]Class{
	list.Good: Allowed, list.Header: Header, list.Blank: Blank, list.NoURL: NoURL, list.BadRow: BadRow,
	list.BadTime: BadTime,
}
