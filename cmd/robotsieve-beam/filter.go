package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
	"github.com/robotsieve/robotsieve/scan/source"
)

// A filter makes of each list a file of the same name, and counts its rows. The lists of a shard
// are filtered side by side.

func init() {
	register.DoFn3x1[context.Context, shard, func(int, []byte), error](&filterFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&countFn{})
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
}

// filterSpec is what the workers know of a filter: its options, and the content of the files that
// these name.
type filterSpec struct {
	Options  filterOptions
	Robots   []byte
	Crawlers []byte
	Files    []string // the names of these files and of the archive of rules, which no result may replace
}

// filterOptions are options as JSON. The fields here hide those that have a meaning only in the
// process that submits the job.
type filterOptions struct {
	job.FilterOptions
	URLs, Messages *struct{} `json:",omitempty"`
}

// outcome is what a filter says of a list.
type outcome struct {
	// "" for messages of none, which the user is told but the file of counts does not have
	List     string   `json:"list"`
	Output   string   `json:"output"` // the name of the file of its rows; "" if there is none
	Messages []string `json:"messages"`
	Refused  string   // why nothing has been done for any list
	Filtered job.Filtered
}

// counted is a line of the file of counts.
type counted struct {
	List     string   `json:"list"`
	Output   string   `json:"output"`
	Messages []string `json:"messages"`
	cli.FilterSummary
}

// countsName is the name of the file of counts, beside the outputs.
const countsName = "robotsieve-counts.ndjson"

// filterFn filters the lists of a shard.
type filterFn struct{ Scratch string }

// ProcessElement emits the outcome for each list, as JSON.
func (f *filterFn) ProcessElement(ctx context.Context, s shard, emit func(int, []byte)) error {
	spec, err := readSpec(ctx, f.Scratch)
	if err != nil {
		return err
	}
	var outcomes []*outcome
	for _, u := range s.Rest.Unread {
		outcomes = append(outcomes, &outcome{List: u.Name, Messages: []string{u.Error},
			Filtered: job.Filtered{Partial: true}})
	}
	if s.Refused != "" {
		outcomes = append(outcomes, &outcome{Refused: s.Refused})
	}
	if len(s.Rest.Warnings) > 0 {
		outcomes = append(outcomes, &outcome{Messages: s.Rest.Warnings})
	}
	var made atomic.Pointer[[]*outcome]
	err = work(ctx, func(ctx context.Context) error {
		return inTemp(func(dir string) error {
			return alone(ctx, func() error {
				all, err := s.filter(ctx, spec, dir)
				made.Store(&all)
				return err
			})
		})
	})
	if err != nil {
		return err
	}
	for _, o := range append(outcomes, *made.Load()...) {
		line, err := json.Marshal(report.Texts(*o, report.ToUTF8))
		if err != nil {
			return err
		}
		emit(0, line)
	}
	return nil
}

// filter filters the lists of a shard, with temporary files in dir.
func (s shard) filter(ctx context.Context, spec *spec, dir string) ([]*outcome, error) {
	options, err := spec.Filter.unpack(ctx, dir)
	if err != nil {
		return nil, err
	}
	workers := cmp.Or(max(spec.Workers, 0), runtime.GOMAXPROCS(0))
	at := max(min(workers, len(s.Parts)), 1) // lists at a time
	options.Workers, options.Memory = max(workers/at, 1), spec.Memory/int64(at)
	outcomes, errs := make([]*outcome, len(s.Parts)), make([]error, len(s.Parts))
	var wg sync.WaitGroup
	next := make(chan int)
	for range at {
		wg.Go(func() {
			for i := range next {
				own := filepath.Join(dir, fmt.Sprint(i))
				if errs[i] = os.Mkdir(own, 0o700); errs[i] == nil {
					outcomes[i], errs[i] = s.Parts[i].filter(ctx, options, spec.Filter, own)
				}
				_ = os.RemoveAll(own) // all is removed in the end
			}
		})
	}
	for i := range s.Parts {
		next <- i
	}
	close(next)
	wg.Wait()
	return outcomes, errors.Join(errs...)
}

// filter filters a list. Its copy is in dir.
func (p part) filter(ctx context.Context, o job.FilterOptions, spec *filterSpec, dir string) (*outcome, error) {
	inputs, err := p.inputs(ctx, dir)
	if err != nil {
		return nil, err
	}
	result := &outcome{List: p.File.Name}
	o.URLs = job.Inputs{Opened: inputs}
	o.Robots.Stdin = bytes.NewReader(spec.Robots)
	o.Messages = job.Messages{Warn: func(text string) { result.Messages = append(result.Messages, text) }}
	err = publish(ctx, p.Output, func(name string) error {
		w, err := os.Create(name)
		if err != nil {
			return err
		}
		return errors.Join(result.fill(ctx, o, w), w.Close())
	})
	switch {
	case errors.Is(err, errNoOutput):
		return result, nil
	case err == nil:
		result.Output = p.Output
	}
	return result, err
}

