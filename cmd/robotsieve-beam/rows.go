package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/source"
)

// An audit that lists requests reads the logs twice, because any line may clear a violation
// elsewhere. When the states have been added up, the sum gives the facts that verdicts depend on;
// with these each shard is read again, and its rows are a file of their own.

func init() {
	register.DoFn5x1[context.Context, int, func(*string) bool, func(*reading) bool, func(shardAgain), error](&againFn{})
	register.DoFn3x1[context.Context, shardAgain, func(int, string), error](&rowsFn{})
	register.Emitter1[shardAgain]()
	register.Emitter2[int, reading]()
	register.Iter1[reading]()
}

// reading is what the first reading of an input has found. The second one must find the same.
type reading struct {
	Shard, Place int // of the input, in the list of the shard
	Name         string
	From         int64
	Codec        string
	AllLines     int64 // as in job.Audited
	Bytes, Lines int64
	Failed       bool
}

// readingsOf returns what an audit has read.
func readingsOf(a *job.Audited) (list []reading) {
	for i, in := range a.Inputs {
		list = append(list, reading{Name: in.Name, From: in.From, Codec: in.Codec, AllLines: a.AllLines[i], Bytes: in.Bytes,
			Lines: in.Lines, Failed: in.Error != ""})
	}
	return list
}

// Files of a job that lists requests, in its scratch folder.
const (
	shardsName = "shards.json"
	factsName  = "facts"
)

// shardAgain is a shard that is read for the second time.
type shardAgain struct {
	Shard shard
	First []reading
}

// listed adds the rows of shards to a pipeline, by the sum and what was read under one key.
func listed(s beam.Scope, spec *spec, sum, read beam.PCollection) {
	s = s.Scope("rows")
	again := beam.ParDo(s, &againFn{spec.Scratch, spec.Memory}, beam.CoGroupByKey(s, sum, read))
	beam.GroupByKey(s, beam.ParDo(s, &rowsFn{spec.Scratch}, beam.Reshuffle(s, again)))
}

// againFn has all shards read again.
type againFn struct {
	Scratch string
	Memory  int64
}

// ProcessElement publishes the facts, and emits the shards, whose ranges know where in the file
// their lines are.
func (f *againFn) ProcessElement(ctx context.Context, _ int, sums func(*string) bool, read func(*reading) bool,
	emit func(shardAgain)) error {
	var sum string
	if refused, err := glob(ctx, f.Scratch, refusedName); len(refused) > 0 || err != nil || !sums(&sum) {
		return err
	}
	if err := publishFacts(ctx, join(f.Scratch, factsName), sum, f.Memory); err != nil {
		return err
	}
	shards, err := readValue[[]shard](ctx, join(f.Scratch, shardsName))
	if err != nil {
		return err
	}
	first := make([][]reading, len(shards))
	for r := (reading{}); read(&r); r = (reading{}) {
		if r.Shard >= len(first) {
			return fmt.Errorf("there is no shard %d", r.Shard)
		}
		first[r.Shard] = append(first[r.Shard], r)
	}
	before := map[string]int64{} // lines of a file, whose ranges come in their order
	for i, s := range shards {
		slices.SortFunc(first[i], func(a, b reading) int { return cmp.Compare(a.Place, b.Place) })
		for k := range s.Parts {
			p := &s.Parts[k]
			if p.Range.To == 0 {
				continue
			}
			p.Range.Line = before[p.File.Name]
			at := slices.IndexFunc(first[i], func(r reading) bool { return r.Name == p.File.Name && r.From == p.Range.From })
			if at < 0 {
				return fmt.Errorf("%s: nobody has read it from byte %d on", p.File.Name, p.Range.From)
			}
			before[p.File.Name] += first[i][at].AllLines
		}
		emit(shardAgain{s, first[i]})
	}
	return nil
}

// publishFacts makes the facts of a sum.
func publishFacts(ctx context.Context, name, sum string, memory int64) error {
	return inTemp(func(dir string) error {
		state, err := fetch(ctx, sum, dir)
		if err != nil {
			return err
		}
		return work(ctx, func(ctx context.Context) error {
			return publish(ctx, name, func(path string) error { return job.WriteFacts(ctx, state, path, memory) })
		})
	})
}

// rowsFn lists the requests of shards.
type rowsFn struct{ Scratch string }

