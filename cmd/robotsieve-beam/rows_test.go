package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
	"github.com/robotsieve/robotsieve/internal/test/jobtest"
	"github.com/robotsieve/robotsieve/scan/job"
)

// oneList is the rows of one audit of all logs in this process, sorted.
func oneList(t *testing.T, set jobtest.Logs, rows cli.Rows) []string {
	t.Helper()
	var b bytes.Buffer
	var end func() error
	o := optionsOf(set)
	o.Rows, end = rows.Begin(&b)
	if _, err := job.Audit(t.Context(), o); err != nil || end() != nil {
		t.Fatal(err)
	}
	return sorted(b.String())
}

// sorted returns the lines of a text.
func sorted(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	slices.Sort(lines)
	return lines
}

// listedIn returns the rows of all files in a folder, sorted, and how many files there are. There
// is nothing else.
func listedIn(t *testing.T, dir, ext string) (rows []string, files int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || !strings.HasPrefix(e.Name(), "rows-") || filepath.Ext(e.Name()) != ext {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		all.Write(data)
	}
	return sorted(all.String()), len(entries)
}

// TestRowsAreThoseOfOneAudit lists the requests of many logs on Prism, also with work that fails
// and is done again. The rows of all shards are those of one audit, with the numbers of lines in
// divided logs, and the report is printed, too.
func TestRowsAreThoseOfOneAudit(t *testing.T) {
	args, set := logs(t, 9)
	key := write(t, filepath.Join(t.TempDir(), "key"), "sixteen octets, or more")
	for _, c := range []struct {
		shard int64
		seed  uint64
		rows  cli.Rows
		args  []string
	}{
		{20_000, 0, cli.Rows{List: "all", Output: "ndjson"}, nil},
		{8_000, 1, cli.Rows{List: "all", Output: "ndjson"}, nil},
		{30_000, 2, cli.Rows{List: "violations", Output: "ndjson", Key: []byte("sixteen octets, or more")},
			[]string{"--anonymize", key}},
		{1 << 30, 0, cli.Rows{List: "violations", Output: "csv"}, []string{"--output", "csv"}},
	} {
		dir, restore := filepath.Join(t.TempDir(), "rows"), func() int64 { return 1 }
		if c.seed > 0 {
			restore = faults(c.seed)
		}
		jsonReport := append(slices.Clone(args), "--list", c.rows.List, "--out", dir)
		if c.rows.Key != nil { // samples show addresses, so --anonymize refuses them
			i := slices.Index(jsonReport, "--samples")
			jsonReport = slices.Delete(jsonReport, i, i+2)
		}
		out, diagnosis, code := command(t, c.shard, append(jsonReport, c.args...)...)
		if again := restore(); again == 0 || code != 3 || !strings.Contains(diagnosis, "damaged.log.gz") ||
			!strings.Contains(out, "violation") {
			t.Fatalf("shards of %d: code %d, %d again: %s%s", c.shard, code, again, out, diagnosis)
		}
		want := oneList(t, set, c.rows)
		got, files := listedIn(t, dir, "."+c.rows.Output)
		if len(want) < 100 || c.shard < 1<<20 && files < 10 {
			t.Errorf("%d rows, %d files", len(want), files)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("shards of %d, seed %d: %d rows, and not %d", c.shard, c.seed, len(got), len(want))
		}
	}
}

// TestRowsOfShardsWithoutAnyAreFilesToo lists into files of which each can be read alone: also
// those of shards without violations.
func TestRowsOfShardsWithoutAnyAreFilesToo(t *testing.T) {
	args, _ := logs(t, 3)
	for output, begins := range map[string]string{"csv": "time,origin,crawler,", "parquet": "PAR1"} {
		dir := t.TempDir()
		_, diagnosis, code := command(t, 8_000, append(slices.Clone(args), "--list", "violations", "--output", output,
			"--quiet", "--out", dir)...)
		names, err := filepath.Glob(filepath.Join(dir, "rows-*."+output))
		if code != 3 || err != nil || len(names) < 10 {
			t.Fatalf("code %d, %d files: %s", code, len(names), diagnosis)
		}
		for _, name := range names {
			if data, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(data), begins) {
				t.Errorf("%s: %v, begins with %.30q", name, err, data)
			}
		}
	}
}

// TestRowsAreWholeOrMissing: an audit that cannot end leaves no part of a file.
func TestRowsAreWholeOrMissing(t *testing.T) {
	args, _ := logs(t, 3)
	dir := t.TempDir()
	attempts(t, func(ctx context.Context, work func(context.Context) error) error {
		interrupted, cancel := context.WithCancel(ctx)
		defer cancel()
		if names, _ := filepath.Glob(filepath.Join(dir, "rows-*")); len(names) > 0 {
			cancel()
		}
		return work(interrupted)
	})
	_, diagnosis, code := command(t, 8_000, append(args, "--list", "all", "--quiet", "--out", dir)...)
	entries, err := os.ReadDir(dir)
	if code != 3 || err != nil || len(entries) == 0 {
		t.Errorf("code %d: %v, %d files, %s", code, err, len(entries), diagnosis)
	}
	for _, e := range entries {
		if data, err := os.ReadFile(filepath.Join(dir, e.Name())); err != nil || len(data) > 0 &&
			!bytes.HasSuffix(data, []byte("}\n")) {
			t.Errorf("%s: %v, ends with %q", e.Name(), err, data[max(0, len(data)-20):])
		}
	}
}