// errNoOutput is the error for a list of which no row could be read.
var errNoOutput = errors.New("no output")

// fill filters a list, and takes what is to be said of it. An error of writing is not of the list:
// then the work is to be done again.
func (r *outcome) fill(ctx context.Context, o job.FilterOptions, w io.Writer) error {
	out := &remembering{Writer: w}
	f, err := job.Filter(ctx, o, out)
	return cmp.Or(out.err, r.take(f, err))
}

// remembering is a writer that remembers its first error: that of a filter does not report whether
// it is one of writing.
type remembering struct {
	io.Writer
	err error
}

// Write writes to the writer beneath.
func (r *remembering) Write(p []byte) (int, error) {
	n, err := r.Writer.Write(p)
	r.err = cmp.Or(r.err, err)
	return n, err
}

// take takes what a filter has returned. An error but errNoOutput is not of the list.
func (r *outcome) take(f *job.Filtered, err error) error {
	var failed *job.Error
	switch {
	case err == nil && f.Partial && f.Read == 0:
		r.Filtered.Partial = true
		return errNoOutput
	case err == nil:
	case errors.As(err, &failed) && failed.Kind == job.Interrupted:
		return err
	case f == nil || f.Read == 0 || f.Invalid < f.Read: // it could not begin, or has ended early
		text := err.Error()
		// the options have been tried, so it is of this list, which it does not name
		if failed != nil && failed.Kind == job.Usage {
			text = fmt.Sprintf("%s: not filtered: %s", r.List, text)
		}
		r.Filtered.Partial, r.Messages = true, append(r.Messages, text)
		return errNoOutput
	}
	r.Filtered = *f
	r.Filtered.Inputs, r.Filtered.Useless = nil, nil
	for _, q := range f.Useless {
		r.Messages = append(r.Messages, fmt.Sprintf("%s: no line is a URL; line %d is %q", r.List, q.Line, q.Text))
		r.Filtered.Partial = true
	}
	return nil
}

// unpack returns the options, with the files that they name in dir.
func (f *filterSpec) unpack(ctx context.Context, dir string) (o job.FilterOptions, err error) {
	o = f.Options.FilterOptions
	if len(f.Crawlers) > 0 {
		name := filepath.Join(dir, "crawlers.json")
		if err := os.WriteFile(name, f.Crawlers, 0o600); err != nil {
			return o, err
		}
		for i := range o.Agents {
			o.Agents[i].Crawlers = name
		}
	}
	if o.Archive != "" {
		o.Archive, err = shared.get(ctx, o.Archive)
	}
	return o, err
}

// countFn writes the file of counts, for the process that has submitted the job.
type countFn struct{ Scratch string }

// ProcessElement publishes the outcomes in the order of their lists.
func (f *countFn) ProcessElement(ctx context.Context, _ int, outcomes func(*[]byte) bool) error {
	var lines [][]byte
	for line := []byte(nil); outcomes(&line); line = nil {
		lines = append(lines, line)
	}
	slices.SortFunc(lines, bytes.Compare) // an object begins with the name of its list
	return publishBytes(ctx, join(f.Scratch, countsName), append(bytes.Join(lines, []byte("\n")), '\n'))
}

// filter is the filter of a command line.
func (f *flags) filter(ctx context.Context, o job.FilterOptions) (*job.Filtered, error) {
	if err := f.check(o.URLs.Names); err != nil {
		return nil, err
	}
	scratch, end, err := f.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	packed, err := f.pack(ctx, &o)
	if err != nil {
		return nil, err
	}
	p, s := beam.NewPipelineWithRoot()
	err = publishValue(ctx, join(scratch, specName), &spec{
		Names: o.URLs.Names, Scratch: scratch, Out: f.out, ShardBytes: f.shard, Memory: o.Memory, Workers: o.Workers,
		Filter: packed,
	})
	if err != nil {
		return nil, inputError(err)
	}
	outcomes := beam.ParDo(s.Scope("filter"), &filterFn{scratch}, plan(s, &lookFn{}, scratch))
	beam.ParDo0(s.Scope("count"), &countFn{scratch}, beam.GroupByKey(s, outcomes))
	if err := run(ctx, p); err != nil {
		return nil, err
	}
	counts, err := readAll(ctx, join(scratch, countsName))
	if err != nil {
		return nil, inputError(err)
	}
	result, listed, err := total(counts, o)
	if result == nil {
		return nil, err
	}
	written := publish(ctx, join(f.out, countsName), func(path string) error { return os.WriteFile(path, listed, 0o666) })
	if err == nil && written != nil {
		err = inputError(written)
	}
	return result, err
}

