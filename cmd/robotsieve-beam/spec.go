package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
	"github.com/robotsieve/robotsieve/scan/job"
	"github.com/robotsieve/robotsieve/scan/report"
)

// spec is what all workers know: the job, and by content all files that it needs but the logs, the
// lists and the archive of rules. It is a file in the scratch folder, and no side input of the
// pipeline: Prism keeps one processor busy for nothing while a step that has one works (as of Beam
// 2.77, ElementManager.Bundles).
type spec struct {
	Names   []string // of the logs or lists
	Scratch string   // folder for files between the steps
	Out     string   // folder for the results; "" for an audit without rows

	ShardBytes int64 // of a shard, decompressed
	Memory     int64
	Workers    int

	Side            *job.SideFiles // of an audit; nil for a filter
	AllowDuplicates bool
	Hashes          bool     // of all logs: merge finds by them what it has counted already
	Rows            cli.Rows // of an audit
	Only            report.Choice

	Filter *filterSpec // nil for an audit
}

// options are those of a part of the audit.
func (s *spec) options() job.AuditOptions {
	results := job.Results{Only: s.Only, NoReport: true, Anonymous: len(s.Rows.Key) > 0}
	return job.AuditOptions{Results: results, Shard: job.Shard{Side: s.Side, Part: &job.Part{}},
		Limits: job.Limits{Memory: s.Memory, Workers: s.Workers}}
}

// specName is the name of the spec's file in the scratch folder. It is no part of the pipeline,
// whose size runners limit.
const specName = "job.json"

// specs keeps the spec that a process has read last: that of the job that it works for.
var specs struct {
	sync.Mutex
	last *spec
}

// readSpec returns the spec of a job, which nobody may change.
func readSpec(ctx context.Context, scratch string) (*spec, error) {
	specs.Lock()
	defer specs.Unlock()
	if specs.last != nil && specs.last.Scratch == scratch {
		return specs.last, nil
	}
	s, err := readValue[*spec](ctx, join(scratch, specName))
	if err != nil {
		return nil, fmt.Errorf("the description of the job: %w", err)
	}
	specs.last = s
	return s, nil
}

// The process may be told to end while elements are worked on. Then their work ends early and
// removes its files, and the process waits for that.

// attempt does the work of an element. Tests replace it, to have the work fail, be interrupted and
// be done again, as runners do.
var attempt = func(ctx context.Context, do func(context.Context) error) error { return do(ctx) }

var (
	working sync.RWMutex           // read-locked while an element is worked on
	running = context.Background() // of the command that runs in this process
)

// work does the work of an element, and ends its context with that of the command.
func work(ctx context.Context, do func(context.Context) error) error {
	working.RLock()
	defer working.RUnlock()
	if running.Err() != nil {
		return context.Cause(running)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(running, end)()
	return attempt(ctx, do)
}

// beginWork has all work end with ctx.
func beginWork(ctx context.Context) {
	working.Lock()
	defer working.Unlock()
	running = ctx
}

// awaitWork waits for the work that is being done. If the context of the command has ended, nothing
// begins any more.
func awaitWork() {
	working.Lock()
	defer working.Unlock()
}
