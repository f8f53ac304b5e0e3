package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
	"github.com/robotsieve/robotsieve/scan/job"
)

// spec is what all workers know: the job, and by content all files that it needs but the logs, the lists and the archive of rules. It
// is one side input of the pipeline.
type spec struct {
	Names   []string // of the logs or lists
	Scratch string   // folder for files between the steps
	Out     string   // folder for the results; "" for an audit without rows

	ShardBytes int64 // of a shard, decompressed
	Memory     int64
	Workers    int

	Side            *job.SideFiles // of an audit; nil for a filter
	AllowDuplicates bool
	Rows            cli.Rows // of an audit

	Filter *filterSpec // nil for an audit
}

// options are those of a part of the audit.
func (s *spec) options() job.AuditOptions {
	return job.AuditOptions{Side: s.Side, Part: &job.Part{}, NoReport: true, Memory: s.Memory, Workers: s.Workers}
}

func decode(encoded []byte) (*spec, error) {
	s := &spec{}
	if err := json.Unmarshal(encoded, s); err != nil {
		return nil, fmt.Errorf("the description of the job: %w", err)
	}
	return s, nil
}

func init() {
	register.DoFn2x2[context.Context, string, []byte, error](&loadFn{})
}

// loadFn reads the spec from the scratch folder, so that it is no part of the pipeline, whose size runners limit.
type loadFn struct{}

// ProcessElement returns the spec, encoded.
func (*loadFn) ProcessElement(ctx context.Context, name string) ([]byte, error) {
	return readAll(ctx, name)
}

// readAll returns the content of a file.
func readAll(ctx context.Context, name string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "robotsieve-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path, err := fetch(ctx, name, dir)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

const specName = "job.json"

// side publishes a spec, and returns it as a side input.
func side(ctx context.Context, s beam.Scope, of *spec) (beam.PCollection, error) {
	encoded, err := json.Marshal(of)
	if err != nil {
		return beam.PCollection{}, err
	}
	name := join(of.Scratch, specName)
	err = publish(ctx, name, func(path string) error { return os.WriteFile(path, encoded, 0o600) })
	return beam.ParDo(s, &loadFn{}, beam.Create(s, name)), err
}