// pack checks the options as the filter will, and returns what the workers need of them.
func (f *flags) pack(ctx context.Context, o *job.FilterOptions) (*filterSpec, error) {
	switch {
	case len(o.URLs.Names) == 0:
		return nil, usageError("no list of URLs")
	case slices.Contains(o.URLs.Names, "-"):
		return nil, usageError("a list from standard input is not on all workers: name files")
	case f.out == "":
		return nil, usageError("--out is missing: name a folder for the results")
	}
	o.Now = time.Now()
	files, err := filesOf(o)
	if err != nil {
		return nil, inputError(err)
	}
	packed := &filterSpec{Files: files}
	if o.Robots.Name != "" {
		if packed.Robots, err = o.Robots.Read(ctx); err != nil {
			return nil, err
		}
		o.Robots.Name = "-"
	}
	if len(o.Agents) > 0 && o.Agents[0].Crawlers != "" {
		if packed.Crawlers, err = os.ReadFile(o.Agents[0].Crawlers); err != nil {
			return nil, inputError(err)
		}
	}
	trial := *o
	trial.Page = 0                  // which needs a list of WARC
	trial.Messages = job.Messages{} // those of the lists say the same
	if o.Archive != "" {
		if trial.Archive, err = shared.get(ctx, o.Archive); err != nil {
			return nil, inputError(err)
		}
	}
	trial.Robots.Stdin = bytes.NewReader(packed.Robots)
	trial.URLs = job.Inputs{Opened: []*source.Input{source.NewLines("", strings.NewReader(""))}}
	if _, err := job.Filter(ctx, trial, io.Discard); err != nil {
		return nil, err
	}
	packed.Options.FilterOptions = *o
	packed.Options.Robots.Stdin = nil
	return packed, nil
}

// filesOf returns the full names of the files that a filter reads beside the lists.
func filesOf(o *job.FilterOptions) (files []string, err error) {
	names := []string{o.Robots.Name, o.Archive}
	for _, agent := range o.Agents {
		names = append(names, agent.Crawlers)
	}
	for _, name := range slices.Compact(names) {
		if name != "" && isPath(name) {
			if name, err = filepath.Abs(name); err != nil {
				return nil, err
			}
		}
		if name != "" {
			files = append(files, name)
		}
	}
	return files, nil
}

// total adds up the outcomes of all lists, and gives their messages to the user. It returns the
// lines of counts that are of lists.
func total(counts []byte, o job.FilterOptions) (f *job.Filtered, listed []byte, err error) {
	f = &job.Filtered{}
	said, missing := map[string]bool{}, ""
	lines := bufio.NewScanner(bytes.NewReader(counts))
	lines.Buffer(nil, len(counts)+1)
	for lines.Scan() {
		var one outcome
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, nil, inputError(fmt.Errorf("%s: %w", countsName, err))
		}
		one = report.Texts(one, report.FromUTF8)
		if one.Refused != "" {
			return nil, nil, usageError("%s", one.Refused)
		}
		for _, text := range one.Messages {
			if !said[text] && o.Messages.Warn != nil {
				o.Messages.Warn(text)
			}
			said[text] = true
		}
		if isPath(one.Output) {
			if _, err := os.Stat(one.Output); errors.Is(err, os.ErrNotExist) && one.Output != "" {
				missing = one.Output
			}
		}
		if one.List != "" {
			line, err := json.Marshal(counted{one.List, one.Output, append([]string{}, one.Messages...),
				cli.SummaryOf(&one.Filtered)})
			if err != nil {
				return nil, nil, inputError(err)
			}
			listed = append(append(listed, line...), '\n')
		}
		add(f, &one, max(o.Quotes, 0))
	}
	switch {
	case missing != "":
		err = inputError(fmt.Errorf("--out: there is no %s, which a worker has written: is it a folder that all workers "+
			"share?", missing))
	case f.NoURL():
		err = inputError(fmt.Errorf("no %s of the lists has a URL", f.Noun()))
	}
	return f, listed, err
}

// add adds the outcome of a list.
func add(f *job.Filtered, of *outcome, quotes int) {
	s, one := &f.Summary, &of.Filtered
	s.Read, s.Kept, s.Dropped, s.Invalid = s.Read+one.Read, s.Kept+one.Kept, s.Dropped+one.Dropped, s.Invalid+one.Invalid
	s.Printed, s.Misencoded = s.Printed+one.Printed, s.Misencoded+one.Misencoded
	for class, n := range one.Count {
		s.Count[class] += n
	}
	if len(s.Barred) < len(one.Barred) { // a list that could not be read has none
		s.Barred = make([]int64, len(one.Barred))
	}
	for i, n := range one.Barred {
		s.Barred[i] += n
	}
	for _, q := range one.Quotes {
		if q.Input = len(f.Inputs); len(s.Quotes) < quotes {
			s.Quotes = append(s.Quotes, q)
		}
	}
	f.Inputs = append(f.Inputs, source.Result{Name: of.List})
	if len(one.Agents) > 0 {
		f.Agents = one.Agents
	}
	f.Records, f.MaxRow, f.Partial = f.Records || one.Records, max(f.MaxRow, one.MaxRow), f.Partial || one.Partial
}