// ProcessElement publishes the rows of a shard, and emits the name of the file. Prism keeps one
// processor busy for nothing while a step without output works (as of Beam 2.77, stage.Execute).
func (f *rowsFn) ProcessElement(ctx context.Context, s shardAgain, emit func(int, string)) error {
	spec, err := readSpec(ctx, f.Scratch)
	if err != nil {
		return err
	}
	facts, err := shared.get(ctx, join(spec.Scratch, factsName))
	if err != nil {
		return err
	}
	name := join(spec.Out, rowsName(s.Shard.Index, spec.Rows.Output))
	err = work(ctx, func(ctx context.Context) error {
		return s.asBefore().read(ctx, func(logs job.Inputs) error {
			return publish(ctx, name, func(path string) error {
				o := spec.options()
				o.Logs, o.Part, o.Facts = logs, &s.Shard.Rest, facts
				return s.write(ctx, o, spec.Rows, path)
			})
		})
	})
	if err == nil {
		emit(0, name)
	}
	return err
}

// asBefore returns the shard with ranges in place of plain logs that have grown, as those of a
// server do while they are audited.
func (s shardAgain) asBefore() shard {
	now := s.Shard
	now.Parts = slices.Clone(now.Parts)
	for _, was := range s.First {
		i := slices.IndexFunc(now.Parts, func(p part) bool {
			return p.File.Name == was.Name && p.Range.To == 0 &&
				isPath(was.Name)
		})
		if i < 0 || was.Codec != "plain" || was.Bytes == 0 && was.Failed {
			continue
		}
		if info, err := os.Stat(was.Name); err == nil && info.Size() > was.Bytes {
			now.Parts[i].Range, now.Parts[i].Empty = source.Range{To: was.Bytes, Of: was.Bytes}, was.Bytes == 0
		}
	}
	return now
}

// write writes the rows of an audit to a file. If the logs are not what they were, it fails: the
// report would be of other lines.
func (s shardAgain) write(ctx context.Context, o job.AuditOptions, rows cli.Rows, path string) error {
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	var end func() error
	o.Rows, end = rows.Begin(w)
	a, err := job.Audit(ctx, o)
	if err = errors.Join(err, end(), w.Close()); err != nil {
		return err
	}
	now := readingsOf(a)
	for i, was := range s.First {
		was.Shard, was.Place, was.AllLines = 0, 0, 0
		if i < len(now) {
			now[i].AllLines = 0 // a log that has grown is a range now
		}
		if i >= len(now) || now[i] != was {
			return fmt.Errorf("%s: has changed since it was read for the report, so its rows would not be those", was.Name)
		}
	}
	return nil
}

// rowsName is the name of the file of a shard's rows.
func rowsName(shard int, output string) string { return fmt.Sprintf("rows-%05d.%s", shard, output) }

var isRowsName = regexp.MustCompile(`^rows-[0-9]{5,}\.(ndjson|csv|parquet)$`).MatchString

// rowsIn returns the files of rows in a folder.
func rowsIn(ctx context.Context, dir string) ([]string, error) {
	names, err := glob(ctx, dir, "rows-*")
	return slices.DeleteFunc(names, func(name string) bool { return !isRowsName(path.Base(filepath.ToSlash(name))) }), err
}

// clearRows removes rows of another audit, with which these would be mixed, before they are made.
// Without force it refuses the folder.
func clearRows(ctx context.Context, out string, force bool) error {
	old, err := rowsIn(ctx, out)
	if err == nil && len(old) > 0 && !force {
		return usageError("--out %s: has rows already, such as %s; --force replaces all of them", out,
			path.Base(filepath.ToSlash(old[0])))
	}
	if err == nil {
		err = remove(ctx, old...)
	}
	if err != nil {
		return inputError(err)
	}
	return nil
}

// checkAllRows tells if files are missing, as they do if workers have another folder of that name.
func checkAllRows(ctx context.Context, spec *spec) error {
	shards, err := readValue[[]shard](ctx, join(spec.Scratch, shardsName))
	if err != nil {
		return inputError(err)
	}
	names, err := rowsIn(ctx, spec.Out)
	if err != nil {
		return inputError(err)
	}
	there := map[string]bool{}
	for _, name := range names {
		there[path.Base(filepath.ToSlash(name))] = true
	}
	for _, s := range shards {
		if name := rowsName(s.Index, spec.Rows.Output); !there[name] {
			return inputError(fmt.Errorf("--out %s: there is no %s, which a worker has written: is it a folder that all "+
				"workers share?", spec.Out, name))
		}
	}
	return nil
}
