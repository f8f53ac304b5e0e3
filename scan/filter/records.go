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

	"github.com/robotsieve/robotsieve/internal/disk"
	"github.com/robotsieve/robotsieve/scan/list"
	"github.com/robotsieve/robotsieve/scan/source"
	"github.com/robotsieve/robotsieve/scan/warc"
)

// Records filters the records of WARC files, one after the other. A record is judged by its WARC-Target-URI; one without it, such as
// warcinfo, is a Header. Kept records are copied as they are: a gzip member of one record is not compressed again.
// All that is written has the form of the first file, gzip a record or plain. It belongs to one goroutine, but for Progress.
type Records struct {
	config Config
	inputs []*source.Input
	keep   int // how many bytes of a record are kept in memory, as it is and decompressed
	out    io.Writer
	judge  *Judge
	prints [Classes]bool
	pages  pages

	zipped  bool // of what is written
	records *warc.Reader
	parts   *source.Parts
	waiting []byte  // a request that is not written if the page of its capture is barred
	waits   capture // of it
	buffer  []byte
	sum     printer
	printed int64
	results []source.Result
	read    atomic.Int64
	total   int64
}

// NewRecords returns the filter of some inputs. memory is how many bytes of records it may hold.
func NewRecords(inputs []*source.Input, c Config, memory int64, out io.Writer) *Records {
	const held = 4 // as they are, decompressed, written anew and waiting
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

// Progress returns how many bytes of how many have been read; -1 stands for a total that is not known.
func (r *Records) Progress() (read, total int64) { return r.read.Load(), r.total }

// Results says how the reading of each input ended, after Run.
func (r *Records) Results() []source.Result { return r.results }

// Run filters all records. It returns early as the function Run does. Writes are of whole records, so that what is written
// is always the beginning of what would be.
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

// file filters the records of an input. The error is of what is not the input.
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
		err = disk.Faults(func() error { return r.all(ctx, number, before) })
		result.Codec, result.Disk, result.Warnings = in.Codec(), parts.Disk(), parts.Warnings()
	}
	var own *runError
	switch {
	case errors.Is(err, disk.ErrFault):
		return ErrFault
	case errors.As(err, &own):
		return own.error
	case err != nil:
		if result.Err = err; parts != nil {
			result.Err = r.unread(in.Name, err)
		}
	}
	result.Complete = err == nil
	r.results = append(r.results, result)
	return nil
}

// endingParts are parts that end with a context: a record may have terabytes.
type endingParts struct {
	*source.Parts
	ctx context.Context
}

// Read reads the bytes of the part, until the context ends.
func (e endingParts) Read(b []byte) (int, error) {
	if e.ctx.Err() != nil {
		return 0, &runError{context.Cause(e.ctx)}
	}
	return e.Parts.Read(b)
}

// runError is an error that ends the run, not only the reading of an input.
type runError struct{ error }

func (e *runError) Unwrap() error { return e.error }

// unread says where the reading of an input ended.
func (r *Records) unread(name string, err error) error {
	var named *source.Error
	if errors.As(err, &named) {
		return fmt.Errorf("%w; what follows is not read", err)
	}
	at := r.parts.Offset()
	if !r.parts.Compressed() {
		begin, _ := r.records.Extent()
		at += begin
	}
	return &source.Error{Name: name, Offset: at, Err: fmt.Errorf("%w; what follows is not read", err)}
}

// all filters the records of the file that is open. before is how many bytes of others have been read.
func (r *Records) all(ctx context.Context, input int, before int64) error {
	for {
		if ctx.Err() != nil {
			return &runError{cmp.Or(r.release(), context.Cause(ctx))}
		}
		rec, err := r.records.Next()
		if err != nil {
			if writing := r.release(); writing != nil {
				return &runError{fmt.Errorf("writing: %w", writing)}
			}
			if err == io.EOF { //nolint:errorlint // the end, not damage
				err = nil
			}
			return err
		}
		if err := r.record(input, rec); err != nil {
			return err
		}
		r.read.Store(before + r.parts.Disk())
	}
}

// record judges, counts and writes a record.
func (r *Records) record(input int, rec *warc.Record) error {
	v, err := r.verdict(rec)
	if err != nil {
		return &runError{err}
	}
	damage := r.records.End()
	if damage != nil {
		v = Verdict{Class: CutOff}
	}
	err = r.settle(rec, v.Class)
	if err == nil && (r.prints[v.Class] && v.Class != CutOff || r.config.Annotate != nil) {
		err = r.write(rec, &v)
	}
	if err != nil {
		return &runError{fmt.Errorf("writing: %w", err)}
	}
	r.count(input, rec, v)
	return damage
}

// settle writes the request that waits, or drops it because the page of its capture is barred.
func (r *Records) settle(rec *warc.Record, class Class) error {
	if len(r.waiting) == 0 {
		return nil
	}
	if class == ByPage && r.waits.of(rec) {
		r.sum.count[Allowed]--
		r.sum.count[ByPage]++
		r.printed--
		r.waiting = r.waiting[:0]
		return nil
	}
	return r.release()
}

// count counts a record.
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

// verdict judges a record, whose block has not been read.
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
	r.judge.sites.refresh()
	v := r.judge.Judge([]byte(rec.Target), at)
	if r.config.Page != 0 && v.Class == Allowed {
		r.pages.judge(rec, r.records, date, r.judge.all, &v)
	}
	return v, r.judge.Err()
}

// write writes a record that End has ended, or what replaces it. A record that cannot be copied is TooLong.
func (r *Records) write(rec *warc.Record, v *Verdict) error {
	if r.config.Annotate != nil {
		url := []byte(rec.Target)
		r.buffer = r.config.Annotate(r.buffer[:0], nil, &list.Row{Line: url, Text: url, URL: url, End: -1}, *v)
		r.printed++
		_, err := r.out.Write(r.buffer)
		return err
	}
	from, ok := r.copied()
	if !ok {
		v.Class = TooLong
		return nil
	}
	r.printed++
	if r.config.Page != 0 && rec.Kind == "request" && v.Class == Allowed {
		b := bytes.NewBuffer(r.waiting)
		_, err := b.ReadFrom(from)
		r.waiting, r.waits = b.Bytes(), capture{rec.Target, rec.Date, rec.ID}
		return err
	}
	_, err := io.Copy(r.out, from)
	return err
}

// release writes the request that waits, if there is one.
func (r *Records) release() error {
	_, err := r.out.Write(r.waiting)
	r.waiting = r.waiting[:0]
	return err
}

// copied returns the record that End has ended in the form in which it is written.
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
