package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/robotsieve/robotsieve/scan/audit"
	"github.com/robotsieve/robotsieve/scan/format"
	"github.com/robotsieve/robotsieve/scan/source"
)

// auditLogs are the inputs of an audit whose format is known.
type auditLogs struct {
	inputs  []*source.Input
	formats []*format.Format
	failed  []audit.InputInfo
	code    int
}

// openLogs resolves the arguments and finds out the format of each input. What
// cannot be used is reported, and the rest goes on without it.
func (f auditFlags) openLogs(ctx context.Context, s streams, args []string) (*auditLogs, error) {
	name, err := f.format()
	if err != nil {
		return nil, err
	}
	logs := &auditLogs{}
	inputs, warnings, errs := source.Inputs(args, s.in)
	for _, w := range warnings {
		s.warn("%s", w)
	}
	for _, err := range errs {
		s.warn("%v", err)
		logs.failed = append(logs.failed, audit.InputInfo{Error: printable(err.Error())})
		logs.code = exitInput
	}
	opened := openAll(ctx, inputs, name, *f.workers)
	if ctx.Err() != nil {
		return nil, beforeAnything(s)
	}
	for i, in := range inputs {
		if err := opened[i].err; err != nil {
			s.warn("%v", err)
			logs.failed = append(logs.failed, audit.InputInfo{
				Name: printable(in.Name), Codec: in.Codec(), Error: printable(err.Error()),
			})
			logs.code = exitInput
			continue
		}
		if opened[i].empty {
			s.warn("%s: empty", in.Name)
		}
		logs.inputs = append(logs.inputs, in)
		logs.formats = append(logs.formats, opened[i].format)
	}
	return logs, nil
}

// openedLog is what the beginning of a log tells. The beginning itself is not kept:
// logs may be thousands.
type openedLog struct {
	format *format.Format
	empty  bool
	err    error
}

// openAll opens logs, some at a time, until ctx ends.
func openAll(ctx context.Context, inputs []*source.Input, name string, workers int) []openedLog {
	opened := make([]openedLog, len(inputs))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, len(inputs)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(inputs)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				opened[i] = openLog(ctx, inputs[i], name)
			}
		})
	}
	wg.Wait()
	return opened
}

// openLog finds out the format of a log: the one of that name, or with "auto" what
// its beginning looks like.
func openLog(ctx context.Context, in *source.Input, name string) openedLog {
	head, err := head(ctx, in, format.SampleBytes)
	if err != nil {
		return openedLog{err: err}
	}
	whole := len(head) < format.SampleBytes
	head = bytes.TrimPrefix(head, format.BOM)
	log := openedLog{empty: len(head) == 0}
	if f, ok := format.ByName(name); ok {
		log.format = f
		return log
	}
	log.format, err = format.Detect(head, whole)
	if errors.Is(err, format.ErrEmpty) {
		// Without a line any format will do.
		log.format, err = format.Default, nil
	}
	if errors.Is(err, format.ErrMixed) {
		err = fmt.Errorf("%w: name one with --format", err)
	}
	if err != nil {
		log.err = fmt.Errorf("%s: %w", in.Name, err)
	}
	return log
}

// hosts returns some of the hosts that a log names.
func (l *auditLogs) hosts(i int) ([]string, error) {
	head, err := l.inputs[i].Head(format.SampleBytes) // once more: it has been there already, so that nobody waits
	if err != nil {
		return nil, err
	}
	return format.Hosts(l.formats[i], bytes.TrimPrefix(head, format.BOM)), nil
}

// describe reports what broke, and returns what there is to say of the inputs.
func (l *auditLogs) describe(s streams, results []source.Result) about {
	a := about{inputs: []audit.InputInfo{}}
	for i, result := range results {
		info := audit.InputInfo{
			Name: printable(result.Name), Format: l.formats[i].Name(), Codec: result.Codec,
			Disk: result.Disk, Bytes: result.Bytes, Complete: result.Complete,
		}
		for _, w := range result.Warnings {
			s.warn("%s", w)
		}
		if result.Err != nil {
			covers := "the report covers the " + plural(result.Bytes, "byte") + " before that"
			if result.Codec != "plain" {
				covers += ", of which some may be damaged too"
			}
			s.warn("%v (%s)", result.Err, covers)
			info.Error = printable(result.Err.Error())
			l.code = exitInput
		}
		a.inputs = append(a.inputs, info)
	}
	a.inputs = append(a.inputs, l.failed...)
	a.partial, a.code = l.code != exitDone, l.code
	a.warnings = l.unnamed(s)
	return a
}

// unnamed says so where a log cannot name a crawler.
func (l *auditLogs) unnamed(s streams) []string {
	return l.formatWarnings(s, func(f *format.Format) bool { return !f.HasAgent() },
		"has no User-Agent field, so no line of it can name a crawler")
}

// formatWarnings says of each log whose format lacks something what follows, and
// returns that for the report: of each format once, and in their order, since a
// report is the same however its input was cut into files.
func (l *auditLogs) formatWarnings(s streams, lacks func(*format.Format) bool, what string) (warnings []string) {
	for i, f := range l.formats {
		if lacks(f) {
			w := fmt.Sprintf("the format %s %s", f.Name(), what)
			s.warn("%s: %s", l.inputs[i].Name, w)
			warnings = append(warnings, w)
		}
	}
	slices.Sort(warnings)
	return slices.Compact(warnings)
}
