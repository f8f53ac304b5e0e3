package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

// An audit makes a state of each shard, and adds the states up in a tree. States go through files
// in the scratch folder, whose names say what they are of, because they may be larger than an
// element of a pipeline should be.

func init() {
	register.DoFn4x1[context.Context, shard, func(int, string), func(int, reading), error](&auditFn{})
	register.DoFn4x1[context.Context, int, func(*string) bool, func(int, string), error](&mergeFn{})
	register.DoFn3x1[context.Context, int, string, error](&endFn{})
	register.Emitter2[int, string]()
	register.Iter1[string]()
}

// fan is how many states are added up at a time, and levels how often. If there are more than
// 32,768 shards, the last step adds up more states.
const (
	fan    = 32
	levels = 3
)

// audited adds the audit of shards to a pipeline. It returns the name of the sum's state, under the
// key 0, and under the same what was read.
func audited(s beam.Scope, spec *spec, shards beam.PCollection) (sum, read beam.PCollection) {
	s = s.Scope("audit")
	states, read := beam.ParDo2(s, &auditFn{spec.Scratch}, shards)
	return addedUpInATree(s, spec, states), read
}

// addedUpInATree adds up states to one.
func addedUpInATree(s beam.Scope, spec *spec, states beam.PCollection) beam.PCollection {
	for level := range levels {
		states = beam.ParDo(s, &mergeFn{level, spec.Scratch, spec.Memory}, beam.GroupByKey(s, states))
	}
	return states
}

// auditFn audits shards.
type auditFn struct{ Scratch string }

// ProcessElement emits the state of a shard under the number of the group that it is added up with,
// and what was read. An audit that is refused has no state: the submitting process tells why.
func (f *auditFn) ProcessElement(ctx context.Context, s shard, emit func(int, string), tell func(int, reading)) error {
	spec, err := readSpec(ctx, f.Scratch)
	if err != nil {
		return err
	}
	name := join(spec.Scratch, fmt.Sprintf("shard-%06d.state", s.Index))
	var done atomic.Pointer[job.Audited]
	err = work(ctx, func(ctx context.Context) error {
		return s.read(ctx, func(logs job.Inputs) error {
			return publish(ctx, name, func(path string) error {
				o := spec.options()
				o.Logs, o.State, o.Part, o.Hash = logs, path, &s.Rest, spec.Hashes
				a, err := job.Audit(ctx, o)
				if err == nil {
					done.Store(a)
				}
				return err
			})
		})
	})
	if failed := (&job.Error{}); errors.As(err, &failed) && failed.Kind == job.Usage {
		return publishBytes(ctx, join(spec.Scratch, refusedName), []byte(err.Error()))
	} else if err != nil {
		return err
	}
	for i, r := range readingsOf(done.Load()) {
		r.Shard, r.Place = s.Index, i
		tell(0, r)
	}
	emit(s.Index/fan, name)
	return nil
}

// inputs opens a part of a shard. A copy of it is in dir. What cannot be copied is an input that
// cannot be read.
func (p part) inputs(ctx context.Context, dir string) ([]*source.Input, error) {
	path, err := fetch(ctx, p.File.Name, dir)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return []*source.Input{source.NewUnread(p.File.Name, p.Range, err)}, nil
	}
	if p.Empty {
		return []*source.Input{source.NewInput(p.File.Name, strings.NewReader(""), -1)}, nil
	}
	if p.Range.To > 0 {
		in, err := source.NewRange(path, p.Range)
		if err != nil {
			return []*source.Input{source.NewUnread(p.File.Name, p.Range, err)}, nil
		}
		return []*source.Input{in}, nil
	}
	inputs, _, errs := source.Inputs(ctx, []string{path}, nil, source.Limits{})
	for _, in := range inputs {
		if rest, ok := strings.CutPrefix(in.Name, path); ok {
			in.Name = p.File.Name + rest
		}
	}
	for _, err := range errs {
		inputs = append(inputs, source.NewUnread(p.File.Name, p.Range, err))
	}
	return inputs, nil
}

// read gives the files of a shard to do. There is one at a time in a process, which has all its
// processors and its memory: the copies of the next ones may be made meanwhile.
func (s shard) read(ctx context.Context, do func(job.Inputs) error) error {
	return inTemp(func(dir string) error {
		var logs job.Inputs
		for i, p := range s.Parts {
			own := filepath.Join(dir, strconv.Itoa(i)) // files of one name may be in several folders
			if err := os.Mkdir(own, 0o700); err != nil {
				return err
			}
			inputs, err := p.inputs(ctx, own)
			if err != nil {
				return err
			}
			logs.Opened = append(logs.Opened, inputs...)
		}
		return alone(ctx, func() error { return do(logs) })
	})
}

// busy has an entry while a shard is read.
var busy = make(chan struct{}, 1)

