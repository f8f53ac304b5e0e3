package filter

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/robotsieve/robotsieve/scan/internal/list"
	"github.com/robotsieve/robotsieve/scan/internal/warc"
	"github.com/robotsieve/robotsieve/scan/source"
)

// Records filters the records of WARC files, one file after the other. A record is judged by its WARC-Target-URI; a
// record without one, such as warcinfo, is a Header. Kept records are copied unchanged: a gzip member with one record
// is not recompressed. All output has the form of the first file, plain or one gzip member per record. Except for
// Progress, it is not safe for concurrent use.
type Records struct {
	config Config
	inputs []*source.Input
	keep   int // how many bytes of a record are kept in memory, as it is and decompressed
	out    io.Writer
	judge  *Judge
	prints [Classes]bool
	pages  pages

	zipped  bool // whether the output is compressed
	records *warc.Reader
	parts   *source.Parts
	waiting waiting
	buffer  []byte
	sum     printer
	printed int64
	results []source.Result
	read    atomic.Int64
	total   int64
}

// waiting is a request that is settled with the record behind it, which may be of the same capture
// and have a page that is barred.
type waiting struct {
	record *warc.Record // nil if none is waiting
	input  int
	bytes  []byte // in its output form
}

// NewRecords returns a filter of inputs. memory is the number of bytes that its records may take.
func NewRecords(inputs []*source.Input, c Config, memory int64, out io.Writer) *Records {
	const held = 4 // copies of a record: as read, decompressed, as written, and waiting
	r := &Records{
		config: c, inputs: inputs, keep: int(memory / held), out: out, judge: NewJudge(&c), prints: c.prints(),
		pages: pages{config: &c}, sum: printer{config: &c, barred: make([]int64, len(c.Dialects))},
	}
	for _, in := range inputs {
		if in.Size < 0 {
			r.total = -1
			break
		}
		r.total += in.Size
	}
	return r
}

// Progress returns the number of bytes read so far and the total, which is -1 if unknown.
func (r *Records) Progress() (read, total int64) { return r.read.Load(), r.total }

// Results returns how the reading of each input ended. Call it after Run.
func (r *Records) Results() []source.Result { return r.results }

// Run filters all records. It returns early in the same cases as the function Run. Only whole records are written, so
// the output is always a prefix of the complete output.
func (r *Records) Run(ctx context.Context) (Summary, error) {
	var err error
	for i, in := range r.inputs {
		if err = r.file(ctx, i, in); err != nil {
			break
		}
	}
	s := r.sum.summary()
	s.Printed = r.printed
	return s, err
}

// file filters the records of an input. Errors of the input itself are not returned.
func (r *Records) file(ctx context.Context, number int, in *source.Input) error {
	result := source.Result{Name: in.Name}
	before := r.read.Load()
	parts, err := in.OpenParts(r.keep)
	if err == nil {
		defer parts.Close()
		if r.parts = parts; number == 0 {
			r.zipped = parts.Compressed()
		}
		r.records = warc.NewPartsReader(endingParts{parts, ctx}, r.keep)
		err = r.all(ctx, number, before)
		result.Codec, result.Disk, result.Warnings = in.Codec(), parts.Disk(), parts.Warnings()
	}
	var own *runError
	switch {
	case errors.As(err, &own):
		return own.error
	case err != nil:
		if result.Err = err; parts != nil {
			result.Err = r.unread(in, err)
		}
	}
	result.Complete = err == nil
	r.results = append(r.results, result)
	return nil
}

// endingParts reads parts until a context ends, because a record may have terabytes.
type endingParts struct {
	*source.Parts
	ctx context.Context
}

// Read reads from the part, unless the context has ended.
func (e endingParts) Read(b []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, &runError{context.Cause(e.ctx)}
	}
	return e.Parts.Read(b)
}

// runError is an error that ends the run, rather than the reading of one input.
type runError struct{ error }

func (e *runError) Unwrap() error { return e.error }

// unread adds to an error where the reading of an input ended, and how much was left.
func (r *Records) unread(in *source.Input, err error) error {
	at := r.parts.Offset()
	if !r.parts.Compressed() {
		begin, _ := r.records.Extent()
		at += begin
	}
	var named *source.Error
	if errors.As(err, &named) {
		at = named.Offset
	}
	rest := "the rest is not read"
	if in.Size > at {
		rest += fmt.Sprintf(" (%d bytes)", in.Size-at)
	}
	if named != nil {
		return fmt.Errorf("%w; %s", err, rest)
	}
	return &source.Error{Name: in.Name, Offset: at, Err: fmt.Errorf("%w; %s", err, rest)}
}

// all filters the records of the open file. before is the number of bytes read from earlier files.
func (r *Records) all(ctx context.Context, input int, before int64) error {
	r.waiting.record = nil // left by a run that has ended
	for {
		rec, err := r.records.Next()
		var ended *runError
		switch {
		case errors.As(err, &ended):
			return err
		case err != nil:
			if err == io.EOF { //nolint:errorlint // the end, not damage
				err = nil
			}
			return cmp.Or(r.settle(nil, Verdict{}), err)
		case ctx.Err() != nil:
			return &runError{context.Cause(ctx)}
		}
		if err := r.record(input, rec); err != nil {
			return err
		}
		r.read.Store(before + r.parts.Disk())
	}
}

