package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/robotsieve/robotsieve/scan/job"
)

// An audit that lists requests reads the logs twice, because any line may clear a violation elsewhere. When the states have been added up,
// the sum gives the facts that verdicts depend on; with these each shard is read again, and its rows are a file of their own.

func init() {
	register.DoFn5x1[context.Context, int, func(*string) bool, func(*counted) bool, func(shard), error](&againFn{})
	register.DoFn2x1[context.Context, shard, error](&rowsFn{})
	register.Emitter2[int, counted]()
	register.Iter1[counted]()
}

// counted is how many lines a range of a file has.
type counted struct {
	Name  string
	From  int64
	Lines int64
}

// Files of a job that lists requests, in its scratch folder.
const (
	shardsName = "shards.json"
	factsName  = "facts"
)

// listed adds the rows of shards to a pipeline, by the sum and the lines of ranges under one key.
func listed(s beam.Scope, spec *spec, sum, lines beam.PCollection) {
	s = s.Scope("rows")
	again := beam.ParDo(s, &againFn{spec.Scratch, spec.Memory}, beam.CoGroupByKey(s, sum, lines))
	beam.ParDo0(s, &rowsFn{}, beam.Reshuffle(s, again))
}

// publishShards keeps the shards for their second reading.
func publishShards(ctx context.Context, scratch string, shards []shard) error {
	encoded, err := json.Marshal(shards)
	if err != nil {
		return err
	}
	return publish(ctx, join(scratch, shardsName), func(path string) error { return os.WriteFile(path, encoded, 0o600) })
}

// readShards returns what publishShards has kept.
func readShards(ctx context.Context, scratch string) (shards []shard, err error) {
	encoded, err := readAll(ctx, join(scratch, shardsName))
	if err != nil {
		return nil, err
	}
	return shards, json.Unmarshal(encoded, &shards)
}

// againFn has all shards read again.
type againFn struct {
	Scratch string
	Memory  int64
}

// ProcessElement publishes the facts, and emits the shards, whose ranges know where in the file their lines are.
func (f *againFn) ProcessElement(ctx context.Context, _ int, sums func(*string) bool, lines func(*counted) bool, emit func(shard)) error {
	var sum string
	if !sums(&sum) {
		return errors.New("the states have no sum")
	}
	if err := publishFacts(ctx, join(f.Scratch, factsName), sum, f.Memory); err != nil {
		return err
	}
	spec, err := readAll(ctx, join(f.Scratch, specName))
	if err != nil {
		return err
	}
	shards, err := readShards(ctx, f.Scratch)
	if err != nil {
		return err
	}
	in := map[counted]int64{} // by the range, without its lines
	for c := (counted{}); lines(&c); c = (counted{}) {
		in[counted{Name: c.Name, From: c.From}] = c.Lines
	}
	before := map[string]int64{} // lines of a file, whose ranges come in their order
	for _, s := range shards {
		for i := range s.Parts {
			p := &s.Parts[i]
			p.Range.Line = before[p.File.Name]
			before[p.File.Name] += in[counted{Name: p.File.Name, From: p.Range.From}]
		}
		s.Spec = spec
		emit(s)
	}
	return nil
}

// publishFacts makes the facts of a sum.
func publishFacts(ctx context.Context, name, sum string, memory int64) error {
	dir, err := os.MkdirTemp("", "robotsieve-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	state, err := fetch(ctx, sum, dir)
	if err != nil {
		return err
	}
	return attempt(ctx, func(ctx context.Context) error {
		return publish(ctx, name, func(path string) error { return job.WriteFacts(ctx, state, path, memory) })
	})
}

// rowsFn lists the requests of shards.
type rowsFn struct{}

// ProcessElement publishes the rows of a shard.
func (*rowsFn) ProcessElement(ctx context.Context, s shard) error {
	spec, err := decode(s.Spec)
	if err != nil {
		return err
	}
	facts, err := shared.get(ctx, join(spec.Scratch, factsName))
	if err != nil {
		return err
	}
	return attempt(ctx, func(ctx context.Context) error {
		return s.read(ctx, func(logs job.Inputs) error {
			return publish(ctx, rowsName(spec, s.Index), func(path string) error {
				o := spec.options()
				o.Logs, o.Part, o.Facts = logs, s.part(), facts
				return write(ctx, o, spec, path)
			})
		})
	})
}

// rowsName is the name of the file of a shard's rows.
func rowsName(spec *spec, shard int) string {
	return join(spec.Out, fmt.Sprintf("rows-%05d.%s", shard, spec.Rows.Output))
}

// write writes the rows of an audit to a file.
func write(ctx context.Context, o job.AuditOptions, spec *spec, path string) error {
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	var end func() error
	o.Rows, end = spec.Rows.Begin(w)
	_, err = job.Audit(ctx, o)
	return errors.Join(err, end(), w.Close())
}

// checkRows refuses a folder of rows that would be mixed with those of another audit.
func checkRows(ctx context.Context, out string, force bool) error {
	switch old, err := glob(ctx, out, "rows-*"); {
	case err != nil:
		return inputError(err)
	case len(old) > 0 && !force:
		return usageError("--out %s: has rows of another audit, such as %s; --force replaces them", out, old[0])
	}
	return nil
}

// removeOthers removes the rows of another audit.
func removeOthers(ctx context.Context, spec *spec) error {
	shards, err := readShards(ctx, spec.Scratch)
	if err != nil {
		return err
	}
	names, err := glob(ctx, spec.Out, "rows-*")
	ours := map[string]bool{}
	for _, s := range shards {
		ours[rowsName(spec, s.Index)] = true
	}
	others := slices.DeleteFunc(names, func(name string) bool { return ours[name] })
	return errors.Join(err, remove(ctx, others...))
}