// alone calls do when no other shard is read in this process.
func alone(ctx context.Context, do func() error) error {
	select {
	case busy <- struct{}{}:
		defer func() { <-busy }()
		return do()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// mergeFn adds up the states of a group.
type mergeFn struct {
	Level   int
	Scratch string
	Memory  int64
}

// ProcessElement emits the state of the sum under the number of its own group. A state that is
// alone stays as it is.
func (f *mergeFn) ProcessElement(ctx context.Context, group int, states func(*string) bool,
	emit func(int, string)) error {
	var names []string
	for name := ""; states(&name); {
		names = append(names, name)
	}
	slices.Sort(names)
	sum := names[0]
	if len(names) > 1 {
		sum = join(f.Scratch, fmt.Sprintf("sum-%d-%06d.state", f.Level, group))
		err := work(ctx, func(ctx context.Context) error { return addUp(ctx, names, sum, f.Memory) })
		if err != nil {
			return err
		}
	}
	if group /= fan; f.Level >= levels-2 {
		group = 0 // there is one sum of all, however many shards there are
	}
	emit(group, sum)
	return nil
}

// addUp publishes the sum of states.
func addUp(ctx context.Context, names []string, sum string, memory int64) error {
	o := job.MergeOptions{Results: job.Results{NoReport: true}, Memory: memory, Parts: true}
	return inTemp(func(dir string) error {
		for _, name := range names {
			path, err := fetch(ctx, name, dir)
			if err != nil {
				return err
			}
			o.States = append(o.States, path)
		}
		return publish(ctx, sum, func(path string) error {
			o.State = path
			_, err := job.Merge(ctx, o)
			return err
		})
	})
}

// endFn tells the process that has submitted the job which state is that of all logs.
type endFn struct{ Scratch string }

// ProcessElement publishes the name of the state.
func (f *endFn) ProcessElement(ctx context.Context, _ int, sum string) error {
	return publishBytes(ctx, join(f.Scratch, sumName), []byte(sum))
}

// Files that an audit leaves in the scratch folder for the process that has submitted it: the name
// of the state of all logs, or why there is none.
const (
	sumName     = "sum"
	refusedName = "refused"
)

// audit is the audit of a command line.
func (f *flags) audit(ctx context.Context, o job.AuditOptions, rows cli.Rows) (*job.Audited, error) {
	switch {
	case slices.Contains(o.Logs.Names, "-"):
		return nil, usageError("standard input is not on all workers: name files")
	case (f.out == "") != (rows.List == ""):
		return nil, usageError("--list and --out, the folder for its files, are given together")
	}
	if err := f.check(o.Logs.Names); err != nil {
		return nil, err
	}
	files, err := job.ReadSideFiles(ctx, o)
	if err == nil && rows.List != "" {
		err = clearRows(ctx, f.out, o.Force)
	}
	if err != nil {
		return nil, err
	}
	scratch, end, err := f.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	p, s := beam.NewPipelineWithRoot()
	spec := &spec{
		Names: o.Logs.Names, Scratch: scratch, ShardBytes: f.shard, Memory: o.Memory, Workers: o.Workers,
		Side: files, AllowDuplicates: o.AllowDuplicates, Out: f.out, Rows: rows, Only: o.Only, Hashes: o.State != "",
	}
	look := &lookFn{true, files.Format, f.shard}
	if spec.Hashes {
		look.ShardBytes = 0 // logs are not divided: a range has no hash
	}
	if err := publishValue(ctx, join(scratch, specName), spec); err != nil {
		return nil, inputError(err)
	}
	sum, read := audited(s, spec, plan(s, look, scratch))
	beam.ParDo0(s, &endFn{scratch}, sum)
	if rows.List != "" {
		listed(s, spec, sum, read)
	}
	if err := run(ctx, p); err != nil {
		return nil, err
	}
	if names, err := glob(ctx, scratch, refusedName); err == nil && len(names) > 0 {
		why, err := readAll(ctx, names[0])
		if err != nil {
			return nil, inputError(err)
		}
		return nil, usageError("%s", why)
	}
	a, err := mergedReport(ctx, o, scratch)
	if err == nil && rows.List != "" {
		err = checkAllRows(ctx, spec)
	}
	return a, err
}

// mergedReport makes the report of the state that the pipeline has left.
func mergedReport(ctx context.Context, o job.AuditOptions, scratch string) (a *job.Audited, err error) {
	name, err := readAll(ctx, join(scratch, sumName))
	if err != nil {
		return nil, inputError(err)
	}
	err = inTemp(func(dir string) error {
		state, err := fetch(ctx, string(name), dir)
		if err != nil {
			return inputError(err)
		}
		a, err = job.Merge(ctx, job.MergeOptions{Results: o.Results, Memory: o.Memory, States: []string{state}, Parts: true})
		return err
	})
	return a, err
}