// record judges, counts and writes a record. The error is damage or a *runError.
func (r *Records) record(input int, rec *warc.Record) error {
	v, err := r.verdict(rec)
	if err != nil {
		return &runError{err}
	}
	damage := r.records.End()
	var ended *runError
	if errors.As(damage, &ended) {
		return damage
	}
	if damage != nil {
		v = Verdict{Class: CutOff}
	}
	if err := r.settle(rec, v); err != nil {
		return err
	}
	var from io.Reader
	ok := true
	if r.config.Annotate == nil && damage == nil && (r.prints[v.Class] || r.config.Page != 0) {
		from, ok = r.copied()
	}
	switch {
	case !ok && r.prints[v.Class]:
		v.Class = TooLong
	case ok && r.config.Page != 0 && rec.Kind == "request" && v.Class == Allowed:
		return r.wait(input, rec, from)
	}
	return cmp.Or(r.finish(input, rec, v, from), damage)
}

// wait keeps a request until the next record, unless it is too long for that.
func (r *Records) wait(input int, rec *warc.Record, from io.Reader) error {
	w := &r.waiting
	w.bytes = w.bytes[:0]
	if from != nil {
		b := bytes.NewBuffer(w.bytes)
		_, err := b.ReadFrom(io.LimitReader(from, int64(r.keep)+1))
		if w.bytes = b.Bytes(); err != nil {
			return &runError{fmt.Errorf("writing: %w", err)}
		}
		if len(w.bytes) > r.keep {
			return r.finish(input, rec, Verdict{}, io.MultiReader(bytes.NewReader(w.bytes), from))
		}
	}
	w.record, w.input = rec, input
	return nil
}

// settle completes the pending request, using the verdict on the next record if that belongs to the same capture and
// its page is barred. rec is nil at the end.
func (r *Records) settle(rec *warc.Record, v Verdict) error {
	w := &r.waiting
	if w.record == nil {
		return nil
	}
	first := w.record
	w.record = nil
	if of := (capture{first.Target, first.Date, first.ID}); rec == nil || v.Class != ByPage || !of.of(rec) {
		v = Verdict{}
	}
	return r.finish(w.input, first, v, bytes.NewReader(w.bytes))
}

// finish writes a record, or its replacement, and counts it. The error is a *runError.
func (r *Records) finish(input int, rec *warc.Record, v Verdict, from io.Reader) error {
	var err error
	switch {
	case r.config.Annotate != nil:
		url := []byte(rec.Target)
		r.buffer = r.config.Annotate(r.buffer[:0], nil, &list.Row{Line: url, Text: url, URL: url, End: -1}, v)
		_, err = r.out.Write(r.buffer)
		r.printed++
	case r.prints[v.Class] && v.Class != CutOff:
		_, err = io.Copy(r.out, from)
		r.printed++
	}
	if err != nil {
		return &runError{fmt.Errorf("writing: %w", err)}
	}
	r.count(input, rec, v)
	return nil
}

func (r *Records) count(input int, rec *warc.Record, v Verdict) {
	r.sum.count[v.Class]++
	r.sum.misencoded, r.sum.useful = r.judge.misencoded, r.sum.useful || v.Class.Valid()
	for i := range r.sum.barred {
		r.sum.barred[i] += int64(v.Barred >> i & 1)
	}
	if v.Class.Invalid() && len(r.sum.quotes) < r.config.Quotes {
		text := rec.Target[:min(len(rec.Target), maxQuoted)]
		r.sum.quotes = append(r.sum.quotes, Quote{Input: input, Line: rec.Number, Class: v.Class, Text: []byte(text)})
	}
}

// verdict judges a record whose block has not been read.
func (r *Records) verdict(rec *warc.Record) (Verdict, error) {
	if rec.Target == "" {
		return Verdict{Class: Header}, nil
	}
	at := r.config.AsOf
	date := time.Unix(at, 0)
	if r.config.Dated {
		var err error
		if date, err = rec.Time(); err == nil {
			at = date.Unix()
		} else if r.config.Policy != nil {
			return Verdict{Class: BadTime}, nil
		}
	}
	var v Verdict
	err := r.config.guard(func() error {
		r.judge.sites.refresh()
		v = r.judge.Judge([]byte(rec.Target), at)
		return r.judge.Err()
	})
	if err == nil && r.config.Page != 0 && v.Class == Allowed {
		r.pages.judge(rec, r.records, date, r.judge.all, &v)
	}
	return v, err
}

// copied returns the last record in its output form.
func (r *Records) copied() (from io.Reader, ok bool) {
	if r.zipped && r.parts.Compressed() && r.records.Whole() {
		return r.parts.Member()
	}
	data, ok := r.records.Bytes()
	switch {
	case ok && r.zipped:
		r.buffer = source.AppendMember(r.buffer[:0], data)
		return bytes.NewReader(r.buffer), true
	case ok:
		return bytes.NewReader(data), true
	case r.zipped:
		return nil, false
	}
	return r.parts.Section(r.records.Extent())
}
